//! The loom tests of published crates with Tribunal's explorer in loom's place.

mod published;
mod run;

use crate::{cargo, root, run as execute};
use published::{CRATES, PROFILE, Published};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A test, and what loom made of it.
struct Known {
    test: String,
    iterations: &'static str,
    seconds: &'static str,
    finished: &'static str,
}

impl Known {
    /// A test of which loom's figures are not known.
    fn by_name(test: String) -> Self {
        Known { test, iterations: "-", seconds: "-", finished: "-" }
    }
}

/// loom's figures of a crate.
fn known(name: &str) -> Vec<Known> {
    let rows = include_str!("loom.tsv").lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter_map(|row| match row[..] {
        [of, test, iterations, seconds, finished] if of == name => {
            Some(Known { test: test.into(), iterations, seconds, finished })
        }
        _ => None,
    })
    .collect()
}

/// What is to be run.
pub struct Options {
    /// The names of crates; all if there are none.
    only: Vec<String>,
    test: Option<String>,
    timeout: Duration,
    preemptions: Option<String>,
    /// loom itself, in its own place.
    loom: bool,
}

impl Options {
    /// From the arguments of the command.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options {
            only: Vec::new(),
            test: None,
            timeout: Duration::from_secs(60),
            preemptions: None,
            loom: false,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("error: {argument} needs a value"));
            match argument.as_str() {
                "--crate" => options.only.push(value()?.clone()),
                "--test" => options.test = Some(value()?.clone()),
                "--preemptions" => options.preemptions = Some(value()?.clone()),
                "--loom" => options.loom = true,
                "--timeout" => {
                    let text = value()?;
                    let seconds =
                        text.parse().map_err(|_| format!("error: --timeout {text}: seconds are expected"))?;
                    options.timeout = Duration::from_secs(seconds);
                }
                other => return Err(format!("error: loom-crates does not know {other}")),
            }
        }
        let unknown = |name: &&String| CRATES.iter().all(|published| published.name != name.as_str());
        if let Some(name) = options.only.iter().find(unknown) {
            let names: Vec<&str> = CRATES.iter().map(|published| published.name).collect();
            return Err(format!("error: --crate {name}: one of {} is expected", names.join(", ")));
        }
        Ok(options)
    }

    fn wants(&self, published: &Published) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == published.name)
    }
}

/// Fetches the crates, puts the explorer in loom's place, runs their loom tests, and prints what came of them beside loom's figures.
pub fn all(options: &Options) -> Result<(), String> {
    let home = root().join("target/loom-crates");
    fetch(&home)?;
    let mut totals = String::from(
        "| crate | loom tests | finished by loom | complete | bounded | fail | time limit |\n|---|---|---|---|---|---|---|\n",
    );
    let mut sums = [0; 6];
    for published in CRATES.iter().filter(|published| options.wants(published)) {
        println!("\n## {} {}\n", published.name, published.version);
        let folder = patch(&home, published, options.loom)?;
        let files = match build(&home, &folder, published, options.loom) {
            Ok(files) => files,
            Err(error) => {
                println!("{error}");
                continue;
            }
        };
        println!("| test | loom: iterations | CPU s | finished | here: executions | CPU s | verdict |");
        println!("|---|---|---|---|---|---|---|");
        let mut tests = known(published.name);
        let others = run::names(&files).into_iter().filter(|name| {
            published.also.iter().any(|start| name.starts_with(start))
                && !tests.iter().any(|known| known.test == *name)
        });
        let others: Vec<Known> = others.map(Known::by_name).collect();
        tests.extend(others);
        tests.retain(|row| options.test.as_deref().is_none_or(|test| row.test.contains(test)));
        let mut counts = [0; 4];
        for row in &tests {
            let outcome = run::test(&files, &row.test, options.timeout, options.preemptions.as_deref());
            counts[outcome.verdict.column()] += 1;
            println!(
                "| {} | {} | {} | {} | {} | {:.2} | {} |",
                row.test,
                row.iterations,
                row.seconds,
                row.finished,
                outcome.executions,
                outcome.seconds,
                outcome.verdict
            );
        }
        let finished = tests.iter().filter(|row| row.finished == "yes").count();
        let [complete, bounded, fail, late] = counts;
        let row = [tests.len(), finished, complete, bounded, fail, late];
        sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
        writeln!(totals, "| {} | {} |", published.name, row.map(|count| count.to_string()).join(" | "))
            .map_err(|error| error.to_string())?;
    }
    println!("\n{totals}| **all** | {} |", sums.map(|count| count.to_string()).join(" | "));
    Ok(())
}

/// Fetches the crates through cargo, once.
fn fetch(home: &Path) -> Result<(), String> {
    let scratch = home.join("fetch");
    if CRATES.iter().all(|published| vendored(home, published).is_dir()) {
        return Ok(());
    }
    let mut manifest = String::from(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for Published { name, version, .. } in &CRATES {
        writeln!(manifest, "{name} = \"={version}\"").map_err(|error| error.to_string())?;
    }
    write(&scratch.join("Cargo.toml"), &manifest)?;
    write(&scratch.join("src/lib.rs"), "")?;
    let mut vendor = cargo();
    vendor.current_dir(&scratch).args(["vendor", "--quiet", "--versioned-dirs", "vendor"]);
    execute(vendor.stdout(std::process::Stdio::null()))
}

fn vendored(home: &Path, published: &Published) -> PathBuf {
    home.join("fetch/vendor").join(format!("{}-{}", published.name, published.version))
}

/// Copies a crate, with the explorer in loom's place unless loom itself is to be run.
fn patch(home: &Path, published: &Published, loom: bool) -> Result<PathBuf, String> {
    let folder = home.join("crates").join(published.name);
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|error| format!("error: {}: {error}", folder.display()))?;
    }
    copy(&vendored(home, published), &folder)?;
    let file = folder.join("Cargo.toml");
    let manifest =
        fs::read_to_string(&file).map_err(|error| format!("error: {}: {error}", file.display()))?;
    let mut patched = without(&manifest, published.without);
    patched.push_str("\n[workspace]\n");
    if !loom {
        let shims = root().join("shims");
        let shim = |version: &str| shims.join(version).display().to_string();
        write!(
            patched,
            "\n[patch.crates-io]\nloom = {{ path = {:?} }}\nloom05 = {{ package = \"loom\", path = {:?} }}\n",
            shim("loom-0.7"),
            shim("loom-0.5"),
        )
        .map_err(|error| error.to_string())?;
    }
    if published.assertions {
        patched.push_str(PROFILE);
    }
    write(&file, &patched)?;
    // A lock file would hold on to loom itself.
    let lock = folder.join("Cargo.lock");
    if lock.is_file() {
        fs::remove_file(&lock).map_err(|error| format!("error: {}: {error}", lock.display()))?;
    }
    Ok(folder)
}

/// A manifest without benches, criterion and the dev-dependencies named; only to save time.
fn without(manifest: &str, names: &[&str]) -> String {
    let mut kept = String::with_capacity(manifest.len());
    let mut skip = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            let name = line.trim_matches(['[', ']']);
            let dependency = name.rsplit_once("dev-dependencies.").map(|(_, name)| name);
            skip = line == "[[bench]]"
                || dependency.is_some_and(|name| name == "criterion" || names.contains(&name));
        }
        if !skip {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Builds the tests of a crate: the files to be run.
fn build(home: &Path, folder: &Path, published: &Published, loom: bool) -> Result<Vec<PathBuf>, String> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    build
        .current_dir(folder)
        .args(["test", "--release", "--no-run", "--quiet", "--message-format", "json-render-diagnostics"])
        .args(published.arguments)
        .env("RUSTFLAGS", published.rustflags())
        .env("CARGO_TARGET_DIR", home.join(if loom { "build-with-loom" } else { "build" }))
        .stderr(std::process::Stdio::inherit());
    let output = build.output().map_err(|error| format!("error: cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("error: the tests of {} do not build", published.name));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let executables = text.lines().filter(|line| line.contains("\"test\":true")).filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split('"').next().map(PathBuf::from)
    });
    Ok(executables.collect())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("error: {}: {error}", file.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("error: {}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(failed)?;
        }
    }
    Ok(())
}

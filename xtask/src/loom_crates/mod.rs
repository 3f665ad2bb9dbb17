//! The loom tests of published crates with Tribunal's explorer in loom's place.

mod run;

use crate::{cargo, root, run as execute};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A published crate, and how its loom tests are run.
struct Published {
    name: &'static str,
    version: &'static str,
    arguments: &'static [&'static str],
    /// Dev-dependencies that the loom tests do not need.
    without: &'static [&'static str],
}

/// Of all crates together, so that what they share is built once.
const RUSTFLAGS: &str = "--cfg loom --cfg oneshot_loom --cfg st3_loom --cfg tokio_unstable -A warnings";

/// tokio's tests want its assertions; the explorer does without its own.
const PROFILE: &str = "
[profile.release]
debug-assertions = true

[profile.release.package.\"*\"]
debug-assertions = false
";

const CRATES: [Published; 13] = [
    Published {
        name: "boxcar",
        version: "0.2.14",
        arguments: &["--features", "loom", "--test", "loom", "--test", "loom_buckets"],
        without: &[],
    },
    Published { name: "bytes", version: "1.12.1", arguments: &["--lib"], without: &["serde_test"] },
    Published {
        name: "concurrent-queue",
        version: "2.5.0",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &[],
    },
    Published { name: "cordyceps", version: "0.3.5", arguments: &["--lib"], without: &["proptest"] },
    Published {
        name: "event-listener",
        version: "5.4.2",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &["critical-section"],
    },
    Published { name: "left-right", version: "0.11.8", arguments: &["--test", "loom"], without: &[] },
    Published { name: "maitake-sync", version: "0.3.0", arguments: &["--lib"], without: &[] },
    Published {
        name: "oneshot",
        version: "0.2.1",
        arguments: &["--features", "loom,std,async", "--test", "loom"],
        without: &["async-std", "tokio"],
    },
    Published {
        name: "parking",
        version: "2.2.1",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &["easy-parallel"],
    },
    Published {
        name: "saa",
        version: "5.6.2",
        arguments: &["--features", "loom", "--lib"],
        without: &["tokio", "futures"],
    },
    Published {
        name: "st3",
        version: "0.4.1",
        arguments: &["--test", "integration"],
        without: &["crossbeam-deque"],
    },
    Published { name: "swap-buffer-queue", version: "0.2.1", arguments: &["--lib"], without: &[] },
    Published {
        name: "tokio",
        version: "1.54.1",
        arguments: &["--features", "full,test-util", "--lib"],
        without: &[
            "futures-concurrency",
            "rand",
            "async-stream",
            "tokio-stream",
            "tracing-mock",
            "backtrace",
        ],
    },
];

/// A test, and what loom made of it.
struct Known {
    test: &'static str,
    iterations: &'static str,
    seconds: &'static str,
    finished: &'static str,
}

/// loom's figures of a crate.
fn known(name: &str) -> Vec<Known> {
    let rows = include_str!("loom.tsv").lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter_map(|row| match row[..] {
        [of, test, iterations, seconds, finished] if of == name => {
            Some(Known { test, iterations, seconds, finished })
        }
        _ => None,
    })
    .collect()
}

/// What is to be run.
pub struct Options {
    only: Option<String>,
    test: Option<String>,
    timeout: Duration,
}

impl Options {
    /// From the arguments of the command.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options { only: None, test: None, timeout: Duration::from_secs(60) };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("error: {argument} needs a value"));
            match argument.as_str() {
                "--crate" => options.only = Some(value()?.clone()),
                "--test" => options.test = Some(value()?.clone()),
                "--timeout" => {
                    let text = value()?;
                    let seconds =
                        text.parse().map_err(|_| format!("error: --timeout {text}: seconds are expected"))?;
                    options.timeout = Duration::from_secs(seconds);
                }
                other => return Err(format!("error: loom-crates does not know {other}")),
            }
        }
        if let Some(name) = &options.only
            && CRATES.iter().all(|published| published.name != name)
        {
            let names: Vec<&str> = CRATES.iter().map(|published| published.name).collect();
            return Err(format!("error: --crate {name}: one of {} is expected", names.join(", ")));
        }
        Ok(options)
    }
}

/// Fetches the crates, puts the explorer in loom's place, runs their loom tests, and prints what came of them beside loom's figures.
pub fn all(options: &Options) -> Result<(), String> {
    let home = root().join("target/loom-crates");
    fetch(&home)?;
    let mut totals = String::from(
        "| crate | loom tests | finished by loom | pass here | fail here | time limit |\n|---|---|---|---|---|---|\n",
    );
    for published in &CRATES {
        if options.only.as_deref().is_some_and(|only| only != published.name) {
            continue;
        }
        println!("\n## {} {}\n", published.name, published.version);
        let folder = patch(&home, published)?;
        let tests = build(&home, &folder, published)?;
        println!("| test | loom: iterations | CPU s | finished | here: executions | s | verdict |");
        println!("|---|---|---|---|---|---|---|");
        let rows = known(published.name);
        let rows: Vec<&Known> = rows
            .iter()
            .filter(|row| options.test.as_deref().is_none_or(|test| row.test.contains(test)))
            .collect();
        let mut counts = [0; 3];
        for row in &rows {
            let outcome = run::test(&tests, row.test, options.timeout);
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
        let finished = rows.iter().filter(|row| row.finished == "yes").count();
        let [pass, fail, late] = counts;
        let name = published.name;
        writeln!(totals, "| {name} | {} | {finished} | {pass} | {fail} | {late} |", rows.len())
            .map_err(|error| error.to_string())?;
    }
    println!("\n{totals}");
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

/// Copies a crate, with the explorer in loom's place.
fn patch(home: &Path, published: &Published) -> Result<PathBuf, String> {
    let folder = home.join("crates").join(published.name);
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|error| format!("error: {}: {error}", folder.display()))?;
    }
    copy(&vendored(home, published), &folder)?;
    let file = folder.join("Cargo.toml");
    let manifest =
        fs::read_to_string(&file).map_err(|error| format!("error: {}: {error}", file.display()))?;
    let mut patched = without(&manifest, published.without);
    let shims = root().join("shims");
    let shim = |version: &str| shims.join(version).display().to_string();
    write!(
        patched,
        "\n[workspace]\n\n[patch.crates-io]\nloom = {{ path = {:?} }}\nloom05 = {{ package = \"loom\", path = {:?} }}\n",
        shim("loom-0.7"),
        shim("loom-0.5"),
    )
    .map_err(|error| error.to_string())?;
    if published.name == "tokio" {
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
fn build(home: &Path, folder: &Path, published: &Published) -> Result<Vec<PathBuf>, String> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    build
        .current_dir(folder)
        .args(["test", "--release", "--no-run", "--quiet", "--message-format", "json-render-diagnostics"])
        .args(published.arguments)
        .env("RUSTFLAGS", RUSTFLAGS)
        .env("CARGO_TARGET_DIR", home.join("build"))
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

//! The documents as a site, made by mdBook, with the checker inside.
//!
//! The sources of the book are copied as they lie in the repository, so that links between documents and to examples hold.

use crate::{cargo, has_target, links, page, root, run, target_directory};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The mdBook that is installed if there is none.
const MDBOOK: &str = "mdbook@0.5.4";
/// What of the repository is copied: documents, and what they link to.
const COPIED: [&str; 8] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Containerfile",
    "lab/README.md",
];
const CHECKER: &str = "\
# Checker

Paste a history, drop a file, or choose an example. Everything happens in this page; nothing is sent anywhere. [Open it by itself](page/tribunal.html).

<iframe class=\"checker\" src=\"page/tribunal.html\" title=\"Tribunal\"></iframe>
";

/// Builds the site and gives the path of its first page.
pub fn build(checker: bool) -> Result<PathBuf, String> {
    let site = target_directory()?.join("site");
    let source = site.join("src");
    match fs::remove_dir_all(&site) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(problem(&site, error)),
        _ => {}
    }
    for folder in
        ["docs", "examples", "lab/schema", "crates/tribunal-c/include", "crates/tribunal-explore/programs"]
    {
        copy(&root().join(folder), &source.join(folder))?;
    }
    for file in COPIED {
        copy(&root().join(file), &source.join(file))?;
    }
    let settings = root().join("docs/site");
    for file in ["book.toml", "site.css"] {
        copy(&settings.join(file), &site.join(file))?;
    }
    let mut summary = read(&settings.join("SUMMARY.md"))?;
    if with_checker(checker, &source)? {
        write(&source.join("checker.md"), CHECKER)?;
    } else {
        summary = summary.replace("[Checker](checker.md)\n", "");
    }
    fs::remove_dir_all(source.join("docs/site")).map_err(|error| problem(&source, error))?;
    all_listed(&source, &source, &summary)?;
    write(&source.join("SUMMARY.md"), &summary)?;
    run(Command::new(mdbook()?).arg("build").arg(&site))?;
    links::check(&site.join("html"))?;
    let first = site.join("html/index.html");
    println!("{}", first.display());
    Ok(first)
}

/// Puts the page with the checker among the sources, if it is wanted and can be built here.
fn with_checker(wanted: bool, source: &Path) -> Result<bool, String> {
    if !wanted {
        return Ok(false);
    }
    if let Err(why) = has_target(page::TARGET) {
        eprintln!("the site is built without the checker: {why}");
        return Ok(false);
    }
    copy(&page::build()?, &source.join("page/tribunal.html"))?;
    Ok(true)
}

/// Every document must be in the table of contents: mdBook would leave it out.
fn all_listed(folder: &Path, source: &Path, summary: &str) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| problem(folder, error))? {
        let path = entry.map_err(|error| problem(folder, error))?.path();
        if path.is_dir() {
            all_listed(&path, source, summary)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.strip_prefix(source).unwrap_or(&path).display().to_string();
            if !summary.contains(&format!("({name})")) {
                return Err(format!("error: {name} is not in docs/site/SUMMARY.md"));
            }
        }
    }
    Ok(())
}

/// mdBook: the one of the PATH, or one in target/mdbook, which is installed if need be.
fn mdbook() -> Result<PathBuf, String> {
    if Command::new("mdbook").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok("mdbook".into());
    }
    let folder = target_directory()?.join("mdbook");
    let program = folder.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        run(cargo()
            .args([
                "install",
                // It is fast enough without optimization, and built in a third of the time.
                "--debug",
                "--locked",
                "--no-default-features",
                "--features",
                "search",
                MDBOOK,
            ])
            .arg("--root")
            .arg(&folder))?;
    }
    Ok(program)
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_dir() {
        for entry in fs::read_dir(from).map_err(|error| problem(from, error))? {
            let entry = entry.map_err(|error| problem(from, error))?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    let folder = to.parent().expect("a file is in a folder");
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to));
    copied.map(drop).map_err(|error| problem(from, error))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| problem(path, error))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| problem(path, error))
}

fn problem(path: &Path, error: std::io::Error) -> String {
    format!("error: {}: {error}", path.display())
}

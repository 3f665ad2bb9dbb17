//! The licences of what is linked into the command, which ask to be handed out with it.

use super::{failed, output};
use crate::cargo;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The packages that a platform's build of these contains, each with its licences in full. A text that several share is there once.
pub(super) fn of_dependencies(packages: &[&str], target: &str) -> Result<String, String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    tree.args(["--format", "{p}", "--target", target]);
    for package in packages {
        tree.args(["--package", package]);
    }
    let tree = output(&mut tree)?;
    // Lines are `NAME vVERSION`, and ours and repeated ones have more.
    let linked: BTreeSet<(&str, &str)> = std::str::from_utf8(&tree)
        .map_err(|error| format!("error: cargo tree: {error}"))?
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, version)| (name, version.split(' ').next().unwrap_or(version)))
        .collect();

    let metadata = output(cargo().args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value =
        serde_json::from_slice(&metadata).map_err(|error| format!("error: cargo metadata: {error}"))?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let (name, version) = (text("name"), text("version"));
        // Those without a source are ours.
        if package["source"].is_null() || !linked.contains(&(name, version)) {
            continue;
        }
        writeln!(list, "{name} {version}: {}", text("license")).expect("text takes everything");
        let folder = Path::new(text("manifest_path")).parent().unwrap_or(Path::new("")).to_path_buf();
        for file in files(&folder)? {
            let licence = fs::read_to_string(&file).map_err(failed(&file))?;
            let users = texts.entry(licence.trim().replace("\r\n", "\n")).or_default();
            users.push(format!("{name} {version}"));
        }
    }
    for (licence, mut users) in texts {
        users.dedup();
        let line = "-".repeat(80);
        write!(list, "\n{line}\n{}\n{line}\n\n{licence}\n", users.join(", ")).expect("text takes everything");
    }
    Ok(list)
}

/// The files of a package that are licences or notices by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).and_then(|files| files.map(|file| Ok(file?.path())).collect());
    let mut files: Vec<PathBuf> = read.map_err(failed(folder))?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        file.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|start| name.starts_with(start))
    });
    files.sort();
    Ok(files)
}

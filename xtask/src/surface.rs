//! The public names of std's parts for concurrency, of loom and of shuttle, from their documentation. The explorer's test `comparison` says which of them
//! it lacks.

use crate::{root, run, target_directory};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of the crates that cargo fetches.
const MANIFEST: &str = "\
[package]
name = \"surface\"
version = \"0.0.0\"
edition = \"2024\"

[lib]
path = \"lib.rs\"

[dependencies]
loom = { version = \"0.7\", features = [\"checkpoint\", \"futures\"] }
shuttle = \"0.9\"

[workspace]
";

/// The modules of std whose own items count, without those of modules below them.
const STD: [&str; 5] = ["cell", "sync", "sync/atomic", "sync/mpsc", "thread"];

/// Writes the list that the test reads.
pub fn write() -> Result<(), String> {
    let project = target_directory()?.join("surface");
    let documented = project.join("target");
    let put = |name: &str, text: &str| fs::write(project.join(name), text).map_err(|error| error.to_string());
    fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    put("Cargo.toml", MANIFEST)?;
    put("lib.rs", "")?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(&project).args(["doc", "--no-deps", "-p", "loom", "-p", "shuttle"]);
    run(cargo.env("CARGO_TARGET_DIR", &documented))?;
    let mut names = BTreeSet::new();
    let std = sysroot()?.join("share/doc/rust/html/std");
    if !std.is_dir() {
        return Err("std has no documentation here: rustup component add rust-docs".into());
    }
    for module in STD {
        read_module("std", &std, Path::new(module), false, &mut names)?;
    }
    for name in ["loom", "shuttle"] {
        read_module(name, &documented.join("doc").join(name), Path::new(""), true, &mut names)?;
    }
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    let file = root().join("crates/tribunal-explore/tests/integration/comparison/names.txt");
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{} names in {}", names.len(), file.display());
    Ok(())
}

fn sysroot() -> Result<PathBuf, String> {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).output();
    let path = asked.map_err(|error| format!("rustc: {error}"))?.stdout;
    Ok(PathBuf::from(String::from_utf8_lossy(&path).trim()))
}

/// Adds the names of a module: its items, and the methods of its types. rustdoc has a page for each item, named by its kind.
fn read_module(
    of: &str,
    base: &Path,
    module: &Path,
    below: bool,
    names: &mut BTreeSet<String>,
) -> Result<(), String> {
    const TYPES: [&str; 5] = ["struct", "enum", "union", "trait", "type"];
    let folder = base.join(module);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            if below {
                read_module(of, base, &module.join(&file), below, names)?;
            }
            continue;
        }
        let [kind, name, "html"] = file.split('.').collect::<Vec<_>>()[..] else { continue };
        if name.ends_with('!') || !(TYPES.contains(&kind) || ["fn", "macro", "constant"].contains(&kind)) {
            continue;
        }
        let page = fs::read_to_string(entry.path()).map_err(|error| format!("{file}: {error}"))?;
        // An item of a private module is elsewhere.
        if page.contains("http-equiv=\"refresh\"") {
            continue;
        }
        // What a page says of the item itself comes before its first heading.
        let top = page.split("<h2 id=").next().unwrap_or_default();
        if top.contains("stab unstable") || top.contains("stab deprecated") {
            continue;
        }
        let path: Vec<String> = module.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let path = [&path[..], &[name.to_owned()]].concat().join("::");
        let bang = if kind == "macro" { "!" } else { "" };
        names.insert(format!("{of} {path}{bang}"));
        if TYPES.contains(&kind) {
            names.extend(methods(&page).map(|method| format!("{of} {path}::{method}")));
        }
    }
    Ok(())
}

/// The methods that a page of a type has, but for those of traits, of what it dereferences to, and what is not stable.
fn methods(page: &str) -> impl Iterator<Item = &str> {
    let own = page.split("id=\"implementations\"").nth(1).unwrap_or_default();
    let own = own.split("id=\"trait-implementations\"").next().unwrap_or_default();
    let own = own.split("id=\"deref-methods-").next().unwrap_or_default();
    own.split("<section id=\"method.").skip(1).filter_map(|section| {
        let (id, rest) = section.split_once('"')?;
        let rest = rest.split("<section id=").next().unwrap_or_default();
        let stable = !rest.contains("stab unstable") && !rest.contains("stab deprecated");
        // A name that several implementations have is numbered.
        (stable && rest.contains(">pub ")).then(|| id.split('-').next().unwrap_or(id))
    })
}

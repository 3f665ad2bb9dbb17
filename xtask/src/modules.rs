//! The tables of packages and modules in the documents, made of what packages and modules say of themselves. The tests of the command include this
//! file by `#[path]`, and hold the documents to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A document as it is and as it should be.
struct Document {
    path: PathBuf,
    is: String,
    should: String,
}

/// Brings the documents up to date; or, to check them, refuses those that are not.
pub fn write(root: &Path, check: bool) -> Result<(), String> {
    for Document { path, is, should } in documents(root)? {
        match is == should {
            true => println!("{} is up to date", path.display()),
            false if check => return Err(format!("{}: cargo xtask modules mends it", path.display())),
            false => fs::write(&path, should).map_err(|error| problem(&path, error))?,
        }
    }
    Ok(())
}

/// Every document with such tables: ARCHITECTURE.md has packages between marker lines, docs/modules.md the modules of each package.
fn documents(root: &Path) -> Result<[Document; 2], String> {
    let packages = packages(root)?;
    let (architecture, modules) = (root.join("ARCHITECTURE.md"), root.join("docs/modules.md"));
    let is = read(&architecture)?;
    let should = with_tables(&is, &packages)?;
    let tables = Document { path: modules.clone(), is: read(&modules)?, should: tables(&packages)? };
    Ok([Document { path: architecture, is, should }, tables])
}

/// A package by its name: its sources, and the description in its manifest.
type Packages = BTreeMap<String, (PathBuf, String)>;

fn packages(root: &Path) -> Result<Packages, String> {
    let mut folders = vec![root.join("lab"), root.join("xtask")];
    for entry in fs::read_dir(root.join("crates")).map_err(|error| problem(root, error))? {
        folders.push(entry.map_err(|error| problem(root, error))?.path());
    }
    let package = |folder: &PathBuf| {
        let manifest = read(&folder.join("Cargo.toml"))?;
        let value = |key: &str| {
            let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            let text = line.and_then(|line| line.strip_suffix('"')).map(|text| text.replace("\\\"", "\""));
            text.ok_or_else(|| format!("{}: no {key}", folder.display()))
        };
        Ok((value("name")?, (folder.join("src"), value("description")?)))
    };
    folders.iter().map(package).collect()
}

/// The text with a table below each line `<!-- packages NAME .. -->`, up to the line `<!-- end of packages -->`. Each package is in one of them.
fn with_tables(text: &str, packages: &Packages) -> Result<String, String> {
    const END: &str = "<!-- end of packages -->\n";
    let mut parts = text.split("<!-- packages ");
    let mut new = parts.next().unwrap_or_default().to_owned();
    let mut left: Vec<&String> = packages.keys().collect();
    for part in parts {
        let (names, rest) = part.split_once(" -->\n").ok_or("a line of packages has no end")?;
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("no `{}`", END.trim_end()))?;
        new += &format!("<!-- packages {names} -->\n\n| crate | |\n|---|---|\n");
        for name in names.split(' ') {
            let (_, description) = packages.get(name).ok_or_else(|| format!("no package {name}"))?;
            new += &format!("| `{name}` | {} |\n", cell(description));
            left.retain(|other| *other != name);
        }
        new += &format!("\n{END}{after}");
    }
    if left.is_empty() { Ok(new) } else { Err(format!("ARCHITECTURE.md does not name {left:?}")) }
}

/// The modules of all packages: those at the root of each, and the folders below them.
fn tables(packages: &Packages) -> Result<String, String> {
    let mut text = "# Modules\n\n\
        What each module says of itself in its first sentence, as `cargo xtask modules` collects it. A folder of modules has a row, the files in it have \
        none. [ARCHITECTURE.md](../ARCHITECTURE.md) says how the packages belong together.\n"
        .to_owned();
    for (name, (sources, description)) in packages {
        text += &format!("\n## {name}\n\n{description}.\n");
        let mut modules = BTreeMap::new();
        collect(sources, sources, &mut modules)?;
        let is_folder = |name: &str| modules.keys().any(|other| is_below(other, name));
        let rows: Vec<_> =
            modules.iter().filter(|(name, _)| !name.contains('/') || is_folder(name)).collect();
        if !rows.is_empty() {
            text += "\n| module | |\n|---|---|\n";
        }
        for (name, sentence) in rows {
            text += &format!("| `{name}` | {} |\n", cell(sentence));
        }
    }
    Ok(text)
}

fn is_below(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Adds the modules in a folder, but for tests and the root of the package, each with its first sentence.
fn collect(sources: &Path, folder: &Path, modules: &mut BTreeMap<String, String>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| problem(folder, error))? {
        let path = entry.map_err(|error| problem(folder, error))?.path();
        let name = path.strip_prefix(sources).unwrap_or(&path).with_extension("");
        let name = name.display().to_string();
        if name.split('/').any(|part| part == "tests") || ["lib", "main"].contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            collect(sources, &path, modules)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let head = first_sentence(&read(&path)?);
            let head = head.ok_or_else(|| format!("{}: no `//!` line names its subject", path.display()))?;
            modules.insert(name.strip_suffix("/mod").unwrap_or(&name).to_owned(), head);
        }
    }
    Ok(())
}

/// The first sentence of a module's head, without its links to other items.
fn first_sentence(source: &str) -> Option<String> {
    let head = source.lines().map_while(|line| line.strip_prefix("//! ")).collect::<Vec<_>>().join(" ");
    let mut ends = head.match_indices(". ").map(|(at, _)| at);
    // "et al. 2023" is no end.
    let end = ends.find(|at| !head[at + 2..].starts_with(|next: char| next.is_ascii_digit()));
    let sentence = head[..end.unwrap_or(head.len())].trim_end_matches('.');
    let mut plain = String::new();
    let mut letters = sentence.chars().peekable();
    let mut is_code = false;
    while let Some(letter) = letters.next() {
        is_code ^= letter == '`';
        match letter {
            '[' if !is_code => {}
            ']' if !is_code => {
                if letters.peek() == Some(&'(') {
                    letters.find(|letter| *letter == ')');
                }
            }
            _ => plain.push(letter),
        }
    }
    (!plain.is_empty()).then_some(plain)
}

/// Text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| problem(path, error))
}

fn problem(path: &Path, error: std::io::Error) -> String {
    format!("error: {}: {error}", path.display())
}

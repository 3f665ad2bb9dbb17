//! Every command of README.md and of the guide is run, and prints what is shown below it.
//!
//! With `TRIBUNAL_UPDATE_DOCUMENTS=1` the documents are given what the commands print, and the programs that they show.

use crate::command::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../../../tribunal/examples/model_checker.rs"]
mod model_checker;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md, and the chapters of the guide.
fn documents() -> Vec<PathBuf> {
    let guide = std::fs::read_dir(root().join("docs/guide")).expect("the guide");
    let chapters = guide.map(|entry| entry.expect("a file").path());
    let mut documents: Vec<PathBuf> = chapters.chain([root().join("README.md")]).collect();
    documents.sort();
    documents
}

/// A directory as the root of the sources, in which files can be made.
fn place() -> Place {
    let place = Place::new();
    for folder in ["examples", "crates", "docs"] {
        std::os::unix::fs::symlink(
            root().canonicalize().expect("a directory").join(folder),
            place.path(folder),
        )
        .expect("a link");
    }
    place
}

/// What a command prints, on both streams.
fn printed(command: &str, place: &Place) -> String {
    if command == "cargo run -q -p tribunal --example model_checker" {
        return model_checker::outcomes().expect("every session is there");
    }
    let command = command.replace("cargo run --release -p tribunal-cli --", "tribunal");
    let programs = Path::new(env!("CARGO_BIN_EXE_tribunal")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}; }} 2>&1 < /dev/null")])
        .env("PATH", path)
        .current_dir(place.path("."))
        .output()
        .expect("a shell");
    String::from_utf8(output.stdout).expect("text")
}

/// What the document would be if every command were run now.
fn rewritten(text: &str, place: &Place) -> String {
    let mut new = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        new += line;
        new.push('\n');
        if line != "```console" {
            continue;
        }
        while let Some(command) = lines.next_if(|line| *line != "```") {
            let command = command.strip_prefix("$ ").expect("a block begins with a command");
            let mut shown = String::new();
            while let Some(output) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
                shown += output;
                shown.push('\n');
            }
            let printed = printed(command, place);
            // What is shown may have taken another time.
            let output = if untimed(&printed) == untimed(&shown) { &shown } else { &printed };
            new += &format!("$ {command}\n{output}");
        }
    }
    new
}

/// Output without the seconds that something took.
fn untimed(output: &str) -> String {
    let words = output.split(' ').collect::<Vec<_>>();
    let mut untimed = String::new();
    for (at, word) in words.iter().enumerate() {
        let seconds = words.get(at + 1).is_some_and(|unit| *unit == "s" || unit.starts_with("s\n"));
        untimed += if seconds && word.parse::<f64>().is_ok() { "#" } else { word };
        untimed.push(' ');
    }
    untimed
}

/// Holds a document to what it should be, or makes it so.
fn hold(path: &Path, is: &str, should: &str) {
    if std::env::var_os("TRIBUNAL_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(path, should).expect("written");
        return;
    }
    for (line, (is, should)) in is.lines().zip(should.lines()).enumerate() {
        assert_eq!(is, should, "{}:{}; TRIBUNAL_UPDATE_DOCUMENTS=1 mends it", path.display(), line + 1);
    }
    assert_eq!(is, should, "{}", path.display());
}

#[test]
fn every_command_prints_what_is_shown() {
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        hold(&path, &text, &rewritten(&text, &place()));
    }
}

/// The programs of the guide are tests and examples of the workspace, and so are compiled and run.
#[test]
fn the_programs_of_the_guide_are_those_that_are_tested() {
    for (chapter, program) in [
        ("3-queue.md", "crates/tribunal-record/tests/integration/guide.rs"),
        ("6-model-checker.md", "crates/tribunal/examples/model_checker.rs"),
    ] {
        let path = root().join("docs/guide").join(chapter);
        let text = std::fs::read_to_string(&path).expect("a chapter");
        let program = std::fs::read_to_string(root().join(program)).expect("a program");
        let (before, rest) = text.split_once("```rust\n").expect("a program in the chapter");
        let (_, after) = rest.split_once("```\n").expect("its end");
        hold(&path, &text, &format!("{before}```rust\n{program}```\n{after}"));
    }
}

/// The text with what is between two marks replaced.
fn filled(text: &str, mark: &str, new: &str) -> String {
    let (start, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end {mark} -->"));
    let from = text.find(&start).unwrap_or_else(|| panic!("no line {start}")) + start.len();
    let length = text[from..].find(&end).unwrap_or_else(|| panic!("no line {end}"));
    format!("{}\n{new}\n{}", &text[..from], &text[from + length..])
}

/// The models, criteria and levels, by their names.
fn families() -> [(&'static str, Vec<String>); 3] {
    use tribunal_history::{model::Model, object::Criterion, transactions::Level};
    [
        ("memory", Model::ALL.map(|model| model.to_string()).into()),
        ("object", Criterion::ALL.map(|criterion| criterion.to_string()).into()),
        ("transactions", Level::ALL.map(|level| level.to_string()).into()),
    ]
}

/// docs/models.md has a row for everything, with its cost, and the text of every model.
#[test]
fn the_models_are_documented_as_they_are() {
    let path = root().join("docs/models.md");
    let text = std::fs::read_to_string(&path).expect("a document");
    let table = printed("tribunal models --style markdown", &place());
    let mut should = text.clone();
    for (family, names) in families() {
        let of = |line: &&str| names.iter().any(|name| line.starts_with(&format!("| `{name}` |")));
        let rows: Vec<&str> = table.lines().take(2).chain(table.lines().filter(of)).collect();
        should = filled(&should, family, &format!("{}\n", rows.join("\n")));
    }
    for model in tribunal_history::model::Model::ALL {
        let start = format!("### `{model}`\n\n```cat\n");
        let from =
            should.find(&start).unwrap_or_else(|| panic!("docs/models.md lacks {model}")) + start.len();
        let length = should[from..].find("```\n").expect("the end of a block");
        should.replace_range(from..from + length, &model.text());
    }
    hold(&path, &text, &should);
}

/// docs/glossary.md has the entry of everything, and a row for every relation of the definitions.
#[test]
fn the_glossary_is_that_of_the_code() {
    let path = root().join("docs/glossary.md");
    let text = std::fs::read_to_string(&path).expect("the glossary");
    let mut should = text.clone();
    for (family, names) in families() {
        let entries = printed(&format!("tribunal models --style markdown {}", names.join(" ")), &place());
        should = filled(&should, family, &entries);
    }
    hold(&path, &text, &should);
    let of_models = tribunal_history::model::Model::ALL.map(|model| model.axioms());
    let of_levels = tribunal_history::transactions::Level::ALL.map(|level| level.axioms());
    let checks = [&of_models[..], &of_levels[..]].concat().join(" ");
    let mut names: Vec<&str> = checks.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    names.extend(["lin", "vis", "sw", "eco"]);
    for name in names {
        let word = name.chars().any(|c| c.is_ascii_lowercase()) && !["id", "o"].contains(&name);
        let check = ["acyclic", "irreflexive", "empty"].contains(&name);
        assert!(!word || check || text.contains(&format!("| `{name}`")), "the glossary lacks `{name}`");
    }
}

/// The documents of a folder.
fn documents_in(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join(folder)).expect("a folder");
    let files = files.map(|entry| entry.expect("a file").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The lines of a document outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchor that a heading has on a page.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Links between documents lead to a file, and to a heading that is there.
#[test]
fn links_lead_somewhere() {
    for path in [".", "docs", "docs/guide", "examples", "lab"].into_iter().flat_map(documents_in) {
        let text = std::fs::read_to_string(&path).expect("a document");
        for line in prose(&text) {
            for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                if link.starts_with("http") || link.contains(' ') {
                    continue;
                }
                let folder = path.parent().expect("a folder");
                let target = if file.is_empty() { path.clone() } else { folder.join(file) };
                assert!(target.exists(), "{}: {link}", path.display());
                if !heading.is_empty() && target.extension().is_some_and(|extension| extension == "md") {
                    let text = std::fs::read_to_string(&target).expect("a document");
                    let there = prose(&text).any(|line| line.starts_with('#') && anchor(line) == heading);
                    assert!(there, "{}: {link}: no such heading", path.display());
                }
            }
        }
    }
}

//! Every command of README.md and of the guide is run, and prints what is shown below it.
//!
//! With `TRIBUNAL_UPDATE_DOCUMENTS=1` the documents are given what the commands print, and the programs that they show.

use crate::command::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../../tribunal/examples/model_checker.rs"]
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
        #[cfg(unix)]
        std::os::unix::fs::symlink(root().canonicalize().expect("a directory").join(folder), place.path(folder))
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

#[cfg(unix)]
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
        ("3-queue.md", "crates/tribunal-record/tests/guide.rs"),
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

/// The glossary: everything between its marks comes from the code, and every relation of the definitions is explained.
#[test]
fn the_glossary_is_that_of_the_code() {
    let path = root().join("docs/glossary.md");
    let text = std::fs::read_to_string(&path).expect("the glossary");
    let mut should = text.clone();
    for (family, names) in [
        ("memory", tribunal::Model::ALL.map(|model| model.name().to_string()).to_vec()),
        ("object", tribunal::object::Criterion::ALL.map(|criterion| criterion.to_string()).to_vec()),
        ("transactions", tribunal::transactions::Level::ALL.map(|level| level.to_string()).to_vec()),
    ] {
        let (start, end) = (format!("<!-- {family} -->\n"), format!("<!-- end {family} -->"));
        let from = should.find(&start).expect("a mark") + start.len();
        let length = should[from..].find(&end).expect("its end");
        let entries = printed(&format!("tribunal models --style markdown {}", names.join(" ")), &place());
        should.replace_range(from..from + length, &format!("\n{entries}\n"));
    }
    hold(&path, &text, &should);
    let checks = tribunal::Model::ALL.map(|model| model.axioms()).join(" ");
    let mut names: Vec<&str> = checks.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    names.extend(["lin", "vis", "hb", "so", "rt", "wr", "ww", "rw", "ppo", "sw", "eco", "psc"]);
    for name in names {
        let word = name.chars().any(|c| c.is_ascii_lowercase()) && name != "id" && name != "o";
        let known = ["acyclic", "irreflexive", "empty"].contains(&name);
        assert!(!word || known || text.contains(&format!("| `{name}`")), "the glossary lacks `{name}`");
    }
}

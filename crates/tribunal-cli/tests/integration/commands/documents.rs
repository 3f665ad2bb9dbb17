//! What docs/command.md, docs/explore.md and docs/certificates.md show is what the command prints.

use crate::command::Place;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "../../../../../xtask/src/modules.rs"]
mod modules;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The code block, indented or fenced, of a document that begins with this line, without the line.
fn block(document: &str, first: &str) -> String {
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let mut lines = text.lines().skip_while(|line| line.trim() != first);
    let start = lines.next().unwrap_or_else(|| panic!("{document} has no line `{first}`"));
    let indent = &start[..start.len() - first.len()];
    let inside = |line: &&str| line.is_empty() || line.starts_with(indent) && *line != "```";
    let mut block: Vec<&str> =
        lines.take_while(inside).map(|line| line.strip_prefix(indent).unwrap_or("")).collect();
    while block.last().is_some_and(|line| line.is_empty()) {
        block.pop();
    }
    block.join("\n")
}

fn tribunal(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    String::from_utf8(output.stdout).expect("text")
}

/// The words of a command line, some of them between quotes.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split(' ').filter(|word| !word.is_empty()).collect(),
            _ => vec![part],
        })
        .collect()
}

/// Runs the commands of a document's console blocks in one directory, and compares what they print. What `cat` shows becomes a
/// file that later commands read; `> FILE` writes one. Returns how many were compared.
pub fn compare(document: &str) -> usize {
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let place = Place::new();
    let mut compared = 0;
    for block in text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for part in block.trim_end().strip_prefix("$ ").expect("a command").split("\n$ ") {
            let (line, shown) = part.split_once('\n').unwrap_or((part, ""));
            let (line, to) = line.split_once(" > ").map_or((line, None), |(line, file)| (line, Some(file)));
            let words = words(line);
            let printed = match (&words[..], line.contains("examples/")) {
                (["cat", file], _) => {
                    place.write(file, format!("{shown}\n"));
                    continue;
                }
                (["tribunal", arguments @ ..], false) => place.run(arguments).stdout,
                (["tribunal", arguments @ ..], true) => {
                    let expanded: Vec<String> = arguments.iter().flat_map(|word| expanded(word)).collect();
                    tribunal(&expanded.iter().map(String::as_str).collect::<Vec<_>>())
                }
                _ => panic!("{document}: {line}"),
            };
            match to {
                Some(file) => place.write(file, printed),
                None => {
                    assert_eq!(untimed(&printed), untimed(shown), "{document}: {line}");
                    compared += 1;
                }
            }
        }
    }
    compared
}

/// What is the same at every run.
fn untimed(text: &str) -> String {
    text.trim_end().lines().filter(|line| !line.starts_with("Time ")).collect::<Vec<_>>().join("\n")
}

/// The files that `examples/*/*.txt` stands for, or the word itself.
fn expanded(word: &str) -> Vec<String> {
    if word != "examples/*/*.txt" {
        return vec![word.to_string()];
    }
    let below =
        |path: PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = below(root().join("examples")).flat_map(below);
    let texts = files.filter(|file| file.extension().is_some_and(|extension| extension == "txt"));
    let mut names: Vec<String> = texts.map(|file| file.display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn the_command_is_documented_as_it_is() {
    let compared = compare("docs/command.md");
    assert!(compared >= 25, "{compared}");
}

/// Every command of docs/explore.md, with the programs that it shows.
#[test]
fn exploring_is_documented_as_it_is() {
    let place = Place::new();
    for program in ["sb.prog", "dekker.prog", "2+2w.prog"] {
        place.write(
            program,
            block("docs/explore.md", &format!("$ cat {program}")).split("\n\n$").next().expect("a part"),
        );
    }
    for line in [
        "tribunal explore sb.prog",
        "tribunal explore --set o=sc sb.prog",
        "tribunal explore --model sc,tso,pso,ra --style brief sb.prog",
        "tribunal explore --set f=acqrel dekker.prog",
        "tribunal explore --set f=acqrel --models --repair dekker.prog",
        "tribunal explore --expect dekker.prog",
        "tribunal explore 2+2w.prog",
    ] {
        let ran = place.run(&words(line)[1..]);
        let shown = block("docs/explore.md", &format!("$ {line}"));
        assert_eq!(shown.split("\n\n$").next(), Some(ran.stdout.trim_end()), "{line}");
    }
}

#[test]
fn the_certificates_shown_are_those_printed() {
    for (line, key, arguments) in [
        (
            "$ tribunal check --model ra --style json examples/litmus/mp.txt",
            "violation",
            &["check", "--model", "ra", "--style", "json", "examples/litmus/mp.txt"][..],
        ),
        (
            "$ tribunal check --model rc20 --style json --witness examples/litmus/mp.txt",
            "witness",
            &["check", "--model", "rc20", "--style", "json", "--witness", "examples/litmus/mp.txt"],
        ),
    ] {
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("one JSON object");
        let (shown, printed) = (json(&block("docs/certificates.md", line)), json(&tribunal(arguments)));
        assert!(shown[key].is_object(), "{line}");
        assert_eq!(shown[key], printed[key], "{line}");
    }
}

#[test]
fn the_tables_of_modules_are_what_the_modules_say() {
    assert_eq!(modules::write(&root(), true), Ok(()));
}

#[test]
fn the_text_of_a_model_is_shown_as_it_is() {
    let shown = block("docs/command.md", "$ tribunal models --style cat sc");
    assert_eq!(shown, tribunal(&["models", "--style", "cat", "sc"]).trim_end());
    for model in tribunal_history::model::Model::ALL {
        assert_eq!(tribunal(&["models", "--style", "cat", model.name()]), model.text());
    }
}

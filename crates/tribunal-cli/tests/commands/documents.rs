//! What docs/command.md, docs/explore.md and docs/certificates.md show is what the command prints.

use crate::command::{MP, Place};

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Every command of docs/command.md whose output is the same at every run, with the file that it shows.
#[test]
fn the_command_is_documented_as_it_is() {
    let place = Place::with("mp.txt", MP);
    assert_eq!(block("docs/command.md", "$ cat mp.txt"), MP.trim_end());
    place.write("racy.txt", block("docs/command.md", "$ cat racy.txt"));
    place.write("overtaking.json", block("docs/command.md", "$ cat overtaking.json"));
    for test in ["sb.litmus", "mp.litmus"] {
        let shown = block("docs/command.md", &format!("$ cat {test}"));
        place.write(test, shown.split("\n$ ").next().unwrap_or_default());
    }
    let shown = block("docs/command.md", "$ tribunal litmus --model tso sb.litmus");
    let shown = shown.split("\n$ ").next().unwrap_or_default().trim_end();
    let ran = place.run(&["litmus", "--model", "tso", "sb.litmus"]).stdout;
    let untimed =
        |text: &str| text.lines().filter(|line| !line.starts_with("Time ")).collect::<Vec<_>>().join("\n");
    assert_eq!(untimed(shown), untimed(ran.trim_end()));
    place.run(&["generate", "machine", "--machine", "pso", "--events", "1000", "-o", "pso.txt"]);
    place.write("mp.certificates", place.run(&["check", "--style", "json", "--witness", "mp.txt"]).stdout);
    place.run(&["generate", "machine", "--machine", "view", "--events", "100000", "-o", "view.txt.zst"]);
    let sequential =
        "generate machine --threads 12 --locations 4 --writes 0.5 --rmws 0 --events 200 --seed 1";
    let arguments = sequential.split(' ').chain("--histories 3 -o sc.txt".split(' '));
    place.run(&arguments.collect::<Vec<_>>());
    let delayed =
        "generate object --implementation delayed --processes 2 --operations 6 --overlap 0 --seed 3";
    let arguments = delayed.split(' ').chain("-o late.json".split(' '));
    place.run(&arguments.collect::<Vec<_>>());
    for line in [
        "tribunal check mp.txt",
        "tribunal check --model ra,rc20 --witness mp.txt",
        "tribunal check --model 'po-mm=RR+RW;rf-mm=rfe' mp.txt",
        "tribunal check --model ra,rc20 racy.txt",
        "tribunal races racy.txt",
        "tribunal check overtaking.json",
        "tribunal check --model linearizable,ryw --witness overtaking.json",
        "tribunal check --axioms 'vis >= lin.[dequeue]' overtaking.json",
        "tribunal explain mp.txt",
        "tribunal explain --why-not tso --but pso mp.txt",
        "tribunal explain overtaking.json",
        "tribunal verify mp.txt mp.certificates",
        "tribunal convert --to axe mp.txt",
        "tribunal convert --to litmus --arch AArch64 mp.txt",
        "tribunal shrink --model tso pso.txt",
        "tribunal view mp.txt -o mp.html",
        "tribunal view mp.txt --svg mp.svg --dot mp.dot",
        "tribunal stats view.txt.zst",
        "tribunal stats overtaking.json",
        "tribunal kernel sc.txt mp.txt",
        "tribunal generate machine --machine tso --threads 2 --locations 2 --events 12 --rmws 0 --writes 0.5 --orders relaxed --seed 4",
        "tribunal generate mutate --seed 1 mp.txt",
        "tribunal generate hard kernel",
        "tribunal check --model linearizable,causal --style brief late.json",
        "tribunal litmus --model sc,tso,ra,relaxed sb.litmus mp.litmus",
    ] {
        let ran = place.run(&words(line)[1..]);
        assert_eq!(block("docs/command.md", &format!("$ {line}")), ran.stdout.trim_end(), "{line}");
    }
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
fn the_text_of_a_model_is_shown_as_it_is() {
    let shown = block("docs/command.md", "$ tribunal models --style cat sc");
    assert_eq!(shown, tribunal(&["models", "--style", "cat", "sc"]).trim_end());
    for model in tribunal::Model::ALL {
        assert_eq!(tribunal(&["models", "--style", "cat", model.name()]), model.text());
    }
}

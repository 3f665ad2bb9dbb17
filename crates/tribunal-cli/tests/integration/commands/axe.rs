//! In place of Axe: `tribunal check --style brief --model tso traces.axe` answers as `axe check TSO traces.axe` does.

use crate::command::Place;
use crate::shared::shared;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Traces by others with Axe's answers.
fn litmus(file: &str) -> Option<String> {
    let path = shared(&format!("third-party/axe-litmus/{file}"))?;
    Some(std::fs::read_to_string(path).expect("a text"))
}

const MODELS: [&str; 4] = ["SC", "TSO", "PSO", "WMO"];

#[test]
fn every_answer_is_axes() {
    let Some(traces) = litmus("tests.axe") else { return };
    let place = Place::with("tests.axe", &traces);
    for model in MODELS {
        let Some(answers) = litmus(&format!("{model}.txt")) else { return };
        let expected: String = answers.lines().map(|line| format!("{}\n", &line[..2])).collect();
        assert_eq!(expected.lines().count(), 199);
        let arguments = ["check", "--verify", "--style", "brief", "--model", model];
        let file = place.run(&[&arguments[..], &["tests.axe"]].concat());
        assert_eq!((file.stdout.as_str(), file.status), (expected.as_str(), 1), "{model}: {}", file.stderr);
        assert_eq!(file.stderr, "199 certificates verified, 0 refused\n");
        let pipe = place.run_on(&[&arguments[..], &["-"]].concat(), &traces);
        assert_eq!(pipe.stdout, expected, "{model}");
    }
}

/// A test bench that writes a trace up to its `check` and waits for the answer before it writes the next.
fn converse(model: &str, conversation: &[(String, String)]) {
    let place = Place::new();
    let mut child = place
        .command(&["check", "--style", "brief", "--model", model, "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut questions = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    for (question, expected) in conversation {
        questions.write_all(question.as_bytes()).expect("written");
        questions.flush().expect("written");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("an answer");
        assert_eq!(answer.trim_end(), expected, "{model}: {question}");
    }
    drop(questions);
    let wrong = conversation.iter().any(|(_, answer)| answer == "NO");
    assert_eq!(child.wait().expect("an end").code(), Some(wrong.into()), "{model}");
}

#[test]
fn each_trace_is_answered_before_the_next_is_written() {
    let sb = "0: M[1] := 1\n0: M[2] == 0\n1: M[2] := 1\n1: M[1] == 0\ncheck\n";
    let mp = "0: M[1] := 1\n0: M[2] := 1\n1: M[2] == 1\n1: M[1] == 0\ncheck\n";
    let iriw = "0: M[1] := 1\n1: M[2] := 1\n2: M[1] == 1\n2: M[2] == 0\n3: M[2] == 1\n3: M[1] == 0\ncheck\n";
    for (model, answers) in
        MODELS.into_iter().zip([["NO", "NO", "NO"], ["OK", "NO", "NO"], ["OK", "OK", "NO"], ["OK"; 3]])
    {
        let traces = [sb, mp, iriw].into_iter().zip(answers);
        let conversation: Vec<_> = traces.map(|(trace, answer)| (trace.into(), answer.into())).collect();
        converse(model, &conversation);
    }
}

#[test]
fn a_long_conversation_is_answered_as_it_goes() {
    let Some(traces) = litmus("tests.axe") else { return };
    let Some(answers) = litmus("TSO.txt") else { return };
    let traces = traces.split_inclusive("check\n").filter(|trace| trace.ends_with("check\n"));
    let conversation: Vec<_> =
        traces.zip(answers.lines()).map(|(trace, line)| (trace.to_string(), line[..2].to_string())).collect();
    assert_eq!(conversation.len(), 199);
    converse("tso", &conversation);
}

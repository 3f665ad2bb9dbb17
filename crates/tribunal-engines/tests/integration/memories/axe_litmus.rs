//! The litmus traces of Axe, and its answers.

use crate::memories::engines;
use crate::memories::naive;
use crate::shared::shared;
use tribunal_formats::{History, Input, open};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Verdict, Witness};
use tribunal_verify::verify;

const ANSWERS: [(Model, &str); 4] =
    [(Model::Sc, "SC.txt"), (Model::Tso, "TSO.txt"), (Model::Pso, "PSO.txt"), (Model::Wmo, "WMO.txt")];

/// Every trace with Axe's answer for each model.
fn traces() -> Option<Vec<(History, [bool; 4])>> {
    let folder = shared("third-party/axe-litmus")?;
    let answers = ANSWERS.map(|(_, file)| std::fs::read_to_string(folder.join(file)).expect(file));
    let mut answers = answers.each_ref().map(|answers| answers.lines());
    let traces = open(&Input::Path(folder.join("tests.axe")), None).expect("a file");
    let traces: Vec<_> = traces
        .map(|trace| {
            let trace = trace.expect("a trace");
            let answers = answers.each_mut().map(|lines| {
                let (answer, name) = lines.next().and_then(|line| line.split_once(' ')).expect("an answer");
                assert_eq!(trace.memory().expect("of a memory").name(), Some(name));
                match answer {
                    "OK" => true,
                    "NO" => false,
                    other => panic!("{name}: {other}"),
                }
            });
            (trace, answers)
        })
        .collect();
    assert_eq!(traces.len(), 199);
    Some(traces)
}

#[test]
fn the_naive_checker_answers_as_axe_does() {
    for (trace, answers) in traces().iter().flatten() {
        for ((model, _), answer) in ANSWERS.into_iter().zip(*answers) {
            let naive = naive::consistent(trace.memory().expect("of a memory"), model);
            assert_eq!(
                naive,
                Some(answer),
                "{}: {model}",
                trace.memory().expect("of a memory").name().unwrap_or_default()
            );
        }
    }
}

#[test]
fn every_engine_answers_as_axe_does() {
    for (trace, answers) in traces().iter().flatten() {
        let x = trace.memory().expect("of a memory");
        for ((model, _), answer) in ANSWERS.into_iter().zip(*answers) {
            for (engine, verdict) in engines::verdicts(x, model) {
                let what = || format!("{}: {model} by {engine}", x.name().unwrap_or_default());
                assert_eq!(verdict.is_consistent(), answer, "{}: {}", what(), verdict.word());
                assert_eq!(verify(x, model, &verdict), Ok(()), "{}", what());
                if let Verdict::Consistent(Witness::Mo(mo)) = &verdict {
                    assert!(naive::satisfies(x, model, mo), "{}: {mo:?}", what());
                }
            }
        }
    }
}

//! `tribunal models`: what the models of memories and the criteria of objects are.

use crate::args::{ModelsArguments, Style};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{STRONG, Stdout};
use serde_json::json;
use std::io::Write;
use tribunal::Model;
use tribunal::object::Criterion;
use tribunal_report::Question;

pub fn run(arguments: &ModelsArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let models = Model::ALL.map(Question::Model).into_iter();
    for question in models.chain(Criterion::ALL.map(Question::Criterion)) {
        let engines = question.engines();
        let (of, axioms, complexity) = match &question {
            Question::Model(model) => ("memory", model.axioms().to_string(), model.complexity()),
            Question::Criterion(criterion) => ("object", axioms(criterion), complexity(criterion)),
        };
        match arguments.output {
            Style::Json => writeln!(
                out,
                r#"{{"model":"{question}","of":"{of}","axioms":{},"complexity":{},"engines":{}}}"#,
                json!(axioms),
                json!(complexity),
                json!(engines),
            )?,
            Style::Human => {
                let name = format!("{:12}", question.to_string());
                writeln!(out, "{} {axioms}", out.paint(STRONG, &name))?;
                writeln!(out, "             {complexity}; engines: {}", engines.join(", "))?;
            }
        }
    }
    if arguments.output == Style::Human {
        writeln!(
            out,
            "\nWhere values repeat, so that reads have several possible sources, every model of memories is NP-complete."
        )?;
    }
    Ok(Status::Success)
}

fn axioms(criterion: &Criterion) -> String {
    let mut axioms: Vec<String> = match criterion {
        Criterion::Sequential => return "Ret; lin >= po; vis = lin".into(),
        _ => ["Ret", "lin >= vis", "lin >= hb"].map(String::from).into(),
    };
    axioms.extend(criterion.axioms().iter().map(ToString::to_string));
    axioms.join("; ")
}

const fn complexity(criterion: &Criterion) -> &'static str {
    match criterion {
        Criterion::Linearizable => {
            "NP-complete; O(n log n) for register, set, queue, stack and priority-queue without repeated values"
        }
        Criterion::Sequential => "NP-complete",
        _ => "exponential; as fast as linearizable where the history is that",
    }
}

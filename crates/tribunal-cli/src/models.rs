//! `tribunal models`: what the models of memories, the criteria of objects and the levels of transactions are.

use crate::args::{ModelStyle, ModelsArguments};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{STRONG, Stdout};
use serde_json::json;
use std::io::Write;
use tribunal::Model;
use tribunal::object::Criterion;
use tribunal::transactions::Level;
use tribunal_report::Question;

pub fn run(arguments: &ModelsArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let every = || {
        let models = Model::ALL.map(Question::Model).into_iter();
        models.chain(Criterion::ALL.map(Question::Criterion)).chain(Level::ALL.map(Question::Level))
    };
    let asked = if arguments.models.is_empty() { every().collect() } else { arguments.models.clone() };
    match arguments.style {
        ModelStyle::Json => asked.iter().try_for_each(|question| as_json(question, out))?,
        ModelStyle::Markdown => as_table(&asked, out)?,
        ModelStyle::Human if arguments.models.is_empty() => as_list(&asked, out)?,
        ModelStyle::Human => {
            for (i, question) in asked.iter().enumerate() {
                if i > 0 {
                    writeln!(out)?;
                }
                write!(out, "{}", definition(question))?;
            }
        }
    }
    Ok(Status::Success)
}

fn as_json(question: &Question, out: &mut Stdout) -> std::io::Result<()> {
    let of = match question {
        Question::Model(_) => "memory",
        Question::Criterion(_) => "object",
        Question::Level(_) => "transactions",
    };
    writeln!(
        out,
        r#"{{"model":{},"of":"{of}","sentence":{},"axioms":{},"complexity":{},"engines":{},"definition":{}}}"#,
        json!(question.to_string()),
        json!(sentence(question)),
        json!(axioms(question)),
        json!(complexity(question)),
        json!(question.engines()),
        json!(definition(question)),
    )
}

fn as_list(questions: &[Question], out: &mut Stdout) -> std::io::Result<()> {
    for question in questions {
        let name = format!("{:12}", question.to_string());
        writeln!(out, "{} {}", out.paint(STRONG, &name), sentence(question))?;
        writeln!(out, "             {}", axioms(question))?;
        writeln!(out, "             {}; engines: {}", complexity(question), question.engines().join(", "))?;
    }
    writeln!(
        out,
        "\nWhere values repeat, so that reads have several possible sources, every model of memories is NP-complete.\n\
         `tribunal models tso` prints the definition of tso."
    )
}

fn as_table(questions: &[Question], out: &mut Stdout) -> std::io::Result<()> {
    writeln!(out, "| model | what it is | cost for n events of k threads |\n|---|---|---|")?;
    for question in questions {
        writeln!(out, "| `{question}` | {} | {} |", sentence(question), complexity(question))?;
    }
    Ok(())
}

fn sentence(question: &Question) -> String {
    match question {
        Question::Model(model) => model.sentence(),
        Question::Criterion(criterion) => criterion.sentence().into(),
        Question::Level(level) => level.sentence(),
    }
}

fn definition(question: &Question) -> String {
    match question {
        Question::Model(model) => model.text().into(),
        Question::Criterion(criterion) => {
            format!("(* {} *)\n\n{}\n", criterion.sentence(), axioms(question).replace("; ", "\n"))
        }
        Question::Level(level) => level.text(),
    }
}

fn axioms(question: &Question) -> String {
    let criterion = match question {
        Question::Model(model) => return model.axioms(),
        Question::Criterion(criterion) => criterion,
        Question::Level(level) => return level.axioms(),
    };
    let mut axioms: Vec<String> = match criterion {
        Criterion::Sequential => return "Ret; lin >= po; vis = lin".into(),
        _ => ["Ret", "lin >= vis", "lin >= hb"].map(String::from).into(),
    };
    axioms.extend(criterion.axioms().iter().map(ToString::to_string));
    axioms.join("; ")
}

fn complexity(question: &Question) -> &'static str {
    match question {
        Question::Model(model) => model.complexity(),
        Question::Level(level) => level.complexity(),
        Question::Criterion(Criterion::Linearizable) => {
            "NP-complete; O(n log n) for register, set, queue, stack and priority-queue without repeated values"
        }
        Question::Criterion(Criterion::Sequential) => "NP-complete",
        Question::Criterion(_) => "exponential; as fast as linearizable where the history is that",
    }
}

//! `tribunal models`: the glossary of memory models, criteria of objects and isolation levels.

mod entry;

use crate::args::{ModelStyle, ModelsArguments};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{STRONG, Stdout};
use entry::Entry;
use serde_json::json;
use std::io::Write;
use tribunal_history::model::Model;
use tribunal_history::object::Criterion;
use tribunal_history::transactions::Level;
use tribunal_report::Question;

/// The models of memories, the criteria of objects and the levels of transactions.
fn families() -> [Vec<Question>; 3] {
    [
        Model::ALL.map(Question::Model).into(),
        Criterion::ALL.map(Question::Criterion).into(),
        Level::ALL.map(Question::Level).into(),
    ]
}

pub fn run(arguments: &ModelsArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let named = !arguments.models.is_empty();
    let asked = if named { arguments.models.clone() } else { families().concat() };
    match arguments.style {
        ModelStyle::Json => asked.iter().try_for_each(|question| as_json(question, out))?,
        ModelStyle::Cat => each(&asked, out, definition)?,
        ModelStyle::Markdown if !named => as_table(&asked, out)?,
        ModelStyle::Human if !named => as_list(&asked, out)?,
        style => {
            let [memories, objects, transactions] = families();
            each(&asked, out, |question| {
                let family = match question {
                    Question::Model(_) => &memories,
                    Question::Criterion(_) => &objects,
                    Question::Level(_) => &transactions,
                };
                let entry = Entry::new(question, family);
                if style == ModelStyle::Markdown { entry.markdown() } else { entry.human() }
            })?;
        }
    }
    Ok(Tally::default())
}

/// Prints something of each, with an empty line between.
fn each(questions: &[Question], out: &mut Stdout, text: impl Fn(&Question) -> String) -> std::io::Result<()> {
    for (i, question) in questions.iter().enumerate() {
        let between = if i > 0 { "\n" } else { "" };
        write!(out, "{between}{}", text(question))?;
    }
    Ok(())
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
        json!(question.engine_names()),
        json!(definition(question)),
    )
}

fn as_list(questions: &[Question], out: &mut Stdout) -> std::io::Result<()> {
    for question in questions {
        let name = format!("{:12}", question.to_string());
        writeln!(out, "{} {}", out.paint(STRONG, &name), sentence(question))?;
        writeln!(out, "             {}", axioms(question))?;
        writeln!(
            out,
            "             {}; engines: {}",
            complexity(question),
            question.engine_names().join(", ")
        )?;
    }
    writeln!(
        out,
        "\nWhere values repeat, so that reads have several possible sources, every memory model is NP-complete.\n\
         `tribunal models tso` prints more about one of them, with an example that it refuses."
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
        // A level's is a part of longer ones.
        Question::Level(level) => {
            let sentence = level.sentence();
            let mut letters = sentence.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).chain(['.']).collect()
        }
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

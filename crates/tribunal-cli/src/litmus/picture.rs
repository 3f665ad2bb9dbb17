//! `tribunal litmus --view`: an execution of a test on a page.

use super::Session;
use super::answer::poll;
use super::model::{Choice, Prepared, Unprepared};
use crate::driver::specifications;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{Stdout, complain};
use crate::view::write_page;
use std::path::Path;
use tribunal_formats::{History, Labels, Lines, Subject};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::Limit;
use tribunal_host::named;
use tribunal_litmus::{Options, RunError, Runner, Test};
use tribunal_report::{Case, Check, Questions};
use tribunal_view::document;

/// Draws an execution that satisfies the test's condition: one that the model allows or, where there is none, one that it forbids.
pub fn draw(
    file: &Path,
    model: &Choice,
    session: &Session,
    page: &Path,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let name = file.to_string_lossy();
    let text = std::fs::read(file).map_err(|source| Failure::Read { file: name.to_string(), source })?;
    let test = Test::parse_with(&name, &String::from_utf8_lossy(&text), &session.macros)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let limits = session.budget.limits();
    let wrong = |unprepared| match unprepared {
        Unprepared::Wrong(message) => Failure::Usage(message),
        Unprepared::Limit(limit) => Failure::Usage(limit.to_string()),
    };
    let prepared = model.prepared(&test, &limits).map_err(wrong)?;
    let nothing = model.without_checks(&test, &limits).map_err(wrong)?;
    let mut found = None;
    for (allows, model) in [(true, prepared), (false, &nothing)] {
        match example(&test, model, session, &limits) {
            Ok(Some(execution)) => {
                found = Some((allows, execution));
                break;
            }
            Ok(None) => {}
            Err(why) => {
                complain(&format!("{name}: undecided: {why}"));
                return Ok(Tally { undecided: 1, ..Tally::default() });
            }
        }
    }
    let Some((allows, execution)) = found else {
        return Err(Failure::Usage(format!("{name}: no execution satisfies the condition, under no model")));
    };
    let questions: Questions = named(&model.asked(&test)?).map_err(Failure::Usage)?;
    let check = Check::new(questions, specifications(None)?);
    let history = History {
        subject: Subject::Memory(execution.into()),
        labels: Labels::default(),
        line: 1,
        lines: Lines::default(),
    };
    let case = Case { file: &name, index: 0, line: 1, subject: &history.subject };
    let checkable = check.checkable(case.subject, case.file).map_err(|why| Failure::unfit(&case, why))?;
    let questions = check.questions(&checkable);
    let answers: Vec<_> =
        questions.iter().map(|question| check.answer(&checkable, question, &limits)).collect();
    let document = document(&history, &name, &answers, &limits);
    let word = if allows { "allows" } else { "forbids" };
    complain(&format!("{} {word} ({})", prepared.name, test.condition_text));
    write_page(page, &document, out)?;
    Ok(Tally::default())
}

/// An execution that satisfies the condition.
fn example(
    test: &Test,
    model: &Prepared,
    session: &Session,
    limits: &Limits<'_>,
) -> Result<Option<Execution>, String> {
    let options = Options { counts: false, example: true, unroll: session.unroll, ..model.options };
    let mut reached = None;
    let outcome = Runner::new(&model.plan, options).run(test, &mut poll(limits, &mut reached));
    match outcome {
        Ok(outcome) => Ok(outcome.example),
        Err(RunError::Stopped(_)) => Err(reached.unwrap_or(Limit::Stopped).to_string()),
        Err(error) => Err(error.to_string()),
    }
}

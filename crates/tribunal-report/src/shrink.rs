//! A smallest part of an inconsistent history that is still inconsistent.

use crate::{Checkable, Question};
use std::fmt::Display;
use tribunal_engines::{memory, object, transactions};
use tribunal_formats::{Object, Subject, Transactions};
use tribunal_history::limits::Limits;
use tribunal_history::model::Model;
use tribunal_history::object::{Criterion, Typed, Violation};
use tribunal_history::transactions::{Level, TxnId};
use tribunal_history::verdict::{Kind, Limit, Verdict};

/// The part that is left of a history.
pub enum Part {
    /// It is still inconsistent, and has no part that is, unless a limit ended the work early.
    Left {
        /// The part that is left.
        part: Box<Subject>,
        /// The limit that was reached.
        limit: Option<Limit>,
    },
    /// It is consistent.
    Consistent,
    /// A limit was reached before that was known.
    Undecided(Limit),
    /// The question does not apply.
    Unsupported(String),
}

impl Part {
    /// Whether more memory might give a better result.
    pub fn lacks_memory(&self) -> bool {
        matches!(
            self,
            Part::Undecided(Limit::Memory { .. }) | Part::Left { limit: Some(Limit::Memory { .. }), .. }
        )
    }
}

/// The default question: sc for a memory, linearizable for an object, ser for transactions.
pub fn usual_question(subject: &Subject) -> Question {
    match subject {
        Subject::Memory(_) => Question::Model(Model::Sc),
        Subject::Object(_) => Question::Criterion(Criterion::Linearizable),
        Subject::Transactions(_) => Question::Level(Level::SER),
    }
}

/// Shrinks a history. `tick` is called again and again with how much is left.
///
/// ```
/// use tribunal::{Limits, Model};
/// use tribunal_report::{Part, Question, Specifications, shrink};
/// let text = "T0: W x 1; W z 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = tribunal_formats::read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let checkable = Specifications::default().checkable(&history.subject, "sb.txt")?;
/// let Part::Left { part, .. } =
///     shrink(&checkable, &history.subject, &Question::Model(Model::Sc), &Limits::default(), |_| ())
/// else {
///     panic!("store buffering is not sc");
/// };
/// assert!(matches!(*part, tribunal_formats::Subject::Memory(execution) if execution.len() == 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shrink(
    history: &Checkable,
    subject: &Subject,
    question: &Question,
    limits: &Limits<'_>,
    tick: impl FnMut(usize),
) -> Part {
    match (history, question, subject) {
        (Checkable::Memory(execution), &Question::Model(model), _) => {
            part_of(memory::shrink(execution, model, limits, tick), |shrunk| {
                (Subject::Memory(shrunk.part.history.into()), shrunk.limit)
            })
        }
        (Checkable::Object(specified), Question::Criterion(criterion), Subject::Object(whole)) => {
            let typed = specified.typed();
            part_of(object::shrink(&typed, criterion, limits, tick), |shrunk| {
                (Subject::Object(left(whole, &typed, &shrunk.part)), shrunk.limit)
            })
        }
        (
            Checkable::Transactions(history),
            &Question::Level(level),
            Subject::Transactions(Transactions { lines, notes, .. }),
        ) => part_of(transactions::shrink(history, level, limits, tick), |shrunk| {
            let line = |txn: &TxnId| lines.get(txn.index()).copied().unwrap_or_default();
            let lines = shrunk.part.kept.iter().map(line).collect();
            let notes = notes.of_part(shrunk.part.kept.iter().map(|txn| txn.0));
            let history = shrunk.part.history.into();
            (Subject::Transactions(Transactions { history, lines, notes }), shrunk.limit)
        }),
        _ => Part::Unsupported(history.mismatch(question)),
    }
}

/// The part that was found and the limit that was reached, or why there is none.
fn part_of<K: Kind<Unsupported: Display>, S>(
    shrunk: Result<S, Box<Verdict<K>>>,
    left: impl FnOnce(S) -> (Subject, Option<Limit>),
) -> Part {
    match shrunk.map_err(|verdict| *verdict) {
        Ok(shrunk) => {
            let (part, limit) = left(shrunk);
            Part::Left { part: Box::new(part), limit }
        }
        Err(Verdict::Undecided(limit)) => Part::Undecided(limit),
        Err(Verdict::Unsupported(why)) => Part::Unsupported(why.to_string()),
        Err(Verdict::Consistent(_) | Verdict::Inconsistent(_)) => Part::Consistent,
    }
}

/// The part of a history that a violation is about.
fn left(whole: &Object, typed: &Typed<'_>, violation: &Violation) -> Object {
    Object {
        history: typed.part(&violation.operations, violation.cut).into_history().into(),
        spec: whole.spec.clone(),
        lines: violation.operations.iter().map(|op| whole.lines[op.index()]).collect(),
        notes: whole.notes.of_part(violation.operations.iter().map(|op| op.0)),
    }
}

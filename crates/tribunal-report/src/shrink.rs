//! A smallest part of an inconsistent history that is still inconsistent.

use crate::{Judged, Question, wrong_kind};
use tribunal_engines::memory::Shrunk;
use tribunal_engines::object;
use tribunal_engines::transactions;
use tribunal_formats::{Object, Subject, Transactions};
use tribunal_history::object::{Criterion, Typed};
use tribunal_history::transactions::{Level, TxnId};
use tribunal_history::verdict::Limit;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// What is left of a history.
pub enum Part {
    /// It is still inconsistent, and has no part that is, unless a limit ended the work early.
    Left {
        /// What is left.
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
/// use tribunal_report::{Judged, Part, Question, shrink};
/// let text = "T0: W x 1; W z 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = tribunal_formats::read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let judged = Judged::Memory(history.memory().expect("of a memory"));
/// let Part::Left { part, .. } =
///     shrink(judged, &history.subject, &Question::Model(Model::Sc), &Limits::default(), |_| ())
/// else {
///     panic!("store buffering is not sc");
/// };
/// assert!(matches!(*part, tribunal_formats::Subject::Memory(execution) if execution.len() == 4));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn shrink(
    judged: Judged<'_>,
    subject: &Subject,
    question: &Question,
    limits: &Limits<'_>,
    tick: impl FnMut(usize),
) -> Part {
    match (judged, question, subject) {
        (Judged::Memory(execution), Question::Model(model), _) => {
            match tribunal_engines::memory::shrink(execution, *model, limits, tick)
                .map_err(|verdict| *verdict)
            {
                Ok(Shrunk { execution, limit, .. }) => {
                    Part::Left { part: Box::new(Subject::Memory(execution)), limit }
                }
                Err(Verdict::Undecided(limit)) => Part::Undecided(limit),
                Err(Verdict::Unsupported(why)) => Part::Unsupported(why.to_string()),
                Err(Verdict::Consistent(_) | Verdict::Inconsistent(_)) => Part::Consistent,
            }
        }
        (Judged::Object(typed), Question::Criterion(criterion), Subject::Object(object)) => {
            match object::shrink(typed, criterion, limits, tick).map_err(|verdict| *verdict) {
                Ok(object::Shrunk { violation, limit }) => {
                    Part::Left { part: Box::new(Subject::Object(left(object, typed, &violation))), limit }
                }
                Err(tribunal_history::object::Verdict::Undecided(limit)) => Part::Undecided(limit),
                Err(tribunal_history::object::Verdict::Unsupported(why)) => {
                    Part::Unsupported(why.to_string())
                }
                Err(
                    tribunal_history::object::Verdict::Consistent(_)
                    | tribunal_history::object::Verdict::Inconsistent(_),
                ) => Part::Consistent,
            }
        }
        (Judged::Transactions(history), Question::Level(level), Subject::Transactions(whole)) => {
            match transactions::shrink(history, *level, limits, tick).map_err(|verdict| *verdict) {
                Ok(transactions::Shrunk { history, transactions, limit }) => {
                    let line = |txn: &TxnId| whole.lines.get(txn.index()).copied().unwrap_or_default();
                    let lines = transactions.iter().map(line).collect();
                    let notes = whole.notes.of_part(transactions.iter().map(|txn| txn.0));
                    let part = Subject::Transactions(Transactions { history, lines, notes });
                    Part::Left { part: Box::new(part), limit }
                }
                Err(tribunal_history::transactions::Verdict::Undecided(limit)) => Part::Undecided(limit),
                Err(tribunal_history::transactions::Verdict::Unsupported(why)) => {
                    Part::Unsupported(why.to_string())
                }
                Err(_) => Part::Consistent,
            }
        }
        _ => Part::Unsupported(wrong_kind(question, judged)),
    }
}

/// The part of a history that a violation is about.
fn left(object: &Object, typed: &Typed<'_>, violation: &tribunal_history::object::Violation) -> Object {
    Object {
        history: typed.part(&violation.operations, violation.cut).into_history(),
        spec: object.spec.clone(),
        lines: violation.operations.iter().map(|op| object.lines[op.index()]).collect(),
        notes: object.notes.of_part(violation.operations.iter().map(|op| op.0)),
    }
}

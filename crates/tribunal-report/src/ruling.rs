//! The answer to a question about a history, with its certificate.

use crate::line::{Line, SCREENFUL, WIDTH, broken, fold};
use crate::memory::Racy;
use crate::transactions as words;
use crate::{EngineChoice, Question, Verification, memory, object};
use serde_json::Value;
use std::fmt;
use tribunal_engines::memory::{Engine, Judgment};
use tribunal_engines::object as objects;
use tribunal_engines::transactions;
use tribunal_formats::certificate;
use tribunal_history::memory::Execution;
use tribunal_history::object::{Criterion, Typed};
use tribunal_history::transactions::Level;
use tribunal_history::verdict::{Limit, Refutation};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use web_time::Instant;

/// An inquiry by one engine has only questions that it decides.
const DECIDED: &str = "the questions asked are those that the engine decides";

/// What can be checked: an execution, operations that fit their specification, or transactions.
#[derive(Clone, Copy)]
pub enum Judged<'a> {
    /// A history of a memory.
    Memory(&'a Execution),
    /// A history of an object.
    Object(&'a Typed<'a>),
    /// A history of transactions.
    Transactions(&'a tribunal_history::transactions::History),
}

/// The answer to one question about one history.
pub struct Finding<'a> {
    /// The answer.
    pub ruling: Ruling<'a>,
    /// What decided.
    pub engine: &'static str,
    /// Microseconds that it took.
    pub micros: u64,
    /// Whether the history is racy, where that can be.
    pub racy: Option<Racy>,
    /// The result of checking its certificate, if there is one and that was asked for.
    pub verification: Option<Verification>,
}

/// A verdict with the history and the question.
pub enum Ruling<'a> {
    /// A model of a memory.
    Memory {
        /// The memory's history.
        execution: &'a Execution,
        /// The model.
        model: Model,
        /// The answer.
        verdict: Verdict,
    },
    /// A criterion of an object.
    Object {
        /// The object's history, with what the object should do.
        typed: &'a Typed<'a>,
        /// The criterion.
        criterion: Criterion,
        /// The answer.
        verdict: tribunal_history::object::Verdict,
    },
    /// An isolation level of transactions.
    Transactions {
        /// The transactions.
        history: &'a tribunal_history::transactions::History,
        /// The level.
        level: Level,
        /// The answer.
        verdict: tribunal_history::transactions::Verdict,
    },
    /// The question is about another kind of history.
    OtherKind {
        /// The question.
        question: Question,
        /// The history.
        judged: Judged<'a>,
    },
}

/// A verdict's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Yes.
    Consistent,
    /// No.
    Inconsistent,
    /// A limit was reached before an answer was.
    Undecided,
    /// The question does not apply.
    Unsupported,
}

impl Word {
    /// Every word.
    pub const ALL: [Word; 4] = [Word::Consistent, Word::Inconsistent, Word::Undecided, Word::Unsupported];

    /// The word itself.
    pub const fn name(self) -> &'static str {
        match self {
            Word::Consistent => "consistent",
            Word::Inconsistent => "inconsistent",
            Word::Undecided => "undecided",
            Word::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'a> Finding<'a> {
    /// Answers a question about a history; once stopped or late, everything is undecided.
    pub fn of(judged: Judged<'a>, question: &Question, engine: EngineChoice, limits: &Limits<'_>) -> Self {
        let begin = Instant::now();
        let over = limits.check(0).err();
        let (ruling, engine) = match (judged, question) {
            (Judged::Memory(execution), &Question::Model(model)) => {
                let judgement = match (over, engine) {
                    (Some(limit), _) => {
                        Judgment { verdict: Verdict::Undecided(limit), engine: Engine::of(model)[0] }
                    }
                    (None, EngineChoice::Only { memory: Some(engine), .. }) => {
                        tribunal_engines::memory::judge_by(execution, model, engine, limits).expect(DECIDED)
                    }
                    _ => tribunal_engines::memory::judge(execution, model, limits),
                };
                let Judgment { verdict, engine } = judgement;
                (Ruling::Memory { execution, model, verdict }, engine.name())
            }
            (Judged::Object(typed), Question::Criterion(criterion)) => {
                let judgement = match (over, engine) {
                    (Some(limit), _) => objects::Judgment {
                        verdict: tribunal_history::object::Verdict::Undecided(limit),
                        engine: objects::Engine::of(criterion)[0],
                    },
                    (None, EngineChoice::Only { object: Some(engine), .. }) => {
                        objects::judge_by(typed, criterion, engine, limits).expect(DECIDED)
                    }
                    _ => objects::judge(typed, criterion, limits),
                };
                let objects::Judgment { verdict, engine } = judgement;
                (Ruling::Object { typed, criterion: criterion.clone(), verdict }, engine.name())
            }
            (Judged::Transactions(history), &Question::Level(level)) => {
                let engine = match engine {
                    EngineChoice::Only { transactions, .. } => transactions,
                    EngineChoice::Auto => None,
                };
                let transactions::Judgment { verdict, engine } = match over {
                    Some(limit) => transactions::Judgment {
                        verdict: tribunal_history::transactions::Verdict::Undecided(limit),
                        engine: engine.unwrap_or(transactions::Engine::of(level)[0]),
                    },
                    None => transactions::judgment(history, level, engine, limits),
                };
                (Ruling::Transactions { history, level, verdict }, engine.name())
            }
            (judged, question) => (Ruling::OtherKind { question: question.clone(), judged }, "none"),
        };
        let micros = begin.elapsed().as_micros() as u64;
        let racy = match &ruling {
            Ruling::Memory { execution, model, verdict } => Racy::of(execution, *model, verdict, limits),
            _ => None,
        };
        Finding { ruling, engine, micros, racy, verification: None }
    }

    /// Checks the certificate, if there is one, and the race, and keeps the result.
    pub fn verify(&mut self, limits: &Limits<'_>) {
        self.verification = self.checked(limits);
    }

    /// The result of checking the certificate, if there is one, and the race.
    pub fn checked(&self, limits: &Limits<'_>) -> Option<Verification> {
        let certificate = self.ruling.verify(limits);
        match (&self.racy, &self.ruling) {
            (Some(racy), Ruling::Memory { execution, model, verdict })
                if matches!(certificate, None | Some(Verification::Accepted)) =>
            {
                racy.verify(execution, *model, verdict, limits).or(certificate)
            }
            _ => certificate,
        }
    }

    /// What to print beside the verdict if the history is racy.
    pub fn beside(&self) -> &'static str {
        self.racy.as_ref().map_or("", Racy::beside)
    }

    /// The lines that say why the history is racy, if it is.
    pub fn explain_race(&self) -> Vec<String> {
        match (&self.racy, &self.ruling) {
            (Some(racy), Ruling::Memory { execution, .. }) => {
                racy.explain(execution).iter().map(Line::indented).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the memory limit was reached.
    pub fn lacks_memory(&self) -> bool {
        self.ruling.lacks_memory() || matches!(self.racy, Some(Racy::Undecided(Limit::Memory { .. })))
    }
}

impl Ruling<'_> {
    /// The question.
    pub fn question(&self) -> Question {
        match self {
            Ruling::Memory { model, .. } => Question::Model(*model),
            Ruling::Object { criterion, .. } => Question::Criterion(criterion.clone()),
            Ruling::Transactions { level, .. } => Question::Level(*level),
            Ruling::OtherKind { question, .. } => question.clone(),
        }
    }

    /// The verdict in one word.
    pub fn word(&self) -> Word {
        match self {
            Ruling::Memory { verdict: Verdict::Consistent(_), .. }
            | Ruling::Object { verdict: tribunal_history::object::Verdict::Consistent(_), .. }
            | Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Consistent(_), ..
            } => Word::Consistent,
            Ruling::Memory { verdict: Verdict::Inconsistent(_), .. }
            | Ruling::Object { verdict: tribunal_history::object::Verdict::Inconsistent(_), .. }
            | Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Inconsistent(_),
                ..
            } => Word::Inconsistent,
            Ruling::Memory { verdict: Verdict::Undecided(_), .. }
            | Ruling::Object { verdict: tribunal_history::object::Verdict::Undecided(_), .. }
            | Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Undecided(_), ..
            } => Word::Undecided,
            Ruling::Memory { verdict: Verdict::Unsupported(_), .. }
            | Ruling::Object { verdict: tribunal_history::object::Verdict::Unsupported(_), .. }
            | Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Unsupported(_), ..
            }
            | Ruling::OtherKind { .. } => Word::Unsupported,
        }
    }

    /// Why there is no answer, if there is none.
    pub fn reason(&self) -> Option<String> {
        Some(match self {
            Ruling::Memory { verdict: Verdict::Undecided(limit), .. }
            | Ruling::Object { verdict: tribunal_history::object::Verdict::Undecided(limit), .. }
            | Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Undecided(limit),
                ..
            } => limit.to_string(),
            Ruling::Memory { verdict: Verdict::Unsupported(why), .. } => why.to_string(),
            Ruling::Object { verdict: tribunal_history::object::Verdict::Unsupported(why), .. } => {
                why.to_string()
            }
            Ruling::Transactions {
                verdict: tribunal_history::transactions::Verdict::Unsupported(why),
                ..
            } => why.to_string(),
            Ruling::OtherKind { question, judged } => wrong_kind(question, *judged),
            _ => return None,
        })
    }

    /// Whether the work was stopped before there was an answer.
    pub fn is_stopped(&self) -> bool {
        matches!(
            self,
            Ruling::Memory { verdict: Verdict::Undecided(Limit::Stopped), .. }
                | Ruling::Object {
                    verdict: tribunal_history::object::Verdict::Undecided(Limit::Stopped),
                    ..
                }
                | Ruling::Transactions {
                    verdict: tribunal_history::transactions::Verdict::Undecided(Limit::Stopped),
                    ..
                }
        )
    }

    /// Whether the time limit was reached.
    pub fn is_late(&self) -> bool {
        matches!(
            self,
            Ruling::Memory { verdict: Verdict::Undecided(Limit::Time { .. }), .. }
                | Ruling::Object {
                    verdict: tribunal_history::object::Verdict::Undecided(Limit::Time { .. }),
                    ..
                }
                | Ruling::Transactions {
                    verdict: tribunal_history::transactions::Verdict::Undecided(Limit::Time { .. }),
                    ..
                }
        )
    }

    /// Whether the memory limit was reached.
    pub fn lacks_memory(&self) -> bool {
        matches!(
            self,
            Ruling::Memory { verdict: Verdict::Undecided(Limit::Memory { .. }), .. }
                | Ruling::Object {
                    verdict: tribunal_history::object::Verdict::Undecided(Limit::Memory { .. }),
                    ..
                }
                | Ruling::Transactions {
                    verdict: tribunal_history::transactions::Verdict::Undecided(Limit::Memory { .. }),
                    ..
                }
        )
    }

    /// What to print beside an inconsistent verdict: the broken axiom or the anomaly.
    pub fn broken(&self) -> String {
        match self {
            Ruling::Memory { verdict: Verdict::Inconsistent(violation), .. } => {
                let axiom = violation.axiom;
                if let Refutation::ThinAir(_) = violation.refutation {
                    return ", thin air: a value that nothing wrote".into();
                }
                format!(", breaks {axiom}, {}", axiom.formula())
            }
            Ruling::Transactions { .. } => {
                self.anomaly().map_or_else(String::new, |anomaly| format!(", {anomaly}"))
            }
            _ => String::new(),
        }
    }

    /// The name of the anomaly, where transactions have one.
    pub fn anomaly(&self) -> Option<String> {
        match self {
            Ruling::Transactions {
                history,
                level,
                verdict: tribunal_history::transactions::Verdict::Inconsistent(violation),
            } => Some(words::anomaly(history, *level, violation).to_string()),
            _ => None,
        }
    }

    /// The lines that explain why the answer is no, at most a screenful.
    pub fn explain(&self, limits: &Limits<'_>) -> Vec<String> {
        match self {
            Ruling::Memory { execution, model, verdict: Verdict::Inconsistent(violation), .. } => {
                fold(&memory::explain(execution, *model, violation), SCREENFUL)
            }
            Ruling::Object {
                typed,
                criterion,
                verdict: tribunal_history::object::Verdict::Inconsistent(violation),
            } => {
                let explanation = object::explain(typed, criterion, violation, limits);
                explanation.lines.iter().map(Line::indented).collect()
            }
            Ruling::Transactions {
                history,
                level,
                verdict: tribunal_history::transactions::Verdict::Inconsistent(violation),
            } => fold(&broken(words::explain(history, *level, violation), WIDTH), SCREENFUL),
            _ => Vec::new(),
        }
    }

    /// The lines that show why the answer is yes.
    pub fn show_witness(&self) -> Vec<String> {
        match self {
            Ruling::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
                fold(&memory::show_witness(execution, witness), SCREENFUL)
            }
            Ruling::Object {
                typed,
                verdict: tribunal_history::object::Verdict::Consistent(execution),
                ..
            } => object::show_witness(typed.history(), execution),
            Ruling::Transactions {
                history,
                verdict: tribunal_history::transactions::Verdict::Consistent(witness),
                ..
            } => words::show_witness(history, witness),
            _ => Vec::new(),
        }
    }

    /// The certificate, if there is an answer.
    pub fn certificate(&self) -> Option<Value> {
        Some(match self {
            Ruling::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
                certificate::witness_to_json(execution, witness)
            }
            Ruling::Memory { execution, verdict: Verdict::Inconsistent(violation), .. } => {
                certificate::violation_to_json(execution, violation)
            }
            Ruling::Object { verdict: tribunal_history::object::Verdict::Consistent(execution), .. } => {
                certificate::object::witness_to_json(execution)
            }
            Ruling::Object {
                verdict: tribunal_history::object::Verdict::Inconsistent(violation), ..
            } => certificate::object::violation_to_json(violation),
            Ruling::Transactions {
                history,
                verdict: tribunal_history::transactions::Verdict::Consistent(witness),
                ..
            } => certificate::transactions::witness_to_json(history, witness),
            Ruling::Transactions {
                history,
                verdict: tribunal_history::transactions::Verdict::Inconsistent(violation),
                ..
            } => certificate::transactions::violation_to_json(history, violation),
            _ => return None,
        })
    }

    /// Checks the certificate from the definitions, within limits; nothing if there is none.
    pub fn verify(&self, limits: &Limits<'_>) -> Option<Verification> {
        if !matches!(self.word(), Word::Consistent | Word::Inconsistent) {
            return None;
        }
        match self {
            Ruling::Memory { execution, model, verdict } => {
                let verified = tribunal_verify::verify_within(execution, *model, verdict, limits);
                Some(Verification::of_memory(verified))
            }
            Ruling::Object { typed, criterion, verdict } => {
                let (history, spec) = (typed.history(), typed.spec());
                let verified =
                    tribunal_verify::object::verify_within(history, spec, criterion, verdict, limits);
                Some(Verification::of_object(verified, spec))
            }
            Ruling::Transactions { history, level, verdict } => {
                let verified = tribunal_verify::transactions::verify_within(history, *level, verdict, limits);
                Some(Verification::of_transactions(verified))
            }
            Ruling::OtherKind { .. } => None,
        }
    }
}

/// Why a question does not apply to a history of another kind.
pub fn wrong_kind(question: &Question, judged: Judged<'_>) -> String {
    let asked = match question {
        Question::Model(_) => "this is a model of memories",
        Question::Criterion(_) => "this is a criterion of objects",
        Question::Level(_) => "this is a level of transactions",
    };
    let of = match judged {
        Judged::Memory(_) => "a memory",
        Judged::Object(_) => "an object",
        Judged::Transactions(_) => "transactions",
    };
    format!("{asked}, but the history is of {of}")
}

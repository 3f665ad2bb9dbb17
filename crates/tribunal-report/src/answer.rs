//! The answer to a question about a history: a verdict with what it is a verdict on, so that it can be told, kept and verified by itself.

use crate::line::{Line, SCREENFUL, WIDTH, broken, fold};
use crate::memory::Racy;
use crate::transactions as words;
use crate::{Checkable, Question, Specified, Verification, memory, object};
use serde_json::Value;
use std::sync::Arc;
use tribunal_engines::Engine;
use tribunal_engines::memory as of_memories;
use tribunal_engines::object as of_objects;
use tribunal_engines::transactions as of_transactions;
use tribunal_formats::certificate;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_history::object as objects;
use tribunal_history::object::Criterion;
use tribunal_history::transactions::{self, Level};
use tribunal_history::verdict::{Bare, Limit, Refutation, Verdict};
use web_time::Instant;

/// An engine is asked only for what it decides.
const DECIDED: &str = "the questions asked are those that the engine decides";

/// The answer to one question about one history, which it shares.
#[derive(Clone)]
pub struct Answer {
    /// The verdict, with its history and its question.
    pub on: On,
    /// The engine that decided; none where the question does not apply.
    pub engine: Option<Engine>,
    /// Microseconds that it took.
    pub micros: u64,
    /// Whether the history is racy, where that can be.
    pub racy: Option<Racy>,
    /// The result of checking its certificate, if there is one and that was asked for.
    pub verification: Option<Verification>,
}

/// A verdict with what it is on, by the kind of history.
#[derive(Clone)]
pub enum On {
    /// A model of a memory.
    Memory {
        /// The memory's history.
        execution: Arc<Execution>,
        /// The model.
        model: Model,
        /// The verdict.
        verdict: Verdict,
    },
    /// A criterion of an object.
    Object {
        /// The object's history, with what the object should do.
        object: Specified,
        /// The criterion.
        criterion: Criterion,
        /// The verdict.
        verdict: objects::Verdict,
    },
    /// An isolation level of transactions.
    Transactions {
        /// The transactions.
        history: Arc<transactions::History>,
        /// The level.
        level: Level,
        /// The verdict.
        verdict: transactions::Verdict,
    },
    /// The question is about another kind of history.
    OtherKind {
        /// The history.
        history: Checkable,
        /// The question.
        question: Question,
    },
}

impl Answer {
    /// Answers a question about a history, by one engine or by the best; once stopped or late, everything is undecided.
    pub fn of(history: &Checkable, question: &Question, engine: Option<Engine>, limits: &Limits<'_>) -> Self {
        let begin = Instant::now();
        let over = limits.check(0).err();
        let usual = engine.unwrap_or(question.engines()[0]);
        let (on, engine) = match (history, question) {
            (Checkable::Memory(execution), &Question::Model(model)) => {
                let (verdict, engine) = match (over, engine) {
                    (Some(limit), _) => (Verdict::Undecided(limit), usual),
                    (None, None) => of_memories::judge(execution, model, limits),
                    (None, Some(engine)) => {
                        of_memories::judge_by(execution, model, engine, limits).expect(DECIDED)
                    }
                };
                (On::Memory { execution: execution.clone(), model, verdict }, Some(engine))
            }
            (Checkable::Object(object), Question::Criterion(criterion)) => {
                let typed = object.typed();
                let (verdict, engine) = match (over, engine) {
                    (Some(limit), _) => (Verdict::Undecided(limit), usual),
                    (None, None) => of_objects::judge(&typed, criterion, limits),
                    (None, Some(engine)) => {
                        of_objects::judge_by(&typed, criterion, engine, limits).expect(DECIDED)
                    }
                };
                (On::Object { object: object.clone(), criterion: criterion.clone(), verdict }, Some(engine))
            }
            (Checkable::Transactions(history), &Question::Level(level)) => {
                let (verdict, engine) = match (over, engine) {
                    (Some(limit), _) => (Verdict::Undecided(limit), usual),
                    (None, None) => of_transactions::judge(history, level, limits),
                    (None, Some(engine)) => {
                        of_transactions::judge_by(history, level, engine, limits).expect(DECIDED)
                    }
                };
                (On::Transactions { history: history.clone(), level, verdict }, Some(engine))
            }
            (history, question) => {
                (On::OtherKind { history: history.clone(), question: question.clone() }, None)
            }
        };
        let micros = begin.elapsed().as_micros() as u64;
        Answer::new(on, engine, micros, limits)
    }

    /// An answer that was decided elsewhere. Whether the history is racy is asked, where that can be.
    pub fn new(on: On, engine: Option<Engine>, micros: u64, limits: &Limits<'_>) -> Self {
        let racy = match &on {
            On::Memory { execution, model, verdict } => Racy::of(execution, *model, verdict, limits),
            _ => None,
        };
        let answer = Answer { on, engine, micros, racy, verification: None };
        match answer.verdict() {
            Verdict::Unsupported(()) => Answer { engine: None, ..answer },
            _ => answer,
        }
    }

    /// The question.
    pub fn question(&self) -> Question {
        match &self.on {
            On::Memory { model, .. } => Question::Model(*model),
            On::Object { criterion, .. } => Question::Criterion(criterion.clone()),
            On::Transactions { level, .. } => Question::Level(*level),
            On::OtherKind { question, .. } => question.clone(),
        }
    }

    /// The verdict without its certificate.
    pub fn verdict(&self) -> Bare {
        match &self.on {
            On::Memory { verdict, .. } => verdict.bare(),
            On::Object { verdict, .. } => verdict.bare(),
            On::Transactions { verdict, .. } => verdict.bare(),
            On::OtherKind { .. } => Verdict::Unsupported(()),
        }
    }

    /// The reason why there is no yes or no, if there is none.
    pub fn reason(&self) -> Option<String> {
        if let Some(limit) = self.verdict().limit() {
            return Some(limit.to_string());
        }
        match &self.on {
            On::Memory { verdict: Verdict::Unsupported(why), .. } => Some(why.to_string()),
            On::Object { verdict: Verdict::Unsupported(why), .. } => Some(why.to_string()),
            On::Transactions { verdict: Verdict::Unsupported(why), .. } => Some(why.to_string()),
            On::OtherKind { history, question } => Some(history.mismatch(question)),
            _ => None,
        }
    }

    /// Whether the time limit was reached.
    pub fn is_late(&self) -> bool {
        matches!(self.verdict(), Verdict::Undecided(Limit::Time { .. }))
    }

    /// Whether the memory limit was reached.
    pub fn lacks_memory(&self) -> bool {
        matches!(self.verdict(), Verdict::Undecided(Limit::Memory { .. }))
            || matches!(self.racy, Some(Racy::Undecided(Limit::Memory { .. })))
    }

    /// The text beside an inconsistent verdict: the broken axiom or the anomaly.
    pub fn broken(&self) -> String {
        match &self.on {
            On::Memory { verdict: Verdict::Inconsistent(violation), .. } => {
                let axiom = violation.axiom;
                if let Refutation::ThinAir(_) = violation.refutation {
                    return ", thin air: a value that nothing wrote".into();
                }
                format!(", breaks {axiom}, {}", axiom.formula())
            }
            On::Transactions { .. } => {
                self.anomaly().map_or_else(String::new, |anomaly| format!(", {anomaly}"))
            }
            _ => String::new(),
        }
    }

    /// The name of the anomaly, where transactions have one.
    pub fn anomaly(&self) -> Option<String> {
        match &self.on {
            On::Transactions { history, level, verdict: Verdict::Inconsistent(violation) } => {
                Some(words::anomaly(history, *level, violation).to_string())
            }
            _ => None,
        }
    }

    /// The text beside the verdict if the history is racy.
    pub fn beside(&self) -> &'static str {
        self.racy.as_ref().map_or("", Racy::beside)
    }

    /// The lines that say why the history is racy, if it is.
    pub fn explain_race(&self) -> Vec<String> {
        match (&self.racy, &self.on) {
            (Some(racy), On::Memory { execution, .. }) => {
                racy.explain(execution).iter().map(Line::indented).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The lines that explain why the answer is no, at most a screenful.
    pub fn explain(&self, limits: &Limits<'_>) -> Vec<String> {
        match &self.on {
            On::Memory { execution, model, verdict: Verdict::Inconsistent(violation), .. } => {
                fold(&memory::explain(execution, *model, violation), SCREENFUL)
            }
            On::Object { object: of, criterion, verdict: Verdict::Inconsistent(violation) } => {
                let explanation = object::explain(&of.typed(), criterion, violation, limits);
                explanation.lines.iter().map(Line::indented).collect()
            }
            On::Transactions { history, level, verdict: Verdict::Inconsistent(violation) } => {
                fold(&broken(words::explain(history, *level, violation), WIDTH), SCREENFUL)
            }
            _ => Vec::new(),
        }
    }

    /// The lines that show why the answer is yes.
    pub fn show_witness(&self) -> Vec<String> {
        match &self.on {
            On::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
                fold(&memory::show_witness(execution, witness), SCREENFUL)
            }
            On::Object { object: of, verdict: Verdict::Consistent(execution), .. } => {
                object::show_witness(of.history(), execution)
            }
            On::Transactions { history, verdict: Verdict::Consistent(witness), .. } => {
                words::show_witness(history, witness)
            }
            _ => Vec::new(),
        }
    }

    /// The certificate, if there is a yes or a no.
    pub fn certificate(&self) -> Option<Value> {
        Some(match &self.on {
            On::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
                certificate::witness_to_json(execution, witness)
            }
            On::Memory { execution, verdict: Verdict::Inconsistent(violation), .. } => {
                certificate::violation_to_json(execution, violation)
            }
            On::Object { verdict: Verdict::Consistent(execution), .. } => {
                certificate::object::witness_to_json(execution)
            }
            On::Object { verdict: Verdict::Inconsistent(violation), .. } => {
                certificate::object::violation_to_json(violation)
            }
            On::Transactions { history, verdict: Verdict::Consistent(witness), .. } => {
                certificate::transactions::witness_to_json(history, witness)
            }
            On::Transactions { history, verdict: Verdict::Inconsistent(violation), .. } => {
                certificate::transactions::violation_to_json(history, violation)
            }
            _ => return None,
        })
    }

    /// Checks the certificate, if there is one, and the race, and keeps the result.
    pub fn verify(&mut self, limits: &Limits<'_>) {
        self.verification = self.verified(limits);
    }

    /// The result of checking the certificate, if there is one, and the race, from the definitions.
    pub fn verified(&self, limits: &Limits<'_>) -> Option<Verification> {
        let certificate = self.verified_alone(limits);
        match (&self.racy, &self.on) {
            (Some(racy), On::Memory { execution, model, verdict })
                if matches!(certificate, None | Some(Verification::Accepted)) =>
            {
                racy.verify(execution, *model, verdict, limits).or(certificate)
            }
            _ => certificate,
        }
    }

    fn verified_alone(&self, limits: &Limits<'_>) -> Option<Verification> {
        if !matches!(self.verdict(), Verdict::Consistent(()) | Verdict::Inconsistent(())) {
            return None;
        }
        match &self.on {
            On::Memory { execution, model, verdict } => {
                let verified = tribunal_verify::verify_within(execution, *model, verdict, limits);
                Some(Verification::of_memory(verified))
            }
            On::Object { object, criterion, verdict } => {
                let (history, spec) = (object.history(), object.spec());
                let verified =
                    tribunal_verify::object::verify_within(history, spec, criterion, verdict, limits);
                Some(Verification::of_object(verified, spec))
            }
            On::Transactions { history, level, verdict } => {
                let verified = tribunal_verify::transactions::verify_within(history, *level, verdict, limits);
                Some(Verification::of_transactions(verified))
            }
            On::OtherKind { .. } => None,
        }
    }
}

//! Answers that stand alone: with their history, for callers who keep them.

use serde_json::Value;
use std::sync::Arc;
use tribunal_formats::History;
use tribunal_history::object;
use tribunal_history::object::Criterion;
use tribunal_history::transactions;
use tribunal_history::transactions::Level;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_report::memory::Racy;
use tribunal_report::{
    Case, EngineChoice, Finding, Heading, Judged, NotJudged, Part, Question, Ruling, SCREENFUL,
    Specifications, Verification, Word, section, shrink, verdict_line,
};

/// Judged once, a history can be judged again.
const JUDGED: &str = "the history was fit to be judged";

/// A history with where it is from and, if it is of an object, what the object should do.
pub struct Source {
    file: String,
    index: u64,
    history: History,
    specifications: Arc<Specifications>,
}

impl Source {
    /// A history that is the one of this index, from 0, in what the caller calls `file`. An object does what the history says.
    pub fn new(file: impl Into<String>, index: u64, history: History) -> Self {
        Source { file: file.into(), index, history, specifications: Arc::default() }
    }

    /// With these specifications, shared as they may be.
    pub fn specified(mut self, specifications: Arc<Specifications>) -> Self {
        self.specifications = specifications;
        self
    }

    /// The history.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The name of its file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The history as people know it.
    pub fn case(&self) -> Case<'_> {
        let Source { file, index, history, .. } = self;
        Case { file, index: *index, line: history.line, subject: &history.subject }
    }

    /// Does something to the history if it is fit to be judged.
    pub fn with<T>(&self, act: impl FnOnce(Judged<'_>) -> T) -> Result<T, NotJudged> {
        self.specifications.with(&self.history.subject, &self.file, act)
    }

    /// A smallest part of it that is still forbidden.
    pub fn shrink(&self, question: &Question, limits: &Limits<'_>) -> Result<Part, NotJudged> {
        self.with(|judged| shrink(judged, &self.history.subject, question, limits, |_| ()))
    }
}

/// The answer to one question about one history, with both.
pub struct Answer {
    source: Arc<Source>,
    outcome: Outcome,
    engine: &'static str,
    micros: u64,
    racy: Option<Racy>,
}

/// A ruling by itself.
enum Outcome {
    Memory(Model, tribunal_history::verdict::Verdict),
    Object(Criterion, object::Verdict),
    Transactions(Level, transactions::Verdict),
    OtherKind(Question),
}

impl Answer {
    /// Asks a question of a history.
    pub fn of(
        source: &Arc<Source>,
        question: &Question,
        engine: EngineChoice,
        limits: &Limits<'_>,
    ) -> Result<Self, NotJudged> {
        source.with(|judged| {
            let Finding { ruling, engine, micros, racy, .. } = Finding::of(judged, question, engine, limits);
            let outcome = match ruling {
                Ruling::Memory { model, verdict, .. } => Outcome::Memory(model, verdict),
                Ruling::Object { criterion, verdict, .. } => Outcome::Object(criterion, verdict),
                Ruling::Transactions { level, verdict, .. } => Outcome::Transactions(level, verdict),
                Ruling::OtherKind { question, .. } => Outcome::OtherKind(question),
            };
            Answer { source: source.clone(), outcome, engine, micros, racy }
        })
    }

    /// Does something to the finding, which is put together for it.
    pub fn with<T>(&self, act: impl FnOnce(&Finding<'_>) -> T) -> T {
        let Answer { source, outcome, engine, micros, racy } = self;
        let finding = |judged: Judged<'_>| {
            let ruling = match (outcome, judged) {
                (Outcome::Memory(model, verdict), Judged::Memory(execution)) => {
                    Ruling::Memory { execution, model: *model, verdict: verdict.clone() }
                }
                (Outcome::Object(criterion, verdict), Judged::Object(typed)) => {
                    Ruling::Object { typed, criterion: criterion.clone(), verdict: verdict.clone() }
                }
                (Outcome::Transactions(level, verdict), Judged::Transactions(history)) => {
                    Ruling::Transactions { history, level: *level, verdict: verdict.clone() }
                }
                (_, judged) => Ruling::OtherKind { question: self.question(), judged },
            };
            act(&Finding { ruling, engine, micros: *micros, racy: racy.clone(), verification: None })
        };
        source.with(finding).expect(JUDGED)
    }

    /// The history.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// What was asked.
    pub fn question(&self) -> Question {
        match &self.outcome {
            Outcome::Memory(model, _) => Question::Model(*model),
            Outcome::Object(criterion, _) => Question::Criterion(criterion.clone()),
            Outcome::Transactions(level, _) => Question::Level(*level),
            Outcome::OtherKind(question) => question.clone(),
        }
    }

    /// The answer in a word.
    pub fn word(&self) -> Word {
        match &self.outcome {
            Outcome::Memory(_, tribunal_history::verdict::Verdict::Consistent(_))
            | Outcome::Object(_, object::Verdict::Consistent(_))
            | Outcome::Transactions(_, transactions::Verdict::Consistent(_)) => Word::Consistent,
            Outcome::Memory(_, tribunal_history::verdict::Verdict::Inconsistent(_))
            | Outcome::Object(_, object::Verdict::Inconsistent(_))
            | Outcome::Transactions(_, transactions::Verdict::Inconsistent(_)) => Word::Inconsistent,
            Outcome::Memory(_, tribunal_history::verdict::Verdict::Undecided(_))
            | Outcome::Object(_, object::Verdict::Undecided(_))
            | Outcome::Transactions(_, transactions::Verdict::Undecided(_)) => Word::Undecided,
            Outcome::Memory(_, tribunal_history::verdict::Verdict::Unsupported(_))
            | Outcome::Object(_, object::Verdict::Unsupported(_))
            | Outcome::Transactions(_, transactions::Verdict::Unsupported(_))
            | Outcome::OtherKind(_) => Word::Unsupported,
        }
    }

    /// What decided; nothing if the question does not apply.
    pub fn engine(&self) -> Option<&'static str> {
        Some(self.engine).filter(|_| self.word() != Word::Unsupported)
    }

    /// What deciding took, in microseconds.
    pub fn micros(&self) -> u64 {
        self.micros
    }

    /// Whether the history has a data race, where that can be.
    pub fn racy(&self) -> Option<&Racy> {
        self.racy.as_ref()
    }

    /// Why there is no answer, if there is none.
    pub fn reason(&self) -> Option<String> {
        self.with(|finding| finding.ruling.reason())
    }

    /// What `tribunal explain` prints below the history's name: the answer and why it is so, at most a screen.
    pub fn explain(&self, limits: &Limits<'_>) -> String {
        self.with(|finding| {
            let section = section(&finding.ruling, &self.source.history, SCREENFUL, limits);
            let headings = section.headings.iter();
            let headings =
                headings.map(|Heading { question, word, more }| format!("{question}: {word}{more}\n"));
            let lines = section.lines.iter().map(|line| format!("{}\n", format!("  {line}").trim_end()));
            headings.chain(lines).collect()
        })
    }

    /// The certificate, if there is an answer.
    pub fn certificate(&self) -> Option<Value> {
        self.with(|finding| finding.ruling.certificate())
    }

    /// The line that `tribunal check --style json` prints, without its end; `tribunal verify` reads it.
    pub fn line(&self, witness: bool) -> String {
        let written = |certificate: Value| certificate.to_string();
        self.with(|finding| verdict_line(&self.source.case(), finding, witness, None, written))
    }

    /// Checks the certificate from the definitions, if there is one, and whether the history is racy.
    pub fn verify(&self, limits: &Limits<'_>) -> Option<Verification> {
        self.with(|finding| finding.checked(limits))
    }
}

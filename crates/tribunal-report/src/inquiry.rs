//! What to check histories for: the questions, the engine and the specification of objects.

use crate::{EngineChoice, Finding, Judged, NotJudged, Question, Questions, Specifications};
use tribunal_formats::Subject;
use tribunal_history::object::Criterion;
use tribunal_history::transactions::Level;
use tribunal_history::{limits::Limits, model::Model};

/// What to check histories for; `check`, `explain`, `view` and the page share it.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_formats::{ReadOptions, read};
/// use tribunal_report::{Inquiry, Specifications, Word};
/// let inquiry = Inquiry::new("sc,tso".parse()?, Specifications::default());
/// let text = "T0: W x 1\nT0: R y 0\nT1: W y 1\nT1: R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", ReadOptions::default())?.next().expect("a history")?;
/// let words = inquiry.with(&history.subject, "sb.txt", |judged| {
///     let ask = |question| inquiry.ask(judged, question, &Limits::default()).ruling.word();
///     inquiry.questions(judged).iter().map(ask).collect::<Vec<_>>()
/// })?;
/// assert_eq!(words, [Word::Inconsistent, Word::Consistent]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Inquiry {
    of_memories: Vec<Question>,
    of_objects: Vec<Question>,
    of_transactions: Vec<Question>,
    all: bool,
    engine: EngineChoice,
    specifications: Specifications,
}

/// The engine does not decide a question that was named, with those that do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotDecided(String);

impl Inquiry {
    /// These questions, each decided by the best engine.
    pub fn new(questions: Questions, specifications: Specifications) -> Self {
        let (of_memories, of_objects, of_transactions, all) = match questions {
            Questions::All => {
                let models = Model::ALL.map(Question::Model).into();
                let criteria = Criterion::ALL.map(Question::Criterion).into();
                (models, criteria, Level::ALL.map(Question::Level).into(), true)
            }
            Questions::These(named) => (named.clone(), named.clone(), named, false),
        };
        Inquiry { of_memories, of_objects, of_transactions, all, engine: EngineChoice::Auto, specifications }
    }

    /// Also these models, where all are asked.
    pub fn beside(mut self, models: impl IntoIterator<Item = Model>) -> Self {
        if self.all {
            self.of_memories.extend(models.into_iter().map(Question::Model));
        }
        self
    }

    /// Decides by one engine, which must decide every question that was named; of all questions it keeps those that it decides.
    pub fn by(mut self, engine: EngineChoice) -> Result<Self, NotDecided> {
        self.engine = engine;
        if self.all {
            self.of_memories.retain(|question| engine.decides(question));
            self.of_objects.retain(|question| engine.decides(question));
            self.of_transactions.retain(|question| engine.decides(question));
        }
        let undecided = self.of_memories.iter().filter(|question| !engine.decides(question));
        let undecided: Vec<_> = undecided
            .map(|question| format!("{question} is decided by {}", question.engines().join(", ")))
            .collect();
        if undecided.is_empty() { Ok(self) } else { Err(NotDecided(undecided.join("; "))) }
    }

    /// Whether every question that applies is asked, rather than named ones.
    pub fn is_of_all(&self) -> bool {
        self.all
    }

    /// The engine that decides.
    pub fn engine(&self) -> EngineChoice {
        self.engine
    }

    /// The questions about a history.
    pub fn questions(&self, judged: Judged<'_>) -> &[Question] {
        match judged {
            Judged::Memory(_) => self.of_memories(),
            Judged::Object(_) => self.of_objects(),
            Judged::Transactions(_) => self.of_transactions(),
        }
    }

    /// The questions about memories.
    pub fn of_memories(&self) -> &[Question] {
        &self.of_memories
    }

    /// The questions about objects.
    pub fn of_objects(&self) -> &[Question] {
        &self.of_objects
    }

    /// The questions about transactions.
    pub fn of_transactions(&self) -> &[Question] {
        &self.of_transactions
    }

    /// Calls `act` with a history that can be checked, as [`Specifications::with`].
    pub fn with<T>(
        &self,
        subject: &Subject,
        file: &str,
        act: impl FnOnce(Judged<'_>) -> T,
    ) -> Result<T, NotJudged> {
        self.specifications.with(subject, file, act)
    }

    /// Asks one of the questions.
    pub fn ask<'a>(&self, judged: Judged<'a>, question: &Question, limits: &Limits<'_>) -> Finding<'a> {
        Finding::of(judged, question, self.engine, limits)
    }
}

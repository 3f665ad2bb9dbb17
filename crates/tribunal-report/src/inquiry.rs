//! What is asked of histories, whichever come: the questions, what is to decide them, and what objects should do.

use crate::{EngineChoice, Finding, Judged, NotJudged, Question, Questions, Specifications};
use tribunal::object::Criterion;
use tribunal::transactions::Level;
use tribunal::{Limits, Model};
use tribunal_formats::Subject;

/// An inquiry into histories: `check`, `explain`, `view` and the page ask by one.
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

/// The engine does not decide what was named: what does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotDecided(String);

impl Inquiry {
    /// These questions, decided by whatever is best.
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

    /// With these models beside those that have a name, where all are asked.
    pub fn beside(mut self, models: impl IntoIterator<Item = Model>) -> Self {
        if self.all {
            self.of_memories.extend(models.into_iter().map(Question::Model));
        }
        self
    }

    /// By an engine, which must decide what was named; of all, what it decides is asked.
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

    /// Whether everything that applies is asked, rather than what was named.
    pub fn is_of_all(&self) -> bool {
        self.all
    }

    /// What is to decide.
    pub fn engine(&self) -> EngineChoice {
        self.engine
    }

    /// What is asked of a history.
    pub fn questions(&self, judged: Judged<'_>) -> &[Question] {
        match judged {
            Judged::Memory(_) => self.of_memories(),
            Judged::Object(_) => self.of_objects(),
            Judged::Transactions(_) => self.of_transactions(),
        }
    }

    /// What is asked of memories.
    pub fn of_memories(&self) -> &[Question] {
        &self.of_memories
    }

    /// What is asked of objects.
    pub fn of_objects(&self) -> &[Question] {
        &self.of_objects
    }

    /// What is asked of transactions.
    pub fn of_transactions(&self) -> &[Question] {
        &self.of_transactions
    }

    /// Does something to a history that is fit to be judged, as [`Specifications::with`].
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

//! A check: the questions about histories, the engine that answers them, and the specification of objects.

use crate::{Answer, Checkable, NotCheckable, On, Question, Questions, Specifications};
use tribunal_engines::Engine;
use tribunal_engines::memory::models::weaken;
use tribunal_formats::Subject;
use tribunal_history::limits::Limits;
use tribunal_history::model::Model;
use tribunal_history::object::Criterion;
use tribunal_history::transactions::{Isolation, Level};
use tribunal_history::verdict::Verdict;

/// The questions to check histories for; `check`, `explain`, `view` and the page share it.
///
/// ```
/// use tribunal::{Limits, Verdict};
/// use tribunal_formats::{ReadOptions, read};
/// use tribunal_report::{Check, Specifications};
/// let check = Check::new("sc,tso".parse()?, Specifications::default());
/// let text = "T0: W x 1\nT0: R y 0\nT1: W y 1\nT1: R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", ReadOptions::default())?.next().expect("a history")?;
/// let history = check.checkable(&history.subject, "sb.txt")?;
/// let verdict = |question| check.answer(&history, question, &Limits::default()).verdict();
/// let verdicts: Vec<_> = check.questions(&history).iter().map(verdict).collect();
/// assert_eq!(verdicts, [Verdict::Inconsistent(()), Verdict::Consistent(())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Check {
    of_memories: Vec<Question>,
    of_objects: Vec<Question>,
    of_transactions: Vec<Question>,
    all: bool,
    /// The one that decides; none: the best.
    engine: Option<Engine>,
    specifications: Specifications,
}

/// The engine does not decide a question that was named, with those that do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotDecided(String);

impl Check {
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
        Check { of_memories, of_objects, of_transactions, all, engine: None, specifications }
    }

    /// Also these models, where all are asked.
    pub fn beside(mut self, models: impl IntoIterator<Item = Model>) -> Self {
        if self.all {
            self.of_memories.extend(models.into_iter().map(Question::Model));
        }
        self
    }

    /// Decides by one engine, which must decide every question that was named; of all questions it keeps those that it decides. None: by
    /// the best.
    pub fn by(mut self, engine: Option<Engine>) -> Result<Self, NotDecided> {
        self.engine = engine;
        let Some(engine) = engine else { return Ok(self) };
        if self.all {
            for questions in [&mut self.of_memories, &mut self.of_objects, &mut self.of_transactions] {
                questions.retain(|question| question.engines().contains(&engine));
            }
        }
        let undecided = self.of_memories.iter().filter(|question| !question.engines().contains(&engine));
        let undecided: Vec<_> = undecided
            .map(|question| format!("{question} is decided by {}", question.engine_names().join(", ")))
            .collect();
        if undecided.is_empty() { Ok(self) } else { Err(NotDecided(undecided.join("; "))) }
    }

    /// Whether every question that applies is asked, rather than named ones.
    pub fn is_of_all(&self) -> bool {
        self.all
    }

    /// The engine that decides, if it is not the best for each question.
    pub fn engine(&self) -> Option<Engine> {
        self.engine
    }

    /// The questions about a history.
    pub fn questions(&self, history: &Checkable) -> &[Question] {
        match history {
            Checkable::Memory(_) => self.of_memories(),
            Checkable::Object(_) => self.of_objects(),
            Checkable::Transactions(_) => self.of_transactions(),
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

    /// The history of a file, if it is fit to be checked; see [`Specifications::checkable`].
    pub fn checkable(&self, subject: &Subject, file: &str) -> Result<Checkable, NotCheckable> {
        self.specifications.checkable(subject, file)
    }

    /// The answer to one of the questions.
    pub fn answer(&self, history: &Checkable, question: &Question, limits: &Limits<'_>) -> Answer {
        Answer::of(history, question, self.engine, limits)
    }

    /// Asks the questions about a history, none before one that is stronger, until `ask` returns none; it is given the answers so
    /// far. The answers are in the order of the questions.
    pub fn ask_all(
        &self,
        history: &Checkable,
        mut ask: impl FnMut(&Question, &[Answer]) -> Option<Answer>,
    ) -> Vec<Answer> {
        let questions = self.questions(history);
        let stronger = |weak: &Question| {
            questions.iter().filter(|&strong| strong != weak && weak.includes(strong)).count()
        };
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_by_key(|&at| stronger(&questions[at]));
        let mut answers = Vec::with_capacity(questions.len());
        for &at in &order {
            let Some(answer) = ask(&questions[at], &answers) else { break };
            answers.push(answer);
        }
        let mut answers: Vec<(usize, Answer)> = order.into_iter().zip(answers).collect();
        answers.sort_by_key(|(at, _)| *at);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// The answer to one of the questions, taken from answers on the same history if it follows from one. An engine that was named is
    /// always asked, and so are questions that were.
    pub fn answer_after(
        &self,
        answers: &[Answer],
        history: &Checkable,
        question: &Question,
        limits: &Limits<'_>,
    ) -> Answer {
        let alone = !self.is_of_all() || self.engine().is_some();
        let implied = answers.iter().filter(|_| !alone).find_map(|strong| strong.implies(question, limits));
        implied.unwrap_or_else(|| self.answer(history, question, limits))
    }
}

impl Answer {
    /// The answer to a weaker question if this one is a yes whose witness serves for both.
    fn implies(&self, question: &Question, limits: &Limits<'_>) -> Option<Self> {
        if !self.verdict().is_consistent() || !question.includes(&self.question()) {
            return None;
        }
        let on = match (&self.on, question) {
            (
                On::Memory { execution, verdict: Verdict::Consistent(witness), .. },
                &Question::Model(model),
            ) => {
                if model.unsupported(execution).is_some() {
                    return None;
                }
                let verdict = Verdict::Consistent(weaken(witness, model)?);
                On::Memory { execution: execution.clone(), model, verdict }
            }
            (On::Object { object, verdict, .. }, Question::Criterion(criterion)) => {
                On::Object { object: object.clone(), criterion: criterion.clone(), verdict: verdict.clone() }
            }
            // Under ru the transactions that count are others.
            (On::Transactions { history, verdict, .. }, &Question::Level(level))
                if level.isolation() != Isolation::Ru =>
            {
                On::Transactions { history: history.clone(), level, verdict: verdict.clone() }
            }
            _ => return None,
        };
        Some(Answer::new(on, self.engine, 0, limits))
    }
}

//! A history that a caller keeps, with where it is from.

use std::sync::Arc;
use tribunal_engines::Engine;
use tribunal_formats::History;
use tribunal_history::limits::Limits;
use tribunal_report::{
    Answer, Case, Checkable, NotCheckable, Part, Question, SCREENFUL, Specifications, section, shrink,
    verdict_line,
};

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

    /// The history as engines take it, if it is fit to be checked.
    pub fn checkable(&self) -> Result<Checkable, NotCheckable> {
        self.specifications.checkable(&self.history.subject, &self.file)
    }

    /// The answer to a question about it, by one engine or by the best.
    pub fn answer(
        &self,
        question: &Question,
        engine: Option<Engine>,
        limits: &Limits<'_>,
    ) -> Result<Answer, NotCheckable> {
        Ok(Answer::of(&self.checkable()?, question, engine, limits))
    }

    /// The text that `tribunal explain` prints below the history's name: the answer and why it is so, at most a screen.
    pub fn explain(&self, answer: &Answer, limits: &Limits<'_>) -> String {
        section(answer, &self.history, SCREENFUL, limits).text()
    }

    /// The line that `tribunal check --style json` prints of an answer, without its end; `tribunal verify` reads it.
    pub fn line(&self, answer: &Answer, witness: bool) -> String {
        verdict_line(&self.case(), answer, witness, None, |certificate| certificate.to_string())
    }

    /// A smallest part of it that is still forbidden.
    pub fn shrink(&self, question: &Question, limits: &Limits<'_>) -> Result<Part, NotCheckable> {
        Ok(shrink(&self.checkable()?, &self.history.subject, question, limits, |_| ()))
    }
}

//! The answers about the history in a cell.

use super::column::{Cell, Column};
use crate::error::in_python;
use crate::limits::Budget;
use crate::verdict::reason;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use tribunal_engines::Engine;
use tribunal_formats::{Cells, History, ReadOptions};
use tribunal_history::limits::Limits;
use tribunal_host::Memory;
use tribunal_report::{Answer, Check, Checkable, Question};

/// A longer cell is a large history, which is read and checked alone.
const LARGE: usize = 1 << 20;

/// A line of the table: the answer to one question about one row, or why there is none.
pub struct Told {
    /// The row, among those of its batch.
    pub row: usize,
    /// Which of the models that are asked; none if the row has no history.
    pub model: Option<Asked>,
    /// The verdict, or `error`.
    pub verdict: &'static str,
    /// What decided.
    pub engine: Option<&'static str>,
    /// What deciding took.
    pub micros: u64,
    /// What is wrong with the history, why there is no answer, or what is broken.
    pub reason: Option<String>,
    /// The certificate, if it was asked for.
    pub certificate: Option<String>,
}

impl Told {
    /// How many bytes of text it has, beside some words.
    pub fn bytes(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        length(&self.reason) + length(&self.certificate)
    }
}

/// A question, by its place among those that are asked of its kind of history.
#[derive(Clone, Copy)]
pub enum Asked {
    /// Of a memory.
    Memory(usize),
    /// Of an object.
    Object(usize),
    /// Of transactions.
    Transactions(usize),
}

/// The check of a column, which the workers share.
pub struct Work {
    /// The questions.
    pub check: Check,
    /// What each answer may cost.
    pub budget: Budget,
    /// Who may take how much memory.
    pub memory: Memory,
    /// How cells are read.
    pub options: ReadOptions,
    /// The column's name, for errors.
    pub column: String,
    /// Whether certificates are wanted.
    pub certificates: bool,
    /// Set when nothing more is wanted.
    pub stop: AtomicBool,
}

/// A worker's reader, and what it has been lent.
pub struct Reader {
    cells: Cells,
    lent: Option<usize>,
}

impl Work {
    /// A reader for the cells of a batch.
    pub fn reader(&self) -> Reader {
        Reader { cells: Cells::new(&self.column, self.options), lent: None }
    }

    /// The answers to the questions about a row.
    pub fn row(&self, column: &Column, row: usize, reader: &mut Reader, answers: &mut Vec<Told>) {
        let Some(cell) = column.cell(row) else {
            answers.push(failed(row, format!("{}: null, where a history is expected", self.column)));
            return;
        };
        let known = answers.len();
        // One history must not end the work on all others, whatever it meets.
        let answered = catch_unwind(AssertUnwindSafe(|| self.cell(column, row, cell, reader, answers)));
        let problem = match answered {
            Ok(Ok(())) => return,
            Ok(Err(problem)) => problem,
            Err(_) => {
                *reader = self.reader();
                "an error inside tribunal: please report this history".into()
            }
        };
        answers.truncate(known);
        answers.push(failed(row, problem));
    }

    fn cell(
        &self,
        column: &Column,
        row: usize,
        Cell { buffer, range }: Cell,
        reader: &mut Reader,
        answers: &mut Vec<Told>,
    ) -> Result<(), String> {
        if reader.lent != Some(buffer) {
            reader.cells.lend(column.buffer(buffer).clone());
            reader.lent = Some(buffer);
        }
        let large = range.len() > LARGE;
        let answer = || {
            let history = reader.cells.history(range).map_err(|error| error.to_string())?;
            self.answer(&history, row, large, answers)
        };
        if large { self.memory.alone(answer) } else { answer() }
    }

    fn answer(
        &self,
        history: &History,
        row: usize,
        large: bool,
        answers: &mut Vec<Told>,
    ) -> Result<(), String> {
        let history = self.check.checkable(&history.subject, &self.column).map_err(|why| why.to_string())?;
        for (place, question) in self.check.questions(&history).iter().enumerate() {
            let answer = self.ask(&history, question, large);
            let asked = match history {
                Checkable::Memory(_) => Asked::Memory(place),
                Checkable::Object(_) => Asked::Object(place),
                Checkable::Transactions(_) => Asked::Transactions(place),
            };
            answers.push(Told {
                row,
                model: Some(asked),
                verdict: answer.verdict().word(),
                engine: answer.engine.map(Engine::name),
                micros: answer.micros,
                reason: reason(&answer),
                certificate: self.certificate(&answer),
            });
        }
        Ok(())
    }

    /// The certificate as text, if it is wanted and a cell can hold it.
    fn certificate(&self, answer: &Answer) -> Option<String> {
        const MOST: usize = 1 << 30;
        let certificate = self.certificates.then(|| answer.certificate()).flatten()?.to_string();
        (certificate.len() <= MOST).then_some(certificate)
    }

    /// Asks a question; of a large history with all the memory, which it has for itself.
    fn ask(&self, history: &Checkable, question: &Question, large: bool) -> Answer {
        let ask = |limits: &Limits<'_>| self.check.answer(history, question, limits);
        if large {
            return ask(&self.limits());
        }
        self.memory.answer(false, || self.limits(), ask, Answer::lacks_memory)
    }

    fn limits(&self) -> Limits<'_> {
        self.budget.limits(&self.stop)
    }
}

fn failed(row: usize, problem: String) -> Told {
    let (model, engine, certificate) = (None, None, None);
    Told { row, model, verdict: "error", engine, micros: 0, reason: Some(in_python(&problem)), certificate }
}

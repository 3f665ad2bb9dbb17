//! Verdicts.

use crate::error::error;
use crate::history::{self, History};
use crate::limits::{Budget, interruptible, interruptible_soon};
use crate::picture;
use pyo3::prelude::*;
use std::sync::Arc;
use tribunal_engines::Engine;
use tribunal_history::verdict::Verdict as Decided;
use tribunal_host::Source;
use tribunal_report::memory::Racy;
use tribunal_report::{Answer, On, Question, Verification};

/// The verdict on a history and a model.
///
/// It is true if the history is consistent and false if it is inconsistent; otherwise its truth value raises.
///
/// >>> import tribunal
/// >>> verdict = tribunal.check("T0: W x 1; R y 0\nT1: W y 1; R x 0", "tso")
/// >>> verdict
/// <tribunal.Verdict tso: consistent>
/// >>> bool(verdict), verdict.verify()
/// (True, 'accepted')
#[pyclass(module = "tribunal", frozen)]
pub struct Verdict {
    pub source: Arc<Source>,
    pub answer: Answer,
    budget: Budget,
}

/// What there is to say of an answer in a line: why there is none, or what is broken.
pub fn reason(answer: &Answer) -> Option<String> {
    let said = match &answer.on {
        On::Object { object, verdict: Decided::Inconsistent(violation), .. } => {
            let (part, all) = (violation.operations.len(), object.history().len());
            return Some(format!("nothing explains {part} of {all} operations"));
        }
        _ => answer.reason().unwrap_or_else(|| answer.broken()),
    };
    let said = said + answer.beside();
    let said = said.trim_start_matches(", ");
    (!said.is_empty()).then(|| said.to_string())
}

/// Asks a question.
pub fn ask(
    py: Python<'_>,
    source: &Arc<Source>,
    question: &Question,
    engine: Option<Engine>,
    budget: Budget,
) -> PyResult<Verdict> {
    let answer = interruptible_soon(
        py,
        &budget,
        |limits| source.answer(question, engine, limits),
        |answer| answer.as_ref().is_ok_and(is_late),
    )?;
    Ok(Verdict { source: source.clone(), answer: answer.map_err(error)?, budget })
}

/// Whether more time might have come to more.
fn is_late(answer: &Answer) -> bool {
    matches!(answer.racy, Some(Racy::Undecided(_))) || answer.is_late()
}

#[pymethods]
impl Verdict {
    /// `consistent`, `inconsistent`, `undecided` (a limit was reached) or `unsupported` (the model does not apply).
    #[getter]
    fn verdict(&self) -> &'static str {
        self.answer.verdict().word()
    }

    /// The model or criterion.
    #[getter]
    fn model(&self) -> String {
        self.answer.question().to_string()
    }

    /// The engine that decided; None if the model does not apply.
    #[getter]
    fn engine(&self) -> Option<&'static str> {
        self.answer.engine.map(Engine::name)
    }

    /// The time to decide, in microseconds.
    #[getter]
    fn micros(&self) -> u64 {
        self.answer.micros
    }

    /// Why there is no answer, or which axiom is broken; None if consistent.
    #[getter]
    fn reason(&self) -> Option<String> {
        reason(&self.answer)
    }

    /// Whether the history has a data race; None if that does not apply or is not known.
    #[getter]
    fn racy(&self) -> Option<bool> {
        match self.answer.racy.as_ref()? {
            Racy::Free => Some(false),
            Racy::Race(_) => Some(true),
            Racy::Undecided(_) => None,
        }
    }

    /// The history.
    #[getter]
    fn history(&self) -> History {
        history::of(self)
    }

    /// The certificate, a witness or a violation, as JSON in dicts and lists; None if there is no answer.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let certificate = py.detach(|| self.answer.certificate().map(|certificate| certificate.to_string()));
        let Some(certificate) = certificate else { return Ok(None) };
        py.import("json")?.call_method1("loads", (certificate,)).map(Some)
    }

    /// The line that `tribunal check --style json --witness` prints, which `tribunal verify` reads.
    #[getter]
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.source.line(&self.answer, true))
    }

    /// The reason for the verdict, at most a screen of text.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        let budget = self.budget.clone().of_all();
        let lines = interruptible(py, |stop| self.source.explain(&self.answer, &budget.limits(&stop)))?;
        Ok(lines.trim_end().into())
    }

    /// Verifies the certificate against the definitions, without the code that decided.
    ///
    /// Returns `accepted`, possibly with the hints it trusts; anything else raises.
    fn verify(&self, py: Python<'_>) -> PyResult<String> {
        match interruptible(py, |stop| self.answer.verified(&self.budget.limits(&stop)))? {
            None => Err(error(format!("{}: {}: there is no certificate", self.model(), self.verdict()))),
            Some(accepted @ (Verification::Accepted | Verification::Trusting { .. })) => {
                Ok(accepted.to_string())
            }
            Some(not) => Err(error(format!("{}: {}: certificate {not}", self.model(), self.verdict()))),
        }
    }

    /// A minimal inconsistent part of the history; None if it is consistent.
    fn shrink(&self, py: Python<'_>) -> PyResult<Option<History>> {
        history::shrunk(py, &self.source, &self.answer.question(), &self.budget)
    }

    /// The picture of the history with this verdict, as SVG.
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        interruptible(py, |stop| picture::svg_of(&self.source, &self.answer, &stop))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        interruptible(py, |stop| picture::of_answer(&self.source, &self.answer, &stop))
    }

    fn __bool__(&self) -> PyResult<bool> {
        match self.answer.verdict() {
            Decided::Consistent(()) => Ok(true),
            Decided::Inconsistent(()) => Ok(false),
            neither => {
                let why = self.answer.reason().unwrap_or_default();
                Err(error(format!("{}: {}, neither true nor false: {why}", self.model(), neither.word())))
            }
        }
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.explain(py)
    }

    fn __repr__(&self) -> String {
        let reason = self.reason().map_or(String::new(), |reason| format!(", {reason}"));
        format!("<tribunal.Verdict {}: {}{reason}>", self.model(), self.verdict())
    }
}

//! Checking a history, and verdicts.

use crate::history::History;
use crate::limits::{Budget, Limits};
use crate::status::{Failure, Status, answered, c_string, freed, invalid, made, malformed, note, null};
use crate::text::Text;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::sync::OnceLock;
use tribunal_engines::Engine;
use tribunal_history::verdict::Verdict as Decided;
use tribunal_host::{Source, named};
use tribunal_report::memory::Racy;
use tribunal_report::{Answer, Question, Verification as Verified};

/// The verdict.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A limit was reached before the answer was known.
    Undecided = 0,
    /// The model allows the history.
    Consistent = 1,
    /// The model forbids the history.
    Inconsistent = 2,
    /// The model does not apply; there is a reason.
    Unsupported = 3,
}

/// The result of verifying a certificate.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// There is no certificate, or no verdict.
    None = 0,
    /// It proves the verdict.
    Accepted = 1,
    /// It proves the verdict if some hints of the specification hold.
    Trusting = 2,
    /// A limit was reached.
    Undecided = 3,
    /// It does not prove the verdict: a bug in the library.
    Refused = 4,
}

/// A verdict on a history. It keeps the history and is immutable, so several threads may use it at once. Its strings are
/// valid as long as it is.
pub struct Verdict {
    source: Arc<Source>,
    answer: Answer,
    budget: Budget,
    model: CString,
    engine: Option<CString>,
    reason: OnceLock<Option<CString>>,
    text: OnceLock<Option<CString>>,
    json: OnceLock<Option<CString>>,
    certificate: OnceLock<Option<CString>>,
}

impl Verdict {
    /// Asks.
    pub(crate) fn of(history: &History, question: &Question, budget: &Budget) -> Result<Self, Failure> {
        let source = history.source().clone();
        let answer = source.answer(question, None, &budget.limits()).map_err(malformed)?;
        Ok(Verdict {
            budget: budget.unstopped(),
            model: c_string(question.to_string()),
            engine: answer.engine.map(Engine::name).map(c_string),
            source,
            answer,
            reason: OnceLock::new(),
            text: OnceLock::new(),
            json: OnceLock::new(),
            certificate: OnceLock::new(),
        })
    }
}

/// Checks a history against a model.
///
/// `model` is a memory model, such as `sc`, `tso` or `rc20`; a criterion of objects, such as `linearizable`; a file
/// with the extension `.cat`, which is read at each call; or a pair, such as `po-mm=RR+RW;rf-mm=rfe`. `tribunal models` lists them. `limits` may be NULL.
/// Undecided and unsupported are verdicts too: the call returns `TRIBUNAL_STATUS_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_check(
    history: Option<&History>,
    model: Text<'_>,
    limits: Option<&Limits<'_>>,
    verdict: Option<&mut MaybeUninit<Option<Box<Verdict>>>>,
) -> Status {
    made(verdict, || {
        let history = history.ok_or_else(|| null("the history"))?;
        let question = named(model.required("the model")?).map_err(invalid)?;
        Verdict::of(history, &question, &Budget::new(limits))
    })
}

/// The verdict; undecided for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_word(verdict: Option<&Verdict>) -> Word {
    answered(Word::Undecided, || {
        Ok(match some(verdict)?.answer.verdict() {
            Decided::Consistent(()) => Word::Consistent,
            Decided::Inconsistent(()) => Word::Inconsistent,
            Decided::Undecided(_) => Word::Undecided,
            Decided::Unsupported(()) => Word::Unsupported,
        })
    })
}

fn some(verdict: Option<&Verdict>) -> Result<&Verdict, Failure> {
    verdict.ok_or_else(|| null("the verdict"))
}

/// A string that is made when it is first asked for.
fn kept(
    verdict: Option<&Verdict>,
    place: fn(&Verdict) -> &OnceLock<Option<CString>>,
    make: fn(&Verdict) -> Option<String>,
) -> *const c_char {
    answered(ptr::null(), || {
        let verdict = some(verdict)?;
        let text = place(verdict).get_or_init(|| make(verdict).map(c_string));
        Ok(text.as_ref().map_or(ptr::null(), |text| text.as_ptr()))
    })
}

/// The model or criterion.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_model(verdict: Option<&Verdict>) -> *const c_char {
    answered(ptr::null(), || Ok(some(verdict)?.model.as_ptr()))
}

/// The engine that decided; NULL if the model does not apply.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_engine(verdict: Option<&Verdict>) -> *const c_char {
    answered(ptr::null(), || Ok(some(verdict)?.engine.as_ref().map_or(ptr::null(), |engine| engine.as_ptr())))
}

/// The time to decide, in microseconds.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_micros(verdict: Option<&Verdict>) -> u64 {
    answered(0, || Ok(some(verdict)?.answer.micros))
}

/// Whether the history has a data race, under a model that defines them.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_is_racy(verdict: Option<&Verdict>) -> bool {
    answered(false, || Ok(matches!(some(verdict)?.answer.racy, Some(Racy::Race(_)))))
}

/// Why there is no answer; NULL if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_reason(verdict: Option<&Verdict>) -> *const c_char {
    kept(verdict, |verdict| &verdict.reason, |verdict| verdict.answer.reason())
}

/// The verdict and its reason as text, as `tribunal explain` prints it.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_text(verdict: Option<&Verdict>) -> *const c_char {
    let told = |verdict: &Verdict| Some(verdict.source.explain(&verdict.answer, &verdict.budget.limits()));
    kept(verdict, |verdict| &verdict.text, told)
}

/// The verdict and its certificate as a line of JSON, as `tribunal check --style json --witness` prints it and `tribunal verify` reads it.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_json(verdict: Option<&Verdict>) -> *const c_char {
    kept(verdict, |verdict| &verdict.json, |verdict| Some(verdict.source.line(&verdict.answer, true)))
}

/// The certificate as JSON: a witness if the verdict is consistent, a violation if it is inconsistent; otherwise NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_certificate(verdict: Option<&Verdict>) -> *const c_char {
    kept(
        verdict,
        |verdict| &verdict.certificate,
        |verdict| verdict.answer.certificate().map(|certificate| certificate.to_string()),
    )
}

/// Verifies the certificate against the definitions, without the engine that produced it. If it is not accepted outright, `tribunal_last_error`
/// says why. `limits` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_verify(
    verdict: Option<&Verdict>,
    limits: Option<&Limits<'_>>,
) -> Verification {
    answered(Verification::None, || {
        let verified = some(verdict)?.answer.verified(&Budget::new(limits).limits());
        let Some(verified) = verified else { return Ok(Verification::None) };
        let word = match verified {
            Verified::Accepted => return Ok(Verification::Accepted),
            Verified::Trusting { .. } => Verification::Trusting,
            Verified::Undecided(_) => Verification::Undecided,
            Verified::Refused(_) => Verification::Refused,
        };
        note(verified.to_string());
        Ok(word)
    })
}

/// Frees a verdict and its strings. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_verdict_free(verdict: Option<Box<Verdict>>) {
    freed(verdict);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_and_histories_are_for_many_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Verdict>();
        shared::<History>();
    }
}

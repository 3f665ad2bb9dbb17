//! `tribunal verify`: checks verdict lines against the histories they speak of, from the definitions alone.

use crate::args::{VerifyArguments, reading};
use crate::case::{Case, Specifications};
use crate::certificates::Shelf;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Stdout};
use crate::{input, interrupt};
use serde_json::Value;
use std::io::{BufRead, Read, Write};
use tribunal::memory::Execution;
use tribunal::object;
use tribunal::verdict::Witness;
use tribunal::verify::{self, Refusal};
use tribunal::{Limits, Model, Verdict};
use tribunal_formats::certificate::{self, violation_from_json, witness_from_json};
use tribunal_formats::{History, Reader};
use tribunal_report::Judged;
use tribunal_report::Question;
use tribunal_report::printable;
use tribunal_report::{Verification, Verifications, Word, unfit};

const NO_WITNESS: &str = "the line carries no witness; check --witness prints it";
const NO_VIOLATION: &str = "the line carries no violation";

pub fn run(arguments: &VerifyArguments, out: &mut Stdout) -> Result<Status, Failure> {
    if arguments.history == "-" && arguments.certificate == "-" {
        return Err(Failure::Usage("only one of HISTORY and CERTIFICATE can be standard input".into()));
    }
    let specifications = Specifications::new(arguments.spec.as_deref())?;
    let options = reading(arguments.format, arguments.budget.max_memory);
    let histories = input::open(&arguments.history, options)?.nil_reads(arguments.nil_reads);
    let name = arguments.history.to_string_lossy();
    let max_memory = options.max_memory;
    let mut session = Session {
        histories,
        at: None,
        read: 0,
        history_file: name.clone().into(),
        certificate_file: arguments.certificate.to_string_lossy().into(),
        stored: Shelf::new(arguments.certificates.clone(), max_memory),
        max_memory,
        spoken_of: None,
        line: 0,
    };
    let mut lines = input::lines(&arguments.certificate)?;
    // The other half is for what is read of it.
    let longest = max_memory / 2;
    let (mut verifications, mut skipped) = (Verifications::default(), 0u64);
    let (mut text, mut cut_short) = (String::new(), false);
    loop {
        text.clear();
        let end = lines.by_ref().take((longest as u64).saturating_add(1)).read_line(&mut text);
        if interrupt::requested() {
            break;
        }
        session.line += 1;
        if end.map_err(|error| session.problem(error.to_string()))? == 0 {
            break;
        }
        if text.len() > longest {
            let problem = format!("a line of more than {longest} bytes, half of what --max-memory allows");
            return Err(session.problem(problem));
        }
        if out.is_closed() {
            cut_short = true;
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let claim = session.claim(&text)?;
        let History { subject, line, .. } = session.history(claim.index)?;
        let case = Case { file: &name, index: claim.index, line: *line, subject };
        let answer = specifications.with(&case, |judged| {
            let limits = arguments.budget.limits_of_verification(judged);
            Ok(claim.judge(judged, case.events(), &limits))
        })?;
        write!(out, "{case}: {}: {}: ", claim.question, claim.word)?;
        let Some(verification) = answer else {
            skipped += 1;
            writeln!(out, "{}: it claims nothing", out.paint(FAINT, "skipped"))?;
            continue;
        };
        verifications.count(&verification);
        let style = match verification {
            Verification::Accepted => GOOD,
            Verification::Trusting { .. } | Verification::Undecided(_) => DOUBT,
            Verification::Refused(_) => BAD,
        };
        let text = printable(&verification.to_string()).into_owned();
        let (word, rest) = text.split_at(text.find([',', ':']).unwrap_or(text.len()));
        writeln!(out, "{}{rest}", out.paint(style, word))?;
    }
    if verifications.total() + skipped == 0 && !interrupt::requested() {
        return Err(session.problem("expected verdict lines, found none"));
    }
    writeln!(out, "{}, {skipped} skipped", verifications.summary("accepted"))?;
    Ok(if interrupt::requested() {
        Status::Interrupted
    } else if verifications.refused > 0 {
        Status::Inconsistent
    } else if cut_short {
        Status::ClosedPipe
    } else if verifications.undecided > 0 {
        Status::Undecided
    } else {
        Status::Success
    })
}

/// The two files, read side by side.
struct Session {
    histories: Reader,
    /// The history last read.
    at: Option<History>,
    /// How many histories have been read.
    read: u64,
    history_file: String,
    certificate_file: String,
    /// Where stored certificates are.
    stored: Shelf,
    /// How many bytes a line may take, as text and as what is read of it.
    max_memory: usize,
    /// The file that the certificate lines say they are about.
    spoken_of: Option<String>,
    line: u64,
}

/// What a verdict line says.
struct Claim {
    index: u64,
    question: Question,
    word: Word,
    events: u64,
    witness: Option<Value>,
    violation: Option<Value>,
}

impl Session {
    fn problem(&self, problem: impl Into<String>) -> Failure {
        Failure::Certificate { file: self.certificate_file.clone(), line: self.line, problem: problem.into() }
    }

    fn claim(&mut self, text: &str) -> Result<Claim, Failure> {
        let left = self.max_memory.saturating_sub(text.len());
        let mut line = certificate::parse(text, left).map_err(|error| {
            // The line within the text is always the first.
            let (problem, column) = (error.to_string(), error.column());
            let problem = problem.split(" at line ").next().unwrap_or_default();
            self.problem(format!("expected a verdict line: {problem}, at column {column}"))
        })?;
        let missing = |key: &str, what: &str| self.problem(format!("expected `{key}`, {what}"));
        let number = |key: &str| line[key].as_u64().ok_or_else(|| missing(key, "a whole number"));
        let string = |key: &str| line[key].as_str().ok_or_else(|| missing(key, "a string"));
        let (index, events) = (number("index")?, number("events")?);
        let question =
            claimed(string("model")?).map_err(|unknown| self.problem(format!("`model`: {unknown}")))?;
        let verdict = string("verdict")?;
        let Some(word) = Word::ALL.into_iter().find(|word| word.to_string() == verdict) else {
            let problem = format!(
                "`verdict`: expected consistent, inconsistent, undecided or unsupported, found `{verdict}`"
            );
            return Err(self.problem(problem));
        };
        let file = string("file")?.to_string();
        match &self.spoken_of {
            None => self.spoken_of = Some(file),
            Some(other) if *other == file => {}
            Some(other) => {
                let problem = format!(
                    "expected a line about {other}, found one about {file}: verify takes one file at a time"
                );
                return Err(self.problem(problem));
            }
        }
        let mut take = |key: &str| {
            let certificate = line.get_mut(key).map(Value::take);
            certificate.map(|json| self.stored.fetch(json)).transpose()
        };
        let (witness, violation) = (take("witness"), take("violation"));
        let unread = |problem| self.problem(problem);
        let (witness, violation) = (witness.map_err(unread)?, violation.map_err(unread)?);
        Ok(Claim { index, question, word, events, witness, violation })
    }

    /// The history of this index; indexes may repeat and grow.
    fn history(&mut self, index: u64) -> Result<&History, Failure> {
        if index.saturating_add(1) < self.read {
            return Err(self.problem(format!("expected index {} or more, found {index}", self.read - 1)));
        }
        while self.read <= index {
            let Some(history) = self.histories.next() else {
                let (read, file) = (self.read, &self.history_file);
                return Err(self.problem(format!("index {index}: {file} has only {read} histories")));
            };
            self.at = Some(history?);
            self.read += 1;
        }
        Ok(self.at.as_ref().expect("the loop above has read one"))
    }
}

/// The question that a line speaks of: a name, or axioms.
fn claimed(model: &str) -> Result<Question, String> {
    model.parse().or_else(|unknown| model.parse().map(Question::Criterion).map_err(|_| unknown))
}

impl Claim {
    /// What comes of the claim; nothing if it claims nothing.
    fn judge(&self, judged: Judged<'_>, events: usize, limits: &Limits<'_>) -> Option<Verification> {
        let refused = Verification::Refused;
        if self.events != events as u64 {
            let reason = format!("the line is about {} events, but the history has {events}", self.events);
            return Some(refused(reason));
        }
        match (judged, &self.question) {
            (Judged::Memory(execution), &Question::Model(model)) => {
                if self.word == Word::Undecided {
                    return None;
                }
                let verdict = self.of_memory(execution, model);
                Some(verdict.map_or_else(refused, |verdict| {
                    match verify::verify_within(execution, model, &verdict, limits) {
                        Err(Refusal::OtherWitness { .. }) if self.witness.is_none() => {
                            refused(NO_WITNESS.into())
                        }
                        verified => Verification::of_memory(verified),
                    }
                }))
            }
            (Judged::Object(typed), Question::Criterion(criterion)) => {
                let (history, spec) = (typed.history(), typed.spec());
                let verdict = self.of_object(history)?;
                Some(verdict.map_or_else(refused, |verdict| {
                    let verified = verify::object::verify_within(history, spec, criterion, &verdict, limits);
                    Verification::of_object(verified, spec)
                }))
            }
            (_, _) if self.word == Word::Unsupported => Some(Verification::Accepted),
            (_, question) => Some(refused(unfit(question).into())),
        }
    }

    /// The verdict on a memory that the line claims.
    fn of_memory(&self, x: &Execution, model: Model) -> Result<Verdict, String> {
        match self.word {
            Word::Undecided | Word::Unsupported => match model.unsupported(x) {
                Some(why) => Ok(Verdict::Unsupported(why)),
                None => Err("the model does apply".into()),
            },
            Word::Consistent => match &self.witness {
                // Without mo there is nothing to show, and a bare line says all.
                None => Ok(Verdict::Consistent(Witness::History)),
                Some(json) => {
                    witness_from_json(x, json).map(Verdict::Consistent).map_err(|error| error.to_string())
                }
            },
            Word::Inconsistent => match &self.violation {
                None => Err(NO_VIOLATION.into()),
                Some(json) => {
                    violation_from_json(x, json).map(Verdict::Inconsistent).map_err(|error| error.to_string())
                }
            },
        }
    }

    /// The verdict on an object that the line claims. An engine that does not apply says nothing about the history.
    fn of_object(&self, history: &object::History) -> Option<Result<object::Verdict, String>> {
        Some(match self.word {
            Word::Undecided | Word::Unsupported => return None,
            Word::Consistent => match &self.witness {
                None => Err(NO_WITNESS.into()),
                Some(json) => certificate::object::witness_from_json(history, json)
                    .map_err(|error| error.to_string())
                    .map(object::Verdict::Consistent),
            },
            Word::Inconsistent => match &self.violation {
                None => Err(NO_VIOLATION.into()),
                Some(json) => certificate::object::violation_from_json(history, json)
                    .map_err(|error| error.to_string())
                    .map(object::Verdict::Inconsistent),
            },
        })
    }
}

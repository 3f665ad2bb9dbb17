//! `tribunal verify`: checks verdict lines against the histories they speak of, from the definitions alone.

use crate::args::VerifyArguments;
use crate::certificates;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, FAINT, GOOD, Stdout, printable};
use crate::report::Case;
use crate::{input, interrupt};
use serde_json::Value;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use tribunal::Model;
use tribunal::memory::Execution;
use tribunal::verdict::Witness;
use tribunal::verify::{Refusal, verify_violation, verify_witness};
use tribunal_formats::certificate::{violation_from_json, witness_from_json};
use tribunal_formats::{History, Reader, Subject};

pub fn run(arguments: &VerifyArguments, out: &mut Stdout) -> Result<Status, Failure> {
    if arguments.history == "-" && arguments.certificate == "-" {
        return Err(Failure::Usage("only one of HISTORY and CERTIFICATE can be standard input".into()));
    }
    let histories = input::open(&arguments.history, arguments.format)?;
    let name = arguments.history.to_string_lossy();
    let mut session = Session {
        histories,
        at: None,
        read: 0,
        history_file: name.clone().into(),
        certificate_file: arguments.certificate.to_string_lossy().into(),
        stored: arguments.certificates.clone(),
        spoken_of: None,
        line: 0,
    };
    let mut lines = input::lines(&arguments.certificate)?;
    let (mut accepted, mut refused, mut skipped) = (0u64, 0u64, 0u64);
    let (mut text, mut cut_short) = (String::new(), false);
    loop {
        text.clear();
        let end = lines.read_line(&mut text);
        if interrupt::requested() {
            break;
        }
        session.line += 1;
        if end.map_err(|error| session.problem(error.to_string()))? == 0 {
            break;
        }
        if out.is_closed() {
            cut_short = true;
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let claim = session.claim(&text)?;
        let history = session.history(claim.index)?;
        let History { subject, line, .. } = history;
        let Subject::Memory(execution) = subject else { continue };
        let case = Case { file: &name, index: claim.index, line: *line, execution };
        write!(out, "{case}: {}: {}: ", claim.model, claim.word)?;
        match claim.judge(execution) {
            Answer::Accepted => {
                accepted += 1;
                writeln!(out, "{}", out.paint(GOOD, "accepted"))?;
            }
            Answer::Refused(reason) => {
                refused += 1;
                writeln!(out, "{}: {}", out.paint(BAD, "refused"), printable(&reason))?;
            }
            Answer::Skipped => {
                skipped += 1;
                writeln!(out, "{}: it claims nothing", out.paint(FAINT, "skipped"))?;
            }
        }
    }
    if accepted + refused + skipped == 0 && !interrupt::requested() {
        return Err(session.problem("expected verdict lines, found none"));
    }
    writeln!(out, "{accepted} certificates accepted, {refused} refused, {skipped} skipped")?;
    Ok(if interrupt::requested() {
        Status::Interrupted
    } else if refused > 0 {
        Status::Inconsistent
    } else if cut_short {
        Status::ClosedPipe
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
    /// Where stored certificates are, if they were moved.
    stored: Option<PathBuf>,
    /// The file that the certificate lines say they are about.
    spoken_of: Option<String>,
    line: u64,
}

/// What a verdict line says.
struct Claim {
    index: u64,
    model: Model,
    word: Word,
    events: u64,
    witness: Option<Value>,
    violation: Option<Value>,
}

#[derive(Clone, Copy)]
enum Word {
    Consistent,
    Inconsistent,
    Undecided,
    Unsupported,
}

enum Answer {
    Accepted,
    Refused(String),
    Skipped,
}

impl Session {
    fn problem(&self, problem: impl Into<String>) -> Failure {
        Failure::Certificate { file: self.certificate_file.clone(), line: self.line, problem: problem.into() }
    }

    fn claim(&mut self, text: &str) -> Result<Claim, Failure> {
        let mut line: Value = serde_json::from_str(text)
            .map_err(|error| self.problem(format!("expected a verdict line: {error}")))?;
        let missing = |key: &str, what: &str| self.problem(format!("expected `{key}`, {what}"));
        let number = |key: &str| line[key].as_u64().ok_or_else(|| missing(key, "a whole number"));
        let string = |key: &str| line[key].as_str().ok_or_else(|| missing(key, "a string"));
        let (index, events) = (number("index")?, number("events")?);
        let model = string("model")?;
        let model = model.parse().map_err(|unknown| self.problem(format!("`model`: {unknown}")))?;
        let word = match string("verdict")? {
            "consistent" => Word::Consistent,
            "inconsistent" => Word::Inconsistent,
            "undecided" => Word::Undecided,
            "unsupported" => Word::Unsupported,
            other => {
                let problem = format!(
                    "`verdict`: expected consistent, inconsistent, undecided or unsupported, found `{other}`"
                );
                return Err(self.problem(problem));
            }
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
            certificate.map(|json| certificates::fetch(json, self.stored.as_deref())).transpose()
        };
        let (witness, violation) = (take("witness"), take("violation"));
        let unread = |problem| self.problem(problem);
        let (witness, violation) = (witness.map_err(unread)?, violation.map_err(unread)?);
        Ok(Claim { index, model, word, events, witness, violation })
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

impl Claim {
    fn judge(&self, x: &Execution) -> Answer {
        if self.events != x.len() as u64 {
            let reason = format!("the line is about {} events, but the history has {}", self.events, x.len());
            return Answer::Refused(reason);
        }
        match self.certificate(x) {
            None => Answer::Skipped,
            Some(Ok(())) => Answer::Accepted,
            Some(Err(reason)) => Answer::Refused(reason),
        }
    }

    fn certificate(&self, x: &Execution) -> Option<Result<(), String>> {
        let reason = |refusal: Refusal| refusal.to_string();
        Some(match self.word {
            Word::Undecided => return None,
            Word::Unsupported => match self.model.unsupported(x) {
                Some(_) => Ok(()),
                None => Err("the model does apply".into()),
            },
            Word::Consistent => match &self.witness {
                // Without mo there is nothing to show, and a bare line says all.
                None => verify_witness(x, self.model, &Witness::History).map_err(|refusal| match refusal {
                    Refusal::OtherWitness { .. } => {
                        "the line carries no witness; check --witness prints it".into()
                    }
                    refusal => refusal.to_string(),
                }),
                Some(json) => witness_from_json(x, json)
                    .map_err(|error| error.to_string())
                    .and_then(|witness| verify_witness(x, self.model, &witness).map_err(reason)),
            },
            Word::Inconsistent => match &self.violation {
                None => Err("the line carries no violation".into()),
                Some(json) => violation_from_json(x, json)
                    .map_err(|error| error.to_string())
                    .and_then(|violation| verify_violation(x, self.model, &violation).map_err(reason)),
            },
        })
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Word::Consistent => "consistent",
            Word::Inconsistent => "inconsistent",
            Word::Undecided => "undecided",
            Word::Unsupported => "unsupported",
        })
    }
}

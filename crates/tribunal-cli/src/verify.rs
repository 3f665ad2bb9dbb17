//! `tribunal verify`: checks verdict lines against the histories they speak of, from the definitions alone.

mod lines;

use crate::args::VerifyArguments;
use crate::certificates::Shelf;
use crate::driver::{Driver, ReadResult, specifications};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, Stdout};
use crate::pipeline::{Answers, Turn};
use crate::progress::Progress;
use crate::{input, interrupt};
use lines::{Line, Lines};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::io::Write;
use std::path::Path;
use tribunal_formats::certificate::{
    self, digest, race_from_json, races_from_json, violation_from_json, witness_from_json,
};
use tribunal_formats::{Error, History};
use tribunal_history::memory::Execution;
use tribunal_history::object;
use tribunal_history::transactions;
use tribunal_history::verdict::{Kind, Verdict, Witness};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_host::{Memory, named, named_within, reading};
use tribunal_report::transactions as words;
use tribunal_report::{Case, Checkable, Question, SCHEMA, Specifications, Verification};
use tribunal_report::{counted, printable, read_as};
use tribunal_verify as verify;
use tribunal_verify::Refusal;

const NO_WITNESS: &str = "the line carries no witness; check --witness prints it";
const NO_VIOLATION: &str = "the line carries no violation";
const NO_RACES: &str = "the line carries no races";

pub fn run(arguments: &VerifyArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    if arguments.history == "-" && arguments.certificate == "-" {
        return Err(Failure::Usage("only one of HISTORY and CERTIFICATE can be standard input".into()));
    }
    let driver = Driver::new(&arguments.streaming, Progress::none())?;
    let VerifyArguments { format, nil_reads, budget, spec, .. } = arguments;
    let max_memory = reading(*format, budget.max_memory).max_memory;
    let session = Session {
        arguments,
        specifications: specifications(spec.as_deref())?,
        memory: Memory::default(),
        history_file: arguments.history.to_string_lossy().into(),
        certificate_file: arguments.certificate.to_string_lossy().into(),
        stored: Shelf::new(arguments.certificates.clone(), max_memory),
        max_memory,
        color: out.color(),
    };
    let source = driver.open(&arguments.history, *format, *nil_reads, budget.max_memory)?;
    // The other half is for what is read of a line.
    let mut lines = Lines::new(Box::new(input::lines(&arguments.certificate)?), max_memory / 2);
    // A model in a file is of memories, which are read in one way only.
    let question = lines.first_model().and_then(|model| model.parse::<Question>().ok());
    let source = source.read_as(read_as(question.as_slice(), spec.as_deref()));
    let (mut tally, mut skipped) = (Tally::default(), 0u64);
    // The file that the lines say they are about.
    let mut spoken_of: Option<String> = None;
    let take = |event| {
        let answer = match event {
            None => return out.flush().map(|()| true).map_err(Failure::from),
            Some(Event::End) => return Ok(false),
            Some(Event::Malformed(failure)) => Err(failure),
            Some(Event::Answer(answer)) => answer,
        };
        let Answer { line, file, verification, page } = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                driver.skip(failure, &mut tally)?.print();
                return Ok(true);
            }
        };
        if out.is_closed() {
            tally.cut_short = true;
            return Ok(false);
        }
        let other = spoken_of.get_or_insert_with(|| file.clone());
        if *other != file {
            let problem = format!(
                "expected a line about {other}, found one about {file}: verify takes one file at a time"
            );
            return Err(session.problem(line, problem));
        }
        match verification {
            None => skipped += 1,
            Some(verification) => tally.verifications.count(&verification),
        }
        out.print(&page)?;
        Ok(true)
    };
    let job = |histories: Vec<ReadResult>, large, turn: Turn<'_, '_, Lines>, answers: &Answers<'_, Event>| {
        session.work(histories, large, turn, answers);
    };
    let ran = driver.through(source, job, &mut lines, take);
    if !interrupt::requested() {
        ran?;
        if !tally.cut_short
            && let Some(line) = lines.take()
        {
            // Of a history that is not there; unless the line makes no sense in itself.
            let index = session.claim(&line)?.index;
            let (count, file) = (lines.histories(), &session.history_file);
            let problem = format!("index {index}: {file} has only {}", counted(count, "history"));
            return Err(session.problem(line.number, problem));
        }
        if tally.verifications.total() + skipped == 0 {
            return Err(session.problem(lines.number(), "expected verdict lines, found none".into()));
        }
    }
    writeln!(out, "{}, {skipped} skipped", tally.verifications.summary("accepted"))?;
    Ok(tally)
}

/// The state that the workers share.
struct Session<'a> {
    arguments: &'a VerifyArguments,
    specifications: Specifications,
    memory: Memory,
    history_file: String,
    certificate_file: String,
    /// The place of stored certificates.
    stored: Shelf,
    /// The number of bytes that a line may take, as text and as what is read of it.
    max_memory: usize,
    color: bool,
}

/// The news to tell.
enum Event {
    Answer(Result<Answer, Failure>),
    /// A history that lines speak of, or of whose successors they speak.
    Malformed(Failure),
    /// There are no more lines.
    End,
}

/// The result for a line.
struct Answer {
    line: u64,
    /// The file that it says it is about.
    file: String,
    /// Nothing if it claims nothing.
    verification: Option<Verification>,
    page: Page,
}

impl Session<'_> {
    /// Verifies the lines that speak of these histories.
    fn work(
        &self,
        histories: Vec<ReadResult>,
        large: bool,
        turn: Turn<'_, '_, Lines>,
        answers: &Answers<'_, Event>,
    ) {
        let fatal = !self.arguments.streaming.keep_going && histories.last().is_some_and(Result::is_err);
        let histories = histories.into_iter().map(|history| history.map_err(Unread::from)).collect();
        let mut batch = Batch { session: self, begin: 0, large, histories, reported: 0, answers };
        let count = batch.histories.len();
        let lines = turn.take(count, |lines| {
            batch.begin = lines.histories();
            lines.pass(count);
            // Whatever is asked for after an error that ends the reading, it is the answer.
            let end = if fatal { u64::MAX } else { lines.histories() };
            loop {
                let (group, complete) = lines.group(end);
                if complete {
                    return Some((group, lines.is_at_end()));
                }
                // So many lines are not to wait in memory: the others wait for them.
                if !batch.verify(group) {
                    return None;
                }
            }
        });
        let Some((lines, ended)) = lines.flatten() else { return };
        if batch.verify(lines) {
            let _ = if ended { answers.give(Event::End) } else { batch.tell_errors(count) };
        }
    }
}

/// A history that is malformed.
struct Unread {
    /// The line where that shows.
    line: u64,
    /// The faults, until they are reported.
    why: Option<Failure>,
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Unread { line: error.line().unwrap_or(1), why: Some(error.into()) }
    }
}

/// Histories, and the lines that speak of them.
struct Batch<'a> {
    session: &'a Session<'a>,
    /// The index of the first.
    begin: u64,
    large: bool,
    histories: Vec<Result<History, Unread>>,
    /// The number of them that have been reported, if malformed.
    reported: usize,
    answers: &'a Answers<'a, Event>,
}

impl Batch<'_> {
    /// Gives an answer to each line; false if no more are wanted.
    fn verify(&mut self, lines: Vec<Line>) -> bool {
        lines.into_iter().all(|line| {
            if interrupt::requested() {
                return false;
            }
            let claim = match self.session.claim(&line) {
                Ok(claim) => claim,
                Err(failure) => return self.answers.give(Event::Answer(Err(failure))),
            };
            let Some(at) = claim.index.checked_sub(self.begin) else {
                let problem = format!("expected index {} or more, found {}", self.begin, claim.index);
                return self.answers.give(Event::Answer(Err(self.session.problem(line.number, problem))));
            };
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            if at + 1 < self.reported {
                let index = self.begin + self.reported as u64 - 1;
                let problem = format!("expected index {index} or more, found {}", claim.index);
                return self.answers.give(Event::Answer(Err(self.session.problem(line.number, problem))));
            }
            if !self.tell_errors(at.saturating_add(1)) {
                return false;
            }
            let Some(history) = self.histories.get(at) else { return true };
            history.iter().for_each(|history| self.answers.note(history.line));
            let answer = self.session.answer(&claim, line.number, history, self.large);
            self.answers.give(Event::Answer(answer))
        })
    }

    /// Reports which of the first `count` histories are malformed; false if no more is wanted.
    fn tell_errors(&mut self, count: usize) -> bool {
        while self.reported < count.min(self.histories.len()) {
            let failure = self.histories[self.reported].as_mut().err().and_then(|unread| unread.why.take());
            self.reported += 1;
            if let Some(failure) = failure
                && !self.answers.give(Event::Malformed(failure))
            {
                return false;
            }
        }
        true
    }
}

/// The content of a verdict line.
struct Claim {
    index: u64,
    file: String,
    /// Nothing if it says that the history is malformed.
    claimed: Option<Claimed>,
}

/// Its claim about the history.
struct Claimed {
    question: Question,
    said: Said,
    events: u64,
    /// The digest of the history. Lines without a certificate have none, nor have those of before there were digests.
    digest: Option<String>,
    /// The name of the history, null for none.
    name: Option<Value>,
    witness: Option<Value>,
    violation: Option<Value>,
    /// The name of the violation, of transactions.
    anomaly: Option<Value>,
    /// The race beside a verdict, null for none.
    race: Option<Value>,
    races: Option<Value>,
}

/// The word of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Consistent,
    Inconsistent,
    Undecided,
    Unsupported,
    Racy,
    RaceFree,
}

impl Said {
    const ALL: [Said; 6] = [
        Said::Consistent,
        Said::Inconsistent,
        Said::Undecided,
        Said::Unsupported,
        Said::Racy,
        Said::RaceFree,
    ];

    const fn name(self) -> &'static str {
        match self {
            Said::Consistent => "consistent",
            Said::Inconsistent => "inconsistent",
            Said::Undecided => "undecided",
            Said::Unsupported => "unsupported",
            Said::Racy => "racy",
            Said::RaceFree => "race-free",
        }
    }
}

impl Session<'_> {
    fn problem(&self, line: u64, problem: String) -> Failure {
        Failure::Certificate { file: self.certificate_file.clone(), line, problem }
    }

    fn claim(&self, line: &Line) -> Result<Claim, Failure> {
        let problem = |problem: String| self.problem(line.number, problem);
        let text = line.text.as_ref().map_err(|unread| problem(unread.clone()))?;
        let left = self.max_memory.saturating_sub(text.len());
        let mut line = certificate::parse(text, left).map_err(|error| {
            // The line within the text is always the first.
            let (what, column) = (error.to_string(), error.column());
            let what = what.split(" at line ").next().unwrap_or_default();
            problem(format!("expected a verdict line: {what}, at column {column}"))
        })?;
        let missing = |key: &str, what: &str| problem(format!("expected `{key}`, {what}"));
        let number = |key: &str| line[key].as_u64().ok_or_else(|| missing(key, "a whole number"));
        let string = |key: &str| line[key].as_str().ok_or_else(|| missing(key, "a string"));
        match &line["schema"] {
            // The first lines had none.
            Value::Null => {}
            schema if *schema == SCHEMA => {}
            other => {
                return Err(problem(format!(
                    "`schema`: expected {SCHEMA}, which this command reads, found {other}"
                )));
            }
        }
        let index = number("index")?;
        if line["verdict"] == "error" {
            return Ok(Claim { index, file: string("file")?.to_string(), claimed: None });
        }
        let events = number("events")?;
        let question =
            self.question(string("model")?).map_err(|unknown| problem(format!("`model`: {unknown}")))?;
        let digest = match &line["digest"] {
            Value::Null => None,
            Value::String(digest) => Some(digest.clone()),
            _ => return Err(missing("digest", "a string")),
        };
        let name = line.get("name").cloned();
        let verdict = string("verdict")?;
        let Some(said) = Said::ALL.into_iter().find(|said| said.name() == verdict) else {
            let words = "consistent, inconsistent, undecided, unsupported, racy, race-free or error";
            return Err(problem(format!("`verdict`: expected {words}, found `{verdict}`")));
        };
        let file = string("file")?.to_string();
        let mut take = |key: &str| {
            let certificate = line.get_mut(key).map(Value::take);
            certificate.map(|json| self.stored.fetch(json)).transpose()
        };
        let (witness, violation) = (take("witness"), take("violation"));
        let (witness, violation) = (witness.map_err(problem)?, violation.map_err(problem)?);
        let [race, races, anomaly] =
            ["race", "races", "anomaly"].map(|key| line.get_mut(key).map(Value::take));
        let claimed =
            Claimed { question, said, events, digest, name, witness, violation, anomaly, race, races };
        Ok(Claim { index, file, claimed: Some(claimed) })
    }

    /// The result for a claim.
    fn answer(
        &self,
        claim: &Claim,
        line: u64,
        history: &Result<History, Unread>,
        large: bool,
    ) -> Result<Answer, Failure> {
        let Claim { index, file, claimed } = claim;
        let (budget, name) = (&self.arguments.budget, &self.history_file);
        let (place, verification) = match (history, claimed) {
            (Err(unread), claimed) => {
                let refused = || Verification::Refused("the history is malformed".into());
                (format!("{}:{}", printable(name), unread.line), claimed.as_ref().map(|_| refused()))
            }
            (Ok(History { subject, line, .. }), claimed) => {
                let case = Case { file: name, index: *index, line: *line, subject };
                let verification = match claimed {
                    None => None,
                    Some(claimed) => {
                        let checkable = self.specifications.checkable(subject, name);
                        let checkable = checkable.map_err(|why| Failure::unfit(&case, why))?;
                        match claimed.other_history(&case, file) {
                            Some(other) => Some(Verification::Refused(other)),
                            None => self.memory.answer(
                                large,
                                || budget.limits_of_verification(&checkable),
                                |limits| claimed.verify(&checkable, case.events(), limits),
                                |answer| answer.as_ref().is_some_and(Verification::lacks_memory),
                            ),
                        }
                    }
                };
                (case.to_string(), verification)
            }
        };
        let mut page = Page::new(self.color);
        match claimed {
            Some(Claimed { question, said, .. }) => write!(page, "{place}: {question}: {}: ", said.name())?,
            None => write!(page, "{place}: error: ")?,
        }
        let said = match &verification {
            None => format!("{}: it claims nothing", page.paint(FAINT, "skipped")),
            Some(verification) => {
                let style = match verification {
                    Verification::Accepted => GOOD,
                    Verification::Trusting { .. } | Verification::Undecided(_) => DOUBT,
                    Verification::Refused(_) => BAD,
                };
                let text = printable(&verification.to_string()).into_owned();
                let (word, rest) = text.split_at(text.find([',', ':']).unwrap_or(text.len()));
                format!("{}{rest}", page.paint(style, word))
            }
        };
        writeln!(page, "{said}")?;
        Ok(Answer { line, file: file.clone(), verification, page })
    }
}

impl Session<'_> {
    /// The question that a line speaks of: a name, or axioms, or a file. That is one given by `--model`, or else one beside the lines.
    fn question(&self, model: &str) -> Result<Question, String> {
        if !model.ends_with(".cat") {
            let unknown = |unknown: String| model.parse().map(Question::Criterion).map_err(|_| unknown);
            return model.parse().or_else(unknown);
        }
        let name = Path::new(model).file_name();
        if let Some(given) = self.arguments.model.iter().find(|given| given.file_name() == name) {
            return named(&given.to_string_lossy());
        }
        // Lines from a pipe have the current folder.
        let folder = Path::new(&self.arguments.certificate).parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        named_within(model, folder).map_err(|problem| format!("{problem}; --model gives the file"))
    }
}

impl Claimed {
    /// That the line is about another history, if it is.
    fn other_history(&self, case: &Case<'_>, file: &str) -> Option<String> {
        match &self.name {
            Some(Value::String(name)) if case.name() == Some(name.as_str()) => {}
            Some(name) if !name.is_null() || case.name().is_some() => {
                let this = case.name().map_or("has no name".into(), |name| format!("is called {name}"));
                return Some(format!("the line is about a history of the name {name}, and this one {this}"));
            }
            _ => {}
        }
        let Some(claimed) = &self.digest else {
            // Without a digest the name of the file is all that there is.
            let name = |file: &str| Path::new(file).file_name().map(ToOwned::to_owned);
            let piped = file == "-" || case.file == "-";
            let other = !piped && name(file) != name(case.file);
            return other.then(|| format!("the line has no digest and is about the file {file}"));
        };
        let digest = digest(case.subject);
        (*claimed != digest).then(|| {
            format!("the line is about another history: its digest is {claimed}, that of this one {digest}")
        })
    }

    /// The result for the claim; none if it claims nothing.
    fn verify(&self, checkable: &Checkable, events: usize, limits: &Limits<'_>) -> Option<Verification> {
        let refused = Verification::Refused;
        if self.events != events as u64 {
            let reason = format!("the line is about {} events, but the history has {events}", self.events);
            return Some(refused(reason));
        }
        match (checkable, &self.question) {
            (Checkable::Memory(execution), &Question::Model(model)) => {
                let verdict = match self.of_memory(execution, model).transpose() {
                    Ok(verdict) => verdict,
                    Err(reason) => return Some(refused(reason)),
                };
                let verified = verdict.as_ref().map(|verdict| {
                    match verify::verify_within(execution, model, verdict, limits) {
                        Err(Refusal::OtherWitness { .. }) if self.witness.is_none() => {
                            refused(NO_WITNESS.into())
                        }
                        verified => Verification::of_memory(verified),
                    }
                });
                if !matches!(verified, None | Some(Verification::Accepted)) {
                    return verified;
                }
                self.of_races(execution, model, verdict.as_ref(), limits).or(verified)
            }
            (Checkable::Object(object), Question::Criterion(criterion)) => {
                let (history, spec) = (object.history(), object.spec());
                let verdict = self.of_object(history)?;
                Some(verdict.map_or_else(refused, |verdict| {
                    let verified = verify::object::verify_within(history, spec, criterion, &verdict, limits);
                    Verification::of_object(verified, spec)
                }))
            }
            (Checkable::Transactions(history), &Question::Level(level)) if self.said == Said::Unsupported => {
                let applies = !level.needs_times() || history.is_timed();
                Some(if applies { refused("the level does apply".into()) } else { Verification::Accepted })
            }
            (Checkable::Transactions(history), &Question::Level(level)) => {
                let verdict = self.of_transactions(history)?;
                Some(verdict.map_or_else(refused, |verdict| {
                    let verified = verify::transactions::verify_within(history, level, &verdict, limits);
                    match (Verification::of_transactions(verified), &verdict, &self.anomaly) {
                        (Verification::Accepted, Verdict::Inconsistent(violation), Some(named)) => {
                            let anomaly = words::anomaly(history, level, violation).to_string();
                            match named.as_str() == Some(&anomaly) {
                                true => Verification::Accepted,
                                false => refused(format!("the anomaly is {anomaly}, not {named}")),
                            }
                        }
                        (Verification::Accepted, _, Some(_)) => {
                            refused("what is consistent has no anomaly".into())
                        }
                        (verification, ..) => verification,
                    }
                }))
            }
            (_, _) if self.said == Said::Unsupported => Some(Verification::Accepted),
            (checkable, question) => Some(refused(checkable.mismatch(question))),
        }
    }

    /// The verdict on a memory that the line claims; none if it claims none.
    fn of_memory(&self, x: &Execution, model: Model) -> Option<Result<Verdict, String>> {
        let consistent = match self.said {
            Said::Undecided => return None,
            // Sources that were chosen are those of a witness, which is verified first.
            Said::Racy | Said::RaceFree if !x.is_open() => return None,
            Said::Unsupported => {
                let why = model.unsupported(x).ok_or_else(|| "the model does apply".to_string());
                return Some(why.map(Verdict::Unsupported));
            }
            Said::Racy | Said::RaceFree | Said::Consistent => true,
            Said::Inconsistent => false,
        };
        // Without mo there is nothing to show, and a bare line says all.
        let bare = Some(Witness::History);
        let (witness, violation) =
            (|json: &_| witness_from_json(x, json), |json: &_| violation_from_json(x, json));
        Some(self.certified(consistent, bare, witness, violation))
    }

    /// The verdict on an object that the line claims; none if it claims none: an engine that does not apply says nothing about the history.
    fn of_object(&self, history: &object::History) -> Option<Result<object::Verdict, String>> {
        use certificate::object::{violation_from_json, witness_from_json};
        let witness = |json: &_| witness_from_json(history, json);
        let violation = |json: &_| violation_from_json(history, json);
        let consistent = self.consistent("an object").transpose()?;
        Some(consistent.and_then(|consistent| self.certified(consistent, None, witness, violation)))
    }

    /// The verdict on transactions that the line claims; none if it claims none.
    fn of_transactions(
        &self,
        history: &transactions::History,
    ) -> Option<Result<transactions::Verdict, String>> {
        use certificate::transactions::{violation_from_json, witness_from_json};
        let witness = |json: &_| witness_from_json(history, json);
        let violation = |json: &_| violation_from_json(history, json);
        let consistent = self.consistent("transactions").transpose()?;
        Some(consistent.and_then(|consistent| self.certified(consistent, None, witness, violation)))
    }

    /// Whether the line says that a history of this kind, which knows no races, is consistent; none if it says neither yes nor no.
    fn consistent(&self, kind: &str) -> Result<Option<bool>, String> {
        match self.said {
            Said::Consistent => Ok(Some(true)),
            Said::Inconsistent => Ok(Some(false)),
            Said::Undecided | Said::Unsupported => Ok(None),
            Said::Racy | Said::RaceFree => {
                Err(format!("races are of memories, and the history is of {kind}"))
            }
        }
    }

    /// A verdict with the line's certificate; `bare` is the witness of a line that has none.
    fn certified<K: Kind, E: fmt::Display>(
        &self,
        consistent: bool,
        bare: Option<K::Witness>,
        witness: impl FnOnce(&Value) -> Result<K::Witness, E>,
        violation: impl FnOnce(&Value) -> Result<K::Violation, E>,
    ) -> Result<Verdict<K>, String> {
        match (consistent, &self.witness, &self.violation) {
            (true, Some(json), _) => {
                witness(json).map(Verdict::Consistent).map_err(|error| error.to_string())
            }
            (true, None, _) => bare.map(Verdict::Consistent).ok_or_else(|| NO_WITNESS.into()),
            (false, _, Some(json)) => {
                violation(json).map(Verdict::Inconsistent).map_err(|error| error.to_string())
            }
            (false, _, None) => Err(NO_VIOLATION.into()),
        }
    }

    /// The result for the races of a line; none if it has none. The verdict, if there is one, has been verified.
    fn of_races(
        &self,
        x: &Execution,
        model: Model,
        verdict: Option<&Verdict>,
        limits: &Limits<'_>,
    ) -> Option<Verification> {
        let x = match verdict {
            Some(Verdict::Consistent(witness)) if x.is_open() => Cow::Owned(x.choosing(witness.sources())),
            _ => Cow::Borrowed(x),
        };
        let races = match (self.said, &self.race, &self.races) {
            (Said::RaceFree, ..) => {
                return Some(Verification::of_memory(verify::verify_race_free(&x, model, limits)));
            }
            (Said::Racy, _, Some(Value::Array(races))) if !races.is_empty() => {
                races_from_json(&x, self.races.as_ref()?)
            }
            (Said::Racy, ..) => return Some(Verification::Refused(NO_RACES.into())),
            (_, Some(Value::Null), _) => {
                return Some(Verification::of_memory(verify::verify_race_free(&x, model, limits)));
            }
            (_, Some(race @ Value::Object(_)), _) => race_from_json(&x, race).map(|race| vec![race]),
            // Nothing, or why nothing is known.
            _ => return None,
        };
        Some(match races {
            Ok(races) => Verification::of_memory(verify::verify_races(&x, model, &races, limits)),
            Err(error) => Verification::Refused(error.to_string()),
        })
    }
}

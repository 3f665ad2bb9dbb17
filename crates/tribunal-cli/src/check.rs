//! `tribunal check`: reads histories one by one, judges each under the models asked for, and reports.

use crate::args::{Budget, CheckArguments, Output, reading};
use crate::case::{Case, Specifications};
use crate::certificates::Store;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, Stdout, complain};
use crate::progress::Progress;
use crate::report::{Brief, Expectations, JsonLines, Lines, Overview, Report};
use crate::{input, interrupt};
use anstyle::Style;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use tribunal::Model;
use tribunal::object::Criterion;
use tribunal_formats::{History, Labels};
use tribunal_report::Judged;
use tribunal_report::printable;
use tribunal_report::{EngineChoice, Question, Questions};
use tribunal_report::{Finding, Verification, Verifications, Word};

pub fn run(arguments: &CheckArguments, out: &mut Stdout) -> Result<Status, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build_global()
        .map_err(|error| Failure::Usage(format!("--threads {}: {error}", arguments.threads)))?;
    let mut session = Session::new(arguments)?;
    // Answers wait to be written together: until there are many, until more input is waited for, but never long.
    out.flusher().keep_flushing()?;
    let mut malformed = false;
    for file in &arguments.histories.files {
        match session.file(file, out) {
            Ok(()) => {}
            Err(failure @ (Failure::Stdout(_) | Failure::Write { .. })) => return Err(failure),
            Err(_) if interrupt::requested() => {}
            Err(failure) => {
                malformed = true;
                out.flush()?;
                session.progress.aside(|| failure.print());
            }
        }
        if session.cut_short || interrupt::requested() {
            break;
        }
    }
    session.end(malformed, out)
}

/// What is asked of the histories of each kind.
struct Asked {
    of_memories: Vec<Question>,
    of_objects: Vec<Question>,
    /// Whether that is everything that applies, rather than what was named.
    all: bool,
}

impl Asked {
    /// What the arguments ask for: each model or criterion that was named must be one that the engine decides.
    fn new(arguments: &CheckArguments) -> Result<Self, Failure> {
        let engine = arguments.engine;
        let mut named = match (&arguments.model, arguments.axioms.is_empty()) {
            (None, true) | (Some(Questions::All), true) => {
                let decided = |question: &Question| engine.decides(question);
                let of_memories = Model::ALL.map(Question::Model).into_iter().filter(decided).collect();
                let of_objects =
                    Criterion::ALL.map(Question::Criterion).into_iter().filter(decided).collect();
                return Ok(Asked { of_memories, of_objects, all: true });
            }
            (None, false) => Vec::new(),
            (Some(Questions::All), false) => {
                return Err(Failure::Usage("--axioms goes with named models or none, not with `all`".into()));
            }
            (Some(Questions::These(questions)), _) => questions.clone(),
        };
        named.extend(arguments.axioms.iter().cloned().map(Question::Criterion));
        let undecided = named.iter().filter(|question| !engine.decides(question));
        let undecided: Vec<_> = undecided
            .map(|question| format!("{question} is decided by {}", question.engines().join(", ")))
            .collect();
        if !undecided.is_empty() {
            return Err(Failure::Usage(format!("--engine {}: {}", engine.name(), undecided.join("; "))));
        }
        Ok(Asked { of_memories: named.clone(), of_objects: named, all: false })
    }

    fn of(&self, judged: Judged<'_>) -> &[Question] {
        match judged {
            Judged::Memory(_) => &self.of_memories,
            Judged::Object(..) => &self.of_objects,
        }
    }
}

/// What has been asked for and what has come of it so far.
struct Session<'a> {
    arguments: &'a CheckArguments,
    asked: Asked,
    /// What each answer may cost.
    budget: Budget,
    /// What to say of answers that came too late.
    hint: Option<&'static str>,
    specifications: Specifications,
    /// Nothing, when only mismatches are of interest.
    report: Option<Box<dyn Report>>,
    progress: Progress,
    expectations: Expectations,
    tally: Tally,
    /// Whether Ctrl-C or a closed pipe ended the work before its time.
    cut_short: bool,
    /// Whether somebody looks at the answers as they come.
    to_person: bool,
}

#[derive(Default)]
struct Tally {
    histories: u64,
    consistent: u64,
    inconsistent: u64,
    undecided: u64,
    /// Of those that are undecided, those that took too long.
    late: u64,
    unsupported: u64,
    verifications: Verifications,
    /// Why a model did not apply, the first time.
    why_unsupported: Option<String>,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a CheckArguments) -> Result<Self, Failure> {
        let asked = Asked::new(arguments)?;
        let store = match &arguments.certificates {
            Some(_) if arguments.output != Output::Json => {
                return Err(Failure::Usage("--certificates goes with --output json".into()));
            }
            Some(directory) => Some(Store::open(directory, arguments.certificate_limit)?),
            None => None,
        };
        let witness = arguments.witness;
        let all = asked.all;
        let budget = if all { arguments.budget.of_all() } else { arguments.budget.clone() };
        let hint = arguments.budget.hint().filter(|_| all);
        let report: Option<Box<dyn Report>> = match arguments.output {
            Output::Human if arguments.expect => None,
            Output::Human if all => Some(Box::new(Overview::new(witness, &budget))),
            Output::Human => Some(Box::new(Lines { witness, budget: budget.clone() })),
            Output::Json => Some(Box::new(JsonLines { witness, store, hint })),
            Output::Brief => Some(Box::new(Brief { only_those_that_apply: all })),
        };
        Ok(Session {
            arguments,
            asked,
            budget,
            hint,
            specifications: Specifications::new(arguments.spec.as_deref())?,
            report,
            progress: Progress::new(),
            expectations: Expectations::default(),
            tally: Tally::default(),
            cut_short: false,
            to_person: io::stdout().is_terminal(),
        })
    }

    fn file(&mut self, file: &OsStr, out: &mut Stdout) -> Result<(), Failure> {
        let name = file.to_string_lossy();
        self.progress.file(&name, input::size(file));
        let bytes = self.progress.watch(input::bytes(file)?.flushing(out.flusher()));
        let options = reading(self.arguments.histories.format, self.arguments.budget.max_memory);
        let histories =
            tribunal_formats::read(bytes, &name, options)?.nil_reads(self.arguments.histories.nil_reads);
        for (history, index) in histories.zip(0..) {
            // After the last history there is nothing left to cut: the status is what it would have been.
            if interrupt::requested() || out.is_closed() {
                self.cut_short = true;
                return Ok(());
            }
            let History { subject, labels, line, .. } = history?;
            let case = Case { file: &name, index, line, subject: &subject };
            self.history(&case, &labels, out)?;
        }
        Ok(())
    }

    fn history(&mut self, case: &Case<'_>, labels: &Labels, out: &mut Stdout) -> Result<(), Failure> {
        let Session {
            arguments,
            asked,
            budget,
            specifications,
            progress,
            expectations,
            tally,
            report,
            to_person,
            ..
        } = self;
        specifications.with(case, |judged| {
            let mut findings: Vec<Finding<'_>> = Vec::new();
            let mut questions: Vec<&Question> = asked.of(judged).iter().collect();
            // A no is all that one word says: then the rest need not be asked. The strongest criterion says it soonest.
            let word = arguments.output == Output::Brief && !arguments.verify && !arguments.expect;
            if word && matches!(judged, Judged::Object(..)) {
                questions.reverse();
            }
            for question in questions {
                if word && findings.last().is_some_and(|last| last.ruling.word() == Word::Inconsistent) {
                    break;
                }
                progress.judging(case.index, question);
                let mut finding = Finding::of(judged, question, arguments.engine, &budget.limits());
                if arguments.verify {
                    finding.verify(&budget.limits_of_verification(judged));
                }
                findings.push(finding);
            }
            let mut notes = tally.verified(case, &findings);
            if arguments.expect {
                // With a model or an engine named, the others' labels are not asked for.
                let every_label = asked.all && arguments.engine == EngineChoice::Auto;
                let mismatches = expectations.compare(case, labels, &findings, every_label);
                notes.extend(mismatches.into_iter().map(|mismatch| (BAD, mismatch)));
            }
            tally.count(&findings, arguments.engine);
            progress.aside(|| {
                if let Some(report) = report {
                    report.history(case, &findings, out)?;
                }
                case.warn();
                if let Some(note) = case.note() {
                    remark(arguments.output, &format!("{case}: {note}"), out)?;
                }
                for (style, note) in &notes {
                    remark(arguments.output, &out.paint(*style, note), out)?;
                }
                if arguments.output == Output::Brief || *to_person {
                    out.flush()?;
                }
                Ok(())
            })
        })
    }

    fn end(mut self, malformed: bool, out: &mut Stdout) -> Result<Status, Failure> {
        let interrupted = interrupt::requested();
        drop(self.progress);
        if let Some(report) = &mut self.report {
            report.end(out)?;
        }
        let (tally, arguments) = (&self.tally, self.arguments);
        let mut summary = Vec::new();
        if arguments.expect || interrupted {
            summary.push(format!("{} histories", tally.histories));
        }
        if arguments.expect {
            summary.push(self.expectations.summary());
        } else if interrupted {
            summary.push(tally.verdicts());
        }
        if arguments.verify {
            summary.push(tally.verifications.summary("verified"));
        }
        if !summary.is_empty() {
            remark(arguments.output, &summary.join(", "), out)?;
        }
        // Verdict lines say it themselves.
        if let Some(hint) = self.hint.filter(|_| tally.late > 0 && arguments.output != Output::Json) {
            remark(arguments.output, &format!("{} undecided after {hint}", tally.late), out)?;
        }
        out.finish()?;

        let wrong = if arguments.expect { !self.expectations.all_agree() } else { tally.inconsistent > 0 };
        if interrupted {
            return Ok(Status::Interrupted);
        }
        if malformed {
            return Ok(Status::Malformed);
        }
        if wrong || tally.verifications.refused > 0 {
            return Ok(Status::Inconsistent);
        }
        if self.cut_short {
            return Ok(Status::ClosedPipe);
        }
        if tally.verifications.undecided > 0 {
            return Ok(Status::Undecided);
        }
        if arguments.expect {
            return match self.expectations.is_empty() {
                true => Err(Failure::NothingCompared),
                false => Ok(Status::Success),
            };
        }
        if tally.undecided > 0 {
            return Ok(Status::Undecided);
        }
        match &tally.why_unsupported {
            Some(why) if tally.consistent == 0 => Err(Failure::NothingApplies(why.clone())),
            _ => Ok(Status::Success),
        }
    }
}

impl Tally {
    fn count(&mut self, findings: &[Finding<'_>], engine: EngineChoice) {
        self.histories += 1;
        for Finding { ruling, .. } in findings {
            match ruling.word() {
                Word::Consistent => self.consistent += 1,
                Word::Inconsistent => self.inconsistent += 1,
                Word::Undecided => {
                    self.undecided += 1;
                    self.late += u64::from(ruling.is_late());
                }
                Word::Unsupported => {
                    self.unsupported += 1;
                    let why = || format!("{}: {}", ruling.question(), ruling.reason().unwrap_or_default());
                    self.why_unsupported.get_or_insert_with(why);
                }
            }
        }
        if findings.is_empty() {
            let why = || format!("--engine {} decides nothing about such histories", engine.name());
            self.why_unsupported.get_or_insert_with(why);
        }
    }

    /// Counts the certificates that were checked; a line for each that is not accepted for what the definitions say alone.
    fn verified(&mut self, case: &Case<'_>, findings: &[Finding<'_>]) -> Vec<(Style, String)> {
        let mut notes = Vec::new();
        for Finding { ruling, verification, .. } in findings {
            let Some(verification) = verification else { continue };
            self.verifications.count(verification);
            if *verification != Verification::Accepted {
                let (question, word) = (ruling.question(), ruling.word());
                let style = if matches!(verification, Verification::Refused(_)) { BAD } else { DOUBT };
                let what = verification.to_string();
                notes.push((style, format!("{case}: {question}: {word}: certificate {}", printable(&what))));
            }
        }
        notes
    }

    fn verdicts(&self) -> String {
        let Tally { consistent, inconsistent, undecided, unsupported, .. } = self;
        format!(
            "{consistent} consistent, {inconsistent} inconsistent, {undecided} undecided, {unsupported} unsupported"
        )
    }
}

/// Prints a line that is no verdict: among people's output, but beside that of programs.
fn remark(output: Output, line: &str, out: &mut Stdout) -> io::Result<()> {
    match output {
        Output::Human => writeln!(out, "{line}"),
        Output::Json | Output::Brief => {
            complain(line);
            Ok(())
        }
    }
}

//! `tribunal check`: reads histories one by one, judges each under the models asked for, and reports.

use crate::args::{CheckArguments, EngineChoice, Models, Output};
use crate::certificates::Store;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, Stdout, complain, printable};
use crate::progress::Progress;
use crate::report::{Brief, Case, Expectations, Finding, JsonLines, Lines, Matrix, Report};
use crate::{input, interrupt};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::time::Instant;
use tribunal::verdict::Limit;
use tribunal::{Engine, Judgement, Model, Verdict, judge, judge_by};
use tribunal_formats::{History, Subject};

pub fn run(arguments: &CheckArguments, out: &mut Stdout) -> Result<Status, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build_global()
        .map_err(|error| Failure::Usage(format!("--threads {}: {error}", arguments.threads)))?;
    let mut session = Session::new(arguments)?;
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

/// The models to check: each that was named must be one that the engine decides.
fn models(asked: &Models, engine: EngineChoice) -> Result<Vec<Model>, Failure> {
    let decided = |model: &Model| match engine {
        EngineChoice::Auto => true,
        EngineChoice::Only(engine) => model.engines().contains(&engine),
    };
    match (asked, engine) {
        (Models::All, _) => Ok(Model::ALL.into_iter().filter(decided).collect()),
        (Models::These(models), EngineChoice::Only(engine)) if !models.iter().all(decided) => {
            let without = models.iter().filter(|&model| !decided(model)).map(|model| {
                let engines: Vec<_> = model.engines().iter().copied().map(Engine::name).collect();
                format!("{model} is decided by {}", engines.join(", "))
            });
            let engines = without.collect::<Vec<_>>().join("; ");
            Err(Failure::Usage(format!("--engine {}: {engines}", engine.name())))
        }
        (Models::These(models), _) => Ok(models.clone()),
    }
}

/// What has been asked for and what has come of it so far.
struct Session<'a> {
    arguments: &'a CheckArguments,
    models: Vec<Model>,
    /// Nothing, when only mismatches are of interest.
    report: Option<Box<dyn Report>>,
    progress: Progress,
    expectations: Expectations,
    tally: Tally,
    /// Whether Ctrl-C or a closed pipe ended the work before its time.
    cut_short: bool,
}

#[derive(Default)]
struct Tally {
    histories: u64,
    consistent: u64,
    inconsistent: u64,
    undecided: u64,
    unsupported: u64,
    verified: u64,
    refused: u64,
    /// Why a model did not apply, the first time.
    why_unsupported: Option<String>,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a CheckArguments) -> Result<Self, Failure> {
        let models = models(&arguments.model, arguments.engine)?;
        let store = match &arguments.certificates {
            Some(_) if arguments.output != Output::Json => {
                return Err(Failure::Usage("--certificates goes with --output json".into()));
            }
            Some(directory) => Some(Store::open(directory, arguments.certificate_limit)?),
            None => None,
        };
        let witness = arguments.witness;
        let all = arguments.model == Models::All;
        let report: Option<Box<dyn Report>> = match arguments.output {
            Output::Human if arguments.expect => None,
            Output::Human if all => Some(Box::new(Matrix::new(witness))),
            Output::Human => Some(Box::new(Lines { witness })),
            Output::Json => Some(Box::new(JsonLines { witness, store })),
            Output::Brief => Some(Box::new(Brief { only_those_that_apply: all })),
        };
        Ok(Session {
            arguments,
            models,
            report,
            progress: Progress::new(),
            expectations: Expectations::default(),
            tally: Tally::default(),
            cut_short: false,
        })
    }

    fn file(&mut self, file: &OsStr, out: &mut Stdout) -> Result<(), Failure> {
        let name = file.to_string_lossy();
        self.progress.file(&name, input::size(file));
        let bytes = self.progress.watch(input::bytes(file)?);
        let histories = tribunal_formats::read(bytes, &name, self.arguments.histories.format)?;
        for (history, index) in histories.zip(0..) {
            // After the last history there is nothing left to cut: the status is what it would have been.
            if interrupt::requested() || out.is_closed() {
                self.cut_short = true;
                return Ok(());
            }
            let History { subject, labels, line } = history?;
            let Subject::Memory(execution) = subject else { continue };
            let case = Case { file: &name, index, line, execution: &execution };
            let findings = self.judge(&case);
            let mut notes = self.verify(&case, &findings);
            if self.arguments.expect {
                // With a model or an engine named, the others' labels are not asked for.
                let every_label =
                    self.arguments.model == Models::All && self.arguments.engine == EngineChoice::Auto;
                notes.extend(self.expectations.compare(&case, &labels, &findings, every_label));
            }
            self.tally.count(&findings);
            self.print(&case, &findings, &notes, out)?;
        }
        Ok(())
    }

    fn judge(&self, case: &Case<'_>) -> Vec<Finding> {
        let judged = |&model: &Model| {
            self.progress.judging(case.index, model);
            let begin = Instant::now();
            let judgement = if interrupt::requested() {
                Judgement { verdict: Verdict::Undecided(Limit::Stopped), engine: model.engines()[0] }
            } else {
                let limits = self.arguments.budget.limits();
                match self.arguments.engine {
                    EngineChoice::Auto => judge(case.execution, model, &limits),
                    EngineChoice::Only(engine) => judge_by(case.execution, model, engine, &limits)
                        .expect("the models are those that the engine decides"),
                }
            };
            Finding { model, judgement, micros: begin.elapsed().as_micros() as u64 }
        };
        self.models.iter().map(judged).collect()
    }

    /// Checks the certificates, if asked to; a line for each that is refused.
    fn verify(&mut self, case: &Case<'_>, findings: &[Finding]) -> Vec<String> {
        let mut refusals = Vec::new();
        if !self.arguments.verify {
            return refusals;
        }
        for Finding { model, judgement, .. } in findings {
            if let Verdict::Undecided(_) | Verdict::Unsupported(_) = judgement.verdict {
                continue;
            }
            match tribunal::verify::verify(case.execution, *model, &judgement.verdict) {
                Ok(()) => self.tally.verified += 1,
                Err(refusal) => {
                    self.tally.refused += 1;
                    let word = judgement.verdict.word();
                    let why = refusal.to_string();
                    refusals
                        .push(format!("{case}: {model}: {word}: certificate refused: {}", printable(&why)));
                }
            }
        }
        refusals
    }

    fn print(
        &mut self,
        case: &Case<'_>,
        findings: &[Finding],
        notes: &[String],
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        let Session { progress, report, arguments, .. } = self;
        progress.aside(|| {
            if let Some(report) = report {
                report.history(case, findings, out)?;
            }
            for note in notes {
                remark(arguments.output, &out.paint(BAD, note), out)?;
            }
            // Whoever drives the command through a pipe waits for this answer before the next question.
            Ok(out.flush()?)
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
            summary.push(format!("{} certificates verified, {} refused", tally.verified, tally.refused));
        }
        if !summary.is_empty() {
            remark(arguments.output, &summary.join(", "), out)?;
        }
        out.finish()?;

        let wrong = if arguments.expect { !self.expectations.all_agree() } else { tally.inconsistent > 0 };
        if interrupted {
            return Ok(Status::Interrupted);
        }
        if malformed {
            return Ok(Status::Malformed);
        }
        if wrong || tally.refused > 0 {
            return Ok(Status::Inconsistent);
        }
        if self.cut_short {
            return Ok(Status::ClosedPipe);
        }
        if arguments.expect {
            return Ok(Status::Success);
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
    fn count(&mut self, findings: &[Finding]) {
        self.histories += 1;
        for Finding { model, judgement, .. } in findings {
            match &judgement.verdict {
                Verdict::Consistent(_) => self.consistent += 1,
                Verdict::Inconsistent(_) => self.inconsistent += 1,
                Verdict::Undecided(_) => self.undecided += 1,
                Verdict::Unsupported(why) => {
                    self.unsupported += 1;
                    self.why_unsupported.get_or_insert_with(|| format!("{model}: {why}"));
                }
            }
        }
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

//! What is told of an exploration: to people, or to the command that started the program, as JSON.

use crate::environment::Settings;
use crate::memory::OWN_FILES;
use crate::only::Only;
use crate::{main_function, names, output, plain, processes};
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::Write;
use std::os::fd::FromRawFd;
use std::time::Duration;
use tribunal_explore::program::Place;
use tribunal_explore::{End, Estimate, Explorer, Failed, Failure, Options, Problem, Progress, Report};

/// Where the report goes.
static TO: Only<Option<File>> = Only::new(None);

/// What the settings say cannot be done.
pub fn refuse(error: &str) -> ! {
    eprintln!("tribunal: {error}");
    std::process::exit(2)
}

/// The process's own output, which the program's does not mix with.
pub struct Out {
    /// For people, where no command asks for a report.
    people: File,
    is_for_command: bool,
}

impl Out {
    /// Takes standard output and standard error from the program.
    pub fn take(settings: &Settings) -> Out {
        // SAFETY: descriptors of this process, each of them owned once.
        unsafe {
            let people = File::from_raw_fd(libc::fcntl(2, libc::F_DUPFD_CLOEXEC, OWN_FILES));
            if let Some(report) = settings.report {
                *TO.get() = Some(File::from_raw_fd(libc::fcntl(report, libc::F_DUPFD_CLOEXEC, OWN_FILES)));
                libc::close(report);
            }
            if !settings.output {
                output::silence();
            }
            Out { people, is_for_command: settings.report.is_some() }
        }
    }

    /// Explores, reports, and says with what status the process ends.
    pub fn explore(mut self, explorer: &Explorer, settings: &Settings) -> i32 {
        let explorer = explorer.clone().progress(progress);
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| explorer.try_run(|| ())));
        let (mut report, said, printed) = match tried {
            Ok(Ok(report)) => (report, None, Vec::new()),
            Ok(Err(failed)) => {
                let Failed { failure, said, mut report } = *failed;
                let printed = match &failure {
                    Some(failure) if !settings.output => {
                        output::of(|| drop(explorer.replay(&failure.replay(), || ())))
                    }
                    _ => Vec::new(),
                };
                // What is said is of the smallest execution.
                report.failure = failure.or(report.failure);
                (report, Some(said), printed)
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("the runtime has failed");
                self.warn(text);
                return 2;
            }
        };
        let fails = said.is_some() && report.failure.is_some();
        let reports = !fails || processes::reports_failure();
        processes::join(&mut report);
        if processes::is_child() && !fails || !reports || !fails && processes::has_reported() {
            return i32::from(processes::has_reported());
        }
        let status = match (&report.failure, report.end) {
            (Some(_), _) => 1,
            (None, End::Complete | End::Sampled | End::Bounded | End::Skipped) if said.is_none() => 0,
            (None, End::Interrupted) => 130,
            (None, _) => 3,
        };
        if let Some((count, size, site)) = main_function::leak().filter(|_| !settings.leaks) {
            let blocks = if count == 1 { "a block is" } else { "blocks are" };
            let place = names::place(site);
            self.warn(&format!("memory is lost: {blocks} never given back, the first one of {size} bytes, allocated at {place}"));
        }
        if plain::is_incomplete() {
            self.warn("memory ran out for what finds races: there may be more of them");
        }
        if let (None, Some(said)) = (&report.failure, &said) {
            self.warn(said);
        }
        if self.is_for_command {
            tell(&json!({ "report": object(&report, said.as_deref(), &printed, settings) }));
        } else {
            let _ = match said {
                Some(said) => writeln!(self.people, "tribunal: {said}{}", last_lines(&printed)),
                None => writeln!(self.people, "tribunal: {}", passed(&report, &settings.options)),
            };
        }
        status
    }

    fn warn(&mut self, text: &str) {
        if self.is_for_command {
            tell(&json!({ "warning": text }));
        } else {
            let _ = writeln!(self.people, "tribunal: {text}");
        }
    }
}

/// What the failing execution printed, in words.
fn last_lines(printed: &[String]) -> String {
    if printed.is_empty() { String::new() } else { format!("\nit printed last:\n{}", printed.join("\n")) }
}

fn passed(report: &Report, options: &Options) -> String {
    let model = options.model.name();
    report
        .unfinished()
        .unwrap_or_else(|| format!("{model}: no failure in all {} executions", report.executions))
}

/// A line of JSON for the command. Whoever closed the pipe does not want to know.
fn tell(line: &Json) {
    if let Some(to) = TO.get() {
        let _ = to.write_all(format!("{line}\n").as_bytes());
    }
}

fn progress(progress: &Progress) {
    let (executions, blocked) = processes::add(progress.executions, progress.blocked);
    if processes::is_child() {
        return;
    }
    tell(&json!({ "progress": {
        "executions": executions,
        "blocked": blocked,
        "seconds": seconds(progress.elapsed),
        "estimate": progress.estimate.map(estimate),
    }}));
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn estimate(Estimate { executions, error }: Estimate) -> Json {
    json!({ "executions": executions, "error": error })
}

fn place(place: Place) -> Json {
    match place.file {
        "" => Json::Null,
        file => json!({ "file": file, "line": place.line, "column": place.column }),
    }
}

fn kind(problem: &Problem) -> &'static str {
    match problem {
        Problem::Race { .. } | Problem::Conflict { .. } => "race",
        Problem::Panic { .. } => "panic",
        Problem::Crash { .. } => "crash",
        Problem::Deadlock { .. } => "deadlock",
        Problem::Livelock { .. } => "livelock",
        Problem::Leak { .. } => "leak",
        Problem::Misuse { .. } => "misuse",
        Problem::Nondeterminism { .. } => "nondeterminism",
        Problem::TooLong { .. } => "too-long",
    }
}

fn places(failure: &Failure) -> Vec<Place> {
    match &failure.problem {
        Problem::Race { first, second } => {
            [first, second].map(|&event| failure.graph.event(event).place).to_vec()
        }
        Problem::Conflict { accesses, .. } => accesses.iter().map(|access| access.place).collect(),
        Problem::Deadlock { waiting } | Problem::Livelock { waiting } => {
            waiting.iter().map(|&(_, place)| place).collect()
        }
        Problem::Leak { place, .. } => vec![*place],
        _ => vec![failure.place],
    }
}

fn object(report: &Report, said: Option<&str>, printed: &[String], settings: &Settings) -> Json {
    let end = match report.end {
        End::Complete => "complete",
        End::Failed => "failed",
        End::MaxExecutions => "max-executions",
        End::MaxDuration => "max-duration",
        End::MaxMemory => "max-memory",
        End::Interrupted => "interrupted",
        End::Bounded => "bounded",
        End::Skipped => "skipped",
        End::Sampled => "sampled",
    };
    let failure = report.failure.as_ref().map(|failure| {
        json!({
            "kind": kind(&failure.problem),
            "headline": failure.headline(),
            "text": said.unwrap_or_default(),
            "place": place(failure.place),
            "places": places(failure).into_iter().map(place).collect::<Vec<_>>(),
            "thread": failure.thread.map(|thread| failure.threads[thread.index()].clone()),
            "replay": failure.replay_string(),
            "output": printed,
        })
    });
    json!({
        "model": settings.options.model.name(),
        "executions": report.executions,
        "with_mo": report.with_mo,
        "blocked": report.blocked,
        "outside": report.outside,
        "events": report.events,
        "end": end,
        "unfinished": report.unfinished(),
        "estimate": report.estimate.map(estimate),
        "seconds": seconds(report.duration),
        "failure": failure,
    })
}

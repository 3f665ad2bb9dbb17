//! Running `tribunal run` on a program, for no longer than a time, and remembering what it said.

use super::cache::{self, digest};
use super::rows::Row;
use super::{Model, Options};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What it may take longer than its limit.
const GRACE: Duration = Duration::from_secs(10);

/// What is kept of errors.
const MOST: usize = 400;

/// What a run said.
pub(super) enum Answer {
    /// The object that it printed.
    Report(Value),
    /// It took too long.
    Late,
    /// It printed no object: how it ended, and its last words.
    Silent(String),
}

pub(super) struct Runner<'a> {
    options: &'a Options,
    results: PathBuf,
    /// The name of the command and its runtime, by their bytes.
    command: String,
}

impl<'a> Runner<'a> {
    pub(super) fn new(options: &'a Options, home: &Path) -> Result<Self, String> {
        let mut command = String::new();
        if !options.build {
            let read =
                |file: &Path| fs::read(file).map_err(|error| format!("error: {}: {error}", file.display()));
            let mut files = vec![read(&options.command)?];
            let runtime = options.command.with_file_name("libtribunal_run.so");
            if runtime.is_file() {
                files.push(read(&runtime)?);
            }
            let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
            command = digest(&files);
        }
        Ok(Runner { options, results: home.join("results"), command })
    }

    /// Runs a program, unless that was done before; nothing if it was interrupted.
    pub(super) fn run(&self, row: &Row, program: &Path) -> Option<Answer> {
        let mut arguments = vec!["run".to_string(), "--style".into(), "json".into()];
        arguments.extend(["--timeout".into(), self.options.timeout.as_secs().to_string()]);
        if self.options.model != Model::Rc20 {
            arguments.extend(["--model".into(), self.options.model.name().into()]);
        }
        if let Some(unroll) = row.unroll {
            arguments.extend(["--unroll".into(), unroll.to_string()]);
        }
        if row.allows_races {
            arguments.push("--allow-races".into());
        }
        let bytes = fs::read(program).unwrap_or_default();
        let key = digest(&[self.command.as_bytes(), arguments.join("\n").as_bytes(), &bytes]);
        let kept = self.results.join(format!("{key}.json"));
        let known = || serde_json::from_slice(&fs::read(&kept).ok()?).ok().and_then(Answer::from_json);
        if let Some(answer) = (!self.options.fresh).then(known).flatten() {
            return Some(answer);
        }
        let answer = self.ask(&arguments, program)?;
        let written = cache::put(&kept, |file| {
            fs::write(file, answer.to_json().to_string()).map_err(|error| error.to_string())
        });
        written.unwrap_or_else(|problem| eprintln!("{problem}"));
        Some(answer)
    }

    fn ask(&self, arguments: &[String], program: &Path) -> Option<Answer> {
        if interrupted() {
            return None;
        }
        let child = Command::new(&self.options.command)
            .args(arguments)
            .arg(program)
            .env("TRIBUNAL_COUNT_MO", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // What it starts is ended with it.
            .process_group(0)
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return Some(Answer::Silent(error.to_string())),
        };
        let output = read(child.stdout.take());
        let errors = read(child.stderr.take());
        let end = wait(&mut child, self.options.timeout + GRACE);
        let [output, errors] = [output, errors].map(|text| text.join().unwrap_or_default());
        match end {
            End::Interrupted => None,
            End::Late => Some(Answer::Late),
            End::Ended(status) => Some(match object(&output) {
                Some(report) => Answer::Report(report),
                None => Answer::Silent(last_words(status, &errors)),
            }),
        }
    }
}

impl Answer {
    fn to_json(&self) -> Value {
        match self {
            Answer::Report(report) => json!({ "report": report }),
            Answer::Late => json!({ "late": true }),
            Answer::Silent(why) => json!({ "silent": why }),
        }
    }

    fn from_json(mut kept: Value) -> Option<Self> {
        if let Some(why) = kept["silent"].as_str() {
            return Some(Answer::Silent(why.into()));
        }
        match kept["late"].as_bool() {
            Some(true) => Some(Answer::Late),
            _ => Some(Answer::Report(kept["report"].take())).filter(|_| kept.is_object()),
        }
    }
}

/// The report, by itself or as `report`: the last line that is one.
fn object(output: &str) -> Option<Value> {
    output.lines().rev().find_map(|line| {
        let mut object: Value = serde_json::from_str(line).ok()?;
        if object["report"].is_object() {
            object = object["report"].take();
        }
        object["end"].is_string().then_some(object)
    })
}

fn last_words(status: ExitStatus, errors: &str) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    };
    let said = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("{how}: {}", said.chars().take(MOST).collect::<String>())
}

/// Reads a pipe to its end, beside everything else.
fn read(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // What could be read before a mistake will do.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    })
}

enum End {
    Ended(ExitStatus),
    Late,
    Interrupted,
}

/// Waits for it and ends it, with all that it started, if it takes too long.
fn wait(child: &mut Child, longest: Duration) -> End {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                // Its pipes may be held open by what it left behind.
                end_group(child);
                return End::Ended(status);
            }
            Ok(None) if !interrupted() && start.elapsed() < longest => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => {
                end_group(child);
                let _ = child.wait();
                return if interrupted() { End::Interrupted } else { End::Late };
            }
        }
    }
}

fn end_group(child: &Child) {
    // SAFETY: a signal to a group that this process has made. If it has no members, nothing happens.
    unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether somebody pressed Ctrl-C.
pub(super) fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// From now on Ctrl-C ends what runs; what was done before is kept, and told.
pub(super) fn watch_for_interrupts() {
    extern "C" fn note(_: libc::c_int) {
        INTERRUPTED.store(true, Relaxed);
    }
    // SAFETY: the handler stores a value and does nothing else.
    unsafe { libc::signal(libc::SIGINT, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
}

//! A program that is being explored: a process, which may start others, and what it reports.

use super::report::{Message, Report};
use super::{Problem, warn};
use crate::explore::progress;
use crate::interrupt;
use crate::output::complain;
use crate::watchdog::patiently;
use nix::sys::personality::{self, Persona};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, PipeReader};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long after its time a program may still report. Its last execution may be long, and a failure is made small.
const GRACE: Duration = Duration::from_secs(10);
/// How often signals, the time and the process are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long the rest of what it reported may take when it has ended.
const REST: Duration = Duration::from_secs(1);

/// The processes of a program, and the folder of its libraries.
struct Running {
    group: Pid,
    libraries: PathBuf,
}

static RUNNING: Mutex<Option<Running>> = Mutex::new(None);

/// Ends the program and removes its libraries, for a process that ends at once.
pub fn abandon() {
    if let Some(running) = patiently(&RUNNING).and_then(|mut running| running.take()) {
        running.end();
        // There is nobody left to tell.
        let _ = std::fs::remove_dir_all(&running.libraries);
    }
}

impl Running {
    /// Ends what is left of its processes.
    fn end(&self) {
        // There may be none left.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

/// How a program ended.
pub struct Ended {
    pub report: Option<Report>,
    /// Each once.
    pub warnings: Vec<String>,
    pub status: ExitStatus,
    /// Whether it had to be ended, long after its time.
    pub is_late: bool,
}

/// Runs a program to its end. Libraries are removed then.
pub fn run(
    mut command: Command,
    keep_output: bool,
    longest: Option<Duration>,
    libraries: TempDir,
) -> Result<Ended, Problem> {
    let (reader, writer) = io::pipe().map_err(Problem::Start)?;
    fcntl_setfd(&writer, FdFlags::empty()).map_err(|error| Problem::Start(error.into()))?;
    command.env("TRIBUNAL_REPORT", writer.as_raw_fd().to_string());
    // What it prints does not get into the report. In a group of its own it gets no signals but those that are meant for it.
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    if keep_output {
        command.stdout(io::stderr().as_fd().try_clone_to_owned().map_err(Problem::Start)?);
    }
    let deadline = longest.and_then(|longest| Instant::now().checked_add(longest)?.checked_add(GRACE));
    let child = start(&mut command)?;
    drop(writer);
    let group = Pid::from_child(&child);
    let running = Running { group, libraries: libraries.path().into() };
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    let ended = follow(child, reader, deadline);
    progress::clear();
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    running.iter().for_each(Running::end);
    ended
}

/// Starts a program whose addresses are the same each time, if the system lets it.
fn start(command: &mut Command) -> Result<Child, Problem> {
    let before = personality::get();
    let fixed = before.and_then(|before| personality::set(before | Persona::ADDR_NO_RANDOMIZE));
    if fixed.is_err() {
        complain("warning: the system lets no program have fixed addresses: a replay may take another way");
    }
    let child = command.spawn().map_err(Problem::Start);
    if let Ok(before) = before {
        // What was allowed before is allowed now.
        let _ = personality::set(before);
    }
    child
}

/// Goes along with a program to its end.
fn follow(mut child: Child, reader: PipeReader, deadline: Option<Instant>) -> Result<Ended, Problem> {
    let messages = listen(reader);
    let (mut report, mut warnings, mut problem) = (None, BTreeSet::new(), None);
    let (mut is_told, mut is_late) = (false, false);
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let is_closed = match messages.recv_timeout(TICK) {
            Ok(Ok(Message::Progress(told))) => {
                progress::show(&told.into());
                continue;
            }
            Ok(Ok(Message::Warning(text))) => {
                if !warnings.contains(&text) {
                    progress::clear();
                    warn(&text);
                    warnings.insert(text);
                }
                continue;
            }
            Ok(Ok(Message::Report(told))) => {
                report = Some(*told);
                continue;
            }
            Ok(Err(malformed)) => {
                problem = Some(Problem::Report(malformed));
                continue;
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if ended.is_none() {
            ended = child.try_wait().map_err(Problem::Start)?.map(|status| (status, Instant::now()));
        }
        if let Some((status, at)) = ended
            && (is_closed || at.elapsed() > REST)
        {
            return match problem {
                Some(problem) => Err(problem),
                None => Ok(Ended { report, warnings: warnings.into_iter().collect(), status, is_late }),
            };
        }
        let group = Pid::from_child(&child);
        if interrupt::requested() && !is_told {
            is_told = true;
            // It may have ended.
            let _ = kill_process(group, Signal::INT);
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) && !is_late {
            is_late = true;
            let _ = kill_process_group(group, Signal::KILL);
        }
        if is_closed {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What comes through the pipe, until nobody has it any more.
fn listen(reader: PipeReader) -> Receiver<Result<Message, serde_json::Error>> {
    let (sender, messages) = channel();
    thread::spawn(move || {
        let lines = BufReader::new(reader).lines().map_while(Result::ok);
        for line in lines.filter(|line| !line.trim().is_empty()) {
            if sender.send(serde_json::from_str(&line)).is_err() {
                break;
            }
        }
    });
    messages
}

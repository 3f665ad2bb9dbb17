//! Runs a command and measures what it takes.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command that takes more than this is ended, for the machine's sake.
const TOO_MUCH: u64 = 4 << 30;

/// How a command ended, and what it took.
pub struct End {
    /// Its status; none if a signal ended it.
    pub status: Option<i32>,
    /// Whether it was ended because it took far too long or too much.
    pub killed: bool,
    pub elapsed: Duration,
    pub processor: Duration,
    /// Bytes.
    pub peak: u64,
    /// What it printed on standard error.
    pub complaint: String,
    /// The longest times between two polls.
    pub gaps: Vec<(Duration, String)>,
}

/// Runs a command in a directory, for some time at most.
pub fn measure(
    command: &Path,
    arguments: &[String],
    directory: &Path,
    most: Duration,
) -> Result<End, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", command.display());
    let (complaint, polls) = (directory.join(".stderr"), directory.join(".polls"));
    let mut run = Command::new(command);
    run.args(arguments)
        .current_dir(directory)
        .env("TRIBUNAL_POLLS", &polls)
        .env("TRIBUNAL_INCLUDE", directory);
    run.stdin(Stdio::null()).stdout(Stdio::null());
    run.stderr(fs::File::create(&complaint).map_err(failed)?);
    let begin = Instant::now();
    let mut child = run.spawn().map_err(failed)?;
    let (mut killed, mut most_memory) = (false, 0);
    let usage = loop {
        if let Some(usage) = ended(&child)? {
            break usage;
        }
        most_memory = peak(&child).max(most_memory);
        if !killed && (begin.elapsed() > most || most_memory > TOO_MUCH) {
            killed = true;
            child.kill().map_err(failed)?;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let gaps = fs::read_to_string(&polls).unwrap_or_default();
    let gap = |line: &str| {
        let (time, between) = line.split_once('\t')?;
        Some((Duration::from_millis(time.parse().ok()?), between.replace('\t', " and ")))
    };
    Ok(End {
        status: usage.status.code(),
        killed,
        elapsed: begin.elapsed(),
        processor: usage.processor,
        peak: most_memory,
        complaint: String::from_utf8_lossy(&fs::read(&complaint).map_err(failed)?).into_owned(),
        gaps: gaps.lines().filter_map(gap).collect(),
    })
}

struct Usage {
    status: ExitStatus,
    processor: Duration,
}

/// What a child took, if it has ended.
fn ended(child: &Child) -> Result<Option<Usage>, String> {
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both places are valid for the call, and a zeroed rusage is one. The standard library does not wait for this child.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, libc::WNOHANG, usage.as_mut_ptr()) };
    match waited {
        0 => Ok(None),
        -1 => Err(format!("wait4: {}", std::io::Error::last_os_error())),
        _ => {
            // SAFETY: as above.
            let usage = unsafe { usage.assume_init() };
            let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, 1000 * time.tv_usec as u32);
            Ok(Some(Usage {
                status: ExitStatus::from_raw(status),
                processor: time(usage.ru_utime) + time(usage.ru_stime),
            }))
        }
    }
}

/// The most memory that a child has had so far. What `wait4` says would include what this process held when it made the child.
fn peak(child: &Child) -> u64 {
    let told = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let told = told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
    told.and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

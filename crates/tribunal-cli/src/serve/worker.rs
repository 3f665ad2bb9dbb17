//! The worker processes that read and check histories: whatever a history does to one of them, the server lives.
//!
//! A worker is this command again, as `serve --worker BYTES`. It limits its own memory and time by the system's means, takes
//! jobs from standard input, one after the other, and writes their answers to standard output. It ends when its input does, which
//! the system closes however the server ends.

use super::GLANCE;
use super::response::{Response, Status};
use crate::exit::Status as Exit;
use serde_json::{Value, json};
use std::io::{self, Cursor, ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_view::Request;

/// The memory of a check, apart from the body, is split among reading the history, deciding, and the answer.
const PARTS: usize = 3;
/// The memory that a worker takes beside its check: threads, and what the allocator keeps.
const OWN: usize = 64 << 20;
/// The number of bytes of a dead worker's last words that are kept.
const LAST_WORDS: u64 = 4 << 10;

/// A history to check.
pub struct Job {
    pub name: String,
    pub request: Request,
    pub body: Vec<u8>,
    /// The largest body, decompressed.
    pub max_body: u64,
    /// The time that the checks may take together. After another second the worker is killed.
    pub timeout: Duration,
}

/// The end of a job.
pub enum Ended {
    Answered(Response),
    /// The worker was killed, as asked.
    Killed,
    /// The worker died.
    Died(Cause),
}

/// The cause of a worker's death.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Memory,
    Time,
    Bug,
}

impl Job {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Job { name, request, body, max_body, timeout } = self;
        let head = json!({
            "name": name, "request": request, "max_body": max_body,
            "timeout": timeout.as_secs_f64(),
        });
        write_frame(out, head.to_string().as_bytes())?;
        write_frame(out, body)?;
        out.flush()
    }

    fn read(input: &mut impl Read) -> io::Result<Self> {
        let head: Value = serde_json::from_slice(&read_frame(input)?)?;
        let bad = || io::Error::from(ErrorKind::InvalidData);
        Ok(Job {
            name: head["name"].as_str().ok_or_else(bad)?.into(),
            request: serde_json::from_value(head["request"].clone())?,
            body: read_frame(input)?,
            max_body: head["max_body"].as_u64().ok_or_else(bad)?,
            timeout: head["timeout"]
                .as_f64()
                .and_then(|timeout| Duration::try_from_secs_f64(timeout).ok())
                .unwrap_or(Duration::MAX),
        })
    }

    /// Reads the history and checks it, with so many bytes of memory.
    fn answer(self, max_memory: usize) -> Response {
        let max_memory = max_memory.saturating_sub(self.body.len()) / PARTS;
        let Some(body) = fitting(self.body, self.max_body) else {
            let why = "the decompressed body is larger than --max-body allows";
            return Response::error(Status::ContentTooLarge, why);
        };
        // A timeout beyond what `Instant` can hold is none.
        let deadline = Instant::now().checked_add(self.timeout);
        let limits = Limits { deadline, max_memory, ..Limits::default() };
        match tribunal_view::answer(&self.name, body, &self.request, &limits) {
            Ok(answer) => match serde_json::to_string(&answer) {
                Ok(json) => Response::json(Status::Ok, json),
                Err(error) => Response::error(Status::InternalServerError, &error.to_string()),
            },
            Err(error) => Response::error(Status::UnprocessableContent, &error.to_string()),
        }
    }
}

/// Bytes after their number.
fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

fn read_frame(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    // At once, since it would grow by doubling.
    let room = usize::try_from(length).ok().and_then(|length| bytes.try_reserve_exact(length).ok());
    room.ok_or(ErrorKind::OutOfMemory)?;
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

/// The body, if it is small enough when decompressed: a few kilobytes can become gigabytes.
fn fitting(body: Vec<u8>, most: u64) -> Option<Vec<u8>> {
    let body = Shared(Arc::new(body));
    let plain = tribunal_formats::decompressed(Cursor::new(body.clone()));
    let count = plain.and_then(|plain| io::copy(&mut plain.take(most.saturating_add(1)), &mut io::sink()));
    // What cannot be decompressed passes: the reader will say what is wrong with it.
    if count.is_ok_and(|count| count > most) { None } else { Arc::into_inner(body.0) }
}

/// Bytes that are read without being copied.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Takes jobs until there are no more: the worker's side.
pub fn work(max_memory: usize) -> io::Result<()> {
    // Checks that poll end in order before the system ends them.
    tribunal_history::limits::heap::allow(max_memory.saturating_add(OWN / 2));
    system::limit_memory(max_memory.saturating_add(OWN));
    let (found, jobs) = sync_channel(0);
    // Its own thread notices the end of input during a check too.
    thread::Builder::new().name("jobs".into()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(job) = Job::read(&mut input) {
            if found.send(job).is_err() {
                break;
            }
        }
        std::process::exit(0)
    })?;
    let mut out = io::stdout().lock();
    for job in jobs {
        system::limit_time(job.timeout);
        let response = job.answer(max_memory);
        let (status, body) = response.parts();
        out.write_all(&(status as u16).to_le_bytes())?;
        write_frame(&mut out, body)?;
        out.flush()?;
    }
    Ok(())
}

/// A worker, seen from the server; killed when this is dropped.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Worker {
    /// Starts a worker whose checks may take so many bytes.
    pub fn start(max_memory: usize) -> io::Result<Self> {
        let mut child = Command::new(system::this_command()?)
            .args(["serve", "--worker", &max_memory.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Worker { child, input, output }),
            _ => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    /// Whether it can take a job.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Does a job; kills the worker if `goes_on`, which is asked now and then, says no.
    pub fn run(&mut self, job: &Job, mut goes_on: impl FnMut() -> bool) -> Ended {
        let Worker { child, input, output } = self;
        let (done, answer) = channel();
        let answer = thread::scope(|scope| {
            let exchange = move || {
                let answer = job.write(input).and_then(|()| read_response(output));
                // Fails only if nobody waits for it.
                let _ = done.send(answer);
            };
            thread::Builder::new().name("exchange".into()).spawn_scoped(scope, exchange).ok()?;
            loop {
                match answer.recv_timeout(GLANCE) {
                    Ok(answer) => return Some(answer),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if goes_on() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        // The exchange ends with the worker.
                        let _ = child.kill();
                        return None;
                    }
                }
            }
        });
        match answer {
            Some(Ok(response)) => Ended::Answered(response),
            Some(Err(_)) => Ended::Died(self.cause()),
            None => Ended::Killed,
        }
    }

    /// The cause of death of a worker that has closed its output.
    fn cause(&mut self) -> Cause {
        let Ok(status) = self.child.wait() else { return Cause::Bug };
        let mut words = Vec::new();
        if let Some(said) = self.child.stderr.take() {
            // What there is suffices.
            let _ = said.take(LAST_WORDS).read_to_end(&mut words);
        }
        let words = String::from_utf8_lossy(&words);
        let cause = cause_of(status, &words);
        if cause == Cause::Bug {
            eprintln!("a worker ended with {status}: {words}");
        }
        cause
    }
}

fn read_response(output: &mut ChildStdout) -> io::Result<Response> {
    let mut code = [0; 2];
    output.read_exact(&mut code)?;
    let status = Status::from_code(u16::from_le_bytes(code)).ok_or(ErrorKind::InvalidData)?;
    Ok(Response::json(status, read_frame(output)?))
}

fn cause_of(status: ExitStatus, words: &str) -> Cause {
    // What Rust's allocator says before it aborts, and threads that cannot start.
    let memory = ["memory allocation of ", "Cannot allocate memory", "Resource temporarily unavailable"];
    // The command ends as undecided where it holds more than it may.
    if status.code() == Some(Exit::Undecided as i32) || memory.iter().any(|sign| words.contains(sign)) {
        return Cause::Memory;
    }
    system::cause_of(status)
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The part that only some systems can do.
#[cfg(unix)]
mod system {
    use super::Cause;
    use rustix::process::{Pid, Signal, setpriority_process};
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};
    use std::io;
    use std::os::unix::process::ExitStatusExt;
    use std::path::{Path, PathBuf};
    use std::process::ExitStatus;
    use std::thread::available_parallelism;
    use std::time::Duration;

    /// The degree to which others come first while a worker does what takes long.
    const NICE: i32 = 10;

    /// This command, even if its file has been replaced since it was started.
    pub fn this_command() -> io::Result<PathBuf> {
        let running = Path::new("/proc/self/exe");
        if running.exists() { Ok(running.into()) } else { std::env::current_exe() }
    }

    /// Limits a resource as far as the system lets it: the engines have limits of their own.
    fn limit(resource: Resource, most: u64) {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(most, |maximum| most.min(maximum)));
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }

    pub fn limit_memory(bytes: usize) {
        limit(Resource::Data, bytes as u64);
        // A worker that runs out of memory aborts, and is not to leave its memory on disk.
        limit(Resource::Core, 0);
    }

    /// Limits the time of the next job, all cores together, in case that the server does not end it.
    pub fn limit_time(timeout: Duration) {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
        let cores = available_parallelism().map_or(1, usize::from) as u64;
        let seconds = timeout.as_secs().saturating_add(2).saturating_mul(cores);
        limit(Resource::Cpu, used.saturating_add(seconds));
    }

    /// Lets other processes come first.
    pub fn yield_to_others(process: u32) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        if process.is_some() {
            let _ = setpriority_process(process, NICE);
        }
    }

    pub fn cause_of(status: ExitStatus) -> Cause {
        match status.signal() {
            Some(signal) if signal == Signal::XCPU.as_raw() => Cause::Time,
            // By the system, which has no memory left, or by its user.
            Some(signal) if signal == Signal::KILL.as_raw() => Cause::Memory,
            _ => Cause::Bug,
        }
    }
}

/// The part that only some systems can do.
#[cfg(not(unix))]
mod system {
    use super::Cause;
    use std::io;
    use std::path::PathBuf;
    use std::process::ExitStatus;
    use std::time::Duration;

    pub fn this_command() -> io::Result<PathBuf> {
        std::env::current_exe()
    }

    pub fn limit_memory(_bytes: usize) {}

    pub fn limit_time(_timeout: Duration) {}

    pub fn yield_to_others(_process: u32) {}

    pub fn cause_of(_status: ExitStatus) -> Cause {
        Cause::Bug
    }
}

pub use system::yield_to_others;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_read_as_it_was_written() {
        let texts = [("mine.cat".to_string(), "acyclic po | rf".to_string())].into();
        let request = Request {
            models: "sc,mine.cat".into(),
            texts,
            index: 3,
            spec: None,
            format: Some("text".into()),
        };
        for timeout in [Duration::ZERO, Duration::from_millis(250), Duration::MAX] {
            let job = Job {
                name: "a b".into(),
                request: request.clone(),
                body: b"T0: W x 1\n".into(),
                max_body: 64,
                timeout,
            };
            let mut bytes = Vec::new();
            job.write(&mut bytes).expect("written");
            let read = Job::read(&mut &bytes[..]).expect("a job");
            assert_eq!((read.name, read.body, read.max_body), (job.name, job.body, 64));
            assert_eq!(
                (read.request.texts, read.request.index, read.request.format),
                (request.texts.clone(), 3, request.format.clone())
            );
            assert_eq!(read.timeout, timeout);
            for cut in 0..bytes.len() {
                assert!(Job::read(&mut &bytes[..cut]).is_err());
            }
        }
        // A number of bytes that no memory has.
        assert!(read_frame(&mut &[0xff; 16][..]).is_err());
    }

    #[test]
    fn a_body_counts_without_its_compression() {
        let zeros = vec![0; 1 << 20];
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(&zeros).expect("compressed");
        let gzip = gzip.finish().expect("compressed");
        let zstd = zstd::encode_all(&zeros[..], 0).expect("compressed");
        for packed in [gzip, zstd, zeros] {
            assert_eq!(fitting(packed.clone(), 1 << 20).as_ref(), Some(&packed));
            assert_eq!(fitting(packed, (1 << 20) - 1), None);
        }
        assert!(fitting(b"\x1f\x8b nonsense".into(), 100).is_some());
    }
}

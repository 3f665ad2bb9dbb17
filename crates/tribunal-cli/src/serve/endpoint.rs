//! The endpoint `POST /check`: a history comes in as the body, its verdicts go out as JSON.
//!
//! Short answers come first. A request waits in the quick lane, in the order in which the bodies arrived, and its check begins.
//! If there is no answer after [`QUICK`], the check moves to the long lane: it goes on if there is a place; if not, it is ended, waits
//! there, and begins again.

use super::connection::{Connection, RequestError};
use super::lane::{Lane, Place};
use super::request::{Head, Refused};
use super::response::{Response, Status};
use super::worker::{Cause, Ended, Job, Worker, yield_to_others};
use crate::interrupt;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_view::Request;

/// The number of histories that are checked at once, in each lane.
const QUICK_PLACES: usize = 2;
const LONG_PLACES: usize = 2;
const WORKERS: usize = QUICK_PLACES + LONG_PLACES;
/// The time that a check may take in the quick lane.
const QUICK: Duration = Duration::from_millis(250);
/// A worker is killed so long after the time of its checks.
const GRACE: Duration = Duration::from_secs(1);
/// A worker that took a larger body makes way for a new one, which has its memory unused.
const SMALL_BODY: usize = 1 << 20;

/// Checks histories, within limits.
pub struct Endpoint {
    /// The largest history, in bytes, as it comes and decompressed.
    max_body: u64,
    /// The number of bytes that a check may take.
    max_memory: usize,
    /// The time that the checks of a request may take together.
    timeout: Duration,
    quick: Lane,
    long: Lane,
    /// Workers that have nothing to do.
    idle: Mutex<Vec<Worker>>,
}

/// The end of an attempt to check a history.
enum Attempt {
    Answered(Response),
    /// It takes longer than the quick lane is for.
    TooLong,
    Failed(Cause),
}

impl Endpoint {
    /// An endpoint that takes at most `max_memory` bytes in all: a part for each worker, and one for what is on its way, which is
    /// handed back. A body takes at most half of what its check has.
    pub fn new(max_body: u64, max_memory: usize, timeout: Duration) -> (Self, usize) {
        let max_memory = max_memory / (WORKERS + 1);
        let endpoint = Endpoint {
            max_body: max_body.min(max_memory as u64 / 2),
            max_memory,
            timeout,
            quick: Lane::new(QUICK_PLACES),
            long: Lane::new(LONG_PLACES),
            idle: Mutex::default(),
        };
        (endpoint, max_memory)
    }

    /// Starts workers before they are needed.
    pub fn start(&self) -> io::Result<()> {
        for _ in 0..WORKERS {
            self.put_back(Worker::start(self.max_memory)?);
        }
        Ok(())
    }

    /// Checks the history in the body of a request.
    pub fn check(&self, head: &Head, connection: &mut Connection) -> Result<Response, RequestError> {
        let (name, request) = parse_query(head)?;
        let body = connection.body(head, self.max_body)?;
        connection.awaits_client(false);
        let mut job = Job { name, request, body, max_body: self.max_body, timeout: self.timeout };
        let mut attempt = self.attempt(&job, connection, &self.quick)?;
        if let Attempt::TooLong = attempt {
            attempt = self.attempt(&job, connection, &self.long)?;
        }
        let cause = match attempt {
            Attempt::Answered(response) => return Ok(response),
            Attempt::TooLong => Cause::Time,
            Attempt::Failed(cause) => cause,
        };
        if cause != Cause::Bug {
            // Reading and drawing it may be possible where checking is not.
            job.timeout = Duration::ZERO;
            match self.attempt(&job, connection, &self.long) {
                Ok(Attempt::Answered(undecided)) => return Ok(undecided),
                Err(RequestError::Disconnected) => return Err(RequestError::Disconnected),
                Ok(_) | Err(RequestError::Refused(_)) => {}
            }
        }
        Ok(match cause {
            Cause::Memory => Response::error(
                Status::UnprocessableContent,
                &format!(
                    "undecided: the history needs more than the {} MB of a check (--max-memory)",
                    self.max_memory >> 20
                ),
            ),
            Cause::Time => Response::error(
                Status::UnprocessableContent,
                &format!(
                    "undecided: the history needs more than the {} s of a check (--timeout)",
                    self.timeout.as_secs_f64()
                ),
            ),
            Cause::Bug => {
                Response::error(Status::InternalServerError, "the checker failed; this is a bug in Tribunal")
            }
        })
    }

    /// Waits for a place in the lane, and has a worker do the job. The worker is killed when the client leaves, on Ctrl-C, and some
    /// time after its own limit.
    fn attempt(&self, job: &Job, connection: &Connection, lane: &Lane) -> Result<Attempt, RequestError> {
        let leaves = || interrupt::requested() || connection.is_gone();
        let begin = Instant::now();
        let Some(place) = lane.wait(|| begin.elapsed() >= self.timeout || leaves()) else {
            return Err(if leaves() {
                RequestError::Disconnected
            } else {
                Refused(Status::ServiceUnavailable, "too many histories are being checked").into()
            });
        };
        let failed = |error: io::Error| {
            Response::error(Status::ServiceUnavailable, &format!("a worker cannot start: {error}"))
        };
        let mut worker = match self.worker() {
            Ok(worker) => worker,
            Err(error) => return Ok(Attempt::Answered(failed(error))),
        };
        let process = worker.id();
        let mut held = Held::new(place, std::ptr::eq(lane, &self.long), process);
        let begin = Instant::now();
        // Why the worker is killed, if it is.
        let mut killed = None;
        let ended = worker.run(job, || {
            let elapsed = begin.elapsed();
            if leaves() {
                killed = Some(Err(RequestError::Disconnected));
            } else if elapsed >= job.timeout.saturating_add(GRACE) {
                killed = Some(Ok(Attempt::Failed(Cause::Time)));
            } else if elapsed >= QUICK && !job.timeout.is_zero() && !held.moves_to(&self.long) {
                killed = Some(Ok(Attempt::TooLong));
            }
            killed.is_none()
        });
        let is_used_up = held.is_long || job.body.len() > SMALL_BODY || !matches!(ended, Ended::Answered(_));
        if is_used_up {
            drop(worker);
            // Without it, the next request starts one.
            let _ = Worker::start(self.max_memory).map(|worker| self.put_back(worker));
        } else {
            self.put_back(worker);
        }
        match ended {
            Ended::Answered(response) => Ok(Attempt::Answered(response)),
            Ended::Died(cause) => Ok(Attempt::Failed(cause)),
            // Without a reason there was no memory for a thread.
            Ended::Killed => killed.unwrap_or(Ok(Attempt::Failed(Cause::Memory))),
        }
    }

    /// A worker that has nothing to do.
    fn worker(&self) -> io::Result<Worker> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(mut worker) = idle() {
            if worker.is_alive() {
                return Ok(worker);
            }
        }
        Worker::start(self.max_memory)
    }

    fn put_back(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
    }
}

/// The place that a running check has.
struct Held {
    #[expect(dead_code, reason = "held, not read")]
    place: Place,
    is_long: bool,
    process: u32,
}

impl Held {
    fn new(place: Place, is_long: bool, process: u32) -> Self {
        if is_long {
            yield_to_others(process);
        }
        Held { place, is_long, process }
    }

    /// Moves to the long lane, if there is a place; says whether the check is there.
    fn moves_to(&mut self, long: &Lane) -> bool {
        if !self.is_long
            && let Some(place) = long.take()
        {
            *self = Held::new(place, true, self.process);
        }
        self.is_long
    }
}

/// Reads a query: `name=mp.txt&models=sc,tso&index=0&spec=queue&format=json`, all of it optional, and
/// `text` for each model that is given as text.
fn parse_query(head: &Head) -> Result<(String, Request), Refused> {
    let mut name = "history".to_string();
    let mut request = Request::default();
    for (key, value) in &head.query {
        let given = || Some(value.clone()).filter(|value| !value.is_empty());
        match key.as_str() {
            "name" => name = given().unwrap_or(name),
            "models" => request.models = given().unwrap_or(request.models),
            "index" => {
                let index = value.parse();
                request.index = index
                    .map_err(|_| Refused(Status::BadRequest, "`index` must be a number, starting at 0"))?;
            }
            "spec" => request.spec = given(),
            "format" => request.format = given(),
            "text" => {
                let why = "`text` must be a model's file name, a line feed and its text";
                let (file, text) = value.split_once('\n').ok_or(Refused(Status::BadRequest, why))?;
                request.texts.insert(file.into(), text.into());
            }
            _ => {
                let why = "unknown parameter: the query takes `name`, `models`, `index`, `spec`, `format` and `text`";
                return Err(Refused(Status::BadRequest, why));
            }
        }
    }
    Ok((name, request))
}

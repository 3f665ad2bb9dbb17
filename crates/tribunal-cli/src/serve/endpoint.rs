//! The endpoint `POST /check`: a history comes in as the body, its verdicts go out as JSON.

use super::connection::{Connection, RequestError};
use super::request::{Head, Refused};
use super::response::{Response, Status};
use super::slots::{Slot, Slots};
use crate::interrupt;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tribunal::Limits;
use tribunal_view::Request;

/// How many histories are checked at once: in memory a history is many times the size of its file.
const CHECKS: usize = 4;
/// The memory of a check, apart from the body, is split among reading the history, deciding, and the answer.
const PARTS: usize = 3;
/// How often to look whether the client is still connected.
const GLANCE: Duration = Duration::from_millis(50);

/// Checks histories, within limits.
pub struct Endpoint {
    /// The largest history, in bytes, as it comes and decompressed.
    pub max_body: u64,
    /// How many bytes a check may take.
    max_memory: usize,
    /// How long the checks of a request may take together.
    pub timeout: Duration,
    running: Slots,
}

impl Endpoint {
    /// An endpoint that takes at most `max_memory` bytes in all. A body takes at most half of what its check has.
    pub fn new(max_body: u64, max_memory: usize, timeout: Duration) -> Self {
        let max_memory = max_memory / CHECKS;
        let max_body = max_body.min(max_memory as u64 / 2);
        Endpoint { max_body, max_memory, timeout, running: Slots::new(CHECKS) }
    }

    /// Checks the history in the body of a request.
    pub fn check(&self, head: &Head, connection: &mut Connection) -> Result<Response, RequestError> {
        let (name, request) = parse_query(head)?;
        // Wait before reading the body, which is what fills the memory.
        let Some(_slot) = self.slot(connection) else {
            return Err(Refused(Status::ServiceUnavailable, "too many histories are being checked").into());
        };
        let body = connection.body(head, self.max_body)?;
        let max_memory = (self.max_memory - body.len()) / PARTS;
        let Some(body) = fitting(body, self.max_body) else {
            let why = "the decompressed body is larger than --max-body allows";
            return Err(Refused(Status::ContentTooLarge, why).into());
        };
        Ok(self.watched(connection, max_memory, |limits| {
            match tribunal_view::answer(&name, body, &request, limits) {
                Ok(answer) => match serde_json::to_string(&answer) {
                    Ok(json) => Response::json(Status::Ok, json),
                    Err(error) => Response::error(Status::InternalServerError, &error.to_string()),
                },
                Err(error) => Response::error(Status::UnprocessableContent, &error.to_string()),
            }
        }))
    }

    /// Waits for a slot, at most `timeout`; none if there is still none, or the client has disconnected.
    fn slot(&self, connection: &Connection) -> Option<Slot> {
        let begin = Instant::now();
        loop {
            if let Some(slot) = self.running.take() {
                return Some(slot);
            }
            if begin.elapsed() >= self.timeout || interrupt::requested() || connection.is_gone() {
                return None;
            }
            thread::sleep(GLANCE);
        }
    }

    /// Runs the work in a thread, and stops it at the deadline, when the client disconnects and on Ctrl-C. After a panic the client is
    /// told and the server continues.
    fn watched(
        &self,
        connection: &Connection,
        max_memory: usize,
        work: impl FnOnce(&Limits<'_>) -> Response + Send,
    ) -> Response {
        let stop = AtomicBool::new(false);
        // A timeout beyond what `Instant` can hold is none.
        let deadline = Instant::now().checked_add(self.timeout);
        let limits = Limits { deadline, max_memory, stop: Some(&stop), ..Limits::default() };
        let (done, answer) = channel();
        thread::scope(|scope| {
            let worker = thread::Builder::new().name("check".into()).spawn_scoped(scope, || {
                let done = done;
                // Fails only if nobody waits for it.
                let _ = done.send(work(&limits));
            });
            let failed = |why| Response::error(Status::InternalServerError, why);
            let Ok(worker) = worker else { return failed("cannot start a thread") };
            loop {
                match answer.recv_timeout(GLANCE) {
                    Ok(response) => return response,
                    Err(RecvTimeoutError::Timeout) => {
                        if interrupt::requested() || connection.is_gone() {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        // Joined here, or else the scope would panic as well.
                        let _ = worker.join();
                        return failed("the checker failed; this is a bug in Tribunal");
                    }
                }
            }
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    /// Both ends of a connection.
    fn connected() -> (Connection, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
        (Connection::new(listener.accept().expect("a client").0), client)
    }

    fn text(response: &Response) -> String {
        let mut bytes = Vec::new();
        response.write(false, &mut bytes).expect("written");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn a_panic_is_an_answer() {
        let endpoint = Endpoint::new(100, 1000, Duration::from_secs(1));
        let (connection, _client) = connected();
        let response = endpoint.watched(&connection, 100, |_| panic!("as asked"));
        assert!(text(&response).starts_with("HTTP/1.1 500 "));
        let response = endpoint.watched(&connection, 100, |_| Response::page("fine"));
        assert!(text(&response).ends_with("\r\n\r\nfine"));
    }

    #[test]
    fn work_stops_when_its_client_leaves() {
        let endpoint = Endpoint::new(100, 1000, Duration::from_secs(600));
        let (connection, client) = connected();
        let response = endpoint.watched(&connection, 100, |limits| {
            assert!(limits.deadline.is_some() && limits.max_memory == 100);
            drop(client);
            let stop = limits.stop.expect("a flag");
            while !stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
            }
            Response::page("stopped")
        });
        assert!(text(&response).ends_with("stopped"));
    }

    #[test]
    fn a_body_counts_without_its_compression() {
        let zeros = vec![0; 1 << 20];
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        io::Write::write_all(&mut gzip, &zeros).expect("compressed");
        let gzip = gzip.finish().expect("compressed");
        let zstd = zstd::encode_all(&zeros[..], 0).expect("compressed");
        for packed in [gzip, zstd, zeros] {
            assert_eq!(fitting(packed.clone(), 1 << 20).as_ref(), Some(&packed));
            assert_eq!(fitting(packed, (1 << 20) - 1), None);
        }
        assert!(fitting(b"\x1f\x8b nonsense".into(), 100).is_some());
    }
}

//! The connection to a client, which may be slow, send garbage or disconnect.

use super::GLANCE;
use super::crowd::Seat;
use super::request::{Head, Refused, end_of_head};
use super::response::{Response, Status};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The largest head of a request: its first line and headers.
const HEAD_SIZE: usize = 16 << 10;
/// The time that a client has to send the head of its request, to send the body, to read the response, and to close.
const HEAD_TIME: Duration = Duration::from_secs(10);
const BODY_TIME: Duration = Duration::from_secs(30);
const RESPONSE_TIME: Duration = Duration::from_secs(30);
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// The room for the first bytes of a body.
const FIRST_BYTES: u64 = 64 << 10;

/// A connection, for one request and its response.
pub struct Connection {
    socket: Arc<TcpStream>,
    seat: Seat,
    /// The time at which the current step must end, however many bytes it takes.
    deadline: Instant,
    /// The bytes that were read beyond the head.
    rest: Vec<u8>,
}

/// The reason why a request is not answered.
#[derive(Debug)]
pub enum RequestError {
    /// The client disconnected, or sent nothing: there is nobody to tell.
    Disconnected,
    /// The request is refused.
    Refused(Refused),
}

impl From<Refused> for RequestError {
    fn from(refused: Refused) -> Self {
        RequestError::Refused(refused)
    }
}

impl Connection {
    /// The connection behind a socket.
    pub fn new(socket: Arc<TcpStream>, seat: Seat) -> Self {
        Connection { socket, seat, deadline: Instant::now(), rest: Vec::new() }
    }

    /// Says whether the server waits for the client: only then it may be disconnected in favor of others.
    pub fn awaits_client(&self, awaited: bool) {
        self.seat.awaits(awaited);
    }

    /// Reads the head of the request.
    pub fn head(&mut self) -> Result<Head, RequestError> {
        self.deadline = Instant::now() + HEAD_TIME;
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = match self.read(&mut buffer) {
                Ok(0) if bytes.is_empty() => return Err(RequestError::Disconnected),
                Ok(0) => return Err(Refused(Status::BadRequest, "the request is incomplete").into()),
                Ok(count) => count,
                // Browsers open connections ahead of need.
                Err(_) if bytes.is_empty() => return Err(RequestError::Disconnected),
                Err(error) => return Err(late(&error)),
            };
            // The end may have begun in what was there before.
            let searched = bytes.len().saturating_sub(3);
            bytes.extend_from_slice(&buffer[..count]);
            match end_of_head(&bytes[searched..]) {
                Some(end) if searched + end <= HEAD_SIZE => {
                    self.rest = bytes.split_off(searched + end);
                    return Ok(Head::parse(&bytes)?);
                }
                None if bytes.len() <= HEAD_SIZE => {}
                _ => {
                    let why = "the head of the request is too large";
                    return Err(Refused(Status::HeaderFieldsTooLarge, why).into());
                }
            }
        }
    }

    /// Reads a body of at most so many bytes.
    pub fn body(&mut self, head: &Head, most: u64) -> Result<Vec<u8>, RequestError> {
        let Some(length) = head.content_length()? else {
            return Err(Refused(Status::LengthRequired, "expected Content-Length").into());
        };
        if length > most {
            return Err(Refused(Status::ContentTooLarge, "the body is larger than --max-body allows").into());
        }
        self.deadline = Instant::now() + BODY_TIME;
        if head.header("expect")?.is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue")) {
            self.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| RequestError::Disconnected)?;
        }
        let mut body = std::mem::take(&mut self.rest);
        body.truncate(length as usize);
        // A client gets room as its bytes arrive, not as it announces them.
        while (body.len() as u64) < length {
            let room = (body.len() as u64 * 2).max(FIRST_BYTES).min(length) as usize;
            self.make_room(room)?;
            body.reserve_exact(room - body.len());
            let missing = room - body.len();
            match Read::by_ref(self).take(missing as u64).read_to_end(&mut body) {
                Ok(count) if count == missing => {}
                Ok(_) => {
                    return Err(
                        Refused(Status::BadRequest, "the body is shorter than Content-Length says").into()
                    );
                }
                Err(error) => return Err(late(&error)),
            }
        }
        Ok(body)
    }

    /// Waits until so many bytes may be kept.
    fn make_room(&self, bytes: usize) -> Result<(), RequestError> {
        while !self.seat.keep(bytes) {
            if self.left().is_err() || self.is_gone() {
                let why = "too many histories are on their way";
                return Err(Refused(Status::ServiceUnavailable, why).into());
            }
            thread::sleep(GLANCE);
        }
        Ok(())
    }

    /// Whether the client has disconnected, or closed its sending half.
    pub fn is_gone(&self) -> bool {
        if self.socket.set_nonblocking(true).is_err() {
            return true;
        }
        let gone = match self.socket.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        gone || self.socket.set_nonblocking(false).is_err()
    }

    /// Sends the response and closes the connection.
    pub fn respond(mut self, response: &Response, head_only: bool) {
        self.deadline = Instant::now() + RESPONSE_TIME;
        self.seat.awaits(true);
        // The answer exists already: those who are slow to read theirs make way, but it does not wait for them.
        self.seat.keep(response.own_bytes());
        if response.write(head_only, &mut self).is_err() || self.socket.shutdown(Shutdown::Write).is_err() {
            return;
        }
        // Closing a socket with unread input resets it, and the response is lost: let the client close first.
        self.deadline = Instant::now() + CLOSE_TIME;
        let _ = io::copy(&mut self, &mut io::sink());
    }

    /// The rest of the step's time.
    fn left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

/// A slow client is told so; one that disconnected is not.
fn late(error: &io::Error) -> RequestError {
    match error.kind() {
        // Which of the two a socket says depends on the system.
        ErrorKind::TimedOut | ErrorKind::WouldBlock => {
            Refused(Status::RequestTimeout, "the request did not arrive in time").into()
        }
        _ => RequestError::Disconnected,
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        (&*self.socket).read(buffer)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        (&*self.socket).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.socket).flush()
    }
}

//! `tribunal serve`: the page on this machine, with an endpoint that checks the histories given to it.
//!
//! A server for one person: HTTP/1.1, a thread for each connection and a connection for each request, on loopback alone. Histories
//! are read and checked in other processes.

mod connection;
mod crowd;
mod endpoint;
mod lane;
mod request;
mod response;
mod worker;

use crate::args::{seconds, size};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Stdout;
use clap::{Args, ValueHint};
use connection::{Connection, RequestError};
use crowd::{Admission, Crowd, CrowdLimits};
use endpoint::Endpoint;
use request::{Head, Refused};
use response::{Response, Status};
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tribunal_host::most_memory;

/// The most connections; a browser opens about six.
const CONNECTIONS: usize = 400;
/// The number of further clients that are told that there are too many; others are closed.
const REJECTED: usize = 100;
/// The stack of a connection's thread: what goes deep does so in a worker.
const STACK: usize = 256 << 10;
/// The time between two looks for Ctrl-C, and at whether a client is still connected.
const GLANCE: Duration = Duration::from_millis(50);

const HELP: &str = "\
Examples:
  tribunal serve                               prints the address of the page
  tribunal serve --port 0                      on any free port
  tribunal serve --page target/page/tribunal.html
  curl --data-binary @mp.txt 'localhost:4711/check?name=mp.txt&models=ra,tso'

The server listens on loopback only, answers its own page only, and stores nothing.

Exit status: 2 bad usage, the port is taken or the page cannot be read; 130 ended by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ServeArguments {
    /// The port on 127.0.0.1 and ::1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 4711)]
    pub port: u16,
    /// Serve this page, which has the checker inside (`cargo xtask page` makes it), and no endpoint
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["max_body", "max_memory", "timeout"])]
    pub page: Option<PathBuf>,
    /// The largest history, in bytes or with k, M or G, both as sent and decompressed
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
    pub max_body: usize,
    /// The memory, in bytes or with k, M or G, of all checks that run at the same time; a check that needs more is
    /// undecided, and a larger history is refused. By default half of the machine's memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
    /// How many seconds the checks of a history may take together; the rest is undecided
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub timeout: Duration,
    /// Be a worker whose checks may take so many bytes
    #[arg(long, value_name = "BYTES", hide = true)]
    pub worker: Option<usize>,
}

/// The part of the page that sends histories to this server.
const CHECKER: &str = include_str!("serve/checker.html");

/// Serves until Ctrl-C.
pub fn run(arguments: &ServeArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    if let Some(max_memory) = arguments.worker {
        worker::work(max_memory)?;
        return Ok(Tally::default());
    }
    let (page, endpoint, bytes) = match &arguments.page {
        Some(file) => {
            let page = File::open(file).and_then(tribunal_host::read_utf8);
            let failed = |source| Failure::Read { file: file.display().to_string(), source };
            (page.map_err(failed)?, None, 0)
        }
        None => {
            let max_memory = arguments.max_memory.unwrap_or_else(|| most_memory() / 3 * 2);
            let (endpoint, bytes) = Endpoint::new(arguments.max_body as u64, max_memory, arguments.timeout);
            (tribunal_view::page(None, CHECKER), Some(endpoint), bytes)
        }
    };
    let (listeners, port) = listen(arguments.port)?;
    if let Some(endpoint) = &endpoint {
        endpoint.start().map_err(Failure::Worker)?;
    }
    let crowd = Crowd::new(CrowdLimits { connections: CONNECTIONS, rejected: REJECTED, bytes });
    let server = Arc::new(Server { page: page.into(), endpoint, port, crowd });
    for listener in listeners {
        let server = server.clone();
        thread::spawn(move || server.accept(&listener));
    }
    writeln!(out, "http://127.0.0.1:{port}/")?;
    out.flush()?;
    while !interrupt::requested() {
        thread::sleep(GLANCE);
    }
    Ok(Tally::default())
}

/// Listens on loopback: 127.0.0.1 and, where there is one, ::1 on the same port.
fn listen(port: u16) -> Result<(Vec<TcpListener>, u16), Failure> {
    let failed = |source| Failure::Listen { port, source };
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let port = first.local_addr().map_err(failed)?.port();
    let second = TcpListener::bind((Ipv6Addr::LOCALHOST, port));
    Ok(([Some(first), second.ok()].into_iter().flatten().collect(), port))
}

struct Server {
    page: Arc<str>,
    /// None if the page has the checker inside.
    endpoint: Option<Endpoint>,
    port: u16,
    crowd: Arc<Crowd>,
}

impl Server {
    /// Accepts connections forever, each in its own thread; a panic there ends that connection only.
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        loop {
            let Ok((socket, _)) = listener.accept() else {
                // Usually too many open files; some will be closed soon.
                thread::sleep(GLANCE);
                continue;
            };
            let socket = Arc::new(socket);
            let (seat, is_admitted) = match self.crowd.admit(socket.clone()) {
                Admission::Admitted(seat) => (seat, true),
                Admission::Rejected(seat) => (seat, false),
                Admission::Closed => continue,
            };
            let server = self.clone();
            let talk = move || {
                let connection = Connection::new(socket, seat);
                if is_admitted { server.converse(connection) } else { reject(connection) }
            };
            // Without a thread the connection is closed.
            let _ = thread::Builder::new().name("connection".into()).stack_size(STACK).spawn(talk);
        }
    }

    /// Reads one request and answers it.
    fn converse(&self, mut connection: Connection) {
        let head = connection.head();
        let head_only = matches!(&head, Ok(head) if head.method == "HEAD");
        let response = head.and_then(|head| self.answer(&head, &mut connection));
        match response {
            Ok(response) => connection.respond(&response, head_only),
            Err(RequestError::Refused(Refused(status, why))) => {
                connection.respond(&Response::error(status, why), head_only);
            }
            Err(RequestError::Disconnected) => {}
        }
    }

    fn answer(&self, head: &Head, connection: &mut Connection) -> Result<Response, RequestError> {
        self.admit(head)?;
        Ok(match (head.path.as_str(), head.method.as_str(), &self.endpoint) {
            ("/", "GET" | "HEAD", _) => Response::page(&self.page),
            ("/", ..) => Response::not_allowed("GET, HEAD"),
            ("/check", "POST", Some(endpoint)) => endpoint.check(head, connection)?,
            ("/check", _, Some(_)) => Response::not_allowed("POST"),
            _ => Response::error(Status::NotFound, "not found: there is only `GET /` and `POST /check`"),
        })
    }

    /// Refuses requests that do not come from this server's own page: those with another host name (DNS rebinding) or another origin.
    fn admit(&self, head: &Head) -> Result<(), Refused> {
        let Some(host) = head.header("host")? else {
            return Err(Refused(Status::BadRequest, "expected the header Host"));
        };
        let (name, port) = match host.rsplit_once(':') {
            // The colons of an address are inside its brackets.
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let here = ["localhost", "127.0.0.1", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if !here || port != Some(self.port) {
            return Err(Refused(Status::Forbidden, "the Host must be localhost and the server's port"));
        }
        match head.header("origin")? {
            Some(origin) if !origin.eq_ignore_ascii_case(&format!("http://{host}")) => {
                Err(Refused(Status::Forbidden, "the Origin must be this server"))
            }
            _ => Ok(()),
        }
    }
}

/// Tells a client that there are too many connections.
fn reject(connection: Connection) {
    connection.respond(&Response::error(Status::ServiceUnavailable, "too many connections"), false);
}

//! `tribunal serve`: the page on this machine, with a court that hears what is dropped on it.
//!
//! A server for one person: HTTP/1.1, a thread for each connection and a connection for each request, on loopback alone.

mod connection;
mod court;
mod request;
mod response;
mod slots;

use crate::args::{seconds, size};
use crate::exit::Status as Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Stdout;
use clap::{Args, ValueHint};
use connection::{Connection, Unasked};
use court::Court;
use request::{Head, Refused};
use response::{Response, Status};
use slots::Slots;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tribunal_host::most_memory;

/// How many connections there may be: a browser opens about six.
const CONNECTIONS: usize = 64;
/// How many more are told so at once; others are closed.
const TURNED_AWAY: usize = 256;
/// What a thread needs that turns a client away.
const SMALL_STACK: usize = 64 << 10;
/// How often to look for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);

const HELP: &str = "\
Examples:
  tribunal serve                               prints the address to open in a browser on this machine
  tribunal serve --port 0                      on any port that is free
  tribunal serve --page target/page/tribunal.html
  curl --data-binary @mp.txt 'http://127.0.0.1:4711/hear?name=mp.txt&models=ra,tso'

The page is served on loopback only, to nobody else's pages, and keeps nothing. With --page it is a file that has the \
checker inside, as `cargo xtask page` makes it, and nothing is checked here.

Exit status: 2 bad usage, or the port is taken, or the page cannot be read; 130 ended by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ServeArguments {
    /// The port of 127.0.0.1 (and of ::1, where there is one); 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 4711)]
    pub port: u16,
    /// Serve this page, which checks by itself, and nothing else
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["max_body", "max_memory", "timeout"])]
    pub page: Option<PathBuf>,
    /// The largest history, in bytes or with k, M or G, as it is sent and decompressed
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
    pub max_body: usize,
    /// How much memory, in bytes or with k, M or G, all histories that are heard at once may take together: what is beyond it is
    /// undecided, or too large to be read. By default half of the machine's, where the system says how much that is
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
    /// How many seconds the answers about a history may take together; what is not decided then is undecided
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub timeout: Duration,
}

/// How the page asks this server.
const COURT: &str = include_str!("serve/court.html");

/// Serves until Ctrl-C.
pub fn run(arguments: &ServeArguments, out: &mut Stdout) -> Result<Exit, Failure> {
    let (page, court) = match &arguments.page {
        Some(file) => {
            let page = std::fs::read_to_string(file);
            let failed = |source| Failure::Read { file: file.display().to_string(), source };
            (page.map_err(failed)?, None)
        }
        None => {
            let max_memory = arguments.max_memory.unwrap_or_else(|| most_memory() / 3 * 2);
            let court = Court::new(arguments.max_body as u64, max_memory, arguments.timeout);
            (tribunal_view::page(None, COURT), Some(court))
        }
    };
    let (listeners, port) = listen(arguments.port)?;
    let server = Arc::new(Server {
        page,
        court,
        port,
        connections: Slots::new(CONNECTIONS),
        turned_away: Slots::new(TURNED_AWAY),
    });
    for listener in listeners {
        let server = server.clone();
        thread::spawn(move || server.accept(&listener));
    }
    writeln!(out, "http://127.0.0.1:{port}/")?;
    out.flush()?;
    while !interrupt::requested() {
        thread::sleep(GLANCE);
    }
    Ok(Exit::Interrupted)
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
    page: String,
    /// None: the page has its own.
    court: Option<Court>,
    port: u16,
    connections: Slots,
    turned_away: Slots,
}

impl Server {
    /// Takes connections for ever, each into a thread of its own; a panic there ends that connection alone.
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        loop {
            let Ok((socket, _)) = listener.accept() else {
                // Mostly there are too many open files: some will be closed.
                thread::sleep(GLANCE);
                continue;
            };
            let Some(slot) = self.connections.take() else {
                self.turn_away(socket);
                continue;
            };
            let server = self.clone();
            let talk = move || {
                server.converse(socket);
                drop(slot);
            };
            // Without a thread the connection is closed.
            let _ = thread::Builder::new().name("connection".into()).spawn(talk);
        }
    }

    /// Tells a client that there are too many, whatever it asks.
    fn turn_away(&self, socket: TcpStream) {
        let Some(slot) = self.turned_away.take() else { return };
        let tell = move || {
            let busy = Response::error(Status::ServiceUnavailable, "too many connections");
            Connection::new(socket).respond(&busy, false);
            drop(slot);
        };
        // Without a thread the connection is closed.
        let _ = thread::Builder::new().name("turned away".into()).stack_size(SMALL_STACK).spawn(tell);
    }

    /// Reads one request and answers it.
    fn converse(&self, socket: TcpStream) {
        let mut connection = Connection::new(socket);
        let head = connection.head();
        let head_only = matches!(&head, Ok(head) if head.method == "HEAD");
        let response = head.and_then(|head| self.answer(&head, &mut connection));
        match response {
            Ok(response) => connection.respond(&response, head_only),
            Err(Unasked::Refused(Refused(status, why))) => {
                connection.respond(&Response::error(status, why), head_only);
            }
            Err(Unasked::Gone) => {}
        }
    }

    fn answer(&self, head: &Head, connection: &mut Connection) -> Result<Response, Unasked> {
        self.admit(head)?;
        Ok(match (head.path.as_str(), head.method.as_str(), &self.court) {
            ("/", "GET" | "HEAD", _) => Response::page(&self.page),
            ("/", ..) => Response::not_allowed("GET, HEAD"),
            ("/hear", "POST", Some(court)) => court.hear(head, connection)?,
            ("/hear", _, Some(_)) => Response::not_allowed("POST"),
            _ => Response::error(Status::NotFound, "there is nothing here"),
        })
    }

    /// Refuses what does not come from this machine's own pages: a name that somebody else's server gave this address, and
    /// pages from elsewhere.
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
            return Err(Refused(Status::Forbidden, "this server answers to localhost and its port only"));
        }
        match head.header("origin")? {
            Some(origin) if !origin.eq_ignore_ascii_case(&format!("http://{host}")) => {
                Err(Refused(Status::Forbidden, "this server answers its own page only"))
            }
            _ => Ok(()),
        }
    }
}

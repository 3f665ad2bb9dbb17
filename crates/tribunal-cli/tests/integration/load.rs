//! The server under load: good clients are answered, whatever slow and hostile ones do. For a few seconds with a few of
//! each; `cargo xtask load` does it for two minutes with two hundred, and prints what it measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// How many clients of each kind there are, and for how long.
struct Load {
    good: usize,
    slow_heads: usize,
    slow_bodies: usize,
    hostile: usize,
    time: Duration,
}

const SMALL: Load =
    Load { good: 12, slow_heads: 8, slow_bodies: 4, hostile: 6, time: Duration::from_millis(2500) };
const LARGE: Load =
    Load { good: 120, slow_heads: 40, slow_bodies: 10, hostile: 30, time: Duration::from_secs(120) };

/// How long a good client waits from an answer to its next request, and how often a slow one sends a byte.
const PAUSE: Duration = Duration::from_millis(500);
/// When a client gives up.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// What good clients ask for.
const GOOD: [(&str, &str, &str); 4] = [
    ("GET", "/", ""),
    ("POST", "/check?name=sb.txt&models=all", "T0: W x 1; R y 0\nT1: W y 1; R x 0\n"),
    ("POST", "/check?name=mp.txt&models=ra,tso", "T0: W x 1; W y 1\nT1: R y 1; R x 0\n"),
    (
        "POST",
        "/check?name=skew.json&models=all",
        r#"{"sessions":[[{"txn":[["r","x",0],["w","y",1]]}],[{"txn":[["r","y",0],["w","x",1]]}]]}"#,
    ),
];

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let command = std::env::var_os("TRIBUNAL_LOAD_COMMAND");
        let command = command.unwrap_or_else(|| env!("CARGO_BIN_EXE_tribunal").into());
        let mut child = Command::new(command)
            .args(["serve", "--port", "0", "--max-memory", "1G"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        Server { child, port: port.expect("an address").parse().expect("a port") }
    }

    fn connect(&self) -> Option<TcpStream> {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok()
    }

    /// The head of a request with a body of so many bytes.
    fn head(&self, method: &str, target: &str, length: usize) -> String {
        format!(
            "{method} {target} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {length}\r\n\r\n",
            self.port
        )
    }

    /// The status of the answer to a request; 0 if there is none, or none in time.
    fn ask(&self, method: &str, target: &str, body: &[u8], time: Duration) -> u16 {
        let Some(mut stream) = self.connect() else { return 0 };
        if stream.set_read_timeout(Some(time)).is_err() {
            return 0;
        }
        // The server may refuse it before it is sent.
        let _ = stream.write_all(self.head(method, target, body.len()).as_bytes());
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        // A reset after the answer is no matter.
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return 0 };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok());
        if length != Some(body.len()) {
            return 0;
        }
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// Sends the beginning of a request, then a byte now and then until it is closed.
    fn dawdle(&self, beginning: &str, end: Instant) {
        let Some(mut stream) = self.connect() else { return };
        let mut sent = stream.write_all(beginning.as_bytes());
        while sent.is_ok() && Instant::now() < end {
            thread::sleep(PAUSE);
            sent = stream.write_all(b"x");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What hostile clients ask for: about a megabyte each that takes long, or more memory than there is.
fn hostile() -> [(&'static str, String); 2] {
    // Lists of which thousands of sessions saw the first element, while as many append.
    let mut lists = String::from(r#"{"kind":"transactions","sessions":[[{"txn":[["append","x",0]]}]"#);
    for session in 1..=20_000 {
        write!(lists, r#",[{{"txn":[["r","x",[0]]]}}],[{{"txn":[["append","x",{session}]]}}]"#)
            .expect("text");
    }
    lists += "]}";
    // Thousands of threads that overwrite one another's values.
    let thread = |n| format!("T{n}: W x {}; R x {}\n", n + 1, (n * 7919) % 10_000 + 1);
    let threads = (0..10_000).map(thread).collect();
    [("/check?name=lists.json&models=ser", lists), ("/check?name=threads.txt&models=all", threads)]
}

/// How often each status was met, and how long the answers took.
#[derive(Default)]
struct Tally(Mutex<(BTreeMap<u16, usize>, Vec<Duration>)>);

impl Tally {
    fn add(&self, status: u16, took: Duration) {
        let mut tally = self.0.lock().expect("no panic");
        *tally.0.entry(status).or_default() += 1;
        tally.1.push(took);
    }

    fn print(self, name: &str) -> BTreeMap<u16, usize> {
        let (statuses, mut times) = self.0.into_inner().expect("no panic");
        times.sort_unstable();
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).or(times.last());
        let (median, late, last) = (at(0.5), at(0.99), times.last());
        println!("{name}: statuses {statuses:?}, median {median:.1?}, p99 {late:.1?}, longest {last:.1?}");
        statuses
    }
}

/// The memory of the server and its workers, in kilobytes.
fn resident(server: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let of = |status: String| {
        let field = |name| status.lines().find_map(|line: &str| line.strip_prefix(name)).map(str::trim);
        let ours = [field("Pid:"), field("PPid:")].contains(&Some(&server.to_string()));
        field("VmRSS:").filter(|_| ours)?.strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let statuses =
        processes.flatten().filter_map(|one| std::fs::read_to_string(one.path().join("status")).ok());
    statuses.filter_map(of).sum()
}

#[test]
fn good_clients_are_answered_among_slow_and_hostile_ones() {
    let load = if std::env::var_os("TRIBUNAL_LOAD").is_some() { LARGE } else { SMALL };
    let server = Server::start();
    let hostile = hostile();
    let (good, bad) = (Tally::default(), Tally::default());
    let begin = Instant::now();
    let end = begin + load.time;
    let peak = thread::scope(|scope| {
        for _ in 0..load.slow_heads {
            scope.spawn(|| {
                while Instant::now() < end {
                    server.dawdle("GET / HTTP/1.1\r\nHost: ", end);
                }
            });
        }
        for _ in 0..load.slow_bodies {
            scope.spawn(|| {
                while Instant::now() < end {
                    server.dawdle(&server.head("POST", "/check", 1 << 20), end);
                }
            });
        }
        for client in 0..load.hostile {
            let (server, bad) = (&server, &bad);
            let (target, body) = &hostile[client % hostile.len()];
            scope.spawn(move || {
                while Instant::now() < end {
                    let asked = Instant::now();
                    let left = end.saturating_duration_since(asked).max(Duration::from_millis(1));
                    let status = server.ask("POST", target, body.as_bytes(), left);
                    // Who leaves at the end has not been refused.
                    if status != 0 || Instant::now() < end {
                        bad.add(status, asked.elapsed());
                    }
                    // One that is refused at once would do nothing but ask.
                    thread::sleep(PAUSE);
                }
            });
        }
        for client in 0..load.good {
            let (server, good) = (&server, &good);
            scope.spawn(move || {
                // They do not all come at the same time.
                thread::sleep(PAUSE * client as u32 / load.good as u32);
                for (method, target, body) in GOOD.iter().cycle().skip(client) {
                    if Instant::now() >= end {
                        break;
                    }
                    let asked = Instant::now();
                    good.add(server.ask(method, target, body.as_bytes(), ANSWER_TIME), asked.elapsed());
                    thread::sleep(PAUSE);
                }
            });
        }
        let mut peak = 0;
        while Instant::now() < end {
            peak = peak.max(resident(server.child.id()));
            thread::sleep(PAUSE);
        }
        peak
    });
    println!("{:.0?}: {} MB at most", begin.elapsed(), peak >> 10);
    let good = good.print("good");
    let bad = bad.print("hostile");
    assert_eq!(good.keys().collect::<Vec<_>>(), [&200], "good clients were not answered: {good:?}");
    assert!(bad.keys().all(|status| [200, 422, 503].contains(status)), "hostile ones met {bad:?}");
}

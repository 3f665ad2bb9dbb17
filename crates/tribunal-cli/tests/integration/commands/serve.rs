//! The server against its clients: honest ones, strangers, and those who send garbage.

use crate::command::{ENQUEUES, MISSED, MP, Place, SB, STALE, several};

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpStream};
use std::process::Child;
use std::time::{Duration, Instant};
use tribunal_random::Random;

/// A server on a port of its own; it ends when this goes out of scope.
struct Server {
    child: Child,
    port: u16,
    _place: Place,
}

/// What came back: the status, the head and the body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().expect("an error").to_string()
    }

    fn verdicts(&self) -> Vec<(String, String)> {
        let json = self.json();
        let answers = json["document"]["answers"].as_array().expect("answers");
        let text = |value: &Value| value.as_str().expect("text").to_string();
        answers.iter().map(|said| (text(&said["question"]), text(&said["verdict"]))).collect()
    }
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        Server::start_in(Place::new(), arguments)
    }

    fn start_in(place: Place, arguments: &[&str]) -> Self {
        let mut child = place
            .command(&[&["serve", "--port", "0"], arguments].concat())
            .spawn()
            .expect("the command runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        let port = port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("no address: {line}"));
        Server { child, port, _place: place }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Sends these bytes and reads to the end.
    fn send(&self, bytes: impl AsRef<[u8]>) -> Option<Answer> {
        let mut stream = self.connect();
        // The server may have answered and hung up already.
        let _ = stream.write_all(bytes.as_ref());
        answer(stream)
    }

    /// Sends a request with its Host, and perhaps a body.
    fn ask(&self, first: &str, headers: &str, body: Option<&[u8]>) -> Answer {
        let length = body.map_or(String::new(), |body| format!("Content-Length: {}\r\n", body.len()));
        let head = format!("{first} HTTP/1.1\r\nHost: localhost:{}\r\n{length}{headers}\r\n", self.port);
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body.unwrap_or_default());
        self.send(bytes).unwrap_or_else(|| panic!("no answer to {first}"))
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), "", None)
    }

    fn check(&self, query: &str, body: impl AsRef<[u8]>) -> Answer {
        self.ask(&format!("POST /check{query}"), "", Some(body.as_ref()))
    }

    /// The server still serves, once it is done with those who came before.
    fn lives(&self) {
        let busy = (0..200).take_while(|_| self.get("/").status == 503);
        busy.for_each(|_| std::thread::sleep(Duration::from_millis(50)));
        assert_eq!(self.get("/").status, 200);
        assert_eq!(self.check("?models=sc", SB).verdicts(), [("sc".to_string(), "inconsistent".to_string())]);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end; none if there is none.
fn answer(mut stream: TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    // A reset after the answer is no matter.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).expect("text");
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Some(Answer { status, head: head.into(), body: body.into() })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("compressed");
    encoder.finish().expect("compressed")
}

#[test]
fn the_page_is_served_with_its_policy() {
    let server = Server::start(&[]);
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.body.starts_with("<!doctype html>") && page.body.contains("window.tribunalChecker"));
    for header in [
        "Content-Type: text/html; charset=utf-8",
        "Content-Security-Policy: default-src 'none';",
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
        &format!("Content-Length: {}", page.body.len()),
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.head.contains("Access-Control"));
    let head = server.ask("HEAD /", "", None);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.head.contains(&format!("Content-Length: {}", page.body.len())));
    assert_eq!(server.get("/?anything=goes").status, 200);
}

#[test]
fn the_endpoint_answers_as_the_command_does() {
    let server = Server::start(&[]);
    let verdicts = |query: &str, body: &str| -> Vec<(String, String)> {
        let answer = server.check(query, body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.verdicts()
    };
    let pairs = |verdicts: &[(&str, &str)]| -> Vec<(String, String)> {
        verdicts.iter().map(|&(a, b)| (a.into(), b.into())).collect()
    };
    assert_eq!(
        verdicts("?name=sb.txt&models=sc%2Ctso", SB),
        pairs(&[("sc", "inconsistent"), ("tso", "consistent")])
    );
    assert_eq!(verdicts("?models=linearizable", STALE), pairs(&[("linearizable", "inconsistent")]));
    assert_eq!(verdicts("?models=linearizable", ENQUEUES), pairs(&[("linearizable", "consistent")]));
    assert_eq!(verdicts("?models=linearizable&spec=register&format=json", STALE).len(), 1);
    assert!(verdicts("", MP).len() > 10 && verdicts("", STALE).len() > 5);
    // One of several, compressed.
    let file = several(&[SB, MISSED, MP]);
    let answer = server.check("?name=a.txt.gz&index=1&models=tso", gzip(file.as_bytes()));
    assert_eq!(
        (answer.json()["histories"].as_u64(), answer.verdicts()),
        (Some(3), pairs(&[("tso", "inconsistent")]))
    );
    let zstd = zstd::encode_all(file.as_bytes(), 0).expect("compressed");
    assert_eq!(server.check("?index=2&models=tso", zstd).verdicts(), pairs(&[("tso", "inconsistent")]));
    // As curl sends what is long.
    let answer = server.ask("POST /check?models=sc", "Expect: 100-continue\r\n", Some(SB.as_bytes()));
    assert_eq!(answer.status, 100);
    assert!(answer.body.starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn transactions_are_checked() {
    let server = Server::start(&[]);
    let skew =
        r#"{"sessions":[[{"txn":[["r","x",null],["w","y",1]]}],[{"txn":[["r","y",null],["w","x",1]]}]]}"#;
    let said = [("ser", "inconsistent"), ("si", "consistent"), ("strict-ser", "unsupported")];
    let said = said.map(|(question, verdict)| (question.to_string(), verdict.to_string()));
    assert_eq!(server.check("?models=ser,si,strict-ser", skew).verdicts(), said);
    assert_eq!(server.check("", skew).verdicts().len(), 24);
}

#[test]
fn a_malformed_history_of_any_format_is_an_error_in_a_line() {
    let server = Server::start(&[]);
    for (query, body, expected) in [
        ("?name=a.txt", &b"T0: W x one\n"[..], "a.txt:1:9: expected the value written, found `one`"),
        ("?name=a.json", b"{\"threads\": [", "a.json:1"),
        ("?name=a.json", b"{\"kind\":\"object\",\"spec\":\"queue\",\"operations\":[{}]}", "a.json:1"),
        ("?name=a.edn", b"[{:process 0, :type :invoke, :f :read", "a.edn:1"),
        ("?name=a.axe", b"0: M[1] := \n", "a.axe:1"),
        ("?name=a.log&format=jepsen-log", b"nonsense here\n", "a.log"),
        ("?name=a.bin", b"\x00\x01\x02\xff", "a.bin"),
        ("?name=a.gz", b"\x1f\x8b\x08\x00garbage", "a.gz"),
        ("?name=a.zst", b"\x28\xb5\x2f\xfdgarbage", "a.zst"),
        ("?name=a.txt", b"", "a.txt: empty input"),
        ("?name=a.txt&index=7", b"T0: W x 1\n", "expected a history of index 7"),
        ("?name=a.txt&models=x86", b"T0: W x 1\n", "x86"),
        ("?name=a.txt&format=morse", b"T0: W x 1\n", "morse"),
        ("?models=linearizable&spec=bag", STALE.as_bytes(), "bag"),
    ] {
        let answer = server.check(query, body);
        let error = answer.error();
        assert_eq!(answer.status, 422, "{query}: {error}");
        assert!(error.contains(expected) && !error.contains('\n'), "{query}: {error}");
    }
    server.lives();
}

#[test]
fn only_what_is_there_is_served() {
    let server = Server::start(&[]);
    for path in
        ["/favicon.ico", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "//", "/check/", "/%2e%2e/", "/CHECK"]
    {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    for (first, allowed) in
        [("POST /", "GET, HEAD"), ("DELETE /", "GET, HEAD"), ("GET /check", "POST"), ("TRACE /check", "POST")]
    {
        let answer = server.ask(first, "", Some(b""));
        assert_eq!(answer.status, 405, "{first}");
        assert!(answer.head.contains(&format!("Allow: {allowed}")), "{}", answer.head);
    }
    for query in
        ["?index=-1", "?index=x", "?index=99999999999999999999", "?file=%2Fetc%2Fpasswd", "?name=%ff"]
    {
        assert_eq!(server.check(query, SB).status, 400, "{query}");
    }
    server.lives();
}

/// A name that an attacker's server resolves to this machine, and pages from elsewhere.
#[test]
fn strangers_are_turned_away() {
    let server = Server::start(&[]);
    let port = server.port;
    let from = |host: &str, origin: &str| {
        let head = format!(
            "POST /check?models=sc HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Length: {}\r\n\r\n{SB}",
            SB.len()
        );
        server.send(head).expect("an answer").status
    };
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        assert_eq!(from(&format!("{host}:{port}"), ""), 200, "{host}");
        let origin = format!("Origin: http://{host}:{port}\r\n");
        assert_eq!(from(&format!("{host}:{port}"), &origin), 200, "{host}");
    }
    for host in ["evil.example", "127.0.0.2", "[::2]", "localhost.evil.example", "::1", ""] {
        assert_eq!(from(&format!("{host}:{port}"), ""), 403, "{host}");
    }
    for host in ["localhost", "localhost:", "localhost:1", "[::1]", "localhost:x"] {
        assert_eq!(from(host, ""), 403, "{host}");
    }
    let host = format!("localhost:{port}");
    for origin in [
        "null",
        "http://evil.example",
        "http://localhost",
        &format!("https://localhost:{port}"),
        "http://localhost:1",
    ] {
        assert_eq!(from(&host, &format!("Origin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(server.send("GET / HTTP/1.1\r\n\r\n").expect("an answer").status, 400);
    let twice = format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n");
    assert_eq!(server.send(twice).expect("an answer").status, 400);
}

/// Other addresses of this machine, such as those that others can reach, do not answer.
#[cfg(target_os = "linux")]
#[test]
fn it_listens_on_loopback_alone() {
    let server = Server::start(&[]);
    assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), server.port)).is_err());
    let suffix = format!(":{:04X}", server.port);
    let listening = |table: &str| -> Vec<String> {
        let table = std::fs::read_to_string(table).unwrap_or_default();
        let local = table.lines().skip(1).filter_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (address, _, state) = (fields.next()?, fields.next()?, fields.next()?);
            (state == "0A" && address.ends_with(&suffix)).then(|| address.to_string())
        });
        local.collect()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F{suffix}")]);
    let six = listening("/proc/net/tcp6");
    assert!(
        six.iter().all(|address| *address == format!("00000000000000000000000001000000{suffix}")),
        "{six:?}"
    );
    if !six.is_empty() {
        assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, server.port)).is_ok());
    }
}

#[test]
fn bodies_are_limited() {
    let server = Server::start(&["--max-body", "64k"]);
    let large = vec![b'\n'; (64 << 10) + 1];
    let answer = server.check("", &large);
    assert_eq!((answer.status, answer.error().as_str()), (413, "the body is larger than --max-body allows"));
    // It is refused by what it says, before it is sent.
    let huge = format!(
        "POST /check HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
        server.port,
        u64::MAX
    );
    assert_eq!(server.send(huge).expect("an answer").status, 413);
    // A bomb of each kind, and one inside another, which is no history.
    let zeros = vec![0; 100 << 20];
    let bomb = gzip(&zeros);
    assert!(bomb.len() > 64 << 10);
    let small = gzip(&zeros[..32 << 20]);
    assert!(small.len() < 64 << 10);
    for bomb in [small.clone(), zstd::encode_all(&zeros[..], 0).expect("compressed")] {
        let answer = server.check("", bomb);
        assert_eq!(answer.status, 413);
        assert_eq!(answer.error(), "the decompressed body is larger than --max-body allows");
    }
    assert_eq!(server.check("", gzip(&small)).status, 422);
    assert_eq!(server.check("?models=sc", &large[1..]).status, 422);
    server.lives();
}

#[test]
fn garbage_gets_its_status() {
    let server = Server::start(&[]);
    let host = format!("Host: localhost:{}\r\n", server.port);
    for (request, status) in [
        ("\r\n\r\n".to_string(), 400),
        ("hello\r\n\r\n".into(), 400),
        (format!("GET / HTTP/1.1\r\n{host}\u{e9}: x\r\n\r\n"), 400),
        (format!("GET http://localhost/ HTTP/1.1\r\n{host}\r\n"), 400),
        (format!("GET / HTTP/2.0\r\n{host}\r\n"), 505),
        (format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(20_000)), 431),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(1 << 20)), 431),
        (format!("POST /check HTTP/1.1\r\n{host}\r\n"), 411),
        (
            format!("POST /check HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
            411,
        ),
        (format!("POST /check HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"), 400),
        (format!("POST /check HTTP/1.1\r\n{host}Content-Length: 99999999999999999999999\r\n\r\n"), 400),
        (format!("POST /check HTTP/1.1\r\n{host}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), 400),
    ] {
        let answer = server.send(&request).unwrap_or_else(|| panic!("no answer to {request:.80}"));
        assert_eq!(answer.status, status, "{request:.80}");
        assert!(!answer.error().is_empty());
    }
    // A client that breaks off is told, as far as it listens.
    for request in
        ["GET / HT".to_string(), format!("POST /check HTTP/1.1\r\n{host}Content-Length: 10\r\n\r\nabc")]
    {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        stream.shutdown(Shutdown::Write).expect("shut");
        assert_eq!(answer(stream).expect("an answer").status, 400);
    }
    // Random bytes, by clients that leave at once.
    let mut random = Random::new(7);
    for round in 0..200 {
        let length = round * 37 % 3000;
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
    }
    server.lives();
}

/// Requests that another reader of HTTP would cut elsewhere: none is answered, and what comes behind one never is.
#[test]
fn what_could_be_cut_in_two_ways_is_refused() {
    let server = Server::start(&[]);
    let host = format!("Host: localhost:{}\r\n", server.port);
    let post = format!("POST /check?models=sc HTTP/1.1\r\n{host}");
    let behind = format!("GET / HTTP/1.1\r\n{host}\r\n");
    for (request, status) in [
        (format!("{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411),
        (format!("{post}Transfer-Encoding: identity\r\nContent-Length: {}\r\n\r\n{SB}", SB.len()), 411),
        (format!("{post}Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("{post}Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n"), 400),
        (format!("{post}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("{post}Transfer-Encoding: \u{b}chunked\r\nContent-Length: 0\r\n\r\n"), 400),
        (format!("{post}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), 400),
        (format!("{post}Content-Length: 3, 3\r\n\r\nabc"), 400),
        (format!("{post}Content-Length: +3\r\n\r\nabc"), 400),
        (format!("{post}X: y\nContent-Length: 3\r\n\r\nabc"), 400),
        (format!("{post}X: y\r\n Content-Length: 3\r\n\r\nabc"), 400),
        (format!("{post}X: \0\r\nContent-Length: 3\r\n\r\nabc"), 400),
    ] {
        let answer = server.send(format!("{request}{behind}")).expect("an answer");
        assert_eq!(answer.status, status, "{request}");
        assert!(!answer.body.contains("HTTP/1.1"), "{request}: {}", answer.body);
    }
    // A connection is for one request.
    let page = server.send(behind.repeat(3)).expect("an answer");
    assert!(page.status == 200 && page.body.trim_end().ends_with("</html>"), "more than the page");
    let head = format!("{post}Content-Length: {}\r\n\r\n{SB}", SB.len());
    let checked = server.send(format!("{head}{behind}")).expect("an answer");
    assert_eq!(checked.verdicts(), [("sc".to_string(), "inconsistent".to_string())]);
    server.lives();
}

#[test]
fn one_that_waits_to_send_its_body_is_told_what_becomes_of_it() {
    let server = Server::start(&["--max-body", "1k"]);
    let head = format!("POST /check?models=sc HTTP/1.1\r\nHost: localhost:{}\r\n", server.port);
    // What is refused is not sent at all.
    let huge = server.send(format!("{head}Expect: 100-continue\r\nContent-Length: 1025\r\n\r\n"));
    assert_eq!(huge.expect("an answer").status, 413);
    let mut stream = server.connect();
    write!(stream, "{head}Expect: 100-Continue\r\nContent-Length: {}\r\n\r\n", SB.len()).expect("sent");
    let mut goes_on = [0; 25];
    stream.read_exact(&mut goes_on).expect("an answer");
    assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(SB.as_bytes()).expect("sent");
    assert_eq!(answer(stream).expect("an answer").status, 200);
}

#[test]
fn clients_that_close_early_are_answered_or_forgotten() {
    let server = Server::start(&[]);
    let get = format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    // Half closed: all is sent, and the answer is awaited.
    let mut stream = server.connect();
    stream.write_all(get.as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Write).expect("shut");
    assert_eq!(answer(stream).expect("an answer").status, 200);
    // Gone while they are answered: some read the beginning, some nothing.
    for round in 0..100 {
        let mut stream = server.connect();
        stream.write_all(get.as_bytes()).expect("sent");
        if round % 2 == 0 {
            stream.read_exact(&mut [0; 16]).expect("the beginning");
        }
    }
    // One that does not read keeps nobody.
    let mut idle = server.connect();
    idle.write_all(get.as_bytes()).expect("sent");
    server.lives();
}

#[test]
fn slow_clients_do_not_hold_the_server() {
    let server = Server::start(&[]);
    let begin = Instant::now();
    // A byte now and then keeps a connection alive, but not for ever.
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\n").expect("sent");
    let silent = server.connect();
    server.lives();
    let mut last = Ok(());
    while last.is_ok() && begin.elapsed() < Duration::from_secs(40) {
        std::thread::sleep(Duration::from_millis(500));
        slow.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
        match slow.peek(&mut [0]) {
            Ok(_) => break,
            Err(_) => last = slow.write_all(b"X"),
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    slow.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    assert_eq!(answer(slow).expect("an answer").status, 408);
    assert!(answer(silent).is_none());
    server.lives();
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn started_by(parent: u32) -> Vec<u32> {
    let of = |entry: std::fs::DirEntry| {
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let field = |name| status.lines().find_map(|line: &str| line.strip_prefix(name)).map(str::trim);
        let ended = field("State:")?.starts_with('Z');
        (!ended && field("PPid:")? == parent.to_string()).then(|| field("Pid:")?.parse().ok())?
    };
    std::fs::read_dir("/proc").expect("processes").flatten().filter_map(of).collect()
}

#[cfg(target_os = "linux")]
fn signal(process: u32, signal: rustix::process::Signal) {
    let process = rustix::process::Pid::from_raw(process as i32).expect("a process");
    let _ = rustix::process::kill_process(process, signal);
}

/// Whatever happens to workers, each request has an answer and they are replaced.
#[cfg(target_os = "linux")]
#[test]
fn workers_that_die_run_out_of_memory_or_hang_are_replaced() {
    use rustix::process::{Pid, Resource, Rlimit, Signal, prlimit};
    let server = Server::start(&["--timeout", "0.5"]);
    server.lives();
    let workers = || started_by(server.child.id());
    let first = workers();
    assert!(!first.is_empty());
    for round in 0..2 {
        let before = workers();
        for &worker in &before {
            match round {
                0 => signal(worker, Signal::KILL),
                _ => {
                    let none = Rlimit { current: Some(1), maximum: Some(1) };
                    let worker = Pid::from_raw(worker as i32);
                    prlimit(worker, Resource::Data, none).expect("a limit");
                }
            }
        }
        // Large enough that there is memory to ask for.
        let large = made(20_000, |n| format!("T0: W x {n}\n"));
        let answer = server.check("?models=sc", large);
        assert_eq!(answer.status, 200, "round {round}: {}", answer.body);
        server.lives();
        assert_ne!(workers(), before, "round {round}");
    }
    // One that hangs is killed a second after the time of its checks, and the history is drawn all the same.
    for worker in workers() {
        signal(worker, Signal::STOP);
    }
    let begin = Instant::now();
    assert_eq!(server.check("?models=sc", SB).status, 200);
    assert!(begin.elapsed() > Duration::from_millis(1400) && begin.elapsed() < Duration::from_secs(20));
    server.lives();
}

/// However the server ends, and while they work.
#[cfg(target_os = "linux")]
#[test]
fn no_worker_outlives_its_server() {
    let history = hard();
    let mut server = Server::start(&["--timeout", "600"]);
    let mut busy = server.connect();
    let head = format!(
        "POST /check?name=a.txt HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
        server.port,
        history.len()
    );
    busy.write_all(head.as_bytes()).and_then(|()| busy.write_all(history.as_bytes())).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    let workers = started_by(server.child.id());
    assert!(!workers.is_empty());
    server.child.kill().expect("killed");
    server.child.wait().expect("an end");
    let alive = |worker: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
        status.contains("Name:\ttribunal") && !status.contains("State:\tZ")
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while workers.iter().any(alive) {
        assert!(Instant::now() < deadline, "workers go on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn clients_that_keep_the_server_waiting_make_way() {
    let server = Server::start(&[]);
    let mut bodies: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for stream in &mut bodies {
        let host = format!("Host: localhost:{}\r\nContent-Length: 1000000\r\n\r\nx", server.port);
        write!(stream, "POST /check HTTP/1.1\r\n{host}").expect("sent");
    }
    // No body takes a place from those who have sent theirs.
    let begin = Instant::now();
    server.lives();
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let mut heads: Vec<TcpStream> = (0..420).map(|_| server.connect()).collect();
    for stream in &mut heads {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nX: ");
    }
    server.lives();
    assert!(begin.elapsed() < Duration::from_secs(9), "before their time is over: {:?}", begin.elapsed());
    let open = |stream: &TcpStream| {
        stream.set_nonblocking(true).expect("set");
        stream.peek(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    assert!(!open(&bodies[0]) && open(heads.last().expect("a client")));
    assert!(heads.iter().filter(|stream| open(stream)).count() > 300, "more were closed than had to be");
}

/// A history that takes longer than anyone waits.
fn hard() -> String {
    let place = Place::new();
    let arguments =
        "generate machine --threads 12 --locations 4 --writes 0.5 --rmws 0 --events 200000 --seed 1";
    place.run(&arguments.split(' ').collect::<Vec<_>>()).stdout
}

#[test]
fn time_is_limited_and_a_client_that_leaves_stops_its_check() {
    let history = hard();
    let server = Server::start(&["--timeout", "0.2"]);
    let begin = Instant::now();
    let answer = server.check("?name=a.txt&models=all", &history);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.verdicts().iter().any(|(_, verdict)| verdict == "undecided"));
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    // Those who leave free their places for others, long before the time is over.
    let patient = Server::start(&["--timeout", "600"]);
    for _ in 0..6 {
        let mut stream = patient.connect();
        let head = format!(
            "POST /check?name=a.txt HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
            patient.port,
            history.len()
        );
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(history.as_bytes()));
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while patient.check("?models=sc", SB).status == 503 {
        assert!(Instant::now() < deadline, "the places are not free");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_page_of_its_own_is_all_that_is_served() {
    let place = Place::with("page.html", "<!doctype html>mine");
    let server = Server::start_in(place, &["--page", "page.html"]);
    assert_eq!(server.get("/").body, "<!doctype html>mine");
    assert_eq!(server.check("", SB).status, 404);
    assert_eq!(server.get("/page.html").status, 404);
}

#[test]
fn what_cannot_be_served_is_said() {
    let place = Place::new();
    let ran = place.run(&["serve", "--page", "nowhere.html"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: nowhere.html: "), "{}", ran.stderr);
    let server = Server::start(&[]);
    let ran = place.run(&["serve", "--port", &server.port.to_string()]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with(&format!("error: port {} of 127.0.0.1: ", server.port)), "{}", ran.stderr);
    for wrong in [["--port", "65536"], ["--port", "-1"], ["--max-body", "much"], ["--timeout", "soon"]] {
        assert_eq!(place.run(&["serve", wrong[0], wrong[1]]).status, 2);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_in_the_middle_of_work() {
    use rustix::process::{Pid, Signal, kill_process};
    let history = hard();
    let mut server = Server::start(&["--timeout", "600"]);
    let mut busy = server.connect();
    let head = format!(
        "POST /check?name=a.txt HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
        server.port,
        history.len()
    );
    busy.write_all(head.as_bytes()).and_then(|()| busy.write_all(history.as_bytes())).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    kill_process(Pid::from_child(&server.child), Signal::INT).expect("a signal");
    let status = server.child.wait().expect("an end");
    assert_eq!(status.code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

/// The answer comes before the body has been read, and is not lost when the connection is closed.
#[test]
fn one_that_is_refused_is_answered_and_not_cut_off() {
    let server = Server::start(&[]);
    let body = vec![b'x'; 1 << 20];
    let head = format!("POST /nowhere HTTP/1.1\r\nHost: localhost:{}\r\n", server.port);
    let request = [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat();
    for _ in 0..20 {
        let mut stream = server.connect();
        stream.write_all(&request).expect("sent");
        let mut said = Vec::new();
        stream.read_to_end(&mut said).expect("no reset");
        assert!(said.starts_with(b"HTTP/1.1 404 "), "{}", String::from_utf8_lossy(&said));
    }
}

/// The memory of a process and of those that it has started, in bytes.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let of = |process: u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let all = started_by(process).into_iter().chain([process]);
    all.filter_map(of).sum::<u64>() << 10
}

/// Sends these eight at once, and holds the server to its memory, in gigabytes, and to one of these answers.
#[cfg(target_os = "linux")]
fn endured(memory: u64, expected: &[u16], requests: &[(&str, Vec<u8>); 8]) {
    // What it takes beside the histories: threads, the page, what the allocator keeps; and so does each worker.
    const OWN: u64 = 5 * (64 << 20);
    let server = Server::start(&["--max-memory", &format!("{memory}G"), "--timeout", "2"]);
    let memory = memory << 30;
    let peak = std::thread::scope(|scope| {
        let clients: Vec<_> = requests
            .iter()
            .map(|(query, body)| {
                let server = &server;
                scope.spawn(move || {
                    // Some are checked at once. The others wait, and come again if they are told to.
                    let mut answer = server.check(query, body);
                    while answer.status == 503 {
                        std::thread::sleep(Duration::from_millis(200));
                        answer = server.check(query, body);
                    }
                    let said = &answer.body[..answer.body.len().min(200)];
                    // On a busy machine even reading may take longer than it may.
                    let late = said.contains("undecided: the history needs more than the 2 s");
                    assert!(late || expected.contains(&answer.status), "{query}: {} {said}", answer.status);
                })
            })
            .collect();
        let mut peak = 0;
        while !clients.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            peak = peak.max(resident(server.child.id()));
            std::thread::sleep(Duration::from_millis(20));
        }
        peak
    });
    server.lives();
    println!("{} MB at most of {} MB", peak >> 20, memory >> 20);
    assert!(peak <= memory + memory / 10 + OWN, "{peak} bytes");
}

/// Text of so many pieces.
#[cfg(target_os = "linux")]
fn made(pieces: u64, piece: impl Fn(u64) -> String) -> String {
    (0..pieces).map(piece).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn eight_histories_that_are_hard_to_read_keep_to_the_memory() {
    let threads = made(2_000_000, |n| format!("{n:x}:\n"));
    let lists = format!(
        r#"{{"kind":"object","spec":"queue","operations":[{{"process":0,"f":"enqueue","call":0,"args":[[{}0]]}}]}}"#,
        "[],".repeat(8 << 20)
    );
    let events = made(600_000, |n| format!("{{:process {n} :type :invoke :f :enqueue :value [{n} [{n}]]}}"));
    let clocks = format!(
        r#"{{"kind":"object","spec":"queue","hb":[],"operations":[{}]}}"#,
        made(20_000, |n| format!(
            r#"{}{{"process":{n},"f":"enqueue","args":[{n}]}}"#,
            if n > 0 { "," } else { "" }
        ))
    );
    let refused = [200, 413, 422];
    endured(
        1,
        &refused,
        &[
            ("?name=a.txt&models=sc", gzip(threads.as_bytes())),
            ("?name=b.txt&models=sc", threads.into_bytes()),
            ("?name=c.json&models=weak", gzip(lists.as_bytes())),
            ("?name=d.json&models=weak", lists.into_bytes()),
            ("?name=e.edn&models=weak", gzip(events.as_bytes())),
            ("?name=f.json&models=weak", gzip(clocks.as_bytes())),
            ("?name=g.txt&models=sc", gzip(&vec![b'#'; 60 << 20])),
            ("?name=h.axe&models=sc", gzip(made(3_000_000, |n| format!("{n}: sync\n")).as_bytes())),
        ],
    );
}

/// Queues that lose what is enqueued, which no criterion is quick to forbid.
#[cfg(target_os = "linux")]
fn lost(operations: &str, seed: &str) -> Vec<u8> {
    let place = Place::new();
    let arguments = ["generate", "object", "--spec", "queue", "--bug", "lost-update"];
    let sizes = ["--operations", operations, "--seed", seed];
    let ran = place.run(&[&arguments[..], &sizes].concat());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout.into_bytes()
}

#[cfg(target_os = "linux")]
#[test]
fn eight_objects_that_are_hard_to_decide_keep_to_the_memory() {
    let query = "?name=q.json&models=all";
    let seeds = ["1", "2", "3", "4", "5", "6", "7", "8"];
    endured(4, &[200], &seeds.map(|seed| (query, lost("1000", seed))));
}

#[cfg(target_os = "linux")]
#[test]
fn eight_memories_of_many_threads_keep_to_the_memory() {
    let two =
        made(10_000, |n| format!("T{n}: W x {}; R x {}\n", n + 1, (n * 7919) % 10_000 + 1)).into_bytes();
    let one = made(100_000, |n| format!("T{n}: W x {}\n", n + 1)).into_bytes();
    let query = "?name=m.txt&models=all";
    endured(
        4,
        &[200],
        &[two.clone(), one.clone(), two.clone(), one.clone(), two.clone(), one.clone(), two, one]
            .map(|body| (query, body)),
    );
}

//! Readers keep to the memory that they are allowed, whatever the input.

#[path = "../../../tests/allocations.rs"]
mod allocations;

use allocations::{alone, peak_of};
use std::io::{self, Read};
use tribunal_formats::{Error, ErrorKind, Format, ReadOptions, events, read};

/// Text that is made as it is read: a head, pieces for the numbers from 0, and a tail.
struct Made {
    head: &'static str,
    piece: fn(u64) -> String,
    pieces: u64,
    tail: &'static str,
    ready: io::Cursor<Vec<u8>>,
    next: u64,
}

impl Made {
    fn new((head, piece, tail): Kind, pieces: u64) -> Self {
        Made { head, piece, pieces, tail, ready: io::Cursor::default(), next: 0 }
    }
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.ready.read(into)?;
            if count > 0 {
                return Ok(count);
            }
            let text = match self.next {
                0 => self.head.to_string(),
                number if number <= self.pieces => (self.piece)(number - 1),
                number if number == self.pieces + 1 => self.tail.to_string(),
                _ => return Ok(0),
            };
            self.next += 1;
            self.ready = io::Cursor::new(text.into_bytes());
        }
    }
}

type Kind = (&'static str, fn(u64) -> String, &'static str);

/// What takes much memory of a reader, by its format.
const KINDS: [(&str, Format, Kind); 50] = [
    ("empty threads", Format::Text, ("", |n| format!("{n}:\n"), "")),
    ("threads in one line", Format::Text, ("threads:", |n| format!(" {n}"), "\n")),
    ("locations in one line", Format::Text, ("T0: ", |n| format!("W {n} 1;"), "\n")),
    ("writes of one thread", Format::Text, ("", |n| format!("T0: W x {}\n", n + 1), "")),
    ("sparse values", Format::Text, ("", |n| format!("T0: W x {}\n", (n + 1) * 1000), "")),
    ("one write a thread", Format::Text, ("", |n| format!("T{n}: W x {}\n", n + 1), "")),
    ("initial values", Format::Text, ("init:", |n| format!(" x{n}=1"), "\n")),
    ("final values", Format::Text, ("final:", |n| format!(" x{n}=0"), "\n")),
    ("labels", Format::Text, ("expect:", |n| format!(" m{n}=na"), "\n")),
    ("dependencies", Format::Text, ("T0: R x 0; W x 1 dep 0", |_| ",0".into(), "\n")),
    ("times", Format::Text, ("", |n| format!("T0: W x {} @ {n}:\n", n + 1), "")),
    ("sources", Format::Text, ("", |_| "T0: R x 0 from init\n".into(), "")),
    ("a long line", Format::Text, ("# ", |_| "comment ".into(), "\n")),
    ("a long name", Format::Text, ("name: ", |_| "name ".into(), "\n")),
    ("threads", Format::Axe, ("", |n| format!("{n}: sync\n"), "")),
    ("locations", Format::Axe, ("", |n| format!("0: v{n} := 1\n"), "")),
    ("events", Format::Axe, ("", |n| format!("0: v0 := {} @ {n}:\n", n + 1), "")),
    ("empty threads", Format::Json, (r#"{"threads":[{"events":[]}"#, |_| r#",{"events":[]}"#.into(), "]}")),
    (
        "events",
        Format::Json,
        (
            r#"{"threads":[{"events":[{"op":"fence","order":"seq_cst"}"#,
            |n| format!(r#",{{"op":"write","loc":"x","value":{}}}"#, n + 1),
            "]}]}",
        ),
    ),
    (
        "locations",
        Format::Json,
        (
            r#"{"threads":[{"events":[{"op":"fence","order":"seq_cst"}"#,
            |n| format!(r#",{{"op":"write","loc":"{n}","value":1}}"#),
            "]}]}",
        ),
    ),
    ("initial values", Format::Json, (r#"{"init":{"x":1"#, |n| format!(r#","{n}":1"#), r#"},"threads":[]}"#)),
    (
        "labels",
        Format::Json,
        (r#"{"verdicts":{"x":null"#, |n| format!(r#","{n}":null"#), r#"},"threads":[]}"#),
    ),
    (
        "dependencies",
        Format::Json,
        (
            r#"{"threads":[{"events":[{"op":"read","loc":"x","value":0},{"op":"write","loc":"x","value":1,"deps":[0"#,
            |_| ",0".into(),
            "]}]}]}",
        ),
    ),
    ("a long string", Format::Json, (r#"{"name":""#, |_| "name\\n".into(), r#"","threads":[]}"#)),
    (
        "operations",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","operations":[{"process":0,"f":"inc","args":[],"call":0,"return":1,"ret":null}"#,
            |n| {
                format!(
                    r#",{{"process":0,"f":"enqueue","args":[{n}],"ret":null,"call":{},"return":{}}}"#,
                    2 * n + 2,
                    2 * n + 3
                )
            },
            "]}",
        ),
    ),
    (
        "processes",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","operations":[{"process":"a","f":"inc","args":[],"call":0}"#,
            |n| format!(r#",{{"process":{n},"f":"inc","args":[],"call":{n}}}"#),
            "]}",
        ),
    ),
    (
        "processes of an explicit order",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","hb":[],"operations":[{"process":"a","f":"inc","args":[]}"#,
            |n| format!(r#",{{"process":{n},"f":"inc","args":[]}}"#),
            "]}",
        ),
    ),
    (
        "pairs of an explicit order",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","operations":[{"process":0,"f":"a","args":[]},{"process":1,"f":"a","args":[]}],"hb":[[0,1]"#,
            |_| ",[0,1]".into(),
            "]}",
        ),
    ),
    (
        "one list",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","operations":[{"process":0,"f":"a","call":0,"args":[[0"#,
            |_| ",[]".into(),
            "]]}]}",
        ),
    ),
    (
        "arguments",
        Format::Json,
        (
            r#"{"kind":"object","spec":"queue","operations":[{"process":0,"f":"a","call":0,"args":[0"#,
            |_| ",0".into(),
            "]}]}",
        ),
    ),
    (
        "events of processes",
        Format::Json,
        (
            "[",
            |n| {
                format!(
                    r#"{}{{"process":{n},"type":"invoke","f":"enqueue","value":{n}}}"#,
                    if n > 0 { "," } else { "" }
                )
            },
            "]",
        ),
    ),
    (
        "events of processes",
        Format::Edn,
        ("[", |n| format!("{{:process {n} :type :invoke :f :enqueue :value {n}}}"), "]"),
    ),
    (
        "events",
        Format::Edn,
        (
            "[",
            |n| {
                format!(
                    "{{:process 0 :type {} :f :enqueue :value [{} []]}}",
                    [":invoke", ":ok"][n as usize % 2],
                    n / 2
                )
            },
            "]",
        ),
    ),
    ("one list", Format::Edn, ("[{:process 0 :type :invoke :f :enqueue :value [", |_| "{} ".into(), "]}]")),
    (
        "a long string",
        Format::Edn,
        ("[{:process 0 :type :invoke :f :enqueue :value \"", |_| "line\n".into(), "\"}]"),
    ),
    (
        "transactions",
        Format::Json,
        (r#"{"sessions":[[{"txn":[]}"#, |n| format!(r#",{{"txn":[["w","x",{n}]]}}"#), "]]}"),
    ),
    (
        "operations",
        Format::Json,
        (r#"{"sessions":[[{"txn":[["r","y"]"#, |n| format!(r#",["w","x",{n}]"#), "]}]]}"),
    ),
    ("keys", Format::Json, (r#"{"sessions":[[{"txn":[["r","y"]"#, |n| format!(r#",["w",{n},1]"#), "]}]]}")),
    ("sessions", Format::Json, (r#"{"sessions":[[]"#, |_| ",[]".into(), "]}")),
    ("a list", Format::Json, (r#"{"sessions":[[{"txn":[["r","y",[0"#, |n| format!(",{}", n + 1), "]]]}]]}")),
    (
        "lists",
        Format::Json,
        (r#"{"sessions":[[{"txn":[["r","y",[]]"#, |n| format!(r#",["r","y",[{n},1]]"#), "]}]]}"),
    ),
    (
        "transactions of dbcop",
        Format::Json,
        (
            r#"{"data":[[{"events":[]}"#,
            |n| format!(r#",{{"events":[{{"Write":{{"variable":0,"version":{n}}}}}]}}"#),
            "]]}",
        ),
    ),
    ("writes", Format::Plume, ("", |n| format!("w(1,{},0,1)\n", n + 1), "")),
    ("keys and sessions", Format::Plume, ("", |n| format!("w({n},1,{n},{n})\n"), "")),
    ("writes", Format::Awdit, ("", |n| format!("w 1 {n}\n-\n"), "")),
    ("writes", Format::Dbcop, ("[", |n| format!("x:={n}] ["), "x:=0]")),
    (
        "open transactions",
        Format::Edn,
        ("[", |n| format!("{{:process {n} :type :invoke :f :txn :value [[:append 1 {n}]]}}\n"), "]"),
    ),
    (
        "transactions",
        Format::Edn,
        ("[", |n| format!("{{:process 0 :type :ok :f :txn :value [[:append 1 {n}]]}}\n"), "]"),
    ),
    (
        "a list",
        Format::Edn,
        ("[{:process 0 :type :ok :f :txn :value [[:append 1 0] [:r 1 [", |n| format!("{n} "), "]]]}]"),
    ),
    ("methods", Format::Jepsen, ("", |n| format!("INFO  jepsen.util - {n} :invoke :m{n} [{n}]\n"), "")),
];

fn within(max_memory: usize, format: Format) -> ReadOptions {
    ReadOptions { format: Some(format), max_memory, ..ReadOptions::default() }
}

fn first(made: Made, options: ReadOptions) -> Result<(), Error> {
    read(made, "made", options)?.next().expect("a history or an error").map(drop)
}

fn too_much(error: &Error) -> bool {
    // An order whose clocks do not fit is too large by its own name.
    matches!(error.kind(), ErrorKind::TooMuchMemory { .. }) || error.to_string().contains("is too large")
}

#[test]
fn no_input_takes_more_than_it_may() {
    let _alone = alone();
    for (what, format, kind) in KINDS {
        for limit in [1 << 20, 10 << 20] {
            // Endless, as good as.
            let (result, peak) = peak_of(|| first(Made::new(kind, u64::MAX - 2), within(limit, format)));
            let error = result.expect_err(what);
            assert!(too_much(&error), "{format} {what}: {error}");
            assert!(error.line().is_some(), "{format} {what}: {error}");
            assert!(peak <= limit + limit / 10, "{format} {what}: {peak} bytes within {limit}");
        }
    }
}

#[test]
fn what_is_built_takes_no_more_than_it_may() {
    let _alone = alone();
    for (what, format, kind) in KINDS {
        for pieces in [100, 3000, 5000, 17_000, 60_000, 140_000] {
            // The most that is read, and the least that is too much.
            let limit = 8 << 20;
            let (result, peak) = peak_of(|| first(Made::new(kind, pieces), within(limit, format)));
            assert!(peak <= limit + limit / 10, "{format} {what}: {pieces}: {peak} bytes within {limit}");
            match result {
                // A comment alone is not a history.
                Err(error) => assert!(too_much(&error) || what == "a long line", "{format} {what}: {error}"),
                Ok(()) => {
                    let (_, free) = peak_of(|| first(Made::new(kind, pieces), format_only(format)));
                    assert!(free <= limit, "{format} {what}: {pieces}: {free} bytes without a limit");
                }
            }
        }
    }
}

fn format_only(format: Format) -> ReadOptions {
    Some(format).into()
}

#[test]
fn the_count_is_not_far_from_what_is_taken() {
    let _alone = alone();
    for (what, format, kind) in KINDS {
        let (result, peak) = peak_of(|| first(Made::new(kind, 20_000), format_only(format)));
        if result.is_err() {
            continue;
        }
        let limit = 5 * peak + (1 << 20);
        let enough = first(Made::new(kind, 20_000), within(limit, format));
        assert!(enough.is_ok(), "{format} {what}: {enough:?} within {limit}, though {peak} are taken");
    }
}

#[test]
fn events_one_by_one_keep_to_it_too() {
    let _alone = alone();
    let kinds: [(Format, Kind); 3] = [
        (Format::Edn, ("", |n| format!("{{:process {n} :type :invoke :f :read :value nil}}\n"), "")),
        (
            Format::Json,
            (
                "",
                |n| format!("{{\"process\":\"p{n}\",\"type\":\"invoke\",\"f\":\"read\",\"args\":[]}}\n"),
                "",
            ),
        ),
        (Format::Jepsen, ("", |n| format!("INFO  jepsen.util - {n} :invoke :enqueue {n}\n"), "")),
    ];
    for (format, kind) in kinds {
        let limit = 4 << 20;
        let (error, peak) = peak_of(|| {
            let mut events =
                events(Made::new(kind, u64::MAX - 2), "made", within(limit, format)).expect("begun");
            events.find_map(Result::err).expect("an error")
        });
        assert!(too_much(&error), "{format}: {error}");
        assert!(peak <= limit + limit / 10, "{format}: {peak} bytes");
    }
}

#[test]
fn small_bombs_of_empty_threads_are_errors() {
    let _alone = alone();
    let text = "x:\n".repeat(10).into_bytes();
    let threads: Vec<u8> = (0..2_000_000u32).flat_map(|n| format!("{n:x}:\n").into_bytes()).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    io::Write::write_all(&mut gzip, &threads).expect("compressed");
    let gzip = gzip.finish().expect("compressed");
    let zstd = zstd::encode_all(&threads[..], 3).expect("compressed");
    drop(threads);
    for bomb in [gzip, zstd] {
        let options = within(50 << 20, Format::Text);
        let (error, peak) = peak_of(|| {
            let mut histories = read(io::Cursor::new(bomb), "bomb", options).expect("begun");
            histories.next().expect("an answer").expect_err("too large")
        });
        let said = error.to_string();
        assert!(said.ends_with("the history takes more than the 50 MB that --max-memory allows"), "{said}");
        assert!(peak <= 55 << 20, "{peak}");
    }
    assert!(read(io::Cursor::new(text), "small", within(1 << 20, Format::Text)).is_ok());
}

#[test]
fn deep_nesting_is_an_error() {
    let _alone = alone();
    let json = |open: &str| {
        format!(
            r#"{{"kind":"object","spec":"queue","operations":[{{"process":0,"f":"a","args":{}"#,
            open.repeat(1 << 20)
        )
    };
    let edn = |open: &str| format!("[{{:process 0 :type :invoke :f :enqueue :value {}", open.repeat(1 << 20));
    for (format, text) in [
        (Format::Json, json("[")),
        (Format::Json, format!(r#"{{"other":{}"#, "[".repeat(1 << 20))),
        (Format::Json, format!(r#"{{"other":{}"#, r#"{"a":"#.repeat(1 << 20))),
        (
            Format::Json,
            format!(
                r#"[{{"process":0,"type":"invoke","f":"enqueue","value":{}"#,
                r#"{"a":["#.repeat(1 << 20)
            ),
        ),
        (Format::Edn, edn("[")),
        (Format::Edn, edn("{")),
        (Format::Edn, edn("#{")),
        (Format::Edn, edn("(")),
        (Format::Edn, edn("#_")),
        (Format::Edn, edn("#_[")),
        (Format::Edn, format!("[{}", "#_".repeat(1 << 20))),
        (Format::Edn, format!("[{{:other {}", "[{".repeat(1 << 20))),
        (Format::Jepsen, format!("INFO  jepsen.util - 0 :invoke :write {}", "[".repeat(1 << 20))),
    ] {
        let mut histories = read(io::Cursor::new(text), "deep", Some(format)).expect("begun");
        let error = histories.next().expect("an answer").expect_err("too deep");
        assert!(matches!(error.kind(), ErrorKind::TooDeep { .. }), "{error}");
    }
    // Tags may be many; they are not nested.
    let tags = format!("[{{:process 0 :type :invoke :f :enqueue :value {}1}}]", "#a ".repeat(1 << 20));
    assert!(
        read(io::Cursor::new(tags), "tags", Some(Format::Edn))
            .expect("begun")
            .next()
            .is_some_and(|h| h.is_ok())
    );
}

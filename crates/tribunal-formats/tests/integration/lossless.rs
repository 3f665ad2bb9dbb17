//! Random histories of every kind: each writer writes what reads back the same, or refuses.

use crate::round::{all, shown, shown_object, written, written_object};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Cursor;
use tribunal_formats::certificate::digest;
use tribunal_formats::{Format, Labels, ReadAs, ReadOptions, Writer, read, write_transactions};
use tribunal_history::transactions::{History, Op, SessionId, Status};

/// A memory in text: few values, so that they repeat, and sources of some reads.
fn memory() -> impl Strategy<Value = String> {
    let event = (0..3u8, prop::sample::select(vec!["x", "y"]), 0..3u8, prop::option::of(0..3u8));
    let thread = prop::collection::vec(event, 1..4);
    prop::collection::vec(thread, 1..4).prop_map(|threads| {
        let mut text = String::new();
        for (at, events) in threads.iter().enumerate() {
            let event = |(kind, loc, value, from): &(u8, &str, u8, Option<u8>)| match (kind, from) {
                (0, _) => format!("W {loc} {value}"),
                (1, Some(from)) => {
                    format!("R {loc} {value} from T{}:{}", from % threads.len() as u8, value % 2)
                }
                (1, None) => format!("R.acq {loc} {value}"),
                _ => format!("U {loc} {value}>{}", value + 1),
            };
            let events: Vec<String> = events.iter().map(event).collect();
            writeln!(text, "T{at}: {}", events.join("; ")).expect("a string");
        }
        text
    })
}

/// Operations of an object in JSON, one after the other or side by side.
fn object() -> impl Strategy<Value = String> {
    let specs = vec![
        ("cas-register(0)", vec!["write", "read", "cas"]),
        ("keyed cas-register(0)", vec!["write", "read"]),
        ("counter", vec!["add", "get", "inc"]),
        ("grow-set", vec!["add", "read"]),
        ("set", vec!["add", "contains"]),
        ("queue", vec!["enqueue", "dequeue"]),
        ("list", vec!["append", "read"]),
        ("mutex", vec!["acquire"]),
        ("bank", vec!["transfer", "read"]),
    ];
    let operation = (any::<prop::sample::Index>(), 0..3i64, 0..4u8, 0..3u64);
    (prop::sample::select(specs), prop::collection::vec(operation, 0..6)).prop_map(
        |((spec, methods), operations)| {
            let mut lines = Vec::new();
            for (at, (method, value, ret, apart)) in operations.into_iter().enumerate() {
                let method = methods[method.index(methods.len())];
                let args = match method {
                    "read" | "get" | "inc" | "dequeue" | "acquire" => String::new(),
                    "cas" => format!("{value},{}", value + 1),
                    "transfer" => format!("0,1,{value}"),
                    _ => value.to_string(),
                };
                let args = match (spec.starts_with("keyed"), args.is_empty()) {
                    (true, true) => "\"k\"".to_string(),
                    (true, false) => format!("\"k\",{args}"),
                    _ => args,
                };
                let (call, end) = (3 * at as u64, 3 * at as u64 + 1 + apart);
                let told = match ret {
                    0 => "null".into(),
                    1 => format!("[{},{value}]", value - 1),
                    2 => "true".into(),
                    _ => value.to_string(),
                };
                let end = if ret == 2 && method != "cas" {
                    String::new()
                } else {
                    format!(",\"ret\":{told},\"return\":{end}")
                };
                lines
                    .push(format!(r#"{{"process":{at},"f":"{method}","args":[{args}],"call":{call}{end}}}"#));
            }
            format!(r#"{{"kind":"object","spec":"{spec}","operations":[{}]}}"#, lines.join(","))
        },
    )
}

/// A transaction: its operations by kind, key and value, and its status.
type Drawn = (Vec<(u8, &'static str, i64)>, u8);

/// Transactions in JSON, on registers or a list, with times or without.
fn transactions() -> impl Strategy<Value = String> {
    let op = (0..4u8, prop::sample::select(vec!["x", "y"]), 1..4i64);
    let txn = (prop::collection::vec(op, 1..4), 0..4u8);
    let sessions = prop::collection::vec(prop::collection::vec(txn, 1..3), 1..3);
    (sessions, any::<bool>(), any::<bool>()).prop_map(|(sessions, lists, timed)| {
        let (mut clock, mut next) = (0, 0);
        let mut session = |txns: Vec<Drawn>| {
            let txns: Vec<String> = txns
                .into_iter()
                .map(|(ops, status)| {
                    let mut op = |(kind, key, value): (u8, &'static str, i64)| match (kind, lists) {
                        (0, _) => format!(r#"["r","{key}"]"#),
                        (1, true) => format!(r#"["r","{key}",[{value}]]"#),
                        (1, false) => format!(r#"["r","{key}",{value}]"#),
                        (2, _) => format!(r#"["r","{key}",null]"#),
                        (_, true) => {
                            next += 1;
                            format!(r#"["append","{key}",{next}]"#)
                        }
                        (_, false) => format!(r#"["w","{key}",{value}]"#),
                    };
                    let ops: Vec<String> = ops.into_iter().map(&mut op).collect();
                    clock += 10;
                    let status = match status {
                        0 => r#","status":"aborted""#,
                        1 => r#","status":"unknown""#,
                        _ => "",
                    };
                    let times = match (timed, status.contains("unknown")) {
                        (false, _) => String::new(),
                        (true, true) => format!(r#","begin":{clock}"#),
                        (true, false) => format!(r#","begin":{clock},"end":{}"#, clock + 5),
                    };
                    format!(r#"{{"txn":[{}]{status}{times}}}"#, ops.join(","))
                })
                .collect();
            format!("[{}]", txns.join(","))
        };
        let sessions: Vec<String> = sessions.into_iter().map(&mut session).collect();
        format!(r#"{{"kind":"transactions","sessions":[{}]}}"#, sessions.join(","))
    })
}

/// What transactions say, up to what documents say is dropped: what aborted ones read, and times but for their order.
fn summary(history: &History) -> String {
    let mut times: Vec<i64> = history
        .transactions()
        .filter_map(|txn| history.span(txn))
        .flat_map(|span| [Some(span.begin), span.end])
        .flatten()
        .collect();
    times.sort_unstable();
    let mut text = String::new();
    for session in (0..history.session_count() as u32).map(SessionId) {
        for txn in history.session(session) {
            let rank = |time: i64| times.partition_point(|&before| before < time);
            let span = history.span(txn).map(|span| (rank(span.begin), span.end.map(rank)));
            write!(text, "{:?} {span:?}", history.status(txn)).expect("a string");
            for op in history.ops_of(txn) {
                let key = history.key_name(history.op(op).key());
                let op = match history.op(op) {
                    Op::Read(..) | Op::ReadList(..) if history.status(txn) == Status::Aborted => "?".into(),
                    Op::Unknown(_) => "?".into(),
                    Op::Read(_, value) => format!("r{value:?}"),
                    Op::ReadList(_, []) => "rNone".into(),
                    Op::ReadList(_, list) => format!("r{list:?}"),
                    Op::Write(_, value) => format!("w{value}"),
                    Op::Append(_, value) => format!("a{value}"),
                };
                write!(text, " {key}{op}").expect("a string");
            }
            text.push('\n');
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memories_come_back(text in memory()) {
        let Ok(mut histories) = all(text.clone(), "a.txt", None) else { return Ok(()) };
        let history = histories.remove(0);
        let memory = history.memory().expect("of a memory");
        for format in [Format::Text, Format::Json] {
            let Ok(bytes) = written(memory, &history.labels, format) else { continue };
            let back = all(bytes, "-", Some(format)).expect("what was written").remove(0);
            prop_assert_eq!(shown(back.memory().expect("of a memory")), shown(memory), "{}", text);
            prop_assert_eq!(digest(&back.subject), digest(&history.subject), "{}", text);
        }
    }

    #[test]
    fn objects_come_back(text in object()) {
        let history = all(text.clone(), "a.json", None).expect("well-formed").remove(0);
        let object = history.object().expect("of an object");
        for format in [Format::Json, Format::Edn] {
            let Ok(bytes) = written_object(object, &Labels::default(), format) else { continue };
            let written = String::from_utf8_lossy(&bytes).into_owned();
            let back = all(bytes, "-", Some(format)).expect("what was written").remove(0);
            prop_assert_eq!(shown_object(back.object().expect("of an object")), shown_object(object), "{}", written);
            prop_assert_eq!(digest(&back.subject), digest(&history.subject), "{}", written);
        }
    }

    #[test]
    fn transactions_come_back(text in transactions()) {
        let Ok(mut histories) = all(text.clone(), "a.json", None) else { return Ok(()) };
        let history = histories.remove(0);
        let transactions = history.transactions().expect("of transactions");
        for format in [Format::Json, Format::Edn] {
            let mut writer = Writer::new(Vec::new(), format);
            if write_transactions(&mut writer, transactions, &Labels::default()).is_err() {
                continue;
            }
            let bytes = writer.finish().expect("in memory");
            let written = String::from_utf8_lossy(&bytes).into_owned();
            let options = ReadOptions { format: Some(format), read_as: ReadAs::Transactions, ..ReadOptions::default() };
            let back = read(Cursor::new(bytes), "-", options).expect("recognized").next();
            let back = back.expect("a history").expect("what was written");
            let back_history = &back.transactions().expect("of transactions").history;
            prop_assert_eq!(summary(back_history), summary(&transactions.history), "{}", written);
            if format == Format::Json {
                prop_assert_eq!(digest(&back.subject), digest(&history.subject), "{}", written);
            }
        }
    }
}

//! Random histories in the formats of other tools: what a format can express comes back with the same verdicts, and the rest is refused.

use crate::round::{all, written};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Cursor;
use tribunal_engines::transactions::judge;
use tribunal_formats::{Format, Labels, ReadAs, ReadOptions, Writer, read, write_transactions};
use tribunal_history::memory::{EventId, Execution, LocId};
use tribunal_history::transactions::{Base, History, Level, Op, Status};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// An event of a memory: kind, location, value, whether it has a source, a time.
type Drawn = (u8, u8, u8, bool, Option<u8>);

/// A memory in text: values that may repeat, fences, initial and final values, times; locations and threads by one kind of name or two.
fn memory() -> impl Strategy<Value = String> {
    let event = (0..8u8, 0..3u8, 0..6u8, prop::bool::weighted(0.05), prop::option::weighted(0.1, 0..9u8));
    let threads = prop::collection::vec(prop::collection::vec(event, 1..4), 1..4);
    let names = prop::sample::select(vec![
        ["x", "y", "z"],
        ["v0", "M[7]", "2"],
        ["v1", "M[1]", "3"],
        ["x", "3", "y"],
    ]);
    let ends = (prop::option::weighted(0.1, 0..2u8), prop::option::weighted(0.2, 0..6u8), 0..4u8);
    (threads, names, ends).prop_map(|(threads, locations, (init, last, named))| {
        let mut text = String::new();
        if let Some(init) = init {
            writeln!(text, "init: {}={init}", locations[0]).expect("a string");
        }
        if named == 0 {
            text.push_str("name: a name\n");
        }
        for (at, events) in threads.iter().enumerate() {
            let event = |&(kind, loc, value, from, time): &Drawn| {
                let loc = locations[loc as usize];
                let event = match kind {
                    0 => "F.sc".to_string(),
                    1 if value == 0 => "F.acq".to_string(),
                    1 | 2 => format!("U {loc} {value}>{}", value + 1),
                    3 | 4 => format!("R {loc} {value}{}", if from { " from init" } else { "" }),
                    _ => format!("W.rel {loc} {value}"),
                };
                event + &time.map_or_else(String::new, |time| format!(" @ {time}:{}", time + 3))
            };
            let events: Vec<String> = events.iter().map(event).collect();
            let thread = if named == 1 { ["a", "b", "c"][at].to_string() } else { format!("P{at}") };
            writeln!(text, "{thread}: {}", events.join("; ")).expect("a string");
        }
        if let Some(last) = last {
            writeln!(text, "final: {}={last}", locations[1]).expect("a string");
        }
        text
    })
}

/// An execution up to the names of locations and threads and the orders of accesses.
fn skeleton(x: &Execution) -> String {
    let mut numbers: BTreeMap<LocId, usize> = BTreeMap::new();
    let mut of = |loc: LocId| {
        let next = numbers.len();
        *numbers.entry(loc).or_insert(next)
    };
    let mut lines = vec![format!("{:?}", x.name())];
    for thread in x.threads() {
        lines.push("thread".into());
        for event in x.thread_events(thread).map(EventId) {
            let source = x.rf(event).map(|write| x.slot(write));
            // `P0:1 U.ar x 0>1`
            let shown = x.show(event).to_string();
            let words: Vec<&str> = shown.split(' ').collect();
            let kind = words[1].split('.').next();
            let (loc, values) = (x.loc(event).map(&mut of), words.get(3));
            lines.push(format!("{kind:?} {loc:?} {values:?} from {source:?} {:?}", x.interval(event)));
        }
    }
    let finals: Vec<_> = x.finals().iter().map(|&(loc, write)| (of(loc), x.value(write))).collect();
    lines.push(format!("final {finals:?}"));
    lines.join("\n")
}

/// The verdicts that do not depend on the orders of accesses.
fn verdicts(x: &Execution) -> Vec<Option<bool>> {
    let models = [Model::Sc, Model::Tso, Model::Pso, Model::Coherence, Model::Cc];
    models
        .into_iter()
        .map(|model| match tribunal_engines::memory::check(x, model) {
            Verdict::Consistent(_) => Some(true),
            Verdict::Inconsistent(_) => Some(false),
            _ => None,
        })
        .collect()
}

/// Transactions in JSON on registers, with keys, sessions and values of several kinds.
fn registers() -> impl Strategy<Value = String> {
    let value = prop_oneof![1 => -1..1i64, 20 => 1..4i64];
    let op = (0..6u8, 0..3usize, value);
    let txn = (prop::collection::vec(op, 0..4), 0..30u8);
    let sessions = prop::collection::vec(prop::collection::vec(txn, 0..4), 0..4);
    let keys = prop::sample::select(vec![
        ["\"x\"", "\"y\"", "\"z\""],
        ["3", "1", "2"],
        ["5", "\"y\"", "0"],
        ["-4", "1", "2"],
    ]);
    let init = prop::sample::select(vec!["", "\"init\":0,", "\"init\":1,"]);
    (sessions, keys, init, any::<bool>()).prop_map(|(sessions, keys, init, named)| {
        let txn = |(ops, status): &(Vec<(u8, usize, i64)>, u8)| {
            let op = |&(kind, key, value): &(u8, usize, i64)| match kind {
                0 => format!(r#"["r",{}]"#, keys[key]),
                1 => format!(r#"["r",{},null]"#, keys[key]),
                2 | 3 => format!(r#"["r",{},{value}]"#, keys[key]),
                _ => format!(r#"["w",{},{value}]"#, keys[key]),
            };
            let status = match status {
                0 => r#","status":"unknown""#,
                1..5 => r#","status":"aborted""#,
                _ => "",
            };
            format!(r#"{{"txn":[{}]{status}}}"#, ops.iter().map(op).collect::<Vec<_>>().join(","))
        };
        let session = |(at, txns): (usize, &Vec<_>)| {
            let txns: Vec<String> = txns.iter().map(txn).collect();
            match named {
                true => format!(r#"{{"name":"s{at}","transactions":[{}]}}"#, txns.join(",")),
                false => format!("[{}]", txns.join(",")),
            }
        };
        let sessions: Vec<String> = sessions.iter().enumerate().map(session).collect();
        format!(r#"{{"kind":"transactions",{init}"sessions":[{}]}}"#, sessions.join(","))
    })
}

/// The verdict of every level that does not speak of real time.
fn levels(history: &History) -> Vec<(Level, bool)> {
    let plain = Level::ALL.into_iter().filter(|level| level.base() != Base::Strict);
    plain
        .map(|level| {
            (
                level,
                matches!(
                    judge(history, level, &Limits::default()).0,
                    tribunal_history::transactions::Verdict::Consistent(_)
                ),
            )
        })
        .collect()
}

/// Every operation that says something, up to the names of keys: of aborted transactions, what they wrote, in any order.
fn accesses(history: &History) -> Vec<String> {
    let said = history.transactions().flat_map(|txn| {
        let aborted = history.status(txn) == Status::Aborted;
        let op = move |op| match history.op(op) {
            Op::Write(_, value) => Some(format!("w{value}")),
            Op::Read(..) if aborted => None,
            Op::Read(_, None) => Some("r".into()),
            Op::Read(_, Some(value)) => Some(format!("r{value}")),
            Op::Unknown(_) => None,
            Op::Append(..) | Op::ReadList(..) => Some("a list".into()),
        };
        history
            .ops_of(txn)
            .filter_map(op)
            .map(move |op| format!("{} {op}", if aborted { "aborted" } else { "" }))
    });
    let mut said: Vec<String> = said.collect();
    said.sort_by_key(|op| op.starts_with("aborted"));
    let aborted = said.partition_point(|op| !op.starts_with("aborted"));
    said[aborted..].sort();
    said
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn axe_traces_come_back(text in memory()) {
        let Ok(mut histories) = all(text.clone(), "a.txt", None) else { return Ok(()) };
        let history = histories.remove(0);
        let memory = history.memory().expect("of a memory");
        match written(memory, &Labels::default(), Format::Axe) {
            Ok(bytes) => {
                let trace = String::from_utf8_lossy(&bytes).into_owned();
                let back = all(bytes, "-", Some(Format::Axe)).expect(&trace).remove(0);
                let back = back.memory().expect("of a memory");
                prop_assert_eq!(skeleton(back), skeleton(memory), "{}\n{}", text, trace);
                prop_assert_eq!(verdicts(back), verdicts(memory), "{}\n{}", text, trace);
            }
            Err(error) => {
                let error = error.to_string();
                let named = |names: &[&str]| names.iter().any(|name| text.contains(&format!(" {name} ")) || text.contains(&format!(" {name}=")));
                let mixed = named(&["3"]) && named(&["x", "y"]);
                let why = ["init: ", " from ", "F.acq", "M[1]"].iter().any(|word| text.contains(word));
                prop_assert!(mixed || why, "{}\n{}", text, error);
            }
        }
    }

    #[test]
    fn transactions_of_other_tools_come_back(text in registers()) {
        let Ok(mut histories) = all(text.clone(), "a.json", None) else { return Ok(()) };
        let history = histories.remove(0);
        let transactions = history.transactions().expect("of transactions");
        for format in [Format::Plume, Format::Dbcop, Format::Edn] {
            let mut writer = Writer::new(Vec::new(), format);
            match write_transactions(&mut writer, transactions, &Labels::default()) {
                Ok(()) => {
                    let bytes = writer.finish().expect("in memory");
                    let wrote = String::from_utf8_lossy(&bytes).into_owned();
                    let options = ReadOptions {
                        format: Some(format),
                        read_as: ReadAs::Transactions,
                        ..ReadOptions::default()
                    };
                    let back = read(Cursor::new(bytes), "-", options).expect("recognized").next();
                    let back = back.expect("a history").expect(&wrote);
                    let back = &back.transactions().expect("of transactions").history;
                    prop_assert_eq!(levels(back), levels(&transactions.history), "{}\n{}", text, wrote);
                    if transactions.history.init().is_none() && format == Format::Plume {
                        let zero = |said: Vec<String>| said.into_iter().map(|op| op.replace("r0", "r")).collect::<Vec<_>>();
                        prop_assert_eq!(zero(accesses(back)), zero(accesses(&transactions.history)), "{}\n{}", text, wrote);
                    }
                }
                Err(error) => {
                    let said = accesses(&transactions.history);
                    let zero = said.iter().any(|op| op.ends_with("w0") || op.ends_with("r0"));
                    let unknown = text.contains("unknown");
                    let initial = text.contains("init");
                    let reason = match format {
                        Format::Plume => unknown || initial || zero || said.is_empty(),
                        Format::Edn => unknown || initial || transactions.history.is_empty(),
                        _ => unknown || initial || text.contains('-') || text.ends_with(":[]}"),
                    };
                    prop_assert!(reason, "{}\n{}", text, error);
                }
            }
        }
    }
}

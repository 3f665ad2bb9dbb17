//! Jepsen's workloads: each is read as what it is, or refused by name; and nothing of an input is left out in silence.

use crate::round::{all, operations};
use proptest::prelude::*;
use tribunal_engines::object::check;
use tribunal_formats::certificate::digest;
use tribunal_formats::{History, Notes, ReadAs, Subject, read};
use tribunal_history::object::{Criterion, OpId};

/// A call and its end: process, method, value, type of the end, its value.
type Step<'a> = (u32, &'a str, &'a str, &'a str, &'a str);

/// Events one operation after another.
fn edn(steps: &[Step<'_>]) -> String {
    let event = |(process, f, called, kind, value): &Step<'_>| {
        format!(
            "{{:process {process} :type :invoke :f :{f} :value {called}}}\n\
             {{:process {process} :type :{kind} :f :{f} :value {value}}}\n"
        )
    };
    steps.iter().map(event).collect()
}

fn one(text: &str) -> History {
    let mut histories = all(text, "a.edn", None).expect(text);
    assert_eq!(histories.len(), 1);
    histories.remove(0)
}

/// The specification that a history tells, and whether it is linearizable; or why it is refused.
fn judged(text: &str) -> Result<(String, bool), String> {
    let history = one(text);
    let object = history.object().expect("of an object");
    let spec = object.specification().map_err(|error| error.to_string())?;
    let typed = object.typed("a.edn", &*spec).map_err(|error| error.to_string())?;
    Ok((object.spec.clone(), check(&typed, &Criterion::Linearizable).is_consistent()))
}

#[test]
fn workloads_are_judged() {
    let set = |read: &str| {
        edn(&[(0, "add", "1", "ok", "1"), (1, "add", "2", "ok", "2"), (0, "read", "nil", "ok", read)])
    };
    let unknown = |read: &str| {
        edn(&[(0, "add", "1", "ok", "1"), (1, "add", "2", "info", "2"), (0, "read", "nil", "ok", read)])
    };
    let counter = |read: &str| {
        edn(&[(0, "add", "1", "ok", "1"), (1, "add", "2", "ok", "2"), (0, "read", "nil", "ok", read)])
    };
    let ids = |second: &str| edn(&[(0, "generate", "nil", "ok", "7"), (1, "generate", "nil", "ok", second)]);
    let bank = |last: &str| {
        edn(&[
            (0, "read", "nil", "ok", "{0 10, 1 0}"),
            (1, "transfer", "{:from 0 :to 1 :amount 4}", "ok", "{:from 0 :to 1 :amount 4}"),
            (0, "read", "nil", "ok", last),
        ])
    };
    let causal = |last: &str| {
        edn(&[
            (0, "read-init", "[5 nil]", "ok", "[5 0]"),
            (0, "write", "[5 1]", "ok", "[5 1]"),
            (0, "read", "[5 nil]", "ok", last),
        ])
    };
    let queue = |taken: &str| {
        edn(&[
            (0, "enqueue", "1", "ok", "1"),
            (0, "enqueue", "2", "ok", "2"),
            (1, "dequeue", "nil", "ok", taken),
        ])
    };
    let mutex = |f: &str| edn(&[(0, "acquire", "nil", "ok", "nil"), (1, f, "nil", "ok", "nil")]);
    let register = |seen: &str| {
        edn(&[
            (0, "write", "1", "ok", "1"),
            (1, "cas", "[1 2]", "ok", "[1 2]"),
            (0, "read", "nil", "ok", seen),
        ])
    };
    let keyed = |seen: &str| {
        edn(&[(0, "add", "[\"k\" 1]", "ok", "[\"k\" 1]"), (1, "read", "[\"k\" nil]", "ok", seen)])
    };
    for (spec, right, wrong) in [
        ("grow-set", set("#{1 2}"), set("#{1}")),
        // What a list is written as does not matter, and an element is there once.
        ("grow-set", set("[2 1]"), set("[1 2 2]")),
        ("grow-set", set("(1 2)"), set("#{1 2 3}")),
        // Of an addition whose outcome is unknown either is right.
        ("grow-set", unknown("#{1 2}"), unknown("#{2}")),
        ("grow-set", unknown("#{1}"), unknown("#{}")),
        ("keyed grow-set", keyed("[\"k\" #{1}]"), keyed("[\"k\" #{}]")),
        ("counter", counter("3"), counter("4")),
        ("set", ids("8"), ids("7")),
        ("bank({0:10,1:0})", bank("{0 6, 1 4}"), bank("{0 10, 1 4}")),
        ("keyed cas-register(0)", causal("[5 1]"), causal("[5 0]")),
        ("queue", queue("1"), queue("2")),
        ("mutex", mutex("release"), mutex("acquire")),
        ("cas-register(0)", register("2"), register("1")),
    ] {
        assert_eq!(judged(&right), Ok((spec.to_string(), true)), "{right}");
        assert_eq!(judged(&wrong), Ok((spec.to_string(), false)), "{wrong}");
    }
}

#[test]
fn what_is_not_known_is_asked_for() {
    let add = (0, "add", "1", "ok", "1");
    for (text, named) in [
        (edn(&[add]), "--spec grow-set"),
        (edn(&[add, (1, "read", "nil", "fail", "nil")]), "a counter or a set"),
        // The database makes up what is added.
        (edn(&[(0, "add", "nil", "ok", "{:val 1}"), (1, "read", "nil", "ok", "[{:val 1}]")]), "monotonic"),
        (edn(&[(0, "inc", "3", "ok", "{3 1}"), (1, "read", "{3 nil}", "ok", "{3 1}")]), "monotonic"),
        (edn(&[(0, "write", "1", "ok", "1"), (1, "read", "nil", "ok", "[1 [nil 1]]")]), "sequential"),
        (edn(&[(0, "write", "1", "ok", "1"), (1, "read", "nil", "ok", "#{1}")]), "causal-reverse"),
        (edn(&[(0, "read", "nil", "ok", "1")]), "reads alone"),
        (edn(&[(0, "enqueue", "1", "ok", "1"), (1, "drain", "nil", "ok", "[1]")]), "total-queue"),
        (edn(&[(0, "insert", "[1 [nil 2]]", "ok", "[1 [nil 2]]")]), "G2"),
        (edn(&[(0, "send", "[[:send 1 2]]", "ok", "[[:send 1 2]]")]), "kafka"),
        (
            edn(&[
                (0, "transfer", "{:from 0 :to 1 :amount 4}", "ok", "{:from 0 :to 1 :amount 4}"),
                (0, "read", "nil", "ok", "{0 6, 1 4}"),
            ]),
            "--spec 'bank(",
        ),
        // A set whose additions say nothing.
        (edn(&[add, (1, "contains", "1", "ok", "true")]), "true or false"),
        (edn(&[(0, "jump", "1", "ok", "1")]), "no built-in specification"),
    ] {
        let refused = judged(&text).expect_err(&text);
        assert!(refused.contains(named) && refused.contains("the history calls"), "{text}: {refused}");
    }
    // Who says what it is has it read as that.
    let text = edn(&[add]);
    for (spec, expected) in [("counter", "0: add(1) → null"), ("grow-set", "0: add(1) → null")] {
        let mut histories =
            read(std::io::Cursor::new(text.clone()), "a.edn", None).expect("EDN").read_as(ReadAs::spec(spec));
        let history = histories.next().expect("one").expect("well-formed");
        assert_eq!(operations(&history.object().expect("of an object").history), [expected]);
    }
}

#[test]
fn lists_of_micro_operations_are_transactions() {
    let skew = edn(&[
        (0, "txn", "[[:r :x nil] [:w :y 1]]", "ok", "[[:r :x nil] [:w :y 1]]"),
        (1, "txn", "[[:r :y nil] [:w :x 1]]", "ok", "[[:r :y nil] [:w :x 1]]"),
    ]);
    let long_fork = edn(&[
        (0, "write", "[[:w 1 1]]", "ok", "[[:w 1 1]]"),
        (1, "read", "[[:r 1 nil] [:r 2 nil]]", "ok", "[[:r 1 1] [:r 2 nil]]"),
    ]);
    let nemesis = "{:process :nemesis :type :info :f :start-partition :value nil}\n".repeat(400);
    let late = nemesis + &skew;
    for text in [&skew, &long_fork, &late] {
        assert!(matches!(one(text).subject, Subject::Transactions(_)), "{text}");
    }
    // What others say, and errors, are no transactions.
    let register =
        edn(&[(0, "write", "1", "info", "1")]).replace(":type :info", ":error :txn-aborted, :type :info");
    let nemesis = "{:process :nemesis :type :info :f :kill :value [:read-only [:r1 :n2]]}\n";
    assert!(one(&format!("{nemesis}{register}")).object().is_some());
    let registers = edn(&[(0, "txn", "[[:r :x nil]]", "ok", "[[:r :x 0]]")]);
    let refused = all(registers.clone(), "a.edn", None).expect_err("either").to_string();
    assert!(refused.contains("--spec multi-register") && refused.contains("--model ser"), "{refused}");
    for (read_as, transactions) in [(ReadAs::Transactions, true), (ReadAs::spec("multi-register"), false)] {
        let mut histories =
            read(std::io::Cursor::new(registers.clone()), "a.edn", None).expect("EDN").read_as(read_as);
        let history = histories.next().expect("one").expect("well-formed");
        assert_eq!(history.transactions().is_some(), transactions);
    }
}

#[test]
fn what_a_file_is_does_not_depend_on_how_fast_it_comes() {
    /// Gives one line at a time.
    struct Lines(std::vec::IntoIter<u8>);
    impl std::io::Read for Lines {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let mut length = 0;
            for (to, byte) in into.iter_mut().zip(self.0.by_ref()) {
                (*to, length) = (byte, length + 1);
                if byte == b'\n' {
                    break;
                }
            }
            Ok(length)
        }
    }
    let nemesis = "{:process :nemesis :type :info :f :kill :value nil}\n";
    let text = format!("{nemesis}{nemesis}{}", edn(&[(0, "txn", "[[:w :x 1]]", "ok", "[[:w :x 1]]")]));
    let slow = read(Lines(text.into_bytes().into_iter()), "a.edn", None).expect("EDN").next();
    assert!(slow.expect("one").expect("well-formed").transactions().is_some());
}

#[test]
fn numbers_are_numbers_however_they_are_written() {
    let stale = |process: &str| {
        format!(
            "{{:process 0 :type :invoke :f :txn :value [[:w :x 1]]}}\n{{:process 0 :type :ok :f :txn :value [[:w :x 1]]}}\n\
             {{:process {process} :type :invoke :f :txn :value [[:r :x nil]]}}\n{{:process {process} :type :ok :f :txn :value [[:r :x nil]]}}\n"
        )
    };
    let written = |process: &str| {
        stale(process).replace(":txn", ":write").replace("[[:w :x 1]]", "1").replace("[[:r :x nil]]", "2")
    };
    for process in ["2", "+2", "2N", "+0002"] {
        assert_eq!(one(&stale(process)).subject.len(), 2, "{process}");
        assert_eq!(one(&written(process)).subject.len(), 2, "{process}");
    }
    for process in ["99999999999999999999", "-9223372036854775809N", "+99999999999999999999", "2.5", "1/2"] {
        let number = process.trim_start_matches('+').trim_end_matches('N');
        for text in [stale(process), written(process)] {
            let error = all(text, "a.edn", None).expect_err("no process").to_string();
            let expected = format!(
                "a.edn:3:11: expected a process: a whole number from -2^63 to 2^63 - 1, or a name, found `{number}`"
            );
            assert_eq!(error, expected);
        }
    }
    let json = r#"[{"process":99999999999999999999,"type":"invoke","f":"write","value":1}]"#;
    assert_eq!(
        all(json, "a.json", None).expect_err("no process").to_string(),
        "a.json:1:13: process: a number must be whole and from -2^63 to 2^63 - 1, found `99999999999999999999`"
    );
    let log = "INFO  jepsen.util - 99999999999999999999 :invoke :write 1\n";
    assert!(all(log, "a.log", None).is_err());
    // A large number is a value like any other, and the same one with or without its N.
    let large = edn(&[
        (0, "write", "99999999999999999999", "ok", "99999999999999999999"),
        (1, "read", "nil", "ok", "+99999999999999999999N"),
    ]);
    assert_eq!(judged(&large), Ok(("cas-register(0)".into(), true)));
}

#[test]
fn times_are_kept_and_the_order_is_that_of_the_input() {
    let text = |times: [&str; 4]| {
        format!(
            "{{:process 0 :type :invoke :f :write :value 1 {}}}\n{{:process 0 :type :ok :f :write :value 1 {}}}\n\
             {{:process 1 :type :invoke :f :read :value nil {}}}\n{{:process 1 :type :ok :f :read :value 1 {}}}\n",
            times[0], times[1], times[2], times[3]
        )
    };
    let kept = |times: [&str; 4]| {
        let history = one(&text(times));
        let object = history.object().expect("of an object").history.clone();
        assert!(object.before(OpId(0), OpId(1)), "{times:?}");
        [object.times(OpId(0)), object.times(OpId(1))].map(|times| times.expect("times"))
    };
    assert_eq!(kept([":time 10", ":time 25", ":time 31", ":time 40"]), [(10, Some(25)), (31, Some(40))]);
    // Of equal times the later in the input is the later.
    assert_eq!(kept([":time 10", ":time 25", ":time 25", ":time 25"]), [(10, Some(25)), (26, Some(27))]);
    // Times that go back, or are not there, are none.
    for times in [
        [":time 10", ":time 9", ":time 25", ":time 26"],
        [":time 1", ":time 2", "", ":time 3"],
        ["", "", "", ""],
    ] {
        assert_eq!(kept(times), [(0, Some(1)), (2, Some(3))]);
    }
    let transactions = text([":time 10", ":time 25", ":time 25", ":time 40"])
        .replace(":value 1", ":value [[:w :x 1]]")
        .replace(":value nil", ":value [[:r :x nil]]");
    let history = one(&transactions);
    let history = &history.transactions().expect("of transactions").history;
    let spans: Vec<_> = history
        .transactions()
        .filter_map(|txn| history.span(txn))
        .map(|span| (span.begin, span.end))
        .collect();
    assert_eq!(spans, [(10, Some(25)), (26, Some(40))]);
}

/// An event of a client's operation, or of somebody else.
#[derive(Clone, Debug)]
enum Happening {
    Operation { f: &'static str, end: &'static str, value: Option<i64>, error: bool },
    Other,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let operation = (
        prop::sample::select(vec!["write", "read", "cas"]),
        prop::sample::select(vec!["ok", "fail", "info", ""]),
        prop::option::of(0..4i64),
        any::<bool>(),
    )
        .prop_map(|(f, end, value, error)| Happening::Operation { f, end, value, error });
    prop::collection::vec(prop_oneof![4 => operation, 1 => Just(Happening::Other)], 0..12)
}

/// The history in EDN, JSON and as a log, with how many operations were called and how many events are of others.
fn written(happenings: &[Happening], transactions: bool) -> ([String; 3], u64, u64) {
    let (mut edn, mut json, mut log) = (String::new(), Vec::new(), String::new());
    let (mut called, mut others) = (0, 0);
    for (at, happening) in happenings.iter().enumerate() {
        let Happening::Operation { f, end, value, error } = happening else {
            others += 1;
            edn.push_str("{:process :nemesis, :type :info, :f :kill, :value [\"n1\"]}\n");
            json.push(r#"{"process":"nemesis","type":"info","f":"kill","value":null}"#.to_string());
            log.push_str(":nemesis\t:info\t:kill\tnil\n");
            continue;
        };
        called += 1;
        let (asked, told) = match (transactions, *f, value) {
            (true, "read", value) => (
                "[[:r :x nil]]".into(),
                format!("[[:r :x {}]]", value.map_or("nil".into(), |value| (value + 1).to_string())),
            ),
            (true, _, value) => {
                let write = format!("[[:w :x {}]]", value.unwrap_or(9) + 1);
                (write.clone(), write)
            }
            (false, "read", value) => ("nil".into(), value.map_or("nil".into(), |value| value.to_string())),
            (false, "cas", value) => {
                (format!("[1 {}]", value.unwrap_or(2)), format!("[1 {}]", value.unwrap_or(2)))
            }
            (false, _, value) => (value.unwrap_or(3).to_string(), value.unwrap_or(3).to_string()),
        };
        let f = if transactions { "txn" } else { f };
        let as_json = |value: &str| {
            value
                .replace("nil", "null")
                .replace("] [", "],[")
                .replace(":r :x ", "\"r\",\"x\",")
                .replace(":w :x ", "\"w\",\"x\",")
                .replace(' ', ",")
        };
        for (kind, value) in [("invoke", &asked), (*end, &told)] {
            if kind.is_empty() {
                continue;
            }
            let why = if *error && kind != "invoke" { ", :error :timeout" } else { "" };
            edn.push_str(&format!("{{:process {at}, :type :{kind}, :f :{f}, :value {value}{why}}}\n"));
            json.push(format!(r#"{{"process":{at},"type":"{kind}","f":"{f}","value":{}}}"#, as_json(value)));
            log.push_str(&format!("{at}\t:{kind}\t:{f}\t{value}\n"));
        }
    }
    ([edn, format!("[{}]", json.join(",\n")), log], called, others)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every operation of an input is in the history or counted, whatever the format; or the input is refused.
    #[test]
    fn nothing_is_left_out_in_silence(happenings in happenings(), transactions: bool) {
        let (texts, called, others) = written(&happenings, transactions);
        for (text, name) in texts.into_iter().zip(["a.edn", "a.json", "a.log"]) {
            let Ok(histories) = all(text.clone(), name, None) else {
                prop_assert!(transactions || called + others == 0, "{text}");
                continue;
            };
            let counted = |notes: &Notes| notes.failed + notes.unanswered + notes.nil_reads;
            let mut found = [0, 0];
            for history in &histories {
                let (kept, notes) = match &history.subject {
                    Subject::Object(object) => (object.history.len() as u64, &object.notes),
                    Subject::Transactions(transactions) => (transactions.history.len() as u64, &transactions.notes),
                    Subject::Memory(_) => unreachable!("no memory"),
                };
                found[0] += kept + counted(notes);
                found[1] += notes.others.len() as u64;
                prop_assert_eq!(notes.left_out().is_some(), counted(notes) + notes.others.len() as u64 > 0);
            }
            prop_assert_eq!(found, [called, others], "{}: {}", name, text);
        }
    }
}

/// A partition around the second of three writes, of which the last timed out, and a failed one.
const NEMESIS: &str = r#"
{:process 0, :type :invoke, :f :write, :value 1, :time 10}
{:process 0, :type :ok, :f :write, :value 1, :time 20}
{:process :nemesis, :type :info, :f :start-partition, :value nil, :time 25}
{:process :nemesis, :type :info, :f :start-partition, :value ["n1"], :time 26}
{:process 1, :type :invoke, :f :write, :value 2, :time 30}
{:process 1, :type :ok, :f :write, :value 2, :time 40}
{:process 3, :type :invoke, :f :write, :value 9, :time 41}
{:process 3, :type :fail, :f :write, :value 9, :error :refused, :time 42}
{:process :nemesis, :type :info, :f :stop-partition, :value nil, :time 45}
{:process 2, :type :invoke, :f :write, :value 3, :time 50}
{:process 2, :type :info, :f :write, :value 3, :error [:timeout 5], :time 60}
"#;

#[test]
fn the_nemesis_and_errors_are_kept_with_the_history() {
    let register = NEMESIS.to_string();
    let transactions = register.replace(":f :write, :value 1", ":f :txn, :value [[:w 1 1]]");
    let transactions = transactions.replace(":f :write, :value 2", ":f :txn, :value [[:w 1 2]]");
    let transactions = transactions.replace(":f :write, :value 9", ":f :txn, :value [[:w 1 9]]");
    let transactions = transactions.replace(":f :write, :value 3", ":f :txn, :value [[:w 1 3]]");
    for text in [register, transactions] {
        let history = one(&text);
        let (notes, size) = match &history.subject {
            Subject::Object(object) => (&object.notes, object.history.len()),
            Subject::Transactions(transactions) => (&transactions.notes, transactions.history.len()),
            Subject::Memory(_) => panic!("no memory"),
        };
        assert_eq!(notes.others.iter().map(|event| event.at).collect::<Vec<_>>(), [30, 30, 50]);
        let found = notes.disturbances();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (&*found[0].what, found[0].first, found[0].last),
            ("nemesis start-partition [\"n1\"]", 0, Some(2))
        );
        // What failed is no operation of an object, and an aborted transaction, before that of the last process.
        let aborted = usize::from(size == 4);
        assert_eq!(notes.error_of(2 + aborted as u32), Some("[\"timeout\", 5]"));
        assert_eq!(notes.errors_of.len(), 1 + aborted);
        assert_eq!((notes.error_of(0), notes.errors.len()), (None, 2));
        assert_eq!(notes.of_part([0, 2]).errors_of.iter().map(|(of, _)| *of).collect::<Vec<_>>(), [1]);
    }
}

/// Where an event goes back in time, the history has positions, and times of the nemesis would be on another scale.
#[test]
fn the_nemesis_has_the_times_of_the_history_or_none() {
    let notes = |text: &str| one(text).object().expect("of an object").notes.clone();
    let (sound, back) = (notes(NEMESIS), notes(&NEMESIS.replace(":time 40", ":time 29")));
    assert_eq!((sound.time_of(0), back.time_of(0)), (Some(25), None));
    assert_eq!(back.others.iter().map(|event| event.at).collect::<Vec<_>>(), [2, 2, 6]);
    assert_eq!(back.disturbances(), sound.disturbances());
}

/// Notes are no part of a history: its digest, which certificates carry, is the same without them.
#[test]
fn notes_do_not_change_the_digest() {
    let clients: String =
        NEMESIS.lines().filter(|line| !line.contains(":nemesis")).map(|line| format!("{line}\n")).collect();
    let clients = clients.replace(":error :refused, ", "").replace(":error [:timeout 5], ", "");
    let (with, without) = (one(NEMESIS), one(&clients));
    assert!(!clients.contains("error") && !clients.contains("nemesis"));
    assert_eq!(digest(&with.subject), digest(&without.subject));
}

#[test]
fn logs_tell_the_nemesis_and_errors_too() {
    let text = "0\t:invoke\t:write\t1\n:nemesis\t:info\t:kill\tnil\n0\t:info\t:write\t1\t:timeout\n\
        1\t:invoke\t:write\t2\n1\t:info\t:write\t:crashed\n:nemesis\t:info\t:start\t[\"n1\"]\n";
    let mut histories = all(text, "history.txt", None).expect(text);
    let History { subject: Subject::Object(object), .. } = histories.remove(0) else { panic!("an object") };
    let notes = &object.notes;
    assert_eq!(
        notes.others.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["nemesis kill", "nemesis start [\"n1\"]"]
    );
    assert_eq!((notes.others[0].at, notes.others[1].at), (1, 4));
    assert_eq!((notes.disturbances().len(), notes.disturbances()[0].last), (1, Some(1)));
    assert_eq!((notes.error_of(0), notes.error_of(1)), (Some("timeout"), Some("crashed")));
}

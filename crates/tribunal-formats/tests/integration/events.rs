//! Events one by one: the same as in whole histories, and each as soon as it has come.

use crate::objects::third_party;
use crate::round::operations;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use tribunal_formats::{Action, Error, ErrorKind, Format, Input, ObjectEvent, ReadAs, events, open};
use tribunal_history::object::{History, Value};

fn all(text: &str, name: &str) -> Result<Vec<ObjectEvent>, Error> {
    events(io::Cursor::new(text.to_string()), name, None)?.collect()
}

fn error(text: &str, name: &str) -> String {
    all(text, name).expect_err(text).to_string()
}

/// `line process what`.
fn shown(event: &ObjectEvent) -> String {
    let what = match &event.action {
        Action::Call { method, args } => format!("{method}{}", Value::list(args.iter().cloned())),
        Action::Return(value) => format!("→ {value}"),
        Action::Crash => "crash".into(),
        Action::Withdrawal => "withdrawal".into(),
    };
    format!("{} {} {what}", event.line, event.process)
}

#[test]
fn every_format_gives_events() {
    let edn = "[{:process 0 :type :invoke :f :write :value 3}
{:process :nemesis :type :info :f :kill}
 {:process 1 :type :invoke :f :read :value nil} {:process 1 :type :ok :f :read :value nil}
 {:process 0 :type :info :f :write :value 3} {:process 2 :type :invoke :f :cas :value [3 4]}
 {:process 2 :type :fail :f :cas :value [3 4]}]";
    let expected =
        ["1 0 write[3]", "3 1 read[]", "3 1 withdrawal", "4 0 crash", "4 2 cas[3, 4]", "5 2 withdrawal"];
    let given: Vec<_> = all(edn, "-").expect("well-formed").iter().map(shown).collect();
    assert_eq!(given, expected);
    let json = r#"{"process":0,"type":"invoke","f":"write","value":3}
{"process":"nemesis","type":"info","f":"kill"}
{"process":1,"type":"invoke","f":"read","value":null} {"process":1,"type":"ok","f":"read","value":null}
{"process":0,"type":"info","f":"write","value":3} {"process":2,"type":"invoke","f":"cas","value":[3,4]}
{"process":2,"type":"fail","f":"cas","value":[3,4]}"#;
    let given: Vec<_> = all(json, "-").expect("well-formed").iter().map(shown).collect();
    assert_eq!(given, expected);
    let log = "INFO  jepsen.util - 0 :invoke :cas [1 2]\nWARN  other - [\nINFO  jepsen.util - 0 :fail :cas [1 2]\n\
        INFO  jepsen.util - 1 :invoke :read nil\nINFO  jepsen.util - 1 :ok :read nil";
    let given: Vec<_> = all(log, "-").expect("well-formed").iter().map(shown).collect();
    assert_eq!(given, ["1 0 cas[1, 2]", "3 0 → false", "4 1 read[]", "5 1 → null"]);
}

#[test]
fn arguments_and_returns_may_be_given_as_such() {
    let text = r#"{"process":"a","type":"invoke","f":"put","args":[1,[2]]}
{"process":"nemesis","type":"info","f":"kill","value":null}
{"process":"a","type":"ok","ret":null}
{"process":"b","type":"invoke","f":"get","args":[1]}
{"process":"b","type":"ok","ret":[2]}
{"process":"b","type":"invoke","f":"put","args":[1,2]}
{"process":"b","type":"info"}"#;
    let given: Vec<_> = all(text, "-").expect("well-formed").iter().map(shown).collect();
    let expected = ["1 a put[1, [2]]", "3 a → null", "4 b get[1]", "5 b → [2]", "6 b put[1, 2]", "7 b crash"];
    assert_eq!(given, expected);
    let whole = crate::round::all(text, "a.jsonl", None).expect("well-formed").remove(0);
    assert_eq!(
        operations(&whole.object().expect("of an object").history),
        ["a: put(1, [2]) → null", "b: get(1) → [2]", "b: put(1, 2) pending"]
    );
}

#[test]
fn the_object_is_known_as_soon_as_it_is_sure() {
    let call = |process: u32, f: &str, value: &str| {
        format!("{{:process {process} :type :invoke :f {f} :value {value}}}\n")
    };
    let ok = |process: u32, f: &str, value: &str| call(process, f, value).replace(":invoke", ":ok");
    for (text, spec, keys) in [
        (call(0, ":write", "1"), "cas-register(0)", 0),
        (call(0, ":read", "nil") + &call(1, ":inc", "nil"), "counter", 0),
        (call(0, ":add", "1") + &call(1, ":read", "nil"), "unknown", 0),
        (call(0, ":add", "1") + &call(1, ":read", "nil") + &ok(1, ":read", "7"), "counter", 0),
        (call(0, ":add", "1") + &call(1, ":read", "nil") + &ok(1, ":read", "#{1}"), "grow-set", 0),
        (call(0, ":read", "nil"), "unknown", 0),
        (call(0, ":read", "nil") + &ok(0, ":read", "{0 5}") + &call(0, ":transfer", "{:from 0 :to 0 :amount 1}"), "bank({0:5})", 0),
        (call(0, ":read", "[\"k\" nil]") + &call(1, ":cas", "[\"k\" [1 2]]"), "keyed cas-register(0)", 1),
        (call(0, ":add", "1") + &call(1, ":remove", "1") + &ok(0, ":add", "true"), "set", 0),
        (call(0, ":txn", "[[:r :x nil]]"), "multi-register", 0),
        (call(0, ":jump", "1"), "unknown", 0),
        ("{:process 0 :type :invoke :f :append :key 1 :value 2}{:process 1 :type :invoke :f :put :key 1 :value 2}".into(), "kv-store", 1),
    ] {
        let mut given = events(io::Cursor::new(text.clone()), "-", Some(Format::Edn)).expect("recognized");
        assert_eq!(given.spec().expect("well-formed").as_deref(), Some(spec), "{text}");
        let Some(Ok(ObjectEvent { action: Action::Call { args, .. }, .. })) = given.next() else {
            panic!("no call: {text}")
        };
        assert!(args.len() >= keys, "{text}: {args:?}");
    }
    // A pair is a value where the object has no keys.
    let pairs = call(0, ":enqueue", "[1 2]") + &call(1, ":dequeue", "nil");
    let given = events(io::Cursor::new(pairs.clone()), "-", None).expect("recognized").of("queue");
    let given: Vec<_> = given.map(|event| shown(&event.expect("well-formed"))).collect();
    assert_eq!(given, ["1 0 enqueue[[1, 2]]", "2 1 dequeue[]"]);
    assert_eq!(error(&pairs, "e.edn"), "e.edn:2: missing key \":key\" in an operation, and others have it");
}

#[test]
fn bad_events_name_their_line() {
    let write = "{:process 0 :type :invoke :f :write :value 1}\n";
    for (text, expected) in [
        (
            format!("{write}{write}"),
            "e.edn:2: malformed history: process 0 calls write(1) while its write(1) is still open",
        ),
        (
            format!("{write}{}", write.replace(":invoke", ":ok").replace(":value 1", ":value 2")),
            "e.edn:2: write(1) was called, and write(2) was done: such a history can be checked as a whole, not event by event",
        ),
        (
            "{:process 7 :type :ok}".to_string() + write,
            "e.edn:1:1: process 7 returns, but has no open operation",
        ),
        (format!("[{write}]\n[{write}]"), "e.edn:3: a second history: only the events of one history can be read"),
        (
            "{:process 0 :type :invoke :f :txn :value [[:r :x nil] [:w :y 1]]}\n{:process 0 :type :ok :f :txn :value [[:r :x nil] [:w :y 1]]}".into(),
            "e.edn:2: txn([[\"r\", \"x\", null], [\"w\", \"y\", 1]]) was called, and txn([[\"w\", \"y\", 1]]) was done: such a history can be checked as a whole, not event by event",
        ),
    ] {
        assert_eq!(error(&text, "e.edn"), expected, "{text}");
    }
    let memory = all("T0: W x 1", "-").expect_err("no events");
    assert!(matches!(memory.kind(), ErrorKind::NoEvents { format: Format::Text }), "{memory}");
}

/// A pipe that blocks until something is sent, with what is left of that.
struct Pipe(Receiver<&'static str>, &'static [u8]);

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().map_or(b"", str::as_bytes);
        }
        self.1.read(into)
    }
}

#[test]
fn nothing_is_read_beyond_an_event() {
    for pieces in [
        ["{:process 0 :type :invoke :f :write :value 1}\n", "{:process 0 :type :ok :f :write :value 1}\n"],
        ["[{:process 0 :type :invoke :f :write :value 1}", " {:process 0 :type :ok :f :write :value 1}"],
        [
            "{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":1}\n",
            "{\"process\":0,\"type\":\"ok\",\"f\":\"write\",\"value\":1}\n",
        ],
        ["INFO  jepsen.util - 0 :invoke :write 1\n", "INFO  jepsen.util - 0 :ok :write 1\n"],
    ] {
        let (sender, receiver): (Sender<&'static str>, _) = channel();
        // Only what is there may be asked for: a read too many would wait forever.
        let mut given = {
            sender.send(pieces[0]).expect("a listener");
            events(Pipe(receiver, b""), "-", None).expect("recognized")
        };
        let call = given.next().expect("a call").expect("well-formed");
        assert!(matches!(call.action, Action::Call { .. }), "{pieces:?}");
        sender.send(pieces[1]).expect("a listener");
        let end = given.next().expect("a return").expect("well-formed");
        assert_eq!(end.action, Action::Return(Value::Null), "{pieces:?}");
    }
}

/// An operation as events tell it.
struct Operation {
    process: String,
    method: String,
    args: Vec<Value>,
    call: u64,
    end: Option<(Value, u64)>,
    withdrawn: bool,
}

/// The history that events make.
fn rebuilt(given: impl Iterator<Item = Result<ObjectEvent, Error>>) -> History {
    let mut operations: Vec<Operation> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    for (time, event) in given.enumerate() {
        let ObjectEvent { process, action, .. } = event.expect("well-formed");
        let (process, call) = (process.to_string(), time as u64);
        match action {
            Action::Call { method, args } => {
                open.insert(process.clone(), operations.len());
                let method = method.to_string();
                operations.push(Operation { process, method, args, call, end: None, withdrawn: false });
            }
            Action::Return(value) => operations[open[&process]].end = Some((value, call)),
            Action::Crash => {}
            Action::Withdrawal => operations[open[&process]].withdrawn = true,
        }
    }
    // Of a read without an end nothing is left.
    operations.retain(|op| !op.withdrawn && (op.end.is_some() || !matches!(&*op.method, "read" | "get")));
    let mut builder = History::builder();
    for operation in operations {
        let process = builder.process(&operation.process);
        let op = builder.call(process, &operation.method, &operation.args, operation.call);
        if let Some((value, time)) = operation.end {
            builder.ret(op, value, time);
        }
    }
    builder.build().expect("well-formed")
}

#[test]
fn the_histories_of_others_are_the_same_event_by_event() {
    for path in third_party().into_iter().flatten() {
        let name = path.to_string_lossy().into_owned();
        let whole =
            open(&Input::Path(path.clone()), None).expect("a file").read_as(ReadAs::Object(None)).next();
        let whole = whole.expect("one");
        let whole = whole.expect("well-formed").object().expect("of an object").clone();
        let mut given = events(File::open(&path).expect("a file"), &name, None).expect("recognized");
        let spec = given.spec().expect("well-formed").expect("calls");
        assert!(whole.spec.starts_with(&spec), "{name}: {spec}");
        // Reads of transactions that have not returned are the one thing that differs.
        if spec != "multi-register" {
            assert_eq!(operations(&rebuilt(given)), operations(&whole.history), "{name}");
        } else {
            assert!(given.all(|event| event.is_ok()), "{name}");
        }
    }
}

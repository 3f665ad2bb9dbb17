//! Histories of objects: native JSON, EDN, Jepsen's JSON and logs, there and back.

use crate::round::{all, operations, shown_object, written_object};
use crate::shared::shared;
use std::io;
use std::path::{Path, PathBuf};
use tribunal_formats::certificate::{CertificateError, object};
use tribunal_formats::{ErrorKind, Format, Input, Object, ReadAs, WriteError, open, read};
use tribunal_history::object::{
    AbstractExecution, MalformedHistory, OpId, Violation, Visibility, specs::Register,
};

/// The one object of an input.
fn one(text: &str, name: &str) -> Object {
    let mut histories = all(text, name, None).expect(text);
    assert_eq!(histories.len(), 1, "{text}");
    histories.remove(0).object().expect("of an object").clone()
}

/// The one object of an input that is said to be of one.
fn as_object(text: &str, read_as: ReadAs) -> Object {
    let mut histories = read(io::Cursor::new(text.to_string()), "-", None).expect(text).read_as(read_as);
    histories.next().expect("a history").expect(text).object().expect("of an object").clone()
}

fn error(text: &str, name: &str) -> String {
    all(text, name, None).expect_err(text).to_string()
}

#[test]
fn json_says_everything_in_any_order() {
    let text = r#"{"verdicts":{"weak":true,"causal":null},"operations":[
        {"return":3,"call":0,"ret":[null,-9223372036854775808,[true]],"args":[1,"\u00e9",[]],"f":"put","process":"left","x":{"y":1.5}},
        {"process":7,"f":"get","args":[9223372036854775807],"call":1,"return":null}],
        "extra":[],"name":"both","hb":null,"threads":3,"spec":"map","kind":"object"}"#;
    let histories = all(text, "-", None).expect("well-formed");
    let object = histories[0].object().expect("of an object");
    assert_eq!(
        operations(&object.history),
        [
            "left: put(1, \"\u{e9}\", []) → [null, -9223372036854775808, [true]]",
            "7: get(9223372036854775807) pending"
        ]
    );
    assert_eq!((object.history.name(), object.spec.as_str()), (Some("both"), "map"));
    assert_eq!(object.lines, [2, 3]);
    assert_eq!(object.history.times(OpId(0)), Some((0, Some(3))));
    assert_eq!(histories[0].labels.0, [("weak".into(), Some(true)), ("causal".into(), None)]);
}

#[test]
fn an_explicit_order_takes_the_place_of_times() {
    let text = r#"{"hb":[[0,2]],"kind":"object","spec":"counter","operations":[
        {"process":0,"f":"inc","args":[],"ret":null},{"process":1,"f":"get","args":[],"ret":0},
        {"process":1,"f":"get","args":[]}]}"#;
    let history = one(text, "-").history;
    let before = |a, b| history.before(OpId(a), OpId(b));
    assert!(before(0, 2) && before(1, 2) && !before(0, 1) && history.is_pending(OpId(2)));
}

#[test]
fn bad_objects_in_json_name_the_place_and_the_key() {
    let with = |operation: &str| {
        format!("{{\"kind\":\"object\",\"spec\":\"queue\",\"operations\":[\n{operation}]}}")
    };
    for (text, expected) in [
        ("{\"kind\":\"object\",\"operations\":[]}".into(), "j.json:1:1: missing key \"spec\" in the history"),
        ("{\"kind\":\"object\",\"spec\":\"queue\"}".into(), "j.json:1:1: missing key \"operations\" in the history"),
        ("{\"operations\":{}}".into(), "j.json:1:15: key \"operations\": expected an array, found an object"),
        ("{\"spec\":7}".into(), "j.json:1:9: key \"spec\": expected a string, found a number"),
        (with("{\"f\":\"a\",\"args\":[],\"call\":0}"), "j.json:2:1: missing key \"process\" in the operation"),
        (with("{\"process\":0,\"args\":[],\"call\":0}"), "j.json:2:1: missing key \"f\" in the operation"),
        (with("{\"process\":0,\"f\":\"a\",\"call\":0}"), "j.json:2:1: missing key \"args\" in the operation"),
        (with("{\"process\":0,\"f\":\"a\",\"args\":[],\"call\":0,\"return\":1}"), "j.json:2:1: missing key \"ret\" in the operation"),
        (with("{\"process\":0,\"f\":\"a\",\"args\":[],\"call\":0,\"ret\":1}"), "j.json:2:1: missing key \"return\" in the operation"),
        (with("{\"process\":0,\"f\":\"a\",\"args\":[],\"return\":0,\"ret\":1}"), "j.json:2:1: missing key \"call\" in the operation"),
        (with("{\"process\":0,\"f\":\"a\",\"args\":[]}"), "j.json:2:1: missing key \"call\" in an operation of a history without \"hb\""),
        (with("{\"process\":-1}"), "j.json:2:12: process must be a whole number from 0 to 18446744073709551615, found `-1`"),
        (with("{\"args\":[1.5]}"), "j.json:2:10: args: a number must be whole and from -2^63 to 2^63 - 1, found `1.5`"),
        (with("{\"args\":[9223372036854775808]}"), "j.json:2:10: args: a number must be whole and from -2^63 to 2^63 - 1, found `9223372036854775808`"),
        (with("{\"args\":[-01]}"), "j.json:2:10: expected a number without leading zeros, found `-01]}]}`"),
        (with("{\"ret\":{}}"), "j.json:2:8: key \"ret\": expected null, true, false, a whole number, a string or an array, found an object"),
        (with("{\"call\":-1}"), "j.json:2:9: call must be a whole number from 0 to 18446744073709551615, found `-1`"),
        (with("{\"f\":\"a\",\"f\":\"b\"}"), "j.json:2:14: duplicate key \"f\""),
        (
            with("{\"process\":0,\"f\":\"a\",\"args\":[],\"call\":0,\"return\":3,\"ret\":1},\n{\"process\":0,\"f\":\"b\",\"args\":[],\"call\":1}"),
            "j.json:3: malformed history: process 0 calls b() while its a() is still open",
        ),
        (
            with("{\"process\":0,\"f\":\"a\",\"args\":[],\"call\":5,\"return\":3,\"ret\":1}"),
            "j.json:2: malformed history: 0: a() → 1 returns at 3, which is not after its call at 5",
        ),
        (
            "{\"hb\":[[0,9]],\"kind\":\"object\",\"spec\":\"q\",\"operations\":[{\"process\":0,\"f\":\"a\",\"args\":[]}]}".into(),
            "j.json:1:7: malformed history: hb names operation 9, but there are 1",
        ),
        (
            "{\"hb\":[],\"kind\":\"object\",\"spec\":\"q\",\"operations\":[{\"process\":0,\"f\":\"a\",\"args\":[],\"call\":0}]}".into(),
            "j.json:1:51: the operation has \"call\", but the history has \"hb\": give times or hb, not both",
        ),
    ] {
        assert_eq!(error(&text, "j.json"), expected, "{text}");
    }
    let deep = with(&format!("{{\"args\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000)));
    assert!(error(&deep, "j.json").ends_with("nested more than 128 levels deep"));
}

#[test]
fn types_are_checked_with_the_line() {
    let object = one(
        "{\"kind\":\"object\",\"spec\":\"register\",\"operations\":[\n\n{\"process\":0,\"f\":\"swap\",\"args\":[],\"call\":0}]}",
        "-",
    );
    let error = object.typed("a.json", &Register::default()).expect_err("no such method");
    assert!(matches!(error.kind(), ErrorKind::MalformedObject(MalformedHistory::IllTyped { .. })));
    assert_eq!((error.file(), error.line()), ("a.json", Some(3)));
    let object = one(
        "{\"kind\":\"object\",\"spec\":\"register\",\"operations\":[\n{\"process\":0,\"f\":\"write\",\"args\":[1],\"ret\":true,\"call\":0,\"return\":1}]}",
        "-",
    );
    object.typed("a.json", &Register::default()).expect("a wrong return is for the judge");
}

#[test]
fn edn_is_read_as_jepsen_means_it() {
    let text = "; a comment
        [{:process 0, :type :invoke, :f :write, :value 3, :time 12.5, :error [:a {:b #{1}}]}
         #_ {:process 0 :type :invoke} #_ #_ 1 2
         {:process :nemesis, :type :info, :f :kill, :value {:a 1.5}}
         #jepsen.history.Op{:process 1, :type :invoke, :f :read, :value nil, :index 7}
         {:process 1, :type :ok, :f :read, :value nil} {:process 1 :type :invoke :f :cas :value [3 4]}
         {:process 0 :type :ok :f :write :value 3}
         {:process 1 :type :ok :f :cas :value [3 4]} {:process 0 :type :invoke :f :write :value 5}
         {:process 0 :type :fail :f :write :value 5}
         {:process 0 :type :invoke :f :read :value nil} {:process 0 :type :ok :f :read :value 4}
         {:process 2 :type :invoke :f :write :value 6} {:process 2 :type :info :f :write :value 6 :error :timeout}
         {:process 3 :type :invoke :f :read} {:process 4 :type :invoke :f :cas :value (6 7)}]";
    let object = one(text, "-");
    assert_eq!(object.spec, "cas-register(0)");
    let expected = [
        "0: write(3) → null",
        "1: cas(3, 4) → true",
        "0: read() → 4",
        "2: write(6) pending",
        "4: cas(6, 7) pending",
    ];
    assert_eq!(operations(&object.history), expected);
    assert_eq!(object.lines, [2, 6, 10, 11, 12]);
    assert!(object.history.before(OpId(1), OpId(2)) && !object.history.before(OpId(0), OpId(1)));
}

#[test]
fn methods_tell_the_object() {
    let event = |f: &str, value: &str, ok: &str| {
        format!(
            "{{:process 0 :type :invoke :f {f} :value {value}}} {{:process 0 :type :ok :f {f} :value {ok}}}\n"
        )
    };
    for (text, spec, expected) in [
        (event(":acquire", "nil", "nil"), "mutex", "0: acquire() → null"),
        (event(":enqueue", "1", "1"), "queue", "0: enqueue(1) → null"),
        (event(":dequeue", "nil", "1"), "queue", "0: dequeue() → 1"),
        (event(":push", "1", "nil"), "stack", "0: push(1) → null"),
        (event(":append", "5", "5"), "list", "0: append(5) → null"),
        (event(":add", "5", "5"), "unknown", "0: add(5) → null"),
        (event(":add", "5", "true"), "set", "0: add(5) → true"),
        (event(":write", "[7 1]", "[7 1]"), "keyed cas-register(0)", "0: write(7, 1) → null"),
        (event(":cas", "[7 [1 2]]", "[7 [1 2]]"), "keyed cas-register(0)", "0: cas(7, 1, 2) → true"),
        (event(":cas", "[1 2]", "[1 2]"), "cas-register(0)", "0: cas(1, 2) → true"),
        (event(":read", "#jepsen.independent/tuple [\"k\" nil]", "[\"k\" 2]"), "unknown", "0: read(\"k\") → 2"),
        (event(":fly", "[1]", "[1]"), "unknown", "0: fly([1]) → null"),
        (
            "{:process 0, :type :invoke, :f :get, :key \"7\", :value nil}\n{:process 0, :type :ok, :f :get, :key \"7\", :value \"x\"}".into(),
            "kv-store",
            "0: get(\"7\") → \"x\"",
        ),
    ] {
        let object = one(&text, "-");
        assert_eq!((object.spec.as_str(), operations(&object.history)), (spec, vec![expected.to_string()]), "{text}");
    }
    let transfer = event(":transfer", "{:from 0 :to 1 :amount 5}", "nil");
    let history = as_object(&transfer, ReadAs::spec("bank"));
    assert_eq!(operations(&history.history), ["0: transfer(0, 1, 5) → true"]);
    let txn = event(":txn", "[[:read :x nil] [:w :y 1] [:r :z nil]]", "[[:read :x 3] [:w :y 1] [:r :z nil]]");
    let history = as_object(&txn, ReadAs::Object(None));
    assert_eq!(history.spec, "multi-register({\"x\":0,\"y\":0,\"z\":0})");
    let expected =
        "0: txn([[\"r\", \"x\", null], [\"w\", \"y\", 1]]) → [[\"r\", \"x\", 3], [\"w\", \"y\", 1]]";
    assert_eq!(operations(&history.history), [expected]);
}

#[test]
fn jepsen_in_json_is_told_by_its_shape() {
    let array = r#"[{"index":0,"type":"invoke","process":0,"f":"cas","value":[0,1]},
        {"process":"nemesis","type":"info","f":null,"value":{"a":[1.5]}},
        {"process":0,"type":"ok","f":"cas","value":[0,1]},{"process":1,"type":"invoke","f":"write","value":2}]"#;
    let lines = array.trim_matches(['[', ']']).replace("},\n", "}\n").replace("},{", "}\n{");
    for text in [array, &lines] {
        let object = one(text, "a.json");
        assert_eq!(operations(&object.history), ["0: cas(0, 1) → true", "1: write(2) pending"]);
        assert_eq!(object.spec, "cas-register(0)");
    }
    assert_eq!(
        error("[{\"process\":0,\"f\":\"read\"}]", "a.json"),
        "a.json:1:2: missing key \"type\" in the event"
    );
}

#[test]
fn logs_are_read_line_by_line() {
    let text = "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n\nINFO  jepsen.util - 0\t:ok\t:read\tnil\r\n\
        INFO  jepsen.util - :nemesis :info :start \"any [thing\nWARN  other.logger - what (ever\n\
        INFO  jepsen.util - 1 :invoke :cas [1 2]\nINFO  jepsen.util - 1 :fail :cas [1 2]\n\
        INFO  jepsen.util - 1 :invoke :write 1\nINFO  jepsen.util - 1 :info :write :timed-out\n\
        INFO  jepsen.util - 2 :invoke :read nil\nINFO  jepsen.util - 2 :fail :read :timed-out";
    for name in ["-", "a.log", "a.txt"] {
        let object = one(text, name);
        assert_eq!(object.spec, "cas-register");
        let expected = ["0: read() → null", "1: cas(1, 2) → false", "1: write(1) pending"];
        assert_eq!(operations(&object.history), expected);
        assert_eq!(object.lines, [1, 6, 8]);
    }
}

#[test]
fn bad_events_name_their_line() {
    let map = |process: u32, kind: &str, f: &str| {
        format!("{{:process {process} :type {kind} :f {f} :value nil}}\n")
    };
    let call = map(0, ":invoke", ":write");
    for (text, name, expected) in [
        (
            format!("{call}{call}"),
            "e.edn",
            "e.edn:2: malformed history: process 0 calls write() while its write() is still open",
        ),
        (
            format!("{call}{}{call}", map(0, ":info", ":write")),
            "e.edn",
            "e.edn:3: malformed history: process 0 calls write() while its crashed operation is still open",
        ),
        (map(0, ":ok", ":write"), "e.edn", "e.edn:1:1: process 0 returns, but has no open operation"),
        (
            format!("{call}{}", map(0, ":ok", ":read")),
            "e.edn",
            "e.edn:2:1: a write was called, but a read returns",
        ),
        (
            map(0, ":done", ":write"),
            "e.edn",
            "e.edn:1:19: expected :invoke, :ok, :fail or :info, found `:done :f :write :value nil}`",
        ),
        ("{:process 0 :type :invoke}".into(), "e.edn", "e.edn:1:1: missing key \":f\" in the event"),
        ("{:type :invoke :f :read}".into(), "e.edn", "e.edn:1:1: missing key \":process\" in the event"),
        ("{:process 0 :process 1}".into(), "e.edn", "e.edn:1:1: duplicate key \":process\""),
        ("[{:process 0".into(), "e.edn", "e.edn:1:13: expected `}`, found the end of the input"),
        ("[1]".into(), "e.edn", "e.edn:1:2: expected a map: an event, found `1]`"),
        (
            "hello".into(),
            "e.edn",
            "e.edn:1:1: expected a vector, a list or a map: a history or an event, found `hello`",
        ),
        (
            "{:process 0 :type :invoke :f :cas :value 1}".into(),
            "e.edn",
            "e.edn:1: expected [old new] as the value of cas, found 1",
        ),
        (
            "{:process 0 :type :invoke :f :txn :value [[:inc 1 2]]}".into(),
            "e.edn",
            "e.edn:1:44: expected a micro-operation: [:r k v], [:w k v] or [:append k v], found `:inc`",
        ),
        (
            "{:process 0 :type :invoke :f :put :key 1 :value 1}\n{:process 1 :type :invoke :f :put :value 1}"
                .into(),
            "e.edn",
            "e.edn:2: missing key \":key\" in an operation, and others have it",
        ),
        (
            "INFO  jepsen.util - 0 :invoke :write 3\nhello".into(),
            "l.log",
            "l.log:2:1: expected a log line: INFO, WARN, ERROR, DEBUG or TRACE, found `hello`",
        ),
        (
            "INFO  jepsen.util - 0 :invoke :write\nINFO  jepsen.util - 1 :invoke :read nil".into(),
            "l.log",
            "l.log:1:37: expected a value, found the end of the line",
        ),
        (
            "INFO  jepsen.util - 0 :ok :write 3".into(),
            "l.log",
            "l.log:1:21: process 0 returns, but has no open operation",
        ),
    ] {
        assert_eq!(error(&text, name), expected, "{text}");
    }
    for deep in ["[".repeat(100_000), "#_ ".repeat(100_000), "#_ [".repeat(100_000)] {
        let text = format!("{{:process 0 :value {deep}");
        assert!(error(&text, "e.edn").ends_with("nested more than 128 levels deep"));
    }
}

#[test]
fn what_is_written_is_read_back_the_same() {
    let json = [
        r#"{"kind":"object","name":"n","spec":"map","operations":[{"process":"p q","f":"put","args":[[],"\n\"",true],"ret":-5,"call":7,"return":9},{"process":3,"f":"get","args":[null],"call":8}],"verdicts":{"weak":true,"mr":null}}"#,
        r#"{"kind":"object","spec":"set","operations":[],"hb":[]}"#,
        r#"{"kind":"object","spec":"q","hb":[[0,2],[2,4],[1,4],[3,5]],"operations":[{"process":0,"f":"a","args":[]},{"process":1,"f":"b","args":[],"ret":0},{"process":2,"f":"c","args":[],"ret":0},{"process":0,"f":"d","args":[],"ret":1},{"process":3,"f":"d","args":[],"ret":1},{"process":1,"f":"d","args":[],"ret":1}]}"#,
    ];
    for text in json {
        let history = all(text, "-", None).expect(text).remove(0);
        let object = history.object().expect("of an object");
        let bytes = written_object(object, &history.labels, Format::Json).expect("expressible");
        let back = all(bytes, "-", None).expect("what was written").remove(0);
        assert_eq!(shown_object(back.object().expect("of an object")), shown_object(object));
        assert_eq!(back.labels, history.labels);
    }
    let edn = [
        "[{:process 0, :type :invoke, :f :write, :value nil}\n {:process 7, :type :invoke, :f :cas, :value [0 1]}\n {:process 0, :type :ok, :f :write, :value nil}]\n",
        "[{:process 0, :type :invoke, :f :write, :value [\"a\\n\" 1]}\n {:process 0, :type :ok, :f :write, :value [\"a\\n\" 1]}\n {:process 0, :type :invoke, :f :cas, :value [\"a\" [1 2]]}]\n",
        "[{:process 0, :type :invoke, :f :append, :key \"k\", :value \"v\"}\n {:process 0, :type :ok, :f :append, :key \"k\", :value \"v\"}]\n",
        "[{:process 0, :type :invoke, :f :txn, :value [[\"r\" \"x\" nil] [\"w\" \"y\" 1]]}\n {:process 0, :type :ok, :f :txn, :value [[\"r\" \"x\" 2] [\"w\" \"y\" 1]]}]\n",
        "[{:process 0, :type :invoke, :f :dequeue, :value nil}\n {:process 0, :type :ok, :f :dequeue, :value nil}]\n",
    ];
    for text in edn {
        let object = as_object(text, ReadAs::Object(None));
        let bytes = written_object(&object, &Default::default(), Format::Edn).expect("expressible");
        let written = String::from_utf8(bytes).expect("text");
        assert_eq!(
            shown_object(&as_object(&written, ReadAs::Object(None))),
            shown_object(&object),
            "{written}"
        );
        let mut without_times = written;
        for time in 0..4 {
            without_times = without_times.replace(&format!(", :time {time}"), "");
        }
        assert_eq!(without_times, text);
    }
}

#[test]
fn what_a_format_cannot_say_is_an_error() {
    let object = |spec: &str, operation: &str| {
        one(&format!("{{\"kind\":\"object\",\"spec\":\"{spec}\",\"operations\":[{operation}]}}"), "-")
    };
    let read = "{\"process\":0,\"f\":\"read\",\"args\":[],\"ret\":1,\"call\":0,\"return\":1}";
    let nil = "{\"process\":0,\"f\":\"read\",\"args\":[],\"ret\":null,\"call\":0,\"return\":1}";
    let cas = "{\"process\":0,\"f\":\"cas\",\"args\":[1,2],\"ret\":false,\"call\":0,\"return\":1}";
    let pair = "{\"process\":0,\"f\":\"write\",\"args\":[[1,2]],\"call\":0}";
    for (object, format) in [
        (object("cas-register(0)", read), Format::Axe),
        (object("cas-register(0)", read), Format::Text),
        (object("cas-register(0)", read), Format::Jepsen),
        (object("register", read), Format::Edn),
        (object("cas-register(0)", nil), Format::Edn),
        (object("cas-register(0)", cas), Format::Edn),
        (object("cas-register(0)", pair), Format::Edn),
    ] {
        match written_object(&object, &Default::default(), format) {
            Err(WriteError::Inexpressible { format: named, .. }) => assert_eq!(named, format),
            other => panic!("{other:?}"),
        }
    }
    let memory = all("T0: W x 1", "-", None).expect("well-formed").remove(0);
    let refused = crate::round::written(memory.memory().expect("of a memory"), &memory.labels, Format::Edn);
    assert_eq!(
        refused.expect_err("no memory").to_string(),
        "the edn format cannot express a history of a memory"
    );
}

#[test]
fn certificates_come_back_as_they_were() {
    let text = r#"{"kind":"object","spec":"counter","hb":[],"operations":[{"process":0,"f":"inc","args":[],"ret":null},{"process":1,"f":"get","args":[]}]}"#;
    let history = one(text, "-").history;
    let ops = [OpId(1), OpId(0)];
    for vis in [Visibility::All, Visibility::Sets(vec![vec![], vec![OpId(1)]])] {
        let witness = AbstractExecution { lin: ops.to_vec(), vis };
        let json = object::witness_to_json(&witness);
        assert_eq!(object::witness_from_json(&history, &json), Ok(witness));
    }
    for cut in [None, Some(3)] {
        let violation = Violation { operations: ops.to_vec(), cut };
        let json = object::violation_to_json(&violation);
        assert_eq!(object::violation_from_json(&history, &json), Ok(violation));
    }
    let parsed = |text: &str| serde_json::from_str(text).expect("JSON");
    for (text, expected) in [
        ("{\"lin\":[0]}", "missing key \"vis\" in a witness"),
        ("{\"lin\":[2],\"vis\":\"all\"}", "the history has no operation 2"),
        ("{\"lin\":[-1],\"vis\":\"all\"}", "expected the index of an operation, found `-1`"),
        (
            "{\"lin\":[0],\"vis\":[]}",
            "expected \"all\", or for each operation of lin a list of those visible to it, found an array",
        ),
        ("[]", "expected a witness, found an array"),
    ] {
        let error: CertificateError = object::witness_from_json(&history, &parsed(text)).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
    for (text, expected) in [
        ("{\"operations\":[4294967296]}", "the history has no operation 4294967296"),
        (
            "{\"operations\":[],\"cut\":4}",
            "expected a number of events, no more than the history has, found `4`",
        ),
    ] {
        let error = object::violation_from_json(&history, &parsed(text)).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_history_is_the_same_in_pieces() {
    /// Gives one byte at a time.
    struct Trickle(io::Cursor<Vec<u8>>);
    impl io::Read for Trickle {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = into.len().min(1);
            self.0.read(&mut into[..length])
        }
    }
    for text in [
        r#"{"kind":"object","spec":"map","operations":[{"process":12,"f":"put","args":[-123,"\u0041b",true],"ret":null,"call":10,"return":13}]}"#,
        r#"[{"process":12,"type":"invoke","f":"write","value":123}]"#,
        "; c\n#_ [1] (#x{:process 12 :type :invoke :f :write :value \"a\\u0041\\n\"} {:process 12 :type :ok :f :write :value \\newline})",
        "INFO  jepsen.util - 12 :invoke :write 123\nINFO  jepsen.util - 12 :ok :write 123",
    ] {
        let whole = one(text, "-");
        let mut trickle = read(Trickle(io::Cursor::new(text.into())), "-", None).expect("recognized");
        let trickled = trickle.next().expect("a history").expect("well-formed");
        assert_eq!(shown_object(trickled.object().expect("of an object")), shown_object(&whole));
    }
}

/// The histories that Knossos and Porcupine are tested with.
pub fn third_party() -> Option<Vec<PathBuf>> {
    let root = shared("third-party")?;
    let (mut folders, mut files) = (vec![root.join("knossos"), root.join("porcupine")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension != "tsv"));
    assert!(files.len() >= 36 + 67, "{}", files.len());
    Some(files)
}

#[test]
fn the_histories_of_others_are_read() {
    for path in third_party().into_iter().flatten() {
        let histories: Vec<_> = open(&Input::Path(path), None)
            .expect("a file")
            .read_as(ReadAs::Object(None))
            .collect::<Result<_, _>>()
            .expect("well-formed");
        assert_eq!(histories.len(), 1);
        assert!(histories[0].object().is_some_and(|object| object.spec != "unknown"));
    }
}

#[test]
fn the_corpus_comes_back() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data/object-public.jsonl.zst");
    let histories: Vec<_> =
        open(&Input::Path(path), None).expect("a file").collect::<Result<_, _>>().expect("well-formed");
    assert_eq!(histories.len(), 2000);
    for history in &histories {
        let object = history.object().expect("of an object");
        let bytes = written_object(object, &history.labels, Format::Json).expect("expressible");
        let back = all(bytes, "-", Some(Format::Json)).expect("what was written").remove(0);
        assert_eq!(shown_object(back.object().expect("of an object")), shown_object(object));
        assert_eq!(back.labels, history.labels);
    }
}

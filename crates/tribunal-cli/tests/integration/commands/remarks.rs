//! What is said beside verdicts: that a history is empty, that reads were left out, that nothing was compared, what was meant.

use crate::command::{MP, Place};

const EMPTY: [(&str, &str); 5] = [
    ("e.json", "[]"),
    ("threads.json", r#"{"threads":[]}"#),
    ("operations.json", r#"{"kind":"object","spec":"queue","operations":[]}"#),
    ("e.edn", "[]"),
    ("list.edn", "()"),
];

#[test]
fn an_empty_history_is_warned_of() {
    for (name, text) in EMPTY {
        let place = Place::with(name, text);
        let warning = format!("warning: {name}:1: the history is empty: every model allows it\n");
        for command in [&["check", name][..], &["check", "--style", "brief", name], &["explain", name]] {
            let ran = place.run(command);
            assert_eq!((ran.status, ran.stderr.as_str()), (0, warning.as_str()), "{command:?}");
        }
        let json = place.run(&["check", "--style", "json", name]).stdout;
        let key = r#","warning":"the history is empty: every model allows it"}"#;
        assert!(json.lines().count() > 1 && json.lines().all(|line| line.ends_with(key)), "{json}");
    }
    // No history at all is an error.
    for name in ["e.txt", "e.log", "e.axe"] {
        let ran = Place::with(name, "").run(&["check", name]);
        assert_eq!((ran.status, ran.stderr), (2, format!("error: {name}: empty input: it has no history\n")));
    }
}

#[test]
fn without_labels_nothing_is_compared() {
    let place = Place::with("mp.txt", MP);
    let ran = place.run(&["check", "--expect", "mp.txt"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(ran.stdout, "1 history, 0 verdicts compared, 0 mismatched, 0 unsupported\n");
    assert_eq!(ran.stderr, "error: nothing to compare: no history has a label for a model asked for\n");
    let labelled = r#"{"threads":[{"events":[{"op":"write","loc":"x","value":1}]}],"verdicts":{"sc":true}}"#;
    place.write("labelled.json", labelled);
    assert_eq!(place.run(&["check", "--expect", "labelled.json"]).status, 0);
    assert_eq!(place.run(&["check", "--expect", "mp.txt", "labelled.json"]).status, 0);
    assert_eq!(place.run(&["check", "--expect", "--model", "tso", "labelled.json"]).status, 2);
}

/// A write, and reads after it that say nil.
const NIL: &str =
    "[{:process 0, :type :invoke, :f :write, :value 1} {:process 0, :type :ok, :f :write, :value 1}
 {:process 1, :type :invoke, :f :read, :value nil} {:process 1, :type :ok, :f :read, :value nil}
 {:process 1, :type :invoke, :f :read, :value nil} {:process 1, :type :ok, :f :read, :value nil}]";
const NOTE: &str = "2 reads of nil were left out; --nil-reads keep keeps them";

#[test]
fn reads_of_nil_are_counted_or_kept() {
    let place = Place::with("nil.edn", NIL);
    let dropped = place.run(&["check", "--model", "linearizable", "nil.edn"]);
    let said = format!("nil.edn:1: linearizable: consistent\nnil.edn:1: {NOTE}\n");
    assert_eq!((dropped.status, dropped.stdout), (0, said));
    let kept = ["--nil-reads", "keep", "--model", "linearizable", "nil.edn"];
    let ran = place.run(&[&["check"], &kept[..]].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(!ran.stdout.contains(NOTE) && ran.stdout.contains("read() → null"), "{}", ran.stdout);

    let json = place.run(&["check", "--style", "json", "--witness", "--model", "linearizable", "nil.edn"]);
    assert!(
        json.stdout.contains(r#""events":1,"#) && json.stdout.contains(r#","nil_reads":2,"digest":"sha256-"#),
        "{json:?}"
    );
    assert!(json.stderr.contains(NOTE));
    assert_eq!(place.run_on(&["verify", "nil.edn", "-"], &json.stdout).status, 0);
    // The certificate is about the history as it was read.
    let kept_json = place.run(&[&["check", "--style", "json"], &kept[..]].concat()).stdout;
    assert!(kept_json.contains(r#""events":3,"#) && !kept_json.contains("nil_reads"), "{kept_json}");
    assert_eq!(place.run_on(&["verify", "--nil-reads", "keep", "nil.edn", "-"], &kept_json).status, 0);
    assert_eq!(place.run_on(&["verify", "nil.edn", "-"], &kept_json).status, 1);

    assert!(place.run(&["explain", "nil.edn"]).stdout.starts_with(&format!("nil.edn:1\n{NOTE}\n")));
    assert_eq!(place.run(&[&["explain"], &kept[..]].concat()).status, 1);
    assert!(place.run(&["stats", "nil.edn"]).stdout.contains(NOTE));
    assert!(place.run(&["stats", "--nil-reads", "keep", "nil.edn"]).stdout.contains("operations  3"));
    for command in [
        &["shrink", "nil.edn"][..],
        &["convert", "--to", "json", "nil.edn"],
        &["view", "--output", "nil.html", "nil.edn"],
        &["monitor", "--spec", "cas-register(0)", "nil.edn"],
    ] {
        let ran = place.run(command);
        assert!(ran.status == 0 && ran.stderr.contains(NOTE), "{ran:?}");
        let ran = place.run(&[&command[..1], &["--nil-reads", "keep"], &command[1..]].concat());
        assert!(!ran.stderr.contains(NOTE), "{ran:?}");
        assert_eq!(ran.status, i32::from(matches!(command[0], "shrink" | "monitor")), "{ran:?}");
    }
}

#[test]
fn transactions_lose_their_reads_of_nil_too() {
    let txn = |kind: &str| {
        format!("{{:process 0 :type :{kind} :f :txn :value [[:r :x nil] [:w :y 1] [:r :y nil]]}}")
    };
    let place = Place::with("txn.edn", format!("[{} {}]", txn("invoke"), txn("ok")));
    let ran = place.run(&["check", "--model", "linearizable", "txn.edn"]);
    assert!(ran.status == 0 && ran.stdout.contains(NOTE), "{ran:?}");
    let ran = place.run(&["check", "--nil-reads", "keep", "--model", "linearizable", "txn.edn"]);
    assert_eq!(ran.status, 1, "{ran:?}");
}

#[test]
fn json_is_recognised_whatever_its_name() {
    let memory = r#"{"kind":"memory","threads":[{"events":[{"op":"write","loc":"x","value":1}]}]}"#;
    let object = "[\n {\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":1}]";
    for text in [memory, object] {
        for name in ["a.txt", "a.trib", "a.edn", "a.edn.gz"] {
            let ran = Place::with(name, text).run(&["check", "--style", "brief", name]);
            assert_eq!((ran.status, ran.stdout.as_str()), (0, "OK\n"), "{name}: {}", ran.stderr);
        }
    }
    // What is forced is forced.
    assert_eq!(Place::with("a.txt", memory).run(&["check", "--format", "text", "a.txt"]).status, 2);
    let edn = r#"[{:process 0, :type :invoke, :f "write", :value 1}]"#;
    for name in ["a.edn", "a.txt"] {
        assert_eq!(Place::with(name, edn).run(&["check", "--style", "brief", name]).stdout, "OK\n", "{name}");
    }
}

#[test]
fn unknown_methods_are_named_and_a_specification_is_asked_for() {
    let event = |kind: &str, f: &str| format!("{{:process 0, :type :{kind}, :f :{f}, :value 1}}");
    let events = ["foo", "bar"].map(|f| event("invoke", f) + &event("ok", f)).concat();
    let ran = Place::with("u.edn", format!("[{events}]")).run(&["check", "u.edn"]);
    let error = "error: u.edn:1: the history calls foo, bar: the methods of no built-in specification: \
                 give one, as with --spec\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, error));
    let json = r#"{"kind":"object","spec":"queue","operations":[
        {"process":0,"f":"enqueue","args":[1],"ret":null,"call":0,"return":1},
        {"process":0,"f":"deqeue","args":[],"ret":1,"call":2,"return":3}]}"#;
    let ran = Place::with("u.json", json).run(&["check", "u.json"]);
    let error = "error: u.json:3: malformed history: queue has no method `deqeue` (did you mean `dequeue`?); it has \
                 enqueue, dequeue; the history calls enqueue, deqeue: name its specification with --spec\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, error));
}

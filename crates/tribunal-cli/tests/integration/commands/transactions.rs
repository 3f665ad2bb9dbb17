//! Files of transactions on the command line: verified, converted, described; folders, and formats of others.

use crate::command::Place;

const LOST_UPDATE: &str = r#"{"name":"lost update","init":0,"sessions":[[{"txn":[["r","x",0],["w","x",1]]}],[{"txn":[["r","x",0],["w","x",2]]}]]}
"#;
const REGISTERS: &str = "{:type :invoke, :f :txn, :value [[:w :x 1]], :process 0}\n{:type :ok, :f :txn, :value [[:w :x 1]], :process 0}\n\
    {:type :invoke, :f :txn, :value [[:r :x nil]], :process 1}\n{:type :ok, :f :txn, :value [[:r :x nil]], :process 1}\n";

#[test]
fn certificates_are_accepted_and_what_was_tampered_with_is_not() {
    let place = Place::with("lost.json", LOST_UPDATE);
    let levels = "ser,si,pc,session-rat,tcc,strict-ser,ru";
    let ran = place.run(&["check", "--model", levels, "--style", "json", "--witness", "lost.json"]);
    let ran_on = |lines: &str| place.run_on(&["verify", "lost.json", "-"], lines);
    let verified = ran_on(&ran.stdout);
    assert_eq!(verified.status, 0, "{}{}{}", ran.stdout, verified.stdout, verified.stderr);
    assert!(verified.last_line().starts_with("7 "), "{}", verified.stdout);
    for (from, to, refusal) in [
        ("\"commits\":[[0,0],[1,0]]", "\"commits\":[[0,0]]", "refused"),
        ("\"commits\":[[0,0],[1,0]]", "\"commits\":[[0,0],[7,0]]", "the history has no transaction [7,0]"),
        ("\"rel\":\"ww\"", "\"rel\":\"wx\"", "unknown relation `wx`"),
        (
            "\"model\":\"pc\",\"verdict\":\"consistent\"",
            "\"model\":\"si\",\"verdict\":\"consistent\"",
            "refused",
        ),
        ("\"model\":\"strict-ser\"", "\"model\":\"ser\"", "the level does apply"),
    ] {
        let tampered = ran.stdout.replacen(from, to, 1);
        assert_ne!(tampered, ran.stdout, "{from}");
        let refused = ran_on(&tampered);
        assert_eq!(refused.status, 1, "{from}: {}", refused.stdout);
        assert!(refused.stdout.contains(refusal), "{from}: {}", refused.stdout);
    }
}

#[test]
fn registers_of_jepsen_are_transactions_unless_a_criterion_is_asked_for() {
    let place = Place::with("rw.edn", REGISTERS);
    let ran = place.run(&["check", "--model", "ser,strict-ser", "--style", "json", "--witness", "rw.edn"]);
    assert!(ran.stdout.contains("\"model\":\"ser\",\"verdict\":\"consistent\""), "{}", ran.stdout);
    assert!(ran.stdout.contains("\"model\":\"strict-ser\",\"verdict\":\"inconsistent\""), "{}", ran.stdout);
    // The lines say that they are of transactions.
    assert_eq!(place.run_on(&["verify", "rw.edn", "-"], &ran.stdout).status, 0);
    assert!(place.run(&["stats", "rw.edn"]).stdout.contains("  sessions      2"));
    let ran = place.run(&["check", "--nil-reads", "keep", "--spec", "multi-register", "rw.edn"]);
    assert!(ran.status == 1 && ran.stdout.contains("linearizable"), "{ran:?}");
    assert!(place.run(&["stats", "--format", "elle", "rw.edn"]).stdout.contains("  sessions      2"));
}

#[test]
fn transactions_are_converted() {
    let place = Place::with("lost.json", LOST_UPDATE);
    for (to, name, expected) in [
        ("plume", "lost.plume", "r(0,0,0,1)\nw(0,1,0,1)\nr(0,0,1,2)\nw(0,2,1,2)\n"),
        (
            "edn",
            "lost.edn",
            "; lost update\n{:type :ok, :f :txn, :process 0, :value [[:r :x nil] [:w :x 1]]}\n{:type :ok, :f :txn, :process 1, :value [[:r :x nil] [:w :x 2]]}\n",
        ),
        (
            "dbcop",
            "lost.hist",
            r#"{"params":{"id":0,"n_node":2,"n_variable":1,"n_transaction":1,"n_event":2},"info":"lost update","start":"1970-01-01T00:00:00Z","end":"1970-01-01T00:00:00Z","data":[[{"events":[{"Read":{"variable":0,"version":null}},{"Write":{"variable":0,"version":1}}],"committed":true}],[{"events":[{"Read":{"variable":0,"version":null}},{"Write":{"variable":0,"version":2}}],"committed":true}]]}
"#,
        ),
        (
            "json",
            "same.json",
            "{\"kind\":\"transactions\",\"name\":\"lost update\",\"init\":0,\"sessions\":[[{\"txn\":[[\"r\",\"x\",0],[\"w\",\"x\",1]]}],[{\"txn\":[[\"r\",\"x\",0],[\"w\",\"x\",2]]}]]}\n",
        ),
    ] {
        let ran = place.run(&["convert", "--to", to, "lost.json", "-o", name]);
        assert_eq!((ran.status, &*place.read(name)), (0, expected), "{}", ran.stderr);
        for (level, status) in [("pc", 0), ("si", 1)] {
            let judged = place.run(&["check", "--model", level, name]);
            assert_eq!(judged.status, status, "{to}: {level}: {}{}", judged.stdout, judged.stderr);
        }
    }
    let refused = place.run(&["convert", "--to", "axe", "lost.json"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("the axe format cannot express a history of transactions"),
        "{}",
        refused.stderr
    );
}

#[test]
fn stats_describe_transactions() {
    let place = Place::with(
        "h.json",
        r#"{"sessions":[[{"txn":[["append","l",1],["r","x"]],"begin":1,"status":"unknown"}],[{"txn":[["r","l",[1]]],"begin":2,"end":3},{"txn":[],"begin":4,"end":5}]]}"#,
    );
    let ran = place.run(&["stats", "h.json"]);
    let expected = "h.json:1\n  sessions      2, 1 to 2 transactions each\n  transactions  3, 0 to 2 operations each\n                \
        0 aborted, 1 of unknown outcome, 1 of them read from\n  operations    1 read, 1 append, 1 unknown read\n  keys          2, 1 of them lists\n  \
        initially     nothing is written\n  order         sessions and times, at most 2 transactions open at once\n  values        every read tells its source\n";
    assert_eq!((ran.status, &*ran.stdout), (0, expected));
}

#[test]
fn a_folder_is_a_history() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("store/latest")).expect("a folder");
    place.write("store/latest/history.edn", "{:type :ok, :f :txn, :value [[:append 1 1]], :process 0}\n");
    for command in ["check", "stats", "explain"] {
        let ran = place.run(&[command, "store"]);
        assert_eq!(ran.status, 0, "{command}: {}{}", ran.stdout, ran.stderr);
    }
    std::fs::create_dir_all(place.path("empty")).expect("a folder");
    let ran = place.run(&["check", "empty"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("empty: a folder with no history in it"), "{}", ran.stderr);
}

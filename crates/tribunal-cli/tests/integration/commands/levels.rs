//! Histories of transactions as users ask about them; docs/transactions.md shows what the command prints.

use crate::command::Place;
use crate::commands::documents::compare;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

const LOST_UPDATE: &str = r#"{"kind":"transactions","name":"lost update","sessions":[
 [{"txn":[["r","x",null],["w","x",1]]}],
 [{"txn":[["r","x",null],["w","x",2]]}]]}
"#;

#[test]
fn transactions_are_documented_as_they_are() {
    let compared = compare("docs/transactions.md");
    assert!(compared >= 5, "{compared}");
}

#[test]
fn a_verdict_line_has_the_anomaly() {
    let place = Place::with("lost.json", LOST_UPDATE);
    let ran = place.run(&["check", "--model", "ser,psi,pc", "--style", "json", "lost.json"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let said = |at: usize, key: &str| lines[at][key].as_str().map(str::to_string);
    assert_eq!(said(0, "anomaly").as_deref(), Some("lost update"));
    assert_eq!(said(1, "anomaly").as_deref(), Some("lost update"));
    assert_eq!((said(2, "verdict").as_deref(), said(2, "anomaly")), (Some("consistent"), None));
    let ran = place.run(&["check", "--style", "brief", "lost.json"]);
    assert_eq!(ran.stdout, "NO\n");
}

#[test]
fn several_histories_take_a_few_lines_each() {
    let one = LOST_UPDATE.replace('\n', "");
    let place = Place::with("both.jsonl", format!("{one}\n{}\n", one.replace(r#","w","x",2]"#, "]")));
    let ran = place.run(&["check", "both.jsonl"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines[..3],
        ["lost update (both.jsonl:1)", "  satisfies  session-pc", "  anomaly    lost update (psi)"]
    );
    assert!(lines.len() <= 6, "{}", ran.stdout);
}

#[test]
fn transactions_are_drawn() {
    let place = Place::with("lost.json", LOST_UPDATE);
    let ran = place.run(&["view", "lost.json", "-o", "lost.html", "--svg", "lost.svg", "--dot", "lost.dot"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "lost.html\nlost.svg\nlost.dot\n"), "{}", ran.stderr);
    let page = place.read("lost.html");
    let json = page.split("id=\"document\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let document: Value = serde_json::from_str(json.expect("a document")).expect("JSON");
    assert_eq!((&document["kind"], &document["size"]), (&"transactions".into(), &2.into()));
    assert_eq!(document["answers"].as_array().map(Vec::len), Some(24));
    let shown = &document["answers"][document["shown"].as_u64().expect("an index") as usize];
    assert_eq!((&shown["question"], &shown["heading"]), (&"psi".into(), &"lost update".into()));
    assert_eq!(shown["cycle"].as_array().map(Vec::len), Some(2));
    assert!(place.read("lost.svg").contains("session 0"));
    assert!(place.read("lost.dot").contains("T0"));
}

#[test]
fn a_question_of_another_kind_says_so() {
    let place = Place::with("lost.json", LOST_UPDATE);
    let ran = place.run(&["explain", "--model", "tso", "lost.json"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("this is a model of memories, but the history is of transactions"),
        "{}",
        ran.stderr
    );
    let ran = place.run(&["explain", "--model", "strict-ser", "lost.json"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("have no times"), "{}", ran.stderr);
}

/// What comes line by line is judged as it comes, and the first event that is too much is named.
#[test]
fn transactions_are_monitored() {
    let event = |kind: &str, process: u32, value: &str| {
        format!("{{:type :{kind}, :f :txn, :process {process}, :value [{value}]}}\n")
    };
    let mut events = event("invoke", 0, "[:r x nil] [:r y nil] [:w x 1]");
    events += &event("invoke", 1, "[:r x nil] [:r y nil] [:w y 2]");
    events += &event("ok", 0, "[:r x nil] [:r y nil] [:w x 1]");
    events += &event("ok", 1, "[:r x nil] [:r y nil] [:w y 2]");
    let after: String = (10..300)
        .map(|n| event("invoke", 0, &format!("[:w z {n}]")) + &event("ok", 0, &format!("[:w z {n}]")))
        .collect();
    let place = Place::new();
    let ran = place.run_on(&["monitor", "--model", "ser"], format!("{events}{after}"));
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("-:4: inconsistent (ser), write skew\n"), "{}", ran.stdout);
    let ran = place.run_on(&["monitor", "--model", "si"], format!("{events}{after}"));
    assert_eq!((ran.status, &*ran.stdout, &*ran.stderr), (0, "", ""));
    let ran = place.run_on(&["monitor", "--model", "ser"], "{:type :ok");
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    let ran = place.run_on(&["monitor", "--model", "ser"], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

/// Runs the monitor on lines that come at once, or each after a pause in which all so far is judged.
fn monitored(place: &Place, level: &str, lines: &[String], slowly: bool) -> (i32, String) {
    let mut child =
        place.command(&["monitor", "--model", level]).stdin(Stdio::piped()).spawn().expect("runs");
    let mut pipe = child.stdin.take().expect("piped");
    for line in lines {
        // It may have ended.
        let _ = pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush());
        if slowly {
            std::thread::sleep(Duration::from_millis(120));
        }
    }
    drop(pipe);
    let output = child.wait_with_output().expect("ends");
    let first = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_string();
    (output.status.code().expect("a status"), first)
}

/// How quickly events come makes no difference to what the monitor says.
#[test]
fn a_monitor_of_transactions_does_not_look_at_the_clock() {
    let event = |kind: &str, process: u32, value: &str| {
        format!("{{:type :{kind}, :f :txn, :process {process}, :value [{value}]}}\n")
    };
    // A read returns before its writer is invoked; nobody writes what a read returned; the same with a list; a value is written again after it was read.
    let late = [
        event("invoke", 0, "[:r x nil]"),
        event("ok", 0, "[:r x 1]"),
        event("invoke", 1, "[:w x 1]"),
        event("ok", 1, "[:w x 1]"),
    ];
    let never = [late[0].clone(), late[1].clone(), event("invoke", 1, "[:w x 2]")];
    let list = [
        event("invoke", 0, "[:r x nil]"),
        event("ok", 0, "[:r x [1]]"),
        event("invoke", 1, "[:append x 1]"),
        event("ok", 1, "[:append x 1]"),
    ];
    let again = [
        event("invoke", 0, "[:w x 1] [:w y 1]"),
        event("ok", 0, "[:w x 1] [:w y 1]"),
        event("invoke", 1, "[:r x nil] [:r y nil]"),
        event("ok", 1, "[:r x 1] [:r y nil]"),
        event("invoke", 0, "[:w x 1]"),
        event("ok", 0, "[:w x 1]"),
    ];
    let place = Place::new();
    let expected = [
        (&late[..], "ser", 0, ""),
        (&never, "ser", 1, "-:3: inconsistent (ser), thin air"),
        (&list, "ru", 0, ""),
        (&again, "rat", 1, "-:4: inconsistent (rat), non-monotonic read"),
    ];
    std::thread::scope(|scope| {
        for (lines, level, status, first) in expected {
            for slowly in [false, true] {
                let place = &place;
                scope.spawn(move || {
                    let found = monitored(place, level, lines, slowly);
                    assert_eq!(found, (status, first.to_string()), "{lines:?} slowly: {slowly}");
                });
            }
        }
    });
}

/// The name of an anomaly is verified with its violation.
#[test]
fn a_wrong_anomaly_is_refused() {
    let place = Place::new();
    let history =
        r#"{"sessions":[[{"txn":[["r","x",null],["w","x",1]]}],[{"txn":[["r","x",null],["w","x",2]]}]]}"#;
    place.write("tx.json", history);
    let ran = place.run(&["check", "--model", "si", "--style", "json", "tx.json"]);
    assert!(ran.stdout.contains(r#""anomaly":"lost update""#), "{}", ran.stdout);
    for (anomaly, status) in [("lost update", 0), ("write skew", 1)] {
        place.write("tx.certificates", ran.stdout.replace("lost update", anomaly));
        let ran = place.run(&["verify", "tx.json", "tx.certificates"]);
        assert_eq!(ran.status, status, "{anomaly}: {}{}", ran.stdout, ran.stderr);
    }
    // What is refused is called by its name.
    place.write("tx.certificates", ran.stdout.replace(r#""first":[0,0]"#, r#""first":[1,0]"#));
    let ran = place.run(&["verify", "tx.json", "tx.certificates"]);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("TxnId"), "{}", ran.stdout);
}

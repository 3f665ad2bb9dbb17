//! Histories of transactions as users ask about them; docs/transactions.md shows what the command prints.

use crate::command::Place;
use crate::documents::compare;
use serde_json::Value;

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
    assert_eq!(document["rulings"].as_array().map(Vec::len), Some(24));
    let shown = &document["rulings"][document["shown"].as_u64().expect("an index") as usize];
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

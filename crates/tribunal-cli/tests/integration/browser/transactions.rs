//! The page of transactions.

use crate::browser::driver::key;
use crate::browser::memory::EXPORTED;
use crate::browser::pages::Shown;
use serde_json::{Value, json};

/// Write skew, an aborted transaction and one of unknown outcome.
const SKEW: &str = r#"{"kind":"transactions","name":"write skew","sessions":[
 [{"txn":[["w","x",1],["w","y",1]]},{"txn":[["w","z",1]],"status":"aborted"},{"txn":[["w","z",2]],"status":"unknown"}],
 [{"txn":[["r","x",1],["r","y",1],["w","x",2]]}],
 [{"txn":[["r","x",1],["r","y",1],["w","y",2]]}]]}
"#;

#[test]
fn the_cycle_is_drawn_between_boxes() {
    let Some(shown) = Shown::of("skew.json", SKEW, &[]) else { return };
    shown.wait_text("#question", "ser: inconsistent");
    assert_eq!((shown.text("#size"), shown.text("#heading")), ("5 transactions".into(), String::new()));
    assert!(shown.text("#lines").starts_with("write skew: "), "the anomaly is named once");
    assert_eq!(shown.places("#drawing .event"), [0, 1, 2, 3, 4]);
    assert_eq!(shown.places("#drawing .event.wrong"), [3, 4]);
    assert_eq!((shown.count("#drawing .aborted"), shown.count("#drawing .unknown")), (1, 1));
    assert_eq!((shown.count("#drawing .arrow.wrong.fr"), shown.count("#drawing .op.marked")), (2, 2));
    let steps = shown.count("#lines li");
    shown.browser.press(key::RIGHT);
    shown.wait_text("#count", &format!("step 1 of {steps}"));
    shown.browser.press("r");
    shown.browser.wait("document.querySelector('#drawing .edge.wr') === null");
    shown.browser.hover("#drawing [aria-label='T1']");
    shown.browser.wait("document.querySelector('#details').textContent.includes('aborted')");
    let exported = shown.browser.eval(EXPORTED);
    assert_eq!((&exported["wrong"], &exported["alone"]), (&Value::Null, &json!(true)));
    shown.no_errors();
}

#[test]
fn a_commit_order_is_numbered() {
    let Some(shown) = Shown::of("skew.json", SKEW, &[]) else { return };
    shown.browser.click(".chip[data-question=si]");
    shown.wait_text("#question", "si: consistent");
    shown.wait_for("#drawing .event .turn");
    assert_eq!(shown.count("#drawing .event .turn"), 3);
    assert_eq!(shown.count("#taken li"), 3, "the order is listed");
    assert!(shown.text("#taken li").starts_with("1T0w x 1; w y 1"), "{}", shown.text("#taken li"));
    shown.wait_for("#drawing .edge.ww");
    shown.no_errors();
}

#[test]
fn levels_are_a_table() {
    let Some(shown) = Shown::of("skew.json", SKEW, &[]) else { return };
    assert_eq!(shown.count("#matrix.levels .chip"), 24);
    let below = |level: &str, other: &str| {
        let place =
            |name| format!("document.querySelector('.chip[data-question={name}]').getBoundingClientRect()");
        let (a, b) = (place(level), place(other));
        shown.browser.eval(&format!("{a}.top >= {b}.bottom && Math.abs({a}.left - {b}.left) < 1"))
    };
    assert_eq!((below("session-si", "si"), below("strict-si", "session-si")), (json!(true), json!(true)));
    assert_eq!(below("strict-tcc", "tcc"), true);
    shown.browser.click(".chip[data-question=session-rc]");
    shown.wait_text("#question", "session-rc: consistent");
    shown.no_errors();
}

#[test]
fn a_long_history_opens_at_its_cycle() {
    let txn = |session: i64, at: i64| {
        let key = format!("k{session}");
        let read = if at == 0 { Value::Null } else { json!(at) };
        let mut ops = vec![json!(["r", key, read]), json!(["w", key, at + 1])];
        if at == 700 {
            let (mine, other) = if session == 0 { ("x", "y") } else { ("y", "x") };
            ops.extend([json!(["r", mine, null]), json!(["w", other, 1])]);
        }
        json!({"txn": ops})
    };
    let sessions: Vec<Vec<Value>> =
        (0..2).map(|session| (0..1400).map(|at| txn(session, at)).collect()).collect();
    let history = json!({"kind": "transactions", "name": "long", "sessions": sessions});
    let arguments = ["--model", "session-ser,session-si"];
    let Some(shown) = Shown::of("long.json", history.to_string(), &arguments) else { return };
    shown.wait_text("#question", "session-ser: inconsistent");
    shown.wait_for("#drawing .event.wrong");
    assert_eq!(shown.count("#drawing .event.wrong"), 2);
    assert!(shown.text("#window").contains("1,200 of the 2,800 transactions"), "{}", shown.text("#window"));
    assert!(shown.count("*") < 3000, "{} elements", shown.count("*"));
    shown.no_errors();
}

//! The page of an object.

use crate::driver::key;
use crate::memory::EXPORTED;
use crate::pages::Shown;
use serde_json::{Value, json};

#[test]
fn the_operation_that_nothing_explains_is_marked() {
    let Some(shown) = Shown::example("objects/overtaking.json", &["--model", "linearizable"]) else { return };
    shown.wait_text("#question", "linearizable: inconsistent");
    assert_eq!(shown.text("#size"), "queue, 3 operations");
    assert_eq!(shown.places("#drawing .operation"), [0, 1, 2]);
    assert_eq!(shown.places("#drawing .operation.failing"), [2]);
    assert_eq!(shown.count("#drawing .failing .cross"), 1);
    assert!(shown.places("#drawing .operation.wrong").contains(&2));
    let steps = shown.count("#lines li");
    assert!(steps >= 1);
    shown.browser.press(key::RIGHT);
    shown.wait_text("#count", &format!("step 1 of {steps}"));
    let exported = shown.browser.eval(EXPORTED);
    assert_eq!((&exported["wrong"], &exported["places"]), (&Value::Null, &json!(3)));
    assert_eq!((&exported["painted"], &exported["alone"]), (&json!(true), &json!(true)));
    shown.no_errors();
}

#[test]
fn what_is_visible_to_an_operation_shows_on_hover() {
    let Some(shown) = Shown::example("objects/weak-size.json", &[]) else { return };
    shown.browser.click(".chip[data-question=weak]");
    shown.wait_text("#question", "weak: consistent");
    shown.wait_for("#drawing .point");
    assert_eq!(shown.count("#drawing .turn"), 4);
    assert_eq!(shown.count("#drawing .seen"), 0);
    // size() → 2 is explained by both puts, without the removal between them.
    shown.browser.hover("#drawing [aria-label='1: size() → 2']");
    shown.wait_for("#drawing .operation.seen");
    let seen = shown
        .browser
        .eval("[...document.querySelectorAll('.operation.seen')].map(o => o.getAttribute('aria-label'))");
    assert_eq!(seen, json!(["0: put(1, 0) → null", "0: put(2, 0) → null"]));
    assert!(shown.text("#details").contains("called2"), "{}", shown.text("#details"));
    shown.browser.click(".chip[data-question=hbvis]");
    shown.wait_text("#question", "hbvis: consistent");
    shown.browser.press("p");
    shown.browser.wait("document.querySelector('#drawing .point') === null");
    shown.no_errors();
}

#[test]
fn what_never_returned_is_open_and_what_is_given_as_order_is_drawn() {
    let Some(shown) = Shown::example("objects/pending-write-seen.json", &[]) else { return };
    shown.wait_for("#drawing .operation.pending path.box");
    shown.browser.hover("#drawing .operation.pending");
    shown.browser.wait("document.querySelector('#details').textContent.includes('never')");
    let Some(shown) = Shown::example("objects/order-by-hb.json", &[]) else { return };
    shown.wait_for("#drawing .edge.hb");
    shown.browser.press("b");
    shown.browser.wait("document.querySelector('#drawing .edge.hb') === null");
    shown.no_errors();
}

#[test]
fn a_long_timeline_is_zoomed_and_moved() {
    let operation = |at: u64| {
        let (call, end) = (10 * at, 10 * at + 35);
        json!({"process": at % 6, "f": "write", "args": [at], "ret": null, "call": call, "return": end})
    };
    let operations: Vec<Value> = (0..3000).map(operation).collect();
    let history = json!({"kind": "object", "name": "long", "spec": "register", "operations": operations});
    let Some(shown) = Shown::of("long.json", history.to_string(), &["--model", "linearizable"]) else {
        return;
    };
    shown.wait_for("#drawing .operation .label");
    let nodes = || shown.count("*");
    assert!(nodes() < 2000, "{} elements", nodes());
    let state =
        |what: &str| shown.browser.eval(&format!("tribunal.state.view.{what}")).as_f64().expect("a number");
    let wheel = |event: Value| {
        let script = "document.querySelector('#stage').dispatchEvent(new WheelEvent('wheel', arguments[0]))";
        shown.browser.run(script, &[event]);
    };
    let (before, zoom) = (state("x"), state("zoom"));
    wheel(json!({"deltaY": 400, "shiftKey": true, "cancelable": true}));
    shown.browser.wait(&format!("tribunal.state.view.x > {before}"));
    wheel(json!({"deltaY": 200, "clientX": 500, "clientY": 300, "cancelable": true}));
    shown.browser.wait(&format!("tribunal.state.view.zoom < {zoom}"));
    shown.browser.press("0");
    shown.wait_for("#drawing .operation.far");
    assert!(nodes() < 2000, "{} elements", nodes());
    shown.no_errors();
}

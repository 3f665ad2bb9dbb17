//! The page of an object.

use crate::browser::driver::key;
use crate::browser::memory::EXPORTED;
use crate::browser::pages::Shown;
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

/// A queue whose third operation returns what was never there, with others at the same time and after it.
fn wrong_queue() -> Value {
    let operation = |(process, f, args, ret, call, end): (&str, &str, Value, Value, u64, u64)| json!({"process": process, "f": f, "args": args, "ret": ret, "call": call, "return": end});
    let mut operations: Vec<Value> = [
        ("p10", "enqueue", json!([1]), json!(null), 0, 20),
        ("p9", "enqueue", json!([2]), json!(null), 10, 30),
        ("p2", "dequeue", json!([]), json!(7), 40, 60),
        ("p9", "dequeue", json!([]), json!(1), 45, 70),
        ("p10", "dequeue", json!([]), json!(2), 80, 90),
    ]
    .map(operation)
    .into();
    let more =
        |at: u64| operation(("p2", "enqueue", json!([100 + at]), json!(null), 100 + 10 * at, 105 + 10 * at));
    operations.extend((0..20).map(more));
    json!({"kind": "object", "name": "wrong", "spec": "queue", "operations": operations})
}

/// Its page, on a screen of some size.
fn wrong() -> Option<Shown> {
    let shown = Shown::of("wrong.json", wrong_queue().to_string(), &["--model", "linearizable"])?;
    shown.browser.resize(1280, 800);
    shown.open("");
    Some(shown)
}

#[test]
fn the_longest_partial_linearization_is_drawn_and_listed_with_its_states() {
    let Some(shown) = wrong() else { return };
    shown.wait_text("#question", "linearizable: inconsistent");
    shown.wait_text("#taking", "Longest partial linearization: 3 of 25 operations.");
    assert_eq!(shown.count("#drawing .point"), 3);
    assert_eq!(shown.count("#drawing .turn"), 3);
    assert_eq!(shown.count("#taken li"), 3);
    assert!(shown.text("#taken li:last-child").contains("dequeue() → 1[2]"), "{}", shown.text("#taken"));
    // What cannot be placed, and what was called after it had returned.
    assert_eq!(shown.places("#drawing .operation.unplaced"), [2]);
    assert_eq!(shown.places("#drawing .operation.unreached").first(), Some(&4));
    let rows = "[...document.querySelectorAll('#drawing .process')].map(name => name.textContent)";
    assert_eq!(shown.browser.eval(rows), json!(["p2", "p9", "p10"]));

    shown.browser.hover("#drawing [aria-label='p9: enqueue(2) → null']");
    shown.wait_text("#taking", "Longest partial linearization with enqueue(2) → null: 3 of 25 operations.");
    assert!(shown.text("#details").contains("state after"), "{}", shown.text("#details"));
    assert_eq!(shown.count("#taken [aria-current]"), 1);
    shown.browser.hover("#drawing [aria-label='p2: dequeue() → 7']");
    shown.wait_text(
        "#taking",
        "No partial linearization includes dequeue() → 7. The longest without it: 3 of 25 operations.",
    );
    // The same by keys, for those who do not point.
    shown.browser.hover("#question");
    shown.wait_text("#taking", "Longest partial linearization: 3 of 25 operations.");
    shown.browser.press("l");
    shown.wait_for("#drawing .operation.cursor");
    shown.browser.press(key::ESCAPE);
    shown.browser.wait("document.querySelector('#drawing .operation.cursor') === null");
    shown.no_errors();
}

#[test]
fn the_violation_and_the_strip_lead_to_the_operation_that_cannot_be_placed() {
    let Some(shown) = wrong() else { return };
    shown.wait_for("#strip .marks");
    assert_eq!(shown.browser.eval("document.querySelector('#strip').hidden"), json!(false));
    for _ in 0..8 {
        shown.browser.press("+");
    }
    shown.browser.run(
        "document.querySelector('#stage').dispatchEvent(new WheelEvent('wheel', arguments[0]))",
        &[json!({"deltaY": 4000, "shiftKey": true, "cancelable": true})],
    );
    shown.browser.wait("document.querySelector('#drawing .unplaced') === null");
    shown.browser.click("#violation");
    shown.wait_for("#drawing .operation.unplaced.cursor");
    // To the middle of the history, by the middle of the strip.
    shown.browser.click("#strip");
    shown.browser.wait("document.querySelector('#drawing .unplaced') === null");
    shown.browser.press("v");
    shown.wait_for("#drawing .operation.unplaced.cursor");
    shown.no_errors();
}

#[test]
fn the_keys_of_a_store_are_shown_one_at_a_time() {
    let operation = |at: u64| {
        let (key, value) = (at % 3, at / 3);
        let (f, args) = if at < 6 { ("write", json!([key, value])) } else { ("read", json!([key])) };
        let ret = if at < 6 { json!(null) } else { json!(if key == 1 { 9 } else { 1 }) };
        json!({"process": at % 2, "f": f, "args": args, "ret": ret, "call": 10 * at, "return": 10 * at + 5})
    };
    let operations: Vec<Value> = (0..9).map(operation).collect();
    let history =
        json!({"kind": "object", "name": "store", "spec": "keyed register", "operations": operations});
    let Some(shown) = Shown::of("store.json", history.to_string(), &["--model", "linearizable"]) else {
        return;
    };
    let listed = "[...document.querySelectorAll('#store .chip')].map(chip => chip.textContent)";
    shown.wait_for("#store .chip");
    assert_eq!(shown.browser.eval(listed), json!(["all keys", "key 1no", "key 0yes", "key 2yes"]));
    // The one that fails comes first.
    shown.wait_for("#store .chip[data-key='1'][aria-checked=true]");
    assert_eq!(shown.places("#drawing .operation"), [1, 4, 7]);
    shown.wait_text("#taking", "Longest partial linearization: 2 of 3 operations.");
    shown.browser.press(".");
    shown.browser.wait("location.hash.includes('key=0')");
    assert_eq!(shown.places("#drawing .operation"), [0, 3, 6]);
    shown.wait_text("#taking", "This key is linearizable: 3 of 3 operations.");
    shown.browser.click("#store .chip[data-key=all]");
    shown.browser.wait("document.querySelectorAll('#drawing .operation').length === 9");
    // The violation is of one key: it comes into view.
    shown.browser.click("#store .chip[data-key='2']");
    shown.browser.wait("document.querySelectorAll('#drawing .operation').length === 3");
    shown.browser.click("#violation");
    shown.wait_for("#store .chip[data-key='1'][aria-checked=true]");
    shown.wait_for("#drawing .operation.failing.cursor");
    shown.no_errors();
}

#[test]
fn forty_operations_fit_a_screen_and_a_tap_looks_at_one() {
    let operation = |at: u64| {
        let (call, end) = (10 * at, 10 * at + 35);
        json!({"process": at % 4, "f": "enqueue", "args": [at], "ret": null, "call": call, "return": end})
    };
    let operations: Vec<Value> = (0..40).map(operation).collect();
    let history = json!({"kind": "object", "name": "forty", "spec": "queue", "operations": operations});
    let Some(shown) = Shown::of("forty.json", history.to_string(), &["--model", "linearizable"]) else {
        return;
    };
    shown.browser.resize(1280, 800);
    shown.open("");
    shown.wait_text("#question", "linearizable: consistent");
    assert_eq!(shown.places("#drawing .operation").len(), 40);
    let elided =
        "[...document.querySelectorAll('#drawing .label')].filter(l => l.textContent.includes('…')).length";
    // Nearly all labels are whole.
    assert!(shown.browser.eval(elided).as_u64() <= Some(4));
    let beyond = "[...document.querySelectorAll('#drawing .box')].some(box =>
        box.getBoundingClientRect().right > document.querySelector('#stage').getBoundingClientRect().right)";
    assert_eq!(shown.browser.eval(beyond), json!(false));
    assert_eq!(shown.count("#taken li .after"), 40);

    shown.browser.resize(390, 844);
    shown.open("");
    shown.wait_for("#drawing .operation");
    let wide = "document.documentElement.scrollWidth <= window.innerWidth";
    assert_eq!(shown.browser.eval(wide), json!(true));
    shown.browser.click("#drawing .operation");
    shown.wait_for("#drawing .operation.cursor");
    shown.wait_for("#taken [aria-current]");
    shown.no_errors();
}

/// Bars that are shorter than their labels: no label is cut while the rest of the drawing can be moved to.
#[test]
fn labels_are_whole_where_there_is_room() {
    let operation = |at: u64| json!({"process": at % 2, "f": "enqueue", "args": [at], "ret": null, "call": 2 * at, "return": 2 * at + 1});
    let operations: Vec<Value> = (0..40).map(operation).collect();
    let history = json!({"kind": "object", "name": "one by one", "spec": "queue", "operations": operations});
    let Some(shown) = Shown::of("one.json", history.to_string(), &["--model", "linearizable"]) else {
        return;
    };
    shown.browser.resize(1280, 800);
    shown.open("");
    shown.wait_text("#question", "linearizable: consistent");
    let cut =
        "[...document.querySelectorAll('#drawing .label')].filter(l => l.textContent.includes('…')).length";
    assert_eq!(shown.browser.eval(cut), 0);
    shown.no_errors();
}

/// A partition around the second write, which timed out, and a kill that nothing ends.
const NEMESIS: &str = r#"{:process 0 :type :invoke :f :write :value 1 :time 1}
{:process 0 :type :ok :f :write :value 1 :time 2}
{:process :nemesis :type :info :f :start-partition :value ["n1"] :time 3}
{:process 1 :type :invoke :f :write :value 2 :time 4}
{:process 1 :type :info :f :write :value 2 :error :timeout :time 5}
{:process :nemesis :type :info :f :stop-partition :value nil :time 6}
{:process 0 :type :invoke :f :read :value nil :time 7}
{:process :nemesis :type :info :f :kill :value ["n2"] :time 8}
{:process 0 :type :ok :f :read :value 3 :time 9}
"#;

#[test]
fn what_the_nemesis_did_is_shaded_and_errors_stand_beside_their_operations() {
    let Some(shown) = Shown::of("nemesis.edn", NEMESIS, &["--model", "linearizable"]) else { return };
    shown.wait_for("#drawing .disturbance.named");
    let named = "[...document.querySelectorAll('#drawing .named .did')].map(did => did.textContent)";
    assert_eq!(
        shown.browser.eval(named),
        json!(["nemesis start-partition [\"n1\"]", "nemesis kill [\"n2\"]"])
    );
    assert_eq!(shown.count("#drawing .disturbance:not(.named) rect"), 2);
    shown.browser.hover("#drawing [aria-label='1: write(2) → ? (timeout)']");
    shown.browser.wait("document.querySelector('#details').textContent.includes('start-partition')");
    // The partition was over when the read was called, and the first write before it.
    shown.browser.hover("#drawing [aria-label='0: read() → 3']");
    shown.browser.wait("document.querySelector('#details').textContent.includes('kill')");
    assert!(!shown.text("#details").contains("partition"), "{}", shown.text("#details"));
    assert!(shown.text("#marks").contains("such as the nemesis"), "{}", shown.text("#marks"));
    let exported = shown.browser.eval(EXPORTED);
    assert_eq!((&exported["wrong"], &exported["painted"]), (&Value::Null, &json!(true)));
    shown.no_errors();
}

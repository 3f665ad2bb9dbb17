//! `tribunal litmus`: tests under models, and what becomes of those that cannot be run.

use crate::command::Place;
use serde_json::Value;

const SB: &str = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
const BAD: &str = "X86 BAD\n{}\n P0 ;\n FROB EAX ;\nexists (x=1)\n";

fn place() -> Place {
    let place = Place::with("a.litmus", SB);
    place.write("b.litmus", BAD);
    place.write("c.litmus", SB.replace("exists", "~exists"));
    place
}

#[test]
fn a_bad_test_is_named_and_the_others_are_run() {
    let ran = place().run(&["litmus", "--model", "sc", "a.litmus", "b.litmus", "c.litmus"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    let rows: Vec<&str> = ran.stdout.lines().skip(1).collect();
    assert_eq!(rows, ["a     No    Never 3", "b     -", "c     Ok    Never 3"]);
    assert!(ran.stderr.starts_with("b.litmus:4:2: `FROB EAX`: "), "{}", ran.stderr);
}

#[test]
fn directories_are_searched_and_every_style_says_the_same() {
    let place = place();
    let ran = place.run(&["litmus", "--style", "json", "a.litmus", "c.litmus"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let rows: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(
        (&rows[0]["model"], &rows[0]["verdict"], &rows[1]["verdict"]),
        (&"tso".into(), &"Ok".into(), &"No".into())
    );
    assert_eq!(rows[0]["states"].as_array().map(Vec::len), Some(4));
    let ran = place.run(&["litmus", "--style", "herd", "."]);
    assert_eq!(ran.stdout.matches("Observation SB Sometimes 1 3").count(), 2);
    assert_eq!(ran.status, 2);
}

#[test]
fn models_are_files_too() {
    let place = place();
    place.write("mine.cat", "X86 \"sc\"\nacyclic po | rf | co | fr as sc\n");
    let ran = place.run(&["litmus", "--model", "mine.cat,tso", "a.litmus"]);
    assert_eq!(ran.stdout.lines().nth(1), Some("a     No    Never 3         Ok    Sometimes 4"));
    place.write("mp.litmus", "C mp\n{}\nP0 (atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed); }\nexists (0:r0=1)");
    let ran = place.run(&["litmus", "--model", "mine.cat", "mp.litmus"]);
    let said = ran.stderr.lines().last();
    assert_eq!((ran.status, said), (2, Some("mp.litmus: mine.cat is a model of X86, not of C")));
    let ran = place.run(&["litmus", "--model", "tsoo", "a.litmus"]);
    assert_eq!(ran.status, 2);
    let ran = place.run(&["litmus", "none.litmus"]);
    assert_eq!(ran.status, 2);
}

#[test]
fn what_takes_too_long_is_undecided() {
    let ran = place().run(&["litmus", "--timeout", "0", "a.litmus"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""));
    assert_eq!(ran.stderr.lines().last(), Some("a.litmus: undecided: the time ran out"));
}

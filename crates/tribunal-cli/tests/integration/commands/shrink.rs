//! `tribunal shrink`: what is left is inconsistent, small, and read again.

use crate::command::{ENQUEUES, MP, Place, SEEN, STALE};

/// Message passing among much else.
fn long() -> String {
    let mut text = String::from("name: long\n");
    text += "T0: W z 1; W x 1; R z 1; W z 2; W y 1; R z 2\n";
    text += "T1: R z 1; R y 1; R x 0; R z 2\n";
    text += "T2: W u 1; W u 2; R u 2; R x 1\n";
    text
}

#[test]
fn a_memory_is_shrunk_to_the_events_that_matter() {
    let place = Place::with("long.txt", long());
    let ran = place.run(&["shrink", "--model", "ra", "long.txt"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(ran.stderr, "long (long.txt:1): ra: inconsistent, 4 of 14 left\n");
    assert_eq!(place.run_on(&["check", "--style", "brief", "-m", "ra", "-"], &ran.stdout).stdout, "NO\n");
    let to_json = place.run(&["shrink", "--model", "ra", "-o", "short.json", "long.txt"]);
    assert_eq!((to_json.status, to_json.stdout.as_str()), (1, ""));
    assert_eq!(place.run(&["check", "--style", "brief", "-m", "ra", "short.json"]).stdout, "NO\n");
}

#[test]
fn an_object_is_shrunk_to_the_operations_that_matter() {
    let operations: Vec<String> = (0..40)
        .map(|at| {
            let (f, args, ret) = match at {
                39 => ("dequeue", String::new(), "7".to_string()),
                at => ("enqueue", at.to_string(), "null".to_string()),
            };
            format!(
                r#"{{"process":{},"f":"{f}","args":[{args}],"ret":{ret},"call":{},"return":{}}}"#,
                at % 3,
                2 * at,
                2 * at + 1
            )
        })
        .collect();
    let queue =
        format!(r#"{{"kind":"object","name":"q","spec":"queue","operations":[{}]}}"#, operations.join(","));
    let place = Place::with("q.json", queue);
    let ran = place.run(&["shrink", "q.json"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (1, "q (q.json:1): linearizable: inconsistent, 3 of 40 left\n")
    );
    let checked = place.run_on(&["check", "-m", "linearizable", "--verify", "-"], &ran.stdout);
    assert!(checked.stdout.contains(": linearizable: inconsistent\n"), "{}", checked.stdout);
    let edn = place.run(&["shrink", "--to", "edn", "q.json"]);
    assert_eq!(edn.status, 1, "{edn:?}");
    assert!(edn.stdout.contains(":dequeue"), "{}", edn.stdout);
}

#[test]
fn what_is_consistent_is_left_out() {
    let place = Place::with("a.jsonl", format!("{ENQUEUES}{STALE}"));
    place.write("seen.txt", SEEN);
    let ran = place.run(&["shrink", "a.jsonl"]);
    let said = "\
enqueues (a.jsonl:1): linearizable: consistent, nothing to shrink
stale (a.jsonl:5): linearizable: inconsistent, 2 of 2 left
";
    assert_eq!((ran.status, ran.stderr.as_str()), (1, said));
    let nothing = place.run(&["shrink", "seen.txt"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""));
    assert_eq!(nothing.stderr, "seen (seen.txt:1): sc: consistent, nothing to shrink\n");
}

#[test]
fn undecided_and_bad_usage() {
    let place = Place::with("mp.txt", MP);
    place.write("a.json", STALE);
    let undecided = place.run(&["shrink", "--timeout", "0", "--model", "ra", "mp.txt"]);
    assert_eq!(undecided.status, 3, "{undecided:?}");
    let unfit = place.run(&["shrink", "--model", "ra", "a.json"]);
    assert_eq!(unfit.status, 2);
    assert_eq!(
        unfit.stderr,
        "error: a.json:1: ra: this is a model of memories, but the history is of an object\n"
    );
    assert_eq!(place.run(&["shrink", "missing.txt"]).status, 2);
    assert_eq!(place.run(&["shrink", "--model", "c11", "mp.txt"]).status, 2);
}

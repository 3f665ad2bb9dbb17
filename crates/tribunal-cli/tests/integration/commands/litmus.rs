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
    assert_eq!(ran.stderr.lines().last(), Some("a.litmus: undecided: the time limit was reached"));
}

#[test]
fn races_leave_c_undefined() {
    let race = "C race\n{}\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=1)\n";
    let place = Place::with("race.litmus", race);
    let ran = place.run(&["litmus", "race.litmus"]);
    assert!(ran.stdout.contains("\nUndef\n") && ran.stdout.contains("\nFlag *undef*\n"), "{}", ran.stdout);
    // Where all accesses are atomic there is no race.
    place.write(
        "atomic.litmus",
        "C atomic\n{}\nP0 (atomic_int* x) { atomic_store_explicit(x,1,memory_order_relaxed); }\n\
         P1 (atomic_int* x) { int r0 = atomic_load_explicit(x,memory_order_relaxed); }\nexists (1:r0=1)\n",
    );
    let ran = place.run(&["litmus", "--model", "rc11,rc20,sc", "atomic.litmus", "race.litmus"]);
    assert_eq!(ran.stdout.matches("Undef").count(), 2, "{}", ran.stdout);
}

#[test]
fn names_are_printed_without_their_control_characters() {
    let place = Place::with("n.litmus", SB.replace("SB", "S\u{1b}[31mB"));
    for style in ["herd", "table"] {
        let ran = place.run(&["litmus", "--style", style, "n.litmus"]);
        assert_eq!(ran.status, 0);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
    place.write("bad.litmus", "X86 B\n{}\n P0 ;\n FROB\u{1b}[31m ;\nexists (x=1)\n");
    let ran = place.run(&["litmus", "bad.litmus"]);
    assert!(ran.status == 2 && !ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

#[test]
fn a_litmus_test_given_to_other_commands_is_recognized() {
    let place = place();
    for command in ["check", "view", "explain", "stats", "explore"] {
        let ran = place.run(&[command, "a.litmus"]);
        assert_eq!(ran.status, 2, "{command}");
        assert!(ran.stderr.contains("`tribunal litmus FILE` runs it"), "{command}: {}", ran.stderr);
    }
}

#[test]
fn a_folder_without_tests_and_what_is_no_memory_model_are_errors() {
    let place = place();
    std::fs::create_dir(place.path("empty")).expect("a folder");
    let ran = place.run(&["litmus", "empty"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("empty: there is no file here that ends in .litmus"), "{}", ran.stderr);
    for (name, what) in
        [("ser", "an isolation level of transactions"), ("linearizable", "a criterion of objects")]
    {
        let ran = place.run(&["litmus", "--model", name, "a.litmus"]);
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains(&format!("`{name}` is {what}, no memory model")), "{}", ran.stderr);
    }
}

#[test]
fn an_execution_of_the_outcome_is_drawn() {
    let place = place();
    for (model, word) in [("tso", "allows"), ("sc", "forbids")] {
        let ran = place.run(&["litmus", "--model", model, "--view", "page.html", "a.litmus"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("{model} {word} (0:EAX=0")), "{}", ran.stderr);
        let page = std::fs::read_to_string(place.path("page.html")).expect("a page");
        assert!(page.contains("P0") && page.contains("P1"));
    }
    let ran = place.run(&["litmus", "--view", "page.html", "a.litmus", "c.litmus"]);
    assert!(
        ran.status == 2 && ran.stderr.contains("--view draws one test under one model"),
        "{}",
        ran.stderr
    );
}

/// Inputs that are large in one way keep to their limits.
#[test]
fn large_tests_keep_to_their_limits() {
    let names: Vec<String> = (0..8000).map(|n| format!("x{n};")).collect();
    let place = Place::with(
        "locations.litmus",
        format!("X86 L\n{{}}\n P0 ;\n MOV [x],$1 ;\nlocations [{}]\nexists (x=1)\n", names.join(" ")),
    );
    let ran = place.run(&["litmus", "--timeout", "1", "--max-memory", "200M", "locations.litmus"]);
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    let threads: Vec<String> = (0..60).map(|n| format!("P{n}")).collect();
    let row = |cell: &str| format!(" {} ;\n", vec![cell; 60].join(" | "));
    let mut code = row("MOV EAX,[x]");
    for n in 0..13 {
        code += &row("CMP EAX,$1");
        code += &row(&format!("JNE L{n}"));
        code += &row(&format!("L{n}: MOV [y],$1"));
    }
    code += &row("MOV [x],$1").repeat(200);
    let text = format!("X86 B\n{{}}\n {} ;\n{code}exists (x=1)\n", threads.join(" | "));
    place.write("branches.litmus", text);
    let begin = std::time::Instant::now();
    let ran = place.run(&["litmus", "--timeout", "0.5", "--max-memory", "200M", "branches.litmus"]);
    assert_eq!(ran.status, 3, "{}", ran.stderr);
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

//! `tribunal explain`: word for word on the classic shapes, and what it does with the rest.

use crate::command::{ENQUEUES, LB, MISSED, MP, Place, SB, SEEN, STALE, several};

use std::path::{Path, PathBuf};

/// The histories, and for each command what it prints: a file whose first line is the command and whose last its status.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explain")
}

const COMMANDS: [(&str, &str); 24] = [
    ("sb-sc", "explain --model sc sb.txt"),
    ("sb", "explain sb.txt"),
    ("sb+fences-tso", "explain --model tso sb+fences.txt"),
    ("mp-ra", "explain --model ra mp.txt"),
    ("mp-tso", "explain --model tso mp.txt"),
    ("mp-axe", "explain --model tso mp.axe"),
    ("iriw-sc", "explain --model sc iriw.txt"),
    ("corr", "explain corr.txt"),
    ("lb", "explain lb.txt"),
    ("sb-tso", "explain --model tso sb.txt"),
    ("queue-ryw", "explain --model ryw queue.json"),
    ("atomicity-ra", "explain --model ra atomicity.txt"),
    ("cases-sc", "explain --model sc cases.txt"),
    ("queue", "explain queue.json"),
    ("register-linearizable", "explain --model linearizable register.json"),
    ("map", "explain map.json"),
    ("hb-hbvis", "explain --model hbvis hb.json"),
    ("released-linearizable", "explain --model linearizable released.json"),
    ("sb-sc-tso", "explain --why-not sc --but tso sb.txt"),
    ("mp-tso-pso", "explain --why-not tso --but pso mp.txt"),
    ("iriw-sc-ra", "explain --why-not sc --but ra iriw.txt"),
    ("iriw-sc-cc", "explain --why-not sc --but cc iriw.txt"),
    ("register-linearizable-sequential", "explain --why-not linearizable --but sequential register.json"),
    ("queue-causal-ryw", "explain --why-not causal --but ryw queue.json"),
];

/// With TRIBUNAL_GOLDEN=write the files are written anew: look at the difference before it is kept.
#[test]
fn the_classic_shapes_are_explained_word_for_word() {
    let place = Place::new();
    for file in std::fs::read_dir(directory()).expect("a directory") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|extension| extension != "golden") {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            place.write(name, std::fs::read(&path).expect("a file"));
        }
    }
    for (name, line) in COMMANDS {
        let ran = place.run(&line.split(' ').collect::<Vec<_>>());
        let shown = format!("$ tribunal {line}\n{}status {}\n", ran.stdout, ran.status);
        assert_eq!(ran.stderr, "", "{line}");
        assert!(ran.stdout.lines().count() <= 40, "{shown}");
        let golden = directory().join(format!("{name}.golden"));
        if std::env::var_os("TRIBUNAL_GOLDEN").is_some_and(|what| what == "write") {
            std::fs::write(&golden, &shown).expect("written");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        assert!(shown == expected, "{line}: instead of\n{expected}\nthere is\n{shown}");
    }
}

#[test]
fn the_status_is_the_verdict() {
    let place = Place::with("a.txt", several(&[SEEN, MISSED, MP]));
    place.write("seen.txt", SEEN);
    place.write("queue.json", ENQUEUES);
    place.write("lb.txt", LB);
    for (line, status) in [
        ("explain a.txt", 1),
        ("explain seen.txt", 0),
        ("explain queue.json", 0),
        ("explain --index 0 a.txt", 0),
        ("explain --index 1 a.txt", 1),
        ("explain --model pso --index 2 a.txt", 0),
        ("explain --model ra --timeout 0 --index 2 a.txt", 3),
        ("explain --why-not tso --but pso --index 2 a.txt", 1),
        ("explain --why-not pso --but tso --index 2 a.txt", 0),
        ("explain --why-not sc --but tso --index 2 a.txt", 1),
        ("explain --why-not pso --but rmo --index 2 a.txt", 0),
        ("explain --why-not ra --but rc20 --timeout 0 --index 2 a.txt", 3),
    ] {
        let ran = place.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.status, status, "{line}: {ran:?}");
        assert!(!ran.stdout.is_empty(), "{line}");
    }
    let said = |line: &str| place.run(&line.split(' ').collect::<Vec<_>>()).last_line().to_string();
    assert_eq!(said("explain --why-not sc --but tso --index 2 a.txt"), "tso forbids it as well");
    assert_eq!(
        said("explain --why-not pso --but rmo --index 2 a.txt"),
        "pso and rmo both allow it: there is nothing to explain"
    );
    assert_eq!(
        said("explain --why-not pso --but tso --index 2 a.txt"),
        "it is the other way round: pso allows it, tso forbids it"
    );
}

#[test]
fn lists_of_files_and_models_are_explained_in_order() {
    let place = Place::with("a.txt", several(&[SB, MP]));
    place.write("stale.json", STALE);
    let ran = place.run(&["explain", "a.txt", "stale.json", "missing.txt"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: missing.txt: "), "{}", ran.stderr);
    let titles = ["SB (a.txt:1)\n\nsc: inconsistent", "\nMP (a.txt:5)\n\nsc: inconsistent"];
    let object = "\nstale (stale.json:1)\n\nlinearizable: inconsistent";
    let places = titles.into_iter().chain([object]).map(|title| ran.stdout.find(title));
    let places: Vec<usize> = places.map(|place| place.unwrap_or_else(|| panic!("{}", ran.stdout))).collect();
    assert!(places.is_sorted(), "{}", ran.stdout);
    let ran = place.run(&["explain", "--model", "pso,tso", "--index", "1", "a.txt"]);
    assert_eq!(ran.status, 1);
    let heads: Vec<&str> =
        ran.stdout.lines().filter(|line| line.contains(": ") && !line.starts_with(' ')).collect();
    assert_eq!(
        heads.iter().map(|head| head.split(',').next().unwrap_or_default()).collect::<Vec<_>>(),
        ["pso: consistent", "sc: inconsistent", "tso: inconsistent"]
    );
}

#[test]
fn what_cannot_be_explained_is_an_error_in_one_line() {
    let place = Place::with("a.txt", several(&[SB, MP]));
    place.write("stale.json", STALE);
    for (line, error) in [
        ("explain --index 2 a.txt", "error: --index 2: a.txt has 2 histories, counted from 0\n"),
        (
            "explain --model linearizable a.txt",
            "error: a.txt:1: linearizable: this is a criterion of objects, but the history is of a memory\n",
        ),
        (
            "explain --why-not linearizable --but tso stale.json",
            "error: stale.json:1: tso: this is a model of memories, but the history is of an object\n",
        ),
    ] {
        let ran = place.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.status, ran.stderr.as_str()), (2, error), "{line}");
    }
    for line in [
        "explain --why-not sc a.txt",
        "explain --but sc a.txt",
        "explain --model sc --why-not sc --but tso a.txt",
        "explain --model c11 a.txt",
        "explain missing.txt",
        "explain",
    ] {
        let ran = place.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{line}: {ran:?}");
    }
}

#[test]
fn names_cannot_command_a_terminal() {
    let memory = r#"{"name":"a\u001b[31m","threads":[
  {"name":"T\u001b[31m","events":[{"op":"write","loc":"x\u202e","value":1}]},
  {"name":"U\n","events":[{"op":"read","loc":"x\u202e","value":1},{"op":"read","loc":"x\u202e","value":0}]}]}"#;
    let place = Place::with("a.json", memory);
    let ran = place.run(&["explain", "a.json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{}", ran.stdout);
    let object = r#"{"kind":"object","name":"a\u001b]0;b","spec":"register","operations":[
  {"process":"p\u001b[2J","f":"write","args":["\u202e"],"ret":null,"call":0,"return":1},
  {"process":"q","f":"read","args":[],"ret":"\u001b[31m","call":2,"return":3}]}"#;
    place.write("b.json", object);
    let ran = place.run(&["explain", "b.json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{}", ran.stdout);
}

/// A read that misses a write far back, in a history of many events with long names.
#[test]
fn long_histories_and_long_names_fit_a_screen() {
    let long = "location".repeat(6);
    let mut text = String::from("name: long\n");
    for thread in 0..6 {
        text += &format!("thread{thread}: ");
        for index in 0..200 {
            text += &format!("W {long}{thread} {}; ", index + 1);
            if thread > 0 {
                text += &format!("R {long}{} {}; ", thread - 1, (index + 1).max(2) - 1);
            }
        }
        text += if thread == 5 { "R LOC 200; R LOC 3\n" } else { "W end 1\n" };
        text = text.replace("LOC", &format!("{long}0")).replace("W end", &format!("W end{thread}"));
    }
    let place = Place::with("long.txt", text);
    let ran = place.run(&["explain", "--model", "coherence", "long.txt"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stdout.lines().count() <= 40, "{}", ran.stdout);
    assert!(ran.stdout.contains("more"), "{}", ran.stdout);
}

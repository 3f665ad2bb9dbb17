//! `tribunal check` and its neighbours on histories of objects.

use crate::command::{ENQUEUES, MP, Place, STALE};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn without_a_model_the_strongest_criteria_are_named_and_why_there_is_no_stronger_one() {
    let ran = Place::with("a.json", STALE).run(&["check", "a.json"]);
    let profile = "\
stale (a.json:1)
  strongest  causal, sequential
  fails      hbvis, linearizable
  atomic     write; read is causal

linearizable: inconsistent
  of 4 calls and returns the first 3 are linearizable; then 1: read() → null returns at 3
";
    assert!(ran.stdout.starts_with(profile), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
    let ran = Place::with("a.json", ENQUEUES).run(&["check", "a.json"]);
    let profile = "enqueues (a.json:1)\n  strongest  linearizable\n  atomic     enqueue, dequeue\n";
    assert_eq!((ran.stdout.as_str(), ran.status), (profile, 0));
}

#[test]
fn without_a_model_a_hard_history_takes_little_more_than_its_strongest_criterion() {
    let place = Place::new();
    let generate =
        "generate object --spec queue --operations 40 --processes 4 --implementation delayed --seed 3";
    let generate: Vec<&str> = generate.split(' ').chain(["-o", "q.json"]).collect();
    assert_eq!(place.run(&generate).status, 0);
    let begin = Instant::now();
    let ran = place.run(&["check", "q.json"]);
    // A second for the weak criteria, which take twenty; the rest is for a busy machine.
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    let failing = ran.stdout.lines().find(|line| line.starts_with("  fails")).expect("linearizable fails");
    assert!(failing.contains("linearizable"), "{}", ran.stdout);
    let hint = "undecided after 10 s for the strongest and 1 s for all others; --model all gives each 10 s";
    assert!(ran.last_line().ends_with(hint), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
}

#[test]
fn a_named_criterion_has_a_line_with_witness_or_reason() {
    let place = Place::with("a.jsonl", format!("{STALE}{ENQUEUES}"));
    let ran = place.run(&["check", "--model", "linearizable,causal", "--witness", "a.jsonl"]);
    let reason = "\
stale (a.jsonl:1): linearizable: inconsistent
  of 4 calls and returns the first 3 are linearizable; then 1: read() → null returns at 3
";
    assert!(ran.stdout.starts_with(reason), "{}", ran.stdout);
    assert!(ran.stdout.contains("read() would return 1, not null\n"), "{}", ran.stdout);
    let part = "  no linearization explains these operations:
    0: write(1) → null @ 0:1
    1: read() → null @ 2:3
stale (a.jsonl:1): causal: consistent
  lin:
";
    assert!(ran.stdout.contains(part), "{}", ran.stdout);
    let lin = "
enqueues (a.jsonl:4): linearizable: consistent
  lin:
    1: enqueue(2) → null; 0: enqueue(1) → null; 0: dequeue() → 2
  vis: each operation sees all before it
";
    assert!(ran.stdout.contains(lin), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
}

#[test]
fn json_has_a_line_for_each_criterion() {
    let place = Place::with("a.json", STALE);
    let ran = place.run(&["check", "--style", "json", "a.json"]);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("one JSON object")).collect();
    let said: Vec<_> = lines.iter().map(|line| (line["model"].as_str(), line["verdict"].as_str())).collect();
    let expected = [
        ("weak", "consistent"),
        ("ryw", "consistent"),
        ("mr", "consistent"),
        ("causal", "consistent"),
        ("hbvis", "inconsistent"),
        ("sequential", "consistent"),
        ("linearizable", "inconsistent"),
    ];
    assert_eq!(said, expected.map(|(model, word)| (Some(model), Some(word))));
    let keys = ["file", "index", "name", "engine", "events", "micros"];
    assert!(lines.iter().all(|line| keys.iter().all(|key| line.get(key).is_some())), "{}", ran.stdout);
    assert_eq!(lines[6]["events"], 2);
    assert_eq!(lines[6]["engine"], "collection");
    assert!(lines[6]["violation"]["operations"].is_array(), "{}", ran.stdout);
    let witness = place.run(&["check", "--style", "json", "-m", "causal", "--witness", "a.json"]).stdout;
    let witness: Value = serde_json::from_str(&witness).expect("one JSON object");
    assert_eq!(witness["witness"]["lin"].as_array().map(Vec::len), Some(2));
}

#[test]
fn brief_has_a_word_for_each_history() {
    let place = Place::with("a.jsonl", format!("{STALE}{ENQUEUES}"));
    let words = |arguments: &[&str]| {
        let ran = place.run(&[&["check", "--style", "brief"], arguments, &["a.jsonl"]].concat());
        (ran.stdout, ran.status)
    };
    assert_eq!(words(&["-m", "linearizable"]), ("NO\nOK\n".into(), 1));
    assert_eq!(words(&["-m", "causal,sequential"]), ("OK\nOK\n".into(), 0));
    assert_eq!(words(&[]), ("NO\nOK\n".into(), 1));
}

#[test]
fn axioms_of_ones_own() {
    let place = Place::with("a.jsonl", format!("{STALE}{ENQUEUES}"));
    let ran =
        place.run(&["check", "--axioms", "vis >= po; vis ⊇ vis∘vis", "--axioms", "vis >= hb", "a.jsonl"]);
    assert!(
        ran.stdout.starts_with("stale (a.jsonl:1): vis >= po; vis >= vis.vis: consistent\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\nstale (a.jsonl:1): vis >= hb: inconsistent\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nenqueues (a.jsonl:4): vis >= hb: consistent\n"), "{}", ran.stdout);
    let lines = place
        .run(&["check", "--style", "json", "--witness", "--axioms", "vis >= lin.[read]", "a.jsonl"])
        .stdout;
    assert!(lines.contains(r#""model":"vis >= lin.[read]""#), "{lines}");
    let verified = place.run_on(&["verify", "a.jsonl", "-"], &lines);
    assert_eq!((verified.status, verified.last_line()), (0, "2 certificates accepted, 0 refused, 0 skipped"));
    let bad = place.run(&["check", "--axioms", "vis >= rf", "a.jsonl"]);
    assert_eq!(bad.status, 2);
    assert!(bad.stderr.contains("column 8"), "{}", bad.stderr);
}

#[test]
fn models_of_memories_do_not_apply_to_objects_nor_the_reverse() {
    let place = Place::with("a.json", STALE);
    place.write("mp.txt", MP);
    let ran = place.run(&["check", "--model", "tso,causal", "a.json", "mp.txt"]);
    let object = "\
stale (a.json:1): tso: does not apply: this is a model of memories, but the history is of an object
stale (a.json:1): causal: consistent
";
    assert!(ran.stdout.starts_with(object), "{}", ran.stdout);
    let memory = "MP (mp.txt:1): causal: does not apply: this is a criterion of objects, but the history is of a memory\n";
    assert!(ran.stdout.ends_with(memory), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
    let nothing = place.run(&["check", "--model", "tso", "a.json"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.starts_with("error: no model asked for applies to any history: tso: "),
        "{}",
        nothing.stderr
    );
    let both = place.run(&["check", "a.json", "mp.txt"]);
    assert!(both.stdout.contains("  strongest  causal, sequential\n"), "{}", both.stdout);
    assert!(both.stdout.contains(" relaxed history\n"), "{}", both.stdout);
}

#[test]
fn engines_of_objects_are_chosen_by_name() {
    let place = Place::with("a.jsonl", format!("{STALE}{ENQUEUES}"));
    for (engine, models) in [
        ("collection", "linearizable"),
        ("search", "linearizable,sequential"),
        ("wing-gong", "linearizable"),
        ("minimal", "weak,causal,hbvis"),
        ("naive", "weak,causal,hbvis"),
    ] {
        let ran =
            place.run(&["check", "--style", "json", "--verify", "--engine", engine, "-m", models, "a.jsonl"]);
        assert!(
            ran.stdout.lines().all(|line| line.contains(&format!(r#""engine":"{engine}""#))),
            "{}",
            ran.stdout
        );
        assert!(ran.stderr.ends_with(", 0 refused\n"), "{}", ran.stderr);
    }
    let wrong = place.run(&["check", "--engine", "naive", "-m", "linearizable", "a.jsonl"]);
    let why = "error: --engine naive: linearizable is decided by collection, search, wing-gong\n";
    assert_eq!((wrong.status, wrong.stderr.as_str()), (2, why));
    let nothing = place.run(&["check", "--engine", "sat", "a.jsonl"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.contains("--engine sat decides nothing about such histories"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn another_specification_may_be_given() {
    let place = Place::with("a.json", STALE);
    let brief = |spec: &str| {
        place.run(&["check", "--style", "brief", "-m", "linearizable", "--spec", spec, "a.json"])
    };
    assert_eq!(brief("register").stdout, "NO\n");
    assert_eq!(brief("register(1)").stdout, "NO\n");
    let unknown = brief("cupboard");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.starts_with("error: --spec cupboard: "), "{}", unknown.stderr);
    let missing = brief("missing.spec");
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.starts_with("error: missing.spec: "), "{}", missing.stderr);
}

#[test]
fn every_verdict_of_the_corpus_is_the_label_and_verifies() {
    let corpus =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data/object-public.jsonl.zst");
    let corpus = corpus.to_str().expect("UTF-8");
    let place = Place::new();
    let ran = place.run(&["check", "--expect", "--verify", corpus]);
    let all = "2000 histories, 14000 verdicts compared, 0 mismatched, 0 unsupported, 14000 certificates verified, 0 refused\n";
    assert_eq!((ran.stdout.as_str(), ran.status), (all, 0), "{}", ran.stderr);
    let lines = place.run(&["check", "--style", "json", "--witness", corpus]).stdout;
    assert_eq!(lines.lines().count(), 14000);
    place.write("certificates", lines);
    let verified = place.run(&["verify", corpus, "certificates"]);
    assert_eq!(
        (verified.last_line(), verified.status),
        ("14000 certificates accepted, 0 refused, 0 skipped", 0)
    );
}

#[test]
fn a_tampered_certificate_is_refused() {
    let place = Place::with("a.json", ENQUEUES);
    let line = place.run(&["check", "--style", "json", "--witness", "-m", "linearizable", "a.json"]).stdout;
    let verify = |line: &str| place.run_on(&["verify", "a.json", "-"], line);
    assert_eq!(verify(&line).last_line(), "1 certificate accepted, 0 refused, 0 skipped");
    assert!(line.contains(r#""lin":[1,0,2]"#), "{line}");
    for (from, to) in [
        ("[1,0,2]", "[0,1,2]"),
        ("[1,0,2]", "[1,0]"),
        ("[1,0,2]", "[1,0,2,2]"),
        ("[1,0,2]", "[1,0,7]"),
        (r#""events":3"#, r#""events":4"#),
        (r#""verdict":"consistent""#, r#""verdict":"inconsistent""#),
        (r#""model":"linearizable""#, r#""model":"tso""#),
    ] {
        let ran = verify(&line.replace(from, to));
        assert_eq!(
            (ran.status, ran.last_line()),
            (1, "0 certificates accepted, 1 refused, 0 skipped"),
            "{to}"
        );
    }
}

/// So many appends at once to a list, and a read of what nobody appended.
fn appends(values: usize) -> String {
    let mut operations: Vec<String> = (0..values)
        .map(|at| {
            format!(
                r#"{{"process":{at},"f":"append","args":[{at}],"ret":null,"call":{at},"return":{}}}"#,
                1000 + at
            )
        })
        .collect();
    operations.push(r#"{"process":"r","f":"read","args":[],"ret":[9999],"call":5000,"return":5001}"#.into());
    format!(r#"{{"kind":"object","spec":"list","operations":[{}]}}"#, operations.join(","))
}

#[test]
fn hints_that_are_trusted_are_named_and_counted() {
    let place = Place::with("a.json", appends(30));
    let ran = place.run(&["check", "--verify", "--style", "json", "-m", "linearizable", "a.json"]);
    let verification = r#""verification":{"status":"trusting","hints":["reachable"]}"#;
    assert!(ran.stdout.contains(verification), "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "a.json:1: linearizable: inconsistent: certificate accepted, trusting reachable of list\n\
         0 certificates verified, 1 more trusting hints, 0 refused\n"
    );
    let verified = place.run_on(&["verify", "a.json", "-"], &ran.stdout);
    let said = "a.json:1: linearizable: inconsistent: accepted, trusting reachable of list\n\
                0 certificates accepted, 1 more trusting hints, 0 refused, 0 skipped\n";
    assert_eq!((verified.stdout.as_str(), verified.status), (said, 0));
}

#[test]
fn what_the_limits_do_not_suffice_for_is_not_verified() {
    let place = Place::with("a.json", appends(3));
    let line = place.run(&["check", "--style", "json", "-m", "linearizable", "a.json"]).stdout;
    assert_eq!(place.run_on(&["verify", "a.json", "-"], &line).status, 0);
    for (limit, value) in [("--max-memory", "100"), ("--timeout", "0")] {
        let ran = place.run_on(&["verify", limit, value, "a.json", "-"], &line);
        assert!(ran.stdout.contains("inconsistent: not verified: the "), "{}", ran.stdout);
        let summary = "0 certificates accepted, 1 not verified, 0 refused, 0 skipped";
        assert_eq!((ran.last_line(), ran.status), (summary, 3), "{limit}");
    }
}

#[test]
fn large_certificates_are_stored_and_verified_from_there() {
    let operations: Vec<String> = (0..5000)
        .map(|at| {
            format!(
                r#"{{"process":0,"f":"inc","args":[],"ret":null,"call":{},"return":{}}}"#,
                2 * at,
                2 * at + 1
            )
        })
        .collect();
    let counter = format!(r#"{{"kind":"object","spec":"counter","operations":[{}]}}"#, operations.join(","));
    let place = Place::with("a.json", counter);
    let arguments =
        ["check", "--style", "json", "--witness", "--certificates", "stored", "--certificate-limit", "1k"];
    let ran = place.run(&[&arguments[..], &["-m", "linearizable", "a.json"]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("a.json-0-linearizable.json.zst"), "{}", ran.stdout);
    let verified = place.run_on(&["verify", "a.json", "-"], &ran.stdout);
    assert_eq!(verified.last_line(), "1 certificate accepted, 0 refused, 0 skipped");
}

#[test]
fn stats_describe_operations() {
    let ran = Place::with("a.json", ENQUEUES).run(&["stats", "a.json"]);
    let expected = "\
enqueues (a.json:1)
  spec        queue
  processes   2, 1 to 2 operations each
  operations  3, 0 of them pending
  methods     2 enqueue, 1 dequeue
  order       times, at most 2 operations open at once
  keys        none: every operation concerns the whole object
  values      2, each given once
";
    assert_eq!((ran.stdout.as_str(), ran.status), (expected, 0));
}

#[test]
fn objects_are_converted() {
    let place = Place::with("a.json", ENQUEUES);
    place.write("mp.txt", MP);
    let json = place.run(&["convert", "--to", "json", "a.json"]);
    assert_eq!(json.status, 0, "{json:?}");
    let again = place.run_on(&["convert", "--to", "json", "-"], &json.stdout);
    assert_eq!(again.stdout, json.stdout);
    assert_eq!(place.run_on(&["check", "--style", "brief", "-"], &json.stdout).stdout, "OK\n");
    let edn = place.run(&["convert", "--to", "edn", "-o", "a.edn", "a.json"]);
    assert_eq!(edn.status, 0, "{edn:?}");
    let checked = place.run(&["check", "--style", "brief", "-m", "linearizable", "--spec", "queue", "a.edn"]);
    assert_eq!((checked.stdout.as_str(), checked.status), ("OK\n", 0), "{}", checked.stderr);
    for (to, file) in [("axe", "a.json"), ("text", "a.json"), ("edn", "mp.txt")] {
        let ran = place.run(&["convert", "--to", to, file]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{to} {file}");
        assert!(ran.stderr.starts_with(&format!("error: {file}:1: ")), "{}", ran.stderr);
    }
}

#[test]
fn models_lists_criteria_too() {
    let ran = Place::new().run(&["models"]);
    assert!(
        ran.stdout.contains("             Ret; lin >= vis; lin >= hb; vis >= po; vis >= vis.vis\n"),
        "{}",
        ran.stdout
    );
    let json = Place::new().run(&["models", "--style", "json"]).stdout;
    let lines: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("one JSON object")).collect();
    assert_eq!(lines.iter().filter(|line| line["of"] == "object").count(), 7);
}

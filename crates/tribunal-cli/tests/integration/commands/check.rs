//! `tribunal check`: verdicts, the ways of printing them, and exit statuses.

use crate::command::{LB, MISSED, MP, Place, SB, SEEN, STALE, several};

const HEADING: &str =
    "sc  tso pso wmo rmo coherence wsc ccm wccm cm  ccv cc  pram sra ra  wra rc20 rc11 relaxed history\n";

#[test]
fn without_a_model_there_is_a_matrix_and_why() {
    let ran = Place::with("mp.txt", MP).run(&["check", "mp.txt"]);
    let row = "no  no  yes yes yes yes       no  no  no   no  no  no  no   no  no  no  yes  yes  yes     MP (mp.txt:1)\n";
    assert!(ran.stdout.starts_with(&format!("{HEADING}{row}\n")), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nsc: inconsistent, breaks sequential, acyclic("), "{}", ran.stdout);
    // Models that break different axioms in the same way.
    let shared = "\
sra, ra: inconsistent, breaks read-coherence, irr(fr;rf?;hb)
wra: inconsistent, breaks weak-read-coherence, irr(hbloc;[W];hb;rf⁻¹)
  T1:1 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:
    init x -po-> T0:0 W x 1
    T0:0 W x 1 -po-> T0:1 W y 1 -rf-> T1:0 R y 1 -po-> T1:1 R x 0
";
    assert!(ran.stdout.contains(shared), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
}

#[test]
fn models_that_say_the_same_are_explained_once() {
    let ran = Place::with("lb.txt", LB).run(&["check", "lb.txt"]);
    let row = "no  no  no  yes yes yes       no  no  no   no  no  no  yes  no  no  no  no   no   no      LB (lb.txt:1)\n";
    assert!(ran.stdout.starts_with(&format!("{HEADING}{row}")), "{}", ran.stdout);
    let shared = "\
ccm, cm, ccv, cc, sra, ra, wra, rc20, rc11, relaxed: inconsistent, breaks po-rf, acyclic(po ∪ rf)
  there is a cycle:
    T0:0 R x 1 -po-> T0:1 W y 1 -rf-> T1:0 R y 1 -po-> T1:1 W x 1 -rf-> T0:0 R x 1
";
    assert!(ran.stdout.contains(shared), "{}", ran.stdout);
}

#[test]
fn several_histories_have_a_row_each() {
    let ran = Place::with("all.txt", several(&[SB, MP, LB])).run(&["check", "all.txt"]);
    let rows = "\
no  yes yes yes yes yes       no  no  yes  yes yes yes yes  yes yes yes yes  yes  yes     SB (all.txt:1)
no  no  yes yes yes yes       no  no  no   no  no  no  no   no  no  no  yes  yes  yes     MP (all.txt:5)
no  no  no  yes yes yes       no  no  no   no  no  no  yes  no  no  no  no   no   no      LB (all.txt:9)
";
    assert_eq!(ran.stdout, format!("{HEADING}{rows}"));
}

#[test]
fn named_models_have_a_line_each_with_witness_or_reason() {
    let fences = "T0: W x 1; F.rel; W y 1\nT1: R y 1; F.acq; R x 0\n";
    let ran = Place::with("f.txt", fences).run(&["check", "--model", "rc20,relaxed", "--witness", "f.txt"]);
    assert_eq!(
        ran.stdout,
        "\
f.txt:1: rc20: inconsistent, breaks read-coherence, irr(fr;rf?;hb)
  T1:2 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:
    init x -po-> T0:0 W x 1
    T0:0 W x 1 -po-> T0:1 F.rel -sw-> T1:1 F.acq -po-> T1:2 R x 0
    where T0:1 F.rel -sw-> T1:1 F.acq, since
      T0:2 W y 1 -rf-> T1:0 R y 1
f.txt:1: relaxed: consistent
  mo of x:
    init x -mo-> T0:0 W x 1
  mo of y:
    init y -mo-> T0:2 W y 1
"
    );
}

#[test]
fn exit_statuses() {
    let place = Place::new();
    place.write("seen.txt", SEEN);
    place.write("mp.txt", MP);
    place.write("junk.txt", "T0: W x\n");
    let status = |arguments: &[&str]| place.run(arguments).status;
    assert_eq!(status(&["check", "seen.txt"]), 0);
    assert_eq!(status(&["check", "mp.txt"]), 1);
    assert_eq!(status(&["check", "--model", "rc20", "mp.txt", "seen.txt"]), 0);
    assert_eq!(status(&["check", "junk.txt"]), 2);
    assert_eq!(status(&["check"]), 2);
    assert_eq!(status(&["check", "--model", "c11", "seen.txt"]), 2);
    assert_eq!(status(&["check", "--timeout", "-1", "seen.txt"]), 2);
    assert_eq!(status(&["frobnicate"]), 2);
}

#[test]
fn a_malformed_file_does_not_stop_the_others() {
    let place = Place::with("junk.txt", "T0: W x\n");
    place.write("mp.txt", MP);
    let ran = place.run(&["check", "--style", "brief", "junk.txt", "mp.txt"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, "NO\n"));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: junk.txt:1:"), "{}", ran.stderr);
}

#[test]
fn every_engine_decides_its_models_alone() {
    let place = Place::with("all.txt", several(&[SEEN, SB, MP, LB, MISSED]));
    for model in ["sc", "tso", "pso", "wmo", "rmo", "po-mm=RR+RW;rf-mm=rfe"] {
        let answers = |engine: &str| {
            let ran = place
                .run(&["check", "--style", "brief", "--verify", "-m", model, "--engine", engine, "all.txt"]);
            assert!(ran.stderr.ends_with(", 0 refused\n"), "{model}, {engine}: {}", ran.stderr);
            ran.stdout
        };
        let usual = answers("auto");
        assert!(usual.starts_with("OK\n") && usual.ends_with("NO\n"), "{usual}");
        for engine in ["search", "sat", "subset", "enum", "memoized"] {
            assert_eq!(answers(engine), usual, "{model}, {engine}");
        }
    }
    let json = place.run(&["check", "--style", "json", "-m", "sc", "--engine", "subset", "all.txt"]).stdout;
    assert!(json.lines().all(|line| line.contains(r#""engine":"subset""#)), "{json}");
}

#[test]
fn an_engine_is_asked_of_the_models_that_it_decides() {
    let place = Place::with("seen.txt", SEEN);
    let all = place.run(&["check", "--engine", "weak-coherence", "seen.txt"]);
    assert_eq!((all.status, all.stdout.as_str()), (0, "cc  wra history\nyes yes seen (seen.txt:1)\n"));
    let wrong = place.run(&["check", "--engine", "sat", "--model", "sc,ra,wra", "seen.txt"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
    assert_eq!(
        wrong.stderr,
        "error: --engine sat: ra is decided by minimal-coherence, definition; wra is decided by weak-coherence, definition\n"
    );
    assert_eq!(place.run(&["check", "--engine", "oracle", "seen.txt"]).status, 2);
}

#[test]
fn a_model_of_ones_own_is_shown_as_it_is_given() {
    let place = Place::with("mp.txt", MP);
    let ran = place.run(&["check", "--model", "po-mm=RR+RW;rf-mm=rfe,PSO", "mp.txt"]);
    assert_eq!(
        ran.stdout,
        "MP (mp.txt:1): po-mm=RR+RW;rf-mm=rfe: consistent\nMP (mp.txt:1): pso: consistent\n"
    );
    let tso = place.run(&["check", "--style", "json", "--model", "po-mm=RR+RW+WW", "mp.txt"]);
    assert!(
        tso.stdout.contains(r#""model":"po-mm=RR+RW+WW;rf-mm=rfe","verdict":"inconsistent""#),
        "{}",
        tso.stdout
    );
    assert_eq!(place.run_on(&["verify", "mp.txt", "-"], &tso.stdout).status, 0);
    for (arguments, meant) in [
        (&["check", "--model", "tos", "mp.txt"][..], "did you mean `tso`?"),
        (&["check", "--model", "linearisable", "mp.txt"], "did you mean `linearizable`?"),
        (&["check", "--axioms", "casual", "mp.txt"], "did you mean `causal`?"),
        (&["check", "--spec", "keyed regsiter(1)", "mp.txt"], "did you mean `register`?"),
        (&["check", "--engine", "saturatoin", "mp.txt"], "'saturation'"),
        (&["check", "--format", "jason", "mp.txt"], "'json'"),
        (&["generate", "machine", "--machine", "tsso"], "'tso'"),
    ] {
        let ran = place.run(arguments);
        assert!(ran.status == 2 && ran.stderr.contains(meant), "{arguments:?}: {}", ran.stderr);
    }
    let bad = place.run(&["check", "--model", "po-mm=RX", "mp.txt"]);
    assert!(bad.status == 2 && bad.stderr.contains("`po-mm=RX` is not of the form po-mm="), "{}", bad.stderr);
}

#[test]
fn too_little_memory_is_undecided() {
    let place = Place::new();
    let generate = ["generate", "machine", "--machine", "tso", "--events", "10000", "-o", "big.axe"];
    assert_eq!(place.run(&generate).status, 0);
    let ran = place.run(&["check", "--model", "tso", "--max-memory", "1k", "big.axe"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(
        ran.stdout.contains("tso: undecided: the check needs more than the 1024 bytes"),
        "{}",
        ran.stdout
    );
    assert_eq!(place.run(&["check", "--model", "tso", "--max-memory", "1G", "big.axe"]).status, 0);
}

#[test]
fn a_search_beyond_its_budget_is_undecided() {
    let place = Place::new();
    // RMWs make sra a search, and these leave it something to search for; smaller histories are decided without.
    let hard = ["generate", "machine", "--events", "100", "--rmws", "0.4", "--seed", "5", "-o", "hard.txt"];
    assert_eq!(place.run(&hard).status, 0);
    let ran = place.run(&["check", "--model", "sra", "--max-states", "0", "hard.txt"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.stdout.contains("sra: undecided: the limit of"), "{}", ran.stdout);
    let brief = place.run(&["check", "--model", "sra", "--max-states", "0", "--style", "brief", "hard.txt"]);
    assert_eq!(brief.stdout, "??\n");
    assert_eq!(place.run(&["check", "--model", "sra", "hard.txt"]).status, 0);
}

#[test]
fn a_model_that_does_not_apply_says_so() {
    let place = Place::with("fenced.txt", "T0: W x 1; F.sc\nT1: R x 1\n");
    let all = place.run(&["check", "fenced.txt"]);
    assert_eq!(all.status, 0);
    assert!(
        all.stdout.contains("-    -   -   -   yes  yes yes yes yes  yes  yes     fenced.txt:1\n"),
        "{}",
        all.stdout
    );
    assert!(
        all.stdout.contains("ccv, cc: does not apply: the model does not define fences"),
        "{}",
        all.stdout
    );
    assert_eq!(place.run(&["check", "--model", "cc,ra", "fenced.txt"]).status, 0);
    let alone = place.run(&["check", "--model", "cc", "--style", "brief", "fenced.txt"]);
    assert_eq!((alone.status, alone.stdout.as_str()), (2, "--\n"));
    assert!(alone.stderr.starts_with("error: no model asked for applies"), "{}", alone.stderr);
}

#[test]
fn brief_is_one_word_a_history() {
    let place = Place::with("all.txt", several(&[SEEN, MP, LB]));
    assert_eq!(place.run(&["check", "--style", "brief", "all.txt"]).stdout, "OK\nNO\nNO\n");
    let rc20 = place.run(&["check", "--style", "brief", "--model", "rc20", "all.txt"]);
    assert_eq!(rc20.stdout, "OK\nOK\nNO\n");
}

#[test]
fn json_lines_have_the_documented_keys() {
    let place = Place::with("all.txt", several(&[SB, MP]));
    let ran = place.run(&["check", "--style", "json", "--witness", "--model", "ra", "all.txt"]);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [sb, mp] = lines.as_slice() else { panic!("{}", ran.stdout) };
    assert!(ran.stdout.starts_with(
        r#"{"schema":1,"file":"all.txt","index":0,"name":"SB","model":"ra","verdict":"consistent","engine":"minimal-coherence","events":4,"micros":"#
    ));
    assert!(sb["witness"]["mo"]["x"].is_array() && sb["violation"].is_null());
    assert_eq!((&mp["index"], &mp["verdict"]), (&1.into(), &"inconsistent".into()));
    assert_eq!(mp["violation"]["axiom"], "read-coherence");
    let bare = place.run(&["check", "--style", "json", "--model", "ra", "all.txt"]);
    assert!(!bare.stdout.contains("witness") && bare.stdout.contains("violation"));
}

#[test]
fn expect_names_mismatches_and_ends_with_a_summary() {
    let labelled = |verdicts: &str| {
        format!(
            r#"{{"kind":"memory","threads":[{{"events":[{{"op":"write","loc":"x","value":1}}]}}],"verdicts":{verdicts}}}"#
        ) + "\n"
    };
    let place = Place::new();
    place.write("good.jsonl", labelled(r#"{"ra":true,"sc":true,"tso":null,"c99":true}"#));
    let good = place.run(&["check", "--expect", "--verify", "good.jsonl"]);
    assert_eq!(good.status, 0);
    assert_eq!(
        good.stdout,
        "1 history, 2 verdicts compared, 0 mismatched, 1 unsupported, 19 certificates verified, 0 refused\n"
    );
    place.write("bad.jsonl", labelled(r#"{"ra":true}"#) + &labelled(r#"{"ra":false,"wra":true}"#));
    let bad = place.run(&["check", "--expect", "bad.jsonl"]);
    assert_eq!(bad.status, 1);
    assert_eq!(
        bad.stdout,
        "\
bad.jsonl:2, history 1: ra: expected inconsistent, got consistent
2 histories, 3 verdicts compared, 1 mismatched, 0 unsupported
"
    );
    // Programs keep their standard output to themselves.
    let json = place.run(&["check", "--expect", "--style", "brief", "bad.jsonl"]);
    assert_eq!((json.stdout.as_str(), json.stderr.lines().count()), ("OK\nOK\n", 2));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = Place::new();
    let generate =
        ["generate", "machine", "--machine", "pso", "--events", "20000", "-o", "big.axe", "--to", "axe"];
    assert_eq!(place.run(&generate).status, 0);
    let verdicts = |threads: &str| {
        let ran = place.run(&[
            "check",
            "--style",
            "json",
            "--witness",
            "-m",
            "pso,ra,relaxed",
            "--threads",
            threads,
            "big.axe",
        ]);
        ran.stdout
            .lines()
            .map(|line| {
                line.split_once("\"micros\"").map(|(before, after)| {
                    (before.to_string(), after.split_once(',').map(|(_, rest)| rest.to_string()))
                })
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts("1"), verdicts("4"));
}

#[test]
fn a_time_that_is_given_is_no_default() {
    let place = Place::with("stale.json", STALE);
    let ran = place.run(&["check", "--timeout", "0", "--style", "json", "stale.json"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert_eq!(ran.stdout.matches(r#""reason":"the time limit was reached"#).count(), 7, "{}", ran.stdout);
    assert!(!ran.stdout.contains("default"), "{}", ran.stdout);
}

#[test]
fn one_word_is_known_with_the_first_no() {
    let place = Place::with("stale.json", STALE);
    let ran = place.run(&["check", "--style", "brief", "stale.json"]);
    assert_eq!((ran.status, &ran.stdout[..]), (1, "NO\n"), "{ran:?}");
}

//! `tribunal convert`, `generate`, `stats`, `models`, `completions` and `man`.

use crate::command::{MP, Place, SB, several};

#[test]
fn every_format_comes_back() {
    let place = Place::with("all.txt", several(&[SB, MP]));
    let text = place.run(&["convert", "--to", "text", "all.txt"]).stdout;
    for (format, name) in
        [("json", "all.jsonl"), ("axe", "all.axe"), ("json", "all.jsonl.gz"), ("text", "b.txt.zst")]
    {
        assert_eq!(place.run(&["convert", "--to", format, "-o", name, "all.txt"]).status, 0);
        let back = place.run(&["check", "--style", "brief", "--model", "ra", name]);
        assert_eq!(back.stdout, "OK\nNO\n", "{name}: {}", back.stderr);
    }
    assert_eq!(place.run(&["convert", "--to", "text", "all.jsonl"]).stdout, text);
    let gzip = std::fs::read(place.path("all.jsonl.gz")).expect("a file");
    assert!(gzip.starts_with(&[0x1f, 0x8b]));
}

#[test]
fn a_failure_loses_nothing() {
    let place = Place::with("junk.txt", several(&[SB, "T0: W\n"]));
    place.write("precious.txt", "precious\n");
    place.write("fence.txt", "T0: W x 1; F.acq; R x 1\n");
    let ran = place.run(&["convert", "--to", "json", "-o", "precious.txt", "junk.txt"]);
    assert_eq!(ran.status, 2);
    let ran = place.run(&["convert", "--to", "axe", "-o", "precious.txt", "fence.txt"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: fence.txt:1: "), "{}", ran.stderr);
    assert_eq!(place.read("precious.txt"), "precious\n");
    let left = std::fs::read_dir(place.path("")).expect("a directory").count();
    assert_eq!(left, 3, "no temporary file stays behind");
    assert_eq!(place.run(&["convert", "--to", "json", "-o", "no/such/dir.json", "fence.txt"]).status, 2);
}

#[test]
fn generated_histories_are_the_same_in_every_format_and_consistent() {
    let place = Place::new();
    for machine in ["atomic", "tso", "pso", "view"] {
        let generate = |format: &str| {
            let ran = place.run(&[
                "generate",
                "machine",
                "--machine",
                machine,
                "--threads",
                "3",
                "--events",
                "200",
                "--histories",
                "3",
                "--seed",
                "7",
                "--to",
                format,
            ]);
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            ran.stdout
        };
        let json = generate("json");
        assert_eq!(json.lines().count(), 3);
        place.write("m.jsonl", &json);
        place.write("m.txt", generate("text"));
        place.write("m.axe", generate("axe"));
        assert_eq!(place.run(&["convert", "--to", "json", "m.txt"]).stdout, json, "{machine}");
        let model = match machine {
            "atomic" => "sc,tso,sra",
            "view" => "rc20,relaxed",
            machine => machine,
        };
        for file in ["m.jsonl", "m.txt", "m.axe"] {
            let ran = place.run(&["check", "--style", "brief", "--verify", "--model", model, file]);
            assert_eq!(ran.stdout, "OK\nOK\nOK\n", "{machine} {file}: {}", ran.stderr);
        }
    }
}

#[test]
fn the_name_of_the_output_says_the_format() {
    let place = Place::new();
    for name in ["g.jsonl", "g.axe", "g.txt", "g.axe.zst"] {
        assert_eq!(place.run(&["generate", "machine", "-o", name]).status, 0);
        assert_eq!(place.run(&["check", "--style", "brief", name]).stdout, "OK\n", "{name}");
    }
}

#[test]
fn impossible_clients_are_bad_usage() {
    let place = Place::new();
    for wrong in [
        &["--writes", "0.8", "--rmws", "0.4"][..],
        &["--threads", "0"],
        &["--orders", "sometimes"],
        &["--machine", "abacus"],
        &["--writes", "many"],
    ] {
        let ran = place.run(&[&["generate", "machine"][..], wrong].concat());
        assert_eq!(ran.status, 2, "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn stats_describe_a_history() {
    let history = "name: chain\nT0: W x 1; U x 1>2; R.acq x 3\nT1: U.ar x 2>3; F.sc; R y 0\n";
    let ran = Place::with("c.txt", history).run(&["stats", "c.txt"]);
    assert_eq!(ran.status, 0);
    let (head, memory) = ran.stdout.split_once("  memory").expect("a line on memory");
    assert_eq!(
        head,
        "\
chain (c.txt:1)
  threads     2, 3 events each
  events      6: 2 reads, 1 write, 2 RMWs, 1 fence
  orders      3 relaxed, 1 acquire, 1 acq_rel, 1 seq_cst
  locations   2
  reads       1 from initial writes, 1 from the own thread, 2 from other threads
  RMW chains  1, the longest of 2 RMWs
  values      0 to 3, each written once to a location
"
    );
    assert!(
        memory.contains(
            "  models      sc, tso, pso, wmo, rmo, coherence, pram, sra, ra, wra, rc20, rc11, relaxed\n"
        ),
        "{memory}"
    );
    assert!(
        memory.contains("  not wsc, ccm, wccm, cm, ccv, cc: the model does not define fences"),
        "{memory}"
    );
}

#[test]
fn models_are_listed_with_their_axioms() {
    let place = Place::new();
    let human = place.run(&["models"]).stdout;
    assert!(
        human.contains(
            "relaxed      Relaxed: every access counts as relaxed, so that nothing synchronizes.\n"
        ),
        "{human}"
    );
    let json = place.run(&["models", "--style", "json"]).stdout;
    for line in json.lines() {
        let model: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(model["engines"].is_array() && model["axioms"].is_string());
    }
}

#[test]
fn completions_and_manual_pages() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = place.run(&["completions", shell]);
        assert!(ran.status == 0 && ran.stdout.contains("tribunal"), "{shell}");
    }
    assert!(place.run(&["man"]).stdout.contains(".TH tribunal"));
    assert_eq!(place.run(&["man", "--dir", "."]).status, 0);
    assert!(place.path("tribunal-check.1").exists());
    assert_eq!(place.run(&["man", "--dir", "nowhere"]).status, 2);
}

#[test]
fn help_teaches() {
    let help = Place::new().run(&["check", "--help"]).stdout;
    for word in ["Examples:", "Exit status:", "--expect", "brief", "standard input"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn caches_are_made_with_a_bug_or_without() {
    let place = Place::new();
    let machine = |machine: &str, more: &[&str]| {
        let sizes = ["--threads", "4", "--locations", "8", "--events", "200", "--histories", "40"];
        place.run(&[&["generate", "machine", "--machine", machine], &sizes[..], more].concat())
    };
    let words =
        |histories: &str| place.run_on(&["check", "--style", "brief", "-m", "sc", "-"], histories).stdout;
    for (protocol, bug) in
        [("mi", "dropped-write-back"), ("mesi", "lost-invalidation"), ("moesi", "two-owners")]
    {
        assert!(!words(&machine(protocol, &[]).stdout).contains("NO"), "{protocol}");
        assert!(words(&machine(protocol, &["--bug", bug]).stdout).contains("NO"), "{protocol}, {bug}");
    }
    let unfit = machine("atomic", &["--bug", "two-owners"]);
    let said = "error: --bug is of the caches mi, mesi and moesi, not of the atomic machine\n";
    assert_eq!((unfit.status, unfit.stderr.as_str()), (2, said));
    assert_eq!(machine("mi", &["--bug", "early-ack"]).status, 2);
}

//! `tribunal generate`: what it makes is what it says, the same every time, in every format that can say it.

use crate::command::{Place, SB};

/// The words of a command line.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// How often `check --style brief` says OK and NO.
fn verdicts(place: &Place, model: &str, histories: &str) -> (usize, usize) {
    let ran = place.run_on(&["check", "--style", "brief", "-m", model, "-"], histories);
    let count = |word| ran.stdout.lines().filter(|&line| line == word).count();
    assert!(ran.status < 2, "{}", ran.stderr);
    (count("OK"), count("NO"))
}

fn made(place: &Place, line: &str) -> String {
    let ran = place.run(&words(line));
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{line}");
    ran.stdout
}

#[test]
fn the_same_options_give_the_same_histories() {
    let place = Place::new();
    for line in [
        "generate machine --machine view --fences 0.1 --histories 2 --events 300",
        "generate object --spec map --implementation delayed --histories 2 --operations 100",
        "generate object --spec queue --bug reordered-removal --crashes 0.1 --operations 100",
        "generate hard sat --variables 8 --histories 2",
        "generate hard triangles --histories 2",
        "generate hard kernel --pairs 2 --allowed 1",
        "generate hard pattern --pattern merge --events 100",
    ] {
        assert_eq!(made(&place, line), made(&place, line), "{line}");
    }
    for line in ["generate machine", "generate object", "generate hard sat", "generate hard triangles"] {
        let seeds = ["1", "2"].map(|seed| made(&place, &format!("{line} --seed {seed}")));
        assert_ne!(seeds[0], seeds[1], "{line}");
    }
}

#[test]
fn json_of_many_events_is_as_the_text_says() {
    let place = Place::new();
    let line = "generate machine --machine rmo --events 60000 --threads 3 --deps 0.2 --fences 0.1";
    place.write("m.txt", made(&place, line));
    assert_eq!(made(&place, "convert --to json m.txt"), made(&place, &format!("{line} --to json")));
}

#[test]
fn mutants_have_their_reads_redirected() {
    let place = Place::new();
    let valid = made(&place, "generate machine --events 200 --histories 20 --to json");
    let (ok, no) = verdicts(&place, "sc", &valid);
    assert_eq!((ok, no), (20, 0));
    place.write("valid.jsonl", valid);
    let line = "generate mutate --reads 3 --distance 10 --histories 2 valid.jsonl";
    let mutants = made(&place, line);
    assert_eq!(mutants.lines().count(), 40);
    let (_, no) = verdicts(&place, "sc", &mutants);
    assert!(no >= 30, "{no} of 40");
    assert_eq!(made(&place, line), mutants);
}

#[test]
fn mutants_are_inconsistent_where_that_is_asked() {
    let place = Place::new();
    let valid = made(&place, "generate machine --events 100 --histories 10");
    for model in ["sc", "tso", "ra"] {
        let mutants = place.run_on(&["generate", "mutate", "--inconsistent", model, "-"], &valid);
        assert_eq!(mutants.status, 0, "{}", mutants.stderr);
        assert_eq!(verdicts(&place, model, &mutants.stdout), (0, 10), "{model}");
    }
    let objects = made(&place, "generate object --spec stack --operations 40 --histories 10");
    let mutants = place.run_on(&words("generate mutate --inconsistent linearizable"), &objects);
    assert_eq!((mutants.status, verdicts(&place, "linearizable", &mutants.stdout)), (0, (0, 10)));
}

#[test]
fn what_cannot_be_mutated_is_named_and_left_out() {
    let place = Place::with("one.txt", "T0: W x 1; R x 1\n");
    let ran = place.run(&words("generate mutate one.txt"));
    let said = "one.txt:1: seed 0: nothing that could be read instead, left out\n";
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (3, "", said));
    place.write("weak.txt", "name: weak\nT0: W x 1; W x 2\nT1: R x 2\n");
    let ran = place.run(&words("generate mutate --inconsistent coherence weak.txt"));
    let said = "weak (weak.txt:1): seed 0: no mutant found that coherence refuses, left out\n";
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (3, "", said));
}

#[test]
fn fences_are_dropped_and_orders_weakened_and_labels_gone() {
    let history = "name: f\nexpect: sc=yes\nT0: W.sc x 1; F.sc; R.acq x 1; F.rel; U.sc x 1>2 dep 2 @ 3:4\n";
    let place = Place::with("f.txt", history);
    let mutant = |arguments: &str| made(&place, &format!("generate mutate {arguments} f.txt"));
    assert_eq!(
        mutant("--drop-fences 1"),
        "name: f, mutant of seed 0\nT0: W.sc x 1; R.acq x 1; U.sc x 1>2 dep 1 @ 3:4\n"
    );
    assert_eq!(
        mutant("--weaken 1"),
        "name: f, mutant of seed 0\nT0: W.rel x 1; F.ar; R x 1; F.rel; U.ar x 1>2 dep 2 @ 3:4\n"
    );
    assert_eq!(
        mutant("--drop-fences 1 --weaken 1 --seed 3"),
        "name: f, mutant of seed 3\nT0: W.rel x 1; R x 1; U.ar x 1>2 dep 1 @ 3:4\n"
    );
}

#[test]
fn bad_input_to_mutate_is_an_error() {
    let place = Place::with("sb.txt", SB);
    place.write("q.json", made(&place, "generate object --spec queue --operations 10"));
    place.write("junk.txt", "T0: W\n");
    for (arguments, said) in [
        ("--weaken 0.5 q.json", "error: q.json:1: a history of an object has neither fences nor orders\n"),
        (
            "--inconsistent sc q.json",
            "error: q.json:1: sc: this is a model of memories, but the history is of an object\n",
        ),
        (
            "--inconsistent weak sb.txt",
            "error: sb.txt:1: weak: this is a criterion of objects, but the history is of a memory\n",
        ),
        ("missing.txt", "error: missing.txt: No such file or directory (os error 2)\n"),
    ] {
        let ran = place.run(&words(&format!("generate mutate {arguments}")));
        assert_eq!((ran.status, ran.stderr.as_str()), (2, said), "{arguments}");
    }
    let junk = place.run(&words("generate mutate junk.txt"));
    assert!(junk.status == 2 && junk.stderr.starts_with("error: junk.txt:1:"), "{}", junk.stderr);
    assert_eq!(place.run(&words("generate mutate --weaken 2 sb.txt")).status, 2);
}

#[test]
fn formulas_are_satisfiable_or_their_histories_inconsistent() {
    let place = Place::with("yes.cnf", "c one of three\np cnf 3 2\n1 2 3 0\n-1 -2 0\n");
    place.write("no.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    for reduction in ["guarded", "split"] {
        for (file, expected) in [("yes.cnf", (1, 0)), ("no.cnf", (0, 1))] {
            let line = format!("generate hard sat --dimacs {file} --reduction {reduction}");
            assert_eq!(verdicts(&place, "sc", &made(&place, &line)), expected, "{line}");
        }
    }
    assert_eq!(
        made(&place, "generate hard sat --variables 5 --clauses 7 --to json").matches("c7.3").count(),
        made(&place, "generate hard sat --variables 5 --ratio 1.4 --to json").matches("c7.3").count(),
    );
    let piped = place.run_on(&words("generate hard sat --dimacs -"), "p cnf 1 1\n1 0\n");
    assert!(piped.status == 0 && piped.stdout.starts_with("name: 3-SAT, split, 1 variables, 1 clauses, -\n"));
}

#[test]
fn a_bad_formula_is_named_with_its_line() {
    let place = Place::new();
    for (text, said) in [
        ("p cnf 2 1\n1 x 0\n", "2: `x`, expected a literal or 0"),
        ("c\np cnf 2\n", "2: `p cnf 2`, expected `p cnf VARIABLES CLAUSES`"),
        ("p cnf 2 1\n\n1 3 0\n", "3: clause 1 has a literal of variable 3, but there are 2"),
        ("p cnf 4 1\n1 2 3 4 0\n", "2: clause 1 has 4 literals, expected 1 to 3"),
        ("p cnf 2 2\n1 0\n", "1: 1 clauses, but the header says 2"),
    ] {
        place.write("bad.cnf", text);
        let ran = place.run(&words("generate hard sat --dimacs bad.cnf"));
        assert_eq!((ran.status, ran.stderr), (2, format!("error: bad.cnf:{said}\n")));
    }
}

/// Triangles, kernels and patterns carry the verdicts that they must get.
#[test]
fn hard_histories_are_labelled_truly() {
    let place = Place::new();
    for line in [
        "generate hard triangles --nodes 12 --edges 14 --histories 20",
        "generate hard triangles --nodes 20 --edges 60 --triangle-free",
        "generate hard kernel",
        "generate hard kernel --ring 5",
        "generate hard kernel --pairs 2 --allowed 0b10",
        "generate hard kernel --pairs 2",
        "generate hard pattern --pattern lag --events 300",
        "generate hard pattern --pattern chain --threads 4 --events 300",
    ] {
        let histories = made(&place, line);
        assert!(histories.contains("\nexpect: "), "{line}");
        let ran = place.run_on(&["check", "--expect", "-"], &histories);
        assert!(ran.status == 0 && ran.stdout.contains(" 0 mismatched"), "{line}: {}", ran.stdout);
    }
    let ran = place.run(&words("generate hard kernel --pairs 2 --allowed 4"));
    assert_eq!((ran.status, ran.stderr.as_str()), (2, "error: --allowed 4 has more than 2 bits\n"));
    assert_eq!(place.run(&words("generate hard kernel --allowed 1")).status, 2);
}

#[test]
fn objects_are_what_they_are_said_to_be() {
    let place = Place::new();
    let object = |arguments: &str| made(&place, &format!("generate object {arguments}"));
    let atomic = object("--spec map --operations 200 --histories 5 --crashes 0.02 --overlap 80");
    assert_eq!(verdicts(&place, "linearizable", &atomic), (5, 0));
    let delayed = object("--spec set --implementation delayed --operations 14 --processes 3 --histories 20");
    assert_eq!(verdicts(&place, "causal", &delayed), (20, 0));
    assert!(verdicts(&place, "linearizable", &delayed).1 >= 10);
    let buggy = object("--spec stack --bug duplicated-removal --operations 100 --histories 20");
    assert!(verdicts(&place, "linearizable", &buggy).1 >= 5);
    let in_turn = object("--spec queue --implementation buggy --operations 20 --histories 7");
    for bug in ["lost-update", "dropped-update", "retried-update", "early-return", "missed-value"] {
        assert!(in_turn.contains(&format!("queue with {bug}, seed")), "{bug}");
    }
}

#[test]
fn objects_in_other_formats() {
    let place = Place::new();
    for spec in ["queue", "counter", "keyed cas-register(0)"] {
        let arguments = ["generate", "object", "--operations", "30", "--to", "json", "--spec", spec];
        assert_eq!(place.run(&arguments).status, 0, "{spec}");
    }
    let ran = place.run(&words("generate object --spec queue --operations 30 -o q.edn"));
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(place.run(&words("check --style brief -m linearizable q.edn")).stdout, "OK\n");
    let ran = place.run(&words("generate object --spec queue --to axe"));
    let said = "error: atomic queue, seed 0: the axe format cannot express a history of an object\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, said));
    let ran = place.run(&words("generate machine --to edn"));
    assert_eq!(ran.status, 2);
}

#[test]
fn impossible_objects_are_bad_usage() {
    let place = Place::new();
    for (arguments, said) in [
        ("--spec abacus", "--spec: unknown specification `abacus`; expected one of register, "),
        ("--spec mutex --implementation delayed", "--spec: mutex cannot be delayed"),
        (
            "--spec register --bug torn-read",
            "--spec: register cannot have the bug torn-read, but stale-read, ",
        ),
        ("--implementation atomic --bug stale-read", "--bug is of the buggy implementation"),
        ("--overlap 101", "invalid value '101'"),
        ("--crashes 2", "invalid value '2'"),
    ] {
        let ran = place.run(&words(&format!("generate object {arguments}")));
        assert!(ran.status == 2 && ran.stderr.starts_with(&format!("error: {said}")), "{}", ran.stderr);
    }
}

#[test]
fn every_kind_has_help_with_examples() {
    let place = Place::new();
    for kind in ["machine", "object", "mutate", "hard sat", "hard triangles", "hard kernel", "hard pattern"] {
        let help = place.run(&words(&format!("generate {kind} --help"))).stdout;
        assert!(help.contains("Examples:") && help.contains("Exit status:"), "{kind}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_stops_every_kind() {
    let place = Place::new();
    for line in [
        "generate object --operations 100 --histories 1000000000",
        "generate hard sat --histories 1000000000",
        "generate machine --events 1000 --histories 1000000000 --to json",
    ] {
        let mut child = place.command(&words(line)).spawn().expect("the command runs");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("an end").code(), Some(141), "{line}");
    }
}

//! `tribunal generate transactions`, and hard histories of transactions: they satisfy what they are labelled with.

use crate::command::Place;

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn made(place: &Place, line: &str) -> String {
    let ran = place.run(&words(line));
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{line}");
    ran.stdout
}

#[test]
fn stores_and_workloads_are_labelled_truly() {
    let place = Place::new();
    for line in [
        "--store serial --histories 3",
        "--store 2pl --lists 0.5 --histories 3",
        "--store occ --sessions 8 --transactions 100",
        "--store mvcc --skew 2 --lists 1 --histories 3",
        "--store causal --unknown 0.1 --histories 3",
        "--store read-committed --ops 6 --aborts 0.2 --histories 3",
        "--workload blind-writes --keys 50 --transactions 100",
        "--workload orders --transactions 100",
        "--workload list-append --transactions 300",
    ] {
        let line = format!("generate transactions {line}");
        let histories = made(&place, &line);
        assert_eq!(histories, made(&place, &line));
        let ran = place.run_on(&["check", "--expect", "-"], &histories);
        assert!(ran.status == 0 && ran.stdout.contains(" 0 mismatched"), "{line}: {}", ran.stdout);
    }
}

#[test]
fn bugs_show() {
    let place = Place::new();
    let line = "generate transactions --store 2pl --bug missed-conflict --histories 30 -o skewed.jsonl";
    assert_eq!(made(&place, line), "");
    let brief = place.run(&words("check --style brief -m strict-ser skewed.jsonl")).stdout;
    assert_eq!(brief.lines().count(), 30);
    assert!(brief.lines().filter(|&line| line == "NO").count() > 5, "{brief}");
}

#[test]
fn hard_ones_are_what_they_are_made_of() {
    let place = Place::with("yes.cnf", "c one of three\np cnf 3 2\n1 2 3 0\n-1 -2 0\n");
    place.write("no.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    for (file, said) in [("yes.cnf", "OK\n"), ("no.cnf", "NO\n")] {
        let history = made(&place, &format!("generate hard sat --transactions --dimacs {file}"));
        for level in ["si", "ser"] {
            assert_eq!(
                place.run_on(&["check", "--style", "brief", "-m", level, "-"], &history).stdout,
                said,
                "{file}"
            );
        }
    }
    for line in ["--pairs 2", "--pairs 2 --allowed 0b10", "--ring 3"] {
        let history = made(&place, &format!("generate hard kernel --transactions {line}"));
        let ran = place.run_on(&["check", "--expect", "-"], &history);
        assert!(ran.status == 0 && ran.stdout.contains(" 0 mismatched"), "{line}: {}", ran.stdout);
    }
}

#[test]
fn impossible_stores_are_bad_usage() {
    let place = Place::new();
    for (arguments, said) in [
        ("--store serial --bug lost-update", "the serial store cannot have lost-update; it can have "),
        ("--store mvc", "invalid value 'mvc'"),
        ("--reads 2", "invalid value '2'"),
        ("--workload orders --bug torn-commit", "the argument '--workload <WORKLOAD>' cannot be used with"),
    ] {
        let ran = place.run(&words(&format!("generate transactions {arguments}")));
        assert!(ran.status == 2 && ran.stderr.starts_with(&format!("error: {said}")), "{}", ran.stderr);
    }
    let help = place.run(&words("generate transactions --help")).stdout;
    assert!(help.contains("Examples:") && help.contains("Exit status:"));
}

/// What was built without databases says how to get them.
#[cfg(not(feature = "databases"))]
#[test]
fn databases_are_to_be_had() {
    let place = Place::new();
    let ran = place.run(&words("record transactions --seconds 1"));
    let said = "error: this command was built without databases: \
                cargo build --release -p tribunal-cli --features databases\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (2, said));
}

/// SQLite gives what it promises; the others are the tests of `tribunal-database`.
#[cfg(feature = "databases")]
#[test]
fn sqlite_is_recorded_and_judged() {
    let place = Place::new();
    let line = "record transactions --isolation serializable --histories 3 --transactions 30 -o sqlite.jsonl";
    let ran = place.run(&words(line));
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.lines().count(), 4, "{}", ran.stdout);
    assert_eq!(place.run(&words("check --style brief -m ser sqlite.jsonl")).stdout, "OK\n".repeat(6));
    let ran = place.run(&words("record transactions --isolation read-committed"));
    assert!(
        ran.status == 2 && ran.stderr.contains(" does not have read-committed: it has read-uncommitted, ")
    );
    let ran = place.run(&words("record transactions --server x"));
    assert_eq!((ran.status, ran.stderr.as_str()), (2, "error: --server is of --driver postgres\n"));
}

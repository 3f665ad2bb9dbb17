//! Non-atomic accesses: what `check` says beside its verdicts, and `tribunal races`.

use crate::command::{MP, Place, STALE, several};

/// The flag is seen, but not acquired.
const RACY: &str = "name: racy\nT0: W.na x 1; W.rel y 1\nT1: R y 1; R.na x 1\n";
const FREE: &str = "name: free\nT0: W.na x 1; W.rel y 1\nT1: R.acq y 1; R.na x 1\n";
/// Where the flag is from is open; with either source there is a race.
const OPEN: &str = "name: open\nT0: W.na x 1; W y 1\nT1: W y 1; R.na x 0\nT2: R y 1\n";
const CYCLIC: &str = "name: cyclic\nT0: R.na x 1; W y 1\nT1: R y 1; W x 1\n";
/// T1 acquires the first flag, and races with what comes after it.
const PARTLY: &str = "name: partly\nT0: W.na x 1; W.rel y 1; W.na x 2\nT1: R.acq y 1; R.na x 1; W.na x 3\n";

const WHY: &str = "  T0:0 W.na x 1 and T1:1 R.na x 1 are a data race: neither happens before the other
    nothing of T0 happens before T1:1
    nothing of T1 happens before T0:0
";

#[test]
fn check_says_racy_beside_the_verdict() {
    let place = Place::with("all.txt", several(&[RACY, FREE, MP, CYCLIC]));
    let ran = place.run(&["check", "--model", "ra,rc20", "all.txt"]);
    let expected = format!(
        "racy (all.txt:1): ra: consistent
racy (all.txt:1): rc20: consistent, racy
{WHY}free (all.txt:5): ra: consistent
free (all.txt:5): rc20: consistent
MP (all.txt:9): ra: inconsistent"
    );
    assert!(ran.stdout.starts_with(&expected), "{}", ran.stdout);
    assert!(ran.stdout.contains("MP (all.txt:9): rc20: consistent\n"), "{}", ran.stdout);

    // A race changes no status.
    let place = Place::with("racy.txt", RACY);
    let ran = place.run(&["check", "racy.txt"]);
    let row = "yes yes yes yes yes yes       yes yes yes  yes yes yes yes  yes yes yes yes* yes* yes     racy (racy.txt:1)\n";
    assert!(ran.stdout.contains(row), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(&format!("\nrc20, rc11: racy\n{WHY}")), "{}", ran.stdout);
    assert_eq!(ran.status, 0);
    let ran = place.run(&["check", "--model", "rc20", "--style", "brief", "racy.txt"]);
    assert_eq!((ran.stdout.as_str(), ran.status), ("OK RACY\n", 0));
}

#[test]
fn verdict_lines_carry_the_race_and_are_verified() {
    let place = Place::with("all.txt", several(&[RACY, FREE, OPEN, MP, CYCLIC, PARTLY]));
    let arguments = ["check", "--model", "rc20", "--style", "json", "--witness", "--verify", "all.txt"];
    let ran = place.run(&arguments);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].contains(r#","race":{"accesses":[[0,0],[1,1]],"known":[0,0]},"#), "{}", lines[0]);
    assert!(lines[1].contains(r#","race":null,"#), "{}", lines[1]);
    assert!(lines[2].contains(r#","race":{"accesses":[[0,0],[1,1]],"known":[0,0]},"#), "{}", lines[2]);
    assert!(!lines[3].contains("race") && !lines[4].contains("race"), "{}", ran.stdout);
    assert!(lines[5].contains(r#","race":{"accesses":[[0,2],[1,1]],"known":[0,2]},"#), "{}", lines[5]);
    assert!(lines.iter().all(|line| line.contains(r#""verification":{"status":"accepted"}"#)));
    place.write("lines", &ran.stdout);
    let ran = place.run(&["verify", "all.txt", "lines"]);
    assert_eq!((ran.last_line(), ran.status), ("6 certificates accepted, 0 refused, 0 skipped", 0));

    let spoilt = [
        (
            r#""known":[0,2]"#,
            r#""known":[0,1]"#,
            "not a race: 2 events of the other thread happen before T1:1 R.na x 1, not 1",
        ),
        (
            r#"[[0,2],[1,1]],"known":[0,2]"#,
            r#"[[0,0],[1,1]],"known":[0,2]"#,
            "T0:0 W.na x 1 happens before T1:1 R.na x 1",
        ),
        (r#"{"accesses":[[0,2],[1,1]],"known":[0,2]}"#, "null", "T0:2 W.na x 2 and T1:1 R.na x 1 are a race"),
        (
            r#""race":null"#,
            r#""race":{"accesses":[[0,0],[1,9]],"known":[0,0]}"#,
            "the history has no event [1,9]",
        ),
    ];
    let lines = place.read("lines");
    for (from, to, why) in spoilt {
        assert!(lines.contains(from));
        place.write("spoilt", lines.replace(from, to));
        let ran = place.run(&["verify", "all.txt", "spoilt"]);
        assert!(ran.stdout.contains("refused") && ran.stdout.contains(why), "{}", ran.stdout);
        assert_eq!(ran.status, 1);
    }
}

#[test]
fn races_are_listed() {
    let place = Place::with("all.txt", several(&[RACY, FREE, MP, PARTLY, CYCLIC]));
    let ran = place.run(&["races", "all.txt"]);
    let expected = format!(
        "racy (all.txt:1): rc20: 1 race
{WHY}free (all.txt:5): rc20: no race
MP (all.txt:9): rc20: no race
partly (all.txt:13): rc20: 1 race
  T0:2 W.na x 2 and T1:1 R.na x 1 are a data race: neither happens before the other
    the last of T0 that happens before T1:1 is T0:1 W.rel y 1
    nothing of T1 happens before T0:2
cyclic (all.txt:17): rc20: inconsistent, breaks po-rf, acyclic(po ∪ rf)
"
    );
    assert_eq!((ran.stdout.as_str(), ran.status), (expected.as_str(), 1));
    let ran = place.run(&["races", "--all", "all.txt"]);
    assert!(ran.stdout.contains("partly (all.txt:13): rc20: 2 races\n"), "{}", ran.stdout);
    let ran = place.run(&["races", "--style", "brief", "all.txt"]);
    assert_eq!((ran.stdout.as_str(), ran.status), ("NO\nOK\nOK\nNO\nNO\n", 1));
    let ran = Place::with("free.txt", FREE).run(&["races", "free.txt"]);
    assert_eq!((ran.stdout.as_str(), ran.status), ("free (free.txt:1): rc20: no race\n", 0));
}

#[test]
fn lists_of_races_are_certificates() {
    let place = Place::with("all.txt", several(&[RACY, FREE, OPEN, PARTLY, CYCLIC]));
    let ran = place.run(&["races", "--all", "--style", "json", "all.txt"]);
    place.write("races", &ran.stdout);
    let ran = place.run(&["verify", "all.txt", "races"]);
    let expected = "\
racy (all.txt:1): rc20: racy: accepted
free (all.txt:5): rc20: race-free: accepted
open (all.txt:9): rc20: racy: accepted
partly (all.txt:14): rc20: racy: accepted
cyclic (all.txt:18): rc20: inconsistent: accepted
5 certificates accepted, 0 refused, 0 skipped
";
    assert_eq!((ran.stdout.as_str(), ran.status), (expected, 0));
    let lines = place.read("races");
    let spoilt = [
        ("race-free", "racy", "the line carries no races"),
        (r#""racy""#, r#""race-free""#, "are a race"),
        (r#"[[0,0],[1,1]]"#, r#"[[0,0],[0,0]]"#, "they belong to the same thread"),
        (r#""witness":"#, r#""w":"#, "needs a source"),
        ("\"known\":[0,0]", "\"known\":[0,-1]", "two counts of events"),
    ];
    for (from, to, why) in spoilt {
        assert!(lines.contains(from), "{from}");
        place.write("spoilt", lines.replace(from, to));
        let ran = place.run(&["verify", "all.txt", "spoilt"]);
        assert!(ran.stdout.contains(why), "{why}: {}", ran.stdout);
        assert_eq!(ran.status, 1);
    }
}

#[test]
fn what_cannot_be_listed() {
    let place = Place::with("all.txt", several(&[RACY, "name: bad\nT0: W x\n", FREE]));
    let ran = place.run(&["races", "--keep-going", "--style", "brief", "all.txt"]);
    assert_eq!((ran.stdout.as_str(), ran.status), ("NO\nERROR\nOK\n", 2));
    let ran = place.run(&["races", "all.txt"]);
    assert!(ran.stderr.contains("all.txt:6:8: expected the value written"), "{}", ran.stderr);
    assert_eq!(ran.status, 2);
    let ran = Place::with("racy.txt", RACY).run(&["races", "--max-memory", "10", "racy.txt"]);
    assert!(
        ran.stdout.starts_with("racy (racy.txt:1): rc20: undecided: the check needs more than the 10 bytes")
    );
    assert_eq!(ran.status, 3);
    let ran = Place::with("racy.txt", RACY).run(&["races", "--timeout", "0", "racy.txt"]);
    assert_eq!(ran.status, 3);
    let ran = Place::with("racy.txt", RACY).run(&["races", "--model", "ra", "racy.txt"]);
    assert_eq!(ran.status, 2);
    let ran = Place::with("stale.json", STALE).run(&["races", "stale.json"]);
    assert!(ran.stderr.contains("races are of memories"), "{}", ran.stderr);
    assert_eq!(ran.status, 2);
    let ran = Place::new().run_on(&["check", "-m", "rc20", "--max-memory", "10", "-"], RACY);
    assert!(ran.stdout.contains("undecided, perhaps racy: "), "{}", ran.stdout);
}

//! Malformed histories in a stream: with `--keep-going` each is reported and passed over; the output is the same on one core and on all.

use crate::command::{MISSED, Place, Ran, SEEN};

const HISTORIES: usize = 10_000;

/// A stream in which every tenth history is malformed, each time in another way, every tenth reads a value from nowhere, and every third of
/// the others is inconsistent.
fn stream(good: &str, [bad, thin_air]: [&str; 2], malformed: &[&str], separator: &str) -> (String, String) {
    let (mut text, mut answers) = (String::new(), String::new());
    for i in 0..HISTORIES {
        let (history, answer) = match i {
            _ if i % 10 == 7 => (malformed[i / 10 % malformed.len()], "ERROR"),
            _ if i % 10 == 3 => (thin_air, "NO"),
            _ if i % 3 == 0 => (bad, "NO"),
            _ => (good, "OK"),
        };
        text += history;
        text += separator;
        answers += answer;
        answers.push('\n');
    }
    (text, answers)
}

fn axe() -> (String, String) {
    let malformed = [
        "0: M[1] = 1\n",
        "0: M[1] := 1\n1: M[1] == 1 @ 5:3\n",
        "0: M[1] := \n1: M[1] == 1\n",
        "0 M[1]\n0: M\n",
    ];
    let bad = ["0: M[1] := 1\n0: M[1] == 0\n", "0: M[1] := 1\n1: M[1] == 7\n"];
    stream("0: M[1] := 1\n1: M[1] == 1\n", bad, &malformed, "check\n")
}

fn text() -> (String, String) {
    let malformed = ["T0: W x one\nT1: R x 1\n", "T0: R x 0 dep 0\n", "what is this?\n", "T0: F\nT0: W x\n"];
    stream(SEEN, [MISSED, "T0: R x 7\n"], &malformed, "---\n")
}

fn json() -> (String, String) {
    let history = |value: u64| {
        format!(
            r#"{{"kind":"memory","threads":[{{"events":[{{"op":"write","loc":"x]\"{{","value":1}},{{"op":"read","loc":"x]\"{{","value":{value}}}]}}]}}"#
        )
    };
    let truncated = &history(1)[..60];
    let malformed = [
        truncated,
        r#"{"kind":"memory","threads":[{"events":[{"op":"read","loc":"x","value":0,"deps":[0]}]}]}"#,
        r#"{"kind":"memory","threads":[{"events":[{"op":"write"}]}]}"#,
        "}]",
        "\"kind",
    ];
    stream(&history(1), [&history(0), &history(7)], &malformed, "\n")
}

fn check(place: &Place, more: &[&str], name: &str) -> Ran {
    place.run(&[&["check", "--model", "tso", "--keep-going"], more, &[name]].concat())
}

#[test]
fn every_other_history_is_answered_in_order() {
    for (name, (stream, answers)) in [("a.axe", axe()), ("a.txt", text()), ("a.jsonl", json())] {
        let place = Place::with(name, &stream);
        let ran = check(&place, &["--style", "brief"], name);
        assert_eq!(ran.status, 2, "{name}");
        assert!(ran.stdout == answers, "{name}: {:.200}", ran.stdout);
        let errors = ran.stderr.lines().filter(|line| line.starts_with(&format!("error: {name}:")));
        assert_eq!(errors.count(), HISTORIES / 10, "{name}: {:.500}", ran.stderr);
        assert_eq!(ran.stderr.lines().last(), Some("1000 malformed histories were skipped"));
        // One core says the same as all.
        for style in ["json", "brief", "human"] {
            let strip = |ran: Ran| {
                let micros = |line: &str| match line.split_once("\"micros\":") {
                    Some((before, after)) => {
                        before.to_string() + after.trim_start_matches(|c: char| c.is_ascii_digit())
                    }
                    None => line.to_string(),
                };
                (ran.status, ran.stdout.lines().map(micros).collect::<Vec<_>>(), ran.stderr)
            };
            let one = strip(check(&place, &["--style", style, "--threads", "1"], name));
            let many = strip(check(&place, &["--style", style, "--threads", "3"], name));
            assert!(one == many, "{name} {style}");
        }
        // Without it, the first ends the work.
        let ran = place.run(&["check", "--model", "tso", "--style", "brief", name]);
        assert_eq!((ran.status, ran.stdout.lines().count(), ran.stderr.lines().count()), (2, 7, 1), "{name}");
    }
}

#[test]
fn a_verdict_line_says_the_error() {
    let place = Place::with("a.txt", [SEEN, "T0: W x one\n", SEEN].join("---\n"));
    let ran = check(&place, &["--style", "json"], "a.txt");
    let error = r#"{"schema":1,"file":"a.txt","index":1,"name":null,"model":null,"verdict":"error","engine":null,"events":null,"micros":0,"error":"a.txt:5:9: expected the value written, found `one`"}"#;
    assert_eq!((ran.stdout.lines().count(), ran.stdout.lines().nth(1)), (3, Some(error)));
    let ran = check(&place, &[], "a.txt");
    assert_eq!(ran.stdout.lines().nth(1), Some("error: a.txt:5:9: expected the value written, found `one`"));
    // The certificates are matched all the same.
    let lines = check(&place, &["--style", "json", "--witness"], "a.txt").stdout;
    let ran = place.run_on(&["verify", "--keep-going", "a.txt", "-"], &lines);
    assert_eq!(
        (ran.status, ran.last_line()),
        (2, "2 certificates accepted, 0 refused, 1 skipped"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("a.txt:5: error: skipped: it claims nothing\n"), "{}", ran.stdout);
    let ran = place.run_on(&["verify", "a.txt", "-"], &lines);
    assert_eq!((ran.status, ran.stdout.lines().count()), (2, 1), "{ran:?}");
}

#[test]
fn the_other_commands_keep_going() {
    let place = Place::with("a.txt", [MISSED, "T0: W x one\n", MISSED].join("---\n"));
    for (command, count) in [(&["convert", "--to", "axe"][..], 2), (&["stats"], 2), (&["shrink"], 2)] {
        let ran = place.run(&[command, &["--keep-going", "a.txt"]].concat());
        assert_eq!(ran.status, 2, "{command:?}: {ran:?}");
        let said = "error: a.txt:4:9: expected the value written, found `one`\n";
        assert!(ran.stderr.contains(said), "{command:?}: {}", ran.stderr);
        assert!(ran.stderr.ends_with("1 malformed history was skipped\n"), "{}", ran.stderr);
        let marks = ["check\n", "missed (a.txt", "name: missed\n"];
        assert!(
            marks.iter().any(|mark| ran.stdout.matches(mark).count() == count),
            "{command:?}: {}",
            ran.stdout
        );
        assert_eq!(place.run(&[command, &["a.txt"]].concat()).status, 2);
    }
}

#[test]
fn what_is_compressed_and_broken_ends_as_ever() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(axe().0.as_bytes()).expect("compressed");
    let gzip = encoder.finish().expect("compressed");
    let place = Place::with("a.axe.gz", &gzip[..gzip.len() / 2]);
    let ran = check(&place, &["--style", "brief"], "a.axe.gz");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("truncated"), "{:.300}", ran.stderr);
    assert!(axe().1.starts_with(&ran.stdout), "{:.300}", ran.stdout);
}

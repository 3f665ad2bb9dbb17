//! Bad input: each has a defined answer that names the place.

use crate::round::all;
use tribunal_formats::{Error, ErrorKind, Format};
use tribunal_history::memory::{BadSource, MalformedHistory};

fn error(text: impl AsRef<[u8]>, name: &str) -> Error {
    all(text.as_ref(), name, None).expect_err(&String::from_utf8_lossy(text.as_ref()))
}

#[test]
fn errors_name_the_place_and_the_expectation() {
    let event = |event: &str| format!("{{\"threads\":[\n {{\"events\":[{event}]}}]}}");
    let cases = [
        // The text form.
        ("t", "T0: W x", "t:1:8: expected the value written, found the end of the line".to_string()),
        ("t", "T0: W x 1\nT0 W x 1", "t:2:4: expected `:` after the thread's name, found `W`".into()),
        ("t", "T0: X x 1", "t:1:5: expected an operation: `W x 1`, `R x 1`, `U x 0>1` or `F.sc`, found `X`".into()),
        ("t", "T0: W.foo x 1", "t:1:5: expected an order: .na, .rlx, .acq, .rel, .ar or .sc, found `W.foo`".into()),
        ("t", "T0: F.na", "t:1:5: expected a fence with an order: F.acq, F.rel, F.ar or F.sc, found `F.na`".into()),
        ("t", "T0: W x 1\nT0: U.na x 1>2", "t:2: malformed history: thread T0, event 1: an RMW is atomic, so its order cannot be na".into()),
        ("t", "T0: F", "t:1:5: expected a fence with an order: F.acq, F.rel, F.ar or F.sc, found `F`".into()),
        ("t", "T0: W x -1", "t:1:9: the value written must be a whole number from 0 to 18446744073709551615, found `-1`".into()),
        ("t", "T0: W x 18446744073709551616", "t:1:9: the value written must be a whole number from 0 to 18446744073709551615, found `18446744073709551616`".into()),
        ("t", "T0: W x 1.5", "t:1:9: the value written must be a whole number from 0 to 18446744073709551615, found `1.5`".into()),
        ("t", "T0: U x 1 2", "t:1:11: expected `>` and the value written, found `2`".into()),
        ("t", "T0: W x 1 R x 1", "t:1:11: expected `;` or the end of the line, found `R`".into()),
        ("t", "T0: W x 1 from init", "t:1:11: `from` makes no sense on an event that does not read".into()),
        ("t", "T0: R x 0 dep 99999999999", "t:1:15: the index of an earlier read must be a whole number from 0 to 4294967295, found `99999999999`".into()),
        ("t", "T0: W x 1 @ 5", "t:1:14: expected `:` between begin and end time, found the end of the line".into()),
        ("t", "name: a\nname: b", "t:2:1: duplicate key \"name\"".into()),
        ("t", "init: x=1 y=2, x=3", "t:1:16: more than one initial value of `x`".into()),
        ("t", "expect: sc=maybe", "t:1:12: expected yes, no or na, found `maybe`".into()),
        // Axe traces.
        ("a.axe", "0: M[1] = 1", "a.axe:1:9: expected `:=` or `==`, found `=`".into()),
        ("a.axe", "0: M(1) := 1", "a.axe:1:5: expected `[` after `M`, found `(1)`".into()),
        ("a.axe", "0: M[1] := 1 junk", "a.axe:1:14: expected `@` or the end of the line, found `junk`".into()),
        ("a.axe", "0: { M[1] == 1; M[2] := 2 }", "a.axe:1:17: expected the location that was read, found `M[2]`".into()),
        ("a.axe", "\n\nT0: M[1] := 1", "a.axe:3:1: expected a thread's number, `final`, `check` or a comment, found `T0:`".into()),
        ("a.axe", "0: M[1] := x", "a.axe:1:12: expected the value written, found `x`".into()),
        ("a.axe", "final M[1] := 2", "a.axe:1:12: expected `==` and the final value, found `:=`".into()),
        // JSON.
        ("j.json", "{}", "j.json:1:1: missing key \"kind\" in the history".into()),
        ("j.json", "{\"kind\":\"memory\"}", "j.json:1:1: missing key \"threads\" in the history".into()),
        ("j.json", "{\"kind\":\"file\"}", "j.json:1:9: histories of kind \"file\" are not supported; \"memory\", \"object\" and \"transactions\" are".into()),
        ("j.json", "{\"operations\":[],\"kind\":\"memory\"}", "j.json:1:25: expected \"kind\":\"object\" in a history with \"operations\", found another kind".into()),
        ("j.json", "{\"threads\":{}}", "j.json:1:12: key \"threads\": expected an array, found an object".into()),
        ("j.json", "{\"threads\":[{}]}", "j.json:1:13: missing key \"events\" in the thread".into()),
        ("j.json", &event("{\"op\":\"write\",\"loc\":\"x\"}"), "j.json:2:13: missing key \"value\" in the event".into()),
        ("j.json", &event("{\"op\":\"fence\"}"), "j.json:2:13: missing key \"order\" in the event".into()),
        ("j.json", &event("{\"loc\":\"x\",\"value\":1}"), "j.json:2:13: missing key \"op\" in the event".into()),
        ("j.json", &event("{\"op\":\"rmw\",\"loc\":\"x\",\"value\":1}"), "j.json:2:13: missing key \"read\" in the event".into()),
        ("j.json", &event("{\"op\":\"swap\"}"), "j.json:2:19: expected read, write, rmw or fence, found `swap`".into()),
        ("j.json", &event("{\"op\":\"read\",\"order\":\"sc\"}"), "j.json:2:34: expected na, relaxed, acquire, release, acq_rel or seq_cst, found `sc`".into()),
        ("j.json", &event("{\"op\":\"rmw\",\"loc\":\"x\",\"read\":0,\"value\":1,\"order\":\"na\"}"), "j.json:2: malformed history: thread T0, event 0: an RMW is atomic, so its order cannot be na".into()),
        ("j.json", &event("{\"op\":\"fence\",\"order\":\"na\"}"), "j.json:2: malformed history: thread T0, event 0: a fence needs an order: acquire, release, acq_rel or seq_cst".into()),
        ("j.json", &event("{\"op\":\"read\",\"loc\":7}"), "j.json:2:32: key \"loc\": expected a string, found a number".into()),
        ("j.json", &event("{\"value\":\"7\"}"), "j.json:2:22: key \"value\": expected a whole number, found a string".into()),
        ("j.json", &event("{\"value\":-7}"), "j.json:2:22: value must be a whole number from 0 to 18446744073709551615, found `-7`".into()),
        ("j.json", &event("{\"value\":1e3}"), "j.json:2:22: value must be a whole number from 0 to 18446744073709551615, found `1e3`".into()),
        ("j.json", &event("{\"value\":99999999999999999999}"), "j.json:2:22: value must be a whole number from 0 to 18446744073709551615, found `99999999999999999999`".into()),
        ("j.json", &event("{\"value\":07}"), "j.json:2:22: expected a number without leading zeros, found `07}]}]}`".into()),
        ("j.json", &event("{\"value\":7,\"value\":7}"), "j.json:2:32: duplicate key \"value\"".into()),
        ("j.json", &event("{\"from\":[1]}"), "j.json:2:24: expected two numbers in the pair, found `}]}]}`".into()),
        ("j.json", &event("{\"from\":\"x\"}"), "j.json:2:21: expected init, found `x`".into()),
        ("j.json", &event("{\"op\":\"write\",\"loc\":\"x\",\"value\":1,\"from\":\"init\"}"), "j.json:2:13: `from` makes no sense on an event that does not read".into()),
        ("j.json", "{\"threads\":[{\"name\":\"a\",\"events\":[]},{\"name\":\"a\",\"events\":[]}]}", "j.json:1:38: more than one thread is named `a`".into()),
        ("j.json", "{\"verdicts\":{\"sc\":1}}", "j.json:1:19: key \"verdicts\": expected true, false or null, found a number".into()),
        ("j.json", "{\"threads\":[]", "j.json:1:14: expected `,` or `}`, found the end of the input".into()),
        ("j.json", "{\"threads\":[]}\n]", "j.json:2:1: expected `{` and a history, found `]`".into()),
        ("j.json", "{\"a\":\"b\nc\"}", "j.json:1:8: expected the rest of a string, found the end of the line".into()),
        ("j.json", "{\"a\":\"\\ud800\"}", "j.json:1:13: expected the rest of a string, found `\"}`".into()),
        ("j.json", "{\"a\":truth}", "j.json:1:6: expected true, found `truth}`".into()),
        ("j.json", "{\"a\":1.}", "j.json:1:6: expected a number, found `1.}`".into()),
        ("j.json", "{\"a\" 1}", "j.json:1:6: expected `:` after the key, found `1}`".into()),
        ("j.json", "{a:1}", "j.json:1:2: expected a key in quotes, found `a:1}`".into()),
    ];
    for (name, text, expected) in cases {
        assert_eq!(error(text, name).to_string(), expected, "{text}");
    }
}

#[test]
fn malformed_histories_name_their_line() {
    let cases = [
        (
            "t",
            "\nT0: W x 1\nT1: R x 7 from T0:0\n",
            "t:3: malformed history: thread T1, event 0: `from` names event 0 of thread T0, which wrote another value",
        ),
        (
            "j.jsonl",
            "{\"threads\":[]}\n{\"threads\":[{\"events\":[{\"op\":\"write\",\"loc\":\"x\",\"value\":1,\"deps\":[3]}]}]}",
            "j.jsonl:2: malformed history: thread T0, event 0: depends on event 3, which is not an earlier read of the thread",
        ),
        (
            "t",
            "T0: R x 1 from T9:0",
            "t:1: malformed history: thread T0, event 0: `from` names event 0 of thread T9, which does not exist",
        ),
        (
            "t",
            "T0: R x 0; R x 0 from T0:0",
            "t:1: malformed history: thread T0, event 1: `from` names event 0 of thread T0, which does not write",
        ),
        (
            "t",
            "T0: W x 1 dep 0",
            "t:1: malformed history: thread T0, event 0: depends on event 0, which is not an earlier read of the thread",
        ),
        (
            "t",
            "T0: W x 1 @ 5:3",
            "t:1: malformed history: thread T0, event 0: ends at 3, before it begins at 5",
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(error(text, name).to_string(), expected, "{text}");
    }
    let far = "{\"threads\":[{\"events\":[{\"op\":\"read\",\"loc\":\"x\",\"value\":0,\"from\":[4294967295,4294967295]}]}]}";
    let far = error(far, "j.json");
    assert!(matches!(
        far.kind(),
        ErrorKind::Malformed(MalformedHistory::BadSource { problem: BadSource::Missing, .. })
    ));
}

#[test]
fn inputs_without_a_history_are_errors() {
    for (text, name) in
        [("", "-"), ("\n \n", "a.json"), ("# only\n# comments", "-"), ("", "a.axe"), ("---\n", "a.txt")]
    {
        let error = error(text, name);
        assert!(matches!(error.kind(), ErrorKind::Empty), "{error}");
        assert_eq!(error.to_string(), format!("{name}: empty input: it has no history"));
    }
}

#[test]
fn junk_is_quoted_safely() {
    let junk: Vec<u8> = (0..=255u8).cycle().skip(128).take(4000).collect();
    let unknown = error(&junk, "-");
    assert!(matches!(unknown.kind(), ErrorKind::UnknownFormat { .. }), "{unknown}");
    assert!(unknown.to_string().chars().count() < 400 && !unknown.to_string().contains(char::is_control));
    for format in Format::ALL {
        let error = all(junk.clone(), "-", Some(format)).expect_err("junk");
        let text = error.to_string();
        // What is binary has no lines.
        let placed = error.line().is_some() || matches!(error.kind(), ErrorKind::Bytes { .. });
        assert!(placed && text.chars().count() < 400 && !text.contains(char::is_control), "{text}");
    }
    let invalid = error(b"T0: W x 1\nT0: W \xff 1", "t");
    assert_eq!((invalid.line(), invalid.column()), (Some(2), Some(7)));
    assert!(matches!(invalid.kind(), ErrorKind::InvalidUtf8));
    let invalid = error(b"{\"a\":\"b\xff\"}", "j.json");
    assert_eq!(invalid.column(), Some(8));
    assert!(matches!(invalid.kind(), ErrorKind::InvalidUtf8));
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = |n: usize| format!("{{\"threads\":[],\"x\":{}{}}}", "[".repeat(n), "]".repeat(n));
    assert_eq!(all(deep(100), "j.json", None).expect("deep enough").len(), 1);
    for n in [1000, 1_000_000] {
        let error = error(deep(n), "j.json");
        assert!(matches!(error.kind(), ErrorKind::TooDeep { limit: 128 }), "{error}");
    }
}

#[test]
fn the_iterator_ends_after_an_error() {
    let mut histories =
        tribunal_formats::read("T0: W x 1\n---\nT0: W x\n---\nT0: W x 2".as_bytes(), "t", None)
            .expect("text");
    assert!(histories.next().is_some_and(|history| history.is_ok()));
    assert!(histories.next().is_some_and(|history| history.is_err()));
    assert!(histories.next().is_none());
}

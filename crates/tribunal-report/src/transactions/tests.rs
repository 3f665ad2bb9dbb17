use super::{explain, listing, story};
use crate::line::Line;
use tribunal_engines::transactions::{check, normal};
use tribunal_history::transactions::{
    History, HistoryBuilder, KeyId, Level, Op, SessionId, Span, Status, TxnId, Verdict, Violation,
};
use tribunal_random::Random;
use tribunal_verify::transactions::verify;

/// A history as the table of anomalies writes it: `[wx1 rx0]@1-2 [ax1]! // [rx[1,2]]?`.
fn history(text: &str) -> History {
    let mut b = History::builder();
    for (session, number) in text.split(" // ").zip(0..) {
        let session_id = b.session(&number.to_string());
        let mut rest = session.trim();
        while let Some(inside) = rest.strip_prefix('[') {
            let mut depth = 1;
            let end = inside
                .find(|c| {
                    depth += match c {
                        '[' => 1,
                        ']' => -1,
                        _ => 0,
                    };
                    depth == 0
                })
                .expect("a bracket");
            let (ops, after) = (&inside[..end], &inside[end + 1..]);
            let (marks, left) = after.split_once(' ').unwrap_or((after, ""));
            transaction(&mut b, session_id, ops, marks);
            rest = left.trim();
        }
    }
    b.build().expect("a history")
}

fn transaction(b: &mut HistoryBuilder, session: SessionId, ops: &str, marks: &str) {
    b.begin(session);
    for op in ops.split_whitespace() {
        let key = b.key(&op[1..2]);
        let rest = &op[2..];
        match &op[..1] {
            "w" => b.op(Op::Write(key, rest.parse().expect("a number"))),
            "a" => b.op(Op::Append(key, rest.parse().expect("a number"))),
            _ => read(b, key, rest),
        }
    }
    let status = match marks.chars().next() {
        Some('!') => Status::Aborted,
        Some('?') => Status::Unknown,
        _ => Status::Committed,
    };
    let times = marks.split_once('@').and_then(|(_, times)| times.split_once('-'));
    let span =
        times.map(|(begin, end)| Span { begin: begin.parse().expect("a time"), end: end.parse().ok() });
    b.end(status, span);
}

fn read(b: &mut HistoryBuilder, key: KeyId, what: &str) {
    match what.strip_prefix('[') {
        None if what == "0" => b.op(Op::Read(key, None)),
        None => b.op(Op::Read(key, Some(what.parse().expect("a number")))),
        Some("]") => b.op(Op::Read(key, None)),
        Some(list) => {
            let list: Vec<i64> =
                list.trim_end_matches(']').split(',').map(|v| v.parse().expect("a number")).collect();
            b.op(Op::ReadList(key, &list));
        }
    }
}

fn violation(history: &History, level: Level) -> Violation {
    match check(history, level) {
        Verdict::Inconsistent(violation) => violation,
        other => panic!("{level}: {other:?}"),
    }
}

/// The story and its listing, as `explain` shows them.
fn story_text(text: &str, level: &str) -> String {
    let (history, level) = (history(text), level.parse().expect("a level"));
    let violation = violation(&history, level);
    let story = story(&history, level, &violation);
    let mut shown = vec![story.title.clone()];
    shown.extend(story.lines.iter().map(Line::indented));
    let txns: Vec<TxnId> = story.lines.iter().flat_map(|line| line.about.clone()).collect();
    shown.extend(listing(&history, crate::Source::default(), &txns, &story, 20));
    shown.push("--".into());
    shown.extend(explain(&history, level, &violation).iter().map(Line::indented));
    shown.join("\n")
}

/// Each anomaly's example, the weakest level that forbids it, and its title.
const ANOMALIES: [(&str, &str, &str); 25] = [
    (
        "[ax1 ay1] // [ax2 ay2] // [rx[1,2]] // [ry[2,1]]",
        "ru",
        "G0: T0 wrote x before T1 and T1 wrote y before T0",
    ),
    ("[wx1]! // [rx1]", "rc", "G1a, aborted read: T1 read x of T0, which aborted"),
    (
        "[wx1 wx2] // [rx1]",
        "rc",
        "G1b, intermediate read: T1 read x as T0 had it on the way, not as it left it",
    ),
    ("[wx1 ry1] // [wy1 rx1]", "rc", "G1c: T1 read T0's x, and T0 read T1's y"),
    ("[wx1 wy1] // [rx1 ry0]", "mav", "non-monotonic read: T1 saw T0's x, but afterwards not its y"),
    (
        "[wx1] // [rx1 rx0]",
        "mav",
        "non-monotonic read: T1 saw T0's x, and when it read x again saw it no more",
    ),
    ("[wx1 wy1] // [ry0 rx1]", "rat", "fractured read: T1 saw T0's x but not its y"),
    (
        "[wx1] // [rx0 rx1]",
        "rat",
        "non-repeatable read: T1 read x again, and between the two reads T0 had written it",
    ),
    (
        "[wx1] [rx0]",
        "session-rat",
        "stale session read: T1 does not see T0's x, though T0 is before it in session 0",
    ),
    (
        "[wx1]@1-2 // [rx0]@3-4",
        "strict-rat",
        "stale read: T1 does not see T0's x, though T0 had ended when T1 began",
    ),
    (
        "[wx1] // [rx1 wy1] // [ry1 rx0]",
        "tcc",
        "causality violation: T2 does not see T0's x, though it comes after T0 by what was read",
    ),
    (
        "[rx0 wx1] // [rx0 wx2]",
        "ser",
        "lost update: T0 and T1 both read x = null and overwrite it: one of the two updates is lost",
    ),
    (
        "[rx0 wx1] // [rx0 wx2]",
        "psi",
        "lost update: T0 and T1 both read x = null and overwrite it: one of the two updates is lost",
    ),
    // By way of what was seen, engines find another cycle.
    (
        "[wx5] // [rx5 wx1] // [rx5 wx2]",
        "psi",
        "lost update: T1 and T2 both read x = 5 and overwrite it: one of the two updates is lost",
    ),
    ("[wy2] [wx1 wy1] // [ry2 rx1]", "session-rat", "fractured read: T2 saw T1's x but not its y"),
    (
        "[ax1 ay1] // [ax2 ry[]] // [rx[1,2]]",
        "psi",
        "G-single: T1 overwrites T0's x, though of y it saw the initial value and not T0's",
    ),
    (
        "[wx1] // [wy1] // [rx1 ry0] // [rx0 ry1]",
        "pc",
        "long fork: T2 saw T0's x but not T1's y, and T3 saw T1's y but not T0's x",
    ),
    (
        "[rx0 ry0 wx1] // [rx0 ry0 wy1]",
        "ser",
        "write skew: T0 read y and T1 read x, and neither saw what the other wrote there",
    ),
    (
        "[ry0 wy1] // [rx0 ry0 wx1] // [rx0 ry1]",
        "ser",
        "G2-item: T2 does not see T1's x and T1 does not see T0's y",
    ),
    ("[rx7]", "ser", "thin air: T0 read 7 of x, and nobody wrote it to x"),
    ("[wx1 rx0]", "ru", "internal: T0 wrote x = 1 and then read x = null"),
    ("[rx1 wx1]", "ru", "future read: T0 read x = 1, which it wrote only afterwards"),
    ("[ax1] // [rx[1,1]]", "ru", "duplicate elements: T1 read x with 1 twice"),
    (
        "[ax1]! // [ax2] // [rx[1,2]]",
        "rc",
        "dirty update: T2 read x with an element of T0, which aborted, and others behind it",
    ),
    (
        "[ax1] // [ax2] // [rx[1,2]] // [rx[2,1]]",
        "ru",
        "incompatible order: T2 and T3 read x in incompatible orders",
    ),
];

#[test]
fn each_anomaly_is_told_by_name() {
    for (text, level, title) in ANOMALIES {
        let told = story_text(text, level);
        assert_eq!(told.lines().next(), Some(title), "{text}: {level}:\n{told}");
        assert!(told.lines().count() <= 40 && told.lines().all(|line| line.len() <= 160), "{told}");
    }
}

#[test]
fn a_story_has_its_reasons_and_a_listing() {
    let expected = "\
lost update: T1 and T2 both read x = 5 and overwrite it: one of the two updates is lost
T1 and T2 both write x, one before the other, and neither order works; 2 cases:
case 1: suppose T1 wrote x before T2: cycle T1 -ww x-> T2 -rw x-> T1
case 2: suppose T2 wrote x before T1: cycle T2 -ww x-> T1 -rw x-> T2
case 1 in full:
  (1) T1 wrote x before T2 did, as supposed
  (2) T2 read x = 5 of T0 and not T1's x = 1, so it comes before T1:
    T0 wrote x before T1 did: T1 overwrites what it read of it
  (1) and (2) form a cycle through T1, and psi asks that whoever comes after a transaction by wr and ww sees its writes
session 0   session 1           session 2
T0          (1) T1              (2) T2
  w x 5           r x 5 of T0         r x 5 of T0
                  w x 1               w x 2
--";
    let told = story_text("[wx5] // [rx5 wx1] // [rx5 wx2]", "psi");
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_value_that_was_written_twice_is_told_by_source() {
    let told = story_text("[wx1] [wx1] [rx2] // [wx2] [rx1 wx3] [rx1]", "session-ser");
    assert!(told.starts_with("no source: "), "{told}");
    assert!(told.contains("if from T0: ") && told.contains("in full, if it is from"), "{told}");
}

/// Small histories of three sessions, some lists, some of unknown outcome.
fn random(seed: u64) -> Option<History> {
    let mut random = Random::new(seed);
    let mut next = |below: u64| random.below(below);
    let mut b = History::builder();
    let sessions = ["a", "b", "c"].map(|name| b.session(name));
    let keys = ["x", "y", "z"].map(|name| b.key(name));
    let mut written = [0i64; 3];
    let (mut time, lists) = (0, next(3) == 0);
    for _ in 0..4 + next(4) {
        b.begin(sessions[next(3) as usize]);
        for _ in 0..1 + next(3) {
            let at = next(3) as usize;
            match (next(5), lists && at == 0) {
                (0 | 1, true) => {
                    written[at] += 1;
                    b.op(Op::Append(keys[at], written[at]));
                }
                (0 | 1, false) => {
                    written[at] += 1;
                    b.op(Op::Write(keys[at], written[at]));
                }
                (_, true) => {
                    let list: Vec<i64> = (1..=next(written[at] as u64 + 1) as i64).collect();
                    b.op(Op::ReadList(keys[at], &list));
                }
                (_, false) => {
                    let value = next(written[at] as u64 + 2) as i64;
                    b.op(Op::Read(keys[at], Some(value).filter(|&value| value > 0)));
                }
            }
        }
        let begin = time;
        time += next(4) as i64;
        let status =
            [Status::Committed, Status::Committed, Status::Committed, Status::Unknown, Status::Aborted]
                [next(5) as usize];
        b.end(status, Some(Span { begin, end: Some(begin + 1 + next(5) as i64) }));
    }
    b.build().ok()
}

/// What is told is as good a proof as what was found, and points at what is there.
#[test]
fn what_is_told_is_proved() {
    let mut told = 0;
    for seed in 0..600 {
        let Some(history) = random(seed) else { continue };
        for level in Level::ALL {
            let Verdict::Inconsistent(violation) = check(&history, level) else {
                continue;
            };
            let turned = Verdict::Inconsistent(normal(&history, level, &violation));
            if let Err(refusal) = verify(&history, level, &turned) {
                panic!("{seed}: {level}: {refusal}: {violation:?} {turned:?}");
            }
            let story = story(&history, level, &violation);
            let inside = |txn: &TxnId| txn.index() < history.len();
            assert!(story.lines.iter().all(|line| line.about.iter().all(inside)), "{seed}: {level}");
            let closed = story.steps.iter().zip(story.steps.iter().cycle().skip(1));
            assert!(closed.into_iter().all(|(one, next)| one.to == next.from), "{seed}: {level}");
            let txns: Vec<TxnId> = story.lines.iter().flat_map(|line| line.about.clone()).collect();
            assert!(
                listing(&history, crate::Source::default(), &txns, &story, 12).len() <= 12,
                "{seed}: {level}"
            );
            told += 1;
        }
    }
    assert!(told > 1000, "{told}");
}

//! Histories in which values repeat: the answer is yes if it is yes for some choice of sources.

use crate::transactions::naive;
use tribunal_engines::transactions::judge;
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{
    History, Level, Op, OpId, Source, Span, Status, TxnId, Verdict, Violation,
};
use tribunal_random::Random;
use tribunal_verify::transactions::verify;

/// A few transactions over two registers and a list, whose values are mostly 0 to 2.
fn history(seed: u64) -> History {
    let mut rng = Random::new(seed);
    let mut b = History::builder();
    b.init(Some(0));
    let keys = [b.key("x"), b.key("y")];
    let list = b.key("l");
    let mut appended = Vec::new();
    for clock in 0..3 + rng.below(4) as i64 {
        let session = b.session(["a", "b", "c"][rng.below(3) as usize]);
        b.begin(session);
        for _ in 0..1 + rng.below(3) {
            let key = keys[rng.below(2) as usize];
            let value = rng.below(3) as i64;
            match rng.below(9) {
                0..4 => b.op(Op::Write(key, value)),
                4..8 => b.op(Op::Read(key, Some(value))),
                _ if rng.below(2) == 0 => b.op(Op::ReadList(list, &appended)),
                _ => {
                    appended.push(appended.len() as i64);
                    b.op(Op::Append(list, appended.len() as i64 - 1));
                }
            }
        }
        let status = match rng.below(8) {
            0 => Status::Aborted,
            1 | 2 => Status::Unknown,
            _ => Status::Committed,
        };
        let begin = 3 * clock - rng.below(6) as i64;
        b.end(status, Some(Span { begin, end: Some(begin + 1 + rng.below(8) as i64) }));
    }
    b.build().expect("well-formed")
}

/// Whether some choice of sources satisfies a level other than ru, which admits more sources.
fn by_enumeration(history: &History, level: Level, chosen: &mut Vec<(OpId, TxnId)>) -> bool {
    let partial = history.choosing(chosen);
    let Some(read) = partial.reads().open().next() else {
        return judge(&partial, level, &Limits::default()).0.is_consistent();
    };
    partial.reads().candidates(read).iter().any(|source| {
        chosen.push((read, source));
        let found = by_enumeration(history, level, chosen);
        chosen.pop();
        found
    })
}

#[test]
fn an_answer_is_that_of_some_choice() {
    let (mut yes, mut no, mut cases) = (0, 0, 0);
    for seed in 0..1500 {
        let history = history(seed);
        if !history.reads().is_open() {
            continue;
        }
        for level in Level::ALL.into_iter().filter(|level| level.name() != "ru") {
            let verdict = judge(&history, level, &Limits::default()).0;
            let expected = by_enumeration(&history, level, &mut Vec::new());
            assert_eq!(verdict.is_consistent(), expected, "seed {seed}: {level}: {verdict:?}");
            verify(&history, level, &verdict)
                .unwrap_or_else(|refusal| panic!("seed {seed}: {level}: {refusal}: {verdict:?}"));
            if expected {
                yes += 1
            } else {
                no += 1
            }
            if let Verdict::Inconsistent(Violation::Sources { read, cases: mut every }) = verdict {
                cases += 1;
                every.pop();
                let fewer = Verdict::Inconsistent(Violation::Sources { read, cases: every });
                assert!(
                    verify(&history, level, &fewer).is_err(),
                    "seed {seed}: {level}: a source is left out"
                );
            } else if let Verdict::Consistent(mut witness) = verdict {
                witness.sources.pop();
                let fewer = Verdict::Consistent(witness);
                assert!(
                    verify(&history, level, &fewer).is_err(),
                    "seed {seed}: {level}: a source is left out"
                );
            }
        }
    }
    assert!(yes > 1000 && no > 1000 && cases > 100, "{yes} {no} {cases}");
}

#[test]
fn what_no_source_explains_is_inconsistent() {
    let mut b = History::builder();
    let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
    // Both writers of 1 come before the write of 2, and c sees 2 first.
    b.transaction(a, Status::Committed, None, &[Op::Write(x, 1)]);
    b.transaction(a, Status::Committed, None, &[Op::Write(x, 1)]);
    b.transaction(a, Status::Committed, None, &[Op::Write(x, 2)]);
    b.transaction(c, Status::Committed, None, &[Op::Read(x, Some(2))]);
    b.transaction(c, Status::Committed, None, &[Op::Read(x, Some(1))]);
    let history = b.build().expect("repeated values are no mistake");
    assert!(matches!(history.reads().source(OpId(4)), Source::Open(candidates) if candidates.len() == 2));
    for (level, expected) in [("rat", true), ("session-rat", true), ("tcc", false), ("session-ser", false)] {
        let level = level.parse().expect("a level");
        let verdict = judge(&history, level, &Limits::default()).0;
        assert_eq!(verdict.is_consistent(), expected, "{level}");
        verify(&history, level, &verdict).expect("a certificate");
    }
}

/// One that says what a few transactions did, for both sides: this crate's history, and the one that is judged by definition.
fn both(seed: u64) -> (History, naive::History) {
    let mut rng = Random::new(seed);
    let mut b = History::builder();
    b.init(Some(0));
    let names = ["x", "y"];
    let keys = names.map(|name| b.key(name));
    let mut txns: Vec<naive::Txn> = Vec::new();
    let sessions = ["a", "b", "c"].map(|name| b.session(name));
    let mut drafts: Vec<(usize, Vec<naive::Op>, Status, i64, i64)> = Vec::new();
    for clock in 0..2 + rng.below(3) as i64 {
        let mut ops = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let (key, value) = (names[rng.below(2) as usize].to_string(), rng.below(3) as i64);
            // A value that nobody writes, now and then.
            let value = if rng.below(12) == 0 { 9 } else { value };
            ops.push(match rng.below(2) {
                0 if value != 9 => naive::Op::Write(key, value),
                _ => naive::Op::Read(key, Some(value)),
            });
        }
        let status = [Status::Committed, Status::Committed, Status::Aborted, Status::Unknown];
        let begin = 3 * clock - rng.below(6) as i64;
        let end = begin + 1 + rng.below(8) as i64;
        drafts.push((rng.below(3) as usize, ops, status[rng.below(4) as usize], begin, end));
    }
    drafts.sort_by_key(|draft| draft.0);
    for (session, ops, status, begin, end) in drafts {
        b.begin(sessions[session]);
        for op in &ops {
            let id = |name: &str| keys[usize::from(name == "y")];
            match op {
                naive::Op::Write(key, value) => b.op(Op::Write(id(key), *value)),
                naive::Op::Read(key, value) => b.op(Op::Read(id(key), *value)),
                _ => unreachable!("registers alone"),
            }
        }
        let unknown = status == Status::Unknown;
        b.end(status, Some(Span { begin, end: (!unknown).then_some(end) }));
        let status = match status {
            Status::Committed => naive::Status::Committed,
            Status::Aborted => naive::Status::Aborted,
            Status::Unknown => naive::Status::Unknown,
        };
        txns.push(naive::Txn { session, status, begin: Some(begin), end: (!unknown).then_some(end), ops });
    }
    (b.build().expect("well-formed"), naive::History { init: Some(0), txns })
}

/// The same history with every write of a value of its own, for each way to say from which write an external read is; at most so many.
fn unique(h: &naive::History, most: usize) -> Option<Vec<naive::History>> {
    let writes: Vec<(usize, usize, &str, i64)> = (0..h.txns.len())
        .flat_map(|t| h.txns[t].ops.iter().enumerate().map(move |(at, op)| (t, at, op)))
        .filter_map(|(t, at, op)| match op {
            naive::Op::Write(key, value) => Some((t, at, key.as_str(), *value)),
            _ => None,
        })
        .collect();
    let fresh = |t: usize, at: usize| 100 + 10 * t as i64 + at as i64;
    let mut all = vec![h.clone()];
    for t in 0..h.txns.len() {
        for at in 0..h.txns[t].ops.len() {
            let choices: Vec<Option<i64>> = match &h.txns[t].ops[at] {
                naive::Op::Write(..) => vec![Some(fresh(t, at))],
                naive::Op::Read(key, value) => {
                    let own = (0..at)
                        .rev()
                        .find(|&before| matches!(&h.txns[t].ops[before], naive::Op::Write(k, _) if k == key));
                    if let Some(own) = own {
                        // An internal read: right, or of nothing that is there.
                        let naive::Op::Write(_, last) = &h.txns[t].ops[own] else { unreachable!() };
                        vec![Some(if *value == Some(*last) { fresh(t, own) } else { -1 })]
                    } else {
                        let from = |&&(w, _, k, v): &&(usize, usize, &str, i64)| {
                            w != t && k == key && Some(v) == *value
                        };
                        let mut choices: Vec<Option<i64>> =
                            writes.iter().filter(from).map(|&(w, place, ..)| Some(fresh(w, place))).collect();
                        choices.extend((*value == h.init).then_some(h.init));
                        if choices.is_empty() {
                            choices.push(Some(-1));
                        }
                        choices
                    }
                }
                _ => unreachable!("registers alone"),
            };
            let mut next = Vec::new();
            for one in &all {
                for choice in &choices {
                    let mut one = one.clone();
                    one.txns[t].ops[at] = match &h.txns[t].ops[at] {
                        naive::Op::Write(key, _) => naive::Op::Write(key.clone(), choice.expect("a value")),
                        naive::Op::Read(key, _) => naive::Op::Read(key.clone(), *choice),
                        _ => unreachable!("registers alone"),
                    };
                    next.push(one);
                }
            }
            all = next;
            if all.len() > most {
                return None;
            }
        }
    }
    Some(all)
}

/// Committed, aborted and unknown writers of repeated values: the answer is yes if it is by definition for some source of each read, chosen without this crate's help.
#[test]
fn every_level_is_as_defined_where_aborted_and_unknown_ones_wrote_the_same() {
    let (mut yes, mut no, mut only_ru) = (0, 0, 0);
    for seed in 0..2500 {
        let (history, h) = both(seed);
        let Some(choices) = unique(&h, 24) else { continue };
        let choices: Vec<_> = choices.iter().map(naive::verdicts).collect();
        for level in Level::ALL {
            let expected = choices.iter().any(|answers| answers[level.name()] == Some(true));
            let verdict = judge(&history, level, &Limits::default()).0;
            assert_eq!(verdict.is_consistent(), expected, "seed {seed}: {level}: {verdict:?} {h:?}");
            verify(&history, level, &verdict)
                .unwrap_or_else(|refusal| panic!("seed {seed}: {level}: {refusal}: {verdict:?}"));
            if expected { yes += 1 } else { no += 1 }
        }
        let holds = |name: &str| choices.iter().any(|answers| answers[name] == Some(true));
        only_ru += usize::from(holds("ru") && !holds("rc"));
    }
    assert!(yes > 5000 && no > 5000 && only_ru > 20, "{yes} {no} {only_ru}");
}

/// An aborted writer may be the source under ru, even where one of unknown outcome is another that cannot be.
#[test]
fn under_ru_a_read_may_be_from_an_aborted_writer() {
    let mut b = History::builder();
    let [s, t, u] = ["s", "t", "u"].map(|name| b.session(name));
    let (x, y) = (b.key("x"), b.key("y"));
    b.transaction(s, Status::Aborted, None, &[Op::Write(x, 2)]);
    b.transaction(t, Status::Unknown, None, &[Op::Write(x, 2), Op::Read(y, Some(7))]);
    b.transaction(u, Status::Committed, None, &[Op::Read(x, Some(2))]);
    let history = b.build().expect("well-formed");
    for (level, expected) in [("ru", true), ("rc", false), ("ser", false)] {
        let level = level.parse().expect("a level");
        let verdict = judge(&history, level, &Limits::default()).0;
        assert_eq!(verdict.is_consistent(), expected, "{level}: {verdict:?}");
        verify(&history, level, &verdict).expect("a certificate");
    }
}

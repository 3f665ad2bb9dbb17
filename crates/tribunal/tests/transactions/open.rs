//! Histories in which values repeat: the answer is yes if it is yes for some choice of sources.

use tribunal::Limits;
use tribunal::transactions::{
    History, Level, Op, OpId, Source, Span, Status, TxnId, Verdict, Violation, judge,
};
use tribunal::verify::transactions::verify;

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// A few transactions over two registers and a list, whose values are mostly 0 to 2.
fn history(seed: u64) -> History {
    let mut rng = Rng(seed);
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

/// Whether some choice of sources satisfies a level.
fn by_enumeration(history: &History, level: Level, chosen: &mut Vec<(OpId, TxnId)>) -> bool {
    let partial = history.choosing(chosen);
    let Some(read) = partial.reads().open().next() else {
        return judge(&partial, level, &Limits::default()).is_consistent();
    };
    partial.reads().candidates(read).iter().any(|&source| {
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
        for level in Level::ALL {
            let verdict = judge(&history, level, &Limits::default());
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
    assert!(matches!(history.reads().source(OpId(4)), Source::Open([_, _])));
    for (level, expected) in [("rat", true), ("session-rat", true), ("tcc", false), ("session-ser", false)] {
        let level = level.parse().expect("a level");
        let verdict = judge(&history, level, &Limits::default());
        assert_eq!(verdict.is_consistent(), expected, "{level}");
        verify(&history, level, &verdict).expect("a certificate");
    }
}

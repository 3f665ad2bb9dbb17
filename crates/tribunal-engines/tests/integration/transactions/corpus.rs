//! The labeled corpus: the definitions give the labels, and reads are what the definitions make of them.

use crate::transactions::naive::{self, Op};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use tribunal_engines::transactions::{self, judge, judge_by};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, INIT, Level, Source, Span, Status, TxnId, Verdict, Witness};
use tribunal_verify::transactions::{evaluate, verify};

/// The lines of the corpus.
fn corpus() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/txn-public.jsonl.zst");
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the corpus");
    tribunal_formats::decompressed(file).expect("zstd").read_to_string(&mut text).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The library's history of the naive one.
fn built(h: &naive::History) -> History {
    let mut b = History::builder();
    b.init(h.init);
    let mut list = Vec::new();
    for txn in &h.txns {
        let session = b.session(&txn.session.to_string());
        b.begin(session);
        for op in &txn.ops {
            let op = match op {
                Op::Write(key, value) => tribunal_history::transactions::Op::Write(b.key(key), *value),
                Op::Append(key, value) => tribunal_history::transactions::Op::Append(b.key(key), *value),
                Op::Read(key, value) => tribunal_history::transactions::Op::Read(b.key(key), *value),
                Op::List(key, elements) => {
                    list.clone_from(elements);
                    tribunal_history::transactions::Op::ReadList(b.key(key), &list)
                }
                Op::Unknown => tribunal_history::transactions::Op::Unknown(b.key("x")),
            };
            b.op(op);
        }
        let status = match txn.status {
            naive::Status::Committed => Status::Committed,
            naive::Status::Aborted => Status::Aborted,
            naive::Status::Unknown => Status::Unknown,
        };
        b.end(status, txn.begin.map(|begin| Span { begin, end: txn.end }));
    }
    b.build().expect("the corpus is well-formed")
}

#[test]
fn definitions_give_the_labels() {
    // One in sixteen: every order is tried.
    for (line, json) in corpus().iter().enumerate().step_by(16) {
        let found = naive::verdicts(&naive::history(json));
        let labels = json["verdicts"].as_object().expect("labels");
        assert_eq!(labels.len(), Level::ALL.len());
        for (level, label) in labels {
            assert_eq!(found.get(level), Some(&label.as_bool()), "line {}: {level}", line + 1);
        }
    }
}

#[test]
fn labels_keep_to_the_inclusions_and_to_no_others() {
    let mut separated: HashMap<(Level, Level), u32> = HashMap::new();
    for json in corpus() {
        let label = |level: Level| json["verdicts"][level.name()].as_bool();
        for weak in Level::ALL {
            for strong in Level::ALL {
                if let (Some(true), Some(false)) = (label(strong), label(weak)) {
                    *separated.entry((weak, strong)).or_default() += 1;
                }
            }
        }
    }
    for weak in Level::ALL {
        for strong in Level::ALL {
            let separated = separated.get(&(weak, strong)).copied().unwrap_or(0);
            assert_eq!(separated == 0, weak.includes(strong), "{strong} in {weak}: {separated} times not");
        }
    }
}

#[test]
fn reads_are_those_of_the_definitions() {
    for (line, json) in corpus().iter().enumerate() {
        let h = naive::history(json);
        let history = built(&h);
        let (counts, reads, misreads) = naive::reads(&h);
        let found = history.reads();
        let whats = || found.misread().iter().map(|misread| misread.what);
        let always = whats().any(|what| what.breaks_everything());
        assert_eq!(always, misreads.always, "line {}: {:?}", line + 1, found.misread());
        if always {
            continue;
        }
        assert_eq!(!found.misread().is_empty(), misreads.uncommitted, "line {}", line + 1);
        for (txn, counted) in history.transactions().zip(&counts[1..]) {
            assert_eq!(found.counts(txn), *counted, "line {}: {txn:?}", line + 1);
        }
        let mut sources = 0;
        for txn in history.transactions() {
            for (place, op) in history.ops_of(txn).enumerate() {
                let source = match found.source(op) {
                    Source::None => continue,
                    Source::Txn(INIT) => 0,
                    Source::Txn(txn) => txn.index() + 1,
                    Source::Open(_) => panic!("line {}: values are unique", line + 1),
                };
                sources += 1;
                let read = reads.iter().find(|read| (read.reader, read.place) == (txn.index() + 1, place));
                assert_eq!(read.map(|read| read.source), Some(source), "line {}: {op:?}", line + 1);
            }
        }
        assert_eq!(sources, reads.len(), "line {}", line + 1);
    }
}

#[test]
fn levels_are_the_labels() {
    let mut wrong = Vec::new();
    for (line, json) in corpus().iter().enumerate() {
        let history = built(&naive::history(json));
        let asked = Level::ALL.into_iter().flat_map(|level| {
            [None]
                .into_iter()
                .chain(transactions::engines(level).iter().copied().map(Some))
                .map(move |engine| (level, engine))
        });
        for (level, engine) in asked {
            let limits = Limits::default();
            let verdict = match engine {
                None => judge(&history, level, &limits).0,
                Some(engine) => judge_by(&history, level, engine, &limits).expect("an engine of the level").0,
            };
            let found = match &verdict {
                Verdict::Consistent(_) => Some(true),
                Verdict::Inconsistent(_) => Some(false),
                _ => None,
            };
            if found.is_some()
                && let Err(refusal) = verify(&history, level, &verdict)
            {
                wrong.push(format!("line {}: {level} by {engine:?}: {refusal}: {verdict:?}", line + 1));
            }
            if found != json["verdicts"][level.name()].as_bool() {
                wrong.push(format!("line {}: {level} by {engine:?}: {verdict:?}", line + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

/// The text of each level holds of some order exactly where the label says so.
#[test]
fn texts_give_the_labels() {
    let limits = Limits::default();
    let mut asked = 0;
    for (line, json) in corpus().iter().enumerate() {
        let history = built(&naive::history(json));
        let counting: Vec<TxnId> =
            history.transactions().filter(|&txn| history.reads().counts(txn)).collect();
        if counting.len() > 4 || !history.reads().misread().is_empty() {
            continue;
        }
        asked += 1;
        for level in Level::ALL {
            let Some(label) = json["verdicts"][level.name()].as_bool() else { continue };
            let mut found = false;
            naive::permutations(&(0..counting.len()).collect::<Vec<_>>(), &mut |order| {
                let commits: Vec<TxnId> = order.iter().map(|&place| counting[place]).collect();
                found = evaluate(&history, level, &commits, &limits).is_ok();
                !found
            });
            assert_eq!(found, label, "line {}: {level}", line + 1);
        }
    }
    assert!(asked > 200, "{asked}");
}

/// A certificate of a verdict that is wrong for another level proves nothing there; nor does one that was changed.
#[test]
fn wrong_certificates_are_refused() {
    let mut refused = 0;
    for (line, json) in corpus().iter().enumerate().step_by(10) {
        let history = built(&naive::history(json));
        let label = |level: Level| json["verdicts"][level.name()].as_bool();
        for level in Level::ALL.into_iter().filter(|&level| label(level).is_some()) {
            let verdict = judge(&history, level, &Limits::default()).0;
            for other in Level::ALL.into_iter().filter(|&other| label(other).is_some()) {
                if label(other) != label(level) {
                    assert!(
                        verify(&history, other, &verdict).is_err(),
                        "line {}: {level} as {other}",
                        line + 1
                    );
                    refused += 1;
                }
            }
            if let Verdict::Consistent(Witness { mut commits, .. }) = verdict {
                let refuses = |commits: &[TxnId]| {
                    let witness = Witness { commits: commits.into(), ..Witness::default() };
                    verify(&history, level, &Verdict::Consistent(witness)).is_err()
                };
                let last = commits.pop();
                assert!(last.is_none() || refuses(&commits), "line {}: {level}: one is missing", line + 1);
                commits.extend(commits.first().copied());
                assert!(
                    last.is_none() || refuses(&commits),
                    "line {}: {level}: one is there twice",
                    line + 1
                );
            }
        }
    }
    assert!(refused > 10_000, "{refused}");
}

//! Transactional histories of others, with the verdicts that are known of them: read, judged, and every certificate verified.

use crate::shared::shared;
use std::path::{Path, PathBuf};
use tribunal_engines::transactions::judge;
use tribunal_formats::certificate::transactions as certificate;
use tribunal_formats::{
    Format, Input, ReadAs, ReadOptions, Subject, Transactions, Writer, open, read, write_subject,
};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{Level, Status, Verdict};
use tribunal_verify::transactions::verify;

/// The folder of transactional histories of others.
fn folder() -> Option<PathBuf> {
    shared("transactions/third-party")
}

/// The history of a file or a folder.
fn history(path: &Path) -> Transactions {
    let options = ReadOptions { read_as: ReadAs::Transactions, ..ReadOptions::default() };
    let mut histories = open(&Input::Path(path.into()), options).unwrap_or_else(|e| panic!("{e}"));
    let history = histories.next().expect("a history").unwrap_or_else(|e| panic!("{e}"));
    assert!(histories.next().is_none(), "{}: one history", path.display());
    match history.subject {
        Subject::Transactions(transactions) => transactions,
        _ => panic!("{}: transactions are wanted", path.display()),
    }
}

/// Whether a history satisfies a level, with its certificate verified, also after it was written and read.
fn satisfies(file: &str, transactions: &Transactions, level: Level) -> bool {
    let history = &transactions.history;
    let limits = Limits::default();
    let verdict = judge(history, level, &limits).0;
    let read_back = match &verdict {
        Verdict::Consistent(witness) => {
            let json = certificate::witness_to_json(history, witness);
            Verdict::Consistent(certificate::witness_from_json(history, &json).expect("a witness"))
        }
        Verdict::Inconsistent(violation) => {
            let json = certificate::violation_to_json(history, violation);
            Verdict::Inconsistent(certificate::violation_from_json(history, &json).expect("a violation"))
        }
        other => panic!("{file}: {level}: {other:?}"),
    };
    assert_eq!(verdict, read_back, "{file}: {level}");
    verify(history, level, &verdict).unwrap_or_else(|refusal| panic!("{file}: {level}: {refusal:?}"));
    verdict.is_consistent()
}

#[test]
fn verdicts_that_others_publish() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("VERDICTS.tsv")).expect("the table of verdicts");
    let mut files = 0;
    for line in table.lines().skip(1) {
        let [file, _, count, _, verdicts, ..] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let transactions = history(&folder.join(file));
        let history = &transactions.history;
        let committed = history.transactions().filter(|&txn| history.status(txn) == Status::Committed);
        // In IsoVista's files the first transaction states the initial values, and the table counts it.
        let initial = usize::from(file.contains("isovista"));
        assert_eq!((committed.count() + initial).to_string(), count, "{file}: transactions");
        for verdict in verdicts.split(' ') {
            let (level, holds) = verdict.split_once('=').expect("level=yes");
            let level: Level = level.parse().expect("a level");
            assert_eq!(satisfies(file, &transactions, level), holds == "yes", "{file}: {level}");
        }
        files += 1;
    }
    assert!(files >= 47, "{files}");
}

#[test]
fn verdicts_on_histories_of_elle() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("elle/VERDICTS.tsv")).expect("the table of verdicts");
    let mut files = 0;
    for line in table.lines().skip(1) {
        let [file, _, forbidden] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let forbidden: Vec<&str> = forbidden.strip_prefix("forbidden by ").expect(line).split(' ').collect();
        let transactions = history(&folder.join(file));
        for level in Level::ALL {
            let satisfied = satisfies(file, &transactions, level);
            assert_eq!(satisfied, !forbidden.contains(&level.name()), "{file}: {level}");
        }
        files += 1;
    }
    assert!(files >= 18, "{files}");
}

#[test]
fn the_corpus_is_read_and_written() {
    let corpus =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data/txn-public.jsonl.zst");
    let histories = |input| open(&input, None).unwrap_or_else(|e| panic!("{e}"));
    let mut writer = Writer::new(Vec::new(), Format::Json);
    let mut shown = Vec::new();
    for history in histories(Input::Path(corpus)) {
        let history = history.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(history.labels.0.len(), Level::ALL.len());
        write_subject(&mut writer, &history.subject, &history.labels).expect("written");
        shown.push(crate::transactions::shown(&history.transactions().expect("of transactions").history));
    }
    assert_eq!(shown.len(), 2000);
    let written = writer.finish().expect("in memory");
    for (history, shown) in read(std::io::Cursor::new(written), "a.jsonl", None).expect("begun").zip(shown) {
        let history = history.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            crate::transactions::shown(&history.transactions().expect("of transactions").history),
            shown
        );
    }
}

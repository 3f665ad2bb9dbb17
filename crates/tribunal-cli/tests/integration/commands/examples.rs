//! The examples: every file is labelled, every verdict is the label's, and the tables of examples/README.md say the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tribunal_engines::memory::check;
use tribunal_engines::object;
use tribunal_engines::transactions;
use tribunal_formats::{History, Input, Subject, open};
use tribunal_history::object::{Criterion, specs};
use tribunal_history::transactions::Level;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_verify as verify;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Every file of histories in a folder of examples/, by its path from there, with what it holds.
fn histories() -> BTreeMap<String, Vec<History>> {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut found = BTreeMap::new();
    // These hold specifications, programs, files of the guide, and EDN, which has no labels; the histories of the case study have
    // specifications of their own, and a test.
    const OTHERS: [&str; 8] = ["specs", "case-study", "c", "python", "cluster", "elle", "guide", "run"];
    let holds_histories = |path: &PathBuf| path.is_dir() && !OTHERS.iter().any(|other| path.ends_with(other));
    for folder in entries(&examples()).into_iter().filter(holds_histories) {
        for path in entries(&folder) {
            let name = path.strip_prefix(examples()).expect("below examples/").display().to_string();
            let histories = open(&Input::Path(path), None).and_then(Iterator::collect::<Result<_, _>>);
            found.insert(name, histories.unwrap_or_else(|error| panic!("{error}")));
        }
    }
    assert!(!found.is_empty(), "examples/ has files");
    found
}

fn label(history: &History, model: &str) -> Option<Option<bool>> {
    history.labels.0.iter().find(|(name, _)| name == model).map(|&(_, label)| label)
}

/// What is asked of a history of its kind, the verdict's word, and why its certificate is refused, if it is.
fn verdicts(file: &str, history: &History) -> Vec<(&'static str, &'static str, Option<String>)> {
    match &history.subject {
        Subject::Memory(execution) => Model::ALL
            .into_iter()
            .map(|model| {
                let verdict = check(execution, model);
                let refused =
                    verify::verify(execution, model, &verdict).err().map(|refusal| refusal.to_string());
                (model.name(), verdict.word(), refused)
            })
            .collect(),
        Subject::Object(object) => Criterion::ALL
            .into_iter()
            .map(|criterion| {
                let spec = specs::named(&object.spec).unwrap_or_else(|unknown| panic!("{file}: {unknown}"));
                object.typed(file, &*spec).unwrap_or_else(|error| panic!("{error}"));
                let verdict = object::check(&object.history.typed(&*spec).expect("typed"), &criterion);
                let refused = verify::object::verify(&object.history, &*spec, &criterion, &verdict).err();
                (criterion.name(), verdict.word(), refused.map(|refusal| refusal.to_string()))
            })
            .collect(),
        Subject::Transactions(read) => Level::ALL
            .into_iter()
            .map(|level| {
                let verdict = transactions::judge(&read.history, level, &Limits::default()).0;
                let refused = verify::transactions::verify(&read.history, level, &verdict).err();
                // That a level does not apply has no certificate.
                let refused = refused.filter(|_| verdict.word() != "unsupported");
                (level.name(), verdict.word(), refused.map(|refusal| refusal.to_string()))
            })
            .collect(),
    }
}

#[test]
fn every_verdict_is_the_label_and_verifies() {
    let mut wrong = Vec::new();
    for (file, histories) in histories() {
        for history in &histories {
            for (model, word, refused) in verdicts(&file, history) {
                let Some(label) = label(history, model) else {
                    wrong.push(format!("{file}: its labels do not say {model}"));
                    continue;
                };
                let expected = match label {
                    Some(true) => "consistent",
                    Some(false) => "inconsistent",
                    None => "unsupported",
                };
                if word != expected {
                    wrong.push(format!("{file}: {model} is {word}, expected {expected}"));
                }
                if let Some(refusal) = refused {
                    wrong.push(format!("{file}: {model}: the certificate is refused: {refusal}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_history_of_elle_is_judged() {
    let path = examples().join("elle/list-append.edn");
    let history = open(&Input::Path(path), None).expect("a file").next().expect("a history");
    let history = history.expect("well-formed");
    for (level, word, refused) in verdicts("list-append.edn", &history) {
        let lost = ["psi", "si", "ser"].iter().any(|strong| level.ends_with(strong));
        assert_eq!((word == "inconsistent", refused), (lost, None), "{level}");
    }
}

#[test]
fn the_tables_say_what_the_labels_say() {
    let tables = std::fs::read_to_string(examples().join("README.md")).expect("examples/README.md");
    let mut histories = histories();
    let mut models: Vec<&str> = Vec::new();
    for line in tables.lines() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix('|')) else { continue };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if cells[0] == "file" {
            models = cells[2..].to_vec();
            continue;
        }
        let (_, file) = cells[0].split_once("](").expect("a row begins with a link");
        let file = file.strip_suffix(')').expect("a row begins with a link");
        let history =
            histories.remove(file).unwrap_or_else(|| panic!("{file} is not there, or is listed twice"));
        let [history] = &history[..] else { panic!("{file} must hold one history") };
        assert_eq!(cells.len() - 2, models.len(), "{file}: a mark for each model");
        for (model, mark) in models.iter().zip(&cells[2..]) {
            let said = match *mark {
                "+" => Some(true),
                "-" => Some(false),
                "" => None,
                other => panic!("{file}: `{other}` is no mark"),
            };
            assert_eq!(Some(said), label(history, model), "{file}: {model}");
        }
    }
    let missing: Vec<_> = histories.keys().collect();
    assert!(missing.is_empty(), "not in a table: {missing:?}");
}

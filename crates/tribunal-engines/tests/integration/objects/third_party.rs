//! Histories by others, with known verdicts.

use crate::objects::engines::{mismatches, none};
use crate::shared::shared;
use rayon::prelude::*;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use tribunal_formats::{Input, ReadAs, ReadOptions, open};
use tribunal_history::object::Criterion;
use tribunal_history::object::specs::named;

/// A folder of such histories.
pub fn folder(name: &str) -> Option<PathBuf> {
    shared(&format!("third-party/{name}"))
}

/// The rows of a folder's `expected.tsv` below its heading: the file, and whether it is linearizable by the column of that
/// name.
pub fn expected(folder: &Path, column: &str) -> Vec<(String, bool)> {
    let table = read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let heading = rows.next().expect("a heading");
    let at = heading.iter().position(|&name| name == column).expect("a column of that name");
    let verdict = |row: Vec<&str>| match row[at] {
        "ok" | "good" => (row[0].to_string(), true),
        "bad" => (row[0].to_string(), false),
        other => panic!("{}: {other}", row[0]),
    };
    rows.map(verdict).collect()
}

/// Every file is linearizable or not as listed, by the engines that are meant for it, with a certificate.
pub fn meets(folder: &Path, expected: &[(String, bool)]) {
    let of = |(file, label): &(String, bool)| {
        // Registers that transactions read and write are asked about as one object.
        let options = ReadOptions { read_as: ReadAs::Object(None), ..ReadOptions::default() };
        let mut histories = open(&Input::Path(folder.join(file)), options).expect(file);
        let history = histories.next().expect("a history").unwrap_or_else(|error| panic!("{error}"));
        assert!(histories.next().is_none(), "{file}: one history a file");
        let object = history.object().expect("of an object");
        let spec = named(&object.spec).expect("a built-in specification");
        mismatches(&object.history, &*spec, &Criterion::Linearizable, *label)
            .into_iter()
            .map(|mismatch| format!("{file}: {mismatch}"))
            .collect::<Vec<_>>()
    };
    none(expected.par_iter().flat_map_iter(of).collect());
}

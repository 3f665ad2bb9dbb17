//! Logs and histories of objects by others: the command answers as is known to be right.

use crate::command::Place;
use crate::shared::shared;

/// The files of a folder, each with the word that is right, as its expected.tsv says.
fn expected(folder: &str, column: &str) -> Vec<(String, &'static str)> {
    let Some(root) = shared(&format!("third-party/{folder}")) else { return Vec::new() };
    let table = std::fs::read_to_string(root.join("expected.tsv")).expect("a table");
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let heading = rows.next().expect("a heading");
    let at = heading.iter().position(|&name| name == column).expect("the column");
    rows.map(|row| {
        let path = root.join(row[0]).to_str().expect("UTF-8").to_string();
        (path, if row[at] == "ok" { "OK" } else { "NO" })
    })
    .collect()
}

fn every_answer_is_right(files: &[(String, &'static str)]) {
    if files.is_empty() {
        return;
    }
    let mut arguments = vec!["check", "--verify", "--style", "brief", "-m", "linearizable"];
    arguments.extend(files.iter().map(|(file, _)| file.as_str()));
    let ran = Place::new().run(&arguments);
    let words: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(words.len(), files.len(), "{}", ran.stderr);
    for ((file, right), word) in files.iter().zip(words) {
        assert_eq!(word, *right, "{file}");
    }
    // Reads of nil say nothing in these histories, of some of which nothing else is left; operations that failed are counted.
    let said =
        ["--nil-reads keep keeps them", "--nil-reads keep keeps it", "is empty: every model allows it"];
    let is_said =
        |line: &&str| line.contains("not in the history: ") || said.iter().any(|said| line.ends_with(said));
    let beside: Vec<&str> = ran.stderr.lines().filter(|line| !is_said(line)).collect();
    let (summary, beside) = beside.split_last().expect("a summary");
    // The part of a large store that is refuted is of one key.
    assert!(
        beside.iter().all(|line| line.ends_with("certificate accepted, trusting key of kv-store")),
        "{beside:?}"
    );
    let verified = match beside.len() {
        0 => format!("{} certificates verified, 0 refused", files.len()),
        some => {
            format!("{} certificates verified, {some} more trusting hints, 0 refused", files.len() - some)
        }
    };
    assert_eq!((*summary, ran.status), (verified.as_str(), 1));
}

#[test]
fn logs_that_porcupine_is_tested_with() {
    every_answer_is_right(&expected("porcupine", "verdict"));
}

#[test]
fn histories_that_knossos_is_tested_with() {
    every_answer_is_right(&expected("knossos", "expected"));
}

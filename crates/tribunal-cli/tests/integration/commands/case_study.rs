//! The case study's histories: each is labelled for every criterion, and the command's verdicts are its labels.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tribunal_formats::{Input, open};
use tribunal_history::object::{Criterion, specs};

/// The files of examples/case-study with this extension.
fn files(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/case-study");
    let entries = std::fs::read_dir(folder).expect("the folder of the case study");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

#[test]
fn every_history_is_judged_as_its_labels_say() {
    let histories = files("json");
    assert!(histories.len() >= 2, "at least two methods are not atomic");
    for path in histories {
        let file = path.display();
        let read = open(&Input::Path(path.clone()), None)
            .and_then(|mut histories| histories.next().unwrap_or_else(|| panic!("{file} holds no history")));
        let history = read.unwrap_or_else(|error| panic!("{error}"));
        let labels: Vec<&str> = history.labels.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(labels, Criterion::ALL.map(|criterion| criterion.name()), "{file}");
        let linearizable = history.labels.0.iter().find(|(name, _)| name == "linearizable");
        assert_eq!(linearizable.and_then(|(_, label)| *label), Some(false), "{file}");

        let spec = &history.object().expect("a history of an object").spec;
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.args(["check", "--expect", "--verify", "--model", "all"]);
        if specs::named(spec).is_err() {
            command.arg("--spec").arg(path.with_file_name(format!("{spec}.spec")));
        }
        let output = command.arg(&path).stdin(Stdio::null()).output().expect("the command runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{file}: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

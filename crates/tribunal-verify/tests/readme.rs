//! README.md says how many lines are trusted.

use std::fs;
use std::path::{Path, PathBuf};

/// The lines of code in a file or folder: without comments, blank lines and tests.
fn lines(path: &Path) -> usize {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder of sources");
        let entries = entries.map(|entry| entry.expect("an entry").path());
        return entries
            .filter(|entry| !entry.ends_with("tests") && !entry.ends_with("tests.rs"))
            .map(|entry| lines(&entry))
            .sum();
    }
    let text = fs::read_to_string(path).expect("a source");
    let code = text.split("mod tests {").next().expect("a split text has a first part");
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    code.lines().map(str::trim).filter(is_code).count()
}

#[test]
fn the_lines_that_are_trusted_are_those_of_the_readme() {
    let crates: PathBuf = [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect();
    let of = |path: &str| lines(&crates.join(path));
    let [all, objects, transactions] =
        ["", "/object", "/transactions"].map(|room| of(&format!("tribunal-verify/src{room}")));
    let mut rows = vec![
        ("`tribunal-verify/src`", all),
        ("of these, memories", all - objects - transactions),
        ("of these, objects", objects),
        ("of these, transactions", transactions),
    ];
    let rooms = ["memory", "model", "object", "transactions", "verdict"];
    let rooms = rooms
        .map(|room| (format!("`tribunal-history/src/{room}`"), of(&format!("tribunal-history/src/{room}"))));
    rows.extend(rooms.iter().map(|(room, lines)| (room.as_str(), *lines)));
    let apart: usize =
        ["derive", "refutation"].map(|room| of(&format!("tribunal-cat/src/{room}"))).iter().sum();
    rows.push(("`tribunal-cat/src`", of("tribunal-cat/src") - apart));

    let readme = fs::read_to_string(crates.join("tribunal-verify/README.md")).expect("README.md");
    for (start, lines) in rows {
        let row =
            readme.lines().find(|row| row.starts_with(&format!("| {start}"))).expect("a row of the table");
        let said: usize =
            row.replace(',', "").rsplit('|').nth(1).and_then(|n| n.trim().parse().ok()).expect("a number");
        assert_eq!(said, (lines + 50) / 100 * 100, "{start} has {lines} lines");
    }
}

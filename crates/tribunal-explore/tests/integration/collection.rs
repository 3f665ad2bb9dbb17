//! The programs of programs/.

use std::path::{Path, PathBuf};
use tribunal_explore::text::Source;

/// Every program with its file, in the order of their names.
pub fn programs() -> Vec<(PathBuf, Source)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut programs = Vec::new();
    for folder in std::fs::read_dir(&root).expect("a folder") {
        for file in std::fs::read_dir(folder.expect("a folder").path()).expect("a folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let source = Source::parse(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
            programs.push((path, source));
        }
    }
    programs.sort_by(|a, b| a.0.cmp(&b.0));
    programs
}

//! The files by others that tests use: those in the folder that `TRIBUNAL_SHARED` names. Tests include this file by `#[path]`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file or folder there, which must exist. If the variable is not set, the test that asks is skipped, which a line says.
pub fn shared(path: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("TRIBUNAL_SHARED") else {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test");
        // Not by eprintln!, whose output the harness keeps to itself.
        writeln!(std::io::stderr(), "skipped: {test}: TRIBUNAL_SHARED is not set").expect("standard error");
        return None;
    };
    // Tests of a package run in its folder, so a relative path would name a folder for each.
    assert!(Path::new(&folder).is_absolute(), "TRIBUNAL_SHARED is no absolute path: {}", folder.display());
    let path = Path::new(&folder).join(path);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}

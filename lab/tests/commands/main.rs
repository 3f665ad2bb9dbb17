//! The command as it is used: what it prints, its exit status.

#[path = "../../../tests/schema.rs"]
mod schema;

mod bench;
mod document;
mod kernel;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a run of the command left behind.
#[derive(Debug)]
struct Ran {
    status: i32,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            status: output.status.code().expect("the command ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// A directory of its own in which the command runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Place(TempDir::new().expect("a directory"))
    }

    /// A directory with one file.
    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let place = Place::new();
        place.write(name, content);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("written");
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command.output().expect("the command runs").into()
    }
}

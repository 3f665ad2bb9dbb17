//! Running the command and looking at what it did.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What was written is read: every model allows it.
pub const SEEN: &str = "name: seen\nT0: W x 1\nT1: R x 1\n";
/// A thread misses its own write: every model forbids it.
pub const MISSED: &str = "name: missed\nT0: W x 1; R x 0\n";
/// Message passing: sra, ra and wra forbid it; rc20 and relaxed allow it.
pub const MP: &str = "name: MP\nT0: W x 1; W y 1\nT1: R y 1; R x 0\n";
/// Store buffering: sc, wsc and ccm forbid it, every other model allows it.
pub const SB: &str = "name: SB\nT0: W x 1; R y 0\nT1: W y 1; R x 0\n";
/// Load buffering: wmo, rmo, coherence and pram allow it, every other model forbids it.
pub const LB: &str = "name: LB\nT0: R x 1; W y 1\nT1: R y 1; W x 1\n";

/// A read misses a write that was over: causal and sequential, not hbvis, not linearizable.
pub const STALE: &str = r#"{"kind":"object","name":"stale","spec":"register","operations":[
  {"process":0,"f":"write","args":[1],"ret":null,"call":0,"return":1},
  {"process":1,"f":"read","args":[],"ret":null,"call":2,"return":3}]}
"#;
/// Concurrent enqueues, dequeued in the other order: linearizable.
pub const ENQUEUES: &str = r#"{"kind":"object","name":"enqueues","spec":"queue","operations":[
  {"process":0,"f":"enqueue","args":[1],"ret":null,"call":0,"return":2},
  {"process":1,"f":"enqueue","args":[2],"ret":null,"call":1,"return":3},
  {"process":0,"f":"dequeue","args":[],"ret":2,"call":4,"return":5}]}
"#;

/// What a run of the command left behind.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
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

impl Ran {
    /// The last line of standard output.
    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or("")
    }
}

/// A directory of its own in which the command runs.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Place(TempDir::new().expect("a directory"))
    }

    /// A directory with one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let place = Place::new();
        place.write(name, content);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text file")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tribunal"));
        command.args(arguments).current_dir(self.0.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().expect("the command runs").into()
    }

    pub fn run_on(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().expect("the command runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        // The command may stop reading at an error.
        let _ = pipe.write_all(stdin.as_ref());
        drop(pipe);
        child.wait_with_output().expect("an end").into()
    }
}

/// Several histories in one text file.
pub fn several(histories: &[&str]) -> String {
    histories.join("---\n")
}

//! Each operation of each run, printed as it is done: what a run did last is there even if it hangs.

use super::Rust;
use crate::program::{Action, Answer, Program, Request};
use std::io::Write as _;
use tribunal_history::memory::ThreadId;

/// A trace that prints the operations of a program.
#[derive(Debug, Default)]
pub(super) struct Trace {
    runs: u64,
    /// By thread, the operation that it waits in.
    pending: Vec<Option<String>>,
}

impl Trace {
    /// A run begins.
    pub(super) fn begin(&mut self) {
        self.runs += 1;
        self.pending.clear();
        say(&format!("run {}", self.runs));
    }

    /// A thread has asked for an operation. Its end, and what it does not come back from, are told at once.
    pub(super) fn requested(&mut self, program: &Rust, thread: ThreadId, request: &Request) {
        let name = program.thread_name(thread).unwrap_or_else(|| match thread.index() {
            0 => "main".into(),
            number => format!("T{number}"),
        });
        let at = match request.place.line {
            0 => String::new(),
            _ => format!(" at {}", request.place),
        };
        let of = request.action.loc().and_then(|loc| program.location_name(loc));
        let of = of.map_or(String::new(), |of| format!(" of {of}"));
        let line = format!("  {name}: {}{of}{at}", request.action);
        if self.pending.len() <= thread.index() {
            self.pending.resize(thread.index() + 1, None);
        }
        match request.action {
            Action::End | Action::Fail(_) | Action::Block => say(&line),
            _ => self.pending[thread.index()] = Some(line),
        }
    }

    /// The operation of a thread is done.
    pub(super) fn answered(&mut self, program: &Rust, thread: ThreadId, answer: Answer) {
        let Some(line) = self.pending.get_mut(thread.index()).and_then(Option::take) else { return };
        let told = match answer {
            Answer::Value(value) => format!(" = {}", crate::failure::value(value)),
            Answer::Thread(child) => match program.thread_name(child) {
                Some(name) => format!(" = {name}"),
                None => format!(" = T{}", child.index()),
            },
            Answer::TimedOut => ": timed out".into(),
            _ => String::new(),
        };
        say(&format!("{line}{told}"));
    }
}

/// Whoever closed standard error does not want to know.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

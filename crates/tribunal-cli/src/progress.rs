//! A progress bar on standard error: only on a terminal, and only for work that takes longer than a second.

use crate::input::Bytes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Read};
use std::time::Duration;
use tribunal_report::Question;
use tribunal_report::printable;

/// The bar, or nothing.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar that appears after a second, if standard error is a terminal.
    pub fn new() -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let late = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(1));
            if !late.is_finished() {
                late.set_draw_target(ProgressDrawTarget::stderr());
                late.enable_steady_tick(Duration::from_millis(200));
            }
        });
        Progress(Some(bar))
    }

    /// No bar.
    pub fn none() -> Self {
        Progress(None)
    }

    /// Begins a file.
    pub fn file(&self, name: &str, bytes: Option<u64>) {
        let Some(bar) = &self.0 else { return };
        let template = match bytes {
            Some(total) => {
                bar.set_length(total);
                "{elapsed} {bar:30} {bytes}/{total_bytes} {prefix}, {msg}"
            }
            None => "{elapsed} {spinner} {bytes} {prefix}, {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_position(0);
        bar.set_prefix(printable(name).into_owned());
        bar.set_message("reading");
    }

    /// The same bytes, each of which moves the bar.
    pub fn watch(&self, bytes: Bytes) -> Box<dyn Read + Send> {
        match &self.0 {
            Some(bar) => Box::new(bar.wrap_read(bytes)),
            None => Box::new(bytes),
        }
    }

    /// Says what is being done.
    pub fn judging(&self, index: u64, question: &Question) {
        if let Some(bar) = &self.0 {
            bar.set_message(format!("history {index}, {question}"));
        }
    }

    /// Says how much is left of what is being shrunk.
    pub fn shrinking(&self, index: u64, left: usize) {
        if let Some(bar) = &self.0 {
            bar.set_message(format!("history {index}, {left} left"));
        }
    }

    /// Says how large the histories are that are being tried, and how many have been.
    pub fn separating(&self, events: usize, tried: u64) {
        let Some(bar) = &self.0 else { return };
        if bar.message().is_empty()
            && let Ok(style) = ProgressStyle::with_template("{elapsed} {spinner} {msg}")
        {
            bar.set_style(style);
        }
        bar.set_message(format!("histories of {events} events, {tried} tried"));
    }

    /// Begins a part of a suite.
    pub fn measuring(&self, suite: &str, part: &str, steps: u64) {
        let Some(bar) = &self.0 else { return };
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:30} {pos}/{len} {prefix}, {msg}") {
            bar.set_style(style);
        }
        bar.set_length(steps);
        bar.set_position(0);
        bar.set_prefix(suite.to_string());
        bar.set_message(part.to_string());
    }

    /// A step of the part is done.
    pub fn measured(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Does something that prints, with the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Progress {
    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

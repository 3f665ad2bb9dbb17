//! A progress bar on standard error: only on a terminal, and only for work that takes longer than a second, or for what is left to do
//! once the most important answer is there.

use crate::input::Bytes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{IsTerminal, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_history::verdict::Bare;
use tribunal_report::{Question, printable};

/// While a file is read: how much of it, and what is done with it.
const READING: &str = "{elapsed} {bar:30} {bytes}/{total_bytes} {prefix}, {msg}";
/// While something of unknown length is read.
const STREAMING: &str = "{elapsed} {spinner} {bytes} {prefix}, {msg}";
/// While histories are made and written.
const WRITING: &str = "{elapsed} {spinner} {bytes} {prefix}, {msg}";
/// Once all is read: what is done, and for how long.
const WORKING: &str = "{elapsed} {spinner} {prefix}, {msg} {since}";

/// The bar, or nothing.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// The time at which the present step began.
    step: Arc<Mutex<Instant>>,
    /// The number of the question that is asked, and that of all.
    part: Mutex<Option<(usize, usize)>>,
    /// The facts that are known already.
    known: Mutex<String>,
}

impl Progress {
    /// A bar that appears after a second, if standard error is a terminal.
    pub fn new() -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress::none();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        appear(&bar, Duration::from_secs(1));
        Progress::with(Some(bar))
    }

    /// No bar.
    pub fn none() -> Self {
        Progress::with(None)
    }

    fn with(bar: Option<ProgressBar>) -> Self {
        Progress {
            bar,
            step: Arc::new(Mutex::new(Instant::now())),
            part: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// Begins a file.
    pub fn file(&self, name: &str, bytes: Option<u64>) {
        let Some(bar) = &self.bar else { return };
        match bytes {
            Some(total) => bar.set_length(total),
            None => bar.unset_length(),
        }
        style(bar, if bytes.is_some() { READING } else { STREAMING });
        bar.set_position(0);
        bar.set_prefix(printable(name).into_owned());
        bar.set_message("reading");
    }

    /// Begins a file that is written.
    pub fn writing(&self, name: &str) {
        let Some(bar) = &self.bar else { return };
        style(bar, WRITING);
        bar.set_prefix(printable(name).into_owned());
        bar.set_message("writing");
    }

    /// So many bytes more are written.
    pub fn wrote(&self, bytes: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes as u64);
        }
    }

    /// The same bytes, each of which moves the bar.
    pub fn watch(&self, bytes: Bytes) -> Box<dyn Read + Send> {
        match &self.bar {
            Some(bar) => Box::new(bar.wrap_read(bytes)),
            None => Box::new(bytes),
        }
    }

    /// Says which of how many questions about a history comes next, from 0.
    pub fn part(&self, at: usize, of: usize) {
        *self.part.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, of)).filter(|_| of > 1);
    }

    /// Says that a question is being decided.
    pub fn judging(&self, index: u64, question: &Question) {
        let part = *self.part.lock().unwrap_or_else(PoisonError::into_inner);
        let part = part.map_or(String::new(), |(at, of)| format!(" ({} of {of})", at + 1));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.step(format!("history {index}: {known}checking {question}{part}"));
    }

    /// Says the first answer while the others are asked for: it is what matters most, so it does not wait for a second.
    pub fn answered(&self, question: &Question, verdict: Bare) {
        let Some(bar) = &self.bar else { return };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) =
            format!("{question} is {}; ", verdict.word());
        appear(bar, Duration::from_millis(100));
    }

    /// Whether there is a bar, for which lines must be whole.
    pub fn has_bar(&self) -> bool {
        self.bar.is_some()
    }

    /// Says that the certificate of an answer is being verified.
    pub fn verifying(&self, index: u64, question: &Question) {
        self.step(format!("history {index}: verifying {question}"));
    }

    /// Says that an explanation is being worked out.
    pub fn explaining(&self, index: u64) {
        self.step(format!("history {index}: explaining"));
    }

    /// Begins a step. Once the whole file is read, the time it takes says more than the bytes.
    fn step(&self, message: String) {
        let Some(bar) = &self.bar else { return };
        let begun = Arc::clone(&self.step);
        *begun.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if bar.length().is_some_and(|length| bar.position() >= length)
            && let Ok(style) = ProgressStyle::with_template(WORKING)
        {
            let since = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let begun = *begun.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = write!(out, "for {} s", begun.elapsed().as_secs());
            };
            bar.set_style(style.with_key("since", since));
        }
        bar.set_message(message);
    }

    /// Says how much is left of what is being shrunk.
    pub fn shrinking(&self, index: u64, left: usize) {
        self.step(format!("history {index}: shrinking, {left} left"));
    }

    /// Says how large the histories are that are being tried, and how many have been.
    pub fn separating(&self, events: usize, tried: u64) {
        self.counting(|| format!("histories of {events} events, {tried} tried"));
    }

    /// Says how far work of unknown length has come.
    pub fn counting(&self, message: impl FnOnce() -> String) {
        let Some(bar) = &self.bar else { return };
        if bar.message().is_empty() {
            style(bar, "{elapsed} {spinner} {msg}");
        }
        bar.set_message(message());
    }

    /// Does something that prints, with the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Progress {
    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Has the bar appear after some time, if there is still something to do.
fn appear(bar: &ProgressBar, after: Duration) {
    let late = bar.clone();
    std::thread::spawn(move || {
        std::thread::sleep(after);
        if !late.is_finished() && late.is_hidden() {
            late.set_draw_target(ProgressDrawTarget::stderr());
            late.enable_steady_tick(Duration::from_millis(200));
        }
    });
}

fn style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

//! The progress of an exploration, on standard error: only on a terminal, and only if it takes longer than a second.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::LazyLock;
use std::time::Duration;
use tribunal_explore::options::Progress;

/// Parts of the whole that the bar tells apart.
const PARTS: u64 = 1000;

/// The explorer calls a plain function, so that the bar is one for all.
static BAR: LazyLock<Option<ProgressBar>> = LazyLock::new(|| {
    let style = ProgressStyle::with_template("{elapsed} {bar:30} {msg}").ok()?;
    let bar = ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr()).with_style(style);
    std::io::stderr().is_terminal().then_some(bar)
});

/// Shows how far it is.
pub fn show(progress: &Progress) {
    if let Some(bar) = BAR.as_ref().filter(|_| progress.elapsed > Duration::from_secs(1)) {
        let (done, of) = match progress.estimate {
            Some(estimate) => (progress.executions as f64 / estimate.executions, format!(" of {estimate}")),
            None => (0.0, String::new()),
        };
        bar.set_position((done * PARTS as f64).min(PARTS as f64) as u64);
        bar.set_message(format!("{} executions{of}", HumanCount(progress.executions)));
    }
}

/// Hides the bar while something is printed.
pub fn clear() {
    if let Some(bar) = BAR.as_ref() {
        bar.finish_and_clear();
        bar.reset();
    }
}

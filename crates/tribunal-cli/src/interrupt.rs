//! Signals: the first Ctrl-C asks the work to stop, the second ends it at once; so do SIGTERM and SIGHUP. What is ended at
//! once leaves no temporary file behind.

use crate::exit::{Status, at_once};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Begins to watch for signals.
#[cfg(unix)]
pub fn install() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let watched = [SIGINT, SIGTERM].into_iter().chain(hangup_ends().then_some(SIGHUP));
    let mut signals = signal_hook::iterator::Signals::new(watched)?;
    let watch = move || {
        for signal in signals.forever() {
            match signal {
                SIGTERM => at_once(Status::Terminated),
                SIGHUP => at_once(Status::HungUp),
                _ => ctrl_c(),
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(watch).map(drop)
}

/// Begins to watch for Ctrl-C.
#[cfg(not(unix))]
pub fn install() -> io::Result<()> {
    ctrlc::set_handler(ctrl_c).map_err(io::Error::other)
}

fn ctrl_c() {
    if STOP.swap(true, Ordering::Relaxed) {
        at_once(Status::Interrupted);
    }
}

/// Whether a hangup is to end the command: not under nohup, which has it ignored. Where the system does not tell, it is left
/// as it is.
#[cfg(unix)]
fn hangup_ends() -> bool {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        told.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|signals| signals >> (signal_hook::consts::SIGHUP - 1) & 1 == 0)
}

/// The flag that Ctrl-C sets, for the engines to watch.
pub fn flag() -> &'static AtomicBool {
    &STOP
}

/// Whether Ctrl-C has been pressed.
pub fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

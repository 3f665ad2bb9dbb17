//! Ctrl-C: the first asks the work to stop, the second ends it at once.

use crate::exit::Status;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Begins to watch for Ctrl-C.
pub fn install() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(Status::Interrupted as i32);
        }
    })
}

/// The flag that Ctrl-C sets, for the engines to watch.
pub fn flag() -> &'static AtomicBool {
    &STOP
}

/// Whether Ctrl-C has been pressed.
pub fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

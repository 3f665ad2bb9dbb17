//! Ctrl-C: the first asks the work to stop, the second ends it at once.

use crate::failure::{Failure, Status};
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Begins to watch for Ctrl-C.
pub fn install() -> Result<(), Failure> {
    let pressed = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(Status::INTERRUPTED.0.into());
        }
    };
    ctrlc::set_handler(pressed).map_err(|error| Failure::Usage(format!("cannot watch for Ctrl-C: {error}")))
}

/// The flag that Ctrl-C sets, for the engines to watch.
pub fn flag() -> &'static AtomicBool {
    &STOP
}

/// Whether Ctrl-C has been pressed.
pub fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

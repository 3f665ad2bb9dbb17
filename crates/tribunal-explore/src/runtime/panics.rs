//! Panics inside executions: their messages are kept for the report, and nothing is printed.

use super::state;
use crate::program::Place;
use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, PoisonError};

/// Makes panics inside executions silent. What was installed before sees all others.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let kept = state::with(|state| state.panic = Some((message(info.payload()), place(info))));
            if kept.is_none() {
                before(info);
            }
        }));
    });
}

/// The message of a panic.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).into(),
        (_, Some(text)) => text.clone(),
        _ => "a panic without a message".into(),
    }
}

fn place(info: &PanicHookInfo<'_>) -> Place {
    let Some(location) = info.location() else { return Place::default() };
    Place { file: lasting(location.file()), line: location.line(), column: location.column() }
}

/// The name of a file, forever; each is kept once.
fn lasting(file: &str) -> &'static str {
    static FILES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = files.iter().find(|known| **known == file) {
        return known;
    }
    let kept: &'static str = Box::leak(file.into());
    files.push(kept);
    kept
}

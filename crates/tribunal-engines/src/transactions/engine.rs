//! The engines that decide isolation levels.

use super::{Isolation, Level};
use crate::Engine;
use std::cell::Cell;

/// The engines that decide a level, the default first.
///
/// ```
/// use tribunal::{Engine, transactions::engines};
/// assert!(engines("tcc".parse()?).contains(&Engine::Saturation) && engines("ser".parse()?).contains(&Engine::Search));
/// # Ok::<(), String>(())
/// ```
pub const fn engines(level: Level) -> &'static [Engine] {
    match level.isolation() {
        Isolation::Psi | Isolation::Pc | Isolation::Si | Isolation::Ser => &[Engine::Search, Engine::Sat],
        _ => &[Engine::Saturation],
    }
}

/// The engine that has been used to decide.
pub(super) struct Used(Cell<Engine>);

impl Used {
    /// Nothing but saturation so far.
    pub(super) fn new() -> Self {
        Used(Cell::new(Engine::Saturation))
    }

    /// An engine is used, too.
    pub(super) fn add(&self, engine: Engine) {
        self.0.set(self.0.get().max(engine));
    }

    /// The engine that decided: the last that had to be asked.
    pub(super) fn last(&self) -> Engine {
        self.0.get()
    }
}

//! The engines that decide isolation levels.

use super::{Isolation, Level};
use std::cell::Cell;

/// An engine that decides levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Adds the ww edges that reads force and looks for a cycle (Møldrup and Pavlogiannis 2025).
    Saturation,
    /// Saturation, then a search for the order of the remaining writers that saturates after each decision.
    Search,
    /// Saturation, then a SAT solver for the order of the remaining writers, with clauses for conflicts added lazily.
    Sat,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 3] = [Engine::Saturation, Engine::Search, Engine::Sat];

    /// The engine's name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Saturation => "saturation",
            Engine::Search => "search",
            Engine::Sat => "sat",
        }
    }

    /// Whether it decides a level.
    ///
    /// ```
    /// use tribunal::transactions::Engine;
    /// assert!(Engine::Saturation.decides("tcc".parse()?) && Engine::Search.decides("ser".parse()?));
    /// # Ok::<(), String>(())
    /// ```
    pub fn decides(self, level: Level) -> bool {
        level.engines().contains(&self)
    }
}

impl Level {
    /// The engines that decide it, the default first.
    pub const fn engines(self) -> &'static [Engine] {
        match self.isolation() {
            Isolation::Psi | Isolation::Pc | Isolation::Si | Isolation::Ser => &[Engine::Search, Engine::Sat],
            _ => &[Engine::Saturation],
        }
    }
}

/// What has been used to decide.
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

//! The engines that decide isolation levels.

use super::{Isolation, Level, Verdict};
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

    /// The engines that decide a level, the default first.
    pub const fn of(level: Level) -> &'static [Engine] {
        match level.isolation() {
            Isolation::Psi | Isolation::Pc | Isolation::Si | Isolation::Ser => &[Engine::Search, Engine::Sat],
            _ => &[Engine::Saturation],
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
        Engine::of(level).contains(&self)
    }
}

/// A verdict, and what decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that decided: saturation, where that left nothing to choose; the engine that was asked for, if one was.
    pub engine: Engine,
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

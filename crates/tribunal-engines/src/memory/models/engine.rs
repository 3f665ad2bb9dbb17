//! The engines that decide models.

use super::table;
use tribunal_history::model::Model;

/// An engine that decides models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Builds a minimally coherent partial mo and looks for a cycle (Tunç et al. 2023, Algorithms 2 to 4).
    MinimalCoherence,
    /// Looks for a read whose source is overwritten in its past (Tunç et al. 2023, Algorithm 1).
    WeakCoherence,
    /// Saturation, then a search over downward-closed sets of events (Tunç et al. 2023, section 4.2).
    FrontierSearch,
    /// Derives the edges that every mo must have, to a fixpoint (Zennou et al. 2019 and 2020).
    Saturation,
    /// Saturation, then a search for the order of the remaining writes that saturates after each decision.
    Search,
    /// Saturation, then a SAT solver for the order of the remaining writes, with clauses for cycles added lazily.
    Sat,
    /// The saturation of sc, then every mo that extends it (Zennou et al. 2020).
    WscEnum,
    /// The store order that ccm requires, then every mo that extends it (Zennou et al. 2019, Algorithm 1).
    CcmEnum,
    /// The store order that wccm requires, then every mo that extends it (Zennou et al. 2019, Algorithm 2).
    WccmEnum,
    /// The dynamic program over sets of writes (Chini and Saivasan 2020).
    Subset,
    /// Tries every mo.
    Enum,
    /// The baseline: a memoized search over downward-closed sets of events, without saturation (dbcop's algorithm; Biswas and Enea 2019).
    Memoized,
    /// Evaluates the model's text: the edges that its monotone checks force, then a SAT solver with clauses for failed checks.
    Definition,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 13] = [
        Engine::MinimalCoherence,
        Engine::WeakCoherence,
        Engine::FrontierSearch,
        Engine::Saturation,
        Engine::Search,
        Engine::Sat,
        Engine::WscEnum,
        Engine::CcmEnum,
        Engine::WccmEnum,
        Engine::Subset,
        Engine::Enum,
        Engine::Memoized,
        Engine::Definition,
    ];

    /// The engine's name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::MinimalCoherence => "minimal-coherence",
            Engine::WeakCoherence => "weak-coherence",
            Engine::FrontierSearch => "frontier-search",
            Engine::Saturation => "saturation",
            Engine::Search => "search",
            Engine::Sat => "sat",
            Engine::WscEnum => "wsc-enum",
            Engine::CcmEnum => "ccm-enum",
            Engine::WccmEnum => "wccm-enum",
            Engine::Subset => "subset",
            Engine::Enum => "enum",
            Engine::Memoized => "memoized",
            Engine::Definition => "definition",
        }
    }

    /// The engines that can decide a model, the default first and its [definition](Engine::Definition) last.
    ///
    /// ```
    /// use tribunal::{memory::Engine, Model};
    /// assert_eq!(Engine::of(Model::Cc), [Engine::WeakCoherence, Engine::Definition]);
    /// ```
    pub fn of(model: Model) -> &'static [Engine] {
        table::row(model).engines
    }

    /// Whether it can decide a model.
    ///
    /// ```
    /// use tribunal::{memory::Engine, Model};
    /// assert!(Engine::Subset.decides(Model::Sc) && !Engine::Subset.decides(Model::Ra));
    /// ```
    pub fn decides(self, model: Model) -> bool {
        Engine::of(model).contains(&self)
    }
}

//! The engines by name: what decides models, criteria and levels.
//!
//! Which of them decide a model, a criterion or a level is said by [`memory::engines`](crate::memory::engines),
//! [`object::engines`](crate::object::engines) and [`transactions::engines`](crate::transactions::engines), the default first.

/// An engine. One that decides several kinds of history has one name, and does the same for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Builds a minimally coherent partial mo and looks for a cycle (Tunç et al. 2023, Algorithms 2 to 4).
    MinimalCoherence,
    /// Looks for a read whose source is overwritten in its past (Tunç et al. 2023, Algorithm 1).
    WeakCoherence,
    /// Saturation, then a search over downward-closed sets of events (Tunç et al. 2023, section 4.2).
    FrontierSearch,
    /// Derives the edges that every mo must have, to a fixpoint (Zennou et al. 2019 and 2020); of transactions, the ww edges that reads force
    /// (Møldrup and Pavlogiannis 2025).
    Saturation,
    /// Saturation, then a search for the order of the remaining writes that saturates after each decision; of objects, just-in-time
    /// linearization with memoized frontiers, key by key.
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
    /// The log-linear algorithms for collections whose values are inserted once, and for lists and texts whose reads show who
    /// appended what.
    Collection,
    /// Wing and Gong's search as published (1993): the baseline.
    WingGong,
    /// Minimal visibilities (Emmi and Enea 2018, sections 3 and 4).
    Minimal,
    /// All visibilities: the baseline.
    Naive,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 17] = [
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
        Engine::Collection,
        Engine::WingGong,
        Engine::Minimal,
        Engine::Naive,
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
            Engine::Collection => "collection",
            Engine::WingGong => "wing-gong",
            Engine::Minimal => "minimal",
            Engine::Naive => "naive",
        }
    }
}

//! Tribunal's explorer under loom's names, to be put in loom's place:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "…/shims/loom-0.7" }
//!
//! [profile.dev.package]
//! tribunal-explore.opt-level = 3
//! tribunal.opt-level = 3
//! ```
//!
//! The profile is for tests that are built without optimization, in which the explorer is many times slower.
//!
//! Tests compile unchanged. A complete explorer finds what loom misses, so that a test may fail that passed; see `docs/explore.md`.

pub mod model;

pub use model::model;
pub use tribunal_explore::control::{explore, skip_branch, stop_exploring};
pub use tribunal_explore::nondet;
pub use tribunal_explore::{alloc, cell, future, hint, lazy_static, sync, thread, thread_local};

/// Statics that are made when they are first used.
pub mod lazy_static {
    pub use tribunal_explore::sync::LazyLock as Lazy;
    pub use tribunal_explore::thread::AccessError;
}

/// How many threads a test may have under loom. Here there is no limit.
pub const MAX_THREADS: usize = 5;

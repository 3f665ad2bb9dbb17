//! Failures: as a [history](Failure::history), as text (a [`Failure`] is `Display`), [replayed](replay),
//! [minimized](shrink), under other [models](by_model), and with the orders that [`repair`] them.
//!
//! Everything works for any [`Program`](crate::program::Program).

mod diagnosis;
mod history;
mod models;
mod orders;
mod repair;
mod replay;
mod show;
mod shrink;
mod weak;

pub use diagnosis::{Diagnosis, diagnose};
pub use history::History;
pub use models::{MODELS, UnderModel, by_model};
pub use orders::{Kind, Site};
pub use repair::{Change, Repair, repair};
pub use replay::{BadReplay, Divergence, Replay, replay};
pub(crate) use show::value;
pub use shrink::{shrink, switches};
pub use weak::{Unexplained, Weak};

#[cfg(doc)]
use crate::Failure;

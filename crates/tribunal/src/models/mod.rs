//! The models: each file opens with its axioms and says which engine decides them.

mod rc20;
mod sra;
mod wra;

use crate::limits::Limits;
use crate::memory::Execution;
use crate::order::happens_before::Synchronisation;
use crate::verdict::{Unsupported, Verdict};
use std::fmt;
use std::str::FromStr;

/// A consistency model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    /// C11 without seq_cst: relaxed, acquire and release accesses and fences.
    Rc20,
    /// Release-acquire: every access is acq_rel.
    Ra,
    /// Strong release-acquire.
    Sra,
    /// Weak release-acquire.
    Wra,
    /// Every access is relaxed.
    Relaxed,
}

impl Model {
    /// Every model, strongest first within a family.
    pub const ALL: [Model; 5] = [Model::Sra, Model::Ra, Model::Wra, Model::Rc20, Model::Relaxed];

    /// The model's name on the command line and in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Rc20 => "rc20",
            Model::Ra => "ra",
            Model::Sra => "sra",
            Model::Wra => "wra",
            Model::Relaxed => "relaxed",
        }
    }

    /// The model's axioms in one line.
    pub const fn axioms(self) -> &'static str {
        match self {
            Model::Rc20 => "acyclic(po∪rf); irr(mo;rf?;hb?); irr(fr;rf?;hb); irr(fr;mo); hb = (po∪sw)⁺",
            Model::Ra => "as rc20 with hb = (po∪rf)⁺",
            Model::Sra => "acyclic(po∪rf); acyclic(hb∪mo); irr(fr;rf?;hb); irr(fr;mo); hb = (po∪rf)⁺",
            Model::Wra => {
                "acyclic(po∪rf); irr(hbloc;[W];hb;rf⁻¹); no two RMWs read from one write; hb = (po∪rf)⁺"
            }
            Model::Relaxed => "as rc20 with hb = po",
        }
    }

    /// The cost of deciding the model for n events of k threads.
    pub const fn complexity(self) -> &'static str {
        match self {
            Model::Rc20 | Model::Ra | Model::Wra => "O(n·k)",
            Model::Sra => "O(n·k) without RMWs, NP-complete with: O(k·n^(k+1))",
            Model::Relaxed => "O(n)",
        }
    }

    /// The engines that can decide the model.
    pub const fn engines(self) -> &'static [Engine] {
        match self {
            Model::Rc20 | Model::Ra | Model::Relaxed => &[Engine::MinimalCoherence],
            Model::Sra => &[Engine::MinimalCoherence, Engine::FrontierSearch],
            Model::Wra => &[Engine::WeakCoherence],
        }
    }

    /// Why the model says nothing about this execution, if it does not.
    pub fn unsupported(self, execution: &Execution) -> Option<Unsupported> {
        let features = execution.features();
        match self {
            Model::Rc20 if features.seq_cst => Some(Unsupported::SeqCst),
            Model::Wra if features.finals => Some(Unsupported::Finals),
            _ => None,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no model of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{0}`")]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    /// ```
    /// use tribunal::Model;
    /// assert_eq!("rc20".parse(), Ok(Model::Rc20));
    /// assert!("c11".parse::<Model>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        Model::ALL
            .into_iter()
            .find(|model| model.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownModel(name.into()))
    }
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Builds a minimally coherent partial mo and looks for a cycle (Tunç et al. 2023, Algorithms 2 to 4).
    MinimalCoherence,
    /// Looks for a write overwritten in a read's past (Tunç et al. 2023, Algorithm 1).
    WeakCoherence,
    /// Saturates, then searches the downward-closed sets of events (Tunç et al. 2023, section 4.2).
    FrontierSearch,
}

impl Engine {
    /// The engine's name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::MinimalCoherence => "minimal-coherence",
            Engine::WeakCoherence => "weak-coherence",
            Engine::FrontierSearch => "frontier-search",
        }
    }
}

/// A verdict and what decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What decided it.
    pub engine: Engine,
}

/// Decides whether an execution is consistent with a model.
///
/// ```
/// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
/// // Coherence: one thread sees x = 1 and then the initial 0 again.
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let x = b.location("x");
/// b.push(t0, Op::write(x, 1));
/// b.push(t1, Op::read(x, 1));
/// b.push(t1, Op::read(x, 0));
/// let execution = b.build()?;
/// assert!(matches!(check(&execution, Model::Relaxed), Verdict::Inconsistent(_)));
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn check(execution: &Execution, model: Model) -> Verdict {
    judge(execution, model, &Limits::default()).verdict
}

/// As [`check`], within limits, and says which engine decided.
pub fn judge(execution: &Execution, model: Model, limits: &Limits<'_>) -> Judgement {
    if let Some(why) = model.unsupported(execution) {
        return Judgement { verdict: Verdict::Unsupported(why), engine: model.engines()[0] };
    }
    let (decided, engine) = match model {
        Model::Rc20 => {
            (rc20::decide(execution, Synchronisation::Annotated, limits), Engine::MinimalCoherence)
        }
        Model::Ra => (rc20::decide(execution, Synchronisation::EveryRead, limits), Engine::MinimalCoherence),
        Model::Relaxed => {
            (rc20::decide(execution, Synchronisation::Nothing, limits), Engine::MinimalCoherence)
        }
        Model::Wra => (wra::decide(execution, limits), Engine::WeakCoherence),
        Model::Sra => sra::decide(execution, limits),
    };
    let verdict = decided.unwrap_or_else(Verdict::Undecided);
    Judgement { verdict, engine }
}

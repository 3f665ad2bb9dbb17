//! The models: each file opens with its axioms and says which engine decides them.

pub(crate) mod c11;
mod causal;
mod coherence;
mod inclusions;
pub(crate) mod multiprocessor;
mod sra;
mod wra;
mod wsc;

use crate::checker::Checker;
use crate::limits::Limits;
use crate::memory::Execution;
use crate::names::suggestion;
use crate::order::past::happens_before::Synchronisation;
pub use crate::preserved::{BadPreserved, Keep, Preserved};
use crate::sources;
use crate::verdict::{Unsupported, Verdict};
use c11::C11;
pub use multiprocessor::decide_assuming;
use std::fmt;
use std::str::FromStr;

/// A consistency model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// The saturation of sequential consistency.
    Wsc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
    /// Relaxed memory order.
    Rmo,
    /// Axe's weak memory order.
    Wmo,
    /// A model given as a pair (po-mm, rf-mm).
    Custom(Preserved),
    /// Each location alone is sequentially consistent.
    Coherence,
    /// Convergent causal memory.
    Ccm,
    /// Weak convergent causal memory.
    Wccm,
    /// Causal memory.
    Cm,
    /// Causal convergence.
    Ccv,
    /// Causal consistency.
    Cc,
    /// Pipelined random access memory.
    Pram,
    /// Strong release-acquire.
    Sra,
    /// Release-acquire: every access is acq_rel.
    Ra,
    /// Weak release-acquire.
    Wra,
    /// C11 as of C++20: relaxed, acquire, release and seq_cst accesses and fences.
    Rc20,
    /// C11 as repaired in 2017: other release sequences, and a weaker order of seq_cst events.
    Rc11,
    /// Every access is relaxed.
    Relaxed,
}

impl Model {
    /// Every named model, strongest first within a family.
    pub const ALL: [Model; 19] = [
        Model::Sc,
        Model::Tso,
        Model::Pso,
        Model::Wmo,
        Model::Rmo,
        Model::Coherence,
        Model::Wsc,
        Model::Ccm,
        Model::Wccm,
        Model::Cm,
        Model::Ccv,
        Model::Cc,
        Model::Pram,
        Model::Sra,
        Model::Ra,
        Model::Wra,
        Model::Rc20,
        Model::Rc11,
        Model::Relaxed,
    ];

    /// The model's name on the command line and in every output; a pair (po-mm, rf-mm) is displayed in full.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Wsc => "wsc",
            Model::Tso => "tso",
            Model::Pso => "pso",
            Model::Rmo => "rmo",
            Model::Wmo => "wmo",
            Model::Custom(_) => "custom",
            Model::Coherence => "coherence",
            Model::Ccm => "ccm",
            Model::Wccm => "wccm",
            Model::Cm => "cm",
            Model::Ccv => "ccv",
            Model::Cc => "cc",
            Model::Pram => "pram",
            Model::Sra => "sra",
            Model::Ra => "ra",
            Model::Wra => "wra",
            Model::Rc20 => "rc20",
            Model::Rc11 => "rc11",
            Model::Relaxed => "relaxed",
        }
    }

    /// The model's axioms in one line.
    pub const fn axioms(self) -> &'static str {
        match self {
            Model::Sc => "acyclic(po∪rf∪mo∪fr)",
            Model::Wsc => "acyclic(hb); st = (hb_WR;rf⁻¹ ∪ hb_WW)⁺, hb = (po∪rf∪st∪rw[st])⁺, the least such",
            Model::Tso => "acyclic(po-loc∪rf∪mo∪fr); acyclic(ppo∪rfe∪mo∪fr); ppo: all but W→R, fences",
            Model::Pso => "as tso with ppo: R→R, R→W, fences",
            Model::Rmo => "as tso with ppo: dependencies, fences; po-loc without R→R; acyclic(deps∪rf)",
            Model::Wmo => {
                "as tso with ppo: R→R, R→W, W→W of one location, a read that ended before the later event began, fences"
            }
            Model::Custom(_) => "acyclic(po-loc∪rf∪mo∪fr); acyclic(po-mm∪rf-mm∪mo∪fr)",
            Model::Coherence => "for each location alone, acyclic(po-loc∪rf∪mo∪fr)",
            Model::Ccm => "acyclic(po∪rf∪pww∪rw[pww]); pww = (hb_WW∪cf[hb])⁺, hb = (∪_o hb_o)⁺",
            Model::Wccm => {
                "acyclic(po-loc∪rf); acyclic(π∪rfe∪wpww∪rw[wpww]) for π = tso's ppo and for π = po-loc"
            }
            Model::Cm => "cc; for every event o, hb_o acyclic",
            Model::Ccv => "cc; acyclic(po∪rf∪cf[co]); co = (po∪rf)⁺",
            Model::Cc => "acyclic(po∪rf); irr(rw[co];co); co = (po∪rf)⁺",
            Model::Pram => {
                "for each thread, a total order of all writes and of its events contains po and explains its reads"
            }
            Model::Rc20 => {
                "acyclic(po∪rf); irr(mo;rf?;hb?); irr(fr;rf?;hb); irr(fr;mo); acyclic(psc); hb = (po∪sw)⁺"
            }
            Model::Rc11 => {
                "as rc20; a later write of its thread continues a release sequence; psc has far;hb;far in place of po;hb;po"
            }
            Model::Ra => "as rc20 with hb = (po∪rf)⁺",
            Model::Sra => "acyclic(po∪rf); acyclic(hb∪mo); irr(fr;rf?;hb); irr(fr;mo); hb = (po∪rf)⁺",
            Model::Wra => {
                "acyclic(po∪rf); irr(hbloc;[W];hb;rf⁻¹); no two RMWs read from one write; hb = (po∪rf)⁺"
            }
            Model::Relaxed => "as rc20 with hb = po",
        }
    }

    /// The cost of deciding the model for n events of k threads, where every read has its source; where values repeat and reads
    /// are [open](Execution::is_open), every model is NP-complete.
    pub const fn complexity(self) -> &'static str {
        match self {
            Model::Sc | Model::Tso | Model::Pso => "NP-complete; near O(n·k) where saturation decides",
            Model::Rmo | Model::Wmo | Model::Custom(_) => "NP-complete; near O(n·k) where saturation decides",
            Model::Wsc => "polynomial; near O(n·k)",
            Model::Ccm | Model::Wccm | Model::Cm | Model::Pram | Model::Cc | Model::Ccv => "O(n·k)",
            Model::Ra | Model::Wra => "O(n·k)",
            Model::Rc20 | Model::Rc11 => {
                "O(n·k) without seq_cst, NP-complete with; near O(n·k) where saturation decides"
            }
            Model::Sra => "O(n·k) without RMWs, NP-complete with: O(k·n^(k+1))",
            Model::Relaxed | Model::Coherence => "O(n)",
        }
    }

    /// The engines that can decide the model.
    pub const fn engines(self) -> &'static [Engine] {
        const ORDERS: &[Engine] =
            &[Engine::Saturation, Engine::Search, Engine::Sat, Engine::Subset, Engine::Enum, Engine::Plain];
        match self {
            Model::Sc => &[
                Engine::Saturation,
                Engine::Search,
                Engine::Sat,
                Engine::WscEnum,
                Engine::CcmEnum,
                Engine::Subset,
                Engine::Enum,
                Engine::Plain,
            ],
            Model::Tso => &[
                Engine::Saturation,
                Engine::Search,
                Engine::Sat,
                Engine::WccmEnum,
                Engine::Subset,
                Engine::Enum,
                Engine::Plain,
            ],
            Model::Pso | Model::Rmo | Model::Wmo | Model::Custom(_) => ORDERS,
            Model::Coherence | Model::Ra | Model::Relaxed => &[Engine::MinimalCoherence],
            Model::Rc20 | Model::Rc11 => {
                &[Engine::MinimalCoherence, Engine::Saturation, Engine::Search, Engine::Sat]
            }
            Model::Sra => &[Engine::MinimalCoherence, Engine::FrontierSearch],
            Model::Wra | Model::Cc => &[Engine::WeakCoherence],
            Model::Wsc | Model::Ccm | Model::Wccm | Model::Cm | Model::Ccv | Model::Pram => {
                &[Engine::Saturation]
            }
        }
    }

    /// The pair (po-mm, rf-mm) of a multiprocessor model.
    pub const fn preserved(self) -> Option<Preserved> {
        match self {
            Model::Sc => Some(Preserved::SC),
            Model::Tso => Some(Preserved::TSO),
            Model::Pso => Some(Preserved::PSO),
            Model::Rmo => Some(Preserved::RMO),
            Model::Wmo => Some(Preserved::WMO),
            Model::Custom(preserved) => Some(preserved),
            _ => None,
        }
    }

    /// Whether the model says which non-atomic accesses are data races.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert!(Model::Rc20.has_races() && !Model::Ra.has_races());
    /// ```
    pub const fn has_races(self) -> bool {
        matches!(self, Model::Rc20 | Model::Rc11)
    }

    /// Why the model says nothing about this execution, if it does not.
    pub fn unsupported(self, execution: &Execution) -> Option<Unsupported> {
        let features = execution.features();
        match self {
            Model::Wsc | Model::Ccm | Model::Wccm | Model::Cm | Model::Ccv | Model::Cc
                if features.fences > 0 =>
            {
                Some(Unsupported::Fences)
            }
            Model::Wsc
            | Model::Ccm
            | Model::Wccm
            | Model::Cm
            | Model::Ccv
            | Model::Cc
            | Model::Pram
            | Model::Wra
                if features.finals =>
            {
                Some(Unsupported::Finals)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Custom(preserved) => preserved.fmt(f),
            model => f.write_str(model.name()),
        }
    }
}

/// There is no model of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{0}`{near}", near = suggestion(.0, Model::ALL.map(Model::name)))]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    /// ```
    /// use tribunal::{Model, models::Preserved};
    /// assert_eq!("rc20".parse(), Ok(Model::Rc20));
    /// assert_eq!("po-mm=RR+RW;rf-mm=rfe".parse(), Ok(Model::Custom(Preserved::PSO)));
    /// assert!("c11".parse::<Model>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        let named = Model::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name));
        named.or_else(|| name.parse().ok().map(Model::Custom)).ok_or_else(|| UnknownModel(name.into()))
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
    /// Derives the edges that every mo must have, until there are no more (Zennou et al. 2019 and 2020).
    Saturation,
    /// Saturation, then a search for the order of the remaining writes that saturates after each decision.
    Search,
    /// Saturation, then a SAT solver for the order of the remaining writes, told of cycles as it runs into them.
    Sat,
    /// The saturation of sc, then every mo that extends it (Zennou et al. 2020).
    WscEnum,
    /// The store order that ccm asks for, then every mo that extends it (Zennou et al. 2019, Algorithm 1).
    CcmEnum,
    /// The store order that wccm asks for, then every mo that extends it (Zennou et al. 2019, Algorithm 2).
    WccmEnum,
    /// The dynamic programme over sets of writes (Chini and Saivasan 2020).
    Subset,
    /// Tries every mo.
    Enum,
    /// The memoised search of downward-closed sets of events, without saturation: the baseline.
    Plain,
}

impl Engine {
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
            Engine::Plain => "plain",
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

/// Decides whether an execution is consistent with a model; for many of them, a [`Checker`] is faster.
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
    Checker::new(model).check(execution)
}

/// As [`check`], within limits, and says which engine decided.
pub fn judge(execution: &Execution, model: Model, limits: &Limits<'_>) -> Judgement {
    Checker::new(model).judge(execution, limits)
}

/// As [`judge`], by a given engine; none if it cannot decide the model.
///
/// ```
/// use tribunal::{Engine, Limits, Model, judge_by, memory::{Execution, Op}};
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// b.push(t, Op::write(x, 1));
/// let history = b.build()?;
/// let judged = judge_by(&history, Model::Sc, Engine::Subset, &Limits::default()).expect("subset decides sc");
/// assert!(judged.verdict.is_consistent());
/// assert!(judge_by(&history, Model::Ra, Engine::Subset, &Limits::default()).is_none());
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn judge_by(
    execution: &Execution,
    model: Model,
    engine: Engine,
    limits: &Limits<'_>,
) -> Option<Judgement> {
    model.engines().contains(&engine).then(|| judgement(execution, model, Some(engine), limits))
}

pub(crate) fn judgement(
    x: &Execution,
    model: Model,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> Judgement {
    let usual = engine.unwrap_or(model.engines()[0]);
    if let Some(why) = model.unsupported(x) {
        return Judgement { verdict: Verdict::Unsupported(why), engine: usual };
    }
    let by = |decided: Result<Verdict, _>| decided.map(|verdict| (verdict, usual));
    let decided = match model {
        _ if x.is_open() => {
            sources::decide(x, model, |x, limits| judgement(x, model, engine, limits), limits)
        }
        Model::Rc20 => c11::decide(x, C11::Rc20, engine, limits),
        Model::Rc11 => c11::decide(x, C11::Rc11, engine, limits),
        Model::Ra => by(c11::coherent(x, Synchronisation::EveryRead, limits)),
        Model::Relaxed => by(c11::coherent(x, Synchronisation::Nothing, limits)),
        Model::Wra => by(wra::decide(x, limits)),
        Model::Sra => sra::decide(x, limits),
        Model::Coherence => by(coherence::decide(x, limits)),
        Model::Wsc => by(wsc::decide(x, limits)),
        Model::Cc => by(causal::cc::decide(x, limits)),
        Model::Ccv => by(causal::ccv::decide(x, limits)),
        Model::Cm => by(causal::cm::decide(x, limits)),
        Model::Pram => by(causal::pram::decide(x, limits)),
        Model::Ccm => by(causal::ccm::decide(x, limits)),
        Model::Wccm => by(causal::wccm::decide(x, limits)),
        Model::Sc => multiprocessor::decide(x, &Preserved::SC, engine, limits),
        Model::Tso => multiprocessor::decide(x, &Preserved::TSO, engine, limits),
        Model::Pso => multiprocessor::decide(x, &Preserved::PSO, engine, limits),
        Model::Rmo => multiprocessor::decide(x, &Preserved::RMO, engine, limits),
        Model::Wmo => multiprocessor::decide(x, &Preserved::WMO, engine, limits),
        Model::Custom(preserved) => multiprocessor::decide(x, &preserved, engine, limits),
    };
    // What runs into a limit is the search, where there is one.
    let searched = engine.or(model.engines().get(1).copied()).unwrap_or(usual);
    let (verdict, engine) = decided.unwrap_or_else(|limit| (Verdict::Undecided(limit), searched));
    Judgement { verdict, engine }
}

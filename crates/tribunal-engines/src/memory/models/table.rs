//! The engines of the models: a row for each model that has engines of its own; the others are decided by their text.

use super::c11::{self, C11};
use super::{Engine, causal, coherence, multiprocessor, sra, wra, wsc};
use crate::memory::order::past::happens_before::Synchronization;
use Engine::{
    CcmEnum, Definition as ByText, Enum, FrontierSearch, Memoized, MinimalCoherence, Sat, Saturation, Search,
    Subset, WccmEnum, WeakCoherence, WscEnum,
};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::{Model, Preserved};
use tribunal_history::verdict::{Limit, Verdict};

/// The engines of a model.
pub(super) struct Row {
    /// The engines that decide it, the usual one first.
    pub engines: &'static [Engine],
    /// The function that decides by them; a model without is decided by its definition.
    pub decide: Option<Decide>,
}

/// Decides a model by its engines.
pub(super) type Decide = fn(&Execution, Option<Engine>, &Limits<'_>) -> Result<(Verdict, Engine), Limit>;

/// The engines of any pair (po-mm, rf-mm).
const ORDERS: &[Engine] = &[Saturation, Search, Sat, Subset, Enum, Memoized, ByText];

pub(super) fn row(model: Model) -> Row {
    let by = |engines, decide: Decide| Row { engines, decide: Some(decide) };
    match model {
        Model::Sc => by(
            &[Saturation, Search, Sat, WscEnum, CcmEnum, Subset, Enum, Memoized, ByText],
            |x, engine, limits| multiprocessor::decide(x, &Preserved::SC, engine, limits),
        ),
        Model::Tso => {
            by(&[Saturation, Search, Sat, WccmEnum, Subset, Enum, Memoized, ByText], |x, engine, limits| {
                multiprocessor::decide(x, &Preserved::TSO, engine, limits)
            })
        }
        Model::Pso => {
            by(ORDERS, |x, engine, limits| multiprocessor::decide(x, &Preserved::PSO, engine, limits))
        }
        Model::Wmo => {
            by(ORDERS, |x, engine, limits| multiprocessor::decide(x, &Preserved::WMO, engine, limits))
        }
        Model::Rmo => {
            by(ORDERS, |x, engine, limits| multiprocessor::decide(x, &Preserved::RMO, engine, limits))
        }
        Model::Coherence => by(&[MinimalCoherence, ByText], |x, _, limits| {
            Ok((coherence::decide(x, limits)?, MinimalCoherence))
        }),
        Model::Wsc => by(&[Saturation, ByText], |x, _, limits| Ok((wsc::decide(x, limits)?, Saturation))),
        Model::Ccm => {
            by(&[Saturation, ByText], |x, _, limits| Ok((causal::ccm::decide(x, limits)?, Saturation)))
        }
        Model::Wccm => {
            by(&[Saturation, ByText], |x, _, limits| Ok((causal::wccm::decide(x, limits)?, Saturation)))
        }
        Model::Cm => {
            by(&[Saturation, ByText], |x, _, limits| Ok((causal::cm::decide(x, limits)?, Saturation)))
        }
        Model::Ccv => {
            by(&[Saturation, ByText], |x, _, limits| Ok((causal::ccv::decide(x, limits)?, Saturation)))
        }
        Model::Cc => {
            by(&[WeakCoherence, ByText], |x, _, limits| Ok((causal::cc::decide(x, limits)?, WeakCoherence)))
        }
        Model::Pram => {
            by(&[Saturation, ByText], |x, _, limits| Ok((causal::pram::decide(x, limits)?, Saturation)))
        }
        Model::Sra => by(&[MinimalCoherence, FrontierSearch, ByText], |x, _, limits| sra::decide(x, limits)),
        Model::Ra => by(&[MinimalCoherence, ByText], |x, _, limits| {
            Ok((c11::coherent(x, Synchronization::EveryRead, limits)?, MinimalCoherence))
        }),
        Model::Wra => {
            by(&[WeakCoherence, ByText], |x, _, limits| Ok((wra::decide(x, limits)?, WeakCoherence)))
        }
        Model::Rc20 => by(&[MinimalCoherence, Saturation, Search, Sat, ByText], |x, engine, limits| {
            c11::decide(x, C11::Rc20, engine, limits)
        }),
        Model::Rc11 => by(&[MinimalCoherence, Saturation, Search, Sat, ByText], |x, engine, limits| {
            c11::decide(x, C11::Rc11, engine, limits)
        }),
        Model::Relaxed => by(&[MinimalCoherence, ByText], |x, _, limits| {
            Ok((c11::coherent(x, Synchronization::Nothing, limits)?, MinimalCoherence))
        }),
        Model::Custom(_) => Row { engines: ORDERS, decide: None },
        _ => Row { engines: &[ByText], decide: None },
    }
}

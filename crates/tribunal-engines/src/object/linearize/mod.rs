//! Linearizability and sequential consistency by search.
//!
//! Wing and Gong's search (1993) in Lowe's just-in-time order (2017), over the operations of one key at a time: an operation
//! is linearized only when one that must have taken effect is about to return. What keeps it small:
//!
//! - a configuration is how far real time has come, which of the open operations have taken effect, and the state;
//!   each is visited once, so memory is linear where there is little to try;
//! - a completed operation that changes the state nowhere (a read, or a cas that failed) takes effect as soon as its return
//!   fits: nothing that comes later would notice the difference;
//! - of open operations that are alike (same invocation, same return) the one that returns first goes first: in any
//!   linearization two of them can change places. Values that nobody else mentions are alike;
//! - an operation that commutes with all others that are open waits until it has to;
//! - a pending operation takes effect only where that changes the state, and only if no completed one with the same invocation can
//!   do that.
//!
//! Criteria that are local are decided key by key: a history is linearizable iff the operations of each key are (Herlihy
//! and Wing 1990).

mod alike;
mod keys;
mod ordered;
mod partial;
mod timed;

use super::collections::Partly;
use super::meter::Meter;
use super::{
    AbstractExecution, Criterion, History, Intervals, NEVER, OpId, Specification, Verdict, Violation,
    Visibility,
};
use alike::Alike;
pub(super) use keys::{Keys, merge};
pub use partial::{PartialLinearizations, Step, StepId, partial_linearizations};
use tribunal_history::verdict::Limit;

/// The bytes that an operation takes while keys are distinguished and likes are found.
const BYTES: usize = 160;

/// The result of a search over some of the operations.
enum Found {
    /// They can take effect in this order.
    Lin(Vec<OpId>),
    /// They cannot.
    Stuck(Option<Stuck>),
}

/// The point at which a search over operations with times was stuck.
struct Stuck {
    /// No order gets past the return that ends the first so many events of the history.
    events: u32,
    /// The number of configurations that were visited.
    states: u64,
}

pub(super) fn decide(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    meter.work(0)?;
    meter.room(BYTES * history.len())?;
    search_keys(history, spec, criterion, &Keys::of(history, spec), Vec::new(), meter)
}

/// Linearizability of a history with times whose other keys have these linearizations.
pub(super) fn complete(
    history: &History,
    spec: &dyn Specification,
    Partly { lins, left }: Partly,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    meter.work(0)?;
    meter.room(BYTES * history.len())?;
    search_keys(history, spec, &Criterion::Linearizable, &left, lins, meter)
}

/// Searches keys, beside others that have linearizations.
fn search_keys(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    keys: &Keys,
    mut lins: Vec<Vec<OpId>>,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    let alike = Alike::of(history, spec);
    let timed = history.intervals().filter(|_| *criterion == Criterion::Linearizable);
    let search = |ops: &[OpId], meter: &mut Meter<'_>| match timed {
        Some(intervals) => timed::search(history, intervals, spec, &alike, ops, NEVER, meter),
        None => {
            let real_time = *criterion == Criterion::Linearizable;
            ordered::search(history, spec, &alike, ops, real_time, meter)
        }
    };
    let refuted = |ops: &[OpId], at: Option<Stuck>, meter: &mut Meter<'_>| {
        let mut operations = ops.to_vec();
        let mut cut = None;
        if let (Some(at), Some(intervals)) = (at, timed) {
            let upto = |cut: u32, meter: &mut Meter<'_>| {
                timed::search(history, intervals, spec, &alike, ops, cut, meter)
            };
            cut = Some(shortest(intervals, ops, at, upto, meter)?);
            operations.retain(|op| Some(intervals.call[op.index()]) < cut);
        }
        operations.sort_unstable();
        Ok(Verdict::Inconsistent(Violation { operations, cut }))
    };
    let outcomes = keys.each(meter, search);
    let mut undecided = None;
    for (at, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Some(Ok(Found::Stuck(stuck))) => return refuted(keys.ops(at), stuck, meter),
            Some(Ok(Found::Lin(lin))) => lins.push(lin),
            Some(Err(limit)) => undecided = Some(limit),
            None => {}
        }
    }
    if let Some(limit) = undecided {
        return Err(limit);
    }
    let lin = match (timed, lins.len()) {
        (_, 0) => Vec::new(),
        (_, 1) => lins.swap_remove(0),
        (Some(intervals), _) => merge(intervals, lins),
        // Without real time the keys constrain each other: only all together are an answer.
        (None, _) => {
            let all = keys.all();
            match search(&all, meter)? {
                Found::Lin(lin) => lin,
                Found::Stuck(stuck) => return refuted(&all, stuck, meter),
            }
        }
    };
    Ok(Verdict::Consistent(AbstractExecution { lin, vis: Visibility::All }))
}

/// The fewest events after which the operations are not linearizable, as far as a reasonable effort tells.
///
/// With all returns known, no order got past the return that ends the first `at.events`. As long as open operations
/// may still return anything, that much may be linearizable; once it is not, it is not ever after.
fn shortest(
    intervals: Intervals<'_>,
    ops: &[OpId],
    at: Stuck,
    upto: impl Fn(u32, &mut Meter<'_>) -> Result<Found, Limit>,
    meter: &mut Meter<'_>,
) -> Result<u32, Limit> {
    let effort = (2 * at.states).max(10_000);
    let mut fails = |cut: u32| {
        let mut part = meter.part(effort);
        let outcome = upto(cut, &mut part);
        meter.add(&part);
        match outcome {
            Ok(outcome) => Ok(matches!(outcome, Found::Stuck(_))),
            Err(Limit::States { .. } | Limit::Memory { .. } | Limit::Step) => Ok(false),
            Err(limit) => Err(limit),
        }
    };
    let returns = ops.iter().map(|op| intervals.ret[op.index()]);
    let mut cuts: Vec<u32> =
        returns.filter(|&ret| ret != NEVER && ret + 1 >= at.events).map(|ret| ret + 1).collect();
    cuts.sort_unstable();
    // Mostly it is the first, or one of the next: the further off, the larger the steps.
    let (mut low, mut step) = (0, 1);
    let mut high = cuts.len() - 1;
    while low < high {
        let try_at = (low + step - 1).min(high - 1);
        if fails(cuts[try_at])? {
            high = try_at;
            step = 1.max((high - low) / 2);
        } else {
            low = try_at + 1;
            step = if step < 8 { 2 * step } else { 1.max((high - low) / 2) };
        }
    }
    Ok(cuts[high])
}

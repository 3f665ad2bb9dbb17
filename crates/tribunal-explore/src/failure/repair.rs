//! Stronger orders, and fences, that repair a test.
//!
//! A set of changes repairs the test if the complete exploration passes with it. Sets are tried in order of the number of
//! operations they change or fences they add, then of the strength of the changes (a fence weighs more than an operation of its order), so the
//! first that works is the weakest. If an execution that failed before
//! is still allowed with the changed orders, it fails again; this is decided without exploring.
//!
//! If the test fails with every order seq_cst, no orders can repair it.

use super::history::history_of;
use super::orders::{Kind, Reordered, Site, Table, join, strength, weaker};
use crate::explore::searched;
use crate::graph::Event;
use crate::program::{Action, Place, Program};
use crate::{End, Failure, Options, Problem};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_engines::memory::judge;
use tribunal_engines::memory::session::NoSession;
use tribunal_history::memory::Order;
use tribunal_history::{limits::Limits, model::Model};

/// An operation that needs a stronger order, or a fence that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in the source; that of the operation before a fence that is missing.
    pub place: Place,
    /// The kind of the operation.
    pub kind: Kind,
    /// Its order. A fence that is missing is relaxed.
    pub from: Order,
    /// The new order.
    pub to: Order,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { place, kind, from, to } = self;
        match kind {
            Kind::NewFence => write!(f, "a {} fence behind {place}", to.name())?,
            _ => write!(f, "the {kind} at {place}")?,
        }
        if place.column > 0 {
            write!(f, ":{}", place.column)?;
        }
        match kind {
            Kind::NewFence => Ok(()),
            _ => write!(f, ": {} instead of {}", to.name(), from.name()),
        }
    }
}

/// A repair of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Any of these sets of changes, which are all minimal.
    Orders(Vec<Vec<Change>>),
    /// It fails even if every operation is seq_cst, so no orders can repair it.
    NotOrders,
    /// Nothing was found in time.
    Unknown,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::NotOrders => {
                write!(f, "an algorithmic bug: the test fails even if every operation is seq_cst")
            }
            Repair::Unknown => write!(f, "no repair by orders was found in the time given"),
            Repair::Orders(sets) => {
                write!(f, "an ordering bug; the weakest orders that repair it:")?;
                for (i, set) in sets.iter().enumerate() {
                    if i > 0 {
                        write!(f, "\nor")?;
                    }
                    set.iter().try_for_each(|change| write!(f, "\n  {change}"))?;
                }
                Ok(())
            }
        }
    }
}

/// Most operations that are changed at once, while all sets of so many are tried.
const MOST_CHANGES: usize = 3;
/// Most sets of so many that are tried; if there are more, sets are not tried one by one.
const MOST_TRIED: usize = 100_000;
/// Most sets that are named.
const MOST_SETS: usize = 4;

/// Searches for the weakest orders with which a test passes, for a limited time.
pub fn repair<P: Program>(
    make: impl Fn() -> P + Sync,
    options: &Options,
    patience: Duration,
) -> Result<Repair, NoSession> {
    let patience = options.max_duration.map_or(patience, |most| most.min(patience));
    let options = &Options { max_duration: Some(patience), ..options.clone() };
    let mut trial =
        Trial { make, options, limits: options.limits(), met: Table::new(), failures: Vec::new() };
    if trial.passes(&Table::new())? != Some(false) || trial.is_nondeterministic() {
        return Ok(Repair::Unknown);
    }
    // Operations that only other orders lead to are met on the way.
    let mut known = 0;
    while known != trial.met.len() {
        known = trial.met.len();
        match trial.passes(&trial.strongest())? {
            Some(true) => {}
            Some(false) if trial.is_nondeterministic() => return Ok(Repair::Unknown),
            Some(false) => return Ok(Repair::NotOrders),
            None => return Ok(Repair::Unknown),
        }
    }
    let sites = trial.sites();
    for count in 1..=MOST_CHANGES.min(sites.len()) {
        let mut sets = Vec::new();
        collect(&sites, count, &mut Table::new(), &mut sets);
        if sets.len() > MOST_TRIED {
            return trial.weaken();
        }
        sets.sort_by_key(|set| trial.weight(set));
        let mut found: Vec<Table> = Vec::new();
        for set in sets {
            let enough = found.first().is_some_and(|first| trial.weight(first) < trial.weight(&set));
            if enough || found.len() == MOST_SETS {
                break;
            }
            match trial.passes(&set)? {
                Some(true) => found.push(set),
                Some(false) => {}
                None if found.is_empty() => return trial.weaken(),
                None => break,
            }
        }
        if !found.is_empty() {
            return Ok(Repair::Orders(found.iter().map(|set| trial.changes(set)).collect()));
        }
    }
    trial.weaken()
}

struct Trial<'a, M> {
    make: M,
    options: &'a Options,
    limits: Limits<'static>,
    /// The operations, with the orders that they are written with.
    met: Table,
    /// Executions that failed, and with which new fences.
    failures: Vec<(Table, Failure)>,
}

impl<P: Program, M: Fn() -> P + Sync> Trial<'_, M> {
    /// Whether the test passes with these orders; none if there was no time to find out.
    fn passes(&mut self, table: &Table) -> Result<Option<bool>, NoSession> {
        if self.failures.iter().any(|(fences, failure)| self.still_fails(fences, failure, table)) {
            return Ok(Some(false));
        }
        if self.limits.check(0).is_err() {
            return Ok(None);
        }
        let left = self.limits.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let options = Options { max_duration: left, ..self.options.clone() };
        let shared = Arc::new(table.clone());
        let make = || Reordered::new((self.make)(), shared.clone());
        let (report, met) = searched(make, |program| program.met, &options)?;
        for (site, order) in met.into_iter().flatten() {
            let written = self.met.entry(site).or_insert(order);
            *written = weaker(*written, order);
        }
        Ok(match (report.end, report.failure) {
            (_, Some(failure)) => {
                self.failures.push((table.clone(), failure));
                Some(false)
            }
            (End::Complete | End::Bounded | End::Sampled, None) => Some(true),
            _ => None,
        })
    }

    /// Whether orders allow an execution that failed by what threads did in it. Of those that failed by what is ordered or
    /// waited for, this is not known.
    fn still_fails(&self, with: &Table, failure: &Failure, table: &Table) -> bool {
        // Fences that the execution has and the table does not only forbid more.
        let mut fences = table.iter().filter(|((_, kind), _)| *kind == Kind::NewFence);
        if fences.any(|(site, order)| with.get(site) != Some(order)) {
            return false;
        }
        // Of a whole execution, final values may be to blame, which depend on mo; and pso needs more than a write to spawn.
        let by_thread = failure.thread.is_some() && self.options.model != Model::Pso;
        let by_thread_alone =
            matches!(failure.problem, Problem::Panic { .. } | Problem::Misuse { .. } | Problem::Crash { .. });
        if !by_thread || !by_thread_alone {
            return false;
        }
        let order = |event: &Event| {
            let site = (event.place, kind_of(event)?);
            if site.1 == Kind::Fence && with.contains_key(&(event.place, Kind::NewFence)) {
                return event.order();
            }
            let written = *self.met.get(&site)?;
            Some(table.get(&site).map_or(written, |&given| join(written, given)))
        };
        let history =
            history_of(failure, failure.graph.events().len(), |event| order(event).or(event.order()));
        history.is_ok_and(|history| {
            judge(&history.execution, self.options.model, &self.limits).0.is_consistent()
        })
    }

    fn strongest(&self) -> Table {
        self.met.keys().map(|&site| (site, Order::SeqCst)).collect()
    }

    /// Whether the last execution that failed did so because the test is not deterministic: then orders say nothing.
    fn is_nondeterministic(&self) -> bool {
        let last = self.failures.last();
        last.is_some_and(|(_, failure)| matches!(failure.problem, Problem::Nondeterminism { .. }))
    }

    /// The sites that can be changed, with the orders that they have; there may be a fence behind each access.
    fn sites(&self) -> Vec<(Site, Order)> {
        let met = self.met.iter().map(|(&site, &order)| (site, order));
        let fences = self.met.keys().filter(|(_, kind)| matches!(kind, Kind::Load | Kind::Store | Kind::Rmw));
        let fences = fences.map(|&(place, _)| ((place, Kind::NewFence), Order::Relaxed));
        let mut sites: Vec<_> = met.chain(fences).collect();
        sites.dedup();
        sites
    }

    /// The size of the change of a set.
    fn weight(&self, set: &Table) -> u32 {
        let more = |(site, &order): (&Site, &Order)| {
            let written = self.met.get(site).map_or(0, |&written| strength(written));
            strength(order).saturating_sub(written) + u32::from(site.1 == Kind::NewFence)
        };
        set.iter().map(more).sum()
    }

    fn changes(&self, set: &Table) -> Vec<Change> {
        let change = |(&(place, kind), &to): (&Site, &Order)| {
            let from = self.met.get(&(place, kind)).copied().unwrap_or(Order::Relaxed);
            Change { place, kind, from, to }
        };
        set.iter().map(change).collect()
    }

    /// Many changes: makes one after the other as weak as the others let it be.
    fn weaken(&mut self) -> Result<Repair, NoSession> {
        let mut table = self.strongest();
        let sites: Vec<(Site, Order)> = self.met.iter().map(|(&site, &order)| (site, order)).collect();
        let mut found = self.passes(&table)? == Some(true);
        for (site, written) in sites {
            let kept = table.remove(&site);
            for order in std::iter::once(None).chain(site.1.stronger(written).iter().copied().map(Some)) {
                match order {
                    Some(order) => _ = table.insert(site, order),
                    None => _ = table.remove(&site),
                }
                if order == kept {
                    break;
                }
                match self.passes(&table)? {
                    Some(true) => {
                        found = true;
                        break;
                    }
                    Some(false) => {}
                    None => {
                        // The rest stays as strong as it is.
                        table.extend(kept.map(|kept| (site, kept)));
                        break;
                    }
                }
            }
        }
        Ok(if found { Repair::Orders(vec![self.changes(&table)]) } else { Repair::Unknown })
    }
}

/// All sets of so many changes of these operations.
fn collect(sites: &[(Site, Order)], count: usize, set: &mut Table, sets: &mut Vec<Table>) {
    if count == 0 {
        sets.push(set.clone());
        return;
    }
    for (i, &(site, written)) in sites.iter().enumerate() {
        for &order in site.1.stronger(written) {
            if sets.len() > MOST_TRIED {
                return;
            }
            set.insert(site, order);
            collect(&sites[i + 1..], count - 1, set, sets);
            set.remove(&site);
        }
    }
}

fn kind_of(event: &Event) -> Option<Kind> {
    Some(match event.action {
        Action::Load { .. } | Action::Await { .. } => Kind::Load,
        Action::Store { .. } => Kind::Store,
        Action::Rmw { .. } if event.written.is_none() => Kind::Failure,
        Action::Rmw { .. } | Action::AwaitRmw { .. } => Kind::Rmw,
        Action::Fence { .. } => Kind::Fence,
        _ => return None,
    })
}

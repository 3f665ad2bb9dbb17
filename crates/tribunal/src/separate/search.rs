//! The search: one enumeration for all pairs of models that are still open.

use super::dress::Outfit;
use super::judge::{Dress, Rule, dependencies};
use super::relation::{Relation, members};
use super::shape::{MOST_EVENTS, Shape, Shapes};
use super::sources::{History, histories};
use crate::limits::Limits;
use crate::memory::{Execution, Order};
use crate::models::{Keep, Model};
use crate::verdict::Limit;
use std::ops::ControlFlow;

/// Two models, or criteria, of which the one is to allow what the other forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair<M = Model> {
    /// The model that allows.
    pub allows: M,
    /// The model that forbids.
    pub forbids: M,
}

/// How far to search.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The largest histories to try; fences are events. At most [`MOST_EVENTS`] are tried.
    pub events: usize,
    /// When to stop.
    pub limits: Limits<'a>,
    /// Whether to leave out histories that no smallest example needs. Otherwise all there are: the same answers, later.
    pub needed_only: bool,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Separations<E = Execution> {
    /// For each pair a smallest history that separates it, if there is one.
    pub found: Vec<Option<E>>,
    /// All histories of up to so many events were tried for the pairs of which nothing was found.
    pub complete: usize,
    /// How many histories were judged.
    pub histories: u64,
    /// Why the search ended early, if it did.
    pub limit: Option<Limit>,
}

/// Looks for the smallest history that separates each pair of models. `tick` is told from time to time how many events the
/// histories have that are being tried, and how many have been tried.
///
/// ```
/// use tribunal::{Limits, Model, separate::{Pair, Search, models}};
/// let pair = Pair { allows: Model::Pso, forbids: Model::Tso };
/// let search = Search { events: 4, limits: Limits::default(), needed_only: true };
/// let separations = models(&[pair], &search, |_, _| ());
/// let mp = separations.found[0].as_ref().expect("message passing");
/// assert_eq!(mp.len(), 4);
/// ```
pub fn models(pairs: &[Pair], search: &Search<'_>, tick: impl FnMut(usize, u64)) -> Separations {
    let mut state = State::new(pairs, search, tick);
    let mut complete = 0;
    for events in 1..=search.events.min(MOST_EVENTS) {
        if state.open.is_empty() || state.run(events).is_break() {
            break;
        }
        complete = events;
    }
    Separations { found: state.found, complete, histories: state.histories, limit: state.limit }
}

/// A pair of which nothing has been found.
struct Open {
    /// Its place among the pairs asked.
    at: usize,
    pair: Pair,
    /// Its models' places among the verdicts.
    allows: usize,
    forbids: usize,
    /// What orders fences may have, if there are to be some.
    fences: &'static [Order],
    /// Whether both look at dependencies.
    dependencies: bool,
}

struct State<'s, T> {
    search: &'s Search<'s>,
    tick: T,
    needed_only: bool,
    open: Vec<Open>,
    /// The models asked, each bare or in full dress.
    asked: Vec<(Model, bool)>,
    found: Vec<Option<Execution>>,
    histories: u64,
    limit: Option<Limit>,
}

/// What looks at something beyond labels, locations and rf.
fn looks_at_dependencies(model: Model) -> bool {
    model.preserved().is_some_and(|preserved| preserved.dependencies)
}

/// sc, which keeps all pairs, does not; nor does rc20 in full dress, where every write synchronises without them.
fn looks_at_fences(model: Model) -> bool {
    model != Model::Sc && model.preserved().is_some()
}

/// Which orders the fences of an example may have.
fn fences(pair: Pair) -> &'static [Order] {
    match pair.allows {
        _ if !looks_at_fences(pair.forbids) => &[],
        Model::Wsc | Model::Ccm | Model::Wccm | Model::Cm | Model::Ccv | Model::Cc => &[],
        Model::Rc20 => &[Order::Acquire, Order::Release, Order::AcqRel],
        allows if looks_at_fences(allows) => &Order::OF_FENCES,
        _ => &[Order::SeqCst],
    }
}

/// Whether this model needs no plain access of a location that nobody else reads and writes: whenever it keeps a po pair into
/// such accesses and one out of them, it keeps the pair around them. So do all models with a name.
fn passes_over_idle(model: Model) -> bool {
    let Some(p) = model.preserved() else { return true };
    let reads_stay = |stay: bool| {
        let kept = |from_read: bool, to_read: bool| {
            let keep = match (from_read, to_read) {
                (true, true) => p.rr,
                (true, false) => p.rw,
                (false, true) => p.wr,
                (false, false) => p.ww,
            };
            keep == Keep::Always || from_read && stay
        };
        // Among idle accesses of a location, a write leads to a read only if that pair is kept, or their rf.
        let leads =
            |a_reads: bool, b_reads: bool| a_reads || !b_reads || p.wr != Keep::Never || p.internal_rf;
        let both = [true, false];
        both.iter().all(|&a| {
            both.iter().all(|&b| {
                kept(a, b)
                    || both.iter().all(|&first| {
                        !kept(a, first) || both.iter().all(|&last| !kept(last, b) || !leads(first, last))
                    })
            })
        })
    };
    reads_stay(false) && (!(p.dependencies || p.times) || reads_stay(true))
}

impl<'s, T: FnMut(usize, u64)> State<'s, T> {
    fn new(pairs: &[Pair], search: &'s Search<'s>, tick: T) -> Self {
        let mut asked: Vec<(Model, bool)> = Vec::new();
        let mut place = |model: Model, full: bool| {
            asked.iter().position(|&other| other == (model, full)).unwrap_or_else(|| {
                asked.push((model, full));
                asked.len() - 1
            })
        };
        let open = pairs.iter().enumerate().filter(|(_, pair)| pair.allows != pair.forbids);
        let open: Vec<Open> = open
            .map(|(at, &pair)| Open {
                at,
                pair,
                allows: place(pair.allows, false),
                forbids: place(pair.forbids, true),
                fences: fences(pair),
                dependencies: looks_at_dependencies(pair.allows) && looks_at_dependencies(pair.forbids),
            })
            .collect();
        let idle = open.iter().all(|open| {
            !open.dependencies && passes_over_idle(open.pair.allows) && passes_over_idle(open.pair.forbids)
        });
        let found = vec![None; pairs.len()];
        let needed_only = search.needed_only && idle;
        State { search, tick, needed_only, open, asked, found, histories: 0, limit: None }
    }

    /// Goes through all histories of so many events.
    fn run(&mut self, events: usize) -> ControlFlow<()> {
        self.run_with(events, &[])?;
        let mut orders: Vec<Order> = Vec::new();
        for &order in self.open.iter().flat_map(|open| open.fences) {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        if orders.is_empty() { ControlFlow::Continue(()) } else { self.run_with(events, &orders) }
    }

    /// With fences of these orders, or without.
    fn run_with(&mut self, events: usize, fences: &[Order]) -> ControlFlow<()> {
        let needed_only = self.needed_only;
        let mut rules = Vec::new();
        let mut visit = |shape: &Shape| self.shape(shape, &mut rules);
        Shapes { events, fences, needed_only, visit: &mut visit }.run()
    }

    fn shape(&mut self, shape: &Shape, rules: &mut Vec<Rule>) -> ControlFlow<()> {
        rules.clear();
        let dress = |full| if full { Dress::Full } else { Dress::Bare };
        rules.extend(self.asked.iter().map(|&(model, full)| Rule::new(model, shape, dress(full))));
        self.judge_all(shape, rules, None)?;
        if self.open.iter().any(|open| open.dependencies) {
            let every: Vec<(usize, usize)> = pairs_of(&dependencies(shape)).collect();
            for subset in 0..1u64 << every.len() {
                let mut deps = Relation::default();
                let chosen = every.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
                chosen.for_each(|(_, &(on, event))| deps.insert(on, event));
                rules.clear();
                let some = Dress::Dependencies(deps);
                rules.extend(self.asked.iter().map(|&(model, _)| Rule::new(model, shape, some)));
                self.judge_all(shape, rules, Some(&deps))?;
            }
        }
        if self.open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Judges the histories of a shape: for the pairs that both look at dependencies if these are given, else for the others.
    fn judge_all(&mut self, shape: &Shape, rules: &[Rule], deps: Option<&Relation>) -> ControlFlow<()> {
        let needed_only = self.needed_only;
        let orders = fence_orders(shape);
        let fits = |open: &Open| {
            open.dependencies == deps.is_some()
                && orders.iter().flatten().all(|order| open.fences.contains(order))
        };
        let mut allowing: Vec<usize> =
            self.open.iter().filter(|open| fits(open)).map(|open| open.allows).collect();
        allowing.dedup();
        if allowing.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut visit = |h: &History<'_>| {
            self.histories += 1;
            if self.histories.is_multiple_of(1024) {
                (self.tick)(shape.events, self.histories);
                if let Err(limit) = self.search.limits.check(0) {
                    self.limit = Some(limit);
                    return ControlFlow::Break(());
                }
            }
            // Each model is asked when the first pair needs it.
            let (mut known, mut allowed) = (0u64, 0u64);
            let mut allows = |at: usize| {
                if known >> at & 1 == 0 {
                    known |= 1 << at;
                    allowed |= u64::from(rules[at].allows(h)) << at;
                }
                allowed >> at & 1 == 1
            };
            let found = &mut self.found;
            self.open.retain(|open| {
                let separates = fits(open) && allows(open.allows) && !allows(open.forbids);
                if separates {
                    found[open.at] = Some(Outfit::full(h, open.pair, deps).least(open.pair));
                }
                !separates
            });
            ControlFlow::Continue(())
        };
        // Without some of its reads, a model allows what it allows with them.
        let hopeless = |h: &History<'_>| !allowing.iter().any(|&at| rules[at].allows(h));
        histories(shape, needed_only, &hopeless, &mut visit)
    }
}

/// Which orders the fences of a shape have.
fn fence_orders(shape: &Shape) -> [Option<Order>; MOST_EVENTS] {
    let mut orders = [None; MOST_EVENTS];
    for (event, label) in shape.labels[..shape.events].iter().enumerate() {
        orders[event] = label.is_fence().then(|| label.order());
    }
    orders
}

fn pairs_of(relation: &Relation) -> impl Iterator<Item = (usize, usize)> {
    let rows = relation.0;
    rows.into_iter().enumerate().flat_map(|(a, row)| members(row).map(move |b| (a, b)))
}

//! The search: one enumeration for all pairs of models that are still open.

use crate::annotate::Annotated;
use crate::judge::{Annotations, Rule, dependencies};
use crate::seq_cst::{Orders, choices};
use crate::shape::{MOST_EVENTS, Shape, Shapes};
use crate::sources::{History, histories};
use crate::text;
use std::ops::ControlFlow;
use tribunal_cat::relation::{SmallRelation as Relation, small_members as members};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{Execution, Label, Order};
use tribunal_history::model::Keep;
use tribunal_history::model::Model;
use tribunal_history::verdict::Limit;

/// Two models, or criteria, of which the one is to allow what the other forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair<M = Model> {
    /// The model that allows.
    pub allows: M,
    /// The model that forbids.
    pub forbids: M,
}

/// The bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The largest histories to try; fences are events. At most [`MOST_EVENTS`] are tried.
    pub events: usize,
    /// The limits at which to stop.
    pub limits: Limits<'a>,
    /// Whether to leave out histories that no smallest example needs. Otherwise all there are: the same answers, later.
    pub needed_only: bool,
}

/// The findings of a search.
#[derive(Clone, Debug)]
pub struct Separations<E = Execution> {
    /// For each pair a smallest history that separates it, if there is one.
    pub found: Vec<Option<E>>,
    /// All histories of up to so many events were tried for the pairs of which nothing was found.
    pub complete: usize,
    /// The number of histories that were judged.
    pub histories: u64,
    /// The reason why the search ended early, if it did.
    pub limit: Option<Limit>,
}

/// Looks for the smallest history that separates each pair of models. `tick` is told from time to time how many events the
/// histories have that are being tried, and how many have been tried.
///
/// ```
/// use tribunal::{Limits, Model};
/// use tribunal_separate::{Pair, Search, models};
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

/// The place of what is not judged by rules.
const NO_RULE: usize = usize::MAX;

/// A pair of which nothing has been found.
struct Open {
    /// Its place among the pairs asked.
    at: usize,
    pair: Pair,
    /// Its models' places among the verdicts.
    allows: usize,
    forbids: usize,
    /// The orders that fences may have, if there are to be some.
    fences: &'static [Order],
    /// The annotations that both look at, so that all of them have to be tried.
    both: Both,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Both {
    Nothing,
    Dependencies,
    Orders,
    /// Nobody knows: one of them is a text.
    Text,
}

/// The annotations of the events of a history that models may look at.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    /// Nothing for the allowing model, and all there is for the forbidding one.
    Extremes,
    /// These dependencies.
    Dependencies(&'a Relation),
    /// These orders.
    Orders(&'a Orders),
}

struct State<'s, T> {
    search: &'s Search<'s>,
    tick: T,
    needed_only: bool,
    open: Vec<Open>,
    /// The models asked, each with the weakest or the strongest annotations.
    asked: Vec<(Model, bool)>,
    found: Vec<Option<Execution>>,
    histories: u64,
    limit: Option<Limit>,
}

/// What looks at something beyond labels, locations and rf.
fn looks_at_dependencies(model: Model) -> bool {
    model.preserved().is_some_and(|preserved| preserved.dependencies)
}

pub(super) fn looks_at_orders(model: Model) -> bool {
    matches!(model, Model::Rc20 | Model::Rc11)
}

/// The annotations that both models of a pair look at.
fn both(pair: Pair) -> Both {
    let both = |looks: fn(Model) -> bool| looks(pair.allows) && looks(pair.forbids);
    match () {
        _ if !Rule::exists(pair.allows) || !Rule::exists(pair.forbids) => Both::Text,
        _ if both(looks_at_dependencies) => Both::Dependencies,
        _ if both(looks_at_orders) => Both::Orders,
        _ => Both::Nothing,
    }
}

/// sc, which keeps all pairs, does not; nor do rc20 and rc11 with the strongest annotations, which are then sc.
fn looks_at_fences(model: Model) -> bool {
    model != Model::Sc && model.preserved().is_some()
}

/// The orders that the fences of an example may have.
fn fences(pair: Pair) -> &'static [Order] {
    match pair.allows {
        _ if both(pair) == Both::Text => &[],
        _ if both(pair) == Both::Orders => &Order::OF_FENCES,
        _ if !looks_at_fences(pair.forbids) => &[],
        Model::Wsc | Model::Ccm | Model::Wccm | Model::Cm | Model::Ccv | Model::Cc => &[],
        allows if looks_at_fences(allows) || looks_at_orders(allows) => &Order::OF_FENCES,
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
            .map(|(at, &pair)| {
                let both = both(pair);
                let mut place = |model, full| if both == Both::Text { NO_RULE } else { place(model, full) };
                let (allows, forbids) = (place(pair.allows, false), place(pair.forbids, true));
                Open { at, pair, allows, forbids, fences: fences(pair), both }
            })
            .collect();
        let idle = open.iter().all(|open| {
            open.both != Both::Dependencies
                && passes_over_idle(open.pair.allows)
                && passes_over_idle(open.pair.forbids)
        });
        let found = vec![None; pairs.len()];
        let needed_only = search.needed_only && idle;
        State { search, tick, needed_only, open, asked, found, histories: 0, limit: None }
    }

    /// Goes through all histories of so many events.
    fn run(&mut self, events: usize) -> ControlFlow<()> {
        self.run_texts(events)?;
        if self.open.iter().all(|open| open.both == Both::Text) {
            return ControlFlow::Continue(());
        }
        self.run_with(events, &[])?;
        let mut orders: Vec<Order> = Vec::new();
        for &order in self.open.iter().flat_map(|open| open.fences) {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        if orders.is_empty() { ControlFlow::Continue(()) } else { self.run_with(events, &orders) }
    }

    /// The pairs with a text, one after the other.
    fn run_texts(&mut self, events: usize) -> ControlFlow<()> {
        let texts = self.open.iter().filter(|open| open.both == Both::Text);
        for (at, pair) in texts.map(|open| (open.at, open.pair)).collect::<Vec<_>>() {
            let found = text::separate(pair, events, &mut |shape| self.count(shape));
            match found {
                ControlFlow::Break(()) => return ControlFlow::Break(()),
                ControlFlow::Continue(None) => {}
                ControlFlow::Continue(found) => {
                    self.found[at] = found;
                    self.open.retain(|open| open.at != at);
                }
            }
        }
        ControlFlow::Continue(())
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
        let annotations = |full| if full { Annotations::Strongest } else { Annotations::Weakest };
        rules.extend(self.asked.iter().map(|&(model, full)| Rule::new(model, shape, annotations(full))));
        self.judge_all(shape, rules, None)?;
        self.judge_orders(shape)?;
        if self.open.iter().any(|open| open.both == Both::Dependencies) {
            let every: Vec<(usize, usize)> = pairs_of(&dependencies(shape)).collect();
            for subset in 0..1u64 << every.len() {
                let mut deps = Relation::default();
                let chosen = every.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
                chosen.for_each(|(_, &(on, event))| deps.insert(on, event));
                rules.clear();
                let some = Annotations::Dependencies(deps);
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
        let both = if deps.is_some() { Both::Dependencies } else { Both::Nothing };
        let fits = |open: &Open| {
            open.both == both && orders.iter().flatten().all(|order| open.fences.contains(order))
        };
        let given = deps.map_or(Given::Extremes, Given::Dependencies);
        let mut allowing: Vec<usize> =
            self.open.iter().filter(|open| fits(open)).map(|open| open.allows).collect();
        allowing.dedup();
        if allowing.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut visit = |h: &History<'_>| {
            self.count(shape)?;
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
                    found[open.at] = Some(Annotated::full(h, open.pair, given).least(open.pair));
                }
                !separates
            });
            ControlFlow::Continue(())
        };
        // Without some of its reads, a model allows what it allows with them.
        let hopeless = |h: &History<'_>| !allowing.iter().any(|&at| rules[at].allows(h));
        histories(shape, needed_only, &hopeless, &mut visit)
    }

    /// Counts a history; breaks off where the limits are reached.
    fn count(&mut self, shape: &Shape) -> ControlFlow<()> {
        self.histories += 1;
        if self.histories.is_multiple_of(1024) {
            (self.tick)(shape.events, self.histories);
            if let Err(limit) = self.search.limits.check(0) {
                self.limit = Some(limit);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Judges the histories of a shape with all orders that their events may have, for the pairs that both look at them. rc20 and
    /// rc11 differ in what they make of two accesses of one location in one thread: without such there is nothing to find.
    fn judge_orders(&mut self, shape: &Shape) -> ControlFlow<()> {
        let needed_only = self.needed_only;
        let twice = shape.facts.po_loc.0[..shape.events].iter().any(|&later| later != 0);
        if !twice || self.open.iter().all(|open| open.both != Both::Orders) {
            return ControlFlow::Continue(());
        }
        // What both allow whatever else holds, and what both forbid.
        let (weakest, strongest) = (Annotations::Weakest, Annotations::Strongest);
        let [weakest, strongest] =
            [weakest, strongest].map(|annotations| Rule::new(Model::Rc20, shape, annotations));
        let mut visit = |h: &History<'_>| {
            self.count(shape)?;
            if !weakest.allows(h) || strongest.allows(h) {
                return ControlFlow::Continue(());
            }
            let found = &mut self.found;
            self.open.retain(|open| {
                if open.both != Both::Orders {
                    return true;
                }
                let orders = separating_orders(h, open.pair);
                if let Some(orders) = &orders {
                    let annotated = Annotated::full(h, open.pair, Given::Orders(orders));
                    found[open.at] = Some(annotated.least(open.pair));
                }
                orders.is_none()
            });
            ControlFlow::Continue(())
        };
        histories(shape, needed_only, &|h: &History<'_>| !weakest.allows(h), &mut visit)
    }
}

/// Orders with which a history separates two models that look at them. Weaker orders allow more: those that are not chosen yet are
/// the weakest for the model that is to allow it, and the strongest for the one that is to forbid it.
fn separating_orders(h: &History<'_>, pair: Pair) -> Option<Orders> {
    let labels = &h.shape.labels[..h.shape.events];
    let (mut least, mut most) = ([Order::Relaxed; MOST_EVENTS], [Order::Relaxed; MOST_EVENTS]);
    for (event, &label) in labels.iter().enumerate() {
        let choices = choices(label);
        (least[event], most[event]) = (choices[0], choices[choices.len() - 1]);
    }
    chosen_orders(h, pair, labels, 0, least, most)
}

/// The orders before `event` are chosen.
fn chosen_orders(
    h: &History<'_>,
    pair: Pair,
    labels: &[Label],
    event: usize,
    least: Orders,
    most: Orders,
) -> Option<Orders> {
    let allows = |model, orders| Rule::new(model, h.shape, Annotations::Orders(orders)).allows(h);
    if allows(pair.forbids, most) || !allows(pair.allows, least) {
        return None;
    }
    let Some(&label) = labels.get(event) else { return Some(least) };
    choices(label).iter().find_map(|&order| {
        let (mut least, mut most) = (least, most);
        (least[event], most[event]) = (order, order);
        chosen_orders(h, pair, labels, event + 1, least, most)
    })
}

/// The orders that the fences of a shape have.
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

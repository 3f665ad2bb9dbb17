//! Pairs with a model that is a text, or has no rule of its own: both are decided by their definitions.
//!
//! Nothing is known of a text beyond what it says. So every history is tried, also those that no smallest example of other models
//! needs, and dependencies and orders of accesses one by one, as far as one of the two looks at them; of times, that none is known,
//! and that all are.

use crate::annotate::Annotated;
use crate::search::Pair;
use crate::seq_cst::choices;
use crate::shape::{MOST_EVENTS, Shape, Shapes};
use crate::sources::{History, histories};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;
use tribunal_cat::limits::Unlimited;
use tribunal_cat::plan::{self, Op, Plan};
use tribunal_cat::relation::{Relation, Set, SmallRelation};
use tribunal_engines::memory::definition::Decider;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{Facts, plan};

/// The things that a model looks at beyond accesses, their locations and rf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks {
    pub dependencies: bool,
    pub orders: bool,
    pub fences: bool,
    pub times: bool,
}

impl Looks {
    /// The things that a text mentions.
    pub fn of(plan: &Plan) -> Self {
        let mut looks = Looks::default();
        for node in &plan.nodes {
            let Op::Base(name) = &node.op else { continue };
            match &**name {
                "R" | "W" | "M" | "IW" | "FW" | "RMW" | "AMO" | "X" | "EXEC" | "Exp" | "NExp" | "B"
                | "CON" => {}
                "po" | "loc" | "int" | "ext" | "rf" | "id" | "rmw" | "amo" => {}
                "deps" | "addr" | "data" | "ctrl" => looks.dependencies = true,
                "A" | "L" | "Acq" | "Rel" | "AcqRel" => looks.orders = true,
                "NA" | "RLX" | "ACQ" | "REL" | "ACQ_REL" | "SC" => looks.orders = true,
                "ended" => looks.times = true,
                // F, and fences as architectures call them.
                _ => looks.fences = true,
            }
        }
        looks
    }

    fn or(self, other: Looks) -> Looks {
        Looks {
            dependencies: self.dependencies || other.dependencies,
            orders: self.orders || other.orders,
            fences: self.fences || other.fences,
            times: self.times || other.times,
        }
    }
}

/// The facts of a history whose reads have the sources of another: all else is the same.
struct Reread<'a> {
    facts: &'a Facts<'a>,
    rf: &'a SmallRelation,
}

impl plan::Facts for Reread<'_> {
    fn size(&self) -> usize {
        self.facts.size()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        self.facts.set(name, into)
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        if name == "rf" {
            self.rf.pairs().for_each(|(write, read)| into.insert(write, read));
            return true;
        }
        self.facts.relation(name, into)
    }
}

/// The text of a model on the histories of a shape with given annotations.
pub(super) struct Text<'d, 'p, 'x> {
    facts: Facts<'x>,
    decider: &'d RefCell<Decider<'p>>,
}

impl<'d, 'p, 'x> Text<'d, 'p, 'x> {
    /// `x` has the shape and the annotations, whatever its reads read; none if the text mentions what histories do not have.
    pub fn new(model: Model, decider: &'d RefCell<Decider<'p>>, x: &'x Execution) -> Option<Self> {
        let facts = Facts::new(x, model);
        decider.borrow_mut().load(&facts).ok()?;
        Some(Text { facts, decider })
    }

    /// Takes over the reads of a history.
    fn read(&self, h: &History<'_>) {
        let facts = Reread { facts: &self.facts, rf: &h.rf };
        self.decider.borrow_mut().change(&facts, &["rf"]).expect("every history has rf");
    }

    /// Whether no history that begins so is allowed.
    fn refutes(&self, h: &History<'_>) -> bool {
        self.read(h);
        self.decider.borrow_mut().is_refuted(&[], &mut Unlimited).expect("there is no limit")
    }

    pub fn allows(&self, h: &History<'_>) -> bool {
        self.read(h);
        self.decider.borrow_mut().is_consistent(&[], &mut Unlimited).expect("there is no limit")
    }
}

/// Looks for a history of so many events that separates a pair. `count` is told of each, and may end the search.
pub(super) fn separate(
    pair: Pair,
    events: usize,
    count: &mut impl FnMut(&Shape) -> ControlFlow<()>,
) -> ControlFlow<(), Option<Execution>> {
    let mut found = None;
    // By how many locations there are.
    let empty = |locations: usize| {
        let mut b = Execution::builder();
        (0..events + locations).for_each(|location| _ = b.location(&location.to_string()));
        b.build().ok()
    };
    let plans = |model| (0..=events).map(move |locations| plan(model, &empty(locations)?).ok());
    let plans: Vec<_> = plans(pair.allows).zip(plans(pair.forbids)).collect();
    let deciders: Vec<_> = plans.iter().map(|(one, other)| (decider(one), decider(other))).collect();
    let mut search = |fences: &[Order], looks: Looks| {
        let mut visit = |shape: &Shape| {
            let (Some(allows), Some(forbids)) = &deciders[shape.locations] else {
                return ControlFlow::Continue(());
            };
            of_shape(pair, (allows, forbids), shape, looks, count, &mut found)
        };
        Shapes { events, fences, needed_only: false, visit: &mut visit }.run()
    };
    let looks = plans[0].0.iter().chain(&plans[0].1).map(|plan| Looks::of(plan));
    let looks = looks.fold(Looks::default(), Looks::or);
    let mut flow = search(&[], looks);
    if flow.is_continue() && looks.fences {
        flow = search(&Order::OF_FENCES, looks);
    }
    match flow {
        ControlFlow::Break(()) if found.is_none() => ControlFlow::Break(()),
        _ => ControlFlow::Continue(found),
    }
}

fn decider(plan: &Option<Arc<Plan>>) -> Option<RefCell<Decider<'_>>> {
    Some(RefCell::new(Decider::new(plan.as_deref()?, &["rf"])))
}

/// The histories of a shape, with every choice of annotations.
fn of_shape(
    pair: Pair,
    (allows, forbids): (&RefCell<Decider<'_>>, &RefCell<Decider<'_>>),
    shape: &Shape,
    looks: Looks,
    count: &mut impl FnMut(&Shape) -> ControlFlow<()>,
    found: &mut Option<Execution>,
) -> ControlFlow<()> {
    let unread = History::unread(shape);
    every_annotation(&unread, looks, &mut |annotated| {
        let x = annotated.build("");
        if pair.allows.unsupported(&x).or(pair.forbids.unsupported(&x)).is_some() {
            return ControlFlow::Continue(());
        }
        let texts = (Text::new(pair.allows, allows, &x), Text::new(pair.forbids, forbids, &x));
        let (Some(allows), Some(forbids)) = texts else { return ControlFlow::Continue(()) };
        let mut visit = |h: &History<'_>| {
            count(shape)?;
            if allows.allows(h) && !forbids.allows(h) {
                *found = Some(annotated.on(h).least(pair));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        histories(shape, false, &|h: &History<'_>| allows.refutes(h), &mut visit)
    })
}

/// Every choice of what models look at.
fn every_annotation<'h>(
    h: &'h History<'h>,
    looks: Looks,
    visit: &mut impl FnMut(&Annotated<'h>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let pairs: Vec<(usize, usize)> =
        if looks.dependencies { crate::judge::dependencies(h.shape).pairs().collect() } else { Vec::new() };
    for timed in if looks.times { &[false, true][..] } else { &[false] } {
        for subset in 0..1u64 << pairs.len() {
            let mut deps = SmallRelation::default();
            let chosen = pairs.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
            chosen.for_each(|(_, &(on, event))| deps.insert(on, event));
            every_order(h, looks, &mut |orders| visit(&Annotated::with(h, orders, deps, *timed)))?;
        }
    }
    ControlFlow::Continue(())
}

/// Every choice of orders, the weakest first.
fn every_order(
    h: &History<'_>,
    looks: Looks,
    visit: &mut impl FnMut([Order; MOST_EVENTS]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let labels = &h.shape.labels;
    let mut chosen = [0; MOST_EVENTS];
    loop {
        let mut orders = labels.map(|label| label.order());
        if looks.orders {
            let events = orders.iter_mut().zip(labels).zip(chosen).take(h.shape.events);
            events.for_each(|((order, &label), chosen)| *order = choices(label)[chosen]);
        }
        visit(orders)?;
        // The next number, an event a digit.
        let digits = chosen.iter_mut().zip(labels).take(if looks.orders { h.shape.events } else { 0 });
        let mut carried = true;
        for (digit, &label) in digits {
            *digit = (*digit + 1) % choices(label).len();
            carried = *digit == 0;
            if !carried {
                break;
            }
        }
        if carried {
            return ControlFlow::Continue(());
        }
    }
}

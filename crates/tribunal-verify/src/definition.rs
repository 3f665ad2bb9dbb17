//! Verifies certificates by evaluating the model's text.
//!
//! Trusted are the parser, the relation algebra and, for violations, the monotonicity of checks in mo (`polarity`): a
//! monotone check that fails on a part of mo that all have fails on every mo.

use super::{BrokenAxiom, Named, Refusal, known};
use rustc_hash::FxHashMap;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::plan::{ChoiceId, Effect, Orders, Plan};
use tribunal_cat::polarity::Polarities;
use tribunal_cat::relation::Relation;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{self, Facts, Unplanned};
use tribunal_history::verdict::{Axiom, Check, ModificationOrder, Refutation, Violation};

/// The first choice of a plan is mo; histories are judged by no others.
const MO: ChoiceId = ChoiceId(0);

/// The model's text with the facts of a history.
struct Text<'p> {
    model: Model,
    evaluator: Evaluator<'p>,
    /// The pairs that every mo has: initial writes first, final ones last.
    base: Relation,
}

impl<'p> Text<'p> {
    fn new(x: &Execution, model: Model, plan: &'p Plan, limits: &Limits<'_>) -> Result<Self, Refusal> {
        let facts = Facts::new(x, model);
        let size = x.len() + x.location_count();
        let bytes = definition::bytes(plan, size);
        limits.check_memory(bytes, 0).map_err(Refusal::Limit)?;
        let mut evaluator = Evaluator::new(plan, &[]);
        evaluator.load(&facts).map_err(|unknown| Refusal::Text(unknown.to_string()))?;
        let base = match plan.choices.first().map(|choice| choice.from) {
            Some(Orders::Locations { base, .. } | Orders::Linearizations { base, .. }) => {
                evaluator.relation(base).plus()
            }
            None => Relation::empty(size),
        };
        Ok(Text { model, evaluator, base })
    }

    /// Takes what an order says of the writes that the model orders.
    fn choose(&mut self, mut mo: Relation) {
        let Some(choice) = self.evaluator.plan().choices.first() else { return };
        let (Orders::Locations { events, .. } | Orders::Linearizations { events, .. }) = choice.from;
        let events = self.evaluator.set(events);
        mo.restrict(events, events);
        self.evaluator.choose(MO, &mo);
    }
}

/// Verifies an mo on which every check of the model's text holds; for models without mo, the history itself.
///
/// A relation on n events is a matrix of n² bits, so this is for histories of at most a few thousand events.
pub fn evaluate(
    x: &Execution,
    model: Model,
    mo: Option<&ModificationOrder>,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    limits.check_memory(definition::least_bytes(model, x), 0).map_err(Refusal::Limit)?;
    let plan = definition::plan_within(model, x, limits).map_err(unplanned)?;
    let mut text = Text::new(x, model, &plan, limits)?;
    if let Some(mo) = mo {
        let mut order = Relation::empty(x.len() + x.location_count());
        for loc in x.locations() {
            let writes = mo.of(loc);
            for (i, first) in writes.iter().enumerate() {
                writes[i + 1..].iter().for_each(|second| order.insert(first.index(), second.index()));
            }
        }
        if let Some((first, second)) = text.base.difference(&order).pairs().next() {
            let named = |event| Named::new(x, EventId::from_index(event));
            let breach = BrokenAxiom::NotFirst { first: named(first), second: named(second) };
            return Err(Refusal::Broken { axiom: Axiom::FinalValue, breach });
        }
        text.choose(order);
    }
    let required = (0..plan.checks.len()).filter(|&check| plan.checks[check].effect == Effect::Require);
    for check in required {
        limits.check(0).map_err(Refusal::Limit)?;
        if !text.evaluator.holds(check) {
            let axiom = definition::axiom(model, &plan, check);
            return Err(Refusal::Broken {
                axiom,
                breach: BrokenAxiom::Check { line: plan.checks[check].line },
            });
        }
    }
    Ok(())
}

fn unplanned(unplanned: Unplanned) -> Refusal {
    match unplanned {
        Unplanned::Limit(limit) => Refusal::Limit(limit),
        Unplanned::Text(error) => Refusal::Text(error.to_string()),
    }
}

/// The work that is left when case distinctions nest.
enum Task<'a> {
    Refute(&'a Refutation),
    Assume((EventId, EventId)),
    Discharge((EventId, EventId)),
}

/// Accepts a violation whose cases all end in checks that fail.
pub(super) fn refuted(
    x: &Execution,
    model: Model,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    limits.check_memory(definition::least_bytes(model, x), 0).map_err(Refusal::Limit)?;
    let plan = definition::plan_within(model, x, limits).map_err(unplanned)?;
    let open: &[&str] = if x.is_open() { &["rf"] } else { &[] };
    let choices: Vec<u32> = (0..plan.choices.len() as u32).collect();
    let polarities = Polarities::of(&plan, open, &choices);
    let mut text = Text::new(x, model, &plan, limits)?;
    let mut assumed: FxHashMap<(EventId, EventId), usize> = FxHashMap::default();
    let mut involved = false;
    let mut tasks = vec![Task::Refute(&violation.refutation)];
    while let Some(task) = tasks.pop() {
        limits.check(0).map_err(Refusal::Limit)?;
        match task {
            Task::Assume(pair) => *assumed.entry(pair).or_insert(0) += 1,
            Task::Discharge(pair) => *assumed.entry(pair).or_insert(1) -= 1,
            Task::Refute(Refutation::Split { first, second, forward, backward }) => {
                for &event in [first, second] {
                    known(x, event)?;
                }
                let same = x.loc(*first).is_some() && x.loc(*first) == x.loc(*second) && first != second;
                if !same || !x.label(*first).writes() || !x.label(*second).writes() {
                    return Err(Refusal::NotOrdered {
                        first: Named::new(x, *first),
                        second: Named::new(x, *second),
                    });
                }
                for (pair, case) in [((*first, *second), forward), ((*second, *first), backward)] {
                    tasks.extend([Task::Discharge(pair), Task::Refute(case), Task::Assume(pair)]);
                }
            }
            Task::Refute(Refutation::Check(check)) => {
                let of = plan.checks.get(check.index).filter(|check| check.effect == Effect::Require);
                let of = of.ok_or(Refusal::NoSuchCheck { index: check.index })?;
                let mut case = text.base.clone();
                let held = assumed.iter().filter(|&(_, &times)| times > 0);
                held.for_each(|(&(first, second), _)| case.insert(first.index(), second.index()));
                text.fails(x, check, &case, polarities.failure(of).grows())?;
                involved |= definition::axiom(model, &plan, check.index) == violation.axiom;
            }
            Task::Refute(_) => {
                return Err(Refusal::OtherRefutation { refutation: "a step that is no check", model });
            }
        }
    }
    if involved { Ok(()) } else { Err(Refusal::NotInvolved { axiom: violation.axiom }) }
}

impl Text<'_> {
    /// Checks that a check fails on every mo of a case.
    fn fails(&mut self, x: &Execution, check: &Check, case: &Relation, grows: bool) -> Result<(), Refusal> {
        let case = case.plus();
        // A case that orders writes in a circle has no mo.
        if !case.is_irreflexive() {
            return Ok(());
        }
        let mut rests_on = self.base.clone();
        for &(first, second) in &check.mo {
            known(x, first)?;
            known(x, second)?;
            if !case.contains(first.index(), second.index()) {
                return Err(Refusal::NotOfTheCase {
                    first: Named::new(x, first),
                    second: Named::new(x, second),
                });
            }
            rests_on.insert(first.index(), second.index());
        }
        rests_on.close();
        if !grows && let Some((first, second)) = self.unordered(x, &rests_on) {
            return Err(Refusal::NotWhole {
                first: Named::new(x, EventId::from_index(first)),
                second: Named::new(x, EventId::from_index(second)),
            });
        }
        self.choose(rests_on);
        if self.evaluator.holds(check.index) {
            let axiom = definition::axiom(self.model, self.evaluator.plan(), check.index);
            return Err(Refusal::CheckHolds { axiom });
        }
        Ok(())
    }

    /// Two events that mo orders and this does not.
    fn unordered(&mut self, x: &Execution, order: &Relation) -> Option<(usize, usize)> {
        let choice = self.evaluator.plan().choices.first()?;
        let (Orders::Locations { events, .. } | Orders::Linearizations { events, .. }) = choice.from;
        let events: Vec<usize> = self.evaluator.set(events).iter().collect();
        let location = |event| x.loc(EventId::from_index(event));
        let mut pairs =
            events.iter().enumerate().flat_map(|(i, &a)| events[i + 1..].iter().map(move |&b| (a, b)));
        pairs.find(|&(a, b)| location(a) == location(b) && !order.contains(a, b) && !order.contains(b, a))
    }
}

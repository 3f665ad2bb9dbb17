//! The strongest guarantees that a history shows, for the whole object and method by method.

use super::judge::judge;
use super::{Axiom, Criterion, History, Relation, Typed, Verdict};
use tribunal_history::limits::Limits;

/// The strongest criteria that a history satisfies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrongestCriteria {
    /// Every named criterion, from the weakest to the strongest, and whether it holds; `None` if a limit was reached
    /// first.
    pub criteria: Vec<(Criterion, Option<bool>)>,
    /// The criteria that hold and do not include another that holds.
    pub strongest: Vec<Criterion>,
    /// The maximal sets of methods that can be atomic together.
    pub atomic: AtomicMethods,
}

/// The maximal sets of methods that can be atomic together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicMethods {
    /// The sets. None if the history is not even `weak`, or if that is not known.
    pub sets: Vec<Atomic>,
    /// Whether there may be larger or other sets, because there were too many to try or a limit was reached.
    pub partial: bool,
}

/// Methods that can be atomic together, and the guarantees of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// The methods whose operations see all earlier ones in the linearization.
    pub methods: Vec<String>,
    /// Each other method, with the strongest criteria that its operations satisfy, one method at a time, in addition to the atomic
    /// ones.
    pub others: Vec<(String, Vec<Criterion>)>,
}

impl StrongestCriteria {
    /// Whether a named criterion holds, if that is known.
    pub fn holds(&self, criterion: &Criterion) -> Option<bool> {
        self.criteria.iter().find(|(known, _)| known == criterion).and_then(|&(_, holds)| holds)
    }
}

/// With more methods than this not every set of them is tried, but one grown method by method.
const MOST_METHODS: usize = 6;

/// The strongest criteria that a history satisfies, and which of its methods can be atomic.
///
/// A method is atomic if its operations see all earlier ones: the axiom `vis >= lin.[method]`. The operations of
/// the others are at least weakly consistent. Emmi and Enea (CAV 2018) classify the methods of `java.util.concurrent`
/// this way.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::object::{Criterion, History, Value, specs::Register, strongest};
/// // A read misses a write that was over before it began.
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let write = b.call(p, "write", &[Value::from(1)], 0);
/// b.ret(write, Value::Null, 1);
/// let read = b.call(q, "read", &[], 2);
/// b.ret(read, Value::Null, 3);
/// let strengths = strongest(&b.build()?.typed(&Register::default())?, &Limits::default());
/// assert_eq!(strengths.strongest, [Criterion::Causal, Criterion::Sequential]);
/// assert_eq!(strengths.atomic.sets[0].methods, ["write"]);
/// assert_eq!(strengths.atomic.sets[0].others, [("read".to_string(), vec![Criterion::Causal])]);
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn strongest(typed: &Typed<'_>, limits: &Limits<'_>) -> StrongestCriteria {
    let mut criteria: Vec<(Criterion, Option<bool>)> = Vec::with_capacity(Criterion::ALL.len());
    for criterion in Criterion::ALL.into_iter().rev() {
        let implied =
            criteria.iter().any(|(stronger, holds)| *holds == Some(true) && criterion.includes(stronger));
        let holds = if implied { Some(true) } else { ask(typed, &criterion, limits) };
        criteria.push((criterion, holds));
    }
    criteria.reverse();
    // What does not satisfy a weaker criterion does not satisfy a stronger one either.
    for at in 0..criteria.len() {
        let refuted = |(weaker, holds): &(Criterion, Option<bool>)| {
            *holds == Some(false) && weaker.includes(&criteria[at].0)
        };
        if criteria[at].1.is_none() && criteria.iter().any(refuted) {
            criteria[at].1 = Some(false);
        }
    }
    let holding =
        criteria.iter().filter(|(_, holds)| *holds == Some(true)).map(|(criterion, _)| criterion.clone());
    let mut strengths = StrongestCriteria {
        strongest: maximal(holding.collect()),
        criteria,
        atomic: AtomicMethods::default(),
    };
    strengths.atomic = atomic_methods(typed, |criterion| strengths.holds(criterion), limits);
    strengths
}

/// The methods that can be atomic, where it is known which named criteria hold.
pub fn atomic_methods(
    typed: &Typed<'_>,
    holds: impl Fn(&Criterion) -> Option<bool>,
    limits: &Limits<'_>,
) -> AtomicMethods {
    let methods = called_methods(typed.history());
    if holds(&Criterion::Linearizable) == Some(true) {
        return AtomicMethods { sets: vec![Atomic { methods, others: Vec::new() }], partial: false };
    }
    match holds(&Criterion::Weak) {
        Some(true) => {
            let ask = |criterion: &Criterion| ask(typed, criterion, limits);
            let (sets, partial) = atomic_sets(&methods, &ask);
            let sets = sets.into_iter().map(|set| with_others(set, &methods, &ask)).collect();
            AtomicMethods { sets, partial }
        }
        known => AtomicMethods { sets: Vec::new(), partial: known.is_none() },
    }
}

fn ask(typed: &Typed<'_>, criterion: &Criterion, limits: &Limits<'_>) -> Option<bool> {
    match judge(typed, criterion, limits).0 {
        Verdict::Consistent(_) => Some(true),
        Verdict::Inconsistent(_) => Some(false),
        Verdict::Undecided(_) | Verdict::Unsupported(_) => None,
    }
}

/// The criteria that do not include another of them.
fn maximal(criteria: Vec<Criterion>) -> Vec<Criterion> {
    let strictly = |weak: &Criterion, strong: &Criterion| weak != strong && weak.includes(strong);
    let kept = criteria.iter().filter(|weak| !criteria.iter().any(|strong| strictly(weak, strong)));
    kept.cloned().collect()
}

/// The methods that operations call, in the order of their first call.
fn called_methods(history: &History) -> Vec<String> {
    let mut called = vec![false; history.methods().len()];
    history.ops().for_each(|op| called[history.method_of(op)] = true);
    history.methods().iter().zip(called).filter(|(_, called)| *called).map(|(name, _)| name.clone()).collect()
}

fn atomic(methods: &[String]) -> Vec<Axiom> {
    let axiom =
        |method: &String| Axiom { left: Relation::Vis, right: vec![Relation::Lin], to: Some(method.clone()) };
    methods.iter().map(axiom).collect()
}

/// The largest sets of methods that can be atomic together in a history that is weakly consistent and not linearizable, and
/// whether there may be others.
fn atomic_sets(methods: &[String], ask: &dyn Fn(&Criterion) -> Option<bool>) -> (Vec<Vec<String>>, bool) {
    let holds = |set: &[String]| ask(&Criterion::Axioms(atomic(set)));
    let mut partial = false;
    if methods.len() > MOST_METHODS {
        let mut set: Vec<String> = Vec::new();
        for method in methods {
            set.push(method.clone());
            if holds(&set) != Some(true) {
                set.pop();
            }
        }
        return (vec![set], true);
    }
    let mut masks: Vec<u32> = (0..(1 << methods.len()) - 1).collect();
    masks.sort_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
    let mut found: Vec<u32> = Vec::new();
    for mask in masks {
        if found.iter().any(|larger| mask & !larger == 0) {
            continue;
        }
        match if mask == 0 { Some(true) } else { holds(&chosen(methods, mask)) } {
            Some(true) => found.push(mask),
            Some(false) => {}
            None => partial = true,
        }
    }
    (found.into_iter().map(|mask| chosen(methods, mask)).collect(), partial)
}

fn chosen(methods: &[String], mask: u32) -> Vec<String> {
    methods.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, name)| name.clone()).collect()
}

/// The guarantees of the methods that are not among the atomic ones.
fn with_others(set: Vec<String>, methods: &[String], ask: &dyn Fn(&Criterion) -> Option<bool>) -> Atomic {
    let meets = |method: &String, criterion: &Criterion| {
        let mut axioms = atomic(&set);
        axioms
            .extend(criterion.axioms().into_iter().map(|axiom| Axiom { to: Some(method.clone()), ..axiom }));
        ask(&Criterion::Axioms(axioms)) == Some(true)
    };
    let strongest_of = |method: &String| {
        let mut held = vec![Criterion::Weak];
        for criterion in [Criterion::Causal, Criterion::Hbvis, Criterion::Mr, Criterion::Ryw] {
            if held.iter().any(|stronger| criterion.includes(stronger)) || meets(method, &criterion) {
                held.push(criterion);
            }
        }
        (method.clone(), maximal(held))
    };
    let others = methods.iter().filter(|method| !set.contains(method)).map(strongest_of).collect();
    Atomic { methods: set, others }
}

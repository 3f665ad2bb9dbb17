//! Method by method: atomic, or which weak criterion.

use super::case::Case;
use super::{Counts, Evidence, Stress, StressError};
use crate::Subject;
use std::ops::ControlFlow;
use tribunal_history::object::{Axiom, Criterion, History, OpId, Relation, Specification};

/// This many runs that are not linearizable are kept; the others are counted.
const MOST_CASES: usize = 400;
/// With more methods in a run than this not every set of them is tried, but each alone and all.
const MOST_METHODS: usize = 10;
/// The smallest of this many runs that show a method not to be atomic is shown.
const EXAMPLES: usize = 24;

/// The guarantees of the methods of an object, as far as its runs show.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Each method, in the order of the subject, with what no run refutes.
    pub methods: Vec<(&'static str, Guarantee)>,
    /// Different histories that are not linearizable.
    pub weak: usize,
    /// The numbers of runs.
    pub counts: Counts,
}

/// The guarantee of a method.
#[derive(Clone, Debug)]
pub enum Guarantee {
    /// Its operations see all that is before them: no run shows otherwise.
    Atomic,
    /// Its operations are explained by some of those before them.
    Weak {
        /// The strongest criteria that its operations meet in every run, next to the atomic methods.
        criteria: Vec<Criterion>,
        /// A run in which it is not atomic.
        evidence: Box<Evidence>,
    },
    /// Not even that: it returned what no operations before it explain. If all methods of an object are so, none of them can be
    /// left out, since they write.
    None {
        /// A run that nothing explains.
        evidence: Box<Evidence>,
    },
}

impl Stress {
    /// Tests every method of an object: which are atomic, and what can be said of the others.
    ///
    /// As many methods as possible are called atomic (the axiom `vis >= lin.[method]`), so that every run is explained; where
    /// there is a choice, methods that only read are at fault rather than those that write, and those that the subject
    /// names late rather than those it names first. What a reading method returns that nothing explains says nothing of
    /// the others, which are then looked at without it. This is how Emmi and Enea (CAV 2018) tell the methods of
    /// `java.util.concurrent` apart.
    pub fn profile<S: Subject>(&self) -> Result<Profile, StressError> {
        let spec = S::spec();
        let (mut weak, mut undecided) = (0, 0);
        let mut cases: Vec<Case> = Vec::new();
        let mut counts = self.drive::<S>(|case, _| {
            match case.satisfies(&*spec, &Criterion::Linearizable) {
                Some(true) => {}
                Some(false) => {
                    weak += 1;
                    cases.push(case);
                    // Those with fewer operations say as much, and say it better.
                    if cases.len() == 2 * MOST_CASES {
                        keep_small(&mut cases);
                    }
                }
                None => undecided += 1,
            }
            ControlFlow::Continue(())
        })?;
        counts.undecided = undecided;
        keep_small(&mut cases);
        let methods = guarantees(&*spec, S::METHODS, &cases);
        Ok(Profile { methods, weak, counts })
    }
}

fn keep_small(cases: &mut Vec<Case>) {
    cases.sort_by_key(|case| (case.histories.len(), case.len()));
    cases.truncate(MOST_CASES);
}

/// The guarantee of each method, given the runs that are not linearizable.
fn guarantees(
    spec: &dyn Specification,
    names: &'static [&'static str],
    cases: &[Case],
) -> Vec<(&'static str, Guarantee)> {
    let all = Methods { spec, names: names.to_vec(), cases: cases.to_vec() };
    let lawless = all.lawless();
    let lawful = all.without(&lawless);
    let atomic = lawful.atomic();
    let guarantee = |&name: &&'static str| {
        let guarantee = match lawless.contains(&name) {
            true => Guarantee::None { evidence: Box::new(all.unexplained(name, &lawless)) },
            false if atomic.contains(&name) => Guarantee::Atomic,
            false => lawful.weak(&atomic, name),
        };
        (name, guarantee)
    };
    names.iter().map(guarantee).collect()
}

struct Methods<'a> {
    spec: &'a dyn Specification,
    names: Vec<&'static str>,
    /// Runs that are not linearizable, the smallest first.
    cases: Vec<Case>,
}

impl Methods<'_> {
    /// The methods without which every run is weakly consistent: such that only read, or, if that does not do, all.
    fn lawless(&self) -> Vec<&'static str> {
        let mut lawless: Vec<&'static str> = Vec::new();
        for case in &self.cases {
            if self.is_weak(case, &lawless) {
                continue;
            }
            let given_up = self.choices(case, &self.but(&lawless)).into_iter().find(|choice| {
                choice.iter().all(|name| self.reads(case, name))
                    && self.is_weak(case, &[&lawless[..], choice].concat())
            });
            match given_up {
                Some(choice) => lawless.extend(choice),
                None => return self.names.clone(),
            }
        }
        // One that was given up first may be explained without those that were given up later.
        needed(&lawless, |others| self.cases.iter().all(|case| self.is_weak(case, others)))
    }

    fn is_weak(&self, case: &Case, without: &[&'static str]) -> bool {
        case.without(without).satisfies(self.spec, &Criterion::Weak) != Some(false)
    }

    /// The same without the operations of some methods.
    fn without(&self, names: &[&'static str]) -> Self {
        let mut cases: Vec<Case> = self.cases.iter().map(|case| case.without(names)).collect();
        cases.retain(|case| case.satisfies(self.spec, &Criterion::Linearizable) == Some(false));
        Methods { spec: self.spec, names: self.but(names), cases }
    }

    /// The smallest run in which what a method returned is not explained, though no other lawless method is there; if all
    /// are lawless, any run that nothing explains.
    fn unexplained(&self, name: &'static str, lawless: &[&'static str]) -> Evidence {
        let all = lawless.len() == self.names.len();
        let others: Vec<&'static str> =
            lawless.iter().copied().filter(|&other| other != name && !all).collect();
        let runs = self.cases.iter().filter(|case| !self.is_weak(case, &others));
        let found = runs.filter_map(|case| {
            Evidence::find(&case.without(&others), self.spec, &Criterion::Weak, |_, _| false)
        });
        smallest(found).expect("a run for which it was given up")
    }

    /// The sets of methods that may be at fault in a case, the likeliest first: few that write, few, those named late.
    fn choices(&self, case: &Case, among: &[&'static str]) -> Vec<Vec<&'static str>> {
        let called: Vec<&'static str> =
            among.iter().copied().filter(|name| called(case, name).is_some()).collect();
        let all = u64::MAX.checked_shr(64 - called.len() as u32).unwrap_or(0);
        let mut choices: Vec<u64> = match called.len() {
            0..=MOST_METHODS => (1..=all).collect(),
            many => (0..many).map(|at| 1 << at).chain([all]).collect(),
        };
        choices.sort_by_key(|&choice| {
            let chosen = chosen(&called, choice);
            let writers = chosen.iter().filter(|name| !self.reads(case, name)).count();
            (writers, chosen.len(), u64::MAX - choice)
        });
        choices.into_iter().map(|choice| chosen(&called, choice)).collect()
    }

    /// The methods that can be called atomic in every run, each of which is weakly consistent.
    ///
    /// Fewer atomic methods explain more, so what explained the runs so far still does after some are given up.
    fn atomic(&self) -> Vec<&'static str> {
        let mut given_up: Vec<&'static str> = Vec::new();
        for case in &self.cases {
            if self.is_explained(case, &given_up) {
                continue;
            }
            let atomic = self.but(&given_up);
            let more = self
                .choices(case, &atomic)
                .into_iter()
                .find(|choice| self.is_explained(case, &[&given_up[..], choice].concat()));
            given_up.extend(more.unwrap_or(atomic));
        }
        self.but(&needed(&given_up, |others| self.cases.iter().all(|case| self.is_explained(case, others))))
    }

    /// Whether a run is explained with all methods but these atomic.
    fn is_explained(&self, case: &Case, but: &[&'static str]) -> bool {
        case.satisfies(self.spec, &Criterion::Axioms(see_all(&self.but(but)))) != Some(false)
    }

    /// The methods but these.
    fn but(&self, names: &[&'static str]) -> Vec<&'static str> {
        self.names.iter().copied().filter(|name| !names.contains(name)).collect()
    }

    /// Whether a method only reads, judged by its first operation of a case.
    fn reads(&self, case: &Case, name: &str) -> bool {
        called(case, name).is_some_and(|(history, op)| self.spec.read_only(history.called(op)))
    }

    /// The guarantee of a method that is not atomic.
    fn weak(&self, atomic: &[&'static str], name: &'static str) -> Guarantee {
        let met = |criterion: &Criterion| {
            let mut axioms = see_all(atomic);
            let own = criterion.axioms().into_iter();
            axioms.extend(own.map(|axiom| Axiom { to: Some(name.into()), ..axiom }));
            let asked = Criterion::Axioms(axioms);
            self.cases.iter().all(|case| case.satisfies(self.spec, &asked) != Some(false))
        };
        let mut criteria: Vec<Criterion> = Vec::new();
        for criterion in [Criterion::Causal, Criterion::Hbvis, Criterion::Mr, Criterion::Ryw, Criterion::Weak]
        {
            // What a stronger one implies is not said again.
            if !criteria.iter().any(|stronger| criterion.includes(stronger)) && met(&criterion) {
                criteria.push(criterion);
            }
        }
        let evidence = Box::new(self.not_atomic(atomic, name));
        Guarantee::Weak { criteria, evidence }
    }

    /// The smallest run in which a method is not atomic next to others that are.
    fn not_atomic(&self, atomic: &[&'static str], name: &'static str) -> Evidence {
        let mut trusted = atomic.to_vec();
        trusted.push(name);
        let asked = Criterion::Axioms(see_all(&trusted));
        let is_trusted = |history: &History, op: OpId| trusted.contains(&history.called(op).method);
        // Operations of other weak methods that only read are left out, if the others can be refuted without them; and if that
        // leaves only trusted methods, all see all.
        let idle =
            |history: &History, op: OpId| !is_trusted(history, op) && self.spec.read_only(history.called(op));
        let evidence = |case: &Case| {
            let history = case.histories.first()?;
            let total = history.ops().all(|op| is_trusted(history, op) || idle(history, op));
            let criterion = if total { &Criterion::Linearizable } else { &asked };
            Evidence::find(case, self.spec, criterion, idle)
                .or_else(|| Evidence::find(case, self.spec, &asked, |_, _| false))
        };
        let broken = self.cases.iter().filter(|case| case.satisfies(self.spec, &asked) == Some(false));
        smallest(broken.filter_map(evidence)).expect("a run for which it was given up")
    }
}

/// Those of some methods that were given up for which the others do not do.
fn needed(given_up: &[&'static str], others_do: impl Fn(&[&'static str]) -> bool) -> Vec<&'static str> {
    let mut needed = given_up.to_vec();
    for name in given_up {
        let others: Vec<&'static str> = needed.iter().copied().filter(|other| other != name).collect();
        if others_do(&others) {
            needed = others;
        }
    }
    needed
}

/// Of the first few the one with the fewest operations, and if possible with one order.
fn smallest(found: impl Iterator<Item = Evidence>) -> Option<Evidence> {
    found.take(EXAMPLES).min_by_key(|evidence| (evidence.orders, evidence.history.len()))
}

/// The axioms by which methods are atomic.
fn see_all(names: &[&'static str]) -> Vec<Axiom> {
    let axiom = |name: &&'static str| Axiom {
        left: Relation::Vis,
        right: vec![Relation::Lin],
        to: Some(name.to_string()),
    };
    names.iter().map(axiom).collect()
}

fn chosen(names: &[&'static str], choice: u64) -> Vec<&'static str> {
    names.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1).map(|(_, &name)| name).collect()
}

/// The first operation of a method in a case.
fn called<'c>(case: &'c Case, name: &str) -> Option<(&'c History, OpId)> {
    let history = case.histories.first()?;
    history.ops().find(|&op| history.called(op).method == name).map(|op| (history, op))
}

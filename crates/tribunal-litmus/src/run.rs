//! Running a test under a model.

use std::collections::BTreeMap;

use tribunal_cat::evaluate::UnknownName;
use tribunal_cat::limits::{Limits, Stopped};
use tribunal_cat::plan::Condition::Acyclic;
use tribunal_cat::plan::{Check, Choice, Effect, NodeId, Op, Orders, Plan, Type};
use tribunal_cat::relation::Relation;
use tribunal_engines::memory::definition::Decider;
use tribunal_history::memory::Execution as History;

use crate::error::Error;
use crate::paths::{Execution, Halt, Path, Sets, paths};
use crate::search::Search;
use crate::structure::Structure;
use crate::syntax::Quantifier;
use crate::term::Terms;
use crate::test::Test;
use crate::value::Value;

/// Why a test could not be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// It cannot be executed.
    #[error(transparent)]
    Test(#[from] Error),
    /// A variable is accessed with different sizes.
    #[error("accesses of different sizes to `{0}` are not supported")]
    Mixed(String),
    /// An access to no location.
    #[error("there is no location at {1} bytes after `{0}`")]
    Outside(String, i64),
    /// A limit was reached.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The model uses a name that tests do not have.
    #[error(transparent)]
    Name(#[from] UnknownName),
}

/// How tests are run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to count executions, as herd does, or only to find states.
    pub counts: bool,
    /// Whether register accesses are events: for models with `catdep`.
    pub register_events: bool,
    /// How often loops are unrolled.
    pub unroll: u32,
    /// Whether to keep an execution that satisfies the condition.
    pub example: bool,
    /// Whether the model is for histories ([`tribunal_cat::Environment::history`]): an RMW instruction is one event, and orders are C11's.
    pub history: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { counts: true, register_events: false, unroll: 2, example: false, history: false }
    }
}

/// Built-in models are of histories, where a read-modify-write is one event. This is what remains to be asked of exclusive pairs.
const PAIRS: &str = "empty rmw & (fre; coe) as pairs";
/// In C11 a race makes behavior undefined. Histories may be racy and consistent, so the models do not say it.
const RACES: &str = "
let conflicts = (W * M | M * W) & loc & ext \\ (IW * M | M * IW)
undefined_unless empty conflicts \\ (hb | hb^-1 | A * A) as data-race";

/// The text of a built-in model as tests are asked about it, with [`Options::history`].
pub fn text_of(name: &str, text: &str) -> String {
    let races = if matches!(name, "rc11" | "rc20") { RACES } else { "" };
    format!("{text}\n{PAIRS}{races}\n")
}

/// What there is of a state: executions that satisfy the condition, and that do not. Only places outside the shown ones tell them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// Those that satisfy it.
    pub positive: u64,
    /// Those that do not.
    pub negative: u64,
}

/// What has been found so far.
#[derive(Debug)]
pub(crate) struct Tally {
    pub counts: bool,
    pub cut: bool,
    /// By check of the plan.
    pub raised: Vec<bool>,
    /// Checks that flag or leave undefined, and depend on what is chosen, or not.
    dependent: Vec<usize>,
    independent: Vec<usize>,
    /// Whether the present facts raise something of the latter that has not been raised.
    pub raising: bool,
    /// An access to what is no location, in executions that were left out for it.
    pub nowhere: Option<RunError>,
    states: BTreeMap<Vec<Value>, Executions>,
    /// The first execution that satisfies the condition, where it is asked for.
    pub example: Option<History>,
    asks_example: bool,
}

impl Tally {
    /// Whether this execution is the one to keep.
    pub fn wants(&self, holds: bool) -> bool {
        holds && self.asks_example && self.example.is_none()
    }

    /// Whether a check that raises something when the coherence order is of a kind has not been raised: such orders are to be looked for.
    pub fn dependent_flags_pending(&self) -> bool {
        self.dependent.iter().any(|check| !self.raised[*check])
    }

    /// Whether an execution with the present facts raises something new that does not depend on the coherence order, if it is consistent.
    pub fn raises(&self, decider: &mut Decider<'_>, limits: &mut dyn Limits) -> Result<bool, Stopped> {
        for &check in &self.independent {
            if !self.raised[check] && raises(decider, check, limits)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Raises it.
    pub fn raise(&mut self, decider: &mut Decider<'_>, limits: &mut dyn Limits) -> Result<(), Stopped> {
        for index in 0..self.independent.len() {
            let check = self.independent[index];
            self.raised[check] |= raises(decider, check, limits)?;
        }
        Ok(())
    }

    pub fn has(&self, state: &[Value], holds: bool) -> bool {
        self.states.get(state).is_some_and(|e| if holds { e.positive > 0 } else { e.negative > 0 })
    }

    pub fn add(&mut self, state: Vec<Value>, holds: bool, executions: u64) {
        let entry = self.states.entry(state).or_default();
        let side = if holds { &mut entry.positive } else { &mut entry.negative };
        *side = if self.counts { side.saturating_add(executions) } else { 1 };
    }
}

fn raises(decider: &mut Decider<'_>, check: usize, limits: &mut dyn Limits) -> Result<bool, Stopped> {
    let flag = decider.plan().checks[check].effect == Effect::Flag;
    Ok(decider.evaluator().holds_within(check, limits)? == flag)
}

/// What a test answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The condition holds as quantified.
    Ok,
    /// It does not.
    No,
    /// Some execution has undefined behavior.
    Undefined,
}

/// How often the proposition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// In no execution.
    Never,
    /// In some.
    Sometimes,
    /// In all.
    Always,
}

/// What a test does under a model.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Final states, as the values of the places that are shown, in order.
    pub states: BTreeMap<Vec<Value>, Executions>,
    /// Whether a loop was cut off in some consistent execution.
    pub cut: bool,
    /// Whether some execution has undefined behavior.
    pub undefined: bool,
    /// The flags that were raised, by name, in order.
    pub flags: Vec<String>,
    /// Whether executions were counted: if not, each number is at most one.
    pub counted: bool,
    /// The first execution that satisfies the condition, where it was asked for, as a history.
    pub example: Option<History>,
}

impl Outcome {
    /// The number of executions that satisfy the proposition, and that do not.
    pub fn executions(&self) -> Executions {
        self.states.values().fold(Executions::default(), |sum, e| Executions {
            positive: sum.positive.saturating_add(e.positive),
            negative: sum.negative.saturating_add(e.negative),
        })
    }

    /// The answer to a test's question.
    pub fn verdict(&self, quantifier: Quantifier) -> Verdict {
        let all = self.executions();
        let holds = match quantifier {
            Quantifier::Exists => all.positive > 0,
            Quantifier::NotExists => all.positive == 0,
            Quantifier::ForAll => all.negative == 0,
        };
        match (self.undefined, holds) {
            (true, _) => Verdict::Undefined,
            (false, true) => Verdict::Ok,
            (false, false) => Verdict::No,
        }
    }

    /// How often the proposition holds.
    pub fn observation(&self) -> Observation {
        match self.executions() {
            Executions { positive: 0, .. } => Observation::Never,
            Executions { negative: 0, .. } => Observation::Always,
            _ => Observation::Sometimes,
        }
    }
}

/// Runs tests under one model, with the same memory.
#[derive(Debug)]
pub struct Runner<'p> {
    decider: Decider<'p>,
    options: Options,
    /// Whether a check depends on `FW` other than through the coherence order, of which the last writes are required anyway.
    asks_finals: bool,
    dependent: Vec<usize>,
    independent: Vec<usize>,
}

impl<'p> Runner<'p> {
    /// A runner for a model's plan, made in the environment of the tests' architecture.
    pub fn new(plan: &'p Plan, options: Options) -> Self {
        let asks_finals = asks_finals(plan);
        let varying: &[&str] = if asks_finals { &["rf", "FW"] } else { &["rf"] };
        let raising = (0..plan.checks.len()).filter(|check| plan.checks[*check].effect != Effect::Require);
        let chosen =
            |check: &usize| rests_on(plan, [plan.checks[*check].node], |op| matches!(op, Op::Choice(_)));
        let (dependent, independent) = raising.partition(chosen);
        Self { decider: Decider::new(plan, varying), options, asks_finals, dependent, independent }
    }

    /// Runs a test.
    pub fn run(&mut self, test: &Test, limits: &mut dyn Limits) -> Result<Outcome, RunError> {
        let arm = test.arch == "AArch64";
        let how = Execution {
            register_events: self.options.register_events,
            control_depends: arm,
            known_loops: arm,
            unroll: self.options.unroll,
        };
        let mut sets = Sets::default();
        let mut threads: Vec<(Vec<Path>, Terms)> = Vec::with_capacity(test.threads.len());
        let mut bytes = 0;
        for index in 0..test.threads.len() {
            let mut terms = Terms::default();
            let ways = paths(&test.threads, index, &mut terms, &mut sets, how, limits, bytes);
            let ways = ways.map_err(|halt| match halt {
                Halt::Fault(fault) => RunError::Test(fault.within(&test.name)),
                Halt::Stopped(stopped) => RunError::Stopped(stopped),
            })?;
            bytes += terms.bytes() + ways.iter().map(Path::bytes).sum::<usize>();
            threads.push((ways, terms));
        }
        let checks = self.decider.plan().checks.len();
        let mut tally = Tally {
            counts: self.options.counts,
            cut: false,
            raised: vec![false; checks],
            dependent: self.dependent.clone(),
            independent: self.independent.clone(),
            raising: false,
            nowhere: None,
            states: BTreeMap::new(),
            example: None,
            asks_example: self.options.example,
        };
        let mut chosen = vec![0; threads.len()];
        'all: loop {
            if threads.iter().any(|(ways, _)| ways.is_empty()) {
                break;
            }
            let ways: Vec<_> =
                threads.iter().zip(&chosen).map(|((ways, terms), way)| (&ways[*way], terms)).collect();
            let events = test.memory.len() + ways.iter().map(|(way, _)| way.events.len()).sum::<usize>();
            limits.check(bytes.saturating_add(self.relations(events)), 0)?;
            let structure = Structure::new(test, &sets, &ways, self.options.history);
            Search::new(&structure, &mut self.decider, &mut tally, limits, self.asks_finals).run()?;
            for (way, (ways, _)) in chosen.iter_mut().zip(&threads) {
                *way += 1;
                if *way < ways.len() {
                    continue 'all;
                }
                *way = 0;
            }
            break;
        }
        match tally.nowhere.take() {
            Some(error) if tally.states.is_empty() => Err(error),
            _ => Ok(self.outcome(tally)),
        }
    }

    /// What the model's relations on so many events take.
    fn relations(&self, events: usize) -> usize {
        let plan = self.decider.plan();
        let relations = plan.nodes.iter().filter(|node| node.ty == Type::Relation).count();
        (relations + plan.choices.len() + 3).saturating_mul(Relation::bytes(events))
    }

    fn outcome(&self, tally: Tally) -> Outcome {
        let plan = self.decider.plan();
        let raised = |effect: Effect| {
            plan.checks.iter().zip(&tally.raised).filter(move |(c, r)| **r && c.effect == effect)
        };
        let mut flags: Vec<String> =
            raised(Effect::Flag).map(|(c, _)| c.name.clone().unwrap_or_default()).collect();
        flags.sort_unstable();
        flags.dedup();
        Outcome {
            undefined: raised(Effect::UndefinedUnless).next().is_some(),
            flags,
            states: tally.states,
            cut: tally.cut,
            counted: tally.counts,
            example: tally.example,
        }
    }
}

fn asks_finals(plan: &Plan) -> bool {
    // Whether what an order contains has a cycle is seen when that order is looked for, with the final writes last.
    let ranges = |check: &Check| {
        let base =
            |choice: &Choice| matches!(choice.from, Orders::Locations { base, .. } if base == check.node);
        check.condition == Acyclic
            && !check.negated
            && check.effect == Effect::Require
            && plan.choices.iter().any(base)
    };
    let checks = plan.checks.iter().filter(|check| !ranges(check)).map(|check| check.node);
    let linear = plan.choices.iter().filter_map(|choice| match choice.from {
        Orders::Linearizations { events, base } => Some([events, base]),
        Orders::Locations { .. } => None,
    });
    rests_on(plan, checks.chain(linear.flatten()), |op| matches!(op, Op::Base(name) if name == "FW"))
}

/// Whether some of these nodes is computed of such an operation. What a choice ranges over is not looked at.
fn rests_on(plan: &Plan, nodes: impl IntoIterator<Item = NodeId>, wanted: impl Fn(&Op) -> bool) -> bool {
    let mut seen = vec![false; plan.nodes.len()];
    let mut stack: Vec<NodeId> = nodes.into_iter().collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        let op = &plan.node(node).op;
        if wanted(op) {
            return true;
        }
        stack.extend(plan.operands(op));
    }
    false
}

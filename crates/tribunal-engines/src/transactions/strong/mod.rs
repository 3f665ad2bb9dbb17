//! psi, pc, si and ser: an order of the writers of each key, found by saturation and, where that leaves choices, by search.
//!
//! With D = b ∪ wr, for an order ww of the writers of each key and rw = wr⁻¹ ; ww:
//!
//! | level | condition | nodes | D | ww | rw |
//! |---|---|---|---|---|---|
//! | ser | acyclic(D ∪ ww ∪ rw) | t | t→t | t→t | t→t |
//! | si | acyclic((D ∪ ww) ; rw?) | S→C | C→S | C→S | S→C |
//! | pc | acyclic((D ; rw?) ∪ ww) | S→C | C→S | C→C | S→C |
//! | psi | irreflexive((D ∪ ww)⁺ ; rw?) | t | t→t | t→t | none |
//!
//! So each is acyclicity of one graph, except for psi, whose rw are never edges: what they forbid is what the first rule says.
//!
//! - A writer w of x that comes before a reader of t₀'s x comes before t₀.
//! - A writer that must come before another does so with all who read from it: they do not see the other.
//!
//! Invariant: a clock says of each chain (a session, or a transaction by itself) how many of its nodes lead to a node; a node that leads to itself
//! is a conflict. When all writers of each key are ordered and there is none, the level holds.
//!
//! Sources: Tan et al. 2020 (Cobra) and Zennou et al. 2020 for the rules, Zhang et al. 2023 (Viper) for the two nodes.

mod accesses;
mod chains;
mod hint;
mod known;
mod nodes;
mod proof;
mod repair;
mod rules;
mod saturation;
mod search;
mod simulation;

use super::engine::Used;
use super::graph::Node;
use super::support::speaks_of_sessions;
use super::versions::Versions;
use super::{Base, Engine, History, Isolation, Level, Proof, TxnId};
use crate::split;
use accesses::Accesses;
use chains::Chains;
use hint::hint;
use known::{Collection, Hop};
use nodes::Nodes;
use saturation::{CommitSaturation, Halt};
use search::Writers;
use simulation::Simulated;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// After how many conflicts a search is left to the SAT solver, which learns from them.
const CONFLICTS_BEFORE_SAT: u64 = 2_000;

/// After how many rounds a simulation is tried at once.
const EAGER: u32 = 4;

/// The number of nodes that a first simulation may look at when it cannot go on: those that there are, this many times, and a few.
const REPAIRS: (usize, usize) = (64, 10_000);

/// A commit order, or why there is none.
type Decided = Result<Vec<TxnId>, Proof>;

/// The commit order, or why there is none. The level is one of those above; misreads and lists have been looked at.
pub(super) fn decide(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    used: &Used,
    versions: &Versions,
    limits: &Limits<'_>,
) -> Result<Decided, Limit> {
    let accesses = Accesses::of(history);
    let limits = limits.beside(versions.bytes() + accesses.bytes())?;
    let question =
        |level| Question { history, level, engine, used, versions, accesses: &accesses, limits: &limits };
    // Sessions are long chains, which clocks need.
    let base = level.base().max(Base::Session);
    // Most histories are of a stronger level, in the order of time if it is known: what that allows, this one allows.
    if engine.is_none() {
        let strongest = if history.is_timed() { Base::Strict } else { base };
        let stronger =
            [Isolation::Ser, Isolation::Si, Isolation::Pc].map(|isolation| Level::new(isolation, strongest));
        for likely in stronger.into_iter().flatten().filter(|&stronger| level.includes(stronger)) {
            if let Some(commits) = question(likely).likely()? {
                return Ok(Ok(commits));
            }
        }
    }
    // What satisfies si satisfies psi, whose graph says less.
    if let (Isolation::Psi, Some(si)) = (level.isolation(), Level::new(Isolation::Si, base))
        && let Outcome::Decided(Ok(commits)) = question(si).saturated()?
    {
        return Ok(Ok(commits));
    }
    // What holds over sessions holds without them, and so does a refutation that does not mention them.
    if let Some(over) = Level::new(level.isolation(), base).filter(|&over| over != level) {
        match question(over).decided()? {
            Ok(commits) => return Ok(Ok(commits)),
            Err(proof) if !speaks_of_sessions(&proof) => return Ok(Err(proof)),
            Err(_) => {}
        }
    }
    question(level).decided()
}

/// What is asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    history: &'a History,
    level: Level,
    /// What is to choose; none: whatever is best.
    engine: Option<Engine>,
    used: &'a Used,
    versions: &'a Versions,
    accesses: &'a Accesses,
    limits: &'a Limits<'a>,
}

/// What comes of a question without choosing anything.
enum Outcome<'a> {
    Decided(Decided),
    /// All that follows, and no conflict.
    Open(Box<CommitSaturation<'a>>),
}

impl<'a> Question<'a> {
    /// Saturates, and searches where that leaves choices.
    fn decided(self) -> Result<Decided, Limit> {
        let mut saturation = match self.saturated()? {
            Outcome::Decided(decided) => return Ok(decided),
            Outcome::Open(saturation) => saturation,
        };
        let order = saturation.order().unwrap_or_default();
        let hint = hint(self.history, saturation.nodes, &saturation.edges, &order);
        let simulated = |saturation: &CommitSaturation<'_>| self.simulated(saturation);
        let mut writers = Writers::new(&mut saturation, &hint, self.limits, simulated);
        self.used.add(Engine::Search);
        let most_conflicts =
            if self.engine == Some(Engine::Search) { u64::MAX } else { CONFLICTS_BEFORE_SAT };
        let searched = match self.engine {
            Some(Engine::Sat) => None,
            _ => split::search(&mut writers, most_conflicts)?,
        };
        match searched {
            Some(decided) => Ok(decided),
            None => {
                self.used.add(Engine::Sat);
                split::solve_pairs(&mut writers, self.limits)
            }
        }
    }

    /// The commit order of a simulation, if it comes to one before anything is derived.
    fn likely(self) -> Result<Option<Vec<TxnId>>, Limit> {
        let Question { history, level, versions, accesses, limits, .. } = self;
        let nodes = Nodes::of(history, level, known::junctions(accesses, versions, level));
        let known = Collection::of(history, level, accesses, versions, nodes);
        limits.check(0)?;
        limits.check_memory(known.hops.capacity() * (size_of::<Hop>() + size_of::<Node>()), 0)?;
        let Ok(order) = known::order(nodes.count(), &known.hops) else { return Ok(None) };
        let likely = hint(history, nodes, &known.hops, &order);
        let patience = REPAIRS.0 * nodes.count() + REPAIRS.1;
        let simulated =
            simulation::run(history, nodes, level, accesses, &known.hops, &likely, patience, limits)?;
        Ok(simulated.ok())
    }

    /// Saturates, and tries a simulation before that, in between and after.
    fn saturated(self) -> Result<Outcome<'a>, Limit> {
        let Question { history, level, versions, accesses, limits, .. } = self;
        let nodes = Nodes::of(history, level, known::junctions(accesses, versions, level));
        let mut known = Collection::of(history, level, accesses, versions, nodes);
        // Edges are as many as operations and transactions, and once more in a graph.
        limits.check(0)?;
        limits.check_memory(known.hops.capacity() * (size_of::<Hop>() + size_of::<Node>()), 0)?;
        // An order of all nodes, or those that can have none.
        let order = match known::order(nodes.count(), &known.hops) {
            Ok(order) => order,
            Err(cyclic) => {
                let Collection { hops, steps, .. } = known;
                let mut saturation =
                    CommitSaturation::new(history, level, accesses, nodes, steps, Chains::default(), limits)?;
                hops.iter().for_each(|&(from, to, reason)| saturation.list(from, to, reason));
                return Ok(Outcome::Decided(Err(saturation.shortest(&cyclic).proof)));
            }
        };
        let likely = hint(history, nodes, &known.hops, &order);
        if let Ok(commits) =
            simulation::run(history, nodes, level, accesses, &known.hops, &likely, 0, limits)?
        {
            return Ok(Outcome::Decided(Ok(commits)));
        }
        let counts = |node: Node| match nodes.txn(node) {
            Some(txn) => history.reads().counts(txn),
            None => node < nodes.first_junction(),
        };
        let chains = Chains::of(&order, &known.hops, counts);
        known.initial(|key| firsts(nodes, &chains, accesses.writers(key)));
        let Collection { hops, steps, .. } = known;
        let mut saturation = CommitSaturation::new(history, level, accesses, nodes, steps, chains, limits)?;
        hops.iter().for_each(|&(from, to, reason)| saturation.list(from, to, reason));
        drop(hops);
        match self.rounds(&mut saturation) {
            Ok(Some(commits)) => Ok(Outcome::Decided(Ok(commits))),
            Ok(None) => Ok(Outcome::Open(Box::new(saturation))),
            Err(Halt::Conflict(conflict)) => Ok(Outcome::Decided(Err(saturation.refute(conflict).proof))),
            Err(Halt::Cyclic(cyclic)) => Ok(Outcome::Decided(Err(saturation.shortest(&cyclic).proof))),
            Err(Halt::Limit(limit)) => Err(limit),
        }
    }

    /// Round by round while much follows, then one by one; a commit order if a simulation comes to one.
    fn rounds(&self, saturation: &mut CommitSaturation<'_>) -> Result<Option<Vec<TxnId>>, Halt> {
        let much = 16;
        for round in 0.. {
            let new = saturation.round(self.limits)?;
            if round < EAGER
                && let Ok(commits) = self.simulated(saturation)?
            {
                return Ok(Some(commits));
            }
            if new <= much {
                break;
            }
        }
        saturation.saturate_all(self.limits)?;
        Ok(self.simulated(saturation)?.ok())
    }

    /// The commit order that a simulation comes to, or the keys that are in its way.
    fn simulated(&self, saturation: &CommitSaturation<'_>) -> Result<Simulated, Limit> {
        let Question { history, level, accesses, limits, .. } = *self;
        let Ok(order) = saturation.order() else { return Ok(Err(Vec::new())) };
        let likely = hint(history, saturation.nodes, &saturation.edges, &order);
        simulation::run(history, saturation.nodes, level, accesses, &saturation.edges, &likely, 0, limits)
    }
}

/// Those of the writers of a key that no other comes before in its chain.
fn firsts(nodes: Nodes, chains: &Chains, writers: &[TxnId]) -> Vec<TxnId> {
    let place = |txn: &TxnId| chains.places[nodes.commit(*txn) as usize];
    let mut writers = writers.to_vec();
    writers.sort_unstable_by_key(place);
    writers.dedup_by_key(|txn| place(txn).0);
    writers
}

/// The transactions that count, in the order of their commits.
fn commits(saturation: &CommitSaturation<'_>) -> Vec<TxnId> {
    let order = saturation.order().unwrap_or_default();
    let commit = |node: Node| {
        let nodes = saturation.nodes;
        nodes.txn(node).filter(|&txn| node == nodes.commit(txn) && saturation.history.reads().counts(txn))
    };
    order.into_iter().filter_map(commit).collect()
}

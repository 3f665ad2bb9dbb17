//! Histories in which values repeat: what open reads read from is chosen, case by case.
//!
//! A read whose source is open says nothing until one is chosen. So what is inconsistent with some sources chosen stays so whatever the others are.
//! Where it is consistent, its commit order suggests the other sources. If they do not go together, a read that the violation depends on is
//! tried with each of its sources.
//!
//! Invariant: the read of a case is open in the history with the sources of the cases before it.

use super::engine::Used;
use super::support::support;
use super::{Engine, History, INIT, Level, OpId, Status, TxnId, Violation, Witness, decide};
use crate::split::{self, Next, Refuted, Theory};
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The number of choices that may depend on one another: certificates nest as deep.
const DEEPEST: usize = 500;

/// Sources and a commit order with them, or why there are none. NP-complete, except for ru of registers.
pub(super) fn choose(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    used: &Used,
    limits: &Limits<'_>,
) -> Result<Result<Witness, Violation>, Limit> {
    // Two copies at a time: the one with what is chosen, and the one with what is guessed.
    let limits = &limits.beside(2 * history.bytes())?;
    let mut sources = Sources { history, level, engine, used, limits, states: 0, chosen: Vec::new() };
    sources.count(0)?;
    Ok(split::search(&mut sources, u64::MAX)?.expect("patience without end"))
}

/// The sources of open reads as a theory: a case is a read with the source that is tried.
struct Sources<'a> {
    history: &'a History,
    level: Level,
    engine: Option<Engine>,
    used: &'a Used,
    limits: &'a Limits<'a>,
    states: u64,
    chosen: Vec<(OpId, TxnId)>,
}

impl Theory for Sources<'_> {
    type Case = (OpId, TxnId);
    type Proof = Violation;
    type Solution = Witness;
    type Limit = Limit;

    fn count(&mut self, _: usize) -> Result<(), Limit> {
        self.limits.check(self.states)?;
        self.states += 1;
        Ok(())
    }

    fn next(&mut self) -> Result<Next<Self>, Limit> {
        let Sources { history, level, engine, used, limits, ref chosen, .. } = *self;
        let partial = history.choosing(chosen);
        let commits = match decide(&partial, level, engine, used, limits)? {
            Ok(commits) => commits,
            Err(violation) => {
                let support = support(&violation);
                let rests_on = |&(read, source): &(OpId, TxnId)| {
                    // Who reads from a transaction of unknown outcome makes it count, which is more than the read.
                    let counts = source != INIT && history.status(source) == Status::Unknown;
                    counts || support.contains(&read)
                };
                let cases = (0..).zip(chosen).filter(|(_, case)| rests_on(case)).map(|(number, _)| number);
                return Ok(Next::Refuted(Refuted { cases: cases.collect(), proof: violation, bytes: 0 }));
            }
        };
        match guess(&partial, level, (engine, used), chosen.clone(), commits, limits)? {
            Ok(witness) => Ok(Next::Solved(witness)),
            Err(_) if chosen.len() == DEEPEST => Err(Limit::States { states: self.states }),
            Err((read, guessed)) => {
                // The one that was guessed is tried last.
                let mut left: Vec<TxnId> = partial.reads().candidates(read).iter().collect();
                left.sort_by_key(|&txn| txn != guessed);
                Ok(Next::Split(left.into_iter().map(|source| (read, source)).collect()))
            }
        }
    }

    fn assume(&mut self, case: (OpId, TxnId)) -> Result<Option<Refuted<Violation>>, Limit> {
        self.chosen.push(case);
        Ok(None)
    }

    fn retract(&mut self) {
        self.chosen.pop();
    }

    fn join(&mut self, cases: Vec<((OpId, TxnId), Violation)>) -> Violation {
        let ((read, _), _) = cases[0];
        Violation::Sources {
            read,
            cases: cases.into_iter().map(|((_, source), case)| (source, case)).collect(),
        }
    }
}

/// Chooses what is open as a commit order suggests: the last candidate before the reader. If that does not go together, gives a read to
/// be tried with each of its sources, and the one guessed.
fn guess(
    partial: &History,
    level: Level,
    (engine, used): (Option<Engine>, &Used),
    mut chosen: Vec<(OpId, TxnId)>,
    commits: Vec<TxnId>,
    limits: &Limits<'_>,
) -> Result<Result<Witness, (OpId, TxnId)>, Limit> {
    let place: FxHashMap<TxnId, usize> = (1..).zip(&commits).map(|(place, &txn)| (txn, place)).collect();
    let place = |txn: TxnId| if txn == INIT { Some(0) } else { place.get(&txn).copied() };
    let known = chosen.len();
    let mut full = None;
    loop {
        // Those that are chosen may make others count, whose reads are open as well.
        let history = full.as_ref().unwrap_or(partial);
        let open: Vec<OpId> = history.reads().open().collect();
        if open.is_empty() {
            break;
        }
        // By group of candidates, those that have a place, in the order of places.
        let mut placed: FxHashMap<(u32, u32), Vec<(usize, TxnId)>> = FxHashMap::default();
        for (at, read) in open.into_iter().enumerate() {
            if at.is_multiple_of(1024) {
                limits.check(0)?;
            }
            let Some((group, all)) = history.reads().group_of(read) else { continue };
            let placed = placed.entry(group).or_insert_with(|| {
                let mut placed: Vec<_> = all.iter().filter_map(|txn| Some((place(txn)?, txn))).collect();
                placed.sort_unstable();
                placed
            });
            // The reader is not before itself.
            let reader = place(history.txn_of(read)).unwrap_or(usize::MAX);
            let before = placed.partition_point(|&(place, _)| place < reader);
            let latest = before.checked_sub(1).map(|last| placed[last].1);
            if let Some(source) = latest.or_else(|| history.reads().candidates(read).iter().next()) {
                chosen.push((read, source));
            }
        }
        full = Some(partial.choosing(&chosen));
    }
    let Some(full) = full else { return Ok(Ok(witness(commits, chosen))) };
    let violation = match decide(&full, level, engine, used, limits)? {
        Ok(commits) => return Ok(Ok(witness(commits, chosen))),
        Err(violation) => violation,
    };
    let support = support(&violation);
    let open = |(read, _): &&(OpId, TxnId)| !partial.reads().candidates(*read).is_empty();
    let guessed = || chosen[known..].iter().filter(open);
    let first = guessed().find(|(read, _)| support.contains(read)).or_else(|| guessed().next());
    Ok(Err(*first.expect("a violation without what was guessed would have been found before")))
}

fn witness(commits: Vec<TxnId>, mut sources: Vec<(OpId, TxnId)>) -> Witness {
    sources.sort_unstable();
    Witness { commits, sources }
}

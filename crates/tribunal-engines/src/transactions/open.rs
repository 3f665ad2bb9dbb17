//! Histories in which values repeat: what open reads read from is chosen, case by case.
//!
//! A read whose source is open says nothing until one is chosen. So what is inconsistent with some sources chosen stays so whatever the others are.
//! Where it is consistent, its commit order suggests the other sources. If they do not go together, a read that the violation depends on is
//! tried with each of its sources.
//!
//! Invariant: a frame's read is open in the history with the sources of the frames before it.

use super::engine::Used;
use super::support::support;
use super::{Engine, History, INIT, Level, OpId, Status, TxnId, Violation, Witness, decide};
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The number of choices that may depend on one another: certificates nest as deep.
const DEEPEST: usize = 500;

/// A read, the source that is tried, those that are left, and why those before are none.
struct Frame {
    read: OpId,
    source: TxnId,
    left: Vec<TxnId>,
    refuted: Vec<(TxnId, Violation)>,
}

/// Sources and a commit order with them, or why there are none. NP-complete, except for ru of registers.
pub(super) fn choose(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    used: &Used,
    limits: &Limits<'_>,
) -> Result<Result<Witness, Violation>, Limit> {
    // Two copies at a time: the one with what is chosen, and the one with what is guessed.
    let limits = limits.beside(2 * history.bytes())?;
    let mut frames: Vec<Frame> = Vec::new();
    let mut states = 0;
    loop {
        limits.check(states)?;
        states += 1;
        let chosen: Vec<(OpId, TxnId)> = frames.iter().map(|frame| (frame.read, frame.source)).collect();
        let partial = history.choosing(&chosen);
        let violation = match decide(&partial, level, engine, used, &limits)? {
            Err(violation) => violation,
            Ok(commits) => match guess(&partial, level, (engine, used), chosen, commits, &limits)? {
                Ok(witness) => return Ok(Ok(witness)),
                Err((read, guessed)) => {
                    if frames.len() == DEEPEST {
                        return Err(Limit::States { states });
                    }
                    // The one that was guessed is tried last.
                    let mut left: Vec<TxnId> = partial.reads().candidates(read).iter().collect();
                    left.sort_by_key(|&txn| txn != guessed);
                    let source = left.pop().unwrap_or(guessed);
                    frames.push(Frame { read, source, left, refuted: Vec::new() });
                    continue;
                }
            },
        };
        if let Some(violation) = go_back(history, &mut frames, violation) {
            return Ok(Err(violation));
        }
    }
}

/// Tries the next source of the last read that a violation depends on; the violation of all if there is none.
fn go_back(history: &History, frames: &mut Vec<Frame>, mut violation: Violation) -> Option<Violation> {
    while let Some(mut frame) = frames.pop() {
        // Who reads from a transaction of unknown outcome makes it count, which is more than the read.
        let counts = frame.source != INIT && history.status(frame.source) == Status::Unknown;
        if !counts && !support(&violation).contains(&frame.read) {
            continue;
        }
        frame.refuted.push((frame.source, violation));
        match frame.left.pop() {
            Some(source) => {
                frames.push(Frame { source, ..frame });
                return None;
            }
            None => violation = Violation::Sources { read: frame.read, cases: frame.refuted },
        }
    }
    Some(violation)
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

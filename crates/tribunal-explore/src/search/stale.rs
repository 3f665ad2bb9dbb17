//! Threads that spin because of what they read too late.
//!
//! A reader of a sequence lock that meets the writer goes round again. Each of its rounds that fails is a graph in which the thread [spins](super::spin), and without
//! more, each of them would be gone on from with all that the other threads may do: with three readers of 3 rounds that end and 36 that spin, (3 + 36)³ graphs for 27 executions.
//!
//! **The rule.** A run ends where a thread t comes to spin, if its last iteration I is made of atomic loads and fences, one of its loads r is *stale*, and all events younger than
//! r are those of I behind r. A load is stale if there was a write b when it was added that is certainly behind the write a that it reads in mo (by program order and RMWs
//! alone), and that is preferred to a. The graph N where this happens is *left*. If a load of I is behind the last stale one, N is kept: a later write of that load's location might let t go
//! on. It is gone on from when there is nothing else to do, if such a write has turned up in any execution, by a thread that is not as far in N.
//! If there is no such load, N is dropped.
//!
//! **Why nothing is left out.** (1) *A stale load stays.* A [revisit](super::revisit) that takes r back, or is of r, is tried in a graph H that has all events older than r, among them b
//! and what puts a before b. If r may read from a in H, then also from b: r is the last event of its thread and nobody reads from it, so that reading later in mo breaks nothing. So
//! r does not read what it prefers, and the revisit is refused. Since all else in N is older than r, each graph that comes of N is N and more, until a load of I behind
//! r reads from a write w that N does not have, and only then t goes on. For that t's events in I do not change, w is of another thread, and that thread was not as far in N.
//!
//! (2) *What turns up in all graphs turns up.* Take a write w that some graph of the whole search has, in the graph D where the least is before it in po ∪ rf, together with that alone. Complete D
//! thread by thread: whatever load is added reads what is last in mo among what is older than it. This can be done so that on the way to it in the whole search
//! no load outside of D is stale that stays: if r is the first one that is, reading a, then what leads to it is the same up to r, and r may read
//! from the write that is last in mo instead. If a graph N on that way is left because of r, then r is in D, its thread went on in D from a load of
//! I that reads from a write that N does not have, and less is before that write than before w. So it has turned up, by induction, and N is gone on from.
//!
//! (3) Likewise for an execution E, with E for D: all threads go on in E, or E ends with an assertion, a race or with threads that are stuck. In the last case no load that
//! a thread spins on is stale, since mo may end with what it read: an iteration of a thread that [changes nothing](super::spin) does not count here, so b must be an event
//! that is not in one, which is so if its thread has ended, waits for the end of another, or spins in later events.
//! A thread that runs into an assertion or a race behind r is not spinning at r; one that races at r does so whatever r reads.
//!
//! With a bound on preemptions, where the way of (2) may be outside of the bound, from checkpoints, which keep nothing but a path, in programs that fork, where no process knows what others find, and with models as text, all is gone on from.
//! In the executions of Rust code a location has no number of its own, so that any write counts as one of the same location.

use super::memory::Memory;
use super::run::{State, Worker};
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Program};
use tribunal_history::memory::{LocId, ThreadId};
use tribunal_history::model::Model;

/// What lets a run go on that need not: another write of one of these locations.
#[derive(Clone, Debug)]
pub(super) struct Stale {
    thread: ThreadId,
    locs: Vec<LocId>,
}

impl Stale {
    /// Whether nothing does.
    pub(super) fn is_final(&self) -> bool {
        self.locs.is_empty()
    }
}

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Whether the run need not go on, now that a thread spins: the locations that must be written again for that.
    pub(super) fn is_stale(&self, thread: ThreadId) -> Option<Stale> {
        let searches = self.guide.is_none() && !matches!(self.options.model, Model::Cat(_));
        if self.program.may_fork() {
            return None;
        }
        if !searches || self.options.max_preemptions.is_some() || self.options.checkpoint.is_some() {
            return None;
        }
        let since = self.runners[thread.index()].as_ref()?.since as usize;
        let round = &self.graph.thread(thread)[since..];
        let is_pure = |event: &Event| match event.action {
            Action::Load { .. } => !event.is_plain() && !self.graph.is_settled(event),
            Action::Fence { .. } => true,
            _ => false,
        };
        if !round.iter().all(|&id| is_pure(self.graph.event(id))) {
            return None;
        }
        let last = round.iter().rposition(|&id| self.is_stale_read(self.graph.event(id)))?;
        let at = self.graph.event(round[last]).stamp;
        let is_before = |event: &Event| event.stamp < at && event.write_stamp < at;
        let events = self.graph.events();
        if !events.iter().all(|event| event.explored && (event.thread == thread || is_before(event))) {
            return None;
        }
        let mut locs: Vec<LocId> =
            round[last + 1..].iter().filter_map(|&id| self.graph.event(id).loc()).collect();
        if !self.program.has_fixed_locations() {
            locs.iter_mut().for_each(|loc| *loc = LocId(0));
        }
        locs.sort_unstable();
        locs.dedup();
        let stale = Stale { thread, locs };
        let leads_nowhere = !self.is_to_go_on(&self.graph, &stale);
        (leads_nowhere && (stale.is_final() || self.threads.leave(events.len()))).then_some(stale)
    }

    /// Whether there was a write already behind what it reads when a read was added, one that it would rather have read.
    fn is_stale_read(&self, event: &Event) -> bool {
        let (Some(loc), true) = (event.loc(), event.is_read()) else { return false };
        self.graph.accesses(loc).writes.iter().any(|&id| {
            let write = self.graph.event(id);
            let prefers = match event.source {
                Source::Event(source) => {
                    let from = self.graph.event(source);
                    let threads = self.threads.compare(write.thread, from.thread);
                    threads.then(write.index.cmp(&from.index)).is_gt()
                        && self.known_before(loc, Source::Event(id)).contains(&source)
                }
                _ => true,
            };
            prefers && write.write_stamp < event.stamp && !write.of_lock && self.stays(id)
        })
    }

    /// Whether an event is not part of an iteration that its thread may come to end, or has ended.
    fn stays(&self, id: EventId) -> bool {
        let event = self.graph.event(id);
        let Some(runner) = &self.runners[event.thread.index()] else { return false };
        match runner.state {
            State::Ended => true,
            State::Spinning(_) => event.index < runner.since,
            _ => runner.pending.as_ref().is_some_and(|next| matches!(next.action, Action::Join { .. })),
        }
    }

    /// Whether one of these locations was written again, in any execution, by a thread that is not as far in this one.
    pub(super) fn is_to_go_on(&self, graph: &Graph, stale: &Stale) -> bool {
        let events = |thread: ThreadId| match thread == stale.thread {
            true => usize::MAX,
            false => graph.thread(thread).len(),
        };
        self.threads.write_later(&stale.locs, events)
    }

    /// Takes note of what was written, the last events of a run.
    pub(super) fn learn_writes(&mut self, since: usize) {
        let fixed = self.program.has_fixed_locations();
        for event in &self.graph.events()[since.saturating_sub(2)..] {
            if let (Some(loc), Some(_)) = (event.loc(), event.written) {
                let loc = if fixed { loc } else { LocId(0) };
                self.threads.wrote(loc, event.thread, event.index + 1);
            }
        }
    }
}

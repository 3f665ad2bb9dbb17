//! The search of Tunç et al. 2023, section 4.2: an order of all events that contains the saturated graph and in which nothing
//! comes between an RMW and its source.
//!
//! A state is a downward-closed set of events, kept as a frontier: how far each thread has come. Executing a write that
//! an RMW reads from locks its location until the RMW is executed. Most events may be executed as soon as they can be,
//! without losing a solution:
//! - a read or a fence, since it locks nothing;
//! - an RMW, since only it unlocks its location;
//! - a write that no RMW reads from, while its location is unlocked: in any order that completes the execution it can be
//!   moved to the front;
//! - a write with its whole chain, if the chain can be executed to its end by these rules alone, for the same reason.
//!
//! What is left to choose is which chain to begin when none can be finished. Frontiers from which no choice led to the
//! end are remembered, so that each of the at most n^k is expanded once: O(k·n^(k+1)).

use crate::reach::lists::Lists;
use rustc_hash::FxHashSet;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::Limit;

const UNLOCKED: u32 = u32::MAX;

/// The bytes that a frontier that is remembered takes beside its entries: the box, and a table that is at most doubled.
const BYTES_PER_FRONTIER: usize = 56;

/// All writes in an order in which the execution can be run, if there is one. Counts the states that need a choice.
pub(crate) fn search(
    x: &Execution,
    preds: &Lists<EventId>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<Vec<EventId>>, Limit> {
    let mut frontier = Frontier::new(x, preds);
    let mut dead: FxHashSet<Box<[u32]>> = FxHashSet::default();
    // Choices not yet taken: how many events were executed before, and the writes to try, last first.
    let mut choices: Vec<(usize, Vec<EventId>)> = Vec::new();
    // What choices hold beside what is dead.
    let mut open = 0;
    loop {
        limits.check(*states)?;
        let dead_bytes = (4 * x.thread_count() + BYTES_PER_FRONTIER) * dead.len();
        limits.check_memory(9 * x.len() + dead_bytes + 4 * open, *states)?;
        frontier.run(limits)?;
        if frontier.trail.len() == x.len() {
            let events = frontier.trail.iter().map(|&(e, _)| e);
            return Ok(Some(events.filter(|&e| x.label(e).writes()).collect()));
        }
        let openers = frontier.openers();
        let mut ran = false;
        for &opener in &openers {
            if frontier.run_chain(opener, limits)? {
                ran = true;
                break;
            }
        }
        if ran {
            continue;
        }
        *states += 1;
        if !openers.is_empty() && dead.insert(frontier.next.clone().into()) {
            open += openers.capacity() + 8;
            choices.push((frontier.trail.len(), openers));
        }
        loop {
            let Some((executed, openers)) = choices.last_mut() else { return Ok(None) };
            frontier.undo(*executed);
            match openers.pop() {
                Some(opener) => break frontier.execute(opener),
                None => {
                    open -= openers.capacity() + 8;
                    choices.pop()
                }
            };
        }
    }
}

struct Frontier<'a> {
    x: &'a Execution,
    preds: &'a Lists<EventId>,
    /// Whether an RMW reads from each event, initial writes included.
    has_rmw: Vec<bool>,
    /// The next event of each thread.
    next: Vec<u32>,
    /// For each location, the executed write whose RMW is not yet executed.
    locked_by: Vec<u32>,
    /// The executed events, each with what its location was locked by before.
    trail: Vec<(EventId, u32)>,
}

impl<'a> Frontier<'a> {
    fn new(x: &'a Execution, preds: &'a Lists<EventId>) -> Self {
        let mut has_rmw = vec![false; x.len() + x.location_count()];
        for e in x.events().filter(|&e| x.label(e).writes()) {
            if let Some(write) = x.rf(e) {
                has_rmw[write.index()] = true;
            }
        }
        let init = x.locations().map(|loc| x.init_write(loc));
        let locked_by = init.map(|init| if has_rmw[init.index()] { init.0 } else { UNLOCKED }).collect();
        let next = x.threads().map(|t| x.thread_events(t).start).collect();
        Frontier { x, preds, has_rmw, next, locked_by, trail: Vec::new() }
    }

    fn executed(&self, e: EventId) -> bool {
        self.x.thread_of(e).is_none_or(|t| e.0 < self.next[t.index()])
    }

    /// The next event of a thread, if it can be executed now.
    fn executable(&self, thread: ThreadId) -> Option<EventId> {
        let e = EventId(self.next[thread.index()]);
        if e.0 == self.x.thread_events(thread).end {
            return None;
        }
        let source = self.x.rf(e);
        let unlocked = match self.x.loc(e) {
            Some(loc) if self.x.label(e).writes() => {
                self.locked_by[loc.index()] == source.map_or(UNLOCKED, |write| write.0)
            }
            _ => true,
        };
        let ready = unlocked
            && source.is_none_or(|w| self.executed(w))
            && self.preds.of(e.index()).iter().all(|&p| self.executed(p));
        ready.then_some(e)
    }

    fn opens_chain(&self, e: EventId) -> bool {
        self.has_rmw[e.index()] && self.x.rf(e).is_none()
    }

    fn execute(&mut self, e: EventId) {
        let thread = self.x.thread_of(e).expect("initial writes are executed from the start");
        self.next[thread.index()] += 1;
        let mut before = UNLOCKED;
        if let Some(loc) = self.x.loc(e) {
            before = self.locked_by[loc.index()];
            if self.x.label(e).writes() {
                self.locked_by[loc.index()] = if self.has_rmw[e.index()] { e.0 } else { UNLOCKED };
            }
        }
        self.trail.push((e, before));
    }

    fn undo(&mut self, executed: usize) {
        for (e, before) in self.trail.drain(executed..).rev() {
            let thread = self.x.thread_of(e).expect("an event of a thread");
            self.next[thread.index()] -= 1;
            if let Some(loc) = self.x.loc(e) {
                self.locked_by[loc.index()] = before;
            }
        }
    }

    /// Executes what may be executed without a choice.
    fn run(&mut self, limits: &Limits<'_>) -> Result<(), Limit> {
        loop {
            limits.check(0)?;
            let before = self.trail.len();
            for thread in self.x.threads() {
                while let Some(e) = self.executable(thread).filter(|&e| !self.opens_chain(e)) {
                    self.execute(e);
                }
            }
            if self.trail.len() == before {
                return Ok(());
            }
        }
    }

    /// The writes that can be executed now and would lock their location.
    fn openers(&self) -> Vec<EventId> {
        self.x.threads().filter_map(|thread| self.executable(thread)).collect()
    }

    /// Executes a write and all of its chain if that takes no choice; else does nothing and says no.
    fn run_chain(&mut self, opener: EventId, limits: &Limits<'_>) -> Result<bool, Limit> {
        let executed = self.trail.len();
        let loc = self.x.loc(opener).expect("a write");
        self.execute(opener);
        self.run(limits)?;
        let finished = self.locked_by[loc.index()] == UNLOCKED;
        if !finished {
            self.undo(executed);
        }
        Ok(finished)
    }
}

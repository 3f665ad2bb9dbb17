//! The order that events have under every mo, as far as sources are known: enough to strike sources out.
//!
//! For sc, wsc, C11 and the causal models that is (po ∪ rf)⁺, for tso and pso (ppo ∪ rfe)⁺ as far as the kinds of events and
//! seq_cst fences keep program order. For the others with rules it is program order within a location, and for models known by their texts
//! alone nothing: they need not even be coherent.

use crate::memory::order::past::replay::{Halt, replay};
use crate::reach::clocks::join;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Observation, Order, ThreadId};
use tribunal_history::model::{Keep, Model};
use tribunal_history::verdict::Limit;

/// The rules by which a model strikes sources out.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// The po pairs that count: R→R, R→W, W→R, W→W; none where only the thread itself is looked at.
    kept: Option<[bool; 4]>,
    /// Whether rf within a thread counts.
    internal: bool,
    /// Whether the order also says what is overwritten; if not, program order alone does.
    overwrites: bool,
    /// Whether no two RMWs read from one write.
    pub(super) exclusive: bool,
    /// Whether program order within a location eliminates.
    coherent: bool,
}

impl Rules {
    pub(super) fn of(model: Model) -> Self {
        const ALL: Option<[bool; 4]> = Some([true; 4]);
        let (kept, overwrites, exclusive, coherent) = match model {
            Model::Sc | Model::Wsc | Model::Ra | Model::Sra | Model::Wra => (ALL, true, true, true),
            Model::Cc | Model::Ccv | Model::Cm | Model::Ccm => (ALL, true, false, true),
            Model::Rc20 | Model::Rc11 | Model::Relaxed => (ALL, false, true, true),
            Model::Tso | Model::Pso => {
                let preserved = model.preserved().expect("a multiprocessor model");
                let kept = [preserved.rr, preserved.rw, preserved.wr, preserved.ww];
                (Some(kept.map(|keep| keep == Keep::Always)), true, true, true)
            }
            Model::Rmo | Model::Wmo | Model::Custom(_) | Model::Coherence => (None, false, true, true),
            Model::Pram | Model::Wccm => (None, false, false, true),
            // Nothing is known of any other.
            _ => (None, false, false, false),
        };
        Rules { kept, internal: kept == ALL, overwrites, exclusive, coherent }
    }
}

/// The past of each event. A row has two numbers a thread: its reads, and its writes, with a smaller index come before.
pub(super) struct Before<'a> {
    x: &'a Execution,
    rules: Rules,
    threads: usize,
    /// 2·k numbers an event; empty where no order is kept, or where po ∪ rf is cyclic.
    rows: Vec<u32>,
    /// By event: its place in a replay of po and rf; empty as the rows are.
    positions: Vec<u32>,
    /// By location: its writes in the order of their ids, initial writes excepted.
    writes: Vec<Vec<EventId>>,
}

const READS: usize = 0;
const WRITES: usize = 1;

impl<'a> Before<'a> {
    /// O(n·k) time and memory.
    pub(super) fn new(x: &'a Execution, rules: Rules, limits: &Limits<'_>) -> Result<Self, Limit> {
        let mut writes = vec![Vec::new(); x.location_count()];
        for event in x.events().filter(|&event| x.label(event).writes()) {
            if let Some(loc) = x.loc(event) {
                writes[loc.index()].push(event);
            }
        }
        let mut before =
            Before { x, rules, threads: x.thread_count(), rows: Vec::new(), positions: Vec::new(), writes };
        let bytes = x.len().saturating_mul(8 * x.thread_count() + 4);
        if let (Some(kept), Ok(())) = (rules.kept, limits.check_memory(bytes, 0)) {
            before.rows = vec![0; 2 * before.threads * x.len()];
            before.positions = vec![0; x.len()];
            if !before.fill(kept, limits)? {
                (before.rows, before.positions) = (Vec::new(), Vec::new());
            }
        }
        Ok(before)
    }

    /// Fills the rows; whether po ∪ rf is acyclic.
    fn fill(&mut self, kept: [bool; 4], limits: &Limits<'_>) -> Result<bool, Limit> {
        let (x, width) = (self.x, 2 * self.threads);
        let [rr, rw, wr, ww] = kept;
        // What comes before the next read, and before the next write, of each thread.
        let mut next = [vec![0u32; self.threads * width], vec![0u32; self.threads * width]];
        let mut row = vec![0u32; width];
        let (rows, positions, mut position) = (&mut self.rows, &mut self.positions, 0);
        let internal = self.rules.internal;
        let replayed = replay(
            x,
            |_| &[],
            limits,
            |step| {
                let event = step.event;
                position += 1;
                positions[event.index()] = position;
                let label = x.label(event);
                let slot = x.slot(event).expect("an event of a thread");
                let (thread, index) = (slot.thread.index(), slot.index);
                let carried = thread * width..(thread + 1) * width;
                if label.is_fence() {
                    if label.order() == Order::SeqCst {
                        row.copy_from_slice(&next[READS][carried.clone()]);
                        join(&mut row, &next[WRITES][carried.clone()]);
                        row[2 * thread + READS] = index;
                        row[2 * thread + WRITES] = index;
                        next.iter_mut().for_each(|next| join(&mut next[carried.clone()], &row));
                    }
                    return Ok(());
                }
                row.fill(0);
                if label.reads() {
                    join(&mut row, &next[READS][carried.clone()]);
                }
                if label.writes() {
                    join(&mut row, &next[WRITES][carried.clone()]);
                }
                if let Some((source, of)) = step.source.filter(|&(_, of)| internal || of != slot.thread) {
                    join(&mut row, &rows[source.index() * width..(source.index() + 1) * width]);
                    add(&mut row, of, source.0 - x.thread_events(of).start, x.label(source).kind(), rr, ww);
                }
                rows[event.index() * width..(event.index() + 1) * width].copy_from_slice(&row);
                add(&mut row, slot.thread, index, label.kind(), rr, ww);
                for (then, keeps) in [
                    (READS, label.reads() && rr || label.writes() && wr),
                    (WRITES, label.reads() && rw || label.writes() && ww),
                ] {
                    if keeps {
                        join(&mut next[then][carried.clone()], &row);
                    }
                }
                Ok(())
            },
        );
        match replayed {
            Ok(()) => Ok(true),
            Err(Halt::Deadlock(_)) => Ok(false),
            Err(Halt::Limit(limit)) => Err(limit),
        }
    }

    fn row(&self, event: EventId) -> Option<&[u32]> {
        let width = 2 * self.threads;
        self.rows.get(event.index() * width..(event.index() + 1) * width).filter(|_| width > 0)
    }

    /// The last write to a location of a thread with a smaller index.
    fn last_write(&self, loc: LocId, thread: ThreadId, index: u32) -> Option<EventId> {
        let range = self.x.thread_events(thread);
        let end = range.start + index;
        let writes = &self.writes[loc.index()];
        let at = writes.partition_point(|&write| write.0 < end);
        writes[..at].last().copied().filter(|write| write.0 >= range.start)
    }

    /// The bounds of the writes that are overwritten before a read.
    fn bounds(&self, read: EventId) -> Bounds {
        let x = self.x;
        let (slot, loc) = (x.slot(read).expect("a read"), x.loc(read).expect("a read"));
        let mut bounds = Bounds { first: vec![0; self.threads], initial: true };
        let mut overwrite = |by: EventId| {
            bounds.initial = false;
            let at = x.slot(by).expect("a write of a thread");
            let first = &mut bounds.first[at.thread.index()];
            *first = (*first).max(at.index);
            if let Some(row) = self.row(by).filter(|_| self.rules.overwrites) {
                for (first, row) in bounds.first.iter_mut().zip(row.chunks_exact(2)) {
                    *first = (*first).max(row[WRITES]);
                }
            }
        };
        if let Some(own) = self.last_write(loc, slot.thread, slot.index) {
            overwrite(own);
        }
        if let Some(row) = self.row(read).filter(|_| self.rules.overwrites) {
            for thread in x.threads() {
                if let Some(by) = self.last_write(loc, thread, row[2 * thread.index() + WRITES]) {
                    overwrite(by);
                }
            }
        }
        bounds
    }

    /// Where among its writers the sources of an open read are that are not eliminated: a stretch for each thread that has some, and
    /// the initial write. O(k²·log n).
    pub(super) fn sources(&self, read: EventId, stretches: &mut Vec<Range<usize>>) {
        let (x, writers) = (self.x, self.x.writers(Observation::Read(read)));
        if !self.rules.coherent {
            stretches.clear();
            let own = writers.binary_search(&read).unwrap_or(writers.len());
            stretches.extend(
                [0..own, (own + 1).min(writers.len())..writers.len()].into_iter().filter(|s| !s.is_empty()),
            );
            return;
        }
        let Bounds { first, initial } = self.bounds(read);
        let at = x.slot(read).expect("a read");
        stretches.clear();
        for thread in x.threads() {
            let events = x.thread_events(thread);
            let from = writers.partition_point(|&write| write.0 < events.start + first[thread.index()]);
            let own = thread == at.thread;
            // What comes before a write comes before the later writes of its thread.
            let follows = |write: EventId| {
                let row = self.row(write).filter(|_| !own);
                row.is_some_and(|row| row[2 * at.thread.index() + READS] > at.index)
            };
            let end = if own { events.start + at.index } else { events.end };
            let more = writers[from..].partition_point(|&write| write.0 < end && !follows(write));
            if more > 0 {
                stretches.push(from..from + more);
            }
        }
        if initial && writers.last().is_some_and(|&last| x.is_init(last)) {
            stretches.push(writers.len() - 1..writers.len());
        }
    }

    /// When the replay that made the order came to an event.
    pub(super) fn position(&self, event: EventId) -> u32 {
        self.positions.get(event.index()).copied().unwrap_or(0)
    }
}

/// The bounds that the order sets to the sources of a read.
struct Bounds {
    /// By thread: the index of the first write that is not overwritten.
    first: Vec<u32>,
    /// Whether the initial write is not.
    initial: bool,
}

/// Adds an event to a row. A line in which program order is not kept has no prefixes to mention.
#[inline]
fn add(row: &mut [u32], thread: ThreadId, index: u32, kind: Kind, reads: bool, writes: bool) {
    let at = 2 * thread.index();
    if reads && matches!(kind, Kind::Read | Kind::Rmw) {
        row[at + READS] = row[at + READS].max(index + 1);
    }
    if writes && matches!(kind, Kind::Write | Kind::Rmw) {
        row[at + WRITES] = row[at + WRITES].max(index + 1);
    }
}

//! Building an execution of the events collected: every read finds its write.

use super::builder::{ExecutionBuilder, Pushed};
use super::execution::{NO_SOURCE, ThreadTable};
use super::open::OPEN;
use super::times::Times;
use super::write_index::{AMBIGUOUS, WriteIndex};
use super::{
    BadSource, EventId, Execution, Features, Interval, Kind, Label, LocId, MalformedHistory, Order, Slot,
    Source,
};

impl ExecutionBuilder {
    /// The execution; see [`build`](Self::build).
    pub(super) fn resolve(&mut self) -> Result<Execution, MalformedHistory> {
        let locations = self.locs.len();
        // The two largest ids mark "no source" and "more than one write", or an open read.
        if self.len() + locations >= AMBIGUOUS as usize {
            return Err(MalformedHistory::TooLarge { events: self.len(), locations });
        }
        let mut execution = self.join();
        execution.count_features()?;
        self.index.fill(&execution);
        execution.resolve_reads(&self.pushed, &self.index)?;
        execution.resolve_deps(&self.pushed.deps)?;
        let open_finals = execution.resolve_finals(&self.finals, &self.index);
        if !self.is_small() {
            self.index = WriteIndex::default();
        }
        let rmw_reads = self.pushed.rmw_reads.iter().map(|&(_, read)| read);
        execution.resolve_open(rmw_reads, &open_finals);
        execution.resolve_times(&self.times)?;
        execution.features = Features {
            finals: !self.finals.is_empty(),
            deps: !execution.deps.is_empty(),
            times: execution.times.is_some(),
            ..execution.features
        };
        Ok(execution)
    }

    /// Puts the events in the order of their ids. What few of them have stays with those pushed, in that order, too.
    fn join(&mut self) -> Execution {
        for unnamed in self.threads.len()..self.lengths.len() {
            self.thread(&format!("T{unnamed}"));
        }
        let keep = self.is_small();
        let thread_starts = self.thread_starts();
        let pushed = &mut self.pushed;
        let (labels, locs, values) = pushed.columns(&thread_starts);
        if pushed.interleaved {
            pushed.rmw_reads.sort_unstable_by_key(|&(at, _)| at);
            pushed.sources.sort_unstable_by_key(|&(at, _)| at);
            // The first that is wrong is to be the first that was given of its thread.
            pushed.deps.sort_by_key(|&(at, _)| at.thread);
        }
        if !keep {
            pushed.rows = Vec::new();
        }
        Execution {
            name: self.name.take(),
            thread_names: self.threads.take(keep),
            thread_table: ThreadTable::new(&thread_starts),
            thread_starts,
            loc_names: self.locs.take(keep),
            init: taken(&mut self.init, keep),
            labels,
            locs,
            values,
            sources: Vec::new(),
            deps: Vec::new(),
            finals: Vec::new(),
            times: None,
            open: None,
            features: Features::default(),
        }
    }
}

impl Pushed {
    /// The columns in the order of ids, given where threads begin.
    fn columns(&self, thread_starts: &[u32]) -> (Vec<Label>, Vec<LocId>, Vec<u64>) {
        let rows = &self.rows;
        let mut labels: Vec<_> = rows.iter().map(|row| row.label).collect();
        let mut locs: Vec<_> = rows.iter().map(|row| row.loc).collect();
        let mut values: Vec<_> = rows.iter().map(|row| row.value).collect();
        if self.interleaved {
            let mut next = thread_starts.to_vec();
            for row in rows {
                let place = &mut next[row.thread.index()];
                let event = *place as usize;
                *place += 1;
                (labels[event], locs[event], values[event]) = (row.label, row.loc, row.value);
            }
        }
        (labels, locs, values)
    }
}

/// A column for good; `keep` says whether its room is kept for another.
fn taken<T: Clone>(column: &mut Vec<T>, keep: bool) -> Vec<T> {
    if keep {
        return column.clone();
    }
    let mut column = std::mem::take(column);
    column.shrink_to_fit();
    column
}

const KINDS: [Kind; 4] = [Kind::Read, Kind::Write, Kind::Rmw, Kind::Fence];

/// Labels that no event can have.
const MEANINGLESS: [Label; 3] = [
    Label::new(Kind::Rmw, Order::NonAtomic),
    Label::new(Kind::Fence, Order::NonAtomic),
    Label::new(Kind::Fence, Order::Relaxed),
];

impl Execution {
    /// Counts the kinds of events, and sees to it that every fence and every RMW has an order it can have.
    fn count_features(&mut self) -> Result<(), MalformedHistory> {
        let mut kinds = [0; 4];
        let mut seen = 0;
        for label in &self.labels {
            kinds[label.kind() as usize] += 1;
            seen |= label.bit();
        }
        if MEANINGLESS.iter().any(|label| seen & label.bit() != 0) {
            return Err(self.meaningless_order());
        }
        let uses = |order| KINDS.iter().any(|&kind| seen & Label::new(kind, order).bit() != 0);
        let [reads, writes, rmws, fences] = kinds;
        let (seq_cst, non_atomic) = (uses(Order::SeqCst), uses(Order::NonAtomic));
        self.features = Features { reads, writes, rmws, fences, seq_cst, non_atomic, ..Features::default() };
        Ok(())
    }

    #[cold]
    fn meaningless_order(&self) -> MalformedHistory {
        let event = self.events().find(|&event| MEANINGLESS.contains(&self.label(event)));
        let event = event.expect("there is one");
        let at = self.slot(event).expect("initial writes are relaxed");
        let thread = self.thread_name(at.thread).into();
        match self.label(event).kind() {
            Kind::Rmw => MalformedHistory::NonAtomicRmw { at, thread },
            _ => MalformedHistory::FenceWithoutOrder { at, thread },
        }
    }

    fn resolve_reads(&mut self, pushed: &Pushed, index: &WriteIndex) -> Result<(), MalformedHistory> {
        let mut rmw_reads = pushed.rmw_reads.iter();
        let events = self.labels.iter().zip(&self.locs).zip(&self.values);
        self.sources = events
            .map(|((label, &loc), &value)| {
                let value = match label.kind() {
                    Kind::Read => value,
                    Kind::Rmw => rmw_reads.next().map_or(0, |&(_, read)| read),
                    Kind::Write | Kind::Fence => return NO_SOURCE,
                };
                index.writer(loc, value).unwrap_or(OPEN)
            })
            .collect();
        for &(at, source) in &pushed.sources {
            let event = self.event(at);
            let value = match self.label(event).kind() {
                Kind::Read => self.value(event),
                Kind::Rmw => {
                    let place = pushed.rmw_reads.binary_search_by_key(&at, |&(at, _)| at);
                    place.map_or(0, |place| pushed.rmw_reads[place].1)
                }
                Kind::Write | Kind::Fence => continue,
            };
            let loc = self.locs[event.index()];
            self.sources[event.index()] = self.explicit_source(at, source, loc, value)?.0;
        }
        Ok(())
    }

    fn explicit_source(
        &self,
        at: Slot,
        source: Source,
        loc: LocId,
        value: u64,
    ) -> Result<EventId, MalformedHistory> {
        let (write, source_name) = match source {
            Source::At(slot) => {
                let thread = if slot.thread.index() < self.thread_count() {
                    self.thread_name(slot.thread).to_string()
                } else {
                    format!("number {}", slot.thread.0)
                };
                (self.event_at(slot.thread, slot.index), format!("event {} of thread {thread}", slot.index))
            }
            Source::Init | Source::ByValue => (Some(self.init_write(loc)), "the initial write".to_string()),
        };
        let problem = match write {
            None => BadSource::Missing,
            Some(w) if !self.label(w).writes() => BadSource::NotAWrite,
            Some(w) if self.loc(w) != Some(loc) => BadSource::OtherLocation,
            Some(w) if self.value(w) != value => BadSource::OtherValue,
            Some(w) => return Ok(w),
        };
        let thread = self.thread_name(at.thread).into();
        Err(MalformedHistory::BadSource { at, thread, source_name, problem })
    }

    fn resolve_deps(&mut self, deps: &[(Slot, u32)]) -> Result<(), MalformedHistory> {
        for &(at, dependency) in deps {
            match self.event_at(at.thread, dependency) {
                Some(on) if dependency < at.index && self.label(on).reads() => {
                    self.deps.push((self.event(at), on));
                }
                _ => {
                    let thread = self.thread_name(at.thread).into();
                    return Err(MalformedHistory::BadDependency { at, thread, dependency });
                }
            }
        }
        self.deps.sort_unstable();
        self.deps.dedup();
        self.deps.shrink_to_fit();
        Ok(())
    }

    /// The final values that no write wrote, or more than one.
    fn resolve_finals(&mut self, finals: &[(LocId, u64)], index: &WriteIndex) -> Vec<(LocId, u64)> {
        let mut open = Vec::new();
        for &(loc, value) in finals {
            match index.writer(loc, value) {
                None => open.push((loc, value)),
                Some(writer) => self.finals.push((loc, EventId(writer))),
            }
        }
        self.finals.sort_unstable();
        self.finals.dedup();
        open
    }

    fn resolve_times(&mut self, given: &[(Slot, Interval)]) -> Result<(), MalformedHistory> {
        if given.is_empty() {
            return Ok(());
        }
        let mut times = Times::new(self.len());
        for &(at, interval) in given {
            if let Interval { begin: Some(begin), end: Some(end) } = interval
                && end < begin
            {
                let thread = self.thread_name(at.thread).into();
                return Err(MalformedHistory::EndsBeforeItBegins { at, thread, begin, end });
            }
            times.set(self.event(at), interval);
        }
        self.times = Some(times);
        Ok(())
    }
}

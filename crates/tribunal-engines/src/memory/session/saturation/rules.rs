//! The consequences of an event: the edges of the model and of the rules, and what goes along them.

use super::super::log::NONE;
use super::{Change, Entry, Event, Line, NOTHING, Rules, SessionSaturation, State};
use tribunal_history::memory::{LocId, ThreadId};

impl SessionSaturation {
    /// The edges of program order that the model keeps.
    pub(super) fn keep_order(&mut self, thread: ThreadId, event: u32) {
        let state = self.threads[thread.index()];
        self.trail.push(Change::State { thread, state });
        let Event { reads, writes, .. } = self.events[event as usize];
        let State { count, mut read, mut write, barrier } = state;
        match self.rules {
            Rules::Sc | Rules::Sra => {
                self.add_edge(read, event);
                read = event;
            }
            Rules::Tso => {
                self.add_edge(read, event);
                if writes {
                    if write != read {
                        self.add_edge(write, event);
                    }
                    write = event;
                }
                if reads {
                    read = event;
                }
            }
            Rules::Pso => {
                self.add_edge(read, event);
                if writes {
                    self.add_edge(barrier, event);
                }
                if reads {
                    read = event;
                }
                if writes && !reads {
                    self.events[event as usize].earlier = write;
                    write = event;
                }
            }
        }
        let count = count.checked_add(1).expect("the events of a thread are counted with 32 bits");
        self.threads[thread.index()] = State { count, read, write, barrier };
    }

    /// What the thread's last access of the location left is before what this one leaves, or the same.
    pub(super) fn local_view(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        source: Option<u32>,
        event: u32,
        writes: bool,
    ) -> Result<(), ()> {
        let location = &mut self.locations[loc.index()];
        let leaves = match source {
            Some(source) if !writes => source,
            _ => event,
        };
        let leaves = if leaves == location.init { NOTHING } else { leaves };
        let left = std::mem::replace(&mut location.left[thread.index()], leaves);
        self.trail.push(Change::Left { loc, thread, event: left });
        if left != NOTHING && left != leaves && self.rules != Rules::Sra {
            if leaves == NOTHING {
                return Err(());
            }
            self.add_edge(left, leaves);
        }
        Ok(())
    }

    /// An event reads from a write.
    pub(super) fn read_from(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        source: u32,
        event: u32,
    ) -> Result<(), ()> {
        let Event { thread: writer, readers, .. } = self.events[source as usize];
        let reader = &mut self.readers.row_mut(readers)[thread.index()];
        self.trail.push(Change::Reader { row: readers, thread: thread.0, event: *reader });
        *reader = event;
        if writer != NONE && (writer != thread.0 || matches!(self.rules, Rules::Sc | Rules::Sra)) {
            self.add_edge(source, event);
        }
        if self.rules == Rules::Sra {
            self.happens_before(thread, loc, source, event)?;
            if !self.events[event as usize].writes {
                return Ok(());
            }
        }
        // What reads from a write comes before the first of each line that comes after it.
        self.before_all_behind(loc, source, event);
        Ok(())
    }

    /// Puts a new event before the first write of each line that is known to be behind a write.
    pub(super) fn before_all_behind(&mut self, loc: LocId, write: u32, event: u32) {
        let Event { thread, line, index, .. } = self.events[write as usize];
        for at in 0..self.locations[loc.index()].lines.len() {
            let own = &self.locations[loc.index()].lines[at];
            let older = match own.writes.split_last() {
                Some((last, older)) if last.event == event => older,
                _ => &own.writes[..],
            };
            let first = if thread == NONE {
                0
            } else if own.line == line {
                older.partition_point(|entry| entry.index <= index)
            } else {
                let is_behind = |entry: &Entry| self.clocks.row(entry.event)[line as usize] > index;
                match older.last() {
                    Some(last) if is_behind(last) => older.partition_point(|entry| !is_behind(entry)),
                    _ => continue,
                }
            };
            if let Some(&Entry { event: behind, .. }) = older.get(first) {
                self.add_edge(event, behind);
            }
        }
    }

    /// sra: the writes that happen before a read are before its source.
    fn happens_before(&mut self, thread: ThreadId, loc: LocId, source: u32, event: u32) -> Result<(), ()> {
        let Event { thread: writer, place, .. } = self.events[source as usize];
        for at in 0..self.locations[loc.index()].lines.len() {
            let Line { line, writes } = &self.locations[loc.index()].lines[at];
            let of = ThreadId(*line);
            let known = if of == thread {
                self.events[event as usize].index
            } else {
                let mut known = self.knowledge.now(thread)[of.index()];
                if writer != NONE && writer != thread.0 {
                    let release = self.releases[place as usize];
                    known = known.max(self.knowledge.released(release, ThreadId(writer), of));
                }
                known
            };
            let count = writes.partition_point(|entry| entry.index < known);
            if count > 0 && writes[count - 1].event != source {
                if writer == NONE {
                    return Err(());
                }
                let before = writes[count - 1].event;
                self.add_edge(before, source);
            }
        }
        Ok(())
    }

    /// What reads the initial write comes before the first write of each line.
    pub(super) fn overwrite_initial(&mut self, loc: LocId, at: usize, event: u32) {
        let location = &self.locations[loc.index()];
        if location.lines[at].writes.len() > 1 || location.init == NOTHING {
            return;
        }
        let row = self.events[location.init as usize].readers;
        self.readers_before(row, event);
    }

    /// Those that read from a write come before another.
    fn readers_before(&mut self, row: u32, write: u32) {
        for thread in 0..self.threads.len() {
            let reader = self.readers.row(row)[thread];
            if reader != NOTHING
                && reader != write
                && (self.rules != Rules::Sra || self.events[reader as usize].writes)
            {
                self.add_edge(reader, write);
            }
        }
    }

    #[inline(always)]
    pub(super) fn add_edge(&mut self, from: u32, to: u32) {
        if from != NOTHING {
            self.queue.push((from, to, true));
        }
    }

    /// Follows all edges until there is no news, or a write comes before itself.
    pub(super) fn follow(&mut self) -> Result<(), ()> {
        while let Some((from, to, new)) = self.queue.pop() {
            if new {
                let Event { line, index, .. } = self.events[from as usize];
                if line != NONE && self.clocks.row(to)[line as usize] > index {
                    // There is a path.
                    continue;
                }
                let edge = &mut self.events[from as usize].edge;
                self.trail.push(Change::Edge { event: from, edge: *edge });
                self.edges.push((to, *edge));
                *edge = self.edges.len() as u32 - 1;
            }
            self.learn(from, to)?;
        }
        Ok(())
    }

    /// What comes before an event comes before the end of its edge.
    fn learn(&mut self, from: u32, to: u32) -> Result<(), ()> {
        let Event { line: own, index: own_index, .. } = self.events[from as usize];
        let mut news = false;
        for line in 0..self.line_threads.len() {
            let mut known = self.clocks.row(from)[line];
            if line as u32 == own {
                known = known.max(own_index + 1);
            }
            let before = self.clocks.row(to)[line];
            if known > before {
                self.trail.push(Change::Clock { event: to, line: line as u32, entry: before });
                self.clocks.row_mut(to)[line] = known;
                news = true;
                self.apply_rules(to, line, before, known)?;
            }
        }
        let Event { line, index, edge, .. } = self.events[to as usize];
        if news {
            if line != NONE && self.clocks.row(to)[line as usize] > index {
                return Err(());
            }
            let mut next = edge;
            while next != NONE {
                let (end, earlier) = self.edges[next as usize];
                self.queue.push((to, end, false));
                next = earlier;
            }
        }
        Ok(())
    }

    /// More of a line comes before an event.
    fn apply_rules(&mut self, event: u32, line: usize, before: u32, known: u32) -> Result<(), ()> {
        let Event { loc, reads, writes, source, .. } = self.events[event as usize];
        if !(reads || writes) {
            return Ok(());
        }
        let location = &self.locations[loc.index()];
        let at = location.line_of.get(self.line_threads[line] as usize).copied().unwrap_or(NONE);
        let Some(own) = location.lines.get(at as usize).filter(|own| own.line == line as u32) else {
            return Ok(());
        };
        let last = match own.writes.last() {
            Some(last) if last.index < known => last,
            _ => match own.writes.partition_point(|entry| entry.index < known) {
                0 => return Ok(()),
                count => &own.writes[count - 1],
            },
        };
        let Entry { index, event: last } = *last;
        if index < before || last == event {
            return Ok(());
        }
        // What it reads from may be retired; then nothing more is asked of it.
        if reads && source != NOTHING && last != source && (writes || self.rules != Rules::Sra) {
            if source == location.init {
                return Err(());
            }
            self.add_edge(last, source);
        }
        if writes {
            self.readers_before(self.events[last as usize].readers, event);
        }
        Ok(())
    }
}

//! Choosing where a new write goes in mo, for those who enumerate it.

use super::super::log::{Log, NONE};
use super::super::{Because, WriteId};
use super::{Change, Coherence};
use tribunal_history::memory::{LocId, Order, ThreadId};

impl Coherence {
    /// Collects the writes directly after which a new write of the thread may go.
    pub(in super::super) fn positions(
        &mut self,
        log: &Log,
        thread: ThreadId,
        loc: LocId,
        found: &mut Vec<WriteId>,
    ) {
        if !self.mo {
            return;
        }
        self.look_at(thread, loc);
        let Coherence { locations, links, look, .. } = self;
        let location = &locations[loc.index()];
        look.close(location, log, links);
        let mut consider = |write: u32| {
            let link = &links[write as usize];
            if link.next == NONE && !look.has_before(link.top, location, log, links) {
                found.push(log.id(write));
            }
        };
        let initial = log.initial(loc).place;
        if initial != NONE {
            consider(initial);
        }
        for line in &location.lines {
            for access in &line.accesses {
                if log.at(access.left).thread == line.thread.0 {
                    consider(access.left);
                }
            }
        }
    }

    /// The thread writes the location, and mo has the write directly after `after`: behind it and all that the thread has seen,
    /// before all that is known to be behind `after`.
    pub(in super::super) fn write_after(
        &mut self,
        log: &mut Log,
        (thread, loc, order): (ThreadId, LocId, Order),
        after: u32,
    ) -> Result<WriteId, Because> {
        if let Some(by) = self.reader(after) {
            return Err(Because::Shared { by: log.id(by) });
        }
        self.look_at(thread, loc);
        {
            let Coherence { locations, links, look, .. } = self;
            let (location, top) = (&locations[loc.index()], links[after as usize].top);
            look.close(location, log, links);
            if look.has_before(top, location, log, links) {
                let by = look.overwriting(top, location, log, links);
                return Err(by.map_or(Because::Cyclic, |by| Because::Overwritten { by: log.id(by) }));
            }
        }
        // The first of each line that is behind, before the new write is.
        self.find_behind(log, loc, after);
        let write = self.write(log, thread, loc, order);
        let Coherence { locations, links, edges, behind, trail, .. } = self;
        let location = &mut locations[loc.index()];
        let mut record = |change: Change| trail.note(change);
        let Some(own) = location.place(log, links, write.place) else { return Ok(write) };
        if let Some((line, ordinal)) = location.place(log, links, after) {
            let top = links[after as usize].top;
            links[top as usize].followed = true;
            edges.clear();
            edges.resize(location.width(), 0);
            edges[line] = ordinal + 1;
            location.raise((loc, own.0, own.1), edges, &mut record);
        }
        links[write.place as usize].followed |= !behind.is_empty();
        for &top in &*behind {
            if let Some((line, ordinal)) = location.place(log, links, top) {
                edges.clear();
                edges.resize(location.width(), 0);
                edges[own.0] = own.1 + 1;
                location.raise((loc, line, ordinal), edges, &mut record);
            }
        }
        Ok(write)
    }

    /// For each line, the top of the first chain that is known to be behind a write's chain.
    fn find_behind(&mut self, log: &Log, loc: LocId, write: u32) {
        let Coherence { locations, links, look, behind, .. } = self;
        let (location, top) = (&locations[loc.index()], links[write as usize].top);
        look.forget();
        behind.clear();
        for line in &location.lines {
            let first = line.accesses.iter().find(|access| {
                let chain = links[access.left as usize].top;
                look.seen.clear();
                look.seen.push(access.left);
                look.close_from(&[access.left], location, log, links);
                chain != top && look.has_before(top, location, log, links)
            });
            behind.extend(first.map(|access| links[access.left as usize].top));
        }
    }
}

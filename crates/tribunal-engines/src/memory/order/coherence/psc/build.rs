//! Building the graph of psc.

use super::{Beside, Copies, NONE, Psc, Role, Scene};
use crate::limits::Meter;
use crate::memory::order::coherence::chains::left_by;
use crate::memory::order::past::clocks::Clocks;
use crate::memory::order::views::known_writes::Entry;
use crate::reach::graph::Node;
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, Label, LocId, Order, ThreadId};
use tribunal_history::verdict::Limit;

/// A graph under construction.
struct Builder<'a> {
    scene: Scene<'a>,
    meter: &'a Meter<'a>,
    copies: Copies,
    /// Whether there are seq_cst fences.
    fences: bool,
    labels: Vec<Label>,
    locs: Vec<LocId>,
    roles: Vec<Role>,
    origins: Vec<EventId>,
    thread_starts: Vec<u32>,
    beside: Vec<Beside>,
    /// By event: its node on the line, as a write, as the other copy, and as an access seen after a fence.
    line: Vec<u32>,
    write: Vec<u32>,
    copy: Vec<u32>,
    seen: Vec<u32>,
    /// By event: the node beside of what its thread knows of fences, to be joined to it.
    after: Vec<u32>,
    edges: Vec<(Node, Node)>,
    entries: Vec<Entry>,
    observed: bool,
    /// By event: the last seq_cst event, and the last seq_cst fence, of its thread up to it.
    last_sc: Vec<u32>,
    last_fence: Vec<u32>,
    /// By location: when it was last looked at, in whatever is counted.
    looked_at: Vec<u32>,
    count: u32,
    /// The entries of a thread's own line at a fence, latest first.
    own: Vec<Entry>,
}

/// A node that is not an event has this bit until the number of events is known.
const BESIDE: u32 = 1 << 31;

impl Psc {
    /// O(n·k) time.
    pub(crate) fn new(scene: Scene<'_>, copies: Copies, limits: &Limits<'_>) -> Result<Self, Limit> {
        let x = scene.x;
        let meter = &Meter::new(limits);
        let fences = x.labels().iter().any(|label| label.is_fence() && label.order() == Order::SeqCst);
        let copies = if fences { copies } else { Copies::One };
        let n = x.len();
        let columns = 4 + usize::from(copies == Copies::Two) + 2 * usize::from(fences);
        meter.take(4 * (columns * n + 4 * x.thread_count() + x.location_count()))?;
        let column = |used: bool| vec![NONE; if used { n } else { 0 }];
        let mut builder = Builder {
            scene,
            meter,
            copies,
            fences,
            labels: Vec::new(),
            locs: Vec::new(),
            roles: Vec::new(),
            origins: Vec::new(),
            thread_starts: vec![0],
            beside: Vec::new(),
            line: column(true),
            write: column(true),
            copy: column(copies == Copies::Two),
            seen: column(fences),
            after: column(fences),
            edges: Vec::new(),
            entries: Vec::new(),
            observed: false,
            last_sc: column(true),
            last_fence: column(true),
            looked_at: vec![0; x.location_count()],
            count: 0,
            own: Vec::new(),
        };
        // About what most histories come to, so that little moves.
        meter.room(&mut builder.labels, n)?;
        meter.room(&mut builder.locs, n)?;
        meter.room(&mut builder.roles, n)?;
        meter.room(&mut builder.origins, n)?;
        meter.room(&mut builder.edges, 5 * n)?;
        builder.index();
        for thread in x.threads() {
            builder.events(thread)?;
            limits.check(0)?;
        }
        for thread in x.threads() {
            builder.ordered(thread)?;
            builder.tell_writes(thread)?;
            limits.check(0)?;
        }
        builder.modification_order()?;
        builder.finish()
    }
}

impl Builder<'_> {
    /// Finds the last seq_cst event and fence up to each event.
    fn index(&mut self) {
        let x = self.scene.x;
        for thread in x.threads() {
            let (mut sc, mut fence) = (NONE, NONE);
            for e in x.thread_events(thread) {
                let label = x.labels()[e as usize];
                if label.order() == Order::SeqCst {
                    sc = e;
                    if label.is_fence() {
                        fence = e;
                    }
                }
                self.last_sc[e as usize] = sc;
                self.last_fence[e as usize] = fence;
            }
        }
    }

    /// The last of a thread's first `count` events for which a column has an entry.
    fn last(column: &[u32], x: &Execution, thread: ThreadId, count: u32) -> u32 {
        match count {
            0 => NONE,
            count => column[(x.thread_events(thread).start + count - 1) as usize],
        }
    }

    /// Makes room for what an event may add: its own nodes, and edges from each thread.
    #[inline]
    fn room(&mut self) -> Result<(), Limit> {
        const NODES: usize = 4;
        let edges = self.scene.x.thread_count() + NODES;
        self.meter.room(&mut self.labels, NODES)?;
        self.meter.room(&mut self.locs, NODES)?;
        self.meter.room(&mut self.roles, NODES)?;
        self.meter.room(&mut self.origins, NODES)?;
        self.meter.room(&mut self.beside, NODES)?;
        self.meter.room(&mut self.edges, edges)
    }

    fn add_event(&mut self, kind: Kind, order: Order, loc: LocId, role: Role, origin: EventId) -> u32 {
        self.labels.push(Label::new(kind, order));
        self.locs.push(loc);
        self.roles.push(role);
        self.origins.push(origin);
        self.labels.len() as u32 - 1
    }

    fn add_beside(&mut self, beside: Beside) -> u32 {
        self.beside.push(beside);
        BESIDE | (self.beside.len() as u32 - 1)
    }

    fn add_edge(&mut self, from: u32, to: u32) {
        self.edges.push((Node(from), Node(to)));
    }

    /// The copy of a location that what fences come before is in.
    fn copied(&self, loc: LocId) -> LocId {
        match self.copies {
            Copies::One => loc,
            Copies::Two => LocId(loc.0 + self.scene.x.location_count() as u32),
        }
    }

    /// The write in that copy.
    fn copied_write(&self, write: EventId) -> u32 {
        match self.copies {
            Copies::One => self.write[write.index()],
            Copies::Two => self.copy[write.index()],
        }
    }

    /// The events of a thread, and what it knows of fences as it goes.
    fn events(&mut self, thread: ThreadId) -> Result<(), Limit> {
        let x = self.scene.x;
        // What is known of fences changes with each of these; accesses of a location before which it did not change since the
        // last one follow from that.
        let mut known = NONE;
        self.count += 1;
        let mut fences = vec![NONE; if self.fences { x.thread_count() } else { 0 }];
        let mut row = Clocks::EMPTY;
        for e in x.thread_events(thread).map(EventId) {
            self.room()?;
            let label = x.labels()[e.index()];
            let (sc, loc) = (self.scene.is_sc(e), x.locs()[e.index()]);
            if self.fences && self.scene.clocks.row_of(e) != row {
                row = self.scene.clocks.row_of(e);
                let mut news = NONE;
                for u in x.threads().filter(|&u| u != thread) {
                    let fence = Self::last(&self.last_fence, x, u, self.scene.clocks.entry(row, u));
                    if fence != NONE && (fences[u.index()] == NONE || fences[u.index()] < fence) {
                        fences[u.index()] = fence;
                        if news == NONE {
                            news = self.add_beside(Beside::Known(e));
                        }
                        // Lines of later threads have no nodes yet.
                        self.add_edge(fence, news);
                    }
                }
                if news != NONE {
                    if known != NONE {
                        self.add_edge(known, news);
                    }
                    known = news;
                    self.count += 1;
                }
            }
            if label.is_fence() {
                if sc {
                    self.line[e.index()] =
                        self.add_event(Kind::Fence, Order::SeqCst, LocId(0), Role::Line, e);
                    known = self.add_beside(Beside::Known(e));
                    self.count += 1;
                    self.add_edge(e.0, known);
                }
                continue;
            }
            if label.writes() {
                let kind = label.kind();
                if self.copies == Copies::Two {
                    self.copy[e.index()] =
                        self.add_event(kind, Order::Relaxed, self.copied(loc), Role::Copy, e);
                }
                self.write[e.index()] = self.add_event(kind, Order::Relaxed, loc, Role::Write, e);
            }
            if sc {
                self.line[e.index()] = self.add_event(Kind::Read, Order::SeqCst, loc, Role::Line, e);
            }
            if known != NONE && std::mem::replace(&mut self.looked_at[loc.index()], self.count) != self.count
            {
                self.after[e.index()] = known;
                if !label.writes() {
                    self.seen[e.index()] =
                        self.add_event(Kind::Read, Order::Relaxed, self.copied(loc), Role::Seen, e);
                }
            }
        }
        self.thread_starts.push(self.labels.len() as u32);
        Ok(())
    }

    /// What is ordered whatever mo is: the line of a thread, and what comes before it of other lines.
    fn ordered(&mut self, thread: ThreadId) -> Result<(), Limit> {
        let scene = self.scene;
        let x = scene.x;
        let events = x.thread_events(thread);
        let mut previous = NONE;
        // The last event of each other line that is known to come before this one.
        let mut before = vec![NONE; x.thread_count()];
        let mut found = vec![NONE; x.thread_count()];
        let mut sought: FxHashMap<(ThreadId, ThreadId), (u32, u32)> = FxHashMap::default();
        for b in events.clone().map(EventId).filter(|&e| scene.is_sc(e)) {
            self.room()?;
            let node = self.line[b.index()];
            if previous != NONE {
                self.add_edge(previous, node);
            }
            previous = node;
            found.fill(NONE);
            if x.label(b).is_fence() {
                self.before_fence(b, thread, &before, &mut found, &mut sought);
            } else {
                self.before_access(b, thread, &mut found);
            }
            for (before, &found) in before.iter_mut().zip(&found) {
                if found != NONE && (*before == NONE || *before < found) {
                    *before = found;
                    let from = self.line[found as usize];
                    self.edges.push((Node(from), Node(node)));
                }
            }
        }
        Ok(())
    }

    /// The last event of each other line that comes before a fence.
    fn before_fence(
        &self,
        fence: EventId,
        thread: ThreadId,
        before: &[u32],
        found: &mut [u32],
        sought: &mut FxHashMap<(ThreadId, ThreadId), (u32, u32)>,
    ) {
        let (scene, x) = (self.scene, self.scene.x);
        for u in x.threads().filter(|&u| u != thread) {
            let known = scene.clocks.known(fence, u);
            let last = Self::last(&self.last_sc, x, u, known);
            if last == NONE || before[u.index()] != NONE && before[u.index()] >= last {
                continue;
            }
            let start = x.thread_events(u).start;
            let reached = x.labels()[last as usize].is_fence()
                || last - start + 1 < known
                || self.location_between(EventId(last), u, fence, thread, sought);
            found[u.index()] = match reached {
                true => last,
                false if last > start => self.last_sc[last as usize - 1],
                false => NONE,
            };
        }
    }

    /// Whether an access of its location is between an access that is the last known of its thread, and a fence. What was looked
    /// at for an earlier fence is not looked at again.
    fn location_between(
        &self,
        a: EventId,
        of_a: ThreadId,
        fence: EventId,
        of_fence: ThreadId,
        sought: &mut FxHashMap<(ThreadId, ThreadId), (u32, u32)>,
    ) -> bool {
        let (scene, x) = (self.scene, self.scene.x);
        let index = a.0 - x.thread_events(of_a).start;
        x.threads().filter(|&s| s != of_a).any(|s| {
            let start = x.thread_events(s).start;
            let end = start + scene.known(fence, of_fence, s);
            let (last, looked) = sought.entry((of_a, s)).or_insert((NONE, 0));
            let from = if *last == a.0 { (*looked).max(start) } else { start };
            (*last, *looked) = (a.0, end);
            (from..end)
                .rev()
                .map(EventId)
                .take_while(|&y| scene.clocks.known(y, of_a) > index)
                .any(|y| x.loc(y) == x.loc(a))
        })
    }

    /// The last event of each other line that comes before an access.
    fn before_access(&self, b: EventId, thread: ThreadId, found: &mut [u32]) {
        let (scene, x) = (self.scene, self.scene.x);
        let events = x.thread_events(thread);
        let loc = x.locs()[b.index()];
        let previous = (b.0 > events.start).then(|| EventId(b.0 - 1));
        let far = scene.far_before(b, &events);
        let known = |e: Option<EventId>, u: ThreadId| e.map_or(0, |e| scene.clocks.known(e, u));
        let mut raise = |u: ThreadId, e: u32| {
            let found = &mut found[u.index()];
            if *found == NONE || *found < e {
                *found = e;
            }
        };
        for u in x.threads().filter(|&u| u != thread) {
            let of_u = x.thread_events(u);
            let (by_previous, by_far, by_itself) =
                (known(previous, u), known(far, u), scene.clocks.known(b, u));
            // Fences by po at the end; accesses by po at both ends.
            let mut last = Self::last(&self.last_sc, x, u, by_previous);
            while last != NONE && !x.labels()[last as usize].is_fence() {
                let after = scene.far_after(EventId(last), &of_u);
                if after.is_some_and(|after| after.0 - of_u.start < by_far) {
                    break;
                }
                last = if last > of_u.start { self.last_sc[last as usize - 1] } else { NONE };
            }
            if last != NONE {
                raise(u, last);
            }
            // Accesses of the location.
            let mut sc = Self::last(&self.last_sc, x, u, by_itself);
            while sc != NONE && (last == NONE || sc > last) {
                if x.loc(EventId(sc)) == Some(loc) {
                    raise(u, sc);
                    break;
                }
                sc = if sc > of_u.start { self.last_sc[sc as usize - 1] } else { NONE };
            }
            // Fences before an access of the location that comes before by what the access itself learns.
            if self.fences && by_itself > by_previous {
                let learned = (of_u.start + by_previous..of_u.start + by_itself).rev().map(EventId);
                let access = learned.into_iter().find(|&e| x.loc(e) == Some(loc));
                if let Some(access) = access {
                    for v in x.threads().filter(|&v| v != thread) {
                        let fence = Self::last(&self.last_fence, x, v, scene.known(access, u, v));
                        if fence != NONE {
                            raise(v, fence);
                        }
                    }
                }
            }
        }
    }

    /// What the line of a thread tells of writes: a seq_cst write of itself, a fence of the writes that happen before it and
    /// of those that reads before it have read.
    fn tell_writes(&mut self, thread: ThreadId) -> Result<(), Limit> {
        let scene = self.scene;
        let x = scene.x;
        let mut previous: Option<EventId> = None;
        for e in x.thread_events(thread).map(EventId).filter(|&e| scene.is_sc(e)) {
            let label = x.label(e);
            let node = self.line[e.index()];
            self.room_to_tell()?;
            if label.writes() {
                self.add_edge(self.write[e.index()], node);
                self.tell(e, x.locs()[e.index()], node, false);
                self.entries.append(&mut self.own);
            }
            if !label.is_fence() {
                continue;
            }
            let others = x.threads().filter(|&u| u != thread);
            for u in std::iter::once(thread).chain(others) {
                let of_u = x.thread_events(u);
                let start = of_u.start;
                let known = scene.known(e, thread, u);
                let mut from = previous.map_or(0, |fence| scene.known(fence, thread, u));
                let fence = Self::last(&self.last_fence, x, u, known);
                if fence != NONE {
                    from = from.max(fence - start + 1);
                }
                self.count += 2;
                let count = self.count;
                for y in (start + from..start + known).rev().map(EventId) {
                    let Some(loc) = x.loc(y) else { continue };
                    let looked_at = self.looked_at[loc.index()];
                    if looked_at > count {
                        continue;
                    }
                    let read = x.rf(y).filter(|_| !x.label(y).writes());
                    if read.is_some_and(|source| of_u.contains(&source.0)) {
                        // The write itself is still to come, or was told of.
                        continue;
                    }
                    self.looked_at[loc.index()] = count + 1;
                    self.room_to_tell()?;
                    match read {
                        Some(_) if !self.scene.hb.observable(x, y) => {}
                        Some(source) => {
                            // The first is the latest; with one copy it stands for what is before it too.
                            if looked_at < count {
                                self.observed = true;
                                let from = self.copied_write(source);
                                self.add_edge(from, node);
                                let entry = Entry {
                                    loc: self.copied(loc),
                                    at: node,
                                    write: from,
                                    not_alone: u != thread,
                                };
                                self.push_entry(entry);
                            }
                            if self.copies == Copies::Two {
                                self.looked_at[loc.index()] = count;
                            }
                        }
                        None => {
                            self.add_edge(self.write[y.index()], node);
                            self.tell(y, loc, node, u != thread);
                        }
                    }
                }
                // The latest that a line tells comes last.
                self.entries.extend(self.own.drain(..).rev());
            }
            previous = Some(e);
        }
        Ok(())
    }

    /// Makes room for an edge and what it tells.
    #[inline]
    fn room_to_tell(&mut self) -> Result<(), Limit> {
        let own = self.own.len();
        self.meter.room(&mut self.edges, 1)?;
        self.meter.room(&mut self.entries, own + 2)?;
        self.meter.room(&mut self.own, 2)
    }

    /// A line tells of a write, in both copies.
    fn tell(&mut self, write: EventId, loc: LocId, at: u32, not_alone: bool) {
        self.push_entry(Entry { loc, at, write: self.write[write.index()], not_alone });
        if self.copies == Copies::Two {
            let (loc, write) = (self.copied(loc), self.copy[write.index()]);
            self.push_entry(Entry { loc, at, write, not_alone });
        }
    }

    fn push_entry(&mut self, entry: Entry) {
        if entry.not_alone { self.entries.push(entry) } else { self.own.push(entry) }
    }

    /// What is known of mo, in each copy; and what accesses come before by reading from initial writes.
    fn modification_order(&mut self) -> Result<(), Limit> {
        let Scene { x, chains, arcs, .. } = self.scene;
        for copied in [false, true] {
            if copied && self.copies == Copies::One {
                break;
            }
            self.meter.room(&mut self.beside, x.location_count())?;
            let Builder { meter, edges, beside, write, copy, .. } = self;
            let column = if copied { copy } else { write };
            let node = |write: EventId| Node(column[write.index()]);
            let mut add = |from: Node, to: Node| -> Result<(), Limit> {
                meter.room(edges, 1)?;
                edges.push((from, to));
                Ok(())
            };
            for loc in x.locations() {
                let initial = chains.link(x.init_write(loc)).chain;
                let [_, last] = chains.ends(initial);
                let overwriting = Node(BESIDE | beside.len() as u32);
                beside.push(Beside::Overwriting(loc));
                if !x.is_init(last) {
                    add(node(last), overwriting)?;
                }
                for chain in chains.of(loc) {
                    let mut previous: Option<EventId> = None;
                    for write in chains.writes(chain) {
                        if let Some(previous) = previous.filter(|&previous| !x.is_init(previous)) {
                            add(node(previous), node(write))?;
                        }
                        previous = Some(write);
                    }
                    if chain != initial {
                        add(overwriting, node(chains.ends(chain)[0]))?;
                    }
                }
            }
            for &(tail, head) in arcs {
                let (from, to) = (chains.ends(tail)[1], chains.ends(head)[0]);
                if !x.is_init(from) && !x.is_init(to) {
                    add(node(from), node(to))?;
                }
            }
        }
        Ok(())
    }

    /// The write that each event reads from, in its copy. What reads an initial write comes before all others: the nodes that stand
    /// for these begin at the number given.
    fn reads_from(&mut self, n: u32, first_overwriting: usize) -> Result<Vec<u32>, Limit> {
        let Scene { x, chains, .. } = self.scene;
        let locations = x.location_count();
        let mut sources = vec![NONE; n as usize];
        for (node, read_from) in sources.iter_mut().enumerate() {
            let (origin, role, label) = (self.origins[node], self.roles[node], self.labels[node]);
            if !label.reads() {
                continue;
            }
            let source = match role {
                Role::Write | Role::Copy => x.rf(origin).expect("an RMW reads"),
                Role::Line | Role::Seen => left_by(x, origin),
            };
            let loc = self.locs[node];
            let column = if loc.index() < locations { &self.write } else { &self.copy };
            if !x.is_init(source) {
                *read_from = column[source.index()];
                continue;
            }
            *read_from = n + loc.0;
            if !label.writes() {
                // An RMW that reads it directly follows it; all others are behind that.
                let to = match chains.writes(chains.link(source).chain).nth(1) {
                    Some(rmw) => column[rmw.index()],
                    None => BESIDE | (first_overwriting + loc.index()) as u32,
                };
                self.meter.room(&mut self.edges, 1)?;
                self.edges.push((Node(node as u32), Node(to)));
            }
        }
        Ok(sources)
    }

    fn finish(mut self) -> Result<Psc, Limit> {
        let x = self.scene.x;
        let (n, locations) = (self.labels.len() as u32, x.location_count());
        // Sources, the other copies, names and a table of threads.
        let copied = if self.copies == Copies::Two { 8 } else { 0 };
        self.meter.take((8 + copied) * n as usize + 32 * locations + 64 * x.thread_count())?;
        let copies = if self.copies == Copies::Two { 2 } else { 1 };
        // What fences come before, now that lines have nodes: their edges begin at events of the history.
        let line = &self.line;
        let known = |node: Node| node.0 & BESIDE != 0;
        let is_known =
            |node: Node| known(node) && matches!(self.beside[(node.0 & !BESIDE) as usize], Beside::Known(_));
        for (from, to) in &mut self.edges {
            if is_known(*to) && !known(*from) {
                *from = Node(line[from.index()]);
            }
        }
        for e in x.events() {
            let Some(&after) = self.after.get(e.index()).filter(|&&after| after != NONE) else { continue };
            let seen = match self.seen[e.index()] {
                NONE => self.copied_write(e),
                seen => seen,
            };
            self.meter.room(&mut self.edges, 1)?;
            self.edges.push((Node(after), Node(seen)));
        }
        let mut twins = Vec::new();
        if self.copies == Copies::Two {
            twins = vec![NONE; n as usize];
            for e in x.events().filter(|&e| x.label(e).writes()) {
                let (write, copy) = (self.write[e.index()], self.copy[e.index()]);
                (twins[write as usize], twins[copy as usize]) = (copy, write);
                self.meter.room(&mut self.edges, 1)?;
                self.edges.push((Node(copy), Node(write)));
            }
        }
        let sources = self.reads_from(n, self.beside.len() - copies * locations)?;
        for (from, to) in &mut self.edges {
            for node in [from, to] {
                if node.0 & BESIDE != 0 {
                    *node = Node((node.0 & !BESIDE) + n);
                }
            }
        }
        let events =
            Execution::of_columns(self.thread_starts, copies * locations, self.labels, self.locs, sources);
        Ok(Psc {
            events,
            roles: self.roles,
            origins: self.origins,
            beside: self.beside,
            edges: self.edges,
            entries: self.entries,
            twins: twins.into(),
            observed: self.observed,
        })
    }
}

//! Saturation: the edges that every mo must bring about, derived until there are no more or a cycle is closed.
//!
//! The graph starts from the edges that hold in any case, a [`Base`](super::base::Base). Two rules add to it:
//! - a write w that comes before a read r of its location, which reads from another write w', is mo-before w': w → w';
//! - what reads from a write w comes before every write w' of its location that comes after w: r → w'.
//!
//! These are the rules of wSC (Zennou et al. 2020), and of TSOtool and Axe, each on its own base.
//!
//! Reachability is kept as clocks over lines, one per thread (see [`Line`]): entry t of a node's row is one more than the last
//! event of thread t's line that reaches the node. Where writes are not on the lines, a second part of the row does the same
//! for release fences, if there are any, and a last part tells, for writes, the last write of each thread to the same location
//! that reaches it. A path that leaves a location goes through a line, unless by a dependency or a time.
//!
//! Nodes are visited in topological order. A node is visited when its row has grown: the rules are applied for the entries
//! that grew, and the row is passed on along the edges out of the node. A new edge passes on the row of its begin and takes the
//! visit back to its end. A visit costs O(k) an edge for k threads; on ordinary traces a node is visited a small number of
//! times, so that the work is O(n·k) and the memory 4·k bytes (8·k where writes are off the lines, 12·k with release fences) and some
//! 70 bytes per node.
//! In the worst case a row grows n times: O(n²·k).

use super::base::{Barrier, Line};
use super::known_writes::KnownWrites;
use super::simulation;
use crate::reach::clocks::Rows;
use crate::reach::graph::{Graph, Node};
use std::rc::Rc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Order};
use tribunal_history::verdict::Limit;

/// Why an edge was derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// mo: the read reads from the end of the edge, and the begin of it comes before the read.
    Read { read: EventId },
    /// fr: the begin of the edge reads from this write, which comes before the end.
    Fr { source: EventId },
    /// mo: the begin comes before the end.
    Reached,
    /// mo: the case at hand, of this depth.
    Assumed { depth: u32 },
    /// mo: the derived edge of this index says so of the other copies of the two writes.
    Same { edge: u32 },
}

/// An edge that closes a cycle: its end reaches its begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub from: Node,
    pub to: Node,
    pub reason: Reason,
}

/// Why saturation stopped early.
#[derive(Debug)]
pub(crate) enum Stop {
    Conflict(Conflict),
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Readers of each write; of those of one thread only the last, where they are kept in order.
struct Readers {
    starts: Vec<u32>,
    ends: Vec<u32>,
    events: Vec<EventId>,
}

impl Readers {
    fn new(x: &Execution, only_last: bool) -> Self {
        let mut starts = vec![0u32; x.len() + 1];
        let sources = || x.events().filter_map(|e| Some((e, x.rf(e).filter(|&write| !x.is_init(write))?)));
        for (_, write) in sources() {
            starts[write.index() + 1] += 1;
        }
        for i in 0..x.len() {
            starts[i + 1] += starts[i];
        }
        let mut ends = starts[..x.len()].to_vec();
        let mut events = vec![EventId(0); starts[x.len()] as usize];
        for thread in x.threads() {
            let of_thread = x.thread_events(thread);
            for e in of_thread.clone().map(EventId) {
                let Some(write) = x.rf(e).filter(|&write| !x.is_init(write)) else { continue };
                let (start, end) = (starts[write.index()], &mut ends[write.index()]);
                if only_last && *end > start && events[*end as usize - 1].0 >= of_thread.start {
                    events[*end as usize - 1] = e;
                } else {
                    events[*end as usize] = e;
                    *end += 1;
                }
            }
        }
        Readers { starts, ends, events }
    }

    fn of(&self, write: EventId) -> std::ops::Range<usize> {
        self.starts[write.index()] as usize..self.ends[write.index()] as usize
    }
}

/// The lines of a graph, and what they say of the order of reads.
pub(crate) struct Lines {
    pub line: Line,
    pub barriers: Vec<Barrier>,
    /// Plain reads of a location may be out of order.
    pub hazards: bool,
    /// Reads of a thread are kept in order.
    pub readers_in_order: bool,
    /// What the lines tell of, if not what their events write and read.
    pub known_writes: Option<KnownWrites>,
    /// By event: the other copy of a write, of which mo is the same; empty if there are no copies.
    pub twins: Rc<[u32]>,
}

/// A graph, its clocks and what is still to be visited.
pub(crate) struct ViewSaturation<'a> {
    x: &'a Execution,
    pub(crate) graph: Graph<Reason>,
    line: Line,
    /// What the lines tell of and, where writes are not on them, what release fences tell of.
    known_writes: Vec<KnownWrites>,
    /// What stands on a line beside the events: the entry and its value, by node from the first that is not an event.
    beside: Vec<Option<(usize, u32)>>,
    readers: Readers,
    /// By event: the other copy of a write; empty if there are none.
    twins: Rc<[u32]>,
    thread: Vec<u32>,
    /// The previous write of the same thread and location; only where writes are off the lines.
    previous_write: Vec<Option<EventId>>,
    clocks: Clocks,
    candidates: Vec<EventId>,
    /// No node before this place is to be visited.
    cursor: u32,
    /// No node before this place has moved since it was last asked.
    unmoved: u32,
    visits: u64,
    cases: Vec<Case>,
}

/// The rows of all nodes, and which have grown.
struct Clocks {
    /// The entries of lines: one per thread, or two where release fences have lines of their own; none if all lines are empty.
    lines: usize,
    threads: usize,
    rows: Rows,
    /// Which entries have grown since the node was last visited: a bit per thread, shared by those 64 apart.
    grown: Vec<u64>,
    state: Vec<Visit>,
    /// How many nodes are to be visited.
    due: usize,
    depth: u32,
    /// The depth at which a node's row was last saved; empty until there is a case to take back.
    saved_at: Vec<u32>,
    saved: Vec<(Node, u32)>,
    saved_rows: Vec<u32>,
}

impl Clocks {
    #[inline(always)]
    fn entry(&self, node: usize, entry: usize) -> u32 {
        self.rows.entry(node as u32, entry)
    }

    /// Sets an entry of a row that nobody has seen yet.
    fn set(&mut self, node: usize, entry: usize, value: u32) {
        self.rows.row_mut(node as u32)[entry] = value;
    }

    /// Joins the first `told` entries of a row into that of a later node.
    #[inline]
    fn learn(&mut self, node: Node, from: Node, told: usize) {
        if self.rows.has_news(from.0, node.0, told) {
            self.grow(node, from, told);
        }
    }

    fn grow(&mut self, node: Node, from: Node, told: usize) {
        if self.depth > 0 && self.saved_at[node.index()] != self.depth {
            self.saved.push((node, self.saved_at[node.index()]));
            self.saved_rows.extend_from_slice(self.rows.row(node.0));
            self.saved_at[node.index()] = self.depth;
        }
        self.grown[node.index()] |= self.rows.learn(from.0, node.0, (told, self.threads), |_, _| ());
        self.make_due(node);
    }

    fn make_due(&mut self, node: Node) {
        let state = &mut self.state[node.index()];
        if *state == Visit::Done {
            *state = Visit::Due;
            self.due += 1;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Never,
    Due,
    Done,
}

/// What a node takes beside its clock, with its base edges; what an edge takes.
const BYTES_PER_NODE: usize = 70;
const BYTES_PER_EDGE: usize = 24;
/// What a derived edge takes while the edges move to where there is more room.
const BYTES_PER_DERIVED: usize = 72;

/// What to go back to when a case is taken back.
struct Case {
    edges: usize,
    saved: usize,
}

impl<'a> ViewSaturation<'a> {
    /// The graph of a base in an order close to a memory order; or a cycle of its edges.
    pub(crate) fn graph(
        x: &Execution,
        nodes: usize,
        edges: Vec<(Node, Node)>,
        limits: &Limits<'_>,
    ) -> Result<Result<Graph<Reason>, Vec<Node>>, Limit> {
        limits.check_memory(nodes * BYTES_PER_NODE + edges.len() * BYTES_PER_EDGE, 0)?;
        let mut graph = Graph::new(nodes, &edges);
        drop(edges);
        let order = simulation::order(x, &graph);
        limits.check(0)?;
        Ok(order.map(|order| {
            graph.set_order(order);
            graph
        }))
    }

    /// A graph to saturate.
    pub(crate) fn new(
        x: &'a Execution,
        graph: Graph<Reason>,
        Lines { line, barriers, hazards, readers_in_order, known_writes, twins }: Lines,
        limits: &Limits<'_>,
    ) -> Result<Self, Limit> {
        let threads = x.thread_count();
        let release = !line.holds_writes() && barriers.iter().any(|barrier| barrier.release);
        let lines = match release {
            _ if line == Line::Fences && x.features().fences == 0 => 0,
            true => 2 * threads,
            false => threads,
        };
        let width = if line.holds_writes() { threads } else { lines + threads };
        let nodes = graph.len();
        limits.check_memory(nodes.saturating_mul(width * 4 + BYTES_PER_NODE), 0)?;
        let mut thread = vec![0; x.len()];
        for t in x.threads() {
            x.thread_events(t).for_each(|e| thread[e as usize] = t.0);
        }
        let mut known_writes = vec![known_writes.unwrap_or_else(|| KnownWrites::new(x, line, hazards))];
        if release {
            known_writes.push(KnownWrites::release(x, line, hazards));
        }
        let mut beside = vec![None; nodes - x.len()];
        let on_line = |barrier: &&Barrier| if barrier.release { release } else { line == Line::Fences };
        for &Barrier { node, fence, release } in barriers.iter().filter(on_line) {
            let entry = usize::from(release) * threads + thread[fence.index()] as usize;
            beside[node.index() - x.len()] = Some((entry, fence.0 + 1));
        }
        Ok(ViewSaturation {
            x,
            line,
            known_writes,
            beside,
            readers: Readers::new(x, readers_in_order),
            twins,
            thread,
            previous_write: if line.holds_writes() { Vec::new() } else { previous_writes(x) },
            clocks: Clocks {
                lines,
                threads,
                rows: Rows::of(nodes, width),
                grown: vec![0; nodes],
                state: vec![Visit::Never; nodes],
                due: nodes,
                depth: 0,
                saved_at: Vec::new(),
                saved: Vec::new(),
                saved_rows: Vec::new(),
            },
            candidates: Vec::new(),
            cursor: 0,
            unmoved: 0,
            visits: 0,
            cases: Vec::new(),
            graph,
        })
    }

    /// Applies the rules until they have nothing to add.
    pub(crate) fn run(&mut self, limits: &Limits<'_>) -> Result<(), Stop> {
        while self.clocks.due > 0 {
            let node = self.graph.at(self.cursor);
            self.cursor += 1;
            let state = &mut self.clocks.state[node.index()];
            let first = *state == Visit::Never;
            if *state == Visit::Done {
                continue;
            }
            *state = Visit::Done;
            self.clocks.due -= 1;
            self.visits += 1;
            if self.visits.is_multiple_of(64) {
                limits.check_memory(self.bytes(), 0)?;
            }
            if self.visits.is_multiple_of(1024) {
                limits.check(0)?;
            }
            let mut grown = std::mem::take(&mut self.clocks.grown[node.index()]);
            if first {
                self.enter_itself(node);
                grown = u64::MAX;
            }
            self.pass_on(node);
            self.apply(node, grown).map_err(Stop::Conflict)?;
        }
        Ok(())
    }

    /// The place before which the order is what it was when this was last asked.
    pub(crate) fn unchanged_before(&mut self) -> u32 {
        std::mem::replace(&mut self.unmoved, u32::MAX)
    }

    /// Says that nodes have moved from a place on.
    fn note_moved(&mut self, place: u32) {
        self.cursor = self.cursor.min(place);
        self.unmoved = self.unmoved.min(place);
    }

    /// Puts the nodes into an order closer to a memory order.
    pub(crate) fn reorder(&mut self) {
        if let Ok(order) = simulation::order(self.x, &self.graph) {
            self.graph.set_order(order);
            self.unmoved = 0;
        }
    }

    /// Whether the edge follows from what is known.
    pub(crate) fn known(&self, first: EventId, second: EventId) -> bool {
        let thread = self.thread[first.index()] as usize;
        let entry = self.clocks.rows.width() - self.clocks.threads + thread;
        self.clocks.entry(second.index(), entry) > first.0
    }

    /// Enters a node on a line, and a write, into its own row.
    fn enter_itself(&mut self, node: Node) {
        let Some(label) = self.x.labels().get(node.index()) else {
            if let Some((entry, value)) = self.beside[node.index() - self.x.len()] {
                self.clocks.set(node.index(), entry, value);
            }
            return;
        };
        let thread = self.thread[node.index()] as usize;
        if self.line.holds(label.kind(), label.order()) {
            self.clocks.set(node.index(), thread, node.0 + 1);
        }
        if label.writes() && !self.line.holds_writes() {
            self.clocks.set(node.index(), self.clocks.lines + thread, node.0 + 1);
        }
    }

    /// Passes the row of a node on along the edges out of it.
    fn pass_on(&mut self, node: Node) {
        let ViewSaturation { x, graph, clocks, .. } = self;
        for &succ in graph.base_succs(node) {
            clocks.learn(succ, node, entries_passed(x, clocks, node, succ));
        }
        for succ in graph.derived_succs(node) {
            clocks.learn(succ, node, entries_passed(x, clocks, node, succ));
        }
    }

    /// Applies the rules at a node for the entries of its row that have grown.
    fn apply(&mut self, node: Node, grown: u64) -> Result<(), Conflict> {
        let Some(label) = self.x.labels().get(node.index()) else { return Ok(()) };
        let e = EventId(node.0);
        if label.reads() {
            self.at_read(e, grown)?;
        }
        if label.writes() {
            self.at_write(e, grown)?;
        }
        Ok(())
    }

    /// The first rule at a read.
    fn at_read(&mut self, read: EventId, grown: u64) -> Result<(), Conflict> {
        let source = self.x.rf(read).expect("a read");
        let loc = self.x.locs()[read.index()];
        let initial = self.x.is_init(source);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for of_lines in 0..self.known_writes.len() {
            for segment in self.known_writes[of_lines].of(loc) {
                let thread = self.known_writes[of_lines].thread(segment);
                if !has_grown(grown, thread) {
                    continue;
                }
                let entry = of_lines * self.clocks.threads + thread;
                let bound = self.clocks.entry(read.index(), entry);
                // What the source knows of the thread, it has been told of already.
                if bound == 0 || (!initial && bound == self.clocks.entry(source.index(), entry)) {
                    continue;
                }
                let mut latest = self.known_writes[of_lines].latest(segment, bound, read);
                while let Some(write) = self.known_writes[of_lines].next(&mut latest) {
                    if initial {
                        self.candidates = candidates;
                        let reason = Reason::Fr { source };
                        return Err(Conflict { from: read.into(), to: write.into(), reason });
                    }
                    if write != source && !self.known(write, source) {
                        candidates.push(write);
                    }
                }
            }
        }
        self.keep_latest(&mut candidates);
        let derived = candidates
            .iter()
            .try_for_each(|&write| self.derive(write.into(), source.into(), Reason::Read { read }));
        self.candidates = candidates;
        derived
    }

    /// The second rule at a write: whoever reads from a latest write before it comes before it.
    fn at_write(&mut self, write: EventId, grown: u64) -> Result<(), Conflict> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let mut outcome = self.candidates_before(write, grown, &mut candidates);
        if outcome.is_ok() {
            self.keep_latest(&mut candidates);
            outcome = candidates.iter().try_for_each(|&source| self.readers_before(source, write));
        }
        self.candidates = candidates;
        outcome
    }

    /// Leaves out the writes that come before others among them.
    fn keep_latest(&self, candidates: &mut Vec<EventId>) {
        if candidates.len() < 2 {
            return;
        }
        candidates.sort_unstable_by_key(|&write| std::cmp::Reverse(self.graph.place(write.into())));
        let mut kept = 1;
        for i in 1..candidates.len() {
            let write = candidates[i];
            if !candidates[..kept].iter().any(|&later| self.known(write, later)) {
                candidates[kept] = write;
                kept += 1;
            }
        }
        candidates.truncate(kept);
    }

    /// The latest write of each thread before a write of the same location.
    fn candidates_before(
        &mut self,
        write: EventId,
        grown: u64,
        candidates: &mut Vec<EventId>,
    ) -> Result<(), Conflict> {
        let loc = self.x.locs()[write.index()];
        for of_lines in 0..self.known_writes.len() {
            for segment in self.known_writes[of_lines].of(loc) {
                let thread = self.known_writes[of_lines].thread(segment);
                let bound = self.clocks.entry(write.index(), of_lines * self.clocks.threads + thread);
                if bound == 0 || !has_grown(grown, thread) {
                    continue;
                }
                let mut latest = self.known_writes[of_lines].latest(segment, bound, write);
                while let Some(before) = self.known_writes[of_lines].next(&mut latest) {
                    if self.line.holds_writes() || !self.known(before, write) {
                        candidates.push(before);
                    }
                }
            }
        }
        if !self.line.holds_writes() {
            self.keep_latest(candidates);
            candidates
                .iter()
                .try_for_each(|&before| self.derive(before.into(), write.into(), Reason::Reached))?;
        }
        if !self.line.holds_writes() {
            for thread in (0..self.clocks.threads).filter(|&thread| has_grown(grown, thread)) {
                match self.clocks.entry(write.index(), self.clocks.lines + thread) {
                    0 => {}
                    own if own == write.0 + 1 => candidates.extend(self.previous_write[write.index()]),
                    other => candidates.push(EventId(other - 1)),
                }
            }
        }
        Ok(())
    }

    /// The readers of `source` come before `write`.
    fn readers_before(&mut self, source: EventId, write: EventId) -> Result<(), Conflict> {
        let reason = Reason::Fr { source };
        let readers = self.readers.of(source);
        if readers.is_empty() || self.graph.derived_into(write.into()).any(|(_, edge)| edge.reason == reason)
        {
            return Ok(());
        }
        for i in readers {
            let read = self.readers.events[i];
            // A line that reaches the write from the read or from behind it carries the read along, unless the read is apart.
            let apart = self.line == Line::SeqCst && self.x.label(read).order() != Order::SeqCst;
            let known = self.clocks.lines > 0
                && !apart
                && self.clocks.entry(write.index(), self.thread[read.index()] as usize) > read.0;
            if read != write && !known {
                self.derive(read.into(), write.into(), reason)?;
            }
        }
        Ok(())
    }

    /// Adds an edge; one of mo in both copies.
    fn derive(&mut self, from: Node, to: Node, reason: Reason) -> Result<(), Conflict> {
        self.derive_one(from, to, reason)?;
        if matches!(reason, Reason::Fr { .. }) || self.twins.is_empty() {
            return Ok(());
        }
        let twin = |node: Node| Node(self.twins[node.index()]);
        let (from, to, edge) = (twin(from), twin(to), self.graph.derived().len() as u32 - 1);
        self.derive_one(from, to, Reason::Same { edge })
    }

    fn derive_one(&mut self, from: Node, to: Node, reason: Reason) -> Result<(), Conflict> {
        let Ok(place) = self.graph.insert(from, to, reason) else {
            return Err(Conflict { from, to, reason });
        };
        let told = entries_passed(self.x, &self.clocks, from, to);
        self.clocks.learn(to, from, told);
        self.note_moved(place);
        Ok(())
    }

    /// Opens a case: mo puts `first` before `second`. To be followed by [`run`](Self::run).
    pub(crate) fn assume(&mut self, first: EventId, second: EventId) -> Result<(), Conflict> {
        let clocks = &mut self.clocks;
        if clocks.saved_at.is_empty() {
            clocks.saved_at = vec![0; self.graph.len()];
        }
        self.cases.push(Case { edges: self.graph.derived().len(), saved: clocks.saved.len() });
        clocks.depth += 1;
        let depth = clocks.depth;
        self.derive(first.into(), second.into(), Reason::Assumed { depth })
    }

    /// Takes the last case back, and all that followed from it.
    pub(crate) fn retract(&mut self) {
        let Case { edges, saved } = self.cases.pop().expect("a case to take back");
        self.graph.truncate(edges);
        let clocks = &mut self.clocks;
        while clocks.saved.len() > saved {
            let (node, saved_at) = clocks.saved.pop().expect("longer than `saved`");
            let from = clocks.saved_rows.len() - clocks.rows.width();
            clocks.rows.row_mut(node.0).copy_from_slice(&clocks.saved_rows[from..]);
            clocks.saved_rows.truncate(from);
            clocks.saved_at[node.index()] = saved_at;
        }
        clocks.depth -= 1;
    }

    /// The other copies of writes.
    pub(crate) fn twins(&self) -> Rc<[u32]> {
        Rc::clone(&self.twins)
    }

    /// Number of events: the nodes below this are events.
    pub(crate) fn events(&self) -> usize {
        self.x.len()
    }

    /// Makes the last case, the only one open, a part of the graph for good.
    pub(crate) fn commit(&mut self) {
        let Clocks { saved, saved_at, saved_rows, depth, .. } = &mut self.clocks;
        saved.drain(..).for_each(|(node, _)| saved_at[node.index()] = 0);
        saved_rows.clear();
        *depth = 0;
        self.cases.clear();
    }

    /// Takes back all derived edges but the first `keep`, committed ones too. To be followed by [`run`](Self::run).
    pub(crate) fn restart(&mut self, keep: usize) {
        self.graph.truncate(keep);
        self.clocks.rows.clear();
        self.clocks.state.fill(Visit::Never);
        self.clocks.due = self.graph.len();
        self.cursor = 0;
    }

    /// How many cases are open.
    pub(crate) fn depth(&self) -> u32 {
        self.clocks.depth
    }

    /// Bytes that the clocks and the graph take.
    pub(crate) fn bytes(&self) -> usize {
        // What is saved of clocks may move to where there is twice the room.
        let Clocks { rows, saved, saved_rows, .. } = &self.clocks;
        let clocks = rows.bytes() + 12 * saved_rows.len() + 3 * size_of_val(&saved[..]);
        clocks + graph_bytes(&self.graph)
    }
}

/// Bytes that a graph takes, with what is known of each node beside its clock.
pub(crate) fn graph_bytes(graph: &Graph<Reason>) -> usize {
    BYTES_PER_NODE * graph.len() + BYTES_PER_DERIVED * graph.derived().len()
}

#[inline(always)]
fn has_grown(grown: u64, thread: usize) -> bool {
    grown >> (thread % 64) & 1 != 0
}

/// How many entries an edge passes on: the second half only between writes of one location.
#[inline(always)]
fn entries_passed(x: &Execution, clocks: &Clocks, from: Node, to: Node) -> usize {
    let writes = |node: Node| x.labels().get(node.index()).is_some_and(|label| label.writes());
    let width = clocks.rows.width();
    let all =
        width == clocks.lines || writes(from) && writes(to) && x.locs()[from.index()] == x.locs()[to.index()];
    if all { width } else { clocks.lines }
}

fn previous_writes(x: &Execution) -> Vec<Option<EventId>> {
    let mut previous = vec![None; x.len()];
    let mut last: Vec<Option<EventId>> = vec![None; x.location_count()];
    for thread in x.threads() {
        let events = x.thread_events(thread);
        for e in events.clone().map(EventId).filter(|&e| x.label(e).writes()) {
            let before = last[x.locs()[e.index()].index()].replace(e);
            previous[e.index()] = before.filter(|before| events.contains(&before.0));
        }
    }
    previous
}

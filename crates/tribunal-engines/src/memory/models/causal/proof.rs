//! Proofs of what observers have seen: paths in hb_o and in hb, with every derived edge as a lemma.

use super::base::{Base, NONE};
use super::view::Seen;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tribunal_history::memory::{EventId, ThreadId};
use tribunal_history::verdict::{Because, Cycle, Edge};

/// A base and what the observers saw that go by it: view after view, each in the order in which it was found.
pub(super) struct Line<'a> {
    pub base: &'a Base<'a>,
    pub seen: Vec<Seen>,
}

/// The edges seen that a path may use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    /// All: hb, and whb where there are two lines.
    All,
    /// Those of this line.
    Line(usize),
    /// None: the base of the first line, for the observer whose thread this is.
    Base(Option<ThreadId>),
    /// Those of this line that were found by the observer of this edge, before it: hb_o.
    Before(usize, usize),
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// By π of this line.
    Program(usize),
    Rf,
    /// By this edge of this line.
    Seen(usize, usize),
}

/// A proof in the making.
pub(super) struct Proof<'a> {
    lines: &'a [Line<'a>],
    /// For each line and write, the edges seen that lead to it.
    into: Vec<FxHashMap<EventId, Vec<usize>>>,
    /// The edges seen that paths use: line and index. [`Because::Lemma`] is an index in this list until the end.
    wanted: Vec<(usize, usize)>,
    numbers: FxHashMap<(usize, usize), usize>,
}

impl<'a> Proof<'a> {
    pub(super) fn new(lines: &'a [Line<'a>]) -> Self {
        let group = |line: &Line<'_>| {
            let mut into: FxHashMap<EventId, Vec<usize>> = FxHashMap::default();
            for (i, seen) in line.seen.iter().enumerate() {
                into.entry(seen.to).or_default().push(i);
            }
            into
        };
        let into = lines.iter().map(group).collect();
        Proof { lines, into, wanted: Vec::new(), numbers: FxHashMap::default() }
    }

    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// An edge that was seen.
    pub(super) fn seen(&mut self, line: usize, i: usize) -> Edge {
        let Seen { from, to, .. } = self.lines[line].seen[i];
        let next = self.wanted.len();
        let number = *self.numbers.entry((line, i)).or_insert(next);
        if number == next {
            self.wanted.push((line, i));
        }
        Edge { from, to, because: Because::Lemma(number) }
    }

    /// A path from one event of a thread to another, if there is one.
    pub(super) fn path(&mut self, from: EventId, to: EventId, scope: Scope) -> Option<Vec<Edge>> {
        let steps = self.steps(from, to, scope)?;
        let mut path: Vec<Edge> = Vec::new();
        let mut last = None;
        for (from, to, step) in steps {
            let edge = match step {
                Step::Rf => Edge { from, to, because: Because::Rf },
                Step::Seen(line, i) => self.seen(line, i),
                Step::Program(line) => {
                    let base = self.lines[line].base;
                    if let Some(edge) = path.last_mut()
                        && last == Some(step)
                        && base.keeps(edge.from, to)
                    {
                        edge.to = to;
                        continue;
                    }
                    Edge { from, to, because: base.because() }
                }
            };
            path.push(edge);
            last = Some(step);
        }
        Some(path)
    }

    /// A path with the fewest steps between threads. O(n) time.
    fn steps(&self, from: EventId, to: EventId, scope: Scope) -> Option<Vec<(EventId, EventId, Step)>> {
        let x = self.lines[0].base.x;
        let thread = |e| x.thread_of(e).expect("an event of a thread");
        let (lines, observer) = match scope {
            Scope::All => (0..self.lines.len(), 0..0),
            Scope::Line(line) => (line..line + 1, 0..0),
            Scope::Base(thread) => (0..1, thread.map_or(0..0, |thread| x.thread_events(thread))),
            Scope::Before(line, i) => {
                (line..line + 1, x.thread_events(thread(self.lines[line].seen[i].read)))
            }
        };
        let allowed = |i: usize, read: EventId| match scope {
            Scope::Before(_, last) => i < last && observer.contains(&read.0),
            Scope::Base(_) => false,
            Scope::All | Scope::Line(_) => true,
        };
        // Backward: how many steps between threads lead from each event to the goal, and the first step on the way.
        let mut distance = vec![u32::MAX; x.len()];
        let mut onward = vec![(to, Step::Rf); x.len()];
        let mut queue = VecDeque::from([(0, to)]);
        distance[to.index()] = 0;
        while let Some((so_far, e)) = queue.pop_front() {
            if so_far > distance[e.index()] {
                continue;
            }
            if e == from {
                let mut path = Vec::new();
                let mut at = from;
                while at != to {
                    let (next, step) = onward[at.index()];
                    path.push((at, next, step));
                    at = next;
                }
                return Some(path);
            }
            let mut reach = |before: u32, step: Step| {
                let far = so_far + u32::from(!matches!(step, Step::Program(_)));
                if before != NONE && far < distance[before as usize] {
                    distance[before as usize] = far;
                    onward[before as usize] = (e, step);
                    match far == so_far {
                        true => queue.push_front((far, EventId(before))),
                        false => queue.push_back((far, EventId(before))),
                    }
                }
            };
            for line in lines.clone() {
                let Line { base, seen } = &self.lines[line];
                base.program_before(e).into_iter().for_each(|before| reach(before, Step::Program(line)));
                reach(base.rf_seen_by(e, &observer), Step::Rf);
                for &i in self.into[line].get(&e).into_iter().flatten().filter(|&&i| allowed(i, seen[i].read))
                {
                    reach(seen[i].from.0, Step::Seen(line, i));
                }
            }
        }
        None
    }

    /// The cycle of these edges, with the lemmas that they depend on.
    pub(super) fn close(mut self, mut edges: Vec<Edge>) -> Cycle {
        let mut lemmas = Vec::new();
        while let Some(&(line, i)) = self.wanted.get(lemmas.len()) {
            let Seen { from, to, read } = self.lines[line].seen[i];
            let path =
                self.path(from, read, Scope::Before(line, i)).expect("the read was seen after the write");
            let because = Because::Seen { observer: self.observer(line, read), read, path };
            lemmas.push(Edge { from, to, because });
        }
        // An edge depends on edges of its line that were found before it.
        let mut order: Vec<usize> = (0..lemmas.len()).collect();
        order.sort_unstable_by_key(|&i| self.wanted[i]);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &i)| places[i] = place);
        lemmas.iter_mut().chain(&mut edges).for_each(|edge| renumber(edge, &places));
        let mut lemmas: Vec<Option<Edge>> = lemmas.into_iter().map(Some).collect();
        Cycle { lemmas: order.into_iter().filter_map(|i| lemmas[i].take()).collect(), edges }
    }

    /// The last read that is `read` or after it in its thread by π: that sees all that a read of the thread does.
    fn observer(&self, line: usize, read: EventId) -> EventId {
        let base = self.lines[line].base;
        let thread = base.x.thread_of(read).expect("an event of a thread");
        let later = (read.0..base.x.thread_events(thread).end).map(EventId).rev();
        let mut observers = later.filter(|&e| base.x.label(e).reads() && (e == read || base.keeps(read, e)));
        observers.next().expect("the read itself is one")
    }
}

/// Makes lemmas refer to their places.
fn renumber(edge: &mut Edge, places: &[usize]) {
    match &mut edge.because {
        Because::Lemma(i) => *i = places[*i],
        Because::Fr { premise } => renumber(premise, places),
        Because::Seen { path, .. } | Because::Read { path, .. } | Because::Coherence { path } => {
            path.iter_mut().for_each(|edge| renumber(edge, places));
        }
        _ => {}
    }
}

//! Small histories: a shape, and from which write each read reads.

use crate::shape::{MOST_EVENTS, Shape, Symmetry};
use std::ops::ControlFlow;
use tribunal_cat::relation::{SmallRelation as Relation, SmallSet as Set, small_members as members};

/// The source of an event that does not read.
const NO_SOURCE: u8 = u8::MAX;

/// A small history.
pub(super) struct History<'s> {
    pub shape: &'s Shape,
    sources: [u8; MOST_EVENTS],
    pub rf: Relation,
    /// The reads that have a source; all, in a history that is complete.
    pub resolved: Set,
}

impl<'s> History<'s> {
    /// Without a source for any read.
    pub fn unread(shape: &'s Shape) -> Self {
        History { shape, sources: [NO_SOURCE; MOST_EVENTS], rf: Relation::default(), resolved: 0 }
    }

    /// The write that an event reads from, if it reads.
    pub fn source(&self, event: usize) -> Option<usize> {
        self.sources.get(event).filter(|&&source| source != NO_SOURCE).map(|&source| source as usize)
    }

    /// Whether changing places makes the row of sources smaller. Sources of a row are compared as far as they are threads'
    /// events; initial writes, which go by the name of their location, all count the same.
    fn shrinks(&self, symmetry: &Symmetry) -> bool {
        let events = self.shape.events;
        let plain = |source: u8| if source as usize >= events { NO_SOURCE } else { source };
        let mut moved = [NO_SOURCE; MOST_EVENTS];
        for event in 0..events {
            let source = plain(self.sources[event]);
            moved[symmetry[event] as usize] = symmetry.get(source as usize).copied().unwrap_or(NO_SOURCE);
        }
        moved[..events].iter().copied().lt(self.sources[..events].iter().map(|&source| plain(source)))
    }
}

/// Calls `visit` with every history of a shape, once up to symmetry, except for those of which `hopeless` says so of a beginning, in
/// which some reads have no source yet.
///
/// With `needed_only`, histories are left out that no model allows or in which an event can go:
/// - No model lets a thread read from its own future, or what it has overwritten itself.
/// - A read of the initial write that begins a thread can come before all; an unread write that ends one, after all.
/// - A read right after another of the same write says nothing new.
pub(super) fn histories(
    shape: &Shape,
    needed_only: bool,
    hopeless: &impl Fn(&History<'_>) -> bool,
    visit: &mut impl FnMut(&History<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut choices = [0; MOST_EVENTS];
    for event in members(shape.facts.reads) {
        choices[event] = if needed_only { plausible(shape, event) } else { all_sources(shape, event) };
    }
    let mut history = History::unread(shape);
    resolve(&mut history, &choices, needed_only, shape.facts.reads, hopeless, visit)
}

/// The other writes of a read's location.
fn all_sources(shape: &Shape, read: usize) -> Set {
    shape.facts.accesses[shape.loc(read) as usize] & shape.facts.writes & !(1 << read)
}

/// The writes of other threads, and the thread's own last one, or else the initial one.
fn plausible(shape: &Shape, read: usize) -> Set {
    let all = all_sources(shape, read);
    let own = all & shape.facts.thread[read] & ((1 << read) - 1);
    let initial = 1 << (shape.events + shape.loc(read) as usize);
    let begins = shape.facts.thread[read].trailing_zeros() as usize == read;
    let here = match own {
        0 if begins && !shape.label(read).writes() => 0,
        0 => initial,
        own => 1 << own.ilog2(),
    };
    all & !shape.facts.thread[read] & !initial | here
}

fn resolve(
    history: &mut History<'_>,
    choices: &[Set; MOST_EVENTS],
    needed_only: bool,
    left: Set,
    hopeless: &impl Fn(&History<'_>) -> bool,
    visit: &mut impl FnMut(&History<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(read) = members(left).next() else {
        let needed = !needed_only || last_writes_are_read(history);
        let first = || !history.shape.symmetries.iter().any(|symmetry| history.shrinks(symmetry));
        return if needed && first() { visit(history) } else { ControlFlow::Continue(()) };
    };
    for source in members(choices[read]) {
        if needed_only && repeats(history, read, source) {
            continue;
        }
        history.sources[read] = source as u8;
        history.rf.insert(source, read);
        history.resolved |= 1 << read;
        let later = left & !(1 << read);
        if later == 0 || !hopeless(history) {
            resolve(history, choices, needed_only, later, hopeless, visit)?;
        }
        history.resolved &= !(1 << read);
        history.rf.0[source] &= !(1 << read);
    }
    history.sources[read] = NO_SOURCE;
    ControlFlow::Continue(())
}

/// Whether a plain read comes right after another of the same write, in its thread.
fn repeats(history: &History<'_>, read: usize, source: usize) -> bool {
    let facts = &history.shape.facts;
    let after = read > 0 && facts.thread[read] == facts.thread[read - 1];
    after
        && !history.shape.label(read).writes()
        && !history.shape.label(read - 1).writes()
        && history.source(read - 1) == Some(source)
}

fn last_writes_are_read(history: &History<'_>) -> bool {
    let shape = history.shape;
    shape.threads().all(|thread| {
        let last = thread.end - 1;
        shape.label(last).reads() || history.rf.0[last] != 0
    })
}

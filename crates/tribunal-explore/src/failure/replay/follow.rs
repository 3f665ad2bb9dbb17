//! Guiding an execution along a replay.

use super::text::ShowPath;
use super::{Kind, Origin, Paths, Readable, Replay, is_step};
use crate::graph::{Event, Graph, Source};
use crate::program::Place;
use crate::search::Guide;
use std::fmt;
use tribunal_history::memory::ThreadId;

/// The point at which a program differs from a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// After how many events.
    pub after: usize,
    /// The thread, as a path from the main thread.
    pub thread: String,
    /// The place in the source.
    pub place: Place,
    /// The step of the replay.
    pub expected: String,
    /// The step of the program.
    pub found: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { after, thread, place, expected, found } = self;
        write!(
            f,
            "the replay diverges after {after} events, in thread {thread} at {place}: {expected} expected, found {found}"
        )
    }
}

/// Guides an execution along a replay, as far as it goes.
#[derive(Clone, Debug)]
pub(super) struct Follow<'a> {
    replay: &'a Replay,
    /// By step, whether it is done or given up.
    done: Vec<bool>,
    /// The number of events that have been compared.
    seen: usize,
    paths: Paths,
    pub(super) divergence: Option<Divergence>,
    /// The other sources that reads could have had, as far as there is room.
    pub(super) others: Readable,
}

/// The number of steps that a thread may have lost for the next to be found.
const LOST: usize = 8;
/// The number of other sources of reads that are remembered.
const MOST_OTHERS: usize = 1 << 20;

impl<'a> Follow<'a> {
    pub(super) fn new(replay: &'a Replay) -> Self {
        let done = vec![false; replay.steps.len()];
        Follow { replay, done, seen: 0, paths: Paths::default(), divergence: None, others: Vec::new() }
    }

    /// The next step of a thread that is of a kind, and the next one of all.
    fn next(&self, thread: ThreadId, kind: Kind) -> (Option<usize>, Option<usize>) {
        let path = self.paths.path(thread);
        let steps = self.replay.steps.iter().enumerate();
        let mut own = steps.filter(|&(i, step)| !self.done[i] && step.thread == path);
        let first = own.next();
        let found = first.into_iter().chain(own.take(LOST)).find(|(_, step)| step.kind == kind);
        (found.map(|(i, _)| i), first.map(|(i, _)| i))
    }

    fn diverge(&mut self, event: &Event, after: usize, expected: String, found: String) {
        let thread = ShowPath(self.paths.path(event.thread)).to_string();
        let place = event.place;
        self.divergence.get_or_insert(Divergence { after, thread, place, expected, found });
    }

    /// Compares the events that have come.
    fn catch_up(&mut self, graph: &Graph) {
        self.paths.follow(graph);
        while let Some(event) = graph.events().get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            let Some(kind) = Kind::of(&event.action).filter(|_| is_step(event)) else { continue };
            if self.done.iter().all(|&done| done) {
                // What comes behind the replay is free, such as another look of a thread that waits in a loop.
                continue;
            }
            let (found, first) = self.next(event.thread, kind);
            if found != first || found.is_none() {
                let expected = first.map_or("nothing more", |i| self.replay.steps[i].kind.describe());
                self.diverge(event, at, expected.into(), kind.describe().into());
            }
            if let Some(found) = found {
                let path = self.paths.path(event.thread).to_vec();
                for (i, done) in self.done[..=found].iter_mut().enumerate() {
                    *done |= self.replay.steps[i].thread == path;
                }
            }
        }
    }

    /// The source that a step has, in an execution.
    fn resolve(&self, graph: &Graph, event: &Event, from: &Origin) -> Option<Source> {
        match from {
            Origin::Nothing => None,
            Origin::Init => Some(Source::Init),
            &Origin::Choice(choice) => Some(Source::Choice(choice)),
            Origin::Write(path, ordinal) => {
                let events = graph.thread(self.paths.thread(path)?).iter().copied();
                let mut writes = events.filter(|&id| {
                    let write = graph.event(id);
                    write.written.is_some() && write.loc() == event.loc()
                });
                writes.nth(*ordinal as usize).map(Source::Event)
            }
        }
    }

    /// The execution has ended: whether all steps were done.
    pub(super) fn end(&mut self, graph: &Graph) {
        self.catch_up(graph);
        if let Some(missing) = self.done.iter().position(|done| !done) {
            let step = &self.replay.steps[missing];
            let (thread, expected) = (ShowPath(&step.thread).to_string(), step.kind.describe().into());
            let after = graph.events().len();
            self.divergence.get_or_insert(Divergence {
                after,
                thread,
                place: Place::default(),
                expected,
                found: "the end".into(),
            });
        }
    }
}

impl Guide for &mut Follow<'_> {
    fn length(&self) -> Option<usize> {
        Some(self.replay.steps.len())
    }

    fn order(&mut self, threads: &mut Vec<ThreadId>, graph: &Graph) {
        self.catch_up(graph);
        let next = self.done.iter().position(|done| !done).map(|i| &self.replay.steps[i].thread);
        let Some(next) = next.or(self.replay.last.as_ref()) else { return };
        if let Some(at) = threads.iter().position(|&thread| self.paths.path(thread) == next.as_slice()) {
            threads[..=at].rotate_right(1);
        }
    }

    fn pick(&mut self, event: &Event, sources: &[Source], graph: &Graph) -> Source {
        let after = graph.events().len();
        let room = MOST_OTHERS.saturating_sub(self.others.len());
        self.others.extend(sources.iter().take(room).map(|&source| (after, source)));
        let default = sources.first().copied().unwrap_or(Source::Nothing);
        let Some(kind) = Kind::of(&event.action) else { return default };
        let (Some(step), _) = self.next(event.thread, kind) else { return default };
        let from = &self.replay.steps[step].from;
        match self.resolve(graph, event, from).filter(|source| sources.contains(source)) {
            Some(source) => source,
            None => {
                let expected = match from {
                    Origin::Nothing => "a source".to_string(),
                    Origin::Init => format!("{} from the initial write", kind.describe()),
                    Origin::Choice(choice) => format!("choice {choice}"),
                    Origin::Write(path, ordinal) => format!(
                        "{} from write {ordinal} of thread {} to the location",
                        kind.describe(),
                        ShowPath(path)
                    ),
                };
                self.diverge(event, after, expected, format!("{} that cannot", kind.describe()));
                default
            }
        }
    }
}

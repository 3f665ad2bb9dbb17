//! Replaying executions.

mod follow;
mod text;

use crate::explore::is_restart;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Program};
use crate::report::Guided;
use crate::search::guided;
use crate::{Failure, Options};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::memory::ThreadId;

pub use follow::Divergence;
use follow::Follow;
pub use text::BadReplay;

/// A thread: from the main thread down, which child it is.
pub(super) type Path = Vec<u32>;

/// Origin where an operation takes what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Nothing,
    Init,
    /// The write of a thread to the location, after so many others.
    Write(Path, u32),
    Choice(u32),
}

/// An operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) thread: Path,
    pub(super) kind: Kind,
    pub(super) from: Origin,
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Write,
    Update,
    Fence,
    Await,
    Lock,
    Spawn,
    Join,
    Choose,
    Drop,
    Tell,
    Receive,
    Clone,
}

impl Kind {
    const ALL: [(Kind, char, &str); 13] = [
        (Kind::Load, 'L', "a load"),
        (Kind::Write, 'W', "a store"),
        (Kind::Update, 'U', "a read-modify-write"),
        (Kind::Fence, 'F', "a fence"),
        (Kind::Await, 'A', "a wait"),
        (Kind::Lock, 'K', "a lock"),
        (Kind::Spawn, 'S', "a spawn"),
        (Kind::Join, 'J', "a join"),
        (Kind::Choose, 'C', "a choice"),
        (Kind::Drop, 'D', "a drop of a handle"),
        (Kind::Tell, 'T', "a send"),
        (Kind::Receive, 'R', "a receive"),
        (Kind::Clone, 'H', "a clone of a sender"),
    ];

    fn of(action: &Action) -> Option<Kind> {
        Some(match action {
            Action::Load { .. } => Kind::Load,
            Action::Store { .. } => Kind::Write,
            Action::Rmw { .. } => Kind::Update,
            Action::Fence { .. } => Kind::Fence,
            Action::Await { .. } => Kind::Await,
            Action::AwaitRmw { .. } => Kind::Lock,
            Action::Spawn => Kind::Spawn,
            Action::Join { .. } => Kind::Join,
            Action::Choose { .. } => Kind::Choose,
            Action::Release { .. } => Kind::Drop,
            Action::Send { .. } => Kind::Tell,
            Action::Receive { .. } => Kind::Receive,
            Action::Share { .. } => Kind::Clone,
            _ => return None,
        })
    }

    fn letter(self) -> char {
        Kind::ALL.iter().find(|(kind, ..)| *kind == self).map_or('?', |&(_, letter, _)| letter)
    }

    fn describe(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, ..)| *kind == self).map_or("?", |&(.., text)| text)
    }
}

/// An execution to replay: the order of threads, and the source of each read. Its text form:
///
/// `t1.m:SS.0:W.1:WLi.0:L1w0.m:J.1:` means: the main thread `m` spawns two threads; its first child `0` stores; `1` stores, and loads from the initial
/// write; `0` loads from the first store (`w0`) of `1` to the location; `m` joins; and then `1` continues, up to the failure.
///
/// A thread is identified by the path from the main thread, `0-1` being the second child of the first; a write by the number of earlier writes of its thread to
/// the location; an operation by its kind: `L`oad, `W`rite, `U`pdate, `F`ence, `A`wait, loc`K`, `S`pawn, `J`oin, `C`hoice, `D`rop, `T`ell (a send), `R`eceive, clone of a `H`andle. So a replay survives
/// edits that only change values, names, places and orders. Operations that were added or removed are skipped
/// if the following ones still match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub(super) steps: Vec<Step>,
    /// The thread that goes on at the end.
    pub(super) last: Option<Path>,
}

/// The ways to the threads of an execution, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    paths: Vec<Path>,
    /// By thread, how many threads it has made.
    children: Vec<u32>,
    /// The number of events that it knows of.
    seen: usize,
}

impl Paths {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut paths = Paths::default();
        paths.follow(graph);
        paths
    }

    /// Takes in the events that have come since.
    pub(super) fn follow(&mut self, graph: &Graph) {
        for event in &graph.events()[self.seen..] {
            if let Action::Spawn = event.action {
                let (parent, child) = (event.thread.index(), event.read as usize);
                let count = self.paths.len().max(child.max(parent) + 1);
                self.paths.resize(count, Path::new());
                self.children.resize(count, 0);
                let mut path = self.paths[parent].clone();
                path.push(self.children[parent]);
                self.children[parent] += 1;
                self.paths[child] = path;
            }
        }
        self.seen = graph.events().len();
    }

    pub(super) fn path(&self, thread: ThreadId) -> &[u32] {
        self.paths.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// The thread at the end of a path; the main thread has an empty one.
    pub(super) fn thread(&self, path: &[u32]) -> Option<ThreadId> {
        let at = self.paths.iter().position(|of| of == path);
        at.or(path.is_empty().then_some(0)).map(ThreadId::from_index)
    }
}

/// The number of writes to its location that the thread of a write made before it.
fn ordinal(graph: &Graph, write: EventId) -> u32 {
    let event = graph.event(write);
    let before = &graph.thread(event.thread)[..event.index as usize];
    let same = before.iter().map(|&id| graph.event(id));
    same.filter(|other| other.written.is_some() && other.loc() == event.loc()).count() as u32
}

pub(super) fn origin_of(graph: &Graph, paths: &Paths, source: Source) -> Origin {
    match source {
        Source::Nothing => Origin::Nothing,
        Source::Init => Origin::Init,
        Source::Choice(choice) => Origin::Choice(choice),
        Source::Event(write) => {
            Origin::Write(paths.path(graph.event(write).thread).to_vec(), ordinal(graph, write))
        }
    }
}

/// Whether an event is an operation that took place: not one that waits, nor a read that raced.
pub(super) fn is_step(event: &Event) -> bool {
    !event.waiting
        && Kind::of(&event.action).is_some()
        && !(event.is_read() && event.source == Source::Nothing)
}

impl Replay {
    /// The execution of a graph, or those of its events that are to be kept, after which a thread goes on.
    pub(super) fn of(graph: &Graph, last: Option<ThreadId>, keep: impl Fn(EventId) -> bool) -> Self {
        let events = (0..graph.events().len()).map(EventId::from_index);
        Replay::in_order(graph, last, events.filter(|&event| keep(event)))
    }

    /// These events of a graph, in this order.
    pub(super) fn in_order(
        graph: &Graph,
        last: Option<ThreadId>,
        events: impl Iterator<Item = EventId>,
    ) -> Self {
        let paths = Paths::of(graph);
        let steps = events.filter_map(|id| {
            let event = graph.event(id);
            let kind = Kind::of(&event.action).filter(|_| is_step(event))?;
            let from = match kind {
                Kind::Join => Origin::Nothing,
                _ => origin_of(graph, &paths, event.source),
            };
            Some(Step { thread: paths.path(event.thread).to_vec(), kind, from })
        });
        let steps: Vec<Step> = steps.collect();
        let last = last.map(|thread| paths.path(thread).to_vec());
        let last = last.or_else(|| steps.last().map(|step| step.thread.clone()));
        Replay { steps, last }
    }
}

impl Failure {
    /// The replay of the execution.
    pub fn replay(&self) -> Replay {
        Replay::of(&self.graph, self.thread, |_| true)
    }

    /// The same as text.
    pub fn replay_string(&self) -> String {
        self.replay().to_string()
    }
}

/// Replays an execution, and reports where the program differs, if it does.
///
/// The program runs only once, which is useful under a debugger.
pub fn replay<P: Program>(
    program: P,
    replay: &Replay,
    options: &Options,
) -> Result<(Guided, Option<Divergence>, P), NoSession> {
    let (guided, mut follow, program) = run(program, replay, options)?;
    follow.end(&guided.graph);
    Ok((guided, follow.divergence, program))
}

/// The sources that reads could have had: the number of a read's event, and a source.
pub(super) type Readable = Vec<(usize, Source)>;

/// The same, with what reads could have read besides.
pub(super) fn follow<P: Program>(
    program: P,
    replay: &Replay,
    options: &Options,
) -> Result<(Guided, Readable, P), NoSession> {
    let (guided, follow, program) = run(program, replay, options)?;
    Ok((guided, follow.others, program))
}

fn run<'a, P: Program>(
    mut program: P,
    replay: &'a Replay,
    options: &Options,
) -> Result<(Guided, Follow<'a>, P), NoSession> {
    loop {
        let mut follow = Follow::new(replay);
        let (found, used) = guided(program, &mut follow, options)?;
        if !found.failure.as_ref().is_some_and(is_restart) {
            return Ok((found, follow, used));
        }
        program = used;
    }
}

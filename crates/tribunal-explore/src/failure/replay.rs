//! Executions as a line of text, to be run again.
//!
//! `t1.m:SS.0:W.1:WLi.0:L1w0.m:JJ.1:` reads: the main thread `m` spawns twice; its first child `0` writes; `1` writes and loads from the
//! initial write; `0` loads from the first write (`w0`) of thread `1` to the location; `m` joins both; and then `1` goes on, where the failure is.
//! A thread is known by the way to it from the main thread, `0-1` being the second child of the first; a write by how many its thread made to
//! the location before; an operation by its kind. So a replay outlives what does not change these: other values, names, places, orders.

use crate::explore::is_restart;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Place, Program};
use crate::report::Guided;
use crate::search::{Guide, guided};
use crate::{Failure, Options};
use std::fmt;
use std::str::FromStr;
use tribunal::memory::ThreadId;
use tribunal::session::NoSession;

/// A thread: from the main thread down, which child it is.
pub(super) type Path = Vec<u32>;

/// From where an operation takes what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum From {
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
    pub(super) from: From,
}

/// What an operation does.
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
}

impl Kind {
    const ALL: [(Kind, char, &str); 10] = [
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

/// An execution to be run again. See [`self`](crate::failure) for its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub(super) steps: Vec<Step>,
    /// Who goes on at the end.
    pub(super) last: Option<Path>,
}

/// The ways to the threads of an execution, by their numbers.
pub(super) fn paths(graph: &Graph) -> Vec<Path> {
    let mut paths: Vec<Path> = vec![Path::new()];
    let mut children: Vec<u32> = vec![0];
    for event in graph.events() {
        if let Action::Spawn = event.action {
            let (parent, child) = (event.thread.index(), event.read as usize);
            if paths.len() <= child.max(parent) {
                paths.resize(child.max(parent) + 1, Path::new());
                children.resize(paths.len(), 0);
            }
            let mut path = paths[parent].clone();
            path.push(children[parent]);
            children[parent] += 1;
            paths[child] = path;
        }
    }
    paths
}

/// How many writes to its location the thread of a write made before it.
fn ordinal(graph: &Graph, write: EventId) -> u32 {
    let event = graph.event(write);
    let before = &graph.thread(event.thread)[..event.index as usize];
    let same = before.iter().map(|&id| graph.event(id));
    same.filter(|other| other.written.is_some() && other.loc() == event.loc()).count() as u32
}

pub(super) fn from_of(graph: &Graph, paths: &[Path], source: Source) -> From {
    match source {
        Source::Nothing => From::Nothing,
        Source::Init => From::Init,
        Source::Choice(choice) => From::Choice(choice),
        Source::Event(write) => {
            let thread = graph.event(write).thread.index();
            From::Write(paths.get(thread).cloned().unwrap_or_default(), ordinal(graph, write))
        }
    }
}

/// Whether an event is an operation that took place: not one that waits, nor a read that raced.
pub(super) fn is_step(event: &Event) -> bool {
    !event.waiting && Kind::of(&event.action).is_some() && !(event.is_read() && event.source == Source::Nothing)
}

impl Replay {
    /// The execution of a graph, or those of its events that are to be kept, after which a thread goes on.
    pub(super) fn of(graph: &Graph, last: Option<ThreadId>, keep: impl Fn(EventId) -> bool) -> Self {
        let paths = paths(graph);
        let path = |thread: ThreadId| paths.get(thread.index()).cloned().unwrap_or_default();
        let steps = graph.events().iter().enumerate().filter_map(|(i, event)| {
            let kind = Kind::of(&event.action).filter(|_| is_step(event) && keep(EventId(i as u32)))?;
            let from = match kind {
                Kind::Join => From::Nothing,
                _ => from_of(graph, &paths, event.source),
            };
            Some(Step { thread: path(event.thread), kind, from })
        });
        Replay { steps: steps.collect(), last: last.map(path) }
    }
}

impl Failure {
    /// The execution, to be run again.
    pub fn replay(&self) -> Replay {
        Replay::of(&self.graph, self.thread, |_| true)
    }

    /// The same as text.
    pub fn replay_string(&self) -> String {
        self.replay().to_string()
    }
}

struct ShowPath<'a>(&'a [u32]);

impl fmt::Display for ShowPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "m"),
            [first, rest @ ..] => {
                write!(f, "{first}")?;
                rest.iter().try_for_each(|child| write!(f, "-{child}"))
            }
        }
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t1")?;
        let mut thread: Option<&Path> = None;
        for step in &self.steps {
            if thread != Some(&step.thread) {
                write!(f, ".{}:", ShowPath(&step.thread))?;
                thread = Some(&step.thread);
            }
            write!(f, "{}", step.kind.letter())?;
            match &step.from {
                From::Nothing => Ok(()),
                From::Init => write!(f, "i"),
                From::Write(path, ordinal) => write!(f, "{}w{ordinal}", ShowPath(path)),
                From::Choice(choice) => write!(f, "{choice}"),
            }?;
        }
        match &self.last {
            Some(last) if thread != Some(last) => write!(f, ".{}:", ShowPath(last)),
            _ => Ok(()),
        }
    }
}

/// A text that is no replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a replay: {expected} expected at character {at}, found {found:?}")]
pub struct BadReplay {
    /// Where, from 1.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

/// What is left of a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn refuse<T>(&self, expected: &'static str) -> Result<T, BadReplay> {
        let at = self.text[..self.at].chars().count() + 1;
        Err(BadReplay { at, expected, found: self.rest().chars().take(12).collect() })
    }

    fn eat(&mut self, token: char) -> bool {
        let eats = self.rest().starts_with(token);
        self.at += if eats { token.len_utf8() } else { 0 };
        eats
    }

    fn number(&mut self) -> Result<u32, BadReplay> {
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[..digits].parse() {
            Ok(number) => {
                self.at += digits;
                Ok(number)
            }
            Err(_) => self.refuse("a number"),
        }
    }

    fn path(&mut self) -> Result<Path, BadReplay> {
        if self.eat('m') {
            return Ok(Path::new());
        }
        if !self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.refuse("a thread, such as m or 0-1,");
        }
        let mut path = vec![self.number()?];
        while self.eat('-') {
            path.push(self.number()?);
        }
        Ok(path)
    }

    fn from(&mut self, kind: Kind) -> Result<From, BadReplay> {
        if let Kind::Choose | Kind::Drop = kind {
            return self.number().map(From::Choice);
        }
        if self.eat('i') {
            return Ok(From::Init);
        }
        if !self.rest().starts_with(|c: char| c == 'm' || c.is_ascii_digit()) {
            return Ok(From::Nothing);
        }
        let path = self.path()?;
        match self.eat('w') {
            true => Ok(From::Write(path, self.number()?)),
            false => self.refuse("w"),
        }
    }
}

impl FromStr for Replay {
    type Err = BadReplay;

    fn from_str(text: &str) -> Result<Self, BadReplay> {
        let text = text.trim();
        let mut cursor = Cursor { text, at: 0 };
        if !(cursor.eat('t') && cursor.eat('1')) {
            cursor.at = 0;
            return cursor.refuse("t1");
        }
        let (mut steps, mut last) = (Vec::new(), None);
        while !cursor.rest().is_empty() {
            if !cursor.eat('.') {
                return cursor.refuse("`.` or an operation");
            }
            let thread = cursor.path()?;
            if !cursor.eat(':') {
                return cursor.refuse("`:`");
            }
            last = Some(thread.clone());
            while let Some(&(kind, letter, _)) =
                Kind::ALL.iter().find(|(_, letter, _)| cursor.rest().starts_with(*letter))
            {
                cursor.eat(letter);
                steps.push(Step { thread: thread.clone(), kind, from: cursor.from(kind)? });
            }
        }
        Ok(Replay { steps, last })
    }
}

/// Where a program does something else than a replay says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// After how many events.
    pub after: usize,
    /// Whose operation: the way to the thread from the main thread.
    pub thread: String,
    /// Where it stands in the source.
    pub place: Place,
    /// What the replay has.
    pub expected: String,
    /// What the program does.
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
    /// How many events have been compared.
    seen: usize,
    paths: Vec<Path>,
    pub(super) divergence: Option<Divergence>,
    /// What each read could have read besides, by the number of its event.
    pub(super) others: Vec<(usize, Vec<From>)>,
}

/// How many steps a thread may have lost for the next to be found.
const LOST: usize = 8;

impl<'a> Follow<'a> {
    pub(super) fn new(replay: &'a Replay) -> Self {
        let done = vec![false; replay.steps.len()];
        Follow { replay, done, seen: 0, paths: Vec::new(), divergence: None, others: Vec::new() }
    }

    fn path(&self, thread: ThreadId) -> &[u32] {
        self.paths.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// The next step of a thread that is of a kind, and the next one of all.
    fn next(&self, thread: ThreadId, kind: Kind) -> (Option<usize>, Option<usize>) {
        let path = self.path(thread);
        let steps = self.replay.steps.iter().enumerate();
        let mut own = steps.filter(|&(i, step)| !self.done[i] && step.thread == path);
        let first = own.next();
        let found = first.into_iter().chain(own.take(LOST)).find(|(_, step)| step.kind == kind);
        (found.map(|(i, _)| i), first.map(|(i, _)| i))
    }

    fn diverge(&mut self, event: &Event, after: usize, expected: String, found: String) {
        let thread = ShowPath(self.path(event.thread)).to_string();
        let place = event.place;
        self.divergence.get_or_insert(Divergence { after, thread, place, expected, found });
    }

    /// Compares the events that have come.
    fn catch_up(&mut self, graph: &Graph) {
        if self.seen < graph.events().len() || self.paths.is_empty() {
            self.paths = paths(graph);
        }
        while let Some(event) = graph.events().get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            let Some(kind) = Kind::of(&event.action).filter(|_| is_step(event)) else { continue };
            let (found, first) = self.next(event.thread, kind);
            if found != first || found.is_none() {
                let expected = first.map_or("nothing more", |i| self.replay.steps[i].kind.describe());
                self.diverge(event, at, expected.into(), kind.describe().into());
            }
            if let Some(found) = found {
                let path = self.path(event.thread).to_vec();
                for (i, done) in self.done[..=found].iter_mut().enumerate() {
                    *done |= self.replay.steps[i].thread == path;
                }
            }
        }
    }

    /// The source that a step has, in an execution.
    fn resolve(&self, graph: &Graph, event: &Event, from: &From) -> Option<Source> {
        match from {
            From::Nothing => None,
            From::Init => Some(Source::Init),
            &From::Choice(choice) => Some(Source::Choice(choice)),
            From::Write(path, ordinal) => {
                let thread = self.paths.iter().position(|of| of == path)?;
                let events = graph.thread(ThreadId::from_index(thread)).iter().copied();
                let mut writes = events.filter(|&id| {
                    let write = graph.event(id);
                    write.written.is_some() && write.loc() == event.loc()
                });
                writes.nth(*ordinal as usize).map(Source::Event)
            }
        }
    }

    /// The execution has ended: whether all steps were done.
    fn end(&mut self, graph: &Graph) {
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
    fn order(&mut self, threads: &mut Vec<ThreadId>, graph: &Graph) {
        self.catch_up(graph);
        let next = self.done.iter().position(|done| !done).map(|i| &self.replay.steps[i].thread);
        let Some(next) = next.or(self.replay.last.as_ref()) else { return };
        if let Some(at) = threads.iter().position(|&thread| self.path(thread) == next.as_slice()) {
            threads[..=at].rotate_right(1);
        }
    }

    fn pick(&mut self, event: &Event, sources: &[Source], graph: &Graph) -> Source {
        let after = graph.events().len();
        let froms: Vec<From> = sources.iter().map(|&source| from_of(graph, &self.paths, source)).collect();
        self.others.push((after, froms));
        let default = sources.first().copied().unwrap_or(Source::Nothing);
        let Some(kind) = Kind::of(&event.action) else { return default };
        let (Some(step), _) = self.next(event.thread, kind) else { return default };
        let from = &self.replay.steps[step].from;
        match self.resolve(graph, event, from).filter(|source| sources.contains(source)) {
            Some(source) => source,
            None => {
                let expected = match from {
                    From::Nothing => "a source".to_string(),
                    From::Init => format!("{} from the initial write", kind.describe()),
                    From::Choice(choice) => format!("choice {choice}"),
                    From::Write(path, ordinal) => format!(
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

/// Runs an execution again, and says where the program does something else, if it does.
///
/// To see one under a debugger: the program is run once, with nothing else to try.
pub fn replay<P: Program>(
    program: P,
    replay: &Replay,
    options: &Options,
) -> Result<(Guided, Option<Divergence>, P), NoSession> {
    let (guided, mut follow, program) = run(program, replay, options)?;
    follow.end(&guided.graph);
    Ok((guided, follow.divergence, program))
}

/// The same, with what each read could have read besides.
pub(super) fn follow<P: Program>(
    program: P,
    replay: &Replay,
    options: &Options,
) -> Result<(Guided, Vec<(usize, Vec<From>)>, P), NoSession> {
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

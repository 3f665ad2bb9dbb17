//! What is to be tried instead of what a run did, and the graph from which that begins.

use super::lock::{handed, is_free_for};
use super::memory::Memory;
use super::run::Worker;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Program};
use std::sync::Arc;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::Model;

/// Something to be tried.
#[derive(Clone, Copy, Debug)]
pub(super) enum Try {
    /// The event at `at` takes from another source.
    Forward { at: EventId, source: Source },
    /// `read` reads from the write at `at`, which itself reads from `source`.
    Backward { at: EventId, source: Source, read: EventId },
    /// The handle given up at `at` was the last; `release` is to be the last instead.
    Last { at: EventId, release: EventId },
    /// The lock that `wait` waits for is taken, from this write, its last.
    Free { source: Source, wait: EventId },
    /// The wait at `at` times out; see [`wait`](super::wait).
    Timeout { at: EventId },
    /// All stays: what was [left](super::stale) is gone on with.
    GoOn,
    /// The last sender of a channel is dropped at `at`; `receive`, which found the channel empty, is to come after that.
    Disconnect { at: EventId, receive: EventId },
}

/// Something to be tried, in the execution of the run that found it.
pub(super) struct Item {
    pub(super) trace: Arc<Graph>,
    pub(super) attempt: Try,
    /// Where it stands among all.
    pub(super) path: Arc<Path>,
}

/// Where a run stands in the order in which one worker would do all of them.
#[derive(Debug, Default)]
pub(super) struct Path {
    parent: Option<Arc<Path>>,
    /// The later something is found, the earlier it is done.
    found: u32,
    depth: u32,
}

impl Item {
    /// Whether it is done before another one by a single worker.
    pub(super) fn order(&self, other: &Item) -> std::cmp::Ordering {
        let (steps, others) = (self.path.steps(), other.path.steps());
        steps.iter().map(std::cmp::Reverse).cmp(others.iter().map(std::cmp::Reverse))
    }
}

impl Path {
    pub(super) fn child(parent: &Arc<Path>, found: u32) -> Arc<Path> {
        Arc::new(Path { parent: Some(parent.clone()), found, depth: parent.depth + 1 })
    }

    /// What was found at each step, from the first run on.
    pub(super) fn steps(&self) -> Vec<u32> {
        let mut steps = Vec::with_capacity(self.depth as usize);
        let mut path = self;
        while let Some(parent) = &path.parent {
            steps.push(path.found);
            path = parent;
        }
        steps.reverse();
        steps
    }

    /// Whether this run comes before the other.
    pub(super) fn is_before(&self, other: &Path) -> bool {
        let (steps, others) = (self.steps(), other.steps());
        steps.iter().map(std::cmp::Reverse).lt(others.iter().map(std::cmp::Reverse))
    }
}

impl Drop for Path {
    /// One after the other: the way up may be long.
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut path) = parent.and_then(Arc::into_inner) {
            parent = path.parent.take();
        }
    }
}

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Adds an event to the execution, and what it makes possible to what is to be tried. Says whether the model lets it.
    pub(super) fn add(&mut self, event: Event) -> bool {
        let id = EventId(self.graph.len() as u32);
        if !self.push(event) {
            return false;
        }
        if self.guide.is_none() {
            self.revisit(id);
            self.disconnect(id);
        }
        true
    }

    /// The write at `id` tries every read of its location that is not before it.
    pub(super) fn revisit(&mut self, id: EventId) {
        let event = self.graph.event(id);
        let (Some(loc), Some(value)) = (event.loc(), event.written) else { return };
        let has_races = self.memory.has_races();
        let mut frees = false;
        for &read in &self.graph.accesses(loc).reads {
            if read == id || self.graph.is_before(read, id) {
                continue;
            }
            let reader = self.graph.event(read);
            if self.graph.is_settled(reader) {
                continue;
            }
            // A plain read that is not before the write races with it, and that ends the execution.
            let races = has_races && reader.is_plain();
            let is_before = |other| other != id && self.graph.is_before(other, id);
            let useful = !races && self.is_useful(reader, value, event, is_before);
            if useful {
                if reader.of_lock && reader.waiting {
                    frees = true;
                    continue;
                }
                let tries = if is_tried(reader) { &mut self.todo } else { &mut self.held };
                tries.push(Try::Backward { at: id, source: event.source, read });
            }
        }
        if frees {
            self.free_waiting();
        }
    }

    /// The drop of a channel's last sender tries every receive that found the channel empty.
    fn disconnect(&mut self, id: EventId) {
        let Action::Release { loc, .. } = self.graph.event(id).action else { return };
        let accesses = self.graph.accesses(loc);
        if !self.graph.is_disconnected(loc) {
            return;
        }
        for &receive in &accesses.reads {
            let event = self.graph.event(receive);
            let finds_empty = matches!(event.action, Action::Receive { .. })
                && event.written.is_some()
                && !self.graph.is_settled(event);
            if finds_empty && !accesses.releases.iter().any(|&release| self.graph.is_before(receive, release))
            {
                let tries = if event.explored { &mut self.todo } else { &mut self.held };
                tries.push(Try::Disconnect { at: id, receive });
            }
        }
    }

    /// Whether it is worth trying that a read reads from a write of this value; `is_before` says what is before the write. One that waits is to go on. One that goes on
    /// is to wait behind the write, unless that was tried when it was added, or is by a write before this one.
    fn is_useful(
        &self,
        reader: &Event,
        value: u64,
        write: &Event,
        is_before: impl Fn(EventId) -> bool,
    ) -> bool {
        let goes_on = match reader.action {
            Action::Await { until, .. } => until.of(value),
            Action::AwaitRmw { update, .. } => update.of(value).is_some(),
            Action::Receive { after, .. } => {
                return value == after + 1 && matches!(write.action, Action::Send { .. });
            }
            _ => return true,
        };
        goes_on
            || !reader.waiting
                && (reader.of_lock || !reader.might_wait && !self.later_useless(reader).any(is_before))
    }

    /// An RMW would read what another one reads already: what it makes possible if that one goes.
    pub(super) fn revisit_from_taken(&mut self, event: &Event, source: Source, taken_by: EventId) {
        let at = EventId(self.graph.len() as u32);
        let Some(loc) = event.loc() else { return };
        let before = |graph: &Graph, other: &Event| {
            graph.before_next(event.thread, other.thread) > other.index
                || matches!(source, Source::Event(from) if graph.has_before(other, from))
        };
        let taker = self.graph.event(taken_by);
        if before(&self.graph, taker) {
            return;
        }
        let mut written = event.clone();
        self.redirect(&mut written, source);
        let Some(value) = written.written else { return };
        for &read in &self.graph.accesses(loc).reads {
            let reader = self.graph.event(read);
            // Of those that take the lock, the one that took it from there goes.
            let other = reader.awaits_lock() && read != taken_by;
            if other
                || before(&self.graph, reader)
                || reader.stamp > taker.time()
                || self.graph.is_settled(reader)
            {
                continue;
            }
            let is_before = |other| before(&self.graph, self.graph.event(other));
            let useful = self.is_useful(reader, value, &written, is_before);
            if useful {
                let tries = if is_tried(reader) { &mut self.todo } else { &mut self.held };
                tries.push(Try::Backward { at, source, read });
            }
        }
    }

    /// Makes the worker's graph the one from which a try begins; what it can lead to is added to what is to be tried. Says whether
    /// it is to be tried at all.
    pub(super) fn install(&mut self, trace: &Graph, attempt: Try) -> bool {
        self.held.clear();
        self.frees = false;
        for event in trace.events() {
            self.threads.learn(event.thread);
            if matches!(event.action, Action::Spawn) {
                // It need not have begun.
                self.threads.learn(ThreadId::from_index(event.read as usize));
            }
        }
        let installed = self.install_try(trace, attempt);
        if installed && !self.frees {
            self.free_waiting();
        }
        installed
    }

    fn install_try(&mut self, trace: &Graph, attempt: Try) -> bool {
        match attempt {
            Try::Forward { at, source } => {
                if !self.adopt(&trace.events()[..at.index()]) {
                    return false;
                }
                let mut event = trace.event(at).clone();
                self.redirect(&mut event, source);
                self.add(event)
            }
            Try::Backward { at, source, read } => self.install_backward(trace, at, source, read),
            Try::Disconnect { at, receive } => self.install_disconnected(trace, at, receive),
            Try::Last { at, release } => {
                let Some(parted) = self.part(trace, at, Source::Choice(0), release) else {
                    return false;
                };
                if !self.prefers(parted, Vec::new()) {
                    return false;
                }
                let mut last = trace.event(at).clone();
                last.source = Source::Choice(0);
                let mut claimed = trace.event(release).clone();
                claimed.source = Source::Choice(2);
                claimed.waiting = true;
                self.push(last) && self.push(claimed)
            }
            Try::Free { source, wait } => self.install_freed(trace, source, wait),
            Try::Timeout { at } => self.install_timeout(trace, at),
            Try::GoOn => self.adopt(trace.events()),
        }
    }

    fn install_disconnected(&mut self, trace: &Graph, at: EventId, receive: EventId) -> bool {
        let Some(parted) = self.part(trace, at, Source::Choice(1), receive) else { return false };
        if !self.prefers(parted, Vec::new()) {
            return false;
        }
        let mut receive = trace.event(receive).clone();
        if !self.push(trace.event(at).clone()) {
            return false;
        }
        self.redirect(&mut receive, Source::Choice(1));
        self.add(receive)
    }

    fn install_backward(&mut self, trace: &Graph, at: EventId, source: Source, read: EventId) -> bool {
        let Some(parted) = self.part(trace, at, source, read) else { return false };
        let (mut write, mut read) = (trace.event(at).clone(), trace.event(read).clone());
        let handed = handed(trace, at, source);
        let source = self.kept_source(source);
        let reads = self.read_part(&write, source);
        self.handed = handed.map(|(since, loc)| (since, loc, source));
        let prefers = self.prefers(parted, reads);
        self.handed = None;
        if !prefers {
            return false;
        }
        self.redirect(&mut write, source);
        let from = Source::Event(EventId(self.graph.len() as u32));
        if !self.push(write) {
            return false;
        }
        read.write_stamp = trace.event(at).write_stamp + 1;
        self.redirect(&mut read, from);
        // If it is an RMW, what it writes is new.
        self.add(read)
    }

    /// A wait times out: all events stay, except for those that wait, which are to wait again.
    fn install_timeout(&mut self, trace: &Graph, at: EventId) -> bool {
        let events = trace.events();
        self.new_places.clear();
        let mut place = 0;
        for event in events {
            self.new_places.push(place);
            place += u32::from(!event.waiting);
        }
        let mut kept: Vec<Event> = events.iter().filter(|event| !event.waiting).cloned().collect();
        kept.iter_mut().for_each(|event| event.source = self.kept_source(event.source));
        let mut wait = trace.event(at).clone();
        self.redirect(&mut wait, Source::Choice(0));
        let stamp = events.iter().map(|event| event.write_stamp + 1).max().unwrap_or(0);
        (wait.stamp, wait.write_stamp) = (stamp, stamp);
        self.adopt(&kept) && self.push(wait)
    }

    /// What an RMW does before it writes: it reads. Under tso, which keeps what is before an RMW before it, but not what is before a read, behind a fence.
    fn read_part(&self, write: &Event, source: Source) -> Vec<Event> {
        let (loc, order) = match write.action {
            Action::Rmw { loc, order, .. } | Action::AwaitRmw { loc, order, .. } => (loc, order),
            Action::Send { loc, .. } | Action::Receive { loc, .. } => (loc, Order::AcqRel),
            _ => return Vec::new(),
        };
        // It may wait in the run that found the try; here it reads.
        let part = |action, source| Event { action, source, written: None, waiting: false, ..write.clone() };
        let read = part(Action::Load { loc, order }, source);
        let fence = part(Action::Fence { order: Order::SeqCst }, Source::Nothing);
        match self.options.model {
            Model::Tso => vec![fence, read],
            _ => vec![read],
        }
    }

    /// Parts what came before the event at `at`, with its source, into what stays if `read` reads from it and what goes, in the
    /// order of stamps. None if something that stays depends on what goes.
    fn part(&mut self, trace: &Graph, at: EventId, source: Source, read: EventId) -> Option<Parted> {
        let events = &trace.events()[..at.index()];
        let write = trace.event(at);
        let since = trace.event(read).time();
        let in_prefix = |event: &Event| {
            trace.is_before_next(event, write)
                || match (source, &write.action) {
                    (Source::Event(from), _) => trace.has_before(event, from),
                    (Source::Choice(1), &Action::Release { loc, .. }) => {
                        let mut releases = trace.accesses(loc).releases.iter();
                        releases.any(|&release| trace.has_before(event, release))
                    }
                    _ => false,
                }
        };
        self.new_places.clear();
        let mut place = 0;
        self.new_places.extend(events.iter().map(|event| {
            let stays = event.time() < since || in_prefix(event);
            let new = if stays { place } else { u32::MAX };
            place += u32::from(stays);
            new
        }));
        let stays = |event: EventId| self.new_places[event.index()] != u32::MAX;
        // When it is added again: who takes a lock need not wait for what stays.
        let time = |event: &Event| match event.source {
            Source::Event(from) if !stays(from) => event.time(),
            _ => event.stamp.max(since),
        };
        // A read that is revisited has its source later than its place.
        let is_before = |event: &Event, from: &Event| match from.has_waited() {
            true => (time(event), event.stamp) < (time(from), from.stamp),
            false => event.time() < from.write_stamp,
        };
        for (event, &place) in events.iter().zip(&self.new_places) {
            match (event.source, &event.action) {
                (Source::Event(from), _) if !stays(from) && is_before(event, trace.event(from)) => {
                    return None;
                }
                (Source::Choice(2), &Action::Release { loc, .. }) if place != u32::MAX => {
                    let mut releases = trace.accesses(loc).releases.iter();
                    if releases.any(|&release| release.index() < at.index() && !stays(release)) {
                        return None;
                    }
                }
                (Source::Choice(1), &Action::Receive { loc, .. }) => {
                    let mut releases = trace.accesses(loc).releases.iter();
                    if releases.any(|&release| {
                        release.index() < at.index()
                            && !stays(release)
                            && event.stamp < trace.event(release).stamp
                    }) {
                        return None;
                    }
                }
                _ => {}
            }
        }
        // Who waits for a lock that is free, or was before the write took it, was about to take it.
        let free_until = at.index() + usize::from(!write.took_lock());
        let goes =
            |&event: &u32| !stays(EventId(event)) && !is_free_for(&events[event as usize], trace, free_until);
        let mut order: Vec<u32> = (0..events.len() as u32).filter(goes).collect();
        order.sort_by_key(|&event| (time(&events[event as usize]), events[event as usize].stamp));
        // Whoever came to a lock before another one, and could take it, takes it before.
        let is_overtaking = |&event: &u32| {
            let taker = &events[event as usize];
            let mut others = (0..).zip(events).filter(|&(i, other)| other.waiting || !stays(EventId(i)));
            let waits = |other: &Event| other.waiting || time(other) > time(taker);
            taker.took_lock() && others.any(|(_, other)| waits(other) && other.might_overtake(taker))
        };
        if order.iter().any(is_overtaking) {
            return None;
        }
        let times: Vec<u32> = order.iter().map(|&event| time(&events[event as usize])).collect();
        let staying = events.iter().zip(&self.new_places).filter(|&(_, &place)| place != u32::MAX);
        let mut kept: Vec<Event> = staying.map(|(event, _)| event.clone()).collect();
        // What goes is put behind what stays, and behind what the write reads, for a while.
        place += self.read_part(write, source).len() as u32;
        for &event in &order {
            self.new_places[event as usize] = place;
            place += 1;
        }
        let (mut rest, mut waiting) = (Vec::with_capacity(order.len()), Vec::new());
        for (event, time) in order.into_iter().zip(times) {
            let event = &events[event as usize];
            if event.has_waited() {
                let waits = self.waiting(event.clone());
                if event.stamp < since
                    && (event.thread, event.index) != (trace.event(read).thread, trace.event(read).index)
                {
                    waiting.push(waits.clone());
                }
                let came = event.stamp.max(since);
                if time > came {
                    rest.push(Again { time: came, event: waits, waited: true });
                }
            }
            let event = Event { source: self.kept_source(event.source), ..event.clone() };
            rest.push(Again { time, event, waited: false });
        }
        rest.sort_by_key(|again| (again.time, again.event.stamp));
        for event in &mut kept {
            event.source = self.kept_source(event.source);
        }
        Some(Parted { kept, waiting, rest })
    }

    pub(super) fn kept_source(&self, source: Source) -> Source {
        match source {
            Source::Event(event) => Source::Event(EventId(self.new_places[event.index()])),
            source => source,
        }
    }

    /// Makes the graph what is kept; says whether all the rest, added again one by one, takes what it prefers.
    /// An RMW that is to be read from has read already.
    fn prefers(&mut self, parted: Parted, read: Vec<Event>) -> bool {
        let Parted { kept, waiting, rest } = parted;
        let last = rest.len() - 1;
        let mut all = self.adopt(&kept) && read.into_iter().all(|part| self.push(part));
        for (i, Again { time, event, waited }) in rest.into_iter().enumerate() {
            all = all
                && self.poll().is_none()
                && self.takes_preferred(&event, time)
                && (i == last || waited || self.push(event));
            if !all {
                break;
            }
        }
        self.truncate(kept.len());
        all && waiting.into_iter().all(|event| self.push(event))
    }

    fn takes_preferred(&mut self, event: &Event, time: u32) -> bool {
        match event.source {
            _ if matches!(event.action, Action::Receive { .. }) => {
                self.messages(event).first() == Some(&event.source)
            }
            Source::Choice(choice) => match event.action {
                Action::Release { .. } => choice != 2,
                _ => choice == 0,
            },
            _ if event.waiting => {
                self.preferred(event, time) == Some(Source::Nothing) && self.is_first_behind(event)
            }
            _ if event.is_read() => self.preferred(event, time) == Some(event.source),
            _ => true,
        }
    }

    /// What an event that reads prefers to read from, were it added now. If there is nothing that lets it go on, it waits.
    pub(super) fn preferred(&mut self, event: &Event, time: u32) -> Option<Source> {
        let loc = event.loc()?;
        let handed =
            self.handed.filter(|&(stamp, of, _)| of == loc && stamp < time).map(|(.., source)| source);
        let mut writes = std::mem::take(&mut self.preference);
        self.by_preference(loc, &mut writes);
        let found = writes.iter().copied().find(|&source| {
            let is_gone = handed == Some(source) && self.taking(event, source).is_some_and(|(_, rmw)| rmw);
            !is_gone && self.may_take(event, source)
        });
        self.preference = writes;
        found.or(match event.action {
            Action::Await { .. } | Action::AwaitRmw { .. } => Some(Source::Nothing),
            _ => None,
        })
    }

    /// The writes of a location, those that are preferred first.
    pub(super) fn by_preference(&self, loc: LocId, writes: &mut Vec<Source>) {
        writes.clear();
        writes.extend(self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write)));
        writes.push(Source::Init);
        self.sort_by_preference(writes);
    }

    pub(super) fn sort_by_preference(&self, writes: &mut [Source]) {
        let (graph, threads) = (&self.graph, &self.threads);
        writes.sort_unstable_by(|&a, &b| match (a, b) {
            (Source::Event(a), Source::Event(b)) => {
                let (a, b) = (graph.event(a), graph.event(b));
                threads.compare(b.thread, a.thread).then(b.index.cmp(&a.index))
            }
            (Source::Event(_), _) => std::cmp::Ordering::Less,
            (_, Source::Event(_)) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        });
    }
}

/// What came before a write that revisits, in two parts.
struct Parted {
    /// What stays.
    kept: Vec<Event>,
    /// What stays, but waits again for a lock that it had taken.
    waiting: Vec<Event>,
    /// What goes, in the order in which it came.
    rest: Vec<Again>,
}

/// An event that goes, and is added again.
struct Again {
    time: u32,
    event: Event,
    /// It has come, and waits until it is added.
    waited: bool,
}

/// Whether a read is to read something else. One that waits has to, or it is the end of its thread.
fn is_tried(reader: &Event) -> bool {
    reader.explored || reader.waiting
}

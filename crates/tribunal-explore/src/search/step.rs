//! A step: the event of a request, and what else it might have read.

use super::memory::Memory;
use super::revisit::Try;
use super::run::{Failed, Worker, effect};
use crate::graph::{Event, EventId, Source, sent};
use crate::program::{Action, Program, Request, Waits};
use crate::report::Problem;
use tribunal_history::memory::{LocId, Order, ThreadId};

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Gives an event that reads another source: what it reads, what it writes and whether it waits follow.
    pub(super) fn redirect(&self, event: &mut Event, source: Source) {
        event.source = source;
        event.waiting = false;
        if let Some((read, written)) = self.graph.pass(&event.action, source, event.initial) {
            (event.read, event.written) = (read, written);
            return;
        }
        event.read = match source {
            Source::Nothing => 0,
            Source::Choice(choice) => u64::from(choice),
            _ => self.value(event, source),
        };
        if event.is_read()
            && let Some(effect) = effect(&event.action, source, event.read)
        {
            (event.written, event.waiting) = effect;
        }
        if event.of_lock && event.waiting {
            // Whoever waits for a lock waits for whoever comes to hold it.
            event.source = Source::Nothing;
        }
    }

    pub(super) fn value(&self, event: &Event, source: Source) -> u64 {
        match source {
            Source::Event(write) => self.graph.event(write).written.unwrap_or_default(),
            _ => event.initial,
        }
    }

    /// Whether an event may read from a write, and goes on if it does.
    pub(super) fn may_take(&mut self, event: &Event, source: Source) -> bool {
        let Some((order, rmw)) = self.taking(event, source) else { return false };
        event.loc().is_some_and(|loc| self.memory.admits(event.thread, loc, source, order, rmw))
    }

    /// As what an event would read from a write, if that lets it go on: the order, and whether it writes.
    pub(super) fn taking(&self, event: &Event, source: Source) -> Option<(Order, bool)> {
        let value = self.value(event, source);
        Some(match event.action {
            Action::Load { order, .. } => (order, false),
            Action::Rmw { order, failure, update, .. } => match update.of(value) {
                Some(_) => (order, true),
                None => (failure, false),
            },
            Action::Await { order, until, .. } if until.of(value) => (order, false),
            Action::AwaitRmw { order, update, .. } if update.of(value).is_some() => (order, true),
            Action::Send { message, after, .. } => match sent(value, message, after) {
                Some(_) => (Order::AcqRel, true),
                None => (Order::Acquire, false),
            },
            _ => return None,
        })
    }

    /// Where an event goes that is added now.
    pub(super) fn place(&mut self, event: &mut Event) {
        event.index = self.graph.thread(event.thread).len() as u32;
        (event.stamp, event.write_stamp) = (self.stamp, self.stamp);
        self.stamp += 1;
    }

    /// The event of a request, before it has read anything.
    pub(super) fn event_of(&mut self, thread: ThreadId, request: &Request) -> Event {
        let loc = request.action.loc();
        Event {
            thread,
            index: 0,
            action: request.action.clone(),
            place: request.place,
            source: Source::Nothing,
            read: 0,
            written: None,
            waiting: false,
            might_wait: false,
            of_lock: loc.is_some_and(|loc| self.program.is_lock(loc)),
            yields: self.runner(thread).yields,
            explored: self.program.explores(),
            initial: loc.map_or(0, |loc| self.program.initial(loc)),
            stamp: 0,
            write_stamp: 0,
            unseen: self.runner(thread).unseen.take(),
        }
    }

    /// Adds the event of a request. Says whether there is one: in guided executions a thread that waits does nothing.
    pub(super) fn perform(&mut self, thread: ThreadId, request: &Request) -> Result<bool, Failed> {
        let mut event = self.event_of(thread, request);
        match event.action {
            Action::Store { value, .. } => {
                self.look_for_making(&event)?;
                event.written = Some(value);
                self.look_for_race(&event)?;
            }
            Action::Receive { .. } => {
                let source = self.pick_message(&event);
                if source == Source::Nothing {
                    return Ok(false);
                }
                self.redirect(&mut event, source);
            }
            Action::Load { .. }
            | Action::Rmw { .. }
            | Action::Await { .. }
            | Action::AwaitRmw { .. }
            | Action::Send { .. } => {
                self.look_for_making(&event)?;
                if event.is_plain() {
                    self.look_for_race(&event)?;
                }
                let source = self.pick_source(&mut event);
                let waits = matches!(event.action, Action::Await { .. } | Action::AwaitRmw { .. });
                // There is always something to read, unless a limit kept the model from saying so.
                if source == Source::Nothing && (self.guide.is_some() || !waits) {
                    return Ok(false);
                }
                self.redirect(&mut event, source);
            }
            Action::Choose { options } => self.pick_choice(&mut event, options),
            Action::Release { loc, others } => {
                let claimed = self.graph.accesses(loc).releases.iter();
                let claimed = claimed.into_iter().any(|&release| self.graph.event(release).waiting);
                let last = others == 0 && !claimed;
                event.source = Source::Choice(u32::from(last));
                if last && self.guide.is_none() {
                    self.try_other_last(&event, loc);
                }
            }
            Action::Spawn => {
                let made = self.runner(thread).children;
                event.read = self.threads.child(thread, made).index() as u64;
            }
            Action::Join { thread: child } => {
                event.source =
                    self.graph.thread(child).last().map_or(Source::Nothing, |&end| Source::Event(end));
            }
            _ => {}
        }
        self.place(&mut event);
        if !self.add(event) {
            debug_assert!(self.look_at_limits().is_some(), "what was picked is consistent");
            return Ok(false);
        }
        self.look_for_race_of(EventId(self.graph.len() as u32 - 1))?;
        Ok(true)
    }

    /// In a guided execution, the first thread whose wait may time out does. False if there is none, or if timeouts have changed nothing for long.
    pub(super) fn time_out(&mut self) -> bool {
        /// Timeouts in a row between which nothing is written.
        const VAIN: usize = 64;
        let events = self.graph.events().iter().rev();
        let vain =
            events.take_while(|event| event.written.is_none()).filter(|event| event.timed_out()).count();
        let pending = |thread: &ThreadId| {
            let pending = self.runners[thread.index()].as_ref()?.pending.clone()?;
            pending.action.may_time_out().then_some((*thread, pending))
        };
        let Some((thread, request)) = self.order.iter().find_map(pending).filter(|_| vain < VAIN) else {
            return false;
        };
        let mut event = self.event_of(thread, &request);
        if let Some(guide) = &mut self.guide {
            guide.pick(&event, &[Source::Choice(0)], &self.graph);
        }
        self.redirect(&mut event, Source::Choice(0));
        self.place(&mut event);
        self.add(event);
        self.runner(thread).pending = None;
        self.settle(EventId(self.graph.len() as u32 - 1));
        self.stop_spinning();
        true
    }

    /// Every other handle may have been the last to be given up, if it is not before another.
    fn try_other_last(&mut self, last: &Event, loc: LocId) {
        let at = EventId(self.graph.len() as u32);
        let releases = &self.graph.accesses(loc).releases;
        for &release in releases {
            let before = |&other: &EventId| other != release && self.graph.is_before(release, other);
            let event = self.graph.event(release);
            let before_this = self.graph.before_next(last.thread, event.thread) > event.index;
            if !before_this && !self.graph.is_settled(event) && !releases.iter().any(before) {
                let tries = if last.explored { &mut self.todo } else { &mut self.held };
                tries.push(Try::Last { at, release });
            }
        }
    }

    /// Picks what an event reads from; what else it may read from is to be tried.
    pub(super) fn pick_source(&mut self, event: &mut Event) -> Source {
        let (Some(loc), Some(order)) = (event.loc(), event.order()) else { return Source::Nothing };
        let mut found = std::mem::take(&mut self.found);
        if self.guide.is_some() {
            let strongest = match event.action {
                Action::Rmw { order: Order::SeqCst, .. } => Order::SeqCst,
                _ => order,
            };
            self.memory.approach(event.thread, loc, strongest);
        }
        let at = EventId(self.graph.len() as u32);
        let waits_to_write = self.guide.is_some() && matches!(event.action, Action::AwaitRmw { .. });
        if waits_to_write {
            self.memory.rmw_candidates(event.thread, loc, order, &mut found);
        } else {
            self.memory.candidates(event.thread, loc, order, &mut found);
        }
        found.retain(|&source| {
            if let Action::Load { .. } = event.action {
                return true;
            }
            if waits_to_write {
                return self.lets_go_on(event, source);
            }
            let may = self.taking(event, source).is_some_and(|(order, rmw)| {
                self.memory.admits_candidate(event.thread, loc, source, order, rmw)
            });
            if !may
                && self.guide.is_none()
                && let Some(taker) = self.taker(loc, source)
            {
                self.revisit_from_taken(event, source, taker);
            }
            may
        });
        // Chance does not prefer any.
        if !self.samples {
            self.sort_by_preference(&mut found);
        }
        if self.guide.is_none()
            && matches!(event.action, Action::Await { .. } | Action::AwaitRmw { .. })
            && (!found.iter().any(|&source| self.stays_readable(event, source))
                || self.may_wait_for_ever(event))
        {
            event.might_wait = true;
            found.push(Source::Nothing);
        }
        let picked = match &mut self.guide {
            Some(guide) if !found.is_empty() => guide.pick(event, &found, &self.graph),
            _ => found.first().copied().unwrap_or(Source::Nothing),
        };
        if self.guide.is_none() {
            let tries = if event.explored { &mut self.todo } else { &mut self.held };
            tries.extend(found.iter().skip(1).map(|&source| Try::Forward { at, source }));
        }
        self.found = found;
        picked
    }

    /// The same for what a receive receives, which waits outside of the execution.
    fn pick_message(&mut self, event: &Event) -> Source {
        let options = self.messages(event);
        if options.is_empty() {
            return Source::Nothing;
        }
        if let Some(guide) = &mut self.guide {
            return guide.pick(event, &options, &self.graph);
        }
        let at = EventId(self.graph.len() as u32);
        let tries = if event.explored { &mut self.todo } else { &mut self.held };
        tries.extend(options[1..].iter().map(|&source| Try::Forward { at, source }));
        if let (&Action::Receive { loc, after, waits: Waits::No }, Source::Event(send)) =
            (&event.action, options[0])
        {
            // It may have found the channel empty, if the message was sent after that.
            let end = self.graph.end_of_channel(loc, after);
            if self.graph.event(send).source == end {
                self.revisit_from_taken(event, end, send);
            }
        }
        options[0]
    }

    /// What a receive may receive, what it prefers first: the next message; if there is none, that there are no senders; or that the
    /// channel is empty, if it does not wait.
    pub(super) fn messages(&mut self, event: &Event) -> Vec<Source> {
        let Action::Receive { loc, after, waits } = event.action else { return Vec::new() };
        if let Some(send) = self.graph.sent_after(loc, after) {
            return vec![Source::Event(send)];
        }
        let mut options = Vec::new();
        let disconnected = self.graph.is_disconnected(loc);
        if disconnected {
            options.push(Source::Choice(1));
        }
        let is_before = |&release: &EventId| {
            let release = self.graph.event(release);
            self.graph.before_next(event.thread, release.thread) > release.index
        };
        let comes_after = disconnected && self.graph.accesses(loc).releases.iter().all(is_before);
        if waits == Waits::No && !comes_after {
            let end = self.graph.end_of_channel(loc, after);
            if self.memory.admits(event.thread, loc, end, Order::AcqRel, true) {
                options.push(end);
            }
        }
        options
    }

    pub(super) fn pick_choice(&mut self, event: &mut Event, options: u32) {
        let at = EventId(self.graph.len() as u32);
        let picked = match &mut self.guide {
            Some(guide) => {
                let choices: Vec<Source> = (0..options).map(Source::Choice).collect();
                guide.pick(event, &choices, &self.graph)
            }
            None => {
                let others = (1..options).map(Source::Choice);
                let tries = if event.explored { &mut self.todo } else { &mut self.held };
                tries.extend(others.map(|source| Try::Forward { at, source }));
                Source::Choice(0)
            }
        };
        self.redirect(event, picked);
    }

    /// Whether an access that is about to be added races with one before, whatever it reads: it is a store or plain.
    fn look_for_race(&mut self, event: &Event) -> Result<(), Failed> {
        let second = EventId(self.graph.len() as u32);
        let Some(first) = self.races_with(event, second) else { return Ok(()) };
        let index = self.graph.thread(event.thread).len() as u32;
        self.racing = Some(Event { index, ..event.clone() });
        Err((Problem::Race { first, second }, event.place, Some(event.thread)))
    }

    /// Whether an atomic access that reads, and is the last of its thread, races with one before. That depends on what it reads: it may acquire what
    /// orders them, and an RMW that fails does not write.
    fn look_for_race_of(&mut self, id: EventId) -> Result<(), Failed> {
        let event = self.graph.event(id);
        if !event.is_read() || event.is_plain() || event.waiting || event.timed_out() {
            return Ok(());
        }
        let Some(first) = self.races_with(event, id) else { return Ok(()) };
        let (place, thread) = (event.place, event.thread);
        self.racing = None;
        Err((Problem::Race { first, second: id }, place, Some(thread)))
    }

    /// The same for the events that what is to be tried has changed: a read, and the write that it reads from.
    pub(super) fn look_for_races_of_last(&mut self) -> Result<(), Failed> {
        let length = self.graph.len() as u32;
        (length.saturating_sub(2)..length).try_for_each(|id| self.look_for_race_of(EventId(id)))
    }

    /// An access before the event at `id` that races with it. Its thread knows what happens before it.
    ///
    /// No two accesses before it race, so that all that came before a plain write happens before that write: it is enough to look back as far as the last
    /// one. (FastTrack: Flanagan and Freund, PLDI 2009.)
    fn races_with(&self, event: &Event, id: EventId) -> Option<EventId> {
        let accesses = self.graph.accesses(event.loc()?);
        let (plain, writes) = (event.is_plain(), event.written.is_some());
        if !plain && accesses.plain_writes.is_empty() && accesses.plain_reads.is_empty() {
            return None;
        }
        let races = |other: EventId| {
            let before = self.graph.event(other);
            other < id
                && before.thread != event.thread
                && (plain || before.is_plain())
                && !before.waiting
                && !before.timed_out()
                && !self.memory.happens_before(other, before.thread, event.thread)
        };
        let last = accesses.plain_writes.iter().rev().copied().find(|&write| write < id);
        let since = |list: &[EventId]| {
            list.iter().rev().take_while(|&&other| Some(other) > last).any(|&other| races(other))
        };
        let (all_writes, all_reads) = match plain {
            true => (&accesses.writes, &accesses.reads),
            false => (&accesses.plain_writes, &accesses.plain_reads),
        };
        if !(last.is_some_and(races) || since(all_writes) || writes && since(all_reads)) {
            return None;
        }
        // The first of them is named.
        let reads = accesses.reads.iter().filter(|_| writes);
        accesses.writes.iter().chain(reads).copied().find(|&other| races(other))
    }

    /// What is accessed must have been made before.
    fn look_for_making(&self, event: &Event) -> Result<(), Failed> {
        let Some(loc) = event.loc() else { return Ok(()) };
        let Some((maker, events)) = self.program.made(loc) else { return Ok(()) };
        let next = self.graph.thread(maker).get(events as usize);
        let knows = |&next: &EventId| self.memory.happens_before(next, maker, event.thread);
        if maker == event.thread || self.options.allow_races || next.is_some_and(knows) {
            return Ok(());
        }
        let what = self.program.location_name(loc).unwrap_or_else(|| "something".into());
        let message = format!("Causality violation: Concurrent creation and access of {what}.");
        Err((Problem::Misuse { message }, event.place, Some(event.thread)))
    }
}

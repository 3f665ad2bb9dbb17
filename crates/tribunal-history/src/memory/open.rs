//! Open reads and final values: their value was written by no write, or by several.
//!
//! If values repeat, a value does not identify its write. Such a read is *open*: it has no `rf`, but a list of writes it may
//! read from. A history with open reads is consistent if it is for some choice of their sources. A read of a value that
//! nothing wrote makes it inconsistent.

use super::execution::NO_SOURCE;
use super::{EventId, Execution, Kind, Label, LocId};
use crate::heap::held;

/// An observer of a write: a read, or the final value of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observation {
    /// A read or an RMW.
    Read(EventId),
    /// The value that the last write of a location wrote.
    Final {
        /// The location.
        loc: LocId,
        /// The value.
        value: u64,
    },
}

/// The open observations and the writes of their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    /// Sorted; each with its class.
    reads: Vec<(EventId, u32)>,
    finals: Vec<(LocId, u32)>,
    /// Sorted by location and value.
    classes: Vec<Class>,
    /// By class, in the order of their ids: an initial write is the last of its class.
    writers: Vec<EventId>,
}

/// The writes of one value to one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    loc: LocId,
    value: u64,
    /// The place where its writers begin.
    start: u32,
}

impl Open {
    fn class(&self, observation: Observation) -> Option<u32> {
        match observation {
            Observation::Read(read) => {
                let at = self.reads.binary_search_by_key(&read, |&(read, _)| read).ok()?;
                Some(self.reads[at].1)
            }
            Observation::Final { loc, value } => {
                let at = self.finals.iter().find(|&&(of, class)| {
                    of == loc && self.classes.get(class as usize).is_some_and(|class| class.value == value)
                });
                at.map(|&(_, class)| class)
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        held(&[&self.reads, &self.finals, &self.classes, &self.writers])
    }
}

impl Execution {
    /// Whether some read or final value is open: no write, or more than one, wrote its value.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Observation, Op};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// let (one, _) = (b.push(t, Op::write(x, 1)), b.push(t, Op::write(x, 0)));
    /// let read = b.push(t, Op::read(x, 0));
    /// let history = b.build()?;
    /// let read = Observation::Read(history.event(read));
    /// assert!(history.is_open());
    /// assert_eq!(history.open().collect::<Vec<_>>(), [read]);
    /// assert_eq!(history.writers(read).len(), 2); // the initial write, and the thread's own
    /// let chosen = history.choosing(&[(read, history.writers(read)[0])]);
    /// assert!(!chosen.is_open());
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The observations that are open: reads in the order of their ids, then final values.
    pub fn open(&self) -> impl Iterator<Item = Observation> + '_ {
        let open = self.open.iter();
        open.flat_map(|open| {
            let reads = open.reads.iter().map(|&(read, _)| Observation::Read(read));
            let value = |class: u32| open.classes[class as usize].value;
            let finals = open.finals.iter();
            reads.chain(finals.map(move |&(loc, class)| Observation::Final { loc, value: value(class) }))
        })
    }

    /// The writes that an open observation may observe, in the order of their ids; none if it is not open.
    #[inline]
    pub fn writers(&self, observation: Observation) -> &[EventId] {
        let Some(open) = &self.open else { return &[] };
        let Some(class) = open.class(observation) else { return &[] };
        let start = open.classes[class as usize].start as usize;
        let end = open.classes.get(class as usize + 1).map_or(open.writers.len(), |next| next.start as usize);
        &open.writers[start..end]
    }

    /// The value that an event reads; `None` if it does not read.
    #[inline]
    pub fn value_read(&self, event: EventId) -> Option<u64> {
        match self.label(event).kind() {
            Kind::Read => Some(self.value(event)),
            Kind::Rmw => match (self.rf(event), &self.open) {
                (Some(source), _) => Some(self.value(source)),
                (None, Some(open)) => {
                    open.class(Observation::Read(event)).map(|class| open.classes[class as usize].value)
                }
                (None, None) => None,
            },
            Kind::Write | Kind::Fence => None,
        }
    }

    /// Displays an observation: the reading event, or `final x 1`.
    pub fn show_observation(&self, observation: Observation) -> String {
        match observation {
            Observation::Read(read) => self.show(read).to_string(),
            Observation::Final { loc, value } => format!("final {} {value}", self.location_name(loc)),
        }
    }

    /// The same execution with these sources for some of the open observations. Other observations stay as they are.
    pub fn choosing(&self, choices: &[(Observation, EventId)]) -> Execution {
        let mut x = self.clone();
        let Some(mut open) = x.open.take() else { return x };
        for &(observation, source) in choices {
            match observation {
                Observation::Read(read) if open.class(observation).is_some() => {
                    x.sources[read.index()] = source.0;
                }
                Observation::Final { loc, .. } if open.class(observation).is_some() => {
                    x.finals.push((loc, source));
                }
                _ => {}
            }
        }
        x.finals.sort_unstable();
        x.finals.dedup();
        x.features.finals |= !x.finals.is_empty();
        open.reads.retain(|&(read, _)| x.sources[read.index()] == NO_SOURCE);
        let classes = &open.classes;
        open.finals.retain(|&(loc, class)| {
            let observation = Observation::Final { loc, value: classes[class as usize].value };
            !choices.iter().any(|&(chosen, _)| chosen == observation)
        });
        x.open = (!open.reads.is_empty() || !open.finals.is_empty()).then_some(open);
        x
    }

    /// The same events without what is open, so that every read has its write: an open read does nothing, an open RMW just
    /// writes, and open final values are not asked for. What is inconsistent without them is inconsistent with any sources, as long as
    /// a model keeps no program order of such a write that it would not keep of the RMW (see [`Label::is_of_rmw`]).
    pub fn without_open(&self) -> Execution {
        let mut x = self.clone();
        for (read, _) in x.open.take().map(|open| open.reads).unwrap_or_default() {
            let label = self.label(read);
            x.labels[read.index()] = match label.kind() {
                Kind::Rmw => label.without_read(),
                _ => Label::NOTHING,
            };
        }
        let acts = |event: EventId| x.labels[event.index()] == self.label(event);
        x.deps.retain(|&(event, on)| acts(event) && acts(on));
        x
    }

    /// Finds the writers of the reads that are marked open, and of these final values. `rmw_reads` are the values that the RMWs
    /// read, in the order of their ids.
    pub(super) fn resolve_open(&mut self, rmw_reads: impl Iterator<Item = u64>, finals: &[(LocId, u64)]) {
        let count = self.sources.iter().filter(|&&source| source == OPEN).count();
        if count + finals.len() == 0 {
            return;
        }
        let mut rmw_reads = rmw_reads;
        let mut values: Vec<(LocId, u64, u32)> = Vec::with_capacity(count + finals.len());
        for event in 0..self.len() {
            let value = match self.labels[event].kind() {
                Kind::Rmw => rmw_reads.next().unwrap_or_default(),
                _ => self.values[event],
            };
            if self.sources[event] == OPEN {
                self.sources[event] = NO_SOURCE;
                values.push((self.locs[event], value, event as u32));
            }
        }
        values.extend(finals.iter().map(|&(loc, value)| (loc, value, NO_SOURCE)));
        values.sort_unstable();
        let mut open = Open { reads: Vec::with_capacity(count), ..Open::default() };
        for &(loc, value, event) in &values {
            if open.classes.last().is_none_or(|last| (last.loc, last.value) != (loc, value)) {
                open.classes.push(Class { loc, value, start: 0 });
            }
            let class = open.classes.len() as u32 - 1;
            match event {
                NO_SOURCE => open.finals.push((loc, class)),
                event => open.reads.push((EventId(event), class)),
            }
        }
        drop(values);
        open.reads.sort_unstable();
        open.finals.dedup();
        let class_of = |open: &Open, write: EventId| {
            let key = (self.loc(write), self.value(write));
            open.classes.binary_search_by_key(&key, |class| (Some(class.loc), class.value)).ok()
        };
        let writes = || {
            let initial = self.locations().map(|loc| self.init_write(loc));
            self.events().filter(|&event| self.label(event).writes()).chain(initial)
        };
        // Count, then fill: `start` runs from a class's end to its beginning and back.
        for write in writes() {
            if let Some(class) = class_of(&open, write) {
                open.classes[class].start += 1;
            }
        }
        let mut total = 0;
        for class in &mut open.classes {
            total += class.start;
            class.start = total - class.start;
        }
        open.writers = vec![EventId(0); total as usize];
        for write in writes() {
            if let Some(class) = class_of(&open, write) {
                open.writers[open.classes[class].start as usize] = write;
                open.classes[class].start += 1;
            }
        }
        for class in (1..open.classes.len()).rev() {
            open.classes[class].start = open.classes[class - 1].start;
        }
        open.classes[0].start = 0;
        self.open = Some(Box::new(open));
    }
}

/// In the column of sources while it is made: the read is open.
pub(super) const OPEN: u32 = u32::MAX - 1;

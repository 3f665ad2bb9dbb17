//! Verifies violations of histories in which values repeat: every choice of sources is refuted or eliminated.
//!
//! [`verify`](crate) states the rules by which sources are eliminated; they are recomputed here.

use super::violation::{is_sc, proved};
use super::{Named, Refusal, known};
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, Observation, Order};
use tribunal_history::model::{Family, Model};
use tribunal_history::verdict::{Axiom, Refutation, Violation};

/// The work that is left.
enum Task<'a> {
    Refute(&'a Violation),
    Choose(Observation, EventId),
    /// Takes back all choices but so many.
    Keep(usize),
}

/// Accepts a violation of a history with open observations.
pub(super) fn refuted(
    x: &Execution,
    model: Model,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let (chosen, readers, known) = Default::default();
    let mut cases = Cases { x, model, sc: is_sc(x, model), limits, chosen, readers, known };
    for rmw in x.events().filter(|&event| x.label(event).kind() == Kind::Rmw) {
        if let Some(source) = x.rf(rmw) {
            *cases.readers.entry(source).or_default() += 1;
        }
    }
    let mut tasks = vec![Task::Refute(violation)];
    while let Some(task) = tasks.pop() {
        limits.check(0).map_err(Refusal::Limit)?;
        match task {
            Task::Choose(of, source) => cases.choose(of, source)?,
            Task::Keep(choices) => cases.keep(choices),
            Task::Refute(violation) => cases.refute(violation, &mut tasks)?,
        }
    }
    Ok(())
}

struct Cases<'a> {
    x: &'a Execution,
    model: Model,
    /// Whether the model is sc for this history. The rest of it need not say so: what is left out of it has no order.
    sc: bool,
    limits: &'a Limits<'a>,
    chosen: Vec<(Observation, EventId)>,
    /// By write: how many RMWs are known to read from it.
    readers: FxHashMap<EventId, u32>,
    /// The order that the first of the choices make, and how many those are.
    known: Option<(usize, Known)>,
}

impl<'a> Cases<'a> {
    fn choose(&mut self, of: Observation, source: EventId) -> Result<(), Refusal> {
        let x = self.x;
        known(x, source)?;
        if let Observation::Read(read) = of {
            known(x, read)?;
        }
        let name = || x.show_observation(of);
        if x.writers(of).binary_search(&source).is_err() {
            return Err(Refusal::NotASource { of: name(), write: Named::new(x, source) });
        }
        if let Observation::Read(read) = of
            && x.label(read).kind() == Kind::Rmw
        {
            *self.readers.entry(source).or_default() += 1;
        }
        self.chosen.push((of, source));
        Ok(())
    }

    fn keep(&mut self, choices: usize) {
        for (of, source) in self.chosen.drain(choices..) {
            if let Observation::Read(read) = of
                && self.x.label(read).kind() == Kind::Rmw
                && let Some(readers) = self.readers.get_mut(&source)
            {
                *readers -= 1;
            }
        }
        self.known = self.known.take().filter(|(made, _)| *made <= choices);
    }

    fn refute(&mut self, violation: &'a Violation, tasks: &mut Vec<Task<'a>>) -> Result<(), Refusal> {
        let x = self.x;
        let of_sources = match &violation.refutation {
            Refutation::ThinAir(of) => {
                if let Observation::Read(read) = of {
                    known(x, *read)?;
                }
                if !x.open().any(|open| open == *of) || !x.writers(*of).is_empty() {
                    return Err(Refusal::Written { of: self.shown(*of)? });
                }
                true
            }
            Refutation::NoSource(read) => {
                self.left_only(Observation::Read(known(x, *read)?), &[])?;
                true
            }
            Refutation::Forced { sources, then } => {
                let before = self.chosen.len();
                for &(of, source) in sources {
                    self.shown(of)?;
                    self.left_only(of, &[source])?;
                    self.choose(of, source)?;
                }
                tasks.extend([Task::Keep(before), Task::Refute(then)]);
                true
            }
            Refutation::Sources { of, cases } => {
                self.shown(*of)?;
                let mut sources: Vec<EventId> = cases.iter().map(|&(source, _)| source).collect();
                sources.sort_unstable();
                self.left_only(*of, &sources)?;
                let before = self.chosen.len();
                for (source, case) in cases {
                    tasks.extend([Task::Keep(before), Task::Refute(case), Task::Choose(*of, *source)]);
                }
                true
            }
            _ => false,
        };
        if of_sources {
            let named = violation.axiom == Axiom::Sources;
            return if named { Ok(()) } else { Err(Refusal::NotInvolved { axiom: violation.axiom }) };
        }
        self.limits.check_memory(2 * x.bytes(), 0).map_err(Refusal::Limit)?;
        let chosen = x.choosing(&self.chosen);
        // A text is evaluated with the reads that have no source yet.
        let by_text = self.model.family() == Family::Text;
        let known = if by_text { chosen } else { chosen.without_open() };
        proved(&known, self.model, self.sc, violation, self.limits)
    }

    /// An observation's name, if there is one such.
    fn shown(&self, of: Observation) -> Result<String, Refusal> {
        match of {
            Observation::Read(read) => _ = known(self.x, read)?,
            Observation::Final { loc, .. } if loc.index() >= self.x.location_count() => {
                return Err(Refusal::UnknownEvent { event: self.x.init_write(loc) });
            }
            Observation::Final { .. } => {}
        }
        Ok(self.x.show_observation(of))
    }

    /// Checks that an open observation that has no source yet has no source but these, sorted.
    fn left_only(&mut self, of: Observation, sources: &[EventId]) -> Result<(), Refusal> {
        let x = self.x;
        if x.writers(of).is_empty() {
            return Err(Refusal::NothingOpen);
        }
        // An order made of fewer choices eliminates fewer writes, and none wrongly.
        let made = match &self.known {
            Some((made, _)) => *made,
            None => self.learn()?,
        };
        match self.another(of, sources) {
            None => Ok(()),
            Some(_) if made < self.chosen.len() => {
                self.learn()?;
                self.another(of, sources).map_or(Ok(()), |write| self.not_struck_out(of, write))
            }
            Some(write) => self.not_struck_out(of, write),
        }
    }

    fn not_struck_out(&self, of: Observation, write: EventId) -> Result<(), Refusal> {
        Err(Refusal::NotStruckOut { of: self.x.show_observation(of), write: Named::new(self.x, write) })
    }

    fn learn(&mut self) -> Result<usize, Refusal> {
        let bytes = 2 * self.x.bytes() + 8 * self.x.len() * (self.x.thread_count() + 1);
        self.limits.check_memory(bytes, 0).map_err(Refusal::Limit)?;
        self.known = Some((self.chosen.len(), Known::new(&self.x.choosing(&self.chosen), self.model)));
        Ok(self.chosen.len())
    }

    /// A write of the value that is neither among these nor eliminated.
    fn another(&self, of: Observation, sources: &[EventId]) -> Option<EventId> {
        let (x, (_, order)) = (self.x, self.known.as_ref()?);
        let mut others = x.writers(of).iter().copied().filter(|write| sources.binary_search(write).is_err());
        let Observation::Read(read) = of else { return others.next() };
        let exclusive = order.rules.exclusive && x.label(read).kind() == Kind::Rmw;
        let overwritten = order.overwritten(x, read);
        others.find(|&write| {
            let taken = exclusive && self.readers.get(&write).is_some_and(|&readers| readers > 0);
            !taken && !order.follows(x, read, write) && !overwritten.has(x, write)
        })
    }
}

/// The parts of the order of a model.
#[derive(Clone, Copy)]
struct Rules {
    /// Whether there is an order across threads.
    across: bool,
    /// Whether it keeps all of program order, and rf within threads; otherwise reads stay before everything after them.
    everything: bool,
    /// Whether writes stay before later writes.
    writes: bool,
    /// Whether that order says what is overwritten, beside program order.
    overwrites: bool,
    exclusive: bool,
    /// Whether program order within a location eliminates.
    coherent: bool,
}

impl Rules {
    fn of(model: Model) -> Self {
        let nothing = Rules {
            across: false,
            everything: false,
            writes: false,
            overwrites: false,
            exclusive: true,
            coherent: true,
        };
        let everything = Rules { across: true, everything: true, writes: true, ..nothing };
        match model {
            Model::Sc | Model::Wsc | Model::Ra | Model::Sra | Model::Wra => {
                Rules { overwrites: true, ..everything }
            }
            Model::Cc | Model::Ccv | Model::Cm | Model::Ccm => {
                Rules { overwrites: true, exclusive: false, ..everything }
            }
            Model::Rc20 | Model::Rc11 | Model::Relaxed => everything,
            Model::Tso => Rules { across: true, writes: true, overwrites: true, ..nothing },
            Model::Pso => Rules { across: true, overwrites: true, ..nothing },
            Model::Rmo | Model::Wmo | Model::Custom(_) | Model::Coherence => nothing,
            Model::Pram | Model::Wccm => Rules { exclusive: false, ..nothing },
            // Nothing is known of any other.
            _ => Rules { exclusive: false, coherent: false, ..nothing },
        }
    }
}

/// The numbers of the reads and of the writes of each thread, counted as events of the thread, that come before something.
type Past = Vec<[u32; 2]>;

/// The order of a history with the sources that are known.
struct Known {
    rules: Rules,
    /// By event; empty where there is no order across threads, or no end to it.
    pasts: Vec<Past>,
    /// By location: its writes, by thread.
    writes: Vec<Vec<EventId>>,
}

/// The writes that are overwritten before a read.
struct Overwritten {
    /// By thread: the writes with a smaller index.
    below: Vec<u32>,
    initial: bool,
}

impl Overwritten {
    fn has(&self, x: &Execution, write: EventId) -> bool {
        x.slot(write).map_or(self.initial, |slot| slot.index < self.below[slot.thread.index()])
    }
}

impl Known {
    fn new(x: &Execution, model: Model) -> Self {
        let rules = Rules::of(model);
        let mut writes = vec![Vec::new(); x.location_count()];
        for event in x.events() {
            if let Some(loc) = x.loc(event).filter(|_| x.label(event).writes()) {
                writes[loc.index()].push(event);
            }
        }
        let pasts = if rules.across { pasts(x, rules).unwrap_or_default() } else { Vec::new() };
        Known { rules, pasts, writes }
    }

    /// Whether a write comes after a read of its location, or is it.
    fn follows(&self, x: &Execution, read: EventId, write: EventId) -> bool {
        let (Some(r), Some(w)) = (x.slot(read), x.slot(write)) else { return false };
        if r.thread == w.thread {
            return if self.rules.coherent { w.index >= r.index } else { w == r };
        }
        self.pasts.get(write.index()).is_some_and(|past| past[r.thread.index()][0] > r.index)
    }

    fn overwritten(&self, x: &Execution, read: EventId) -> Overwritten {
        let mut overwritten = Overwritten { below: vec![0; x.thread_count()], initial: false };
        let (Some(at), Some(loc), true) = (x.slot(read), x.loc(read), self.rules.coherent) else {
            return overwritten;
        };
        for thread in x.threads() {
            let across = self.pasts.get(read.index()).filter(|_| self.rules.overwrites);
            let mut known = across.map_or(0, |past| past[thread.index()][1]);
            if thread == at.thread {
                known = known.max(at.index);
            }
            let start = x.thread_events(thread).start;
            let writes = &self.writes[loc.index()];
            let last = writes.partition_point(|write| write.0 < start + known);
            let Some(&by) = writes[..last].last().filter(|by| by.0 >= start) else { continue };
            overwritten.initial = true;
            let below = &mut overwritten.below;
            below[thread.index()] = below[thread.index()].max(by.0 - start);
            if let Some(past) = self.pasts.get(by.index()).filter(|_| self.rules.overwrites) {
                below.iter_mut().zip(past).for_each(|(below, past)| *below = (*below).max(past[1]));
            }
        }
        overwritten
    }
}

/// The past of each event; none if threads wait for each other's writes in a circle.
fn pasts(x: &Execution, rules: Rules) -> Option<Vec<Past>> {
    let nothing: Past = vec![[0; 2]; x.thread_count()];
    let mut pasts = vec![Past::new(); x.len()];
    // By thread: what comes before its next read, and before its next write.
    let mut carried = vec![(nothing.clone(), nothing.clone()); x.thread_count()];
    let mut next: Vec<u32> = x.threads().map(|thread| x.thread_events(thread).start).collect();
    let mut left = x.len();
    while left > 0 {
        let before = left;
        for thread in x.threads() {
            let start = x.thread_events(thread).start;
            while next[thread.index()] < x.thread_events(thread).end {
                let event = EventId(next[thread.index()]);
                let source = x.rf(event).filter(|&source| !x.is_init(source));
                if source.is_some_and(|source| pasts[source.index()].is_empty()) {
                    break;
                }
                let (label, index) = (x.label(event), event.0 - start);
                let (for_reads, for_writes) = &mut carried[thread.index()];
                let mut past = nothing.clone();
                if label.reads() || label.is_fence() {
                    join(&mut past, for_reads);
                }
                if label.writes() || label.is_fence() {
                    join(&mut past, for_writes);
                }
                if let Some((source, slot)) = source.and_then(|source| Some((source, x.slot(source)?)))
                    && (rules.everything || slot.thread != thread)
                {
                    join(&mut past, &pasts[source.index()]);
                    let entry = &mut past[slot.thread.index()];
                    if x.label(source).reads() {
                        entry[0] = entry[0].max(slot.index + 1);
                    }
                    if rules.writes {
                        entry[1] = entry[1].max(slot.index + 1);
                    }
                }
                let mut through = past.clone();
                let own = &mut through[thread.index()];
                if label.is_fence() {
                    if label.order() == Order::SeqCst {
                        *own = [index; 2];
                        join(for_reads, &through);
                        join(for_writes, &through);
                    }
                } else {
                    if label.reads() {
                        own[0] = own[0].max(index + 1);
                    }
                    if label.writes() && rules.writes {
                        own[1] = own[1].max(index + 1);
                    }
                    if label.reads() || rules.everything {
                        join(for_reads, &through);
                    }
                    if label.reads() || rules.writes {
                        join(for_writes, &through);
                    }
                }
                pasts[event.index()] = past;
                next[thread.index()] += 1;
                left -= 1;
            }
        }
        if left == before {
            return None;
        }
    }
    Some(pasts)
}

fn join(into: &mut Past, from: &Past) {
    for (into, from) in into.iter_mut().zip(from) {
        *into = [into[0].max(from[0]), into[1].max(from[1])];
    }
}

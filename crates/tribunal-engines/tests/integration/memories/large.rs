//! What must hold of histories far too large for the definitions: those of machines, as they are and with some reads that
//! read something else.

use crate::memories::inclusions;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashMap;
use tribunal_engines::Engine;
use tribunal_engines::memory::{check, engines, judge_by};
use tribunal_history::memory::{EventId, Execution, Interval, Kind, LocId, Op, Slot, Source, ThreadId};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_machines::{Clients, Machine, execution};
use tribunal_verify::verify;

/// A quarter as many cases as `PROPTEST_CASES` says, or 64.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.div_ceil(4), failure_persistence: None, ..default }
}

/// A machine's history with some changes.
#[derive(Clone, Debug)]
struct Large {
    machine: Machine,
    clients: Clients,
    /// For each: which read changes, and how far to go from its write among the writes of its location.
    changes: Vec<(Index, i32)>,
    /// Whether some events depend on the read before them.
    deps: bool,
    /// Whether events have times: those of a thread overlap with a few after them.
    times: bool,
}

fn large() -> impl Strategy<Value = Large> {
    let shares =
        prop::sample::select(vec![(0.5, 0.0, 0.0), (0.35, 0.0, 0.0), (0.3, 0.1, 0.0), (0.35, 0.1, 0.02)]);
    let distance = prop_oneof![-3..=-1, 1..=3];
    let changes = prop_oneof![
        1 => Just(Vec::new()),
        2 => prop::collection::vec((any::<Index>(), distance), 1..4),
    ];
    let machine = prop::sample::select(Machine::ALL.to_vec());
    let extras = prop::sample::select(vec![(false, false), (true, false), (false, true)]);
    (machine, 4..=8u32, 1..=12u32, 200..=2000u64, shares, any::<u64>(), changes, extras).prop_map(
        |(machine, threads, locations, events, (writes, rmws, fences), seed, changes, (deps, times))| Large {
            machine,
            clients: Clients { threads, locations, events, writes, rmws, fences, seed, ..Clients::default() },
            changes,
            deps,
            times,
        },
    )
}

impl Large {
    fn execution(&self) -> Execution {
        let x = execution(self.machine, &self.clients).expect("clients that can run");
        let mut writes: HashMap<LocId, Vec<EventId>> = HashMap::new();
        for loc in x.locations() {
            writes.insert(loc, vec![x.init_write(loc)]);
        }
        for w in x.events().filter(|&e| x.label(e).writes()) {
            writes.entry(x.locs()[w.index()]).or_default().push(w);
        }
        // Near in value is near in time: a machine's writes of a location count up.
        writes.values_mut().for_each(|writes| writes.sort_unstable_by_key(|&w| x.value(w)));
        let reads: Vec<EventId> = x.events().filter(|&e| x.label(e).reads()).collect();
        let mut sources: HashMap<EventId, EventId> = HashMap::new();
        for (which, distance) in self.changes.iter().filter(|_| !reads.is_empty()) {
            let read = *which.get(&reads);
            let writes = &writes[&x.locs()[read.index()]];
            let place = writes.iter().position(|&w| Some(w) == x.rf(read)).expect("its write");
            let place = place.saturating_add_signed(*distance as isize).min(writes.len() - 1);
            sources.insert(read, writes[place]);
        }
        let locations: Vec<LocId> = x.locations().collect();
        let mut copy = Copy::new(&x, x.threads(), &locations);
        copy.source = Box::new(|r| sources.get(&r).copied().or(x.rf(r)));
        copy.dep = Box::new(|e| {
            let first = x.thread_events(x.thread_of(e)?).start;
            let read = (first..e.0).rev().map(EventId).find(|&r| x.label(r).reads());
            read.filter(|_| self.deps && e.0.is_multiple_of(2))
        });
        copy.interval = Box::new(|e| {
            let begin = self.times.then_some(3 * u64::from(e.0));
            Interval { begin, end: begin.map(|begin| begin + u64::from(e.0 % 7)) }
        });
        copy.build()
    }
}

/// The same history, with threads and locations in another order; what else differs can be set.
struct Copy<'a> {
    x: &'a Execution,
    threads: Vec<ThreadId>,
    locations: &'a [LocId],
    source: Box<dyn Fn(EventId) -> Option<EventId> + 'a>,
    /// An event depends on one read at most.
    dep: Box<dyn Fn(EventId) -> Option<EventId> + 'a>,
    interval: Box<dyn Fn(EventId) -> Interval + 'a>,
}

impl<'a> Copy<'a> {
    fn new(x: &'a Execution, threads: impl Iterator<Item = ThreadId>, locations: &'a [LocId]) -> Self {
        Copy {
            x,
            threads: threads.collect(),
            locations,
            source: Box::new(|r| x.rf(r)),
            dep: Box::new(|e| x.deps(e).next()),
            interval: Box::new(|e| x.interval(e)),
        }
    }

    fn build(&self) -> Execution {
        let x = self.x;
        let mut b = Execution::builder();
        for &loc in self.locations {
            b.location(x.location_name(loc));
        }
        let new: HashMap<ThreadId, ThreadId> =
            self.threads.iter().map(|&t| (t, b.thread(x.thread_name(t)))).collect();
        for &t in &self.threads {
            for e in x.thread_events(t).map(EventId) {
                let label = x.label(e);
                let loc = x.loc(e).map_or(LocId(0), |loc| b.location(x.location_name(loc)));
                let from = (self.source)(e);
                let read = from.map_or(0, |w| x.value(w));
                let op = match label.kind() {
                    Kind::Read => Op::read(loc, read),
                    Kind::Write => Op::write(loc, x.value(e)),
                    Kind::Rmw => Op::rmw(loc, read, x.value(e)),
                    Kind::Fence => Op::fence(label.order()),
                };
                let source = from.map_or(Source::ByValue, |w| match x.slot(w) {
                    Some(slot) => Source::At(Slot { thread: new[&slot.thread], ..slot }),
                    None => Source::Init,
                });
                let slot = b.push(new[&t], op.order(label.order()).from(source));
                if let Some(on) = (self.dep)(e) {
                    b.depends(slot, on.0 - x.thread_events(t).start);
                }
                if (self.interval)(e) != Interval::default() {
                    b.interval(slot, (self.interval)(e));
                }
            }
        }
        b.build().expect("a copy of a history")
    }
}

/// Consistent or not; none if the model does not apply, or if sra's search was given up.
fn answers(x: &Execution) -> Result<HashMap<Model, bool>, TestCaseError> {
    let mut answers = HashMap::new();
    for model in Model::ALL {
        let verdict = check(x, model);
        match &verdict {
            Verdict::Unsupported(_) => continue,
            Verdict::Undecided(_) if model == Model::Sra && x.features().rmws > 0 => continue,
            Verdict::Undecided(limit) => return Err(TestCaseError::fail(format!("{model}: {limit}"))),
            _ => answers.insert(model, verdict.is_consistent()),
        };
        if let Err(refusal) = verify(x, model, &verdict) {
            return Err(TestCaseError::fail(format!("{model}, {}: {refusal}", verdict.word())));
        }
    }
    Ok(answers)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn answers_are_proved_and_stronger_models_are_included_in_weaker_ones(large in large()) {
        let x = large.execution();
        let answers = answers(&x)?;
        let contradiction = inclusions::contradiction(&x, |model| answers.get(&model).copied());
        prop_assert_eq!(contradiction, None);
    }

    #[test]
    fn names_do_not_matter(large in large(), first in any::<(Index, Index)>()) {
        let x = large.execution();
        let (threads, locations) = (x.thread_count(), x.location_count());
        let (thread, location) = (first.0.index(threads), first.1.index(locations));
        let mut rotated: Vec<LocId> = x.locations().collect();
        rotated.rotate_left(location);
        let others = (0..threads).map(|t| ThreadId::from_index((t + thread) % threads));
        let renamed = Copy::new(&x, others, &rotated).build();
        let (one, other) = (answers(&x)?, answers(&renamed)?);
        for (model, answer) in one {
            // How far sra's search comes may depend on names.
            prop_assert!(other.get(&model).is_none_or(|&other| other == answer), "{}", model);
        }
    }

    /// Those that come to an end within a small budget; to try every mo would be hopeless.
    #[test]
    fn engines_agree(large in large()) {
        let x = large.execution();
        let limits = Limits { max_states: 5_000, max_memory: 1 << 26, ..Limits::default() };
        for model in Model::ALL {
            let mut words: Vec<(Engine, &str)> = Vec::new();
            // Texts are compared on small histories: here their matrices would take most of the time.
            let hopeless = |engine| matches!(engine, Engine::Enum | Engine::Definition);
            for &engine in engines(model).iter().filter(|&&engine| !hopeless(engine)) {
                let verdict = judge_by(&x, model, engine, &limits).expect("its engine").0;
                if !matches!(verdict, Verdict::Undecided(_)) {
                    prop_assert_eq!(verify(&x, model, &verdict), Ok(()), "{} by {}", model, engine.name());
                    words.push((engine, verdict.word()));
                }
            }
            prop_assert!(words.windows(2).all(|pair| pair[0].1 == pair[1].1), "{}: {:?}", model, words);
        }
    }
}

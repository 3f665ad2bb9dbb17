//! Data races, held against every pair of accesses and hb as a matrix.

use crate::memories::naive;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use tribunal_engines::memory::races::{Listing, RacesError, each_race, first_race, races};
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Op, Order, Source, ThreadId};
use tribunal_history::verdict::{Limit, Race};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_random::Random;
use tribunal_verify::{NotARace, Refusal, verify_race_free, verify_races};

/// Up to 16 events of every kind and order. Most reads are from what was written before them, so that po ∪ rf is mostly acyclic. In one
/// of four, so many threads stand idle that hb is held as sets.
fn history(seed: u64) -> Execution {
    let mut random = Random::new(seed);
    let mut b = Execution::builder();
    let threads: Vec<_> = (0..2 + random.below(4)).map(|t| b.thread(&format!("T{t}"))).collect();
    let locations: Vec<_> = ["x", "y", "z"].iter().map(|name| b.location(name)).collect();
    let shy = random.below(3);
    let mut writes = vec![vec![(Source::Init, 0)]; locations.len()];
    for value in 1..=4 + random.below(13) {
        let thread = threads[random.below(threads.len() as u64) as usize];
        let loc = locations[random.below(3) as usize];
        let order = match random.below(4) {
            0 if loc.0 > 0 || shy == 0 => Order::NonAtomic,
            _ => Order::ALL[1 + random.below(5) as usize],
        };
        let written = &mut writes[loc.index()];
        let from = written[random.below(written.len() as u64) as usize];
        let latest = written[written.len() - 1];
        let (source, read) = if random.below(3) == 0 { from } else { latest };
        let op = match (random.below(10), order) {
            (0..=1, _) => Op::fence(Order::OF_FENCES[random.below(4) as usize]),
            (2, Order::Relaxed | Order::Acquire | Order::Release | Order::AcqRel | Order::SeqCst) => {
                Op::rmw(loc, read, value).order(order).from(source)
            }
            (2..=5, _) => Op::write(loc, value).order(order),
            _ => Op::read(loc, read).order(order).from(source),
        };
        let slot = b.push(thread, op);
        if matches!(op.kind, Kind::Write | Kind::Rmw) {
            written.push((Source::At(slot), value));
        }
    }
    if random.below(4) == 0 {
        (0..70).for_each(|t| _ = b.thread(&format!("idle{t}")));
    }
    b.build().expect("a valid history")
}

fn all(x: &Execution, model: Model) -> Result<Vec<Race>, RacesError> {
    let mut races = Vec::new();
    each_race(x, model, Listing::All, &Limits::default(), |race| {
        races.push(race);
        ControlFlow::Continue(())
    })?;
    Ok(races)
}

/// Threads and location of a race.
fn places(x: &Execution, [a, b]: [EventId; 2]) -> (LocId, [ThreadId; 2]) {
    let mut threads = [a, b].map(|e| x.thread_of(e).expect("a thread"));
    threads.sort();
    (x.loc(a).expect("a location"), threads)
}

fn sorted(mut accesses: [EventId; 2]) -> [EventId; 2] {
    accesses.sort();
    accesses
}

#[test]
fn races_are_the_unordered_conflicts() {
    let limits = Limits::default();
    let racy: usize = (0..20_000u64)
        .into_par_iter()
        .map(|seed| {
            let (x, model) = (history(seed), if seed % 2 == 0 { Model::Rc20 } else { Model::Rc11 });
            let Some(expected) = naive::races(&x, model) else {
                let any = x.features().non_atomic;
                assert!(!any || all(&x, model) == Err(RacesError::Cyclic), "{seed}");
                return 0;
            };
            let found = all(&x, model).expect("races");
            let listed: BTreeSet<_> = found.iter().map(|race| sorted(race.accesses)).collect();
            assert_eq!(
                (listed.len(), listed.clone()),
                (found.len(), expected.iter().copied().collect()),
                "{seed}"
            );

            // One for each pair of places: a race of theirs.
            let of_places = races(&x, model, &limits).expect("races");
            let every: BTreeSet<_> = expected.iter().map(|&race| places(&x, race)).collect();
            let mut once = BTreeMap::new();
            for race in &of_places {
                assert!(listed.contains(&sorted(race.accesses)), "{seed}");
                assert_eq!(once.insert(places(&x, race.accesses), race), None, "{seed}");
            }
            assert_eq!(once.into_keys().collect::<BTreeSet<_>>(), every, "{seed}");
            assert_eq!(first_race(&x, model, &limits).expect("races"), of_places.first().copied(), "{seed}");

            verify_races(&x, model, &found, &limits).expect("true races");
            verify_races(&x, model, &of_places, &limits).expect("true races");
            assert_eq!(verify_race_free(&x, model, &limits).is_ok(), expected.is_empty(), "{seed}");
            refuses_what_is_none(&x, model, &found, &listed);
            usize::from(!expected.is_empty())
        })
        .sum();
    assert!((5_000..19_000).contains(&racy), "{racy}");
}

/// Every other pair of events, and every other count, is refused.
fn refuses_what_is_none(x: &Execution, model: Model, found: &[Race], listed: &BTreeSet<[EventId; 2]>) {
    let refused = |race| verify_races(x, model, &[race], &Limits::default()).is_err();
    for race in found {
        let [a, b] = race.known;
        for known in [[a + 1, b], [a, b + 1], [a.wrapping_sub(1), b], [a, b.wrapping_sub(1)]] {
            assert!(refused(Race { known, ..*race }));
        }
        let [first, second] = race.accesses;
        assert!(!refused(Race { accesses: [second, first], known: [b, a] }));
    }
    for a in 0..x.len() + x.location_count() + 1 {
        for b in 0..x.len() {
            let accesses = [a, b].map(EventId::from_index);
            assert!(listed.contains(&sorted(accesses)) || refused(Race { accesses, known: [0, 0] }));
        }
    }
}

#[test]
fn refusals_say_why() {
    let (x, y) = (LocId(0), LocId(1));
    let mut b = Execution::builder();
    let [t0, t1] = ["T0", "T1"].map(|name| b.thread(name));
    ["x", "y"].iter().for_each(|name| _ = b.location(name));
    let na = |op: Op| op.order(Order::NonAtomic);
    let (data, flag) = (b.push(t0, na(Op::write(x, 1))), b.push(t0, Op::write(y, 1).order(Order::Release)));
    let (seen, read) = (b.push(t1, Op::read(y, 1).order(Order::Acquire)), b.push(t1, na(Op::read(x, 1))));
    let late = b.push(t0, na(Op::write(x, 2)));
    let h = b.build().expect("a history");
    let why = |a, b, known| {
        let race = Race { accesses: [h.event(a), h.event(b)], known };
        match verify_races(&h, Model::Rc20, &[race], &Limits::default()) {
            Err(Refusal::NotARace { why, .. }) => Some(why),
            Err(refusal) => panic!("{refusal}"),
            Ok(()) => None,
        }
    };
    assert_eq!(why(read, late, [2, 0]), None);
    assert!(matches!(why(read, late, [1, 0]), Some(NotARace::Miscounted { said: 1, is: 2, .. })));
    assert!(matches!(why(data, read, [0, 0]), Some(NotARace::Ordered { .. })));
    assert_eq!(why(data, flag, [0, 0]), Some(NotARace::OtherLocation));
    assert_eq!(why(data, late, [0, 0]), Some(NotARace::SameThread));
    assert_eq!(why(flag, seen, [0, 0]), Some(NotARace::OnlyAtomic));
    let free = verify_race_free(&h, Model::Rc20, &Limits::default()).expect_err("a race");
    assert_eq!(free.to_string(), "T0:2 W.na x 2 and T1:1 R.na x 1 are a race");
    let other = verify_races(&h, Model::Ra, &[], &Limits::default()).expect_err("another model");
    assert_eq!(other.to_string(), "ra does not define data races");
    assert_eq!(races(&h, Model::Ra, &Limits::default()), Err(RacesError::OtherModel(Model::Ra)));
}

/// Threads that race with each other everywhere: all pairs are many, those of places few.
fn crowd(threads: u64, events: u64) -> Execution {
    let mut b = Execution::builder();
    let loc = b.location("x");
    for t in 0..threads {
        let thread = b.thread(&t.to_string());
        for i in 0..events {
            b.push(thread, Op::write(loc, 1 + t * events + i).order(Order::NonAtomic));
        }
    }
    b.build().expect("a history")
}

#[test]
fn all_of_a_crowd() {
    for (threads, events) in [(2, 300), (30, 10), (300, 2)] {
        let x = crowd(threads, events);
        let pairs = (threads * (threads - 1) / 2) as usize;
        assert_eq!(races(&x, Model::Rc20, &Limits::default()).expect("races").len(), pairs);
        let each = pairs * (events * events) as usize;
        assert_eq!(all(&x, Model::Rc20).expect("races").len(), each);
    }
}

#[test]
fn limits_hold() {
    let x = crowd(300, 100);
    let list = |limits: &Limits<'_>| races(&x, Model::Rc20, limits);
    let tight = Limits { max_memory: 100_000, ..Limits::default() };
    assert_eq!(list(&tight), Err(RacesError::Limit(Limit::Memory { bytes: 100_000, states: 0 })));
    let late = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert_eq!(list(&late), Err(RacesError::Limit(Limit::Time { states: 0 })));
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = Limits { stop: Some(&stop), ..Limits::default() };
    assert_eq!(list(&stopped), Err(RacesError::Limit(Limit::Stopped)));
    let mut given = 0;
    let some = each_race(&x, Model::Rc20, Listing::All, &Limits::default(), |_| {
        given += 1;
        if given < 1_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!((some, given), (Ok(()), 1_000));
}

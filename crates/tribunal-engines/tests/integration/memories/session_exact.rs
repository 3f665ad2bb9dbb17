//! Exact sessions of rc20 and rc11 with seq_cst, and of sc: at every read of random executions, made of stale reads as far as possible, the candidates are
//! the writes for which `check` accepts the execution; going back and on changes nothing.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tribunal_engines::memory::session::{Because, Mark, Refused, Session, Step, WriteId};
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_random::Random;

/// How many writes were candidates, were not, and were not although coherence alone would have them.
#[derive(Default)]
struct Counts([AtomicU64; 3]);

impl Counts {
    fn add(&self, which: usize) {
        self.0[which].fetch_add(1, Relaxed);
    }
}

/// Whether `check` accepts the execution with a step.
fn accepts(session: &Session, step: Step) -> bool {
    let asked = Refused { step, because: Because::Cyclic };
    let refutation = session.refutation(&asked, &Limits::default()).expect("a history");
    refutation.expect("nothing is retired").1.is_consistent()
}

fn show(session: &Session, step: Step) -> String {
    let asked = Refused { step, because: Because::Cyclic };
    let (x, _) =
        session.refutation(&asked, &Limits::default()).expect("a history").expect("nothing is retired");
    x.events().map(|e| format!("{} from {:?}\n", x.show(e), x.rf(e).map(|w| x.show(w).to_string()))).collect()
}

fn step_of(rmw: bool, thread: ThreadId, from: WriteId, order: Order) -> Step {
    match rmw {
        true => Step::Rmw { thread, from, order },
        false => Step::Read { thread, from, order },
    }
}

/// A random execution, of which every read is compared.
fn lead(model: Model, seed: u64, events: usize, counts: &Counts) {
    let mut random = Random::new(seed);
    let mut session = Session::exact(model).expect("a model with sessions");
    // The same without psc; for sc, by saturation.
    let mut coherent = Session::new(model).expect("a model with sessions");
    let (threads, locations) = (2 + random.index(3), 2 + random.index(2));
    for session in [&mut session, &mut coherent] {
        (0..threads).for_each(|_| _ = session.thread());
        (0..locations).for_each(|_| _ = session.location());
    }
    let mut writes: Vec<Vec<WriteId>> =
        (0..locations as u32).map(|loc| session.initial(LocId(loc)).into_iter().collect()).collect();
    let (seq_cst, fences, rmws) = (random.index(5), 3 + random.index(8), 2 + random.index(8));
    let weaker = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::NonAtomic];
    let mut marks: Vec<(Mark, Mark, Vec<Vec<WriteId>>)> = Vec::new();
    for _ in 0..events {
        let (thread, loc) = (ThreadId(random.index(threads) as u32), LocId(random.index(locations) as u32));
        let order = if random.index(5) < seq_cst { Order::SeqCst } else { weaker[random.index(5)] };
        if random.one_in(6) {
            marks.push((session.mark(), coherent.mark(), writes.clone()));
        }
        if random.one_in(12) && !marks.is_empty() {
            let at = random.index(marks.len());
            marks.truncate(at + 1);
            let (mark, other, earlier) = &marks[at];
            session.undo(*mark);
            coherent.undo(*other);
            writes.clone_from(earlier);
            continue;
        }
        if random.one_in(fences) {
            let weak = matches!(order, Order::Relaxed | Order::NonAtomic);
            let order = if weak || random.one_in(2) { Order::SeqCst } else { order };
            session.fence(thread, order);
            coherent.fence(thread, order);
            continue;
        }
        if random.index(5) < 2 {
            let write = session.write(thread, loc, order);
            assert_eq!(coherent.write(thread, loc, order), write);
            writes[loc.index()].push(write);
            continue;
        }
        let rmw = random.one_in(rmws) && order != Order::NonAtomic;
        let found: Vec<WriteId> = match rmw {
            true => session.rmw_candidates(thread, loc, order).to_vec(),
            false => session.candidates(thread, loc, order).to_vec(),
        };
        for &from in &writes[loc.index()] {
            let step = step_of(rmw, thread, from, order);
            let (accepted, is_found) = (accepts(&session, step), found.contains(&from));
            let at = || format!("{model}, seed {seed}: {step:?}\n{}", show(&session, step));
            assert_eq!(is_found, accepted, "{}", at());
            counts.add(usize::from(!accepted));
            let by_coherence = match rmw {
                true => coherent.may_rmw_from(thread, from, order),
                false => coherent.may_read_from(thread, from, order),
            };
            assert!(by_coherence || !accepted, "{}", at());
            if by_coherence && !accepted {
                counts.add(2);
                session.clone().step(step).expect_err("no candidate");
            }
            let may = match rmw {
                true => session.may_rmw_from(thread, from, order),
                false => session.may_read_from(thread, from, order),
            };
            assert_eq!(may, accepted);
        }
        // The oldest of its candidates: what is stale is what psc is about.
        let from = if random.one_in(4) { found[random.index(found.len())] } else { found[0] };
        let step = step_of(rmw, thread, from, order);
        let made = session.step(step).expect("a candidate");
        assert_eq!(coherent.step(step).expect("a candidate"), made);
        writes[loc.index()].extend(made);
    }
    assert!(session.settle(&Limits::default()).expect("a history").is_consistent());
}

fn lead_all(model: Model, executions: u64, events: usize) {
    let counts = Counts::default();
    (0..executions).into_par_iter().for_each(|seed| {
        lead(model, seed, events / 2 + (seed as usize * 7) % (events / 2 + 1), &counts);
    });
    let [accepted, refused, by_psc] = counts.0.map(AtomicU64::into_inner);
    let all = format!("{model}: {accepted} accepted, {refused} refused, {by_psc} of them by psc alone");
    println!("{all}");
    // What saturation accepts wrongly under sc is too rare to be met by chance.
    assert!(accepted > executions && (by_psc > executions / 20 || model == Model::Sc), "{all}");
}

#[test]
fn rc20() {
    lead_all(Model::Rc20, 20_000, 24);
}

#[test]
fn rc11() {
    lead_all(Model::Rc11, 20_000, 24);
}

#[test]
fn sc() {
    lead_all(Model::Sc, 5_000, 24);
}

/// More events than a word has bits.
#[test]
fn long_ones() {
    lead_all(Model::Rc20, 40, 200);
    lead_all(Model::Rc11, 40, 200);
}

//! Random executions that grow and go back: at every moment a session says what `check` says of the execution so far.

use std::collections::HashMap;
use tribunal_engines::memory::check;
use tribunal_engines::memory::session::{Because, Mark, Session, Step, WriteId};
use tribunal_history::memory::{Execution, LocId, Op, Order, Source, ThreadId};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_random::Random;
use tribunal_verify::verify;

/// The models whose sessions are exact if there is no seq_cst.
const EXACT: [Model; 5] = [Model::Ra, Model::Rc20, Model::Rc11, Model::Relaxed, Model::Wra];
/// Those that may accept too much.
const SATURATED: [Model; 4] = [Model::Sra, Model::Sc, Model::Tso, Model::Pso];

/// What a session was told, kept as plainly as can be.
#[derive(Clone, Default)]
struct Mirror {
    threads: usize,
    locations: Vec<WriteId>,
    steps: Vec<(Step, Option<WriteId>)>,
    finished: Vec<ThreadId>,
}

impl Mirror {
    fn thread(&mut self, session: &mut Session) {
        session.thread();
        self.threads += 1;
    }

    fn location(&mut self, session: &mut Session) -> LocId {
        let loc = session.location();
        self.locations.push(session.initial(loc).expect("it is new"));
        loc
    }

    fn hand_over(&mut self, model: Model, from: ThreadId, to: ThreadId, loc: LocId, session: &Session) {
        self.locations.push(session.initial(loc).expect("it is new"));
        // The only write of the location besides the initial one, which is the write before it in the table.
        let fenced = model == Model::Pso;
        if fenced {
            self.steps.push((Step::Fence { thread: from, order: Order::Release }, None));
        }
        self.steps.push((Step::Write { thread: from, loc, order: Order::Release }, None));
        self.steps.push((
            Step::Read { thread: to, from: self.locations[loc.index()], order: Order::Acquire },
            None,
        ));
        if fenced {
            self.steps.push((Step::Fence { thread: to, order: Order::Acquire }, None));
        }
    }

    /// The execution, with another step if there is one.
    fn execution(&self, step: Option<Step>) -> Execution {
        let mut b = Execution::builder();
        for thread in 0..self.threads {
            b.thread(&format!("T{thread}"));
        }
        let mut writes: HashMap<WriteId, (LocId, Source, u64)> = HashMap::new();
        for (loc, &init) in self.locations.iter().enumerate() {
            b.location(&format!("x{loc}"));
            writes.insert(init, (LocId(loc as u32), Source::Init, 0));
        }
        let mut value = 0;
        let mut handed: Option<(LocId, Source, u64)> = None;
        for &(step, write) in self.steps.iter().chain(&step.map(|step| (step, None))) {
            value += 1;
            let source = |from: WriteId| match handed {
                Some(handed) if handed.0 == writes[&from].0 => handed,
                _ => writes[&from],
            };
            let (thread, op) = match step {
                Step::Write { thread, loc, order } => (thread, Op::write(loc, value).order(order)),
                Step::Read { thread, from, order } => {
                    let (loc, from, value) = source(from);
                    (thread, Op::read(loc, value).from(from).order(order))
                }
                Step::Rmw { thread, from, order } => {
                    let (loc, from, read) = source(from);
                    (thread, Op::rmw(loc, read, value).from(from).order(order))
                }
                Step::Fence { thread, order } => (thread, Op::fence(order)),
            };
            let slot = b.push(thread, op);
            if let Some(write) = write {
                writes.insert(write, (op.loc, Source::At(slot), value));
            } else if matches!(step, Step::Write { .. }) {
                handed = Some((op.loc, Source::At(slot), value));
            }
        }
        b.build().expect("a history")
    }

    fn writes(&self, loc: LocId) -> Vec<WriteId> {
        let of_steps = self.steps.iter().filter_map(|&(step, write)| {
            let write = write?;
            let of = match step {
                Step::Write { loc, .. } => loc,
                Step::Read { from, .. } | Step::Rmw { from, .. } => self.location_of(from),
                Step::Fence { .. } => return None,
            };
            (of == loc).then_some(write)
        });
        std::iter::once(self.locations[loc.index()]).chain(of_steps).collect()
    }

    fn location_of(&self, write: WriteId) -> LocId {
        if let Some(loc) = self.locations.iter().position(|&init| init == write) {
            return LocId(loc as u32);
        }
        let made = self.steps.iter().find(|(_, made)| *made == Some(write)).expect("a write").0;
        match made {
            Step::Write { loc, .. } => loc,
            Step::Rmw { from, .. } => self.location_of(from),
            _ => unreachable!("it writes"),
        }
    }
}

/// What is to be told of random executions of a model.
struct Plan {
    model: Model,
    accesses: &'static [Order],
    fences: &'static [Order],
    rmws: bool,
    /// Whether answers are to be exact, and whether the session is asked to be.
    exact: bool,
    decided: bool,
}

const ORDERS: &[Order] =
    &[Order::NonAtomic, Order::Relaxed, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
const FENCES: &[Order] = &[Order::Acquire, Order::Release, Order::AcqRel];
const FULL_FENCES: &[Order] = &[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

fn plan(model: Model) -> Plan {
    let exact = EXACT.contains(&model);
    let fences = if matches!(model, Model::Rc20 | Model::Rc11) { FENCES } else { FULL_FENCES };
    Plan { model, accesses: ORDERS, fences, rmws: true, exact, decided: false }
}

/// Leads a session through a random execution, and compares with `check` at every moment. Counts what was accepted and
/// refused.
fn lead(plan: &Plan, seed: u64, counts: &mut [u64; 2]) {
    let Plan { model, .. } = *plan;
    let mut rng = Random::new(seed);
    let session = if plan.decided { Session::exact(model) } else { Session::new(model) };
    let mut session = session.expect("a model with sessions");
    let mut mirror = Mirror::default();
    for _ in 0..2 + rng.index(3) {
        mirror.thread(&mut session);
    }
    for _ in 0..1 + rng.index(3) {
        mirror.location(&mut session);
    }
    let shared = mirror.locations.len();
    let mut marks: Vec<(Mark, Mirror)> = Vec::new();
    for moment in 0..8 + rng.index(14) {
        let running: Vec<ThreadId> = (0..mirror.threads)
            .map(ThreadId::from_index)
            .filter(|thread| !mirror.finished.contains(thread))
            .collect();
        let (thread, loc) = (rng.pick(&running), LocId(rng.index(shared) as u32));
        let order = rng.pick(plan.accesses);
        match rng.index(40) {
            0 if mirror.threads < 5 => {
                let child = session.spawn(thread);
                mirror.threads += 1;
                mirror.hand_over(
                    model,
                    thread,
                    child,
                    LocId::from_index(session.location_count() - 1),
                    &session,
                );
                continue;
            }
            1 if running.len() > 2 => {
                let child = rng.pick(&running);
                if child != thread {
                    session.join(thread, child);
                    let loc = LocId::from_index(session.location_count() - 1);
                    mirror.hand_over(model, child, thread, loc, &session);
                    mirror.finished.push(child);
                }
                continue;
            }
            2 if mirror.threads < 5 => {
                mirror.thread(&mut session);
                continue;
            }
            3..6 => {
                marks.push((session.mark(), mirror.clone()));
                continue;
            }
            6..8 if !marks.is_empty() => {
                let at = rng.index(marks.len());
                let (mark, earlier) = marks[at].clone();
                marks.truncate(at + 1);
                session.undo(mark);
                mirror = earlier;
                same_execution(&session, &mirror);
                continue;
            }
            8 => {
                let step = Step::Fence { thread, order: rng.pick(plan.fences) };
                session.step(step).expect("a fence");
                mirror.steps.push((step, None));
                continue;
            }
            _ => {}
        }
        if rng.index(4) == 0 {
            compare_candidates(plan, &mut session, &mirror, thread, loc, order);
        }
        let from = rng.pick(&mirror.writes(loc));
        let step = match rng.index(10) {
            0..4 => Step::Write { thread, loc, order },
            4..6 if plan.rmws && order != Order::NonAtomic => Step::Rmw { thread, from, order },
            _ => Step::Read { thread, from, order },
        };
        let moved = mirror.execution(Some(step));
        let verdict = check(&moved, model);
        let may = match step {
            Step::Read { .. } => session.may_read_from(thread, from, order),
            Step::Rmw { .. } => session.may_rmw_from(thread, from, order),
            _ => true,
        };
        let answer = session.step(step);
        let at = || format!("{model}, seed {seed}, moment {moment}: {step:?}\n{}", show(&mirror, step));
        assert_eq!(answer.is_ok(), may, "{}", at());
        if plan.exact {
            assert_eq!(answer.is_ok(), verdict.is_consistent(), "{}", at());
        } else {
            assert!(answer.is_ok() || verdict.is_inconsistent(), "{}", at());
        }
        counts[usize::from(answer.is_err())] += 1;
        match answer {
            Ok(write) => mirror.steps.push((step, write)),
            Err(refused) => {
                let refutation = session.refutation(&refused, &Limits::default()).expect("a history");
                let (execution, verdict) = refutation.expect("nothing is retired");
                assert!(verdict.is_inconsistent(), "{}", at());
                // rc11's certificates come later.
                let verified =
                    if model == Model::Rc11 { Ok(()) } else { verify(&execution, model, &verdict) };
                verified.unwrap_or_else(|refusal| panic!("{refusal:?} {}", at()));
            }
        }
        if !plan.exact && rng.index(8) == 0 {
            same_execution(&session, &mirror);
            let settled = session.settle(&Limits::default()).expect("a history");
            assert_eq!(settled.is_consistent(), check(&mirror.execution(None), model).is_consistent());
            if settled.is_inconsistent() {
                return;
            }
        }
    }
    same_execution(&session, &mirror);
}

/// The session's execution is the mirror's, except for values.
fn same_execution(session: &Session, mirror: &Mirror) {
    let (ours, theirs) = (session.execution().expect("a history"), mirror.execution(None));
    assert_eq!((ours.len(), ours.thread_count()), (theirs.len(), theirs.thread_count()));
    for e in ours.events() {
        assert_eq!((ours.label(e), ours.loc(e), ours.rf(e)), (theirs.label(e), theirs.loc(e), theirs.rf(e)));
    }
}

/// The execution with a step, for people.
fn show(mirror: &Mirror, step: Step) -> String {
    let x = mirror.execution(Some(step));
    x.events().map(|e| format!("{} from {:?}\n", x.show(e), x.rf(e).map(|w| x.show(w).to_string()))).collect()
}

fn compare_candidates(
    plan: &Plan,
    session: &mut Session,
    mirror: &Mirror,
    thread: ThreadId,
    loc: LocId,
    order: Order,
) {
    for rmw in [false, true] {
        if rmw && order == Order::NonAtomic {
            break;
        }
        let mut found: Vec<WriteId> = match rmw {
            false => session.candidates(thread, loc, order).to_vec(),
            true => session.rmw_candidates(thread, loc, order).to_vec(),
        };
        found.sort();
        let mut tried: Vec<WriteId> = mirror.writes(loc);
        tried.retain(|&from| match rmw {
            false => session.clone().read(thread, from, order).is_ok(),
            true => session.clone().rmw(thread, from, order).is_ok(),
        });
        tried.sort();
        assert_eq!(found, tried, "{}", plan.model);
        for from in mirror.writes(loc) {
            let step = match rmw {
                false => Step::Read { thread, from, order },
                true => Step::Rmw { thread, from, order },
            };
            let consistent = check(&mirror.execution(Some(step)), plan.model).is_consistent();
            if plan.exact {
                assert_eq!(
                    found.contains(&from),
                    consistent,
                    "{}: {step:?} {}",
                    plan.model,
                    show(mirror, step)
                );
            } else {
                assert!(found.contains(&from) || !consistent, "{}: {step:?}", plan.model);
            }
        }
    }
}

fn lead_all(plan: &Plan, executions: u64) {
    let mut counts = [0; 2];
    for seed in 0..executions {
        lead(plan, seed, &mut counts);
    }
    let [accepted, refused] = counts;
    assert!(accepted > executions && refused > executions / 2, "{accepted} accepted, {refused} refused");
}

#[test]
fn every_answer_of_an_exact_session_is_that_of_check() {
    EXACT.into_iter().for_each(|model| lead_all(&plan(model), 1_500));
}

#[test]
fn what_saturation_refuses_is_inconsistent() {
    SATURATED.into_iter().for_each(|model| lead_all(&plan(model), 1_000));
}

#[test]
fn a_session_that_is_to_be_exact_is() {
    for model in SATURATED.into_iter().chain([Model::Ra, Model::Wra]) {
        lead_all(&Plan { exact: true, decided: true, ..plan(model) }, 500);
    }
    for model in [Model::Rc20, Model::Rc11] {
        lead_all(
            &Plan { accesses: FULL_FENCES, fences: FULL_FENCES, exact: true, decided: true, ..plan(model) },
            500,
        );
    }
}

/// psc is left to `settle`.
#[test]
fn with_seq_cst_nothing_possible_is_left_out() {
    const ORDERS: &[Order] = &[Order::Relaxed, Order::Acquire, Order::Release, Order::SeqCst, Order::SeqCst];
    for model in [Model::Rc20, Model::Rc11] {
        lead_all(&Plan { accesses: ORDERS, fences: FULL_FENCES, exact: false, ..plan(model) }, 500);
    }
}

#[test]
fn sra_without_rmws_is_exact() {
    lead_all(&Plan { rmws: false, exact: true, ..plan(Model::Sra) }, 500);
}

/// Where a write stands, whatever its id: its thread and index, or its location if it is initial.
fn places(session: &Session, writes: &[WriteId]) -> Vec<(Option<(u32, u32)>, u32)> {
    let place = |&write: &WriteId| {
        let slot = session.slot(write).map(|slot| (slot.thread.0, slot.index));
        (slot, session.location_of(write).expect("a write").0)
    };
    let mut places: Vec<_> = writes.iter().map(place).collect();
    places.sort_unstable();
    places
}

/// Retires now and then in one of two sessions that are told the same: they answer the same.
fn retire_in_one(plan: &Plan, seed: u64) -> (u64, u64) {
    let mut rng = Random::new(seed);
    let mut one = Session::new(plan.model).expect("a model with sessions");
    let mut all = one.clone();
    let (threads, locations) = (2 + rng.index(3), 1 + rng.index(3));
    let busy = rng.index(3);
    for session in [&mut one, &mut all] {
        (0..threads).for_each(|_| _ = session.thread());
        (0..locations).for_each(|_| _ = session.location());
    }
    let (mut retired, mut finished) = (0, false);
    for moment in 0..800 {
        let running = if finished { threads - 1 } else { threads };
        let (thread, loc) =
            (ThreadId::from_index(rng.index(running)), LocId::from_index(rng.index(locations)));
        let order = rng.pick(plan.accesses);
        let at = || format!("{}, seed {seed}, moment {moment}", plan.model);
        if rng.index(12) == 0 {
            // What was undone is not missed either.
            let mark = one.mark();
            for _ in 0..rng.index(20) {
                let from = one.write(thread, loc, order);
                let child = one.spawn(thread);
                one.read(child, from, Order::Acquire).expect("what its parent wrote last");
                one.rmw(child, from, Order::AcqRel).expect("nobody else did");
            }
            one.undo(mark);
            retired += one.retire();
        }
        if moment == 400 && threads > 2 && busy == 1 {
            let child = ThreadId::from_index(threads - 1);
            one.join(ThreadId(0), child);
            all.join(ThreadId(0), child);
            finished = true;
            continue;
        }
        // What is behind is read now and then, so that threads do not lag for long.
        let kind = if rng.index(3) < busy { 7 } else { rng.index(10) };
        if kind == 0 {
            let order = rng.pick(plan.fences);
            one.fence(thread, order);
            all.fence(thread, order);
        } else if kind < 4 {
            one.write(thread, loc, order);
            all.write(thread, loc, order);
        } else {
            let rmw = plan.rmws && kind < 6 && order != Order::NonAtomic;
            let [ours, theirs] = [&mut one, &mut all].map(|session| match rmw {
                true => session.rmw_candidates(thread, loc, order).to_vec(),
                false => session.candidates(thread, loc, order).to_vec(),
            });
            assert_eq!(places(&one, &ours), places(&all, &theirs), "{}", at());
            let kept: Vec<ThreadId> = ours.first().map_or(Vec::new(), |&write| one.kept_by(write).collect());
            assert!(rmw || ours.is_empty() || kept.contains(&thread), "{}", at());
            // Mostly the last write of the last line, so that threads keep up.
            let Some(mut at) = ours.len().checked_sub(1) else { continue };
            if rng.index(3) == 0 {
                at = rng.index(ours.len());
            }
            let from = ours[at];
            let place = places(&one, &[from]);
            let same = theirs.iter().copied().find(|&write| places(&all, &[write]) == place);
            let same = same.expect("the same candidates");
            if rmw {
                assert!(one.rmw(thread, from, order).is_ok() && all.rmw(thread, same, order).is_ok());
            } else {
                assert!(one.read(thread, from, order).is_ok() && all.read(thread, same, order).is_ok());
            }
        }
    }
    assert_eq!(one.len(), all.len());
    (retired, one.len())
}

#[test]
fn what_is_retired_is_not_missed() {
    for model in EXACT.into_iter().chain(SATURATED) {
        let [mut retired, mut events] = [0; 2];
        for seed in 0..100 {
            let (more_retired, more_events) = retire_in_one(&plan(model), seed);
            retired += more_retired;
            events += more_events;
        }
        assert!(retired > events / 3, "{model}: {retired} of {events}");
    }
}

/// Every mo of an execution, for each location a list of its writes.
fn consistent_with(
    x: &Execution,
    model: Model,
    mo: &[Vec<usize>],
    of: &[Vec<tribunal_history::memory::EventId>],
) -> bool {
    use tribunal_history::verdict::{ModificationOrder, Verdict, Witness};
    let mut order = ModificationOrder::new();
    for (places, writes) in mo.iter().zip(of) {
        order.push_location(places.iter().map(|&place| writes[place]));
    }
    verify(x, model, &Verdict::Consistent(Witness::Mo(order))).is_ok()
}

/// Sessions in which every write is placed: a position is offered if and only if the mo so far with it is a witness, and so
/// is a candidate.
#[test]
fn where_writes_are_placed_all_is_exact() {
    for model in EXACT.into_iter().chain(SATURATED).filter(|&model| model != Model::Wra) {
        let plan = plan(model);
        let mut answers = [0; 2];
        for seed in 0..300 {
            let mut rng = Random::new(seed);
            let mut session = Session::new(model).expect("a model with sessions");
            let mut mirror = Mirror::default();
            (0..3).for_each(|_| mirror.thread(&mut session));
            (0..2).for_each(|_| _ = mirror.location(&mut session));
            // For each location, its writes in mo.
            let mut mo: Vec<Vec<WriteId>> = mirror.locations.iter().map(|&init| vec![init]).collect();
            let mut marks: Vec<(Mark, Mirror, Vec<Vec<WriteId>>)> = Vec::new();
            for _ in 0..12 {
                let (thread, loc) = (ThreadId(rng.index(3) as u32), LocId(rng.index(2) as u32));
                let order = rng.pick(&plan.accesses[1..]);
                let kind = rng.index(8);
                if rng.index(6) == 0 {
                    marks.push((session.mark(), mirror.clone(), mo.clone()));
                } else if rng.index(6) == 0 && !marks.is_empty() {
                    let (mark, earlier, order) = marks.pop().expect("a mark");
                    session.undo(mark);
                    (mirror, mo) = (earlier, order);
                }
                let mut accepted = Vec::new();
                for from in mo[loc.index()].clone() {
                    let step = match kind {
                        0..4 => Step::Write { thread, loc, order },
                        4 => Step::Rmw { thread, from, order },
                        _ => Step::Read { thread, from, order },
                    };
                    let x = mirror.execution(Some(step));
                    let mut with = mo.clone();
                    let at = with[loc.index()].iter().position(|&write| write == from).expect("a write");
                    let mut of: Vec<Vec<_>> = Vec::new();
                    for (l, writes) in with.iter_mut().enumerate() {
                        let event = |write: &WriteId| event_of(&mirror, &x, *write);
                        let mut events: Vec<_> = writes.iter().map(event).collect();
                        if l == loc.index() && kind <= 4 {
                            let own = x.thread_events(thread);
                            events.insert(at + 1, tribunal_history::memory::EventId(own.end - 1));
                        }
                        of.push(events);
                    }
                    let order: Vec<Vec<usize>> =
                        of.iter().map(|events| (0..events.len()).collect()).collect();
                    if consistent_with(&x, model, &order, &of) {
                        accepted.push(from);
                    }
                }
                accepted.sort();
                let mut found = match kind {
                    0..4 => session.coherence_positions(thread, loc, order).to_vec(),
                    4 => session.rmw_candidates(thread, loc, order).to_vec(),
                    _ => session.candidates(thread, loc, order).to_vec(),
                };
                found.sort();
                assert_eq!(
                    found,
                    accepted,
                    "{model}, seed {seed}, kind {kind} {thread:?} {loc:?} {mo:?}\n{}",
                    show(&mirror, Step::Write { thread, loc, order })
                );
                answers[0] += found.len();
                answers[1] += mo[loc.index()].len() - found.len();
                if found.is_empty() {
                    continue;
                }
                let from = rng.pick(&found);
                let at = mo[loc.index()].iter().position(|&write| write == from).expect("a write");
                let step = match kind {
                    0..4 => Step::Write { thread, loc, order },
                    4 => Step::Rmw { thread, from, order },
                    _ => Step::Read { thread, from, order },
                };
                let write = match kind {
                    0..4 => Some(session.write_after(thread, loc, order, from).expect("a position")),
                    _ => session.step(step).expect("a candidate"),
                };
                mirror.steps.push((step, write));
                if let Some(write) = write {
                    mo[loc.index()].insert(at + 1, write);
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 1_000), "{model}: {answers:?}");
    }
}

/// The event of a write.
fn event_of(mirror: &Mirror, x: &Execution, write: WriteId) -> tribunal_history::memory::EventId {
    if let Some(loc) = mirror.locations.iter().position(|&init| init == write) {
        return x.init_write(LocId::from_index(loc));
    }
    let at = mirror.steps.iter().position(|(_, made)| *made == Some(write)).expect("a write");
    let thread = thread_of(mirror.steps[at].0);
    let index = mirror.steps[..at].iter().filter(|(step, _)| thread_of(*step) == thread).count();
    x.event_at(thread, index as u32).expect("an event")
}

fn thread_of(step: Step) -> ThreadId {
    match step {
        Step::Write { thread, .. }
        | Step::Read { thread, .. }
        | Step::Rmw { thread, .. }
        | Step::Fence { thread, .. } => thread,
    }
}

#[test]
fn what_is_undone_is_gone() {
    for model in EXACT.into_iter().chain(SATURATED) {
        let mut session = Session::new(model).expect("there are sessions of the model");
        let (thread, loc) = (session.thread(), session.location());
        let mark = session.mark();
        let write = session.write(thread, loc, Order::Relaxed);
        let other = session.location();
        let initial = session.initial(other).expect("nothing is retired");
        session.undo(mark);
        for gone in [write, initial] {
            assert_eq!(session.location_of(gone), None, "{model}");
            let refused = session.read(thread, gone, Order::Relaxed).expect_err("it is undone");
            assert_eq!(refused.because, Because::Gone, "{model}");
        }
        // The id is given again.
        assert_eq!(session.write(thread, loc, Order::Relaxed), write, "{model}");
        session.read(thread, write, Order::Relaxed).expect("it is there again");
    }
}

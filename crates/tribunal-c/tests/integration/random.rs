//! Whatever is called, with whatever ids: no defect shows, and what is decided is proved.

// Answers of C are read here as C reads them.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use tribunal_c::*;
use tribunal_random::Random;

const MODELS: [&CStr; 9] = [c"rc20", c"rc11", c"ra", c"relaxed", c"wra", c"sra", c"sc", c"tso", c"pso"];

/// Random arguments, the same on every run.
struct Arguments(Random);

impl Arguments {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit.into()) as u32
    }

    /// An id below the limit, mostly.
    fn id(&mut self, limit: u32) -> u32 {
        if self.below(20) == 0 { u32::MAX - self.below(3) } else { self.below(limit) }
    }

    fn order(&mut self) -> AnyOrder {
        use Order::*;
        [Relaxed, Acquire, Release, AcqRel, SeqCst, NonAtomic][self.below(6) as usize].into()
    }

    fn event(&mut self, values: u32) -> Event {
        let (thread, location, order) = (self.id(3), self.id(2), self.order());
        let (value, read) = (self.below(values).into(), self.below(values).into());
        let event = match self.below(5) {
            0 | 1 => tribunal_write(thread, location, value, order),
            2 | 3 => tribunal_read(thread, location, value, order),
            _ if self.below(2) == 0 => tribunal_rmw(thread, location, read, value, order),
            _ => tribunal_fence(thread, order),
        };
        let source =
            [Source::ByValue, Source::ByValue, Source::Initial, Source::Event][self.below(4) as usize];
        Event { source: source.into(), from: Place { thread: self.id(3), index: self.below(4) }, ..event }
    }
}

/// What a call gives, if it does.
fn given<T: Copy>(otherwise: T, call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> Status) -> T {
    let mut value = otherwise;
    let mut place = MaybeUninit::new(otherwise);
    if sound(call(Some(&mut place))) {
        // SAFETY: it was initialized.
        value = unsafe { place.assume_init() };
    }
    value
}

/// A handle that a call gives.
fn made<T>(call: impl FnOnce(Option<&mut MaybeUninit<Option<Box<T>>>>) -> Status) -> Option<Box<T>> {
    let mut place = MaybeUninit::new(None);
    sound(call(Some(&mut place)));
    // SAFETY: it was initialized, and a call writes nothing else.
    unsafe { place.assume_init() }
}

/// Whether a call was accepted; it may be refused, but must show no defect.
fn sound(status: Status) -> bool {
    // SAFETY: the message ends with NUL and nothing fails meanwhile.
    let message = || unsafe { CStr::from_ptr(tribunal_last_error()) };
    assert_ne!(status, Status::Broken, "{:?}", message());
    status == Status::Ok
}

fn is_proved(verdict: Option<Box<Verdict>>) {
    let verdict = verdict.expect("there is a verdict");
    assert!(
        !tribunal_verdict_text(Some(&verdict)).is_null() && !tribunal_verdict_json(Some(&verdict)).is_null()
    );
    let verification = tribunal_verdict_verify(Some(&verdict), None);
    match tribunal_verdict_word(Some(&verdict)) {
        Word::Consistent | Word::Inconsistent => assert_eq!(verification, Verification::Accepted),
        Word::Undecided | Word::Unsupported => assert_eq!(verification, Verification::None),
    }
    tribunal_verdict_free(Some(verdict));
}

#[test]
fn sessions() {
    for (number, model) in (0..).zip(MODELS) {
        for exact in [false, true] {
            let random = &mut Arguments(Random::new(2 * number + u64::from(exact)));
            for _ in 0..20 {
                session(model, exact, random);
            }
        }
    }
}

fn session(model: &CStr, exact: bool, random: &mut Arguments) {
    let model = Text::new(model);
    let mut session = made(|place| match exact {
        true => tribunal_session_exact(model, place),
        false => tribunal_session_new(model, place),
    });
    let session = session.as_deref_mut().expect("a session");
    let (mut writes, mut marks) = (vec![0, u64::MAX], vec![0]);
    for _ in 0..3 {
        sound(tribunal_session_thread(Some(session), None));
        let location = given(0, |place| tribunal_session_location(Some(session), place));
        writes.push(given(0, |place| tribunal_session_initial(Some(session), location, place)));
    }
    for _ in 0..40 {
        let s = Some(&mut *session);
        let (thread, location, order) = (random.id(4), random.id(4), random.order());
        let from = writes[random.below(writes.len() as u32) as usize];
        let mut room = [0; 3];
        let (found, capacity) = (room.as_mut_ptr(), random.below(4) as usize);
        let write = match random.below(20) {
            0..4 => given(0, |place| tribunal_session_write(s, thread, location, order, place)),
            4..8 => {
                sound(tribunal_session_read(s, thread, from, order));
                0
            }
            8 | 9 => given(0, |place| tribunal_session_rmw(s, thread, from, order, place)),
            10 => given(0, |place| tribunal_session_write_after(s, thread, location, order, from, place)),
            11 => {
                sound(tribunal_session_fence(s, thread, order));
                0
            }
            12 => {
                marks.push(given(0, |place| tribunal_session_mark(s, place)));
                0
            }
            13 => {
                sound(tribunal_session_undo(s, marks[random.below(marks.len() as u32) as usize]));
                0
            }
            14 => {
                sound(tribunal_session_candidates(s, thread, location, order, found, capacity, None));
                room[0]
            }
            15 => {
                sound(tribunal_session_rmw_candidates(s, thread, location, order, found, capacity, None));
                room[0]
            }
            16 => {
                sound(tribunal_session_positions(s, thread, location, order, found, capacity, None));
                room[0]
            }
            17 => {
                sound(tribunal_session_may_read(s, thread, from, order));
                0
            }
            18 => match random.below(5) {
                0 => {
                    sound(tribunal_session_spawn(s, thread, None));
                    0
                }
                1 => {
                    sound(tribunal_session_join(s, thread, random.id(5)));
                    0
                }
                2 => {
                    sound(tribunal_session_finish(s, thread));
                    0
                }
                3 => {
                    sound(tribunal_session_retire(s, None));
                    0
                }
                _ => given(0, |place| tribunal_session_initial(s, location, place)),
            },
            _ => {
                sound(tribunal_session_known(s, thread, random.id(4), None));
                sound(tribunal_session_place(Some(session), from, None));
                if tribunal_session_refusal(Some(session), None) != Because::Nothing {
                    is_proved(made(|place| tribunal_session_refutation(Some(session), None, place)));
                }
                0
            }
        };
        writes.push(write);
    }
    is_proved(made(|place| tribunal_session_settle(Some(session), None, place)));
}

#[test]
fn histories() {
    let random = &mut Arguments(Random::new(1));
    let mut builder = made(|place| tribunal_builder_new(place)).expect("a builder");
    for _ in 0..150 {
        let b = &mut *builder;
        for name in [c"a", c"b", c"c"] {
            sound(tribunal_builder_thread(Some(b), Text::new(name), None));
        }
        for name in [c"x", c"y"] {
            sound(tribunal_builder_location(Some(b), Text::new(name), 0, None));
        }
        let values = 2 + random.below(6);
        for _ in 0..random.below(10) {
            let event = random.event(values);
            sound(tribunal_builder_push(Some(b), event, None));
            let place = Place { thread: event.thread, index: random.below(3) };
            match random.below(30) {
                0 => _ = sound(tribunal_builder_depends(Some(b), place, random.below(3))),
                1 => _ = sound(tribunal_builder_final(Some(b), random.id(2), random.below(values).into())),
                2 => {
                    let (begin, end) = (random.below(9).into(), random.below(9).into());
                    sound(tribunal_builder_interval(Some(b), place, Some(&begin), Some(&end)));
                }
                _ => {}
            }
        }
        let Some(history) = made(|place| tribunal_builder_build(Some(b), place)) else { continue };
        for model in
            [&MODELS[..], &[c"wmo", c"rmo", c"coherence", c"cc", c"ccv", c"cm", c"linearizable"]].concat()
        {
            is_proved(made(|place| tribunal_check(Some(&history), Text::new(model), None, place)));
        }
        tribunal_history_free(Some(history));
    }
    tribunal_builder_free(Some(builder));
}

#[test]
fn monitors() {
    for (number, model) in (0..).zip(MODELS) {
        let random = &mut Arguments(Random::new(100 + number));
        for _ in 0..20 {
            let window = random.below(20).into();
            let model = Text::new(model);
            let monitor =
                made(|place| tribunal_monitor_new(model, window, None, None, ptr::null_mut(), place));
            let mut monitor = monitor.expect("a monitor");
            let m = &mut *monitor;
            for name in [c"a", c"b", c"c"] {
                sound(tribunal_monitor_thread(Some(m), Text::new(name), None));
                sound(tribunal_monitor_location(Some(m), Text::new(name), 0, None));
            }
            let values = 2 + random.below(30);
            for _ in 0..random.below(60) {
                if tribunal_monitor_push(m, random.event(values)) == Status::Inconsistent {
                    assert!(!tribunal_monitor_explain(Some(m)).is_null());
                }
                if random.below(20) == 0 {
                    sound(tribunal_monitor_settle(m));
                }
            }
            sound(tribunal_monitor_finish(m));
            sound(tribunal_monitor_finish(m));
            tribunal_monitor_free(Some(monitor));
        }
    }
}

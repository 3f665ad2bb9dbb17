//! The threads of a test: pinned, and meeting at a barrier before each instance.

use super::compile::Code;
use super::steps::{At, Slot, Step};
use super::words::Words;
use super::{Program, Unrunnable};
use crate::Random;
use crate::cores::pin;
use crate::memory::Layout;
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering, fence};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope, yield_now};
use tribunal_litmus::value::{Binary, Value};

/// The number of instances of a test that a round goes through.
pub(super) const INSTANCES: usize = 512;
/// The number of words that the instances' cells may take, unless they lie side by side.
const WORDS: usize = 1 << 25;
/// The longest wait after the barrier, in turns of an empty loop.
const SKEW: usize = 64;
/// Steps after which a run does not end in time.
const STEPS: u32 = 1 << 14;
/// Looks at the barrier before a thread lets others have its core.
const LOOKS_BEFORE_YIELDING: u32 = 1 << 12;
/// The same if another thread may need that core.
const LOOKS_IF_CROWDED: u32 = 1 << 5;

/// Whether threads that were started may begin, once all are there.
const WAITING: u8 = 0;
const OPEN: u8 = 1;
const CLOSED: u8 = 2;

/// The values of a thread's slots at the end of each instance, and whether it came to its end.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) slots: Vec<i64>,
    pub(super) finished: Vec<bool>,
}

/// The place where the cells of the instances lie.
struct Memory {
    words: Vec<AtomicI64>,
    stride: AtomicU64,
}

impl Memory {
    #[inline]
    fn cell(&self, instance: usize, cell: usize, stride: usize) -> Option<&AtomicI64> {
        self.words.get((cell * INSTANCES + instance) * stride)
    }
}

/// A round that is over.
pub(super) struct Round<'a> {
    memory: &'a Memory,
    stride: usize,
    pub(super) threads: &'a [Ends],
    slots: &'a [usize],
}

impl Round<'_> {
    /// The value of a cell of an instance.
    pub(super) fn cell(&self, instance: usize, cell: usize) -> i64 {
        self.memory.cell(instance, cell, self.stride).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// The value that a slot of a thread held.
    pub(super) fn slot(&self, thread: usize, instance: usize, slot: Slot) -> i64 {
        let slots = self.slots.get(thread).copied().unwrap_or(0);
        let ends = self.threads.get(thread);
        ends.and_then(|ends| ends.slots.get(instance * slots + usize::from(slot.0)).copied()).unwrap_or(0)
    }

    /// Whether all threads came to the end of an instance.
    pub(super) fn finished(&self, instance: usize) -> bool {
        self.threads.iter().all(|ends| ends.finished.get(instance).copied().unwrap_or(false))
    }
}

/// Words between two cells.
fn stride(layout: Layout, round: u64) -> usize {
    match layout {
        Layout::Packed => 1,
        Layout::Line => 16,
        Layout::Page => 512,
        Layout::Mixed => [16, 1, 512][(round % 3) as usize],
    }
}

/// Rounds of all instances, each shown when it is over, until that says to stop.
pub(super) fn rounds(
    program: &Program<'_>,
    layout: Layout,
    init: &[i64],
    mut each: impl FnMut(&Round<'_>) -> bool,
) -> Result<(), Unrunnable> {
    let count = program.threads.len();
    let asked = if matches!(layout, Layout::Mixed) { 512 } else { stride(layout, 0) };
    // Cells of tests with many locations lie closer together than was asked for.
    let fits = |stride: &usize| init.len().saturating_mul(INSTANCES * stride) <= WORDS;
    let most = [512, 16].into_iter().find(fits).unwrap_or(1).min(asked);
    let memory = Memory {
        words: (0..(init.len() * INSTANCES * most).max(1)).map(|_| AtomicI64::new(0)).collect(),
        stride: AtomicU64::new(0),
    };
    let ends: Vec<Mutex<Ends>> = (0..count).map(|_| Mutex::new(Ends::default())).collect();
    let (start, end, stop) = (Barrier::new(count + 1), Barrier::new(count + 1), AtomicBool::new(false));
    let gate = AtomicU8::new(WAITING);
    let meeting = Meeting::of(count);
    let slots: Vec<usize> = program.threads.iter().map(|code| code.slots).collect();
    scope(|scope| {
        for (index, code) in program.threads.iter().enumerate() {
            let (memory, ends, start, end, stop, meeting, gate) =
                (&memory, &ends[index], &start, &end, &stop, &meeting, &gate);
            let words = &program.words;
            let worker = move || {
                while gate.load(Ordering::Acquire) == WAITING {
                    yield_now();
                }
                if gate.load(Ordering::Acquire) == CLOSED {
                    return;
                }
                pin(index);
                let mut random = Random::new(index as u64);
                loop {
                    start.wait();
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
                    work(code, words, memory, meeting, &mut random, &mut ends);
                    drop(ends);
                    end.wait();
                }
            };
            if let Err(source) = Builder::new().spawn_scoped(scope, worker) {
                // Those that have started have not come to a barrier yet.
                gate.store(CLOSED, Ordering::Release);
                return Err(Unrunnable::Threads { threads: count, source });
            }
        }
        gate.store(OPEN, Ordering::Release);
        let mut round = 0;
        loop {
            let stride = stride(layout, round).min(most);
            memory.stride.store(stride as u64, Ordering::Relaxed);
            for (cell, value) in init.iter().enumerate() {
                for instance in 0..INSTANCES {
                    if let Some(word) = memory.cell(instance, cell, stride) {
                        word.store(*value, Ordering::Relaxed);
                    }
                }
            }
            start.wait();
            end.wait();
            let threads: Vec<Ends> = ends
                .iter()
                .map(|ends| std::mem::take(&mut *ends.lock().unwrap_or_else(PoisonError::into_inner)))
                .collect();
            let go_on = each(&Round { memory: &memory, stride, threads: &threads, slots: &slots });
            for (kept, used) in ends.iter().zip(threads) {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = used;
            }
            if !go_on {
                stop.store(true, Ordering::Relaxed);
                start.wait();
                return Ok(());
            }
            round += 1;
        }
    })
}

/// A thread's part of a round.
fn work(
    code: &Code,
    words: &Words,
    memory: &Memory,
    meeting: &Meeting,
    random: &mut Random,
    ends: &mut Ends,
) {
    let stride = memory.stride.load(Ordering::Relaxed) as usize;
    ends.slots.resize(INSTANCES * code.slots, 0);
    ends.finished.resize(INSTANCES, false);
    let (mut slots, mut finished) =
        (ends.slots.chunks_exact_mut(code.slots.max(1)), ends.finished.iter_mut());
    let mut none = [0; 1];
    for instance in 0..INSTANCES {
        let slots = slots.next().unwrap_or(&mut none);
        slots.fill(0);
        for (slot, value) in &code.init {
            slots[usize::from(slot.0)] = *value;
        }
        let skew = random.index(SKEW);
        meeting.wait();
        for turn in 0..skew {
            black_box(turn);
        }
        let ended = execute(code, words, |cell| memory.cell(instance, cell, stride), slots);
        if let Some(finished) = finished.next() {
            *finished = ended;
        }
    }
}

/// A run of a thread; whether it came to its end, in memory and in time.
#[inline]
fn execute<'m>(
    code: &Code,
    words: &Words,
    cell: impl Fn(usize) -> Option<&'m AtomicI64>,
    slots: &mut [i64],
) -> bool {
    let mut next = 0;
    for _ in 0..STEPS {
        let Some(step) = code.steps.get(next) else { return false };
        next += 1;
        macro_rules! slot {
            ($slot:expr) => {
                slots[usize::from($slot.0)]
            };
        }
        macro_rules! cell {
            ($at:expr) => {{
                let index = match $at {
                    At::Cell(cell) => Some(cell),
                    At::Slot(slot) => words.cell(slot!(slot)),
                };
                match index.and_then(&cell) {
                    Some(cell) => cell,
                    None => return false,
                }
            }};
        }
        match *step {
            Step::Set { into, value } => slot!(into) = value,
            Step::Copy { into, from } => slot!(into) = slot!(from),
            Step::Unary { op, of, into } => slot!(into) = word(op.apply(Value::Int(slot!(of)))),
            Step::Binary { op, left, right, into } => slot!(into) = apply(op, slot!(left), slot!(right)),
            Step::Load { at, into, order } => slot!(into) = cell!(at).load(order),
            Step::Store { at, value, order } => cell!(at).store(slot!(value), order),
            Step::Swap { at, value, into, order } => slot!(into) = cell!(at).swap(slot!(value), order),
            Step::Fetch { at, op, value, into, order } => {
                let (cell, value) = (cell!(at), slot!(value));
                slot!(into) = match op {
                    Binary::Add => cell.fetch_add(value, order),
                    Binary::Sub => cell.fetch_sub(value, order),
                    Binary::And => cell.fetch_and(value, order),
                    Binary::Or => cell.fetch_or(value, order),
                    Binary::Xor => cell.fetch_xor(value, order),
                    other => {
                        let update = |old| Some(apply(other, old, value));
                        cell.fetch_update(order, Ordering::Relaxed, update).unwrap_or_default()
                    }
                };
            }
            Step::CompareExchange { at, expected, value, into, order, other } => {
                match cell!(at).compare_exchange(slot!(expected), slot!(value), order, Ordering::Relaxed) {
                    Ok(found) => slot!(into) = found,
                    Err(_) => next = other,
                }
            }
            Step::Fence(order) => fence(order),
            Step::If { condition, zero, target } => {
                if (slot!(condition) == 0) == zero {
                    next = target;
                }
            }
            Step::Goto(target) => next = target,
            Step::Stop => return true,
        }
    }
    false
}

fn apply(op: Binary, left: i64, right: i64) -> i64 {
    match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Xor => left ^ right,
        other => word(other.apply(Value::Int(left), Value::Int(right))),
    }
}

/// The value as a word. An expression without a value, as a division by zero, is zero here.
fn word(value: Option<Value>) -> i64 {
    if let Some(Value::Int(number)) = value { number } else { 0 }
}

/// A barrier at which threads spin.
struct Meeting {
    arrived: AtomicU64,
    threads: u64,
    most_looks: u32,
}

impl Meeting {
    fn of(threads: usize) -> Self {
        let cores = available_parallelism().map_or(1, |cores| cores.get());
        let most_looks = if threads > cores { LOOKS_IF_CROWDED } else { LOOKS_BEFORE_YIELDING };
        Meeting { arrived: AtomicU64::new(0), threads: threads as u64, most_looks }
    }

    fn wait(&self) {
        let place = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (place / self.threads + 1) * self.threads;
        let mut looks = 0;
        while self.arrived.load(Ordering::Acquire) < all {
            looks += 1;
            if looks >= self.most_looks {
                looks = 0;
                yield_now();
            } else {
                spin_loop();
            }
        }
    }
}

//! A machine that executes out of order: RMO.
//!
//! A thread's accesses enter a window in program order, take effect on one shared memory in any order that the model lets
//! them, and leave the window in program order again. An access waits for an earlier one of its thread only if
//!
//! - both are to one location and one of them writes: two plain reads may change places;
//! - a fence stands between them that keeps them in order: a seq_cst one any, an acquire or acq_rel one those after a
//!   read, a release or acq_rel one those before a write; or
//! - it depends on what the earlier one read.
//!
//! Give each access the time at which it took effect: ppo ∪ rfe ∪ mo ∪ fr, what is kept of po-loc, and deps ∪ rf all go forward
//! in time, which is why histories are rmo-consistent.

use crate::clients::{Request, Requests};
use crate::run::Step;
use std::collections::VecDeque;
use tribunal_history::memory::{Kind, Order};
use tribunal_random::{Xoshiro, scale};

/// The number of accesses of a thread that may be in its window.
const WINDOW: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Entry {
    request: Request,
    /// The value that it writes, if it writes.
    value: u64,
    /// The index of the read that it depends on.
    depends: Option<u32>,
    /// The value that its location held before it took effect, once it has; of a fence, anything.
    read: Option<u64>,
}

#[derive(Clone, Debug)]
struct Thread {
    window: VecDeque<Entry>,
    /// The index of the window's first entry in the thread.
    first: u32,
    /// The index of the thread's latest read, if it has one.
    latest_read: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct OutOfOrder {
    memory: Vec<u64>,
    threads: Vec<Thread>,
    /// The number of entries in all windows.
    entries: usize,
}

impl OutOfOrder {
    pub(crate) fn new(threads: u32, locations: u32) -> Self {
        let thread = Thread { window: VecDeque::with_capacity(WINDOW), first: 0, latest_read: None };
        OutOfOrder {
            memory: vec![0; locations as usize],
            threads: vec![thread; threads as usize],
            entries: 0,
        }
    }

    pub(crate) fn bytes_per_thread() -> u64 {
        (size_of::<Thread>() + WINDOW * size_of::<Entry>()) as u64
    }

    /// The next access that leaves its window; `left` requests are still to be drawn.
    pub(crate) fn next(
        &mut self,
        requests: &mut Requests,
        left: &mut u64,
        written: &mut [u64],
        rng: &mut Xoshiro,
    ) -> Option<Step> {
        while self.entries > 0 || *left > 0 {
            if *left > 0 {
                let request = requests.draw(rng);
                let thread = &mut self.threads[request.thread.index()];
                if thread.window.len() < WINDOW {
                    *left -= 1;
                    self.entries += 1;
                    thread.enter(request, written);
                } else {
                    // It makes the access again later: random clients do not mind.
                    self.execute(request.thread.index(), rng);
                }
            }
            let (thread, choice) = rng.pair();
            let thread = scale(thread, self.threads.len() as u64) as usize;
            if choice & 1 == 1 || *left == 0 {
                self.execute(thread, rng);
            }
            if let Some(step) = self.threads[thread].leave() {
                self.entries -= 1;
                return Some(step);
            }
        }
        None
    }

    /// One access of the thread's window takes effect, if one drawn at random can.
    fn execute(&mut self, thread: usize, rng: &mut Xoshiro) {
        let Thread { window, first, .. } = &mut self.threads[thread];
        if window.is_empty() {
            return;
        }
        let at = rng.index(window.len());
        if window[at].read.is_some() || !is_ready(window, *first, at) {
            return;
        }
        let entry = &mut window[at];
        if entry.request.kind == Kind::Fence {
            entry.read = Some(0);
            return;
        }
        let held = &mut self.memory[entry.request.loc.index()];
        entry.read = Some(*held);
        if writes(entry) {
            *held = entry.value;
        }
    }
}

impl Thread {
    /// The request enters the window.
    fn enter(&mut self, request: Request, written: &mut [u64]) {
        let index = self.first + self.window.len() as u32;
        let depends = self.latest_read.filter(|_| request.depends && request.kind != Kind::Fence);
        if matches!(request.kind, Kind::Read | Kind::Rmw) {
            self.latest_read = Some(index);
        }
        if matches!(request.kind, Kind::Write | Kind::Rmw) {
            written[request.loc.index()] += 1;
        }
        let value = written[request.loc.index()];
        self.window.push_back(Entry { request, value, depends, read: None });
    }

    /// The first entry leaves the window, if it has taken effect.
    fn leave(&mut self) -> Option<Step> {
        let &Entry { request, value, depends, read } = self.window.front()?;
        let read = read?;
        self.window.pop_front();
        self.first += 1;
        Some(request.done(value, read, depends))
    }
}

/// Whether nothing that the entry must wait for is still to take effect.
fn is_ready(window: &VecDeque<Entry>, first: u32, at: usize) -> bool {
    let later = &window[at];
    if later.request.kind == Kind::Fence {
        return true;
    }
    // Which earlier accesses the fences met so far, going back, keep before this one.
    let (mut reads, mut all) = (false, false);
    for (place, earlier) in window.iter().enumerate().take(at).rev() {
        let Request { kind, order, loc, .. } = earlier.request;
        if kind == Kind::Fence {
            all |= order == Order::SeqCst || order.is_release() && writes(later);
            reads |= order.is_acquire();
            continue;
        }
        let same = loc == later.request.loc && (writes(earlier) || writes(later));
        let kept = same || all || reads && kind != Kind::Write;
        let needed = later.depends == Some(first + place as u32);
        if earlier.read.is_none() && (kept || needed) {
            return false;
        }
    }
    true
}

fn writes(entry: &Entry) -> bool {
    matches!(entry.request.kind, Kind::Write | Kind::Rmw)
}

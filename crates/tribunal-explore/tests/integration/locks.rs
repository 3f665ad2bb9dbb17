//! Executions of programs with one lock are the orders of what is done to it. No run ends because a lock is held.

use std::collections::BTreeSet;
use tribunal_explore::sync::{Arc, Mutex, RwLock};
use tribunal_explore::{End, Explorer, thread};
use tribunal_history::model::Model;

/// What a thread does with the lock, before it gives it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Read,
    Write,
    TryRead,
    TryWrite,
}
use Section::{Read, TryRead, TryWrite, Write};

impl Section {
    fn tries(self) -> bool {
        matches!(self, TryRead | TryWrite)
    }

    fn is_shared(self) -> bool {
        matches!(self, Read | TryRead)
    }
}

type Threads = Vec<Vec<Section>>;

/// What differs between two executions: the order of what changes the lock, and behind how many changes each try failed.
type Execution = (Vec<usize>, Vec<Vec<usize>>);

/// All interleavings.
struct Interleavings<'a> {
    threads: &'a Threads,
    /// By thread: the sections that it has done, and whether it is in one.
    at: Vec<(usize, bool)>,
    readers: usize,
    written: bool,
    execution: Execution,
    found: BTreeSet<Execution>,
}

impl Interleavings<'_> {
    fn of(threads: &Threads) -> usize {
        let none = vec![Vec::new(); threads.len()];
        let mut all = Interleavings {
            threads,
            at: vec![(0, false); threads.len()],
            readers: 0,
            written: false,
            execution: (Vec::new(), none),
            found: BTreeSet::new(),
        };
        all.go_on();
        all.found.len()
    }

    fn go_on(&mut self) {
        let mut over = true;
        for thread in 0..self.threads.len() {
            let (done, inside) = self.at[thread];
            let Some(&section) = self.threads[thread].get(done) else { continue };
            over = false;
            let before = (self.readers, self.written, self.at[thread]);
            let free = !self.written && (section.is_shared() || self.readers == 0);
            if inside {
                match section.is_shared() {
                    true => self.readers -= 1,
                    false => self.written = false,
                }
                self.at[thread] = (done + 1, false);
                self.execution.0.push(thread);
            } else if free {
                match section.is_shared() {
                    true => self.readers += 1,
                    false => self.written = true,
                }
                self.at[thread].1 = true;
                self.execution.0.push(thread);
            } else if section.tries() {
                self.at[thread].0 += 1;
                let changes = self.execution.0.len();
                self.execution.1[thread].push(changes);
            } else {
                continue;
            }
            self.go_on();
            match inside || free {
                true => self.execution.0.pop(),
                false => self.execution.1[thread].pop(),
            };
            (self.readers, self.written, self.at[thread]) = before;
        }
        if over {
            self.found.insert(self.execution.clone());
        }
    }
}

/// How many executions the explorer counts, and how many are blocked. Of a [`Mutex`] if the lock is never shared.
fn explored(threads: &Threads, model: Model) -> (u64, u64) {
    let shared = threads.iter().flatten().any(|section| section.is_shared());
    let program = threads.clone();
    let report = Explorer::new().model(model).check(move || {
        let locks = Arc::new((RwLock::new(()), Mutex::new(())));
        for sections in program.clone() {
            let locks = locks.clone();
            thread::spawn(move || {
                let (lock, mutex) = &*locks;
                for section in sections {
                    match section {
                        Write if !shared => drop(mutex.lock()),
                        TryWrite if !shared => drop(mutex.try_lock()),
                        Read => drop(lock.read()),
                        Write => drop(lock.write()),
                        TryRead => drop(lock.try_read()),
                        TryWrite => drop(lock.try_write()),
                    }
                }
            });
        }
    });
    assert!(report.failure.is_none(), "{threads:?}: {:?}", report.failure.map(|failure| failure.problem));
    assert_eq!(report.end, End::Complete);
    (report.executions, report.blocked)
}

/// All programs of so many threads with one or two of these sections each.
fn programs(threads: usize, sections: &[Section]) -> Vec<Threads> {
    let one = sections.iter().map(|&first| vec![first]);
    let two = sections.iter().flat_map(|&first| sections.iter().map(move |&second| vec![first, second]));
    let lists: Vec<Vec<Section>> = one.chain(two).collect();
    let mut programs: Vec<Threads> = vec![Vec::new()];
    for _ in 0..threads {
        let longer = programs.iter().flat_map(|program| {
            lists.iter().map(move |list| program.iter().cloned().chain([list.clone()]).collect())
        });
        programs = longer.collect();
    }
    programs
}

#[test]
fn executions_are_orders_of_what_is_done_to_a_lock() {
    let mut sum = 0;
    for (threads, model) in [(2, Model::Rc20), (2, Model::Sc), (3, Model::Rc20)] {
        for program in programs(threads, &[Read, Write]) {
            let expected = Interleavings::of(&program) as u64;
            let (executions, blocked) = explored(&program, model);
            assert_eq!(executions, expected, "{program:?} under {model}");
            let is_shared = program.iter().flatten().any(|section| section.is_shared());
            assert!(is_shared || blocked == 0, "{program:?} under {model}");
            sum += expected;
        }
    }
    println!("{sum} executions");
}

/// A try that fails has read what the lock was, under sc the last that was done to it.
#[test]
fn tries_of_a_lock_may_fail() {
    let few = |most| move |program: &Threads| program.iter().flatten().count() <= most;
    let two = programs(2, &[Read, Write, TryRead, TryWrite]);
    let three = programs(3, &[Write, TryWrite, TryRead]).into_iter().filter(few(4));
    let four = programs(4, &[Write, TryWrite]).into_iter().filter(few(5));
    let mutexes = programs(3, &[Write, TryWrite]).into_iter().chain(four);
    for program in two.into_iter().chain(three).chain(mutexes) {
        as_interleavings(&program);
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_more_tries() {
    let few = |program: &Threads| program.iter().flatten().count() <= 7;
    programs(4, &[Write, TryWrite]).iter().filter(|program| few(program)).for_each(as_interleavings);
}

fn as_interleavings(program: &Threads) {
    let expected = Interleavings::of(program) as u64;
    assert_eq!(explored(program, Model::Sc).0, expected, "{program:?}");
}

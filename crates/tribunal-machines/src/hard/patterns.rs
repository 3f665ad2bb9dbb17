//! Histories that separate the methods of maintaining mo while an execution grows (Tunç et al. 2023, appendix B.2).
//!
//! An online checker that keeps mo transitively closed pays for an edge with everything that comes after it; Algorithm 5 of
//! the paper does not. The paper shows this on five handcrafted partial executions (Fig. 11); these five
//! follow its text. Each is consistent with ra, in the order in which its events are
//! revealed and at every moment, and states what it exercises.

use crate::{Step, location_name, thread_name};
use std::fmt;
use std::str::FromStr;
use tribunal_history::memory::{Execution, LocId, Op, Order, ThreadId};
use tribunal_history::names::{UnknownName, named};

/// A family of histories of growing numbers of threads and events, all of whose accesses are acq_rel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// All threads but one write a location in turn, each having read the write before; then the last thread writes
    /// and reads from the first of those writes, writes and reads from the second, and so on. Each of its writes goes
    /// before an old write that has all later ones behind it.
    Lag,
    /// All threads but one write a location and see nothing of each other; then the last thread reads all their
    /// writes, one of each thread in turn. Each read orders two old writes, with all that is behind the one and
    /// before the other.
    Merge,
    /// For one location after another: a write, followed by the writes of the threads that read it; then the other
    /// threads write, each unseen, and read the first write. What they wrote goes before a write with many behind it.
    Fan,
    /// For one location after another: a write and a long chain of RMWs; then threads write, each unseen, and read
    /// the last RMW. By atomicity what they wrote goes before the whole chain, every member of which a stronger mo is
    /// told.
    Chain,
    /// A thread writes now and then and all others keep reading the last write: few writes, no choice, little to
    /// order for any method.
    Poll,
}

impl Pattern {
    /// Every pattern.
    pub const ALL: [Pattern; 5] = [Pattern::Lag, Pattern::Merge, Pattern::Fan, Pattern::Chain, Pattern::Poll];

    /// The fewest threads that any pattern can do with.
    pub const MIN_THREADS: u32 = 3;

    /// The pattern's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Lag => "lag",
            Pattern::Merge => "merge",
            Pattern::Fan => "fan",
            Pattern::Chain => "chain",
            Pattern::Poll => "poll",
        }
    }

    /// The history, of at least three threads; its locations are as many as the pattern takes.
    ///
    /// ```
    /// use tribunal::{Model, check};
    /// use tribunal_machines::hard::Pattern;
    /// let history = Pattern::Merge.history(4, 100);
    /// assert_eq!((history.thread_count(), history.len()), (4, 100));
    /// assert!(check(&history, Model::Ra).is_consistent());
    /// ```
    pub fn history(self, threads: u32, events: u64) -> Execution {
        build(threads, &self.steps(threads, events))
    }

    /// The history's events in the order in which they are revealed: every read after its write.
    ///
    /// The n-th write of a location writes n, and 0 is initial, so that a value names its write.
    pub fn steps(self, threads: u32, events: u64) -> Vec<Step> {
        let threads = threads.max(Self::MIN_THREADS);
        // The last round, or the last location, may go beyond what is asked for.
        let mut reveal = Reveal { steps: Vec::with_capacity(events as usize + 1), next: vec![0] };
        match self {
            Pattern::Lag => lag(&mut reveal, threads, events),
            Pattern::Merge => merge(&mut reveal, threads, events),
            Pattern::Fan => each_location(&mut reveal, events, |reveal, x| fan(reveal, threads, x)),
            Pattern::Chain => each_location(&mut reveal, events, |reveal, x| chain(reveal, threads, x)),
            Pattern::Poll => poll(&mut reveal, threads, events),
        }
        reveal.steps.truncate(events as usize);
        reveal.steps
    }
}

fn build(threads: u32, steps: &[Step]) -> Execution {
    let mut b = Execution::builder();
    for thread in (0..threads.max(Pattern::MIN_THREADS)).map(ThreadId) {
        b.thread(&thread_name(thread));
    }
    let locations = steps.iter().map(|step| step.op.loc.0 + 1).max().unwrap_or(0);
    for loc in (0..locations).map(LocId) {
        b.location(&location_name(loc));
    }
    for step in steps {
        b.push(step.thread, step.op);
    }
    b.build().expect("every value read was written once")
}

const X: LocId = LocId(0);

fn lag(reveal: &mut Reveal, threads: u32, events: u64) {
    let (writers, last) = (threads - 1, ThreadId(threads - 1));
    let writes = events.div_ceil(4);
    let mut value = 0;
    for i in 0..writes {
        let writer = ThreadId((i % u64::from(writers)) as u32);
        reveal.read(writer, X, value);
        value = reveal.write(writer, X);
    }
    for old in 1..=writes {
        reveal.write(last, X);
        reveal.read(last, X, old);
    }
}

fn merge(reveal: &mut Reveal, threads: u32, events: u64) {
    let (writers, last) = (threads - 1, ThreadId(threads - 1));
    let writes = events.div_ceil(2);
    for i in 0..writes {
        reveal.write(ThreadId((i % u64::from(writers)) as u32), X);
    }
    for value in 1..=writes {
        reveal.read(last, X, value);
    }
}

fn fan(reveal: &mut Reveal, threads: u32, x: LocId) {
    const WRITES: usize = 4;
    let followers = 1 + (threads - 1) / 2;
    let first = reveal.write(ThreadId(0), x);
    for follower in (1..followers).map(ThreadId) {
        reveal.read(follower, x, first);
        for _ in 0..WRITES {
            reveal.write(follower, x);
        }
    }
    write_and_read(reveal, followers..threads, x, first);
}

fn chain(reveal: &mut Reveal, threads: u32, x: LocId) {
    let members = 1 + (threads - 1) / 2;
    let mut bottom = reveal.write(ThreadId(0), x);
    for i in 0..4 * threads {
        bottom = reveal.rmw(ThreadId(i % members), x, bottom);
    }
    write_and_read(reveal, members..threads, x, bottom);
}

/// Threads write a location, each unseen by the others, and read an old value of it.
fn write_and_read(reveal: &mut Reveal, threads: std::ops::Range<u32>, x: LocId, old: u64) {
    for thread in threads.map(ThreadId) {
        reveal.write(thread, x);
        reveal.read(thread, x, old);
    }
}

fn poll(reveal: &mut Reveal, threads: u32, events: u64) {
    const ROUNDS: u32 = 16;
    while (reveal.steps.len() as u64) < events {
        let value = reveal.write(ThreadId(0), X);
        for i in 0..ROUNDS * (threads - 1) {
            reveal.read(ThreadId(1 + i % (threads - 1)), X, value);
        }
    }
}

/// The same for one location after another, until there are enough events.
fn each_location(reveal: &mut Reveal, events: u64, mut block: impl FnMut(&mut Reveal, LocId)) {
    while (reveal.steps.len() as u64) < events {
        let x = LocId::from_index(reveal.next.len() - 1);
        block(reveal, x);
        reveal.next.push(0);
    }
}

/// Steps in the making.
struct Reveal {
    steps: Vec<Step>,
    /// Per location, the last value written.
    next: Vec<u64>,
}

impl Reveal {
    fn push(&mut self, thread: ThreadId, op: Op) {
        self.steps.push(Step { thread, op: op.order(Order::AcqRel), depends: None });
    }

    fn read(&mut self, thread: ThreadId, x: LocId, value: u64) {
        self.push(thread, Op::read(x, value));
    }

    fn write(&mut self, thread: ThreadId, x: LocId) -> u64 {
        let value = self.new_value(x);
        self.push(thread, Op::write(x, value));
        value
    }

    fn rmw(&mut self, thread: ThreadId, x: LocId, read: u64) -> u64 {
        let value = self.new_value(x);
        self.push(thread, Op::rmw(x, read, value));
        value
    }

    fn new_value(&mut self, x: LocId) -> u64 {
        self.next[x.index()] += 1;
        self.next[x.index()]
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = UnknownName;

    /// ```
    /// use tribunal_machines::hard::Pattern;
    /// assert_eq!("lag".parse(), Ok(Pattern::Lag));
    /// assert!("ladder".parse::<Pattern>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("pattern", name, &Pattern::ALL, Pattern::name).map_err(UnknownName::listing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_engines::memory::check;
    use tribunal_history::model::Model;
    use tribunal_verify::verify;

    #[test]
    fn every_pattern_is_consistent_with_ra_at_any_size() {
        for pattern in Pattern::ALL {
            for threads in [0, 3, 4, 7, 20] {
                for events in [0, 1, 2, 50, 333, 2_000] {
                    let x = pattern.history(threads, events);
                    assert_eq!(x.len() as u64, events);
                    assert_eq!(x.thread_count(), threads.max(3) as usize);
                    let verdict = check(&x, Model::Ra);
                    assert_eq!(verdict.word(), "consistent", "{pattern}, {threads} threads, {events} events");
                    verify(&x, Model::Ra, &verdict).expect("a certificate");
                }
            }
        }
    }

    #[test]
    fn every_moment_of_a_pattern_is_consistent_with_ra() {
        for pattern in Pattern::ALL {
            let steps = pattern.steps(5, 120);
            for moment in 1..=steps.len() {
                let x = build(5, &steps[..moment]);
                assert!(check(&x, Model::Ra).is_consistent(), "{pattern}: {moment}");
            }
        }
    }
}

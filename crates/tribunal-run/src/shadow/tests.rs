//! Shadow memory is compared with a list of all accesses.

use super::*;
use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;
use tribunal_random::Random;

const KINDS: [Kind; 5] = [Kind::AtomicRead, Kind::Read, Kind::AtomicWrite, Kind::Write, Kind::Free];

/// An access to one byte.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Byte {
    address: usize,
    by: Epoch,
    kind: Kind,
    pc: usize,
}

/// All accesses of an execution, to each byte.
#[derive(Default)]
struct Naive {
    bytes: Vec<Byte>,
    watched: HashSet<usize>,
}

impl Naive {
    /// The earlier accesses in conflict with this one.
    fn conflicts(&self, later: Byte, known: &[u32]) -> Vec<Byte> {
        let refused = |earlier: &&Byte| {
            let kinds = [earlier.kind, later.kind];
            let writes =
                kinds.iter().any(|kind| matches!(kind, Kind::AtomicWrite | Kind::Write | Kind::Free));
            let plain = kinds.iter().any(|kind| matches!(kind, Kind::Read | Kind::Write | Kind::Free));
            let Epoch { thread, after } = earlier.by;
            let ordered = thread == later.by.thread || known[usize::from(thread)] > after;
            earlier.address == later.address && (earlier.kind == Kind::Free || writes && plain && !ordered)
        };
        self.bytes.iter().filter(refused).copied().collect()
    }

    fn check(
        &mut self,
        address: usize,
        size: usize,
        byte: Byte,
        known: Option<&[u32]>,
        found: Result<Seen, Conflict>,
    ) {
        let bytes = (address..address + size).map(|address| Byte { address, ..byte });
        let all = known.and_then(|known| {
            bytes.clone().map(|byte| self.conflicts(byte, known)).find(|all| !all.is_empty())
        });
        match (found, all) {
            (Ok(seen), None) => {
                assert_eq!(seen.watched, bytes.clone().any(|byte| self.watched.contains(&byte.address)))
            }
            (Err(Conflict { address, earlier }), Some(all)) => {
                let Earlier { by, pc, kind, address: from, size } = earlier;
                assert!(
                    all.contains(&Byte { address, by, kind, pc }),
                    "{earlier:?} at {address:x} is none of {all:?}"
                );
                let recorded = |address| self.bytes.contains(&Byte { address, by, kind, pc });
                assert!(
                    (from..from + size).contains(&address) && (from..from + size).all(recorded),
                    "{earlier:?}"
                );
            }
            (found, all) => panic!("{byte:?} of {size} bytes at {address:x}: {found:?} where {all:?}"),
        }
        self.bytes.extend(bytes);
    }

    fn forget(&mut self, address: usize, size: usize) {
        self.bytes.retain(|byte| !(address..address + size).contains(&byte.address));
        self.watched.retain(|byte| !(address..address + size).contains(byte));
    }
}

/// The clocks of threads, and what each released at each of its events.
struct Clocks {
    now: Vec<Vec<u32>>,
    released: Vec<Vec<Vec<u32>>>,
}

impl Clocks {
    fn new(threads: usize) -> Self {
        Clocks { now: vec![vec![0; threads]; threads], released: vec![Vec::new(); threads] }
    }

    /// The thread has an event, which may come after the event of another.
    fn event(&mut self, thread: usize, from: Option<&Vec<u32>>) {
        for (now, &released) in self.now[thread].iter_mut().zip(from.into_iter().flatten()) {
            *now = released.max(*now);
        }
        self.now[thread][thread] += 1;
        self.released[thread].push(self.now[thread].clone());
    }

    fn epoch(&self, thread: usize) -> Epoch {
        Epoch { thread: thread as u16, after: self.now[thread][thread] }
    }
}

/// Makes one random execution; how many accesses it had, and whether it ended with a conflict.
fn execute(random: &mut Random, shadow: &mut Shadow) -> (usize, bool) {
    let threads = 1 + random.index(5);
    let (mut clocks, mut naive) = (Clocks::new(threads), Naive::default());
    // Executions differ in how often threads meet, in what they do, in how much memory they have and in what they check.
    let (meet, sizes, window) = (1 + random.index(4), 1 + random.index(20), 1 + random.index(40));
    let (kinds, checked) = (2 + random.index(3), random.index(4));
    let replayed = if random.one_in(2) { random.index(40) } else { 0 };
    let base = random.pick(&[0x40_0000 - 13, 0x7fff_ffff_f000, 0x60_0000]);
    shadow.begin();
    for step in 0..150 {
        let thread = random.index(threads);
        let (address, size) = (base + random.index(window), random.index(sizes) + 1);
        match random.index(40) {
            0 => {
                shadow.forget(address, size);
                naive.forget(address, size);
            }
            1 => {
                shadow.watch(address, size);
                naive.watched.extend(address..address + size);
            }
            2..8 => clocks.event(thread, None),
            _ => {
                if random.index(4) < meet {
                    let other = random.index(threads);
                    let released = &clocks.released[other];
                    let last =
                        if random.one_in(6) { random.index(released.len() + 1) } else { released.len() };
                    let from = released[..last].last().cloned();
                    clocks.event(thread, from.as_ref());
                }
                let kind = if random.one_in(60) { Kind::Free } else { KINDS[random.index(kinds)] };
                let byte =
                    Byte { address, by: clocks.epoch(thread), kind, pc: 0x5555_1234_0000 + random.index(3) };
                let unchecked = step < replayed || checked == 0 && random.one_in(2);
                let known = if unchecked { None } else { Some(&clocks.now[thread][..]) };
                let found = shadow.access(address, size, kind, byte.by, byte.pc, known);
                naive.check(address, size, byte, known, found);
                if found.is_err() {
                    return (step, true);
                }
                // Its other event makes what it did known.
                if random.one_in(2) {
                    clocks.event(thread, None);
                }
            }
        }
    }
    (150, false)
}

#[test]
fn a_list_of_all_accesses_agrees() {
    let (mut random, mut shadow) = (Random::new(0), Shadow::new());
    let (mut conflicts, mut long, mut nodes) = (0, 0, 0);
    for execution in 0..6000 {
        if execution % 200 == 199 {
            shadow.base = Tag::LAST_MOMENT - u64::from(u32::MAX) - random.below(100);
        }
        let (steps, conflict) = execute(&mut random, &mut shadow);
        conflicts += usize::from(conflict);
        long += usize::from(steps > 50);
        nodes = nodes.max(shadow.rest.nodes());
    }
    assert!(
        conflicts > 2000 && long > 1000 && (20..500).contains(&nodes),
        "{conflicts} conflicts, {long} long, {nodes} nodes"
    );
    assert!(!shadow.lost());
}

fn by(thread: u16, after: u32) -> Epoch {
    Epoch { thread, after }
}

#[test]
fn addresses_that_programs_do_not_have_are_ignored() {
    let mut shadow = Shadow::new();
    for address in [table::ADDRESSES, table::ADDRESSES - 2, usize::MAX - 3, usize::MAX & !7] {
        for thread in 0..2 {
            let seen = shadow.access(address, 4, Kind::Write, by(thread, 0), 1, Some(&[0, 0]));
            assert_eq!(seen, Ok(Seen { watched: false }));
        }
        shadow.watch(address, 4);
        shadow.forget(address, usize::MAX);
    }
    assert_eq!(shadow.access(0x1000, 0, Kind::Write, by(0, 0), 1, None), Ok(Seen { watched: false }));
    assert!(!shadow.lost());
}

#[test]
fn ranges_may_have_many_megabytes() {
    let (mut shadow, address, size) = (Shadow::new(), 0x7f12_3456_7003, (5 << 20) + 1);
    let mut access = |thread, address, size, kind, known: [u32; 2]| {
        shadow.access(address, size, kind, by(thread, 0), 7, Some(&known))
    };
    assert!(access(0, address, size, Kind::Write, [0, 0]).is_ok());
    assert!(access(1, address - 1, 1, Kind::Write, [0, 0]).is_ok());
    assert!(access(1, address + size, 1, Kind::Write, [0, 0]).is_ok());
    assert_eq!(
        access(1, address + size - 1, 9, Kind::Read, [0, 0]).map_err(|it| it.address),
        Err(address + size - 1)
    );
    assert_eq!(access(1, address - 1, 99, Kind::Free, [0, 0]).map_err(|it| it.address), Err(address));
    assert!(access(1, address, size, Kind::Free, [1, 0]).is_ok());
    assert!(access(1, address + size / 2, 1, Kind::Read, [1, 0]).is_err_and(|it| it.freed()));
    shadow.forget(address, size);
    assert!(shadow.access(address, size, Kind::Read, by(0, 0), 7, Some(&[0, 0])).is_ok());
}

/// Two threads that take turns leave one access, and readers one each.
#[test]
fn accesses_that_others_imply_take_no_memory() {
    let mut shadow = Shadow::new();
    let mut clocks = Clocks::new(3);
    for turn in 0..1000 {
        let (thread, before) = (turn % 3, (turn + 2) % 3);
        let from = clocks.released[before].last().cloned();
        clocks.event(thread, from.as_ref());
        for kind in [Kind::Read, Kind::Write, Kind::AtomicRead, Kind::AtomicWrite] {
            for (address, size) in [(0x1000, 4), (0x1001, 7), (0x1004, 2)] {
                let known = Some(&clocks.now[thread][..]);
                assert!(shadow.access(address, size, kind, clocks.epoch(thread), 1, known).is_ok());
            }
        }
        clocks.event(thread, None);
    }
    assert!(shadow.rest.nodes() < 20, "{}", shadow.rest.nodes());
}

#[test]
#[ignore = "measures"]
fn nanoseconds_of_an_access() {
    let mut shadow = Shadow::new();
    let measure = |name: &str, accesses: u32, run: &mut dyn FnMut()| {
        let fastest = (0..20).map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e9 / f64::from(accesses)
        });
        println!("{name}: {:.2} ns", fastest.fold(f64::INFINITY, f64::min));
    };
    let at = black_box(0x5555_5555_0000_usize);
    measure("one thread writes 4 bytes over and over", 1_000_000, &mut || {
        for _ in 0..1_000_000 {
            assert!(
                shadow.access(black_box(at), 4, Kind::Write, by(black_box(0), 1), 7, Some(&[1, 0])).is_ok()
            );
        }
    });
    let mut after = 0;
    measure("one thread sweeps 1 MB by reads of 8 bytes, a new epoch each time", 1 << 17, &mut || {
        after += 1;
        for i in 0..1 << 17 {
            assert!(shadow.access(at + i * 8, 8, Kind::Read, by(0, after), 7, Some(&[1, 0])).is_ok());
        }
    });
    measure("one thread sweeps 1 MB by reads of 8 bytes, the same epoch each time", 1 << 17, &mut || {
        for i in 0..1 << 17 {
            assert!(shadow.access(at + i * 8, 8, Kind::Read, by(0, after), 7, Some(&[1, 0])).is_ok());
        }
    });
    measure("one range of 1 MB is read, for each 8 bytes", 1 << 17, &mut || {
        after += 1;
        assert!(shadow.access(at, 1 << 20, Kind::Read, by(0, after), 7, Some(&[1, 0])).is_ok());
    });
    let mut turn = after + 1;
    measure("two ordered threads take turns to write 4 bytes", 1_000_000, &mut || {
        for _ in 0..1_000_000 {
            turn += 1;
            let thread = (turn % 2) as u16;
            assert!(shadow.access(at, 4, Kind::Write, by(thread, turn), 7, Some(&[turn, turn])).is_ok());
        }
    });
    measure("two threads read two words of 8 bytes, new epochs each time", 4_000_000, &mut || {
        for _ in 0..1_000_000 {
            turn += 2;
            for (thread, place) in [(0, 0), (0, 4), (1, 0), (1, 4)] {
                let known = [turn, turn];
                assert!(
                    shadow.access(at + place, 4, Kind::Read, by(thread, turn), place, Some(&known)).is_ok()
                );
            }
        }
    });
    measure("an execution begins and writes 4 bytes", 1_000_000, &mut || {
        for _ in 0..1_000_000 {
            shadow.begin();
            assert!(shadow.access(at, 4, Kind::Write, by(0, 1), 7, Some(&[1, 0])).is_ok());
        }
    });
    measure("a frame of 128 bytes is forgotten", 1_000_000, &mut || {
        for _ in 0..1_000_000 {
            shadow.forget(black_box(at), 128);
        }
    });
}

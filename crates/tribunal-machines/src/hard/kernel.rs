//! Histories in which every witness orders two writes alike and saturation does not see it (Zennou et al. 2020, section 4).
//!
//! The *kernel* of sc is what all mo that explain a history have in common. A *pair* here is two writes of one location, 1
//! and 2, by two threads. A *block* forbids a combination of orders of some pairs, in which `first` of each pair is
//! before `second`. It is a ring of locations z, some for each pair: 1 is written to z before `first` is written, and a
//! thread that has read `second` writes 2 to z and then reads 1 from the next z. If `first` is before `second` then 1 is
//! before 2 in z, so whoever reads 1 from z comes before 2 is written; if that is so all around the ring, it is a cycle.
//! With two or more locations a pair, saturation learns nothing of a pair from a block, even if all others are ordered.

use tribunal_history::memory::{Execution, ExecutionBuilder, LocId, Op, ThreadId};

/// One pair and one block of `locations` locations, at least 2, that forbids to write 1 before 2: the kernel has
/// mo(2, 1). The paper's Fig. 3 is the case of 2, its Fig. 4 are all others.
///
/// ```
/// use tribunal_machines::hard::kernel;
/// let history = kernel::ring(2);
/// assert_eq!((history.thread_count(), history.features().writes), (4, 6));
/// ```
pub fn ring(locations: u32) -> Execution {
    Blocks::new(1, locations.max(2)).build([0])
}

/// As many pairs, and a block of two locations a pair for each combination of their orders but one, if one is given:
/// bit i of a combination says that 2 is before 1 in pair i. Consistent with sc if and only if one is given, and then the kernel has
/// an edge for each pair. The paper's Fig. 5 is the case of 2 pairs with combination 0b10; `pairs` must be 1 to 16.
///
/// ```
/// use tribunal_machines::hard::kernel;
/// let history = kernel::combinations(2, Some(0b10));
/// assert_eq!(history.features().writes, 2 * 2 + 3 * (4 + 4));
/// ```
pub fn combinations(pairs: u32, allowed: Option<u32>) -> Execution {
    assert!((1..=16).contains(&pairs), "1 to 16 pairs, not {pairs}");
    Blocks::new(pairs, 2).build((0..1 << pairs).filter(|&combination| Some(combination) != allowed))
}

/// A history of blocks, in the making. The writes of the pairs come last, behind all that is written before them.
struct Blocks {
    b: ExecutionBuilder,
    /// The location of each pair and the threads that write 1 and 2 to it.
    pairs: Vec<(LocId, [ThreadId; 2])>,
    width: u32,
}

impl Blocks {
    fn new(pairs: u32, width: u32) -> Self {
        let mut b = Execution::builder();
        let pairs = (0..pairs)
            .map(|i| {
                let writers = [1, 2].map(|value| b.thread(&format!("x{i}.{value}")));
                (b.location(&format!("x{i}")), writers)
            })
            .collect();
        Blocks { b, pairs, width }
    }

    fn build(mut self, forbidden: impl IntoIterator<Item = u32>) -> Execution {
        for combination in forbidden {
            self.block(combination);
        }
        for &(x, writers) in &self.pairs {
            for (thread, value) in writers.into_iter().zip(1..) {
                self.b.push(thread, Op::write(x, value));
            }
        }
        self.b.build().expect("each value is written once")
    }

    fn block(&mut self, combination: u32) {
        let Blocks { b, pairs, width } = self;
        let ring: Vec<LocId> =
            (0..pairs.len() as u32 * *width).map(|i| b.location(&format!("z{combination}.{i}"))).collect();
        for (i, &z) in ring.iter().enumerate() {
            let pair = i / *width as usize;
            let (x, writers) = pairs[pair];
            let first = (combination >> pair & 1) as usize;
            b.push(writers[first], Op::write(z, 1));
            let thread = b.thread(&format!("b{combination}.{i}"));
            b.push(thread, Op::read(x, 2 - first as u64));
            b.push(thread, Op::write(z, 2));
            b.push(thread, Op::read(ring[(i + 1) % ring.len()], 1));
        }
    }
}

//! The clients: how many there are and what they ask of a store.

use super::{Store, StoreBug};
use crate::chance::chance;
use tribunal_random::Xoshiro;

/// Random clients of a simulated store. Each step, one of the sessions, drawn at random, goes on with its transaction.
///
/// ```
/// use tribunal_machines::transactions::Clients;
/// let clients = Clients { sessions: 2, transactions: 10, lists: 1.0, ..Clients::default() };
/// assert_eq!((clients.ops, clients.keys), (4, 6));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clients {
    /// Sessions at a time. One whose transaction has an unknown outcome is replaced by a new one.
    pub sessions: u32,
    /// Transactions in all, aborted ones included.
    pub transactions: u32,
    /// Most operations of a transaction; how many it has is drawn from 1 on.
    pub ops: u32,
    /// Number of keys.
    pub keys: u32,
    /// Share of the operations that are reads.
    pub reads: f64,
    /// Share of the keys that are lists, to which is appended; the others are registers.
    pub lists: f64,
    /// The skew of the keys: of one more than this many draws the least is taken, so 0 is even.
    pub skew: u32,
    /// Share of the transactions that their client aborts.
    pub aborts: f64,
    /// Share of the transactions whose outcome the client is not told; about half of them commit.
    pub unknown: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Clients {
    /// 5 sessions, 50 transactions of up to 4 operations on 6 registers, half of them reads; 5 % aborts, 2 % unknown outcomes; seed 0.
    fn default() -> Self {
        Clients {
            sessions: 5,
            transactions: 50,
            ops: 4,
            keys: 6,
            reads: 0.5,
            lists: 0.0,
            skew: 0,
            aborts: 0.05,
            unknown: 0.02,
            seed: 0,
        }
    }
}

/// The reason why clients cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InvalidClients {
    /// There must be at least one of these.
    #[error("clients need at least one {0}")]
    None(&'static str),
    /// A share is not a number from 0 to 1.
    #[error("the share of {what} is {share}, expected a number from 0 to 1")]
    Share {
        /// Reads, lists, aborts or unknown outcomes.
        what: &'static str,
        /// The share given.
        share: f64,
    },
    /// Operations are counted with 32 bits.
    #[error("{transactions} transactions of up to {ops} operations do not fit in one history")]
    TooMany {
        /// The number of transactions asked for.
        transactions: u32,
        /// The most operations of each.
        ops: u32,
    },
    /// The store's state would be too large.
    #[error(
        "{sessions} sessions and {keys} keys are more than a simulated store holds: at most {most} of each"
    )]
    TooLarge {
        /// Number of sessions.
        sessions: u32,
        /// Number of keys.
        keys: u32,
        /// Most of either.
        most: u32,
    },
    /// The store cannot have the bug.
    #[error("the {store} store cannot have {bug}; it can have {}", bugs(*.store))]
    Bug {
        /// The store.
        store: Store,
        /// The bug.
        bug: StoreBug,
    },
}

fn bugs(store: Store) -> String {
    store.bugs().iter().map(|bug| bug.name()).collect::<Vec<_>>().join(", ")
}

/// Most sessions, and keys, of a simulated store.
const MOST: u32 = 1 << 24;

impl Clients {
    /// Says what is wrong with the numbers.
    pub fn validate(&self) -> Result<(), InvalidClients> {
        let &Clients { sessions, transactions, ops, keys, .. } = self;
        for (what, number) in [("session", sessions), ("operation a transaction", ops), ("key", keys)] {
            if number == 0 {
                return Err(InvalidClients::None(what));
            }
        }
        let shares = [
            ("reads", self.reads),
            ("lists", self.lists),
            ("aborts", self.aborts),
            ("unknown outcomes", self.unknown),
        ];
        for (what, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return Err(InvalidClients::Share { what, share });
            }
        }
        // Versions that only their transaction sees are counted, too.
        if u64::from(transactions) * u64::from(ops) > u64::from(u32::MAX / 4) {
            return Err(InvalidClients::TooMany { transactions, ops });
        }
        if sessions > MOST || keys > MOST {
            return Err(InvalidClients::TooLarge { sessions, keys, most: MOST });
        }
        Ok(())
    }

    /// The number of keys that are lists: these come first.
    pub fn list_count(&self) -> u32 {
        (f64::from(self.keys) * self.lists).round() as u32
    }

    /// The transactions that clients ask for, one after the other without end, whatever the store does.
    ///
    /// ```
    /// use tribunal_machines::transactions::Clients;
    /// let plans: Vec<_> = Clients { ops: 3, ..Clients::default() }.plans().take(100).collect();
    /// assert!(plans.iter().all(|plan| (1..=3).contains(&plan.accesses.len())));
    /// ```
    pub fn plans(&self) -> impl Iterator<Item = Plan> + '_ {
        let mut rng = Xoshiro::new(self.seed);
        std::iter::repeat_with(move || {
            let mut accesses = Vec::new();
            self.draw(&mut accesses, &mut rng);
            Plan { accesses, aborts: chance(&mut rng, self.aborts) }
        })
    }

    /// Draws the accesses of a transaction.
    pub(super) fn draw(&self, accesses: &mut Vec<Access>, rng: &mut Xoshiro) {
        accesses.clear();
        for _ in 0..=rng.index(self.ops as usize) {
            let draws = (0..=self.skew).map(|_| rng.index(self.keys as usize) as u32);
            let key = draws.min().unwrap_or(0);
            accesses.push(Access { key, read: chance(rng, self.reads) });
        }
    }
}

/// The plan of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its operations.
    pub accesses: Vec<Access>,
    /// Whether its client aborts it in the end.
    pub aborts: bool,
}

/// An operation of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The key: the first ones are lists.
    pub key: u32,
    /// Whether it is read; else it is written, or appended to.
    pub read: bool,
}

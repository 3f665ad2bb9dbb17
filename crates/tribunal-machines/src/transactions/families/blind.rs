//! Blind writes: transactions that only write, and others that only read.

use tribunal_history::transactions::{History, KeyId, Op, SessionId, Status};
use tribunal_random::Xoshiro;

/// Half of the transactions write as many keys as the others read, drawn evenly, on a serial store: Cobra's BlindW-RW (Tan et al. 2020).
/// Nothing but the reads says in which order the writes took effect.
///
/// ```
/// use tribunal_machines::transactions::families::BlindWrites;
/// let history = BlindWrites { transactions: 1000, ..BlindWrites::default() }.history();
/// assert_eq!((history.len(), history.ops().len()), (1000, 8000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlindWrites {
    /// Number of sessions.
    pub sessions: u32,
    /// Number of transactions.
    pub transactions: u32,
    /// Operations of each.
    pub ops: u32,
    /// Number of keys.
    pub keys: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for BlindWrites {
    /// As Cobra's logs: 24 sessions, 10,000 transactions of 8 operations, 10,000 keys.
    fn default() -> Self {
        BlindWrites { sessions: 24, transactions: 10_000, ops: 8, keys: 10_000, seed: 0 }
    }
}

impl BlindWrites {
    /// The history, without times. With no session or no key there is none but the empty one.
    pub fn history(&self) -> History {
        let mut rng = Xoshiro::new(self.seed);
        let mut b = History::builder();
        b.name(format!("blind writes, seed {}", self.seed));
        let sessions: Vec<SessionId> = (0..self.sessions).map(|s| b.session(&format!("s{s}"))).collect();
        let keys: Vec<KeyId> = (0..self.keys).map(|key| b.key(&format!("x{key}"))).collect();
        let possible = !sessions.is_empty() && !keys.is_empty();
        let (mut latest, mut written) = (vec![None; keys.len()], 0);
        for _ in 0..if possible { self.transactions } else { 0 } {
            b.begin(sessions[rng.index(sessions.len())]);
            let writes = rng.flip();
            for _ in 0..self.ops {
                let key = rng.index(keys.len());
                if writes {
                    written += 1;
                    latest[key] = Some(written);
                    b.op(Op::Write(keys[key], written));
                } else {
                    b.op(Op::Read(keys[key], latest[key]));
                }
            }
            b.end(Status::Committed, None);
        }
        b.build().expect("values are unique")
    }
}

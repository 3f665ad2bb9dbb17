//! Lists that are appended to and read, as Elle's.

use tribunal_history::transactions::{History, KeyId, Op, SessionId, Span, Status};
use tribunal_random::Xoshiro;

/// Appends to lists and reads of them with times, on a store that is strictly serializable. A list that has had its appends is replaced by a new one.
///
/// ```
/// use tribunal_machines::transactions::families::ListAppend;
/// let history = ListAppend { transactions: 1000, ..ListAppend::default() }.history();
/// assert_eq!((history.len(), history.is_timed()), (1000, true));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListAppend {
    /// Number of sessions.
    pub sessions: u32,
    /// Number of transactions.
    pub transactions: u32,
    /// Most operations of a transaction; how many it has is drawn from 1 on.
    pub ops: u32,
    /// Number of lists at a time.
    pub keys: u32,
    /// The number of appends that a list has.
    pub appends: u32,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for ListAppend {
    /// 20 sessions, 10,000 transactions of up to 4 operations, 10 lists at a time of up to 32 elements.
    fn default() -> Self {
        ListAppend { sessions: 20, transactions: 10_000, ops: 4, keys: 10, appends: 32, seed: 0 }
    }
}

impl ListAppend {
    /// The history. With no session, no key or no operation there is none but the empty one.
    pub fn history(&self) -> History {
        let mut rng = Xoshiro::new(self.seed);
        let mut b = History::builder();
        b.name(format!("list append, seed {}", self.seed));
        let sessions: Vec<SessionId> = (0..self.sessions).map(|s| b.session(&format!("s{s}"))).collect();
        let possible = !sessions.is_empty() && self.keys > 0 && self.ops > 0;
        let mut lists: Vec<(KeyId, Vec<i64>)> =
            (0..self.keys).map(|key| (b.key(&key.to_string()), Vec::new())).collect();
        let mut keys = self.keys;
        // Transactions take effect at every sixteenth moment, sessions in turn; half a turn is left on either side.
        let turn = 16 * sessions.len() as i64;
        let mut now = turn;
        for number in 0..if possible { self.transactions as usize } else { 0 } {
            now += 16;
            b.begin(sessions[number % sessions.len()]);
            for _ in 0..=rng.index(self.ops as usize) {
                let at = rng.index(lists.len());
                if lists[at].1.len() as u32 >= self.appends {
                    lists[at] = (b.key(&keys.to_string()), Vec::new());
                    keys += 1;
                }
                let (key, list) = &mut lists[at];
                if rng.flip() {
                    let value = list.len() as i64 + 1;
                    list.push(value);
                    b.op(Op::Append(*key, value));
                } else {
                    b.op(Op::ReadList(*key, list));
                }
            }
            let (before, after) = rng.pair();
            let room = (turn / 2).max(1) as u32;
            let span =
                Span { begin: now - i64::from(before % room), end: Some(now + i64::from(after % room)) };
            b.end(Status::Committed, Some(span));
        }
        b.build().expect("elements are unique and times go forward")
    }
}

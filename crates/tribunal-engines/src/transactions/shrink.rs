//! A minimal inconsistent part of an inconsistent history.
//!
//! Operations are removed. A read goes with the write it reads from, and so does an element of a list; reads of values that nobody wrote stay. First
//! go all transactions that the violation does not mention, then others by halves, and finally single operations.

use super::support::spoken_of;
use super::{History, Level, Op, OpId, TxnId, Verdict, judge};
use rustc_hash::FxHashSet;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// A part of a history.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The part: inconsistent, and consistent without any one of its operations, unless a limit was reached.
    pub history: History,
    /// For each remaining transaction, its id in the original history.
    pub transactions: Vec<TxnId>,
    /// The limit that was reached.
    pub limit: Option<Limit>,
}

/// Shrinks a history that violates a level; returns the verdict if it does not. `tick` is called with the number of remaining operations.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{History, Level, Op, Status, shrink};
/// let mut b = History::builder();
/// let (a, c, x, y) = (b.session("a"), b.session("c"), b.key("x"), b.key("y"));
/// b.transaction(a, Status::Committed, None, &[Op::Write(y, 7)]);
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Read(y, Some(7)), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let shrunk = shrink(&b.build()?, Level::SER, &Limits::default(), |_| ()).expect("a lost update");
/// assert_eq!((shrunk.history.len(), shrunk.history.ops().len()), (2, 4));
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn shrink(
    history: &History,
    level: Level,
    limits: &Limits<'_>,
    mut tick: impl FnMut(usize),
) -> Result<Shrunk, Box<Verdict>> {
    let violation = match judge(history, level, limits).0 {
        Verdict::Inconsistent(violation) => violation,
        verdict => return Err(Box::new(verdict)),
    };
    let mut shrinking = Shrinking { whole: history, level, limits, limit: None };
    let spoken_of = spoken_of(history, &violation);
    let mut kept: Vec<bool> = vec![true; history.ops().len()];
    let those: Vec<bool> = history.ops().map(|op| spoken_of.contains(&history.txn_of(op))).collect();
    if shrinking.is_inconsistent(&those) {
        kept = those;
    }
    // Transactions by halves, then operations: each list is gone through until nothing goes.
    let transactions =
        history.transactions().map(|txn| history.ops_of(txn).map(OpId::index).collect::<Vec<usize>>());
    let mut transactions: Vec<Vec<usize>> =
        transactions.filter(|ops| ops.iter().any(|&op| kept[op])).collect();
    shrinking.reduce(&mut transactions, &mut kept, &mut tick);
    let mut ops: Vec<Vec<usize>> = (0..kept.len()).filter(|&op| kept[op]).map(|op| vec![op]).collect();
    shrinking.reduce(&mut ops, &mut kept, &mut tick);
    let (history, transactions) = part(history, &kept);
    Ok(Shrunk { history, transactions, limit: shrinking.limit })
}

struct Shrinking<'a> {
    whole: &'a History,
    level: Level,
    limits: &'a Limits<'a>,
    limit: Option<Limit>,
}

impl Shrinking<'_> {
    /// Whether these operations alone are inconsistent; not if a limit is reached.
    fn is_inconsistent(&mut self, kept: &[bool]) -> bool {
        if matches!(self.limit, Some(Limit::Time { .. } | Limit::Stopped)) {
            return false;
        }
        match judge(&part(self.whole, kept).0, self.level, self.limits).0 {
            Verdict::Inconsistent(_) => true,
            Verdict::Undecided(limit) => {
                self.limit = Some(limit);
                false
            }
            _ => false,
        }
    }

    /// Leaves out groups of operations, ever fewer at a time, as long as what is left is inconsistent.
    fn reduce(&mut self, groups: &mut Vec<Vec<usize>>, kept: &mut Vec<bool>, tick: &mut impl FnMut(usize)) {
        let mut size = groups.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            let mut went = false;
            while at < groups.len() {
                let end = groups.len().min(at + size);
                let mut fewer = kept.clone();
                groups[at..end].iter().flatten().for_each(|&op| fewer[op] = false);
                if self.is_inconsistent(&fewer) {
                    *kept = fewer;
                    groups.drain(at..end);
                    went = true;
                    tick(kept.iter().filter(|&&kept| kept).count());
                } else {
                    at = end;
                }
            }
            // One that could not go before may go now.
            if size > 1 || !went {
                size /= 2;
            }
        }
    }
}

/// The history of some operations, and the transactions that its own were.
fn part(whole: &History, kept: &[bool]) -> (History, Vec<TxnId>) {
    let writes = |keep: bool| {
        let ops = whole.ops().filter(move |op| !keep || kept[op.index()]);
        ops.filter_map(|op| match whole.op(op) {
            Op::Write(key, value) | Op::Append(key, value) => Some((key, value)),
            _ => None,
        })
    };
    let (left, all): (FxHashSet<_>, FxHashSet<_>) = (writes(true).collect(), writes(false).collect());
    let is_left = |key, value: i64| left.contains(&(key, value)) || !all.contains(&(key, value));
    let mut b = History::builder();
    whole.name().into_iter().for_each(|name| b.name(name));
    b.init(whole.init());
    let (mut transactions, mut list) = (Vec::new(), Vec::new());
    for txn in whole.transactions().filter(|&txn| whole.ops_of(txn).any(|op| kept[op.index()])) {
        let session = b.session(whole.session_name(whole.session_of(txn)));
        b.begin(session);
        for op in whole.ops_of(txn).filter(|op| kept[op.index()]).map(|op| whole.op(op)) {
            let key = b.key(whole.key_name(op.key()));
            match op {
                Op::Write(_, value) => b.op(Op::Write(key, value)),
                Op::Append(_, value) => b.op(Op::Append(key, value)),
                Op::Unknown(_) => b.op(Op::Unknown(key)),
                Op::Read(old, Some(value)) if whole.init() != Some(value) && !is_left(old, value) => {}
                Op::Read(_, value) => b.op(Op::Read(key, value)),
                Op::ReadList(old, read) => {
                    list.clear();
                    list.extend(read.iter().copied().filter(|&element| is_left(old, element)));
                    b.op(Op::ReadList(key, &list));
                }
            }
        }
        b.end(whole.status(txn), whole.span(txn));
        transactions.push(txn);
    }
    (b.build().expect("a part of a history is one"), transactions)
}

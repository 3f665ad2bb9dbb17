//! A minimal inconsistent part of an inconsistent history.
//!
//! Operations are removed. A read goes with the write it reads from, and so does an element of a list; reads of values that nobody wrote stay. First
//! go all transactions that the violation does not mention, then others by halves, and finally single operations.

use super::support::spoken_of;
use super::{History, Level, Op, OpId, TxnId, Verdict, judge};
use crate::shrink::{Part, Pieces, Shrunk, leave_out};
use rustc_hash::FxHashSet;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// Shrinks a history that violates a level; returns the verdict if it does not. Unless a limit is reached, the part is consistent without any one of its
/// operations. `tick` is called with the number of remaining operations.
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
/// assert_eq!((shrunk.part.history.len(), shrunk.part.history.ops().len()), (2, 4));
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn shrink(
    history: &History,
    level: Level,
    limits: &Limits<'_>,
    tick: impl FnMut(usize),
) -> Result<Shrunk<Part<History, TxnId>>, Box<Verdict>> {
    let violation = match judge(history, level, limits).0 {
        Verdict::Inconsistent(violation) => violation,
        verdict => return Err(Box::new(verdict)),
    };
    let whole = history;
    let kept: Vec<bool> = vec![true; whole.ops().len()];
    let mut shrinking = Shrinking { whole, level, limits, tick, kept, groups: Vec::new(), limit: None };
    let spoken_of = spoken_of(whole, &violation);
    let those: Vec<bool> = whole.ops().map(|op| spoken_of.contains(&whole.txn_of(op))).collect();
    if shrinking.is_inconsistent(&those) {
        shrinking.kept = those;
    }
    let transactions =
        whole.transactions().map(|txn| whole.ops_of(txn).map(OpId::index).collect::<Vec<usize>>());
    shrinking.groups = transactions.filter(|ops| ops.iter().any(|&op| shrinking.kept[op])).collect();
    leave_out(&mut shrinking);
    let ops = (0..shrinking.kept.len()).filter(|&op| shrinking.kept[op]);
    shrinking.groups = ops.map(|op| vec![op]).collect();
    leave_out(&mut shrinking);
    Ok(Shrunk { part: part(whole, &shrinking.kept), limit: shrinking.limit })
}

struct Shrinking<'a, T> {
    whole: &'a History,
    level: Level,
    limits: &'a Limits<'a>,
    tick: T,
    /// The operations that are left.
    kept: Vec<bool>,
    /// The operations that go together: those of a transaction, then each by itself.
    groups: Vec<Vec<usize>>,
    limit: Option<Limit>,
}

impl<T> Shrinking<'_, T> {
    /// Whether these operations alone are inconsistent.
    fn is_inconsistent(&mut self, kept: &[bool]) -> bool {
        match judge(&part(self.whole, kept).history, self.level, self.limits).0 {
            Verdict::Inconsistent(_) => true,
            Verdict::Undecided(limit) => {
                self.limit = Some(limit);
                false
            }
            _ => false,
        }
    }
}

impl<T: FnMut(usize)> Pieces for Shrinking<'_, T> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn leave_out(&mut self, pieces: Range<usize>) -> bool {
        let mut fewer = self.kept.clone();
        self.groups[pieces.clone()].iter().flatten().for_each(|&op| fewer[op] = false);
        let fails = self.is_inconsistent(&fewer);
        if fails {
            self.kept = fewer;
            self.groups.drain(pieces);
            (self.tick)(self.kept.iter().filter(|&&kept| kept).count());
        }
        fails
    }

    fn is_over(&self) -> bool {
        matches!(self.limit, Some(Limit::Time { .. } | Limit::Stopped))
    }
}

/// The history of some operations.
fn part(whole: &History, kept: &[bool]) -> Part<History, TxnId> {
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
    Part { history: b.build().expect("a part of a history is one"), kept: transactions }
}

//! The past of each transaction in a commit order.

use super::order::Order;
use super::{Facts, Refusal};
use tribunal_history::transactions::{Base, SessionId, Status};

/// The past of each transaction by (b ∪ wr)⁺, or (b ∪ wr ∪ ww)⁺: how many of each column it has.
///
/// Those of a session that committed are a column, where b has so: what comes after one of them comes after those before it. Every other transaction is a column of its own.
pub(super) struct Past {
    width: usize,
    /// By place in the order, from 1: column and number there.
    columns: Vec<(u32, u32)>,
    rows: Vec<u32>,
}

impl Past {
    pub(super) fn of(order: &Order<'_, '_>, ww: bool) -> Result<Self, Refusal> {
        let Facts { history, level, poll, .. } = *order.facts;
        let count = order.commits.len();
        let mut columns = vec![(u32::MAX, 0); count + 1];
        let mut width = 0;
        // By place, that of the committed transaction before it in its session.
        let mut previous = vec![0; count + 1];
        if level.base() != Base::None {
            for session in (0..history.session_count() as u32).map(SessionId) {
                let (mut number, mut latest) = (0, 0);
                for txn in history.session(session) {
                    let place = order.place.of(txn);
                    if place == 0 {
                        continue;
                    }
                    previous[place] = latest;
                    if history.status(txn) == Status::Committed {
                        columns[place] = (width, number);
                        (number, latest) = (number + 1, place);
                    }
                }
                width += 1;
            }
        }
        for column in columns.iter_mut().skip(1).filter(|(column, _)| *column == u32::MAX) {
            *column = (width, 0);
            width += 1;
        }
        let width = width as usize;
        let timed = level.base() == Base::Strict;
        let rows = if timed { 2 * count + 1 } else { count + 1 };
        poll.limits.check_memory(rows.saturating_mul(width).saturating_mul(size_of::<u32>()), 0)?;
        let mut past = Past { width, columns, rows: vec![0; (count + 1) * width] };
        let mut times = if timed { Times::of(order, width) } else { Times::default() };
        for (at, &txn) in order.commits.iter().enumerate() {
            poll.steps(width / 64 + 1)?;
            let mut row = vec![0; width];
            let sources = order.facts.reads(txn).iter().map(|read| order.place.of(read.source));
            let overwritten = order.previous_writers(txn).filter(|_| ww).map(|writer| order.place.of(writer));
            for before in sources.chain(overwritten).chain([previous[at + 1]]).filter(|&place| place > 0) {
                poll.steps(width / 64 + 1)?;
                past.join(before, &mut row);
            }
            if let Some(span) = history.span(txn).filter(|_| timed) {
                times.join(span.begin, &past, &mut row);
            }
            past.rows[(at + 1) * width..][..width].copy_from_slice(&row);
        }
        Ok(past)
    }

    /// What comes before the transaction at a place, and itself, comes before whatever has the row.
    fn join(&self, place: usize, row: &mut [u32]) {
        let its = &self.rows[place * self.width..][..self.width];
        row.iter_mut().zip(its).for_each(|(row, its)| *row = (*row).max(*its));
        let (column, number) = self.columns[place];
        row[column as usize] = row[column as usize].max(number + 1);
    }

    /// Whether the transaction at one place comes before the one at another.
    pub(super) fn contains(&self, before: usize, place: usize) -> bool {
        let (column, number) = self.columns[before];
        self.rows[place * self.width + column as usize] > number
    }
}

/// The past of a moment: all committed transactions that have ended by then, and what comes before them.
#[derive(Default)]
struct Times {
    /// The time when they end, and their places in the order; in the order of ends.
    ends: Vec<(i64, usize)>,
    /// By end, the row of all up to it; as far as they have been asked for.
    rows: Vec<u32>,
    width: usize,
}

impl Times {
    fn of(order: &Order<'_, '_>, width: usize) -> Self {
        let history = order.facts.history;
        let committed = order.commits.iter().filter(|&&txn| history.status(txn) == Status::Committed);
        let ends = committed.filter_map(|txn| Some((history.span(*txn)?.end?, order.place.of(*txn))));
        let mut ends: Vec<(i64, usize)> = ends.collect();
        ends.sort_unstable();
        Times { ends, rows: Vec::new(), width }
    }

    /// All that has ended before a time comes before whatever has the row. They are in the order already.
    fn join(&mut self, begin: i64, past: &Past, row: &mut [u32]) {
        let ended = self.ends.partition_point(|&(end, _)| end < begin);
        while self.rows.len() < ended * self.width {
            let (_, place) = self.ends[self.rows.len() / self.width];
            let start = self.rows.len().saturating_sub(self.width);
            let mut next = self.rows[start..].to_vec();
            next.resize(self.width, 0);
            past.join(place, &mut next);
            self.rows.extend(next);
        }
        if let Some(last) = ended.checked_sub(1) {
            let its = &self.rows[last * self.width..][..self.width];
            row.iter_mut().zip(its).for_each(|(row, its)| *row = (*row).max(*its));
        }
    }
}

//! The operations of a violation by process, with their times as numbers and as a picture.

use super::explain::Explanation;
use crate::line::{LONGEST, Line};
use crate::{Source, counted, printable};
use std::collections::BTreeSet;
use tribunal_history::object::{History, NEVER, OpId};

/// What marks the operation that cannot be explained.
const FAILING: &str = "<- cannot be explained";
/// So much of what others did is listed.
const MEANWHILE: usize = 4;
/// What marks one that is not in the part: until it returned, it might have explained the others.
const RETURNING: &str = "<- with this return nothing explains the others";

/// A line for each operation of the part that nothing explains: what it called and returned, when, on which line of the
/// input, and its interval beside those of the others; without times, what it comes after. At most `height` lines: of
/// more operations, those that were called last. Below them, what others did meanwhile.
pub fn listing(
    history: &History,
    source: Source<'_>,
    explanation: &Explanation,
    height: usize,
) -> Vec<String> {
    let failing = explanation.failing.filter(|op| !explanation.part.contains(op));
    let ops = explanation.part.iter().copied().chain(failing).collect();
    rows(history, ops, explanation.cut.unwrap_or(NEVER), source, explanation, height)
}

/// As [`listing`], with a line for every operation of the history: also for those that only interfered.
pub fn listing_of_all(history: &History, explanation: &Explanation, height: usize) -> Vec<String> {
    rows(history, history.ops().collect(), NEVER, Source::default(), explanation, height)
}

/// A line for each of the operations; what returned at `cut` or later is running.
fn rows(
    history: &History,
    mut ops: Vec<OpId>,
    cut: u32,
    source: Source<'_>,
    explanation: &Explanation,
    height: usize,
) -> Vec<String> {
    let mut skipped = 0;
    let Source { lines, .. } = source;
    if ops.len() + 1 > height {
        let call = |op: OpId| history.intervals().map_or(op.0, |intervals| intervals.call[op.index()]);
        ops.sort_by_key(|&op| (Some(op) != explanation.failing, std::cmp::Reverse(call(op))));
        skipped = ops.len() - height.saturating_sub(2);
        ops.truncate(height.saturating_sub(2));
    }
    let place = |op: OpId| history.of_process(history.process(op)).iter().position(|&other| other == op);
    ops.sort_by_key(|&op| (history.process(op), place(op)));
    let in_part = explanation.failing.is_some_and(|op| explanation.part.contains(&op));
    let mark = if in_part { FAILING } else { RETURNING };
    let part = Part { history, source, ops: &ops, failing: explanation.failing, mark, cut };
    let known: BTreeSet<u64> = ops.iter().filter_map(|op| lines.get(op.index()).copied()).collect();
    let mut rows = part.rows(known.len() > 1);
    if let (1, true, Some(line)) = (known.len(), ops.len() > 1, known.first()) {
        rows.push(format!("  all on line {line}"));
    }
    if skipped > 0 {
        rows.push(format!("  ... and {} called earlier", counted(skipped as u64, "operation")));
    }
    let meanwhile = part.meanwhile();
    let room = height.saturating_sub(rows.len()).min(MEANWHILE);
    let shown = if meanwhile.len() > room { room.saturating_sub(1) } else { meanwhile.len() };
    // The beginning tells what it is.
    let clipped = |did: &String| format!("  meanwhile {did}").chars().take(LONGEST).collect::<String>();
    rows.extend(meanwhile[..shown].iter().map(clipped));
    if shown < meanwhile.len() && room > 0 {
        rows.push(format!("  ... and {} more of this", meanwhile.len() - shown));
    }
    rows
}

struct Part<'a> {
    history: &'a History,
    source: Source<'a>,
    /// By process, in po.
    ops: &'a [OpId],
    failing: Option<OpId>,
    mark: &'static str,
    /// What returned at this rank or later had not returned.
    cut: u32,
}

impl Part<'_> {
    fn rows(&self, each: bool) -> Vec<String> {
        let Source { lines, .. } = self.source;
        let mut rows: Vec<String> = vec![String::new(); self.ops.len()];
        let columns = [
            self.each(|op| if Some(op) == self.failing { "> ".into() } else { "  ".into() }),
            self.each(|op| {
                let shown = match self.returned(op) {
                    true => self.history.show(op),
                    false => {
                        let process = self.history.process_name(self.history.process(op));
                        let state = if self.history.is_pending(op) { "pending" } else { "running" };
                        format!("{process}: {} {state}", self.history.called(op))
                    }
                };
                printable(&shown).into_owned() + &self.source.why(op.0)
            }),
            self.each(|op| self.times(op)),
            self.each(|op| match lines.get(op.index()) {
                Some(line) if each => format!("line {line}"),
                _ => String::new(),
            }),
            if self.history.intervals().is_some() { self.bars() } else { self.each(|op| self.after(op)) },
        ];
        for (at, column) in columns.into_iter().enumerate() {
            let longest = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            // What formatting can pad to. A cell that is longer is printed as it is.
            let width = longest.min(usize::from(u16::MAX));
            let widest = rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
            // The picture is there as long as there is room for it.
            if width == 0 || at == 4 && self.history.intervals().is_some() && widest + width + 2 > LONGEST {
                continue;
            }
            for (row, cell) in rows.iter_mut().zip(column) {
                let gap = if at < 2 { "" } else { "  " };
                *row += &format!("{gap}{cell:width$}");
            }
        }
        for (row, &op) in rows.iter_mut().zip(self.ops) {
            if Some(op) == self.failing && row.trim_end().chars().count() + self.mark.len() + 2 <= LONGEST {
                *row = format!("{}  {}", row.trim_end(), self.mark);
            }
        }
        let rows = rows.into_iter().map(|row| Line::<OpId>::new(0, row.trim_end()));
        rows.map(|line| line.text).collect()
    }

    fn each(&self, cell: impl Fn(OpId) -> String) -> Vec<String> {
        self.ops.iter().map(|&op| cell(op)).collect()
    }

    /// Whether an operation had returned.
    fn returned(&self, op: OpId) -> bool {
        match self.history.intervals() {
            Some(intervals) => {
                let ret = intervals.ret[op.index()];
                ret < self.cut || ret != NEVER && Some(op) == self.failing
            }
            None => !self.history.is_pending(op),
        }
    }

    fn times(&self, op: OpId) -> String {
        match self.history.times(op) {
            Some((call, Some(ret))) if self.returned(op) => format!("@ {call}:{ret}"),
            Some((call, _)) => format!("@ {call}:"),
            None => String::new(),
        }
    }

    /// What others did between the first call and the last return of the operations.
    fn meanwhile(&self) -> Vec<String> {
        let time = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
        let times = || self.ops.iter().filter_map(|&op| self.history.times(op));
        let begin = times().map(|(call, _)| time(call)).min();
        let end = times().map(|(call, ret)| time(ret.unwrap_or(call))).max();
        let (Some(begin), Some(end)) = (begin, end) else { return Vec::new() };
        self.source.meanwhile(begin, end)
    }

    /// The intervals, drawn to the order of calls and returns: `|==|`, open where an operation had not returned.
    fn bars(&self) -> Vec<String> {
        let Some(intervals) = self.history.intervals() else { return self.each(|_| String::new()) };
        let mut ranks: Vec<u32> = Vec::new();
        for op in self.ops {
            ranks.push(intervals.call[op.index()]);
            ranks.extend(Some(intervals.ret[op.index()]).filter(|_| self.returned(*op)));
        }
        ranks.sort_unstable();
        let place = |rank: u32| 2 * ranks.partition_point(|&other| other < rank);
        let end = 2 * ranks.len();
        self.each(|op| {
            let call = place(intervals.call[op.index()]);
            let (ret, close) = match self.returned(op) {
                true => (place(intervals.ret[op.index()]), "|"),
                false => (end, ">"),
            };
            format!("{}|{}{close}", " ".repeat(call), "=".repeat(ret.saturating_sub(call + 1)))
        })
    }

    /// What an operation comes right after in the given order, but for its own process.
    fn after(&self, op: OpId) -> String {
        let before = |a: OpId, b: OpId| self.history.before(a, b);
        let earlier = self.ops.iter().copied().filter(|&other| {
            self.history.process(other) != self.history.process(op)
                && before(other, op)
                && !self.ops.iter().any(|&between| before(other, between) && before(between, op))
        });
        let names: Vec<String> = earlier.map(|other| self.history.show(other)).collect();
        if names.is_empty() {
            return String::new();
        }
        printable(&format!("after {}", names.join("; "))).into_owned()
    }
}

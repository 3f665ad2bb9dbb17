//! Why a history is inconsistent, in words: where it goes wrong, what was tried, and the operations that it is about.

use super::prefix::{Break, longest};
use super::{patient, timed, wrapped};
use crate::printable;
use tribunal::Limits;
use tribunal::object::{
    AbstractExecution, Criterion, History, OpId, ProcessId, Replay, Specification, Value, Verdict, Violation,
    Visibility, judge, shrink,
};

/// At most so many lines list operations.
const SCREENFUL: usize = 24;
/// At most so many operations of a process are listed: its last.
const LAST: usize = 12;
/// At most so many operations that come before another are named.
const NAMED: usize = 3;
/// At most so many characters of a state are shown.
const STATE: usize = 72;
/// Other places are tried as long as that takes no more steps.
const STEPS: usize = 1 << 20;

/// The lines that explain a violation.
pub fn explain(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let limits = &patient(limits);
    let found = longest(history, spec, criterion, violation.cut, limits);
    let prefix = found.as_ref().map_or(history, |found| &found.prefix);
    let smallest = shrink(prefix, spec, criterion, limits, |_| ());
    let part = match &smallest {
        Ok(violation) => prefix.part(&violation.operations, violation.cut),
        Err(_) => history.part(&violation.operations, violation.cut),
    };
    if let Some(Break { events, prefix, op }) = &found {
        let all = history.intervals().map_or(0, |intervals| intervals.events.len());
        let at = prefix.times(*op).and_then(|(_, ret)| ret).map_or(String::new(), |ret| format!(" at {ret}"));
        let (returning, holds) = (prefix.show(*op), holds(criterion));
        lines.push(format!(
            "of {all} calls and returns the first {events} are {holds}; then {returning} returns{at}"
        ));
        let place = smallest.as_ref().ok().and_then(|violation| violation.operations.binary_search(op).ok());
        if let Some(place) = place {
            lines.extend(
                Attempt::new(&part, spec, criterion, OpId(place as u32), limits)
                    .iter()
                    .flat_map(Attempt::words),
            );
        }
    }
    lines.push(format!("no {} these operations:", explains(criterion)));
    lines.extend(by_process(&part).into_iter().map(|line| format!("  {line}")));
    lines.iter().map(|line| printable(line).into_owned()).collect()
}

fn holds(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Linearizable => criterion.to_string(),
        _ => format!("consistent with {criterion}"),
    }
}

fn explains(criterion: &Criterion) -> &'static str {
    match criterion {
        Criterion::Linearizable => "linearization explains",
        Criterion::Sequential => "interleaving of the processes explains",
        _ => "abstract execution explains",
    }
}

/// The operations of the part, a line for each process, in po.
fn by_process(part: &History) -> Vec<String> {
    let mut lines = Vec::new();
    for process in (0..part.process_count() as u32).map(ProcessId) {
        let ops = part.of_process(process);
        if ops.is_empty() {
            continue;
        }
        let earlier = ops.len().saturating_sub(LAST);
        let skipped = (earlier > 0).then(|| format!("... {earlier} earlier"));
        let shown = ops[earlier..].iter().map(|&op| timed(part, op, false));
        let name = part.process_name(process);
        let indent = " ".repeat(name.chars().count() + 2);
        for (at, line) in wrapped(skipped.into_iter().chain(shown), "; ").into_iter().enumerate() {
            lines.push(if at == 0 { format!("{name}: {line}") } else { format!("{indent}{line}") });
        }
    }
    if lines.len() > SCREENFUL {
        let more = lines.len() - SCREENFUL;
        lines.truncate(SCREENFUL);
        lines.push(format!("... {more} more lines; the JSON output has them all"));
    }
    lines
}

/// The operation that cannot be placed, at the places where it might be.
struct Attempt<'a> {
    /// The part that nothing explains once the operation has returned.
    history: &'a History,
    spec: &'a dyn Specification,
    op: OpId,
    /// What explains the part before that.
    execution: AbstractExecution,
}

impl<'a> Attempt<'a> {
    /// An attempt to place the operation whose return is the last event of the part.
    fn new(
        part: &'a History,
        spec: &'a dyn Specification,
        criterion: &Criterion,
        op: OpId,
        limits: &Limits<'_>,
    ) -> Option<Self> {
        let before = part.intervals()?.ret[op.index()];
        let ops: Vec<OpId> = part.ops().collect();
        match judge(&part.part(&ops, Some(before)), spec, criterion, limits).verdict {
            Verdict::Consistent(execution) => Some(Attempt { history: part, spec, op, execution }),
            _ => None,
        }
    }

    fn words(&self) -> Vec<String> {
        match &self.execution.vis {
            Visibility::Sets(sets) => self.seeing(sets).into_iter().collect(),
            Visibility::All => {
                let others: Vec<OpId> =
                    self.execution.lin.iter().copied().filter(|&op| op != self.op).collect();
                let place = self.execution.lin.iter().position(|&op| op == self.op);
                let mut lines: Vec<String> =
                    self.returns_there(&others[..place.unwrap_or(others.len())]).into_iter().collect();
                lines.extend(self.elsewhere(&others));
                lines
            }
        }
    }

    /// What the operation returns after these.
    fn returns_there(&self, before: &[OpId]) -> Option<String> {
        let mut replay = self.spec.replay();
        for &op in before {
            replay.call(self.history.called(op))?;
        }
        Some(self.would_return(&self.place(before), &mut *replay))
    }

    /// What the operation returns when it sees what it sees in the attempt.
    fn seeing(&self, sets: &[Vec<OpId>]) -> Option<String> {
        let place = self.execution.lin.iter().position(|&op| op == self.op);
        let seen = place.map_or(&self.execution.lin, |place| &sets[place]);
        let mut replay = self.spec.replay();
        for &op in seen {
            replay.call(self.history.called(op))?;
        }
        let who = match place {
            Some(_) => format!("seeing no more than it must, {}", self.named(seen)),
            None => format!("seeing {}", self.named(seen)),
        };
        Some(self.would_return(&who, &mut *replay))
    }

    fn would_return(&self, when: &str, replay: &mut dyn Replay) -> String {
        let state = shortened(replay.show());
        let call = self.history.called(self.op);
        let said = self.history.result(self.op).map_or(String::new(), |ret| format!(", not {ret}"));
        match replay.call(call) {
            Some(ret) if Some(&ret) == self.history.result(self.op) => {
                format!(
                    "{when}, where the object is {state}, {call} returns {ret} as it did, but not next to the others"
                )
            }
            Some(ret) => format!("{when}, where the object is {state}, {call} would return {ret}{said}"),
            None => format!("{when}, where the object is {state}, {call} cannot take effect"),
        }
    }

    /// A place where the operation returns what it did, and what is wrong there; the place that leaves most others right.
    fn elsewhere(&self, others: &[OpId]) -> Option<String> {
        let earliest = others.iter().rposition(|&op| self.history.before(op, self.op)).map_or(0, |at| at + 1);
        let places = (earliest..=others.len()).rev().take(STEPS / others.len().max(1));
        let mut best: Option<(usize, usize, Option<Value>)> = None;
        for place in places {
            if let Some((wrong, instead)) = self.wrong_after(others, place)
                && best.as_ref().is_none_or(|(_, most, _)| wrong > *most)
            {
                best = Some((place, wrong, instead));
            }
        }
        let (place, wrong, instead) = best?;
        let (there, other) = (self.place(&others[..place]), others[wrong]);
        let shown = self.history.show(other);
        Some(match instead {
            Some(ret) => format!("{there}, it fits, but then {shown} would return {ret}"),
            None => format!("{there}, it fits, but then {shown} cannot take effect"),
        })
    }

    /// With the operation at this place and its return right: the first of the others that is wrong, and what it returns.
    fn wrong_after(&self, others: &[OpId], place: usize) -> Option<(usize, Option<Value>)> {
        let mut replay = self.spec.replay();
        // What the operation returns instead of what it did, if it does not fit.
        let fits = |replay: &mut dyn Replay, op: OpId| match replay.call(self.history.called(op)) {
            Some(_) if self.history.is_pending(op) => Ok(()),
            ret if ret.is_some() && ret.as_ref() == self.history.result(op) => Ok(()),
            ret => Err(ret),
        };
        for &op in &others[..place] {
            replay.call(self.history.called(op))?;
        }
        fits(&mut *replay, self.op).ok()?;
        (place..others.len()).find_map(|at| fits(&mut *replay, others[at]).err().map(|ret| (at, ret)))
    }

    /// The place after these operations.
    fn place(&self, before: &[OpId]) -> String {
        if before.is_empty() { "before all others".into() } else { format!("after {}", self.named(before)) }
    }

    /// The last of these operations by name.
    fn named(&self, ops: &[OpId]) -> String {
        if ops.is_empty() {
            return "nothing".into();
        }
        let skipped = ops.len().saturating_sub(NAMED);
        let names: Vec<String> = ops[skipped..].iter().map(|&op| self.history.show(op)).collect();
        match skipped {
            0 => names.join("; "),
            _ => format!("{skipped} others; {}", names.join("; ")),
        }
    }
}

fn shortened(state: String) -> String {
    if state.chars().count() <= STATE {
        return state;
    }
    state.chars().take(STATE).chain("...".chars()).collect()
}

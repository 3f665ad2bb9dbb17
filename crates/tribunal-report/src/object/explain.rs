//! The reason why a history is inconsistent, in words: the first return that nothing explains, and the operations that matter.

use super::prefix::{Break, longest};
use super::{Unproved, patient, timed, verified};
use crate::line::{Arrow, Line, WIDTH};
use crate::printable;
use tribunal_engines::Shrunk;
use tribunal_engines::object::{judge, shrink};
use tribunal_history::limits::Limits;
use tribunal_history::object::{
    AbstractExecution, Collection, Criterion, History, OpId, ProcessId, Replay, Specification, Typed, Value,
    Verdict, Violation, Visibility,
};
use tribunal_history::verdict::Limit;
use tribunal_verify::object::Refusal;

/// The most lines that list operations.
const SCREENFUL: usize = 24;
/// The most operations of a process to list: its last ones.
const LAST: usize = 12;
/// The most earlier operations to name.
const NAMED: usize = 3;
/// The most characters of a state to show.
const STATE: usize = 72;
/// Other places are tried as long as that takes no more steps.
const STEPS: usize = 1 << 20;

/// The reason why a history is inconsistent. Operations are those of the whole history.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The reason, line by line.
    pub lines: Vec<Line<OpId>>,
    /// The operation whose return is the first that nothing explains; none where nothing goes wrong first (`sequential`
    /// knows no real time, nor does a history without times), or it was not found in time. It is mostly in the part; not
    /// if its return says that it did nothing, so that it no longer explains what the others saw.
    pub failing: Option<OpId>,
    /// A smallest part that nothing explains, in the order of ids.
    pub part: Vec<OpId>,
    /// How many calls and returns of the history the part has: what returned later is pending in it. None: all.
    pub cut: Option<u32>,
}

/// Explains a violation, within the limits and a few seconds.
///
/// Every claim is part of the violation or has been verified: that the longest prefix satisfies the criterion, that nothing
/// explains the smallest part, and that the order in which an operation is tried explains the rest. If a limit or the verifier
/// ends this early, a line says so and the violation is shown unchanged.
pub fn explain(
    typed: &Typed<'_>,
    criterion: &Criterion,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Explanation {
    let limits = &patient(limits);
    let history = typed.history();
    let mut unproved: Option<Unproved> = None;
    let found = longest(typed, criterion, violation.cut, limits).unwrap_or_else(|why| {
        unproved = Some(why);
        None
    });
    let from = found.as_ref().map_or(typed, |found| &found.prefix);
    let smallest = match smallest(from, criterion, limits) {
        Ok((smallest, limit)) => {
            unproved = unproved.or(limit.map(Unproved::Limit));
            Some(smallest)
        }
        Err(why) => {
            unproved = unproved.or(Some(why));
            None
        }
    };
    let Some(smallest) = smallest else {
        return as_it_is(typed, criterion, violation, unproved);
    };
    let whole = |op: OpId| found.as_ref().map_or(op, |found| found.called[op.index()]);
    let part = from.part(&smallest.operations, smallest.cut);
    let ops: Vec<OpId> = smallest.operations.iter().map(|&op| whole(op)).collect();
    let mut lines = Vec::new();
    if let Some(Break { events, prefix, op, .. }) = &found {
        let all = history.intervals().map_or(0, |intervals| intervals.events.len());
        let prefix = prefix.history();
        let at = prefix.times(*op).and_then(|(_, ret)| ret).map_or(String::new(), |ret| format!(" at {ret}"));
        let (returning, holds) = (prefix.show(*op), holds(criterion));
        let text = format!(
            "of {all} calls and returns the first {events} are {holds}; then {returning} returns{at}"
        );
        lines.push(Line { about: vec![whole(*op)], ..Line::new(0, &text) });
        if let Ok(place) = smallest.operations.binary_search(op) {
            match Attempt::new(&part, (history, &ops), criterion, OpId(place as u32), limits) {
                Ok(attempt) => {
                    lines.extend(attempt.iter().flat_map(Attempt::words).map(|line| line.renamed(&ops)));
                }
                Err(why) => unproved = unproved.or(Some(why)),
            }
        }
    }
    lines.extend(of_part(&part, from, criterion, (history, &ops)));
    lines.extend(unproved.map(cut_short));
    // The prefix has the first events of the whole, so its ranks are those of the whole.
    let cut = smallest.cut.or(found.as_ref().map(|found| found.events + 1));
    Explanation { lines, failing: found.as_ref().map(|found| whole(found.op)), part: ops, cut }
}

/// A smallest part of a history that nothing explains, which is verified, and the limit if it might be smaller.
fn smallest(
    typed: &Typed<'_>,
    criterion: &Criterion,
    limits: &Limits<'_>,
) -> Result<(Violation, Option<Limit>), Unproved> {
    let Shrunk { part: violation, limit } =
        shrink(typed, criterion, limits, |_| ()).map_err(|verdict| match *verdict {
            Verdict::Undecided(limit) => Unproved::Limit(limit),
            verdict => Unproved::Refused(Refusal::NoClaim { word: verdict.word() }),
        })?;
    verified(typed, criterion, &Verdict::Inconsistent(violation.clone()), limits)?;
    Ok((violation, limit))
}

/// What the violation itself says.
fn as_it_is(
    typed: &Typed<'_>,
    criterion: &Criterion,
    violation: &Violation,
    unproved: Option<Unproved>,
) -> Explanation {
    let Violation { operations, cut } = violation.clone();
    let whole = (typed.history(), &operations[..]);
    let mut lines = of_part(&typed.part(&operations, cut), typed, criterion, whole);
    lines.extend(unproved.map(cut_short));
    Explanation { lines, failing: None, part: operations, cut }
}

/// The whole history that a part is from, and the part's operations in it.
type Whole<'a> = (&'a History, &'a [OpId]);

/// An operation of a part: running, if it returned only after the part's end.
fn shown(part: &History, (whole, ops): Whole<'_>, op: OpId) -> String {
    let shown = part.show(op);
    match shown.strip_suffix(" pending") {
        Some(called) if !whole.is_pending(ops[op.index()]) => format!("{called} running"),
        _ => shown,
    }
}

/// The lines saying that nothing explains a part of a history.
fn of_part(
    part: &Typed<'_>,
    of: &Typed<'_>,
    criterion: &Criterion,
    whole @ (_, ops): Whole<'_>,
) -> Vec<Line<OpId>> {
    let is_list = part.spec().collection() == Some(Collection::List);
    let values =
        if is_list && part.history().len() < of.history().len() { " and their values alone" } else { "" };
    let text = format!("no {} these operations{values}:", explains(criterion));
    let mut lines = vec![Line { about: ops.to_vec(), ..Line::new(0, &text) }];
    lines.extend(by_process(part.history(), whole).into_iter().map(|line| line.renamed(ops)));
    lines
}

/// The line saying that the explanation is incomplete.
fn cut_short(why: Unproved) -> Line<OpId> {
    Line::new(0, &format!("(the explanation ends here: {why})"))
}

impl Line<OpId> {
    /// The line of a part as one of the whole of which these are the operations.
    fn renamed(mut self, whole: &[OpId]) -> Self {
        let ends = self.arrows.iter_mut().flat_map(|arrow| [&mut arrow.from, &mut arrow.to]);
        for op in self.about.iter_mut().chain(ends) {
            *op = whole[op.index()];
        }
        self
    }
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

/// The operations of the part, a line for each process or more where it is long, in po.
fn by_process(part: &History, whole: Whole<'_>) -> Vec<Line<OpId>> {
    let mut lines: Vec<Line<OpId>> = Vec::new();
    for process in (0..part.process_count() as u32).map(ProcessId) {
        let ops = part.of_process(process);
        if ops.is_empty() {
            continue;
        }
        let name = part.process_name(process);
        let earlier = ops.len().saturating_sub(LAST);
        let mut line = Line::new(1, &format!("{name}:"));
        let indent = line.text.chars().count();
        if earlier > 0 {
            line.text += &format!(" ... {earlier} earlier;");
            line.about.extend(&ops[..earlier]);
        }
        for (at, &op) in ops.iter().enumerate().skip(earlier) {
            let shown = timed(part, op, &shown(part, whole, op));
            let shown = printable(&shown);
            let end = if at + 1 < ops.len() { ";" } else { "" };
            if !line.about.is_empty() && line.text.chars().count() + shown.chars().count() + 1 > WIDTH {
                lines.push(std::mem::replace(&mut line, Line::new(1, &" ".repeat(indent))));
            }
            line.text += &format!(" {shown}{end}");
            line.about.push(op);
        }
        lines.push(line);
    }
    if lines.len() > SCREENFUL {
        let about = lines[SCREENFUL..].iter().flat_map(|line| line.about.iter().copied()).collect();
        let text = format!("... {} more lines; the JSON output has them all", lines.len() - SCREENFUL);
        lines.truncate(SCREENFUL);
        lines.push(Line { about, ..Line::new(1, &text) });
    }
    lines
}

/// The operation that cannot be placed, at the places where it might be.
struct Attempt<'a> {
    /// The part that nothing explains once the operation has returned.
    history: &'a History,
    whole: Whole<'a>,
    spec: &'a dyn Specification,
    op: OpId,
    /// The execution that explains the part before that.
    execution: AbstractExecution,
}

impl<'a> Attempt<'a> {
    /// An attempt to place the operation whose return is the last event of the part; none where nothing explains the part without it
    /// either.
    fn new(
        part: &'a Typed<'_>,
        whole: Whole<'a>,
        criterion: &Criterion,
        op: OpId,
        limits: &Limits<'_>,
    ) -> Result<Option<Self>, Unproved> {
        let history = part.history();
        let Some(intervals) = history.intervals() else { return Ok(None) };
        let ops: Vec<OpId> = history.ops().collect();
        let before = part.part(&ops, Some(intervals.ret[op.index()]));
        let verdict = judge(&before, criterion, limits).0;
        match verdict {
            Verdict::Consistent(_) => verified(&before, criterion, &verdict, limits)?,
            Verdict::Undecided(limit) => return Err(Unproved::Limit(limit)),
            Verdict::Inconsistent(_) | Verdict::Unsupported(_) => {}
        }
        let Verdict::Consistent(execution) = verdict else { return Ok(None) };
        Ok(Some(Attempt { history, whole, spec: part.spec(), op, execution }))
    }

    fn words(&self) -> Vec<Line<OpId>> {
        match &self.execution.vis {
            Visibility::Sets(sets) => self.seeing(sets).into_iter().collect(),
            Visibility::All => {
                let others: Vec<OpId> =
                    self.execution.lin.iter().copied().filter(|&op| op != self.op).collect();
                let place = self.execution.lin.iter().position(|&op| op == self.op);
                let mut lines: Vec<_> =
                    self.returns_there(&others[..place.unwrap_or(others.len())]).into_iter().collect();
                lines.extend(self.elsewhere(&others));
                lines
            }
        }
    }

    /// A line on the operation after these, or seeing these, of which the last are named.
    fn line(&self, text: &str, before: &[OpId], name: &'static str) -> Line<OpId> {
        let named = &before[before.len().saturating_sub(NAMED)..];
        let arrows = named.iter().map(|&from| Arrow { from, to: self.op, name }).collect();
        let about = named.iter().copied().chain([self.op]).collect();
        Line { about, arrows, ..Line::new(0, text) }
    }

    /// What the operation returns after these.
    fn returns_there(&self, before: &[OpId]) -> Option<Line<OpId>> {
        let mut replay = self.spec.replay();
        for &op in before {
            replay.call(self.history.called(op))?;
        }
        Some(self.line(&self.would_return(&self.place(before), &mut *replay), before, "lin"))
    }

    /// What the operation returns when it sees what it sees in the attempt.
    fn seeing(&self, sets: &[Vec<OpId>]) -> Option<Line<OpId>> {
        let place = self.execution.lin.iter().position(|&op| op == self.op);
        let seen = place.map_or(&self.execution.lin, |place| &sets[place]);
        let mut replay = self.spec.replay();
        for &op in seen {
            replay.call(self.history.called(op))?;
        }
        let who = format!("seeing {}", self.named(seen));
        Some(self.line(&self.would_return(&who, &mut *replay), seen, "vis"))
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
    fn elsewhere(&self, others: &[OpId]) -> Option<Line<OpId>> {
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
        let shown = shown(self.history, self.whole, other);
        let text = match instead {
            Some(ret) => format!("{there}, it fits, but then {shown} would return {ret}"),
            None => format!("{there}, it fits, but then {shown} cannot take effect"),
        };
        let mut line = self.line(&text, &others[..place], "lin");
        line.about.push(other);
        line.arrows.push(Arrow { from: self.op, to: other, name: "lin" });
        Some(line)
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
        let names: Vec<String> =
            ops[skipped..].iter().map(|&op| shown(self.history, self.whole, op)).collect();
        match skipped {
            0 => names.join("; "),
            1 => format!("1 other; {}", names.join("; ")),
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

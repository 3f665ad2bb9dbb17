//! Pictures of objects: a timeline of intervals, and what the criteria say of it.

mod disturbances;
mod keys;
mod natural;
mod neighbors;
mod partial;
mod points;
mod states;
mod timeline;

use crate::document::{ObjectDrawing, Operation, Overview, Picture, Process, Shown};
use crate::overview::Stretches;
use crate::{explanation, name, said};
use keys::Keys;
pub use points::points;
use timeline::Timeline;
use tribunal_formats::Object;
use tribunal_history::limits::Limits;
use tribunal_history::object;
use tribunal_history::object::{AbstractExecution, History, OpId, Typed, Verdict, Visibility};
use tribunal_report::{Answer, Line, On};

/// In a larger history only the violation that is shown first is explained: an explanation is worked out anew.
const ALL_EXPLAINED: usize = 2000;
/// A larger visibility is not shown.
const VISIBLE: usize = 50_000;

/// The picture of an object's history, with a window around the violation of the answer that is shown first if it is large.
pub fn picture(object: &Object, answers: &[Answer], shown: usize, limits: &Limits<'_>) -> Picture {
    let history = &object.history;
    let explanations: Vec<Option<Why>> = answers
        .iter()
        .enumerate()
        .map(|(at, answer)| explained(answer, at == shown || history.len() <= ALL_EXPLAINED, limits))
        .collect();
    let parts: Vec<Vec<OpId>> =
        explanations.iter().map(|why| why.as_ref().map(Why::about).unwrap_or_default()).collect();
    let timeline = Timeline::new(history, &parts, shown);
    let typed = answers.iter().find_map(|answer| match &answer.on {
        On::Object { object, .. } => Some(object.typed()),
        _ => None,
    });
    let typed = typed.as_ref();
    let spec = typed.map(|typed| typed.spec().name());
    let found = partial::of(answers, limits);
    let keys = typed.map_or_else(Keys::none, |typed| Keys::of(typed, answers, found.as_deref()));
    let shown_keys = keys.shown(&timeline);
    let partial =
        found.zip(typed).map(|(found, typed)| partial::drawn(typed, &found, &keys, &shown_keys, &timeline));
    let operation = |(place, op)| Operation {
        key: shown_keys.place(keys.of_op(op)),
        ..operation(object, &timeline, place, op)
    };
    let answers = answers.iter().zip(explanations).map(|(answer, why)| {
        let mut said = of_answer(answer, why, &keys, &timeline);
        if partial::is_about(answer) {
            said.drawn.partial.clone_from(&partial);
        }
        said
    });
    Picture::Object {
        spec: name::name(spec.unwrap_or(&object.spec)),
        processes: timeline
            .processes()
            .iter()
            .map(|&process| Process {
                name: name::name(history.process_name(process)),
                length: history.of_process(process).len() as u32,
            })
            .collect(),
        operations: timeline.all().map(operation).collect(),
        keys: shown_keys.keys,
        hb: if has_times(history) { Vec::new() } else { neighbors::of(history, &timeline) },
        disturbances: disturbances::of(object, &timeline),
        overview: timeline.is_window().then(|| overview(history, &timeline, &parts)),
        answers: answers.collect(),
    }
}

fn has_times(history: &History) -> bool {
    history.ops().next().is_none_or(|op| history.times(op).is_some())
}

/// The reason why a criterion does not hold.
struct Why {
    lines: Vec<Line<OpId>>,
    failing: Option<OpId>,
    part: Vec<OpId>,
}

impl Why {
    /// The operations that it is about.
    fn about(&self) -> Vec<OpId> {
        let mut ops = self.part.clone();
        ops.extend(self.failing);
        ops.sort_unstable();
        ops.dedup();
        ops
    }
}

/// The reason why an answer says no: worked out, or else what its certificate says.
fn explained(answer: &Answer, work_out: bool, limits: &Limits<'_>) -> Option<Why> {
    match &answer.on {
        On::Object { object, criterion, verdict: Verdict::Inconsistent(violation) } => {
            if work_out {
                let why = tribunal_report::object::explain(&object.typed(), criterion, violation, limits);
                return Some(Why { lines: why.lines, failing: why.failing, part: why.part });
            }
            let part = violation.operations.clone();
            let text = format!("nothing explains {} of the operations, which are marked", part.len());
            Some(Why {
                lines: vec![Line { about: part.clone(), ..Line::new(0, &text) }],
                failing: None,
                part,
            })
        }
        _ => None,
    }
}

fn operation(object: &Object, timeline: &Timeline, place: u32, op: OpId) -> Operation {
    let history = &object.history;
    let call = history.called(op);
    let ret = history.result(op).map_or("?".to_string(), ToString::to_string);
    let (begin, end) = timeline.interval(place);
    Operation {
        process: timeline.row(history, op),
        label: name::label(&format!("{call} → {ret}")),
        result: history.result(op).map(|ret| name::label(&ret.to_string())),
        key: None,
        call: begin,
        ret: end,
        times: history.times(op).map(|(call, ret)| (call.to_string(), ret.map(|ret| ret.to_string()))),
        error: object.notes.error_of(op.0).map(name::label),
        line: object.lines.get(op.index()).copied(),
    }
}

fn of_answer(answer: &Answer, why: Option<Why>, keys: &Keys, timeline: &Timeline) -> Shown<ObjectDrawing> {
    if let Some(Why { lines, failing, part }) = why {
        let drawn = ObjectDrawing {
            part: part.into_iter().filter_map(|op| timeline.of(op)).collect(),
            failing: failing.and_then(|op| timeline.of(op)),
            ..ObjectDrawing::default()
        };
        return said(answer, explanation::lines(lines, |op| timeline.of(op)), drawn);
    }
    let drawn = match &answer.on {
        On::Object { object, verdict: Verdict::Consistent(execution), .. } => {
            witness(&object.typed(), execution, keys, timeline)
        }
        _ => ObjectDrawing::default(),
    };
    said(answer, Vec::new(), drawn)
}

/// The drawing of an abstract execution: what is shown of lin, with its points and states, and of vis.
fn witness(
    typed: &Typed<'_>,
    execution: &AbstractExecution,
    keys: &Keys,
    timeline: &Timeline,
) -> ObjectDrawing {
    let lin: Vec<u32> = execution.lin.iter().filter_map(|&op| timeline.of(op)).collect();
    let intervals: Vec<_> = lin.iter().map(|&place| timeline.interval(place)).collect();
    let points = points(&intervals, timeline.end());
    let vis = match &execution.vis {
        Visibility::Sets(sets) if typed.history().len() > 1 => visible(&execution.lin, sets, timeline),
        _ => None,
    };
    let states = match vis {
        None => states::along(typed, &execution.lin, keys, timeline),
        Some(_) => Vec::new(),
    };
    ObjectDrawing { lin, points, states, vis, ..ObjectDrawing::default() }
}

/// The operations shown that each operation sees; none if that is all before it, and empty if it is too much to show.
fn visible(lin: &[OpId], sets: &[Vec<OpId>], timeline: &Timeline) -> Option<Vec<Vec<u32>>> {
    if sets.iter().enumerate().all(|(before, seen)| seen.len() == before) {
        return None;
    }
    let mut vis = Vec::new();
    let mut size = 0;
    for (_, seen) in lin.iter().zip(sets).filter(|&(&op, _)| timeline.of(op).is_some()) {
        let seen: Vec<u32> = seen.iter().filter_map(|&op| timeline.of(op)).collect();
        size += seen.len();
        if size > VISIBLE {
            return Some(Vec::new());
        }
        vis.push(seen);
    }
    Some(vis)
}

/// The number of operations of each process that are called in each stretch; the whole is as long as all calls and returns.
fn overview(history: &History, timeline: &Timeline, parts: &[Vec<OpId>]) -> Overview {
    let mut stretches = Stretches::new(timeline.processes().len(), timeline.length());
    for op in history.ops() {
        if let Some(row) = timeline.row_of(history.process(op)) {
            stretches.count(row as usize, timeline.rank(op));
        }
    }
    let shown = timeline.all().map(|(_, op)| timeline.rank(op));
    let marks = parts.iter().map(|ops| ops.iter().map(|&op| timeline.rank(op)).collect());
    stretches.overview(shown, marks.collect::<Vec<_>>())
}

/// The calls and returns of a history in order; where it has no intervals, such an order that hb goes along with: each
/// operation is over before the next of its row is called.
fn events(history: &History) -> Vec<object::Event> {
    match history.intervals() {
        Some(intervals) => intervals.events.to_vec(),
        None => neighbors::layers(history),
    }
}

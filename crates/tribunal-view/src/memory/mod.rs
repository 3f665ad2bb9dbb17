//! Pictures of memories: a column for each thread, and the verdicts of the models.

mod places;
pub mod rows;

use crate::document::{Contrast, Edge, Event, Kind, MemoryDrawing, Overview, Picture, Shown, Thread};
use crate::overview::Stretches;
use crate::{explanation, name, said};
use places::Places;
use tribunal_formats::Lines;
use tribunal_history::memory::{self, EventId, Execution, Observation, ThreadId};
use tribunal_history::verdict::{ModificationOrder, Witness};
use tribunal_history::{model::Model, verdict::Verdict};
use tribunal_report::memory::{Story, difference, story};
use tribunal_report::{Answer, Line, On, stronger_failing};

/// The picture of a memory's history, with a window around the violation of the answer that is shown first if it is large.
pub fn picture(x: &Execution, lines: &Lines, answers: &[Answer], shown: usize) -> Picture {
    let violations: Vec<Vec<EventId>> = answers.iter().map(spoken_of).collect();
    let places = Places::new(x, &violations, shown);
    let rf: Vec<Edge> = places
        .all()
        .filter_map(|(place, event)| Some([places.of(x.rf(event)?)?, place]))
        .filter(|&[from, to]| from != to)
        .collect();
    let deps = places
        .all()
        .flat_map(|(place, event)| x.deps(event).map(move |on| (place, on)))
        .filter_map(|(place, on)| Some([places.of(on)?, place]));
    Picture::Memory {
        threads: places.threads().iter().map(|&thread| column(x, thread)).collect(),
        deps: deps.collect(),
        events: events(x, lines, &places, &rf),
        overview: (places.is_window()).then(|| overview(x, &places, &violations)),
        answers: (0..answers.len()).map(|at| of_answer(x, answers, at, &places)).collect(),
        rf,
    }
}

/// The events that a violation mentions, if there is one.
fn spoken_of(answer: &Answer) -> Vec<EventId> {
    match &answer.on {
        On::Memory { verdict: Verdict::Inconsistent(violation), .. } => violation.events(),
        _ => Vec::new(),
    }
}

fn column(x: &Execution, thread: ThreadId) -> Thread {
    Thread { name: name::name(x.thread_name(thread)), length: x.thread_events(thread).len() as u32 }
}

/// The events on the grid: initial writes in row 0, the others below, along po and rf.
fn events(x: &Execution, lines: &Lines, places: &Places, rf: &[Edge]) -> Vec<Event> {
    let is_init = |place: u32| x.is_init(places.event(place));
    let same_thread = |place: u32| places.column(x, place) == places.column(x, place + 1);
    let last = places.len().saturating_sub(1) as u32;
    let po: Vec<Edge> = (0..last)
        .filter(|&place| !is_init(place + 1) && same_thread(place))
        .map(|place| [place, place + 1])
        .collect();
    let between: Vec<Edge> = rf.iter().copied().filter(|&[from, _]| !is_init(from)).collect();
    let rows = rows::rows(places.len(), &po, &between);
    let events = places.all().zip(rows).map(|((place, event), row)| {
        let slot = x.slot(event);
        Event {
            thread: places.column(x, place),
            index: slot.map_or(0, |slot| slot.index),
            row: if slot.is_some() { row + 1 } else { 0 },
            label: name::label(&did(x, event)),
            kind: kind(x, event),
            location: x.loc(event).map(|loc| name::name(x.location_name(loc))),
            line: slot.map(|slot| lines.of(slot)).filter(|&line| line > 0),
        }
    });
    events.collect()
}

/// The action of an event, without its name: `W x 1`.
fn did(x: &Execution, event: EventId) -> String {
    let shown = x.show(event).to_string();
    let Some(slot) = x.slot(event) else { return shown };
    let named = format!("{}:{} ", x.thread_name(slot.thread), slot.index);
    shown.strip_prefix(&named).map(str::to_string).unwrap_or(shown)
}

fn kind(x: &Execution, event: EventId) -> Kind {
    match x.label(event).kind() {
        _ if x.is_init(event) => Kind::Init,
        memory::Kind::Read => Kind::Read,
        memory::Kind::Write => Kind::Write,
        memory::Kind::Rmw => Kind::Rmw,
        memory::Kind::Fence => Kind::Fence,
    }
}

fn of_answer(x: &Execution, answers: &[Answer], at: usize, places: &Places) -> Shown<MemoryDrawing> {
    let answer = &answers[at];
    let place = |event: EventId| places.of(event);
    let mut contrast = None;
    let (lines, drawn) = match &answer.on {
        On::Memory { model, verdict: Verdict::Inconsistent(violation), .. } => {
            let story = story(x, *model, violation);
            let cycle = explanation::arrows(&story.steps, place);
            let chosen = chosen(&story.sources, places);
            let drawn = MemoryDrawing { cycle, chosen, ..MemoryDrawing::default() };
            (explanation::lines(titled(story), place), drawn)
        }
        On::Memory { model, verdict: Verdict::Consistent(witness), .. } => {
            let sources = witness.sources();
            let whole = (!sources.is_empty()).then(|| x.choosing(sources));
            let (mo, fr) =
                witness.mo().map(|mo| orders(whole.as_ref().unwrap_or(x), mo, places)).unwrap_or_default();
            contrast = stronger_failing(answers, at)
                .and_then(|strong| against(x, &answers[strong], *model, witness, places));
            let drawn = MemoryDrawing { chosen: chosen(sources, places), mo, fr, ..MemoryDrawing::default() };
            (Vec::new(), drawn)
        }
        _ => (Vec::new(), MemoryDrawing::default()),
    };
    Shown { contrast, ..said(answer, lines, drawn) }
}

/// Longer explanations of a stronger model are not compared with weaker ones.
const COMPARED: usize = 40;

/// The part of the stronger model's reason that the weaker model does not have, then that reason; none where that would be long.
fn against(
    x: &Execution,
    strong: &Answer,
    weak: Model,
    witness: &Witness,
    places: &Places,
) -> Option<Contrast> {
    let On::Memory { model, verdict: Verdict::Inconsistent(violation), .. } = &strong.on else {
        return None;
    };
    let place = |event: EventId| places.of(event);
    let story = story(x, *model, violation);
    if story.cases || story.lines.len() > COMPARED {
        return None;
    }
    let difference = difference(x, *model, &story, weak, witness);
    let missing = difference.iter().flat_map(|line| line.arrows.iter().copied());
    let missing: Vec<_> = missing.filter(|arrow| story.steps.contains(arrow)).collect();
    Some(Contrast {
        against: name::label(&model.to_string()),
        cycle: explanation::arrows(&story.steps, place),
        missing: explanation::arrows(&missing, place),
        lines: explanation::lines([difference, forbidding(*model, story)].concat(), place),
    })
}

/// From sources to what reads them, as far as both are shown.
fn chosen(sources: &[(Observation, EventId)], places: &Places) -> Vec<Edge> {
    let edge = |&(of, source): &(Observation, EventId)| match of {
        Observation::Read(read) => Some([places.of(source)?, places.of(read)?]),
        Observation::Final { .. } => None,
    };
    sources.iter().filter_map(edge).collect()
}

/// The lines of a story below the name of the model that it is of.
fn forbidding(model: Model, story: Story) -> Vec<Line<EventId>> {
    let title = story.title.as_deref().unwrap_or("a cycle");
    titled(Story { title: Some(format!("{model} forbids it: {title}")), ..story })
}

/// The lines of a story below its title, which points at all steps.
fn titled(story: Story) -> Vec<Line<EventId>> {
    let title = story.title.map(|title| Line {
        about: story.steps.iter().map(|step| step.from).collect(),
        arrows: story.steps.clone(),
        ..Line::new(0, &title)
    });
    title.into_iter().chain(story.lines).collect()
}

/// The edges of a witness between what is shown: mo from each write to the next of its location, and fr from each plain read
/// to the first write after the one that it reads from. An RMW comes right after its source, and mo goes on from there.
fn orders(x: &Execution, order: &ModificationOrder, places: &Places) -> (Vec<Edge>, Vec<Edge>) {
    const NONE: u32 = u32::MAX;
    let mut next = vec![NONE; places.len()];
    let mut mo = Vec::new();
    for loc in x.locations() {
        let mut before = None;
        for place in order.of(loc).iter().filter_map(|&write| places.of(write)) {
            if let Some(before) = before.replace(place) {
                next[before as usize] = place;
                mo.push([before, place]);
            }
        }
    }
    let plain = |event: EventId| x.label(event).reads() && !x.label(event).writes();
    let reads = places.all().filter(|&(_, event)| plain(event));
    let fr = reads.filter_map(|(place, event)| {
        let overwriting = next[places.of(x.rf(event)?)? as usize];
        (overwriting != NONE).then_some([place, overwriting])
    });
    (mo, fr.collect())
}

/// The number of events that each thread has in each stretch; the whole is as long as the longest thread.
fn overview(x: &Execution, places: &Places, violations: &[Vec<EventId>]) -> Overview {
    let threads = places.threads();
    let length = |&thread: &ThreadId| x.thread_events(thread).len();
    let mut stretches = Stretches::new(threads.len(), threads.iter().map(length).max().unwrap_or(0));
    for (row, thread) in threads.iter().enumerate() {
        (0..length(thread)).for_each(|index| stretches.count(row, index));
    }
    let indices = |events: &mut dyn Iterator<Item = EventId>| -> Vec<usize> {
        events.filter_map(|event| x.slot(event)).map(|slot| slot.index as usize).collect()
    };
    let shown = indices(&mut places.all().map(|(_, event)| event));
    let marks = violations.iter().map(|events| indices(&mut events.iter().copied()));
    stretches.overview(shown.into_iter(), marks.collect::<Vec<_>>())
}

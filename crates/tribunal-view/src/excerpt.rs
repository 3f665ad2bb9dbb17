//! What of a document a plain picture draws: it cannot be scrolled or searched as a page can.

use crate::document::{Arrow, Document, Event, Kind, MemoryRuling, ObjectRuling, Operation, Picture, Said};
use crate::window::{around, widest};

/// At most so many events or operations are drawn.
const MOST: usize = 64;
/// Of a larger history so many events before and after those that matter are drawn,
const NEAR: u32 = 2;
/// and so many operations.
const AROUND: u32 = 6;
/// Of a longer explanation only the cycle is drawn: too many edges explain nothing.
const LINES: usize = 60;

/// The places to draw of a ruling: all, if they are few, or else what is around the violation or, without one, the
/// beginning. Initial writes are drawn if an edge of the violation touches them.
pub fn of(document: &Document, ruling: usize) -> Vec<u32> {
    match &document.picture {
        Picture::Memory { events, rf, rulings, .. } => of_memory(events, rf, rulings.get(ruling)),
        Picture::Object { operations, rulings, .. } => of_object(operations, rulings.get(ruling)),
    }
}

/// The edges that an explanation rests on, beside those of the cycle: each once.
pub fn grounds(said: Option<&Said<MemoryRuling>>) -> Vec<Arrow> {
    let mut grounds: Vec<Arrow> = Vec::new();
    for said in said.into_iter().filter(|said| said.lines.len() <= LINES) {
        for arrow in said.lines.iter().flat_map(|line| &line.arrows) {
            if !said.ruling.cycle.contains(arrow) && !grounds.contains(arrow) {
                grounds.push(*arrow);
            }
        }
    }
    grounds
}

fn of_memory(events: &[Event], rf: &[[u32; 2]], said: Option<&Said<MemoryRuling>>) -> Vec<u32> {
    let is_init = |place: u32| events[place as usize].kind == Kind::Init;
    let cycle = said.into_iter().flat_map(|said| said.ruling.cycle.iter().copied());
    let ends = cycle.chain(grounds(said)).flat_map(|arrow| [arrow.from, arrow.to]);
    let mut seeds: Vec<u32> = ends.take(2 * MOST).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let (inits, seeds): (Vec<u32>, Vec<u32>) = seeds.into_iter().partition(|&place| is_init(place));
    let others: Vec<u32> = (0..events.len() as u32).filter(|&place| !is_init(place)).collect();
    let mut drawn = if others.len() <= MOST {
        others
    } else if seeds.is_empty() {
        let mut first = others;
        first.sort_by_key(|&place| events[place as usize].row);
        first.truncate(MOST);
        first.sort_unstable();
        first
    } else {
        around_seeds(events, rf, &seeds)
    };
    drawn.extend(inits);
    drawn
}

/// The seeds, what they read from, and what is near them in their threads.
fn around_seeds(events: &[Event], rf: &[[u32; 2]], seeds: &[u32]) -> Vec<u32> {
    let is_init = |place: u32| events[place as usize].kind == Kind::Init;
    let read = |&&[from, to]: &&[u32; 2]| !is_init(from) && seeds.binary_search(&to).is_ok();
    let mut centre: Vec<u32> = seeds.to_vec();
    centre.extend(rf.iter().filter(read).map(|&[from, _]| from));
    centre.sort_unstable();
    centre.dedup();
    let bounds = |seed: u32| {
        let thread = events[seed as usize].thread;
        let first = events.partition_point(|event| event.thread.is_some() && event.thread < thread);
        let end = events.partition_point(|event| event.thread.is_some() && event.thread <= thread);
        (first as u32, end as u32)
    };
    widest(MOST, |radius| around(&centre, radius.min(NEAR), MOST, bounds))
}

fn of_object(operations: &[Operation], said: Option<&Said<ObjectRuling>>) -> Vec<u32> {
    let all = operations.len() as u32;
    if operations.len() <= MOST {
        return (0..all).collect();
    }
    let ruling = said.map(|said| &said.ruling);
    let mut seeds: Vec<u32> =
        ruling.into_iter().flat_map(|ruling| ruling.part.iter().copied().chain(ruling.failing)).collect();
    seeds.sort_unstable();
    seeds.dedup();
    if seeds.is_empty() {
        return (0..MOST as u32).collect();
    }
    widest(MOST, |radius| around(&seeds, radius.min(AROUND), MOST, |_| (0, all)))
}

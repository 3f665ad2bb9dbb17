//! The part of a document that a static picture draws, since it cannot be scrolled as a page can.

use crate::document::{Document, ObjectDrawing, Operation, Picture, Shown};
use crate::scene::Scene;
use crate::window::{around, widest};

/// The most operations drawn,
const MOST: usize = 64;
/// and how many are drawn whatever is wrong: of more, what fails would be beside the screen.
const FEW: usize = 16;
/// Of a larger history, how many events are drawn before and after those that matter,
const NEAR: u32 = 2;
/// and how many operations.
const AROUND: u32 = 6;

/// The places to draw of an answer: all, if they are few, or else what is around the violation or, without one, the
/// beginning. Initial writes are drawn if an edge of the violation touches them.
pub fn of(document: &Document, answer: usize) -> Vec<u32> {
    match &document.picture {
        Picture::Object { operations, answers, .. } => of_object(operations, answers.get(answer)),
        Picture::Memory { .. } | Picture::Transactions { .. } => {
            Scene::of(document, answer).map_or_else(Vec::new, |scene| of_columns(&scene))
        }
    }
}

fn of_columns(scene: &Scene<'_>) -> Vec<u32> {
    let boxes = &scene.boxes;
    let ends = scene.cycle.iter().chain(&scene.grounds).flat_map(|arrow| [arrow.from, arrow.to]);
    let failing = (0..).zip(boxes).filter(|(_, block)| block.failing).map(|(place, _)| place);
    let mut seeds: Vec<u32> = ends.chain(failing).take(2 * scene.most).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let (inits, seeds): (Vec<u32>, Vec<u32>) = seeds.into_iter().partition(|&place| scene.is_init(place));
    let others: Vec<u32> = (0..boxes.len() as u32).filter(|&place| !scene.is_init(place)).collect();
    let mut drawn = if others.len() <= scene.most {
        others
    } else if seeds.is_empty() {
        let mut first = others;
        first.sort_by_key(|&place| boxes[place as usize].row);
        first.truncate(scene.most);
        first.sort_unstable();
        first
    } else {
        around_seeds(scene, &seeds)
    };
    drawn.extend(inits);
    drawn
}

/// The seeds, what they read from, and what is near them in their columns.
fn around_seeds(scene: &Scene<'_>, seeds: &[u32]) -> Vec<u32> {
    let boxes = &scene.boxes;
    let read = |&&([from, to], name): &&([u32; 2], &str)| {
        matches!(name, "rf" | "wr") && !scene.is_init(from) && seeds.binary_search(&to).is_ok()
    };
    let mut centre: Vec<u32> = seeds.to_vec();
    centre.extend(scene.given.iter().filter(read).map(|&([from, _], _)| from).take(scene.most));
    centre.sort_unstable();
    centre.dedup();
    let bounds = |seed: u32| {
        let column = boxes[seed as usize].column;
        let first = boxes.partition_point(|block| block.column.is_some() && block.column < column);
        let end = boxes.partition_point(|block| block.column.is_some() && block.column <= column);
        (first as u32, end as u32)
    };
    let centre = if centre.len() > scene.most { seeds.to_vec() } else { centre };
    widest(scene.most, |radius| around(&centre, radius.min(NEAR), scene.most, bounds))
}

fn of_object(operations: &[Operation], said: Option<&Shown<ObjectDrawing>>) -> Vec<u32> {
    let all = operations.len() as u32;
    let drawing = said.map(|said| &said.drawn);
    let mut seeds: Vec<u32> =
        drawing.into_iter().flat_map(|drawing| drawing.part.iter().copied().chain(drawing.failing)).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let most = if seeds.is_empty() { MOST } else { FEW };
    if operations.len() <= most {
        return (0..all).collect();
    }
    if seeds.is_empty() {
        return (0..MOST as u32).collect();
    }
    widest(MOST, |radius| around(&seeds, radius.min(AROUND), MOST, |_| (0, all)))
}

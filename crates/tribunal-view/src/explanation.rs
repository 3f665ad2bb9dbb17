//! Explanations, with events given by their places in the picture.

use crate::document::{Arrow, Line};
use crate::name;

/// The most lines; of a longer explanation the deepest are left out.
const LINES: usize = 300;

/// The lines, with the events that they mention given by place; events without a place are left out.
pub fn lines<Id: Copy>(
    lines: Vec<tribunal_report::Line<Id>>,
    place: impl Fn(Id) -> Option<u32>,
) -> Vec<Line> {
    let up_to = |depth: usize| lines.iter().filter(move |line| line.depth <= depth);
    let deepest = lines.iter().map(|line| line.depth).max().unwrap_or(0);
    let depth = (0..=deepest).rev().find(|&depth| up_to(depth).count() <= LINES).unwrap_or(0);
    let mut kept: Vec<Line> = up_to(depth).take(LINES).map(|line| placed(line, &place)).collect();
    if kept.len() < lines.len() {
        let more = lines.len() - kept.len();
        let text = format!("({more} more lines; check --style json has everything)");
        kept.push(Line { depth: 0, text, about: Vec::new(), arrows: Vec::new() });
    }
    kept
}

fn placed<Id: Copy>(line: &tribunal_report::Line<Id>, place: impl Fn(Id) -> Option<u32>) -> Line {
    Line {
        depth: line.depth,
        text: name::line(&line.text),
        about: line.about.iter().filter_map(|&id| place(id)).collect(),
        arrows: arrows(&line.arrows, place),
    }
}

/// The edges, each once, as far as both ends are shown.
pub fn arrows<Id: Copy>(
    arrows: &[tribunal_report::Arrow<Id>],
    place: impl Fn(Id) -> Option<u32>,
) -> Vec<Arrow> {
    let mut placed: Vec<Arrow> = Vec::new();
    for arrow in arrows {
        let (Some(from), Some(to)) = (place(arrow.from), place(arrow.to)) else { continue };
        let arrow = Arrow { from, to, name: arrow.name };
        if !placed.contains(&arrow) {
            placed.push(arrow);
        }
    }
    placed
}

//! Checks of models' texts in words: the cycle that breaks one, its edges unfolded to the definitions that they come from.

use crate::line::{Arrow, Line};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::definition::Related;

/// An edge as a picture has it.
pub(super) fn arrow(step: &Related) -> Arrow<EventId> {
    // Coherence order is mo everywhere else.
    let name = if step.name == "co" { "mo" } else { step.name };
    Arrow { from: step.from, to: step.to, name }
}

/// An edge in words.
pub(super) fn in_words(x: &Execution, step: &Related) -> String {
    let (from, to) = (x.show(step.from), x.show(step.to));
    match step.name {
        "po" | "po-loc" => format!("{from} is before {to} in its thread"),
        "rf" | "rfe" | "rfi" if x.rf(step.to) == Some(step.from) => format!("{to} reads from {from}"),
        "co" | "coe" | "coi" | "mo" => {
            format!("{from} comes before {to} in the order of their location's writes")
        }
        "fr" | "fre" | "fri" => format!("{from} reads what {to} overwrites, so it comes before it"),
        name => format!("{from} is before {to} by {name}"),
    }
}

/// The lines below an edge that say what its definition is made of.
pub(super) fn unfold(x: &Execution, step: &Related, depth: usize, lines: &mut Vec<Line<EventId>>) {
    // That a read reads what it reads needs no saying, nor that an initial write comes first.
    let plain = |part: &&Related| match step.name {
        "fr" | "fre" | "fri" => part.name != "rf" && !x.is_init(part.from),
        _ => part.from != part.to,
    };
    for part in step.because.iter().filter(plain) {
        let mut line = Line::new(depth, &format!("{}: {}", step.name, in_words(x, part)));
        line.about = vec![part.from, part.to];
        line.arrows = vec![arrow(part)];
        lines.push(line);
        unfold(x, part, depth + 1, lines);
    }
}

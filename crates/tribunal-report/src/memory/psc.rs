//! The reasons why two seq_cst events are ordered, in words.

use super::explain::{Grounds, Page};
use tribunal_history::verdict::{Because, Edge};

/// What a psc edge says of its ends, the first and the second, and what that rests on.
pub(super) fn clause<'e>(page: &Page<'_>, edge: &Edge, path: &'e [Edge]) -> (String, Grounds<'e>) {
    let hb = |step: &&Edge| matches!(step.because, Because::Po | Because::Sw { .. });
    let before = path.iter().take_while(hb).count();
    if before == path.len() {
        return if path.iter().all(|step| step.because == Because::Po) {
            ("the first is earlier in its thread".into(), Grounds::None)
        } else {
            ("the first happens before the second".into(), Grounds::Path(path))
        };
    }
    let after = path.iter().rev().take_while(hb).count();
    let steps = &path[before..path.len() - after];
    let (from, to) = (steps[0].from, steps[steps.len() - 1].to);
    let first = match from == edge.from {
        true => "the first".into(),
        false => format!("{}, after the first,", page.show(from)),
    };
    let second = match to == edge.to {
        true => "the second".into(),
        false => format!("{}, before the second,", page.show(to)),
    };
    let said = said(page, steps, &first, &second);
    match path {
        [step] => {
            let (by, grounds) = order(page, step);
            (said + &by, grounds)
        }
        _ => (said, Grounds::Path(path)),
    }
}

/// What the steps of mo, fr and rf say.
fn said(page: &Page<'_>, steps: &[Edge], first: &str, second: &str) -> String {
    let location = page.location(steps[0].from);
    let said = match steps {
        [Edge { because: Because::Rf, .. }] => format!("{second} reads from {first}"),
        [.., Edge { because: Because::Rf, .. }] => {
            format!("{second} reads a write of {location} that comes after {first}")
        }
        [Edge { because: Because::Fr { .. }, .. }, ..] => {
            format!("{first} reads {location} from before {second} writes it")
        }
        _ => format!("{first} writes {location} before {second}"),
    };
    said.trim_end_matches(',').to_string()
}

/// What the order of the writes in a single step rests on.
fn order<'e>(page: &Page<'_>, step: &'e Edge) -> (String, Grounds<'e>) {
    let mo = match &step.because {
        Because::Fr { premise } => premise,
        _ => step,
    };
    match &mo.because {
        Because::Lemma(index) => (format!(", by {}", page.number(*index)), Grounds::None),
        Because::Assumed => (", as supposed".into(), Grounds::None),
        _ if page.is_initial(mo.from) => (String::new(), Grounds::None),
        _ => (String::new(), Grounds::Chains(Vec::new(), Some(mo))),
    }
}

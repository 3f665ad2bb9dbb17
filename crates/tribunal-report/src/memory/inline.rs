//! Lemmas put back into the places that use them.

use tribunal_history::verdict::{Because, Cycle, Edge};

/// Of more lemmas none is put back: what is used once may itself use others, and so on.
const FEW: usize = 8;

/// The cycle, with each lemma that is used once in its place.
pub(super) fn inlined(cycle: &Cycle) -> Cycle {
    let all = cycle.lemmas.len();
    if all > FEW {
        return cycle.clone();
    }
    let mut uses = vec![0; all];
    for edge in cycle.lemmas.iter().chain(&cycle.edges) {
        count(edge, &mut uses);
    }
    // The numbers of those that stay.
    let mut numbers = vec![None; all];
    for (number, lemma) in (0..all).filter(|&lemma| uses[lemma] != 1).enumerate() {
        numbers[lemma] = Some(number);
    }
    let mut lemmas: Vec<Edge> = Vec::with_capacity(all);
    for lemma in &cycle.lemmas {
        let placed = placed(lemma, &lemmas, &numbers);
        lemmas.push(placed);
    }
    let edges = cycle.edges.iter().map(|edge| placed(edge, &lemmas, &numbers)).collect();
    let stay = lemmas.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
    Cycle { lemmas: stay.map(|(lemma, _)| lemma).collect(), edges }
}

fn count(edge: &Edge, uses: &mut [usize]) {
    match &edge.because {
        Because::Lemma(index) => {
            if let Some(uses) = uses.get_mut(*index) {
                *uses += 1;
            }
        }
        Because::Coherence { path }
        | Because::Read { path, .. }
        | Because::Seen { path, .. }
        | Because::Psc { path }
        | Because::Unless { cycle: path } => {
            path.iter().for_each(|edge| count(edge, uses));
        }
        Because::Atomic { premise } | Because::Fr { premise } => count(premise, uses),
        _ => {}
    }
}

/// The edge with the lemmas that have no number in their places.
fn placed(edge: &Edge, lemmas: &[Edge], numbers: &[Option<usize>]) -> Edge {
    let along = |path: &[Edge]| path.iter().map(|edge| placed(edge, lemmas, numbers)).collect::<Vec<_>>();
    let because = match &edge.because {
        Because::Lemma(index) => match (numbers.get(*index), lemmas.get(*index)) {
            (Some(None), Some(lemma)) => lemma.because.clone(),
            (Some(Some(number)), _) => Because::Lemma(*number),
            _ => Because::Lemma(*index),
        },
        Because::Coherence { path } => match along(path).as_mut_slice() {
            // The order of two writes that follows from the order of the same two.
            [Edge { because, .. }] if because.is_mo() => std::mem::replace(because, Because::Po),
            path => Because::Coherence { path: path.to_vec() },
        },
        Because::Read { read, path } => Because::Read { read: *read, path: along(path) },
        Because::Psc { path } => Because::Psc { path: along(path) },
        Because::Unless { cycle } => Because::Unless { cycle: along(cycle) },
        Because::Seen { observer, read, path } => {
            Because::Seen { observer: *observer, read: *read, path: along(path) }
        }
        Because::Atomic { premise } => {
            Because::Atomic { premise: Box::new(placed(premise, lemmas, numbers)) }
        }
        Because::Fr { premise } => Because::Fr { premise: Box::new(placed(premise, lemmas, numbers)) },
        because => because.clone(),
    };
    Edge { from: edge.from, to: edge.to, because }
}

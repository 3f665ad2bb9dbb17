//! Spoils violations: some event, edge, reason, lemma, case or axiom is another than it was.

use proptest::prelude::*;
use proptest::sample::Index;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Where to spoil a violation, and how.
#[derive(Clone, Debug)]
pub struct Mutation {
    kind: Kind,
    place: Index,
    choice: Index,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Axiom,
    Event,
    Reason,
    DropEdge,
    RepeatEdge,
    SwapEdges,
    SwapCases,
    Shortcut,
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    use Kind::*;
    let kinds =
        vec![Axiom, Event, Event, Reason, Reason, DropEdge, RepeatEdge, SwapEdges, SwapCases, Shortcut];
    (prop::sample::select(kinds), any::<Index>(), any::<Index>()).prop_map(|(kind, place, choice)| Mutation {
        kind,
        place,
        choice,
    })
}

pub fn mutate(violation: &mut Violation, x: &Execution, mutation: &Mutation) {
    let Mutation { kind, place, choice } = mutation;
    // One id beyond those of the history is among the choices.
    let event = EventId::from_index(choice.index(x.len() + x.location_count() + 1));
    match kind {
        Kind::Axiom => violation.axiom = *choice.get(&Axiom::ALL),
        Kind::Event => {
            let mut events = 0;
            each_event(&mut violation.refutation, &mut |_| events += 1);
            let (chosen, mut at) = (place.index(events.max(1)), 0);
            each_event(&mut violation.refutation, &mut |e| {
                if at == chosen {
                    *e = event;
                }
                at += 1;
            });
        }
        Kind::Reason => chosen_edge(violation, place, |edge| edge.because = reason(edge, event, choice)),
        Kind::DropEdge => chosen_list(violation, place, |edges| {
            if !edges.is_empty() {
                edges.remove(choice.index(edges.len()));
            }
        }),
        Kind::RepeatEdge => chosen_list(violation, place, |edges| {
            if !edges.is_empty() {
                let i = choice.index(edges.len());
                edges.insert(i, edges[i].clone());
            }
        }),
        Kind::SwapEdges => chosen_list(violation, place, |edges| {
            if !edges.is_empty() {
                let i = choice.index(edges.len());
                edges.swap(0, i);
            }
        }),
        Kind::SwapCases => {
            if let Refutation::Split { forward, backward, .. } = &mut violation.refutation {
                std::mem::swap(forward, backward);
            }
        }
        // An edge over the next one: true of po, and of little else.
        Kind::Shortcut => chosen_list(violation, place, |edges| {
            if edges.len() >= 2 {
                let i = choice.index(edges.len() - 1);
                edges[i].to = edges[i + 1].to;
                edges.remove(i + 1);
            }
        }),
    }
}

fn reason(edge: &Edge, event: EventId, choice: &Index) -> Because {
    let po = |from, to| Edge { from, to, because: Because::Po };
    let reasons = [
        Because::Po,
        Because::Rf,
        Because::Sw { write: edge.from, read: edge.to },
        Because::Sw { write: event, read: edge.to },
        Because::Sw { write: edge.from, read: event },
        Because::Chain,
        Because::Coherence { path: vec![po(edge.from, edge.to)] },
        Because::Coherence { path: vec![po(edge.from, event), po(event, edge.to)] },
        Because::Coherence { path: vec![Edge { because: Because::Rf, ..po(edge.from, edge.to) }] },
        Because::Read { read: event, path: vec![po(edge.from, event)] },
        Because::Read { read: event, path: vec![Edge { because: Because::Rf, ..po(edge.from, event) }] },
        Because::Atomic { premise: Box::new(edge.clone()) },
        Because::Atomic { premise: Box::new(Edge { because: Because::Chain, ..po(event, edge.to) }) },
        Because::Ppo,
        Because::PoLoc,
        Because::Dep,
        Because::Fr { premise: Box::new(Edge { because: Because::Final, ..po(event, edge.to) }) },
        Because::Fr { premise: Box::new(edge.clone()) },
        Because::Seen { observer: event, read: event, path: vec![po(edge.from, event)] },
        Because::Seen { observer: edge.to, read: event, path: vec![edge.clone()] },
        Because::Psc { path: vec![edge.clone()] },
        Because::Psc { path: vec![po(edge.from, edge.to)] },
        Because::Psc { path: vec![po(edge.from, event), po(event, edge.to)] },
        Because::Psc {
            path: vec![Edge { because: Because::Sw { write: edge.from, read: edge.to }, ..edge.clone() }],
        },
        Because::Psc { path: vec![Edge { because: Because::Lemma(event.index() % 3), ..edge.clone() }] },
        Because::Unless { cycle: vec![edge.clone()] },
        Because::Unless {
            cycle: vec![Edge { because: Because::Psc { path: vec![assumed(edge)] }, ..assumed(edge) }],
        },
        Because::Final,
        Because::Assumed,
        Because::Lemma(event.index() % 3),
    ];
    choice.get(&reasons).clone()
}

/// The other way round.
fn assumed(edge: &Edge) -> Edge {
    Edge { from: edge.to, to: edge.from, because: Because::Assumed }
}

fn each_event(refutation: &mut Refutation, visit: &mut impl FnMut(&mut EventId)) {
    match refutation {
        Refutation::Cycle(_) => {}
        Refutation::SharedSource { write, rmws } => {
            visit(write);
            rmws.iter_mut().for_each(&mut *visit);
        }
        Refutation::Overwritten { read, by, .. } => {
            visit(read);
            visit(by);
        }
        Refutation::Split { first, second, .. } => {
            visit(first);
            visit(second);
        }
        Refutation::NoSource(read) => visit(read),
        Refutation::ThinAir(_) => {}
        Refutation::Forced { sources, .. } => sources.iter_mut().for_each(|(_, source)| visit(source)),
        Refutation::Sources { cases, .. } => cases.iter_mut().for_each(|(source, _)| visit(source)),
        Refutation::Check(check) => {
            for (first, second) in &mut check.mo {
                visit(first);
                visit(second);
            }
            check.events.iter_mut().for_each(&mut *visit);
        }
    }
    each_list(refutation, &mut |edges| {
        for edge in edges {
            visit(&mut edge.from);
            visit(&mut edge.to);
            match &mut edge.because {
                Because::Sw { write, read } => {
                    visit(write);
                    visit(read);
                }
                Because::Read { read, .. } => visit(read),
                Because::Seen { observer, read, .. } => {
                    visit(observer);
                    visit(read);
                }
                _ => {}
            }
        }
    });
}

/// Every list of edges: cycles, lemmas, paths; a premise is a list of one.
fn each_list(refutation: &mut Refutation, visit: &mut dyn FnMut(&mut Vec<Edge>)) {
    match refutation {
        Refutation::Cycle(Cycle { lemmas, edges }) => {
            for list in [lemmas, edges] {
                visit(list);
                list.iter_mut().for_each(|edge| each_path(edge, visit));
            }
        }
        Refutation::SharedSource { .. } => {}
        Refutation::Overwritten { before, after, .. } => {
            visit(before);
            visit(after);
        }
        Refutation::Split { forward, backward, .. } => {
            each_list(forward, visit);
            each_list(backward, visit);
        }
        Refutation::ThinAir(_) | Refutation::NoSource(_) | Refutation::Check(_) => {}
        Refutation::Forced { then, .. } => each_list(&mut then.refutation, visit),
        Refutation::Sources { cases, .. } => {
            cases.iter_mut().for_each(|(_, case)| each_list(&mut case.refutation, visit));
        }
    }
}

fn each_path(edge: &mut Edge, visit: &mut dyn FnMut(&mut Vec<Edge>)) {
    match &mut edge.because {
        Because::Coherence { path }
        | Because::Read { path, .. }
        | Because::Seen { path, .. }
        | Because::Psc { path }
        | Because::Unless { cycle: path } => {
            visit(path);
            path.iter_mut().for_each(|edge| each_path(edge, visit));
        }
        Because::Atomic { premise } | Because::Fr { premise } => {
            let mut list = vec![(**premise).clone()];
            visit(&mut list);
            if let Some(changed) = list.pop() {
                **premise = changed;
            }
            each_path(premise, visit);
        }
        _ => {}
    }
}

fn chosen_list(violation: &mut Violation, place: &Index, change: impl Fn(&mut Vec<Edge>)) {
    let mut lists = 0;
    each_list(&mut violation.refutation, &mut |_| lists += 1);
    let (chosen, mut at) = (place.index(lists.max(1)), 0);
    each_list(&mut violation.refutation, &mut |list| {
        if at == chosen {
            change(list);
        }
        at += 1;
    });
}

fn chosen_edge(violation: &mut Violation, place: &Index, change: impl Fn(&mut Edge)) {
    let mut edges = 0;
    each_list(&mut violation.refutation, &mut |list| edges += list.len());
    let (chosen, mut at) = (place.index(edges.max(1)), 0);
    each_list(&mut violation.refutation, &mut |list| {
        for edge in list {
            if at == chosen {
                change(edge);
            }
            at += 1;
        }
    });
}

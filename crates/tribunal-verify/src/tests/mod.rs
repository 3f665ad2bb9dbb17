//! Hand-made histories: right certificates are accepted, and every way of spoiling them is refused.

mod causal_violations;
mod psc_violations;
mod sources;
mod view_violations;
mod violations;
mod witnesses;

use super::*;
use tribunal_history::memory::{LocId, Op, Order, Slot, ThreadId};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

const X: LocId = LocId(0);
const Y: LocId = LocId(1);
/// The C11 family, and those of it with mo.
const C11_MODELS: [Model; 6] = [Model::Rc20, Model::Rc11, Model::Ra, Model::Sra, Model::Relaxed, Model::Wra];
const MO_MODELS: [Model; 5] = [Model::Rc20, Model::Rc11, Model::Ra, Model::Sra, Model::Relaxed];

/// A history on x and y, both initially 0.
fn history(threads: &[&[Op]]) -> Execution {
    with_finals(threads, &[])
}

fn with_finals(threads: &[&[Op]], finals: &[(LocId, u64)]) -> Execution {
    let mut b = Execution::builder();
    assert_eq!([b.location("x"), b.location("y")], [X, Y]);
    for (i, ops) in threads.iter().enumerate() {
        let t = b.thread(&format!("T{i}"));
        for &op in *ops {
            b.push(t, op);
        }
    }
    for &(loc, value) in finals {
        b.final_value(loc, value);
    }
    b.build().expect("a well-formed history")
}

fn event(x: &Execution, thread: u32, index: u32) -> EventId {
    x.event(Slot { thread: ThreadId(thread), index })
}

const fn acq(op: Op) -> Op {
    op.order(Order::Acquire)
}

const fn rel(op: Op) -> Op {
    op.order(Order::Release)
}

/// Message passing: the flag y is seen, the data x is not.
fn message_passing() -> Execution {
    history(&[&[Op::write(X, 1), rel(Op::write(Y, 1))], &[acq(Op::read(Y, 1)), Op::read(X, 0)]])
}

fn edge(from: EventId, to: EventId, because: Because) -> Edge {
    Edge { from, to, because }
}

fn po(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Po)
}

fn rf(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Rf)
}

fn coherence(from: EventId, to: EventId, path: Vec<Edge>) -> Edge {
    edge(from, to, Because::Coherence { path })
}

fn read(from: EventId, to: EventId, read: EventId, path: Vec<Edge>) -> Edge {
    edge(from, to, Because::Read { read, path })
}

fn cycle(axiom: Axiom, edges: Vec<Edge>) -> Violation {
    Violation { axiom, refutation: Refutation::Cycle(Cycle { lemmas: Vec::new(), edges }) }
}

fn accepts(x: &Execution, model: Model, violation: &Violation) {
    if let Err(refusal) = verify_violation(x, model, violation) {
        panic!("{model}: {refusal}");
    }
}

fn refuses(x: &Execution, model: Model, violation: &Violation) -> Refusal {
    match verify_violation(x, model, violation) {
        Ok(()) => panic!("{model} accepts {violation:?}"),
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty());
            refusal
        }
    }
}

fn fault(refusal: Refusal) -> EdgeFault {
    match refusal {
        Refusal::Edge { fault, .. } => fault,
        other => panic!("{other}"),
    }
}

/// Accepts a violation by a cycle, and none with an edge less or with the ends of an edge changed.
fn stands(x: &Execution, model: Model, axiom: Axiom, edges: &[Edge]) {
    accepts(x, model, &cycle(axiom, edges.to_vec()));
    for i in 0..edges.len() {
        let mut dropped = edges.to_vec();
        dropped.remove(i);
        refuses(x, model, &cycle(axiom, dropped));
        let mut turned = edges.to_vec();
        (turned[i].from, turned[i].to) = (turned[i].to, turned[i].from);
        refuses(x, model, &cycle(axiom, turned));
    }
}

fn misplaced(x: &Execution, model: Model, axiom: Axiom, edges: &[Edge]) {
    assert_eq!(fault(refuses(x, model, &cycle(axiom, edges.to_vec()))), EdgeFault::Misplaced, "{model}");
}

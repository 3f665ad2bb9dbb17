//! Hand-made histories: right certificates are accepted, and every way of spoiling them is refused.

mod violations;
mod witnesses;

use super::*;
use crate::memory::{LocId, Op, Order, Slot, ThreadId};

const X: LocId = LocId(0);
const Y: LocId = LocId(1);
const MO_MODELS: [Model; 4] = [Model::Rc20, Model::Ra, Model::Sra, Model::Relaxed];

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

//! Small inconsistent histories whose cycle saturation does not see.

use tribunal_history::memory::{Execution, ExecutionBuilder, Op};

/// If x = 1 comes before x = 2 then both writes of y come before both reads of y, which disagree on the last; if x = 2 comes first,
/// likewise for z. So there is no sc, though no pair of writes is ordered by itself.
/// Bit i of `rmws` makes the i-th of the six reads an RMW.
pub(super) fn sequential(rmws: u32) -> Execution {
    let mut b = Execution::builder();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.location(name));
    let threads = [
        [Op::write(y, 1), Op::write(x, 1), Op::read(z, 1)],
        [Op::write(y, 2), Op::read(x, 1), Op::read(z, 2)],
        [Op::write(z, 1), Op::write(x, 2), Op::read(y, 1)],
        [Op::write(z, 2), Op::read(x, 2), Op::read(y, 2)],
    ];
    let mut reads = 0;
    for (t, ops) in threads.into_iter().enumerate() {
        let thread = b.thread(&format!("T{t}"));
        for (i, op) in ops.into_iter().enumerate() {
            let is_read = matches!((t, i), (0 | 2, 2) | (1 | 3, 1 | 2));
            let rmw = is_read && rmws >> reads & 1 == 1;
            reads += u32::from(is_read);
            b.push(thread, if rmw { Op::rmw(op.loc, op.value, 10 + u64::from(reads)) } else { op });
        }
    }
    b.build().expect("each value is written once")
}

/// The same where every model that keeps dependencies sees it: whatever came after a write of its thread now is in a thread
/// that reads this write first, and depends on that. Beside it, so many threads that each write once to one more
/// location, which nobody reads: every set of these is the beginning of an order.
pub(super) fn in_a_crowd(bystanders: u32) -> Execution {
    let mut b = Execution::builder();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.location(name));
    for (loc, name) in [(y, "y"), (z, "z")] {
        for value in [1, 2] {
            thread(&mut b, &format!("{name}={value}"), &[Op::write(loc, value)]);
        }
    }
    thread(&mut b, "x=1", &[Op::read(y, 1), Op::write(x, 1)]);
    thread(&mut b, "x=2", &[Op::read(z, 1), Op::write(x, 2)]);
    thread(&mut b, "x1;z1", &[Op::read(x, 1), Op::read(z, 1)]);
    thread(&mut b, "y2;x1;z2", &[Op::read(y, 2), Op::read(x, 1), Op::read(z, 2)]);
    thread(&mut b, "x2;y1", &[Op::read(x, 2), Op::read(y, 1)]);
    thread(&mut b, "z2;x2;y2", &[Op::read(z, 2), Op::read(x, 2), Op::read(y, 2)]);
    let crowd = b.location("crowd");
    for value in 1..=bystanders {
        thread(&mut b, &format!("b{value}"), &[Op::write(crowd, value.into())]);
    }
    b.build().expect("each value is written once")
}

/// The writes of [`in_a_crowd`] that are not bystanders'.
pub(super) const OWN_WRITES: u32 = 6;

/// A thread of which each event depends on the one before it.
fn thread(b: &mut ExecutionBuilder, name: &str, ops: &[Op]) {
    let thread = b.thread(name);
    for (at, &op) in (0u32..).zip(ops) {
        let slot = b.push(thread, op);
        if at > 0 {
            b.depends(slot, at - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MODELS;
    use super::*;
    use tribunal_engines::Engine;
    use tribunal_engines::memory::{check, judge_by};
    use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

    #[test]
    fn saturation_does_not_see_it() {
        for rmws in 0..1 << 6 {
            let x = sequential(rmws);
            assert!(check(&x, Model::Wsc).is_consistent(), "{rmws:b}");
            assert!(check(&x, Model::Sc).is_inconsistent(), "{rmws:b}");
        }
        for model in MODELS {
            let x = in_a_crowd(3);
            assert_eq!(x.features().writes as u32, OWN_WRITES + 3);
            assert!(check(&x, model).is_inconsistent(), "{model}");
            let saturated = judge_by(&x, model, Engine::Saturation, &Limits::default());
            let saturated = saturated.expect("an engine of the model").0;
            assert!(matches!(saturated, Verdict::Undecided(_)), "{model}: {}", saturated.word());
        }
    }
}

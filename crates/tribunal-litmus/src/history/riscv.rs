//! RISC-V: the tests' `lw.aq` and `sw.rl`, `amoswap`, and the fences of the same strength.

use super::columns::Registers;
use super::{Exhausted, Plan, Step, Written};
use tribunal_history::memory::{Kind, Order};

/// Registers to compute with: a dependency, and a value.
const ZERO: usize = 30;
const VALUE: usize = 31;

pub(super) fn thread(plan: &Plan, steps: &[Step]) -> Result<Written, Exhausted> {
    let mut written = Written::default();
    let mut registers = Registers::new(plan, 5, ZERO);
    // By step, the register that it reads into.
    let mut read: Vec<Option<usize>> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let mut observed = None;
        if step.kind == Kind::Fence {
            written.lines.push(fence(step.order).to_string());
        } else {
            if step.kind != Kind::Write {
                observed = Some(registers.fresh(index)?);
            }
            let (address, new) = registers.address(step, index)?;
            if new {
                written.init.push(format!("x{address}={}", plan.location(step.location)));
            }
            let depends = dependency(&mut written.lines, &read, &step.deps);
            access(&mut written.lines, step, observed.unwrap_or(VALUE), address, depends);
        }
        read.push(observed);
        written.observed.push(observed.map(|register| format!("x{register}")));
    }
    Ok(written)
}

fn fence(order: Order) -> &'static str {
    match order {
        Order::Acquire => "fence r,rw",
        Order::Release => "fence rw,w",
        Order::AcqRel => "fence.tso",
        _ => "fence rw,rw",
    }
}

/// Leaves a zero that depends on these reads; false if there are none.
fn dependency(lines: &mut Vec<String>, read: &[Option<usize>], deps: &[usize]) -> bool {
    let mut some = false;
    for register in deps.iter().filter_map(|on| read.get(*on).copied().flatten()) {
        if some {
            lines.push(format!("xor x{VALUE},x{register},x{register}"));
            lines.push(format!("or x{ZERO},x{ZERO},x{VALUE}"));
        } else {
            lines.push(format!("xor x{ZERO},x{register},x{register}"));
        }
        some = true;
    }
    some
}

fn access(lines: &mut Vec<String>, step: &Step, target: usize, address: usize, depends: bool) {
    if step.kind != Kind::Read {
        let from = if depends { ZERO } else { 0 };
        lines.push(format!("ori x{VALUE},x{from},{}", step.write));
    }
    let (acquire, release) = (step.order.is_acquire(), step.order.is_release());
    match step.kind {
        Kind::Read => {
            let mut address = address;
            if depends {
                lines.push(format!("add x{ZERO},x{ZERO},x{address}"));
                address = ZERO;
            }
            lines.push(format!("{} x{target},0(x{address})", if acquire { "lw.aq" } else { "lw" }));
        }
        Kind::Write => lines.push(format!("{} x{VALUE},0(x{address})", if release { "sw.rl" } else { "sw" })),
        Kind::Rmw | Kind::Fence => {
            let suffix = match (acquire, release) {
                (true, true) => ".aq.rl",
                (true, false) => ".aq",
                (false, true) => ".rl",
                (false, false) => "",
            };
            lines.push(format!("amoswap.w{suffix} x{target},x{VALUE},(x{address})"));
        }
    }
}

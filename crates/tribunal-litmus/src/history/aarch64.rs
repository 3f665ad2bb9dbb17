//! AArch64: `LDAR`, `STLR` and `SWP`, and the fence that keeps at least what a fence of the history does.

use super::columns::Registers;
use super::{Exhausted, Plan, Step, Written};
use tribunal_history::memory::{Kind, Order};

/// Registers to compute with: a dependency, and a value.
const ZERO: usize = 29;
const VALUE: usize = 30;

pub(super) fn thread(plan: &Plan, steps: &[Step]) -> Result<Written, Exhausted> {
    let mut written = Written::default();
    let mut registers = Registers::new(plan, 0, ZERO);
    // By step, the register that it reads into.
    let mut read: Vec<Option<usize>> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let mut observed = None;
        if step.kind == Kind::Fence {
            written.lines.push(if step.order == Order::Acquire { "DMB LD" } else { "DMB SY" }.to_string());
        } else {
            if step.kind != Kind::Write {
                observed = Some(registers.fresh(index)?);
            }
            let (address, new) = registers.address(step, index)?;
            if new {
                written.init.push(format!("X{address}={}", plan.location(step.location)));
            }
            let depends = dependency(&mut written.lines, &read, &step.deps);
            let target = observed.unwrap_or(VALUE);
            access(&mut written.lines, step, target, address, depends);
        }
        read.push(observed);
        written.observed.push(observed.map(|register| format!("X{register}")));
    }
    Ok(written)
}

/// Leaves a zero that depends on these reads; false if there are none.
fn dependency(lines: &mut Vec<String>, read: &[Option<usize>], deps: &[usize]) -> bool {
    let mut some = false;
    for register in deps.iter().filter_map(|on| read.get(*on).copied().flatten()) {
        if some {
            lines.push(format!("EOR W{VALUE},W{register},W{register}"));
            lines.push(format!("ADD W{ZERO},W{ZERO},W{VALUE}"));
        } else {
            lines.push(format!("EOR W{ZERO},W{register},W{register}"));
        }
        some = true;
    }
    some
}

fn access(lines: &mut Vec<String>, step: &Step, target: usize, address: usize, depends: bool) {
    if step.kind != Kind::Read {
        if depends {
            lines.push(format!("ADD W{VALUE},W{ZERO},#{}", step.write));
        } else {
            lines.push(format!("MOV W{VALUE},#{}", step.write));
        }
    }
    let (acquire, release) = (step.order.is_acquire(), step.order.is_release());
    match step.kind {
        Kind::Read if acquire && depends => {
            // An acquire has no index: the address is computed before.
            lines.push(format!("ADD X{ZERO},X{address},W{ZERO},SXTW"));
            lines.push(format!("LDAR W{target},[X{ZERO}]"));
        }
        Kind::Read if acquire => lines.push(format!("LDAR W{target},[X{address}]")),
        Kind::Read if depends => lines.push(format!("LDR W{target},[X{address},W{ZERO},SXTW]")),
        Kind::Read => lines.push(format!("LDR W{target},[X{address}]")),
        Kind::Write => lines.push(format!("{} W{VALUE},[X{address}]", if release { "STLR" } else { "STR" })),
        Kind::Rmw | Kind::Fence => {
            let suffix = match (acquire, release) {
                (true, true) => "AL",
                (true, false) => "A",
                (false, true) => "L",
                (false, false) => "",
            };
            lines.push(format!("SWP{suffix} W{VALUE},W{target},[X{address}]"));
        }
    }
}

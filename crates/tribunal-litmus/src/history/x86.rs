//! X86: plain accesses and `MFENCE`; every order but that of a seq_cst fence is kept anyway.

use super::columns::Registers;
use super::{Exhausted, Plan, Step, Written};
use tribunal_history::memory::{Kind, Order};

const NAMES: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

pub(super) fn thread(plan: &Plan, steps: &[Step]) -> Result<Written, Exhausted> {
    let mut written = Written::default();
    let mut registers = Registers::new(plan, 0, NAMES.len());
    for (index, step) in steps.iter().enumerate() {
        let location = plan.location(step.location);
        let mut observed = None;
        match step.kind {
            Kind::Write => written.lines.push(format!("MOV [{location}],${}", step.write)),
            Kind::Fence if step.order == Order::SeqCst => written.lines.push("MFENCE".to_string()),
            Kind::Fence => {}
            Kind::Read | Kind::Rmw => {
                let name = NAMES[registers.fresh(index)?];
                if step.kind == Kind::Rmw {
                    written.lines.push(format!("MOV {name},${}", step.write));
                    written.lines.push(format!("XCHG [{location}],{name}"));
                } else {
                    written.lines.push(format!("MOV {name},[{location}]"));
                }
                observed = Some(name.to_string());
            }
        }
        written.observed.push(observed);
    }
    Ok(written)
}

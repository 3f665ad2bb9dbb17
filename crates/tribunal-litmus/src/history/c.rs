//! C, with C11's atomics.

use super::{Plan, Step, Written};
use tribunal_history::memory::{Kind, Order};

pub(super) fn thread(plan: &Plan, steps: &[Step]) -> Written {
    let mut written = Written::default();
    for step in steps {
        let location = plan.location(step.location);
        let order = order(step.order);
        let local = format!("r{}", written.observed.iter().flatten().count());
        let line = match step.kind {
            Kind::Read if step.order == Order::NonAtomic => format!("int {local} = *{location};"),
            Kind::Read => format!("int {local} = atomic_load_explicit({location}, {order});"),
            Kind::Write if step.order == Order::NonAtomic => format!("*{location} = {};", step.write),
            Kind::Write => format!("atomic_store_explicit({location}, {}, {order});", step.write),
            Kind::Rmw => {
                format!("int {local} = atomic_exchange_explicit({location}, {}, {order});", step.write)
            }
            Kind::Fence => format!("atomic_thread_fence({order});"),
        };
        written.lines.push(line);
        written.observed.push(matches!(step.kind, Kind::Read | Kind::Rmw).then_some(local));
    }
    written
}

fn order(order: Order) -> &'static str {
    match order {
        Order::NonAtomic | Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

/// The threads as functions of the locations that they use.
pub(super) fn program(init: &str, plan: &Plan, threads: &[Written]) -> String {
    let mut text = init.to_string();
    for (thread, (written, steps)) in threads.iter().zip(&plan.threads).enumerate() {
        let mut used: Vec<usize> =
            steps.iter().filter(|step| step.kind != Kind::Fence).map(|step| step.location).collect();
        used.sort_unstable();
        used.dedup();
        let parameters: Vec<String> =
            used.iter().map(|location| format!("atomic_int* {}", plan.location(*location))).collect();
        text.push_str(&format!("\nP{thread} ({}) {{\n", parameters.join(", ")));
        for line in &written.lines {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str("}\n");
    }
    text.push('\n');
    text
}

//! Column programs, and what registers they have left.

use super::{Exhausted, Plan, Step, Written};

/// The initial state: locations that are not 0 at first, and registers.
pub(super) fn initial_state(plan: &Plan, threads: &[Written]) -> String {
    let mut lines = Vec::new();
    let set: Vec<String> = plan
        .locations()
        .filter(|(_, value)| *value != 0)
        .map(|(name, value)| format!("{name}={value};"))
        .collect();
    if !set.is_empty() {
        lines.push(set.join(" "));
    }
    for (thread, written) in threads.iter().enumerate() {
        if !written.init.is_empty() {
            lines.push(
                written.init.iter().map(|item| format!("{thread}:{item};")).collect::<Vec<_>>().join(" "),
            );
        }
    }
    if lines.is_empty() { "{ }\n".to_string() } else { format!("{{\n{}\n}}\n", lines.join("\n")) }
}

/// The program in columns of equal width.
pub(super) fn program(init: &str, threads: &[Written]) -> String {
    let heads: Vec<String> = (0..threads.len()).map(|thread| format!("P{thread}")).collect();
    let widths: Vec<usize> = threads
        .iter()
        .zip(&heads)
        .map(|(written, head)| written.lines.iter().chain([head]).map(String::len).max().unwrap_or(0))
        .collect();
    let row = |cells: Vec<&str>| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!(" {} ;\n", cells.join(" | "))
    };
    let mut text = init.to_string();
    text.push_str(&row(heads.iter().map(String::as_str).collect()));
    let height = threads.iter().map(|written| written.lines.len()).max().unwrap_or(0);
    for line in 0..height {
        text.push_str(&row(threads
            .iter()
            .map(|written| written.lines.get(line).map_or("", String::as_str))
            .collect()));
    }
    text
}

/// The registers of a thread: those that reads keep, those that hold addresses, and one or two to compute with.
pub(super) struct Registers {
    next: usize,
    end: usize,
    /// By location.
    addresses: Vec<Option<usize>>,
}

impl Registers {
    /// Registers of these numbers.
    pub(super) fn new(plan: &Plan, first: usize, end: usize) -> Self {
        Self { next: first, end, addresses: vec![None; plan.init.len()] }
    }

    /// A register of its own, for a step.
    pub(super) fn fresh(&mut self, step: usize) -> Result<usize, Exhausted> {
        if self.next == self.end {
            return Err(Exhausted(step));
        }
        self.next += 1;
        Ok(self.next - 1)
    }

    /// The register that holds the address of a step's location, and whether it is new.
    pub(super) fn address(&mut self, step: &Step, index: usize) -> Result<(usize, bool), Exhausted> {
        if let Some(Some(register)) = self.addresses.get(step.location) {
            return Ok((*register, false));
        }
        let register = self.fresh(index)?;
        if let Some(slot) = self.addresses.get_mut(step.location) {
            *slot = Some(register);
        }
        Ok((register, true))
    }
}

//! What the engines that look for an order of writes cost, as tables.
//!
//! `cargo bench -p tribunal --bench orders [-- SECTION...]`, where a section is one of buffers, scale, papers, causal, hard,
//! shrink, satisfiability. Verdicts are asserted where they are known, times are not: they are printed beside their budgets.
//! docs/performance.md explains them.

mod buffers;
mod causal;
mod cost;
mod hard;
mod memory;
mod papers;
#[path = "../c11/peak.rs"]
mod peak;
#[path = "../c11/sections.rs"]
mod sections;
mod shrink;
#[path = "../c11/table.rs"]
mod table;

use sections::Section;
use std::error::Error;

const SECTIONS: [(&str, Section); 7] = [
    ("buffers", buffers::report),
    ("scale", buffers::scale),
    ("papers", papers::report),
    ("causal", causal::report),
    ("hard", hard::report),
    ("shrink", shrink::report),
    ("satisfiability", hard::satisfiability),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, model, load] = &arguments[..]
        && first == memory::CHILD
    {
        return memory::measure(model, load);
    }
    sections::run(&arguments, &SECTIONS, papers::agreement)
}

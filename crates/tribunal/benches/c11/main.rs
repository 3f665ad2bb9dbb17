//! What the C11 engines cost, as tables: time and memory per event, and time against a cubic baseline.
//!
//! `cargo bench -p tribunal --bench c11 [-- SECTION...]`, where a section is one of scale, threads, memory, baseline,
//! cores. Verdicts are asserted, times are not: they are printed beside their budgets. docs/performance.md explains them.

mod baseline;
mod cost;
mod histories;
mod memory;
mod peak;
mod sections;
mod table;
mod writes_before;

use sections::Section;
use std::error::Error;

const SECTIONS: [(&str, Section); 5] = [
    ("scale", cost::scale),
    ("threads", cost::threads),
    ("memory", memory::report),
    ("baseline", baseline::report),
    ("cores", cost::cores),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, model] = &arguments[..]
        && first == memory::CHILD
    {
        return memory::measure(model);
    }
    sections::run(&arguments, &SECTIONS, baseline::agreement)
}

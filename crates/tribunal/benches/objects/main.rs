//! What checking objects costs, as tables.
//!
//! `cargo bench -p tribunal --bench objects [-- SECTION...]`, where a section is one of logs, explosions, collections, search,
//! weak. Verdicts are asserted, times are not: they are printed beside their budgets. docs/performance.md explains them.

mod collections;
mod cost;
mod explosions;
mod logs;
#[path = "../c11/peak.rs"]
mod peak;
mod search;
#[path = "../c11/sections.rs"]
mod sections;
#[path = "../c11/table.rs"]
mod table;
mod weak;

use sections::Section;
use std::error::Error;

const SECTIONS: [(&str, Section); 5] = [
    ("logs", logs::report),
    ("explosions", explosions::report),
    ("collections", collections::report),
    ("search", search::report),
    ("weak", || {
        weak::run();
        Ok(())
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, load] = &arguments[..]
        && first == cost::CHILD
    {
        return cost::measure(load);
    }
    sections::run(&arguments, &SECTIONS, explosions::agreement)
}

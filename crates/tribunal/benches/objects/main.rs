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
#[path = "../c11/table.rs"]
mod table;
mod weak;

use std::error::Error;

type Section = fn() -> Result<(), Box<dyn Error>>;

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
    // Cargo passes --bench when it benches, and not when it tests: then only verdicts are of interest.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return explosions::agreement();
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, section) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|&wanted| wanted == name) {
            section()?;
        }
    }
    match wanted.iter().find(|&&wanted| SECTIONS.iter().all(|(name, _)| wanted != name)) {
        Some(unknown) => Err(format!("no section `{unknown}`").into()),
        None => Ok(()),
    }
}

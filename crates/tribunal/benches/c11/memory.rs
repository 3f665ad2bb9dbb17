//! Peak memory, measured in a process of its own for each model: what is reported is the peak of the resident set, the
//! program and its stacks included.

use crate::histories::history;
use crate::peak::{peak, start_peak};
use crate::table::{Table, kept};
use std::error::Error;
use std::process::Command;
use tribunal::{Model, check};

/// The argument, before a model's name, that makes this program measure itself.
pub const CHILD: &str = "--measure-memory";

const EVENTS: u64 = 8_000_000;
const BUDGET: f64 = 160.0;

pub fn report() -> Result<(), Box<dyn Error>> {
    if peak().is_none() {
        println!("\nmemory: not measured, since there is no /proc/self/status here");
        return Ok(());
    }
    let mut table = Table::new(&["model", "history", "peak, building", "peak, checking", "<= 160"]);
    for model in [Model::Rc20, Model::Ra, Model::Wra] {
        let output = Command::new(std::env::current_exe()?).args([CHILD, model.name()]).output()?;
        if !output.status.success() {
            return Err(format!("{model}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let figures: Vec<f64> = String::from_utf8(output.stdout)?
            .split_whitespace()
            .map(|bytes| bytes.parse::<f64>().map(|bytes| bytes / EVENTS as f64))
            .collect::<Result<_, _>>()?;
        let [history, building, checking] = figures[..] else {
            return Err(format!("{model}: expected three figures, got {figures:?}").into());
        };
        let figure = |bytes: f64| format!("{bytes:.1}");
        table.row([
            model.to_string(),
            figure(history),
            figure(building),
            figure(checking),
            kept(building.max(checking) <= BUDGET),
        ]);
    }
    table.print(
        "memory: bytes an event, 8M events, 8 threads, 16 locations, all cores; peaks include the history",
    );
    Ok(())
}

/// Builds and checks a history; prints its size and the peaks of building and of checking, in bytes.
pub fn measure(model: &str) -> Result<(), Box<dyn Error>> {
    let model: Model = model.parse()?;
    let x = history(model, 8, 16, EVENTS)?;
    let building = peak().ok_or("no peak")?;
    // Where there can be no new peak, checking is charged with what building took.
    start_peak();
    assert!(check(&x, model).is_consistent(), "{model}: the view machine is consistent by construction");
    let checking = peak().ok_or("no peak")?;
    println!("{} {building} {checking}", x.bytes());
    Ok(())
}

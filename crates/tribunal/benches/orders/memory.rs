//! Peak memory, measured in a process of its own: the peak of the resident set, the program and its stacks included.

use crate::buffers::trace;
use crate::causal;
use crate::peak::{peak, start_peak};
use std::error::Error;
use std::process::Command;
use tribunal::{Model, check};
use tribunal_machines::Machine;

/// The argument, before a model's name and a load's, that makes this program measure itself.
pub const CHILD: &str = "--measure-memory";

/// Bytes an event.
pub struct Memory {
    pub history: f64,
    pub peak: f64,
}

/// What a check of a million events takes; none where the system does not say.
pub fn of(model: Model, load: &str) -> Result<Option<Memory>, Box<dyn Error>> {
    if peak().is_none() {
        return Ok(None);
    }
    let output = Command::new(std::env::current_exe()?).args([CHILD, model.name(), load]).output()?;
    if !output.status.success() {
        return Err(format!("{model}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let figures: Vec<f64> =
        String::from_utf8(output.stdout)?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    match figures[..] {
        [history, peak] => Ok(Some(Memory { history, peak })),
        _ => Err(format!("{model}: expected two figures, got {figures:?}").into()),
    }
}

/// Builds and checks a history; prints its size and the peak of checking it, in bytes an event.
pub fn measure(model: &str, load: &str) -> Result<(), Box<dyn Error>> {
    let model: Model = model.parse()?;
    let x = match load {
        "buffers" => trace(Machine::Tso, 32, 1_000_000)?,
        _ => causal::history(1_000_000)?,
    };
    // Where there can be no new peak, checking is charged with what building took.
    start_peak();
    assert!(check(&x, model).is_consistent(), "{model}: consistent by construction");
    let an_event = |bytes: u64| bytes as f64 / x.len() as f64;
    println!("{} {}", an_event(x.bytes() as u64), an_event(peak().ok_or("no peak")?));
    Ok(())
}

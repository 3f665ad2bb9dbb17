//! Peak memory, measured in a process of its own: the peak of the resident set, the program and its stacks included.

use crate::Error;
use std::fs;
use std::process::Command;
use tribunal::memory::{Execution, Order};
use tribunal::{Model, check};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

/// A consistent history to check: a load to be weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// 8 threads of the view machine on 16 locations, 35 % writes, 10 % RMWs, 2 % fences.
    View,
    /// 32 threads of the tso machine on 32 locations, half writes.
    Buffers,
    /// 8 threads of atomic memory on 16 locations, half writes.
    Atomic,
}

impl Load {
    /// All of them.
    pub const ALL: [Load; 3] = [Load::View, Load::Buffers, Load::Atomic];

    /// How it is called on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Load::View => "view",
            Load::Buffers => "buffers",
            Load::Atomic => "atomic",
        }
    }

    /// A history of so many events, consistent with the model if the machine's are.
    pub fn history(self, model: Model, events: u64) -> Result<Execution, InvalidClients> {
        let relaxed = Clients {
            events,
            writes: 0.5,
            rmws: 0.0,
            fences: 0.0,
            orders: Mix::only(Order::Relaxed),
            seed: 1,
            ..Clients::default()
        };
        match self {
            Load::View => {
                let orders = match model {
                    Model::Rc20 | Model::Relaxed => Clients::default().orders,
                    _ => Mix::only(Order::AcqRel),
                };
                let clients =
                    Clients { threads: 8, locations: 16, events, orders, seed: 1, ..Clients::default() };
                execution(Machine::View, &clients)
            }
            Load::Buffers => execution(Machine::Tso, &Clients { threads: 32, locations: 32, ..relaxed }),
            Load::Atomic => execution(Machine::Atomic, &Clients { threads: 8, locations: 16, ..relaxed }),
        }
    }
}

/// Bytes an event.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Of the history itself.
    pub history: f64,
    /// Of the process, while the history was built.
    pub building: f64,
    /// Of the process, while it was checked, the history included.
    pub checking: f64,
}

/// The argument of this program, before load, model and events, that makes it measure itself: see [`measure`].
pub const MEASURE: &str = "--measure-memory";

/// What checking a load takes, by a process of this program's own; none where the system does not say.
pub(crate) fn of(load: Load, model: Model, events: u64) -> Result<Option<Memory>, Error> {
    if peak().is_none() {
        return Ok(None);
    }
    let arguments = ["bench", MEASURE, load.name(), model.name(), &events.to_string()];
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    let figures: Vec<f64> = said.split_whitespace().map_while(|figure| figure.parse().ok()).collect();
    match figures[..] {
        [history, building, checking] => Ok(Some(Memory { history, building, checking })),
        _ => Err(Error::Memory { load: format!("{} under {model}", load.name()), said: said.trim().into() }),
    }
}

/// Builds and checks a history in this process; none where the system does not say what that took.
pub fn measure(load: Load, model: Model, events: u64) -> Result<Option<Memory>, Error> {
    let x = load.history(model, events)?;
    let Some(building) = peak() else { return Ok(None) };
    // Where there can be no new peak, checking is charged with what building took.
    start_peak();
    assert!(check(&x, model).is_consistent(), "{model}: consistent by construction");
    let an_event = |bytes: u64| bytes as f64 / x.len() as f64;
    let checking = peak().unwrap_or(building);
    Ok(Some(Memory {
        history: an_event(x.bytes() as u64),
        building: an_event(building),
        checking: an_event(checking),
    }))
}

/// The peak of the resident set, in bytes; none if the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Starts a new peak, if the system allows it.
fn start_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

//! Peak memory, measured in a process of its own: the peak of the resident set, the program and its stacks included.

use crate::bench::Error;
use crate::bench::suites::objects::explosions::Case;
use std::fs;
use std::process::Command;
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

/// A consistent history to check: a load to be weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
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
pub(crate) struct Memory {
    /// Of the history itself.
    pub history: f64,
    /// Of the process, while the history was built.
    pub building: f64,
    /// Of the process, while it was checked, the history included.
    pub checking: f64,
}

/// The argument of this program, before the words of a load, that makes it measure itself: see [`measure`].
pub const MEASURE: &str = "--measure-memory";

/// What checking a load takes, by a process of this program's own; none where the system does not say.
pub(crate) fn of(load: Load, model: Model, events: u64) -> Result<Option<Memory>, Error> {
    let figures = by_a_child(&[load.name(), model.name(), &events.to_string()])?;
    Ok(figures.map(|[history, building, checking]| Memory { history, building, checking }))
}

/// The peak of checking an object's history of that name, in bytes, by a process of this program's own; none where the
/// system does not say.
pub(crate) fn of_object(case: &str) -> Result<Option<f64>, Error> {
    Ok(by_a_child(&[case])?.map(|[peak]| peak))
}

/// The figures that a process of this program prints when told to [`measure`] a load.
fn by_a_child<const N: usize>(load: &[&str]) -> Result<Option<[f64; N]>, Error> {
    if peak().is_none() {
        return Ok(None);
    }
    let output = Command::new(std::env::current_exe()?).arg("bench").arg(MEASURE).args(load).output()?;
    let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
    let figures: Vec<f64> = said.split_whitespace().map_while(|figure| figure.parse().ok()).collect();
    match figures.try_into() {
        Ok(figures) => Ok(Some(figures)),
        Err(_) => Err(Error::Memory { load: load.join(" "), said: said.trim().into() }),
    }
}

/// Builds and checks a history in this process and says what that took.
///
/// A load is `view`, `buffers` or `atomic`, a model and a number of events: then there are three figures, in bytes per event, of the
/// history, of the process while it was built, and of the process while it was checked. Or a load is the name of an
/// object's history: then there is one figure, the peak in bytes.
pub fn measure(load: &[String]) -> Result<String, Error> {
    let unknown = || Error::Load(load.join(" "));
    match load {
        [load, model, events] => {
            let load = Load::ALL.into_iter().find(|each| each.name() == load).ok_or_else(unknown)?;
            let model = model.parse().map_err(|_| unknown())?;
            let events = events.parse().map_err(|_| unknown())?;
            let Memory { history, building, checking } = weigh(load, model, events)?;
            Ok(format!("{history} {building} {checking}"))
        }
        [case] => {
            let case = Case::named(case).ok_or_else(unknown)?;
            start_peak();
            case.check();
            Ok(peak().ok_or(Error::Unmeasurable)?.to_string())
        }
        _ => Err(unknown()),
    }
}

fn weigh(load: Load, model: Model, events: u64) -> Result<Memory, Error> {
    let x = load.history(model, events)?;
    let building = peak().ok_or(Error::Unmeasurable)?;
    // Where there can be no new peak, checking is charged with what building took.
    start_peak();
    assert!(check(&x, model).is_consistent(), "{model}: consistent by construction");
    let an_event = |bytes: u64| bytes as f64 / x.len() as f64;
    let checking = peak().unwrap_or(building);
    Ok(Memory {
        history: an_event(x.bytes() as u64),
        building: an_event(building),
        checking: an_event(checking),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(load: &[&str]) -> Result<Vec<f64>, Error> {
        let load: Vec<String> = load.iter().map(|word| word.to_string()).collect();
        Ok(measure(&load)?.split(' ').map(|figure| figure.parse().expect("a figure")).collect())
    }

    #[test]
    fn what_cannot_be_weighed_is_named() {
        for load in [&["view", "ra"][..], &["view", "c11", "100"], &["view", "ra", "many"], &["a stone"]] {
            let error = measured(load).expect_err("no load");
            assert_eq!(error.to_string(), format!("unknown load `{}`", load.join(" ")));
        }
    }

    #[test]
    fn a_process_weighs_what_it_checks() {
        if peak().is_some() {
            let figures = measured(&["view", "ra", "20000"]).expect("a load");
            assert!(figures.len() == 3 && figures.iter().all(|&figure| figure > 0.0), "{figures:?}");
            let figures = measured(&["64 pushes, 64 pops"]).expect("a load");
            assert!(figures.len() == 1 && figures[0] > 0.0, "{figures:?}");
        }
    }
}

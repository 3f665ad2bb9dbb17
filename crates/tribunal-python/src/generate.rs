//! Histories that are made: by simulated memories and objects, sound or with bugs.

use crate::error::error;
use crate::history::History;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use tribunal_formats::{Notes, Object, Subject};
use tribunal_machines::objects::{self, Implementation, Simulation, Values};
use tribunal_machines::{Bug, Clients, Machine, execution};

/// Histories of a simulated memory with random clients, one for each seed from `seed` on.
///
/// `machine` is one of atomic, tso, pso, rmo and view, or one with caches, as mesi, which may have a `bug`. Shares are from 0 to 1.
/// The same arguments give the same histories.
///
/// >>> import tribunal
/// >>> [history] = tribunal.generate("tso", events=100, seed=7)
/// >>> bool(history.check("tso"))
/// True
#[pyfunction]
#[pyo3(signature = (machine="atomic", *, histories=1, seed=0, bug=None, threads=None, events=None, locations=None, writes=None,
    rmws=None, fences=0.0, deps=0.0, locality=None, orders=None))]
#[allow(clippy::too_many_arguments)]
pub fn generate(
    machine: &str,
    histories: u64,
    seed: u64,
    bug: Option<&str>,
    threads: Option<u32>,
    events: Option<u64>,
    locations: Option<u32>,
    writes: Option<f64>,
    rmws: Option<f64>,
    fences: f64,
    deps: f64,
    locality: Option<f64>,
    orders: Option<&str>,
) -> PyResult<Generated> {
    let machine: Machine = machine.parse().map_err(error)?;
    let machine = match bug {
        None => machine,
        Some(bug) => {
            let bugs = Bug::ALL.map(Bug::name).join(", ");
            let bug: Bug = bug.parse().map_err(|unknown| error(format!("{unknown}; there are {bugs}")))?;
            machine
                .with(bug)
                .ok_or_else(|| error(format!("the {machine} machine cannot have the bug {bug}")))?
        }
    };
    let usual = Clients::default();
    let clients = Clients {
        threads: threads.unwrap_or(usual.threads),
        events: events.unwrap_or(usual.events),
        locations: locations.unwrap_or(usual.locations),
        writes: writes.unwrap_or(usual.writes),
        rmws: rmws.unwrap_or(usual.rmws),
        fences,
        deps,
        locality: locality.unwrap_or(usual.locality),
        orders: orders.map(str::parse).transpose().map_err(error)?.unwrap_or(usual.orders),
        seed,
    };
    let make = move |number| {
        let clients = Clients { seed: seed.wrapping_add(number), ..clients.clone() };
        execution(machine, &clients).map(|x| Subject::Memory(x.into())).map_err(|error| error.to_string())
    };
    Ok(Generated { make: Box::new(make), numbers: Mutex::new(0..histories) })
}

/// Histories of a simulated object with random clients, one for each seed from `seed` on.
///
/// `spec` is what the object should do, as queue or cas-register(0). `implementation` is atomic, delayed (replicas that see operations late)
/// or, with a `bug`, buggy.
///
/// >>> import tribunal
/// >>> [history] = tribunal.generate_object("queue", operations=20, bug="reordered-removal", seed=1)
/// >>> history.spec
/// 'queue'
#[pyfunction]
#[pyo3(signature = (spec="register", *, histories=1, seed=0, implementation=None, bug=None, delay=10, processes=None,
    operations=None, values=None, keys=8, overlap=None, crashes=None))]
#[allow(clippy::too_many_arguments)]
pub fn generate_object(
    spec: &str,
    histories: u64,
    seed: u64,
    implementation: Option<&str>,
    bug: Option<&str>,
    delay: u32,
    processes: Option<u32>,
    operations: Option<u32>,
    values: Option<u32>,
    keys: u32,
    overlap: Option<u32>,
    crashes: Option<f64>,
) -> PyResult<Generated> {
    let bugs = || {
        let bugs = objects::Bug::ALL.into_iter().filter(|bug| bug.is_of(spec));
        let bugs: Vec<_> = bugs.map(|bug| bug.name()).collect();
        format!("an object `{spec}` can have {}", bugs.join(", "))
    };
    let implementation = match (implementation, bug) {
        (None | Some("buggy"), Some(bug)) => {
            Implementation::Buggy(bug.parse().map_err(|unknown| error(format!("{unknown}; {}", bugs())))?)
        }
        (None | Some("atomic"), None) => Implementation::Atomic,
        (Some("delayed"), None) => Implementation::Delayed(delay),
        (Some("buggy"), None) => return Err(error(format!("bug: which one? {}", bugs()))),
        (Some(other), None) => {
            return Err(error(format!("unknown implementation `{other}`: atomic, delayed or buggy")));
        }
        (Some(other), Some(_)) => return Err(error(format!("a bug is of `buggy`, not of `{other}`"))),
    };
    let (spec, usual) = (spec.to_string(), objects::Clients::default());
    let clients = objects::Clients {
        processes: processes.unwrap_or(usual.processes),
        operations: operations.unwrap_or(usual.operations),
        values: values.map_or(Values::Distinct, Values::Upto),
        concurrency: overlap.unwrap_or(usual.concurrency),
        pending: crashes.unwrap_or(usual.pending),
        lies: 0.0,
        seed,
    };
    let make = move |number| {
        let clients = objects::Clients { seed: seed.wrapping_add(number), ..clients.clone() };
        let simulation = Simulation { spec: spec.clone(), implementation, keys, clients };
        let history = simulation.history().map_err(|error| error.to_string())?;
        let lines = vec![1; history.len()];
        Ok(Subject::Object(Object {
            history: history.into(),
            spec: spec.clone(),
            lines,
            notes: Notes::default(),
        }))
    };
    Ok(Generated { make: Box::new(make), numbers: Mutex::new(0..histories) })
}

/// Histories that are made as they are asked for.
#[pyclass(module = "tribunal", frozen)]
pub struct Generated {
    make: Box<dyn Fn(u64) -> Result<Subject, String> + Send + Sync>,
    /// Those that are still to be made.
    numbers: Mutex<Range<u64>>,
}

#[pymethods]
impl Generated {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<History>> {
        let next = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(number) = next else { return Ok(None) };
        let subject = py.detach(|| (self.make)(number)).map_err(error)?;
        Ok(Some(History::made("generated", subject)))
    }
}

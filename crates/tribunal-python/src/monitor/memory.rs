//! Watching a memory.

use super::{Violation, required};
use crate::error::error;
use crate::limits::{Budget, interruptible};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use tribunal_engines::memory::monitor::{Monitor, Unsettled};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::memory::{LocId, Op, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_report::memory::monitored;

/// How often memory is looked at, in events.
const CHECK: u64 = 1 << 12;

/// A memory that is watched, whose threads and locations have names.
pub struct Memory {
    monitor: Monitor,
    model: Model,
    budget: Budget,
    threads: HashMap<String, ThreadId>,
    locations: HashMap<String, LocId>,
}

impl Memory {
    pub fn new(model: Model, window: u64, budget: Budget) -> Result<Self, NoSession> {
        let monitor = Monitor::new(model, window)?;
        let (threads, locations) = Default::default();
        Ok(Memory { monitor, model, budget: budget.of_all(), threads, locations })
    }

    pub fn events(&self) -> u64 {
        self.monitor.events()
    }

    pub fn init(&mut self, location: &str, value: u64) -> Result<(), String> {
        if self.locations.contains_key(location) {
            return Err(format!("location `{location}` has its initial value already"));
        }
        self.locations.insert(location.into(), self.monitor.location(location, value));
        Ok(())
    }

    pub fn write(
        &mut self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        value: u64,
        order: &str,
    ) -> PyResult<Option<Violation>> {
        let op = Op::write(self.location(location), value).order(of_name(order)?);
        self.event(py, thread, op)
    }

    pub fn read(
        &mut self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        value: u64,
        order: &str,
    ) -> PyResult<Option<Violation>> {
        let op = Op::read(self.location(location), value).order(of_name(order)?);
        self.event(py, thread, op)
    }

    pub fn rmw(
        &mut self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        (read, value): (u64, u64),
        order: &str,
    ) -> PyResult<Option<Violation>> {
        let op = Op::rmw(self.location(location), read, value).order(of_name(order)?);
        self.event(py, thread, op)
    }

    pub fn fence(&mut self, py: Python<'_>, thread: &str, order: &str) -> PyResult<Option<Violation>> {
        let op = Op::fence(of_name(order)?);
        self.event(py, thread, op)
    }

    pub fn push(&mut self, py: Python<'_>, event: &Bound<'_, PyDict>) -> PyResult<Option<Violation>> {
        let text = |key: &str| required(event, key)?.str()?.extract::<String>();
        let number = |key: &str| required(event, key)?.extract::<u64>();
        let (thread, op) = (text("thread")?, text("op")?);
        let usual = if op == "fence" { "seq_cst" } else { "relaxed" };
        let order = match event.get_item("order")? {
            Some(order) => order.extract::<String>()?,
            None => usual.into(),
        };
        match &op[..] {
            "write" => self.write(py, &thread, &text("loc")?, number("value")?, &order),
            "read" => self.read(py, &thread, &text("loc")?, number("value")?, &order),
            "rmw" => self.rmw(py, &thread, &text("loc")?, (number("read")?, number("value")?), &order),
            "fence" => self.fence(py, &thread, &order),
            other => Err(error(format!("op `{other}`: expected write, read, rmw or fence"))),
        }
    }

    pub fn finish(&mut self, py: Python<'_>) -> PyResult<Option<Violation>> {
        let Memory { monitor, budget, .. } = self;
        interruptible(py, |stop| monitor.finish(&budget.limits(&stop)))?;
        if let Some(violation) = self.found(py)? {
            return Ok(Some(violation));
        }
        let unsettled = self.monitor.unsettled();
        if unsettled.is_empty() {
            return Ok(None);
        }
        let Unsettled { ambiguous, late, events, limit, .. } = unsettled;
        let mut why = Vec::new();
        if *ambiguous > 0 {
            why.push(format!("{ambiguous} reads of values that several writes wrote were passed over"));
        }
        if *late > 0 {
            why.push(format!("{late} reads of threads that came late were passed over"));
        }
        match limit {
            Some(limit) => why.push(format!("not settled: {limit}")),
            None if *events > 0 => why.push(format!("the first {events} events are not settled")),
            None => {}
        }
        Err(error(format!("undecided: {}", why.join("; "))))
    }

    fn location(&mut self, name: &str) -> LocId {
        match self.locations.get(name) {
            Some(location) => *location,
            None => *self.locations.entry(name.into()).or_insert(self.monitor.location(name, 0)),
        }
    }

    fn event(&mut self, py: Python<'_>, thread: &str, op: Op) -> PyResult<Option<Violation>> {
        let id = match self.threads.get(thread) {
            Some(id) => *id,
            None => *self.threads.entry(thread.into()).or_insert(self.monitor.thread(thread)),
        };
        self.monitor.event(id, op);
        if self.monitor.events().is_multiple_of(CHECK) {
            py.check_signals()?;
            if let Some(most) = self.budget.max_memory.filter(|&most| self.monitor.bytes() > most) {
                return Err(error(format!("undecided: the monitor takes more than {most} bytes")));
            }
        }
        if self.monitor.is_due(false) {
            let Memory { monitor, budget, .. } = self;
            interruptible(py, |stop| monitor.settle(&budget.limits(&stop)))?;
        }
        self.found(py)
    }

    /// The next violation; the monitor goes on without the event.
    fn found(&mut self, py: Python<'_>) -> PyResult<Option<Violation>> {
        let Some(found) = self.monitor.found() else { return Ok(None) };
        let Memory { monitor, model, budget, .. } = &*self;
        let (found, (reason, explanation)) = interruptible(py, |stop| {
            let limits = budget.limits(&stop);
            let found = monitor.first(found, &limits);
            let told = monitored(monitor, *model, &found, &limits);
            (found, told)
        })?;
        self.monitor.resume(&found);
        Ok(Some(Violation { event: found.event, reason, explanation }))
    }
}

fn of_name(name: &str) -> PyResult<Order> {
    let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    orders.into_iter().find(|order| order.name() == name).ok_or_else(|| {
        let names: Vec<_> = orders.iter().map(|order| order.name()).collect();
        error(format!("unknown order `{name}`: {}", names.join(", ")))
    })
}

//! Monitoring a memory: events as they happen, and a callback at violations.

use crate::event::{Event, LocationNumber, Place, ThreadNumber};
use crate::limits::{Budget, Limits};
use crate::status::{
    Failure, Handle, Status, answered, c_string, freed, invalid, made, note, null, put, with,
};
use crate::text::Text;
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use tribunal_engines::memory::monitor::{self, Why as Reason};
use tribunal_engines::memory::session::Because;
use tribunal_history::model::Model;
use tribunal_history::verdict::Limit;
use tribunal_report::memory::monitored;

/// Monitors a memory.
pub struct Monitor {
    monitor: monitor::Monitor,
    model: Model,
    budget: Budget,
    callback: OnViolation,
    context: *mut c_void,
    threads: FxHashMap<String, ThreadNumber>,
    locations: FxHashMap<String, (LocationNumber, u64)>,
    /// The latest violation, until the next event, and its text once somebody asked for it.
    told: Option<monitor::Violation>,
    text: Option<CString>,
    violations: u64,
    /// Whether the callback is under way.
    in_callback: bool,
    broken: bool,
}

/// Called at an event that makes the execution inconsistent, with the `context` given to `tribunal_monitor_new`.
///
/// It may ask the monitor for an explanation and for counts; calls that would change the monitor return INVALID. It must
/// return normally: neither `longjmp` nor an exception may leave it.
pub type OnViolation =
    Option<extern "C" fn(context: *mut c_void, monitor: *mut Monitor, violation: *const Violation)>;

/// An event that makes the execution inconsistent with the model. The monitor continues without it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of events before it.
    pub event: u64,
    /// Where it stands.
    pub place: Place,
    /// The reason.
    pub why: Why,
}

/// Why an event makes the execution inconsistent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// What it reads is overwritten in its past.
    Overwritten = 1,
    /// Another RMW reads from the same write.
    Shared = 2,
    /// Every order of the writes has a cycle with it.
    Cyclic = 3,
    /// No write of the value it reads can still be read, and none arrived in time.
    Unwritten = 4,
    /// po ∪ rf has a cycle with it.
    OutOfThinAir = 5,
    /// The engines for whole executions found that no order of the writes explains it.
    Settled = 6,
}

/// What a monitor could not decide; all zeros if it decided everything.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// Reads that were skipped because several writes of their value could be read.
    pub ambiguous: u64,
    /// Reads that were skipped because their thread came late and their source may have been retired.
    pub late: u64,
    /// The number of events at the beginning that were not settled beyond saturation.
    pub events: u64,
    /// Whether a limit was reached while settling.
    pub limited: bool,
}

impl Handle for Monitor {
    const NAME: &'static str = "the monitor";

    fn is_broken(&mut self) -> &mut bool {
        &mut self.broken
    }
}

/// What is to be told, and to whom.
type Callback = (OnViolation, *mut c_void, Violation);

impl Monitor {
    /// Makes sure that the callback is not under way.
    #[inline]
    fn idle(&self) -> Result<(), Failure> {
        if self.in_callback { Err(invalid("the monitor is in its callback")) } else { Ok(()) }
    }

    /// Takes an event.
    #[inline]
    fn push(&mut self, event: Event) -> Result<(), Failure> {
        /// How often memory is looked at, in events.
        const CHECK: u64 = 1 << 12;
        let (thread, op) = event.op(self.threads.len() as u32, self.locations.len() as u32)?;
        if self.monitor.events().is_multiple_of(CHECK) && self.monitor.bytes() > self.budget.max_memory() {
            let limit = Limit::Memory { bytes: self.budget.max_memory(), states: 0 };
            return Err(Failure::Told(Status::Limit, limit.to_string()));
        }
        self.resume();
        self.monitor.event(thread, op);
        if self.monitor.is_due(false) {
            self.monitor.settle(&self.budget.limits());
        }
        Ok(())
    }

    /// Goes on after the latest violation.
    #[inline]
    fn resume(&mut self) {
        if let Some(told) = self.told.take() {
            self.monitor.resume(&told);
            self.text = None;
        }
    }

    /// The next violation.
    #[inline]
    fn find(&mut self) -> Option<Callback> {
        self.in_callback = false;
        let found = self.monitor.found()?;
        let found = self.monitor.first(found, &self.budget.limits());
        self.resume();
        let violation = Violation { event: found.event, place: found.slot.into(), why: why(&found.why) };
        self.told = Some(found);
        self.violations += 1;
        self.in_callback = self.callback.is_some();
        Some((self.callback, self.context, violation))
    }
}

fn why(reason: &Reason) -> Why {
    match reason {
        Reason::Refused(Because::Overwritten { .. } | Because::Gone) => Why::Overwritten,
        Reason::Refused(Because::Shared { .. }) => Why::Shared,
        Reason::Refused(Because::Cyclic) => Why::Cyclic,
        Reason::Unwritten => Why::Unwritten,
        Reason::Cyclic => Why::OutOfThinAir,
        Reason::Settled => Why::Settled,
    }
}

/// Acts on a monitor that is idle, until there is nothing more to tell. The monitor is not borrowed while the callback runs, which may ask it.
#[inline]
fn report_each(
    monitor: *mut Monitor,
    mut act: impl FnMut(&mut Monitor, bool) -> Result<(), Failure>,
) -> Status {
    let (mut any, mut again) = (false, false);
    loop {
        let mut found = None;
        // SAFETY: it is NULL, or a monitor that nobody else uses meanwhile, as the header asks; the borrow ends here.
        let status = with(unsafe { monitor.as_mut() }, |m| {
            if !again {
                m.idle()?;
            }
            act(m, again)?;
            found = m.find();
            Ok(())
        });
        match (status, found) {
            (Status::Ok, Some((callback, context, violation))) => {
                (any, again) = (true, true);
                if let Some(callback) = callback {
                    callback(context, monitor, &violation);
                }
            }
            (Status::Ok, None) if any => return Status::Inconsistent,
            (status, _) => return status,
        }
    }
}

/// Creates a monitor for rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
///
/// A read may come up to `window` events before the write it reads from. `limits` apply to each settling and each explanation, and to
/// the memory of the monitor; NULL: the defaults. `callback` is called with `context` at every violation; it may be
/// NULL, since a call that finds a violation also returns `TRIBUNAL_STATUS_INCONSISTENT`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_new(
    model: Text<'_>,
    window: u64,
    limits: Option<&Limits<'_>>,
    callback: OnViolation,
    context: *mut c_void,
    monitor: Option<&mut MaybeUninit<Option<Box<Monitor>>>>,
) -> Status {
    made(monitor, || {
        let model = tribunal_host::named(model.required("the model")?).map_err(invalid)?;
        Ok(Monitor {
            monitor: monitor::Monitor::new(model, window).map_err(|error| invalid(error.to_string()))?,
            model,
            budget: Budget::new(limits),
            callback,
            context,
            threads: FxHashMap::default(),
            locations: FxHashMap::default(),
            told: None,
            text: None,
            violations: 0,
            in_callback: false,
            broken: false,
        })
    })
}

/// The thread with this name, new or not. Create threads before events come: what a late thread reads may be gone.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_thread(
    monitor: Option<&mut Monitor>,
    name: Text<'_>,
    thread: Option<&mut MaybeUninit<ThreadNumber>>,
) -> Status {
    with(monitor, |m| {
        m.idle()?;
        let name = name.required("the thread's name")?;
        let id = match m.threads.get(name) {
            Some(&id) => id,
            None => {
                let id = m.monitor.thread(name).0;
                m.threads.insert(name.into(), id);
                id
            }
        };
        put(thread, id);
        Ok(())
    })
}

/// The location of this name, new or not, with its initial value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_location(
    monitor: Option<&mut Monitor>,
    name: Text<'_>,
    initial: u64,
    location: Option<&mut MaybeUninit<LocationNumber>>,
) -> Status {
    with(monitor, |m| {
        m.idle()?;
        let name = name.required("the location's name")?;
        let id = match m.locations.get(name) {
            Some(&(id, before)) if before == initial => id,
            Some((_, before)) => {
                return Err(invalid(format!("the initial value of {name} is {before} already")));
            }
            None => {
                let id = m.monitor.location(name, initial).0;
                m.locations.insert(name.into(), (id, initial));
                id
            }
        };
        put(location, id);
        Ok(())
    })
}

/// Adds the next event of a thread.
///
/// `TRIBUNAL_STATUS_INCONSISTENT` if it, or an event that waited for it, makes the execution inconsistent; the callback has then
/// been called, and the monitor continues without that event. `TRIBUNAL_STATUS_LIMIT` if the monitor would exceed its memory limit: the event
/// was not added.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_push(monitor: *mut Monitor, event: Event) -> Status {
    report_each(monitor, |m, again| if again { Ok(()) } else { m.push(event) })
}

/// Decides the latest events now with the engines for whole executions, if the monitor is not exact: under sc, tso and pso,
/// sra with RMWs, rc20 and rc11 with seq_cst. The monitor also does so from time to time, and when it is finished.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_settle(monitor: *mut Monitor) -> Status {
    report_each(monitor, |m, again| {
        if !again && m.monitor.is_due(true) {
            m.resume();
            m.monitor.settle(&m.budget.limits());
        }
        Ok(())
    })
}

/// There are no more events: reads whose writes have not come are violations, and the rest is settled.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_finish(monitor: *mut Monitor) -> Status {
    report_each(monitor, |m, again| {
        if !again {
            m.resume();
        }
        m.monitor.finish(&m.budget.limits());
        Ok(())
    })
}

/// The latest violation as text: the event, the reason, and a minimal part of the execution that shows it. NULL if
/// the last event was not a violation. Valid until the next event.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_explain(monitor: Option<&mut Monitor>) -> *const c_char {
    let mut text = ptr::null();
    with(monitor, |m| {
        let Monitor { monitor, model, budget, told, text: kept, .. } = m;
        let Some(told) = told else { return Ok(()) };
        let words = kept.get_or_insert_with(|| {
            let (line, below) = monitored(monitor, *model, told, &budget.limits());
            let below: String = below.iter().map(|line| format!("{line}\n")).collect();
            c_string(format!("{line}\n{below}"))
        });
        text = words.as_ptr();
        Ok(())
    });
    text
}

/// The number of violations found.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_violations(monitor: Option<&Monitor>) -> u64 {
    answered(0, || Ok(monitor.ok_or_else(|| null(Monitor::NAME))?.violations))
}

/// The number of events so far.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_events(monitor: Option<&Monitor>) -> u64 {
    answered(0, || Ok(monitor.ok_or_else(|| null(Monitor::NAME))?.monitor.events()))
}

/// The approximate memory use in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_bytes(monitor: Option<&Monitor>) -> usize {
    answered(0, || Ok(monitor.ok_or_else(|| null(Monitor::NAME))?.monitor.bytes()))
}

/// What could not be decided so far. If the monitor is finished, has found no violation and all of this is zero, the execution is consistent.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_unsettled(monitor: Option<&Monitor>) -> Unsettled {
    answered(Unsettled::default(), || {
        let unsettled = monitor.ok_or_else(|| null(Monitor::NAME))?.monitor.unsettled();
        let monitor::Unsettled { ambiguous, late, events, ref limit, .. } = *unsettled;
        Ok(Unsettled { ambiguous, late, events, limited: limit.is_some() })
    })
}

/// Frees a monitor. NULL is ignored. Must not be called from its callback.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_monitor_free(monitor: Option<Box<Monitor>>) {
    match monitor {
        Some(monitor) if monitor.in_callback => {
            note("the monitor is in its callback");
            // It is still in use: rather lost than freed.
            Box::leak(monitor);
        }
        monitor => freed(monitor),
    }
}

//! Building memory histories event by event.

use crate::event::{Event, LocationNumber, Place, ThreadNumber, in_range};
use crate::history::History;
use crate::status::{Failure, Handle, Status, freed, invalid, made, made_by, malformed, put, with};
use crate::text::Text;
use std::mem::MaybeUninit;
use tribunal_history::memory::{Execution, ExecutionBuilder, Interval, LocId, Slot, ThreadId};

/// Builds memory histories.
pub struct Builder {
    builder: ExecutionBuilder,
    threads: u32,
    locations: u32,
    broken: bool,
}

impl Handle for Builder {
    const NAME: &'static str = "the builder";

    fn is_broken(&mut self) -> &mut bool {
        &mut self.broken
    }
}

impl Builder {
    /// The place of an event that is there.
    fn slot(&self, place: Place) -> Result<Slot, Failure> {
        in_range("thread", place.thread, self.threads)?;
        let length = self.builder.thread_len(ThreadId(place.thread));
        if (place.index as usize) < length {
            return Ok(place.into());
        }
        Err(invalid(format!("thread {} has no event {}: it has {length}", place.thread, place.index)))
    }
}

/// Creates a builder of memory histories.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_new(builder: Option<&mut MaybeUninit<Option<Box<Builder>>>>) -> Status {
    made(builder, || Ok(Builder { builder: Execution::builder(), threads: 0, locations: 0, broken: false }))
}

/// Names the history.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_name(builder: Option<&mut Builder>, name: Text<'_>) -> Status {
    with(builder, |b| {
        b.builder.name(name.required("the name")?);
        Ok(())
    })
}

/// The thread of this name, new or not.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_thread(
    builder: Option<&mut Builder>,
    name: Text<'_>,
    thread: Option<&mut MaybeUninit<ThreadNumber>>,
) -> Status {
    with(builder, |b| {
        let id = b.builder.thread(name.required("the thread's name")?).0;
        b.threads = b.threads.max(id + 1);
        put(thread, id);
        Ok(())
    })
}

/// The location of this name, new or not, with this initial value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_location(
    builder: Option<&mut Builder>,
    name: Text<'_>,
    initial: u64,
    location: Option<&mut MaybeUninit<LocationNumber>>,
) -> Status {
    with(builder, |b| {
        let loc = b.builder.location(name.required("the location's name")?);
        b.builder.init(loc, initial);
        b.locations = b.locations.max(loc.0 + 1);
        put(location, loc.0);
        Ok(())
    })
}

/// Adds the next event of its thread. `index` receives its position in the thread; it may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_push(
    builder: Option<&mut Builder>,
    event: Event,
    index: Option<&mut MaybeUninit<u32>>,
) -> Status {
    with(builder, |b| {
        let (thread, op) = event.op(b.threads, b.locations)?;
        put(index, b.builder.push(thread, op).index);
        Ok(())
    })
}

/// An event depends on an earlier read of its thread, given by its position.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_depends(builder: Option<&mut Builder>, event: Place, on: u32) -> Status {
    with(builder, |b| {
        let slot = b.slot(event)?;
        b.builder.depends(slot, on);
        Ok(())
    })
}

/// When an event began and ended; NULL if unknown.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_interval(
    builder: Option<&mut Builder>,
    event: Place,
    begin: Option<&u64>,
    end: Option<&u64>,
) -> Status {
    with(builder, |b| {
        let slot = b.slot(event)?;
        b.builder.interval(slot, Interval { begin: begin.copied(), end: end.copied() });
        Ok(())
    })
}

/// The final value of a location.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_final(
    builder: Option<&mut Builder>,
    location: LocationNumber,
    value: u64,
) -> Status {
    with(builder, |b| {
        let loc = LocId(in_range("location", location, b.locations)?);
        b.builder.final_value(loc, value);
        Ok(())
    })
}

/// Builds the history. The builder is then empty, even if the history is malformed, and can be used again.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_build(
    builder: Option<&mut Builder>,
    history: Option<&mut MaybeUninit<Option<Box<History>>>>,
) -> Status {
    made_by(builder, history, |b| {
        (b.threads, b.locations) = (0, 0);
        b.builder.build_next().map(History::of_memory).map_err(malformed)
    })
}

/// Frees a builder. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_builder_free(builder: Option<Box<Builder>>) {
    freed(builder);
}

//! The events of a memory one by one: any bytes, in every format that has them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use tribunal_history::limits::Limits;
use tribunal_history::model::Model;
use tribunal_engines::memory::monitor::Monitor;
use tribunal_formats::{Format, Observed, observations};

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Text, Format::Axe, Format::Json] {
        let Ok(observed) = observations(Cursor::new(bytes.to_vec()), "fuzz", Some(format)) else { continue };
        let mut monitor = Monitor::new(Model::Rc20, 4).expect("rc20 has sessions");
        for observed in observed {
            match observed {
                Ok(Observed::Thread(name)) => _ = monitor.thread(&name),
                Ok(Observed::Location(name, init)) => _ = monitor.location(&name, init),
                Ok(Observed::Event { thread, op, .. }) => {
                    monitor.event(thread, op);
                    while let Some(violation) = monitor.found() {
                        let _ = monitor.part(&violation, &Limits::default());
                    }
                }
                Ok(Observed::End) | Err(_) => break,
            }
        }
        monitor.finish(&Limits::default());
    }
});

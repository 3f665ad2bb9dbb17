#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::Duration;
use tribunal::Model;
use tribunal_explore::Options;
use tribunal_explore::text::{Source, explore};

// A program that is read can be explored, as far as it goes; what is wrong with one has its place.
fuzz_target!(|text: &str| {
    let source = match Source::parse(text) {
        Ok(source) => source,
        Err(error) => return assert!(error.at.line > 0),
    };
    let _ = source.cases();
    let Ok(code) = source.compile(&[]) else { return };
    // Large ones are slow, and do nothing that small ones do not.
    if code.threads() > 8 || code.locations() > 64 {
        return;
    }
    let options = Options {
        model: Model::Rc20,
        max_executions: Some(50),
        max_duration: Some(Duration::from_millis(200)),
        max_events: 200,
        ..Options::default()
    };
    explore(code, &options).expect("a model with final values");
});

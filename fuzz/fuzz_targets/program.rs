#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};
use tribunal_history::model::Model;
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
    let options = Options {
        model: Model::Rc20,
        max_executions: Some(50),
        max_duration: Some(Duration::from_millis(200)),
        max_events: 200,
        ..Options::default()
    };
    let begin = Instant::now();
    explore(code, &options).expect("a model with final values");
    assert!(begin.elapsed() < Duration::from_secs(3), "it took {:?}", begin.elapsed());
});

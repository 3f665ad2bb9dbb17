#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_cat::limits::Stopped;
use tribunal_cat::{Environment, Model, NoFiles};
use tribunal_litmus::{Options, Runner, Test, herd};

// Any bytes are a test or an error, and a test is run to an answer or to its limit.
fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(test) = Test::parse("fuzzed.litmus", &text) else { return };
    let model = Model::parse("acyclic po | rf | co | fr", "sc.cat", &mut NoFiles).expect("a model");
    let plan = model.plan(&Environment::history()).expect("a plan");
    let mut runner = Runner::new(&plan, Options { history: true, ..Options::default() });
    let mut steps = 0;
    let mut limits = |_: usize, _: u64| {
        steps += 1;
        if steps > 2_000 { Err(Stopped) } else { Ok(()) }
    };
    if let Ok(outcome) = runner.run(&test, &mut limits) {
        herd(&test, &outcome, 0.0);
    }
});

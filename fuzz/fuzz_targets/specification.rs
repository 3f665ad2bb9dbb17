#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, History, Kind, Spec, Value};
use tribunal_engines::object::{Monitor, judge};
use tribunal_spec::Declared;

// A specification that is read judges every history within its limits.
fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let Ok(spec) = Declared::parse(source, "-") else { return };
    let limits = Limits { max_states: 200, max_memory: 1 << 24, ..Limits::default() };
    let list = Value::list([Value::from(1), Value::list([])]);
    let values = [Value::from(1), Value::from("a"), list, Value::Null, Value::Bool(true)];
    let mut builder = History::builder();
    let mut monitor = Monitor::new(&spec, Criterion::Linearizable, limits);
    // The methods one after the other, again and again, two calls at a time.
    let methods = Spec::signatures(&spec).iter().cycle().take(24);
    for (signature, time) in methods.zip(0..) {
        let fits = |(at, kind): (usize, &Kind)| {
            let mut values = values.iter().cycle().skip((at + time) % values.len()).take(values.len());
            values.find(|value| kind.admits(value)).cloned().unwrap_or(Value::Null)
        };
        let args: Vec<Value> = signature.args.iter().enumerate().map(fits).collect();
        let ret = values[time % values.len()].clone();
        let (name, time) = (["0", "1"][time % 2], time as u64);
        let process = builder.process(name);
        let op = builder.call(process, &signature.method, &args, 4 * time);
        if monitor.call(name, &signature.method, &args).is_ok() {
            monitor.ret(name, ret.clone()).expect("called just now");
        }
        builder.ret(op, ret, 4 * time + 6);
    }
    monitor.finish();
    let history = builder.build().expect("calls and returns in order");
    let typed = history.typed(&spec).expect("arguments that fit");
    for criterion in [Criterion::Linearizable, Criterion::Sequential, Criterion::Causal] {
        judge(&typed, &criterion, &limits);
    }
});

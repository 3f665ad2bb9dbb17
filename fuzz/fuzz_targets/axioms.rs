#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::named;
use tribunal_history::object::{Criterion, Verdict};
use tribunal_engines::object::judge;
use tribunal_machines::objects::{Clients, Values};

// Axioms that are read print as what they are, and judge histories within their limits; what is linearizable satisfies them.
fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(criterion) = text.parse::<Criterion>() else { return };
    assert_eq!(criterion.to_string().parse(), Ok(criterion.clone()));
    let limits = Limits { max_states: 200, max_memory: 1 << 22, ..Limits::default() };
    for name in ["register", "queue"] {
        let spec = named(name).expect("built in");
        for (operations, lies) in [(8, 0.0), (8, 0.3), (70, 0.1)] {
            let history =
                Clients { operations, lies, values: Values::Upto(3), ..Clients::default() }.run(name);
            let typed = history.typed(&*spec).expect("clients call what there is");
            let verdict = judge(&typed, &criterion, &limits).0;
            let atomic = lies == 0.0 && criterion != Criterion::Sequential;
            assert!(!atomic || !matches!(verdict, Verdict::Inconsistent(_)), "{criterion}");
        }
    }
});

#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_machines::hard::Formula;

// A formula that is read is written and read back the same.
fuzz_target!(|text: &str| {
    if let Ok(formula) = text.parse::<Formula>() {
        assert_eq!(formula.to_string().parse().as_ref(), Ok(&formula));
    }
});

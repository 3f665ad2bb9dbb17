#![no_main]

mod round_trip;

use libfuzzer_sys::fuzz_target;
use tribunal_formats::Format;

fuzz_target!(|bytes: &[u8]| round_trip::round_trip(bytes, Format::Dbcop));

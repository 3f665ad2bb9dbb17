//! Bad input: each kind has its answer, one line long.

use crate::command::{MP, Place, SEEN};
use std::io::Write;

/// Checks that a file is refused with one line that begins so and contains this.
fn refused(name: &str, content: impl AsRef<[u8]>, begins: &str, contains: &str) {
    let ran = Place::with(name, content).run(&["check", name]);
    assert_eq!(ran.status, 2, "{name}: {ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with(&format!("error: {begins}")), "{}", ran.stderr);
    assert!(ran.stderr.contains(contains), "{}", ran.stderr);
    assert_eq!(ran.stdout, "", "{name}");
}

fn json(events: &str) -> String {
    format!(r#"{{"kind":"memory","threads":[{{"name":"T0","events":[{events}]}}]}}"#)
}

#[test]
fn a_value_from_thin_air_is_inconsistent_not_an_error() {
    let place = Place::with("a.txt", "T0: W x 1\nT1: R x 7\n---\nT0: W x 1\n");
    let ran = place.run(&["check", "--model", "rc20", "a.txt"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stdout.contains("T1:0 R x 7 reads 7 from x, but nothing wrote 7 to x"), "{}", ran.stdout);
    assert!(ran.stdout.contains("a.txt:4: rc20: consistent"), "{}", ran.stdout);
}

#[test]
fn values_that_repeat_are_decided_not_refused() {
    let place = Place::with("a.txt", "T0: W x 1; W x 2\nT1: W x 1\nT2: R x 2; R x 1\n");
    let ran = place.run(&["check", "--model", "sc", "--witness", "a.txt"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("T2:1 R x 1 is from T1:0, chosen among 2"), "{}", ran.stdout);
}

#[test]
fn from_that_names_nothing_or_no_write() {
    let read = r#"{"op":"read","loc":"x","value":1,"from":"#;
    refused("a.json", json(&format!("{read}[5,0]}}")), "a.json:1", "does not exist");
    refused("a.json", json(&format!("{read}[0,9]}}")), "a.json:1", "does not exist");
    refused("a.json", json(&format!("{read}[0,0]}}")), "a.json:1", "does not write");
    refused("a.json", json(&format!("{read}\"x\"}}")), "a.json:1", "init");
    let other = r#"{"op":"write","loc":"y","value":1},{"op":"read","loc":"x","value":1,"from":[0,0]}"#;
    refused("a.json", json(other), "a.json:1", "another location");
}

#[test]
fn a_cycle_or_a_read_of_the_future_is_inconsistent_not_an_error() {
    for future in ["T0: R x 1; W x 1\n", "T0: R x 1; W y 1\nT1: R y 1; W x 1\n"] {
        let ran = Place::with("a.txt", future).run(&["check", "--style", "brief", "a.txt"]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (1, "NO\n", ""));
    }
}

#[test]
fn a_fence_without_order() {
    refused("a.txt", "T0: F\n", "a.txt:1", "order");
    refused("a.json", json(r#"{"op":"fence"}"#), "a.json:1", "order");
}

#[test]
fn values_beyond_range() {
    refused("a.txt", "T0: W x 18446744073709551616\n", "a.txt:1", "18446744073709551615");
    refused("a.axe", "0: M[1] := 99999999999999999999\n", "a.axe:1", "18446744073709551615");
    refused("a.json", json(r#"{"op":"write","loc":"x","value":-1}"#), "a.json:1", "value");
    refused("a.json", json(r#"{"op":"write","loc":"x","value":1.5}"#), "a.json:1", "value");
}

#[test]
fn truncated_json() {
    let whole = json(r#"{"op":"write","loc":"x","value":1}"#);
    for length in 1..whole.len() {
        refused("a.json", &whole[..length], "a.json", "");
    }
}

#[test]
fn truncated_or_broken_compression() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(MP.as_bytes()).expect("compressed");
    let gzip = encoder.finish().expect("compressed");
    refused("a.txt.gz", &gzip[..gzip.len() - 10], "a.txt.gz", "");
    refused("a.txt.gz", [&gzip[..12], &[0xff; 40]].concat(), "a.txt.gz", "");
    let zstd = zstd::encode_all(MP.as_bytes(), 0).expect("compressed");
    refused("a.txt.zst", &zstd[..zstd.len() - 5], "a.txt.zst", "");
}

#[test]
fn binary_junk() {
    let junk: Vec<u8> = (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["a.bin", "a.txt", "a.json", "a.axe"] {
        refused(name, &junk, name, "");
    }
    refused("a.txt", b"T0: W x\xff 1\n", "a.txt:1", "");
}

#[test]
fn a_line_of_ten_megabytes() {
    let junk = "x".repeat(10 << 20);
    for name in ["a.bin", "a.txt", "a.json", "a.axe"] {
        refused(name, &junk, name, "");
    }
    // A long line is not wrong in itself.
    let events = (1..300_000).map(|value| format!("{{\"op\":\"write\",\"loc\":\"x\",\"value\":{value}}}"));
    let long = json(&events.collect::<Vec<_>>().join(","));
    assert!(long.len() > 10 << 20);
    let ran = Place::with("a.jsonl", long).run(&["check", "--style", "brief", "--model", "ra", "a.jsonl"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "OK\n"), "{}", ran.stderr);
}

#[test]
fn an_empty_file() {
    for name in ["a.bin", "a.txt", "a.json", "a.axe"] {
        refused(name, "", name, "no history");
        refused(name, "\n\n", name, "no history");
    }
}

#[test]
fn a_file_that_is_not_there() {
    let place = Place::with("seen.txt", SEEN);
    let ran = place.run(&["check", "--style", "brief", "missing.txt", "seen.txt"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, "OK\n"));
    assert!(ran.stderr.starts_with("error: missing.txt: "), "{}", ran.stderr);
    assert_eq!(place.run(&["check", "."]).status, 2);
}

#[test]
fn deep_nesting() {
    refused("a.json", "[".repeat(1_000_000), "a.json", "");
    refused("a.json", r#"{"kind":"memory","x":"#.to_string() + &"[".repeat(1_000_000), "a.json", "");
}

#[test]
fn a_small_file_of_many_threads_is_an_error() {
    let place = Place::new();
    let threads: String = (0..500_000).map(|thread| format!("{thread:x}:\n")).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(threads.as_bytes()).expect("compressed");
    place.write("bomb.txt.gz", gzip.finish().expect("compressed"));
    place.write("seen.txt", SEEN);
    let limited = ["--max-memory", "50M", "bomb.txt.gz"];
    for command in [
        &["check", "seen.txt"][..],
        &["explain"],
        &["shrink"],
        &["view", "-o", "page.html"],
        &["generate", "mutate"],
    ] {
        let ran = place.run(&[command, &limited].concat());
        assert_eq!(ran.status, 2, "{command:?}: {ran:?}");
        let said = ran.stderr.lines().last().unwrap_or_default();
        assert!(said.starts_with("error: bomb.txt.gz:"), "{command:?}: {said}");
        assert!(said.ends_with(": the history takes more than the 50 MB that --max-memory allows"), "{said}");
    }
    let ran = place.run(&["verify", "--max-memory", "50M", "bomb.txt.gz", "seen.txt"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    // What is small is read within any limit; to judge it takes some memory.
    assert_eq!(place.run(&["check", "--max-memory", "0", "--model", "ra", "seen.txt"]).status, 3);
}

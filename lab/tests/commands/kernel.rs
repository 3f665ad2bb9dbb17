//! `cargo lab kernel`: the pairs of writes that sc orders, and what the saturations find of them.

use crate::Place;
use crate::schema::hold;
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use tribunal_formats::{Format, Labels, Writer, write_history};
use tribunal_machines::{Clients, Machine, execution};

/// Message passing, which sc forbids.
const MP: &str = "name: MP\nT0: W x 1; W y 1\nT1: R y 1; R x 0\n";

/// Two pairs: of x, ordered by what T0 reads; of y, not ordered at all.
const HALF: &str = "name: half\nT0: W x 1; R x 2; W y 1\nT1: W x 2; W y 2\n";

#[test]
fn a_row_for_each_history_and_a_summary() {
    let place = Place::with("all.txt", [HALF, MP].join("---\n"));
    let ran = place.run(&["kernel", "all.txt"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "   \
   pairs    kernel               ccv               ccm               wsc  history
       2         1         1 100.00%         1 100.00%         1 100.00%  half (all.txt:1)
inconsistent with sc: no kernel                                           MP (all.txt:5)
2 histories, 1 kernels; found whole by ccv 1, by ccm 1, by wsc 1
"
    );
}

#[test]
fn json_has_a_line_for_each_history() {
    let place = Place::with("all.txt", [HALF, MP].join("---\n"));
    let ran = place.run(&["kernel", "--style", "json", "all.txt"]);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [half, mp] = lines.as_slice() else { panic!("{}", ran.stdout) };
    assert_eq!((&half["index"], &half["name"], &half["events"]), (&0.into(), &"half".into(), &5.into()));
    for (key, count) in [("pairs", 2), ("ccv", 1), ("ccm", 1), ("wsc", 1), ("kernel", 1)] {
        assert_eq!(half[key], count, "{key}");
    }
    assert_eq!((&half["sc"], &half["missed"]), (&"consistent".into(), &Value::Array(Vec::new())));
    assert_eq!((&mp["sc"], &mp["kernel"]), (&"inconsistent".into(), &Value::Null));
}

#[test]
fn limits_and_bad_input() {
    let place = Place::with("half.txt", HALF);
    let ran = place.run(&["kernel", "--max-memory", "10", "half.txt"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.stdout.contains("undecided: the check needs more than the 10 bytes"), "{}", ran.stdout);
    place.write("junk.txt", "T0: W x\n");
    let ran = place.run(&["kernel", "junk.txt", "half.txt"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: junk.txt:1:") && ran.stdout.contains("half (half.txt:1)"));
}

#[test]
fn objects_have_no_kernel() {
    let place = Place::with(
        "a.json",
        r#"{"kind":"object","name":"enqueues","spec":"queue","operations":[
  {"process":0,"f":"enqueue","args":[1],"ret":null,"call":0,"return":2},
  {"process":1,"f":"enqueue","args":[2],"ret":null,"call":1,"return":3},
  {"process":0,"f":"dequeue","args":[],"ret":2,"call":4,"return":5}]}
"#,
    );
    let kernel = place.run(&["kernel", "a.json"]);
    assert_eq!(kernel.status, 2);
    assert_eq!(
        kernel.stderr,
        "error: a.json:1: the sc-kernel is defined for memories, but the history is of an object\n"
    );
}

/// The histories of a memory that interleaves six threads, and store buffering, which sc forbids.
#[test]
fn lines_keep_to_their_schema() {
    let place = Place::with("sb.txt", "name: SB\nT0: W x 1; R y 0\nT1: W y 1; R x 0\n");
    let mut writer = Writer::new(Vec::new(), Format::Text);
    for seed in 1..=3 {
        let clients = Clients { threads: 6, events: 60, seed, ..Clients::default() };
        let x = execution(Machine::Atomic, &clients).expect("clients");
        write_history(&mut writer, &x, &Labels::default()).expect("written");
    }
    place.write("sc.txt", writer.finish().expect("written"));
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/kernel.json");
    hold(&place.run(&["kernel", "--style", "json", "sc.txt", "sb.txt"]).stdout, &schema);
    hold(&place.run(&["kernel", "--timeout", "0", "--style", "json", "sc.txt"]).stdout, &schema);
}

#[test]
fn a_small_file_of_many_threads_is_an_error() {
    let place = Place::new();
    let threads: String = (0..500_000).map(|thread| format!("{thread:x}:\n")).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(threads.as_bytes()).expect("compressed");
    place.write("bomb.txt.gz", gzip.finish().expect("compressed"));
    let ran = place.run(&["kernel", "--max-memory", "50M", "bomb.txt.gz"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    let said = ran.stderr.lines().last().unwrap_or_default();
    assert!(said.starts_with("error: bomb.txt.gz:"), "{said}");
    assert!(said.ends_with(": the history takes more than the 50 MB that --max-memory allows"), "{said}");
}

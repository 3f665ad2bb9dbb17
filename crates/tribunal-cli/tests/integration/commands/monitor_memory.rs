//! `tribunal monitor` of memories: what it says, when, and that it is what `check` says.

use crate::command::Place;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tribunal_formats::{History, Input, open};
use tribunal_history::memory::{Execution, Slot};
use tribunal_history::model::Model;

const STALE: &str = "T1: R y 1
T0: W x 1
T0: W y 1
T1: R x 0
";
const SAID: &str = "\
-:4: inconsistent (ra): T1:1 R x 0: what it reads is overwritten in its past
  breaks read-coherence, irr(fr;rf?;hb)
  T1:1 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:
    init x -po-> T0:0 W x 1
    T0:0 W x 1 -po-> T0:1 W y 1 -rf-> T1:0 R y 1 -po-> T1:1 R x 0
  in this part:
    T1: R y 1; R x 0
    T0: W x 1; W y 1
";

#[test]
fn names_the_event_and_why() {
    let place = Place::new();
    let ran = place.run_on(&["monitor", "--model", "ra"], STALE);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.status), (SAID, "", 1));
    let ran = place.run_on(&["monitor", "--model", "rc20"], STALE);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.status), ("", "", 0));
    // What comes after `---` is another execution.
    let ran = place.run_on(&["monitor", "--model", "ra", "--resume"], format!("{STALE}---\n{STALE}"));
    assert_eq!((ran.stdout, ran.status), (format!("{SAID}{}", SAID.replace("-:4:", "-:9:")), 1));
}

#[test]
fn every_format_has_events() {
    let json = r#"{"threads":["T1","T0"],"init":{"y":0}}
{"thread":"T1","op":"read","loc":"y","value":1}
{"op":"write","thread":0,"loc":"x","value":1}
{"thread":"T0","op":"write","loc":"y","value":1,"order":"release"}
{"thread":"T1","op":"read","loc":"x","value":0,"from":"init"}"#;
    let axe = "1: M[1] == 1\n0: M[0] := 1 @ 3:5\n# a comment\n0: M[1] := 1\n1: M[0] == 0\n";
    for (events, line) in [(json, "-:5:"), (axe, "-:5:")] {
        let ran = Place::new().run_on(&["monitor", "--model", "ra"], events);
        assert!(ran.stdout.starts_with(line), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.status, 1);
    }
    for (events, complaint) in [
        ("T0: W x\n", "-:1:8: expected the value written"),
        ("T0: W x 1\nT0: U.na x 1>2\n", "-:2:15: expected an order of an RMW, which is atomic, found `na`"),
        ("T0: W x 1\ninit: x=3\n", "-:2:7: expected initial values before events, found one of `x`"),
        ("T0: W x 1\nfinal: x=1\n", "-:2:1: `final` makes no sense"),
        ("{\"thread\":\"T0\",\"op\":\"write\",\"loc\":\"x\"}\n", "-:1:1: missing key \"value\" in the event"),
        ("{\"op\":\"write\"}\n", "-:1:1: missing key \"thread\" in the event"),
        ("{\"thread\":\"T0\",\"op\":\"fence\",\"order\":\"relaxed\"}\n", "expected an order of a fence"),
        ("{\"thread\":\"T0\"\n{}\n", "expected an event as JSON"),
    ] {
        let ran = Place::new().run_on(&["monitor", "--model", "ra"], events);
        assert!(ran.stderr.contains(complaint), "{complaint}: {}", ran.stderr);
        assert_eq!((ran.stdout.as_str(), ran.status), ("", 2), "{events}");
    }
    let ran = Place::new().run_on(&["monitor", "--model", "rmo"], STALE);
    assert!(ran.stderr.contains("--model rmo: rmo cannot be checked incrementally"), "{}", ran.stderr);
}

#[test]
fn reports_at_once_and_follows_a_file_that_grows() {
    let place = Place::with("trace.txt", "");
    let mut child =
        place.command(&["monitor", "-m", "ra", "--follow", "trace.txt", "-f", "text"]).spawn().expect("runs");
    let mut trace = File::options().append(true).open(place.path("trace.txt")).expect("a file");
    let (first, rest) = STALE.split_at(25);
    for piece in [first, rest] {
        trace.write_all(piece.as_bytes()).expect("written");
        std::thread::sleep(Duration::from_millis(150));
    }
    let mut said = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut said).expect("text");
    assert!(said.starts_with("trace.txt:4: inconsistent (ra): T1:1 R x 0"), "{said}");
    assert_eq!(child.wait().expect("ends by itself").code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_file_that_gets_shorter_or_is_replaced_is_followed_on() {
    for replaced in [false, true] {
        let place = Place::with("trace.txt", "T0: W x 1\nT0: W y 1\nT1: R y 1\n");
        let mut child =
            place.command(&["monitor", "-m", "ra", "--follow", "trace.txt"]).spawn().expect("runs");
        std::thread::sleep(Duration::from_millis(200));
        if replaced {
            place.write("next.txt", "T1: R x 0\n");
            std::fs::rename(place.path("next.txt"), place.path("trace.txt")).expect("renamed");
        } else {
            place.write("trace.txt", "T1: R x 0\n");
        }
        let mut said = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut said).expect("text");
        assert!(said.contains("inconsistent (ra): T1:1 R x 0"), "{said}");
        let output = child.wait_with_output().expect("ends by itself");
        let what = if replaced { "another file has its name" } else { "the file got shorter" };
        let told = format!("trace.txt: {what}: reading it from its beginning\n");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr)), (Some(1), told.into()));
    }
}

/// The session takes the event before the last, which is the first that psc forbids.
#[test]
fn the_first_event_is_named() {
    let events = "T1: W x0 3\nT0: U x2 0>1\nT2: W.sc x2 2\nT0: U x2 1>4\nT2: W x0 8\nT2: U.sc x0 8>9\nT1: R x0 9\n\
                  T1: W x0 10\nT3: R x0 10\nT3: W.sc x0 1\nT3: R.sc x2 4\nT3: R x0 3\n";
    let ran = Place::new().run_on(&["monitor", "-m", "rc20"], events);
    assert!(ran.stdout.starts_with("-:11: inconsistent (rc20): T3:2 R.sc x2 4"), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let place = Place::with("trace.txt", "T0: W x 1\nT1: R x 1\n");
    let child = place.command(&["monitor", "-m", "sc", "--follow", "trace.txt"]).spawn().expect("runs");
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("an end");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), &b""[..]));
}

#[test]
fn a_producer_that_dies_in_the_middle_of_a_line() {
    // 12 may have been the beginning of 123.
    let ran = Place::new().run_on(&["monitor", "-m", "ra"], "T0: W x 1\nT1: R x 12");
    let left_out = "-: the last line has no end and was left out\n";
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.status), ("", left_out, 0));
    let half =
        "{\"thread\":\"T0\",\"op\":\"write\",\"loc\":\"x\",\"value\":1}\n{\"thread\":\"T1\",\"op\":\"re";
    let ran = Place::new().run_on(&["monitor", "-m", "ra"], half);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.status), ("", left_out, 0));
    let whole = "{\"thread\":\"T1\",\"op\":\"read\",\"loc\":\"x\",\"value\":12}";
    let ran = Place::new().run_on(&["monitor", "-m", "ra"], whole);
    assert_eq!(ran.status, 1);
}

#[test]
fn reads_of_what_nobody_wrote_and_of_what_anybody_did() {
    let ran = Place::new().run_on(&["monitor", "-m", "sc"], "T0: W x 1\nT1: R x 2\nT0: W x 3\n");
    assert!(
        ran.stdout.starts_with("-:2: inconsistent (sc): T1:0 R x 2: no write that could still be read"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.status, 1);
    let several = "T0: W x 1\nT1: W x 1\nT2: R x 1\n";
    let ran = Place::new().run_on(&["monitor", "-m", "sc"], several);
    let said = "-: 1 read passed over, the first in line 3: several writes of the value can be read";
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    assert_eq!((ran.stdout.as_str(), ran.status), ("", 3));
    let ran = Place::new().run_on(&["monitor", "-m", "sc"], several.replace("R x 1", "R x 1 from T1:0"));
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.status), ("", "", 0));
    let ran = Place::new()
        .run_on(&["monitor", "-m", "ra", "--window", "2"], "T1: R x 1\nT0: W y 1; W y 2; W y 3\nT0: W x 1\n");
    assert!(ran.stdout.starts_with("-:1: inconsistent (ra): T1:0 R x 1: "), "{}", ran.stdout);
}

/// The histories of a corpus, but for those with final values.
fn corpus(name: &str) -> Vec<History> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data").join(name);
    let histories =
        open(&Input::Path(path), None).expect("a corpus").map(|history| history.expect("a history"));
    histories.filter(|history| history.memory().is_some_and(|x| !x.features().finals)).collect()
}

/// The events of a history in turns of its threads, each as a line that says what it reads from.
fn lines(x: &Execution, out: &mut String) {
    let names: Vec<_> = x.threads().map(|thread| x.thread_name(thread)).collect();
    writeln!(out, "threads: {}", names.join(" ")).expect("text");
    for loc in x.locations() {
        writeln!(out, "init: {}={}", x.location_name(loc), x.value(x.init_write(loc))).expect("text");
    }
    let longest = x.threads().map(|thread| x.thread_events(thread).len()).max().unwrap_or(0) as u32;
    for index in 0..longest {
        for thread in x.threads() {
            let Some(event) = x.event_at(thread, index) else { continue };
            let shown = x.show(event).to_string();
            let (_, operation) = shown.split_once(' ').expect("a place and an operation");
            let from = match x.rf(event).map(|write| x.slot(write)) {
                None => String::new(),
                Some(None) => " from init".into(),
                Some(Some(Slot { thread, index })) => format!(" from {}:{index}", x.thread_name(thread)),
            };
            writeln!(out, "{}: {operation}{from}", x.thread_name(thread)).expect("text");
        }
    }
    out.push_str("---\n");
}

/// The labels of both corpora, in one stream each, through a pipe.
#[test]
fn both_corpora_through_a_pipe() {
    let models = ["ra", "rc20", "rc11", "relaxed", "wra", "sra", "sc", "tso", "pso"];
    for name in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        let histories = corpus(name);
        let (mut stream, mut ends) = (String::new(), Vec::new());
        for history in &histories {
            lines(history.memory().expect("of a memory"), &mut stream);
            ends.push(stream.lines().count() as u64);
        }
        for model in models {
            let model: Model = model.parse().expect("a model");
            let labelled: Vec<Option<bool>> = histories
                .iter()
                .map(|history| history.labels.0.iter().find(|(name, _)| name == model.name())?.1)
                .collect();
            let place = Place::new();
            let mut child = place
                .command(&[
                    "monitor",
                    "--model",
                    model.name(),
                    "--resume",
                    "--window",
                    "131072",
                    "--format",
                    "text",
                ])
                .stdin(Stdio::piped())
                .spawn()
                .expect("runs");
            let mut pipe = child.stdin.take().expect("piped");
            let bytes = stream.clone();
            let writer = std::thread::spawn(move || pipe.write_all(bytes.as_bytes()));
            // A reader that is slow.
            let mut said = Vec::new();
            let mut out = child.stdout.take().expect("piped");
            let mut piece = vec![0; 1 << 16];
            loop {
                match out.read(&mut piece).expect("output") {
                    0 => break,
                    n => said.extend_from_slice(&piece[..n]),
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            writer.join().expect("a writer").expect("all is read");
            let output = child.wait_with_output().expect("an end");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name} {model}");
            let said = String::from_utf8(said).expect("text");
            let found: BTreeSet<usize> = said
                .lines()
                .filter_map(|line| line.strip_prefix("-:")?.split(':').next()?.parse::<u64>().ok())
                .map(|line| ends.partition_point(|&end| end < line))
                .collect();
            let mut asked = 0;
            for (i, label) in labelled.iter().enumerate() {
                if let Some(label) = label {
                    assert_eq!(!found.contains(&i), *label, "{name} {i} {model}");
                    asked += 1;
                }
            }
            assert!(asked > 1_500 || model == Model::Rc11 && asked == 0, "{name} {model}: {asked}");
        }
    }
}

#[test]
fn outputs_that_end_early() {
    let place = Place::new();
    let many: String = (0..2_000).fold(String::new(), |text, _| text + STALE + "---\n");
    // Nobody reads on.
    let mut child =
        place.command(&["monitor", "-m", "ra", "--resume"]).stdin(Stdio::piped()).spawn().expect("runs");
    let mut pipe = child.stdin.take().expect("piped");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let writer = std::thread::spawn(move || _ = pipe.write_all(many.as_bytes()));
    let mut said = String::new();
    out.read_line(&mut said).expect("text");
    drop(out);
    assert_eq!(child.wait_with_output().expect("an end").status.code(), Some(1));
    writer.join().expect("a writer");
    // The disk is full.
    if let Ok(full) = File::options().write(true).open("/dev/full") {
        place.write("trace.txt", STALE);
        let output =
            place.command(&["monitor", "-m", "ra", "trace.txt"]).stdout(full).output().expect("runs");
        assert_eq!(output.status.code(), Some(2));
    }
    // Too little memory.
    let ran = place.run_on(&["monitor", "-m", "ra", "--max-memory", "1000"], STALE);
    assert!(
        ran.stderr.contains("undecided from here on: the check needs more than the 1000 bytes"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.status, 3);
}

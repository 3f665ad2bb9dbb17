//! `tribunal monitor`: what it says, and when.

use crate::command;
use crate::command::Place;
use crate::shared::shared;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

const CALLS: &str = "{\"process\":0,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":1}
{\"process\":0,\"type\":\"ok\",\"f\":\"enqueue\",\"value\":1}
{\"process\":1,\"type\":\"invoke\",\"f\":\"dequeue\",\"value\":null}
";

#[test]
fn says_nothing_while_all_is_well() {
    let ran = Place::new().run_on(&["monitor", "--spec", "queue"], CALLS);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn reports_before_the_pipe_is_closed() {
    let place = Place::new();
    let mut child =
        place.command(&["monitor", "--spec", "queue", "-"]).stdin(Stdio::piped()).spawn().expect("runs");
    let mut pipe = child.stdin.take().expect("piped");
    // In pieces that end anywhere: what is complete is judged, however little follows it.
    let (calls, last) = CALLS.split_at(CALLS.len() - 20);
    write!(pipe, "\n{calls}").expect("written");
    pipe.flush().expect("written");
    std::thread::sleep(Duration::from_millis(120));
    write!(pipe, "{last}{{\"process\":1,\"type\":\"ok\",\"f\":\"dequeue\",\"value\":7}}").expect("written");
    pipe.flush().expect("written");
    let mut said = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut said).expect("text");
    assert!(
        said.starts_with("-:5: inconsistent (linearizable): 1: dequeue() → 7: no order explains "),
        "{said}"
    );
    assert_eq!(child.wait().expect("ends by itself").code(), Some(1));
    drop(pipe);
}

#[test]
fn reads_text_logs_and_guesses_the_object() {
    let log = "INFO  jepsen.util - 0\t:invoke\t:write\t3
INFO  jepsen.util - 0\t:ok\t:write\t3
INFO  jepsen.util - 1\t:invoke\t:cas\t[3 4]
INFO  jepsen.util - 1\t:fail\t:cas\t[3 4]
";
    let ran = Place::new().run_on(&["monitor"], log);
    assert_eq!(ran.status, 1);
    assert!(
        ran.stdout.starts_with("-:4: inconsistent (linearizable): 1: cas(3, 4) → false"),
        "{}",
        ran.stdout
    );
    let ran = Place::new().run_on(&["monitor"], log.replace(":fail", ":info"));
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
}

#[test]
fn native_events_and_maps() {
    let events = "{\"process\":\"a\",\"type\":\"invoke\",\"f\":\"put\",\"args\":[1,2]}
{\"process\":\"a\",\"type\":\"ok\",\"ret\":null}
{\"process\":\"b\",\"type\":\"invoke\",\"f\":\"size\",\"args\":[]}
{\"process\":\"b\",\"type\":\"ok\",\"ret\":0}
";
    let ran = Place::new().run_on(&["monitor", "--spec", "map"], events);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.starts_with("-:4: inconsistent (linearizable): b: size() → 0"), "{}", ran.stdout);
    let ran = Place::new().run_on(&["monitor", "--spec", "map", "--model", "weak"], events);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
}

#[test]
fn malformed_events_name_the_line() {
    for (events, complaint) in [
        (
            format!("{CALLS}{CALLS}"),
            "-:6: malformed history: process 1 calls dequeue() while its dequeue() is still open",
        ),
        (
            "{:process 0, :type :ok, :f :dequeue}".into(),
            "-:1:1: process 0 returns, but has no open operation",
        ),
        ("{:process 0, :type :invoke, :f :push, :value 1}".into(), "-:1: queue has no method `push`"),
        (
            "{:process 0, :type".into(),
            "-:1:19: expected :invoke, :ok, :fail or :info, found the end of the input",
        ),
        ("{\"process\":0,\"type\":\"go\"}".into(), "-:1:21: expected invoke, ok, fail or info, found `go`"),
        ("T0: W x 1\n".into(), "-: the text format has no object events; json, edn and jepsen-log have"),
        (String::new(), "-: empty input: it has no history"),
    ] {
        let ran = Place::new().run_on(&["monitor", "--spec", "queue"], &events);
        assert_eq!(ran.status, 2, "{events}");
        assert!(ran.stderr.contains(complaint), "{}", ran.stderr);
    }
    for (events, complaint) in [
        ("{:process 0, :type :invoke, :f :jump}", "-: the calls tell no object: say which with --spec"),
        (
            "{:process 0, :type :invoke, :f :txn :value [[:r :x nil]]}",
            "-: the registers are not known before the end: name them with --spec 'multi-register({\"x\": 0})'",
        ),
    ] {
        let ran = Place::new().run_on(&["monitor"], events);
        assert_eq!(ran.status, 2, "{events}");
        assert!(ran.stderr.contains(complaint), "{}", ran.stderr);
    }
}

#[test]
fn a_return_of_another_type_is_inconsistent_as_for_check() {
    let events = "{\"process\":0,\"type\":\"invoke\",\"f\":\"enqueue\",\"args\":[1]}
{\"process\":0,\"type\":\"ok\",\"ret\":true}
";
    let place = Place::with("a.jsonl", events);
    let ran = place.run(&["monitor", "--spec", "queue", "a.jsonl"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.stdout.starts_with("a.jsonl:2: inconsistent (linearizable): 0: enqueue(1) → true"),
        "{}",
        ran.stdout
    );
    assert_eq!(place.run(&["check", "--model", "linearizable", "--spec", "queue", "a.jsonl"]).status, 1);
}

#[test]
fn beyond_a_limit_it_is_undecided() {
    let mut events = String::new();
    for process in 0..12 {
        events += &format!("{{:process {process}, :type :invoke, :f :add, :value {}}}\n", 1 << process);
    }
    events += "{:process 12, :type :invoke, :f :get}\n{:process 12, :type :ok, :f :get, :value -1}\n";
    let place = Place::new();
    let ran = place.run_on(&["monitor", "--spec", "counter", "--max-states", "20"], &events);
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.starts_with("-: undecided from here on: "), "{}", ran.stderr);
    assert_eq!(place.run_on(&["monitor", "--spec", "counter"], &events).status, 1);
}

#[test]
fn compressed_and_spread_over_lines() {
    let events = "[{:process 0,\n :type :invoke,\n :f :acquire}\n{:process 0\n :type :ok :f :acquire}
; a comment\n{:process 1 :type :invoke :f :acquire}\n\n{:process 1 :type :ok\n :f :acquire}]";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(events.as_bytes()).expect("compressed");
    let ran = Place::new().run_on(&["monitor"], encoder.finish().expect("compressed"));
    assert_eq!(ran.status, 1);
    assert!(
        ran.stdout.starts_with("-:9: inconsistent (linearizable): 1: acquire() → null"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_files_of_knossos() {
    let Some(root) = shared("third-party/knossos") else { return };
    let expected = std::fs::read_to_string(root.join("expected.tsv")).expect("a table");
    let place = Place::new();
    let mut files = 0;
    for row in expected.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (file, model, ok) = (root.join(cells[0]), cells[1], cells[10] == "ok");
        let file = file.to_str().expect("text");
        let ran = match model {
            "multi-register" => {
                place.run(&["monitor", "--spec", "multi-register({\"x\": 0, \"y\": 0})", file])
            }
            _ => place.run(&["monitor", file]),
        };
        assert_eq!(ran.status, if ok { 0 } else { 1 }, "{file}: {ran:?}");
        files += 1;
    }
    assert!(files >= 36, "{files}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it() {
    let place = Place::new();
    let mut child =
        place.command(&["monitor", "--spec", "queue"]).stdin(Stdio::piped()).spawn().expect("runs");
    let mut pipe = child.stdin.take().expect("piped");
    pipe.write_all(CALLS.as_bytes()).expect("written");
    pipe.flush().expect("written");
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .expect("sent");
    let ran: command::Ran = child.wait_with_output().expect("an end").into();
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (130, "", ""));
    drop(pipe);
}

//! `tribunal monitor`: what it says, and when.
#![allow(missing_docs)]

mod command;

use command::Place;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

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
    write!(pipe, "; a comment\n{CALLS}").expect("written");
    pipe.write_all(b"{:process 1, :type :ok, :f :dequeue, :value 7}\n").expect("written");
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
        (format!("{CALLS}{CALLS}"), "-:6: process 1 calls dequeue() while its dequeue() is still open"),
        ("{:process 0, :type :ok, :f :dequeue}".into(), "-:1: process 0 returns without a call"),
        ("{:process 0, :type :invoke, :f :push, :value 1}".into(), "-:1: queue has no method `push`"),
        ("{:process 0, :type".into(), "-:1: column 19: expected a value, found the end of the line"),
        (
            "{\"process\":0,\"type\":\"go\"}".into(),
            "-:1: expected the type invoke, ok, fail or info, found `go`",
        ),
    ] {
        let ran = Place::new().run_on(&["monitor", "--spec", "queue"], &events);
        assert_eq!(ran.status, 2, "{events}");
        assert!(ran.stderr.contains(complaint), "{}", ran.stderr);
    }
    let ran = Place::new().run_on(&["monitor"], "{:process 0, :type :invoke, :f :jump}");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("-:1: `jump` tells no object: say which with --spec"), "{}", ran.stderr);
}

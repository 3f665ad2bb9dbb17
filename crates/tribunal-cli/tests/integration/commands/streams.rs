//! Pipes, full disks and Ctrl-C.

use crate::command::{LB, MP, Place, Ran, SB, SEEN, several};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn standard_input_and_compression() {
    let place = Place::new();
    let brief = ["check", "--style", "brief", "-"];
    assert_eq!(place.run_on(&brief, several(&[SEEN, LB])).stdout, "OK\nNO\n");
    assert_eq!(place.run_on(&brief, "0: M[1] := 1\n1: M[1] == 1\n").stdout, "OK\n");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(MP.as_bytes()).expect("compressed");
    let gzip = encoder.finish().expect("compressed");
    assert_eq!(place.run_on(&brief, &gzip).stdout, "NO\n");
    place.write("mp.txt.gz", gzip);
    place.write("mp.txt.zst", zstd::encode_all(MP.as_bytes(), 0).expect("compressed"));
    let ran = place.run(&["check", "--style", "brief", "mp.txt.gz", "mp.txt.zst"]);
    assert_eq!(ran.stdout, "NO\nNO\n");
    let forced = place.run_on(&["check", "--format", "json", "-"], MP);
    assert_eq!(forced.status, 2);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let place = Place::with("some.txt", several(&[SEEN; 20_000]));
    place.write("one.txt", SEEN);
    place.write("mp.txt", MP);
    let leave = |arguments: &[&str]| -> Ran {
        let mut child = place.command(arguments).spawn().expect("the command runs");
        drop(child.stdout.take());
        child.wait_with_output().expect("an end").into()
    };
    // The work was cut short: by the shells' convention.
    let cut = leave(&["check", "some.txt"]);
    assert_eq!((cut.status, cut.stderr.as_str()), (141, ""));
    let converted = leave(&["convert", "--to", "json", "some.txt"]);
    assert_eq!((converted.status, converted.stderr.as_str()), (141, ""));
    // All was decided: the status is right.
    assert_eq!(leave(&["check", "one.txt"]).status, 0);
    assert_eq!(leave(&["check", "mp.txt"]).status, 1);
    assert_eq!(leave(&["check", "mp.txt", "some.txt"]).status, 1);
    let endless = ["generate", "machine", "--events", "1000000000000"];
    assert_eq!(leave(&endless).status, 141);
    assert_eq!(leave(&["completions", "bash"]).stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::with("mp.txt", MP);
    for arguments in [
        &["check", "mp.txt"][..],
        &["check", "--style", "json", "mp.txt"],
        &["models"],
        &["stats", "mp.txt"],
        &["convert", "--to", "json", "mp.txt"],
        &["generate", "machine"],
        &["man"],
        &["completions", "zsh"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
        let ran: Ran = place.command(arguments).stdout(full).output().expect("the command runs").into();
        assert_eq!(ran.status, 2, "{arguments:?}");
        assert!(ran.stderr.starts_with("error: standard output: "), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    // Nobody can be told of an error, but the status is right.
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let unheard: Ran = place.command(&["check", "missing"]).stderr(full).output().expect("it runs").into();
    assert_eq!(unheard.status, 2);
    let ran = place.run(&["convert", "--to", "json", "-o", "/dev/full", "mp.txt"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: /dev/full: "), "{}", ran.stderr);
}

/// Sends the interrupt that Ctrl-C sends.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_with_what_was_decided() {
    let place = Place::new();
    let mut child = place
        .command(&["check", "--model", "ra", "--style", "brief", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut questions = child.stdin.take().expect("a pipe");
    questions.write_all(several(&[SB, MP, SB]).as_bytes()).expect("written");
    questions.write_all(b"---\n").expect("written");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut words = String::new();
    for _ in 0..3 {
        answers.read_line(&mut words).expect("an answer");
    }
    // The command now waits for a pipe that says nothing.
    let begin = Instant::now();
    interrupt(&child);
    answers.read_to_string(&mut words).expect("the rest");
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(ran.status, 130, "{ran:?}");
    assert_eq!(words, "OK\nNO\nOK\n");
    assert_eq!(ran.stderr, "3 histories, 2 consistent, 1 inconsistent, 0 undecided, 0 unsupported\n");
    drop(questions);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_an_endless_stream() {
    let place = Place::new();
    let endless = ["generate", "machine", "--histories", "1000000000000", "--events", "20"];
    let mut source = place.command(&endless).spawn().expect("the command runs");
    let mut child = place
        .command(&["check", "--model", "ra", "--expect", "-"])
        .stdin(source.stdout.take().expect("a pipe"))
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let mut summary = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut summary).expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(summary.contains(" histories, "), "{summary}");
    interrupt(&source);
    let status = source.wait().expect("an end").code();
    assert!(matches!(status, Some(130 | 141)), "{status:?}");
}

#[test]
fn answers_come_before_more_input_is_waited_for() {
    for style in ["json", "brief", "human"] {
        let place = Place::new();
        let mut child = place
            .command(&["check", "--model", "ra", "--style", style, "-"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut questions = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        // Each question comes with the beginning of the next one.
        let mut answer = String::new();
        questions.write_all(&SEEN.as_bytes()[..5]).expect("written");
        for _ in 0..3 {
            questions.write_all(&SEEN.as_bytes()[5..]).expect("written");
            questions.write_all(b"---\n").expect("written");
            questions.write_all(&SEEN.as_bytes()[..5]).expect("written");
            answer.clear();
            answers.read_line(&mut answer).expect("an answer");
            assert!(answer.contains("consistent") || answer == "OK\n", "{style}: {answer}");
        }
        questions.write_all(&SEEN.as_bytes()[5..]).expect("written");
        drop(questions);
        answer.clear();
        answers.read_to_string(&mut answer).expect("the last");
        assert_eq!(child.wait().expect("an end").code(), Some(0));
    }
}

/// What is known is printed while the rest is asked for, which takes up to a second here.
#[test]
fn the_first_answers_do_not_wait_for_the_others() {
    let place = Place::new();
    let queue = ["generate", "object", "--spec", "queue", "--bug", "reordered-removal", "--seed", "2"];
    let size = ["--operations", "40", "--processes", "8", "-o", "queue.json"];
    assert_eq!(place.run(&[&queue[..], &size].concat()).status, 0);
    let mut child = place.command(&["check", "queue.json"]).spawn().expect("the command runs");
    let mut out = child.stdout.take().expect("a pipe");
    let mut first = [0; 4096];
    let read = out.read(&mut first).expect("the beginning");
    assert_eq!(&first[..read], b"queue with reordered-removal, seed 2 (queue.json:1)\n");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest");
    assert!(
        rest.contains("  fails      linearizable\n") && rest.contains("linearizable: inconsistent"),
        "{rest}"
    );
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

/// However the parts come, together they are what was always printed: a row of a memory cell by cell, lines one by one.
#[test]
fn what_comes_in_parts_is_whole() {
    let place = Place::with("two.txt", several(&[SB, LB]));
    place.write("sb.txt", SB);
    let both = place.run(&["check", "two.txt"]).stdout;
    let rows: Vec<&str> = both.lines().collect();
    assert_eq!(rows.len(), 3, "{both}");
    assert!(place.run(&["check", "sb.txt"]).stdout.starts_with(&format!("{}\n", rows[0])));
    for style in ["json", "human"] {
        let models = ["check", "--style", style, "--model", "sc,tso,coherence", "two.txt"];
        let printed = place.run(&models).stdout;
        let verdicts: Vec<&str> = printed.lines().filter(|line| line.contains("consistent")).collect();
        assert_eq!(verdicts.len(), 6, "{printed}");
    }
}

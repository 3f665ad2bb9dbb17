//! Output files: what they replace, links, pipes and devices, and signals.

use crate::command::{MP, Place, Ran, SEEN};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Stdio};
use std::time::Duration;

fn mode(place: &Place, name: &str) -> u32 {
    fs::metadata(place.path(name)).expect("a file").permissions().mode() & 0o7777
}

fn temporary_files(place: &Place) -> Vec<String> {
    let names =
        fs::read_dir(place.path("")).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".tribunal-"))
        .collect()
}

/// Waits until the command has a temporary file.
fn wait_for_temporary_file(place: &Place) {
    for _ in 0..600 {
        if !temporary_files(place).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no temporary file");
}

fn fifo(place: &Place, name: &str) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path(name), mode).expect("a pipe");
}

#[test]
fn what_there_is_not_to_write_replaces_nothing() {
    let place = Place::with("seen.txt", SEEN);
    place.write("old.txt", SEEN);
    let ran = place.run(&["shrink", "-o", "old.txt", "seen.txt"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let said = "seen (seen.txt:1): sc: consistent, nothing to shrink\n\
                nothing to write: old.txt is not changed\n";
    assert_eq!(ran.stderr, said);
    assert_eq!(place.read("old.txt"), SEEN);
    assert_eq!(place.run(&["shrink", "-o", "new.txt", "seen.txt"]).status, 0);
    assert!(!place.path("new.txt").exists());
    assert_eq!(temporary_files(&place), [""; 0]);
}

#[test]
fn input_and_output_of_convert_may_be_one_file() {
    let place = Place::with("mp.txt", MP);
    fs::hard_link(place.path("mp.txt"), place.path("linked.txt")).expect("linked");
    let ran = place.run(&["convert", "--to", "text", "-o", "mp.txt", "mp.txt", "linked.txt", "mp.txt"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(place.read("mp.txt").matches("name: MP").count(), 3);
    // After a failure what was there before stays.
    let torn = format!("{MP}---\nT0: W\n");
    place.write("torn.txt", &torn);
    assert_eq!(place.run(&["convert", "--to", "json", "-o", "torn.txt", "torn.txt"]).status, 2);
    assert_eq!(place.read("torn.txt"), torn);
    assert_eq!(temporary_files(&place), [""; 0]);
}

#[test]
fn a_file_keeps_its_mode() {
    let place = Place::with("mp.txt", MP);
    for kept in [0o600, 0o640, 0o755, 0o444] {
        place.write("out.txt", "");
        fs::set_permissions(place.path("out.txt"), PermissionsExt::from_mode(kept)).expect("set");
        assert_eq!(place.run(&["convert", "--to", "text", "-o", "out.txt", "mp.txt"]).status, 0);
        assert_eq!(mode(&place, "out.txt"), kept, "{kept:o}");
        fs::remove_file(place.path("out.txt")).expect("removed");
    }
    // A new file has the mode of any other new file.
    assert_eq!(place.run(&["convert", "--to", "text", "-o", "out.txt", "mp.txt"]).status, 0);
    assert_eq!(mode(&place, "out.txt"), mode(&place, "mp.txt"));
}

#[test]
fn links_are_written_through() {
    let place = Place::with("mp.txt", MP);
    fs::create_dir(place.path("far")).expect("made");
    symlink("far/second", place.path("first.txt")).expect("linked");
    symlink("end.txt", place.path("far/second")).expect("linked");
    for _ in 0..2 {
        // First the link leads nowhere, then to a file.
        assert_eq!(place.run(&["convert", "--to", "text", "-o", "first.txt", "mp.txt"]).status, 0);
        assert_eq!(place.read("far/end.txt"), MP);
        assert!(place.path("first.txt").is_symlink() && place.path("far/second").is_symlink());
    }
    symlink("missing/end.txt", place.path("nowhere")).expect("linked");
    symlink("round", place.path("round")).expect("linked");
    for (output, problem) in [("nowhere", "no folder"), ("round", "symbolic links"), ("far", "directory")] {
        let ran = place.run(&["convert", "--to", "text", "-o", output, "mp.txt"]);
        assert_eq!(ran.status, 2, "{output}");
        assert!(ran.stderr.contains(output) && ran.stderr.contains(problem), "{}", ran.stderr);
    }
}

#[test]
fn a_pipe_takes_what_is_written() {
    let place = Place::with("mp.txt", MP);
    fifo(&place, "pipe.txt.gz");
    let child =
        place.command(&["convert", "--to", "text", "-o", "pipe.txt.gz", "mp.txt"]).spawn().expect("runs");
    let mut written = Vec::new();
    File::open(place.path("pipe.txt.gz")).expect("opened").read_to_end(&mut written).expect("read");
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&written[..]).read_to_string(&mut text).expect("gzip");
    assert_eq!(text, MP);
}

#[test]
fn a_pipe_whose_reader_leaves_ends_the_work() {
    let place = Place::new();
    fifo(&place, "pipe");
    let endless = ["generate", "machine", "--histories", "1000000000000", "-o", "pipe"];
    let child = place.command(&endless).spawn().expect("runs");
    let mut pipe = File::open(place.path("pipe")).expect("opened");
    pipe.read_exact(&mut [0; 100]).expect("read");
    drop(pipe);
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert_eq!((ran.status, ran.stderr.as_str()), (141, ""));
}

#[test]
fn a_pipe_without_a_reader_does_not_hold_the_command() {
    let place = Place::with("mp.txt", MP);
    fifo(&place, "pipe");
    let child = place.command(&["convert", "--to", "text", "-o", "pipe", "mp.txt"]).spawn().expect("runs");
    std::thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::INT).expect("sent");
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert_eq!(ran.status, 130, "{ran:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_open_files_are_written_to() {
    let place = Place::with("mp.txt", MP);
    let full = place.run(&["convert", "--to", "json", "-o", "/dev/full", "mp.txt"]);
    assert_eq!(full.status, 2);
    assert!(full.stderr.starts_with("error: /dev/full: No space left"), "{}", full.stderr);
    assert_eq!(place.run(&["convert", "--to", "text", "-o", "/dev/stdout", "mp.txt"]).stdout, MP);
    // What a shell's `>>` has open is added to.
    for output in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        place.write("log", "before\n");
        let log = File::options().append(true).open(place.path("log")).expect("opened");
        let mut command = place.command(&["convert", "--to", "text", "-o", output, "mp.txt"]);
        assert!(command.stdout(log).status().expect("it runs").success());
        assert_eq!(place.read("log"), format!("before\n{MP}"), "{output}");
    }
}

/// A command that writes a file and waits for more input.
fn waiting(place: &Place) -> (Child, std::process::ChildStdin) {
    place.write("out.txt", "before");
    let mut child = place
        .command(&["convert", "--to", "text", "-o", "out.txt", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(MP.as_bytes()).expect("written");
    wait_for_temporary_file(place);
    (child, input)
}

/// Whether this process, and so those that it starts, was told to ignore SIGHUP.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}

#[test]
fn signals_leave_no_temporary_file() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        // Under nohup, nobody is ended by SIGHUP.
        if signal == Signal::HUP && ignores_hangups() {
            continue;
        }
        let place = Place::new();
        let (child, input) = waiting(&place);
        kill_process(Pid::from_child(&child), signal).expect("sent");
        let ran: Ran = child.wait_with_output().expect("an end").into();
        assert_eq!((ran.status, ran.stderr.as_str()), (status, ""), "{signal:?}");
        assert_eq!(temporary_files(&place), [""; 0], "{signal:?}");
        assert_eq!(place.read("out.txt"), "before", "{signal:?}");
        drop(input);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_is_respected() {
    let place = Place::new();
    place.write("out.txt", "before");
    let mut child = std::process::Command::new("nohup")
        .arg(env!("CARGO_BIN_EXE_tribunal"))
        .args(["convert", "--to", "text", "-o", "out.txt", "-"])
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(MP.as_bytes()).expect("written");
    wait_for_temporary_file(&place);
    kill_process(Pid::from_child(&child), Signal::HUP).expect("sent");
    drop(input);
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(place.read("out.txt"), MP);
}

//! `run`: programs that are refused, what the runtime is told and what it tells, and how either ends. A small library here stands in for the runtime.

use super::schema::hold;
use crate::command::{Place, Ran};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// What it does is in the variable STUB; what it reports is in the file `report`.
const STUB: &str = r#"#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) {}
void __tsan_func_exit(void) {}
static void tell(const char *name) {
    char text[65536];
    FILE *file = fopen(name, "r");
    size_t size = fread(text, 1, sizeof text, file);
    if (write(atoi(getenv("TRIBUNAL_REPORT")), text, size) < 0) _exit(9);
}
static void interrupted(int signal) { tell("interrupted"); _exit(0); }
static void note(int argc, char **argv, char **environment) {
    FILE *seen = fopen("seen", "w");
    for (int i = 1; i < argc; i++) fprintf(seen, "argument %s\n", argv[i]);
    for (; *environment; environment++)
        if (!strncmp(*environment, "TRIBUNAL_", 9)) fprintf(seen, "%s\n", *environment);
    fprintf(seen, "fixed %d\n", (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0);
    fprintf(seen, "input %zd\n", read(0, &argc, 1));
    fclose(seen);
}
__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
    const char *what = getenv("STUB");
    if (!what) what = "";
    if (!strcmp(what, "crash")) raise(SIGSEGV);
    if (!strcmp(what, "exit")) _exit(7);
    if (!strcmp(what, "stop")) signal(SIGINT, interrupted);
    if (!strcmp(what, "stay")) signal(SIGINT, SIG_IGN);
    if (!strcmp(what, "stop") || !strcmp(what, "stay")) {
        FILE *file = fopen("pid.new", "w");
        fprintf(file, "%d", getpid());
        fclose(file);
        rename("pid.new", "pid");
        for (;;) pause();
    }
    note(argc, argv, environment);
    tell("report");
    if (strcmp(what, "main")) _exit(0);
}
"#;

const MAIN: &str = "#include <stdio.h>\nint main(void) { puts(\"the program's own\"); return 0; }\n";

const NO_FAILURE: &str = r#"{"progress":{"executions":3,"blocked":0,"seconds":0.2,"estimate":{"executions":4.0,"error":0.5}}}
{"report":{"model":"rc20","executions":4,"with_mo":6,"blocked":1,"outside":0,"events":9,"end":"complete","unfinished":null,"seconds":0.25,"failure":null,"models":[],"repair":null}}
"#;

const LIMIT: &str = r#"{"report":{"model":"sc","executions":4,"blocked":0,"outside":0,"events":9,"end":"max-executions","unfinished":"not complete: 4 executions; the limit of executions was reached; how many there are is unknown","seconds":0.25,"failure":null,"models":[],"repair":null}}
"#;

const RACE: &str = r#"{"warning":"vfork is not taken over"}
{"warning":"vfork is not taken over"}
{"report":{"model":"rc20","executions":2,"blocked":0,"outside":0,"events":9,"end":"failed","unfinished":null,"seconds":0.5,"failure":{"kind":"race","headline":"data race on queue.head","text":"data race on queue.head\n\n#1 W <main>\n#2 R T1\n\nreplay: t1.m:SW","place":{"file":"src/a queue.c","line":12,"column":3},"places":[{"file":"src/a queue.c","line":12,"column":3},{"file":"/home/q.h","line":7,"column":0},null,{"file":"queue+0x12","line":0,"column":0}],"thread":"T1","replay":"t1.m:SW","history":"h.txt"},"models":[{"model":"sc","verdict":"fails too"}],"repair":{"lines":["release at line 3"]}}}
"#;

const INTERRUPTED: &str = r#"{"report":{"model":"rc20","executions":1,"blocked":0,"outside":0,"events":9,"end":"interrupted","unfinished":"it was stopped","seconds":0.5,"failure":null,"models":[],"repair":null}}
"#;

fn gcc(place: &Place, arguments: &str) {
    let mut command = Command::new("gcc");
    command.args(arguments.split(' ')).current_dir(place.path("."));
    assert!(command.status().expect("a compiler").success(), "{command:?}");
}

/// A program beside the library that stands in, which reports this.
fn stub(report: &str) -> Place {
    let place = Place::with("stub.c", STUB);
    place.write("main.c", MAIN);
    place.write("report", report);
    place.write("interrupted", INTERRUPTED);
    // The real library is not needed.
    gcc(&place, "-shared -fPIC -Wl,-soname,libtsan.so.2 -o libtribunal_run.so stub.c");
    gcc(&place, "-fsanitize=thread -c main.c");
    gcc(&place, "main.o ./libtribunal_run.so -o queue");
    place
}

fn command(place: &Place, stub: &str, arguments: &[&str]) -> Command {
    let mut command = place.command(&[&["run"], arguments].concat());
    command.env("TRIBUNAL_RUNTIME", place.path("libtribunal_run.so"));
    command.env("XDG_RUNTIME_DIR", place.path(".")).env("STUB", stub);
    command
}

fn run(place: &Place, stub: &str, arguments: &[&str]) -> Ran {
    let ran = command(place, stub, arguments).output().expect("the command runs").into();
    assert_nothing_is_left(place);
    ran
}

/// The folder of libraries is gone.
fn assert_nothing_is_left(place: &Place) {
    let entries = std::fs::read_dir(place.path(".")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let left: Vec<String> = names.filter(|name| name.starts_with("tribunal-")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn programs_that_cannot_be_explored() {
    let place = stub(NO_FAILURE);
    let make_executable = |name: &str| {
        std::fs::set_permissions(place.path(name), Permissions::from_mode(0o755)).expect("a mode");
    };
    place.write("text", "hello");
    place.write("script", "#!/bin/sh\n");
    place.write("words", "no program");
    let mut arm = std::fs::read(place.path("queue")).expect("a program");
    arm[18] = 183;
    place.write("arm", arm);
    ["script", "words", "arm"].iter().for_each(|name| make_executable(name));
    gcc(&place, "main.c -o plain");
    gcc(&place, "-shared -fPIC -Wl,-soname,libother.so -o libother.so stub.c");
    gcc(&place, "main.o ./libother.so -o unlinked");
    gcc(&place, "-c stub.c");
    gcc(&place, "main.o stub.o -o static");
    for (name, ident) in [("clang", "clang version 19.1.7"), ("rust", "rustc version 1.95.0")] {
        place.write(&format!("{name}.c"), format!("__asm__(\".ident \\\"{ident}\\\"\");"));
        gcc(&place, &format!("main.o stub.o {name}.c -o {name}"));
    }
    let linked = "has ThreadSanitizer's library linked into it, which cannot be replaced";
    for (program, problem) in [
        ("./none", "No such file or directory (os error 2)"),
        (".", "is a directory"),
        ("./text", "is not executable"),
        ("./script", "is a script: name the program that it starts, which libtool keeps in .libs"),
        ("./words", "is not a program for Linux on x86-64"),
        ("./arm", "is not a program for Linux on x86-64"),
        ("./plain", "was not built with -fsanitize=thread"),
        (
            "./unlinked",
            "was linked without a library for -fsanitize=thread: give that flag to the linker too",
        ),
        ("./static", &format!("{linked}: link it without -static-libtsan")),
        ("./clang", &format!("{linked}: link it with -shared-libsan")),
        ("./rust", &format!("{linked}: build it with -Zexternal-clangrt and -Clink-arg=-ltsan")),
    ] {
        let ran = run(&place, "", &[program]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{program}: {ran:?}");
        assert_eq!(ran.stderr, format!("error: {program}: {problem}\n"));
    }
}

#[test]
fn the_runtime_is_beside_the_command_or_where_a_variable_says() {
    let place = stub(NO_FAILURE);
    let missing = command(&place, "", &["./queue"]).env("TRIBUNAL_RUNTIME", "none.so").output();
    let missing: Ran = missing.expect("the command runs").into();
    assert_eq!(
        (missing.status, missing.stderr.as_str()),
        (2, "error: ./queue: TRIBUNAL_RUNTIME: there is no file none.so\n")
    );
    std::fs::create_dir_all(place.path("bin")).expect("a folder");
    std::fs::create_dir_all(place.path("lib/tribunal")).expect("a folder");
    std::fs::copy(env!("CARGO_BIN_EXE_tribunal"), place.path("bin/tribunal")).expect("a copy");
    let installed = || -> Ran {
        let mut command = Command::new(place.path("bin/tribunal"));
        command
            .args(["run", "--style", "brief", "./queue"])
            .current_dir(place.path("."))
            .output()
            .expect("it runs")
            .into()
    };
    let none = installed();
    assert!(
        none.status == 2 && none.stderr.contains("`cargo build --release -p tribunal-run` makes it"),
        "{none:?}"
    );
    std::fs::rename(place.path("libtribunal_run.so"), place.path("lib/tribunal/libtribunal_run.so"))
        .expect("moved");
    let found = installed();
    assert_eq!((found.status, found.stderr.as_str()), (0, ""), "{found:?}");
}

#[test]
fn without_a_failure() {
    let place = stub(NO_FAILURE);
    let line = "queue: rc20: no failure in all 4 executions, 6 with mo (1 blocked beside)\n";
    let human = run(&place, "", &["./queue"]);
    assert_eq!((human.status, human.stdout), (0, format!("{line}  0.25 s\n")), "{}", human.stderr);
    let brief = run(&place, "", &["--style", "brief", "./queue", "a b", "--style"]);
    assert_eq!(brief.stdout, line.replace("queue:", "queue a b --style:"));
    let json: Value =
        serde_json::from_str(&run(&place, "", &["--style", "json", "./queue", "7"]).stdout).expect("JSON");
    assert_eq!(
        (&json["verdict"], &json["end"], &json["executions"]),
        (&"no-failure".into(), &"complete".into(), &4.into())
    );
    assert_eq!((&json["file"], &json["arguments"]), (&"./queue".into(), &serde_json::json!(["7"])));
    let junit = run(&place, "", &["--style", "junit", "./queue", "<7>"]).stdout;
    assert_eq!(
        junit,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tribunal">
  <testsuite name="./queue" tests="1" failures="0" errors="0" skipped="0" time="0.250000">
    <testcase classname="./queue" name="queue &lt;7&gt;: rc20" time="0.250000">
    </testcase>
  </testsuite>
</testsuites>
"#
    );
    let sarif: Value =
        serde_json::from_str(&run(&place, "", &["--style", "sarif", "./queue"]).stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn a_failure() {
    let place = stub(RACE);
    let human = run(&place, "", &["./queue"]);
    assert_eq!((human.status, human.stderr.as_str()), (1, "warning: vfork is not taken over\n"));
    assert_eq!(
        human.stdout,
        "\
queue: rc20: data race on queue.head

  #1 W <main>
  #2 R T1

  replay: t1.m:SW
  history: h.txt

  sc: fails too

  release at line 3
  0.50 s
"
    );
    assert_eq!(
        run(&place, "", &["--style", "brief", "./queue"]).stdout,
        "queue: rc20: data race on queue.head\n"
    );
    let json: Value =
        serde_json::from_str(&run(&place, "", &["--style", "json", "./queue"]).stdout).expect("JSON");
    assert_eq!((&json["verdict"], &json["failure"]["replay"]), (&"failure".into(), &"t1.m:SW".into()));
    assert_eq!(json["warnings"], serde_json::json!(["vfork is not taken over"]));
    let junit = run(&place, "", &["--style", "junit", "./queue"]).stdout;
    assert!(
        junit.contains("failures=\"1\"")
            && junit.contains("type=\"race\" message=\"data race on queue.head\"")
    );
    assert!(junit.contains("#1 W &lt;main&gt;\n"), "{junit}");
    let sarif: Value =
        serde_json::from_str(&run(&place, "", &["--style", "sarif", "./queue"]).stdout).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    let rule = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][rule]["id"], "race");
    assert_eq!(
        (&result["level"], &result["message"]["text"]),
        (&"error".into(), &"data race on queue.head".into())
    );
    let region = serde_json::json!({"startLine": 12, "startColumn": 3});
    let first = &result["locations"][0]["physicalLocation"];
    assert_eq!((&first["artifactLocation"]["uri"], &first["region"]), (&"src/a%20queue.c".into(), &region));
    let others = result["relatedLocations"].as_array().expect("a list");
    assert_eq!(others.len(), 1);
    assert_eq!(others[0]["physicalLocation"]["artifactLocation"]["uri"], "file:///home/q.h");
    assert_eq!(result["properties"]["replay"], "t1.m:SW");
}

#[test]
fn json_keeps_to_its_schema() {
    for report in [NO_FAILURE, RACE, LIMIT] {
        let printed = run(&stub(report), "", &["--style", "json", "./queue", "7"]).stdout;
        hold(&printed, "run.json");
    }
}

#[test]
fn a_limit() {
    let place = stub(LIMIT);
    let human = run(&place, "", &["--model", "sc", "--max-executions", "4", "./queue"]);
    let line = "queue: sc: no failure in 4 executions, then --max-executions ended it; how many there are is unknown\n";
    assert_eq!((human.status, human.stdout), (3, format!("{line}  0.25 s\n")));
    let junit = run(&place, "", &["--style", "junit", "./queue"]);
    assert!(
        junit.status == 3
            && junit.stdout.contains("<error type=\"undecided\" message=\"not complete: 4 executions;")
    );
    let sarif = run(&place, "", &["--style", "sarif", "./queue"]).stdout;
    assert!(
        sarif.contains("\"executionSuccessful\": false") && sarif.contains("how many there are is unknown")
    );
}

#[test]
fn the_runtime_is_told_the_options_and_the_program_its_arguments() {
    let place = stub(NO_FAILURE);
    let seen = |arguments: &[&str]| -> Vec<String> {
        let ran: Ran =
            command(&place, "", arguments).env("TRIBUNAL_SEED", "9").output().expect("it runs").into();
        assert_eq!(ran.status, 0, "{ran:?}");
        let seen = place.read("seen");
        // The last one is set where tests read files by others.
        const LEFT: [&str; 3] = ["TRIBUNAL_RUNTIME=", "TRIBUNAL_REPORT=", "TRIBUNAL_SHARED="];
        let lines = seen.lines().filter(|line| !LEFT.iter().any(|left| line.starts_with(left)));
        let mut lines: Vec<String> = lines.map(str::to_string).collect();
        lines.sort();
        lines
    };
    let least = seen(&["--max-memory", "1G", "./queue"]);
    assert_eq!(
        least,
        [
            "TRIBUNAL_MAX_EVENTS=10000",
            "TRIBUNAL_MAX_MEMORY=1073741824",
            "TRIBUNAL_MODEL=rc20",
            "TRIBUNAL_THREADS=1",
            "fixed 1",
            "input 0"
        ]
    );
    let more = "--model tso --random 100 --seed 7 --pct 3 --max-executions 5 --timeout 1.5 --max-memory 1M --max-events 20 --unroll 4 \
                --allow-races --leaks --keep-output --models --repair --repair-timeout 9 --history h.txt --threads 2 ./queue \
                --model -x --";
    let history = format!("TRIBUNAL_HISTORY={}", place.path("h.txt").display());
    let more = seen(&more.split_whitespace().collect::<Vec<_>>());
    for line in [
        "TRIBUNAL_ALLOW_RACES=1",
        &history,
        "TRIBUNAL_LEAKS=1",
        "TRIBUNAL_MAX_EVENTS=20",
        "TRIBUNAL_MAX_EXECUTIONS=5",
        "TRIBUNAL_MAX_MEMORY=1048576",
        "TRIBUNAL_MODEL=tso",
        "TRIBUNAL_MODELS=1",
        "TRIBUNAL_OUTPUT=1",
        "TRIBUNAL_PCT=3",
        "TRIBUNAL_RANDOM=100",
        "TRIBUNAL_REPAIR=9",
        "TRIBUNAL_SEED=7",
        "TRIBUNAL_THREADS=2",
        "TRIBUNAL_TIMEOUT=1.5",
        "TRIBUNAL_UNROLL=4",
        "argument --",
        "argument --model",
        "argument -x",
    ] {
        assert!(more.iter().any(|seen| seen == line), "{line}: {more:?}");
    }
    assert_eq!(more.len(), 21, "{more:?}");
    let replay = seen(&["--replay", "t1.m:SW", "./queue"]);
    assert!(replay.iter().any(|line| line == "TRIBUNAL_REPLAY=t1.m:SW"), "{replay:?}");
}

#[test]
fn what_the_program_prints_is_shown_if_asked_for() {
    let place = stub(NO_FAILURE);
    let silent = run(&place, "main", &["--style", "brief", "./queue"]);
    assert_eq!((silent.stdout.lines().count(), silent.stderr.as_str()), (1, ""));
    let shown = run(&place, "main", &["--style", "brief", "--keep-output", "./queue"]);
    assert_eq!((shown.stdout.lines().count(), shown.stderr.as_str()), (1, "the program's own\n"));
}

#[test]
fn without_a_report_there_is_an_error() {
    for (stub_does, report, problem) in [
        ("crash", NO_FAILURE, "ended without a report: signal: 11 (SIGSEGV)"),
        ("exit", NO_FAILURE, "ended without a report: exit status: 7"),
        ("", "", "ended without a report: exit status: 0"),
        ("", "{\"report\":{}}\n", "what libtribunal_run.so reports is malformed: missing field `model`"),
        ("", "nonsense\n", "what libtribunal_run.so reports is malformed: expected"),
    ] {
        let place = stub(report);
        let ran = run(&place, stub_does, &["./queue"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: ./queue: {problem}")), "{ran:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let place = stub(NO_FAILURE);
    let full = File::options().write(true).open("/dev/full").expect("a device");
    let ran: Ran = command(&place, "", &["./queue"]).stdout(full).output().expect("the command runs").into();
    assert!(ran.status == 2 && ran.stderr.contains("No space left on device"), "{ran:?}");
}

/// Starts the command with a program that does not end, and waits for that. Returns the program's process, too.
fn start(place: &Place, stub: &str) -> (Child, Pid) {
    let child = command(place, stub, &["./queue"]).spawn().expect("the command runs");
    let begin = Instant::now();
    while !place.path("pid").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the program does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = place.read("pid").parse().ok().and_then(Pid::from_raw);
    (child, pid.expect("a process"))
}

/// What was ended may wait for somebody who wants to know.
fn is_running(program: Pid) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", program.as_raw_nonzero()));
    state.is_ok_and(|state| !state.contains(") Z "))
}

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("the command runs");
}

#[test]
fn ctrl_c_stops_the_program_and_shows_what_it_found() {
    let place = stub("");
    let (child, _) = start(&place, "stop");
    interrupt(&child);
    let ran: Ran = child.wait_with_output().expect("an end").into();
    let line = "queue: rc20: no failure in 1 execution, then it was stopped; how many there are is unknown\n";
    assert_eq!((ran.status, ran.stdout), (130, format!("{line}  0.50 s\n")), "{}", ran.stderr);
    assert_nothing_is_left(&place);
}

#[test]
fn a_second_ctrl_c_ends_the_program() {
    let place = stub("");
    let (child, program) = start(&place, "stay");
    interrupt(&child);
    // The first must have been seen before the second is sent: two at once are one.
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_running(program), "the program does not stop");
    interrupt(&child);
    let ran: Ran = child.wait_with_output().expect("an end").into();
    assert_eq!((ran.status, ran.stdout.as_str()), (130, ""), "{}", ran.stderr);
    let begin = Instant::now();
    while is_running(program) {
        assert!(begin.elapsed() < Duration::from_secs(10), "the program goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_nothing_is_left(&place);
}

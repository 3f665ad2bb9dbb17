//! The examples in C and C++ are compiled, linked with both libraries, and run where memory errors and leaks show.

use crate::c::toolchain::{Installed, Linking, cc, cxx, is_there, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SANITIZED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const VALGRIND: [&str; 5] = [
    "valgrind",
    "--quiet",
    "--error-exitcode=99",
    "--leak-check=full",
    // Threads of a pool are there to the end.
    "--errors-for-leak-kinds=definite",
];

/// What finds memory errors here: options to compile with, and what to run programs under.
fn checked() -> (&'static [&'static str], &'static [&'static str]) {
    let probe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe");
    let mut command = Command::new(cc());
    command.args(SANITIZED).args(["-x", "c", "-o"]).arg(&probe).arg("-");
    let compiled =
        command.stdin(fs::File::open("tests/integration/c/probe.c").expect("the probe is there")).output();
    if compiled.is_ok_and(|output| output.status.success()) {
        return (&SANITIZED, &[]);
    }
    if Command::new("valgrind").arg("--version").output().is_ok() {
        return (&[], &VALGRIND);
    }
    eprintln!("memory errors and leaks are not looked for: there is neither AddressSanitizer nor valgrind");
    (&[], &[])
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name)
}

/// What came of a program: its status and what it printed.
fn ended(output: &Output, status: i32) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{out}\n{err}");
    out.into_owned()
}

/// The programs, with their sources.
fn programs() -> Vec<(&'static str, Vec<PathBuf>)> {
    let misuse = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/c/misuse.c");
    vec![
        ("store_buffers", vec![example("store_buffers.c")]),
        ("model_checker", vec![example("model_checker.c")]),
        ("verdicts", vec![example("verdicts.cpp")]),
        ("dpi", vec![example("dpi.c"), example("dpi_testbench.c")]),
        ("misuse", vec![misuse]),
    ]
}

/// Compiles the programs and sees what they do.
fn try_all(installed: &Installed, linking: Linking, options: &[&str], tool: &[&str]) {
    let compiled: BTreeMap<_, _> = programs()
        .iter()
        .map(|(name, sources)| {
            let sources: Vec<_> = sources.iter().map(PathBuf::as_path).collect();
            (*name, installed.compile(name, &sources, linking, options))
        })
        .collect();
    let run = |name: &str, arguments: &[&str]| run(tool, &compiled[name], arguments);

    assert!(ended(&run("store_buffers", &[]), 0).contains("all of them TSO"));
    for bug in ["forward", "drain", "fence"] {
        let told = ended(&run("store_buffers", &["--bug", bug]), 1);
        assert!(told.contains("is not TSO") && told.contains("in this part:"), "{bug}: {told}");
    }
    ended(&run("store_buffers", &["--bug", "none"]), 2);
    let table = ended(&run("model_checker", &[]), 0);
    assert!(table.contains("SB          no of 3   yes of 4"), "{table}");
    let verdicts = ended(&run("verdicts", &[]), 0);
    assert!(
        verdicts.contains("store buffering: T0 and T1") && verdicts.contains("\"linearizable\""),
        "{verdicts}"
    );
    let dpi = ended(&run("dpi", &[]), 0);
    assert!(dpi.contains("did you mean `tso`?") && dpi.contains("core0:1 R x 0"), "{dpi}");
    ended(&run("misuse", &[]), 0);
}

#[test]
fn the_static_library_under_a_sanitizer() {
    if is_there() {
        let (options, tool) = checked();
        try_all(&Installed::new("static"), Linking::Static, options, tool);
    }
}

#[test]
fn the_shared_library() {
    if is_there() {
        let installed = Installed::new("shared");
        try_all(&installed, Linking::Shared, &["-O2"], &[]);
        match installed.flags(Linking::Shared) {
            Some(flags) => assert!(flags.contains(&"-ltribunal".into()), "{flags:?}"),
            None => eprintln!("the flags are not looked at: there is no pkg-config"),
        }
    }
}

#[test]
fn what_simulators_compile_is_also_cpp() {
    if is_there() {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
        let mut command = Command::new(cxx());
        command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I"]);
        let output = command.arg(include).args(["-x", "c++"]).arg(example("dpi.c")).output();
        let output = output.expect("there is a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_testbench_in_a_simulator() {
    if !is_there() {
        return;
    }
    if Command::new("verilator").arg("--version").output().is_err() {
        eprintln!("the testbench is not run: there is no verilator");
        return;
    }
    let installed = Installed::new("simulator");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulator/testbench");
    let (compiling, linking) = installed.options();
    let mut command = Command::new("verilator");
    command
        .args(["--binary", "-Wall", "--Mdir"])
        .arg(&directory)
        .arg(format!("-I{}", example(".").display()));
    command.args(["-CFLAGS", &compiling, "-LDFLAGS", &linking, "-o", "testbench"]);
    let compiled = command.args([example("dpi_testbench.sv"), example("dpi.c")]).output();
    let compiled = compiled.expect("there is a simulator");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let told = ended(&run(&[], &directory.join("testbench"), &[]), 0);
    assert!(told.contains("core0:3 R x 0"), "{told}");
}

/// The C type of a SystemVerilog type, as IEEE 1800 has it.
fn c_type(sv: &str) -> &'static str {
    match sv {
        "chandle" => "void *",
        "string" => "const char *",
        "int" => "int32_t",
        "int unsigned" => "uint32_t",
        "longint unsigned" => "uint64_t",
        "void" => "void",
        other => panic!("no C type for {other}"),
    }
}

/// A C declaration of a type and a name, with the star at the name.
fn declared(sv: &str, name: &str) -> String {
    let c = c_type(sv);
    format!("{c}{}{name}", if c.ends_with('*') { "" } else { " " })
}

#[test]
fn the_imports_of_system_verilog_match_the_header() {
    let imports = fs::read_to_string(example("tribunal_dpi.svh")).expect("the imports are there");
    let header = fs::read_to_string(example("tribunal_dpi.h")).expect("the header is there");
    let mut matched = 0;
    for line in imports.lines() {
        let Some(import) = line.trim().strip_prefix("import \"DPI-C\" function ") else { continue };
        let (head, arguments) = import.trim_end_matches(");").split_once('(').expect("arguments");
        let (sv, name) = head.rsplit_once(' ').expect("a type and a name");
        let arguments = arguments.split(", ").map(|argument| {
            let argument = argument.strip_prefix("input ").expect("every argument is an input");
            let (sv, name) = argument.rsplit_once(' ').expect("a type and a name");
            declared(sv, name)
        });
        let prototype = format!("{}({});", declared(sv, name), arguments.collect::<Vec<_>>().join(", "));
        assert!(header.contains(&prototype), "the header has no `{prototype}`");
        matched += 1;
    }
    assert_eq!(
        matched,
        header.matches("(void *monitor").count() + 1,
        "every function of the header is imported"
    );
}

#[test]
fn the_enumerations_of_system_verilog_are_the_headers() {
    let imports = fs::read_to_string(example("tribunal_dpi.svh")).expect("the imports are there");
    let header = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("include/tribunal.h"));
    let header = header.expect("the header is there");
    let values = imports.lines().filter_map(|line| line.trim().trim_end_matches(',').split_once(" = "));
    let mut matched = 0;
    for (name, value) in values.filter(|(name, _)| name.starts_with("TRIBUNAL_")) {
        let name = name.trim_start_matches("TRIBUNAL_");
        let known = ["STATUS", "ORDER"].map(|kind| format!("TRIBUNAL_{kind}_{name} = {value},"));
        assert!(known.iter().any(|known| header.contains(known)), "{name} = {value}");
        matched += 1;
    }
    assert_eq!(matched, 13);
}

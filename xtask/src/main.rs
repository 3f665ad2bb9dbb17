//! Tasks around the build that cargo does not do.

mod databases;
mod dist;
mod freeze;
mod genmc;
mod lab;
mod licenses;
mod limits;
mod links;
mod litmus;
mod loom_crates;
mod modules;
mod page;
mod python;
mod site;
mod spark;
mod surface;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
Usage: cargo xtask TASK

Tasks:
  page     build the page that checks histories by itself: one file, target/page/tribunal.html
  browser  build the page and test it, and the others, in a real Chromium (needs chromium and chromedriver)
  python [--quick]
           build the Python package, install it into target/python/venv and run its tests; --quick optimizes less
  dist [--only PART,..] [--musl]
           build what is handed out into target/dist, with checksums: the command with completions and manual pages,
           the C library, the Python wheel, the page (parts: command, c, wheel, page); --musl: a static command
  site [--without-checker]
           build the documents as a site, with the checker inside: target/site/html (installs mdBook if there is none),
           and refuse links that are broken
  licenses
           refuse a dependency whose license is not one of those that we can give out
  freeze [DIR] [--command FILE] [--only PART]
           record what the command answers over examples, corpora, generated histories, litmus tests and programs, in DIR
           (target/freeze); if there is a record, compare with it byte for byte, and show the first differences;
           --command: ask this one, instead of one that is built; --only: compare the groups with PART in their names
  lab      check the format of the laboratory, run clippy on all its packages and its tests
  litmus --herd DIR[:DIR] --tests DIR [--shared DIR] [--only START]
           compare our answers to litmus tests with herd's: all that expected.tsv.xz in the shared folder has, with herd's
           library (the newest last) and the tests that its `collect` gathered; or by TRIBUNAL_HERD, TRIBUNAL_LITMUS and
           TRIBUNAL_SHARED. START is how the tests' names begin
  modules [--check]
           collect what packages and modules say of themselves into ARCHITECTURE.md and docs/modules.md; --check: refuse what
           is out of date
  spark [ARGUMENT..]
           test the package on Spark, with two executors, and on Dask (needs Java); arguments are pytest's
  databases [ARGUMENT..]
           test recording on SQLite and, where it is installed, PostgreSQL, and print what each isolation level gives;
           arguments are those of `record transactions`
  limits [--family NAME] [--command FILE]
           attack the command with large and hostile inputs under small limits, and fail where it takes more time or memory
           than it may, or looks at its limits too rarely; --family: only those whose names contain NAME; --command: this
           one, instead of one that is built for it
  load     measure the server for two minutes: two hundred clients, of which eighty are slow or hostile
  loom-crates [--crate NAME].. [--test NAME] [--timeout SECONDS] [--preemptions N] [--loom]
           fetch published crates with loom tests, nineteen unless some are named, and run these with the explorer in loom's
           place; --timeout: for each test, 60 if not given; --preemptions: bounded; --loom: with loom itself, for its
           figures
  genmc DIR [--compiler gcc|clang|both] [--only PART] [--model rc20|sc] [--timeout SECONDS] [--jobs N] [--table FILE]
        [--command FILE] [--build] [--fresh]
           build GenMC's own tests, of its checkout DIR, with -fsanitize=thread, explore them with `tribunal run` and compare
           numbers of executions and errors with GENMC-TESTS.tsv in the shared folder (TRIBUNAL_SHARED); --only: those with
           PART in their names; --timeout: for each test, 60 if not given; --table: all rows, tab-separated; --command:
           another one than target/release/tribunal; --build: run nothing; --fresh: also what was run before
  surface  write the list of the public names of std, loom and shuttle that the explorer is compared with";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["page"] => page::build().map(drop),
        ["browser"] => page::build().and_then(|page| browser(&page)),
        ["python"] => python::test(python::Profile::Release),
        ["python", "--quick"] => python::test(python::Profile::Quick),
        ["dist", ..] => dist::Options::parse(&arguments[1..]).and_then(|options| dist::build(&options)),
        ["site"] => site::build(true).map(drop),
        ["site", "--without-checker"] => site::build(false).map(drop),
        ["licenses"] => licenses::check(),
        ["freeze", ..] => {
            freeze::Options::parse(&arguments[1..]).and_then(|options| freeze::freeze(&options))
        }
        ["lab"] => lab::check(),
        ["modules"] => modules::write(&root(), false),
        ["modules", "--check"] => modules::write(&root(), true),
        ["litmus", ..] => litmus::compare(&arguments[1..]),
        ["spark", ..] => spark::test(&arguments[1..]),
        ["databases", ..] => databases::test(&arguments[1..]),
        ["limits", ..] => {
            limits::Options::parse(&arguments[1..]).and_then(|options| limits::attack(&options))
        }
        ["load"] => load(),
        ["loom-crates", "--help" | "-h"] | ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["loom-crates", ..] => {
            loom_crates::Options::parse(&arguments[1..]).and_then(|options| loom_crates::all(&options))
        }
        ["genmc", ..] => genmc::Options::parse(&arguments[1..]).and_then(|options| genmc::compare(&options)),
        ["surface"] => surface::write(),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Runs the tests that need a browser, none left out.
fn browser(page: &Path) -> Result<(), String> {
    let mut tests = cargo();
    tests.args(["test", "-p", "tribunal-cli", "--test", "integration", "browser::"]);
    tests.env("TRIBUNAL_PAGE", page).env("TRIBUNAL_BROWSER", "1");
    run(&mut tests)
}

/// Runs the test of the server under load at its full size, and shows what it measured.
fn load() -> Result<(), String> {
    let mut test = cargo();
    test.args([
        "test",
        "--release",
        "-p",
        "tribunal-cli",
        "--test",
        "integration",
        "load::",
        "--",
        "--nocapture",
    ]);
    run(test.env("TRIBUNAL_LOAD", "1"))
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the repository").into()
}

/// Where cargo builds the workspace at the root.
fn target_directory() -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(target).map_err(|error| format!("error: {error}"))
}

/// Says what to do where rustc cannot build for a target.
fn has_target(target: &str) -> Result<(), String> {
    let asked = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let libraries = asked.map_err(|error| format!("rustc: {error}"))?.stdout;
    if Path::new(String::from_utf8_lossy(&libraries).trim()).is_dir() {
        return Ok(());
    }
    Err(format!("rustc has no target {target} yet: rustup target add {target}"))
}

/// Cargo, for the workspace at the root.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Runs a command to its end, which must be good.
fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("error: {program} ended with {status}")),
        Err(error) => Err(format!("error: {program}: {error}")),
    }
}

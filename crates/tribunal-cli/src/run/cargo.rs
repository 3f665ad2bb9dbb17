//! `cargo tribunal test`: the tests of a Rust package, each explored by itself.

mod build;

use super::{Explored, LATE, Problem, Ran, RunOptions, RunStyle, Tally, print, ready, tally};
use super::{junit, report, sarif};
use crate::explore::seen;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, Stdout, complain};
use build::Executable;
use clap::{Args, Parser, Subcommand, ValueHint};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;
use tribunal_report::printable_lines;

const TEST_HELP: &str = "\
Examples:
  cargo tribunal test                              every execution of each test
  cargo tribunal test --test queue lost_           some tests
  cargo tribunal test -- --random 10000            random executions
  cargo tribunal test lost_ -- --replay t1.m:SWLiUi
  cargo tribunal test -- --style junit --timeout 60 > report.xml

The tests need no change. They are built with -Zsanitizer=thread into target/tribunal, by RUSTC_BOOTSTRAP=1 unless the \
toolchain is a nightly. With `rustup component add rust-src` the standard library is built so, too; without, what it \
does inside is invisible. Ignored tests are not run, nor are documentation tests and those with a harness of their own.

What comes after -- are options of `tribunal run`. A limit is for each test.

Exit status: 0 no failure; 1 a failure; 2 bad usage, or tests that cannot be built or explored; 3 a limit was reached \
and no failure found; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
pub struct CargoArguments {
    #[command(subcommand)]
    command: CargoCommand,
}

#[derive(Debug, Subcommand)]
enum CargoCommand {
    /// Explore every execution of each test
    Test(TestArguments),
}

#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
struct TestArguments {
    /// The packages
    #[arg(short, long, value_name = "NAME")]
    package: Vec<String>,
    /// All packages of the workspace
    #[arg(long)]
    workspace: bool,
    /// The tests in the library
    #[arg(long)]
    lib: bool,
    /// The tests in these programs
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// These integration tests
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// Features to build with
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Build with all features
    #[arg(long)]
    all_features: bool,
    /// Build without the default features
    #[arg(long)]
    no_default_features: bool,
    /// Build with optimizations
    #[arg(short, long)]
    release: bool,
    /// The package's Cargo.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    manifest_path: Option<PathBuf>,
    /// Tests with this in their names
    filter: Option<String>,
    /// Options of `tribunal run`
    #[arg(last = true, value_name = "OPTIONS", allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// What comes after `--`.
#[derive(Debug, Parser)]
#[command(name = "cargo tribunal test --", no_binary_name = true, max_term_width = 110)]
struct Options {
    #[command(flatten)]
    options: RunOptions,
}

/// Before the place, where Rust says that a thread panics.
const PANICKED: &str = " panicked at ";

/// How Rust advises of backtraces, which tests do not have here.
const BACKTRACES: &str = "note: run with `RUST_BACKTRACE=1`";

/// What became of tests.
#[derive(Default)]
struct Tests {
    tally: Tally,
    ignored: usize,
    passed: usize,
    /// Those that are reported when all have ended.
    ran: Vec<Ran>,
}

pub fn test(arguments: &CargoArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let CargoCommand::Test(arguments) = &arguments.command;
    let options = Options::try_parse_from(&arguments.options).unwrap_or_else(|error| error.exit()).options;
    let start = Instant::now();
    let mut tests = Tests::default();
    for executable in build::build(arguments)? {
        tests.run(&executable, arguments.filter.as_deref(), &options, out)?;
        if interrupt::requested() || out.is_closed() {
            break;
        }
    }
    let mut page = Page::new(out.color());
    match options.style {
        RunStyle::Human => tests.summary(start, &mut page)?,
        RunStyle::Junit => junit::document(&tests.ran, &mut page)?,
        RunStyle::Sarif => sarif::document(&tests.ran, &mut page)?,
        RunStyle::Brief | RunStyle::Json => {}
    }
    out.print(&page)?;
    tests.tally.read_out(out)
}

impl Tests {
    /// Runs the tests of an executable.
    fn run(
        &mut self,
        executable: &Executable,
        filter: Option<&str>,
        options: &RunOptions,
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        let failure = |source| Failure::Run { program: executable.name.clone(), source };
        let names = names(executable, filter, false).map_err(failure)?;
        if names.is_empty() {
            return Ok(());
        }
        let ignored = self::names(executable, filter, true).map_err(failure)?;
        let is_human = options.style == RunStyle::Human;
        if is_human {
            let mut page = Page::new(out.color());
            let plural = if names.len() == 1 { "" } else { "s" };
            writeln!(page, "\nrunning {} test{plural} of {}", names.len(), executable.name)?;
            out.print(&page)?;
        }
        for name in names {
            let mut page = Page::new(out.color());
            if ignored.contains(&name) {
                self.ignored += 1;
                if is_human {
                    writeln!(page, "test {name} ... {}", page.paint(FAINT, "ignored"))?;
                }
            } else {
                self.explore(executable, name, options, &mut page)?;
            }
            out.print(&page)?;
            out.finish()?;
            if interrupt::requested() || out.is_closed() {
                break;
            }
        }
        Ok(())
    }

    /// Explores a test.
    fn explore(
        &mut self,
        executable: &Executable,
        name: String,
        options: &RunOptions,
        page: &mut Page,
    ) -> io::Result<()> {
        let words = ["--exact", &name, "--test-threads=1", "--nocapture"].map(str::to_string);
        let explored = ready(&executable.file).and_then(|mut ready| {
            executable.is_at_home(&mut ready.command);
            // The test runs on the main thread; backtraces would take longer than executions do.
            ready.command.args(&words).env("TRIBUNAL_LIBTEST", "1").env("RUST_BACKTRACE", "0");
            ready.explore(options)
        });
        let is_human = options.style == RunStyle::Human;
        let (report, warnings) = match explored {
            Ok(Explored::Reported(report, warnings)) => (*report, warnings),
            Ok(Explored::Interrupted) => return Ok(()),
            Ok(Explored::Late) => {
                self.tally.undecided += 1;
                return match is_human {
                    true => writeln!(page, "test {name} ... {}", page.paint(DOUBT, LATE)),
                    false => {
                        complain(&format!("{name}: {LATE}"));
                        Ok(())
                    }
                };
            }
            Err(problem) => {
                self.tally.malformed += 1;
                return match is_human {
                    true => {
                        writeln!(page, "test {name} ... {}", page.paint(BAD, &format!("error: {problem}")))
                    }
                    false => {
                        complain(&format!("error: {name}: {problem}"));
                        Ok(())
                    }
                };
            }
        };
        let found = tally(&report);
        self.passed += usize::from(found.inconsistent + found.undecided == 0);
        self.tally.add(found);
        let mut ran = Ran { program: executable.name.clone(), words: words.to_vec(), name, report, warnings };
        if let Some(failure) = &mut ran.report.failure {
            failure.output = without_harness(std::mem::take(&mut failure.output), &ran.name);
            tell_panic(failure);
        }
        match options.style {
            RunStyle::Human => human(&ran, page),
            RunStyle::Brief => print::line(&ran, page),
            RunStyle::Json => print::json(&ran, page),
            RunStyle::Junit | RunStyle::Sarif => {
                self.ran.push(ran);
                Ok(())
            }
        }
    }

    fn summary(&self, start: Instant, page: &mut Page) -> io::Result<()> {
        let Tally { inconsistent, undecided, malformed, .. } = self.tally;
        let is_ok = inconsistent + malformed == 0;
        let result = if is_ok { page.paint(GOOD, "ok") } else { page.paint(BAD, "FAILED") };
        let errors = if malformed > 0 { format!("{malformed} not explored; ") } else { String::new() };
        writeln!(
            page,
            "\ntest result: {result}. {} passed; {inconsistent} failed; {undecided} undecided; {} ignored; {errors}finished in {:.2} s",
            self.passed,
            self.ignored,
            start.elapsed().as_secs_f64()
        )
    }
}

/// A test in a line, as cargo has it, and below that how it failed.
fn human(ran: &Ran, page: &mut Page) -> io::Result<()> {
    let seen = seen(&ran.report.counts());
    let verdict = match &ran.report.failure {
        Some(failure) => {
            format!("{}: {}", page.paint(BAD, "FAILED"), printable_lines(&failure.headline))
        }
        None if ran.report.is_unfinished() => format!("{}, {seen}", page.paint(DOUBT, "undecided")),
        None => format!("{}, {seen}", page.paint(GOOD, "ok")),
    };
    writeln!(page, "test {} ... {verdict}", ran.name)?;
    print::details(ran, page)?;
    if ran.report.failure.is_some() {
        writeln!(page)?;
    }
    Ok(())
}

/// The tests of an executable, in their order.
fn names(executable: &Executable, filter: Option<&str>, ignored: bool) -> Result<Vec<String>, Problem> {
    let mut ready = ready(&executable.file)?;
    executable.is_at_home(&mut ready.command);
    ready.command.args(["--list", "--format", "terse"]).args(filter);
    if ignored {
        ready.command.arg("--ignored");
    }
    // What prints the list is a program like any other, with one execution.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TRIBUNAL_") {
            ready.command.env_remove(name);
        }
    }
    ready.command.env("TRIBUNAL_OUTPUT", "1").stdin(Stdio::null());
    let listed = ready.command.output().map_err(Problem::Start)?;
    if !listed.status.success() {
        return Err(Problem::List(String::from_utf8_lossy(&listed.stderr).trim().to_string()));
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect())
}

/// A test that panics ends its program with a status: the failure is the panic, which stands in what the test printed.
fn tell_panic(failure: &mut report::Failure) {
    let announced = |line: &String| line.starts_with("thread '") && line.contains(PANICKED);
    let Some(at) = failure.output.iter().rposition(announced).filter(|_| failure.kind == "panic") else {
        return;
    };
    let place = failure.output[at].split_once(PANICKED).map_or("", |(_, place)| place).trim_end_matches(':');
    let message = failure.output.get(at + 1).map_or("", String::as_str);
    let headline = format!("panic at {place}: {message}");
    if let Some(rest) = failure.text.strip_prefix(&failure.headline) {
        failure.text = format!("{headline}{rest}");
    }
    failure.headline = headline;
    let mut parts = place.rsplitn(3, ':');
    let mut number = || parts.next()?.parse().ok();
    if let (Some(column), Some(line)) = (number(), number()) {
        let file = parts.next().unwrap_or_default().to_string();
        failure.place = Some(report::Place { file, line, column });
    }
}

/// What a test printed, without what its harness prints around that.
fn without_harness(output: Vec<String>, name: &str) -> Vec<String> {
    let first = output.iter().position(|line| line == "running 1 test").map_or(0, |at| at + 1);
    let last = output.iter().rposition(|line| line.starts_with("test result: "));
    let last = last.and_then(|at| output[..at].iter().rposition(|line| line == "failures:"));
    let own = &output[first..last.unwrap_or(output.len()).max(first)];
    let announced = format!("test {name} ");
    // The test goes on in the line that announces it.
    let goes_on =
        |line: &'_ String| match line.strip_prefix(&announced).and_then(|rest| rest.split_once("... ")) {
            Some((_, rest)) => rest.to_string(),
            None => line.clone(),
        };
    let headings = [BACKTRACES, "---- "];
    let own = own.iter().map(goes_on).filter(|line| !["", "FAILED", "failures:"].contains(&line.as_str()));
    own.filter(|line| !headings.iter().any(|heading| line.starts_with(heading))).collect()
}

#[cfg(test)]
mod tests {
    use super::without_harness;

    #[test]
    fn what_the_harness_prints_is_left_out() {
        let own = |text: &str| without_harness(text.lines().map(str::to_string).collect(), "a::b").join("|");
        let end = "FAILED\n\nfailures:\n\nfailures:\n    a::b\n\ntest result: FAILED. 0 passed\n\n";
        assert_eq!(own(&format!("\nrunning 1 test\ntest a::b ... one\ntwo\n{end}")), "one|two");
        let note = "failures:\n\n---- a::b stdout ----\nnote: test did not panic as expected\n\nfailures:\n    a::b\n\ntest result: FAILED.";
        let text = format!("running 1 test\ntest a::b - should panic ... FAILED\n\n{note}");
        assert_eq!(own(&text), "note: test did not panic as expected");
        assert_eq!(own("one\ntwo"), "one|two");
    }
}

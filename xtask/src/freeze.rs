//! The command's answers, recorded and compared byte for byte: a change of structure must not change an answer.
//!
//! `groups` says which commands are run. A group's commands, exit statuses and outputs are one transcript, which is kept
//! compressed in a directory, so that the first line that differs can be shown.

mod groups;

use crate::{cargo, root, run, target_directory};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The head of a record.
const HEAD: &str = "\
Answers of the command `tribunal`: verdicts, certificates, explanations and exit statuses, a transcript for each group.
Left out are the times that answers took: every `\"micros\":N` is written as `\"micros\":0`. Nothing else is changed.
Every question is limited by states of a search, not by time, so that a slower machine gives the same answers.
";

/// What a run is asked to do.
pub struct Options {
    /// The place where the record is; a file for each group.
    record: PathBuf,
    /// The command that is asked, if it is not to be built.
    command: Option<PathBuf>,
    /// Part of the names of the groups that are compared, if not all are.
    only: Option<String>,
}

impl Options {
    /// Reads the arguments of the task.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options { record: target_directory()?.join("freeze"), command: None, only: None };
        let mut arguments = arguments.iter();
        let absolute =
            |path: &String| std::path::absolute(path).map_err(|error| format!("error: {path}: {error}"));
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--command" => {
                    let file = arguments.next().ok_or("error: --command needs a file")?;
                    options.command = Some(absolute(file)?);
                }
                "--only" => {
                    options.only =
                        Some(arguments.next().ok_or("error: --only needs part of a name")?.clone());
                }
                option if option.starts_with('-') => {
                    return Err(format!("error: freeze has no option {option}"));
                }
                _ => options.record = absolute(argument)?,
            }
        }
        Ok(options)
    }
}

/// A command to run.
pub(crate) struct Step {
    /// Its arguments.
    arguments: Vec<String>,
    /// The file that its output is written to, for a later command.
    into: Option<&'static str>,
    /// Names of models to put in place of others in that file: certificates that should be refused.
    forge: &'static [(&'static str, &'static str)],
    /// Whether its output is part of the record.
    recorded: bool,
}

/// Commands whose transcript is one file of the record.
pub(crate) struct Group {
    name: String,
    steps: Vec<Step>,
}

/// What was asked.
#[derive(Default)]
struct Counts {
    runs: usize,
    histories: usize,
    verdicts: usize,
}

/// Records what the command answers if there is no record yet; otherwise compares with it, and fails where they differ.
pub fn freeze(options: &Options) -> Result<(), String> {
    let command = match &options.command {
        Some(command) => command.clone(),
        None => {
            run(cargo().args(["build", "--release", "-p", "tribunal-cli"]))?;
            target_directory()?.join("release/tribunal")
        }
    };
    let work = work()?;
    let mut groups = groups::groups(&work)?;
    if let Some(only) = &options.only {
        groups.retain(|group| group.name.contains(only.as_str()));
    }
    let head = options.record.join("README");
    let recorded = head.exists();
    if !recorded && options.only.is_some() {
        return Err(format!(
            "error: {}: there is no record to compare --only some groups with",
            options.record.display()
        ));
    }
    let began = Instant::now();
    let (mut all, mut differ) = (Counts::default(), Vec::new());
    if !recorded {
        create(&options.record)?;
    }
    for group in &groups {
        let transcript = transcript(group, &command, &work, &mut all)?;
        let file = options.record.join(format!("{}.gz", group.name));
        if !recorded {
            write(&file, &transcript)?;
        } else if let Some(difference) = difference(&file, &transcript)? {
            println!("{}: {difference}", group.name);
            differ.push(group.name.clone());
        }
    }
    if recorded && options.only.is_none() {
        for missed in missed(&options.record, &groups)? {
            println!("{missed}: recorded, but not asked: is TRIBUNAL_SHARED as it was?");
            differ.push(missed);
        }
    }
    let Counts { runs, histories, verdicts } = all;
    let seconds = began.elapsed().as_secs();
    let summary = format!(
        "{} groups, {runs} commands, {histories} histories, {verdicts} verdicts, {seconds} s",
        groups.len()
    );
    let place = options.record.display();
    if !recorded {
        std::fs::write(&head, format!("{HEAD}{summary}\n"))
            .map_err(|error| format!("error: {place}: {error}"))?;
        println!("{summary}: recorded in {place}");
        return Ok(());
    }
    if differ.is_empty() {
        println!("{summary}: all equal to {place}");
        return Ok(());
    }
    Err(format!("{summary}: {} groups differ from {place}", differ.len()))
}

/// An empty directory to run in, from which files have the same names on every machine.
fn work() -> Result<PathBuf, String> {
    let work = target_directory()?.join("freeze-work");
    if work.exists() {
        std::fs::remove_dir_all(&work).map_err(|error| format!("error: {}: {error}", work.display()))?;
    }
    create(&work)?;
    let link = |from: PathBuf, to: &str| {
        std::os::unix::fs::symlink(&from, work.join(to))
            .map_err(|error| format!("error: {}: {error}", from.display()))
    };
    link(root().join("examples"), "examples")?;
    link(root().join("crates/tribunal-engines/tests/data"), "data")?;
    link(root().join("crates/tribunal-explore/programs"), "programs")?;
    let shared = std::env::var_os("TRIBUNAL_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    match shared.canonicalize() {
        Ok(shared) => link(shared, "shared")?,
        Err(_) => println!("TRIBUNAL_SHARED names no folder: histories by others are left out"),
    }
    Ok(work)
}

/// Runs a group's commands and writes down what they answer.
fn transcript(group: &Group, command: &Path, work: &Path, counts: &mut Counts) -> Result<String, String> {
    let mut transcript = String::new();
    for step in &group.steps {
        let ran = Command::new(command)
            .args(&step.arguments)
            .current_dir(work)
            .env_remove("TRIBUNAL_INCLUDE")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("error: {}: {error}", command.display()))?;
        let output = without_times(&String::from_utf8_lossy(&ran.stdout));
        if let Some(file) = step.into {
            let mut text = output.clone();
            for (from, to) in step.forge {
                text = text.replace(&format!("\"model\":\"{from}\""), &format!("\"model\":\"{to}\""));
            }
            std::fs::write(work.join(file), text).map_err(|error| format!("error: {file}: {error}"))?;
        }
        counts.runs += 1;
        if !step.recorded {
            continue;
        }
        count(&output, counts);
        let errors = String::from_utf8_lossy(&ran.stderr);
        let _ = writeln!(transcript, "$ tribunal {}", step.arguments.join(" "));
        transcript.push_str(&output);
        if !errors.is_empty() {
            let _ = writeln!(transcript, "on standard error:\n{errors}");
        }
        let _ = writeln!(
            transcript,
            "status: {}\n",
            ran.status.code().map_or("none".into(), |code| code.to_string())
        );
    }
    Ok(transcript)
}

/// An output without the times that answers took.
fn without_times(output: &str) -> String {
    const TIME: &str = "\"micros\":";
    let mut kept = String::with_capacity(output.len());
    let mut pieces = output.split(TIME);
    kept.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        kept.push_str(TIME);
        kept.push('0');
        kept.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    kept
}

/// Counts the lines of JSON that have a verdict, and the histories, tests and programs that they are about.
fn count(output: &str, counts: &mut Counts) {
    let mut last = "";
    for line in output.lines().filter(|line| line.starts_with('{') && line.contains("\"verdict\":\"")) {
        counts.verdicts += 1;
        let about = line.split_once("\"model\":").map_or(line, |(about, _)| about);
        if about != last {
            counts.histories += 1;
            last = about;
        }
    }
}

/// The first line in which a transcript differs from the recorded one, if any does, with the command it belongs to.
fn difference(file: &Path, transcript: &str) -> Result<Option<String>, String> {
    if !file.exists() {
        return Ok(Some("there is no record of it".into()));
    }
    let failed = |error| format!("error: {}: {error}", file.display());
    let mut before = String::new();
    GzDecoder::new(File::open(file).map_err(failed)?).read_to_string(&mut before).map_err(failed)?;
    if before == transcript {
        return Ok(None);
    }
    let (mut old, mut new) = (before.lines(), transcript.lines());
    let mut command = "";
    loop {
        let (was, is) = (old.next(), new.next());
        if was != is || was.is_none() {
            let (was, is) = (was.unwrap_or("nothing"), is.unwrap_or("nothing"));
            return Ok(Some(format!("{command}\n  was {}\n  is  {}", around(was, is), around(is, was))));
        }
        if let Some(line) = was.filter(|line| line.starts_with("$ ")) {
            command = line;
        }
    }
}

/// The part of a line around its first difference from another.
fn around(line: &str, other: &str) -> String {
    const BEFORE: usize = 120;
    const AFTER: usize = 240;
    let same = line.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    line.chars().skip(same.saturating_sub(BEFORE)).take(BEFORE + AFTER).collect()
}

/// The groups of the record that were not asked.
fn missed(record: &Path, groups: &[Group]) -> Result<Vec<String>, String> {
    let failed = |error| format!("error: {}: {error}", record.display());
    let mut missed = Vec::new();
    for entry in std::fs::read_dir(record).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if let Some(name) =
            name.strip_suffix(".gz").filter(|name| groups.iter().all(|group| group.name != *name))
        {
            missed.push(name.to_owned());
        }
    }
    missed.sort();
    Ok(missed)
}

fn write(file: &Path, transcript: &str) -> Result<(), String> {
    let failed = |error| format!("error: {}: {error}", file.display());
    let mut out = GzEncoder::new(File::create(file).map_err(failed)?, Compression::fast());
    out.write_all(transcript.as_bytes()).map_err(failed)?;
    out.finish().map_err(failed)?;
    Ok(())
}

fn create(directory: &Path) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("error: {}: {error}", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_left_out_and_nothing_else() {
        let line = r#"{"verdict":"consistent","events":4,"micros":24}"#;
        assert_eq!(without_times(line), r#"{"verdict":"consistent","events":4,"micros":0}"#);
        assert_eq!(without_times("nothing of the kind"), "nothing of the kind");
    }

    #[test]
    fn a_difference_is_shown_with_its_command() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("a.gz");
        write(&file, "$ tribunal a\nyes\nstatus: 0\n").expect("a record");
        assert_eq!(difference(&file, "$ tribunal a\nyes\nstatus: 0\n"), Ok(None));
        let other = difference(&file, "$ tribunal a\nyes\nstatus: 1\n").expect("a record");
        assert_eq!(other.expect("a difference"), "$ tribunal a\n  was status: 0\n  is  status: 1");
        assert!(difference(&file, "$ tribunal a\nyes\n").expect("a record").is_some());
    }

    #[test]
    fn histories_and_verdicts_are_counted() {
        let mut counts = Counts::default();
        let line = |index: u32, model: &str| {
            format!("{{\"index\":{index},\"model\":\"{model}\",\"verdict\":\"consistent\"}}\n")
        };
        count(&format!("{}{}{}not JSON\n", line(0, "sc"), line(0, "tso"), line(1, "sc")), &mut counts);
        assert_eq!((counts.histories, counts.verdicts), (2, 3));
    }
}

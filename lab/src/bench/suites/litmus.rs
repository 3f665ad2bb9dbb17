//! Litmus tests: how many a second are read and run on one core, and those on which herd takes long.

use crate::bench::table::time;
use crate::bench::{Error, Session, Table};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::Plan;
use tribunal_cat::{Architecture, Directories, Environment, Model as Text, NoFiles};
use tribunal_history::model::Model;
use tribunal_litmus::{Options, Outcome, Runner, Test};

/// Where the tests are: a folder with `hard` and the folders that diy filled.
const VARIABLE: &str = "TRIBUNAL_TESTS";
const USUAL: &str = "../shared/litmus";
/// Where herd's own models are.
const INCLUDE: &str = "TRIBUNAL_INCLUDE";
const FOLDERS: [(&str, Model); 3] =
    [("x86-diy", Model::Tso), ("X86_64-diy", Model::Tso), ("c11-diy", Model::Rc11)];
const TEST_TIME: Duration = Duration::from_secs(120);

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let folder = env::var_os(VARIABLE).map_or(PathBuf::from(USUAL), PathBuf::from);
    if !folder.join("hard").is_dir() {
        session.note(format!(
            "Left out: {} is not there. `{VARIABLE}` may name another folder.",
            folder.display()
        ));
        return Ok(());
    }
    many(session, &folder)?;
    hard(session, &folder)
}

/// Tests a second: text to states and verdict, without counting executions.
fn many(session: &mut Session<'_>, folder: &Path) -> Result<(), Error> {
    let mut table = Table::new(
        "litmus: tests that diy made, read and run on one core, best of 3",
        &["folder", "model", "tests", "tests a second", "states"],
    );
    session.begin("folders", FOLDERS.len() as u64);
    for (name, model) in FOLDERS {
        let texts = texts(&folder.join(name))?;
        let (plan, options) = built_in(model)?;
        let mut best = (Duration::MAX, 0);
        for _ in 0..3 {
            let start = Instant::now();
            let mut runner = Runner::new(&plan, Options { counts: false, ..options });
            let mut states = 0;
            for text in &texts {
                states += answer(&mut runner, text)?.map_or(0, |outcome| outcome.states.len());
            }
            best = best.min((start.elapsed(), states));
        }
        let rate = texts.len() as f64 / best.0.as_secs_f64();
        table.row([
            name.into(),
            model.to_string(),
            texts.len().to_string(),
            format!("{rate:.0}"),
            best.1.to_string(),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// The tests of `hard`, beside herd7's CPU seconds.
fn hard(session: &mut Session<'_>, folder: &Path) -> Result<(), Error> {
    let mut table = Table::new(
        "litmus: tests on which herd7 7.58 takes long, on one core; counted: with herd's numbers of executions",
        &["test", "model", "herd7", "time", "times", "states", "counted"],
    );
    let rows = fs::read_to_string(folder.join("hard/herd7.tsv"))?;
    let rows: Vec<Vec<&str>> =
        rows.lines().filter(|row| !row.starts_with('#')).map(|row| row.split('\t').collect()).collect();
    session.begin("hard tests", rows.len() as u64);
    let mut left_out = false;
    for row in &rows {
        let [test, model, herd, ..] = row.as_slice() else { continue };
        session.step()?;
        let given = match *model {
            "rc11" => Some(built_in(Model::Rc11)?),
            "x86tso" => Some(built_in(Model::Tso)?),
            other => file(other)?,
        };
        let Some((plan, options)) = given else {
            left_out = true;
            continue;
        };
        let text = fs::read_to_string(folder.join(format!("hard/{test}.litmus")))?;
        let timed = |counts: bool| -> Result<(Duration, Option<Outcome>), Error> {
            let start = Instant::now();
            let mut runner = Runner::new(&plan, Options { counts, ..options });
            let outcome = answer(&mut runner, &text)?;
            Ok((start.elapsed(), outcome))
        };
        let (states_only, outcome) = timed(false)?;
        let (counted, _) = timed(true)?;
        let seconds = herd.trim_start_matches('>').split(' ').next().and_then(|s| s.parse::<f64>().ok());
        let at_least = if herd.starts_with('>') { "> " } else { "" };
        let times =
            seconds.map_or(String::new(), |s| format!("{at_least}{:.0}", s / states_only.as_secs_f64()));
        table.row([
            (*test).into(),
            (*model).into(),
            format!("{herd} s"),
            time(states_only),
            times,
            outcome.map_or("undecided".into(), |outcome| outcome.states.len().to_string()),
            time(counted),
        ]);
    }
    session.table(table);
    if left_out {
        session.note(format!("Left out: models of herd's that are in no directory of `{INCLUDE}`."));
    }
    Ok(())
}

/// None where the time ran out.
fn answer(runner: &mut Runner<'_>, text: &str) -> Result<Option<Outcome>, Error> {
    let test = Test::parse("test", text).map_err(|error| Error::Litmus(error.to_string()))?;
    let end = Instant::now() + TEST_TIME;
    let mut limits = |_: usize, _: u64| if Instant::now() > end { Err(Stopped) } else { Ok(()) };
    match runner.run(&test, &mut limits) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(tribunal_litmus::RunError::Stopped(_)) => Ok(None),
        Err(error) => Err(Error::Litmus(error.to_string())),
    }
}

fn built_in(model: Model) -> Result<(Plan, Options), Error> {
    let wrong = |error: tribunal_cat::Error| Error::Litmus(error.to_string());
    let text = Text::parse(&model.text(), model.name(), &mut NoFiles).map_err(wrong)?;
    let plan = text.plan(&Environment::history()).map_err(wrong)?;
    Ok((plan, Options { history: true, ..Options::default() }))
}

/// A model of herd's for AArch64, if it is there.
fn file(name: &str) -> Result<Option<(Plan, Options)>, Error> {
    let wrong = |error: tribunal_cat::Error| Error::Litmus(error.to_string());
    let directories: Vec<PathBuf> =
        env::var_os(INCLUDE).map(|list| env::split_paths(&list).collect()).unwrap_or_default();
    let found =
        directories.iter().map(|directory| directory.join(format!("{name}.cat"))).find(|path| path.is_file());
    let Some(path) = found else { return Ok(None) };
    let mut library = Directories::new(directories, |path: &Path| fs::read(path));
    let text =
        Text::parse(&fs::read_to_string(&path)?, &path.to_string_lossy(), &mut library).map_err(wrong)?;
    let plan = text.plan(&Environment::of(Architecture::AArch64)).map_err(wrong)?;
    Ok(Some((plan, Options { register_events: text.computes_dependencies(), ..Options::default() })))
}

/// The texts of all tests below a folder.
fn texts(folder: &Path) -> Result<Vec<String>, Error> {
    let mut texts = Vec::new();
    let mut stack = vec![folder.to_owned()];
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                stack.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            texts.push(fs::read_to_string(&path)?);
        }
    }
    Ok(texts)
}

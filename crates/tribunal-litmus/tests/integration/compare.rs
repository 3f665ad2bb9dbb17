//! What herd answered, and what we answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::Plan;
use tribunal_cat::{Architecture, Directories, Environment, Model, NoFiles};
use tribunal_litmus::{Macros, Options, Outcome, RunError, Runner, Test, Verdict};

/// A row of herd's answers.
pub struct Row {
    pub test: String,
    pub model: String,
    pub verdict: String,
    pub states: BTreeSet<String>,
    pub positive: u64,
    pub negative: u64,
    pub flags: String,
    pub differs: bool,
}

/// The folder of litmus tests with herd's answers.
pub fn shared() -> Option<PathBuf> {
    crate::shared::shared("litmus")
}

/// Directories of a variable, separated by colons.
pub fn directories(variable: &str) -> Vec<PathBuf> {
    let value = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
    std::env::split_paths(&value).collect()
}

/// The text of an xz file.
pub fn unpack(path: &Path) -> String {
    let output = Command::new("xz").arg("-dc").arg(path).output().expect("xz, which unpacks herd's answers");
    assert!(output.status.success(), "{} cannot be unpacked", path.display());
    String::from_utf8(output.stdout).expect("text")
}

impl Row {
    /// A row of a test, a model, a verdict and states.
    pub fn new(test: &str, model: &str, verdict: &str, text: &str) -> Self {
        Self {
            test: test.to_owned(),
            model: model.to_owned(),
            verdict: verdict.to_owned(),
            states: states(text),
            positive: 0,
            negative: 0,
            flags: String::new(),
            differs: false,
        }
    }
}

/// A state with values out of thin air as `S`, whatever their numbers.
fn unnumbered(state: &str) -> String {
    let mut parts = state.split("=S");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "=S" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

fn states(text: &str) -> BTreeSet<String> {
    text.split(" | ").map(|s| unnumbered(s.trim())).filter(|s| !s.is_empty()).collect()
}

/// The rows of expected.tsv.
pub fn expected(text: &str) -> Vec<Row> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        Row {
            test: columns[0].to_owned(),
            model: columns[1].to_owned(),
            verdict: columns[2].to_owned(),
            positive: columns[7].parse().unwrap_or(0),
            negative: columns[8].parse().unwrap_or(0),
            flags: columns[9].to_owned(),
            differs: columns[12] == "differs",
            states: states(columns.get(14).copied().unwrap_or_default()),
        }
    })
    .collect()
}

/// Models by file name, with their plans by architecture.
pub struct Models {
    directories: Vec<PathBuf>,
    /// The kernel's, if they are there.
    macros: Macros,
    plans: HashMap<(String, String), Read>,
}

/// A model that was read: its plan, and how tests are run under it.
type Read = Result<&'static (Plan, Options), String>;

/// Our own models, which are of histories.
const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tribunal-history/models");

impl Models {
    pub fn new(directories: Vec<PathBuf>) -> Self {
        let mut files = directories.iter().map(|d| d.join("linux-kernel.def"));
        let macros = files.find_map(|file| std::fs::read_to_string(file).ok());
        let macros = macros.map(|text| Macros::parse("linux-kernel.def", &text).expect("macros"));
        Self { directories, macros: macros.unwrap_or_default(), plans: HashMap::new() }
    }

    /// Whether there is a model of that name.
    pub fn has(&self, name: &str) -> bool {
        let file = format!("{}.cat", name.strip_suffix("-amo").unwrap_or(name));
        name.starts_with("our-") || self.directories.iter().any(|directory| directory.join(&file).exists())
    }

    pub fn plan(&mut self, name: &str, arch: &str) -> Read {
        let key = (name.to_owned(), arch.to_owned());
        if let Some(plan) = self.plans.get(&key) {
            return plan.clone();
        }
        let plan = self.read(name, arch).map(|plan| &*Box::leak(Box::new(plan)));
        self.plans.insert(key, plan.clone());
        plan
    }

    /// A model of ours by name, after `our-`.
    fn ours(name: &str) -> Result<(Plan, Options), String> {
        let text = std::fs::read_to_string(format!("{OURS}/{name}.cat")).map_err(|e| e.to_string())?;
        let text = tribunal_litmus::text_of(name, &text);
        let model = Model::parse(&text, name, &mut NoFiles).map_err(|e| e.to_string())?;
        let plan = model.plan(&Environment::history().with_relation("rmw")).map_err(|e| e.to_string())?;
        Ok((plan, Options { history: true, ..Options::default() }))
    }

    fn read(&self, name: &str, arch: &str) -> Result<(Plan, Options), String> {
        if let Some(name) = name.strip_prefix("our-") {
            return Self::ours(name);
        }
        let mut directories = self.directories.clone();
        let mut file = name;
        // Master's model of that name is in the last directory.
        if let Some(stem) = name.strip_suffix("-amo") {
            file = stem;
            directories.reverse();
        }
        let path = directories.iter().map(|d| d.join(format!("{file}.cat"))).find(|p| p.exists());
        let path = path.ok_or_else(|| format!("there is no model {file}"))?;
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
        let mut library = Directories::new(directories, |p: &Path| std::fs::read(p));
        let file = path.to_string_lossy();
        let bell = library.text(&path.with_extension("bell")).map_err(|e| e.to_string())?;
        let model = match &bell {
            Some(bell) => Model::parse_with_bell((&text, &file), (bell, "bell"), &mut library),
            None => Model::parse(&text, &file, &mut library),
        };
        let model = model.map_err(|e| e.to_string())?;
        let arch = Architecture::of_name(arch).ok_or("an architecture without models")?;
        let mut environment = Environment::of(arch);
        if name == "linux-kernel" {
            environment = environment.with_variant("lkmmv2");
        }
        let plan = model.plan(&environment).map_err(|e| e.to_string())?;
        Ok((plan, Options { register_events: model.computes_dependencies(), ..Options::default() }))
    }
}

/// Our states as herd prints them.
pub fn printed(test: &Test, outcome: &Outcome) -> BTreeSet<String> {
    outcome.states.keys().map(|state| unnumbered(&test.state(state))).filter(|s| !s.is_empty()).collect()
}

/// What herd prints before `Witnesses`.
pub fn verdict(test: &Test, outcome: &Outcome) -> String {
    let verdict = match outcome.verdict(test.quantifier) {
        Verdict::Ok => "Ok",
        Verdict::No => "No",
        Verdict::Undefined => "Undef",
    };
    if outcome.cut { format!("Loop {verdict}") } else { verdict.to_owned() }
}

/// How rows of one architecture and model compare.
#[derive(Default)]
pub struct Tally {
    pub same: usize,
    pub counts_differ: usize,
    pub herd_refuses: usize,
    /// Rows whose model or test is in none of the directories.
    pub missing: usize,
    pub wrong: Vec<String>,
    pub unsupported: Vec<String>,
    pub stopped: Vec<String>,
    pub time: Duration,
}

/// Compares rows, by architecture and model. `file` gives a test's file.
pub fn compare(
    rows: &[Row],
    models: &mut Models,
    counts: bool,
    seconds: u64,
    file: impl Fn(&str) -> PathBuf,
) -> BTreeMap<(String, String), Tally> {
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    for row in rows {
        let arch = row.test.split('/').next().unwrap_or_default().to_owned();
        let tally = tallies.entry((arch, row.model.clone())).or_default();
        if row.verdict == "error" || row.verdict == "timeout" || row.differs {
            tally.herd_refuses += 1;
            continue;
        }
        if !models.has(&row.model) || !file(&row.test).exists() {
            tally.missing += 1;
            continue;
        }
        let start = Instant::now();
        match answer(row, models, counts, seconds, &file(&row.test)) {
            Ok((test, outcome)) => {
                let (states, verdict) = (printed(&test, &outcome), verdict(&test, &outcome));
                let all = outcome.executions();
                let mut flags = outcome.flags.clone();
                if outcome.undefined {
                    flags.insert(0, "*undef*".to_owned());
                }
                let verdict_differs = !row.verdict.is_empty() && verdict != row.verdict;
                if verdict_differs || states != row.states {
                    let less = row.states.difference(&states).cloned().collect::<Vec<_>>().join("| ");
                    let more = states.difference(&row.states).cloned().collect::<Vec<_>>().join("| ");
                    tally.wrong.push(format!(
                        "{} {}: {verdict} for {}, missing {{{less}}}, extra {{{more}}}",
                        row.test, row.model, row.verdict
                    ));
                } else if counts && (all.positive, all.negative) != (row.positive, row.negative) {
                    tally.counts_differ += 1;
                    tally.wrong.push(format!(
                        "{} {}: counts {} {} for {} {}",
                        row.test, row.model, all.positive, all.negative, row.positive, row.negative
                    ));
                } else if flags.join(",") != row.flags {
                    let (ours, herds) = (flags.join(","), &row.flags);
                    tally.wrong.push(format!("{} {}: flags {ours} for {herds}", row.test, row.model));
                } else {
                    tally.same += 1;
                }
            }
            Err(Problem::Stopped) => tally.stopped.push(row.test.clone()),
            Err(Problem::Other(message)) => {
                tally.unsupported.push(format!("{} {}: {message}", row.test, row.model))
            }
        }
        tally.time += start.elapsed();
    }
    tallies
}

/// Why there is no answer.
pub enum Problem {
    Stopped,
    Other(String),
}

/// Our answer.
pub fn answer(
    row: &Row,
    models: &mut Models,
    counts: bool,
    seconds: u64,
    file: &Path,
) -> Result<(Test, Outcome), Problem> {
    let text = std::fs::read(file).map_err(|e| Problem::Other(format!("{}: {e}", file.display())))?;
    let text = String::from_utf8_lossy(&text);
    let none = Macros::default();
    let macros = if row.model == "linux-kernel" { &models.macros } else { &none };
    let test = Test::parse_with(&row.test, &text, macros).map_err(|e| Problem::Other(e.to_string()))?;
    let (plan, options) = models.plan(&row.model, &test.arch).map_err(Problem::Other)?;
    let mut runner = Runner::new(plan, Options { counts, ..*options });
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut limits = |_: usize, _: u64| if Instant::now() > end { Err(Stopped) } else { Ok(()) };
    let outcome = runner.run(&test, &mut limits).map_err(|e| match e {
        RunError::Stopped(_) => Problem::Stopped,
        other => Problem::Other(other.to_string()),
    })?;
    Ok((test, outcome))
}

/// Prints a table of how they compare, and what differs.
pub fn report(tallies: &BTreeMap<(String, String), Tally>) {
    for ((arch, model), t) in tallies {
        for line in t.wrong.iter().chain(&t.unsupported) {
            eprintln!("{}", line.chars().take(400).collect::<String>());
        }
        for test in &t.stopped {
            eprintln!("{test} {model}: stopped");
        }
        let _ = arch;
    }
    eprintln!(
        "architecture model: same, wrong (counts only), unsupported, stopped, not compared, missing; seconds"
    );
    for ((arch, model), t) in tallies {
        eprintln!(
            "{arch} {model}: {}, {} ({}), {}, {}, {}, {}; {:.2}",
            t.same,
            t.wrong.len(),
            t.counts_differ,
            t.unsupported.len(),
            t.stopped.len(),
            t.herd_refuses,
            t.missing,
            t.time.as_secs_f64()
        );
    }
}

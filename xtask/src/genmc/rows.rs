//! The table of GenMC's tests: one row for each program and line of arguments.

use super::Model;
use std::fs;
use std::path::Path;

/// A test as GenMC runs it.
pub(super) struct Row {
    /// Its place in the table.
    pub(super) number: usize,
    /// The program, below the checkout.
    pub(super) path: String,
    /// What the compiler is told: macros, folders.
    pub(super) clang_arguments: Vec<String>,
    /// The error that GenMC finds, if the program is wrong.
    pub(super) error: Option<String>,
    pub(super) unroll: Option<u32>,
    /// Whether plain accesses may race.
    pub(super) allows_races: bool,
    /// Complete executions with mo.
    rc11: Option<u64>,
    sc: Option<u64>,
    /// Why its number of executions need not be ours; nothing if it must be.
    pub(super) apart: Option<String>,
    /// Whether GenMC's own scripts still run it.
    pub(super) is_run_by_genmc: bool,
}

impl Row {
    /// The program and what it is compiled with.
    pub(super) fn name(&self) -> String {
        let macros = self.clang_arguments.iter().filter(|argument| argument.starts_with("-D"));
        let path = self.path.trim_start_matches("tests/").replace("/variants/", "/");
        macros.fold(path, |name, argument| format!("{name} {argument}"))
    }

    /// How many executions GenMC has, if it says so.
    pub(super) fn expected(&self, model: Model) -> Option<u64> {
        match model {
            Model::Rc20 => self.rc11,
            Model::Sc => self.sc,
        }
    }
}

/// All rows.
pub(super) fn read(file: &Path) -> Result<Vec<Row>, String> {
    let failed = |why: &dyn std::fmt::Display| format!("error: {}: {why}", file.display());
    let text = fs::read_to_string(file).map_err(|error| failed(&error))?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let place = head.iter().position(|&column| column == name);
        place.ok_or_else(|| failed(&format!("there is no column {name}")))
    };
    let (path, error, unroll) = (column("path")?, column("error")?, column("unroll")?);
    let (genmc, clang) = (column("genmc_args")?, column("clang_args")?);
    let (rc11, sc, unreduced) = (column("rc11.mo")?, column("sc")?, column("sc_cbmax")?);
    let (comparable, driver) = (column("directly_comparable")?, column("in_driver")?);
    let row = |(number, line): (usize, &str)| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |place: usize| cells.get(place).copied().filter(|&cell| cell != "-" && !cell.is_empty());
        let count = |place: usize| cell(place).and_then(|cell| cell.parse().ok());
        Row {
            number,
            path: cell(path).unwrap_or_default().into(),
            clang_arguments: cell(clang).unwrap_or_default().split_whitespace().map(String::from).collect(),
            error: cell(error).map(String::from),
            unroll: cell(unroll).and_then(|cell| cell.parse().ok()),
            allows_races: cell(genmc).is_some_and(|options| options.contains("-disable-race-detection")),
            rc11: count(rc11),
            sc: count(unreduced).or(count(sc)),
            apart: match cell(comparable) {
                Some("yes") => None,
                Some(why) => Some(why.trim_start_matches("no:").into()),
                None => Some("not compared".into()),
            },
            is_run_by_genmc: cell(driver) == Some("y"),
        }
    };
    Ok(lines.enumerate().map(row).collect())
}

//! What came of all rows: what differs, in lines; how many, in tables; and everything as tab-separated values.

use super::Model;
use super::build::Compiler;
use super::outcome::{Outcome, Standing};
use super::rows::Row;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A row that was run.
pub(super) struct Done<'a> {
    pub(super) row: &'a Row,
    pub(super) compiler: Compiler,
    pub(super) outcome: Outcome,
}

impl Done<'_> {
    /// What GenMC says.
    fn expected(&self, model: Model) -> String {
        match (&self.row.error, self.row.expected(model)) {
            (Some(error), _) => error.clone(),
            (None, Some(count)) => count.to_string(),
            (None, None) => "-".into(),
        }
    }

    /// The part of the table that it belongs to.
    fn part(&self) -> String {
        match (&self.row.error, &self.row.apart) {
            (Some(_), _) => "errors".into(),
            (None, None) => "comparable".into(),
            (None, Some(why)) => why.clone(),
        }
    }
}

/// A line for each row that differs though it should not, and how many rows stand how, by part.
pub(super) fn summary(done: &[Done<'_>], model: Model) -> String {
    let mut text = String::new();
    let mut parts: BTreeMap<(usize, String, Compiler), [usize; 5]> = BTreeMap::new();
    let mut errors: BTreeMap<(&str, Compiler, String), usize> = BTreeMap::new();
    for one in done {
        let standing = one.outcome.standing(one.row, model);
        let must_be = one.row.error.is_some() || one.row.apart.is_none();
        if must_be && standing != Standing::Equal {
            let expected = one.expected(model);
            let _ = writeln!(text, "{} {}: {expected}, here {}", one.compiler, one.row.name(), one.outcome);
        }
        let place = match (&one.row.error, &one.row.apart) {
            (None, None) => 0,
            (Some(_), _) => 1,
            (None, Some(_)) => 2,
        };
        parts.entry((place, one.part(), one.compiler)).or_default()[standing as usize] += 1;
        if let Some(error) = &one.row.error {
            let found = match &one.outcome {
                Outcome::Built => continue,
                Outcome::Failed { kind, .. } => kind.clone(),
                Outcome::Complete(_) => "nothing".into(),
                _ => standing.name().into(),
            };
            *errors.entry((error, one.compiler, found)).or_default() += 1;
        }
    }
    let heads = Standing::ALL.map(Standing::name).join(" | ");
    let _ =
        writeln!(text, "\n| rows | compiler | {heads} |\n|---|---|{}", "---|".repeat(Standing::ALL.len()));
    for ((_, part, compiler), counts) in parts {
        let counts = counts.map(|count| count.to_string()).join(" | ");
        let _ = writeln!(text, "| {part} | {compiler} | {counts} |");
    }
    if !errors.is_empty() {
        text.push_str("\n| error | compiler | found | rows |\n|---|---|---|---|\n");
        for ((error, compiler, found), count) in errors {
            let _ = writeln!(text, "| {error} | {compiler} | {found} | {count} |");
        }
    }
    text
}

/// All rows, without what differs from run to run.
pub(super) fn tsv(done: &[Done<'_>], model: Model) -> String {
    let mut text =
        String::from("compiler\tpart\tprogram\texpected\tstanding\texecutions\twith_mo\tblocked\tkind\n");
    for one in done {
        let (counts, kind) = match &one.outcome {
            Outcome::Complete(counts) => {
                (format!("{}\t{}\t{}", counts.executions, counts.with_mo, counts.blocked), "-")
            }
            Outcome::Failed { kind, .. } => ("-\t-\t-".into(), kind.as_str()),
            _ => ("-\t-\t-".into(), "-"),
        };
        let standing = one.outcome.standing(one.row, model).name();
        let (part, name, expected) = (one.part(), one.row.name(), one.expected(model));
        let _ = writeln!(text, "{}\t{part}\t{name}\t{expected}\t{standing}\t{counts}\t{kind}", one.compiler);
    }
    text
}

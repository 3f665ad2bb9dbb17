//! The comparison with herd, which needs files by others.

use crate::{cargo, root, run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the tests are told: the option that names it, and the variable.
const TOLD: [(&str, &str); 4] = [
    ("--herd", "TRIBUNAL_HERD"),
    ("--tests", "TRIBUNAL_LITMUS"),
    ("--shared", "TRIBUNAL_SHARED"),
    ("--only", "TRIBUNAL_ONLY"),
];

/// Runs the tests that ordinary runs leave out for want of these files, none of them skipped.
pub fn compare(arguments: &[String]) -> Result<(), String> {
    let mut given: Vec<(&str, OsString)> = Vec::new();
    for pair in arguments.chunks(2) {
        let known = TOLD.iter().find(|(option, _)| *option == pair[0]);
        match (known, pair.get(1)) {
            (Some((_, variable)), Some(value)) => given.push((variable, value.into())),
            (Some((option, _)), None) => return Err(format!("error: {option} needs a value")),
            (None, _) => return Err(format!("error: litmus has no option {}", pair[0])),
        }
    }
    let value = |variable: &str| {
        let given = given.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.clone());
        given.or_else(|| std::env::var_os(variable))
    };
    let mut told: Vec<(&str, OsString)> = Vec::new();
    for (option, variable) in TOLD {
        let value = match (variable, value(variable)) {
            ("TRIBUNAL_ONLY", None) => continue,
            ("TRIBUNAL_SHARED", None) => root().join("../shared").into(),
            (_, Some(value)) => value,
            (_, None) => return Err(format!("error: {option} or {variable} must name a directory")),
        };
        if variable == "TRIBUNAL_ONLY" {
            told.push((variable, value));
            continue;
        }
        let directories: Vec<PathBuf> =
            std::env::split_paths(&value).map(absolute).collect::<Result<_, _>>()?;
        let joined = std::env::join_paths(directories).map_err(|error| format!("error: {error}"))?;
        told.push((variable, joined));
    }
    for (package, names) in [("tribunal-cat", "herds_models"), ("tribunal-litmus", "expected::")] {
        let mut tests = cargo();
        tests.args(["test", "-p", package, "--test", "integration", names, "--", "--ignored", "--nocapture"]);
        tests.args(["--test-threads", "1"]);
        run(tests.envs(told.iter().cloned()))?;
    }
    Ok(())
}

/// A directory that is there, whatever directory the tests run in.
fn absolute(path: PathBuf) -> Result<PathBuf, String> {
    let missing = |error| format!("error: {}: {error}", path.display());
    Path::new(&path).canonicalize().map_err(missing)
}

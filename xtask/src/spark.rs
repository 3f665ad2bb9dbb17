//! The tests on a cluster: Spark with executors that are processes of their own, and Dask.

use crate::{cargo, python, root, run, target_directory};
use std::process::Command;

/// What the tests are known to pass with; Spark is 456 MB.
const PACKAGES: [&str; 8] = [
    "pyspark==4.3.0",
    "pyarrow",
    "pandas<3",
    "dask[dataframe]",
    "venv-pack",
    "pytest",
    "mypy",
    "pyarrow-stubs",
];

/// Runs them in an environment of their own, `target/spark/venv`, with further arguments for pytest.
pub fn test(arguments: &[String]) -> Result<(), String> {
    if let Some(why) = python::missing() {
        return Err(format!("error: {why}"));
    }
    if Command::new("java").arg("-version").output().is_err() {
        return Err("error: Spark needs Java 17 or later, and there is no `java`".into());
    }
    let target = target_directory()?;
    let (home, environment) = (target.join("spark"), target.join("spark/venv"));
    let wheel = python::wheel(&home)?;
    if !environment.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let python = environment.join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(&python).args(pip).args(PACKAGES))?;
    run(Command::new(&python).args(pip).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
    run(cargo().args(["build", "--release", "-p", "tribunal-cli", "--target-dir"]).arg(&target))?;

    let mut tests = Command::new(&python);
    tests.current_dir(root().join("crates/tribunal-python/cluster"));
    tests.args(["-m", "pytest", "-p", "no:cacheprovider", "-s", "-v"]).args(arguments);
    tests.env("TRIBUNAL", target.join("release/tribunal")).env("TRIBUNAL_WHEEL", &wheel);
    run(&mut tests)
}

//! The Python package: a wheel, and its tests in an environment of their own.

use crate::{root, run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need beside the wheel.
const TOOLS: [&str; 6] = ["maturin>=1.9,<2", "pytest", "pyarrow", "mypy", "polars", "duckdb"];

/// How the wheel is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As it is given to users.
    Release,
    /// In less time, for tests.
    Quick,
}

/// Builds the wheel, installs it into target/python/venv and runs the tests there; where there is no Python, or no packages can be had, says so.
pub fn test(profile: Profile) -> Result<(), String> {
    let missing = missing().or_else(|| environment().err().map(|error| format!("no packages: {error}")));
    if let Some(missing) = missing {
        println!("python: left out: {missing}");
        return Ok(());
    }
    let wheels = home().join("wheels");
    let wheel = build(&wheels, profile)?;
    run(pip().args(["install", "--quiet", "--force-reinstall", "--no-deps"]).arg(&wheel))?;
    let mut pytest = Command::new(python());
    // Elsewhere than in the sources, so that what is imported is what was installed.
    pytest.current_dir(home()).env("PYTHONDONTWRITEBYTECODE", "1");
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"]);
    pytest.arg(package()).arg("-c").arg(package().join("pyproject.toml")).arg(package().join("tests"));
    run(pytest.arg(root().join("examples/python")))
}

/// The reason why there can be no wheel here, if there cannot.
pub fn missing() -> Option<String> {
    const LOOK: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let found = Command::new(interpreter()).args(["-c", LOOK]).output();
    match found {
        Ok(found) if found.status.success() => None,
        Ok(_) => Some("python3 is older than 3.10, or has no venv (Debian: apt install python3-venv)".into()),
        Err(error) => Some(format!("no {}: {error}", interpreter().to_string_lossy())),
    }
}

/// Builds the release wheel into a directory.
pub fn wheel(directory: &Path) -> Result<PathBuf, String> {
    build(directory, Profile::Release)
}

fn build(directory: &Path, profile: Profile) -> Result<PathBuf, String> {
    environment()?;
    let failed = |error: std::io::Error| format!("error: {}: {error}", directory.display());
    // What an earlier build left must not be taken for this one's.
    if directory.exists() {
        for wheel in wheels(directory).map_err(failed)? {
            std::fs::remove_file(&wheel).map_err(failed)?;
        }
    }
    let mut maturin = Command::new(python());
    maturin
        .current_dir(package())
        .args(["-m", "maturin", "build", "--quiet", "--locked", "--out"])
        .arg(directory);
    match profile {
        Profile::Release => maturin.args(["--release", "--strip"]),
        Profile::Quick => maturin.args(["--profile", "quick"]),
    };
    run(&mut maturin)?;
    let mut wheels = wheels(directory).map_err(failed)?;
    wheels.pop().ok_or_else(|| format!("error: maturin left no wheel in {}", directory.display()))
}

fn wheels(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut wheels = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            wheels.push(path);
        }
    }
    Ok(wheels)
}

/// Makes the virtual environment with all that is needed, once.
fn environment() -> Result<(), String> {
    let done = home().join("venv/tools.txt");
    let wanted = TOOLS.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|tools| tools == wanted) {
        return Ok(());
    }
    run(Command::new(interpreter()).args(["-m", "venv"]).arg(home().join("venv")))?;
    run(pip().args(["install", "--quiet"]).args(TOOLS))?;
    std::fs::write(&done, wanted).map_err(|error| format!("error: {}: {error}", done.display()))
}

/// The Python that makes the environment: `PYTHON`, or python3.
fn interpreter() -> OsString {
    std::env::var_os("PYTHON").unwrap_or("python3".into())
}

/// The environment's Python.
fn python() -> PathBuf {
    let programs = if cfg!(windows) { "venv/Scripts/python.exe" } else { "venv/bin/python" };
    home().join(programs)
}

fn pip() -> Command {
    let mut pip = Command::new(python());
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}

/// Where all of this goes.
fn home() -> PathBuf {
    root().join("target/python")
}

/// The package's sources.
fn package() -> PathBuf {
    root().join("crates/tribunal-python")
}

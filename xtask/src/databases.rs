//! The tests on real databases, and the table of what they give: SQLite, which is built for it, and PostgreSQL, where it is installed.

use crate::{cargo, run, target_directory};
use std::path::Path;
use std::process::Command;

/// Runs the tests, and then the command on each database; further arguments are those of `record transactions`.
pub fn test(arguments: &[String]) -> Result<(), String> {
    run(cargo().args(["test", "-p", "tribunal-database", "--features", "sqlite,postgres"]))?;
    let target = target_directory()?;
    let build = ["build", "--release", "-p", "tribunal-cli", "--features", "databases", "--target-dir"];
    run(cargo().args(build).arg(&target))?;
    let record = |driver: &str| {
        let mut command = Command::new(target.join("release/tribunal"));
        command.args(["record", "transactions", "--driver", driver]).args(arguments);
        run(&mut command)
    };
    record("sqlite")?;
    if !is_postgresql_installed() {
        println!("left out: PostgreSQL is not installed (Debian: apt-get install postgresql)");
        return Ok(());
    }
    record("postgres")
}

/// Whether there is an `initdb` where Debian's packages have it, or on the path.
fn is_postgresql_installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |place: &Path| place.join("initdb").is_file();
    { versions }.any(|version| has(&version.path().join("bin")))
        || std::env::split_paths(&path).any(|place| has(&place))
}

//! The checks that a change of the laboratory must pass, as `.ci/run` is for everything else.

use crate::{cargo, root, run};

/// Checks its format, has clippy look at all its packages, and runs its tests; only the package `lab` has any.
pub fn check() -> Result<(), String> {
    let lab = |arguments: &[&str]| run(cargo().current_dir(root().join("lab")).args(arguments));
    lab(&["fmt", "--all", "--check"])?;
    lab(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    lab(&["test"])
}

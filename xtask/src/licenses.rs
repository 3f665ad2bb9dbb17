//! Whether every package that is built into what we give out may be given out.

use crate::cargo;
use std::collections::BTreeSet;

/// Licenses that ask for no more than to be named.
const FINE: [&str; 12] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unicode-3.0",
    "Unlicense",
];

/// Names each package with a license outside the list; what only tests need is not given out.
pub fn check() -> Result<(), String> {
    let mut tree = cargo();
    tree.args([
        "tree",
        "--workspace",
        "--locked",
        "--target",
        "all",
        "--edges",
        "no-dev",
        "--prefix",
        "none",
    ]);
    let output =
        tree.args(["--format", "{p}|{l}"]).output().map_err(|error| format!("error: cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    let packages: BTreeSet<&str> = lines.filter(|line| !line.is_empty()).collect();
    let license = |line: &str| line.rsplit('|').next().unwrap_or_default().to_string();
    let bad: Vec<&str> = packages.iter().copied().filter(|line| !fine(&license(line))).collect();
    if bad.is_empty() {
        println!("{} packages, all with licenses that can be given out", packages.len());
        return Ok(());
    }
    Err(format!("error: licenses that are not in the list of xtask/src/licenses.rs:\n  {}", bad.join("\n  ")))
}

/// Whether an SPDX expression can be met: some alternative of it is fine in all its parts.
fn fine(license: &str) -> bool {
    let one = |part: &str| match part.strip_prefix('(').and_then(|part| part.strip_suffix(')')) {
        Some(inside) => fine(inside),
        None => FINE.contains(&part),
    };
    // Some old packages have a slash for OR.
    let license = license.replace('/', " OR ");
    outside(&license, " OR ").into_iter().any(|all| outside(all, " AND ").into_iter().all(one))
}

/// The parts between a word, where it is not inside of parentheses.
fn outside<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices(word) {
        let before = &text[from..at];
        if before.matches('(').count() == before.matches(')').count() {
            parts.push(before.trim());
            from = at + word.len();
        }
    }
    parts.push(text[from..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::fine;

    #[test]
    fn one_alternative_is_enough() {
        assert!(
            fine("MIT OR GPL-3.0") && fine("Apache-2.0/MIT") && fine("(MIT OR Apache-2.0) AND Unicode-3.0")
        );
        assert!(!fine("(MIT OR Apache-2.0) AND GPL-3.0"));
        assert!(!fine("GPL-3.0") && !fine("MIT AND GPL-3.0") && !fine(""));
    }
}

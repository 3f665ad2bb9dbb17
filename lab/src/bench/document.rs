//! Figures in a document: each suite's between two marker lines.

use super::{Report, Size};
use crate::failure::Failure;
use std::path::Path;

pub fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::File { file: path.into(), source })
}

/// Puts a report into the document, with links to its plots.
pub fn fill(path: &Path, report: &Report, size: Size, plots: &Path) -> Result<(), Failure> {
    let text = read(path)?;
    // Links are relative to the document.
    let beside = path.parent().and_then(|folder| plots.strip_prefix(folder).ok()).unwrap_or(plots);
    let quick = if size == Size::Quick { "--quick " } else { "" };
    let figures = format!(
        "Measured by `cargo lab bench {quick}{}` on {}.\n\n{}",
        report.name,
        machine(),
        report.markdown(&beside.display().to_string())
    );
    let filled = filled(path, &text, report.name, &figures)?;
    std::fs::write(path, filled).map_err(|source| Failure::File { file: path.into(), source })
}

/// The document with these figures of a suite.
pub fn filled(path: &Path, text: &str, suite: &str, figures: &str) -> Result<String, Failure> {
    let (start, end) = (format!("<!-- bench {suite} -->\n"), format!("<!-- end bench {suite} -->"));
    let missing = |line: &str| {
        Failure::Usage(format!(
            "{}: no line `{}` to put the figures of {suite} at",
            path.display(),
            line.trim_end()
        ))
    };
    let from = text.find(&start).ok_or_else(|| missing(&start))? + start.len();
    let length = text[from..].find(&end).ok_or_else(|| missing(&end))?;
    Ok(format!("{}\n{}\n{}", &text[..from], figures.trim_end(), &text[from + length..]))
}

/// What this machine is, as far as the system says.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let named = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = named.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let plural = if cores == 1 { "core" } else { "cores" };
    match model {
        Some((_, model)) => format!("{cores} {plural} of {}", model.trim()),
        None => format!("{cores} {plural} ({})", std::env::consts::ARCH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_block_of_the_suite_changes() {
        let text = "a\n<!-- bench sc -->\n\nold\n\n<!-- end bench sc -->\nb\n";
        let new = filled(Path::new("d.md"), text, "sc", "new\n").expect("a block");
        assert_eq!(new, "a\n<!-- bench sc -->\n\nnew\n<!-- end bench sc -->\nb\n");
        assert_eq!(filled(Path::new("d.md"), &new, "sc", "new\n").expect("a block"), new);
        let error = filled(Path::new("d.md"), text, "tso", "").expect_err("no block");
        assert_eq!(error.to_string(), "d.md: no line `<!-- bench tso -->` to put the figures of tso at");
    }
}

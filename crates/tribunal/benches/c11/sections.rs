//! Running the sections of a bench that are asked for.

use std::error::Error;

/// A table or two.
pub type Section = fn() -> Result<(), Box<dyn Error>>;

/// Runs the sections that the arguments name, or all; without `--bench` only what is of interest to tests.
pub fn run(
    arguments: &[String],
    sections: &[(&str, Section)],
    verdicts: Section,
) -> Result<(), Box<dyn Error>> {
    // Cargo passes --bench when it benches, and not when it tests: then only verdicts are of interest.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return verdicts();
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, section) in sections {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            section()?;
        }
    }
    match wanted.iter().find(|wanted| sections.iter().all(|(name, _)| *wanted != name)) {
        Some(unknown) => Err(format!("no section `{unknown}`").into()),
        None => Ok(()),
    }
}

//! The findings as a table and in words.

use crate::study::Study;
use std::fmt::Write;
use tribunal_record::{Evidence, Guarantee, Profile};

/// The versions that were tested, as the lock file has them.
const LOCK: &str = include_str!("../../Cargo.lock");

/// The version of a crate that is tested; nothing for the standard library.
pub fn version(package: &str) -> Option<&'static str> {
    let begin = LOCK.find(&format!("name = \"{package}\"\nversion = \""))?;
    LOCK[begin..].split('"').nth(3)
}

/// The name of a history's file.
pub fn file(study: &Study, method: &'static str) -> String {
    format!("{}-{}.json", study.slug(), study.own_name(method))
}

/// A row for each collection: the methods that are atomic, and the others with what holds of them.
pub fn table(studied: &[(&Study, Profile)]) -> String {
    let mut text =
        "| collection | atomic | not atomic | runs | histories |\n|---|---|---|---:|---:|\n".to_string();
    for (study, profile) in studied {
        let mut atomic = Vec::new();
        let mut others = Vec::new();
        for (method, guarantee) in &profile.methods {
            let own = study.own_name(method);
            let met: Vec<String> = match guarantee {
                Guarantee::Atomic => {
                    atomic.push(format!("`{own}`"));
                    continue;
                }
                Guarantee::Weak { criteria, .. } => criteria.iter().map(ToString::to_string).collect(),
                Guarantee::None { .. } => vec!["none".into()],
            };
            others.push(format!(
                "[`{own}`](../examples/case-study/{}): {}",
                file(study, method),
                met.join(", ")
            ));
        }
        let version = version(study.package).map_or(String::new(), |version| format!(" {version}"));
        let (runs, distinct) = (profile.counts.runs, profile.counts.distinct);
        let (atomic, others) = (atomic.join(", "), others.join("; "));
        let _ = writeln!(
            text,
            "| {}{version} `{}` | {atomic} | {others} | {runs} | {distinct} |",
            study.package, study.object
        );
    }
    text
}

/// What shows a method not to be atomic.
pub fn evidence(guarantee: &Guarantee) -> Option<&Evidence> {
    match guarantee {
        Guarantee::Atomic => None,
        Guarantee::Weak { evidence, .. } | Guarantee::None { evidence } => Some(evidence),
    }
}

/// For each method that is not atomic, the run that shows it.
pub fn details(study: &Study, profile: &Profile) -> String {
    let mut text = String::new();
    for (method, guarantee) in &profile.methods {
        if let Some(evidence) = evidence(guarantee) {
            let _ = writeln!(
                text,
                "\n{} {}: {}\n{evidence}",
                study.package,
                study.object,
                study.own_name(method)
            );
        }
    }
    text
}

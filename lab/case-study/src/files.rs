//! Writing what was found: the table in the document, and a history for each method that is not atomic.

use crate::study::Study;
use crate::table::{evidence, file, table, version};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tribunal_engines::object::check;
use tribunal_formats::{Format, Labels, Object, WriteError, Writer, write_object};
use tribunal_history::object::{Criterion, Specification, specs};
use tribunal_record::{Evidence, Profile, Stress};

/// What `--write` replaces in the document stands between these.
const BEGIN: &str = "<!-- cargo lab case-study --write: from here -->\n";
const END: &str = "<!-- to here -->\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Why something could not be written.
#[derive(Debug)]
pub enum Failure {
    /// A file.
    File(PathBuf, io::Error),
    /// The document has no place for the table.
    NoPlace(PathBuf),
    /// A history.
    History(WriteError),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::File(path, error) => write!(f, "{}: {error}", path.display()),
            Failure::NoPlace(path) => {
                write!(f, "{}: expected the lines `{}` and `{}`", path.display(), BEGIN.trim(), END.trim())
            }
            Failure::History(error) => error.fmt(f),
        }
    }
}

/// Writes docs/case-study.md and examples/case-study.
pub fn write(studied: &[(&Study, Profile)], stress: &Stress) -> Result<(), Failure> {
    let folder = root().join("examples/case-study");
    let at = |path: &Path, error: io::Error| Failure::File(path.into(), error);
    for entry in fs::read_dir(&folder).map_err(|error| at(&folder, error))? {
        let path = entry.map_err(|error| at(&folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            fs::remove_file(&path).map_err(|error| at(&path, error))?;
        }
    }
    for (study, profile) in studied {
        for (method, guarantee) in &profile.methods {
            if let Some(evidence) = evidence(guarantee) {
                let path = folder.join(file(study, method));
                fs::write(&path, history(study, method, evidence)?).map_err(|error| at(&path, error))?;
            }
        }
    }
    let path = root().join("docs/case-study.md");
    let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
    let place = text.find(BEGIN).zip(text.find(END)).filter(|(begin, end)| begin < end);
    let (begin, end) = place.ok_or_else(|| Failure::NoPlace(path.clone()))?;
    let text = format!("{}{}{}", &text[..begin + BEGIN.len()], section(studied, stress), &text[end..]);
    fs::write(&path, text).map_err(|error| at(&path, error))
}

/// The table, what the crates say, and the runs.
fn section(studied: &[(&Study, Profile)], stress: &Stress) -> String {
    let mut text = format!(
        "{} threads, at most {} operations each, seed {}.\n\n",
        stress.threads, stress.operations, stress.seed
    );
    text += &table(studied);
    text += "\nWhat their documentation says:\n\n";
    for (study, _) in studied {
        if let Some(documented) = study.documented {
            let _ = writeln!(text, "- {} `{}`: {documented}", study.package, study.object);
        }
    }
    text += "\nThe runs, with the names of the specifications:\n";
    for (study, profile) in studied {
        for (method, guarantee) in &profile.methods {
            if let Some(evidence) = evidence(guarantee) {
                let (package, object, own) = (study.package, study.object, study.own_name(method));
                let _ = writeln!(text, "\n    {package} {object}: {own} is not {}", evidence.criterion);
                for line in evidence.lines().iter().take_while(|line| !line.is_empty()) {
                    let _ = writeln!(text, "    {line}");
                }
            }
        }
    }
    text
}

/// A history as JSON, an operation a line, with the verdicts of all criteria.
fn history(study: &Study, method: &'static str, evidence: &Evidence) -> Result<String, Failure> {
    let spec: Box<dyn Specification> = match study.spec {
        "ordered-map" => Box::new(crate::ordered_map()),
        "sized-queue" => Box::new(crate::sized_queue()),
        "bounded-queue" => Box::new(crate::bounded_queue()),
        _ => Box::new(specs::Map),
    };
    let typed = evidence.history.typed(&*spec).expect("a subject calls the methods of its specification");
    let label = |criterion: Criterion| {
        (criterion.name().to_string(), Some(check(&typed, &criterion).is_consistent()))
    };
    let labels = Labels(Criterion::ALL.into_iter().map(label).collect());
    let object = Object {
        history: evidence.history.clone(),
        spec: study.spec.into(),
        lines: Vec::new(),
        notes: Default::default(),
    };
    let mut writer = Writer::new(Vec::new(), Format::Json);
    write_object(&mut writer, &object, &labels).map_err(Failure::History)?;
    let bytes = writer.finish().map_err(|error| Failure::History(error.into()))?;
    let version = version(study.package).unwrap_or_default();
    let name = format!("{} {version} {}: {}", study.package, study.object, study.own_name(method));
    let text = String::from_utf8_lossy(&bytes)
        .replacen("{\"kind\":\"object\"", &format!("{{\"kind\":\"object\",\"name\":{name:?}"), 1)
        .replace("{\"process\"", "\n  {\"process\"")
        .replace(",\"verdicts\"", ",\n \"verdicts\"");
    Ok(format!("{}\n", text.trim_end()))
}

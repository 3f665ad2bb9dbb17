//! Saving the run that made an assertion fail.

use crate::Evidence;
use std::path::{Path, PathBuf};
use std::{env, fs};
use tribunal_formats::{Format, Labels, Notes, Object, WriteError, Writer, write_object};
use tribunal_history::object::specs;

/// Saves the run and says where it is, and how to look at it.
pub(crate) fn saved(evidence: &Evidence, subject: &str) -> String {
    let directory = directory();
    let file = directory.join(format!("{}-{}.json", file_name(subject), evidence.criterion.name()));
    let written = json(evidence).map_err(|error| error.to_string()).and_then(|bytes| {
        let write = || {
            fs::create_dir_all(&directory)?;
            fs::write(&file, bytes)
        };
        write().map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => commands(evidence, &file),
        Err(error) => format!("the run could not be saved as {}: {error}", file.display()),
    }
}

/// The run in native JSON.
fn json(evidence: &Evidence) -> Result<Vec<u8>, WriteError> {
    let object = Object {
        history: evidence.run.clone().into(),
        spec: evidence.spec.clone(),
        lines: Vec::new(),
        notes: Notes::default(),
    };
    let mut writer = Writer::new(Vec::new(), Format::Json);
    write_object(&mut writer, &object, &Labels::default())?;
    Ok(writer.finish()?)
}

/// The commands that show more of the run. A specification that is not built in must be given as a file.
fn commands(evidence: &Evidence, file: &Path) -> String {
    let (criterion, shown) = (evidence.criterion.name(), quoted(file));
    let spec = if specs::named(&evidence.spec).is_ok() { "" } else { " --spec FILE.spec" };
    let page = quoted(&file.with_extension("html"));
    format!(
        "the run is saved; to explain and draw it:\n  \
         tribunal explain --model {criterion}{spec} {shown}\n  \
         tribunal view --model {criterion}{spec} {shown} -o {page}"
    )
}

/// The path as a word of a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-:\\".contains(c);
    if path.chars().all(plain) { path } else { format!("'{path}'") }
}

/// `tribunal` in Cargo's target directory, if that is where the test was built, or else in that for temporary files.
fn directory() -> PathBuf {
    let test = env::current_exe().unwrap_or_default();
    // Cargo marks its directory with this file.
    let target = test.ancestors().skip(1).find(|above| above.join("CACHEDIR.TAG").is_file());
    target.map_or_else(env::temp_dir, Path::to_path_buf).join("tribunal")
}

/// A type's path as the name of a file: `tests::Stack` is `tests-Stack`.
fn file_name(subject: &str) -> String {
    let parts = subject.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_become_names_of_files() {
        assert_eq!(file_name("tests::Stack"), "tests-Stack");
        assert_eq!(file_name("my_crate::Ring<alloc::Vec<u8>, 4>"), "my_crate-Ring-alloc-Vec-u8-4");
        assert_eq!(quoted(Path::new("target/tribunal/a.json")), "target/tribunal/a.json");
        assert_eq!(quoted(Path::new("my target/a.json")), "'my target/a.json'");
    }
}

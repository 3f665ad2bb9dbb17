//! Things that people name, built in or in a file that they write: models, specifications and other texts.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tribunal_history::model::definition::{Definition, Directories};
use tribunal_history::object::specs::{self, UnknownSpec};
use tribunal_report::Specifications;
use tribunal_spec::{Declared, SpecError};

/// The variable with the directories in which included files are looked for.
pub const INCLUDE: &str = "TRIBUNAL_INCLUDE";

/// Models or criteria by name, separated by commas, after the files among them were read.
///
/// ```
/// use tribunal_report::Questions;
/// assert!(tribunal_host::named::<Questions>("sc, tso").is_ok());
/// assert!(tribunal_host::named::<Questions>("no-such-file.cat").is_err());
/// ```
pub fn named<T: FromStr<Err: ToString>>(names: &str) -> Result<T, String> {
    for name in names.split(',').map(str::trim).filter(|name| name.ends_with(".cat")) {
        read(name)?;
    }
    names.parse().map_err(|error: T::Err| error.to_string())
}

/// The directories of the environment in which included files are looked for.
pub fn directories() -> Vec<PathBuf> {
    std::env::var_os(INCLUDE).map(|list| std::env::split_paths(&list).collect()).unwrap_or_default()
}

/// The model of a name in a verdict line, read from the file of the same name in `folder`. Neither it nor what it includes may lie elsewhere, but
/// for the directories of the environment: the line may be anybody's.
pub fn named_within<T: FromStr<Err: ToString>>(name: &str, folder: &Path) -> Result<T, String> {
    let file = Path::new(name).file_name().ok_or_else(|| format!("{name}: expected a file"))?;
    let mut folders = vec![folder.to_path_buf()];
    folders.extend(directories());
    let inside: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let read = move |path: &Path| {
        let real = path.canonicalize()?;
        if !inside.iter().any(|folder| real.starts_with(folder)) || !real.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        read_text(&real)
    };
    let path = folder.join(file);
    let text = read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut library = Directories::new(folders, read);
    Definition::new(name, &String::from_utf8_lossy(&text), &mut library)
        .map_err(|error| error.to_string())?;
    name.parse().map_err(|error: T::Err| error.to_string())
}

fn read(name: &str) -> Result<Definition, String> {
    let unreadable = |error: io::Error| format!("{name}: {error}");
    let text = read_text(Path::new(name)).map_err(unreadable)?;
    let mut library = Directories::new(directories(), read_text);
    Definition::new(name, &String::from_utf8_lossy(&text), &mut library).map_err(|error| error.to_string())
}

/// Why there is no such specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadSpecification {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        source: io::Error,
    },
    /// The file is not a specification; the text begins with `file:line:column`.
    #[error(transparent)]
    Malformed(#[from] SpecError),
    /// No built-in one has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownSpec),
}

/// The specification of all objects, if one is given: the name of a built-in one, or a file with the extension `.spec`.
pub fn specifications(given: Option<&str>) -> Result<Specifications, BadSpecification> {
    let Some(spec) = given else { return Ok(Specifications::default()) };
    let given = if Path::new(spec).extension().is_some_and(|extension| extension == "spec") {
        let unreadable = |source| BadSpecification::Unreadable { file: spec.into(), source };
        let text = File::open(spec).and_then(read_utf8).map_err(unreadable)?;
        Box::new(Declared::parse(&text, spec)?)
    } else {
        specs::named(spec)?
    };
    Ok(Specifications::new(Some(given)))
}

/// No such file has more bytes. One that has is probably not what was meant, or has no end.
const MOST: u64 = 64 << 20;

/// The bytes of a file that people write. One of more than 64 MiB is an error, so that a link to a device does not take all memory.
///
/// ```
/// # use std::{io, path::Path};
/// let error = tribunal_host::read_text(Path::new("/dev/zero")).map(drop);
/// # #[cfg(unix)]
/// assert_eq!(error.map_err(|error| error.kind()), Err(io::ErrorKind::FileTooLarge));
/// ```
pub fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    read_text_from(File::open(path)?)
}

/// The same of something that is open.
pub fn read_text_from(file: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it has more than 64 MiB, too many for a text",
        ));
    }
    Ok(text)
}

/// The same as text; what is not UTF-8 is an error.
pub fn read_utf8(file: impl Read) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(read_text_from(file)?).map_err(invalid)
}

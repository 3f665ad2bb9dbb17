//! Models by name or from a file: wherever a model is asked for, a name that ends in `.cat` is read.

use crate::text::read_text;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tribunal_history::model::definition::{Definition, Directories};

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
            return Err(std::io::ErrorKind::NotFound.into());
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
    let unreadable = |error: std::io::Error| format!("{name}: {error}");
    let text = read_text(Path::new(name)).map_err(unreadable)?;
    let mut library = Directories::new(directories(), read_text);
    Definition::new(name, &String::from_utf8_lossy(&text), &mut library).map_err(|error| error.to_string())
}

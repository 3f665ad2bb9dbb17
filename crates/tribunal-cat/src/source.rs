//! The files of a model: where they come from, and places in them.

use crate::text::Position;
use std::io;
use std::path::{Path, PathBuf};

/// Finds included files. This crate itself reads no files.
///
/// Any closure from a name to its text is a library:
///
/// ```
/// use tribunal_cat::{Environment, Model};
///
/// let mut library = |name: &str| (name == "com.cat").then(|| "let com = rf | co | fr".to_owned());
/// let model = Model::parse("include \"com.cat\" acyclic po | com", "sc.cat", &mut library)?;
/// assert_eq!(model.plan(&Environment::history())?.checks.len(), 1);
/// # Ok::<(), tribunal_cat::Error>(())
/// ```
pub trait Library {
    /// The path and the text of a file that `includer` includes under this name; `None` if there is no such file.
    fn find(&mut self, name: &str, includer: &str) -> io::Result<Option<(String, String)>>;
}

impl<F: FnMut(&str) -> Option<String>> Library for F {
    fn find(&mut self, name: &str, _includer: &str) -> io::Result<Option<(String, String)>> {
        Ok(self(name).map(|text| (name.to_owned(), text)))
    }
}

/// Only the built-in files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Library for NoFiles {
    fn find(&mut self, _name: &str, _includer: &str) -> io::Result<Option<(String, String)>> {
        Ok(None)
    }
}

/// Files in a list of directories, in order; then in the directory of the including file.
///
/// The function that reads files is given: `std::fs::read`, in a program.
#[derive(Clone, Debug)]
pub struct Directories<R> {
    directories: Vec<PathBuf>,
    read: R,
}

impl<R: FnMut(&Path) -> io::Result<Vec<u8>>> Directories<R> {
    /// Files in these directories, read with this function.
    pub fn new(directories: impl IntoIterator<Item = impl Into<PathBuf>>, read: R) -> Self {
        Directories { directories: directories.into_iter().map(Into::into).collect(), read }
    }

    /// A file's text; `None` if there is no such file. Bytes that are not UTF-8 can only be in comments, and are replaced.
    pub fn text(&mut self, path: &Path) -> io::Result<Option<String>> {
        match (self.read)(path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl<R: FnMut(&Path) -> io::Result<Vec<u8>>> Library for Directories<R> {
    fn find(&mut self, name: &str, includer: &str) -> io::Result<Option<(String, String)>> {
        let own = Path::new(includer).parent().map(|parent| parent.join(name));
        let paths: Vec<PathBuf> = self.directories.iter().map(|d| d.join(name)).chain(own).collect();
        for path in paths {
            if let Some(text) = self.text(&path)? {
                return Ok(Some((path.display().to_string(), text)));
            }
        }
        Ok(None)
    }
}

/// A file of a model, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileId(pub u32);

/// A place in a file of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub file: FileId,
    pub at: Position,
}

/// A file's path and text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub path: String,
    pub text: String,
}

/// All files of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(pub Vec<Source>);

impl Sources {
    pub fn file(&self, at: Place) -> &Source {
        &self.0[at.file.0 as usize]
    }
}

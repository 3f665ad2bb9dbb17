//! Folders that are one history: Cobra's logs, a run of Jepsen's, a history of dbcop's.

use super::input::{Progress, start};
use super::transactions::cobra::Cobra;
use super::{Parser, ReadOptions, Reader};
use crate::{Error, ErrorKind, Format};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens a folder, with `open` for its files. It may contain
///
/// - Cobra's logs: `T1.log`, `T2.log`, .., one per session;
/// - a run in Jepsen's store, with `history.edn` or else `history.txt`; or several runs, of which `latest` is read;
/// - dbcop's `history.bincode`.
///
/// ```
/// use tribunal_formats::{ErrorKind, ReadOptions, open_folder};
/// let empty = std::env::temp_dir().join(format!("tribunal-empty-{}", std::process::id()));
/// std::fs::create_dir_all(&empty)?;
/// let open = |path: &std::path::Path| Ok(Box::new(std::fs::File::open(path)?) as Box<_>);
/// let error = open_folder(&empty, ReadOptions::default(), open).err().expect("nothing is in it");
/// assert!(matches!(error.kind(), ErrorKind::NoHistoryInFolder));
/// # std::fs::remove_dir(&empty)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn open_folder(
    path: &Path,
    options: impl Into<ReadOptions>,
    open: impl Fn(&Path) -> io::Result<Box<dyn Read + Send>> + Send + 'static,
) -> Result<Reader, Error> {
    let options = options.into();
    let name = path.display().to_string();
    match content(path).map_err(|e| Error::of_input(&name, ErrorKind::Io(e)))? {
        Some(Content::File(file)) => {
            let name = file.display().to_string();
            let bytes = open(&file).map_err(|e| Error::of_input(&name, ErrorKind::Io(e)))?;
            let total = file.metadata().ok().map(|metadata| metadata.len());
            start(bytes, name, options, Format::of_path(&file), total)
        }
        Some(Content::Logs(files)) => {
            let cobra = Cobra::of_folder(name.clone(), files, Box::new(open), options.max_memory);
            let progress = Progress { name: name.into(), read: Arc::default(), total: None };
            Ok(Reader::of(Parser::Cobra(cobra), progress))
        }
        None => Err(Error::of_input(&name, ErrorKind::NoHistoryInFolder)),
    }
}

/// The content of a folder.
enum Content {
    File(PathBuf),
    /// By their numbers.
    Logs(Vec<PathBuf>),
}

fn content(path: &Path) -> io::Result<Option<Content>> {
    // The latest run, of a test or of all, is a link to it.
    for run in [path.to_path_buf(), path.join("latest"), path.join("current")] {
        let files = ["history.edn", "history.txt", "history.bincode"].map(|file| run.join(file));
        if let Some(file) = files.into_iter().find(|file| file.is_file()) {
            return Ok(Some(Content::File(file)));
        }
    }
    let mut logs = Vec::new();
    for entry in path.read_dir()? {
        let file = entry?.path();
        let number = file.file_name().and_then(|name| name.to_str()).and_then(|name| {
            let digits = name.strip_prefix('T')?.strip_suffix(".log")?;
            digits.parse::<u64>().ok()
        });
        logs.extend(number.map(|number| (number, file)));
    }
    logs.sort();
    let logs: Vec<PathBuf> = logs.into_iter().map(|(_, file)| file).collect();
    Ok((!logs.is_empty()).then_some(Content::Logs(logs)))
}

//! Files of the user's naming: each appears whole or not at all, with the mode of the one it replaces.

use crate::interrupt;
use crate::watchdog::patiently;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file on its way, compressed as its name says.
pub struct OutputFile(Encoder);

enum Encoder {
    Plain(BufWriter<Target>),
    Gzip(flate2::write::GzEncoder<BufWriter<Target>>),
    Zstd(zstd::Encoder<'static, BufWriter<Target>>),
}

/// The place where the bytes go.
enum Target {
    /// A temporary file in the directory of the one that it becomes.
    New { file: File, temporary: Temporary, path: PathBuf },
    /// A device, a pipe or an open file: there is nothing to replace.
    Stream(File),
}

impl OutputFile {
    /// Opens a file that appears with [`persist`](OutputFile::persist); until then the one it replaces stays. Symbolic
    /// links are followed, also one that leads to no file yet.
    pub fn open(path: &Path) -> io::Result<Self> {
        let target = match path.metadata() {
            Ok(meta) if meta.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(meta) if !meta.is_file() || is_open_file(path) => Target::Stream(open_stream(path)?),
            Ok(meta) => Target::replacement(path.canonicalize()?, Some(&meta))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Target::replacement(end_of_links(path)?, None)?
            }
            Err(error) => return Err(error),
        };
        let target = BufWriter::new(target);
        Ok(OutputFile(match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => {
                Encoder::Gzip(flate2::write::GzEncoder::new(target, flate2::Compression::default()))
            }
            Some("zst") => Encoder::Zstd(zstd::Encoder::new(target, 0)?),
            _ => Encoder::Plain(target),
        }))
    }

    /// The entry for the bytes.
    pub fn writer(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Encoder::Plain(writer) => writer,
            Encoder::Gzip(writer) => writer,
            Encoder::Zstd(writer) => writer,
        }
    }

    /// Writes out what is left and gives the file its name.
    pub fn persist(self) -> io::Result<()> {
        let mut target = match self.0 {
            Encoder::Plain(writer) => writer,
            Encoder::Gzip(writer) => writer.finish()?,
            Encoder::Zstd(writer) => writer.finish()?,
        };
        target.flush()?;
        match target.into_inner().map_err(io::IntoInnerError::into_error)? {
            Target::New { file, temporary, path } => {
                // Otherwise the new name could survive a crash and the content not.
                file.sync_all()?;
                std::fs::rename(&temporary.0, &path)?;
                // Not every system can do this, and the file is there either way.
                let _ = File::open(directory_of(&path)).and_then(|directory| directory.sync_all());
                Ok(())
            }
            Target::Stream(_) => Ok(()),
        }
    }
}

impl Target {
    /// A file that takes the place of the one that is there now, if there is one.
    fn replacement(path: PathBuf, replaced: Option<&Metadata>) -> io::Result<Self> {
        let (file, temporary) = Temporary::create(directory_of(&path), replaced.is_none())?;
        if let Some(replaced) = replaced {
            // Before there is anything in it to read.
            resemble(&file, replaced)?;
        }
        Ok(Target::New { file, temporary, path })
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::New { file, .. } | Target::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::New { file, .. } | Target::Stream(file) => file.flush(),
        }
    }
}

/// Gives a file the mode of another and, as far as this user may, its owner and group.
#[cfg(unix)]
fn resemble(file: &File, other: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only root may give files away, and others may give them to a group of theirs.
    let owned = fchown(file, Some(other.uid()), None).is_ok();
    let grouped = fchown(file, None, Some(other.gid())).is_ok();
    let kept = match (owned, grouped) {
        (true, true) => 0o7777,
        // Another owner does not lend its identity.
        (false, true) => 0o777,
        // What a group may do is not for another group.
        (_, false) => 0o707,
    };
    file.set_permissions(PermissionsExt::from_mode(other.permissions().mode() & kept))
}

#[cfg(not(unix))]
fn resemble(file: &File, other: &Metadata) -> io::Result<()> {
    file.set_permissions(other.permissions())
}

/// Whether two paths lead to one file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    let id = |path: &Path| {
        use std::os::unix::fs::MetadataExt;
        path.metadata().ok().filter(Metadata::is_file).map(|meta| (meta.dev(), meta.ino()))
    };
    #[cfg(not(unix))]
    let id = |path: &Path| path.canonicalize().ok().filter(|path| path.is_file());
    id(a).is_some_and(|a| Some(a) == id(b))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Whether a path names a file that a process has open, such as `/dev/fd/3`: it is written to, not replaced.
fn is_open_file(path: &Path) -> bool {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let directory = directory_of(&path);
        if directory.canonicalize().is_ok_and(|directory| directory.starts_with("/proc")) {
            return true;
        }
        match path.read_link() {
            Ok(next) => path = directory.join(next),
            Err(_) => return false,
        }
    }
    false
}

/// The number of symbolic links that are followed, as by Linux.
const LINKS: usize = 40;

/// The path that symbolic links lead to in the end, where there is no file.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match path.read_link() {
            Ok(next) => path = directory_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Opens a device or a pipe. A pipe without a reader is waited for, so that Ctrl-C is noticed.
#[cfg(unix)]
fn open_stream(path: &Path) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::unix::fs::OpenOptionsExt;
    const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(50);
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let nobody = rustix::io::Errno::NXIO.raw_os_error();
    loop {
        match File::options().append(true).custom_flags(flags.bits() as i32).open(path) {
            Ok(file) => {
                fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() == Some(nobody) && is_pipe(path) => {
                if interrupt::requested() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|meta| meta.file_type().is_fifo())
}

#[cfg(not(unix))]
fn open_stream(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

/// The temporary files that there are.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file, for a process that ends at once. Until the guard goes no new one is made.
#[must_use = "another could be made before the end"]
pub fn discard() -> Option<MutexGuard<'static, Vec<PathBuf>>> {
    let mut files = patiently(&TEMPORARY)?;
    for file in files.drain(..) {
        // What cannot be removed now cannot be removed at all.
        let _ = std::fs::remove_file(file);
    }
    Some(files)
}

/// The name of a temporary file, which is removed in the end: a file that was given another name is no longer there.
struct Temporary(PathBuf);

impl Temporary {
    /// A temporary file in a directory: one that others may read as the user's mask says, or that is private.
    fn create(directory: &Path, public: bool) -> io::Result<(File, Self)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tribunal-");
        #[cfg(unix)]
        if public {
            builder.permissions(PermissionsExt::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = public;
        if !directory.is_dir() {
            let missing = format!("there is no folder {}", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, missing));
        }
        let mut files = temporary();
        // The name of the temporary file is nobody's concern.
        let made = builder.tempfile_in(directory).map_err(|error| io::Error::from(error.kind()))?;
        let (file, path) = made.keep()?;
        files.push(path.clone());
        Ok((file, Temporary(path)))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        temporary().retain(|file| *file != self.0);
    }
}

//! Opening inputs so that Ctrl-C is noticed at every read, even while a pipe is silent.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::complain;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_formats::{Input, ReadOptions, Reader};
use tribunal_report::printable;

/// Opens a file or a folder of histories; `-` is standard input.
pub fn open(file: &OsStr, options: ReadOptions) -> Result<Reader, Failure> {
    if is_folder(file) {
        return folder(file, options, Arc::default());
    }
    Ok(tribunal_formats::read(bytes(file)?, &file.to_string_lossy(), options)?)
}

/// Whether the argument names a directory, which may be a history.
pub fn is_folder(file: &OsStr) -> bool {
    matches!(Input::from_arg(file), Input::Path(path) if path.is_dir())
}

/// Opens a directory that is a history; reading fails once `stop` is set.
pub fn folder(file: &OsStr, options: ReadOptions, stop: Arc<AtomicBool>) -> Result<Reader, Failure> {
    let open = move |path: &Path| -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Bytes { file: File::open(path)?, stop: stop.clone() }))
    };
    Ok(tribunal_formats::open_folder(Path::new(file), options, open)?)
}

/// Opens a file of anything; `-` is standard input.
pub fn bytes(file: &OsStr) -> Result<Bytes, Failure> {
    let input = Input::from_arg(file);
    let opened = match &input {
        Input::Stdin => stdin(),
        Input::Path(path) => File::open(path),
    };
    let bytes = opened.map(|file| Bytes { file, stop: Arc::default() });
    bytes.map_err(|source| Failure::Read { file: input.to_string(), source })
}

/// Opens a file of lines, compressed or not; `-` is standard input.
pub fn lines(file: &OsStr) -> Result<impl BufRead + use<>, Failure> {
    match tribunal_formats::decompressed(bytes(file)?) {
        Ok(bytes) => Ok(BufReader::new(bytes)),
        Err(source) => Err(Failure::Read { file: file.to_string_lossy().into(), source }),
    }
}

/// The number of bytes of a file, if it is one.
pub fn size(file: &OsStr) -> Option<u64> {
    match Input::from_arg(file) {
        Input::Stdin => None,
        Input::Path(path) => path.metadata().ok().filter(|meta| meta.is_file()).map(|meta| meta.len()),
    }
}

/// The bytes of an input; reading fails once Ctrl-C has been pressed.
pub struct Bytes {
    file: File,
    stop: Arc<AtomicBool>,
}

impl Bytes {
    /// The same bytes; reading fails once `stop` is set.
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Bytes { file: self.file, stop }
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !interrupt::requested() && !self.stop.load(Ordering::Relaxed) {
            if ready(&self.file, POLL_INTERVAL)? {
                return self.file.read(buffer);
            }
        }
        Err(io::Error::other("stopped"))
    }
}

/// A file that grows: at its end more is waited for, until Ctrl-C. If it gets shorter, or another takes its place, that is told and
/// read from its beginning.
pub struct Follow {
    bytes: Bytes,
    /// None for standard input.
    path: Option<PathBuf>,
    /// The number of bytes of it that have been read.
    read: u64,
}

impl Follow {
    /// Follows a file that was opened.
    pub fn new(file: &OsStr, bytes: Bytes) -> Self {
        let path = match Input::from_arg(file) {
            Input::Stdin => None,
            Input::Path(path) => Some(path),
        };
        Follow { bytes, path, read: 0 }
    }

    /// Begins anew if the file is not what it was.
    fn look_again(&mut self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        // While one is taken away and the next is not there yet, the old one is still open.
        let Ok(there) = path.metadata() else { return Ok(()) };
        let here = self.bytes.file.metadata()?;
        let what = if is_another(&there, &here) {
            self.bytes.file = File::open(path)?;
            "another file has its name"
        } else if here.is_file() && here.len() < self.read {
            self.bytes.file.rewind()?;
            "the file got shorter"
        } else {
            return Ok(());
        };
        self.read = 0;
        complain(&format!("{}: {what}: reading it from its beginning", printable(&path.to_string_lossy())));
        Ok(())
    }
}

impl Read for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.bytes.read(buffer)? {
                0 if !buffer.is_empty() => {
                    std::thread::sleep(POLL_INTERVAL);
                    self.look_again()?;
                }
                read => {
                    self.read += read as u64;
                    return Ok(read);
                }
            }
        }
    }
}

#[cfg(unix)]
fn is_another(there: &Metadata, here: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (there.dev(), there.ino()) != (here.dev(), here.ino())
}

#[cfg(not(unix))]
fn is_another(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// The time before Ctrl-C is looked for again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Standard input, not through the standard library's buffer, whose content poll does not see.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Whether a read would return at once; waits for that, but no longer than this.
#[cfg(unix)]
fn ready(file: &File, wait: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&wait)) {
        Ok(events) => Ok(events > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// It cannot be known.
#[cfg(not(unix))]
fn ready(_: &File, _: Duration) -> io::Result<bool> {
    Ok(true)
}

//! Opening inputs so that Ctrl-C is noticed at every read, even while a pipe is silent.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::Stdout;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tribunal_formats::{Input, ReadOptions, Reader};

/// Opens a file or a folder of histories; `-` is standard input.
pub fn open(file: &OsStr, options: ReadOptions) -> Result<Reader, Failure> {
    if is_folder(file) {
        return folder(file, options, Arc::default());
    }
    Ok(tribunal_formats::read(bytes(file)?, &file.to_string_lossy(), options)?)
}

/// Does the same for each file. A bad file is reported and the others are still done, until an interrupt or until the reader of
/// the output leaves. Returns whether any was bad.
pub fn each(
    files: &[OsString],
    out: &mut Stdout,
    mut act: impl FnMut(&OsStr, &mut Stdout) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut malformed = false;
    for file in files {
        match act(file, out) {
            Ok(()) => {}
            Err(Failure::Stdout(error)) => return Err(error.into()),
            Err(_) if interrupt::requested() => {}
            Err(failure) => {
                malformed = true;
                out.flush()?;
                failure.print();
            }
        }
        if interrupt::requested() || out.is_closed() {
            break;
        }
    }
    Ok(malformed)
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

/// How many bytes a file has, if it is one.
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
            if ready(&self.file, PATIENCE)? {
                return self.file.read(buffer);
            }
        }
        Err(io::Error::other("stopped"))
    }
}

/// A file that grows: at its end more is waited for, until Ctrl-C.
pub struct Follow(Bytes);

impl Follow {
    /// Follows a file.
    pub fn new(bytes: Bytes) -> Self {
        Follow(bytes)
    }
}

impl Read for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Ok(0) if !buffer.is_empty() => std::thread::sleep(PATIENCE),
                read => return read,
            }
        }
    }
}

/// How long to wait before looking for Ctrl-C again.
const PATIENCE: Duration = Duration::from_millis(50);

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
fn ready(file: &File, patience: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let patience = Timespec { tv_sec: 0, tv_nsec: patience.subsec_nanos().into() };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&patience)) {
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

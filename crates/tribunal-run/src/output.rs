//! What an execution prints. While programs are explored it goes nowhere; that of the failing execution is a part of the report.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Of what an execution prints, so many lines are kept.
const LINES: usize = 20;
/// They are not looked for farther from the end.
const BYTES: u64 = 1 << 14;

/// Standard output is written line by line, so that what stands before a failure is there.
static IS_BY_LINE: AtomicBool = AtomicBool::new(false);

/// Standard output and standard error go to a file from now on, which is closed here.
///
/// # Safety
/// `file` is open, and nobody else has it.
unsafe fn redirect(file: i32) {
    // SAFETY: descriptors of this process.
    unsafe {
        libc::dup2(file, 1);
        libc::dup2(file, 2);
        libc::close(file);
    }
}

/// What the program prints goes nowhere.
pub fn silence() {
    // SAFETY: the file is made here.
    unsafe { redirect(libc::open(c"/dev/null".as_ptr(), libc::O_RDWR)) };
}

/// The last lines that an execution prints, which runs here.
pub fn of(execution: impl FnOnce()) -> Vec<String> {
    // SAFETY: makes a file in memory, and has it once more.
    let (file, mut kept) = unsafe {
        let file = libc::memfd_create(c"output".as_ptr(), libc::MFD_CLOEXEC);
        let copy = libc::fcntl(file, libc::F_DUPFD_CLOEXEC, crate::memory::OWN_FILES);
        if copy < 0 {
            return Vec::new();
        }
        (file, File::from_raw_fd(copy))
    };
    // SAFETY: it was made here.
    unsafe { redirect(file) };
    IS_BY_LINE.store(true, Relaxed);
    execution();
    silence();
    let mut bytes = Vec::new();
    let start = kept.metadata().map_or(0, |metadata| metadata.len().saturating_sub(BYTES));
    // What cannot be read back is not shown.
    let _ = kept.seek(SeekFrom::Start(start)).and_then(|_| kept.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| line.to_string()).collect()
}

/// An execution begins.
pub fn begin() {
    if IS_BY_LINE.load(Relaxed) {
        unsafe extern "C" {
            static stdout: *mut libc::FILE;
        }
        // SAFETY: libc's stream has been put back to what it was before it was used.
        unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IOLBF, 0) };
    }
}

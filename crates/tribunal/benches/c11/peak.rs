//! The largest that this process has been.

use std::fs;

/// The peak of the resident set, in bytes; none if the system does not tell.
pub(crate) fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Starts a new peak, if the system allows it.
pub(crate) fn start_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

//! The core that a thread runs on.

/// Keeps the calling thread on one of the cores that it may use, counted from 0 and around. Where that cannot be done, the
/// thread runs where it runs: pinning makes operations overlap more often, and nothing rests on it.
#[cfg(target_os = "linux")]
pub(crate) fn pin(thread: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
    if let Some(&core) = cores.get(thread % cores.len().max(1)) {
        let mut own = CpuSet::new();
        own.set(core);
        // Refused, the thread stays where it is.
        let _ = sched_setaffinity(None, &own);
    }
}

/// There is no such call here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_thread: usize) {}

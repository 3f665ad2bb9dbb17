//! How much memory there is.

use std::sync::LazyLock;
use tribunal_formats::{Format, ReadOptions};

/// Histories of up to this many bytes are read whatever the limit: a small limit is meant for the check.
const LEAST: usize = 16 << 20;

/// How to read histories: as this format, within this limit or, without one, most of the machine's memory.
pub fn reading(format: Option<Format>, max_memory: Option<usize>) -> ReadOptions {
    let max_memory = max_memory.unwrap_or_else(most_memory).max(LEAST);
    ReadOptions { format, max_memory, ..ReadOptions::default() }
}

/// Three quarters of the machine's memory: rather undecided than killed.
pub fn most_memory() -> usize {
    // Asked for with every answer, and always the same.
    static MOST: LazyLock<usize> = LazyLock::new(|| {
        let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = told.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB"));
        let kibibytes: Option<usize> = total.and_then(|total| total.trim().parse().ok());
        kibibytes.map_or(usize::MAX, |kibibytes| kibibytes.saturating_mul(1024) / 4 * 3)
    });
    *MOST
}

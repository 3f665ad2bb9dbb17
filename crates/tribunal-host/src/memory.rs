//! The size of the memory, and shares of it: small histories are judged side by side, each within a share; what needs
//! more takes all, alone. The result is the same for any number of workers, since the share does not depend on it.

use std::borrow::Borrow;
use std::fs::read_to_string;
use std::path::Path;
use std::sync::{LazyLock, PoisonError, RwLock};
use tribunal_formats::{Format, ReadOptions};
use tribunal_history::limits::Limits;

/// Histories of up to this many bytes are read whatever the limit: a small limit is meant for the check.
pub const LEAST: usize = 16 << 20;

/// How to read histories: as this format, within this limit or, without one, most of the machine's memory.
pub fn reading(format: Option<Format>, max_memory: Option<usize>) -> ReadOptions {
    let max_memory = max_memory.unwrap_or_else(most_memory).max(LEAST);
    ReadOptions { format, max_memory, ..ReadOptions::default() }
}

/// Three quarters of the machine's memory, or of what the system gives this process's group: rather undecided than killed.
pub fn most_memory() -> usize {
    all_memory() / 4 * 3
}

/// The machine's memory, or what the system gives this process's group if that is less; more than there can be if it is not known.
pub fn all_memory() -> usize {
    // Asked for with every answer, and always the same.
    static ALL: LazyLock<usize> = LazyLock::new(|| of_machine().min(of_group()));
    *ALL
}

fn of_machine() -> usize {
    let told = read_to_string("/proc/meminfo").unwrap_or_default();
    let total = told.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB"));
    let kibibytes: Option<usize> = total.and_then(|total| total.trim().parse().ok());
    kibibytes.map_or(usize::MAX, |kibibytes| kibibytes.saturating_mul(1024))
}

/// The least limit of this process's control group and those around it; in a container, its own.
fn of_group() -> usize {
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let unified = Path::new(group).ancestors().map(|group| {
        let group = group.strip_prefix("/").unwrap_or(group);
        Path::new("/sys/fs/cgroup").join(group).join("memory.max")
    });
    // Version 1 shows a container its own group here.
    let files = unified.chain([Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").into()]);
    let limits = files.filter_map(|file| read_to_string(file).ok()?.trim().parse().ok());
    limits.min().unwrap_or(usize::MAX)
}

/// No more workers than that: each may take a share of the memory.
pub const MOST_WORKERS: usize = 64;

/// The memory that answers take.
#[derive(Default)]
pub struct Memory(RwLock<()>);

impl Memory {
    /// The answer to a question within limits that begin when it is asked: of a large history with all the memory, of another first with a
    /// share, which mostly suffices.
    pub fn answer<'l, L: Borrow<Limits<'l>>, T>(
        &self,
        large: bool,
        limits: impl Fn() -> L,
        ask: impl Fn(&Limits<'l>) -> T,
        lacks_memory: impl FnOnce(&T) -> bool,
    ) -> T {
        if !large {
            let _beside_others = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let begun = limits();
            let all: &Limits<'_> = begun.borrow();
            let answer = ask(&Limits { max_memory: all.max_memory / MOST_WORKERS, ..*all });
            if !lacks_memory(&answer) {
                return answer;
            }
        }
        self.alone(|| ask(limits().borrow()))
    }

    /// Does something that may take all the memory, while nothing else is answered.
    pub fn alone<T>(&self, act: impl FnOnce() -> T) -> T {
        let _alone = self.0.write().unwrap_or_else(PoisonError::into_inner);
        act()
    }
}

//! What threads of the program share, as the explorer has it: atomics and locks, by their addresses in the present execution.

use crate::only::Only;
use crate::operation::{called, misuse};
use rustc_hash::FxHashMap;
use tribunal_explore::foreign::{ATOMIC, Object};
use tribunal_explore::program::Place;

/// An object at an address.
pub struct Known {
    pub at: usize,
    pub size: usize,
    kind: &'static str,
    pub object: Object,
    /// What the runtime wrote there last, or found there first. If there is something else in memory, somebody wrote it whom no hook told of.
    pub last: u64,
}

/// Objects stay where they are up to the end of the execution, also when they are forgotten: a thread may wait for one.
#[derive(Default)]
struct Objects {
    #[allow(clippy::vec_box, reason = "objects stay where they are")]
    all: Vec<Box<Known>>,
    /// By address divided by eight: those that have a byte there.
    atomics: FxHashMap<usize, Vec<u32>>,
    /// By address.
    locks: FxHashMap<usize, u32>,
    /// Locks that were destroyed, and where.
    destroyed: FxHashMap<usize, Place>,
}

static OBJECTS: Only<Option<Objects>> = Only::new(None);

fn objects() -> &'static mut Objects {
    OBJECTS.get().get_or_insert_with(Objects::default)
}

/// An execution begins.
pub fn begin() {
    let objects = objects();
    objects.all.clear();
    objects.atomics.clear();
    objects.locks.clear();
    objects.destroyed.clear();
}

/// Atomics that have something in common with a range of addresses.
pub fn atomics(at: usize, size: usize) -> impl Iterator<Item = &'static mut Known> {
    let objects = objects();
    let granules = at >> 3..=(at + size.max(1) - 1) >> 3;
    let found = granules.filter_map(|granule| objects.atomics.get(&granule)).flatten().copied();
    let found: Vec<u32> = found.collect();
    found.into_iter().map(known).filter(move |known| known.at < at + size && at < known.at + known.size)
}

fn known(number: u32) -> &'static mut Known {
    &mut objects().all[number as usize]
}

/// The atomic at an address, if there is one of this size, and whether there is another one in its way.
pub fn atomic(at: usize, size: usize) -> Result<Option<&'static mut Known>, &'static mut Known> {
    let Some(here) = objects().atomics.get(&(at >> 3)) else { return Ok(None) };
    let mut other = None;
    for &number in here {
        let object = known(number);
        if object.at == at && object.size == size {
            return Ok(Some(object));
        }
        if object.at < at + size && at < object.at + object.size {
            other = Some(object);
        }
    }
    other.map_or(Ok(None), Err)
}

/// A new atomic, with what is in memory.
pub fn add_atomic(at: usize, size: usize, content: u64, place: Place) -> &'static mut Known {
    let number = add(at, size, ATOMIC, content, place);
    for granule in at >> 3..=(at + size - 1) >> 3 {
        objects().atomics.entry(granule).or_default().push(number);
    }
    known(number)
}

/// The lock or the like at an address, made if there is none of this kind: with this value, which whoever accesses it has to tell, too.
pub fn lock(at: usize, kind: &'static str, initial: u64, place: Place) -> &'static mut Known {
    if let Some(destroyed) = objects().destroyed.get(&at) {
        let what = called(std::ptr::without_provenance_mut(at), &format!("the {}", kind.to_lowercase()));
        misuse(format!("{what} is used after it was destroyed at {destroyed}"), place);
    }
    let number = match objects().locks.get(&at) {
        Some(&number) if known(number).kind == kind => number,
        _ => {
            let number = add(at, 0, kind, initial, place);
            objects().locks.insert(at, number);
            number
        }
    };
    known(number)
}

fn add(at: usize, size: usize, kind: &'static str, last: u64, place: Place) -> u32 {
    let all = &mut objects().all;
    all.push(Box::new(Known { at, size, kind, object: Object::new(at, kind, place), last }));
    all.len() as u32 - 1
}

/// What is at an address begins anew.
pub fn forget_lock(at: usize) {
    objects().locks.remove(&at);
    objects().destroyed.remove(&at);
}

/// What is at an address is not to be used any more, unless it is made anew.
pub fn destroy_lock(at: usize, place: Place) {
    objects().locks.remove(&at);
    objects().destroyed.insert(at, place);
}

/// Nothing of what was in this memory is there any more.
pub fn forget(at: usize, size: usize) {
    let gone: Vec<(usize, usize)> = atomics(at, size).map(|known| (known.at, known.size)).collect();
    let objects = objects();
    for (start, length) in gone {
        for granule in start >> 3..=(start + length - 1) >> 3 {
            if let Some(here) = objects.atomics.get_mut(&granule) {
                here.retain(|&number| objects.all[number as usize].at != start);
            }
        }
    }
    objects.locks.retain(|&lock, _| !(at..at + size).contains(&lock));
    objects.destroyed.retain(|&lock, _| !(at..at + size).contains(&lock));
}

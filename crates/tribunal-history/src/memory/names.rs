//! Names of threads and locations: kept in one text, and found by a table.

use crate::heap::{Heap, held};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::mem::size_of;

/// Names by their ids, from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// The place where each ends; the next begins there.
    ends: Vec<usize>,
}

impl Names {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of an id, which must have one.
    #[inline]
    pub(crate) fn get(&self, id: usize) -> &str {
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start..self.ends[id]]
    }

    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    pub(crate) fn bytes(&self) -> usize {
        held(&[&self.text, &self.ends])
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}

/// Gives names their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    names: Names,
    /// A hash table with linear probing, at most three quarters full; its size is a power of two, or 0.
    places: Vec<Place>,
}

/// An entry of the table; see [`key`], which is never 0.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    id: u32,
}

const FREE: Place = Place { key: 0, id: u32::MAX };

/// The bytes that a name takes at most, beside three times its text, while it is collected or built.
pub(crate) const NAME: usize = 6 * size_of::<Place>() + 3 * size_of::<usize>();

impl Interner {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of an id, which must have one.
    #[inline]
    pub(crate) fn get(&self, id: usize) -> &str {
        self.names.get(id)
    }

    /// The id of a name, if it has one.
    #[inline(always)]
    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        if name.len() < 8 { self.find_key(key(name), |_| true) } else { self.find_long(name) }
    }

    fn find_long(&self, name: &[u8]) -> Option<u32> {
        self.find_key(key(name), |id| self.names.get(id as usize).as_bytes() == name)
    }

    /// The first id with a key that `is_it` takes.
    #[inline(always)]
    fn find_key(&self, key: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut i = first_place(key, self.places.len());
        while let Some(place) = self.places.get(i) {
            if place.key == key && is_it(place.id) {
                return Some(place.id);
            }
            if place.key == FREE.key {
                return None;
            }
            i = (i + 1) & (self.places.len() - 1);
        }
        None
    }

    /// Gives a name the next id. It must not have one.
    pub(crate) fn add(&mut self, name: &str) -> u32 {
        let id = self.names.len() as u32;
        if 4 * self.names.len() >= 3 * self.places.len() {
            let size = (2 * self.places.len()).max(32);
            let places = std::mem::replace(&mut self.places, vec![FREE; size]);
            places.into_iter().filter(|place| place.key != FREE.key).for_each(|place| self.put(place));
        }
        self.names.push(name);
        self.put(Place { key: key(name.as_bytes()), id });
        id
    }

    fn put(&mut self, place: Place) {
        let mut i = first_place(place.key, self.places.len());
        while self.places[i].key != FREE.key {
            i = (i + 1) & (self.places.len() - 1);
        }
        self.places[i] = place;
    }

    /// The names, for good; `keep` says whether room is kept for others.
    pub(crate) fn take(&mut self, keep: bool) -> Names {
        if keep {
            return self.names.clone();
        }
        self.places = Vec::new();
        let mut names = std::mem::take(&mut self.names);
        names.text.shrink_to_fit();
        names.ends.shrink_to_fit();
        names
    }

    /// Forgets all names, but keeps the room.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.places.fill(FREE);
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.names.bytes() + self.places.held()
    }
}

/// A bit that the keys of long names have alone.
const LONG: u64 = 1 << 63;

/// A number that stands for a name: of up to seven bytes, it is a 1 and those bytes, so that no other name has it; of a longer one a
/// hash.
#[inline(always)]
fn key(name: &[u8]) -> u64 {
    if name.len() < 8 {
        return name.iter().fold(1, |key, &byte| key << 8 | u64::from(byte));
    }
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish() | LONG
}

/// The place to look first for a key, by Fibonacci hashing.
#[inline(always)]
fn first_place(key: u64, places: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & places.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_have_their_own_ids() {
        let mut names = vec![String::new()];
        for length in 1..12 {
            names.extend(["a", "\0", "\u{7f}"].map(|c| c.repeat(length)));
            for i in 0..length {
                let mut name = vec![b'a'; length];
                name[i] = b'b';
                names.push(String::from_utf8(name).expect("ASCII"));
            }
        }
        let mut interner = Interner::default();
        for round in 0..2 {
            for (id, name) in names.iter().enumerate() {
                assert_eq!(interner.find(name.as_bytes()), None, "{name:?} in round {round}");
                assert_eq!(interner.add(name), id as u32);
            }
            for (id, name) in names.iter().enumerate() {
                assert_eq!(interner.find(name.as_bytes()), Some(id as u32));
                assert_eq!(interner.names.get(id), name);
            }
            interner.clear();
        }
    }
}

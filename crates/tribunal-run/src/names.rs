//! Addresses of the program in words.

use crate::only::Only;
use rustc_hash::FxHashMap;
use tribunal_explore::program::Place;

static PLACES: Only<Option<FxHashMap<usize, Place>>> = Only::new(None);

pub fn begin() {
    *PLACES.get() = Some(FxHashMap::default());
}

pub fn place(pc: usize) -> Place {
    let Some(places) = PLACES.get() else { return Place::default() };
    *places.entry(pc).or_insert_with(|| Place {
        file: Box::leak(format!("pc{pc:#x}").into_boxed_str()),
        line: 1,
        column: 0,
    })
}

pub fn variable(_: usize) -> Option<String> {
    None
}

pub fn demangled(name: &str) -> String {
    name.into()
}

pub fn relative(file: &str) -> &'static str {
    Box::leak(file.to_owned().into_boxed_str())
}

//! Addresses of the program in words, for who has no [`Symbols`] at hand.

use crate::only::Only;
use crate::symbols::{self, Symbols};
use crate::threads;
use rustc_hash::FxHashSet;
use tribunal_explore::program::Place;

static SYMBOLS: Only<Option<Symbols>> = Only::new(None);
static FILES: Only<Option<FxHashSet<&'static str>>> = Only::new(None);

/// Before `main`.
pub fn begin() {
    *SYMBOLS.get() = Some(Symbols::new());
}

/// The place of the call that returns to `pc`; if that is in a library, of the one that led there.
pub fn place(pc: usize) -> Place {
    match SYMBOLS.get() {
        Some(symbols) => symbols.place_among(std::iter::once(pc).chain(threads::calls())),
        None => Place::default(),
    }
}

/// The global variable at an address.
pub fn variable(address: usize) -> Option<String> {
    SYMBOLS.get().as_ref()?.variable(address)
}

/// What is at an offset in the block that the call that returns to `pc` allocated.
pub fn member(pc: usize, offset: usize) -> String {
    SYMBOLS.get().as_mut().map_or_else(String::new, |symbols| symbols.member(pc, offset))
}

/// The function that has the call that returns to `pc`.
pub fn function(pc: usize) -> Option<String> {
    SYMBOLS.get().as_mut()?.function(pc)
}

/// A name as it stands in the source.
pub fn demangled(name: &str) -> String {
    symbols::demangled(name)
}

/// A file as [`place`] names it.
pub fn relative(file: &str) -> &'static str {
    let here = std::env::current_dir().unwrap_or_default();
    let file =
        std::path::Path::new(file).strip_prefix(here).map_or(file.into(), |below| below.to_string_lossy());
    let files = FILES.get().get_or_insert_default();
    if let Some(known) = files.get(&*file) {
        return known;
    }
    let kept: &'static str = Box::leak(file.into_owned().into_boxed_str());
    files.insert(kept);
    kept
}

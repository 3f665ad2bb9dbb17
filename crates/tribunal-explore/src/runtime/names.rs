//! The names that people give to objects: the variable or the field that it is made for, read from the line of the source that makes it.

use super::state::Slot;
use crate::program::Place;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::path::Path;

/// The name of an object among all those of an execution: its type, the variable or field if the source can be read, and where it was made. The column is told
/// where another is made on the same line, and a number where the same place has made others before.
pub(super) fn name(slot: &Slot, at: usize, all: &[Slot]) -> String {
    let place = slot.place;
    let places = || all.iter().filter(|other| other.kind == slot.kind).map(|other| other.place);
    let given = given(place).map_or(String::new(), |given| format!(" `{given}`"));
    let on_line = |other: Place| (other.file, other.line) == (place.file, place.line) && other != place;
    let column = if places().any(on_line) { format!(":{}", place.column) } else { String::new() };
    let before = all[..at].iter().filter(|other| other.kind == slot.kind && other.place == place);
    let number = match before.count() {
        0 => String::new(),
        others => format!(" #{}", others + 1),
    };
    format!("{}{given}{number} of {place}{column}", slot.kind)
}

/// The variable or field for which something is made at a place.
fn given(place: Place) -> Option<String> {
    thread_local! {
        static KNOWN: RefCell<FxHashMap<Place, Option<String>>> = RefCell::default();
    }
    KNOWN.with(|known| {
        let mut known = known.borrow_mut();
        known.entry(place).or_insert_with(|| variable(before(place)?.as_str())).clone()
    })
}

/// What stands before a place on its line. The compiler's path may be that of a folder above.
fn before(place: Place) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let text = here
        .ancestors()
        .find_map(|folder| std::fs::read_to_string(folder.join(Path::new(place.file))).ok())?;
    let line = text.lines().nth(place.line.checked_sub(1)? as usize)?;
    Some(line.chars().take(place.column.checked_sub(1)? as usize).collect())
}

/// The field `name:` that text ends with, or else the variable of a `let` or a `static` in it.
fn variable(text: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| {
        let word: String = text.trim_start().chars().take_while(|&c| is_word(c)).collect();
        (!word.is_empty()).then_some(word)
    };
    // `name: Arc::new(` counts as `name: `.
    let last = text.rsplit([',', '{', '=']).next()?;
    if let Some((field, _)) =
        last.split_once(':').filter(|(field, rest)| !rest.starts_with(':') && !field.contains('('))
    {
        return word(field);
    }
    ["let mut ", "let ", "static "].iter().find_map(|keyword| word(text.split_once(keyword)?.1))
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn variables_and_fields_are_known() {
        for (text, name) in [
            ("    let flag = ", Some("flag")),
            ("    let mut flag: Arc<AtomicBool> = Arc::new(", Some("flag")),
            ("    static COUNT: AtomicUsize = ", Some("COUNT")),
            ("    let shared = Shared { head: AtomicUsize::new(0), tail: ", Some("tail")),
            ("            tail: Arc::new(", Some("tail")),
            ("        let (a, b) = (", None),
            ("    Arc::new(", None),
            ("    call(Arc::new(", None),
        ] {
            assert_eq!(variable(text).as_deref(), name, "{text}");
        }
    }
}

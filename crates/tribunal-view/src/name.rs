//! Names and labels as a picture shows them.

use tribunal_report::printable;

/// The longest name of a thread, a process or a location that is shown whole.
const NAME: usize = 48;
/// The longest label of an event or an operation that is shown whole.
const LABEL: usize = 96;
/// The longest line of an explanation that is shown whole.
const LINE: usize = 600;

/// A name from a history, which may be any text of any length.
pub fn name(text: &str) -> String {
    elided(text, NAME)
}

/// The label of an event or an operation.
pub fn label(text: &str) -> String {
    elided(text, LABEL)
}

/// A line of an explanation.
pub fn line(text: &str) -> String {
    elided(text, LINE)
}

/// The text without control characters, and no longer than `most` characters.
pub fn elided(text: &str, most: usize) -> String {
    // Escapes make a text longer, never shorter: what is beyond is not looked at.
    let head = text.char_indices().nth(most + 1).map_or(text, |(at, _)| &text[..at]);
    let mut shown = printable(head);
    if shown.contains(unfit) {
        shown = shown.replace(unfit, "\u{fffd}").into();
    }
    match shown.char_indices().nth(most) {
        None => shown.into_owned(),
        Some(_) => shown.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Marks that have a direction of their own, and what is no character in XML.
fn unfit(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::elided;

    #[test]
    fn long_texts_are_cut_and_marks_are_escaped() {
        assert_eq!(elided("abc", 3), "abc");
        assert_eq!(elided("abcd", 3), "ab…");
        assert_eq!(elided("a\u{202e}b", 20), "a\\u{202e}b");
        assert_eq!(elided("a\u{200f}b", 20), "a\u{fffd}b");
        assert_eq!(elided(&"é".repeat(1000), 5).chars().count(), 5);
    }
}

//! Names and numbers as they may be shown.

use std::borrow::Cow;

/// The text with its control characters escaped: names in histories are anything, and a terminal obeys what it prints.
///
/// ```
/// assert_eq!(tribunal_report::printable("x\u{1b}[31m"), "x\\u{1b}[31m");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    // Marks that turn the direction of text are no control characters, but show a text as another.
    let escaped = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Most names are of these, and some are long.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.contains(escaped) {
        return text.into();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if escaped(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown.into()
}

/// A number of things, the name of one of which is given.
///
/// ```
/// use tribunal_report::counted;
/// assert_eq!((counted(1, "history"), counted(2, "history")), ("1 history".into(), "2 histories".into()));
/// ```
pub fn counted(count: u64, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (count, Some(stem)) => format!("{count} {stem}ies"),
        (count, None) => format!("{count} {one}s"),
    }
}

/// The same of each line of a text.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| matches!(printable(line), Cow::Borrowed(_))) {
        return text.into();
    }
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n").into()
}

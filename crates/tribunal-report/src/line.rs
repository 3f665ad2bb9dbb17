//! Explanations line by line.

use crate::printable;

/// Longer explanations are folded.
pub const SCREENFUL: usize = 40;
/// Longer lines are broken where they can be; what they are part of may indent them a little.
pub const WIDTH: usize = 104;
/// Less than this does not stand on a line of its own.
const ORPHAN: usize = 20;
/// No line of a whole screen is longer, unless a name is.
pub const LONGEST: usize = 108;

/// A line of an explanation, with what it speaks of: the events of a memory, or the operations of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<Id> {
    /// The depth of the line below what it explains.
    pub depth: usize,
    /// The text of the line, fit for a terminal.
    pub text: String,
    /// The events that it speaks of, in the order of speaking.
    pub about: Vec<Id>,
    /// The edges it speaks of.
    pub arrows: Vec<Arrow<Id>>,
}

/// An edge that a line speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow<Id> {
    /// The place where it begins.
    pub from: Id,
    /// The place where it ends.
    pub to: Id,
    /// The relation between the ends: `po`, `rf`, `mo`, `fr`, ...
    pub name: &'static str,
}

impl<Id> Line<Id> {
    /// A line that points at nothing yet.
    pub fn new(depth: usize, text: &str) -> Self {
        Line { depth, text: printable(text).into_owned(), about: Vec::new(), arrows: Vec::new() }
    }

    /// The same line, so much deeper.
    pub(crate) fn below(self, depth: usize) -> Self {
        Line { depth: self.depth + depth, ..self }
    }

    /// The line as printed: two spaces for each step of depth.
    pub fn indented(&self) -> String {
        format!("{:indent$}{}", "", self.text, indent = 2 * self.depth)
    }
}

/// The lines as printed, at most `height` and one that says how many are missing: the deepest are left out first.
///
/// ```
/// use tribunal_report::{Line, fold};
/// let lines: Vec<Line<()>> = vec![Line::new(0, "why:"), Line::new(1, "this"), Line::new(1, "and that")];
/// assert_eq!(fold(&lines, 3), ["why:", "  this", "  and that"]);
/// assert_eq!(fold(&lines, 2), ["why:", "(2 more lines; check --style json has everything)"]);
/// ```
pub fn fold<Id>(lines: &[Line<Id>], height: usize) -> Vec<String> {
    let (kept, folded) = kept(lines, height);
    let mut shown: Vec<String> = kept.into_iter().map(Line::indented).collect();
    if folded > 0 {
        shown.push(format!("({folded} more lines; check --style json has everything)"));
    }
    shown
}

/// The lines that folding keeps, and how many it leaves out.
pub(crate) fn kept<Id>(lines: &[Line<Id>], height: usize) -> (Vec<&Line<Id>>, usize) {
    let deepest = lines.iter().map(|line| line.depth).max().unwrap_or(0);
    let up_to = |limit: usize| lines.iter().filter(move |line| line.depth <= limit);
    let limit = (0..=deepest).rev().find(|&limit| up_to(limit).count() <= height).unwrap_or(0);
    let kept: Vec<_> = up_to(limit).take(height).collect();
    let folded = lines.len() - kept.len();
    (kept, folded)
}

/// The lines, those that are too long broken between words; what is broken off is indented.
pub(crate) fn broken<Id>(lines: Vec<Line<Id>>, width: usize) -> Vec<Line<Id>> {
    let mut whole = Vec::with_capacity(lines.len());
    for mut line in lines {
        let room = width.saturating_sub(2 * line.depth).max(20);
        while let Some(at) = break_of(&line.text, room) {
            let tail = format!("    {}", line.text[at..].trim_start());
            let mut head = std::mem::replace(&mut line, Line::new(0, ""));
            line = Line { depth: head.depth, text: tail, ..line };
            head.text.truncate(head.text[..at].trim_end().len());
            whole.push(head);
        }
        whole.push(line);
    }
    whole
}

/// Where a text that is too long is best broken: after a comma or the like, if what follows is no orphan; or else at its
/// last space that is not in the indentation.
fn break_of(text: &str, room: usize) -> Option<usize> {
    let (end, _) = text.char_indices().nth(room)?;
    let indent = text.len() - text.trim_start().len();
    let spaces = || text[..end].rmatch_indices(' ').map(|(at, _)| at).take_while(|&at| at > indent);
    let pause = spaces()
        .take_while(|&at| at > end / 2)
        .find(|&at| text[..at].ends_with([',', ';', ':']) && text.len() - at > ORPHAN);
    let outside = || text[end..].find(' ').map(|at| end + at);
    let space = pause.or_else(|| spaces().next()).or_else(outside);
    space.filter(|&at| !text[at..].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let line = |text: &str| Line::<()>::new(1, text);
        let texts = |lines: Vec<Line<()>>| lines.into_iter().map(|line| line.text).collect::<Vec<_>>();
        let lines = broken(vec![line("one two three four five six seven eight")], 24);
        assert_eq!(texts(lines), ["one two three four", "    five six seven", "    eight"]);
        let lines = broken(vec![line("a-word-that-is-longer-than-any-line more")], 24);
        assert_eq!(texts(lines), ["a-word-that-is-longer-than-any-line", "    more"]);
        assert_eq!(texts(broken(vec![line("short")], 24)), ["short"]);
    }
}

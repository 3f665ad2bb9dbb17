//! Programs in columns: a header of threads, then rows of cells.

use super::lexer::comment;
use crate::error::Fault;
use tribunal_cat::text::Position;

/// A cell: its labels, and its instruction, perhaps none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub labels: Vec<String>,
    pub text: String,
    pub position: Position,
}

/// The numbers of threads, and each one's column.
pub(crate) fn columns(text: &str, start: Position) -> Result<Vec<(u32, Vec<Cell>)>, Fault> {
    let blank = without_comments(text);
    let mut position = start;
    let mut threads: Vec<(u32, Vec<Cell>)> = Vec::new();
    for row in blank.split(';') {
        let here = position;
        position = position.after(row).after(";");
        if row.trim().is_empty() {
            continue;
        }
        if threads.is_empty() {
            let mut at = here;
            for head in row.split('|') {
                threads.push((thread(head, at)?, Vec::new()));
                at = at.after(head).after("|");
            }
            continue;
        }
        let mut at = here;
        for (column, cell) in row.split('|').enumerate() {
            let Some((_, cells)) = threads.get_mut(column) else {
                return Err(Fault::new(at, format!("a row of at most {} cells was expected", threads.len())));
            };
            cells.push(cell_of(cell, at));
            at = at.after(cell).after("|");
        }
    }
    if threads.is_empty() {
        return Err(Fault::new(start, "a row of threads, as in `P0 | P1 ;`, was expected"));
    }
    Ok(threads)
}

fn thread(head: &str, position: Position) -> Result<u32, Fault> {
    let name = head.trim();
    // A thread may say more than its number: `P0:f`, `P0 (..)`.
    let digits: String =
        name.trim_start_matches(['P', 'p']).chars().take_while(char::is_ascii_digit).collect();
    if !name.starts_with(['P', 'p']) || name[1..].contains(':') {
        return Err(Fault::new(position, format!("a thread, as in `P0`, was expected, not `{name}`")));
    }
    digits
        .parse()
        .map_err(|_| Fault::new(position, format!("a thread, as in `P0`, was expected, not `{name}`")))
}

fn cell_of(text: &str, position: Position) -> Cell {
    let mut rest = text;
    let mut labels = Vec::new();
    loop {
        let trimmed = rest.trim_start();
        let length = trimmed
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(trimmed.len());
        match trimmed[length..].trim_start().strip_prefix(':') {
            Some(after) if length > 0 => {
                labels.push(trimmed[..length].to_owned());
                rest = after;
            }
            _ => break,
        }
    }
    let trimmed = rest.trim_start();
    let position = position.after(&text[..text.len() - trimmed.len()]);
    Cell { labels, text: trimmed.split_whitespace().collect::<Vec<_>>().join(" "), position }
}

/// The text with blanks in place of comments.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("(*") {
        let length = comment(&rest[start..]);
        out.push_str(&rest[..start]);
        out.extend(rest[start..start + length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[start + length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_labels_and_positions() {
        let program = columns(" P0 | P1 ;\n L0: mov  r0,1 | (* c *) ;\n | L1: L2: ;\n", Position::START)
            .expect("columns");
        assert_eq!(program[0].1[0].labels, ["L0"]);
        assert_eq!(program[0].1[0].text, "mov r0,1");
        assert_eq!(program[0].1[0].position, Position { line: 2, column: 6 });
        assert_eq!(program[1].1[1].labels, ["L1", "L2"]);
        assert_eq!(program[1].1[1].text, "");
        assert!(columns("P0;\n a | b;", Position::START).is_err());
    }
}

//! Columns of text side by side.

use crate::line::LONGEST;

/// Between two columns.
const GAP: usize = 3;

/// The rows of a thread or a session.
pub(crate) struct Column {
    rows: Vec<String>,
    width: usize,
}

impl Column {
    /// Of these rows.
    pub(crate) fn of(rows: Vec<String>) -> Self {
        let width = rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
        Column { rows, width }
    }
}

/// Columns in bands that are no wider than they may be.
pub(crate) fn side_by_side(columns: &[Column]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut at = 0;
    while at < columns.len() {
        let (mut end, mut width) = (at + 1, columns[at].width);
        while end < columns.len() && width + GAP + columns[end].width <= LONGEST {
            width += GAP + columns[end].width;
            end += 1;
        }
        let band = &columns[at..end];
        let height = band.iter().map(|column| column.rows.len()).max().unwrap_or(0);
        for row in 0..height {
            let cells = band
                .iter()
                .map(|column| (column.rows.get(row).map_or("", String::as_str), column.width + GAP));
            rows.push(padded(cells));
        }
        at = end;
    }
    rows
}

/// Cells in a row, each as wide as is said, with nothing behind the last.
pub(crate) fn padded<'a>(cells: impl Iterator<Item = (&'a str, usize)>) -> String {
    // Spaces are added when something follows them: names are sometimes longer than any screen.
    let (mut row, mut spaces) = (String::new(), 0);
    for (cell, width) in cells {
        if !cell.is_empty() {
            row.extend(std::iter::repeat_n(' ', spaces));
            row.push_str(cell);
            spaces = 0;
        }
        spaces += width.saturating_sub(cell.chars().count());
    }
    row.truncate(row.trim_end().len());
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_be_wider_than_formatting_can_pad() {
        let long = "x".repeat(usize::from(u16::MAX) + 1);
        let rows = side_by_side(&[Column::of(vec![long.clone(), "y".into()]), Column::of(vec!["z".into()])]);
        assert_eq!(rows, [long.as_str(), "y", "z"]);
    }
}

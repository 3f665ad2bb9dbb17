//! Columns of text side by side.

use crate::line::LONGEST;

/// Between two columns.
const GAP: &str = "   ";

/// What formatting can pad to. A cell that is longer is printed as it is.
pub(crate) const MOST_PADDING: usize = u16::MAX as usize;

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
        while end < columns.len() && width + GAP.len() + columns[end].width <= LONGEST {
            width += GAP.len() + columns[end].width;
            end += 1;
        }
        let band = &columns[at..end];
        let height = band.iter().map(|column| column.rows.len()).max().unwrap_or(0);
        for row in 0..height {
            let cells = band.iter().map(|column| {
                let text = column.rows.get(row).map_or("", String::as_str);
                format!("{text:width$}", width = column.width.min(MOST_PADDING))
            });
            rows.push(cells.collect::<Vec<_>>().join(GAP).trim_end().to_string());
        }
        at = end;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_be_wider_than_formatting_can_pad() {
        let long = "x".repeat(MOST_PADDING + 1);
        let rows = side_by_side(&[Column::of(vec![long.clone(), "y".into()]), Column::of(vec!["z".into()])]);
        assert_eq!(rows, [long.as_str(), "y", "z"]);
    }
}

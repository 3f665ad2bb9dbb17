//! The places of the boxes of a picture in columns.

use super::canvas::width_of;
use super::{MARGIN, TOP};
use crate::scene::{Block, Scene};

/// The space between one row and the next.
pub const GAP: f32 = 36.0;
/// Half of the height of a box with one line.
pub const HALF: f32 = 15.0;
/// The height that each further line adds.
pub const LINE: f32 = 18.0;
/// The space between columns, for edges.
pub const GUTTER: f32 = 104.0;
/// Below the names of the columns the rows begin.
const HEADER: f32 = 34.0;

/// A box.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its place in the document.
    pub place: u32,
    /// Its column among those drawn; none for an initial write.
    pub column: Option<usize>,
    /// Its row among those drawn.
    pub row: usize,
    /// The middle of its box.
    pub x: f32,
    /// The middle of its box.
    pub y: f32,
    /// Half of its width.
    pub half: f32,
    /// Half of its height.
    pub tall: f32,
}

/// The column of a thread or a session.
#[derive(Clone, Debug)]
pub struct Column {
    /// The column in the document.
    pub column: u32,
    /// The middle.
    pub x: f32,
    /// Half of its width.
    pub half: f32,
}

/// The boxes drawn; rows in which nothing is drawn are left out.
pub struct Grid {
    /// By column and index; what is there initially last.
    pub cells: Vec<Cell>,
    /// The columns in which something is drawn.
    pub columns: Vec<Column>,
    /// The place where the names of the columns are.
    pub names: f32,
    /// By row, its middle and half of its height.
    pub rows: Vec<(f32, f32)>,
    /// The place where the drawing ends.
    pub width: f32,
    /// The place where the last row ends.
    pub bottom: f32,
}

impl Grid {
    /// Lays out these places, which are sorted.
    pub fn new(scene: &Scene<'_>, places: &[u32]) -> Self {
        let block = |place: u32| &scene.boxes[place as usize];
        let mut columns: Vec<Column> = Vec::new();
        for &place in places {
            let Some(of) = block(place).column else { continue };
            if columns.last().is_none_or(|column| column.column != of) {
                let half = width_of(&scene.columns[of as usize].name) / 2.0 + 8.0;
                columns.push(Column { column: of, x: 0.0, half });
            }
            let column = columns.last_mut().expect("one was pushed");
            column.half = column.half.max(wide(block(place)));
        }
        let mut x = MARGIN + GUTTER / 2.0;
        for column in &mut columns {
            column.x = x + column.half;
            x += 2.0 * column.half + GUTTER;
        }
        let inits: Vec<u32> = places.iter().copied().filter(|&place| scene.is_init(place)).collect();
        let needed: f32 = inits.iter().map(|&place| 2.0 * wide(block(place)) + 24.0).sum();
        let width = (x - GUTTER / 2.0 + MARGIN).max(needed + 2.0 * MARGIN);

        let mut numbers: Vec<u32> = places.iter().map(|&place| block(place).row).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let row_of = |place: u32| numbers.partition_point(|&row| row < block(place).row);
        let mut halves = vec![HALF; numbers.len().max(1)];
        for &place in places {
            let half = &mut halves[row_of(place)];
            *half = half.max(tall(block(place)));
        }
        let mut top = if inits.is_empty() { TOP + HEADER } else { TOP };
        let mut rows = Vec::with_capacity(halves.len());
        for (row, half) in halves.into_iter().enumerate() {
            rows.push((top + GAP / 2.0 + half, half));
            top += GAP + 2.0 * half;
            // What is there initially stands above the names of the columns.
            if row == 0 && !inits.is_empty() {
                top += HEADER;
            }
        }
        let mut spare = (width - 2.0 * MARGIN - needed) / (inits.len() + 1) as f32;
        let mut left = MARGIN + spare;
        spare += 24.0;
        let cells = places.iter().map(|&place| {
            let row = row_of(place);
            let column =
                block(place).column.and_then(|column| columns.iter().position(|c| c.column == column));
            let half = column.map_or(wide(block(place)), |column| columns[column].half);
            let x = match column {
                Some(column) => columns[column].x,
                None => {
                    left += 2.0 * half + spare;
                    left - half - spare
                }
            };
            Cell { place, column, row, x, y: rows[row].0, half, tall: tall(block(place)) }
        });
        let cells: Vec<Cell> = cells.collect();
        let names = if inits.is_empty() { TOP + 20.0 } else { TOP + GAP + 2.0 * rows[0].1 + 20.0 };
        let bottom = rows.last().map_or(TOP, |(middle, half)| middle + half + GAP / 2.0);
        Grid { cells, columns, names, rows, width, bottom }
    }

    /// The box of a place, if it is drawn.
    pub fn cell(&self, place: u32) -> Option<usize> {
        self.cells.binary_search_by_key(&place, |cell| cell.place).ok()
    }
}

/// Half of the width that a box needs.
fn wide(block: &Block<'_>) -> f32 {
    let lines = block.below.iter().map(|line| width_of(line));
    lines.fold(width_of(&block.label), f32::max) / 2.0 + 12.0
}

/// Half of the height of a box.
fn tall(block: &Block<'_>) -> f32 {
    HALF + LINE * block.below.len() as f32 / 2.0
}

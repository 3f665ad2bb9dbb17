//! Where the events of a memory are drawn.

use super::canvas::width_of;
use super::{MARGIN, TOP};
use crate::document::{Document, Event, Picture};

/// From one row to the next.
pub const ROW: f32 = 66.0;
/// Half of an event's height.
pub const HALF: f32 = 15.0;
/// What is free between columns, for edges.
pub const GUTTER: f32 = 104.0;
/// Below the names of the threads the rows begin.
const HEADER: f32 = 34.0;

/// An event's box.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The place of the event in the document.
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
}

/// A thread's column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The thread in the document.
    pub thread: u32,
    /// The middle.
    pub x: f32,
    /// Half of its width.
    pub half: f32,
}

/// The boxes of the events drawn; rows in which nothing is drawn are left out.
pub struct Grid {
    /// By thread and index; initial writes last.
    pub cells: Vec<Cell>,
    /// The columns in which something is drawn.
    pub columns: Vec<Column>,
    /// Where the names of the threads are.
    pub names: f32,
    /// Where the drawing ends.
    pub width: f32,
    /// Where the last row ends.
    pub bottom: f32,
}

impl Grid {
    /// Lays out these places, which are sorted.
    pub fn new(document: &Document, places: &[u32]) -> Self {
        let Picture::Memory { threads, events, .. } = &document.picture else {
            return Grid { cells: vec![], columns: vec![], names: TOP, width: 0.0, bottom: TOP };
        };
        let event = |place: u32| &events[place as usize];
        let wide = |event: &Event| width_of(&event.label) / 2.0 + 12.0;
        let mut columns: Vec<Column> = Vec::new();
        for &place in places {
            let Some(thread) = event(place).thread else { continue };
            if columns.last().is_none_or(|column| column.thread != thread) {
                let half = width_of(&threads[thread as usize].name) / 2.0 + 8.0;
                columns.push(Column { thread, x: 0.0, half });
            }
            let column = columns.last_mut().expect("one was pushed");
            column.half = column.half.max(wide(event(place)));
        }
        let mut x = MARGIN + GUTTER / 2.0;
        for column in &mut columns {
            column.x = x + column.half;
            x += 2.0 * column.half + GUTTER;
        }
        let inits: Vec<u32> = places.iter().copied().filter(|&place| event(place).thread.is_none()).collect();
        let needed: f32 = inits.iter().map(|&place| 2.0 * wide(event(place)) + 24.0).sum();
        let width = (x - GUTTER / 2.0 + MARGIN).max(needed + 2.0 * MARGIN);

        let mut rows: Vec<u32> = places.iter().map(|&place| event(place).row).collect();
        rows.sort_unstable();
        rows.dedup();
        let first = if inits.is_empty() { TOP + HEADER } else { TOP };
        // Initial writes stand above the names of the threads.
        let y_of = |row: usize| {
            let below = if inits.is_empty() || row == 0 { 0.0 } else { HEADER };
            first + below + ROW * (row as f32 + 0.5)
        };
        let mut spare = (width - 2.0 * MARGIN - needed) / (inits.len() + 1) as f32;
        let mut left = MARGIN + spare;
        spare += 24.0;
        let cells = places.iter().map(|&place| {
            let row = rows.partition_point(|&row| row < event(place).row);
            let column =
                event(place).thread.and_then(|thread| columns.iter().position(|c| c.thread == thread));
            let half = column.map_or(wide(event(place)), |column| columns[column].half);
            let x = match column {
                Some(column) => columns[column].x,
                None => {
                    left += 2.0 * half + spare;
                    left - half - spare
                }
            };
            Cell { place, column, row, x, y: y_of(row), half }
        });
        let cells: Vec<Cell> = cells.collect();
        let names = if inits.is_empty() { TOP + 20.0 } else { TOP + ROW + 20.0 };
        let bottom = y_of(rows.len().saturating_sub(1)) + ROW / 2.0;
        Grid { cells, columns, names, width, bottom }
    }

    /// The box of a place, if it is drawn.
    pub fn cell(&self, place: u32) -> Option<usize> {
        self.cells.binary_search_by_key(&place, |cell| cell.place).ok()
    }
}

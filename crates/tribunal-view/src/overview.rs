//! An overview of a large history.

use crate::document::Overview;

/// The number of stretches that a history is cut into,
const STRETCHES: u32 = 400;
/// but the strip has no more cells than this.
const CELLS: usize = 40_000;

/// A history in stretches: where each of its members is, and whose it is.
pub struct Stretches {
    density: Vec<Vec<u32>>,
    /// The length of the whole.
    length: u64,
    count: u32,
}

impl Stretches {
    /// Of so many rows, for a history of that length.
    pub fn new(rows: usize, length: usize) -> Self {
        let count = STRETCHES.min((CELLS / rows.max(1)) as u32).max(16);
        Stretches { density: vec![vec![0; count as usize]; rows], length: length.max(1) as u64, count }
    }

    /// The stretch of a place.
    pub fn of(&self, place: usize) -> u32 {
        (place as u64 * u64::from(self.count) / self.length).min(u64::from(self.count) - 1) as u32
    }

    /// Counts what is at a place of a row.
    pub fn count(&mut self, row: usize, place: usize) {
        let stretch = self.of(place) as usize;
        self.density[row][stretch] += 1;
    }

    /// The overview, given the places shown and, by answer, those of its violation.
    pub fn overview(
        self,
        shown: impl Iterator<Item = usize>,
        marks: impl IntoIterator<Item = Vec<usize>>,
    ) -> Overview {
        let mut window = (self.count - 1, 0);
        for place in shown {
            let stretch = self.of(place);
            window = (window.0.min(stretch), window.1.max(stretch));
        }
        let marks = marks.into_iter().map(|places| {
            let mut marks: Vec<u32> = places.into_iter().map(|place| self.of(place)).collect();
            marks.sort_unstable();
            marks.dedup();
            marks
        });
        Overview { marks: marks.collect(), density: self.density, window }
    }
}

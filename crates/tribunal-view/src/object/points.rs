//! The points on the timeline at which operations take effect.

/// Points for operations in the order of lin, given where each is called and returns on a grid that ends at `end`: a place on
/// the grid in hundredths. They increase, as long as no more than 99 are between two neighbors of the grid, and lie within
/// the intervals if lin contains the order of those.
///
/// An operation may take effect after the last call of those up to it, s, and before the first return of those from it on,
/// l. Neither ever decreases along lin, so the middle between them does not either; and s < l, since otherwise a later
/// operation would have returned before an earlier one was called. Those between the same neighbors of the grid are
/// spread out there.
pub fn points(intervals: &[(u32, Option<u32>)], end: u32) -> Vec<u32> {
    let mut latest: Vec<u32> = intervals.iter().map(|&(_, ret)| ret.unwrap_or(end)).collect();
    for at in (1..latest.len()).rev() {
        latest[at - 1] = latest[at - 1].min(latest[at]);
    }
    let mut earliest = 0;
    let gaps: Vec<u32> = intervals
        .iter()
        .zip(&latest)
        .map(|(&(call, _), &latest)| {
            earliest = earliest.max(call);
            (earliest + latest).saturating_sub(1) / 2
        })
        .collect();
    let mut points = Vec::with_capacity(gaps.len());
    for same in gaps.chunk_by(|a, b| a == b) {
        let spread = |nth: usize| 100 * (nth as u32 + 1) / (same.len() as u32 + 1);
        points.extend((0..same.len()).map(|nth| 100 * same[0] + spread(nth)));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn points_increase_within_their_intervals() {
        // The second is called first and takes effect last; the third never returns.
        let intervals = [(1, Some(2)), (3, None), (0, Some(4))];
        let points = points(&intervals, 5);
        assert!(points.is_sorted_by(|a, b| a < b), "{points:?}");
        for (&(call, ret), &point) in intervals.iter().zip(&points) {
            assert!(100 * call < point && point < 100 * ret.unwrap_or(5), "{points:?}");
        }
    }
}

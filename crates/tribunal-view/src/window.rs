//! The part of a large history that a picture shows.

/// The most events or operations in a picture.
pub const MOST: usize = 4000;

/// The seeds of a window, those of the shown violation first: as many violations as leave room for what is around them.
pub fn seeds(violations: impl IntoIterator<Item = Vec<u32>>, most: usize) -> Vec<u32> {
    let mut seeds = Vec::new();
    for violation in violations {
        if seeds.is_empty() || seeds.len() + violation.len() <= most / 4 {
            seeds.extend(violation);
        }
    }
    seeds.truncate(most);
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// The widest neighborhood that has at most `most` members, where `near` gives the one of a radius; the narrowest, cut
/// short, if that has more.
pub fn widest(most: usize, near: impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
    let (mut fits, mut radius) = (near(0), 0);
    fits.truncate(most);
    let mut too_wide = most as u32 + 1;
    while radius + 1 < too_wide {
        let middle = radius.midpoint(too_wide);
        let wider = near(middle);
        if wider.len() <= most {
            (fits, radius) = (wider, middle);
        } else {
            too_wide = middle;
        }
    }
    fits
}

/// The places at most `radius` from one of the seeds, which are sorted, as far as each seed's `bounds` go: sorted, and no
/// more than `most` and one.
pub fn around(seeds: &[u32], radius: u32, most: usize, bounds: impl Fn(u32) -> (u32, u32)) -> Vec<u32> {
    let mut places: Vec<u32> = Vec::new();
    for &seed in seeds {
        let (first, end) = bounds(seed);
        let next = places.last().map_or(0, |&last| last + 1);
        let from = seed.saturating_sub(radius).max(first).max(next);
        let to = seed.saturating_add(radius).saturating_add(1).min(end);
        places.extend((from..to).take((most + 1).saturating_sub(places.len())));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{around, seeds, widest};

    #[test]
    fn a_window_is_as_wide_as_there_is_room() {
        let near = |radius| around(&[5, 50], radius, 20, |_| (0, 100));
        assert_eq!(widest(20, near), [1, 2, 3, 4, 5, 6, 7, 8, 9, 46, 47, 48, 49, 50, 51, 52, 53, 54]);
        let all = |radius| around(&[5], radius, 200, |_| (0, 100));
        assert_eq!(widest(200, all).len(), 100);
        let many: Vec<u32> = (0..50).collect();
        assert_eq!(widest(20, |radius| around(&many, radius, 20, |_| (0, 100))).len(), 20);
    }

    #[test]
    fn the_first_violation_comes_first() {
        assert_eq!(seeds([vec![9, 8], vec![1, 2], (10..99).collect()], 20), [1, 2, 8, 9]);
    }
}

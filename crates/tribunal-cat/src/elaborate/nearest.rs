//! The name that was meant where there is none of that name.

/// The name that differs least, if it differs by no more than a third of its letters.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = name.len().div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    for other in names {
        if other.len().abs_diff(name.len()) > most || other == name {
            continue;
        }
        let changes = distance(name.as_bytes(), other.as_bytes());
        if changes <= 2 * most && best.is_none_or(|(least, known)| (changes, other) < (least, known)) {
            best = Some((changes, other));
        }
    }
    best.map(|(_, other)| other)
}

/// How many letters must be changed, added or left out (Levenshtein), each for two, and another case for one. Time: the product of the
/// lengths.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).map(|j| 2 * j).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = 2 * (i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y) + usize::from(!x.eq_ignore_ascii_case(y));
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 2).min(corner + 2);
        }
    }
    row[b.len()]
}

//! The name that was meant where there is none of that name.

/// The name that differs least, if it differs by no more than a third of its letters.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = (2 * name.len()).div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    for other in names {
        if other.len().abs_diff(name.len()) * 2 > most || other == name {
            continue;
        }
        let changes = distance(name.as_bytes(), other.as_bytes());
        if changes <= most && best.is_none_or(|(least, known)| (changes, other) < (least, known)) {
            best = Some((changes, other));
        }
    }
    best.map(|(_, other)| other)
}

/// How many letters must be changed, added or left out, each for two; another case, or neighbors that change places, for one (optimal string
/// alignment). Time: the product of the lengths.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                rows[i][j] = 2 * (i + j);
                continue;
            }
            let (x, y) = (a[i - 1], b[j - 1]);
            let change = rows[i - 1][j - 1] + usize::from(x != y) + usize::from(!x.eq_ignore_ascii_case(&y));
            let mut least = change.min(rows[i - 1][j] + 2).min(rows[i][j - 1] + 2);
            if i > 1 && j > 1 && x == b[j - 2] && y == a[i - 2] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

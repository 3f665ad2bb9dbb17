//! The order in which people look for names: `p2` before `p10`.

use std::cmp::Ordering;

/// Compares names piece by piece: digits as numbers, all else as it is.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while !left.is_empty() && !right.is_empty() {
        let (one, other);
        (one, left) = piece(left);
        (other, right) = piece(right);
        let order = match (number(one), number(other)) {
            // Without leading zeros the longer number is the larger.
            (Some(one), Some(other)) => one.len().cmp(&other.len()).then(one.cmp(other)),
            _ => one.cmp(other),
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then(a.cmp(b))
}

/// The first piece of a text, all digits or none, and what follows.
fn piece(text: &str) -> (&str, &str) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    text.split_at(text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len()))
}

/// A piece of digits, without leading zeros.
fn number(piece: &str) -> Option<&str> {
    piece.starts_with(|c: char| c.is_ascii_digit()).then(|| piece.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_in_names_are_numbers() {
        let mut names = ["p10", "p2", "10", "9", "p", "q1", "p02", "é2", "-1", "p2b10", "p2b9"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["-1", "9", "10", "p", "p02", "p2", "p2b9", "p2b10", "p10", "q1", "é2"]);
    }
}

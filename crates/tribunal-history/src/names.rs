//! Values by their names, and suggestions for unknown names.

/// No value has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{name}`{near}{expected}", near = suggestion(.name, .names.iter().copied()))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    names: Vec<&'static str>,
    expected: String,
}

impl UnknownName {
    /// The same error, which also lists the known names.
    pub fn listing(self) -> Self {
        UnknownName { expected: format!("; expected one of {}", self.names.join(", ")), ..self }
    }
}

/// The one of `all` values that has a name. `what` they are is said if none has.
pub fn named<T: Copy>(
    what: &'static str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let unknown = || {
        let names = all.iter().map(|&value| name_of(value)).collect();
        UnknownName { what, name: name.into(), names, expected: String::new() }
    };
    all.iter().copied().find(|&value| name_of(value).eq_ignore_ascii_case(name)).ok_or_else(unknown)
}

/// The text that follows an unknown name in a message: ` (did you mean ...?)` with the nearest known name, or nothing if none is close.
///
/// ```
/// use tribunal::history::names::suggestion;
/// assert_eq!(suggestion("tos", ["sc", "tso", "pso"]), " (did you mean `tso`?)");
/// assert_eq!(suggestion("Linear", ["linearizable", "weak"]), " (did you mean `linearizable`?)");
/// assert_eq!(suggestion("java", ["sc", "tso", "pso"]), "");
/// ```
pub fn suggestion<'n>(unknown: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(unknown, names).map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// The first of the names with the fewest errors, if these are few for its length; or that the unknown name begins.
fn nearest<'n>(unknown: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const LONGEST: usize = 64;
    let unknown: Vec<char> = unknown.trim().to_lowercase().chars().take(LONGEST).collect();
    let errors = |name: &str| {
        let name: Vec<char> = name.to_lowercase().chars().take(LONGEST).collect();
        let begins = unknown.len() >= 3 && name.starts_with(&unknown);
        let errors = if begins { 1 } else { distance(&unknown, &name) };
        (errors <= (unknown.len().max(name.len()) / 3).max(1) && errors < name.len()).then_some(errors)
    };
    let near = names.into_iter().filter_map(|name| Some((errors(name)?, name)));
    near.min_by_key(|&(errors, _)| errors).map(|(_, name)| name)
}

/// The number of characters that are to be inserted, left out, replaced or swapped with the next to make one text of the other.
fn distance(one: &[char], other: &[char]) -> usize {
    // Rows of the table for one text without its last two characters, without its last, and with it.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        let names = ["sc", "tso", "pso", "rmo", "linearizable", "cas-register", "register"];
        for (unknown, meant) in [
            ("tos", Some("tso")),
            ("TSO ", Some("tso")),
            ("tsoo", Some("tso")),
            ("linearisable", Some("linearizable")),
            ("lin", Some("linearizable")),
            ("cas_register", Some("cas-register")),
            ("regsiter", Some("register")),
            ("s", Some("sc")),
            ("", None),
            ("x", None),
            ("armv8", None),
            ("\u{1f600}\u{1f600}\u{1f600}", None),
        ] {
            assert_eq!(nearest(unknown, names), meant, "{unknown}");
        }
    }

    #[test]
    fn a_long_name_costs_little() {
        assert_eq!(nearest(&"x".repeat(1 << 20), ["tso"]), None);
    }
}

//! Whether a text is well-formed XML, as far as pictures go: elements, attributes and entities.

/// Why it is not, if it is not.
pub fn fault(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    let mut roots = 0;
    while let Some(at) = rest.find('<') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        if let Some(fault) = data_fault(before) {
            return Some(fault);
        }
        if open.is_empty() && !before.trim().is_empty() {
            return Some(format!("text outside of the root: {before:?}"));
        }
        let Some(end) = after.find('>') else { return Some("an open tag at the end".into()) };
        let tag = &after[..end];
        rest = &after[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let name = tag.split(' ').next().unwrap_or("");
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Some(format!("no name: <{tag}>"));
        }
        if let Some(fault) = attributes_fault(tag[name.len()..].trim()) {
            return Some(format!("<{tag}>: {fault}"));
        }
        roots += usize::from(open.is_empty());
        if !empty {
            open.push(name);
        }
    }
    match (open.last(), roots) {
        (Some(name), _) => Some(format!("<{name}> is not closed")),
        (None, 1) if rest.trim().is_empty() => None,
        (None, roots) => Some(format!("{roots} roots, then {rest:?}")),
    }
}

fn attributes_fault(mut rest: &str) -> Option<String> {
    let mut names = Vec::new();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return Some(format!("no value: {rest}")) };
        let Some((value, after)) = after.split_once('"') else { return Some(format!("no end: {after}")) };
        if names.contains(&name) || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Some(format!("attribute {name}"));
        }
        if value.contains("NaN") || value.contains("inf") {
            return Some(format!("{name} is {value}"));
        }
        names.push(name);
        if let Some(fault) = data_fault(value) {
            return Some(fault);
        }
        rest = after.trim_start();
    }
    None
}

fn data_fault(data: &str) -> Option<String> {
    let bad = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}');
    if data.contains(bad) {
        return Some(format!("a control character in {data:?}"));
    }
    let entity = |after: &str| ["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| after.starts_with(entity));
    let loose = data.split('&').skip(1).find(|after| !entity(after));
    loose.map(|after| format!("a loose & before {after:?}"))
}

#[test]
fn faults_are_found() {
    for good in ["<a/>", "<a b=\"c&amp;d\"><e>f</e>\n</a>\n"] {
        assert_eq!(fault(good), None);
    }
    for bad in [
        "<a>",
        "<a></b>",
        "<a b=c/>",
        "<a>&nbsp;</a>",
        "<a/><b/>",
        "a<b/>",
        "<a b=\"1\" b=\"2\"/>",
        "<a>\u{1}</a>",
    ] {
        assert!(fault(bad).is_some(), "{bad}");
    }
}

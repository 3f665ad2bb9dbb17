//! What std, loom and shuttle have and the explorer does not.
//!
//! `names.txt` is their public names, written by `cargo xtask surface`; `left_out.txt` is what is left out, and why. The explorer's own names are read
//! from its source, and from that of the crate that stands in loom's place.

mod source;

use source::Source;
use std::path::Path;

const NAMES: &str = include_str!("names.txt");
const LEFT_OUT: &str = include_str!("left_out.txt");

/// Names that are left out, each with the reason under whose heading it stands.
fn left_out() -> Vec<(&'static str, &'static str)> {
    let mut reason = "";
    let mut names = Vec::new();
    for line in LEFT_OUT.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(heading) => reason = heading,
            None => names.push((line, reason)),
        }
    }
    names
}

/// Whether a name is left out by an entry, which may end in `*` for whatever begins so, or begin with `*` for whatever ends so.
fn matches(entry: &str, name: &str) -> bool {
    match (entry.strip_prefix('*'), entry.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(start)) => name.starts_with(start),
        _ => entry == name,
    }
}

#[test]
fn nothing_is_missing_without_a_reason() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut ours = Source::default();
    ours.read(&crates.join("src"));
    ours.read(&crates.join("../../shims/loom-0.7/src"));
    let missing: Vec<&str> =
        NAMES.lines().filter(|name| !ours.has(name.split_once(' ').unwrap().1)).collect();
    let left_out = left_out();
    let (reasoned, without): (Vec<&str>, Vec<&str>) =
        missing.iter().partition(|name| left_out.iter().any(|(entry, _)| matches(entry, name)));
    println!("{} names, {} left out for a reason:", NAMES.lines().count(), reasoned.len());
    for name in &reasoned {
        let reason = left_out.iter().find(|(entry, _)| matches(entry, name)).map(|(_, reason)| *reason);
        println!("  {name}: {}", reason.unwrap_or_default());
    }
    assert!(without.is_empty(), "missing, without a reason in left_out.txt:\n{}", without.join("\n"));
    let idle = |(entry, _): &&(&str, &str)| !NAMES.lines().any(|name| matches(entry, name));
    assert_eq!(left_out.iter().find(idle), None, "left_out.txt names nothing that there is");
    assert!(left_out.iter().all(|(_, reason)| !reason.is_empty()));
}

/// The reader of sources is no good if it finds what is not there, or does not find what is.
#[test]
fn sources_are_read() {
    let mut ours = Source::default();
    ours.read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for there in [
        "sync::Mutex",
        "sync::Mutex::try_lock",
        "sync::atomic::AtomicU8::fetch_nand",
        "sync::atomic::AtomicPtr::compare_exchange",
        "sync::atomic::fence",
        "thread::Builder::spawn_scoped",
        "sync::PoisonError::into_inner",
        "lazy_static!",
    ] {
        assert!(ours.has(there), "{there}");
    }
    for not_there in
        ["sync::Mutex::frob", "sync::Frob", "sync::atomic::AtomicPtr::fetch_nand", "thread::frob"]
    {
        assert!(!ours.has(not_there), "{not_there}");
    }
}

//! The files that are built in: the standard library, and our own versions of small files of herd's that models include.

/// How the paths of these files begin.
pub(crate) const PREFIX: &str = "<built-in>/";

/// The path of a file, as errors name it.
pub(crate) fn path(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The text of a file.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "stdlib.cat" => include_str!("../library/stdlib.cat"),
        "cross.cat" => include_str!("../library/cross.cat"),
        "cos.cat" | "cos-no-opt.cat" => include_str!("../library/cos.cat"),
        "cos-opt.cat" => include_str!("../library/cos-opt.cat"),
        "filters.cat" => include_str!("../library/filters.cat"),
        "fences.cat" => include_str!("../library/fences.cat"),
        "x86fences.cat" => include_str!("../library/x86fences.cat"),
        "ppcfences.cat" => include_str!("../library/ppcfences.cat"),
        "armfences.cat" => include_str!("../library/armfences.cat"),
        "mipsfences.cat" => include_str!("../library/mipsfences.cat"),
        _ => return None,
    })
}

/// Whether a file is the one that is built in even where the library has another: orders are chosen, not enumerated.
pub(crate) fn always(name: &str) -> bool {
    name == "cross.cat"
}

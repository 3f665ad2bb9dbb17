//! The formats, by name, by file extension and by content.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Native JSON: one document per history, on one line (JSON Lines) or several. Jepsen's JSON histories are
    /// recognized by their shape.
    Json,
    /// Traces of the Axe memory-trace checker.
    Axe,
    /// The text form for people.
    Text,
    /// Histories of Jepsen and Knossos, and key-value logs, in EDN.
    Edn,
    /// Text logs of Jepsen.
    Jepsen,
    /// EDN and JSON of Jepsen, read as transactions.
    Elle,
    /// The text of Plume, PolySI and IsoVista.
    Plume,
    /// dbcop's bincode, its text form and its JSON.
    Dbcop,
    /// Cobra's logs.
    Cobra,
    /// The form of AWDIT's tests.
    Awdit,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 10] = [
        Format::Json,
        Format::Axe,
        Format::Text,
        Format::Edn,
        Format::Jepsen,
        Format::Elle,
        Format::Plume,
        Format::Dbcop,
        Format::Cobra,
        Format::Awdit,
    ];

    /// Whether histories can be written in it; the others are only read.
    pub const fn is_written(self) -> bool {
        !matches!(self, Format::Jepsen | Format::Cobra | Format::Awdit)
    }

    /// The format's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Axe => "axe",
            Format::Text => "text",
            Format::Edn => "edn",
            Format::Jepsen => "jepsen-log",
            Format::Elle => "elle",
            Format::Plume => "plume",
            Format::Dbcop => "dbcop",
            Format::Cobra => "cobra",
            Format::Awdit => "awdit",
        }
    }

    /// The format of a file extension; a final `.gz` or `.zst` is ignored.
    ///
    /// ```
    /// use std::path::Path;
    /// use tribunal_formats::Format;
    /// assert_eq!(Format::of_path(Path::new("a/trace.axe.gz")), Some(Format::Axe));
    /// assert_eq!(Format::of_path(Path::new("core.dump")), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "gz" | "zst" => Format::of_path(Path::new(path.file_stem()?)),
            "json" | "jsonl" => Some(Format::Json),
            "axe" => Some(Format::Axe),
            "txt" | "trib" => Some(Format::Text),
            "edn" => Some(Format::Edn),
            "log" => Some(Format::Jepsen),
            "plume" => Some(Format::Plume),
            "bincode" | "hist" => Some(Format::Dbcop),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All names, for an error.
fn names() -> String {
    let [names @ .., last] = Format::ALL.map(Format::name);
    format!("{} or {last}", names.join(", "))
}

/// There is no format of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown format `{0}`{near}; expected {all}",
    all = names(),
    near = tribunal_history::names::suggestion(.0, Format::ALL.map(Format::name))
)]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    /// ```
    /// use tribunal_formats::Format;
    /// assert_eq!("axe".parse(), Ok(Format::Axe));
    /// assert!("xml".parse::<Format>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownFormat(name.into()))
    }
}

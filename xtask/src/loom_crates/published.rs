//! The published crates whose loom tests are run.

/// A published crate, and how its loom tests are run.
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) arguments: &'static [&'static str],
    /// Dev-dependencies that the loom tests do not need.
    pub(super) without: &'static [&'static str],
    /// Whether its tests want its assertions.
    pub(super) assertions: bool,
    /// How the names of loom tests begin that are run though loom's figures are not known.
    pub(super) also: &'static [&'static str],
}

/// Of all crates together, so that what they share is built once.
const RUSTFLAGS: &str = "--cfg loom --cfg oneshot_loom --cfg st3_loom --cfg tokio_unstable \
    --cfg diatomic_waker_loom --cfg tachyonix_loom --cfg async_event_loom -A warnings";

impl Published {
    /// Those of this crate. Crates that depend on crossbeam's do not all give it loom.
    pub(super) fn rustflags(&self) -> String {
        match self.name.starts_with("crossbeam") {
            true => format!("{RUSTFLAGS} --cfg crossbeam_loom"),
            false => RUSTFLAGS.into(),
        }
    }
}

/// A crate's assertions; the explorer does without its own.
pub(super) const PROFILE: &str = "
[profile.release]
debug-assertions = true

[profile.release.package.\"*\"]
debug-assertions = false
";

pub(super) const CRATES: [Published; 19] = [
    Published {
        name: "boxcar",
        version: "0.2.14",
        arguments: &["--features", "loom", "--test", "loom", "--test", "loom_buckets"],
        without: &[],
        assertions: false,
        also: &[],
    },
    Published {
        name: "bytes",
        version: "1.12.1",
        arguments: &["--lib"],
        without: &["serde_test"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "concurrent-queue",
        version: "2.5.0",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &[],
        assertions: false,
        also: &[],
    },
    Published {
        name: "cordyceps",
        version: "0.3.5",
        arguments: &["--lib"],
        without: &["proptest"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "event-listener",
        version: "5.4.2",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &["critical-section"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "left-right",
        version: "0.11.8",
        arguments: &["--test", "loom"],
        without: &[],
        assertions: false,
        also: &[],
    },
    Published {
        name: "maitake-sync",
        version: "0.3.0",
        arguments: &["--lib"],
        without: &[],
        assertions: false,
        also: &[],
    },
    Published {
        name: "oneshot",
        version: "0.2.1",
        arguments: &["--features", "loom,std,async", "--test", "loom"],
        without: &["async-std", "tokio"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "parking",
        version: "2.2.1",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &["easy-parallel"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "saa",
        version: "5.6.2",
        arguments: &["--features", "loom", "--lib"],
        without: &["tokio", "futures"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "st3",
        version: "0.4.1",
        arguments: &["--test", "integration"],
        without: &["crossbeam-deque"],
        assertions: false,
        also: &[],
    },
    Published {
        name: "swap-buffer-queue",
        version: "0.2.1",
        arguments: &["--lib"],
        without: &[],
        assertions: false,
        also: &[],
    },
    Published {
        name: "tokio",
        version: "1.54.1",
        arguments: &["--features", "full,test-util", "--lib"],
        without: &[
            "futures-concurrency",
            "rand",
            "async-stream",
            "tokio-stream",
            "tracing-mock",
            "backtrace",
        ],
        assertions: true,
        also: &["runtime::tests::loom_"],
    },
    Published {
        name: "thingbuf",
        version: "0.1.6",
        arguments: &["--lib"],
        without: &[],
        assertions: true,
        also: &["mpsc::tests", "thingbuf::tests"],
    },
    Published {
        name: "crossbeam-epoch",
        version: "0.9.21",
        arguments: &["--features", "loom", "--test", "loom"],
        without: &["rand"],
        assertions: false,
        also: &[""],
    },
    Published {
        name: "haphazard",
        version: "0.1.8",
        arguments: &["--test", "loom"],
        without: &[],
        assertions: false,
        also: &[""],
    },
    Published {
        name: "diatomic-waker",
        version: "0.2.3",
        arguments: &["--lib"],
        without: &[],
        assertions: false,
        also: &[""],
    },
    Published {
        name: "tachyonix",
        version: "0.3.1",
        arguments: &["--lib"],
        without: &[],
        assertions: false,
        also: &[""],
    },
    Published {
        name: "async-event",
        version: "0.2.1",
        arguments: &["--lib"],
        without: &[],
        assertions: false,
        also: &[""],
    },
];

//! The collections under study, with what their documentation says.

use crate::{controls, maps, queues};
use tribunal_record::{Profile, Stress, StressError, Subject};

/// A collection: its crate, its type, and its methods as the specification and as the crate name them.
pub struct Study {
    /// The crate; `std` for the standard library.
    pub package: &'static str,
    /// The type.
    pub object: &'static str,
    /// What its histories are judged by: a built-in specification, or a file beside them.
    pub spec: &'static str,
    /// How each method is called in the crate, if not as in the specification.
    pub names: &'static [(&'static str, &'static str)],
    /// What the documentation says of methods that look at the whole, if it says something.
    pub documented: Option<&'static str>,
    /// Tests it.
    pub profile: fn(&Stress) -> Result<Profile, StressError>,
}

impl Study {
    /// What the crate calls a method.
    pub fn own_name(&self, method: &'static str) -> &'static str {
        self.names.iter().find(|(name, _)| *name == method).map_or(method, |&(_, own)| own)
    }

    /// What stands for it in the names of files.
    pub fn slug(&self) -> String {
        let object = self.object.to_lowercase();
        let words: Vec<&str> =
            object.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        format!("{}-{}", self.package, words.join("-"))
    }
}

fn profile<S: Subject>(stress: &Stress) -> Result<Profile, StressError> {
    stress.profile::<S>()
}

/// Every collection, the controls first.
pub const STUDIES: [Study; 15] = [
    Study {
        package: "std",
        object: "Mutex<HashMap>",
        spec: "map",
        names: &[("put", "insert"), ("size", "len")],
        documented: None,
        profile: profile::<controls::MutexMap>,
    },
    Study {
        package: "std",
        object: "RwLock<BTreeMap>",
        spec: "ordered-map",
        names: &[("put", "insert"), ("size", "len")],
        documented: None,
        profile: profile::<controls::RwLockMap>,
    },
    Study {
        package: "std",
        object: "Mutex<VecDeque>",
        spec: "sized-queue",
        names: &[("push", "push_back"), ("pop", "pop_front"), ("size", "len")],
        documented: None,
        profile: profile::<controls::MutexQueue>,
    },
    Study {
        package: "dashmap",
        object: "DashMap",
        spec: "ordered-map",
        names: &[("put", "insert"), ("size", "len"), ("keys", "iter")],
        documented: None,
        profile: profile::<maps::Dash>,
    },
    Study {
        package: "crossbeam-skiplist",
        object: "SkipMap",
        spec: "ordered-map",
        names: &[("set", "insert"), ("size", "len"), ("keys", "iter")],
        documented: Some(
            "insert: \"If there is an existing entry with this key, it will be removed before inserting the new one.\" Between the two the others miss the key, which the table puts down to them. len: \"If the map is being concurrently modified, consider the returned number just an approximation without any guarantees.\"",
        ),
        profile: profile::<maps::Skip>,
    },
    Study {
        package: "scc",
        object: "HashMap",
        spec: "ordered-map",
        names: &[
            ("put", "upsert_sync"),
            ("remove", "remove_sync"),
            ("get", "read_sync"),
            ("contains_key", "contains_sync"),
            ("size", "len"),
            ("keys", "iter_sync"),
        ],
        documented: Some("len: \"it may overcount entries if an old bucket array has not yet been dropped\""),
        profile: profile::<maps::SccHashMap>,
    },
    Study {
        package: "scc",
        object: "TreeIndex",
        spec: "ordered-map",
        names: &[
            ("insert", "insert_sync"),
            ("discard", "remove_sync"),
            ("get", "peek_with"),
            ("contains_key", "contains"),
            ("size", "len"),
            ("keys", "iter"),
        ],
        documented: Some(
            "\"TreeIndex methods are linearizable. However, its iterator methods are not; Iter and Range are only guaranteed to observe events that happened before the first call to Iterator::next.\" len counts by iterating.",
        ),
        profile: profile::<maps::SccTree>,
    },
    Study {
        package: "papaya",
        object: "HashMap",
        spec: "ordered-map",
        names: &[("put", "insert"), ("size", "len"), ("keys", "iter")],
        documented: Some(
            "\"Aggregate operations, such as iterators, rely on a weak snapshot of the table [...] they may, but are not guaranteed to, reflect concurrent modifications to the table that occur during iteration.\"",
        ),
        profile: profile::<maps::Papaya>,
    },
    Study {
        package: "flurry",
        object: "HashMap",
        spec: "ordered-map",
        names: &[("put", "insert"), ("size", "len"), ("keys", "iter")],
        documented: Some(
            "\"Aggregate status methods like len are typically useful only when a map is not undergoing concurrent updates in other threads. Otherwise the results of these methods reflect transient states\"; iterators reflect the table \"at some point at or since the creation of the iterator\".",
        ),
        profile: profile::<maps::Flurry>,
    },
    Study {
        package: "moka",
        object: "Cache",
        spec: "ordered-map",
        names: &[("set", "insert"), ("size", "entry_count"), ("keys", "iter")],
        documented: Some(
            "entry_count: \"The value returned is an estimate; the actual count may differ if there are concurrent insertions or removals\"; an entry that is inserted after an iterator was created \"may or may not be returned depending on key's hash and timing\".",
        ),
        profile: profile::<maps::Moka>,
    },
    Study {
        package: "evmap",
        object: "ReadHandle",
        spec: "ordered-map",
        names: &[("set", "update"), ("get", "get_one"), ("size", "len")],
        documented: Some(
            "\"A lock-free, eventually consistent, concurrent multi-value map [...] readers only see the operations that preceeded the last call to WriteHandle::refresh by a writer.\"",
        ),
        profile: profile::<maps::Evmap>,
    },
    Study {
        package: "crossbeam-queue",
        object: "ArrayQueue",
        spec: "bounded-queue",
        names: &[("size", "len")],
        documented: None,
        profile: profile::<queues::Array>,
    },
    Study {
        package: "crossbeam-queue",
        object: "SegQueue",
        spec: "sized-queue",
        names: &[("size", "len")],
        documented: None,
        profile: profile::<queues::Seg>,
    },
    Study {
        package: "concurrent-queue",
        object: "ConcurrentQueue, bounded",
        spec: "bounded-queue",
        names: &[("size", "len")],
        documented: None,
        profile: profile::<queues::Bounded>,
    },
    Study {
        package: "concurrent-queue",
        object: "ConcurrentQueue, unbounded",
        spec: "sized-queue",
        names: &[("size", "len")],
        documented: None,
        profile: profile::<queues::Unbounded>,
    },
];

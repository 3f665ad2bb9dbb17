//! Versions of keys. A version is a value on top of another version: of a register it is the value that counts, of a list all of them.

/// A version of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version(u32);

impl Version {
    /// The version of a key that nobody wrote.
    pub(super) const INITIAL: Version = Version(0);
}

/// All versions of all keys.
#[derive(Debug)]
pub(super) struct Versions {
    /// Value, and the version below.
    all: Vec<(i64, Version)>,
}

impl Versions {
    pub(super) fn new() -> Self {
        Versions { all: vec![(0, Version::INITIAL)] }
    }

    /// A value written on top of a version.
    pub(super) fn on(&mut self, below: Version, value: i64) -> Version {
        self.all.push((value, below));
        Version(self.all.len() as u32 - 1)
    }

    /// The value of a register; none if nobody wrote it.
    pub(super) fn value(&self, version: Version) -> Option<i64> {
        (version != Version::INITIAL).then(|| self.all[version.0 as usize].0)
    }

    /// The elements of a list, into `list`.
    pub(super) fn list(&self, mut version: Version, list: &mut Vec<i64>) {
        list.clear();
        while version != Version::INITIAL {
            let (value, below) = self.all[version.0 as usize];
            list.push(value);
            version = below;
        }
        list.reverse();
    }
}

//! Sets of the events of one thread.

/// A set of events of a thread, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Few([u64; Few::WORDS]);

impl Few {
    const WORDS: usize = 4;
    /// How many events a thread may have.
    pub const CAPACITY: usize = 64 * Self::WORDS;
    pub const EMPTY: Self = Self([0; Self::WORDS]);

    pub fn one(event: u16) -> Self {
        let mut set = Self::EMPTY;
        set.insert(event);
        set
    }

    pub fn insert(&mut self, event: u16) {
        self.0[usize::from(event) / 64] |= 1 << (event % 64);
    }

    pub fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..Self::WORDS).flat_map(move |word| {
            let mut bits = self.0[word];
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some((word * 64) as u16 + bit as u16)
            })
        })
    }
}

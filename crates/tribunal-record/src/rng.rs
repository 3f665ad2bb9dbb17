//! Random numbers for programs and delays.

/// SplitMix64 (Steele, Lea and Flood, 2014): a word of state, any seed will do.
///
/// ```
/// use tribunal_record::Rng;
/// let mut rng = Rng::new(1);
/// assert!((0..100).all(|_| (3..5).contains(&rng.within(3..5))));
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of this seed.
    pub const fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An index below `n`, which must be at least 1.
    pub const fn index(&mut self, n: usize) -> usize {
        ((self.bits() as u128 * n as u128) >> 64) as usize
    }

    /// A number of a range, which must not be empty.
    pub const fn within(&mut self, range: std::ops::Range<i64>) -> i64 {
        range.start + self.index(range.end.abs_diff(range.start) as usize) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let mut rng = Rng::new(1_234_567);
        let split = [rng.bits(), rng.bits(), rng.bits()];
        assert_eq!(split, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}

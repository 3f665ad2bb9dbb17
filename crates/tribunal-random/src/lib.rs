#![doc = include_str!("../README.md")]
//!
//! There are two generators, because a seed names a history forever: those of `tribunal generate` are drawn from [`Xoshiro`], which maps 32 bits to an index.
//! Everything else draws from [`Random`].

use std::ops::Range;

/// SplitMix64 (Steele, Lea and Flood, 2014): a word of state, for which any seed will do.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of this seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must be at least 1.
    #[inline]
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.bits() as u128 * bound as u128) >> 64) as u64
    }

    /// An index below `length`, which must be at least 1.
    #[inline]
    pub const fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number of a range, which must not be empty.
    pub const fn within(&mut self, range: Range<i64>) -> i64 {
        range.start + self.below(range.end.abs_diff(range.start)) as i64
    }

    /// A number from 0 to 1, which is not reached.
    pub const fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True once in so many draws; of none, never.
    pub const fn one_in(&mut self, many: usize) -> bool {
        many > 0 && self.index(many) == 0
    }

    /// One of these, of which there must be one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// Puts these into any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }
}

/// xoshiro256** (Blackman and Vigna, 2018), from which generated histories are drawn.
#[derive(Clone, Debug)]
pub struct Xoshiro([u64; 4]);

impl Xoshiro {
    /// The generator of this seed. Any will do, also neighboring ones: SplitMix64 spreads it over the state.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Xoshiro(std::array::from_fn(|_| random.bits()))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Two independent draws of 32 bits.
    #[inline]
    pub fn pair(&mut self) -> (u32, u32) {
        let bits = self.bits();
        ((bits >> 32) as u32, bits as u32)
    }

    /// An index below `length`, which must be at least 1 and at most 2^32.
    #[inline]
    pub fn index(&mut self, length: usize) -> usize {
        scale((self.bits() >> 32) as u32, length as u64) as usize
    }

    /// Heads or tails.
    #[inline]
    pub fn flip(&mut self) -> bool {
        self.bits() >> 63 == 1
    }
}

/// Maps 32 random bits to 0..n, for n up to 2^32. The bias, n / 2^32 at most, does not matter here.
#[inline]
pub fn scale(bits: u32, n: u64) -> u64 {
    (u64::from(bits) * n) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference outputs of their authors.
    #[test]
    fn known_answers() {
        let mut random = Random::new(1_234_567);
        let split = [random.bits(), random.bits(), random.bits()];
        assert_eq!(split, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);

        let mut random = Xoshiro([1, 2, 3, 4]);
        let xoshiro: [u64; 4] = std::array::from_fn(|_| random.bits());
        assert_eq!(xoshiro, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn numbers_stay_below() {
        let (mut random, mut xoshiro) = (Random::new(0), Xoshiro::new(0));
        assert!((0..1000).all(|_| random.below(3) < 3 && random.index(3) < 3 && xoshiro.index(3) < 3));
        assert!((0..1000).all(|_| (3..5).contains(&random.within(3..5))));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.fraction())));
        assert_eq!(scale(u32::MAX, 1 << 32), u64::from(u32::MAX));
    }

    #[test]
    fn what_is_shuffled_is_all_there() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(0).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}

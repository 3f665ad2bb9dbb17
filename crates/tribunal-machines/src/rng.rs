//! The random numbers: xoshiro256** seeded by SplitMix64. A seed means the same run on every platform and forever, so
//! this generator must not change; the tests hold it to its authors' reference outputs.

/// xoshiro256** (Blackman and Vigna, 2018).
#[derive(Clone, Debug)]
pub(crate) struct Rng([u64; 4]);

impl Rng {
    /// Any seed will do, also neighboring ones: SplitMix64 spreads it over the state.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Rng(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
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
    pub(crate) fn pair(&mut self) -> (u32, u32) {
        let bits = self.next();
        ((bits >> 32) as u32, bits as u32)
    }

    /// An index below `n`, which must be at least 1.
    #[inline]
    pub(crate) fn index(&mut self, n: usize) -> usize {
        scale((self.next() >> 32) as u32, n as u64) as usize
    }

    /// Heads or tails.
    #[inline]
    pub(crate) fn flip(&mut self) -> bool {
        self.next() >> 63 == 1
    }
}

/// Maps 32 random bits to 0..n, for n up to 2^32. The bias, n / 2^32 at most, does not matter here.
#[inline]
pub(crate) fn scale(bits: u32, n: u64) -> u64 {
    (u64::from(bits) * n) >> 32
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let mut state = 1_234_567;
        let split: [u64; 3] = std::array::from_fn(|_| split_mix(&mut state));
        assert_eq!(split, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);

        let mut rng = Rng([1, 2, 3, 4]);
        let xoshiro: [u64; 4] = std::array::from_fn(|_| rng.next());
        assert_eq!(xoshiro, [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
    }

    #[test]
    fn indexes_stay_below() {
        let mut rng = Rng::new(0);
        assert!((0..1000).all(|_| rng.index(3) < 3));
        assert_eq!(scale(u32::MAX, 1 << 32), u64::from(u32::MAX));
    }
}

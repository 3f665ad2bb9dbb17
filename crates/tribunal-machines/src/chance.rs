//! Random decisions that come out one way now and then.

use tribunal_random::Xoshiro;

/// True for a share of the draws, from 0 to 1; a share of 0 draws nothing.
pub(crate) fn chance(rng: &mut Xoshiro, share: f64) -> bool {
    share > 0.0 && (rng.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < share
}

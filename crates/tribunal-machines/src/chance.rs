//! What happens now and then.

use crate::rng::Rng;

/// True for a share of the draws, from 0 to 1; a share of 0 draws nothing.
pub(crate) fn chance(rng: &mut Rng, share: f64) -> bool {
    share > 0.0 && (rng.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < share
}

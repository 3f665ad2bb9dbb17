//! Clients that take their time.

use std::cell::Cell;
use tribunal_record::Random;

thread_local! {
    static RNG: Cell<u64> = const { Cell::new(1) };
}

/// Waits a little, or not at all. Iterating clients do so at each entry, as clients that look at what they find would: a few
/// entries are then as long a way as many.
pub fn pause() {
    let bits = RNG.with(|state| {
        let mut rng = Random::new(state.get());
        let bits = rng.bits();
        state.set(bits);
        bits
    });
    if bits & 1 == 0 {
        (0..bits >> 56).for_each(|_| std::hint::spin_loop());
    }
}

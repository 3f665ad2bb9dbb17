//! Weights of the C11 orders.

use std::fmt;
use std::str::FromStr;
use tribunal_history::memory::Order;
use tribunal_random::scale;

/// Weights of the C11 orders, at least one of them above 0.
///
/// A read uses the acquire part of an order and a write the release part: with only `acq_rel`, every read
/// is acquire and every write release. If `na` is drawn, an RMW is relaxed; a fence uses the orders that fences can have.
///
/// ```
/// use tribunal::memory::Order;
/// use tribunal_machines::Mix;
/// let mix: Mix = "relaxed=3,acq_rel=1".parse()?;
/// assert_eq!(mix.weight(Order::Relaxed), 3);
/// assert_eq!(mix.to_string(), "relaxed=3,acq_rel=1");
/// assert_eq!("acquire".parse(), Ok(Mix::only(Order::Acquire)));
/// assert!("relaxed=0".parse::<Mix>().is_err());
/// # Ok::<(), tribunal_machines::InvalidMix>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Weights in the order of [`Order::ALL`].
    weights: [u16; 6],
}

impl Default for Mix {
    /// `relaxed=2,acquire=1,release=1,acq_rel=1`.
    fn default() -> Self {
        Mix { weights: [0, 2, 1, 1, 1, 0] }
    }
}

impl Mix {
    /// This order and no other.
    pub const fn only(order: Order) -> Self {
        let mut weights = [0; 6];
        weights[order as usize] = 1;
        Mix { weights }
    }

    /// The weight of an order.
    pub const fn weight(&self, order: Order) -> u16 {
        self.weights[order as usize]
    }

    /// The mix without `na` and relaxed, which fences cannot be; the fallback alone if nothing else is left.
    pub(crate) fn for_fences(mut self, fallback: Order) -> Self {
        self.weights[Order::NonAtomic as usize] = 0;
        self.weights[Order::Relaxed as usize] = 0;
        if self.total() == 0 { Mix::only(fallback) } else { self }
    }

    /// Turns 32 random bits into an order.
    #[inline]
    pub(crate) fn pick(&self, bits: u32) -> Order {
        let mut roll = scale(bits, self.total());
        for order in Order::ALL {
            let weight = u64::from(self.weight(order));
            if roll < weight {
                return order;
            }
            roll -= weight;
        }
        Order::SeqCst
    }

    fn total(&self) -> u64 {
        self.weights.iter().map(|&weight| u64::from(weight)).sum()
    }
}

/// The reason why a text is not a mix of orders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMix {
    /// An entry names no order.
    #[error(
        "unknown order `{0}`{near}; expected one of na, relaxed, acquire, release, acq_rel, seq_cst",
        near = tribunal_history::names::suggestion(.0, Order::ALL.map(Order::name))
    )]
    UnknownOrder(String),
    /// A weight is not a small whole number.
    #[error("the weight of {order} is `{weight}`, expected a whole number from 0 to 65535")]
    Weight {
        /// The order's name.
        order: &'static str,
        /// The weight given.
        weight: String,
    },
    /// An order is given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// All weights are 0.
    #[error("no order has a weight above 0")]
    Nothing,
}

impl FromStr for Mix {
    type Err = InvalidMix;

    /// Reads `order=weight,...`; an order without a weight has weight 1.
    fn from_str(text: &str) -> Result<Self, InvalidMix> {
        let mut given = [None; 6];
        for entry in text.split(',').map(str::trim) {
            let (name, weight) = entry.split_once('=').unwrap_or((entry, "1"));
            let order = Order::ALL
                .into_iter()
                .find(|order| order.name() == name.trim())
                .ok_or_else(|| InvalidMix::UnknownOrder(name.trim().into()))?;
            let weight: u16 = weight
                .trim()
                .parse()
                .map_err(|_| InvalidMix::Weight { order: order.name(), weight: weight.trim().into() })?;
            if given[order as usize].replace(weight).is_some() {
                return Err(InvalidMix::Twice(order.name()));
            }
        }
        let mix = Mix { weights: given.map(Option::unwrap_or_default) };
        if mix.total() == 0 { Err(InvalidMix::Nothing) } else { Ok(mix) }
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for order in Order::ALL.into_iter().filter(|&order| self.weight(order) > 0) {
            write!(f, "{comma}{}={}", order.name(), self.weight(order))?;
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_nonsense() {
        assert_eq!("rlx=1".parse::<Mix>(), Err(InvalidMix::UnknownOrder("rlx".into())));
        assert_eq!("".parse::<Mix>(), Err(InvalidMix::UnknownOrder("".into())));
        assert_eq!(
            "acquire=-1".parse::<Mix>(),
            Err(InvalidMix::Weight { order: "acquire", weight: "-1".into() })
        );
        assert_eq!("acquire,acquire=2".parse::<Mix>(), Err(InvalidMix::Twice("acquire")));
        assert_eq!("relaxed=0,acquire=0".parse::<Mix>(), Err(InvalidMix::Nothing));
    }

    #[test]
    fn picks_by_weight() {
        let mix: Mix = "relaxed=1,seq_cst=3".parse().expect("a mix");
        assert_eq!(mix.pick(0), Order::Relaxed);
        assert_eq!(mix.pick((1 << 30) - 1), Order::Relaxed);
        assert_eq!(mix.pick(1 << 30), Order::SeqCst);
        assert_eq!(mix.pick(u32::MAX), Order::SeqCst);
    }
}

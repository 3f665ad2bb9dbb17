//! Histories with less synchronization than others: fences dropped, orders weakened.
//!
//! A history that a model allows it still allows; one that it forbids it may come to allow.

use super::event::rebuild;
use crate::chance::chance;
use tribunal_history::memory::{Execution, Kind, Order};
use tribunal_random::Xoshiro;

/// The history without a share of its fences, from 0 to 1: each is dropped with that chance.
///
/// ```
/// use tribunal::memory::{Execution, Op, Order};
/// use tribunal_machines::hard::drop_fences;
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// [Op::write(x, 1), Op::fence(Order::SeqCst), Op::read(x, 1)].map(|op| b.push(t, op));
/// let history = b.build()?;
/// assert_eq!(drop_fences(&history, 1.0, 7).len(), 2);
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn drop_fences(history: &Execution, share: f64, seed: u64) -> Execution {
    let mut rng = Xoshiro::new(seed);
    rebuild(history, history.name(), |_, op| {
        (op.kind != Kind::Fence || !chance(&mut rng, share)).then_some(op)
    })
}

/// The history with a share of its orders, from 0 to 1, one step weaker: each with that chance.
///
/// A step is from seq_cst to acq_rel, from there to acquire or release, and from there to relaxed. A read has nothing of
/// release and a write nothing of acquire, so their step from seq_cst is to acquire or release, and from acq_rel to relaxed.
/// An acquire or release fence stays as it is: a weaker one would be none.
///
/// ```
/// use tribunal::memory::{Execution, Op, Order};
/// use tribunal_machines::hard::weaken;
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// b.push(t, Op::write(x, 1).order(Order::SeqCst));
/// b.push(t, Op::rmw(x, 1, 2).order(Order::SeqCst));
/// let mutant = weaken(&b.build()?, 1.0, 7);
/// let orders: Vec<_> = mutant.events().map(|event| mutant.label(event).order()).collect();
/// assert_eq!(orders, [Order::Release, Order::AcqRel]);
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn weaken(history: &Execution, share: f64, seed: u64) -> Execution {
    let mut rng = Xoshiro::new(seed);
    rebuild(history, history.name(), |_, op| {
        let weaker = weaker(op.kind, op.order, &mut rng).filter(|_| chance(&mut rng, share));
        Some(op.order(weaker.unwrap_or(op.order)))
    })
}

/// The order one step below, if there is one.
fn weaker(kind: Kind, order: Order, rng: &mut Xoshiro) -> Option<Order> {
    match (kind, order) {
        (_, Order::NonAtomic | Order::Relaxed) | (Kind::Fence, Order::Acquire | Order::Release) => None,
        (Kind::Read, Order::SeqCst) => Some(Order::Acquire),
        (Kind::Write, Order::SeqCst) => Some(Order::Release),
        (Kind::Rmw | Kind::Fence, Order::SeqCst) => Some(Order::AcqRel),
        (Kind::Rmw | Kind::Fence, Order::AcqRel) if rng.flip() => Some(Order::Acquire),
        (Kind::Rmw | Kind::Fence, Order::AcqRel) => Some(Order::Release),
        _ => Some(Order::Relaxed),
    }
}

//! Limits of a decision.

/// A limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a limit was reached before the model's orders were decided")]
pub struct Stopped;

/// Polled during a decision, and before memory is allocated.
pub trait Limits {
    /// `bytes`: the memory in use, or about to be; `states`: the number of candidates and cases so far.
    fn check(&mut self, bytes: usize, states: u64) -> Result<(), Stopped>;
}

/// No limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Limits for Unlimited {
    fn check(&mut self, _: usize, _: u64) -> Result<(), Stopped> {
        Ok(())
    }
}

impl<F: FnMut(usize, u64) -> Result<(), Stopped>> Limits for F {
    fn check(&mut self, bytes: usize, states: u64) -> Result<(), Stopped> {
        self(bytes, states)
    }
}

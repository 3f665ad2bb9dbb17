//! How much a decision may cost.

/// A limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a limit was reached before the model's orders were decided")]
pub struct Stopped;

/// Asked again and again while something is decided, and before memory is taken.
pub trait Limits {
    /// `bytes`: what is held, or would be; `states`: how many candidates and cases there have been.
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

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

/// Polls limits in proportion to the work, which is counted in words of relations.
pub struct Pace<'l> {
    limits: &'l mut dyn Limits,
    /// What has been done since the last poll.
    pub(crate) work: usize,
}

impl<'l> Pace<'l> {
    /// So many words take a tenth of a millisecond.
    const MOST: usize = 1 << 18;

    /// Polls these limits.
    pub fn new(limits: &'l mut dyn Limits) -> Self {
        Pace::after(0, limits)
    }

    /// With what was done before.
    pub(crate) fn after(work: usize, limits: &'l mut dyn Limits) -> Self {
        Pace { limits, work }
    }

    /// So many words are about to be looked at, or were.
    #[inline]
    pub fn spend(&mut self, words: usize) -> Result<(), Stopped> {
        self.work += words;
        if self.work < Self::MOST {
            return Ok(());
        }
        self.work = 0;
        self.limits.check(0, 0)
    }

    /// So many rows were united, of so many words: they are counted when they have come to something.
    #[inline]
    pub(crate) fn unions(&mut self, unions: &mut usize, words: usize) -> Result<(), Stopped> {
        /// A small execution takes fewer.
        const FEW: usize = 1 << 12;
        if *unions < FEW && *unions * words < Self::MOST {
            return Ok(());
        }
        self.spend(std::mem::take(unions) * words)
    }
}

/// Does what cannot be stopped, since there is no limit.
pub(crate) fn unlimited(act: impl FnOnce(&mut Pace<'_>) -> Result<(), Stopped>) {
    let done = act(&mut Pace::new(&mut Unlimited));
    debug_assert!(done.is_ok(), "there is no limit");
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

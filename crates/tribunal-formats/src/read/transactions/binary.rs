//! Binary input: numbers one after another.

use crate::read::buffer::Buffer;
use crate::{Error, ErrorKind};

/// Takes bytes from an input, and knows how many it has taken.
pub(super) struct Bytes<'b> {
    pub(super) buffer: &'b mut Buffer,
    taken: u64,
}

impl<'b> Bytes<'b> {
    pub(super) fn new(buffer: &'b mut Buffer) -> Self {
        Bytes { buffer, taken: 0 }
    }

    /// The next bytes, of which `what` is said if the input ends before them.
    #[inline]
    pub(super) fn take<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        while self.buffer.ahead().len() < N {
            if !self.buffer.more()? {
                return Err(self.ended(what));
            }
        }
        let bytes = self.buffer.ahead().first_chunk().copied().unwrap_or([0; N]);
        self.buffer.advance(N);
        self.taken += N as u64;
        Ok(bytes)
    }

    /// Passes so many bytes.
    pub(super) fn pass(&mut self, count: u64, what: &'static str) -> Result<(), Error> {
        let mut left = count;
        while left > 0 {
            let there = self.buffer.ahead().len();
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(there);
            self.buffer.advance(step);
            self.taken += step as u64;
            left -= step as u64;
            if left > 0 && step == there && !self.buffer.more()? {
                return Err(self.ended(what));
            }
        }
        Ok(())
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&mut self) -> Result<bool, Error> {
        Ok(self.buffer.ahead().is_empty() && !self.buffer.more()?)
    }

    /// The error that something else stands where the last bytes were taken, so many of them.
    #[cold]
    pub(super) fn expected(&self, length: u64, expected: &'static str, found: String) -> Error {
        let kind = ErrorKind::Bytes { offset: self.taken - length, expected, found };
        Error::of_input(self.buffer.name(), kind)
    }

    #[cold]
    fn ended(&self, expected: &'static str) -> Error {
        let offset = self.taken + self.buffer.ahead().len() as u64;
        let found = "the end of the input".into();
        Error::of_input(self.buffer.name(), ErrorKind::Bytes { offset, expected, found })
    }
}

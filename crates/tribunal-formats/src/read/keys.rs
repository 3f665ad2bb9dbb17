//! The keys of objects and maps that are known, and which of them were seen.

/// Defines a set of keys as bits, with their names.
macro_rules! keys {
    ($name:ident { $($key:ident = $text:literal),* $(,)? }) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum $name { $($key),* }

        impl $name {
            #[inline(always)]
            fn of(text: &[u8]) -> Option<Self> {
                $(if text == $text.as_bytes() {
                    return Some($name::$key);
                })*
                None
            }

            fn text(self) -> &'static str {
                match self { $($name::$key => $text),* }
            }

            #[inline(always)]
            fn bit(self) -> u16 {
                1 << self as u16
            }
        }
    };
}
pub(super) use keys;

/// The keys of an object that were seen.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen(u16);

impl Seen {
    #[inline(always)]
    pub(super) fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    /// Notes a key; false if it was seen before.
    #[inline(always)]
    pub(super) fn add(&mut self, bit: u16) -> bool {
        let new = !self.has(bit);
        self.0 |= bit;
        new
    }
}

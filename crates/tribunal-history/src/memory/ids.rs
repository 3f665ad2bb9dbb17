//! Newtype ids: an index of one kind never stands in for another.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a column.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of column index `index`, which must fit in 32 bits.
            #[inline(always)]
            pub const fn from_index(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                Self(index as u32)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}
pub(crate) use id;

id!(
    /// An event of an [`Execution`](super::Execution).
    ///
    /// The events of a thread have consecutive ids in program order, thread after thread; then come the
    /// initial writes, one per location.
    EventId
);
id!(
    /// A thread, numbered in the order of its first mention.
    ThreadId
);
id!(
    /// A memory location, numbered in the order of its first mention.
    LocId
);

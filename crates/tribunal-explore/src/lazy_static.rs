//! Statics that are initialized on first use, in each execution separately.

/// Declares statics like the crate `lazy_static`. Each execution has its own, which are dropped at its end.
#[macro_export]
macro_rules! lazy_static {
    ($(#[$attr:meta])* $vis:vis static ref $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, non_camel_case_types, dead_code)]
        $(#[$attr])*
        $vis struct $name {
            _private: (),
        }
        #[doc(hidden)]
        $vis static $name: $name = $name { _private: () };
        impl ::std::ops::Deref for $name {
            type Target = $t;
            #[track_caller]
            fn deref(&self) -> &$t {
                static LAZY: $crate::sync::LazyLock<$t> = $crate::sync::LazyLock::new(|| $init);
                $crate::sync::LazyLock::force(&LAZY)
            }
        }
        $crate::lazy_static!($($rest)*);
    };
    () => {};
}

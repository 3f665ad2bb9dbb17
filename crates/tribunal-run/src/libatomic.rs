//! Functions of libatomic, which compilers call for atomics of sizes that processors do not have.

use crate::atomics::{u8, u16, u32, u64, u128};
use crate::operation::{Patience, operation};
use crate::pthread::mutex::take;
use crate::{entries, objects};
use std::ffi::c_int;
use tribunal_explore::foreign::{Access, MUTEX};
use tribunal_history::memory::Order;

/// Does something to memory of any size while a lock of the runtime is held that belongs to its address.
fn locked<R>(at: *mut u8, f: impl FnOnce() -> R) -> R {
    if !crate::control::is_in_program() {
        return f();
    }
    operation(|place| {
        objects::lock(at.addr(), MUTEX, 0, place).object.access(0, Patience::Forever.take(take()), place);
        let result = f();
        objects::lock(at.addr(), MUTEX, 0, place).object.access(0, Access::Store(Order::Release, 0), place);
        result
    })
}

/// # Safety
/// The program says that there are so many bytes.
unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    unsafe { std::ptr::copy(from, to, size) };
}

macro_rules! by_size {
    ($size:expr, $type:ident => $known:expr, _ => $other:expr) => {
        // SAFETY: the program gives places for it.
        unsafe {
            match $size {
                1 => {
                    use u8 as $type;
                    $known
                }
                2 => {
                    use u16 as $type;
                    $known
                }
                4 => {
                    use u32 as $type;
                    $known
                }
                8 => {
                    use u64 as $type;
                    $known
                }
                16 => {
                    use u128 as $type;
                    $known
                }
                _ => $other,
            }
        }
    };
}

extern "C" fn load(size: usize, at: *mut u8, result: *mut u8, order: c_int) {
    by_size!(size, sized => result.cast::<sized::Of>().write_unaligned(sized::load(at.cast(), order)),
        _ => locked(at, || copy(at, result, size)));
}

extern "C" fn store(size: usize, at: *mut u8, value: *mut u8, order: c_int) {
    by_size!(size, sized => sized::store(at.cast(), value.cast::<sized::Of>().read_unaligned(), order),
        _ => locked(at, || copy(value, at, size)));
}

extern "C" fn exchange(size: usize, at: *mut u8, value: *mut u8, result: *mut u8, order: c_int) {
    by_size!(size, sized => {
        let old = sized::exchange(at.cast(), value.cast::<sized::Of>().read_unaligned(), order);
        result.cast::<sized::Of>().write_unaligned(old);
    }, _ => locked(at, || {
        copy(at, result, size);
        copy(value, at, size);
    }));
}

extern "C" fn compare_exchange(
    size: usize,
    at: *mut u8,
    expected: *mut u8,
    new: *mut u8,
    order: c_int,
    failure: c_int,
) -> bool {
    by_size!(size, sized => {
        let new = new.cast::<sized::Of>().read_unaligned();
        sized::strong(at.cast(), expected.cast(), new, order, failure) != 0
    }, _ => locked(at, || {
        let bytes = |at: *mut u8| std::slice::from_raw_parts(at, size);
        let is_equal = bytes(at) == bytes(expected);
        if is_equal { copy(new, at, size) } else { copy(at, expected, size) }
        is_equal
    }))
}

extern "C" fn is_lock_free(size: usize, _: *const u8) -> bool {
    matches!(size, 1 | 2 | 4 | 8 | 16)
}

entries! {
    __atomic_load = self::load;
    __atomic_store = self::store;
    __atomic_exchange = self::exchange;
    __atomic_compare_exchange = self::compare_exchange;
    __atomic_is_lock_free = self::is_lock_free;
    __atomic_load_16 = crate::atomics::u128::load;
    __atomic_store_16 = crate::atomics::u128::store;
    __atomic_exchange_16 = crate::atomics::u128::exchange;
    __atomic_compare_exchange_16 = crate::atomics::u128::strong;
    __atomic_fetch_add_16 = crate::atomics::u128::add;
    __atomic_fetch_sub_16 = crate::atomics::u128::sub;
    __atomic_fetch_and_16 = crate::atomics::u128::and;
    __atomic_fetch_or_16 = crate::atomics::u128::or;
    __atomic_fetch_xor_16 = crate::atomics::u128::xor;
}

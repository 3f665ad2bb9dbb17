//! Atomic accesses: `__tsan_atomic32_load` and the like. The runtime does them, and answers what the explorer says.

use crate::control::{caller, is_in_program, outside};
use crate::objects::{self, Known};
use crate::only::Only;
use crate::plain::{self, Conflicts};
use crate::{entries, names, threads};
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use tribunal_explore::foreign::{self, Access};
use tribunal_explore::program::{Place, Update};
use tribunal_history::memory::Order;

/// The order that a compiler names by a number; gcc puts hints about lock elision above it.
fn order(number: c_int) -> Order {
    match number & 0xffff {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// What is left of an order for an access that only reads.
fn of_load(order: Order) -> Order {
    match order {
        Order::Release => Order::Relaxed,
        Order::AcqRel => Order::Acquire,
        order => order,
    }
}

/// What is left of an order for an access that only writes.
fn of_store(order: Order) -> Order {
    match order {
        Order::Acquire => Order::Relaxed,
        Order::AcqRel => Order::Release,
        order => order,
    }
}

/// Values of 16 bytes by number, the same number for the same value in every execution.
#[derive(Default)]
struct Wide {
    numbers: FxHashMap<u128, u64>,
    values: Vec<u128>,
}

static WIDE: Only<Option<Wide>> = Only::new(None);

fn number(value: u128) -> u64 {
    let wide = WIDE.get().get_or_insert_with(Wide::default);
    *wide.numbers.entry(value).or_insert_with(|| {
        wide.values.push(value);
        wide.values.len() as u64 - 1
    })
}

fn numbered(number: u64) -> u128 {
    let wide = WIDE.get().get_or_insert_with(Wide::default);
    wide.values.get(number as usize).copied().unwrap_or_default()
}

/// A type of values that atomics hold.
pub trait Value: Copy + PartialEq {
    const SIZE: usize;
    fn word(self) -> u64;
    fn of(word: u64) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
}

macro_rules! value {
    ($type:ident, $word:expr, $of:expr) => {
        impl Value for $type {
            const SIZE: usize = size_of::<$type>();
            fn word(self) -> u64 {
                $word(self)
            }
            fn of(word: u64) -> Self {
                $of(word)
            }
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            fn not(self) -> Self {
                !self
            }
        }
    };
}

value!(u8, u64::from, |word| word as u8);
value!(u16, u64::from, |word| word as u16);
value!(u32, u64::from, |word| word as u32);
value!(u64, |value| value, |word| word);
value!(u128, number, numbered);

fn read<T: Value>(at: *mut T) -> T {
    // SAFETY: the program accesses it.
    unsafe { at.read_unaligned() }
}

/// The object at an address. What the program wrote there without a hook is told first.
fn located<T: Value>(at: *mut T, place: Place) -> &'static mut Known {
    let content = read(at).word();
    match objects::atomic(at.addr(), T::SIZE) {
        Ok(Some(known)) => {
            if known.last != content {
                known.last = content;
                known.object.access(content, Access::Store(Order::NonAtomic, content), place);
            }
            known
        }
        Ok(None) => {
            plain::watch(at.addr(), T::SIZE);
            objects::add_atomic(at.addr(), T::SIZE, content, place)
        }
        Err(other) => plain::mixed(at.addr(), T::SIZE, other, place),
    }
}

/// Does it: the value read. Outside executions it is done at once, by what `native` says.
fn access<T: Value>(at: *mut T, access: Access, native: impl FnOnce(T) -> Option<T>) -> T {
    if !is_in_program() {
        let old = read(at);
        if let Some(new) = native(old) {
            // SAFETY: the program writes it.
            unsafe { at.write_unaligned(new) };
        }
        return old;
    }
    let pc = caller();
    outside(|| {
        plain::flush(crate::control::thread());
        let place = names::place(pc);
        threads::current().place = place;
        threads::come_by(pc, place);
        perform(at, access, native, pc)
    })
}

/// Does it in an execution. Control is in the runtime.
pub fn perform<T: Value>(at: *mut T, access: Access, native: impl FnOnce(T) -> Option<T>, pc: usize) -> T {
    let place = names::place(pc);
    let known = located(at, place);
    let writes = !matches!(access, Access::Load(_));
    // Before the event: who knows of that knows of the access, and may give back the block before this thread goes on.
    plain::check(at.addr(), T::SIZE, if writes { Conflicts::AtomicWrite } else { Conflicts::AtomicRead }, pc);
    let old = T::of(known.object.access(known.last, access, place));
    if let Some(new) = native(old) {
        known.last = new.word();
        // SAFETY: the program writes it.
        unsafe { at.write_unaligned(new) };
    }
    old
}

type Apply = fn(u64, [u64; 2]) -> Option<u64>;

fn rmw<T: Value>(at: *mut T, (order, failure): (Order, Order), apply: Apply, operands: [u64; 2]) -> T {
    let update = Update { apply, operands };
    access(at, Access::Rmw { order, failure, update }, |old| apply(old.word(), operands).map(T::of))
}

fn fetch<T: Value>(at: *mut T, mo: c_int, apply: Apply, operand: T) -> T {
    let order = order(mo);
    rmw(at, (order, of_load(order)), apply, [operand.word(), 0])
}

fn exchanged<T: Value>(_: u64, [new, _]: [u64; 2]) -> Option<u64> {
    Some(new)
}

fn compared<T: Value>(old: u64, [expected, new]: [u64; 2]) -> Option<u64> {
    (old == expected).then_some(new)
}

macro_rules! updates {
    ($($name:ident = |$old:ident, $operand:ident| $new:expr;)*) => {$(
        fn $name<T: Value>(old: u64, [operand, _]: [u64; 2]) -> Option<u64> {
            let ($old, $operand) = (T::of(old), T::of(operand));
            Some($new.word())
        }
    )*};
}

updates! {
    added = |old, operand| old.add(operand);
    subtracted = |old, operand| old.sub(operand);
    anded = |old, operand| old.and(operand);
    ored = |old, operand| old.or(operand);
    xored = |old, operand| old.xor(operand);
    nanded = |old, operand| old.and(operand).not();
}

fn compare_exchange<T: Value>(at: *mut T, expected: T, new: T, mo: c_int, failure: c_int) -> T {
    rmw(at, (order(mo), of_load(order(failure))), compared::<T>, [expected.word(), new.word()])
}

/// Whether a weak compare-and-exchange fails here for no reason.
fn fails_weakly() -> bool {
    is_in_program() && {
        let pc = caller();
        outside(|| foreign::wakes_spuriously(names::place(pc)))
    }
}

macro_rules! atomic {
    ($type:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident $strong:ident $weak:ident $val:ident) => {
        pub mod $type {
            use super::*;

            pub type Of = $type;

            pub extern "C" fn load(at: *mut $type, mo: c_int) -> $type {
                access(at, Access::Load(of_load(order(mo))), |_| None)
            }
            pub extern "C" fn store(at: *mut $type, value: $type, mo: c_int) {
                access(at, Access::Store(of_store(order(mo)), value.word()), |_| Some(value));
            }
            pub extern "C" fn exchange(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, exchanged::<$type>, value)
            }
            pub extern "C" fn add(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, added::<$type>, value)
            }
            pub extern "C" fn sub(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, subtracted::<$type>, value)
            }
            pub extern "C" fn and(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, anded::<$type>, value)
            }
            pub extern "C" fn or(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, ored::<$type>, value)
            }
            pub extern "C" fn xor(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, xored::<$type>, value)
            }
            pub extern "C" fn nand(at: *mut $type, value: $type, mo: c_int) -> $type {
                fetch(at, mo, nanded::<$type>, value)
            }
            pub extern "C" fn val(
                at: *mut $type,
                expected: $type,
                new: $type,
                mo: c_int,
                failure: c_int,
            ) -> $type {
                compare_exchange(at, expected, new, mo, failure)
            }
            pub extern "C" fn strong(
                at: *mut $type,
                expected: *mut $type,
                new: $type,
                mo: c_int,
                failure: c_int,
            ) -> c_int {
                // SAFETY: the program gives a place for it.
                let wanted = unsafe { *expected };
                let old = compare_exchange(at, wanted, new, mo, failure);
                if old != wanted {
                    // SAFETY: the same.
                    unsafe { *expected = old };
                }
                (old == wanted).into()
            }
            pub extern "C" fn weak(
                at: *mut $type,
                expected: *mut $type,
                new: $type,
                mo: c_int,
                failure: c_int,
            ) -> c_int {
                if !fails_weakly() {
                    return strong(at, expected, new, mo, failure);
                }
                // SAFETY: the program gives a place for it.
                unsafe { *expected = load(at, failure) };
                0
            }
        }

        entries! {
            $load = self::$type::load;
            $store = self::$type::store;
            $exchange = self::$type::exchange;
            $add = self::$type::add;
            $sub = self::$type::sub;
            $and = self::$type::and;
            $or = self::$type::or;
            $xor = self::$type::xor;
            $nand = self::$type::nand;
            $strong = self::$type::strong;
            $weak = self::$type::weak;
            $val = self::$type::val;
        }
    };
}

atomic!(u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val);
atomic!(u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val);
atomic!(u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val);
atomic!(u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val);
atomic!(u128: __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange __tsan_atomic128_fetch_add __tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and __tsan_atomic128_fetch_or __tsan_atomic128_fetch_xor __tsan_atomic128_fetch_nand __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak __tsan_atomic128_compare_exchange_val);

extern "C" fn thread_fence(mo: c_int) {
    let order = order(mo);
    if !is_in_program() || order == Order::Relaxed {
        return;
    }
    let pc = caller();
    outside(|| {
        plain::flush(crate::control::thread());
        foreign::fence(order, names::place(pc));
    });
}

/// A fence between a thread and its signal handlers, of which there are none.
extern "C" fn signal_fence(_: c_int) {}

entries! {
    __tsan_atomic_thread_fence = self::thread_fence;
    __tsan_atomic_signal_fence = self::signal_fence;
}

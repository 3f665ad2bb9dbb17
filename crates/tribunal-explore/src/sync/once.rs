//! One-time initialization.

use crate::program::{Condition, Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use tribunal_history::memory::Order;

/// The word of what is to be done.
pub const NOT_DONE: u64 = 0;
const UNDER_WAY: u64 = 1;
/// The word of what was done.
pub const DONE: u64 = 2;
const POISONED: u64 = 3;

/// The word of something that is done once.
#[derive(Debug)]
struct Word {
    home: Home,
}

/// Begins, and waits while another does it: what it was, if it is the caller's to do. `None` outside executions.
pub(crate) fn begin(home: &Home, initial: u64, forgive: bool, place: Place) -> Option<Option<u64>> {
    let update = Update {
        apply: |word, [forgive, _]| {
            (word == NOT_DONE || word == POISONED && forgive == 1).then_some(UNDER_WAY)
        },
        operands: [forgive.into(), 0],
    };
    let begin = Access::Rmw { order: Order::Acquire, failure: Order::Acquire, update };
    loop {
        match ops::access(home, || initial, begin, place)? {
            DONE => return Some(None),
            UNDER_WAY => {
                let until = Condition { holds: |word, _| word != UNDER_WAY, operand: 0 };
                ops::access(home, || initial, Access::Await { order: Order::Acquire, until }, place)?;
            }
            POISONED if !forgive => panic!("Once instance has previously been poisoned"),
            word => return Some(Some(word)),
        }
    }
}

/// It is done, or is to be done again.
pub(crate) fn end(home: &Home, word: u64, place: Place) {
    ops::access(home, || NOT_DONE, Access::Store(Order::Release, word), place);
}

impl Word {
    const fn new(kind: &'static str, place: Place) -> Self {
        Word { home: Home::new(kind, place) }
    }

    fn is_done(&self, initial: u64, place: Place) -> Option<bool> {
        ops::access(&self.home, || initial, Access::Load(Order::Acquire), place).map(|word| word == DONE)
    }

    fn begin(&self, initial: u64, forgive: bool, place: Place) -> Option<Option<u64>> {
        begin(&self.home, initial, forgive, place)
    }

    /// Waits until another has done it, or failed to unless that is forgiven. Says whether it was in an execution.
    fn wait(&self, initial: u64, forgive: bool, place: Place) -> bool {
        let until = Condition {
            holds: |word, forgive| word == DONE || word == POISONED && forgive == 0,
            operand: forgive.into(),
        };
        let wait = Access::Await { order: Order::Acquire, until };
        match ops::access(&self.home, || initial, wait, place) {
            Some(POISONED) => panic!("Once instance has previously been poisoned"),
            word => word.is_some(),
        }
    }

    fn end(&self, word: u64, place: Place) {
        end(&self.home, word, place);
    }

    /// Does it; if that panics, the word is set to what is said.
    fn run<R>(&self, on_panic: u64, place: Place, f: impl FnOnce() -> R) -> R {
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(result) => result,
            Err(payload) => {
                self.end(on_panic, place);
                resume_unwind(payload)
            }
        }
    }
}

/// A one-time action, like [`std::sync::Once`].
#[derive(Debug)]
pub struct Once {
    word: Word,
    outside: std::sync::Once,
}

/// Whether it was tried before.
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether an earlier call panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl Once {
    /// Not done yet.
    #[track_caller]
    pub const fn new() -> Self {
        Once { word: Word::new("Once", Place::caller()), outside: std::sync::Once::new() }
    }

    fn initial(&self) -> u64 {
        if self.outside.is_completed() { DONE } else { NOT_DONE }
    }

    /// Runs `f` unless it has been run; waits if another thread is running it.
    ///
    /// # Panics
    /// If an earlier call panicked.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        self.call(false, Place::caller(), |_| f());
    }

    /// The same, even if an earlier call panicked.
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        self.call(true, Place::caller(), f);
    }

    fn call(&self, forgive: bool, place: Place, f: impl FnOnce(&OnceState)) {
        match self.word.begin(self.initial(), forgive, place) {
            Some(None) => {}
            Some(Some(word)) => {
                self.word.run(POISONED, place, || f(&OnceState { poisoned: word == POISONED }));
                self.word.end(DONE, place);
            }
            None if forgive => {
                self.outside.call_once_force(|state| f(&OnceState { poisoned: state.is_poisoned() }));
            }
            None => self.outside.call_once(|| f(&OnceState { poisoned: false })),
        }
    }

    /// Waits until it is done.
    ///
    /// # Panics
    /// If a call panicked.
    #[track_caller]
    pub fn wait(&self) {
        if !self.word.wait(self.initial(), false, Place::caller()) {
            self.outside.wait();
        }
    }

    /// Waits until it is done, even if a call panicked.
    #[track_caller]
    pub fn wait_force(&self) {
        if !self.word.wait(self.initial(), true, Place::caller()) {
            self.outside.wait_force();
        }
    }

    /// Whether it was done.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let done = self.word.is_done(self.initial(), Place::caller());
        done.unwrap_or_else(|| self.outside.is_completed())
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

/// A value that is set once, like [`std::sync::OnceLock`]. A value set in an execution lasts until its end, even in a static.
pub struct OnceLock<T> {
    word: Word,
    /// The value that was set outside executions.
    outside: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// Nothing is set.
    #[track_caller]
    pub const fn new() -> Self {
        OnceLock { word: Word::new("OnceLock", Place::caller()), outside: std::sync::OnceLock::new() }
    }

    fn initial(&self) -> u64 {
        if self.outside.get().is_some() { DONE } else { NOT_DONE }
    }

    /// Takes what was set in this execution.
    fn take_content(&self) -> Option<Arc<dyn Any>> {
        state::with(|state| {
            let slot = self.word.home.known(state)?;
            state.slot(slot).content.take()
        })
        .flatten()
    }
}

impl<T: 'static> OnceLock<T> {
    /// The value that was set; the caller has seen that it is.
    #[allow(unsafe_code)]
    fn content(&self) -> Option<&T> {
        if let Some(value) = self.outside.get() {
            return Some(value);
        }
        let pointer = state::with(|state| {
            let slot = self.word.home.known(state)?;
            state.slot(slot).content.as_ref()?.downcast_ref::<T>().map(std::ptr::from_ref)
        });
        // SAFETY: the value is behind an `Arc`, and stays there until this lock is dropped or taken from, which needs it unborrowed, or the
        // execution has ended with all its threads. References do not leave an execution, by the rule that it begins again each time.
        pointer.flatten().map(|pointer| unsafe { &*pointer })
    }

    fn put(&self, value: T) {
        let content: Arc<dyn Any> = Arc::new(value);
        let old = state::with(|state| {
            let slot = self.word.home.slot(state, || NOT_DONE);
            state.slot(slot).content.replace(content)
        });
        drop(old);
    }

    /// The value, if set.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        match self.word.is_done(self.initial(), Place::caller()) {
            Some(true) => self.content(),
            Some(false) => None,
            None => self.outside.get(),
        }
    }

    /// Sets the value, if it is not set.
    ///
    /// # Errors
    /// The given value, if one is already set.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let place = Place::caller();
        match self.word.begin(self.initial(), true, place) {
            Some(None) => Err(value),
            Some(Some(_)) => {
                self.put(value);
                self.word.end(DONE, place);
                Ok(())
            }
            None => self.outside.set(value),
        }
    }

    /// The value; waits until it is set.
    ///
    /// # Panics
    /// If the value is set but missing, which is a bug in this crate.
    #[track_caller]
    pub fn wait(&self) -> &T {
        match self.word.wait(self.initial(), true, Place::caller()) {
            true => self.content().expect("what is done is there"),
            false => self.outside.wait(),
        }
    }

    /// The value; initializes it if it is not set.
    ///
    /// # Panics
    /// If the value is set but missing, which is a bug in this crate.
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        self.get_or_init_at(f, Place::caller())
    }

    fn get_or_init_at(&self, f: impl FnOnce() -> T, place: Place) -> &T {
        match self.word.begin(self.initial(), true, place) {
            Some(begun) => {
                if begun.is_some() {
                    let value = self.word.run(NOT_DONE, place, f);
                    self.put(value);
                    self.word.end(DONE, place);
                }
                self.content().expect("what is done is there")
            }
            None => self.outside.get_or_init(f),
        }
    }

    /// The value, for changes.
    #[track_caller]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.bring_out(Place::caller());
        self.outside.get_mut()
    }

    /// The value.
    #[track_caller]
    pub fn into_inner(mut self) -> Option<T> {
        self.bring_out(Place::caller());
        self.outside.take()
    }

    /// Takes the value.
    #[track_caller]
    pub fn take(&mut self) -> Option<T> {
        self.bring_out(Place::caller());
        self.outside.take()
    }

    /// Nobody else uses it: what was set in the execution is set for good, and it begins again with that.
    fn bring_out(&mut self, place: Place) {
        if state::with(|state| self.word.home.known(state).is_some()) != Some(true) {
            return;
        }
        let done = self.word.is_done(self.initial(), place) == Some(true);
        let content = self.take_content().and_then(|content| unsized_into_inner(content));
        if let Some(content) = content.filter(|_| done) {
            // If it is set outside, it was before the execution.
            let _ = self.outside.set(content);
        }
        state::with(|state| self.word.home.forget(state));
    }
}

/// The value in an `Arc` that nothing else holds.
#[allow(unsafe_code)]
fn unsized_into_inner<T: 'static>(content: Arc<dyn Any>) -> Option<T> {
    if !content.is::<T>() {
        return None;
    }
    // SAFETY: it is a `T`, as was just seen.
    let content = unsafe { Arc::from_raw(Arc::into_raw(content).cast::<T>()) };
    Arc::into_inner(content)
}

impl<T> Drop for OnceLock<T> {
    fn drop(&mut self) {
        drop(self.take_content());
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}

/// A value that is initialized on first use, like [`std::sync::LazyLock`], in each execution separately.
pub struct LazyLock<T, F = fn() -> T> {
    once: OnceLock<T>,
    init: F,
}

impl<T, F: Fn() -> T> LazyLock<T, F> {
    /// A value that `init` will create.
    #[track_caller]
    pub const fn new(init: F) -> Self {
        LazyLock { once: OnceLock::new(), init }
    }
}

impl<T: 'static, F: Fn() -> T> LazyLock<T, F> {
    /// The value; initializes it on first use.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.once.get_or_init_at(&this.init, Place::caller())
    }

    /// The value, if it is initialized.
    #[track_caller]
    pub fn get(this: &Self) -> Option<&T> {
        this.once.get()
    }

    /// The value for changes, if it is initialized.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        this.once.get_mut()
    }

    /// The value for changes; initializes it on first use.
    ///
    /// # Panics
    /// If the value is set but missing, which is a bug in this crate.
    #[track_caller]
    pub fn force_mut(this: &mut Self) -> &mut T {
        LazyLock::force(this);
        this.once.get_mut().expect("what is done is there")
    }
}

impl<T: 'static, F: Fn() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}

//! What programs are written with: each type does what std's, or loom's, does.

#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize as StdUsize, Ordering as StdOrdering};
use std::sync::{Arc as StdArc, Mutex as StdMutex};
use std::time::Duration;
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::runtime::Substrate;
use tribunal_explore::sync::atomic::Ordering::*;
use tribunal_explore::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicUsize};
use tribunal_explore::sync::{
    Arc, Barrier, Condvar, LazyLock, Mutex, Notify, Once, OnceLock, RwLock, Weak, mpsc,
};
use tribunal_explore::{Explorer, Problem, Report, alloc, explore, future, hint, thread};

/// Explores on both substrates, and on two cores; the executions are the same.
fn check(f: impl Fn() + Clone + Send + Sync + 'static) -> Report {
    let report = Explorer::new().check(f.clone());
    for explorer in [Explorer::new().substrate(Substrate::Threads), Explorer::new().threads(2)] {
        let other = explorer.check(f.clone());
        assert_eq!(other.end, report.end);
        // Several workers may do more before the first failure is known.
        assert!(other.executions == report.executions || report.failure.is_some());
        let problem = |report: &Report| report.failure.as_ref().map(|failure| failure.problem.clone());
        assert_eq!(problem(&other), problem(&report));
    }
    report
}

fn passes(f: impl Fn() + Clone + Send + Sync + 'static) -> u64 {
    let report = check(f);
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| (failure.problem, failure.place)));
    report.executions
}

fn fails(f: impl Fn() + Clone + Send + Sync + 'static) -> Problem {
    check(f).failure.expect("it fails").problem
}

/// What is seen in all executions, sorted, each once.
fn outcomes<T: Ord + Send + Clone + 'static>(f: impl Fn() -> T + Send + Sync + 'static) -> Vec<T> {
    outcomes_by(&Explorer::new(), f)
}

fn outcomes_by<T: Ord + Send + Clone + 'static>(
    explorer: &Explorer,
    f: impl Fn() -> T + Send + Sync + 'static,
) -> Vec<T> {
    let seen = StdArc::new(StdMutex::new(Vec::new()));
    let report = explorer.check({
        let seen = seen.clone();
        move || {
            let outcome = f();
            seen.lock().expect("nobody panics").push(outcome);
        }
    });
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| (failure.problem, failure.place)));
    let mut seen = seen.lock().expect("nobody panics").clone();
    seen.sort();
    seen.dedup();
    seen
}

#[test]
fn arithmetic_of_atomics() {
    passes(|| {
        let x = AtomicU8::new(250);
        assert_eq!(x.fetch_add(10, Relaxed), 250);
        assert_eq!(x.load(Relaxed), 4);
        assert_eq!(x.fetch_sub(5, Relaxed), 4);
        assert_eq!(x.fetch_and(0xf0, Relaxed), 255);
        assert_eq!(x.fetch_nand(0x30, Relaxed), 0xf0);
        assert_eq!(x.fetch_or(1, Relaxed), 0xcf);
        assert_eq!(x.fetch_xor(3, Relaxed), 0xcf);
        assert_eq!(x.fetch_max(0xfe, Relaxed), 0xcc);
        assert_eq!(x.fetch_min(7, Relaxed), 0xfe);
        assert_eq!(x.swap(1, AcqRel), 7);
        assert_eq!(x.compare_exchange(1, 2, SeqCst, Relaxed), Ok(1));
        assert_eq!(x.compare_exchange(1, 3, SeqCst, Acquire), Err(2));
        assert_eq!(x.compare_exchange_weak(2, 4, SeqCst, Acquire), Ok(2));
        assert_eq!(x.fetch_update(Relaxed, Relaxed, |x| (x < 9).then_some(9)), Ok(4));
        assert_eq!(x.fetch_update(Relaxed, Relaxed, |x| (x < 9).then_some(9)), Err(9));
        assert_eq!(format!("{x:?}"), "9");
        let y = AtomicI32::new(-5);
        assert_eq!(y.fetch_max(-7, Relaxed), -5);
        assert_eq!(y.fetch_min(-7, Relaxed), -5);
        assert_eq!(y.into_inner(), -7);
        let b = AtomicBool::new(true);
        assert!(b.fetch_nand(true, Relaxed));
        assert!(!b.fetch_not(Relaxed));
        assert!(b.load(SeqCst));
        let (mut one, mut two) = (1, 2);
        let p = AtomicPtr::new(&raw mut one);
        assert_eq!(p.swap(&raw mut two, Relaxed), &raw mut one);
        assert_eq!(unsafe { *p.load(Relaxed) }, 2);
    });
}

#[test]
fn exclusive_accesses_of_atomics() {
    passes(|| {
        let mut x = AtomicUsize::new(1);
        x.with_mut(|x| *x += 1);
        x.fetch_add(1, Relaxed);
        x.with_mut(|x| *x += 1);
        assert_eq!(x.load(Relaxed), 4);
        *x.get_mut() += 1;
        assert_eq!(x.load(Relaxed), 5);
        assert_eq!(unsafe { x.unsync_load() }, 5);
        let moved = Box::new(x);
        assert_eq!(moved.load(Relaxed), 5);
        assert_eq!(moved.into_inner(), 5);
    });
    let problem = fails(|| {
        let x = Arc::new(AtomicUsize::new(1));
        let y = x.clone();
        thread::spawn(move || y.store(2, Relaxed));
        unsafe { x.unsync_load() };
    });
    assert!(matches!(problem, Problem::Race { .. }), "{problem:?}");
}

#[test]
fn outside_of_executions_it_is_as_std() {
    let x = AtomicUsize::new(3);
    x.fetch_add(1, SeqCst);
    assert_eq!(x.load(SeqCst), 4);
    let lock = Mutex::new(5);
    *lock.lock().unwrap() += 1;
    assert_eq!(*lock.try_lock().unwrap(), 6);
    assert_eq!(*RwLock::new(1).read().unwrap(), 1);
    let once = OnceLock::new();
    assert_eq!(once.get_or_init(|| 7), &7);
    let arc = Arc::new(8);
    let weak = Arc::downgrade(&arc);
    assert_eq!(Arc::strong_count(&arc), 1);
    assert_eq!(weak.upgrade().as_deref(), Some(&8));
    drop(arc);
    assert!(weak.upgrade().is_none());
    assert_eq!(UnsafeCell::new(9).with(|value| unsafe { *value }), 9);
    assert_eq!(thread::current().id(), thread::current().id());
}

static SHARED: AtomicUsize = AtomicUsize::new(0);
static LAZY: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(10));

tribunal_explore::lazy_static! {
    static ref OLD_STYLE: Mutex<Vec<u32>> = Mutex::new(vec![1]);
}

tribunal_explore::thread_local! {
    static LOCAL: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    static ON_DROP: OnDrop = OnDrop;
}

#[test]
fn statics_begin_anew_in_each_execution() {
    let executions = passes(|| {
        let thread = thread::spawn(|| {
            SHARED.fetch_add(1, Relaxed);
            LAZY.fetch_add(1, Relaxed);
            OLD_STYLE.lock().unwrap().push(2);
        });
        SHARED.fetch_add(1, Relaxed);
        LAZY.fetch_add(1, Relaxed);
        OLD_STYLE.lock().unwrap().push(3);
        thread.join().unwrap();
        assert_eq!(SHARED.load(Relaxed), 2);
        assert_eq!(LAZY.load(Relaxed), 12);
        assert_eq!(OLD_STYLE.lock().unwrap().len(), 3);
    });
    assert!(executions >= 4, "{executions}");
}

static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct OnDrop;

impl Drop for OnDrop {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[test]
fn thread_locals_end_with_their_threads() {
    passes(|| {
        LOCAL.set(1);
        let thread = thread::spawn(|| {
            assert_eq!(LOCAL.get(), 0);
            LOCAL.set(2);
            ON_DROP.with(|_| ());
        });
        thread.join().unwrap();
        assert_eq!(LOCAL.get(), 1);
        assert_eq!(DROPPED.load(Relaxed), 1);
    });
}

#[test]
fn locks_exclude_and_are_poisoned() {
    let outcomes = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || other.try_lock().map(|mut guard| *guard += 1).is_ok());
        *lock.lock().unwrap() += 2;
        let taken = thread.join().unwrap();
        (taken, *lock.lock().unwrap())
    });
    assert_eq!(outcomes, [(false, 2), (true, 3)]);
    passes(|| {
        let lock = Mutex::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.lock().unwrap();
            panic!("poison");
        }));
        assert!(caught.is_err() && lock.is_poisoned());
        assert!(lock.lock().is_err());
        assert!(matches!(lock.try_lock(), Err(std::sync::TryLockError::Poisoned(_))));
        lock.clear_poison();
        assert_eq!(lock.into_inner().unwrap(), 0);
    });
    let problem = fails(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _one = other.0.lock().unwrap();
            let _two = other.1.lock().unwrap();
        });
        let _two = locks.1.lock().unwrap();
        let _one = locks.0.lock().unwrap();
        drop((_one, _two));
        thread.join().unwrap();
    });
    assert!(matches!(problem, Problem::Deadlock { .. }), "{problem:?}");
}

#[test]
fn read_write_locks() {
    let outcomes = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = lock.clone();
        let thread = thread::spawn(move || *writer.write().unwrap() += 1);
        let one = *lock.read().unwrap();
        let both = (lock.read().unwrap(), lock.read().unwrap());
        let two = *both.0;
        assert_eq!(two, *both.1);
        drop(both);
        thread.join().unwrap();
        assert_eq!(*lock.try_read().unwrap(), 1);
        assert!(lock.try_write().is_ok());
        (one, two)
    });
    assert_eq!(outcomes, [(0, 0), (0, 1), (1, 1)]);
}

#[test]
fn condition_variables() {
    passes(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.1.wait_while(shared.0.lock().unwrap(), |ready| !*ready).unwrap();
        assert!(*guard);
    });
    // The wake-up is lost: the flag is looked at without the lock.
    let problem = fails(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
        let other = shared.clone();
        thread::spawn(move || {
            other.2.store(true, SeqCst);
            other.1.notify_one();
        });
        let guard = shared.0.lock().unwrap();
        if !shared.2.load(SeqCst) {
            drop(shared.1.wait(guard).unwrap());
        }
    });
    assert!(matches!(problem, Problem::Deadlock { .. }), "{problem:?}");
    passes(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters = [0, 1].map(|_| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut guard = shared.0.lock().unwrap();
                while *guard == 0 {
                    guard = shared.1.wait(guard).unwrap();
                }
            })
        });
        *shared.0.lock().unwrap() = 1;
        shared.1.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    });
}

#[test]
fn timeouts_come_at_a_standstill_and_earlier_if_switched_on() {
    let wait = || {
        let lock = Mutex::new(());
        let condvar = Condvar::new();
        let (_guard, result) = condvar.wait_timeout(lock.lock().unwrap(), Duration::from_secs(1)).unwrap();
        assert!(result.timed_out());
    };
    passes(wait);
    let explorer = Explorer::new().spurious(1);
    let received = outcomes_by(&explorer, || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1));
        let received = receiver.recv_timeout(Duration::from_secs(1)).ok();
        // The message may come too late for the receiver.
        drop(receiver);
        let sent = thread.join().unwrap().is_ok();
        (received, sent)
    });
    assert_eq!(received, [(None, false), (None, true), (Some(1), true)]);
    let woken = outcomes_by(&explorer, || {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = 1;
            other.1.notify_one();
        });
        let mut guard = shared.0.lock().unwrap();
        if *guard == 0 {
            guard = shared.1.wait(guard).unwrap();
        }
        let seen = *guard;
        drop(guard);
        thread.join().unwrap();
        seen
    });
    assert_eq!(woken, [0, 1]);
}

#[test]
fn barriers_and_once() {
    passes(|| {
        let shared = Arc::new((Barrier::new(2), UnsafeCell::new(0)));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other.1.with_mut(|value| unsafe { *value = 1 });
            other.0.wait().is_leader()
        });
        let leads = shared.0.wait().is_leader();
        assert_eq!(shared.1.with(|value| unsafe { *value }), 1);
        assert!(leads != thread.join().unwrap());
    });
    passes(|| {
        let shared = Arc::new((Once::new(), OnceLock::new(), AtomicUsize::new(0)));
        let work = |shared: &(Once, OnceLock<u32>, AtomicUsize), n| {
            shared.0.call_once(|| _ = shared.2.fetch_add(1, Relaxed));
            assert_eq!(shared.2.load(Relaxed), 1);
            *shared.1.get_or_init(|| n)
        };
        let other = shared.clone();
        let thread = thread::spawn(move || work(&other, 1));
        let mine = work(&shared, 2);
        assert_eq!(thread.join().unwrap(), mine);
        assert_eq!(shared.1.get(), Some(&mine));
        assert!(shared.1.set(3).is_err() && shared.0.is_completed());
    });
}

#[test]
fn channels() {
    passes(|| {
        let (sender, receiver) = mpsc::channel();
        for n in 1..=2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        drop(sender);
        let mut received: Vec<u32> = receiver.iter().collect();
        received.sort_unstable();
        assert_eq!(received, [1, 2]);
        assert!(receiver.try_recv().is_err());
    });
    passes(|| {
        for bound in 0..2 {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let thread = thread::spawn(move || (sender.send(1), sender.send(2)));
            assert_eq!(receiver.recv(), Ok(1));
            drop(receiver);
            assert!(thread.join().unwrap().0.is_ok());
        }
    });
}

#[test]
fn park_and_notify() {
    passes(|| {
        let main = thread::current();
        let ready = Arc::new(UnsafeCell::new(false));
        let other = ready.clone();
        thread::spawn(move || {
            other.with_mut(|ready| unsafe { *ready = true });
            main.unpark();
        });
        thread::park();
        assert!(ready.with(|ready| unsafe { *ready }));
    });
    passes(|| {
        let notify = Arc::new(Notify::new());
        let other = notify.clone();
        thread::spawn(move || other.notify());
        notify.wait();
    });
    assert!(matches!(fails(thread::park), Problem::Deadlock { .. }));
}

#[test]
fn threads() {
    passes(|| {
        let named = thread::Builder::new().name("worker".into()).spawn(thread::current).unwrap();
        assert_eq!(named.thread().name(), Some("worker"));
        let id = named.thread().id();
        let own = named.join().unwrap();
        assert_eq!((own.id(), own.name()), (id, Some("worker")));
        assert_ne!(id, thread::current().id());
        // What is not `Send` may be, too.
        let shared = std::rc::Rc::new(3);
        let other = shared.clone();
        assert_eq!(thread::spawn(move || *other).join().unwrap(), 3);
    });
    passes(|| {
        let mut sum = 0;
        let x = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| x.fetch_add(1, Relaxed));
            let other = scope.spawn(|| x.fetch_add(2, Relaxed));
            sum += other.join().unwrap();
        });
        assert_eq!(x.load(Relaxed), 3);
        assert!(sum < 2);
    });
    let seen = outcomes(|| {
        let thread = thread::spawn(|| ());
        let finished = thread.is_finished();
        thread.join().unwrap();
        finished
    });
    assert_eq!(seen, [false, true]);
    passes(|| {
        let thread = thread::spawn(|| ());
        while !thread.is_finished() {
            thread::yield_now();
        }
    });
}

#[test]
fn panics_are_failures_or_for_who_joins() {
    let problem = fails(|| {
        let thread = thread::spawn(|| panic!("of a thread"));
        let _ = thread.join();
    });
    assert_eq!(problem, Problem::Panic { message: "of a thread".into() });
    let report = Explorer::new().catch_panics(true).check(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let _guard = other.lock();
            panic!("of a thread");
        });
        assert!(thread.join().is_err());
        assert!(lock.is_poisoned());
    });
    assert!(report.failure.is_none(), "{:?}", report.failure.map(|failure| failure.problem));
    let caught = catch_unwind(|| explore(|| assert_eq!(1 + 1, 3, "arithmetic")));
    let message = *caught.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("arithmetic"), "{message}");
}

/// Does a lot while it unwinds.
struct Busy(Arc<(Mutex<u32>, AtomicUsize, Condvar)>);

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
        self.0.1.fetch_add(1, SeqCst);
        self.0.2.notify_all();
        hint::spin_loop();
    }
}

#[test]
fn unwinding_does_not_switch() {
    let problem = fails(|| {
        let shared = Arc::new((Mutex::new(0), AtomicUsize::new(0), Condvar::new()));
        let threads = [0, 1].map(|_| {
            let busy = Busy(shared.clone());
            thread::spawn(move || {
                busy.0.1.load(SeqCst);
                drop(busy);
            })
        });
        let _busy = Busy(shared.clone());
        let mut guard = shared.0.lock().unwrap();
        *guard += 1;
        if shared.1.load(SeqCst) == 1 {
            panic!("while it holds the lock");
        }
        drop(guard);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(problem, Problem::Panic { message: "while it holds the lock".into() });
    // A panic that is caught: the lock is given back for others.
    passes(|| {
        let shared = Arc::new((Mutex::new(0), AtomicUsize::new(0), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _guard = other.0.lock();
                panic!("caught");
            }));
            assert!(caught.is_err());
        });
        drop(shared.0.lock());
        thread.join().unwrap();
    });
}

#[test]
fn races_and_overlapping_accesses() {
    let problem = fails(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let other = cell.clone();
        thread::spawn(move || other.with_mut(|value| unsafe { *value = 1 }));
        cell.with(|value| unsafe { *value });
    });
    assert!(matches!(problem, Problem::Race { .. }), "{problem:?}");
    let problem = fails(|| {
        let cell = UnsafeCell::new(0);
        let _reading = cell.get();
        cell.with_mut(|value| unsafe { *value = 1 });
    });
    let text = "Causality violation: Concurrent read and write accesses to `UnsafeCell`.";
    assert_eq!(problem, Problem::Misuse { message: text.into() });
    // The access lasts longer than what publishes it.
    let problem = fails(|| {
        let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
        let other = shared.clone();
        thread::spawn(move || {
            other.0.with_mut(|value| {
                other.1.store(true, Release);
                unsafe { *value = 1 };
            });
        });
        if shared.1.load(Acquire) {
            shared.0.with(|value| unsafe { *value });
        }
    });
    assert!(matches!(problem, Problem::Race { .. }), "{problem:?}");
}

static DESTROYED: StdUsize = StdUsize::new(0);

#[test]
fn shared_ownership() {
    struct Payload(Arc<AtomicUsize>);
    impl Drop for Payload {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
            DESTROYED.fetch_add(1, StdOrdering::Relaxed);
        }
    }
    passes(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let shared = Arc::new(Payload(drops.clone()));
        let threads = [0, 1].map(|_| {
            let shared = shared.clone();
            thread::spawn(move || drop(shared))
        });
        drop(shared);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(drops.load(Relaxed), 1);
    });
    // Who is last is explored, and the rest happens before.
    let last = outcomes(|| {
        struct Last(UnsafeCell<u32>, StdArc<StdUsize>);
        impl Drop for Last {
            fn drop(&mut self) {
                self.0.with_mut(|value| unsafe { *value += 1 });
                let main = thread::current().name() == Some("main");
                self.1.store(main.into(), StdOrdering::Relaxed);
            }
        }
        let by_main = StdArc::new(StdUsize::new(9));
        let shared = Arc::new(Last(UnsafeCell::new(0), by_main.clone()));
        let other = shared.clone();
        let thread = thread::spawn(move || other.0.with(|value| unsafe { *value }));
        shared.0.with(|value| unsafe { *value });
        drop(shared);
        thread.join().unwrap();
        by_main.load(StdOrdering::Relaxed)
    });
    assert_eq!(last, [0, 1]);
}

#[test]
fn counts_of_handles() {
    let counts = outcomes(|| {
        let shared = Arc::new(1);
        let other = shared.clone();
        let thread = thread::spawn(move || drop(other));
        let count = Arc::strong_count(&shared);
        thread.join().unwrap();
        assert_eq!(Arc::try_unwrap(shared), Ok(1));
        count
    });
    assert_eq!(counts, [1, 2]);
    let unwrapped = outcomes(|| {
        let shared = Arc::new(Box::new(1));
        let other = shared.clone();
        let thread = thread::spawn(move || Arc::try_unwrap(other).is_ok());
        let mine = Arc::into_inner(shared).is_some();
        (mine, thread.join().unwrap())
    });
    assert_eq!(unwrapped, [(false, false), (false, true), (true, false)]);
    let upgraded = outcomes(|| {
        let shared = Arc::new(Box::new(1));
        let weak: Weak<Box<i32>> = Arc::downgrade(&shared);
        let thread = thread::spawn(move || weak.upgrade().is_some());
        drop(shared);
        thread.join().unwrap()
    });
    assert_eq!(upgraded, [false, true]);
    passes(|| {
        let raw = Arc::into_raw(Arc::new(AtomicUsize::new(5)));
        let arc = unsafe {
            Arc::increment_strong_count(raw);
            Arc::decrement_strong_count(raw);
            Arc::from_raw(raw)
        };
        assert_eq!(arc.load(Relaxed), 5);
        let slice: Arc<[u32]> = Arc::from_std(vec![1, 2].into());
        assert_eq!(slice.len(), 2);
        let mut value = Arc::new(String::from("a"));
        Arc::make_mut(&mut value).push('b');
        let other = value.clone();
        Arc::make_mut(&mut value).push('c');
        assert_eq!((&**value, &**other), ("abc", "ab"));
    });
}

#[test]
fn leaks() {
    let problem = fails(|| std::mem::forget(Arc::new(1)));
    assert!(matches!(&problem, Problem::Leak { what, .. } if what == "an Arc"), "{problem:?}");
    let problem = fails(|| std::mem::forget(alloc::Track::new(1)));
    assert!(matches!(problem, Problem::Leak { .. }), "{problem:?}");
    let layout = alloc::Layout::new::<u64>();
    let problem = fails(move || _ = unsafe { alloc::alloc(layout) });
    assert!(matches!(&problem, Problem::Leak { what, .. } if what == "memory"), "{problem:?}");
    passes(move || unsafe { alloc::dealloc(alloc::alloc_zeroed(layout), layout) });
    let problem = fails(move || unsafe {
        let pointer = alloc::alloc(layout);
        alloc::dealloc(pointer, layout);
        alloc::dealloc(pointer, layout);
    });
    assert!(
        matches!(&problem, Problem::Misuse { message } if message.contains("Double free")),
        "{problem:?}"
    );
}

#[test]
fn memory_that_was_given_back() {
    type Cell = UnsafeCell<u32>;
    let layout = alloc::Layout::new::<Cell>();
    let problem = fails(move || unsafe {
        let pointer = alloc::alloc(layout).cast::<Cell>();
        pointer.write(UnsafeCell::new(1));
        (*pointer).with(|value| *value);
        alloc::dealloc(pointer.cast(), layout);
        (*pointer).with(|value| *value);
    });
    assert!(matches!(&problem, Problem::Misuse { message } if message.contains("after free")), "{problem:?}");
    let problem = fails(move || unsafe {
        let pointer = alloc::alloc(layout).cast::<Cell>();
        pointer.write(UnsafeCell::new(1));
        (*pointer).with(|value| *value);
        let address = pointer.addr();
        thread::spawn(move || {
            let pointer = std::ptr::with_exposed_provenance::<Cell>(address);
            (*pointer).with(|value| *value);
        });
        alloc::dealloc(pointer.cast(), layout);
    });
    assert!(matches!(&problem, Problem::Race { .. } | Problem::Misuse { .. }), "{problem:?}");
}

#[test]
fn futures() {
    passes(|| {
        let shared = Arc::new((AtomicBool::new(false), future::AtomicWaker::new()));
        let other = shared.clone();
        thread::spawn(move || {
            other.0.store(true, Release);
            other.1.wake();
        });
        future::block_on(std::future::poll_fn(move |context| {
            shared.1.register_by_ref(context.waker());
            match shared.0.load(Acquire) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        }));
    });
}

#[test]
fn loops_that_wait() {
    let executions = passes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || other.store(true, Release));
        while !flag.load(Acquire) {
            hint::spin_loop();
        }
    });
    assert_eq!(executions, 1);
    let problem = fails(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(Acquire) {
            thread::yield_now();
        }
    });
    assert!(matches!(problem, Problem::Livelock { .. }), "{problem:?}");
}

#[test]
fn tests_that_are_not_deterministic() {
    static RUNS: StdUsize = StdUsize::new(0);
    let report = Explorer::new().check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = x.clone();
        thread::spawn(move || other.store(1, Relaxed));
        if RUNS.fetch_add(1, StdOrdering::Relaxed) % 2 == 1 {
            x.store(2, Relaxed);
        }
        x.load(Relaxed);
    });
    let problem = report.failure.expect("it is noticed").problem;
    assert!(matches!(problem, Problem::Nondeterminism { .. }), "{problem:?}");
}

#[test]
fn stacks_are_deep() {
    fn deep(n: usize) -> usize {
        let room = std::hint::black_box([n; 32]);
        if n == 0 { 0 } else { deep(n - 1) + room[n % 32] - n + 1 }
    }
    passes(|| {
        let thread = thread::spawn(|| deep(1000));
        assert_eq!(thread.join().unwrap(), 1000);
    });
}

//! Threads of the system as threads of a program, of which one runs at a time.

use super::state::{self, Body, State};
use super::substrate::{Fiber, Fibers, Progress, Suspender};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tribunal_history::memory::ThreadId;

/// Something that is handed from one thread to another although it is not `Send`.
struct HandedOver<T>(T);

#[allow(unsafe_code)]
// SAFETY: only the thread that holds the state runs; the others wait for it. So what threads of the program share is never touched by two
// at a time, and the channel orders what one did before what the next does. A program that ties a value to a thread of the system (a std
// thread-local, say) does not do so by means of what is handed over here: that is the state, the bodies of threads, and what they own.
unsafe impl<T> Send for HandedOver<T> {}

impl<T> HandedOver<T> {
    fn into_inner(self) -> T {
        self.0
    }
}

enum Order {
    Start(Body, Box<State>),
    Continue(Box<State>),
}

type Orders = Sender<HandedOver<Order>>;
type Results = Receiver<HandedOver<(Box<State>, Progress)>>;

struct Link {
    orders: Receiver<HandedOver<Order>>,
    results: Sender<HandedOver<(Box<State>, Progress)>>,
}

thread_local! {
    static LINK: RefCell<Option<Link>> = const { RefCell::new(None) };
}

struct OsThread {
    orders: Option<Orders>,
    results: Results,
    handle: Option<JoinHandle<()>>,
}

impl Drop for OsThread {
    /// An idle thread ends.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(handle) = self.handle.take() {
            // It has nothing to run that could panic.
            let _ = handle.join();
        }
    }
}

type Idle = Rc<RefCell<Vec<OsThread>>>;

/// Makes threads, and uses those again that have ended.
pub(super) struct OsThreads {
    stack_size: usize,
    idle: Idle,
}

impl OsThreads {
    pub(super) fn new(stack_size: usize) -> Self {
        OsThreads { stack_size, idle: Idle::default() }
    }

    fn start(&self) -> OsThread {
        let (orders, receiver) = channel();
        let (sender, results) = channel();
        let link = Link { orders: receiver, results: sender };
        let thread = std::thread::Builder::new().stack_size(self.stack_size).spawn(move || run(link));
        let handle = thread.unwrap_or_else(|error| panic!("no thread of the system for a thread: {error}"));
        OsThread { orders: Some(orders), results, handle: Some(handle) }
    }
}

/// What a thread of the system does: runs one body after another.
fn run(link: Link) {
    LINK.with(|own| *own.borrow_mut() = Some(link));
    while let Some(order) = receive() {
        let Order::Start(body, state) = order else { return };
        state::enter(state);
        state::with(|state| state.me().suspender = Some(Suspender::Thread));
        body();
        send(state::leave(), Progress::Ended);
    }
}

fn receive() -> Option<Order> {
    LINK.with(|link| link.borrow().as_ref()?.orders.recv().ok().map(HandedOver::into_inner))
}

fn send(state: Box<State>, progress: Progress) {
    LINK.with(|link| {
        if let Some(link) = link.borrow().as_ref() {
            // Nobody waits if the worker is gone.
            let _ = link.results.send(HandedOver((state, progress)));
        }
    });
}

/// Hands the state back and waits for it.
pub(super) fn suspend() {
    send(state::leave(), Progress::Suspended);
    match receive() {
        Some(Order::Continue(state)) => state::enter(state),
        // Leaked: what is on the stack must stay.
        _ => loop {
            std::thread::park();
        },
    }
}

impl Fibers for OsThreads {
    fn fiber(&mut self, _thread: ThreadId, body: Body) -> Box<dyn Fiber> {
        let thread = self.idle.borrow_mut().pop().unwrap_or_else(|| self.start());
        Box::new(Running { thread: Some(thread), body: Some(body), idle: self.idle.clone() })
    }
}

struct Running {
    thread: Option<OsThread>,
    body: Option<Body>,
    idle: Idle,
}

impl Fiber for Running {
    fn resume(&mut self, state: Box<State>) -> (Box<State>, Progress) {
        let thread = self.thread.as_ref().expect("what has ended is not resumed");
        let order = match self.body.take() {
            Some(body) => Order::Start(body, state),
            None => Order::Continue(state),
        };
        let orders = thread.orders.as_ref().expect("it is there until the thread is dropped");
        let handed = orders.send(HandedOver(order)).ok().and_then(|()| thread.results.recv().ok());
        let (state, progress) = handed.expect("a thread lives until it is dropped").into_inner();
        if progress == Progress::Ended {
            self.idle.borrow_mut().extend(self.thread.take());
        }
        (state, progress)
    }

    fn leak(mut self: Box<Self>) {
        if let Some(thread) = &mut self.thread {
            thread.handle = None;
        }
    }
}

impl Drop for Running {
    /// What never ran leaves its thread to others.
    fn drop(&mut self) {
        if self.body.is_some() {
            self.idle.borrow_mut().extend(self.thread.take());
        }
    }
}

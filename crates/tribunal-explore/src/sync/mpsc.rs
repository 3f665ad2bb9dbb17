//! Channels like [`std::sync::mpsc`].
//!
//! A channel is a location that counts its messages. A send is one event: it writes its message and adds one to the count, so that sends are in a total
//! order in which each happens before the next, as it would be under a lock. The receiver receives message number n as its n-th: it has no choice, and
//! waits until the message was sent. Only a `try_recv` that finds no message has to come before the next send, and counts among them.
//! The order in which senders are dropped makes no difference: a receiver that finds no sender comes after all of them.
//!
//! Of a bounded channel, message number n may be sent only after message number n - `bound` was received. Here it is sent at once, since it cannot be
//! received before that anyway, and its sender then waits for that message to be received; with a bound of 0, for its own.
//!
//! This is weaker than a lock in two ways. What the receiver does before it receives a message need not happen before later sends; and a `try_recv` that
//! finds no message need not happen before the drop of the last sender.

use crate::program::{CLOSED, Condition, DISCONNECTED, EMPTY, Place, Waits};
use crate::runtime::home::Home;
use crate::runtime::is_inside;
use crate::runtime::ops::{self, Access};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tribunal_history::memory::Order;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// A message of a bounded channel was received.
const RECEIVED: u64 = 1;
/// The receiver of a bounded channel was dropped, and will not receive a message.
const GONE: u64 = 2;

struct Shared<T> {
    /// The number of messages that were sent.
    home: Home,
    /// The number of messages that fit; 0 if each waits until it is received.
    bound: Option<u64>,
    contents: Mutex<Contents<T>>,
    /// For threads that wait outside of executions.
    changed: Condvar,
}

/// The contents that the explorer does not see.
struct Contents<T> {
    /// Messages that were not received, also those that are about to be sent.
    messages: BTreeMap<u64, T>,
    /// The last of them; numbers up to that of [`DISCONNECTED`] mean something else.
    last: u64,
    senders: usize,
    has_receiver: bool,
    /// The number of threads that wait outside of executions.
    waiting: usize,
    /// Of a bounded channel, by message: whether it was received.
    received: Vec<Arc<Home>>,
}

impl<T> Shared<T> {
    #[track_caller]
    fn new(bound: Option<u64>) -> Arc<Self> {
        Arc::new(Shared {
            home: Home::new("Channel", Place::caller()),
            bound,
            contents: Mutex::new(Contents {
                messages: BTreeMap::new(),
                last: DISCONNECTED,
                senders: 1,
                has_receiver: true,
                waiting: 0,
                received: Vec::new(),
            }),
            changed: Condvar::new(),
        })
    }

    fn contents(&self) -> MutexGuard<'_, Contents<T>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<R>(&self, change: impl FnOnce(&mut Contents<T>) -> R) -> R {
        let mut contents = self.contents();
        let changed = change(&mut contents);
        // To wake nobody is a call of the system all the same.
        if contents.waiting > 0 {
            self.changed.notify_all();
        }
        changed
    }

    /// Waits outside of executions, for no longer than a time if one is given.
    fn wait_until(&self, timeout: Option<Duration>, is_so: impl Fn(&Contents<T>) -> bool) {
        let mut contents = self.contents();
        contents.waiting += 1;
        let goes_on = |contents: &mut Contents<T>| !is_so(contents);
        let mut contents = match timeout {
            Some(timeout) => {
                let waited = self.changed.wait_timeout_while(contents, timeout, goes_on);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.changed.wait_while(contents, goes_on).unwrap_or_else(PoisonError::into_inner),
        };
        contents.waiting -= 1;
    }

    fn put(&self, message: T) -> u64 {
        self.change(|contents| {
            contents.last += 1;
            contents.messages.insert(contents.last, message);
            contents.last
        })
    }

    fn take(&self, id: u64) -> Option<T> {
        self.change(|contents| contents.messages.remove(&id))
    }

    /// Accesses the number of messages; it is returned as it was before.
    fn access(&self, access: Access, place: Place) -> u64 {
        ops::access(&self.home, || 0, access, place).unwrap_or(0)
    }

    /// Whether message `number` was received, as an access to a location of its own.
    fn received(&self, number: u64, access: Access, place: Place) -> u64 {
        let home = {
            let received = &mut self.contents().received;
            let missing = (number as usize).saturating_sub(received.len());
            received.extend((0..missing).map(|_| Arc::new(Home::new("Received", self.home.place()))));
            received[number as usize - 1].clone()
        };
        ops::access(&home, || 0, access, place).unwrap_or(RECEIVED)
    }

    /// The message that must be received before message `number` may be sent.
    fn makes_room(&self, number: u64) -> Option<u64> {
        self.bound.and_then(|bound| number.checked_sub(bound)).filter(|&before| before > 0)
    }

    fn send(&self, message: T, place: Place) -> Result<(), SendError<T>> {
        let id = self.put(message);
        let accepted = if is_inside() {
            let sent = self.access(Access::Send { message: Some(id), after: None }, place);
            sent != CLOSED
                && self.makes_room(sent + 1).is_none_or(|before| {
                    let until = Condition { holds: |received, _| received != 0, operand: 0 };
                    self.received(before, Access::Await { order: Order::Acquire, until }, place) == RECEIVED
                })
        } else {
            self.wait_until(None, |contents| !contents.has_receiver || contents.has_accepted(id, self.bound));
            self.contents().has_receiver
        };
        let refused = if accepted { None } else { self.take(id) };
        refused.map_or(Ok(()), |message| Err(SendError(message)))
    }

    fn share(&self, place: Place) {
        self.change(|contents| contents.senders += 1);
        self.access(Access::Share, place);
    }

    fn unshare(&self, place: Place) {
        self.change(|contents| contents.senders -= 1);
        self.access(Access::Unshare, place);
    }

    /// The message after the first `after`, or what there is instead.
    fn receive(&self, after: u64, waits: Waits, place: Place) -> Result<T, TryRecvError> {
        let local = || {
            let contents = self.contents();
            match contents.messages.keys().next() {
                Some(&id) => Some(id),
                None if contents.senders == 0 => Some(DISCONNECTED),
                None => (waits != Waits::ForEver).then_some(EMPTY),
            }
        };
        match ops::receive(&self.home, (after, waits), local, place) {
            EMPTY => Err(TryRecvError::Empty),
            DISCONNECTED => Err(TryRecvError::Disconnected),
            id => self.take(id).ok_or(TryRecvError::Disconnected),
        }
    }
}

impl<T> Contents<T> {
    /// Whether a message fits, outside of executions.
    fn has_accepted(&self, id: u64, bound: Option<u64>) -> bool {
        bound.is_none_or(|bound| self.messages.range(..=id).count() as u64 <= bound)
    }
}

/// An unbounded channel.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Shared::new(None);
    (Sender { shared: shared.clone() }, Receiver { shared, received: Cell::new(0) })
}

/// A bounded channel; with a bound of 0, a sender waits for the receiver.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let shared = Shared::new(Some(bound as u64));
    (SyncSender { shared: shared.clone() }, Receiver { shared, received: Cell::new(0) })
}

/// Sends messages.
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

/// Sends messages, waiting while the channel is full.
pub struct SyncSender<T> {
    shared: Arc<Shared<T>>,
}

/// Receives messages.
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    /// The number of messages that were received.
    received: Cell<u64>,
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message, Place::caller())
    }
}

impl<T> SyncSender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message, Place::caller())
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    /// The message, if there is no room or no receiver. With a bound of 0, there is never room.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let (shared, place) = (&self.shared, Place::caller());
        if !is_inside() {
            let id = shared.put(message);
            let contents = shared.contents();
            let refused: fn(T) -> TrySendError<T> = match contents.has_receiver {
                true if contents.has_accepted(id, shared.bound) => return Ok(()),
                true => TrySendError::Full,
                false => TrySendError::Disconnected,
            };
            drop(contents);
            return shared.take(id).map_or(Ok(()), |message| Err(refused(message)));
        }
        let mut sent = shared.access(Access::Load(Order::Acquire), place);
        let id = shared.put(message);
        let refused: fn(T) -> TrySendError<T> = loop {
            let room = match shared.makes_room(sent.saturating_add(1)) {
                _ if sent == CLOSED => GONE,
                _ if shared.bound == Some(0) => 0,
                Some(before) => shared.received(before, Access::Load(Order::Acquire), place),
                None => RECEIVED,
            };
            match room {
                0 => break TrySendError::Full,
                GONE => break TrySendError::Disconnected,
                _ => {}
            }
            let found = shared.access(Access::Send { message: Some(id), after: Some(sent) }, place);
            if found == sent {
                return Ok(());
            }
            sent = found;
        };
        shared.take(id).map_or(Ok(()), |message| Err(refused(message)))
    }
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If there is no message and no sender.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.wait_outside(None);
        self.receive(Waits::ForEver, Place::caller()).map_err(|_| RecvError)
    }

    /// Waits for a message outside of executions.
    fn wait_outside(&self, timeout: Option<Duration>) {
        if !is_inside() {
            let shared = &self.shared;
            shared.wait_until(timeout, |contents| !contents.messages.is_empty() || contents.senders == 0);
        }
    }

    fn receive(&self, waits: Waits, place: Place) -> Result<T, TryRecvError> {
        let message = self.shared.receive(self.received.get(), waits, place)?;
        let number = self.received.get() + 1;
        self.received.set(number);
        if self.shared.bound.is_some() {
            self.shared.received(number, Access::Store(Order::Release, RECEIVED), place);
        }
        Ok(message)
    }

    /// A message, if there is one.
    ///
    /// # Errors
    /// If there is no message; the error tells whether there are senders.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.receive(Waits::No, Place::caller())
    }

    /// Waits for a message, or for a timeout: when no thread can go on, and earlier if [enabled](crate::Explorer::spurious).
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let place = Place::caller();
        self.wait_outside(Some(timeout));
        let waits = if ops::wakes_spuriously(place) { Waits::No } else { Waits::UntilTimeout };
        self.receive(waits, place).map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// The messages, until there is no message and no sender.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

/// See [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// See [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// The messages of a receiver that is dropped with it.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.shared.share(Place::caller());
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.shared.share(Place::caller());
        SyncSender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.unshare(Place::caller());
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.unshare(Place::caller());
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        let (shared, place, received) = (&self.shared, Place::caller(), self.received.get());
        let sent = shared.access(Access::Send { message: None, after: None }, place);
        shared.change(|contents| contents.has_receiver = false);
        // Later messages are those of senders that wait for room, who take them back.
        let accepted = shared.bound.map_or(sent, |bound| sent.min(received.saturating_add(bound)));
        // Messages may use the channel as they are dropped, which comes last.
        let mut left = Vec::new();
        if !is_inside() {
            let mut contents = shared.contents();
            let most = shared.bound.map_or(usize::MAX, |bound| bound as usize);
            let first = std::iter::from_fn(|| contents.messages.pop_first()).take(most);
            left.extend(first.map(|(_, message)| message));
            drop(contents);
            return;
        }
        if std::mem::needs_drop::<T>() {
            left.extend(
                (received..accepted).map_while(|after| shared.receive(after, Waits::ForEver, place).ok()),
            );
        }
        if let Some(bound) = shared.bound {
            for number in received + 1..=sent.saturating_sub(bound) {
                shared.received(number, Access::Store(Order::Release, GONE), place);
            }
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

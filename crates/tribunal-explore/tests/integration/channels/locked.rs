//! The reference: channels made of a lock and condition variables.

use std::collections::VecDeque;
use std::sync::Arc;
use tribunal_explore::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub use std::sync::mpsc::{RecvError, SendError, TryRecvError, TrySendError};

struct Channel<T> {
    messages: VecDeque<T>,
    senders: usize,
    has_receiver: bool,
    /// How many messages fit; 0 if each waits until it is taken.
    bound: Option<usize>,
    /// How many messages were sent and taken, ever.
    sent: u64,
    taken: u64,
}

struct Shared<T> {
    channel: Mutex<Channel<T>>,
    arrived: Condvar,
    left: Condvar,
}

impl<T> Shared<T> {
    fn new(bound: Option<usize>) -> Arc<Self> {
        let messages = VecDeque::new();
        let channel = Channel { messages, senders: 1, has_receiver: true, bound, sent: 0, taken: 0 };
        Arc::new(Shared { channel: Mutex::new(channel), arrived: Condvar::new(), left: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Channel<T>> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(condvar: &Condvar, channel: MutexGuard<'a, Channel<T>>) -> MutexGuard<'a, Channel<T>> {
        condvar.wait(channel).unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut channel = self.lock();
        while channel.has_receiver && channel.is_full() {
            channel = Self::wait(&self.left, channel);
        }
        if !channel.has_receiver {
            return Err(SendError(message));
        }
        let number = channel.push(message);
        self.arrived.notify_one();
        while channel.bound == Some(0) && channel.taken < number {
            if !channel.has_receiver {
                return channel.messages.pop_back().map_or(Ok(()), |message| Err(SendError(message)));
            }
            channel = Self::wait(&self.left, channel);
        }
        Ok(())
    }

    fn add_sender(&self) {
        self.lock().senders += 1;
    }

    fn remove_sender(&self) {
        let mut channel = self.lock();
        channel.senders -= 1;
        if channel.senders == 0 {
            self.arrived.notify_all();
        }
    }
}

impl<T> Channel<T> {
    fn is_full(&self) -> bool {
        self.bound.is_some_and(|bound| self.messages.len() >= bound.max(1))
    }

    fn push(&mut self, message: T) -> u64 {
        self.messages.push_back(message);
        self.sent += 1;
        self.sent
    }

    fn pop(&mut self) -> Option<T> {
        let message = self.messages.pop_front()?;
        self.taken += 1;
        Some(message)
    }
}

/// An unbounded channel.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Shared::new(None);
    (Sender { shared: shared.clone() }, Receiver { shared })
}

/// A bounded channel; with a bound of 0, a sender waits for the receiver.
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let shared = Shared::new(Some(bound));
    (SyncSender { shared: shared.clone() }, Receiver { shared })
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
}

impl<T> Sender<T> {
    /// Sends a message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }
}

impl<T> SyncSender<T> {
    /// Sends a message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }

    /// Sends a message if there is room.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut channel = self.shared.lock();
        match channel.has_receiver {
            false => Err(TrySendError::Disconnected(message)),
            true if channel.bound == Some(0) || channel.is_full() => Err(TrySendError::Full(message)),
            true => {
                channel.push(message);
                self.shared.arrived.notify_one();
                Ok(())
            }
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for a message.
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut channel = self.shared.lock();
        loop {
            if let Some(message) = self.take(&mut channel) {
                return Ok(message);
            }
            if channel.senders == 0 {
                return Err(RecvError);
            }
            channel = Shared::wait(&self.shared.arrived, channel);
        }
    }

    fn take(&self, channel: &mut MutexGuard<'_, Channel<T>>) -> Option<T> {
        let message = channel.pop()?;
        if channel.bound.is_some() {
            self.shared.left.notify_all();
        }
        Some(message)
    }

    /// A message, if there is one.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut channel = self.shared.lock();
        match self.take(&mut channel) {
            Some(message) => Ok(message),
            None if channel.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.add_sender();
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.shared.add_sender();
        SyncSender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut channel = self.shared.lock();
        channel.has_receiver = false;
        // With a bound of 0, the sender of a message takes it back.
        let left =
            if channel.bound == Some(0) { VecDeque::new() } else { std::mem::take(&mut channel.messages) };
        if channel.bound.is_some() {
            self.shared.left.notify_all();
        }
        // Messages may use the channel as they are dropped.
        drop(channel);
        drop(left);
    }
}

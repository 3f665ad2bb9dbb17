//! Channels like [`std::sync::mpsc`], made of a lock and condition variables.

use super::{Condvar, Mutex, MutexGuard, PoisonError};
use crate::runtime::ops;
use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

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
    #[track_caller]
    fn new(bound: Option<usize>) -> Arc<Self> {
        let messages = VecDeque::new();
        let channel = Channel { messages, senders: 1, has_receiver: true, bound, sent: 0, taken: 0 };
        Arc::new(Shared { channel: Mutex::new(channel), arrived: Condvar::new(), left: Condvar::new() })
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, Channel<T>> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn wait<'a>(condvar: &Condvar, channel: MutexGuard<'a, Channel<T>>) -> MutexGuard<'a, Channel<T>> {
        condvar.wait(channel).unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
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

    #[track_caller]
    fn add_sender(&self) {
        self.lock().senders += 1;
    }

    #[track_caller]
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
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Shared::new(None);
    (Sender { shared: shared.clone() }, Receiver { shared })
}

/// A bounded channel; with a bound of 0, a sender waits for the receiver.
#[track_caller]
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
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }
}

impl<T> SyncSender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    /// The message, if there is no room or no receiver. With a bound of 0, there is never room.
    #[track_caller]
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
    ///
    /// # Errors
    /// If there is no message and no sender.
    #[track_caller]
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

    #[track_caller]
    fn take(&self, channel: &mut MutexGuard<'_, Channel<T>>) -> Option<T> {
        let message = channel.pop()?;
        if channel.bound.is_some() {
            self.shared.left.notify_all();
        }
        Some(message)
    }

    /// A message, if there is one.
    ///
    /// # Errors
    /// If there is no message; the error tells whether there are senders.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut channel = self.shared.lock();
        match self.take(&mut channel) {
            Some(message) => Ok(message),
            None if channel.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// Waits for a message, or for a timeout if [enabled](crate::Explorer::spurious).
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn recv_timeout(&self, _timeout: Duration) -> Result<T, RecvTimeoutError> {
        if ops::wakes_spuriously(Location::caller()) {
            return self.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            });
        }
        self.recv().map_err(|RecvError| RecvTimeoutError::Disconnected)
    }

    /// The messages, until there is no message and no sender.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.shared.add_sender();
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.shared.add_sender();
        SyncSender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        let mut channel = self.shared.lock();
        channel.has_receiver = false;
        let left = std::mem::take(&mut channel.messages);
        if channel.bound.is_some() {
            self.shared.left.notify_all();
        }
        // Messages may use the channel as they are dropped.
        drop(channel);
        drop(left);
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

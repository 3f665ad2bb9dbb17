//! Events from another thread, so that a silent pipe is no reason to keep an answer back.

use crate::failure::Failure;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tribunal_formats::{Error, NilReads, Notes, ObjectEvent, Observed, ReadOptions, events, observations};

/// After this long without input, everything so far is checked.
const IDLE_TIME: Duration = Duration::from_millis(50);
/// So many events go together at most.
const MOST: usize = 1024;

/// The events as they come, of an object or of a memory.
pub struct Feed<T> {
    messages: Receiver<Message<T>>,
    batch: std::vec::IntoIter<T>,
    left_out: u64,
    notes: Notes,
}

/// The words of the reading thread: the specification, if it was asked for; then events; an error is the last.
enum Message<T> {
    Spec(Option<String>),
    Events(Vec<T>),
    /// So many lines without an end were left out.
    LeftOut(u64),
    /// The lines that are no operation.
    Notes(Notes),
    Failed(Failure),
}

/// The next thing that is said.
pub enum Next<T> {
    Event(T),
    /// Nothing, for a while.
    Silence,
    End,
}

impl Feed<ObjectEvent> {
    /// Begins to read. The events are of an object with the specification of that name, if one is given.
    pub fn of_object(
        bytes: impl Read + Send + 'static,
        name: &str,
        options: ReadOptions,
        spec: Option<&str>,
        nil_reads: NilReads,
    ) -> Self {
        let (name, spec) = (name.to_string(), spec.map(str::to_string));
        Feed::start(move |sender| Ok(read_object(bytes, &name, options, spec.as_deref(), nil_reads, sender)?))
    }

    /// The specification that the events imply, if there are any; to be asked for first, if none was given.
    pub fn spec(&mut self) -> Result<Option<String>, Failure> {
        match self.messages.recv() {
            Ok(Message::Spec(spec)) => Ok(spec),
            Ok(Message::Failed(failure)) => Err(failure),
            Ok(Message::Events(_) | Message::LeftOut(_) | Message::Notes(_)) | Err(_) => Ok(None),
        }
    }
}

impl Feed<Observed> {
    /// Begins to read what is observed of a memory.
    pub fn of_memory(bytes: impl Read + Send + 'static, name: &str, options: ReadOptions) -> Self {
        let name = name.to_string();
        Feed::start(move |sender| Ok(read_memory(bytes, &name, options, sender)?))
    }
}

impl Feed<Vec<u8>> {
    /// Begins to read lines, each with its end.
    pub fn of_lines(bytes: impl Read + Send + 'static, name: &str) -> Self {
        let file = name.to_string();
        Feed::start(move |sender| {
            let outbox = Outbox { batch: Arc::default(), sender: sender.clone() };
            let mut bytes = BufReader::new(Prompt { bytes, outbox: outbox.clone() });
            loop {
                let mut line = Vec::new();
                match bytes.read_until(b'\n', &mut line) {
                    Ok(0) => break,
                    Ok(_) => outbox.put(line),
                    Err(source) => return Err(Failure::Read { file, source }),
                }
            }
            outbox.send();
            Ok(())
        })
    }
}

impl<T: Send + 'static> Feed<T> {
    fn start(read: impl FnOnce(&SyncSender<Message<T>>) -> Result<(), Failure> + Send + 'static) -> Self {
        let (sender, messages) = sync_channel(8);
        std::thread::spawn(move || {
            if let Err(failure) = read(&sender) {
                // Nobody listens any more: so be it.
                let _ = sender.send(Message::Failed(failure));
            }
        });
        Feed { messages, batch: Vec::new().into_iter(), left_out: 0, notes: Notes::default() }
    }

    /// The lines that were no operation of an object, once the events have ended.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The number of lines without an end that were left out, once the events have ended.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    pub fn next(&mut self) -> Result<Next<T>, Failure> {
        loop {
            if let Some(event) = self.batch.next() {
                return Ok(Next::Event(event));
            }
            match self.messages.recv_timeout(IDLE_TIME) {
                Ok(Message::Events(batch)) => self.batch = batch.into_iter(),
                Ok(Message::LeftOut(count)) => self.left_out = count,
                Ok(Message::Notes(notes)) => self.notes = notes,
                Ok(Message::Spec(_)) => {}
                Ok(Message::Failed(failure)) => return Err(failure),
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Silence),
                Err(RecvTimeoutError::Disconnected) => return Ok(Next::End),
            }
        }
    }
}

fn read_memory(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: ReadOptions,
    sender: &SyncSender<Message<Observed>>,
) -> Result<(), Error> {
    let outbox = Outbox { batch: Arc::default(), sender: sender.clone() };
    let mut observed = observations(Prompt { bytes, outbox: outbox.clone() }, name, options)?;
    outbox.take(observed.by_ref())?;
    let _ = sender.send(Message::LeftOut(observed.left_out().into()));
    Ok(())
}

fn read_object(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: ReadOptions,
    spec: Option<&str>,
    nil_reads: NilReads,
    sender: &SyncSender<Message<ObjectEvent>>,
) -> Result<(), Error> {
    let outbox = Outbox { batch: Arc::default(), sender: sender.clone() };
    let mut events = events(Prompt { bytes, outbox: outbox.clone() }, name, options)?.nil_reads(nil_reads);
    match spec {
        Some(spec) => events = events.of(spec),
        None => {
            let _ = sender.send(Message::Spec(events.spec()?));
        }
    }
    outbox.take(events.by_ref())?;
    let _ = sender.send(Message::Notes(events.notes()));
    Ok(())
}

/// Events that have been read and not yet sent.
struct Outbox<T> {
    batch: Arc<Mutex<Vec<T>>>,
    sender: SyncSender<Message<T>>,
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        Outbox { batch: self.batch.clone(), sender: self.sender.clone() }
    }
}

impl<T> Outbox<T> {
    fn batch(&self) -> MutexGuard<'_, Vec<T>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all events, up to an error.
    fn take(&self, events: impl Iterator<Item = Result<T, Error>>) -> Result<(), Error> {
        for event in events {
            match event {
                Ok(event) => self.put(event),
                Err(error) => {
                    self.send();
                    return Err(error);
                }
            }
        }
        self.send();
        Ok(())
    }

    fn put(&self, event: T) {
        let mut batch = self.batch();
        batch.push(event);
        let full = batch.len() >= MOST;
        drop(batch);
        if full {
            self.send();
        }
    }

    /// Sends what there is; false if the receiver is gone.
    fn send(&self) -> bool {
        let batch = std::mem::take(&mut *self.batch());
        batch.is_empty() || self.sender.send(Message::Events(batch)).is_ok()
    }
}

/// Bytes that send what has been read before they wait for more: no event is kept back.
struct Prompt<R, T> {
    bytes: R,
    outbox: Outbox<T>,
}

impl<R: Read, T> Read for Prompt<R, T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.outbox.send() { self.bytes.read(into) } else { Ok(0) }
    }
}

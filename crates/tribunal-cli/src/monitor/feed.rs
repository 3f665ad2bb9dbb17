//! Events from another thread, so that a silent pipe is no reason to keep an answer back.

use crate::failure::Failure;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tribunal_formats::{Error, NilReads, ObjectEvent, ReadOptions, events};

/// When nothing has come for so long, all that has come is checked.
const PATIENCE: Duration = Duration::from_millis(50);
/// So many events go together at most.
const MOST: usize = 1024;

/// The events as they come.
pub struct Feed {
    messages: Receiver<Message>,
    batch: std::vec::IntoIter<ObjectEvent>,
    left_out: u64,
}

/// What the reading thread says: the specification, if it was asked for; then events; an error is the last.
enum Message {
    Spec(Option<String>),
    Events(Vec<ObjectEvent>),
    /// So many reads of nil were left out.
    LeftOut(u64),
    Failed(Error),
}

/// What comes next.
pub enum Next {
    Event(ObjectEvent),
    /// Nothing, for a while.
    Silence,
    End,
}

impl Feed {
    /// Begins to read. The events are of an object with the specification of that name, if one is given.
    pub fn start(
        bytes: impl Read + Send + 'static,
        name: &str,
        options: ReadOptions,
        spec: Option<&str>,
        nil_reads: NilReads,
    ) -> Self {
        let (sender, messages) = sync_channel(8);
        let (name, spec) = (name.to_string(), spec.map(str::to_string));
        std::thread::spawn(move || {
            if let Err(error) = read(bytes, &name, options, spec.as_deref(), nil_reads, &sender) {
                // Nobody listens any more: so be it.
                let _ = sender.send(Message::Failed(error));
            }
        });
        Feed { messages, batch: Vec::new().into_iter(), left_out: 0 }
    }

    /// The specification that the events imply, if there are any; to be asked for first, if none was given.
    pub fn spec(&mut self) -> Result<Option<String>, Failure> {
        match self.messages.recv() {
            Ok(Message::Spec(spec)) => Ok(spec),
            Ok(Message::Failed(error)) => Err(error.into()),
            Ok(Message::Events(_) | Message::LeftOut(_)) | Err(_) => Ok(None),
        }
    }

    /// How many reads of nil were left out, once the events have ended.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    pub fn next(&mut self) -> Result<Next, Failure> {
        loop {
            if let Some(event) = self.batch.next() {
                return Ok(Next::Event(event));
            }
            match self.messages.recv_timeout(PATIENCE) {
                Ok(Message::Events(batch)) => self.batch = batch.into_iter(),
                Ok(Message::LeftOut(count)) => self.left_out = count,
                Ok(Message::Spec(_)) => {}
                Ok(Message::Failed(error)) => return Err(error.into()),
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Silence),
                Err(RecvTimeoutError::Disconnected) => return Ok(Next::End),
            }
        }
    }
}

fn read(
    bytes: impl Read + Send + 'static,
    name: &str,
    options: ReadOptions,
    spec: Option<&str>,
    nil_reads: NilReads,
    sender: &SyncSender<Message>,
) -> Result<(), Error> {
    let outbox = Outbox { batch: Arc::default(), sender: sender.clone() };
    let mut events = events(Prompt { bytes, outbox: outbox.clone() }, name, options)?.nil_reads(nil_reads);
    match spec {
        Some(spec) => events = events.of(spec),
        None => {
            let _ = sender.send(Message::Spec(events.spec()?));
        }
    }
    for event in events.by_ref() {
        match event {
            Ok(event) => outbox.put(event),
            Err(error) => {
                outbox.send();
                return Err(error);
            }
        }
    }
    outbox.send();
    let _ = sender.send(Message::LeftOut(events.left_out()));
    Ok(())
}

/// Events that have been read and not yet sent.
#[derive(Clone)]
struct Outbox {
    batch: Arc<Mutex<Vec<ObjectEvent>>>,
    sender: SyncSender<Message>,
}

impl Outbox {
    fn batch(&self) -> MutexGuard<'_, Vec<ObjectEvent>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, event: ObjectEvent) {
        let mut batch = self.batch();
        batch.push(event);
        let full = batch.len() >= MOST;
        drop(batch);
        if full {
            self.send();
        }
    }

    /// Sends what there is; false if nobody listens any more.
    fn send(&self) -> bool {
        let batch = std::mem::take(&mut *self.batch());
        batch.is_empty() || self.sender.send(Message::Events(batch)).is_ok()
    }
}

/// Bytes that send what has been read before they wait for more: no event is kept back.
struct Prompt<R> {
    bytes: R,
    outbox: Outbox,
}

impl<R: Read> Read for Prompt<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.outbox.send() { self.bytes.read(into) } else { Ok(0) }
    }
}

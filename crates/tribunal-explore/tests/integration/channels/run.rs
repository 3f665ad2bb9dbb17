// The programs as Rust code, on the channels of the module that includes this.

use super::program::{self, Op, Outcome, Program};
use std::sync::Arc as StdArc;
use tribunal_explore::cell::UnsafeCell;
use tribunal_explore::thread;

struct Message {
    value: i32,
    sender: Option<Sender>,
}

enum Sender {
    Free(mpsc::Sender<Message>),
    Bounded(mpsc::SyncSender<Message>),
}

impl Clone for Sender {
    fn clone(&self) -> Self {
        match self {
            Sender::Free(sender) => Sender::Free(sender.clone()),
            Sender::Bounded(sender) => Sender::Bounded(sender.clone()),
        }
    }
}

struct Thread {
    number: usize,
    senders: Vec<Option<Sender>>,
    receivers: Vec<Option<mpsc::Receiver<Message>>>,
    /// Written by the sender of a message, read by its receiver.
    data: StdArc<Vec<UnsafeCell<i32>>>,
    results: Vec<i32>,
}

impl Thread {
    fn send(&mut self, c: usize, at: usize, with_sender: bool, waits: bool) {
        let Some(sender) = &self.senders[c] else { return };
        let value = program::value(self.number, at);
        // SAFETY: the explorer reports it if this is a race.
        self.data[value as usize].with_mut(|data| unsafe { *data = value });
        let message = Message { value, sender: with_sender.then(|| sender.clone()) };
        let result = match sender {
            Sender::Free(sender) => sender.send(message).map_or(program::REFUSED, |()| program::SENT),
            Sender::Bounded(sender) if waits => {
                sender.send(message).map_or(program::REFUSED, |()| program::SENT)
            }
            Sender::Bounded(sender) => match sender.try_send(message) {
                Ok(()) => program::SENT,
                Err(mpsc::TrySendError::Full(_)) => program::FULL,
                Err(mpsc::TrySendError::Disconnected(_)) => program::REFUSED,
            },
        };
        self.results.push(result);
    }

    fn receive(&mut self, c: usize, waits: bool) -> bool {
        let Some(receiver) = &self.receivers[c] else { return false };
        let received = match waits {
            true => receiver.recv().map_err(|_| program::DISCONNECTED),
            false => receiver.try_recv().map_err(|error| match error {
                mpsc::TryRecvError::Empty => program::EMPTY,
                mpsc::TryRecvError::Disconnected => program::DISCONNECTED,
            }),
        };
        match received {
            Ok(message) => {
                // SAFETY: as above.
                let read = self.data[message.value as usize].with(|data| unsafe { *data });
                self.results.push(read);
                match message.sender {
                    Some(sender) if self.senders[c].is_none() => self.senders[c] = Some(sender),
                    sender => drop(sender),
                }
                true
            }
            Err(error) => {
                self.results.push(error);
                false
            }
        }
    }

    fn run(&mut self, ops: &[Op]) {
        for (at, &op) in ops.iter().enumerate() {
            match op {
                Op::Send(c) => self.send(c, at, false, true),
                Op::SendSender(c) => self.send(c, at, true, true),
                Op::TrySend(c) => self.send(c, at, false, false),
                Op::Recv(c) => _ = self.receive(c, true),
                Op::TryRecv(c) => _ = self.receive(c, false),
                Op::Drain(c) => while self.receive(c, true) {},
                Op::DropSender(c) => drop(self.senders[c].take()),
                Op::DropReceiver(c) => drop(self.receivers[c].take()),
            }
        }
        for c in 0..self.senders.len() {
            drop(self.senders[c].take());
            drop(self.receivers[c].take());
        }
    }
}

pub fn run(program: &StdArc<Program>) -> Outcome {
    let (channels, threads) = (program.channels.len(), program.threads.len());
    let cells = (0..threads * 8).map(|_| UnsafeCell::new(0)).collect();
    // The cells are accessed by one thread at a time, or the explorer reports a race.
    #[allow(clippy::arc_with_non_send_sync)]
    let data = StdArc::new(cells);
    let made = (0..threads).map(|number| Thread {
        number,
        senders: (0..channels).map(|_| None).collect(),
        receivers: (0..channels).map(|_| None).collect(),
        data: StdArc::clone(&data),
        results: Vec::new(),
    });
    let mut made: Vec<Thread> = made.collect();
    for (c, &bound) in program.channels.iter().enumerate() {
        let (sender, receiver) = match bound {
            None => {
                let (sender, receiver) = mpsc::channel();
                (Sender::Free(sender), receiver)
            }
            Some(bound) => {
                let (sender, receiver) = mpsc::sync_channel(bound);
                (Sender::Bounded(sender), receiver)
            }
        };
        for (thread, has) in made.iter_mut().zip(&program.senders) {
            thread.senders[c] = has[c].then(|| sender.clone());
        }
        made[program.receivers[c]].receivers[c] = Some(receiver);
        drop(sender);
    }
    let spawned: Vec<_> = made
        .drain(1..)
        .map(|mut thread| {
            let program = program.clone();
            thread::spawn(move || {
                thread.run(&program.threads[thread.number]);
                thread.results
            })
        })
        .collect();
    let mut main = made.remove(0);
    main.run(&program.threads[0]);
    let mut outcome = vec![main.results];
    outcome.extend(spawned.into_iter().map(|thread| thread.join().expect("no thread panics")));
    outcome
}

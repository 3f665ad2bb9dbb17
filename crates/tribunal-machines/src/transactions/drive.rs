//! Running clients on a store, one step of one of them after the other, and writing down what they see.

use super::engine::{Answer, Context, Engine};
use super::versions::{Version, Versions};
use super::{Access, Clients, StoreBug};
use crate::chance::chance;
use tribunal_history::transactions::{History, HistoryBuilder, KeyId, Op, SessionId, Span, Status};
use tribunal_random::Xoshiro;

/// The next action of a client.
#[derive(Clone, Copy)]
enum Next {
    /// It begins a transaction.
    Begin,
    /// It has called, and the store lets it wait.
    Enter,
    /// This operation of its plan; behind the last, it commits.
    Op(usize),
    /// The transaction has ended, and it is told so.
    Return(Status),
}

/// An action that was done, as the client knows it.
enum Done {
    Read(u32, Version),
    Write(u32, i64),
}

struct Client {
    session: SessionId,
    next: Next,
    plan: Vec<Access>,
    done: Vec<Done>,
    begin: i64,
}

/// Clients on a store.
pub(super) struct Drive<'a> {
    clients: &'a Clients,
    engine: Box<dyn Engine>,
    cx: Context,
    builder: HistoryBuilder,
    keys: Vec<KeyId>,
    /// The number of keys that are lists.
    lists: u32,
    slots: Vec<Client>,
    /// Per key, the last value that was given to a write.
    written: Vec<i64>,
    sessions: u32,
    time: i64,
    /// The elements read of a list, while they are written down.
    list: Vec<i64>,
}

impl<'a> Drive<'a> {
    pub(super) fn new(clients: &'a Clients, bug: Option<StoreBug>, engine: Box<dyn Engine>) -> Self {
        let mut builder = History::builder();
        let lists = clients.list_count();
        let name = |key: u32| format!("{}{key}", if key < lists { 'l' } else { 'x' });
        let keys = (0..clients.keys).map(|key| builder.key(&name(key))).collect();
        let cx = Context { versions: Versions::new(), rng: Xoshiro::new(clients.seed), bug };
        let mut drive = Drive {
            clients,
            engine,
            cx,
            builder,
            keys,
            lists,
            slots: Vec::with_capacity(clients.sessions as usize),
            written: vec![0; clients.keys as usize],
            sessions: 0,
            time: 0,
            list: Vec::new(),
        };
        for _ in 0..clients.sessions {
            let session = drive.session();
            let client = Client { session, next: Next::Begin, plan: Vec::new(), done: Vec::new(), begin: 0 };
            drive.slots.push(client);
        }
        drive
    }

    fn session(&mut self) -> SessionId {
        self.sessions += 1;
        self.builder.session(&format!("s{}", self.sessions - 1))
    }

    pub(super) fn history(mut self, name: &str) -> History {
        self.builder.name(name);
        let (mut left, mut open) = (self.clients.transactions, 0u32);
        while left > 0 || open > 0 {
            self.time += 1;
            self.engine.pass(&mut self.cx);
            let client = self.cx.rng.index(self.slots.len());
            match self.slots[client].next {
                Next::Begin if left == 0 => {}
                Next::Begin => {
                    (left, open) = (left - 1, open + 1);
                    self.call(client);
                    self.enter(client);
                }
                Next::Enter => self.enter(client),
                Next::Op(at) => self.op(client, at),
                Next::Return(status) => {
                    open -= 1;
                    self.end(client, status);
                }
            }
        }
        self.builder.build().expect("values are unique and times go forward")
    }

    fn call(&mut self, client: usize) {
        let Client { plan, begin, .. } = &mut self.slots[client];
        self.clients.draw(plan, &mut self.cx.rng);
        *begin = self.time;
    }

    fn enter(&mut self, client: usize) {
        let read_only = self.slots[client].plan.iter().all(|access| access.read);
        self.slots[client].next = match self.engine.begin(client, read_only, &mut self.cx) {
            Answer::Done(()) => Next::Op(0),
            Answer::Wait => Next::Enter,
            Answer::Abort => Next::Return(Status::Aborted),
        };
    }

    fn op(&mut self, client: usize, at: usize) {
        let Some(&Access { key, read }) = self.slots[client].plan.get(at) else { return self.close(client) };
        let answer = if read {
            match self.engine.read(client, key, &mut self.cx) {
                Answer::Done(version) => Answer::Done(Done::Read(key, version)),
                Answer::Wait => Answer::Wait,
                Answer::Abort => Answer::Abort,
            }
        } else {
            // A value that had to wait, or came to nothing, is not used again.
            self.written[key as usize] += 1;
            let value = self.written[key as usize];
            match self.engine.write(client, key, value, &mut self.cx) {
                Answer::Done(()) => Answer::Done(Done::Write(key, value)),
                Answer::Wait => Answer::Wait,
                Answer::Abort => Answer::Abort,
            }
        };
        match answer {
            Answer::Wait => {}
            Answer::Abort => self.abort(client),
            Answer::Done(done) => {
                self.slots[client].done.push(done);
                self.slots[client].next = Next::Op(at + 1);
            }
        }
    }

    fn abort(&mut self, client: usize) {
        self.engine.abort(client, &mut self.cx);
        self.slots[client].next = Next::Return(Status::Aborted);
    }

    /// The end of a plan: the client commits, or aborts, or loses its connection while it commits.
    fn close(&mut self, client: usize) {
        if chance(&mut self.cx.rng, self.clients.aborts) {
            return self.abort(client);
        }
        let lost = chance(&mut self.cx.rng, self.clients.unknown);
        if lost && self.cx.rng.flip() {
            self.abort(client);
            self.slots[client].next = Next::Return(Status::Unknown);
            return;
        }
        match self.engine.commit(client, &mut self.cx) {
            Answer::Wait => {}
            Answer::Abort => self.abort(client),
            Answer::Done(()) => {
                let status = if lost { Status::Unknown } else { Status::Committed };
                self.slots[client].next = Next::Return(status);
            }
        }
    }

    /// Writes a transaction down.
    fn end(&mut self, client: usize, status: Status) {
        let Client { session, next, done, begin, .. } = &mut self.slots[client];
        *next = Next::Begin;
        self.builder.begin(*session);
        for done in done.drain(..) {
            let op = match done {
                Done::Write(key, value) if key < self.lists => Op::Append(self.keys[key as usize], value),
                Done::Write(key, value) => Op::Write(self.keys[key as usize], value),
                Done::Read(key, version) if key < self.lists => {
                    self.cx.versions.list(version, &mut self.list);
                    Op::ReadList(self.keys[key as usize], &self.list)
                }
                Done::Read(key, version) => {
                    Op::Read(self.keys[key as usize], self.cx.versions.value(version))
                }
            };
            self.builder.op(op);
        }
        let end = (status != Status::Unknown).then_some(self.time);
        self.builder.end(status, Some(Span { begin: *begin, end }));
        if status == Status::Unknown {
            self.slots[client].session = self.session();
        }
    }
}

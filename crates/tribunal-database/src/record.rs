//! Random clients of a database, one per thread, and what they see.

use crate::{Clients, Connection, Database, Error, Setting, StatementError};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_history::transactions::{History, HistoryBuilder, KeyId, Op, Span, Status};
use tribunal_machines::transactions::Plan;

/// Clients of a database that produce one history after another.
///
/// Of [`Clients`], the sessions, transactions, operations, keys, reads, lists, skew, aborts and the seed are used; outcomes are unknown only if a
/// connection is lost. The seed determines what clients do, differently for each history; the database determines what they see.
pub struct Recorder<'a> {
    database: &'a dyn Database,
    setting: Setting,
    clients: Clients,
    connections: Vec<Box<dyn Connection>>,
    recorded: u64,
}

impl<'a> Recorder<'a> {
    /// Connects the clients.
    pub fn new(database: &'a dyn Database, setting: Setting, clients: Clients) -> Result<Self, Error> {
        clients.validate()?;
        database.reset(setting, clients.keys)?;
        let connections: Result<_, Error> =
            (0..clients.sessions).map(|_| database.connect(setting)).collect();
        Ok(Recorder { database, setting, clients, connections: connections?, recorded: 0 })
    }

    /// Runs the clients on empty tables. Once `stop` is set, they begin no further transaction.
    pub fn history(&mut self, stop: &AtomicBool) -> Result<History, Error> {
        self.database.reset(self.setting, self.clients.keys)?;
        let clients = Clients { seed: self.clients.seed.wrapping_add(self.recorded), ..self.clients.clone() };
        self.recorded += 1;
        let plans: Vec<Plan> = clients.plans().take(clients.transactions as usize).collect();
        let barrier = Barrier::new(self.connections.len());
        let run = Run { plans: &plans, clients: &clients, start: Instant::now(), barrier: &barrier, stop };
        let (database, setting) = (self.database, self.setting);
        let seen: Vec<Result<Vec<Done>, Error>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (self.connections.iter_mut().enumerate())
                .map(|(client, connection)| {
                    let run = &run;
                    let connect = move || database.connect(setting);
                    scope.spawn(move || run.client(client, connection, &connect))
                })
                .collect();
            // Threads of ours panic only if memory is out, and then so may we.
            threads.into_iter().map(|thread| thread.join().expect("clients do not panic")).collect()
        });
        let mut b = History::builder();
        b.name(format!("{}, {}, seed {}", database.name(), setting, clients.seed));
        let lists = clients.list_count();
        let name = |key: u32| format!("{}{key}", if key < lists { 'l' } else { 'x' });
        let keys: Vec<KeyId> = (0..clients.keys).map(|key| b.key(&name(key))).collect();
        for (client, transactions) in seen.into_iter().enumerate() {
            write_down(&mut b, client, &transactions?, &keys);
        }
        Ok(b.build()?)
    }
}

/// A transaction as its client saw it.
struct Done {
    status: Status,
    span: Span,
    ops: Vec<Seen>,
}

/// An operation as its client saw it.
enum Seen {
    Write(u32, i64),
    Append(u32, i64),
    Read(u32, Option<i64>),
    ReadList(u32, Vec<i64>),
}

/// Adds what a client saw. Nothing follows a transaction of unknown outcome: the client goes on as another session.
fn write_down(b: &mut HistoryBuilder, client: usize, transactions: &[Done], keys: &[KeyId]) {
    let (mut session, mut lives) = (b.session(&format!("c{client}")), 0);
    for Done { status, span, ops } in transactions {
        b.begin(session);
        for op in ops {
            b.op(match op {
                &Seen::Write(key, value) => Op::Write(keys[key as usize], value),
                &Seen::Append(key, value) => Op::Append(keys[key as usize], value),
                &Seen::Read(key, value) => Op::Read(keys[key as usize], value),
                Seen::ReadList(key, list) => Op::ReadList(keys[*key as usize], list),
            });
        }
        b.end(*status, Some(*span));
        if *status == Status::Unknown {
            lives += 1;
            session = b.session(&format!("c{client}.{lives}"));
        }
    }
}

/// The time for which a client tries to connect again.
const RECONNECT_TIME: Duration = Duration::from_secs(10);

/// Connects again, to a database that may be about to come back.
fn again(connect: &dyn Fn() -> Result<Box<dyn Connection>, Error>) -> Result<Box<dyn Connection>, Error> {
    let start = Instant::now();
    loop {
        match connect() {
            Err(_) if start.elapsed() < RECONNECT_TIME => std::thread::sleep(Duration::from_millis(10)),
            connected => return connected,
        }
    }
}

/// The state that the clients of a history share.
struct Run<'a> {
    plans: &'a [Plan],
    clients: &'a Clients,
    start: Instant,
    barrier: &'a Barrier,
    stop: &'a AtomicBool,
}

impl Run<'_> {
    /// A client: every so many of the plans are its own.
    fn client(
        &self,
        client: usize,
        connection: &mut Box<dyn Connection>,
        connect: &dyn Fn() -> Result<Box<dyn Connection>, Error>,
    ) -> Result<Vec<Done>, Error> {
        self.barrier.wait();
        let mut done = Vec::new();
        for at in (client..self.plans.len()).step_by(self.clients.sessions as usize) {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            // Values are unique in the whole history.
            let values = at as i64 * i64::from(self.clients.ops) + 1;
            let (transaction, lost) = self.transaction(&self.plans[at], values, &mut **connection)?;
            done.push(transaction);
            if lost {
                *connection = again(connect)?;
            }
        }
        Ok(done)
    }

    fn now(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }

    /// Runs a transaction; also says whether the connection is gone.
    fn transaction(
        &self,
        plan: &Plan,
        values: i64,
        connection: &mut dyn Connection,
    ) -> Result<(Done, bool), Error> {
        let begin = self.now();
        let mut ops = Vec::with_capacity(plan.accesses.len());
        let mut ended = self.operations(plan, values, connection, &mut ops).map(|()| Status::Committed);
        if ended.is_ok() && plan.aborts {
            ended = connection.rollback().map(|()| Status::Aborted);
        } else if ended.is_ok() {
            ended = match connection.commit() {
                // Nobody knows whether the commit arrived.
                Err(StatementError::Lost) => {
                    let span = Span { begin, end: None };
                    return Ok((Done { status: Status::Unknown, span, ops }, true));
                }
                committed => committed.map(|()| Status::Committed),
            };
        }
        let (status, lost) = match ended {
            Ok(status) => (status, false),
            Err(StatementError::Refused) => match connection.rollback() {
                Ok(()) | Err(StatementError::Refused) => (Status::Aborted, false),
                Err(StatementError::Lost) => (Status::Aborted, true),
                Err(StatementError::Failed(error)) => return Err(error),
            },
            // Without a commit nothing stays.
            Err(StatementError::Lost) => (Status::Aborted, true),
            Err(StatementError::Failed(error)) => return Err(error),
        };
        let span = Span { begin, end: Some(self.now()) };
        Ok((Done { status, span, ops }, lost))
    }

    fn operations(
        &self,
        plan: &Plan,
        values: i64,
        connection: &mut dyn Connection,
        ops: &mut Vec<Seen>,
    ) -> Result<(), StatementError> {
        let lists = self.clients.list_count();
        connection.begin()?;
        for (access, value) in plan.accesses.iter().zip(values..) {
            let key = access.key;
            match (access.read, key < lists) {
                (true, true) => ops.push(Seen::ReadList(key, connection.read_list(key)?)),
                (true, false) => ops.push(Seen::Read(key, connection.read(key)?)),
                // What fails may have been written, until it is undone.
                (false, true) => {
                    ops.push(Seen::Append(key, value));
                    connection.append(key, value)?;
                }
                (false, false) => {
                    ops.push(Seen::Write(key, value));
                    connection.write(key, value)?;
                }
            }
        }
        Ok(())
    }
}

//! Strict two-phase locking: locks are taken as keys are accessed, and held to the end.

use super::buffered::Buffered;
use super::engine::{Answer, Context, Engine};
use super::versions::Version;
use super::{Clients, StoreBug};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Shared,
    Exclusive,
}

pub(super) struct Locking {
    data: Buffered,
    /// By key, who holds its lock. Invariant: several only if all are shared.
    holders: Vec<Vec<(usize, Mode)>>,
    /// By client, the keys it has locks of.
    held: Vec<Vec<u32>>,
    /// By client, the key whose lock it waits for.
    waits: Vec<Option<u32>>,
}

impl Locking {
    pub(super) fn new(clients: &Clients) -> Self {
        let (sessions, keys) = (clients.sessions as usize, clients.keys as usize);
        Locking {
            data: Buffered::new(clients),
            holders: vec![Vec::new(); keys],
            held: vec![Vec::new(); sessions],
            waits: vec![None; sessions],
        }
    }

    fn lock(&mut self, client: usize, key: u32, mode: Mode) -> Answer<()> {
        let holders = &mut self.holders[key as usize];
        let own = holders.iter().position(|holder| holder.0 == client);
        if let Some(own) = own
            && (mode == Mode::Shared || holders[own].1 == Mode::Exclusive)
        {
            return Answer::Done(());
        }
        let compatible = |&(other, held): &(usize, Mode)| {
            other == client || (mode == Mode::Shared && held == Mode::Shared)
        };
        if !holders.iter().all(compatible) {
            self.waits[client] = Some(key);
            return if self.is_deadlocked(client) { Answer::Abort } else { Answer::Wait };
        }
        self.waits[client] = None;
        match own {
            Some(own) => holders[own].1 = mode,
            None => {
                holders.push((client, mode));
                self.held[client].push(key);
            }
        }
        Answer::Done(())
    }

    /// Whether a client waits for itself, by way of others.
    fn is_deadlocked(&self, client: usize) -> bool {
        let mut seen = vec![client];
        let mut at = 0;
        while at < seen.len() {
            let waiting = seen[at];
            at += 1;
            let Some(key) = self.waits[waiting] else { continue };
            for &(holder, _) in self.holders[key as usize].iter().filter(|holder| holder.0 != waiting) {
                if holder == client {
                    return true;
                }
                if !seen.contains(&holder) {
                    seen.push(holder);
                }
            }
        }
        false
    }

    fn unlock(&mut self, client: usize, key: u32) {
        self.holders[key as usize].retain(|holder| holder.0 != client);
        self.held[client].retain(|&held| held != key);
    }

    fn release(&mut self, client: usize) {
        self.waits[client] = None;
        for key in std::mem::take(&mut self.held[client]) {
            self.holders[key as usize].retain(|holder| holder.0 != client);
        }
    }
}

impl Engine for Locking {
    fn begin(&mut self, client: usize, read_only: bool, cx: &mut Context) -> Answer<()> {
        self.data.begin(client, read_only, cx);
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        if let Some(version) = self.data.stale(client, key) {
            return Answer::Done(version);
        }
        let holds = self.held[client].contains(&key);
        if !holds
            && cx.strikes(StoreBug::DirtyRead)
            && let Some(version) = self.data.dirty(client, key, cx)
        {
            self.waits[client] = None;
            return Answer::Done(version);
        }
        if holds || !cx.strikes(StoreBug::MissedConflict) {
            match self.lock(client, key, Mode::Shared) {
                Answer::Done(()) => {}
                Answer::Wait => return Answer::Wait,
                Answer::Abort => return Answer::Abort,
            }
        }
        self.waits[client] = None;
        Answer::Done(self.data.own(client, key, self.data.now(key), cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, cx: &mut Context) -> Answer<()> {
        if !self.data.writes(client, key)
            && self.held[client].contains(&key)
            && cx.strikes(StoreBug::LostUpdate)
        {
            // The lock is to be upgraded, and another may come between.
            self.unlock(client, key);
            return Answer::Wait;
        }
        match self.lock(client, key, Mode::Exclusive) {
            Answer::Done(()) => {
                self.data.write(client, key, value);
                Answer::Done(())
            }
            other => other,
        }
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        self.data.commit(client, cx);
        self.release(client);
        Answer::Done(())
    }

    fn abort(&mut self, client: usize, cx: &mut Context) {
        self.data.abort(client, cx);
        self.release(client);
    }

    fn pass(&mut self, cx: &mut Context) {
        self.data.pass(cx);
    }
}

//! The bus: it grants one request for a line at a time, shows it to all cores, and brings the line.
//!
//! Transactions are split: between the grant of a request and the line's arrival, requests for other lines are granted. A
//! core that has to act on what it sees takes its time to answer, and memory takes its time; a core that need not act answers at
//! once. The last answer ends the transaction. What memory sends a core, and what the bus shows it, come in order.

use super::core::{Core, SnoopAction};
use super::network::{Grant, Message, Network, Node};
use super::{Bug, LineId, Protocol, Values};
use crate::run::Step;
use std::collections::VecDeque;
use tribunal_random::Xoshiro;

#[derive(Clone, Debug)]
pub(super) struct Bus {
    protocol: Protocol,
    bug: Option<Bug>,
    entries: Vec<Entry>,
    /// The serial number of the last grant.
    serial: u32,
}

/// A line as the bus and memory know it.
#[derive(Clone, Debug, Default)]
struct Entry {
    memory: Values,
    /// Cores that were sent the line, and have not been seen without it since: no others can have it.
    near: Vec<u32>,
    /// The transactions that were granted and are not over: at most one, unless there is a bug.
    granted: Vec<Transaction>,
    waiting: VecDeque<Message>,
}

/// A request between its grant and the line's arrival.
#[derive(Clone, Copy, Debug)]
struct Transaction {
    serial: u32,
    from: u32,
    /// The number that the core gave its request.
    number: u32,
    writes: bool,
    /// Whether the core had a copy when the request was granted.
    upgrades: bool,
    /// The number of cores that have not answered yet.
    awaits: u32,
    /// Whether another core holds a copy, and what its owner said that it held.
    shared: bool,
    values: Option<Values>,
}

impl Bus {
    pub(super) fn new(protocol: Protocol, bug: Option<Bug>, lines: usize) -> Self {
        Bus { protocol, bug, entries: vec![Entry::default(); lines], serial: 0 }
    }

    fn strikes(&self, bug: Bug, rng: &mut Xoshiro) -> bool {
        self.bug == Some(bug) && rng.index(4) == 0
    }

    pub(super) fn receive(
        &mut self,
        line: LineId,
        message: Message,
        cores: &mut [Core],
        network: &mut Network,
        rng: &mut Xoshiro,
    ) -> Option<Step> {
        let at = line.0 as usize;
        let mut done = None;
        match message {
            Message::Snooped { holds, values, serial } => {
                let granted = &mut self.entries[at].granted;
                // What comes after a bug has ended the transaction is of no interest.
                if let Some(of) = granted.iter().position(|transaction| transaction.serial == serial) {
                    let transaction = &mut granted[of];
                    transaction.awaits -= 1;
                    transaction.shared |= holds;
                    transaction.values = transaction.values.or(values);
                    let fill = self.end_if_over(line, of, rng);
                    done = fill.and_then(|(to, fill)| cores[to as usize].receive(line, fill, network, rng));
                }
            }
            request => self.entries[at].waiting.push_back(request),
        }
        while !self.entries[at].waiting.is_empty() && self.is_free(at, rng) {
            match self.entries[at].waiting.pop_front() {
                Some(Message::GetShared { from, number }) => {
                    self.grant(line, (from, number, false), cores, network, rng);
                }
                Some(Message::GetModified { from, number }) => {
                    self.grant(line, (from, number, true), cores, network, rng);
                }
                Some(Message::Put { from, .. }) => {
                    let dropped = self.strikes(Bug::DroppedWriteBack, rng);
                    if let Some(values) = cores[from as usize].write_back(line).filter(|_| !dropped) {
                        self.entries[at].memory = values;
                    }
                }
                request => debug_assert!(false, "no request: {request:?}"),
            }
        }
        done
    }

    /// Whether a request for a line may be granted.
    fn is_free(&self, at: usize, rng: &mut Xoshiro) -> bool {
        match self.entries[at].granted.len() {
            0 => true,
            1 => self.strikes(Bug::DoubleGrant, rng),
            _ => false,
        }
    }

    /// Grants a request for a line, and shows it to the other cores.
    fn grant(
        &mut self,
        line: LineId,
        (from, number, writes): (u32, u32, bool),
        cores: &mut [Core],
        network: &mut Network,
        rng: &mut Xoshiro,
    ) {
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let (mut awaits, mut shared) = (0, false);
        let Entry { near, granted, .. } = &mut self.entries[line.0 as usize];
        near.retain(|&core| {
            core != from
                && match cores[core as usize].concern(line, writes) {
                    SnoopAction::None => false,
                    SnoopAction::Shares => {
                        shared = true;
                        true
                    }
                    SnoopAction::Acts => {
                        network.send(Node::Hub, Node::Core(core), line, Message::Snoop { writes, serial });
                        awaits += 1;
                        true
                    }
                }
        });
        near.push(from);
        let upgrades = cores[from as usize].concern(line, true) == SnoopAction::Acts;
        let of = granted.len();
        granted.push(Transaction { serial, from, number, writes, upgrades, awaits, shared, values: None });
        if let Some((to, fill)) = self.end_if_over(line, of, rng) {
            cores[to as usize].coming = Some(line);
            network.send(Node::Hub, Node::Core(to), line, fill);
        }
    }

    /// Ends a transaction when all cores have answered: who gets the line, from its owner or else from memory.
    fn end_if_over(&mut self, line: LineId, of: usize, rng: &mut Xoshiro) -> Option<(u32, Message)> {
        let Transaction { from, number, writes, upgrades, awaits, shared, values, .. } =
            self.entries[line.0 as usize].granted[of];
        // Early, if at all, when it is known what the line holds and others are still to drop their copies.
        let known = upgrades || values.is_some();
        if awaits > 0 && !(writes && known && self.strikes(Bug::EarlyAck, rng)) {
            return None;
        }
        let stale = self.strikes(Bug::StaleFill, rng);
        let entry = &mut self.entries[line.0 as usize];
        entry.granted.swap_remove(of);
        let brought = values.filter(|_| !stale).unwrap_or(entry.memory);
        if let (Some(values), false, Protocol::Mesi) = (values, writes, self.protocol) {
            // What its owner shares is what memory has, from now on.
            entry.memory = values;
        }
        let grant = match (writes, shared) {
            (true, _) => Grant::Modified,
            (false, true) => Grant::Shared,
            (false, false) => Grant::Exclusive,
        };
        Some((from, Message::Fill { values: Some(brought), grant, acks: 0, number }))
    }
}

//! The directory: who holds which line, and memory. It serves one request for a line at a time.

use super::network::{Grant, Message, Network, Node};
use super::{Bug, LineId, Protocol, Values};
use std::collections::VecDeque;
use tribunal_random::Xoshiro;

#[derive(Clone, Debug)]
pub(super) struct Directory {
    protocol: Protocol,
    bug: Option<Bug>,
    entries: Vec<Entry>,
}

/// The state of a line.
#[derive(Clone, Debug, Default)]
struct Entry {
    memory: Values,
    /// The core that may have changed the line, and answers for it.
    owner: Option<u32>,
    /// Cores that may hold copies, the owner excepted.
    sharers: Vec<u32>,
    /// The number of messages that must come before the next request is served.
    awaits: u8,
    waiting: VecDeque<Message>,
}

impl Directory {
    pub(super) fn new(protocol: Protocol, bug: Option<Bug>, lines: usize) -> Self {
        Directory { protocol, bug, entries: vec![Entry::default(); lines] }
    }

    pub(super) fn receive(
        &mut self,
        line: LineId,
        message: Message,
        network: &mut Network,
        rng: &mut Xoshiro,
    ) {
        let at = line.0 as usize;
        match message {
            Message::Unblock => self.entries[at].awaits -= 1,
            Message::WriteBack { values } => {
                self.entries[at].memory = values;
                self.entries[at].awaits -= 1;
            }
            request => self.entries[at].waiting.push_back(request),
        }
        while self.entries[at].awaits == 0
            && let Some(request) = self.entries[at].waiting.pop_front()
        {
            self.serve(line, request, network, rng);
        }
    }

    fn strikes(&self, bug: Bug, rng: &mut Xoshiro) -> bool {
        self.bug == Some(bug) && rng.index(4) == 0
    }

    fn serve(&mut self, line: LineId, request: Message, network: &mut Network, rng: &mut Xoshiro) {
        let mut to = |core: u32, message: Message| network.send(Node::Hub, Node::Core(core), line, message);
        let stale = self.strikes(Bug::StaleFill, rng);
        let dropped = self.strikes(Bug::DroppedWriteBack, rng);
        let forgotten = self.strikes(Bug::ForgottenSharer, rng);
        let entry = &mut self.entries[line.0 as usize];
        let memory = entry.memory;
        match request {
            Message::GetShared { from, number } => match (entry.owner, self.protocol) {
                (Some(owner), _) if !stale && owner != from => {
                    to(owner, Message::ForwardShared { reader: from, number });
                    entry.awaits = 1;
                    entry.sharers.push(from);
                    if self.protocol == Protocol::Mesi {
                        // What the owner held comes back to memory, and all are equal.
                        entry.awaits = 2;
                        entry.sharers.push(owner);
                        entry.owner = None;
                    }
                }
                (None, _) if entry.sharers.is_empty() => {
                    to(
                        from,
                        Message::Fill { values: Some(memory), grant: Grant::Exclusive, acks: 0, number },
                    );
                    (entry.owner, entry.awaits) = (Some(from), 1);
                }
                _ => {
                    to(from, Message::Fill { values: Some(memory), grant: Grant::Shared, acks: 0, number });
                    entry.awaits = 1;
                    if !forgotten && !entry.sharers.contains(&from) {
                        entry.sharers.push(from);
                    }
                }
            },
            Message::GetModified { from, number } => {
                let others = entry.sharers.iter().copied().filter(|&core| core != from);
                let acks = others.clone().count() as u32;
                others.for_each(|core| to(core, Message::Invalidate { writer: from, number }));
                match entry.owner {
                    Some(owner) if owner != from && !stale => {
                        to(owner, Message::ForwardModified { writer: from, acks, number });
                    }
                    owner => {
                        let values = (owner != Some(from)).then_some(memory);
                        to(from, Message::Fill { values, grant: Grant::Modified, acks, number });
                    }
                }
                entry.sharers.clear();
                (entry.owner, entry.awaits) = (Some(from), 1);
            }
            Message::Put { from, values } => {
                // Who is no longer the owner gives up what another has changed since.
                if entry.owner == Some(from) {
                    if !dropped {
                        entry.memory = values;
                    }
                    entry.owner = None;
                }
                to(from, Message::PutAck);
            }
            _ => debug_assert!(false, "no request: {request:?}"),
        }
    }
}

//! Messages under way: between two nodes in order, else in any.

use super::{LineId, Values};
use std::collections::VecDeque;
use tribunal_random::Xoshiro;

/// A sender or receiver of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Core(u32),
    /// The directory, or the bus.
    Hub,
}

/// The state in which a core gets a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    Shared,
    Exclusive,
    Modified,
}

/// A message about a line. Requests carry the number that the core gave them, answers repeat it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Message {
    /// To the hub: a core wants to read.
    GetShared { from: u32, number: u32 },
    /// To the hub: a core wants to write.
    GetModified { from: u32, number: u32 },
    /// To the hub: a core gives the line up.
    Put { from: u32, values: Values },
    /// To the directory: the core has what it asked for.
    Unblock,
    /// To the directory: what the line holds, from an owner that shares it from now on.
    WriteBack { values: Values },
    /// To a core: the line; none if the core's own copy is right. So many others will say that they dropped theirs.
    Fill { values: Option<Values>, grant: Grant, acks: u32, number: u32 },
    /// To a core: drop your copy and tell the writer.
    Invalidate { writer: u32, number: u32 },
    /// To a core that wants to write: a copy is gone.
    Ack { number: u32 },
    /// To an owner: give the reader a copy.
    ForwardShared { reader: u32, number: u32 },
    /// To an owner: give the writer your line.
    ForwardModified { writer: u32, acks: u32, number: u32 },
    /// To a core: what you gave up has arrived.
    PutAck,
    /// To a core, from the bus: another is to read the line, or to write to it.
    Snoop { writes: bool, serial: u32 },
    /// To the bus: whether the core holds a copy, and what it held if it answers for the line.
    Snooped { holds: bool, values: Option<Values>, serial: u32 },
}

/// Messages under way.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// By sender and receiver.
    channels: Vec<VecDeque<(LineId, Message)>>,
    /// The channels that are not empty, in no order.
    busy: Vec<u32>,
    nodes: usize,
}

impl Network {
    pub(super) fn new(cores: usize) -> Self {
        let nodes = cores + 1;
        Network { channels: vec![VecDeque::new(); nodes * nodes], busy: Vec::new(), nodes }
    }

    fn index(&self, node: Node) -> usize {
        match node {
            Node::Core(core) => core as usize,
            Node::Hub => self.nodes - 1,
        }
    }

    pub(super) fn send(&mut self, from: Node, to: Node, line: LineId, message: Message) {
        let channel = self.index(from) * self.nodes + self.index(to);
        if self.channels[channel].is_empty() {
            self.busy.push(channel as u32);
        }
        self.channels[channel].push_back((line, message));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.busy.is_empty()
    }

    /// The first message of any channel.
    pub(super) fn take(&mut self, rng: &mut Xoshiro) -> Option<(Node, LineId, Message)> {
        if self.busy.is_empty() {
            return None;
        }
        let at = rng.index(self.busy.len());
        let channel = self.busy[at] as usize;
        let (line, message) = self.channels[channel].pop_front()?;
        if self.channels[channel].is_empty() {
            self.busy.swap_remove(at);
        }
        let to = channel % self.nodes;
        Some((if to + 1 == self.nodes { Node::Hub } else { Node::Core(to as u32) }, line, message))
    }
}

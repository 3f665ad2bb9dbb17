//! A core with its cache: one access at a time.

use super::network::{Grant, Message, Network, Node};
use super::{Bug, Interconnect, LineId, Protocol, Values, place};
use crate::clients::Request;
use crate::run::Step;
use tribunal_history::memory::Kind;
use tribunal_random::Xoshiro;

/// An access that a core is to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    request: Request,
    /// The value that it writes, if it writes.
    value: u64,
}

impl Waiting {
    pub(super) fn new(request: Request, written: &mut [u64]) -> Self {
        if matches!(request.kind, Kind::Write | Kind::Rmw) {
            written[request.loc.index()] += 1;
        }
        Waiting { request, value: written[request.loc.index()] }
    }

    /// The access once it is done, with what its location held before.
    fn done(self, read: u64) -> Step {
        self.request.done(self.value, read, None)
    }
}

/// The state of a line in a cache; a line that is not there is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Shared,
    Exclusive,
    Owned,
    Modified,
}

#[derive(Clone, Copy, Debug)]
struct Cached {
    line: LineId,
    state: State,
    values: Values,
}

/// The access under way.
#[derive(Clone, Copy, Debug)]
struct Open {
    access: Waiting,
    /// The value that an RMW read before it asked for the line to write to: only if it is split.
    read: Option<u64>,
    filled: Option<(Option<Values>, Grant)>,
    /// The number of copies that are still to go: negative while the number is not known.
    acks: i64,
    /// Whether it is a write that was put off: it has completed before.
    late: bool,
}

/// The action of a core on a request on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SnoopAction {
    /// It has no copy.
    None,
    /// It has one, which it may keep.
    Shares,
    /// It has one, or will in a moment, of which it must give notice.
    Acts,
}

#[derive(Clone, Debug)]
pub(super) struct Core {
    id: u32,
    protocol: Protocol,
    interconnect: Interconnect,
    bug: Option<Bug>,
    capacity: usize,
    lines: Vec<Cached>,
    /// Lines given up that the hub has not yet got.
    leaving: Vec<Cached>,
    open: Option<Open>,
    /// The line that memory has sent over the bus, until it arrives.
    pub(super) coming: Option<LineId>,
    /// The number of the last request to the hub.
    number: u32,
    /// A write that completed, and was put off.
    late: Option<Waiting>,
}

impl Core {
    pub(super) fn new(
        id: u32,
        protocol: Protocol,
        interconnect: Interconnect,
        bug: Option<Bug>,
        capacity: usize,
    ) -> Self {
        let (lines, leaving) = (Vec::with_capacity(capacity), Vec::new());
        Core {
            id,
            protocol,
            interconnect,
            bug,
            capacity,
            lines,
            leaving,
            open: None,
            coming: None,
            number: 0,
            late: None,
        }
    }

    /// The action of this core on a request for a line on the bus.
    pub(super) fn concern(&self, line: LineId, writes: bool) -> SnoopAction {
        let is_it = |cached: &&Cached| cached.line == line;
        let held = self.lines.iter().find(is_it).or_else(|| self.leaving.iter().find(is_it));
        match held {
            _ if self.coming == Some(line) => SnoopAction::Acts,
            Some(cached) if cached.state == State::Shared && !writes => SnoopAction::Shares,
            Some(_) => SnoopAction::Acts,
            None => SnoopAction::None,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.open.is_none()
    }

    /// Whether it can begin an access: nothing is under way, and its line is not on its way out.
    fn is_ready(&self, access: Waiting) -> bool {
        let (line, _) = place(access.request);
        self.open.is_none() && !self.leaving.iter().any(|leaving| leaving.line == line)
    }

    fn strikes(&self, bug: Bug, rng: &mut Xoshiro) -> bool {
        self.bug == Some(bug) && rng.index(4) == 0
    }

    fn cached(&mut self, line: LineId) -> Option<&mut Cached> {
        self.lines.iter_mut().find(|cached| cached.line == line)
    }

    /// Whether it is ready for its next access; a write that was put off may have to be made first.
    pub(super) fn prepare(&mut self, next: Waiting, network: &mut Network, rng: &mut Xoshiro) -> bool {
        if !self.is_ready(next) {
            return false;
        }
        let Some(late) = self.late else { return true };
        let overtakes = next.request.kind == Kind::Read
            && (place(next.request) == place(late.request) || rng.index(4) > 0);
        if overtakes {
            return true;
        }
        if !self.is_ready(late) {
            return false;
        }
        self.late = None;
        let (line, offset) = place(late.request);
        match self.cached(line) {
            Some(cached) if matches!(cached.state, State::Exclusive | State::Modified) => {
                cached.values[offset] = late.value;
                true
            }
            cached => {
                let absent = cached.is_none();
                if absent {
                    self.make_room(network, rng);
                }
                self.ask(
                    Open { access: late, read: None, filled: None, acks: 0, late: true },
                    false,
                    network,
                );
                false
            }
        }
    }

    /// Begins an access; a hit completes at once.
    pub(super) fn begin(
        &mut self,
        access: Waiting,
        network: &mut Network,
        rng: &mut Xoshiro,
    ) -> Option<Step> {
        let Waiting { request, value } = access;
        let (line, offset) = place(request);
        if request.kind == Kind::Fence {
            return Some(access.done(0));
        }
        // A core sees its own writes, put off or not.
        if let Some(late) = self.late
            && request.kind == Kind::Read
            && place(late.request) == (line, offset)
        {
            return Some(access.done(late.value));
        }
        let split = request.kind == Kind::Rmw && self.bug == Some(Bug::SplitRmw);
        let puts_off = request.kind == Kind::Write && self.strikes(Bug::ReorderedStoreHit, rng);
        let mut read = None;
        match self.cached(line) {
            Some(cached) if request.kind == Kind::Read => {
                return Some(access.done(cached.values[offset]));
            }
            Some(cached) if split => read = Some(cached.values[offset]),
            Some(cached) if matches!(cached.state, State::Exclusive | State::Modified) => {
                cached.state = State::Modified;
                if puts_off {
                    self.late = Some(access);
                    return Some(access.done(value));
                }
                let read = std::mem::replace(&mut cached.values[offset], value);
                return Some(access.done(read));
            }
            Some(_) => {}
            None => self.make_room(network, rng),
        }
        self.ask(Open { access, read, filled: None, acks: 0, late: false }, split && read.is_none(), network);
        None
    }

    /// Asks the hub for the access's line; to read only, if so said.
    fn ask(&mut self, open: Open, reads: bool, network: &mut Network) {
        let Request { kind, .. } = open.access.request;
        let (line, _) = place(open.access.request);
        self.number = self.number.wrapping_add(1);
        let (from, number) = (self.id, self.number);
        let message = if (kind == Kind::Read || reads) && self.protocol != Protocol::Mi {
            Message::GetShared { from, number }
        } else {
            Message::GetModified { from, number }
        };
        network.send(Node::Core(from), Node::Hub, line, message);
        self.open = Some(open);
    }

    /// Evicts a line if the cache is full. A shared copy just goes; memory must get what may have changed. Only a directory
    /// need be told of an exclusive copy, since it notes owners.
    fn make_room(&mut self, network: &mut Network, rng: &mut Xoshiro) {
        if self.lines.len() < self.capacity {
            return;
        }
        let at = rng.index(self.lines.len());
        let evicted = self.lines.swap_remove(at);
        let goes = match self.interconnect {
            Interconnect::Directory => evicted.state == State::Shared,
            Interconnect::Snooping => matches!(evicted.state, State::Shared | State::Exclusive),
        };
        if !goes {
            let Cached { line, values, .. } = evicted;
            let put = Message::Put { from: self.id, values };
            network.send(Node::Core(self.id), Node::Hub, line, put);
            self.leaving.push(evicted);
        }
    }

    pub(super) fn receive(
        &mut self,
        line: LineId,
        message: Message,
        network: &mut Network,
        rng: &mut Xoshiro,
    ) -> Option<Step> {
        let me = Node::Core(self.id);
        match message {
            Message::Fill { values, grant, acks, number } if number == self.number => {
                if let Some(open) = &mut self.open {
                    open.filled = Some((values, grant));
                    open.acks += i64::from(acks);
                }
                return self.complete(network, rng);
            }
            Message::Ack { number } if number == self.number => {
                if let Some(open) = &mut self.open {
                    open.acks -= 1;
                }
                return self.complete(network, rng);
            }
            Message::Invalidate { writer, number } => {
                if !self.strikes(Bug::LostInvalidation, rng) {
                    self.lines.retain(|cached| cached.line != line);
                }
                network.send(me, Node::Core(writer), line, Message::Ack { number });
            }
            Message::ForwardShared { reader, number } => {
                let shared = if self.protocol == Protocol::Moesi { State::Owned } else { State::Shared };
                let values = self.hold(line).map(|cached| {
                    cached.state = shared;
                    cached.values
                });
                let fill = Message::Fill {
                    values: Some(values.unwrap_or_default()),
                    grant: Grant::Shared,
                    acks: 0,
                    number,
                };
                network.send(me, Node::Core(reader), line, fill);
                if self.protocol == Protocol::Mesi {
                    let values = values.unwrap_or_default();
                    network.send(me, Node::Hub, line, Message::WriteBack { values });
                }
            }
            Message::ForwardModified { writer, acks, number } => {
                let values = self.hold(line).map(|cached| cached.values).unwrap_or_default();
                if !self.strikes(Bug::TwoOwners, rng) {
                    self.lines.retain(|cached| cached.line != line);
                }
                let fill = Message::Fill { values: Some(values), grant: Grant::Modified, acks, number };
                network.send(me, Node::Core(writer), line, fill);
            }
            Message::Snoop { writes, serial } => {
                let (holds, values) = self.snoop(line, writes, rng);
                network.send(me, Node::Hub, line, Message::Snooped { holds, values, serial });
            }
            Message::PutAck => self.leaving.retain(|leaving| leaving.line != line),
            // What was for a request that a bug completed early.
            _ => {}
        }
        None
    }

    /// Does what another's request on the bus asks of this core: whether it holds a copy, and what it held if it answers
    /// for the line.
    fn snoop(&mut self, line: LineId, writes: bool, rng: &mut Xoshiro) -> (bool, Option<Values>) {
        let (moesi, missed) = (self.protocol == Protocol::Moesi, self.strikes(Bug::MissedSnoop, rng));
        let Some(&mut Cached { ref mut state, values, .. }) = self.hold(line).filter(|_| !missed) else {
            return (false, None);
        };
        let owns = *state != State::Shared;
        if !writes {
            *state = if owns && moesi { State::Owned } else { State::Shared };
        } else if !self.strikes(if owns { Bug::TwoOwners } else { Bug::LostInvalidation }, rng) {
            self.lines.retain(|cached| cached.line != line);
            self.leaving.retain(|leaving| leaving.line != line);
        }
        (true, owns.then_some(values))
    }

    /// The contents of an evicted line, when the bus takes it; nothing if another has got it in the meantime.
    pub(super) fn write_back(&mut self, line: LineId) -> Option<Values> {
        let at = self.leaving.iter().position(|leaving| leaving.line == line)?;
        let left = self.leaving.swap_remove(at);
        (left.state != State::Shared).then_some(left.values)
    }

    /// The line as this core answers for it.
    fn hold(&mut self, line: LineId) -> Option<&mut Cached> {
        self.lines.iter_mut().chain(&mut self.leaving).find(|cached| cached.line == line)
    }

    /// Completes the access under way, if the line and all acknowledgements are there.
    fn complete(&mut self, network: &mut Network, rng: &mut Xoshiro) -> Option<Step> {
        let open = self.open?;
        let (values, grant) = open.filled?;
        if open.acks != 0 && !self.strikes(Bug::EarlyAck, rng) {
            return None;
        }
        (self.open, self.coming) = (None, None);
        let Waiting { request, value } = open.access;
        let (line, offset) = place(request);
        let old = self.cached(line).map(|cached| cached.values);
        let mut values = match self.interconnect {
            Interconnect::Directory => {
                network.send(Node::Core(self.id), Node::Hub, line, Message::Unblock);
                values.or(old)
            }
            // A bus cannot tell whether a core still has its copy; whoever would have made it stale has dropped it.
            Interconnect::Snooping => old.or(values),
        }
        .unwrap_or_default();
        self.lines.retain(|cached| cached.line != line);
        let mut state = match grant {
            Grant::Shared => State::Shared,
            Grant::Exclusive => State::Exclusive,
            Grant::Modified => State::Modified,
        };
        let read = open.read.unwrap_or(values[offset]);
        if request.kind == Kind::Rmw && self.bug == Some(Bug::SplitRmw) && open.read.is_none() {
            // The read alone; the write asks again.
            self.lines.push(Cached { line, state, values });
            self.ask(Open { read: Some(read), filled: None, acks: 0, ..open }, false, network);
            return None;
        }
        if request.kind != Kind::Read {
            (values[offset], state) = (value, State::Modified);
        }
        self.lines.push(Cached { line, state, values });
        (!open.late).then(|| open.access.done(read))
    }
}

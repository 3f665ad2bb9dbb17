//! rf-chains, and what accesses have to do with them.

use std::ops::Range;
use tribunal_history::memory::{EventId, Execution, Kind, LocId};

/// The write that an access looks at: the one it reads from if it reads, else itself.
#[inline(always)]
pub(crate) fn looked_at(x: &Execution, access: EventId) -> EventId {
    x.rf(access).unwrap_or(access)
}

/// The write that an access leaves its thread with: itself if it writes, else the one it reads from.
#[inline(always)]
pub(crate) fn left_by(x: &Execution, access: EventId) -> EventId {
    match x.label(access).writes() {
        true => access,
        false => looked_at(x, access),
    }
}

/// The rf-chains (Tunç et al. 2023, section 3): maximal sequences of a write and RMWs in which each reads from the one before
/// it. mo must keep the writes of a chain together, so chains are what it orders. Chains are numbered location by
/// location, the initial write's first.
///
/// 8 bytes per event, 12 if there are RMWs, and 8 per chain.
pub(crate) struct Chains {
    /// For each access, the write it leaves; the write it looks at is of the same chain.
    links: Vec<Link>,
    /// The RMW that reads from each write, or [`NO_RMW`]; empty if there are no RMWs.
    next: Vec<u32>,
    /// `starts[x]..starts[x + 1]` are the chains of location x.
    starts: Vec<u32>,
    tops: Vec<EventId>,
    bottoms: Vec<EventId>,
    /// The number of writes that each location has.
    writes: Vec<u32>,
}

/// A write as a member of its chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    pub chain: u32,
    /// The position in the chain, from 0.
    pub position: u32,
}

const NO_RMW: u32 = u32::MAX;

/// Two RMWs that read from one write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedSource {
    pub write: EventId,
    pub rmws: [EventId; 2],
}

impl SharedSource {
    /// The first RMW that reads from a write that an earlier one reads from, in O(n) time.
    pub(crate) fn find(x: &Execution) -> Option<Self> {
        if x.features().rmws < 2 {
            return None;
        }
        let mut next = vec![NO_RMW; x.len() + x.location_count()];
        x.events().zip(x.labels()).filter(|(_, label)| label.kind() == Kind::Rmw).find_map(|(e, _)| {
            let write = looked_at(x, e);
            let first = std::mem::replace(&mut next[write.index()], e.0);
            (first != NO_RMW).then_some(SharedSource { write, rmws: [EventId(first), e] })
        })
    }
}

impl Chains {
    /// The bytes that the chains of a history take at most.
    pub(crate) fn bytes(x: &Execution) -> usize {
        let features = x.features();
        let (writes, locations) = (features.writes, x.location_count());
        let next = if features.rmws > 0 { 4 } else { 0 };
        (size_of::<Link>() + next) * (x.len() + locations) + 8 * (writes + locations) + 12 * locations
    }

    /// Finds the chains in O(n) time. They are of use if po ∪ rf is acyclic: RMWs that read from each other have none.
    pub(crate) fn new(x: &Execution) -> Result<Self, SharedSource> {
        let mut chains = Chains::of_plain_writes(x);
        if x.features().rmws > 0 {
            chains.append_rmws(x)?;
        }
        for (e, label) in x.events().zip(x.labels()) {
            if label.kind() == Kind::Read {
                chains.links[e.index()] = chains.links[looked_at(x, e).index()];
            }
        }
        Ok(chains)
    }

    /// A chain for each write that is not an RMW.
    fn of_plain_writes(x: &Execution) -> Self {
        let mut starts = vec![1u32; x.location_count() + 1];
        starts[0] = 0;
        let mut writes = vec![1u32; x.location_count()];
        // A fence has no location, and there may be none.
        for (label, loc) in x.labels().iter().zip(x.locs()).filter(|(label, _)| !label.is_fence()) {
            writes[loc.index()] += u32::from(label.writes());
            starts[loc.index() + 1] += u32::from(label.kind() == Kind::Write);
        }
        for i in 0..x.location_count() {
            starts[i + 1] += starts[i];
        }
        let mut links = vec![Link::default(); x.len() + x.location_count()];
        let mut tops = vec![EventId(0); starts[x.location_count()] as usize];
        let mut fill = starts.clone();
        let mut add = |write: EventId, loc: LocId| {
            let chain = &mut fill[loc.index()];
            links[write.index()].chain = *chain;
            tops[*chain as usize] = write;
            *chain += 1;
        };
        x.locations().for_each(|loc| add(x.init_write(loc), loc));
        for ((e, label), &loc) in x.events().zip(x.labels()).zip(x.locs()) {
            if label.kind() == Kind::Write {
                add(e, loc);
            }
        }
        Chains { links, next: Vec::new(), starts, bottoms: tops.clone(), tops, writes }
    }

    /// Puts each RMW behind the write that it reads from.
    fn append_rmws(&mut self, x: &Execution) -> Result<(), SharedSource> {
        self.next = vec![NO_RMW; self.links.len()];
        for (e, _) in x.events().zip(x.labels()).filter(|(_, label)| label.kind() == Kind::Rmw) {
            let write = looked_at(x, e);
            let first = std::mem::replace(&mut self.next[write.index()], e.0);
            if first != NO_RMW {
                return Err(SharedSource { write, rmws: [EventId(first), e] });
            }
        }
        for (chain, bottom) in (0..).zip(&mut self.bottoms) {
            for position in 1.. {
                let next = EventId(self.next[bottom.index()]);
                if next.0 == NO_RMW {
                    break;
                }
                self.links[next.index()] = Link { chain, position };
                *bottom = next;
            }
        }
        Ok(())
    }

    /// The write that an access leaves.
    #[inline(always)]
    pub(crate) fn link(&self, access: EventId) -> Link {
        self.links[access.index()]
    }

    /// The chains of a location.
    pub(crate) fn of(&self, loc: LocId) -> Range<u32> {
        self.starts[loc.index()]..self.starts[loc.index() + 1]
    }

    /// The number of chains.
    pub(crate) fn count(&self) -> usize {
        self.tops.len()
    }

    /// The number of writes that a location has, the initial one included.
    pub(crate) fn write_count(&self, loc: LocId) -> usize {
        self.writes[loc.index()] as usize
    }

    /// The first and the last write of a chain.
    pub(crate) fn ends(&self, chain: u32) -> [EventId; 2] {
        [self.tops[chain as usize], self.bottoms[chain as usize]]
    }

    /// Whether a chain has more than its first write.
    pub(crate) fn is_long(&self, chain: u32) -> bool {
        self.tops[chain as usize] != self.bottoms[chain as usize]
    }

    /// The writes of a chain, first to last. Of a short chain, `next` is not looked at.
    pub(crate) fn writes(&self, chain: u32) -> impl Iterator<Item = EventId> + '_ {
        let [top, bottom] = self.ends(chain);
        let next = move |&write: &EventId| (write != bottom).then(|| EventId(self.next[write.index()]));
        std::iter::successors(Some(top), next)
    }
}

//! rc20 and rc11 on small histories whose orders are given: sw, and psc of an mo. [`judge`](crate::judge) says why they are not left to the engines.

use crate::shape::MOST_EVENTS;
use crate::sources::History;
use tribunal_cat::relation::{SmallRelation as Relation, SmallSet as Set, small_members as members};
use tribunal_history::memory::{Kind, Label, Order};

/// The orders of the events of a history.
pub(super) type Orders = [Order; MOST_EVENTS];

/// One of the two models.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum C11 {
    Rc20,
    Rc11,
}

/// The orders that an event may have, the weakest first; a fence has the one it has.
pub(super) fn choices(label: Label) -> &'static [Order] {
    use Order::*;
    match label.kind() {
        Kind::Read => &[Relaxed, Acquire, SeqCst],
        Kind::Write => &[Relaxed, Release, SeqCst],
        Kind::Rmw => &[Relaxed, Acquire, Release, AcqRel, SeqCst],
        Kind::Fence => match label.order() {
            Acquire => &[Acquire],
            Release => &[Release],
            AcqRel => &[AcqRel],
            _ => &[SeqCst],
        },
    }
}

/// hb = (po ∪ sw)⁺
pub(super) fn happens_before(h: &History<'_>, model: C11, orders: &Orders) -> Relation {
    (h.shape.facts.po | synchronized(h, model, orders)).plus()
}

/// sw = [E⊒REL] ; ([F];po)? ; rf⁺ ; (po;[F])? ; [E⊒ACQ], for rc11 with [W];po-loc?;[W] before rf⁺
fn synchronized(h: &History<'_>, model: C11, orders: &Orders) -> Relation {
    let (shape, facts) = (h.shape, &h.shape.facts);
    let rf = h.rf.plus();
    let fence = |event: usize| shape.label(event).is_fence();
    let mut sw = Relation::default();
    for from in (0..shape.events).filter(|&event| orders[event].is_release()) {
        let mut writes = if fence(from) { facts.po.0[from] } else { 1 << from } & facts.writes;
        if model == C11::Rc11 {
            writes |= members(writes).fold(0, |later, write| later | facts.po_loc.0[write]) & facts.writes;
        }
        let reads = members(writes).fold(0, |reads, write| reads | rf.0[write]);
        for to in (0..shape.events).filter(|&event| orders[event].is_acquire()) {
            let acquired = match fence(to) {
                true => members(reads).any(|read| facts.po.contains(read, to)),
                false => reads >> to & 1 == 1,
            };
            if acquired {
                sw.insert(from, to);
            }
        }
    }
    sw
}

/// The part of psc that does not depend on mo.
pub(super) struct Psc {
    hb: Relation,
    /// po ∪ (far ; hb ; far) ∪ hb-loc
    base: Relation,
    events: Set,
    fences: Set,
}

impl Psc {
    /// None if no event is seq_cst.
    pub fn new(h: &History<'_>, model: C11, orders: &Orders, hb: Relation) -> Option<Self> {
        let (shape, facts) = (h.shape, &h.shape.facts);
        let events = (0..shape.events).filter(|&e| orders[e] == Order::SeqCst).fold(0, |set, e| set | 1 << e);
        if events == 0 {
            return None;
        }
        let fences = members(events).filter(|&e| shape.label(e).is_fence()).fold(0, |set, e| set | 1 << e);
        let (mut far, mut hb_loc) = (facts.po, Relation::default());
        for access in members(facts.reads | facts.writes) {
            let beside = facts.accesses[shape.loc(access) as usize];
            hb_loc.0[access] = hb.0[access] & beside;
            if model == C11::Rc11 {
                far.0[access] &= !beside;
            }
        }
        let base = facts.po | far.sequence(&hb).sequence(&far) | hb_loc;
        Some(Psc { hb, base, events, fences })
    }

    /// acyclic(psc), for what of mo and fr is between a write and the next. Where that is coherent, eco = rf ∪ (mo ∪ fr) ; rf?.
    pub fn acyclic(&self, h: &History<'_>, next: Relation) -> bool {
        let order = next.plus();
        let hb = &self.hb;
        let (mut from, mut to, mut fences) = (Relation::default(), Relation::default(), Relation::default());
        for event in 0..h.shape.size() {
            let itself = 1 << event;
            to.0[event] = itself & self.events | (hb.0[event] | itself) & self.fences;
            if self.events & itself != 0 {
                from.0[event] = itself;
            }
            if self.fences & itself != 0 {
                from.0[event] |= hb.0[event];
                fences.0[event] = itself;
            }
        }
        let eco = h.rf | order | order.sequence(&h.rf);
        let between = *hb | hb.sequence(&eco).sequence(hb);
        let psc =
            from.sequence(&(self.base | order)).sequence(&to) | fences.sequence(&between).sequence(&fences);
        psc.is_acyclic()
    }
}

//! The models on small histories: by their definitions, over matrices of bits.
//!
//! A search asks yes or no about hundreds of millions, and here a history takes 10,000 instructions, those of its beginnings included. A
//! [`Checker`](tribunal_engines::memory::Checker), which sets itself up and gives proofs, takes 69,000, and the models' texts 77,000 (wsc and sc,
//! 24,068 histories of up to 5 events). What a search finds, [`check`](tribunal_engines::memory::check) confirms.

use crate::seq_cst::{self, C11, Orders, Psc};
use crate::shape::{MOST_EVENTS, Shape};
use crate::sources::History;
use tribunal_cat::relation::{SmallRelation as Relation, SmallSet as Set, small_members as members};
use tribunal_history::memory::{Label, Order};
use tribunal_history::model::Model;
use tribunal_history::model::Preserved;

/// The things that a model may look at in a history beyond labels, locations, fences and rf: dependencies, orders of accesses, times.
#[derive(Clone, Copy)]
pub(super) enum Annotations {
    /// Nothing: the model allows as much as it can.
    Weakest,
    /// Every event depends on every earlier read and is seq_cst, and no event began before those before it had ended: the
    /// model forbids as much as it can.
    Strongest,
    /// These dependencies, and no more.
    Dependencies(Relation),
    /// These orders, and no more.
    Orders(Orders),
}

/// The rule of a model for the histories of a shape.
pub(super) enum Rule {
    /// acyclic(local ∪ rf ∪ mo ∪ fr), location by location; acyclic(kept ∪ rf-mm ∪ mo ∪ fr); acyclic(deps ∪ rf).
    Orders {
        local: Relation,
        kept: Relation,
        internal_rf: bool,
        deps: Option<Relation>,
    },
    /// acyclic(po-loc ∪ rf ∪ mo ∪ fr), location by location.
    Coherence,
    /// acyclic(po ∪ rf); coherence with hb for po: of (po ∪ rf)⁺, of po, or as these orders synchronize; and then acyclic(psc).
    Ra,
    Relaxed,
    Annotated(C11, Orders),
    Sra,
    Wra,
    Cc,
    Ccv,
    Cm,
    Ccm,
    Wccm {
        kept: Relation,
    },
    Wsc,
    Pram,
}

impl Rule {
    /// Whether a model has one: the others are judged by their [texts](crate::text).
    pub fn exists(model: Model) -> bool {
        use Model::*;
        let orders = model.preserved().is_some();
        let causal = matches!(model, Coherence | Wsc | Ccm | Wccm | Cm | Ccv | Cc | Pram);
        orders || causal || matches!(model, Sra | Ra | Wra | Relaxed | Rc20 | Rc11)
    }

    pub fn new(model: Model, shape: &Shape, annotations: Annotations) -> Self {
        match model {
            Model::Coherence => Rule::Coherence,
            Model::Wsc => Rule::Wsc,
            Model::Ccm => Rule::Ccm,
            Model::Wccm => Rule::Wccm { kept: kept(&Preserved::TSO, shape, Relation::default(), false) },
            Model::Cm => Rule::Cm,
            Model::Ccv => Rule::Ccv,
            Model::Cc => Rule::Cc,
            Model::Pram => Rule::Pram,
            Model::Sra => Rule::Sra,
            Model::Ra => Rule::Ra,
            Model::Wra => Rule::Wra,
            Model::Relaxed => Rule::Relaxed,
            // With the strongest annotations they are sc, which looks at none.
            Model::Rc20 | Model::Rc11 if matches!(annotations, Annotations::Strongest) => {
                Rule::orders(&Preserved::SC, shape, Annotations::Weakest)
            }
            Model::Rc20 => Rule::annotated(C11::Rc20, shape, annotations),
            Model::Rc11 => Rule::annotated(C11::Rc11, shape, annotations),
            Model::Sc => Rule::orders(&Preserved::SC, shape, annotations),
            Model::Tso => Rule::orders(&Preserved::TSO, shape, annotations),
            Model::Pso => Rule::orders(&Preserved::PSO, shape, annotations),
            Model::Rmo => Rule::orders(&Preserved::RMO, shape, annotations),
            Model::Wmo => Rule::orders(&Preserved::WMO, shape, annotations),
            Model::Custom(preserved) => Rule::orders(&preserved, shape, annotations),
            model => unreachable!("{model} has no rule"),
        }
    }

    fn annotated(model: C11, shape: &Shape, annotations: Annotations) -> Self {
        match annotations {
            Annotations::Orders(orders) => Rule::Annotated(model, orders),
            _ if shape.labels[..shape.events].iter().any(|label| label.is_fence()) => {
                Rule::Annotated(model, shape.labels.map(|label| label.order()))
            }
            _ => Rule::Relaxed,
        }
    }

    fn orders(model: &Preserved, shape: &Shape, annotations: Annotations) -> Self {
        let facts = &shape.facts;
        let mut deps = match annotations {
            Annotations::Weakest | Annotations::Orders(_) => Relation::default(),
            Annotations::Strongest => dependencies(shape),
            Annotations::Dependencies(deps) => deps,
        };
        if !model.dependencies {
            deps = Relation::default();
        }
        let mut local = facts.po_loc;
        if model.load_hazards {
            members(!facts.writes).for_each(|read| local.0[read] &= facts.writes);
        }
        Rule::Orders {
            local,
            kept: kept(model, shape, deps, model.times && matches!(annotations, Annotations::Strongest)),
            internal_rf: model.internal_rf,
            deps: model.dependencies.then_some(deps),
        }
    }

    pub fn allows(&self, h: &History<'_>) -> bool {
        let facts = &h.shape.facts;
        let po_rf = || facts.po | h.rf;
        match self {
            Rule::Orders { local, kept, internal_rf, deps } => {
                let rf = if *internal_rf { h.rf } else { external(h) };
                deps.is_none_or(|deps| (deps | h.rf).is_acyclic())
                    && Arrangement { h, local: *local, global: Some(*kept | rf), fr: true, psc: None }
                        .exists()
            }
            Rule::Coherence => per_location(h, facts.po_loc),
            Rule::Relaxed => po_rf().is_acyclic() && per_location(h, facts.po_loc),
            Rule::Ra => {
                let hb = po_rf().plus();
                hb.is_irreflexive() && per_location(h, hb)
            }
            Rule::Annotated(model, orders) => {
                if !po_rf().is_acyclic() {
                    return false;
                }
                let hb = seq_cst::happens_before(h, *model, orders);
                match Psc::new(h, *model, orders, hb) {
                    None => per_location(h, hb),
                    Some(psc) => {
                        let global = Some(Relation::default());
                        Arrangement { h, local: hb, global, fr: true, psc: Some(&psc) }.exists()
                    }
                }
            }
            Rule::Sra => {
                let hb = po_rf().plus();
                hb.is_irreflexive()
                    && Arrangement { h, local: hb, global: Some(hb), fr: false, psc: None }.exists()
            }
            Rule::Wra => cc(h, &po_rf().plus()) && no_shared_source(h),
            Rule::Cc => cc(h, &po_rf().plus()),
            Rule::Ccv => {
                let co = po_rf().plus();
                cc(h, &co) && (co | conflicts(h, &co, &h.rf)).is_acyclic()
            }
            Rule::Cm => {
                let co = po_rf().plus();
                cc(h, &co)
                    && h.shape
                        .threads()
                        .all(|thread| observed(h, thread.end - 1, &co, &facts.po).is_irreflexive())
            }
            Rule::Ccm => {
                let co = po_rf().plus();
                co.is_irreflexive() && convergent(h, &co)
            }
            Rule::Wccm { kept } => weakly_convergent(h, kept),
            Rule::Wsc => saturates(h, &po_rf()),
            Rule::Pram => h.shape.threads().all(|thread| {
                let heard = Relation(h.rf.0.map(|reads| reads & facts.thread[thread.start]));
                observed(h, thread.end - 1, &(facts.po | heard).plus(), &facts.po).is_irreflexive()
            }),
        }
    }
}

/// Everything on every earlier read of its thread.
pub(super) fn dependencies(shape: &Shape) -> Relation {
    let facts = &shape.facts;
    let accesses = facts.reads | facts.writes;
    let mut deps = Relation::default();
    members(facts.reads).for_each(|read| deps.0[read] = facts.po.0[read] & accesses);
    deps
}

/// po-mm: the po pairs of accesses that a model keeps; with times, no event began before those before it had ended.
fn kept(model: &Preserved, shape: &Shape, deps: Relation, times: bool) -> Relation {
    let facts = &shape.facts;
    let accesses = facts.reads | facts.writes;
    let mut kept = deps;
    for first in members(accesses) {
        for second in members(facts.po.0[first] & accesses) {
            let (a, b) = (shape.label(first), shape.label(second));
            let fence = |event: usize| fence_keeps(shape.label(event), a, b);
            if model.keeps_kinds(a, b, shape.loc(first) == shape.loc(second))
                || times && a.reads()
                || first < shape.events && (first + 1..second).any(fence)
            {
                kept.insert(first, second);
            }
        }
    }
    kept
}

fn fence_keeps(between: Label, a: Label, b: Label) -> bool {
    let order = between.order();
    between.is_fence()
        && (order == Order::SeqCst || order.is_acquire() && a.reads() || order.is_release() && b.writes())
}

/// rfe: an initial write is po-before its reads.
fn external(h: &History<'_>) -> Relation {
    let mut rfe = h.rf;
    for write in members(h.shape.facts.writes) {
        rfe.0[write] &= !h.shape.facts.thread[write];
    }
    rfe.0[h.shape.events..].fill(0);
    rfe
}

fn no_shared_source(h: &History<'_>) -> bool {
    let rmws = h.shape.facts.reads & h.shape.facts.writes;
    h.rf.0.iter().all(|reads| (reads & rmws).count_ones() <= 1)
}

/// The other writes of a location.
fn writes_beside(h: &History<'_>, write: usize) -> Set {
    let facts = &h.shape.facts;
    facts.accesses[h.shape.loc(write) as usize] & facts.writes & !(1 << write)
}

/// acyclic(po ∪ rf); irr(rw[co];co)
fn cc(h: &History<'_>, co: &Relation) -> bool {
    co.is_irreflexive()
        && reads(h).all(|(read, write)| {
            members(co.0[write] & writes_beside(h, write)).all(|later| !co.contains(later, read))
        })
}

fn reads<'a>(h: &'a History<'_>) -> impl Iterator<Item = (usize, usize)> + 'a {
    members(h.resolved).filter_map(|read| h.source(read).map(|write| (read, write)))
}

/// X_WW
fn between_writes(h: &History<'_>, x: &Relation) -> Relation {
    let mut ww = Relation::default();
    members(h.shape.facts.writes).for_each(|write| ww.0[write] = x.0[write] & writes_beside(h, write));
    ww
}

/// cf[X] = X_WR ; rf⁻¹, for the pairs of this rf
fn conflicts(h: &History<'_>, x: &Relation, rf: &Relation) -> Relation {
    let mut cf = Relation::default();
    for (read, write) in reads(h).filter(|&(read, write)| rf.contains(write, read)) {
        for other in members(writes_beside(h, write)).filter(|&other| x.contains(other, read)) {
            cf.insert(other, write);
        }
    }
    cf
}

/// rw[X] = rf⁻¹ ; X_WW
fn overwritten(h: &History<'_>, x: &Relation) -> Relation {
    let mut rw = Relation::default();
    for (read, write) in reads(h) {
        rw.0[read] = x.0[write] & writes_beside(h, write) & !(1 << read);
    }
    rw
}

/// hb_o: what an event's past orders, and what its reads so far say of the order of writes.
fn observed(h: &History<'_>, o: usize, co: &Relation, before: &Relation) -> Relation {
    let size = h.shape.size();
    let mut past: Set = 1 << o;
    for event in (0..size).filter(|&event| co.contains(event, o)) {
        past |= 1 << event;
    }
    let mut hb = Relation::default();
    members(past).filter(|&event| co.contains(event, o)).for_each(|event| hb.0[event] = co.0[event] & past);
    loop {
        let mut next = hb;
        for (read, write) in reads(h).filter(|&(read, _)| read == o || before.contains(read, o)) {
            for other in members(writes_beside(h, write)).filter(|&other| hb.contains(other, read)) {
                next.insert(other, write);
            }
        }
        if next == hb {
            return hb;
        }
        hb = next.plus();
    }
}

/// acyclic(po ∪ rf ∪ pww ∪ rw[pww]). hb_o grows along po: the last events of the threads have it all.
fn convergent(h: &History<'_>, co: &Relation) -> bool {
    let po = &h.shape.facts.po;
    let hb =
        h.shape.threads().fold(Relation::default(), |hb, thread| hb | observed(h, thread.end - 1, co, po));
    let hb = hb.plus();
    let pww = (between_writes(h, &hb) | conflicts(h, &hb, &h.rf)).plus();
    (*co | pww | overwritten(h, &pww)).is_acyclic()
}

/// acyclic(po-loc ∪ rf); acyclic(π ∪ rfe ∪ wpww ∪ rw[wpww]) for π = tso's ppo and for π = po-loc
fn weakly_convergent(h: &History<'_>, kept: &Relation) -> bool {
    let po_loc = h.shape.facts.po_loc;
    if !(po_loc | h.rf).is_acyclic() {
        return false;
    }
    let rfe = external(h);
    let programs = [*kept, po_loc];
    let hbs = programs.map(|program| {
        let (co, before) = ((program | rfe).plus(), program.plus());
        let all = (0..h.shape.events).fold(Relation::default(), |hb, o| hb | observed(h, o, &co, &before));
        all.plus()
    });
    let whb = (hbs[0] | hbs[1]).plus();
    let wpww = between_writes(h, &whb) | conflicts(h, &hbs[0], &rfe) | conflicts(h, &hbs[1], &rfe);
    let wpww = wpww.plus();
    let ordered = wpww | overwritten(h, &wpww) | rfe;
    programs.into_iter().all(|program| (program | ordered).is_acyclic())
}

/// acyclic(hb) for the least hb, st with st = (cf[hb] ∪ hb_WW)⁺ and hb = (po ∪ rf ∪ st ∪ rw[st])⁺
fn saturates(h: &History<'_>, po_rf: &Relation) -> bool {
    let mut hb = po_rf.plus();
    loop {
        if !hb.is_irreflexive() {
            return false;
        }
        let st = (conflicts(h, &hb, &h.rf) | between_writes(h, &hb)).plus();
        let next = (*po_rf | st | overwritten(h, &st)).plus();
        if next == hb {
            return true;
        }
        hb = next;
    }
}

/// Whether each location alone has an mo that agrees with the pairs of its accesses.
fn per_location(h: &History<'_>, local: Relation) -> bool {
    Arrangement { h, local, global: None, fr: false, psc: None }.exists()
}

/// The search for an mo, location by location, each in the order in which its writes come.
struct Arrangement<'a> {
    h: &'a History<'a>,
    /// The order that mo has to agree with between accesses of one location.
    local: Relation,
    /// The relation that has to be acyclic with the mo of all locations; none: each location stands alone.
    global: Option<Relation>,
    /// And with fr.
    fr: bool,
    /// The relation that has to be acyclic then; with an empty `global`, to which mo and fr are added.
    psc: Option<&'a Psc>,
}

impl Arrangement<'_> {
    fn exists(&self) -> bool {
        self.locations_from(0, self.global.unwrap_or_default())
    }

    fn locations_from(&self, loc: usize, global: Relation) -> bool {
        let shape = self.h.shape;
        if loc == shape.locations {
            return self.psc.is_none_or(|psc| psc.acyclic(self.h, global));
        }
        let initial = shape.events + loc;
        let left = shape.facts.accesses[loc] & shape.facts.writes & !(1 << initial);
        let mut place = [0; MOST_EVENTS];
        self.next(loc, global, initial, left, &mut place)
    }

    /// Puts one of the writes that are left after the last one. An RMW comes right after its source, or never: between them
    /// a write would be overtaken by the fr of the RMW.
    fn next(
        &self,
        loc: usize,
        global: Relation,
        last: usize,
        left: Set,
        place: &mut [u8; MOST_EVENTS],
    ) -> bool {
        let h = self.h;
        if left == 0 {
            return self.agrees(loc, place)
                && (self.global.is_none() || global.is_acyclic())
                && self.locations_from(loc + 1, global);
        }
        members(left).any(|write| {
            if h.source(write).is_some_and(|source| source != last) {
                return false;
            }
            let before = members(left & !(1 << write)).any(|other| self.local.contains(other, write));
            if before {
                return false;
            }
            let mut longer = global;
            if self.global.is_some() {
                longer.insert(last, write);
                if self.fr {
                    members(h.rf.0[last] & !(1 << write)).for_each(|read| longer.insert(read, write));
                }
            }
            place[write] = self.place(last, place) + 1;
            self.next(loc, longer, write, left & !(1 << write), place)
        })
    }

    fn place(&self, write: usize, place: &[u8; MOST_EVENTS]) -> u8 {
        place.get(write).copied().unwrap_or(0)
    }

    /// Whether mo, fr and rf of a location point the way of its local pairs: along them, nobody sees an older write.
    fn agrees(&self, loc: usize, place: &[u8; MOST_EVENTS]) -> bool {
        let (h, facts) = (self.h, &self.h.shape.facts);
        let rank = |access: usize| match h.source(access) {
            Some(source) if facts.writes >> access & 1 == 0 => 2 * self.place(source, place) + 1,
            _ => 2 * self.place(access, place),
        };
        let accesses = facts.accesses[loc] & (facts.writes | h.resolved);
        members(accesses).all(|a| {
            members(self.local.0[a] & accesses).all(|b| {
                let (a, rank_b) = (rank(a), rank(b));
                a < rank_b || a == rank_b && facts.writes >> b & 1 == 0
            })
        })
    }
}

//! The views of a multiprocessor model as explicit relations on events, for small histories.
//!
//! What is here is all but mo and fr:
//! - the *local* view has po-loc ∪ rf;
//! - the *global* view has po-mm ∪ rf-mm;
//! - the *dependency* view, where the model has one, is deps ∪ rf, and is not extended by mo and fr.
//!
//! An event's index is its id; fences are related to nothing.

use crate::limits::Limits;
use crate::memory::{EventId, Execution, Label, Order};
use crate::preserved::Preserved;
use crate::verdict::Limit;

/// Matrices beyond this size are refused: an engine that needs them would not come to an end.
const MOST_BYTES: usize = 1 << 30;

/// A relation on events as a matrix of bits: row a has bit b when (a, b) is in the relation.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    size: usize,
    words: usize,
    rows: Vec<u64>,
}

impl Relation {
    pub(crate) fn empty(size: usize) -> Self {
        let words = size.div_ceil(64);
        Relation { size, words, rows: vec![0; size * words] }
    }

    pub(crate) fn insert(&mut self, a: EventId, b: EventId) {
        insert(&mut self.rows[a.index() * self.words..], b);
    }

    pub(crate) fn row(&self, a: EventId) -> &[u64] {
        &self.rows[a.index() * self.words..][..self.words]
    }

    pub(crate) fn inverse(&self) -> Relation {
        let mut inverse = Relation::empty(self.size);
        for a in (0..self.size).map(EventId::from_index) {
            members(self.row(a)).for_each(|b| inverse.insert(b, a));
        }
        inverse
    }

    /// By Kahn's algorithm: whether every event can be taken once those before it are.
    pub(crate) fn is_acyclic(&self) -> bool {
        let mut before = vec![0u32; self.size];
        for a in (0..self.size).map(EventId::from_index) {
            members(self.row(a)).for_each(|b| before[b.index()] += 1);
        }
        let mut ready: Vec<EventId> =
            (0..self.size).filter(|&e| before[e] == 0).map(EventId::from_index).collect();
        let mut taken = 0;
        while let Some(a) = ready.pop() {
            taken += 1;
            for b in members(self.row(a)) {
                before[b.index()] -= 1;
                if before[b.index()] == 0 {
                    ready.push(b);
                }
            }
        }
        taken == self.size
    }
}

/// Puts an event into a set of events.
pub(crate) fn insert(set: &mut [u64], e: EventId) {
    set[e.index() / 64] |= 1 << (e.index() % 64);
}

pub(crate) fn contains(set: &[u64], e: EventId) -> bool {
    set[e.index() / 64] >> (e.index() % 64) & 1 == 1
}

/// The events of a set.
pub(crate) fn members(set: &[u64]) -> impl Iterator<Item = EventId> + '_ {
    set.iter().enumerate().flat_map(|(i, &word)| {
        let mut word = word;
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(EventId::from_index(64 * i + bit))
        })
    })
}

/// The views of a model, without mo and fr.
pub(crate) struct Views {
    /// po-loc ∪ rf
    pub(crate) local: Relation,
    /// po-mm ∪ rf-mm
    pub(crate) global: Relation,
    /// Who reads from a write.
    pub(crate) readers: Relation,
    /// deps ∪ rf, where dependencies count.
    dependencies: Option<Relation>,
}

impl Views {
    pub(crate) fn new(x: &Execution, preserved: &Preserved, limits: &Limits<'_>) -> Result<Self, Limit> {
        let size = x.len() + x.location_count();
        // An engine takes inverses of two of the four.
        let bytes = size.saturating_mul(size.div_ceil(64)).saturating_mul(6 * 8);
        limits.check_memory(bytes, 0)?;
        Limits { max_memory: MOST_BYTES, ..*limits }.check_memory(bytes, 0)?;
        let mut views = Views {
            local: Relation::empty(size),
            global: Relation::empty(size),
            readers: Relation::empty(size),
            dependencies: preserved.dependencies.then(|| Relation::empty(size)),
        };
        for t in x.threads() {
            for a in x.thread_events(t).map(EventId) {
                let later = a.0 + 1..x.thread_events(t).end;
                views.insert_po(x, preserved, a, later);
            }
            for loc in x.locations() {
                views.insert_po(x, preserved, x.init_write(loc), x.thread_events(t));
            }
        }
        for r in x.events() {
            if let Some(w) = x.rf(r) {
                views.insert_rf(x, preserved, w, r);
            }
            for d in x.deps(r) {
                if let Some(dependencies) = &mut views.dependencies {
                    dependencies.insert(d, r);
                    views.global.insert(d, r);
                }
            }
        }
        Ok(views)
    }

    /// Whether nothing is wrong yet, whatever mo is.
    pub(crate) fn are_acyclic(&self) -> bool {
        self.local.is_acyclic()
            && self.global.is_acyclic()
            && self.dependencies.as_ref().is_none_or(Relation::is_acyclic)
    }

    /// What the local and the global view keep of po from `a` to the events after it.
    fn insert_po(&mut self, x: &Execution, preserved: &Preserved, a: EventId, later: std::ops::Range<u32>) {
        let Some(loc) = x.loc(a) else { return };
        let first = x.label(a);
        let mut fences = Fences::default();
        for b in later.map(EventId) {
            let second = x.label(b);
            if second.is_fence() {
                fences.pass(second.order());
                continue;
            }
            let same_location = x.loc(b) == Some(loc);
            if same_location && (first.writes() || second.writes() || !preserved.load_hazards) {
                self.local.insert(a, b);
            }
            if preserved.keeps_kinds(first, second, same_location)
                || fences.keep(first, second)
                || preserved.times && first.reads() && ended_before(x, a, b)
            {
                self.global.insert(a, b);
            }
        }
    }

    fn insert_rf(&mut self, x: &Execution, preserved: &Preserved, w: EventId, r: EventId) {
        self.readers.insert(w, r);
        self.local.insert(w, r);
        if let Some(dependencies) = &mut self.dependencies {
            dependencies.insert(w, r);
        }
        let in_po = w != r && (x.is_init(w) || x.thread_of(w) == x.thread_of(r));
        if preserved.internal_rf || !in_po {
            self.global.insert(w, r);
        }
    }
}

/// Whether `b` began after `a` had ended.
fn ended_before(x: &Execution, a: EventId, b: EventId) -> bool {
    matches!((x.interval(a).end, x.interval(b).begin), (Some(end), Some(begin)) if end < begin)
}

/// The fences between two events.
#[derive(Default)]
struct Fences {
    full: bool,
    acquire: bool,
    release: bool,
}

impl Fences {
    fn pass(&mut self, order: Order) {
        self.full |= order == Order::SeqCst;
        self.acquire |= order.is_acquire();
        self.release |= order.is_release();
    }

    fn keep(&self, first: Label, second: Label) -> bool {
        self.full || self.acquire && first.reads() || self.release && second.writes()
    }
}

//! The views of a multiprocessor model as explicit relations on events, for small histories.
//!
//! What is here is all but mo and fr:
//! - the *local* view has po-loc ∪ rf;
//! - the *global* view has po-mm ∪ rf-mm;
//! - the *dependency* view, where the model has one, is deps ∪ rf, and is not extended by mo and fr.
//!
//! An event's index is its id; fences are related to nothing.

use tribunal_cat::relation::Relation;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Label, Order};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::Limit;

/// Matrices beyond this size are refused: an engine that needs them would not come to an end.
const MOST_BYTES: usize = 1 << 30;

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
        let bytes = Relation::bytes(size).saturating_mul(6);
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
                    dependencies.insert(d.index(), r.index());
                    views.global.insert(d.index(), r.index());
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
                self.local.insert(a.index(), b.index());
            }
            if preserved.keeps_kinds(first, second, same_location)
                || fences.keep(first, second)
                || preserved.times && first.reads() && ended_before(x, a, b)
            {
                self.global.insert(a.index(), b.index());
            }
        }
    }

    fn insert_rf(&mut self, x: &Execution, preserved: &Preserved, w: EventId, r: EventId) {
        self.readers.insert(w.index(), r.index());
        self.local.insert(w.index(), r.index());
        if let Some(dependencies) = &mut self.dependencies {
            dependencies.insert(w.index(), r.index());
        }
        let in_po = w != r && (x.is_init(w) || x.thread_of(w) == x.thread_of(r));
        if preserved.internal_rf || !in_po {
            self.global.insert(w.index(), r.index());
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

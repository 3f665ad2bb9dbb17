//! Small histories, over words: whether a history of at most 128 events is consistent.
//!
//! What is said here is yes, with a witness; a violation is left to the engines that explain it. For the models of C11 but
//! sra, for cc and for coherence, what is not said to be consistent is not; for the others it is left open.

mod orders;
mod replay;
mod word;
mod writes;

use crate::Engine;
use crate::memory::models::engines;
use crate::memory::order::past::happens_before::Synchronization;
use orders::Orders;
use replay::Replay;
use tribunal_history::memory::Execution;
use tribunal_history::model::{Model, Preserved};
use tribunal_history::verdict::{ModificationOrder, Witness};
use word::Word;
use writes::Writes;

/// The memory that is kept from history to history: only its room.
#[derive(Default)]
pub(crate) struct Small {
    short: Scratch<u64>,
    long: Scratch<u128>,
}

#[derive(Default)]
struct Scratch<W> {
    writes: Writes<W>,
    replay: Replay<W>,
    orders: Orders<W>,
}

/// The bytes that a history takes at most, beside what each of its locations does.
const BYTES: usize = 32 << 10;
const BYTES_PER_LOCATION: usize = 128;

/// In larger histories an order of all events is found no faster here than elsewhere.
const FEW: usize = 64;

impl Small {
    /// The number of bytes that a history takes.
    pub(crate) fn bytes(x: &Execution) -> usize {
        BYTES + BYTES_PER_LOCATION * x.location_count()
    }

    /// A witness that the history is consistent with a model that applies to it, and what found it; none if the history is
    /// too large, the model is not among those decided here, or there is none.
    pub(crate) fn witness(&mut self, x: &Execution, model: Model) -> Option<(Witness, Engine)> {
        match x.len().max(x.thread_count()) {
            size if size <= u64::SIZE => self.short.witness(x, model),
            size if size <= u128::SIZE => self.long.witness(x, model),
            _ => None,
        }
    }
}

impl<W: Word> Scratch<W> {
    fn witness(&mut self, x: &Execution, model: Model) -> Option<(Witness, Engine)> {
        let usual = engines(model)[0];
        let mo = match model {
            // What psc asks of mo is not looked at here.
            Model::Rc20 | Model::Rc11 if x.features().seq_cst => None,
            Model::Rc11 => None,
            Model::Rc20 => self.coherent(x, Synchronization::Annotated),
            Model::Ra => self.coherent(x, Synchronization::EveryRead),
            Model::Relaxed => self.coherent(x, Synchronization::Nothing),
            Model::Coherence => self.writes.local_view(x).then(|| self.writes.order(x))?,
            Model::Wra | Model::Cc => {
                self.writes.reset(x);
                let atomic = model == Model::Cc || self.writes.links(x);
                let consistent = atomic && self.replay.none_overwritten(x, &self.writes);
                return consistent.then_some((Witness::History, usual));
            }
            _ if x.len() > FEW => None,
            Model::Sra => {
                let coherent = self.replay.coherence(x, Synchronization::EveryRead, &mut self.writes);
                let mo = coherent.then(|| self.orders.strong(x, &mut self.writes))?;
                let engine = if x.features().rmws == 0 { usual } else { Engine::FrontierSearch };
                return mo.map(|mo| (Witness::Mo(mo), engine));
            }
            _ => self.orders.search(x, &model.preserved().filter(|p| supported(x, p))?, &mut self.writes),
        };
        mo.map(|mo| (Witness::Mo(mo), usual))
    }

    fn coherent(&mut self, x: &Execution, synchronization: Synchronization) -> Option<ModificationOrder> {
        self.replay.coherence(x, synchronization, &mut self.writes).then(|| self.writes.order(x))?
    }
}

/// Whether the kinds and locations of accesses and the fences are all that keeps the history's events in order.
fn supported(x: &Execution, preserved: &Preserved) -> bool {
    let features = x.features();
    !(preserved.load_hazards || preserved.dependencies && features.deps || preserved.times && features.times)
}

//! Checks a witness against the axioms of its model.

pub(super) mod c11;
mod causal;
mod many;
mod pram;
mod psc;
mod saturation;
mod views;

use super::definition::evaluate;
use super::{BrokenAxiom, Named, Refusal, applies, known};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::definition;
use tribunal_history::model::{Family, Model};
use tribunal_history::verdict::{Axiom, ModificationOrder, Witness};

/// Up to so many events a witness is also held to the model's text, which is evaluated on it: n² bits for each relation.
const EVALUATED: usize = 48;
/// The bytes that graphs, positions and accesses take.
const BYTES_PER_EVENT: usize = 48;

/// Accepts a witness that satisfies every axiom of the model together with the history.
///
/// For n events of k threads:
/// - the C11 family and cc: O(n·k) time and O(n + c·k) memory, where c ≤ n is the number of events at which the past of a
///   thread grows by events of other threads; with more than 64 threads, O(n + d·log n) where d counts in how many places
///   what threads know of the locations, or of the writes, differs; where rc20 and rc11 have psc, O(n·k) for any k;
/// - coherence, sc and the multiprocessor models: O(n); with begin and end times O(n·log n), and O(n·log² n) where these
///   contradict program order;
/// - pram: O(n·k) time and O(n) memory;
/// - ccv, cm, ccm, wccm and wsc have no witness but the history: what must have been before what is derived anew.
///   Clocks have n·k entries that only grow; each time an event's does, its successors and k binary searches are looked
///   at, in an order in which most have grown up by then. ccv looks once at each event, wsc until nothing grows, the others
///   so for each thread. What ccv, ccm and wccm make of it takes O(n·k²).
pub fn verify_witness(x: &Execution, model: Model, witness: &Witness) -> Result<(), Refusal> {
    within(x, model, witness, &Limits::default())
}

/// Like [`verify_witness`], within limits.
pub(super) fn within(
    x: &Execution,
    model: Model,
    witness: &Witness,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    applies(x, model)?;
    if x.is_open() {
        return chosen(x, model, witness, limits);
    }
    limits.check_memory(BYTES_PER_EVENT * x.len(), 0).map_err(Refusal::Limit)?;
    accepted(x, model, witness, limits)?;
    match witness {
        Witness::Mo(mo) if x.len() <= EVALUATED => evaluate(x, model, Some(mo), limits),
        Witness::History if x.len() <= EVALUATED => evaluate(x, model, None, limits),
        _ => Ok(()),
    }
}

/// The axioms of each family, in the bounds of [`verify_witness`].
fn accepted(x: &Execution, model: Model, witness: &Witness, limits: &Limits<'_>) -> Result<(), Refusal> {
    let by_text = model.family() == Family::Text;
    match (model, witness) {
        (Model::Rc20 | Model::Rc11 | Model::Ra | Model::Sra | Model::Relaxed, Witness::Mo(mo)) => {
            c11::ordered(x, model, mo, limits)
        }
        (
            Model::Sc
            | Model::Tso
            | Model::Pso
            | Model::Rmo
            | Model::Wmo
            | Model::Custom(_)
            | Model::Coherence,
            Witness::Mo(mo),
        ) => views::acyclic(x, model, mo),
        (Model::Wra, Witness::History) => c11::weak(x, limits),
        (Model::Cc, Witness::History) => c11::not_overwritten(x, Axiom::CausalPast, limits),
        (Model::Ccv, Witness::History) => causal::ccv(x, limits),
        (Model::Cm, Witness::History) => causal::cm(x, limits),
        (Model::Pram, Witness::History) => pram::pram(x, limits),
        (Model::Ccm, Witness::History) => causal::ccm(x, limits),
        (Model::Wccm, Witness::History) => causal::wccm(x, limits),
        (Model::Wsc, Witness::History) => causal::wsc(x, limits),
        (_, Witness::Mo(mo)) if by_text && definition::has_mo(model) => {
            Positions::new(x, mo)?;
            evaluate(x, model, Some(mo), limits)
        }
        (_, Witness::History) if by_text && !definition::has_mo(model) => evaluate(x, model, None, limits),
        (_, Witness::Sources { .. }) => Err(Refusal::NothingOpen),
        (_, Witness::Mo(_)) => Err(Refusal::OtherWitness { model, mo: false }),
        (_, Witness::History) => Err(Refusal::OtherWitness { model, mo: true }),
    }
}

/// Every open observation has one of the writes of its value, and with them the witness stands.
fn chosen(x: &Execution, model: Model, witness: &Witness, limits: &Limits<'_>) -> Result<(), Refusal> {
    limits.check_memory(x.bytes(), 0).map_err(Refusal::Limit)?;
    let sources = witness.sources();
    let mut given = sources.iter();
    for of in x.open() {
        match given.next() {
            Some(&(chosen, source)) if chosen == of && x.writers(of).binary_search(&source).is_ok() => {}
            Some(&(chosen, source)) if chosen == of => {
                known(x, source)?;
                let of = x.show_observation(of);
                return Err(Refusal::NotASource { of, write: Named::new(x, source) });
            }
            _ => return Err(Refusal::Unchosen { of: x.show_observation(of) }),
        }
    }
    if given.next().is_some() {
        return Err(Refusal::NothingOpen);
    }
    let Witness::Sources { then, .. } = witness else { return Err(Refusal::NothingOpen) };
    within(&x.choosing(sources), model, then, limits)
}

fn broken(axiom: Axiom, breach: BrokenAxiom) -> Refusal {
    Refusal::Broken { axiom, breach }
}

/// A cycle that breaks an axiom passes through this event.
fn cycle(x: &Execution, axiom: Axiom, event: u32) -> Refusal {
    broken(axiom, BrokenAxiom::Cycle { event: Named::new(x, EventId(event)) })
}

/// The place of every write in mo of its location.
struct Positions(Vec<u32>);

impl Positions {
    const NONE: u32 = u32::MAX;

    /// Checks that mo lists each write of each location exactly once.
    fn new(x: &Execution, mo: &ModificationOrder) -> Result<Self, Refusal> {
        let (given, expected) = (mo.location_count(), x.location_count());
        if given != expected {
            return Err(Refusal::LocationCount { given, expected });
        }
        let mut positions = vec![Self::NONE; x.len() + x.location_count()];
        for loc in x.locations() {
            let name = || x.location_name(loc).to_string();
            for (position, &w) in mo.of(loc).iter().enumerate() {
                known(x, w)?;
                if !x.label(w).writes() || x.loc(w) != Some(loc) {
                    return Err(Refusal::NotAWriteOf { event: Named::new(x, w), loc: name() });
                }
                if positions[w.index()] != Self::NONE {
                    return Err(Refusal::Repeated { event: Named::new(x, w), loc: name() });
                }
                positions[w.index()] = position as u32;
            }
        }
        let writes = (0..positions.len() as u32).map(EventId).filter(|&e| x.label(e).writes());
        for w in writes {
            if positions[w.index()] == Self::NONE {
                let loc = x.loc(w).map_or("", |loc| x.location_name(loc)).to_string();
                return Err(Refusal::Omitted { event: Named::new(x, w), loc });
            }
        }
        Ok(Positions(positions))
    }

    #[inline]
    fn of(&self, write: EventId) -> u32 {
        self.0[write.index()]
    }
}

/// Every given final write is last in mo.
fn final_values(x: &Execution, mo: &ModificationOrder) -> Result<(), Refusal> {
    for &(loc, expected) in x.finals() {
        let last = mo.of(loc)[mo.of(loc).len() - 1];
        if last != expected {
            let breach =
                BrokenAxiom::NotLast { expected: Named::new(x, expected), last: Named::new(x, last) };
            return Err(broken(Axiom::FinalValue, breach));
        }
    }
    Ok(())
}

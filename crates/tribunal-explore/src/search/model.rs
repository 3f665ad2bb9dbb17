//! The memory of a model: a session, or a text.

use super::cat::InText;
use super::memory::Memory;
use super::session::InSession;
use crate::graph::{Event, EventId, Graph, Source};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::definition::architecture;
use tribunal_history::{limits::Limits, model::Model};

#[derive(Clone)]
pub(super) enum InModel {
    Session(Box<InSession>),
    Text(Box<InText>),
}

impl InModel {
    pub(super) fn new(model: Model) -> Result<Self, NoSession> {
        match model {
            Model::Cat(definition) => {
                let plan = definition.plan().ok_or(NoSession(model))?;
                let text = InText::new(plan, architecture(model)).ok_or(NoSession(model))?;
                Ok(InModel::Text(Box::new(text)))
            }
            _ => Ok(InModel::Session(Box::new(InSession::new(model)?))),
        }
    }
}

impl Memory for InModel {
    fn len(&self) -> usize {
        match self {
            InModel::Session(memory) => memory.len(),
            InModel::Text(memory) => memory.len(),
        }
    }

    fn keep_to(&mut self, limits: Limits<'static>) {
        if let InModel::Text(memory) = self {
            memory.keep_to(limits);
        }
    }

    fn sample(&mut self, commits: bool) {
        if let InModel::Session(memory) = self {
            memory.sample(commits);
        }
    }

    fn count_ends(&mut self) {
        if let InModel::Session(memory) = self {
            memory.count_ends();
        }
    }

    fn is_hard(&self) -> bool {
        matches!(self, InModel::Session(memory) if memory.is_hard())
    }

    fn approach(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        if let InModel::Session(memory) = self {
            memory.approach(thread, loc, order);
        }
    }

    fn push(&mut self, graph: &Graph, event: &Event) -> bool {
        match self {
            InModel::Session(memory) => memory.push(graph, event),
            InModel::Text(memory) => memory.push(graph, event),
        }
    }

    fn truncate(&mut self, graph: &Graph, length: usize) {
        match self {
            InModel::Session(memory) => memory.truncate(graph, length),
            InModel::Text(memory) => memory.truncate(graph, length),
        }
    }

    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        match self {
            InModel::Session(memory) => memory.candidates(thread, loc, order, found),
            InModel::Text(memory) => memory.candidates(thread, loc, order, found),
        }
    }

    fn rmw_candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        match self {
            InModel::Session(memory) => memory.rmw_candidates(thread, loc, order, found),
            InModel::Text(memory) => memory.rmw_candidates(thread, loc, order, found),
        }
    }

    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, order: Order, rmw: bool) -> bool {
        match self {
            InModel::Session(memory) => memory.admits(thread, loc, source, order, rmw),
            InModel::Text(memory) => memory.admits(thread, loc, source, order, rmw),
        }
    }

    fn admits_candidate(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        source: Source,
        order: Order,
        rmw: bool,
    ) -> bool {
        match self {
            InModel::Session(memory) => memory.admits_candidate(thread, loc, source, order, rmw),
            InModel::Text(memory) => memory.admits(thread, loc, source, order, rmw),
        }
    }

    fn has_races(&self) -> bool {
        match self {
            InModel::Session(memory) => memory.has_races(),
            InModel::Text(memory) => memory.has_races(),
        }
    }

    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool {
        match self {
            InModel::Session(memory) => memory.happens_before(event, by, thread),
            InModel::Text(memory) => memory.happens_before(event, by, thread),
        }
    }

    fn may_be_last(&mut self, writes: &[(LocId, Source)]) -> bool {
        match self {
            InModel::Session(memory) => memory.may_be_last(writes),
            InModel::Text(memory) => memory.may_be_last(writes),
        }
    }

    fn count_mo(&mut self, graph: &Graph, limits: &Limits<'_>) -> u64 {
        match self {
            InModel::Session(memory) => memory.count_mo(graph, limits),
            InModel::Text(memory) => memory.count_mo(graph, limits),
        }
    }
}

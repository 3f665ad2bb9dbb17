//! Fixpoints, round by round: a pair of a `let rec` comes from what its names were in the round before it came in.

use crate::evaluate::{Evaluator, Value};
use crate::plan::{FixpointId, NodeId};

/// A body of a fixpoint in one of its rounds, and perhaps inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context(usize);

#[derive(Clone, Debug)]
struct Within {
    outer: Option<Context>,
    /// Of `recorded`.
    fixpoint: usize,
    round: usize,
    body: usize,
}

/// What the names of a fixpoint became in each round.
#[derive(Clone, Debug)]
struct Recorded {
    outer: Option<Context>,
    fixpoint: FixpointId,
    rounds: Vec<Vec<Value>>,
}

#[derive(Debug, Default)]
pub(super) struct Rounds {
    contexts: Vec<Within>,
    recorded: Vec<Recorded>,
    /// What the values inside fixpoints are of at present.
    present: Option<Context>,
}

impl Rounds {
    /// The body that gave a pair to a name, and the round in which it did first: there names have values that do not contain the pair yet.
    pub(super) fn enter(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        context: Option<Context>,
        fixpoint: FixpointId,
        index: u32,
        pair: (usize, usize),
    ) -> (NodeId, Context) {
        let body = evaluator.plan().fixpoints[fixpoint.0 as usize].bodies[index as usize];
        // A name inside its own bodies belongs to the same rounds as they.
        let outer = self.outside(context, fixpoint);
        let known = self.recorded.iter().position(|known| known.outer == outer && known.fixpoint == fixpoint);
        let recorded = known.unwrap_or_else(|| {
            self.establish(evaluator, outer);
            let rounds = evaluator.record(fixpoint.0 as usize);
            self.recorded.push(Recorded { outer, fixpoint, rounds });
            self.present = None;
            self.recorded.len() - 1
        });
        let contains = |values: &Vec<Value>| match &values[index as usize] {
            Value::Set(set) => set.contains(pair.0),
            Value::Relation(relation) => relation.contains(pair.0, pair.1),
        };
        let rounds = &self.recorded[recorded].rounds;
        let round = rounds.iter().position(contains).unwrap_or(rounds.len().saturating_sub(1));
        self.contexts.push(Within { outer, fixpoint: recorded, round, body: index as usize });
        (body, Context(self.contexts.len() - 1))
    }

    /// The context around a fixpoint.
    fn outside(&self, mut context: Option<Context>, fixpoint: FixpointId) -> Option<Context> {
        let mut at = context;
        while let Some(Context(index)) = at {
            let within = &self.contexts[index];
            at = within.outer;
            if self.recorded[within.fixpoint].fixpoint == fixpoint {
                context = within.outer;
            }
        }
        context
    }

    /// Gives values inside fixpoints what they had in a context.
    pub(super) fn establish(&mut self, evaluator: &mut Evaluator<'_>, context: Option<Context>) {
        let Some(Context(index)) = context else { return };
        if self.present == context {
            return;
        }
        self.establish(evaluator, self.contexts[index].outer);
        let within = &self.contexts[index];
        let recorded = &self.recorded[within.fixpoint];
        evaluator.recall(recorded.fixpoint.0 as usize, within.body, |name| {
            // Names before the body's own have this round's values, the others those of the round before.
            let round = if name < within.body { Some(within.round) } else { within.round.checked_sub(1) };
            round.map(|round| &recorded.rounds[round][name])
        });
        self.present = context;
    }

    /// Leaves values inside fixpoints as evaluation would.
    pub(super) fn leave(&mut self, evaluator: &mut Evaluator<'_>) {
        for recorded in self.recorded.iter().filter(|recorded| recorded.outer.is_none()) {
            evaluator.fix_again(recorded.fixpoint.0 as usize);
        }
    }
}

//! Searching for sources, case by case.
//!
//! With the sources that are chosen, others are forced; what they leave open is left out and the model's own engine asked. If it
//! finds a violation, that refutes the case; if not, the open observation with the fewest sources is gone through. A violation
//! that does not depend on the last choices refutes more than the last case: it is carried back to the one that it depends on.

use super::before::Rules;
use super::forced::{Forced, Next, forced};
use super::guess::guess;
use super::support::Support;
use crate::Engine;
use crate::memory::models::engines;
use tribunal_history::heap::held;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Edge, Limit, Refutation, Verdict, Violation, Witness};

/// Deeper cases would make a certificate that nobody can read, programs included.
const DEEPEST: usize = 400;

/// An observation that is gone through.
struct Node {
    /// What was forced before it.
    forced: Vec<(Observation, EventId)>,
    of: Observation,
    /// The sources still to be tried, the next last.
    left: Vec<EventId>,
    source: EventId,
    /// Those that failed.
    cases: Vec<(EventId, Violation)>,
    /// How many edges it takes to say why.
    weight: usize,
}

impl Node {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let sources = held(&[&self.forced, &self.left]);
        // A path has room for as many edges again.
        sources + 2 * size_of::<Edge>() * self.weight
    }
}

/// Why the choices fail.
struct Failure {
    violation: Violation,
    /// What it depends on; none if on everything so far.
    support: Option<Support>,
}

/// Decides a history with open observations, each of a value that was written.
pub(super) fn search(
    whole: &Execution,
    model: Model,
    judge: impl Fn(&Execution) -> (Verdict, Engine),
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let rules = Rules::of(model);
    let mut nodes: Vec<Node> = Vec::new();
    let mut states = 0;
    loop {
        states += 1;
        limits.check(states)?;
        limits.check_memory(nodes.iter().map(Node::bytes).sum(), states)?;
        let chosen = chosen(&nodes);
        let Forced { sources, x, next } = forced(whole.choosing(&chosen), rules, limits)?;
        let mut engine = engines(model)[0];
        let failure = if let Next::NoSource(read) = next {
            Failure { violation: violated(Refutation::NoSource(read)), support: None }
        } else {
            // A model given as text is evaluated with the reads that have no source yet: what an absent event means it does not say.
            let asked = if matches!(model, Model::Cat(_)) { x.clone() } else { x.without_open() };
            let (verdict, by) = judge(&asked);
            engine = by;
            match verdict {
                Verdict::Inconsistent(violation) => {
                    let support = Support::of(&x, &violation);
                    Failure { violation, support }
                }
                Verdict::Undecided(limit) => return Err(limit),
                Verdict::Unsupported(why) => return Ok((Verdict::Unsupported(why), engine)),
                Verdict::Consistent(witness) => {
                    let Next::Try(of, mut left) = next else {
                        return Ok((consistent([chosen, sources].concat(), witness), engine));
                    };
                    // Most histories that are consistent are so in a simple way: it is tried once.
                    if nodes.is_empty()
                        && let Some(guessed) = guess(&x, model, limits)?
                        && let (Verdict::Consistent(witness), by) =
                            judge(&x.choosing(&guessed).without_open())
                    {
                        return Ok((consistent([sources, guessed].concat(), witness), by));
                    }
                    if nodes.len() == DEEPEST {
                        return Err(Limit::States { states });
                    }
                    left.reverse();
                    let source = left.pop().expect("a read with sources left");
                    nodes.push(Node { forced: sources, of, left, source, cases: Vec::new(), weight: 0 });
                    continue;
                }
            }
        };
        if let Some(violation) = back(&mut nodes, failure.given(sources)) {
            return Ok((Verdict::Inconsistent(violation), engine));
        }
    }
}

fn violated(refutation: Refutation) -> Violation {
    Violation { axiom: Axiom::Sources, refutation }
}

fn consistent(mut sources: Vec<(Observation, EventId)>, then: Witness) -> Verdict {
    sources.sort_unstable();
    Verdict::Consistent(Witness::Sources { sources, then: Box::new(then) })
}

/// The choices and what they forced.
fn chosen(nodes: &[Node]) -> Vec<(Observation, EventId)> {
    nodes.iter().flat_map(|node| node.forced.iter().copied().chain([(node.of, node.source)])).collect()
}

impl Failure {
    fn rests_on(&self, (of, source): (Observation, EventId)) -> bool {
        self.support.as_ref().is_none_or(|support| support.has(of, source))
    }

    /// The same, where these were forced.
    fn given(self, forced: Vec<(Observation, EventId)>) -> Self {
        if forced.is_empty() || !forced.iter().any(|&source| self.rests_on(source)) {
            return self;
        }
        let then = Box::new(self.violation);
        // What eliminated the other sources may be any choice before.
        Failure { violation: violated(Refutation::Forced { sources: forced, then }), support: None }
    }
}

/// Goes back to the last choice that a failure depends on, and on to its next source; the whole refutation if there is none.
fn back(nodes: &mut Vec<Node>, mut failure: Failure) -> Option<Violation> {
    while let Some(mut node) = nodes.pop() {
        if failure.rests_on((node.of, node.source)) {
            node.weight += 1 + failure.violation.weight();
            node.cases.push((node.source, failure.violation));
            if let Some(source) = node.left.pop() {
                node.source = source;
                nodes.push(node);
                return None;
            }
            let violation = violated(Refutation::Sources { of: node.of, cases: node.cases });
            failure = Failure { violation, support: None };
        }
        failure = failure.given(node.forced);
    }
    Some(failure.violation)
}

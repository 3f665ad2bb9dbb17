//! Searching for sources, case by case.
//!
//! With the sources that are chosen, others are forced; what they leave open is left out and the model's own engine asked. If it
//! finds a violation, that refutes the case; if not, the open observation with the fewest sources is [split](split).
//!
//! A violation that depends on sources that were forced says so, and then rests on all cases before: any of them may have eliminated the other sources.

use super::before::Rules;
use super::forced::{self, Forced, forced};
use super::guess::guess;
use super::support::Support;
use crate::Engine;
use crate::memory::models::engines;
use crate::split::{self, Next, Refuted, Theory};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::model::{Family, Model};
use tribunal_history::verdict::{Axiom, Edge, Limit, Refutation, Verdict, Violation, Witness};

/// Deeper cases would make a certificate that nobody can read, programs included.
const DEEPEST: usize = 400;

/// An observation and its source.
type Source = (Observation, EventId);

/// Decides a history with open observations, each of a value that was written.
pub(super) fn search(
    whole: &Execution,
    model: Model,
    judge: impl Fn(&Execution) -> (Verdict, Engine),
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let (rules, engine) = (Rules::of(model), engines(model)[0]);
    let (chosen, forced) = (Vec::new(), Vec::new());
    let mut sources = Sources { whole, model, rules, judge, limits, states: 0, engine, chosen, forced };
    sources.count(0)?;
    let decided = split::search(&mut sources, u64::MAX)?.expect("patience without end");
    Ok((decided.unwrap_or_else(Verdict::Inconsistent), sources.engine))
}

/// The sources of open observations as a theory.
struct Sources<'a, J> {
    whole: &'a Execution,
    model: Model,
    rules: Rules,
    judge: J,
    limits: &'a Limits<'a>,
    states: u64,
    /// What was asked last.
    engine: Engine,
    chosen: Vec<Source>,
    /// What is forced before the first choice, and after each.
    forced: Vec<Vec<Source>>,
}

impl<J> Sources<'_, J> {
    /// The choices and what they forced.
    fn known(&self) -> Vec<Source> {
        let chosen = self.chosen.iter().map(Some).chain([None]);
        self.forced
            .iter()
            .zip(chosen)
            .flat_map(|(forced, chosen)| forced.iter().chain(chosen))
            .copied()
            .collect()
    }

    /// A violation depends on what it mentions; without a support on everything so far.
    fn refuted(&self, violation: Violation, support: Option<Support>) -> Refuted<Violation> {
        let rests_on =
            |&(of, source): &Source| support.as_ref().is_none_or(|support| support.has(of, source));
        for depth in (0..=self.chosen.len()).rev() {
            if self.forced[depth].iter().any(rests_on) {
                return refuted(given(&self.forced[depth], violation), depth);
            }
            if depth > 0 && rests_on(&self.chosen[depth - 1]) {
                return refuted(violation, depth);
            }
        }
        refuted(violation, 0)
    }
}

/// A violation that rests on so many cases, the first ones.
fn refuted(violation: Violation, cases: usize) -> Refuted<Violation> {
    // A path has room for as many edges again.
    let bytes = 2 * size_of::<Edge>() * (1 + violation.weight());
    Refuted { proof: violation, cases: (0..cases as u32).collect(), bytes }
}

fn violated(refutation: Refutation) -> Violation {
    Violation { axiom: Axiom::Sources, refutation }
}

/// A violation where these were forced.
fn given(forced: &[Source], violation: Violation) -> Violation {
    if forced.is_empty() {
        return violation;
    }
    violated(Refutation::Forced { sources: forced.to_vec(), then: Box::new(violation) })
}

fn consistent(mut sources: Vec<Source>, then: Witness) -> Verdict {
    sources.sort_unstable();
    Verdict::Consistent(Witness::Sources { sources, then: Box::new(then) })
}

impl<J: Fn(&Execution) -> (Verdict, Engine)> Theory for Sources<'_, J> {
    type Case = Source;
    type Proof = Violation;
    type Solution = Verdict;
    type Limit = Limit;

    fn count(&mut self, bytes: usize) -> Result<(), Limit> {
        self.states += 1;
        self.limits.check(self.states)?;
        let forced = self.forced.iter().map(|forced| forced.capacity() * size_of::<Source>());
        self.limits.check_memory(bytes + forced.sum::<usize>(), self.states)
    }

    fn next(&mut self) -> Result<Next<Self>, Limit> {
        let Forced { sources, x, next } =
            forced(self.whole.choosing(&self.known()), self.rules, self.limits)?;
        self.forced.push(sources);
        self.engine = engines(self.model)[0];
        if let forced::Next::NoSource(read) = next {
            return Ok(Next::Refuted(self.refuted(violated(Refutation::NoSource(read)), None)));
        }
        // A text is evaluated with the reads that have no source yet: what an absent event means it does not say.
        let by_text = self.model.family() == Family::Text;
        let asked = if by_text { x.clone() } else { x.without_open() };
        let (verdict, by) = (self.judge)(&asked);
        self.engine = by;
        let witness = match verdict {
            Verdict::Consistent(witness) => witness,
            Verdict::Inconsistent(violation) => {
                let support = Support::of(&x, &violation);
                return Ok(Next::Refuted(self.refuted(violation, support)));
            }
            Verdict::Undecided(limit) => return Err(limit),
            Verdict::Unsupported(_) => return Ok(Next::Solved(verdict)),
        };
        let forced::Next::Try(of, mut left) = next else {
            return Ok(Next::Solved(consistent(self.known(), witness)));
        };
        // Most histories that are consistent are so in a simple way: it is tried once.
        if self.chosen.is_empty()
            && let Some(guessed) = guess(&x, self.model, self.limits)?
            && let (Verdict::Consistent(witness), by) = (self.judge)(&x.choosing(&guessed).without_open())
        {
            self.engine = by;
            return Ok(Next::Solved(consistent([self.known(), guessed].concat(), witness)));
        }
        if self.chosen.len() == DEEPEST {
            return Err(Limit::States { states: self.states });
        }
        left.reverse();
        Ok(Next::Split(left.into_iter().map(|source| (of, source)).collect()))
    }

    fn assume(&mut self, source: Source) -> Result<Option<Refuted<Violation>>, Limit> {
        self.chosen.push(source);
        Ok(None)
    }

    fn retract(&mut self) {
        self.chosen.pop();
        self.forced.truncate(self.chosen.len() + 1);
    }

    fn join(&mut self, cases: Vec<(Source, Violation)>) -> Violation {
        let ((of, _), _) = cases[0];
        let cases = cases.into_iter().map(|((_, source), violation)| (source, violation)).collect();
        given(&self.forced[self.chosen.len()], violated(Refutation::Sources { of, cases }))
    }
}

//! Data races beside a verdict, in words.

use super::brief;
use crate::{Line, Verification};
use std::borrow::Cow;
use tribunal_engines::memory::races::{RacesError, first_race};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Limit, Race};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_verify::{verify_race_free, verify_races};

/// Whether a history has a data race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Racy {
    /// It has none.
    Free,
    /// It has this one.
    Race(Race),
    /// A limit was reached before that was known.
    Undecided(Limit),
}

impl Racy {
    /// Whether a history with a verdict is racy. None if nothing can race, or if there is no hb: po ∪ rf is cyclic, or the sources
    /// of reads are unknown.
    pub fn of(x: &Execution, model: Model, verdict: &Verdict, limits: &Limits<'_>) -> Option<Self> {
        if !model.has_races() || !x.features().non_atomic || matches!(verdict, Verdict::Unsupported(_)) {
            return None;
        }
        match first_race(&*chosen(x, verdict)?, model, limits) {
            Ok(None) => Some(Racy::Free),
            Ok(Some(race)) => Some(Racy::Race(race)),
            Err(RacesError::Limit(limit)) => Some(Racy::Undecided(limit)),
            Err(RacesError::Cyclic | RacesError::Open | RacesError::OtherModel(_)) => None,
        }
    }

    /// The text beside the word of a verdict: nothing if there is no race.
    pub fn beside(&self) -> &'static str {
        match self {
            Racy::Free => "",
            Racy::Race(_) => ", racy",
            Racy::Undecided(_) => ", perhaps racy",
        }
    }

    /// The lines that say why.
    pub fn explain(&self, x: &Execution) -> Vec<Line<EventId>> {
        match self {
            Racy::Free => Vec::new(),
            Racy::Race(race) => show_race(x, race),
            Racy::Undecided(limit) => vec![Line::new(0, &format!("perhaps racy: {limit}"))],
        }
    }

    /// Checks this from the definitions; none if there is nothing to check.
    pub fn verify(
        &self,
        x: &Execution,
        model: Model,
        verdict: &Verdict,
        limits: &Limits<'_>,
    ) -> Option<Verification> {
        let x = chosen(x, verdict)?;
        Some(Verification::of_memory(match self {
            Racy::Free => verify_race_free(&x, model, limits),
            Racy::Race(race) => verify_races(&x, model, &[*race], limits),
            Racy::Undecided(_) => return None,
        }))
    }
}

/// The history with the sources that a witness chose, if something is open.
pub fn chosen<'a>(x: &'a Execution, verdict: &Verdict) -> Option<Cow<'a, Execution>> {
    match verdict {
        _ if !x.is_open() => Some(Cow::Borrowed(x)),
        Verdict::Consistent(witness) => Some(Cow::Owned(x.choosing(witness.sources()))),
        _ => None,
    }
}

/// The lines that tell a race: the accesses, and why neither happens before the other.
pub fn show_race(x: &Execution, race: &Race) -> Vec<Line<EventId>> {
    let [first, second] = race.accesses;
    let text =
        format!("{} and {} are a data race: neither happens before the other", x.show(first), x.show(second));
    let mut lines = vec![Line { about: vec![first, second], ..Line::new(0, &text) }];
    let [known_first, known_second] = race.known;
    for (event, other, known) in [(second, first, known_second), (first, second, known_first)] {
        let Some(thread) = x.thread_of(other) else { continue };
        let (name, event_name) = (x.thread_name(thread), brief(x, event));
        let last = known.checked_sub(1).and_then(|index| x.event_at(thread, index));
        let text = match last {
            None => format!("nothing of {name} happens before {event_name}"),
            Some(last) => format!("the last of {name} that happens before {event_name} is {}", x.show(last)),
        };
        lines
            .push(Line { about: [Some(event), last].into_iter().flatten().collect(), ..Line::new(1, &text) });
    }
    lines
}

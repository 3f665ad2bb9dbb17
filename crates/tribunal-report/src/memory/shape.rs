//! The names that shapes of violations have in the literature, and what they say.

use crate::line::Arrow;
use crate::printable;
use tribunal_history::memory::{EventId, Execution, Kind};

/// Part of a cycle: an edge, or all of program order that the cycle takes in one thread at once.
#[derive(Clone, Copy)]
struct Leg {
    class: Class,
    from: EventId,
    to: EventId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Program order.
    Po,
    /// From a write to what reads from it.
    Rf,
    /// From a read to what overwrites what it read.
    Fr,
    /// Between writes of one location.
    Mo,
}

impl Class {
    fn of(name: &str) -> Self {
        match name {
            "po" | "ppo" | "po-loc" | "dep" => Class::Po,
            "rf" | "sw" => Class::Rf,
            "fr" => Class::Fr,
            _ => Class::Mo,
        }
    }
}

/// What a cycle of these steps is called and what it means, if it has a name.
pub(super) fn title(x: &Execution, steps: &[Arrow<EventId>]) -> Option<String> {
    let cycle = Shape { x, legs: legs(steps) };
    let thread = |event: EventId| cycle.thread(event);
    let one_location = {
        let mut locations = steps.iter().map(|step| x.loc(step.from));
        let first = locations.next().flatten();
        first.is_some() && locations.all(|location| location == first)
    };
    if one_location {
        let x = cycle.location(steps[0].from);
        if let Some(legs) = cycle.is("WR f") {
            let t = thread(legs[0].from);
            return Some(format!("coherence (CoWR): {t} writes {x} and then reads an older value"));
        }
        if let Some(legs) = cycle.is("rf RR f") {
            let t = thread(legs[1].from);
            return Some(format!("coherence (CoRR): {t} reads a newer value of {x} and then an older one"));
        }
        if let Some(legs) = cycle.is("RW rf") {
            let t = thread(legs[0].from);
            return Some(format!("coherence (CoRW1): {t} reads from its own later write of {x}"));
        }
        if let Some(legs) = cycle.is("rf RW mo") {
            let t = thread(legs[1].from);
            return Some(format!(
                "coherence (CoRW2): {t} overwrites what it read of {x}, yet comes before it"
            ));
        }
        if let Some(legs) = cycle.is("WW mo") {
            let t = thread(legs[0].from);
            return Some(format!("coherence (CoWW): {t} writes {x} twice, yet the first comes last"));
        }
    }
    if let Some(legs) = cycle.is("WR f WR f") {
        let (a, b) = (thread(legs[0].from), thread(legs[2].from));
        return Some(format!("store buffering: {a} and {b} each write and then miss the other's write"));
    }
    if let Some(legs) = cycle.is("WR f WR f WR f") {
        let (a, b, c) = (thread(legs[0].from), thread(legs[2].from), thread(legs[4].from));
        return Some(format!(
            "store buffering: {a}, {b} and {c} each write and then miss the next one's write"
        ));
    }
    if let Some(legs) = cycle.is("WW rf RR f") {
        let (a, b) = (thread(legs[0].from), thread(legs[2].from));
        return Some(format!("message passing: {b} sees the later write of {a} but misses the earlier one"));
    }
    if let Some(legs) = cycle.is("RW rf RW rf") {
        let (a, b) = (thread(legs[0].from), thread(legs[2].from));
        return Some(format!("load buffering: {a} and {b} each read what the other writes only afterwards"));
    }
    if let Some(legs) = cycle.is("rf RR f rf RR f") {
        let (c, d) = (thread(legs[1].from), thread(legs[4].from));
        let (a, b) = (thread(legs[0].from), thread(legs[3].from));
        let writers = if a == b { a } else { format!("{a} and {b}") };
        return Some(format!(
            "independent reads of independent writes: {c} and {d} see the writes of {writers} in opposite orders"
        ));
    }
    if let Some(legs) = cycle.is("rf RW rf RR f") {
        let (a, b, c) = (thread(legs[0].from), thread(legs[1].from), thread(legs[3].from));
        return Some(format!(
            "write-to-read causality: {c} sees what {b} wrote after seeing {a}, but misses {a}"
        ));
    }
    if let Some(legs) = cycle.is("WW rf RW rf RR f") {
        let (a, b, c) = (thread(legs[0].from), thread(legs[2].from), thread(legs[4].from));
        return Some(format!("message passing through {b}: {c} misses the first write of {a}"));
    }
    if let Some(legs) = cycle.is("rf RR f WR f") {
        let (a, b) = (thread(legs[0].from), thread(legs[1].from));
        let c = thread(legs[3].from);
        if a == b {
            return Some(format!(
                "store buffering: {a} sees its own write early, and {a} and {c} miss each other's writes"
            ));
        }
        return Some(format!(
            "read-to-write causality: {b} sees the write of {a} but misses {c}, which misses {a}"
        ));
    }
    if cycle.is("WW mo WR f").is_some() {
        return Some(
            "shape R: a thread's second write is overwritten by one that then misses its first".into(),
        );
    }
    if cycle.is("WW rf RW mo").is_some() {
        return Some(
            "shape S: a thread sees another's second write and then writes, yet comes before the first"
                .into(),
        );
    }
    if let Some(legs) = cycle.is("WW mo WW mo") {
        let (a, b) = (thread(legs[0].from), thread(legs[2].from));
        return Some(format!(
            "2+2W: {a} and {b} write in opposite orders, and each first write would come last"
        ));
    }
    cycle.in_general()
}

/// What it means that two RMWs read from one write.
pub(super) fn atomicity(x: &Execution, rmws: [EventId; 2]) -> String {
    let shape = Shape { x, legs: Vec::new() };
    let [a, b] = rmws.map(|rmw| super::brief(x, rmw));
    format!("RMW atomicity: {a} and {b} both update the same value of {}", shape.location(rmws[0]))
}

struct Shape<'a> {
    x: &'a Execution,
    legs: Vec<Leg>,
}

impl Shape<'_> {
    fn thread(&self, event: EventId) -> String {
        match self.x.thread_of(event) {
            Some(thread) => printable(self.x.thread_name(thread)).into_owned(),
            None => "the start".into(),
        }
    }

    fn location(&self, event: EventId) -> String {
        let location = self.x.loc(event).map_or("", |loc| self.x.location_name(loc));
        printable(location).into_owned()
    }

    /// The legs, from wherever they match: `WR` is program order from a write to a read, `rf`, `f` and `mo` are edges.
    fn is(&self, shape: &str) -> Option<Vec<Leg>> {
        let parts: Vec<&str> = shape.split(' ').collect();
        if parts.len() != self.legs.len() {
            return None;
        }
        let fits = |leg: &Leg, part: &str| match part {
            "rf" => leg.class == Class::Rf,
            "f" => leg.class == Class::Fr,
            "mo" => leg.class == Class::Mo,
            kinds => {
                let mut kinds = kinds.chars();
                leg.class == Class::Po
                    && [leg.from, leg.to].into_iter().all(|event| self.may_be(event, kinds.next()))
            }
        };
        let turned = (0..self.legs.len()).map(|turn| {
            let mut legs = self.legs.clone();
            legs.rotate_left(turn);
            legs
        });
        let fitting = turned.filter(|legs| legs.iter().zip(&parts).all(|(leg, part)| fits(leg, part)));
        fitting.min_by_key(|legs| legs[0].from)
    }

    /// Whether an event may stand for a read or a write; a fence stands for the access that it is there for.
    fn may_be(&self, event: EventId, kind: Option<char>) -> bool {
        match self.x.label(event).kind() {
            Kind::Rmw | Kind::Fence => true,
            Kind::Read => kind == Some('R'),
            Kind::Write => kind == Some('W'),
        }
    }

    /// What can be said of shapes without a name.
    fn in_general(&self) -> Option<String> {
        let of = |class: Class| self.legs.iter().filter(move |leg| leg.class == class);
        let (fr, mo, rf) = (of(Class::Fr).count(), of(Class::Mo).count(), of(Class::Rf).count());
        if mo > 0 && mo == self.legs.len() {
            let location = self.location(self.legs[0].from);
            return Some(format!("the writes of {location} cannot be put in one order"));
        }
        match (fr, mo) {
            (1, 0) => of(Class::Fr).next().map(|leg| {
                let (read, by) = (super::brief(self.x, leg.from), super::brief(self.x, leg.to));
                format!("a stale read: {read} misses {by}, which comes before it")
            }),
            (0, 0) if rf > 0 => Some("a value out of thin air: it is read before it can be written".into()),
            _ => None,
        }
    }
}

/// The steps, those of program order in one thread taken together.
fn legs(steps: &[Arrow<EventId>]) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for step in steps {
        let class = Class::of(step.name);
        match legs.last_mut() {
            Some(leg) if leg.class == Class::Po && class == Class::Po => leg.to = step.to,
            _ => legs.push(Leg { class, from: step.from, to: step.to }),
        }
    }
    // Around the end, too.
    if let ([first, .., last], true) = (legs.as_slice(), legs.len() > 1)
        && first.class == Class::Po
        && last.class == Class::Po
    {
        let from = last.from;
        legs.pop();
        legs[0].from = from;
    }
    legs
}

//! Closures and cycles.
//!
//! Both go through events in a topological order of their components, so that a row is complete when it is used: a
//! successor that another one reaches is skipped. So a closure costs as many rows as the relation has pairs that
//! no others imply: for program order of k threads about k an event, where pairs are up to n.

use super::{Relation, bits};
use crate::limits::{Pace, Stopped, unlimited};

impl Relation {
    /// `self+`: the transitive closure.
    pub fn plus(&self) -> Relation {
        let mut plus = self.clone();
        plus.close();
        plus
    }

    /// `self*`: the reflexive transitive closure.
    pub fn star(&self) -> Relation {
        self.plus().reflexive()
    }

    /// Makes it transitive, in place.
    pub fn close(&mut self) {
        unlimited(|pace| self.close_within(pace));
    }

    /// The same, polling. Of a relation that is not done, nothing is known but that it is contained in the closure.
    pub fn close_within(&mut self, pace: &mut Pace<'_>) -> Result<(), Stopped> {
        if self.size() <= 64 {
            self.close_small();
            return Ok(());
        }
        pace.spend(self.words())?;
        match self.topological() {
            Some(order) => self.close_along(&order, pace),
            None => self.close_by_rows(pace),
        }
    }

    /// Warshall's algorithm over rows of one word.
    fn close_small(&mut self) {
        for b in 0..self.size() {
            let row = self.rows.bits[b];
            if row != 0 {
                for a in &mut self.rows.bits {
                    // All ones where (a, b) holds: no branch, so that the rows go through together.
                    *a |= row & (*a >> b & 1).wrapping_neg();
                }
            }
        }
    }

    fn close_by_rows(&mut self, pace: &mut Pace<'_>) -> Result<(), Stopped> {
        let words = bits::words(self.size());
        let mut unions = 0;
        for b in 0..self.size() {
            for a in 0..self.size() {
                if a != b && self.contains(a, b) {
                    self.rows.extend_row(a, b);
                    unions += 1;
                }
            }
            pace.unions(&mut unions, words)?;
        }
        Ok(())
    }

    /// Invariant: the rows of all events later in the order are closed. A successor that another one reaches is skipped; those with smaller
    /// numbers are taken first, since in most executions they reach more.
    fn close_along(&mut self, order: &[usize], pace: &mut Pace<'_>) -> Result<(), Stopped> {
        let words = bits::words(self.size());
        let mut reached = vec![0; words];
        let mut unions = 0;
        for &a in order.iter().rev() {
            reached.fill(0);
            for word in 0..words {
                loop {
                    let new = self.row(a)[word] & !reached[word];
                    if new == 0 {
                        break;
                    }
                    let b = 64 * word + new.trailing_zeros() as usize;
                    bits::insert(&mut reached, b);
                    bits::union(&mut reached, self.row(b));
                    unions += 1;
                }
            }
            self.row_mut(a).copy_from_slice(&reached);
            pace.unions(&mut unions, words)?;
        }
        Ok(())
    }

    /// Whether it has no cycle.
    pub fn is_acyclic(&self) -> bool {
        if self.size() <= 64 { self.is_acyclic_small() } else { self.topological().is_some() }
    }

    /// Takes events out that nothing leads to, until none is left.
    fn is_acyclic_small(&self) -> bool {
        let mut rest = (0..self.size()).fold(0, |rest, a| rest | u64::from(self.rows.bits[a] != 0) << a);
        while rest != 0 {
            let mut led_to = 0;
            let mut from = rest;
            while from != 0 {
                led_to |= self.rows.bits[from.trailing_zeros() as usize];
                from &= from - 1;
            }
            if led_to & rest == rest {
                return false;
            }
            rest &= led_to;
        }
        true
    }

    /// The events in an order that contains the relation, or `None` if it has a cycle. Each pair is visited at most once: a row is
    /// processed a word at a time, without visited events.
    pub fn topological(&self) -> Option<Vec<usize>> {
        self.depth_first().ok()
    }

    /// A cycle: its events in order, each related to the next and the last to the first. It is shortest through one of its events.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let on_cycle = self.depth_first().err()?;
        self.path(on_cycle, on_cycle).map(|mut path| {
            path.pop();
            path
        })
    }

    /// A shortest nonempty path, including both ends.
    pub fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        const NONE: usize = usize::MAX;
        let mut before = vec![NONE; self.size()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(a) = queue.pop_front() {
            for b in bits::members(self.row(a)) {
                if before[b] != NONE {
                    continue;
                }
                before[b] = a;
                if b == to {
                    let mut path = vec![to, a];
                    while path[path.len() - 1] != from {
                        path.push(before[path[path.len() - 1]]);
                    }
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(b);
            }
        }
        None
    }

    /// A topological order, or an event on a cycle.
    fn depth_first(&self) -> Result<Vec<usize>, usize> {
        let size = self.size();
        let words = bits::words(size);
        let (mut unvisited, mut open) = (vec![0; words], vec![0; words]);
        bits::fill(&mut unvisited, size);
        let mut order = Vec::with_capacity(size);
        // An event under way, and the first word of its row that may have something new.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for root in 0..size {
            if !bits::contains(&unvisited, root) {
                continue;
            }
            bits::remove(&mut unvisited, root);
            bits::insert(&mut open, root);
            stack.push((root, 0));
            while let Some((a, word)) = stack.last_mut() {
                let row = self.row(*a);
                let new = loop {
                    if *word == words {
                        break None;
                    }
                    if let back = row[*word] & open[*word]
                        && back != 0
                    {
                        return Err(64 * *word + back.trailing_zeros() as usize);
                    }
                    let new = row[*word] & unvisited[*word];
                    if new != 0 {
                        break Some(64 * *word + new.trailing_zeros() as usize);
                    }
                    *word += 1;
                };
                match new {
                    Some(b) => {
                        bits::remove(&mut unvisited, b);
                        bits::insert(&mut open, b);
                        stack.push((b, 0));
                    }
                    None => {
                        bits::remove(&mut open, *a);
                        order.push(*a);
                        stack.pop();
                    }
                }
            }
        }
        order.reverse();
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relations of many shapes and sizes.
    fn relations() -> impl Iterator<Item = Relation> {
        let mut numbers = tribunal_random::Random::new(1);
        let mut random = move |below: usize| numbers.index(below);
        (0..400).map(move |i| {
            let size = 1 + random(if i % 2 == 0 { 20 } else { 150 });
            let pairs = random(3 * size + 1);
            let forward = random(2) == 0;
            let pairs: Vec<_> = (0..pairs).map(|_| (random(size), random(size))).collect();
            let pairs = pairs.into_iter().filter(|(a, b)| !forward || a < b);
            Relation::of(size, pairs)
        })
    }

    fn closed_by_definition(r: &Relation) -> Relation {
        let mut plus = r.clone();
        while plus.extend(&plus.sequence(r)) {}
        plus
    }

    #[test]
    fn closures_are_least() {
        for r in relations() {
            assert_eq!(r.plus(), closed_by_definition(&r), "{r:?}");
        }
    }

    #[test]
    fn a_long_closure_polls() {
        let size = 2_000;
        let cycle = Relation::of(size, (0..size).map(|a| (a, (a + 1) % size)));
        let mut polls = 0;
        let mut count = |_: usize, _: u64| {
            polls += 1;
            Ok(())
        };
        let mut closed = cycle.clone();
        assert_eq!(closed.close_within(&mut Pace::new(&mut count)), Ok(()));
        assert!(closed == Relation::full(size) && polls > 100, "{polls} polls");
        let mut stop = |_: usize, _: u64| Err(Stopped);
        assert_eq!(cycle.clone().close_within(&mut Pace::new(&mut stop)), Err(Stopped));
        let mut sequence = Relation::empty(size);
        let stopped = closed.sequence_within(&closed, &mut sequence, &mut Pace::new(&mut stop));
        assert_eq!(stopped, Err(Stopped));
    }

    #[test]
    fn cycles_are_found_where_the_closure_has_one() {
        for r in relations() {
            let acyclic = closed_by_definition(&r).is_irreflexive();
            assert_eq!(r.is_acyclic(), acyclic, "{r:?}");
            assert_eq!(r.topological().is_some(), acyclic);
            if let Some(order) = r.topological() {
                let place = |e| order.iter().position(|&o| o == e);
                assert!(r.pairs().all(|(a, b)| place(a) < place(b)));
            }
            match r.cycle() {
                Some(cycle) => {
                    let next = cycle.iter().skip(1).chain(&cycle);
                    assert!(cycle.iter().zip(next).all(|(&a, &b)| r.contains(a, b)), "{cycle:?} in {r:?}");
                }
                None => assert!(acyclic),
            }
        }
    }
}

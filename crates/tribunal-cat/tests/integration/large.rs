//! Long traces: 10,000 events of a machine with store buffers, under the text of models.
//!
//! `cargo test --release -p tribunal-cat --test integration large -- --ignored --nocapture` prints durations.

use crate::by_hand::Random;
use std::time::Instant;
use tribunal_cat::limits::Unlimited;
use tribunal_cat::plan::Facts;
use tribunal_cat::relation::{Relation, Set};
use tribunal_cat::{Environment, Model, NoFiles};
use tribunal_engines::memory::definition::{Decider, Verdict};

const SC: &str = "acyclic po | rf | co | fr as sequential";
const TSO: &str = "let ppo = (po & M * M) \\ ((W \\ R) * (R \\ W))
let fenced = [M]; po; [F & SC]; po; [M]
acyclic po-loc | rf | co | fr as per-location
acyclic ppo | fenced | rfe | co | fr as global";
const RA: &str = "let hb = (po | rf)+
acyclic po | rf as po-rf
irreflexive co; rf?; hb? as write-coherence
irreflexive fr; rf?; hb as read-coherence
irreflexive fr; co as atomicity";

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Read,
    Write,
    Fence,
}

/// The events of each thread after those of the threads before it, then the initial writes.
struct Trace {
    thread: Vec<usize>,
    kind: Vec<Kind>,
    location: Vec<usize>,
    /// Of each read.
    source: Vec<usize>,
    events: usize,
}

impl Trace {
    /// A run of a machine in which writes wait in buffers; `threads` of equal length.
    fn of_store_buffers(random: &mut Random, events: usize, threads: usize, locations: usize) -> Trace {
        let length = events / threads;
        let events = length * threads;
        let mut trace = Trace {
            thread: (0..events).map(|event| event / length).collect(),
            kind: vec![Kind::Fence; events],
            location: vec![0; events],
            source: vec![0; events],
            events,
        };
        trace.thread.extend(vec![usize::MAX; locations]);
        trace.kind.extend(vec![Kind::Write; locations]);
        trace.location.extend(0..locations);
        trace.source.extend(vec![0; locations]);
        let mut memory: Vec<usize> = (events..events + locations).collect();
        let mut buffers: Vec<std::collections::VecDeque<usize>> = vec![Default::default(); threads];
        let mut next: Vec<usize> = (0..threads).map(|thread| thread * length).collect();
        let mut left = events;
        while left > 0 {
            let thread = random.index(threads);
            if random.index(3) == 0
                && let Some(write) = buffers[thread].pop_front()
            {
                memory[trace.location[write]] = write;
                continue;
            }
            if next[thread] == (thread + 1) * length {
                continue;
            }
            let (event, location) = (next[thread], random.index(locations));
            match random.index(20) {
                0 if !buffers[thread].is_empty() => continue,
                0 => trace.kind[event] = Kind::Fence,
                1..8 => {
                    trace.kind[event] = Kind::Write;
                    trace.location[event] = location;
                    buffers[thread].push_back(event);
                }
                _ => {
                    trace.kind[event] = Kind::Read;
                    trace.location[event] = location;
                    let own = buffers[thread].iter().rev().find(|&&write| trace.location[write] == location);
                    trace.source[event] = own.copied().unwrap_or(memory[location]);
                }
            }
            next[thread] += 1;
            left -= 1;
        }
        trace
    }

    fn pairs(&self, into: &mut Relation, of: impl Fn(usize) -> usize) {
        let size = self.size();
        let mut groups: Vec<Set> = Vec::new();
        for event in 0..size {
            let group = of(event);
            if group < usize::MAX {
                groups.resize_with(groups.len().max(group + 1), || Set::empty(size));
                groups[group].insert(event);
            }
        }
        groups.iter().for_each(|group| into.extend_product(group, group));
    }
}

impl Facts for Trace {
    fn size(&self) -> usize {
        self.kind.len()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        for event in 0..self.size() {
            let holds = match name {
                "R" => self.kind[event] == Kind::Read,
                "W" => self.kind[event] == Kind::Write,
                "M" => self.kind[event] != Kind::Fence,
                "IW" => event >= self.events,
                "F" | "SC" => self.kind[event] == Kind::Fence,
                _ => false,
            };
            if holds {
                into.insert(event);
            }
        }
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let size = self.size();
        match name {
            "po" => {
                for thread in 0..=self.thread[self.events - 1] {
                    let events: Vec<usize> = (0..self.events).filter(|&e| self.thread[e] == thread).collect();
                    let mut after = Set::empty(size);
                    for &event in events.iter().rev() {
                        into.extend_row_with(event, &after);
                        after.insert(event);
                    }
                }
            }
            "loc" => {
                self.pairs(into, |e| if self.kind[e] == Kind::Fence { usize::MAX } else { self.location[e] })
            }
            "int" => self.pairs(into, |e| self.thread[e]),
            "ext" => {
                let mut int = Relation::empty(size);
                self.pairs(&mut int, |e| self.thread[e]);
                int.complement_into(into);
                let init = Set::of(size, self.events..size);
                into.subtract_product(&init, &init);
            }
            "rf" => (0..self.events)
                .filter(|&e| self.kind[e] == Kind::Read)
                .for_each(|read| into.insert(self.source[read], read)),
            _ => {}
        }
        true
    }
}

fn decide(text: &str, trace: &Trace) -> (Verdict, f64) {
    let model = Model::parse(text, "test.cat", &mut NoFiles).expect("a model");
    let plan = model.plan(&Environment::history()).expect("a plan");
    let start = Instant::now();
    let mut decider = Decider::new(&plan, &[]);
    decider.load(trace).expect("all names");
    let loaded = start.elapsed().as_secs_f64();
    let verdict = decider.decide(&[], &mut Unlimited).expect("no limit");
    let seconds = start.elapsed().as_secs_f64();
    if let Verdict::Inconsistent(Some(refutation)) = &verdict {
        let start = Instant::now();
        assert_eq!(refutation.verify(&plan, trace, &[]), Ok(()));
        eprintln!(
            "  {} clauses, {} cases, verified in {:.3} s",
            refutation.clauses.len(),
            refutation.cases.len(),
            start.elapsed().as_secs_f64()
        );
    }
    eprintln!(
        "  loaded in {loaded:.3} s, decided in {seconds:.3} s, {} MB",
        decider.bytes_for(trace.size()) >> 20
    );
    (verdict, seconds)
}

#[test]
fn traces_of_store_buffers_are_of_tso() {
    let mut random = Random::new(1);
    let trace = Trace::of_store_buffers(&mut random, 2400, 8, 6);
    assert!(matches!(decide(TSO, &trace).0, Verdict::Consistent(_)));
    assert!(matches!(decide(SC, &trace).0, Verdict::Inconsistent(_)));
}

#[test]
#[ignore = "takes long unless optimized"]
fn ten_thousand_events() {
    for locations in [4, 16, 64] {
        let mut random = Random::new(2);
        let trace = Trace::of_store_buffers(&mut random, 10_000, 8, locations);
        for (name, text) in [("tso", TSO), ("sc", SC), ("ra", RA)] {
            eprintln!("{name}, {locations} locations");
            let (verdict, _) = decide(text, &trace);
            // What buffers allow, tso and ra allow; so long a trace of theirs is none of sc.
            assert_eq!(
                matches!(verdict, Verdict::Consistent(_)),
                name != "sc",
                "{name}, {locations} locations"
            );
        }
    }
}

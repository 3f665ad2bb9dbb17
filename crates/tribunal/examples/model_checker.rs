//! A small model checker: every interleaving of two threads, and every write that a read may observe.

use std::collections::BTreeSet;
use tribunal::memory::Order::Relaxed;
use tribunal::memory::{LocId, Session, ThreadId};
use tribunal::{Checker, Model};

/// What a thread does next: write 1 to a variable, or read it.
#[derive(Clone, Copy)]
enum Step {
    Write(usize),
    Read(usize),
}

/// Store buffering: each thread writes one variable and reads the other.
const PROGRAM: [[Step; 2]; 2] = [[Step::Write(0), Step::Read(1)], [Step::Write(1), Step::Read(0)]];

struct Search {
    session: Session,
    checker: Checker,
    threads: [ThreadId; 2],
    variables: [LocId; 2],
    /// How far each thread is, and what it has read.
    done: [usize; 2],
    read: [u8; 2],
    outcomes: BTreeSet<[u8; 2]>,
}

impl Search {
    fn new(model: Model) -> Result<Self, Box<dyn std::error::Error>> {
        let mut session = Session::new(model)?;
        let threads = [session.thread(), session.thread()];
        let variables = [session.location(), session.location()];
        let checker = Checker::new(model);
        Ok(Search {
            session,
            checker,
            threads,
            variables,
            done: [0; 2],
            read: [0; 2],
            outcomes: BTreeSet::new(),
        })
    }

    /// Tries every way on from here.
    fn explore(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        if self.done == [2; 2] && self.checker.check(&self.session.execution()?).is_consistent() {
            self.outcomes.insert(self.read);
        }
        for (t, steps) in PROGRAM.iter().enumerate() {
            let Some(&step) = steps.get(self.done[t]) else { continue };
            self.done[t] += 1;
            match step {
                Step::Write(variable) => {
                    let before = self.session.mark();
                    self.session.write(self.threads[t], self.variables[variable], Relaxed);
                    self.explore()?;
                    self.session.undo(before);
                }
                Step::Read(variable) => {
                    let variable = self.variables[variable];
                    let initial = self.session.initial(variable);
                    for write in self.session.candidates(self.threads[t], variable, Relaxed).to_vec() {
                        let before = self.session.mark();
                        self.session.read(self.threads[t], write, Relaxed)?;
                        self.read[t] = u8::from(Some(write) != initial);
                        self.explore()?;
                        self.session.undo(before);
                    }
                }
            }
            self.done[t] -= 1;
        }
        Ok(())
    }
}

/// The outcomes under some models, a line each.
pub fn outcomes() -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for model in [Model::Sc, Model::Tso, Model::Ra] {
        let mut search = Search::new(model)?;
        search.explore()?;
        text += &format!("{model}: {:?}\n", search.outcomes);
    }
    Ok(text)
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", outcomes()?);
    Ok(())
}

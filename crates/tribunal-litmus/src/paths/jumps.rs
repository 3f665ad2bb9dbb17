//! Branches and jumps: which ways there are.

use std::borrow::Cow;

use super::state::{Few, Scope, State, Temp};
use super::{Kind, Runner, Step, truth};
use crate::error::Fault;
use crate::micro::Temporary;
use crate::term::TermId;
use crate::value::{Binary, Value};

impl<'a> Runner<'a> {
    pub(super) fn label(&self, state: &State<'a>, target: &str) -> Result<usize, Fault> {
        let labels = &self.threads[state.code].labels;
        let found = labels.get(target).copied().or_else(|| relative(target, state.pc));
        found.ok_or_else(|| {
            Fault::new(self.position(state), format!("P{} has no label `{target}`", self.thread.number))
        })
    }

    /// Whether the way goes on: what is assumed may be known to be wrong.
    pub(super) fn assume(&self, state: &mut State<'a>, term: TermId, holds: bool) -> bool {
        match self.terms.known(term) {
            Some(value) => truth(value).is_none_or(|truth| truth == holds),
            None => {
                state.path.assumptions.push((term, holds));
                true
            }
        }
    }

    pub(super) fn branch(
        &mut self,
        state: &mut State<'a>,
        condition: Temporary,
        target: &str,
    ) -> Result<Step, Fault> {
        let condition = state.temp(condition, self.zero);
        let target = self.label(state, target)?;
        self.emit(state, Kind::Branch, None, condition.origin)?;
        state.ctrl |= condition.taint;
        let mut taken = state.clone();
        if self.assume(&mut taken, condition.term, true) {
            let counted = !(self.how.known_loops && self.terms.known(condition.term).is_some());
            if let Step::On = self.jump(&mut taken, target, counted)? {
                self.work.push(taken);
            }
        }
        Ok(if self.assume(state, condition.term, false) { Step::On } else { Step::End })
    }

    pub(super) fn code_address(&mut self, state: &mut State<'a>, at: usize, into: Temporary) {
        let code = Value::Code(state.code as u16, at as u16);
        let term = self.terms.constant(code);
        state.give(into, Temp { term, taint: Few::EMPTY, control: Few::EMPTY, origin: Few::EMPTY });
    }

    /// To a known address, or to every label whose address this may be.
    pub(super) fn jump_to(&mut self, state: &mut State<'a>, target: Temporary) -> Result<Step, Fault> {
        let target = state.temp(target, self.zero);
        if let Some(value) = self.terms.known(target.term) {
            let Value::Code(code, at) = value else { return Ok(self.stop(state)) };
            self.emit(state, Kind::Branch, None, target.origin)?;
            state.ctrl |= target.taint;
            return self.enter(state, code, at);
        }
        self.emit(state, Kind::Branch, None, target.origin)?;
        state.ctrl |= target.taint;
        for (code, thread) in self.threads.iter().enumerate() {
            let mut places: Vec<u16> = thread.labels.values().map(|at| *at as u16).collect();
            places.sort_unstable();
            places.dedup();
            for at in places {
                let mut taken = state.clone();
                let address = self.terms.constant(Value::Code(code as u16, at));
                let same = self.terms.binary(Binary::Eq, target.term, address);
                if self.assume(&mut taken, same, true)
                    && let Step::On = self.enter(&mut taken, code as u16, at)?
                {
                    self.work.push(taken);
                }
            }
        }
        Ok(Step::End)
    }

    /// Goes on at an address; back in the same code that is a loop's next round.
    pub(super) fn enter(&mut self, state: &mut State<'a>, code: u16, at: u16) -> Result<Step, Fault> {
        let other = usize::from(code) != state.code;
        if usize::from(code) >= self.threads.len() {
            return Ok(self.stop(state));
        }
        state.code = usize::from(code);
        // A call of another thread's code, or a return, is not a loop: the number of steps bounds them.
        self.jump(state, usize::from(at), !other)
    }

    pub(super) fn stop(&mut self, state: &mut State<'a>) -> Step {
        let done = std::mem::replace(state, state.clone_empty());
        self.finish(done);
        Step::End
    }

    pub(super) fn jump(
        &mut self,
        state: &mut State<'a>,
        target: usize,
        counted: bool,
    ) -> Result<Step, Fault> {
        if counted && target < state.pc && state.round(target) > self.how.unroll {
            return self.cut(state);
        }
        state.pc = target;
        state.frames.clear();
        Ok(Step::On)
    }

    /// The loop would go on: the way ends here, marked.
    pub(super) fn cut(&mut self, state: &mut State<'a>) -> Result<Step, Fault> {
        state.instance += 1;
        let event = self.emit(state, Kind::Cut, None, Few::EMPTY)?;
        state.at(event).sets = self.intern(state, &[Cow::Borrowed("CutOff")])?;
        state.path.cut = true;
        let done = std::mem::replace(state, state.clone_empty());
        self.finish(done);
        Ok(Step::End)
    }

    pub(super) fn unless(
        &mut self,
        state: &mut State<'a>,
        condition: Temporary,
        target: &str,
        until: &str,
        repeats: bool,
    ) -> Result<Step, Fault> {
        let condition = state.temp(condition, self.zero);
        let (target, until) = (self.label(state, target)?, self.label(state, until)?);
        let entry = state.pc;
        state.scopes.push(Scope { until, taint: condition.taint | condition.control });
        let mut skipped = state.clone();
        if self.assume(&mut skipped, condition.term, false) {
            skipped.pc = target;
            skipped.frames.clear();
            skipped.rounds.retain(|(at, _)| *at != entry || !repeats);
            self.work.push(skipped);
        }
        if !self.assume(state, condition.term, true) {
            return Ok(Step::End);
        }
        if repeats && state.round(entry) > self.how.unroll {
            return self.cut(state);
        }
        Ok(Step::On)
    }
}

/// `.+8`: the instruction so many bytes on, each of four; `next` is the one after this.
fn relative(target: &str, next: usize) -> Option<usize> {
    let bytes: i64 = target.strip_prefix('.')?.parse().ok()?;
    let here = i64::try_from(next).ok()?.checked_sub(1)?;
    (bytes % 4 == 0).then(|| usize::try_from(here + bytes / 4).ok()).flatten()
}

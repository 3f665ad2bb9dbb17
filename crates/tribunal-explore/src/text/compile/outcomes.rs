//! Outcomes and claims: expressions over the registers of ended threads and the final values of locations.

use super::expressions::unknown;
use super::{Compiled, Compiler};
use crate::text::code::{Address, Claim, Instruction, Register};
use crate::text::error::Mistake;
use crate::text::syntax::{Expr, Name, Target};
use tribunal_history::memory::LocId;

impl<'a> Compiler<'a> {
    /// What an outcome is: what the program says, or all registers.
    pub(super) fn outcomes(&mut self) -> Compiled<()> {
        debug_assert!(self.frames.is_empty(), "the threads are compiled");
        let file = self.file;
        match &file.outcome {
            Some(values) => {
                for (value, text) in values {
                    let entry = self.value(value)?;
                    self.code.outcome.push((text.clone(), entry));
                }
            }
            None => {
                let all = self.registers.clone().into_iter().enumerate();
                for (thread, (name, register)) in
                    all.flat_map(|(thread, registers)| registers.into_iter().map(move |r| (thread, r)))
                {
                    let unique = self.owners(name).len() == 1;
                    let full = || format!("{}.{name}", self.code.threads[thread]);
                    let label = if unique { name.to_string() } else { full() };
                    let entry = self.emit(Instruction::Get(register))?;
                    self.emit(Instruction::End)?;
                    self.code.outcome.push((label, entry));
                }
            }
        }
        for claim in &file.claims {
            self.at = claim.at;
            let entry = self.value(&claim.condition)?;
            self.code.claims.push(Claim { kind: claim.kind, entry, text: claim.text.clone() });
        }
        Ok(())
    }

    fn value(&mut self, value: &'a Expr) -> Compiled<Address> {
        self.only_values(value)?;
        let entry = self.next();
        self.expression(value)?;
        self.emit(Instruction::End)?;
        Ok(entry)
    }

    /// Nothing is accessed any more.
    fn only_values(&self, value: &'a Expr) -> Compiled<()> {
        match value {
            Expr::Rmw { at, .. } | Expr::Cas { at, .. } | Expr::TryLock(at) => {
                let (what, place) = ("a read-modify-write", "in threads, `main` and `final`");
                Err(Mistake::Misplaced { what, place }.at(at.name.at))
            }
            Expr::Not(operand) | Expr::Complement(operand) | Expr::Negative(operand) => {
                self.only_values(operand)
            }
            Expr::Row { first, rest } => {
                self.only_values(first)?;
                rest.iter().try_for_each(|(_, operand)| self.only_values(operand))
            }
            _ => Ok(()),
        }
    }

    /// The value that is last in the modification order.
    pub(super) fn final_value(&mut self, of: &'a Target, order: Option<&'a Name>) -> Compiled<()> {
        if let Some(order) = order {
            let (expected, found) =
                ("a final value, which has no order".into(), format!("`@{}`", order.text));
            return Err(Mistake::Expected { expected, found }.at(order.at));
        }
        let Some(shared) = self.locations.get(of.name.text.as_str()).copied() else {
            return Err(unknown(&of.name));
        };
        let wrong = |is, wanted| Mistake::WrongKind { name: of.name.text.clone(), is, wanted }.at(of.name.at);
        let offset = match (shared.length, &of.index) {
            (None, None) => 0,
            (None, Some(_)) => return Err(wrong("one location", "an array")),
            (Some(_), None) => return Err(wrong("an array", "one location of it")),
            (Some(length), Some(index)) => {
                let value = self.number(index, "an index in an outcome")?;
                let offset = u32::try_from(value).ok().filter(|&offset| offset < length);
                let (what, wanted) = ("an index", "less than the length of the array");
                offset.ok_or_else(|| Mistake::OutOfRange { what, value, wanted }.at(of.name.at))?
            }
        };
        let loc = LocId(shared.base.0 + offset);
        let place = *self.finals.entry(loc).or_insert_with(|| {
            self.code.finals.push(loc);
            self.code.finals.len() as u32 - 1
        });
        self.emit(Instruction::Final(place))?;
        Ok(())
    }

    /// The threads that have a register of this name, and the register.
    fn owners(&self, name: &str) -> &[(usize, Register)] {
        self.owners.get(name).map_or(&[], Vec::as_slice)
    }

    /// The register that only one thread has.
    pub(super) fn register_named(&self, name: &Name) -> Compiled<Register> {
        match self.owners(&name.text) {
            [] => Err(unknown(name)),
            &[(_, register)] => Ok(register),
            &[(first, _), (second, _), ..] => {
                let [first, second] = [first, second].map(|thread| self.code.threads[thread].clone());
                Err(Mistake::Ambiguous { name: name.text.clone(), first, second }.at(name.at))
            }
        }
    }

    /// A register of a thread, by the names of both.
    pub(super) fn register_of(&self, thread: &Target, register: &Name) -> Compiled<Register> {
        let name = match &thread.index {
            Some(index) => format!("{}[{}]", thread.name.text, self.number(index, "the number of a thread")?),
            None => thread.name.text.clone(),
        };
        let thread_number = if name == "main" { Some(&0) } else { self.threads.get(&name) };
        let Some(&number) = thread_number else {
            let hint = "threads are declared with `thread`, their copies are named with an index";
            return Err(Mistake::Unknown { name, hint }.at(thread.name.at));
        };
        // Threads are compiled in the order of their numbers, but for the main thread, which is last.
        let owners = self.owners(&register.text);
        let compiled = |thread: usize| thread.wrapping_sub(1);
        let place = owners.binary_search_by_key(&compiled(number), |&(thread, _)| compiled(thread));
        place.map(|place| owners[place].1).map_err(|_| unknown(register))
    }
}

//! Looking through micro-operations before they become steps.

use tribunal_litmus::Thread;
use tribunal_litmus::micro::{Micro, Register, Temporary};
use tribunal_litmus::value::{Binary, Value};

/// Every register that the thread names.
pub(super) fn registers(thread: &Thread) -> Vec<Register> {
    fn collect(micros: &[Micro], into: &mut Vec<Register>) {
        for micro in micros {
            match micro {
                Micro::ReadRegister { register, .. } | Micro::WriteRegister { register, .. } => {
                    into.push(*register)
                }
                Micro::Controlled { within, .. } => collect(within, into),
                Micro::Either { ways } => ways.iter().for_each(|way| collect(way, into)),
                _ => {}
            }
        }
    }
    let mut all: Vec<Register> = thread.registers.iter().map(|(register, _)| *register).collect();
    thread.code.iter().for_each(|instruction| collect(&instruction.micros, &mut all));
    all.sort_unstable();
    all.dedup();
    all
}

/// The constants that an instruction gives to temporaries.
pub(super) fn constants(micros: &[Micro], given: &mut Vec<(Temporary, Value)>) {
    for micro in micros {
        match micro {
            Micro::Constant { value, into } => given.push((*into, *value)),
            Micro::Controlled { within, .. } => constants(within, given),
            Micro::Either { ways } => ways.iter().for_each(|way| constants(way, given)),
            _ => {}
        }
    }
}

/// What is controlled stands where it stands.
pub(super) fn flattened(micros: &[Micro]) -> Vec<&Micro> {
    let mut flat = Vec::new();
    for micro in micros {
        match micro {
            Micro::Controlled { within, .. } => flat.extend(flattened(within)),
            other => flat.push(other),
        }
    }
    flat
}

/// The value that an update is assumed to have read, and where it goes on after the assumption.
pub(super) fn expected(flat: &[&Micro], index: usize, read: Temporary) -> Option<(Temporary, usize)> {
    let Micro::Binary { op: Binary::Eq, left, right, into } = flat.get(index)? else { return None };
    let Micro::Assume { condition } = flat.get(index + 1)? else { return None };
    (*left == read && condition == into).then_some((*right, index + 2))
}

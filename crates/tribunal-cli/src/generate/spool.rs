//! The steps of a run sorted by thread, in memory that does not grow with their number.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use tribunal_history::memory::{Kind, LocId, Op, Order, ThreadId};
use tribunal_machines::Step;

/// Most bytes that wait in memory, in all.
const ROOM: usize = 64 << 20;

/// Steps on their way from the order in which they come to that of the threads.
///
/// Each thread has a piece in memory; a piece that is full goes to a temporary file without a name, which there is not as long as
/// none is full.
pub struct Spool {
    file: Option<File>,
    /// The place of the next piece.
    end: u64,
    /// The greatest size of a piece.
    piece: usize,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    /// The places of its full pieces, and their lengths.
    pieces: Vec<(u64, u32)>,
    last: Vec<u8>,
}

impl Spool {
    pub fn new(threads: u32) -> Self {
        let piece = (ROOM / threads.max(1) as usize).clamp(1 << 10, 256 << 10);
        Spool { file: None, end: 0, piece, threads: vec![Thread::default(); threads as usize] }
    }

    /// Adds the next step of its thread.
    pub fn push(&mut self, step: &Step) -> io::Result<()> {
        let Thread { pieces, last } = &mut self.threads[step.thread.index()];
        encode(step, last);
        if last.len() >= self.piece {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile()?),
            };
            file.write_all(last)?;
            pieces.push((self.end, last.len() as u32));
            self.end += last.len() as u64;
            last.clear();
        }
        Ok(())
    }

    /// Gives out the steps thread by thread, those of each in the order in which they were added.
    pub fn drain<E: From<io::Error>>(self, mut give: impl FnMut(&Step) -> Result<(), E>) -> Result<(), E> {
        let Spool { mut file, threads, .. } = self;
        let mut bytes = Vec::new();
        for (thread, Thread { pieces, last }) in (0..).map(ThreadId).zip(threads) {
            for (begin, length) in pieces {
                bytes.resize(length as usize, 0);
                if let Some(file) = &mut file {
                    file.seek(SeekFrom::Start(begin))?;
                    file.read_exact(&mut bytes)?;
                }
                decode(thread, &bytes, &mut give)?;
            }
            decode(thread, &last, &mut give)?;
        }
        Ok(())
    }
}

/// A byte of kind, order and whether there is a dependency; then the numbers.
fn encode(step: &Step, out: &mut Vec<u8>) {
    let Step { op, depends, .. } = step;
    out.push(op.kind as u8 | (op.order as u8) << 2 | u8::from(depends.is_some()) << 5);
    if op.kind != Kind::Fence {
        put(u64::from(op.loc.0), out);
        put(op.value, out);
    }
    if op.kind == Kind::Rmw {
        put(op.read, out);
    }
    if let Some(on) = depends {
        put(u64::from(*on), out);
    }
}

/// Gives out the steps of a thread that were encoded.
fn decode<E>(
    thread: ThreadId,
    mut bytes: &[u8],
    give: &mut impl FnMut(&Step) -> Result<(), E>,
) -> Result<(), E> {
    while let Some((&tag, rest)) = bytes.split_first() {
        bytes = rest;
        let order = Order::ALL[usize::from(tag >> 2 & 7)];
        let mut loc_and_value = || (LocId(take(&mut bytes) as u32), take(&mut bytes));
        let op = match tag & 3 {
            tag if tag == Kind::Fence as u8 => Op::fence(order),
            tag if tag == Kind::Rmw as u8 => {
                let (loc, value) = loc_and_value();
                Op::rmw(loc, take(&mut bytes), value)
            }
            tag => {
                let (loc, value) = loc_and_value();
                if tag == Kind::Read as u8 { Op::read(loc, value) } else { Op::write(loc, value) }
            }
        };
        let depends = (tag >> 5 == 1).then(|| take(&mut bytes) as u32);
        give(&Step { thread, op: op.order(order), depends })?;
    }
    Ok(())
}

/// Seven bits a byte, the lowest first; the last byte has its highest bit clear.
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_machines::{Clients, Machine, run};

    #[test]
    fn steps_come_back_by_thread() {
        let clients = Clients { threads: 3, events: 200_000, deps: 0.2, fences: 0.1, ..Clients::default() };
        let steps: Vec<Step> = run(Machine::Rmo, &clients).expect("valid clients").collect();
        let mut spool = Spool::new(3);
        steps.iter().for_each(|step| spool.push(step).expect("room for temporary files"));
        assert!(spool.threads.iter().all(|thread| !thread.pieces.is_empty()), "too small to need a file");
        let mut back = Vec::new();
        let kept = spool.drain(|step| {
            back.push(*step);
            Ok::<(), io::Error>(())
        });
        kept.expect("a file that can be read");
        let mut sorted = steps;
        sorted.sort_by_key(|step| step.thread);
        assert_eq!(back, sorted);
    }

    #[test]
    fn numbers_of_any_size() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 1 << 32, u64::MAX];
        numbers.into_iter().for_each(|number| put(number, &mut bytes));
        let mut rest = &bytes[..];
        assert_eq!(numbers.map(|_| take(&mut rest)), numbers);
        assert!(rest.is_empty());
    }
}

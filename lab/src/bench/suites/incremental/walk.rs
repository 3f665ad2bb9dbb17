//! Going back: all choices of what reads read from, one after the other; and what an event costs there and back.

use crate::bench::table::{ratio, time};
use crate::bench::{Error, Table};
use std::time::{Duration, Instant};
use tribunal_engines::memory::session::{Session, WriteId};
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::Model;

/// What a small program does: each thread writes, reads and updates locations in turn.
#[derive(Clone, Copy)]
enum Instruction {
    Write(u32),
    Read(u32),
    Rmw(u32),
    Fence,
}

const MODELS: [Model; 6] = [Model::Ra, Model::Rc20, Model::Wra, Model::Sra, Model::Sc, Model::Tso];

/// Programs of a few threads, whose events are taken in turns.
fn program(threads: u32, length: usize) -> Vec<(ThreadId, Instruction)> {
    let instruction = |thread: u32, i: usize| match (thread as usize + i) % 4 {
        0 => Instruction::Write(thread % 2),
        1 => Instruction::Read((thread + 1) % 2),
        2 => Instruction::Rmw(2),
        _ if i % 8 == 3 => Instruction::Fence,
        _ => Instruction::Read(2),
    };
    let turn = |i| (0..threads).map(move |thread| (ThreadId(thread), instruction(thread, i)));
    (0..length).flat_map(turn).collect()
}

fn session(model: Model, threads: u32) -> Session {
    let mut session = Session::new(model).expect("a model with sessions");
    for _ in 0..threads {
        session.thread();
    }
    for _ in 0..3 {
        session.location();
    }
    session
}

/// Takes an instruction, reading from `from` if it reads.
fn take(session: &mut Session, (thread, instruction): (ThreadId, Instruction), from: Option<WriteId>) {
    const ORDER: Order = Order::AcqRel;
    let taken = match (instruction, from) {
        (Instruction::Write(loc), _) => {
            session.write(thread, LocId(loc), ORDER);
            Ok(())
        }
        (Instruction::Read(_), Some(from)) => session.read(thread, from, ORDER),
        (Instruction::Rmw(_), Some(from)) => session.rmw(thread, from, ORDER).map(|_| ()),
        _ => {
            session.fence(thread, ORDER);
            Ok(())
        }
    };
    assert!(taken.is_ok(), "a candidate");
}

/// A walk over all that reads may read from.
struct Walk<'p> {
    program: &'p [(ThreadId, Instruction)],
    /// Candidates of all depths.
    choices: Vec<WriteId>,
    steps: u64,
    most: u64,
}

impl Walk<'_> {
    fn visit(&mut self, session: &mut Session, depth: usize) {
        let Some(&(thread, instruction)) = self.program.get(depth) else { return };
        let start = self.choices.len();
        match instruction {
            Instruction::Read(loc) => {
                self.choices.extend_from_slice(session.candidates(thread, LocId(loc), Order::AcqRel));
            }
            Instruction::Rmw(loc) => {
                self.choices.extend_from_slice(session.rmw_candidates(thread, LocId(loc), Order::AcqRel));
            }
            _ => {}
        }
        let end = self.choices.len();
        let mark = session.mark();
        for choice in start..end.max(start + 1) {
            let from = self.choices.get(choice).copied().filter(|_| choice < end);
            if self.steps >= self.most || from.is_none() && end > start {
                break;
            }
            if matches!(instruction, Instruction::Read(_) | Instruction::Rmw(_)) && from.is_none() {
                break;
            }
            self.steps += 1;
            take(session, (thread, instruction), from);
            self.visit(session, depth + 1);
            session.undo(mark);
        }
        self.choices.truncate(start);
    }
}

pub(super) fn report(session: &mut crate::bench::Session<'_>) -> Result<(), Error> {
    let most = session.pick(20_000, 1_000_000);
    session.begin("walk", MODELS.len() as u64);
    let mut table = Table::new(
        "going back: a walk over all that the reads of a program of 3 threads may read from, with the candidates of each read, \
         beside as many steps without going back; and an execution of 30 events there and back",
        &["model", "steps", "a step", "without going back", "ratio", "30 events, an event", "<= 200 ns"],
    );
    for model in MODELS {
        let program = program(3, 10);
        let mut walk = Walk { program: &program, choices: Vec::new(), steps: 0, most };
        let mut warm = self::session(model, 3);
        let start = Instant::now();
        walk.visit(&mut warm, 0);
        let per_step = start.elapsed().div_f64(walk.steps as f64);
        let (forward, line) = forward(model, &program, walk.steps);
        let there_and_back = there_and_back(model, &line, session.pick(500, 20_000));
        table.row([
            model.to_string(),
            walk.steps.to_string(),
            time(per_step),
            time(forward),
            format!("{:.2}", ratio(per_step, forward)),
            time(there_and_back),
            if there_and_back <= Duration::from_nanos(200) { "kept".into() } else { "MISSED".into() },
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// The program and what its reads read from.
type Line = Vec<((ThreadId, Instruction), Option<WriteId>)>;

/// The time of a step with its candidates in sessions that never go back, and the events of one.
fn forward(model: Model, program: &[(ThreadId, Instruction)], steps: u64) -> (Duration, Line) {
    let (mut taken, mut spent, mut line) = (0, Duration::ZERO, Vec::new());
    let mut seed = 1usize;
    while taken < steps {
        let mut session = session(model, 3);
        line.clear();
        let start = Instant::now();
        for &(thread, instruction) in program {
            let found = match instruction {
                Instruction::Read(loc) => session.candidates(thread, LocId(loc), Order::AcqRel),
                Instruction::Rmw(loc) => session.rmw_candidates(thread, LocId(loc), Order::AcqRel),
                _ => &[],
            };
            seed = seed.wrapping_mul(25_214_903_917).wrapping_add(11);
            let from = (!found.is_empty()).then(|| found[(seed >> 16) % found.len()]);
            if matches!(instruction, Instruction::Read(_) | Instruction::Rmw(_)) && from.is_none() {
                break;
            }
            take(&mut session, (thread, instruction), from);
            line.push(((thread, instruction), from));
            taken += 1;
        }
        spent += start.elapsed();
    }
    (spent.div_f64(taken as f64), line)
}

/// The time of an event that is taken and undone, in a session that is warm.
fn there_and_back(model: Model, line: &Line, times: u32) -> Duration {
    let mut session = session(model, 3);
    let mark = session.mark();
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..times {
            for &(step, from) in line {
                take(&mut session, step, from);
            }
            session.undo(mark);
        }
        best = best.min(start.elapsed());
    }
    best.div_f64(f64::from(times) * line.len() as f64)
}

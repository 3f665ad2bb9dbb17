//! The shapes of the paper's benchmark programs (Tunç et al. 2023, Table 2), on a simulated memory.

use super::closed::Closed;
use super::replay::{Grown, Revealed, replay};
use super::{MODELS, best, by, show};
use crate::bench::table::time;
use crate::bench::{Error, Session, Table};
use std::time::Duration;
use tribunal_history::memory::Order;
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, Mix, run};

/// A benchmark of Table 2: its shape, and the paper's times in seconds with their ratio, which is not of the rounded
/// times.
struct Program {
    name: &'static str,
    events: u64,
    threads: u32,
    locations: u32,
    c11tester: f64,
    algorithm_5: f64,
    speed_up: f64,
    /// Without RMWs, and with few writes, as the paper says.
    few_writes: bool,
}

const fn program(name: &'static str, shape: (u64, u32, u32), times: (f64, f64, f64)) -> Program {
    let ((events, threads, locations), (c11tester, algorithm_5, speed_up)) = (shape, times);
    Program { name, events, threads, locations, c11tester, algorithm_5, speed_up, few_writes: false }
}

const fn reader(name: &'static str, shape: (u64, u32, u32), times: (f64, f64, f64)) -> Program {
    Program { few_writes: true, ..program(name, shape, times) }
}

const K: u64 = 1_000;
const M: u64 = 1_000_000;

const PROGRAMS: [Program; 32] = [
    program("control-flow", (52 * K, 25, 3), (4.2, 0.04, 104.25)),
    program("sigma", (36 * K, 10, 9), (2.4, 0.03, 80.0)),
    program("dq", (599 * K, 4, 2), (22.1, 0.5, 46.78)),
    program("iris-1", (M, 12, 45), (28.4, 1.8, 16.25)),
    program("seqlock", (478 * K, 17, 20), (14.4, 1.4, 10.38)),
    program("exp-bug", (2 * M, 4, 2), (1.6, 0.7, 2.35)),
    program("chase-lev", (7 * M, 5, 2), (12.4, 5.4, 2.3)),
    program("linuxrwlocks", (7 * M, 6, 10), (10.9, 5.9, 1.84)),
    program("mabain", (5 * M, 6, 18), (7.3, 4.0, 1.82)),
    program("iris-2", (12 * M, 3, 12), (9.9, 5.7, 1.72)),
    program("mcs-lock", (10 * M, 11, 30), (17.8, 12.2, 1.45)),
    program("lamport", (6 * M, 3, 5), (3.4, 2.5, 1.36)),
    program("peterson", (5 * M, 3, 4), (2.9, 2.2, 1.29)),
    program("spsc", (10 * M, 3, 699), (6.4, 5.0, 1.28)),
    program("dekker", (16 * M, 3, 3), (9.2, 7.2, 1.27)),
    program("twalock", (4 * M, 11, 4_000), (8.9, 7.0, 1.26)),
    program("mutex", (15 * M, 11, 11), (20.9, 16.8, 1.24)),
    program("gdax", (11 * M, 5, 46_000), (7.0, 5.7, 1.23)),
    program("spinlock", (5 * M, 11, 10), (7.0, 5.9, 1.18)),
    program("ticketlock", (14 * M, 6, 20), (15.7, 13.2, 1.18)),
    program("ttaslock", (5 * M, 11, 10), (7.8, 6.6, 1.18)),
    program("fib-bench", (6 * M, 3, 2), (3.3, 2.8, 1.18)),
    program("qu", (M, 10, 29), (1.6, 1.3, 1.18)),
    program("treiber", (M, 6, 11), (1.1, 1.0, 1.12)),
    program("silo", (8 * M, 4, 4_000), (5.3, 4.8, 1.1)),
    program("barrier", (8 * M, 5, 20), (7.8, 7.4, 1.04)),
    program("mpmc", (9 * M, 10, 3), (12.9, 12.5, 1.03)),
    program("indexer", (2 * M, 17, 128), (1.6, 1.5, 1.03)),
    program("buf-ring", (5 * M, 9, 12), (7.0, 6.8, 1.02)),
    program("ms-queue", (4 * M, 11, 13), (8.2, 8.2, 0.99)),
    reader("gcd", (5 * M, 3, 2), (2.2, 2.5, 0.89)),
    reader("szymanski", (4 * M, 3, 3), (1.8, 2.3, 0.81)),
];

impl Program {
    /// The view machine's state is quadratic in the locations; on many of them, hardly anything is read that is old
    /// anyway.
    fn machine(&self) -> Machine {
        if self.locations <= 1_000 { Machine::View } else { Machine::Atomic }
    }

    /// Under rc20 with mixed orders and 2 % fences.
    fn clients(&self, model: Model, events: u64) -> Clients {
        let (writes, rmws) = if self.few_writes { (0.02, 0.0) } else { (0.35, 0.1) };
        let (threads, locations) = (self.threads, self.locations);
        let usual = Clients { threads, locations, events, writes, rmws, seed: 1, ..Clients::default() };
        match model {
            Model::Ra => Clients { fences: 0.0, orders: Mix::only(Order::AcqRel), ..usual },
            _ => usual,
        }
    }
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    // Fewer events are not to be compared with the paper's seconds.
    let most = session.pick(30 * K, 16 * M);
    let patience = Duration::from_secs(session.pick(1, 10));
    session.begin("programs", PROGRAMS.len() as u64);
    let mut table = Table::new(
        "the shapes of Table 2: the paper's times, and ours on simulated memories",
        &[
            "program",
            "n",
            "k",
            "d",
            "C11Tester",
            "paper",
            "speed-up",
            "model",
            "events",
            "closed",
            "session",
            "an event",
            "speed-up",
        ],
    );
    let mut speed_ups = MODELS.map(|_| Vec::new());
    for program in &PROGRAMS {
        for (model, speed_ups) in MODELS.into_iter().zip(&mut speed_ups) {
            let clients = program.clients(model, program.events.min(most));
            let shape = (program.threads, program.locations);
            let machine = run(program.machine(), &clients)?;
            let events = || Revealed::new(machine.clone(), program.locations);
            let grown = best(|| replay::<Grown>(model, shape, events(), patience));
            let closed = best(|| replay::<Closed>(model, shape, events(), patience));
            speed_ups.push(closed.per_event().as_secs_f64() / grown.per_event().as_secs_f64());
            let stopped = if closed.stopped { "> " } else { "" };
            table.row([
                program.name.into(),
                count(program.events),
                program.threads.to_string(),
                program.locations.to_string(),
                format!("{:.1} s", program.c11tester),
                format!("{} s", program.algorithm_5),
                program.speed_up.to_string(),
                model.to_string(),
                count(clients.events),
                format!("{stopped}{}", time(closed.time)),
                time(grown.time),
                show(&grown),
                by(&closed, &grown),
            ]);
        }
        session.step()?;
    }
    session.table(table);
    let mean =
        |ratios: &[f64]| (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let most = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
    let [[ra, ra_most], [rc20, rc20_most]] = speed_ups.map(|ratios| [mean(&ratios), most(&ratios)]);
    session.note(format!(
        "The paper's speed-up of Algorithm 5 over C11Tester is 2 in the geometric mean and 104 at most; \
         ours over the closed mo is {ra:.1} and {ra_most:.1} under ra, {rc20:.1} and {rc20_most:.1} under rc20. The programs themselves are not at hand: \
         random clients of the same numbers of events, threads and locations stand for them, on the view \
         machine, or on atomic memory if there are more than 1000 locations; 35 % writes and 10 % RMWs, \
         all acq_rel under ra, of mixed orders and with 2 % fences under rc20; for gcd and szymanski 2 % writes and no RMWs. The closed mo is stopped after {}.",
        time(patience)
    ));
    Ok(())
}

/// 52K, 15M.
fn count(events: u64) -> String {
    if events >= M { format!("{}M", events / M) } else { format!("{}K", events / K) }
}

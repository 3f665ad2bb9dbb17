//! Many small histories: how many a second are read and checked, on one core and on all.

use crate::bench::table::ratio;
use crate::bench::{Error, Session, Table};
use std::hint::black_box;
use std::io::Cursor;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};
use tribunal_engines::memory::Checker;
use tribunal_formats::{Format, Labels, Piece, Pieces, Writer, read, write_history};
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, execution};

const MODELS: [Model; 4] = [Model::Tso, Model::Sc, Model::Ra, Model::Rc20];
const SIZES: [u64; 4] = [10, 20, 30, 100];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let histories = session.pick(2_000, 50_000);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut table = Table::new(
        format!(
            "many: {histories} histories of store buffers, 4 threads, 4 locations, in JSON Lines; thousands a second"
        ),
        &[
            "model",
            "events",
            "check, 1 core",
            "all",
            "read, 1 core",
            "read and check, 1 core",
            "all",
            "cores",
        ],
    );
    session.begin("sizes", (SIZES.len() * MODELS.len()) as u64);
    for events in SIZES {
        let (executions, json) = stream(histories, events)?;
        let reading = best(|| pipeline(&json, 1, None));
        for model in MODELS {
            let one = best(|| checked(&executions, model, 1));
            let all = best(|| checked(&executions, model, cores));
            let piped = |workers| best(|| pipeline(&json, workers, Some(model)));
            let (through_one, through_all) = (piped(1), piped(cores));
            let thousands = |took: Duration| format!("{:.0}", histories as f64 / took.as_secs_f64() / 1e3);
            table.row([
                model.to_string(),
                events.to_string(),
                thousands(one),
                thousands(all),
                thousands(reading),
                thousands(through_one),
                thousands(through_all),
                format!("{cores}, {:.2} times one", ratio(through_one, through_all)),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

/// Small histories, built and as JSON Lines.
fn stream(histories: u64, events: u64) -> Result<(Vec<Execution>, Vec<u8>), Error> {
    let mut writer = Writer::new(Vec::new(), Format::Json);
    let mut executions = Vec::new();
    for seed in 0..histories {
        let clients = Clients { threads: 4, locations: 4, events, seed, ..Clients::default() };
        let x = execution(Machine::Tso, &clients)?;
        write_history(&mut writer, &x, &Labels::default()).expect("JSON says all, and a vector takes it");
        executions.push(x);
    }
    Ok((executions, writer.finish().expect("a vector takes everything")))
}

/// The fastest of three runs.
fn best(run: impl Fn() -> Duration) -> Duration {
    (0..3).map(|_| run()).min().unwrap_or_default()
}

/// The time that it takes so many workers to check histories that are there.
fn checked(executions: &[Execution], model: Model, workers: usize) -> Duration {
    let start = Instant::now();
    thread::scope(|scope| {
        for part in executions.chunks(executions.len().div_ceil(workers).max(1)) {
            scope.spawn(move || {
                let mut checker = Checker::new(model);
                part.iter().for_each(|x| _ = black_box(checker.check(x)));
            });
        }
    });
    start.elapsed()
}

/// How long it takes so many workers to read histories in batches, as the command does, and to check each, if that is asked for.
fn pipeline(json: &[u8], workers: usize, model: Option<Model>) -> Duration {
    let input = read(Cursor::new(json.to_vec()), "many.jsonl", Some(Format::Json)).expect("histories");
    let start = Instant::now();
    let pieces: &Mutex<Pieces> = &Mutex::new(input.pieces(false));
    let next = || pieces.lock().expect("no worker panics").next();
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut checker = model.map(Checker::new);
                while let Some(piece) = next() {
                    let Piece::Batch(batch) = piece else { unreachable!("every history is small") };
                    for history in batch.histories() {
                        let history = history.expect("well-formed");
                        let x = history.memory().expect("of a memory");
                        black_box(checker.as_mut().map(|checker| checker.check(x)));
                    }
                }
            });
        }
    });
    start.elapsed()
}

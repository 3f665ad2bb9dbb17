//! Logs by others, beside what Porcupine takes on them.

use crate::cost::best;
use crate::table::{Table, kept, ratio, time};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal::object::specs::{KvStore, named};
use tribunal::object::{Criterion, History, check};
use tribunal_formats::{Input, open};
use tribunal_machines::objects::{Clients, Values};

/// What Porcupine takes on the 102 logs of etcd, in milliseconds of CPU, and on key-value logs of the same size and number of
/// clients as those generated here, which are not the same.
const PORCUPINE_ETCD: (f64, u32) = (544.0, 102);
const PORCUPINE_KV: [(&str, u32, f64, f64); 2] = [
    ("50 clients, 1712 operations", 1712, 0.0, 167.0),
    ("50 clients, 2024 operations, bad", 2024, 0.002, 35.0),
];

pub fn report() -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(&["logs", "ops", "time", "Porcupine", "ratio", ">= 5"]);
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/third-party/porcupine");
    if shared.is_dir() {
        let of = |folder: &str| -> Result<(usize, usize, Duration), Box<dyn Error>> {
            let mut files: Vec<PathBuf> = fs::read_dir(shared.join(folder))?
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<_, std::io::Error>>()?;
            files.sort();
            let (mut operations, mut total) = (0, Duration::ZERO);
            for file in &files {
                for history in open(&Input::Path(file.clone()), None)? {
                    let history = history?;
                    let object = history.object().ok_or("a history of an object")?;
                    let spec = named(&object.spec)?;
                    operations += object.history.len();
                    total += best(5, &object.history, &*spec, &Criterion::Linearizable, None).time;
                }
            }
            Ok((files.len(), operations, total))
        };
        let (files, operations, total) = of("jepsen")?;
        let (millis, all) = PORCUPINE_ETCD;
        // Its figure is for 102 logs; for as many as are here, in proportion.
        let porcupine = Duration::from_secs_f64(millis / 1e3 * files as f64 / f64::from(all));
        table.row([
            format!("etcd, {files} logs"),
            operations.to_string(),
            time(total),
            time(porcupine),
            format!("{:.0}", ratio(porcupine, total)),
            kept(ratio(porcupine, total) >= 5.0),
        ]);
        let (files, operations, total) = of("kv")?;
        table.row([
            format!("key-value, {files} logs"),
            operations.to_string(),
            time(total),
            "-".into(),
            "-".into(),
            String::new(),
        ]);
    } else {
        println!("left out: the logs in ../shared/third-party/porcupine, which is not there");
    }
    for (name, operations, lies, millis) in PORCUPINE_KV {
        let history = key_value(operations, lies);
        let spec = named("kv-store")?;
        let timed = best(5, &history, &*spec, &Criterion::Linearizable, None);
        assert_eq!(timed.judgement.verdict.is_consistent(), lies == 0.0, "{name}");
        let porcupine = Duration::from_secs_f64(millis / 1e3);
        table.row([
            format!("generated key-value, {name}"),
            operations.to_string(),
            timed.show(),
            time(porcupine),
            format!("{:.0}", ratio(porcupine, timed.time)),
            kept(ratio(porcupine, timed.time) >= 5.0),
        ]);
    }
    table.print("logs: linearizability, best of 5 each, reading left out");
    Ok(())
}

/// Clients of a key-value store; with lies, at least one read is wrong.
fn key_value(operations: u32, lies: f64) -> History {
    let of_seed = |seed| {
        let clients = Clients {
            processes: 50,
            operations,
            values: Values::Distinct,
            concurrency: 90,
            pending: 0.0,
            lies,
            seed,
        };
        clients.run("kv-store")
    };
    let check = |history: &History| check(history, &KvStore, &Criterion::Linearizable);
    let wanted = |history: &History| lies == 0.0 || check(history).is_inconsistent();
    (0..).map(of_seed).find(wanted).expect("some seed")
}

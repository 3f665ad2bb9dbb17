//! Logs by others, beside what Porcupine takes on them.

use super::cost::Question;
use super::{ENGINE_TIME, object};
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_engines::object::check;
use tribunal_formats::{Input, open};
use tribunal_history::object::specs::KvStore;
use tribunal_history::object::{Criterion, History};
use tribunal_machines::objects::{Clients, Values};

/// Where the logs are: a folder as `test_data` of Porcupine, with its `jepsen` and `kv`.
const VARIABLE: &str = "TRIBUNAL_LOGS";
const USUAL: &str = "../shared/third-party/porcupine";

/// What Porcupine takes on the 102 logs of etcd, in milliseconds of CPU, and on key-value logs of the same size and number of
/// clients as those generated here, which are not the same.
const PORCUPINE_ETCD: (f64, u32) = (544.0, 102);
const PORCUPINE_KV: [(&str, u32, f64, f64); 2] = [
    ("50 clients, 1712 operations", 1712, 0.0, 167.0),
    ("50 clients, 2024 operations, bad", 2024, 0.002, 35.0),
];

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let mut table = Table::new(
        "linearizability of logs, best of 3 each, reading left out; budget: a fifth of what Porcupine takes",
        &["logs", "operations", "time", "Porcupine", "ratio", "budget"],
    );
    let folder = std::env::var_os(VARIABLE).map_or(PathBuf::from(USUAL), PathBuf::from);
    let found = folder.join("jepsen").is_dir() && folder.join("kv").is_dir();
    if found {
        let etcd = Logs::judge(session, &folder, "jepsen")?;
        let (millis, all) = PORCUPINE_ETCD;
        // Its figure is for 102 logs; for as many as are here, in proportion.
        let porcupine = Duration::from_secs_f64(millis / 1e3 * f64::from(etcd.files) / f64::from(all));
        let name = format!("etcd, {} logs", etcd.files);
        table.row(row(name, etcd.operations, time(etcd.time), etcd.time, Some(porcupine)));
        let kv = Logs::judge(session, &folder, "kv")?;
        let name = format!("key-value, {} logs", kv.files);
        table.row(row(name, kv.operations, time(kv.time), kv.time, None));
    }
    session.begin("generated logs", PORCUPINE_KV.len() as u64);
    for (name, operations, lies, millis) in PORCUPINE_KV {
        let history = key_value(operations, lies);
        let timed = Question::linearizable(&history, &*object("kv-store")).best(3, None, ENGINE_TIME);
        assert!(!timed.decided() || timed.consistent() == (lies == 0.0), "{name}");
        let name = format!("generated key-value, {name}");
        let porcupine = Duration::from_secs_f64(millis / 1e3);
        table.row(row(name, operations as usize, timed.show(), timed.time, Some(porcupine)));
        session.step()?;
    }
    session.table(table);
    if !found {
        session.note(format!(
            "Left out: the logs that Porcupine is tested with, since {} is not there. `{VARIABLE}` may name a folder that has them as its \
             `jepsen` and `kv`.",
            folder.display()
        ));
    }
    session.note(
        "Porcupine's figures on generated histories are for others of the same size and number of clients.",
    );
    Ok(())
}

fn row(
    name: String,
    operations: usize,
    shown: String,
    ours: Duration,
    porcupine: Option<Duration>,
) -> [String; 6] {
    let by = porcupine.map(|porcupine| ratio(porcupine, ours));
    [
        name,
        operations.to_string(),
        shown,
        porcupine.map_or("-".into(), time),
        by.map_or("-".into(), |by| format!("{by:.1}")),
        by.map_or("-".into(), |by| kept(by >= 5.0)),
    ]
}

/// What the logs of a folder took.
#[derive(Default)]
struct Logs {
    files: u32,
    operations: usize,
    time: Duration,
}

impl Logs {
    /// Judges the logs in a part of the folder, whose `expected.tsv`, if there is one, has their verdicts.
    fn judge(session: &mut Session<'_>, folder: &Path, part: &str) -> Result<Logs, Error> {
        let unread = |source| Error::Logs { folder: folder.into(), source };
        let expected = fs::read_to_string(folder.join("expected.tsv")).unwrap_or_default();
        let expected: HashMap<&str, &str> =
            expected.lines().filter_map(|line| line.split_once('\t')).collect();
        let mut files = fs::read_dir(folder.join(part))
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
            .map_err(unread)?;
        files.sort();
        session.begin(part, files.len() as u64);
        let mut logs = Logs { files: files.len() as u32, ..Logs::default() };
        for file in files {
            let name = format!("{part}/{}", file.file_name().unwrap_or_default().display());
            for history in open(&Input::Path(file), None)? {
                let history = history?;
                // A file of something else is not a log.
                let Some(log) = history.object() else { continue };
                let spec = object(&log.spec);
                let timed = Question::linearizable(&log.history, &*spec).best(3, None, ENGINE_TIME);
                if let Some(&verdict) = expected.get(&name[..]) {
                    assert!(!timed.decided() || timed.consistent() == (verdict == "ok"), "{name}");
                }
                logs.operations += log.history.len();
                logs.time += timed.time;
            }
            session.step()?;
        }
        Ok(logs)
    }
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
    let check = |history: &History| {
        check(&history.typed(&KvStore).expect("calls of a key-value store"), &Criterion::Linearizable)
    };
    let wanted = |history: &History| lies == 0.0 || check(history).is_inconsistent();
    (0..).map(of_seed).find(wanted).expect("some seed")
}

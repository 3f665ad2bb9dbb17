//! Histories of transactions.

use super::{Attack, Family};

/// A history of sessions, each with its transactions.
fn history(sessions: impl Iterator<Item = String>) -> String {
    format!("{{\"sessions\":[\n{}]}}\n", sessions.collect::<Vec<_>>().join(",\n"))
}

/// A session of one transaction.
fn once(operations: &str) -> String {
    format!("[{{\"txn\":[{operations}]}}]")
}

/// A session of one transaction with times.
fn at(operations: &str, begin: usize, end: usize) -> String {
    format!("[{{\"txn\":[{operations}],\"begin\":{begin},\"end\":{end}}}]")
}

/// All families.
pub fn families() -> Vec<Family> {
    let write = |i: usize| once(&format!("[\"w\",\"x\",{i}]"));
    let many = |count: usize, operation: &dyn Fn(usize) -> String| {
        (0..count).map(operation).collect::<Vec<_>>().join(",")
    };
    let histories = [
        ("reads of one list and appends to it", {
            let first = once("[\"append\",\"x\",0]");
            let reads = (0..20_000).map(|_| once("[\"r\",\"x\",[0]]"));
            let appends = (1..20_001).map(|i| once(&format!("[\"append\",\"x\",{i}]")));
            history([first].into_iter().chain(reads).chain(appends))
        }),
        ("writers, and reads of one transaction", {
            let writers = (0..12_000).map(write);
            let reads = once(&many(12_000, &|i| format!("[\"r\",\"x\",{i}]")));
            history(writers.chain([reads]))
        }),
        ("writers and readers", {
            let readers = (0..12_000).map(|i| once(&format!("[\"r\",\"x\",{i}]")));
            history((0..12_000).map(write).chain(readers))
        }),
        ("writers and readers with times", {
            let writers = (0..12_000).map(|i| at(&format!("[\"w\",\"x\",{i}]"), i, 100_000 + i));
            let readers = (0..12_000).map(|i| at(&format!("[\"r\",\"x\",{i}]"), 50_000 + i, 200_000 + i));
            history(writers.chain(readers))
        }),
        (
            "one value, read and written",
            history((0..30_000).map(|_| once("[\"r\",\"x\",1],[\"w\",\"x\",1]"))),
        ),
        ("sessions of one write", history((0..20_000).map(write))),
        ("blind writes to many keys", {
            let session = |i: usize| {
                once(&format!(
                    "[\"w\",\"x{}\",{i}],[\"w\",\"x{}\",{i}],[\"r\",\"x{}\",null]",
                    i % 97,
                    i % 89,
                    i % 83
                ))
            };
            history((0..10_000).map(session))
        }),
        ("one session", {
            let transactions: Vec<String> =
                (0..30_000).map(|i| format!("{{\"txn\":[[\"w\",\"x\",{i}],[\"r\",\"y\",null]]}}")).collect();
            history([format!("[{}]", transactions.join(","))].into_iter())
        }),
        (
            "one transaction",
            history([once(&many(100_000, &|i| format!("[\"w\",\"x{i}\",{i}]")))].into_iter()),
        ),
        ("long lists", {
            let appends = (0..2_000).map(|i| once(&format!("[\"append\",\"x\",{i}]")));
            let all = many(2_000, &|i| i.to_string());
            history(appends.chain((0..200).map(|_| once(&format!("[\"r\",\"x\",[{all}]]")))))
        }),
        ("unknown outcomes", {
            let unknown = |i: usize| {
                format!(
                    "[{{\"status\":\"unknown\",\"txn\":[[\"w\",\"x\",{}],[\"r\",\"y\",{}]]}}]",
                    i % 10,
                    i % 7
                )
            };
            let reads =
                (0..5_000).map(|i| once(&format!("[\"r\",\"x\",{}],[\"w\",\"y\",{}]", i % 10, i % 7)));
            history((0..5_000).map(unknown).chain(reads))
        }),
    ];
    let levels = ["ru", "rc", "mav", "rat", "strict-rat", "tcc", "psi", "pc", "si", "ser", "strict-ser"];
    let check = histories.iter().flat_map(|(name, history)| {
        levels.map(|level| {
            Attack::new(format!("{name}, {level}"), &format!("check -m {level} h.json"))
                .with("h.json", history.as_str())
        })
    });
    let others = histories.iter().flat_map(|(name, history)| {
        [
            Attack::new(format!("explain: {name}"), "explain -m si h.json").answers(3),
            Attack::new(format!("shrink: {name}"), "shrink -m ser h.json -o /dev/null"),
            Attack::new(format!("view: {name}"), "view -m rc h.json -o /dev/null").answers(2),
            Attack::new(format!("verify: {name}"), "check -m rat --verify --witness --style json h.json")
                .answers(2),
            Attack::new(format!("monitor: {name}"), "monitor -m ser h.json").answers(3),
            Attack::new(format!("stats: {name}"), "stats h.json").unlimited(),
            Attack::new(format!("convert: {name}"), "convert --to json h.json -o /dev/null").unlimited(),
        ]
        .map(|attack| attack.with("h.json", history.as_str()))
    });
    vec![
        Family { name: "transactions, check", attacks: check.collect() },
        Family { name: "transactions, other commands", attacks: others.collect() },
    ]
}

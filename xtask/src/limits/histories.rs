//! Histories of memories and objects, and every format.

use super::{Attack, Family};
use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::Write as _;

/// Lines of a history, one for each number.
fn lines(count: usize, mut line: impl FnMut(usize) -> String) -> String {
    (0..count).map(|i| line(i) + "\n").collect()
}

/// Memories, under models of each kind.
pub fn memory() -> Vec<Family> {
    let histories = [
        ("many threads", lines(20_000, |t| format!("T{t}: R x 0; W x {}", t + 1))),
        ("many writes to one location", lines(20_000, |i| format!("T{}: W x {}", i % 4, i + 1))),
        ("writes of many threads, read in reverse", {
            let writes = lines(4_000, |t| format!("T{t}: W x {}", t + 1));
            writes + &lines(4_000, |t| format!("R{}: R x {}", t % 2, 4_000 - t))
        }),
        ("one repeated value", lines(20_000, |i| format!("T{}: W x 1; R x 1", i % 8))),
        (
            "repeated values, many threads",
            lines(3_000, |t| format!("T{t}: R x 0; W x 0; R y {}; W y 1", t % 2)),
        ),
        ("a chain of RMWs", lines(20_000, |i| format!("T{}: U x {i}>{}", i % 16, i + 1))),
        (
            "seq_cst",
            lines(10_000, |i| {
                format!("T{}: W.sc x{} {}; F.sc; R.sc x{} 0", i % 50, i % 7, i + 1, (i + 1) % 5)
            }),
        ),
        ("long names", {
            let name = "n".repeat(50_000);
            lines(20, |t| format!("T{t}: W {name}{t} 1; R {name}{} 0", (t + 1) % 20))
        }),
        ("many locations", lines(50_000, |i| format!("T{}: W x{i} 1; R x{} 0", i % 10, (i + 1) % 50_000))),
        ("many dependencies", {
            let deps: Vec<String> = (0..2_000).map(|i| i.to_string()).collect();
            let reads = lines(2_000, |i| format!("T0: R x{i} 0"));
            reads + &lines(200, |i| format!("T0: W y {} dep {}", i + 1, deps.join(",")))
        }),
    ];
    let models = ["sc", "tso", "rmo", "rc20", "sra", "cm", "wccm", "po-mm=RR+WW;rf-mm=rfe"];
    let check = histories.iter().map(|(name, history)| {
        let attack = |model: &&str| {
            let mut attack =
                Attack::new(format!("{name}, {model}"), "check h.txt -m").with("h.txt", history.as_str());
            attack.arguments.push(model.to_string());
            attack
        };
        models.iter().map(attack).collect::<Vec<_>>()
    });
    let others = histories.iter().flat_map(|(name, history)| {
        [
            Attack::new(format!("races: {name}"), "races h.txt"),
            Attack::new(format!("explain: {name}"), "explain -m sc h.txt").answers(3),
            Attack::new(format!("shrink: {name}"), "shrink -m sc h.txt -o /dev/null"),
            Attack::new(format!("view: {name}"), "view -m tso h.txt -o /dev/null").answers(2),
            Attack::new(format!("monitor: {name}"), "monitor -m sc h.txt").answers(3),
            Attack::new(format!("verify: {name}"), "check -m ra --verify --witness --style json h.txt")
                .answers(2),
            Attack::new(format!("stats: {name}"), "stats h.txt").unlimited(),
            Attack::new(format!("convert: {name}"), "convert --to json h.txt -o /dev/null").unlimited(),
        ]
        .map(|attack| attack.with("h.txt", history.as_str()))
    });
    vec![
        Family { name: "memory, check", attacks: check.flatten().collect() },
        Family { name: "memory, other commands", attacks: others.collect() },
        Family {
            name: "memory, monitor",
            attacks: vec![
                Attack::new("one repeated value", "monitor -m sc h.txt").answers(3).with(
                    "h.txt",
                    lines(200_000, |i| format!("T{}: {} x 1", i % 4, if i % 2 == 0 { "W" } else { "R" })),
                ),
                Attack::new("many threads", "monitor -m rc20 h.txt")
                    .answers(3)
                    .with("h.txt", lines(200_000, |t| format!("T{t}: W x{} {}", t % 10, t + 1))),
            ],
        },
    ]
}

/// Objects, under criteria of each kind.
pub fn objects() -> Vec<Family> {
    let operation = |i: usize, f: &str, args: &str, ret: &str, call: usize, end: usize| {
        format!(
            "{{\"process\":{i},\"f\":\"{f}\",\"args\":[{args}],\"ret\":{ret},\"call\":{call},\"return\":{end}}}"
        )
    };
    let object = |spec: &str, operations: Vec<String>| {
        format!("{{\"kind\":\"object\",\"spec\":\"{spec}\",\"operations\":[\n{}]}}\n", operations.join(",\n"))
    };
    let histories = [
        (
            "concurrent writes",
            object("register", {
                let writes =
                    (0..2_000).map(|i| operation(i, "write", &i.to_string(), "null", i, 100_000 + i));
                writes
                    .chain((0..200).map(|i| {
                        operation(3_000 + i, "read", "", &(i * 7).to_string(), 200_000 + i, 300_000)
                    }))
                    .collect()
            }),
        ),
        (
            "a queue of one value",
            object("queue", {
                let both = (0..4_000).flat_map(|i| {
                    [
                        operation(2 * i, "enqueue", "1", "null", i, i + 500),
                        operation(2 * i + 1, "dequeue", "", "1", i, i + 700),
                    ]
                });
                both.collect()
            }),
        ),
        (
            "a stack, all at once",
            object("stack", {
                let both = (0..1_500).flat_map(|i| {
                    [
                        operation(2 * i, "push", &i.to_string(), "null", 0, 1_000_000),
                        operation(2 * i + 1, "pop", "", &((i * 31) % 1_500).to_string(), 1, 1_000_000),
                    ]
                });
                both.collect()
            }),
        ),
        (
            "lists read whole",
            object("list", {
                let all: Vec<String> = (0..600).map(|i| i.to_string()).collect();
                let appends =
                    (0..600).map(|i| operation(i, "append", &i.to_string(), "null", 2 * i, 2 * i + 1));
                let reads = (0..300)
                    .map(|i| operation(1_000 + i, "read", "", &format!("[{}]", all.join(",")), 5_000, 6_000));
                appends.chain(reads).collect()
            }),
        ),
        (
            "a map of many keys",
            object("map", {
                let puts = (0..20_000).map(|i| {
                    operation(i % 50, "put", &format!("{i},{i}"), "null", 2 * (i / 50), 2 * (i / 50) + 1)
                });
                puts.collect()
            }),
        ),
        (
            "pending operations",
            object("counter", {
                let pending =
                    (0..5_000).map(|i| format!("{{\"process\":{i},\"f\":\"inc\",\"args\":[],\"call\":{i}}}"));
                pending.chain([operation(9_000, "get", "", "77", 10_000, 10_001)]).collect()
            }),
        ),
    ];
    let check = histories.iter().flat_map(|(name, history)| {
        ["linearizable", "sequential", "causal", "weak", "ryw"].map(|criterion| {
            Attack::new(format!("{name}, {criterion}"), &format!("check -m {criterion} h.json"))
                .with("h.json", history.as_str())
        })
    });
    let others = histories.iter().flat_map(|(name, history)| {
        [
            Attack::new(format!("explain: {name}"), "explain -m linearizable h.json").answers(3),
            Attack::new(format!("shrink: {name}"), "shrink -m linearizable h.json -o /dev/null"),
            Attack::new(format!("view: {name}"), "view -m linearizable h.json -o /dev/null").answers(2),
            Attack::new(format!("verify: {name}"), "check -m linearizable --verify --style json h.json")
                .answers(2),
            Attack::new(format!("stats: {name}"), "stats h.json").unlimited(),
            Attack::new(format!("convert: {name}"), "convert --to json h.json -o /dev/null").unlimited(),
        ]
        .map(|attack| attack.with("h.json", history.as_str()))
    });
    let events = lines(40_000, |i| {
        let (process, f) = (i / 2 % 1_000, if i / 2 % 2 == 0 { "enqueue" } else { "dequeue" });
        let end = if i % 2 == 0 { "invoke" } else { "ok" };
        format!("{{:process {process}, :type :{end}, :f :{f}, :value {}}}", i / 4)
    });
    vec![
        Family { name: "objects, check", attacks: check.collect() },
        Family { name: "objects, other commands", attacks: others.collect() },
        Family {
            name: "objects, monitor",
            attacks: vec![
                Attack::new("a queue", "monitor --spec queue h.edn").answers(3).with("h.edn", events),
                Attack::new("all pending", "monitor --spec stack h.edn").answers(3).with(
                    "h.edn",
                    lines(20_000, |i| format!("{{:process {i}, :type :invoke, :f :push, :value {i}}}")),
                ),
            ],
        },
    ]
}

/// Every format: nested, cut off, empty, compressed, with one endless line.
pub fn formats() -> Vec<Family> {
    let nested = |open: &str, close: &str, deep: usize| open.repeat(deep) + &close.repeat(deep);
    let formats = ["json", "axe", "text", "edn", "jepsen-log", "elle", "plume", "dbcop", "cobra", "awdit"];
    let contents = [
        ("nothing", Vec::new()),
        ("a byte-order mark", b"\xef\xbb\xbf".to_vec()),
        ("nested arrays", nested("[", "]", 1_000_000).into_bytes()),
        ("nested objects", nested("{\"a\":", "}", 500_000).into_bytes()),
        ("nested EDN", nested("{:value [", "]}", 500_000).into_bytes()),
        ("nested tags", "#a ".repeat(1_000_000).into_bytes()),
        ("discarded forms", "#_".repeat(1_000_000).into_bytes()),
        ("one line", vec![b'a'; 20_000_000]),
        ("numbers", "18446744073709551616 ".repeat(500_000).into_bytes()),
        ("zeros", vec![0; 4_000_000]),
        ("ones", vec![0xff; 4_000_000]),
        ("a bomb", bomb(200_000_000)),
        ("a cut bomb", bomb(200_000_000)[..50_000].to_vec()),
        ("lengths", [u64::MAX.to_le_bytes(), (1u64 << 40).to_le_bytes()].concat().repeat(100)),
    ];
    let attacks = formats.iter().map(|format| {
        let attack = |(name, content): &(&str, Vec<u8>)| {
            let arguments = format!("check -f {format} h");
            Attack::new(format!("{format}: {name}"), &arguments).with("h", content.clone())
        };
        contents.iter().map(attack).collect::<Vec<_>>()
    });
    let mut many = String::new();
    for i in 0..50_000 {
        let _ = write!(many, "T0: W x {i}; R y 0\n---\n");
    }
    vec![
        Family { name: "formats", attacks: attacks.flatten().collect() },
        Family {
            name: "many histories",
            attacks: vec![
                Attack::new("check", "check -m sc --style brief h.txt")
                    .answers(30)
                    .with("h.txt", many.as_str()),
                Attack::new("certificates", "check -m sc --style json --witness h.txt")
                    .answers(30)
                    .with("h.txt", many),
            ],
        },
    ]
}

/// So many equal bytes, compressed to a thousandth.
fn bomb(bytes: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let line = b"T0: W x 1; W x 1; W x 1; W x 1\n".repeat(1_000);
    for _ in 0..bytes / line.len() {
        encoder.write_all(&line).expect("memory takes everything");
    }
    encoder.finish().expect("memory takes everything")
}

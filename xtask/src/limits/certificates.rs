//! Certificates, which anybody may have written.

use super::{Attack, Family};

/// How deep cases are nested: somewhat less deep than certificates are read at all.
const DEEP: usize = 950;
/// The number of splits, in 12 MB or more, and in 29 MB.
const SPLITS: usize = 150_000;
const MORE_SPLITS: usize = 350_000;

/// A verdict line about the first history of a file.
fn line(file: &str, events: usize, model: &str, verdict: &str, certificate: &str) -> String {
    format!(
        "{{\"schema\":1,\"file\":\"{file}\",\"index\":0,\"events\":{events},\"model\":\"{model}\",\"verdict\":\"{verdict}\",{certificate}}}\n"
    )
}

/// A violation whose cases are nested: `case` writes the case of a depth, given the index of the first of its two.
fn nested(case: impl Fn(usize, usize) -> String, leaf: &str) -> String {
    let deeper = (1..DEEP).flat_map(|depth| [case(depth, 2 * depth), leaf.to_string()]);
    let cases: Vec<String> = deeper.chain([leaf.to_string(), leaf.to_string()]).collect();
    format!("\"violation\":{{{},\"cases\":[{{{}}}]}}", case(0, 0), cases.join("},{"))
}

/// A violation whose cases are so many splits, down to leaves.
fn splits(count: usize, top: &str, case: impl Fn(usize, usize) -> String, leaf: &str) -> String {
    let cases: Vec<String> = (0..count)
        .map(|i| case(2 * i + 2, 2 * i + 3))
        .chain(std::iter::repeat_n(leaf.to_string(), count + 2))
        .collect();
    format!("\"violation\":{{{top}{},\"cases\":[{{{}}}]}}", case(0, 1), cases.join("},{"))
}

/// A violation of which every case is a split into one case, twice: what shares cases is small, and what it stands for is not.
fn shared(top: &str, case: impl Fn(usize, usize) -> String, leaf: &str) -> String {
    let cases: Vec<String> = (1..DEEP).map(|depth| case(depth, depth)).chain([leaf.to_string()]).collect();
    format!("\"violation\":{{{top}{},\"cases\":[{{{}}}]}}", case(0, 0), cases.join("},{"))
}

/// All families.
pub fn families() -> Vec<Family> {
    let small = "T0: W x 1; W x 2\nT1: R x 2; R x 1\n";
    let reads = |count: usize| format!("T0: W x 1; W x 1\nT1: {}\n", vec!["R x 1"; count].join("; "));
    let of_memory = nested(
        |depth, first| {
            let cases =
                format!("{{\"source\":[0,0],\"case\":{first}}},{{\"source\":[0,1],\"case\":{}}}", first + 1);
            format!("\"axiom\":\"sources\",\"sources\":{{\"read\":[1,{depth}],\"cases\":[{cases}]}}")
        },
        "\"axiom\":\"sources\",\"no_source\":{\"read\":[1,999]}",
    );
    let writer = "[{\"txn\":[[\"w\",\"x\",1]]}]";
    let transactions = |count: usize| {
        let readers = vec!["{\"txn\":[[\"r\",\"x\",1]]}"; count].join(",");
        format!("{{\"sessions\":[{writer},{writer},[{readers}]]}}\n")
    };
    let of_transactions = nested(
        |depth, first| {
            let cases =
                format!("{{\"source\":[0,0],\"case\":{first}}},{{\"source\":[1,0],\"case\":{}}}", first + 1);
            format!("\"sources\":{{\"read\":[2,{depth},0],\"cases\":[{cases}]}}")
        },
        "\"steps\":[],\"cycle\":[]",
    );
    let axiom = "\"axiom\":\"strong-write-coherence\",";
    let of_writes = |one: usize, other: usize| {
        format!("\"split\":{{\"first\":[0,0],\"second\":[0,1],\"forward\":{one},\"backward\":{other}}}")
    };
    let split_memory = |count: usize| splits(count, axiom, of_writes, "\"cycle\":[]");
    let three = "{\"sessions\":[[{\"txn\":[[\"w\",\"x\",1]]}],[{\"txn\":[[\"w\",\"x\",2]]}],[{\"txn\":[[\"r\",\"x\",2]]}]]}\n";
    let of_writers = |one: usize, other: usize| {
        let sides = format!("\"forward\":{one},\"backward\":{other}");
        format!("\"steps\":[],\"split\":{{\"key\":\"x\",\"first\":[0,0],\"second\":[1,0],{sides}}}")
    };
    let split_transactions = |count: usize| splits(count, "", of_writers, "\"steps\":[],\"cycle\":[]");
    let edges = vec!["{\"from\":[0,0],\"to\":[0,1],\"rel\":\"po\"}"; 200_000].join(",");
    let open =
        "{\"from\":[0,0],\"to\":[0,1],\"rel\":\"mo\",\"because\":\"coherence\",\"path\":[".repeat(100_000);
    let commits: Vec<String> = (0..100_000).map(|i| format!("[{i},0]")).collect();
    let memory = |name: &str, model: &str, verdict: &str, certificate: &str| {
        Attack::new(name, "verify h.txt c.json")
            .with("h.txt", small)
            .with("c.json", line("h.txt", 4, model, verdict, certificate))
    };
    let long = |name: &str, history: &str, events: usize, certificate: &str| {
        let line = line("h.json", events, "ser", "inconsistent", certificate);
        Attack::new(name, "verify h.json c.json").with("h.json", history).with("c.json", line)
    };
    let sources = |name: &str, count: usize| {
        Attack::new(name, "verify h.txt c.json")
            .with("h.txt", reads(count))
            .with("c.json", line("h.txt", count + 2, "sc", "inconsistent", &of_memory))
    };
    let attacks = vec![
        sources("nested sources", 1_000),
        sources("nested sources, 300 MB", 1_000).memory(300 << 20),
        sources("nested sources of a long history", 100_000).memory(300 << 20),
        long("nested sources of transactions", &transactions(1_000), 1_002, &of_transactions),
        long("nested sources of many transactions", &transactions(50_000), 50_002, &of_transactions)
            .memory(300 << 20),
        memory("splits", "sra", "inconsistent", &split_memory(SPLITS)),
        memory("more splits", "sra", "inconsistent", &split_memory(MORE_SPLITS)).memory(1 << 30),
        memory("shared splits", "sra", "inconsistent", &shared(axiom, of_writes, "\"cycle\":[]")),
        long("splits of transactions", three, 3, &split_transactions(SPLITS)),
        long("more splits of transactions", three, 3, &split_transactions(MORE_SPLITS)).memory(1 << 30),
        long("shared splits of transactions", three, 3, &shared("", of_writers, "\"steps\":[],\"cycle\":[]")),
        memory(
            "a long cycle",
            "sc",
            "inconsistent",
            &format!("\"violation\":{{\"axiom\":\"sc\",\"cycle\":[{edges}]}}"),
        ),
        memory(
            "nested paths",
            "sc",
            "inconsistent",
            &format!("\"violation\":{{\"axiom\":\"sc\",\"cycle\":[{open}"),
        ),
        memory("nested arrays", "sc", "inconsistent", &"[".repeat(1_000_000)),
        Attack::new("many lines", "verify h.txt c.json")
            .with("h.txt", small)
            .with("c.json", line("h.txt", 4, "sc", "inconsistent", "\"violation\":null").repeat(50_000)),
        Attack::new("a long commit order", "verify h.json c.json").with("h.json", three).with(
            "c.json",
            line(
                "h.json",
                3,
                "ser",
                "consistent",
                &format!("\"witness\":{{\"commits\":[{}]}}", commits.join(",")),
            ),
        ),
    ];
    vec![Family { name: "certificates", attacks }]
}

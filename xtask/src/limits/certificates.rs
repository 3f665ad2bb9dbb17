//! Certificates, which anybody may have written.

use super::{Attack, Family};

/// How deep cases are nested: somewhat less deep than certificates are read at all.
const DEEP: usize = 950;
/// How many splits there are.
const SPLITS: usize = 150_000;

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

/// A violation whose cases are all splits, down to leaves.
fn splits(top: &str, case: impl Fn(usize, usize) -> String, leaf: &str) -> String {
    let cases: Vec<String> = (0..SPLITS)
        .map(|i| case(2 * i + 2, 2 * i + 3))
        .chain(std::iter::repeat_n(leaf.to_string(), SPLITS + 2))
        .collect();
    format!("\"violation\":{{{top}{},\"cases\":[{{{}}}]}}", case(0, 1), cases.join("},{"))
}

/// All families.
pub fn families() -> Vec<Family> {
    let small = "T0: W x 1; W x 2\nT1: R x 2; R x 1\n";
    let reads = format!("T0: W x 1; W x 1\nT1: {}\n", vec!["R x 1"; 1_000].join("; "));
    let of_memory = nested(
        |depth, first| {
            let cases =
                format!("{{\"source\":[0,0],\"case\":{first}}},{{\"source\":[0,1],\"case\":{}}}", first + 1);
            format!("\"axiom\":\"sources\",\"sources\":{{\"read\":[1,{depth}],\"cases\":[{cases}]}}")
        },
        "\"axiom\":\"sources\",\"no_source\":{\"read\":[1,999]}",
    );
    let transactions = vec!["{\"txn\":[[\"r\",\"x\",1]]}"; 1_000].join(",");
    let writer = "[{\"txn\":[[\"w\",\"x\",1]]}]";
    let transactions = format!("{{\"sessions\":[{writer},{writer},[{transactions}]]}}\n");
    let of_transactions = nested(
        |depth, first| {
            let cases =
                format!("{{\"source\":[0,0],\"case\":{first}}},{{\"source\":[1,0],\"case\":{}}}", first + 1);
            format!("\"sources\":{{\"read\":[2,{depth},0],\"cases\":[{cases}]}}")
        },
        "\"steps\":[],\"cycle\":[]",
    );
    let split_memory = splits(
        "\"axiom\":\"strong-write-coherence\",",
        |one, other| {
            format!("\"split\":{{\"first\":[0,0],\"second\":[0,1],\"forward\":{one},\"backward\":{other}}}")
        },
        "\"cycle\":[]",
    );
    let three = "{\"sessions\":[[{\"txn\":[[\"w\",\"x\",1]]}],[{\"txn\":[[\"w\",\"x\",2]]}],[{\"txn\":[[\"r\",\"x\",2]]}]]}\n";
    let split_transactions = splits(
        "",
        |one, other| {
            let sides = format!("\"forward\":{one},\"backward\":{other}");
            format!("\"steps\":[],\"split\":{{\"key\":\"x\",\"first\":[0,0],\"second\":[1,0],{sides}}}")
        },
        "\"steps\":[],\"cycle\":[]",
    );
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
    let attacks = vec![
        Attack::new("nested sources", "verify h.txt c.json")
            .with("h.txt", reads)
            .with("c.json", line("h.txt", 1_002, "sc", "inconsistent", &of_memory)),
        long("nested sources of transactions", &transactions, 1_002, &of_transactions),
        memory("splits", "sra", "inconsistent", &split_memory),
        long("splits of transactions", three, 3, &split_transactions),
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

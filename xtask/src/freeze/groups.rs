//! The commands that are asked: examples, public corpora, histories by others, generated histories, litmus tests, programs.

use super::{Group, Step};
use std::path::Path;

/// The limits of each question. Time would make the record depend on the machine.
const LIMITS: &[&str] = &["--timeout", "1000000", "--max-states", "50000"];
/// Where certificates are for `verify`.
const CERTIFICATES: &str = "certificates.jsonl";
/// Models in whose names certificates of weaker ones are presented, most of which must be refused.
const FORGED: &[(&str, &str)] = &[
    ("sc", "tso"),
    ("coherence", "sc"),
    ("relaxed", "rc20"),
    ("wra", "ra"),
    ("pram", "cm"),
    ("cc", "ccv"),
    ("linearizable", "sequential"),
    ("weak", "linearizable"),
    ("causal", "hbvis"),
    ("rc", "ser"),
    ("si", "psi"),
    ("tcc", "si"),
];
/// Engines of memories and of objects that are named one by one.
const ENGINES: [&str; 17] = [
    "minimal-coherence",
    "weak-coherence",
    "frontier-search",
    "saturation",
    "search",
    "sat",
    "wsc-enum",
    "ccm-enum",
    "wccm-enum",
    "subset",
    "enum",
    "memoized",
    "definition",
    "collection",
    "wing-gong",
    "minimal",
    "naive",
];
/// The public corpora: in the tests compressed, in the shared folder as they were published.
const CORPORA: [&str; 4] = ["memory-public", "seqcst-public", "object-public", "txn-public"];
const LITMUS_MODELS: &str = "sc,tso,pso,rmo,coherence,sra,ra,wra,rc20,rc11,relaxed";
const PROGRAM_MODELS: &str = "sc,tso,pso,ra,rc20,rc11,relaxed,wra,sra";

/// All groups, for the files that are reachable from the directory.
pub(crate) fn groups(work: &Path) -> Result<Vec<Group>, String> {
    let mut groups = vec![models()];
    for folder in ["guide", "elle", "litmus", "papers", "separations", "objects", "transactions"] {
        let files = files(work, &format!("examples/{folder}"), &["json", "txt", "edn"])?;
        groups.push(Group {
            name: format!("examples-{folder}"),
            steps: files.iter().flat_map(|file| example(file)).collect(),
        });
    }
    for corpus in CORPORA {
        groups.push(corpus_group(corpus, &format!("data/{corpus}.jsonl.zst")));
    }
    groups.extend(generated());
    groups.push(litmus("examples", &["examples/guide/mp.litmus", "examples/guide/mp-relaxed.litmus"]));
    groups.extend(programs(work)?);
    if work.join("shared").exists() {
        groups.extend(by_others(work)?);
    }
    Ok(groups)
}

/// A command whose answer is recorded.
fn step<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Step {
    let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
    Step { arguments, into: None, forge: &[], recorded: true }
}

/// A command that writes a file for the next ones.
fn prepare(arguments: &str) -> Step {
    Step { recorded: false, ..step(arguments.split(' ')) }
}

/// All models with their certificates, by one engine or by the usual ones.
fn check(file: &str, engine: Option<&str>) -> Step {
    let engine = engine.map(|engine| ["--engine", engine]);
    let asked = ["check", "--style", "json", "--witness", "--model", "all"];
    step(asked.iter().chain(LIMITS).copied().chain(engine.into_iter().flatten()).chain([file]))
}

/// A command about a file, with the usual limits.
fn limited(command: &str, file: &str) -> Step {
    step([command].iter().chain(LIMITS).copied().chain([file]))
}

/// An exploration by one worker: how many executions come before a failure depends on how many there are.
fn explore(asked: &[&str]) -> Step {
    step(["explore", "--threads", "1"].iter().chain(asked))
}

/// The certificates of all models, accepted, and refused where a model is not what it is called.
fn certified(file: &str) -> Vec<Step> {
    let verify = || step(["verify", file, CERTIFICATES]);
    let genuine = Step { into: Some(CERTIFICATES), ..check(file, None) };
    let forged = Step { into: Some(CERTIFICATES), forge: FORGED, recorded: false, ..check(file, None) };
    vec![genuine, verify(), forged, verify()]
}

/// What there is to ask about a small history.
fn example(file: &str) -> Vec<Step> {
    let mut steps = certified(file);
    steps.extend(ENGINES.map(|engine| check(file, Some(engine))));
    steps.push(limited("explain", file));
    steps.push(limited("check", file));
    steps.push(limited("shrink", file));
    for asked in ["stats", "races"] {
        steps.push(step([asked, file]));
    }
    steps.push(step(["convert", "--to", "json", file]));
    steps
}

fn corpus_group(name: &str, file: &str) -> Group {
    let mut steps = certified(file);
    // Enumerations take too long on whole corpora; the examples and the small generated histories have them.
    let fast =
        ["saturation", "search", "sat", "memoized", "definition", "wing-gong", "minimal", "collection"];
    steps.extend(fast.map(|engine| check(file, Some(engine))));
    steps.push(limited("explain", file));
    steps.push(limited("shrink", file));
    Group { name: format!("corpus-{name}"), steps }
}

fn models() -> Group {
    let separate = [("pso", "tso"), ("wra", "ra"), ("causal", "sequential"), ("ru", "rc")];
    let mut steps = vec![step(["models"]), step(["models", "--style", "json"])];
    steps.extend(separate.map(|(weak, strong)| step(["separate", "--in", weak, "--out", strong])));
    Group { name: "models".into(), steps }
}

/// Generated histories of each kind, and what the command says of them.
fn generated() -> Vec<Group> {
    let mut groups = Vec::new();
    let mut group = |name: String, file: String, generate: String, small: bool| {
        let mut steps = vec![prepare(&format!("generate {generate} -o {file}"))];
        steps.extend(certified(&file));
        if small {
            steps.extend(ENGINES.map(|engine| check(&file, Some(engine))));
            steps.push(limited("explain", &file));
            steps.push(limited("shrink", &file));
        }
        groups.push(Group { name: format!("generated-{name}"), steps });
    };
    const ORDERS: &str = "--orders relaxed=3,acquire=2,release=2,acq_rel=1,seq_cst=2";
    for machine in ["atomic", "mesi", "tso", "pso", "rmo", "view"] {
        let deps = if machine == "rmo" { " --deps 0.2" } else { "" };
        let sizes = [("small", 4, 14, 3, 100), ("medium", 5, 80, 6, 20), ("large", 8, 5000, 16, 2)];
        for (size, threads, events, locations, histories) in sizes {
            // The C11 models are searched where there is seq_cst: long histories have it nowhere.
            let orders = if size == "large" { "" } else { ORDERS };
            let generate = format!(
                "machine --machine {machine}{deps} --threads {threads} --events {events} --locations {locations} --fences 0.05 --seed 7 --histories {histories} {orders}"
            );
            let file = format!("{machine}-{size}.json");
            group(format!("{machine}-{size}"), file.clone(), generate.trim_end().into(), size == "small");
            if size != "large" {
                let mutants = format!("mutate --seed 3 --weaken 0.1 --reads 1 {file}");
                group(
                    format!("{machine}-{size}-mutants"),
                    format!("{machine}-{size}-mutants.json"),
                    mutants,
                    size == "small",
                );
            }
        }
    }
    for bug in ["lost-invalidation", "stale-fill", "split-rmw", "reordered-store-hit"] {
        let generate = format!(
            "machine --machine mesi --bug {bug} --threads 4 --events 40 --locations 4 --seed 5 --histories 30"
        );
        group(format!("mesi-{bug}"), format!("mesi-{bug}.json"), generate, true);
    }
    let hard = ["sat", "triangles", "kernel", "pattern", "lock"];
    for family in hard {
        group(format!("hard-{family}"), format!("hard-{family}.json"), format!("hard {family}"), false);
    }
    let specs = [
        "register",
        "cas-register",
        "multi-register",
        "counter",
        "set",
        "grow-set",
        "map",
        "kv-store",
        "queue",
        "stack",
        "priority-queue",
        "mutex",
        "list",
        "bank",
    ];
    for spec in specs {
        for (name, how, processes, operations, histories) in [
            ("atomic", "--implementation atomic --crashes 0.05", 3, 10, 40),
            ("delayed", "--implementation delayed --delay 3", 3, 9, 40),
            ("buggy", "--implementation buggy", 3, 10, 40),
            ("large", "--implementation atomic", 4, 400, 2),
        ] {
            let generate = format!(
                "object --spec {spec} {how} --processes {processes} --operations {operations} --seed 11 --histories {histories}"
            );
            group(format!("{spec}-{name}"), format!("{spec}-{name}.json"), generate, name != "large");
        }
    }
    for store in ["serial", "2pl", "occ", "mvcc", "causal", "read-committed"] {
        for (size, transactions, histories) in [("small", 10, 60), ("medium", 100, 10), ("large", 2000, 1)] {
            let generate = format!(
                "transactions --store {store} --transactions {transactions} --lists 0.3 --seed 13 --histories {histories}"
            );
            group(format!("{store}-{size}"), format!("{store}-{size}.json"), generate, size == "small");
        }
    }
    for (store, bug) in [
        ("mvcc", "lost-update"),
        ("occ", "missed-conflict"),
        ("causal", "early-delivery"),
        ("mvcc", "torn-commit"),
    ] {
        let generate =
            format!("transactions --store {store} --bug {bug} --transactions 15 --seed 17 --histories 60");
        group(format!("{store}-{bug}"), format!("{store}-{bug}.json"), generate, true);
    }
    groups
}

fn litmus(name: &str, paths: &[&str]) -> Group {
    let asked = ["litmus", "--model", LITMUS_MODELS, "--style", "json"];
    Group { name: format!("litmus-{name}"), steps: vec![step(asked.iter().chain(paths).copied())] }
}

/// The programs of the explorer: what they expect, and for the small ones every model and what is told of a failure.
fn programs(work: &Path) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    for folder in ["litmus", "races", "structures", "synthetic", "wrong"] {
        let mut steps = Vec::new();
        for file in files(work, &format!("programs/{folder}"), &["prog"])? {
            steps.push(explore(&["--expect", "--style", "json", &file]));
            if folder != "structures" && folder != "synthetic" {
                steps.push(explore(&["--style", "json", "--model", PROGRAM_MODELS, &file]));
                steps.push(explore(&["--model", "rc20", &file]));
            }
        }
        groups.push(Group { name: format!("programs-{folder}"), steps });
    }
    Ok(groups)
}

/// Histories and tests in the shared folder.
fn by_others(work: &Path) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    for corpus in CORPORA {
        let folder = if corpus == "txn-public" { "transactions" } else { "corpus" };
        let file = format!("shared/{folder}/{corpus}.jsonl");
        groups.push(Group { name: format!("shared-{corpus}"), steps: certified(&file) });
    }
    let axe = "shared/third-party/axe-litmus/tests.axe";
    let mut steps = certified(axe);
    steps.push(limited("explain", axe));
    groups.push(Group { name: "shared-axe".into(), steps });
    let folders = [
        ("knossos", "third-party/knossos", &["--spec", "cas-register(0)"][..]),
        ("porcupine-etcd", "third-party/porcupine/jepsen", &["--spec", "cas-register"]),
        ("porcupine-kv", "third-party/porcupine/kv", &["--spec", "kv-store"]),
    ];
    for (name, folder, spec) in folders {
        let asked = ["check", "--style", "json", "--witness", "--model", "linearizable"];
        let asked = |file: &str| step(asked.iter().chain(LIMITS).chain(spec).copied().chain([file]));
        let files = files(work, &format!("shared/{folder}"), &["edn", "log", "txt"])?;
        groups.push(Group {
            name: format!("shared-{name}"),
            steps: files.iter().map(|file| asked(file)).collect(),
        });
    }
    for folder in ["elle", "awdit-tests", "plume-text", "oopsla2019", "polysi-bincode"] {
        let files = files(
            work,
            &format!("shared/transactions/third-party/{folder}"),
            &["edn", "json", "txt", "bincode"],
        )?;
        let steps = files.iter().flat_map(|file| certified(file)).collect();
        groups.push(Group { name: format!("shared-{folder}"), steps });
    }
    groups.push(litmus("c11", &["shared/litmus/c11-diy"]));
    groups.push(litmus("x86", &["shared/litmus/x86-diy", "shared/litmus/X86_64-diy"]));
    Ok(groups)
}

/// The files with these endings in a folder and below it, by name.
fn files(work: &Path, folder: &str, endings: &[&str]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let failed = |error| format!("error: {folder}: {error}");
    for entry in std::fs::read_dir(work.join(folder)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(files(work, &name, endings)?);
        } else if entry.path().extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
        {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

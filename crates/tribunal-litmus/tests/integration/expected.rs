//! Our answers against herd's.

use std::collections::BTreeMap;
use std::fs;

use crate::compare::{self, Models, compare as compared, directories, expected, report, shared, unpack};
use tribunal_litmus::Test;

/// All rows of expected.tsv that `TRIBUNAL_ONLY` (a beginning of test names, and perhaps a model after a blank) selects.
/// `TRIBUNAL_LITMUS` has the collected tests, `TRIBUNAL_HERD` herd's files (with master's last).
#[test]
#[ignore = "takes minutes, needs files by others: cargo xtask litmus"]
fn all_expected() {
    let (herd, tests) = (directories("TRIBUNAL_HERD"), directories("TRIBUNAL_LITMUS"));
    let shared = shared().expect("the folder with herd's answers");
    let text = unpack(&shared.join("expected.tsv.xz"));
    let only = std::env::var("TRIBUNAL_ONLY").unwrap_or_default();
    let (start, model) = only.split_once(' ').unwrap_or((&only, ""));
    let mut rows = expected(&text);
    rows.retain(|row| row.test.starts_with(start) && (model.is_empty() || row.model == model));
    let seconds = std::env::var("TRIBUNAL_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let counts = std::env::var_os("TRIBUNAL_STATES").is_none();
    let tallies = compared(&rows, &mut Models::new(herd), counts, seconds, |test| {
        let in_shared = shared.join(test);
        if in_shared.exists() { in_shared } else { tests[0].join(test) }
    });
    report(&tallies);
    let sum = |count: fn(&compare::Tally) -> usize| tallies.values().map(count).sum::<usize>();
    assert_eq!(sum(|tally| tally.wrong.len()), 0, "answers that are not herd's");
    assert!(sum(|tally| tally.same) > 0, "nothing was compared");
    // What is refused or takes too long is listed above.
    let unanswered = sum(|tally| tally.unsupported.len() + tally.stopped.len());
    assert!(unanswered * 20 <= rows.len(), "{unanswered} of {} have no answer", rows.len());
}

/// Our models by name, on the tests that diy made: outcomes.tsv has herd's states with MODELS.md's models written in cat. A tenth of them, or
/// with `TRIBUNAL_ALL` all.
#[test]
fn our_models_on_diy() {
    let Some(shared) = shared() else { return };
    for folder in ["c11-diy", "x86-diy"] {
        let text = unpack(&shared.join(folder).join("outcomes.tsv.xz"));
        let every = if std::env::var_os("TRIBUNAL_ALL").is_some() { 1 } else { 10 };
        let rows = text.lines().filter(|line| !line.starts_with('#')).step_by(every);
        let rows: Vec<compare::Row> = rows
            .filter_map(|line| {
                let columns: Vec<&str> = line.split('\t').collect();
                let ours = match columns[1] {
                    "x86tso" => "tso",
                    "sc-c" => "sc",
                    // MODELS.md's has acyclic(po | rf); what is called relaxed there has not.
                    "relaxed" => return None,
                    "relaxed-porf" => "relaxed",
                    // There a seq_cst access is as an acq_rel one.
                    "rc20" if columns[0].contains("sc") => return None,
                    name => name,
                };
                Some(compare::Row::new(
                    columns[0],
                    &format!("our-{ours}"),
                    "",
                    columns.get(2).copied().unwrap_or_default(),
                ))
            })
            .collect();
        let tallies =
            compared(&rows, &mut Models::new(Vec::new()), false, 10, |test| shared.join(folder).join(test));
        report(&tallies);
        let wrong: usize =
            tallies.values().map(|t| t.wrong.len() + t.unsupported.len() + t.stopped.len()).sum();
        assert_eq!(wrong, 0, "of {}", rows.len());
    }
}

/// The tests on which herd takes long or gives up, with its seconds. `TRIBUNAL_STATES`: without counts.
#[test]
#[ignore = "takes minutes, needs herd's files: cargo xtask litmus"]
fn hard() {
    let shared = shared().expect("the folder with herd's answers");
    let herd = directories("TRIBUNAL_HERD");
    let (mut compared, mut wrong) = (0, Vec::new());
    let text = std::fs::read_to_string(shared.join("hard/herd7.tsv")).expect("herd's answers");
    let mut models = Models::new(herd);
    let counts = std::env::var_os("TRIBUNAL_STATES").is_none();
    let only = std::env::var("TRIBUNAL_ONLY").unwrap_or_default();
    let seconds = std::env::var("TRIBUNAL_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    for line in text.lines().filter(|line| !line.starts_with('#') && line.starts_with(&only)) {
        let columns: Vec<&str> = line.split('\t').collect();
        let row = compare::Row::new(
            columns[0],
            columns[1],
            columns[3],
            columns.get(9).copied().unwrap_or_default(),
        );
        let start = std::time::Instant::now();
        let file = shared.join(format!("hard/{}.litmus", columns[0]));
        let answer = compare::answer(&row, &mut models, counts, seconds, &file);
        let took = start.elapsed().as_secs_f64();
        let said = match answer {
            Err(_) => "stopped".to_owned(),
            Ok((test, outcome)) => {
                let all = outcome.executions();
                let same = if columns[3] == "timeout" || row.states.is_empty() {
                    "nothing to compare"
                } else if compare::printed(&test, &outcome) == row.states
                    && compare::verdict(&test, &outcome) == row.verdict
                {
                    compared += 1;
                    "same"
                } else {
                    wrong.push(format!("{} {}", columns[0], columns[1]));
                    "WRONG"
                };
                format!("{} states, {} {}, {same}", outcome.states.len(), all.positive, all.negative)
            }
        };
        eprintln!(
            "{} {}: herd {} s ({}), we {took:.3} s: {said}",
            columns[0], columns[1], columns[2], columns[3]
        );
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(compared > 0, "nothing was compared");
}

/// Every test of the collection in `TRIBUNAL_LITMUS` is read, or refused with a word on why. The directory has a folder for each architecture.
#[test]
#[ignore = "needs tests by others: cargo xtask litmus"]
fn collected_tests_are_read() {
    let root = directories("TRIBUNAL_LITMUS").swap_remove(0);
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut read = 0;
    for arch in ["AArch64", "RISCV", "PPC", "ARM", "MIPS", "BPF"] {
        for entry in fs::read_dir(root.join(arch)).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            match Test::parse(&path.display().to_string(), &text) {
                Ok(_) => read += 1,
                Err(error) => refused.entry(arch.to_string()).or_default().push(error.to_string()),
            }
        }
    }
    let count: usize = refused.values().map(Vec::len).sum();
    for (arch, errors) in &refused {
        eprintln!("{arch}: {} refused\n  {}", errors.len(), errors.join("\n  "));
    }
    eprintln!("{read} read, {count} refused");
    // Few are: those that herd refuses, too, and those of page tables, tags, and code that is data.
    assert!(count * 40 < read, "{count} refused");
}

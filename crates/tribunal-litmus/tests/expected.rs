//! Our answers against herd's.

mod compare;

use compare::{Models, compare as compared, directories, expected, report, shared, unpack};

/// All rows of expected.tsv that `TRIBUNAL_ONLY` (a beginning of test names, and perhaps a model after a blank) selects.
/// `TRIBUNAL_LITMUS` has the collected tests, `TRIBUNAL_HERD` herd's files (with master's last).
#[test]
#[ignore = "takes minutes; needs herd's files"]
fn all_expected() {
    let (Some(shared), Some(herd), Some(tests)) =
        (shared(), directories("TRIBUNAL_HERD"), directories("TRIBUNAL_LITMUS"))
    else {
        return;
    };
    let Some(text) = unpack(&shared.join("expected.tsv.xz")) else { return };
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
}

//! `tribunal record memory`: what this machine's own memory does, which is not the same at every run.

use crate::command::{Place, Ran};

fn record(place: &Place, line: &str) -> Ran {
    let mut arguments = vec!["record", "memory"];
    arguments.extend(line.split(' '));
    place.run(&arguments)
}

/// What threads on cores of their own, or on one, may print beside the output.
fn only_warnings(stderr: &str) -> bool {
    stderr.lines().all(|line| line.starts_with("warning: "))
}

/// Every history, of any program, layout and format.
#[test]
fn what_is_recorded_is_what_the_processor_promises() {
    let place = Place::new();
    let promised = if cfg!(target_arch = "x86_64") { "tso,rc20" } else { "rc20" };
    for (line, file, histories) in [
        ("--histories 300", "a.txt", 300),
        ("--histories 300 --layout packed --rmws 0.2 --fences 0.1", "a.jsonl", 300),
        ("--histories 300 --layout line --orders relaxed", "a.axe", 300),
        ("--histories 300 --layout page --locality 0.5 --writes 0.7", "a.jsonl.gz", 300),
        ("--histories 20 --threads 4 --events 200 --locations 8", "a.txt.zst", 20),
        ("--events 20000 --locations 50", "long.axe", 1),
    ] {
        let ran = record(&place, &format!("{line} -o {file}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{line}: {}", ran.stderr);
        assert!(only_warnings(&ran.stderr), "{}", ran.stderr);
        let checked = place.run(&["check", "--model", promised, "--style", "brief", "--verify", file]);
        assert_eq!(checked.stdout, "OK\n".repeat(histories), "{line}");
    }
}

#[test]
fn histories_come_as_text_and_have_names() {
    let place = Place::new();
    let ran = record(&place, "--histories 2 --seed 7 --events 4");
    assert_eq!(ran.status, 0);
    let names: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("name: ")).collect();
    let name = |seed: u64| format!("name: {} memory, seed {seed}", std::env::consts::ARCH);
    assert_eq!(names, [name(7), name(8)]);
    // For so long, however many they are.
    let ran = record(&place, "--seconds 0.05 --to axe");
    assert!(ran.status == 0 && ran.stdout.contains("check\n"), "{}", ran.stderr);
}

/// A search that finds something says what, and keeps all of it; whether it finds something is the machine's affair.
#[test]
fn a_search_shows_what_it_finds() {
    let place = Place::new();
    let ran = record(&place, "--until-not sc --seconds 5 -o found.txt");
    let found = place.path("found.txt").exists();
    assert_eq!(ran.status, i32::from(found), "{}", ran.stderr);
    if found {
        let (title, reasons) = ran.stdout.split_once("\n\n").expect("a title");
        assert!(title.ends_with(" of 12 events are not sc"), "{title}");
        assert!(reasons.starts_with("sc: inconsistent, breaks sequential,"), "{reasons}");
        assert!(reasons.contains("\nforbidden by  sc, "), "{reasons}");
        assert!(!cfg!(target_arch = "x86_64") || reasons.contains("\nallowed by    tso, "), "{reasons}");
        assert!(only_warnings(&ran.stderr), "{}", ran.stderr);
        let checked = place.run(&["check", "--model", "sc", "--style", "brief", "found.txt"]);
        assert_eq!((checked.status, checked.stdout.as_str()), (1, "NO\n"));
    } else {
        assert!(ran.stderr.contains("sc allows every history recorded, "), "{}", ran.stderr);
    }
}

/// Two pinned threads of an x86 processor meet a store buffer soon.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "needs two cores of its own"]
fn store_buffering_is_found_within_seconds() {
    let ran = record(&Place::new(), "--until-not sc --seconds 5");
    assert_eq!(ran.status, 1, "{}", ran.stderr);
}

#[test]
fn a_search_that_finds_nothing_is_a_success() {
    let place = Place::new();
    let ran = record(&place, "--until-not coherence --histories 500 -o none.txt");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("coherence allows every history recorded, 500\n"), "{}", ran.stderr);
    assert!(!place.path("none.txt").exists());
}

#[test]
fn nonsense_is_refused() {
    let place = Place::new();
    for (line, expected) in [
        ("--locations 3000 --layout page", "3000 locations do not fit"),
        ("--writes 0.7 --rmws 0.4", "add up to more than 1"),
        ("--until-not cc --fences 0.5", "--until-not cc: "),
        ("--until-not linearizable", "a criterion of objects"),
        ("--layout lines", "possible values: line, packed, page, mixed"),
        ("--threads 0", "0 is not in 1..=1024"),
        ("--fences 1 --to axe", "memory, seed 0: "),
    ] {
        let ran = record(&place, line);
        assert_eq!(ran.status, 2, "{line}");
        assert!(ran.stderr.contains(expected), "{line}: {}", ran.stderr);
    }
}

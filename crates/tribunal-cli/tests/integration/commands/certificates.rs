//! `check --certificates`: large certificates in files of their own, and `verify` that follows them there.

use crate::command::{LB, MP, Place, Ran, SB, several};
use serde_json::Value;

const CHECK: [&str; 6] = ["check", "--style", "json", "--witness", "--certificates", "stored"];

/// A file of histories, its verdict lines, and a directory of certificates larger than the limit.
fn stored(limit: &str) -> (Place, Vec<Value>) {
    let place = Place::with("all.txt", several(&[SB, MP, LB]));
    let ran = place.run(&[&CHECK[..], &["--certificate-limit", limit, "all.txt"]].concat());
    assert_eq!((ran.status, ran.stderr.as_str()), (1, ""));
    place.write("lines", &ran.stdout);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (place, lines)
}

/// The certificate of a verdict line.
fn certificate(line: &Value) -> &Value {
    line.get("witness").or(line.get("violation")).expect("a certificate")
}

fn files(place: &Place, directory: &str) -> usize {
    std::fs::read_dir(place.path(directory)).expect("a directory").count()
}

#[test]
fn a_line_names_the_file_of_a_large_certificate_and_verify_reads_it() {
    let (place, lines) = stored("0");
    assert_eq!(files(&place, "stored"), lines.len());
    for line in &lines {
        let reference = certificate(line);
        let file = reference["file"].as_str().expect("a file");
        assert!(file.starts_with("stored/all.txt-") && file.ends_with(".json.zst"), "{file}");
        let compressed = std::fs::read(place.path(file)).expect("a stored certificate");
        let text = zstd::decode_all(&compressed[..]).expect("compressed");
        assert_eq!(Some(text.len() as u64), reference["bytes"].as_u64());
    }
    let inline = place.run(&["check", "--style", "json", "--witness", "all.txt"]).stdout;
    place.write("inline", &inline);
    let ran = place.run(&["verify", "all.txt", "lines"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(ran.stdout, place.run(&["verify", "all.txt", "inline"]).stdout);
}

#[test]
fn small_certificates_stay_in_their_lines() {
    let (place, lines) = stored("64k");
    assert_eq!(files(&place, "stored"), 0);
    assert!(lines.iter().all(|line| certificate(line).get("file").is_none()));
    let (place, lines) = stored("250");
    let large = lines.iter().filter(|line| certificate(line).get("file").is_some()).count();
    assert!(0 < large && large < lines.len());
    assert_eq!(files(&place, "stored"), large);
    assert_eq!(place.run(&["verify", "all.txt", "lines"]).status, 0);
}

#[test]
fn a_model_of_ones_own_and_a_path_make_file_names() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).expect("made");
    place.write("in/mp.txt", MP);
    let asked = ["--certificate-limit", "1", "--model", "po-mm=RR+WW;rf-mm=rfe", "in/mp.txt"];
    let ran = place.run(&[&CHECK[..], &asked].concat());
    assert_eq!(ran.stderr, "");
    let name = "stored/in%2Fmp.txt-0-po-mm%3DRR%2BWW%3Brf-mm%3Drfe.json.zst";
    assert!(place.path(name).exists(), "{}", ran.stdout);
    assert_eq!(place.run_on(&["verify", "in/mp.txt", "-"], &ran.stdout).status, 0);
}

#[test]
fn certificates_that_were_moved_are_found_where_verify_is_told() {
    let (place, lines) = stored("0");
    std::fs::rename(place.path("stored"), place.path("moved")).expect("moved");
    let ran = place.run(&["verify", "all.txt", "lines"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: lines:1: stored/all.txt-0-sc.json.zst: "), "{}", ran.stderr);
    let ran = place.run(&["verify", "--certificates", "moved", "all.txt", "lines"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(ran.last_line(), format!("{} certificates accepted, 0 refused, 0 skipped", lines.len()));
}

#[test]
fn a_damaged_certificate_is_an_error_and_a_wrong_one_is_refused() {
    let (place, lines) = stored("0");
    let path = |line: &Value| place.path(certificate(line)["file"].as_str().expect("a file"));
    let first = path(&lines[0]);
    let whole = std::fs::read(&first).expect("a certificate");
    let long = vec![b' '; 10_000];
    for damaged in [&whole[..whole.len() - 3], b"", b"{}", &long] {
        std::fs::write(&first, damaged).expect("written");
        let ran = place.run(&["verify", "all.txt", "lines"]);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.starts_with("error: lines:1: stored/all.txt-0-sc.json.zst: "), "{}", ran.stderr);
    }
    // The same length, but it says something else.
    let text = zstd::decode_all(&whole[..]).expect("compressed");
    let text = String::from_utf8(text).expect("text");
    let wrong = text.replace("[0,0]", "[0,1]");
    assert_ne!(text, wrong);
    std::fs::write(&first, wrong).expect("written");
    let ran = place.run(&["verify", "all.txt", "lines"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.stdout.contains("sc: inconsistent: refused: "), "{}", ran.stdout);
}

#[test]
fn a_certificate_that_cannot_be_stored_is_an_error_and_leaves_nothing_behind() {
    let place = Place::with("mp.txt", MP);
    place.write("taken", "");
    let store = |directory: &str| {
        let asked = ["--certificates", directory, "--certificate-limit", "0", "mp.txt"];
        place.run(&[&["check", "--style", "json", "--model", "ra"][..], &asked].concat())
    };
    let ran = store("taken");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: taken: "), "{}", ran.stderr);
    // Something else is in the certificate's place.
    std::fs::create_dir_all(place.path("stored/mp.txt-0-ra.json.zst/x")).expect("made");
    let ran = store("stored");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: stored/mp.txt-0-ra.json.zst: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
    assert_eq!(files(&place, "stored"), 1);
}

#[test]
fn certificates_are_for_json_and_sizes_are_sizes() {
    let place = Place::with("mp.txt", MP);
    for wrong in [
        &["--certificates", "stored"][..],
        &["--style", "brief", "--certificates", "stored"],
        &["--style", "json", "--certificate-limit", "64k"],
        &["--style", "json", "--certificates", "stored", "--certificate-limit", "64x"],
        &["--max-memory", "-1"],
        &["--max-memory", "99999999999G"],
    ] {
        let ran = place.run(&[&["check"][..], wrong, &["mp.txt"]].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
    assert!(!place.path("stored").exists());
}

/// What verify says of a line whose certificate is stored in this file of so many bytes.
fn named(place: &Place, options: &[&str], file: &str, bytes: u64) -> Ran {
    let line = serde_json::json!({"file": "mp.txt", "index": 0, "name": "MP", "model": "ra", "verdict": "inconsistent",
        "engine": "x", "events": 4, "micros": 1, "violation": {"file": file, "bytes": bytes}});
    place.run_on(&[&["verify"][..], options, &["mp.txt", "-"]].concat(), format!("{line}\n"))
}

#[cfg(unix)]
#[test]
fn only_regular_files_of_the_folder_are_opened() {
    let place = Place::with("mp.txt", MP);
    std::fs::create_dir(place.path("stored")).expect("made");
    place.write("stored/fine", "{}");
    let outside = Place::with("fine", "{}");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path("stored/pipe"), mode).expect("a pipe");
    for (target, link) in [("/dev/zero", "zero"), ("/dev/tty", "tty"), ("pipe", "to-pipe"), ("loop", "loop")]
    {
        std::os::unix::fs::symlink(target, place.path("stored").join(link)).expect("linked");
    }
    std::os::unix::fs::symlink(outside.path("fine"), place.path("stored/out")).expect("linked");
    let absolute = outside.path("fine");
    let absolute = absolute.to_str().expect("text");
    let here = place.path("stored/fine");
    for (file, problem) in [
        (absolute, "expected a path below the current folder"),
        (here.to_str().expect("text"), "expected a path below the current folder"),
        ("stored/../stored/fine", "expected a path below the current folder"),
        ("../fine", "expected a path below the current folder"),
        ("/dev/zero", "expected a path below the current folder"),
        ("", "expected a path below the current folder"),
        ("stored/pipe", "expected a regular file"),
        ("stored", "expected a regular file"),
        ("stored/to-pipe", "expected a regular file"),
        ("stored/zero", "leads out of the folder"),
        ("stored/tty", "leads out of the folder"),
        ("stored/out", "leads out of the folder"),
        ("stored/loop", "symbolic links"),
        ("stored/missing", "No such file"),
    ] {
        let ran = named(&place, &[], file, 2);
        assert_eq!(ran.status, 2, "{file}: {ran:?}");
        assert!(
            ran.stderr.starts_with("error: -:1: ") && ran.stderr.contains(problem),
            "{file}: {}",
            ran.stderr
        );
    }
    // With a folder only the name counts, and what it leads to must be in the folder.
    let stored = ["--certificates", "stored"];
    for (file, problem) in
        [("a/zero", "leads out"), ("../../pipe", "regular"), ("x/..", "below"), ("out", "leads out")]
    {
        let ran = named(&place, &stored, file, 2);
        assert_eq!(ran.status, 2, "{file}: {ran:?}");
        assert!(ran.stderr.contains(problem), "{file}: {}", ran.stderr);
    }
    for (options, file) in [(&[][..], "stored/fine"), (&stored, absolute)] {
        let ran = named(&place, options, file, 2);
        assert_eq!((ran.status, ran.stderr.as_str()), (1, ""), "read, and refused: {ran:?}");
    }
}

#[test]
fn a_stored_certificate_has_the_size_that_its_line_says_and_no_more_than_is_allowed() {
    let place = Place::with("mp.txt", MP);
    std::fs::create_dir(place.path("stored")).expect("made");
    let bomb = format!("[{}0]", "0,".repeat(10 << 20));
    place.write("stored/bomb", zstd::encode_all(bomb.as_bytes(), 0).expect("compressed"));
    place.write("stored/large", &bomb);
    let all = bomb.len() as u64;
    for (options, file, bytes, problem) in [
        (&[][..], "stored/bomb", 2, "found one of another length"),
        (&[], "stored/bomb", all + 1, "found one of another length"),
        (&[], "stored/bomb", u64::MAX, "a certificate of more than "),
        (&["--max-memory", "32M"], "stored/bomb", all, "a certificate of more than 16777216 bytes"),
        (&["--max-memory", "32M"], "stored/large", 5, "a certificate of more than 16777216 bytes"),
        (&["--max-memory", "64M"], "stored/bomb", all, "expected a certificate: it takes more than the "),
    ] {
        let ran = named(&place, options, file, bytes);
        assert_eq!(ran.status, 2, "{file}: {ran:?}");
        assert!(ran.stderr.contains(problem), "{file}: {}", ran.stderr);
    }
}

//! `tribunal verify`: accepts what check printed and refuses what was tampered with.

use crate::command::{LB, MP, Place, SB, several};
use std::io::Write;

/// A file of histories and its certificates.
fn certified() -> (Place, String) {
    let place = Place::with("all.txt", several(&[SB, MP, LB]));
    let certificates = place.run(&["check", "--style", "json", "--witness", "all.txt"]).stdout;
    place.write("certificates", &certificates);
    (place, certificates)
}

#[test]
fn accepts_every_certificate_of_check() {
    let (place, certificates) = certified();
    let ran = place.run(&["verify", "all.txt", "certificates"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("SB (all.txt:1): sc: inconsistent: accepted\n"), "{}", ran.stdout);
    assert_eq!(ran.last_line(), "57 certificates accepted, 0 refused, 0 skipped");
    let piped = place.run_on(&["verify", "all.txt", "-"], &certificates);
    assert_eq!(piped.stdout, ran.stdout);
}

/// A pair in a verdict line is the one that was asked for, whatever it has.
#[test]
fn pairs_are_read_back_from_verdict_lines() {
    let place = Place::with("all.txt", several(&[SB, MP, LB]));
    for (pair, name) in [
        ("po-mm=deps;rf-mm=rfe;rmw=none;po-loc=no-RR", "rmo"),
        ("po-mm=RR/loc+RW/loc+WW/loc+times;rf-mm=rfe", "wmo"),
        ("po-mm=RR+RW+WR+WW;rf-mm=rf", "sc"),
    ] {
        let check =
            |model| place.run(&["check", "--style", "json", "--witness", "--model", model, "all.txt"]).stdout;
        let words = |lines: &str| lines.matches(r#""verdict":"consistent""#).count();
        let lines = check(pair);
        assert_eq!(lines.matches(&format!(r#""model":"{pair}""#)).count(), 3, "{lines}");
        assert_eq!(words(&lines), words(&check(name)), "{pair}");
        let ran = place.run_on(&["verify", "all.txt", "-"], &lines);
        assert_eq!(ran.last_line(), "3 certificates accepted, 0 refused, 0 skipped");
    }
}

#[test]
fn reads_compressed_certificates() {
    let (place, certificates) = certified();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(certificates.as_bytes()).expect("compressed");
    let gzip = encoder.finish().expect("compressed");
    let zstd = zstd::encode_all(certificates.as_bytes(), 0).expect("compressed");
    for compressed in [&gzip, &zstd] {
        let ran = place.run_on(&["verify", "all.txt", "-"], compressed);
        assert_eq!((ran.status, ran.last_line()), (0, "57 certificates accepted, 0 refused, 0 skipped"));
        let ran = place.run_on(&["verify", "all.txt", "-"], &compressed[..compressed.len() - 10]);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.starts_with("error: -:"), "{}", ran.stderr);
    }
}

#[test]
fn histories_without_certificates_are_passed_over() {
    let (place, certificates) = certified();
    let last: Vec<_> = certificates.lines().filter(|line| line.contains("\"index\":2")).collect();
    let ran = place.run_on(&["verify", "all.txt", "-"], last.join("\n"));
    assert_eq!(ran.last_line(), "19 certificates accepted, 0 refused, 0 skipped");
}

#[test]
fn refuses_corrupted_certificates() {
    let (place, certificates) = certified();
    let corruptions = [
        // A write moved before the initial write.
        (r#""x":[{"init":"x"},[0,0]]"#, r#""x":[[0,0],{"init":"x"}]"#),
        // A write left out.
        (r#""x":[{"init":"x"},[0,0]]"#, r#""x":[{"init":"x"}]"#),
        // An event that does not exist.
        (r#"[0,0]"#, r#"[7,7]"#),
        // Another verdict.
        (r#""verdict":"inconsistent""#, r#""verdict":"consistent""#),
        (r#""verdict":"consistent""#, r#""verdict":"inconsistent""#),
        (r#""verdict":"consistent""#, r#""verdict":"unsupported""#),
        // Another axiom, another edge, another history.
        (r#""axiom":"po-rf""#, r#""axiom":"atomicity""#),
        (r#""rel":"rf""#, r#""rel":"po""#),
        (r#""events":4"#, r#""events":5"#),
        // A witness taken away.
        (r#""witness":"#, r#""wisdom":"#),
    ];
    for (from, to) in corruptions {
        let corrupted = certificates.replace(from, to);
        assert_ne!(corrupted, certificates, "{from}");
        let ran = place.run_on(&["verify", "all.txt", "-"], &corrupted);
        assert_eq!(ran.status, 1, "{from} -> {to}: {ran:?}");
        assert!(ran.stdout.contains(": refused: "), "{}", ran.stdout);
    }
}

#[test]
fn malformed_certificates_are_errors_with_a_line() {
    let (place, certificates) = certified();
    let (first, rest) = certificates.split_once('\n').expect("lines");
    let bad = [
        ("{", 1),
        ("", 1),
        ("[]", 1),
        ("\u{0}\u{1}\u{2}", 1),
        (&first.replace("\"sc\"", "\"c11\""), 1),
        (&first.replace("\"inconsistent\"", "\"perhaps\""), 1),
        (&first.replace("\"index\":0", "\"index\":-1"), 1),
        (&first.replace("\"index\":0", "\"index\":99"), 1),
        (&format!("{first}\n{}", &first[..40]), 2),
        (&format!("{first}\n{}", first.replace("all.txt", "other.txt")), 2),
        (&format!("{rest}{first}\n"), 57),
        (&"[".repeat(100_000), 1),
    ];
    for (text, line) in bad {
        let ran = place.run_on(&["verify", "all.txt", "-"], text);
        assert_eq!(ran.status, 2, "{text:.80}: {ran:?}");
        let last = ran.stderr.lines().last().unwrap_or("");
        assert!(last.starts_with(&format!("error: -:{line}: ")), "{text:.80}: {}", ran.stderr);
    }
    assert_eq!(place.run(&["verify", "all.txt", "missing"]).status, 2);
    assert_eq!(place.run(&["verify", "-", "-"]).status, 2);
}

#[test]
fn a_key_that_is_there_twice_is_an_error() {
    let (place, certificates) = certified();
    let violation = certificates.lines().position(|line| line.contains("violation")).expect("one") + 1;
    for (from, to, key) in [
        (r#""verdict":"#, r#""verdict":"undecided","verdict":"#, "verdict"),
        (r#""index":"#, r#""index":7,"index":"#, "index"),
        (r#""micros":"#, r#""\u006dicros":1,"micros":"#, "micros"),
    ] {
        let ran = place.run_on(&["verify", "all.txt", "-"], certificates.replacen(from, to, 1));
        let said = format!("error: -:1: expected a verdict line: duplicate key \"{key}\", at column ");
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.starts_with(&said), "{}", ran.stderr);
    }
    // Deep in a certificate, too.
    let twice = certificates.replacen(r#""rel":"po""#, r#""rel":"rf","rel":"po""#, 1);
    let ran = place.run_on(&["verify", "all.txt", "-"], twice);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.contains(&format!("error: -:{violation}: ")), "{}", ran.stderr);
    assert!(ran.stderr.contains("duplicate key \"rel\""), "{}", ran.stderr);
}

#[test]
fn a_line_takes_no_more_than_is_allowed() {
    let place = Place::with("mp.txt", MP);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let open = vec![b'['; 1 << 20];
    for _ in 0..64 {
        gzip.write_all(&open).expect("compressed");
    }
    let bomb = gzip.finish().expect("compressed");
    let ran = place.run_on(&["verify", "--max-memory", "16M", "mp.txt", "-"], bomb);
    assert_eq!(ran.status, 2);
    assert_eq!(
        ran.stderr,
        "error: -:1: a line of more than 8388608 bytes, half of what --max-memory allows\n"
    );
    let wide = format!("[{}[]]\n", "[],".repeat(2 << 20));
    let ran = place.run_on(&["verify", "--max-memory", "16M", "mp.txt", "-"], wide);
    assert!(ran.stderr.contains("it takes more than the "), "{}", ran.stderr);
    let ran = place.run_on(&["verify", "mp.txt", "-"], &open);
    assert!(ran.stderr.contains("recursion limit"), "{}", ran.stderr);
}

/// What a line says of its history is checked, whatever it proves.
#[test]
fn lines_about_another_history_are_refused() {
    let place = Place::with("sb.txt", SB);
    let lines = place.run(&["check", "--style", "json", "--model", "sc", "sb.txt"]).stdout;
    let verify = |lines: &str, file: &str| place.run_on(&["verify", file, "-"], lines);
    assert_eq!(verify(&lines, "sb.txt").status, 0);
    let forged = |from: &str, to: &str| {
        let forged = lines.replacen(from, to, 1);
        assert_ne!(forged, lines, "{from}");
        verify(&forged, "sb.txt")
    };
    let ran = forged(r#""schema":1"#, r#""schema":99"#);
    assert_eq!(
        (ran.status, &*ran.stderr),
        (2, "error: -:1: `schema`: expected 1, which this command reads, found 99\n")
    );
    for name in ["\"LB\"", "null"] {
        let ran = forged(r#""name":"SB""#, &format!("\"name\":{name}"));
        assert!(ran.status == 1 && ran.stdout.contains("and this one is called SB"), "{ran:?}");
    }
    let ran = forged("sha256-", "sha256-0");
    assert!(
        ran.status == 1 && ran.stdout.contains("about another history: its digest is sha256-0"),
        "{ran:?}"
    );
    assert_eq!(forged(r#""digest":""#, r#""digest":7,"x":""#).status, 2);
    // The same history by another name of its file, in another format; and one that differs in a value that the proof does not use.
    place.run(&["convert", "--to", "json", "-o", "other.json", "sb.txt"]);
    assert_eq!(verify(&lines, "other.json").status, 0);
    place.write("longer.txt", SB.replace("R x 0", "R x 0; W z 1"));
    assert_eq!(verify(&lines, "longer.txt").status, 1);
    // Without a digest the file's name counts.
    let digest = lines.find(r#""digest":"#).expect("a digest");
    let end = digest + lines[digest..].find("\",\"").expect("its end") + 2;
    let old = format!("{}{}", &lines[..digest], &lines[end..]);
    assert_eq!(verify(&old, "sb.txt").status, 0);
    let ran = verify(&old, "other.json");
    assert!(ran.status == 1 && ran.stdout.contains("has no digest and is about the file sb.txt"), "{ran:?}");
}

/// A line opens no file but one beside it, or one that is given.
#[test]
fn a_line_opens_no_model_from_elsewhere() {
    let place = Place::with("sb.txt", SB);
    place.write("secret", "hush");
    for folder in ["lines", "models"] {
        std::fs::create_dir(place.path(folder)).expect("made");
    }
    place.write("models/mine.cat", "acyclic po | rf | co | fr as mine");
    let lines =
        place.run(&["check", "--style", "json", "--witness", "--model", "models/mine.cat", "sb.txt"]).stdout;
    place.write("lines/a.jsonl", &lines);
    let ran = place.run(&["verify", "sb.txt", "lines/a.jsonl"]);
    assert!(ran.status == 2 && ran.stderr.contains("--model gives the file"), "{ran:?}");
    let given = place.run(&["verify", "--model", "models/mine.cat", "sb.txt", "lines/a.jsonl"]);
    assert_eq!(given.last_line(), "1 certificate accepted, 0 refused, 0 skipped", "{given:?}");
    place.write("lines/mine.cat", "acyclic po | rf | co | fr as mine");
    assert_eq!(place.run(&["verify", "sb.txt", "lines/a.jsonl"]).status, 0);
    // Neither by an include that leads out, nor by a link.
    let outside = place.path("secret").display().to_string();
    for include in ["../secret", &*outside] {
        place.write("lines/mine.cat", format!("include \"{include}\"\nacyclic po | rf as mine"));
        let ran = place.run(&["verify", "sb.txt", "lines/a.jsonl"]);
        assert!(ran.status == 2 && !ran.stderr.contains("hush") && !ran.stdout.contains("hush"), "{ran:?}");
    }
    #[cfg(unix)]
    {
        std::fs::remove_file(place.path("lines/mine.cat")).expect("removed");
        std::os::unix::fs::symlink(place.path("secret"), place.path("lines/mine.cat")).expect("linked");
        let ran = place.run(&["verify", "sb.txt", "lines/a.jsonl"]);
        assert!(ran.status == 2 && !ran.stderr.contains("hush"), "{ran:?}");
    }
}

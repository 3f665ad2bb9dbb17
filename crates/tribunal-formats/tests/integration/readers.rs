//! The readers on good input: every construct of every format, streams, compression, recognition.

use crate::round::{all, shown};
use crate::shared::shared;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc;
use tribunal_formats::{ErrorKind, Format, History, Input, Labels, open, read};
use tribunal_history::memory::{Execution, Interval, Kind, LocId, Order, ThreadId};

fn one(text: &str) -> History {
    let mut histories = all(text, "-", None).expect("well-formed");
    assert_eq!(histories.len(), 1);
    histories.remove(0)
}

fn events(x: &Execution) -> Vec<String> {
    x.events().map(|event| x.show(event).to_string()).collect()
}

#[test]
fn text_says_everything() {
    let history = one("\
# a comment
name: everything # really
init: x=5 M[3]=2
threads: T0 T1
T0: W.rel x 1; R.acq y 0; U.ar x 1>2 ; F.sc   # done
T1 : r.relaxed x 2 from T0:2; R x 5 from init dep 0 @ 3:5; W y 7 dep 0,1 @ :9;
T0: W z 1 @ 4:
T0: W.na x 9; R.na  y 0
final: x=2, y=7
expect: sc=no tso=yes rc20=na
");
    let x = history.memory().expect("of a memory");
    assert_eq!(x.name(), Some("everything # really"));
    let expected = [
        "T0:0 W.rel x 1",
        "T0:1 R.acq y 0",
        "T0:2 U.ar x 1>2",
        "T0:3 F.sc",
        "T0:4 W z 1",
        "T0:5 W.na x 9",
        "T0:6 R.na y 0",
        "T1:0 R x 2",
        "T1:1 R x 5",
        "T1:2 W y 7",
    ];
    assert_eq!(events(x), expected);
    let at = |thread, index| x.event_at(ThreadId(thread), index).expect("an event");
    assert_eq!(x.rf(at(1, 1)), Some(x.init_write(LocId(0))));
    assert_eq!(x.deps(at(1, 2)).collect::<Vec<_>>(), [at(1, 0), at(1, 1)]);
    assert_eq!(x.interval(at(1, 1)), Interval { begin: Some(3), end: Some(5) });
    assert_eq!(x.interval(at(1, 2)), Interval { begin: None, end: Some(9) });
    assert_eq!(x.interval(at(0, 4)), Interval { begin: Some(4), end: None });
    assert_eq!(x.finals().len(), 2);
    assert_eq!(x.init_value(LocId(1)), 2);
    let labels = [("sc", Some(false)), ("tso", Some(true)), ("rc20", None)];
    assert_eq!(history.labels, Labels(labels.map(|(model, label)| (model.to_string(), label)).to_vec()));
    assert_eq!(history.line, 2);
}

#[test]
fn text_forgives_what_is_clear() {
    let plain = one("T0: W x 1; R y 0\nT1: W y 1; R x 0\n");
    for text in [
        "T0: W x 1; R y 0\r\nT1: W y 1; R x 0",
        "\u{feff}\n\n  T0 :W x 1 ;R y 0;\n\tT1:\tW y 1;   R x 0 ;  # end",
        "---\nT0: W x 1\nT1: W y 1\nT0: R y 0\nT1: R x 0\n---\n-----\n",
        "T0: w.rlx x 1; r y 0\nT1: W.relaxed y 1; R x 0",
    ] {
        assert_eq!(
            shown(one(text).memory().expect("of a memory")),
            shown(plain.memory().expect("of a memory")),
            "{text}"
        );
    }
}

#[test]
fn json_says_everything_in_any_order() {
    let text = r#"
{ "extra": {"a": [1, -2.5e3, "x\n\u00e9\ud83d\ude00", null, true]},
  "threads": [
    {"events": [
        {"value": 1, "order": "release", "loc": "x", "op": "write"},
        {"op": "rmw", "read": 1, "value": 2, "loc": "x", "order": "acq_rel", "from": [0, 0], "begin": 3, "end": 4},
        {"op": "fence", "order": "seq_cst"}], "name": "left"},
    {"events": [
        {"op": "read", "loc": "x", "value": 5, "order": "acquire", "from": "init", "deps": []},
        {"op": "read", "loc": "\u0079", "value": 0, "from": null, "deps": [0], "comment": "?"}]}],
  "init": {"x": 5}, "final": {"x": 2}, "kind": "memory", "name": "all \"of\" it",
  "verdicts": {"sc": false, "tso": true, "rc20": null} }"#;
    let history = one(text);
    let x = history.memory().expect("of a memory");
    assert_eq!(x.name(), Some("all \"of\" it"));
    let expected = ["left:0 W.rel x 1", "left:1 U.ar x 1>2", "left:2 F.sc", "T1:0 R.acq x 5", "T1:1 R y 0"];
    assert_eq!(events(x), expected);
    assert_eq!((history.labels.0.len(), history.line), (3, 2));
    assert!(x.features().deps && x.features().times && x.features().finals);
}

#[test]
fn axe_says_everything() {
    let text = "\
# ignored
# named
0: M[1] := 1 @ 10:12
1: v1 == 1@:1
0: sync   # a fence
1: { M[ 1 ] == 1; v1 := 2 }
12:<M[70000] == 0; M[70000] := 18446744073709551615>@ 3 :
final M[1] == 2
check
";
    let histories = all(text, "a.axe", None).expect("well-formed");
    assert_eq!(histories.len(), 1);
    let x = histories[0].memory().expect("of a memory");
    assert_eq!(x.name(), Some("named"));
    let expected = [
        "0:0 W M[1] 1",
        "0:1 F.sc",
        "1:0 R M[1] 1",
        "1:1 U M[1] 1>2",
        "12:0 U M[70000] 0>18446744073709551615",
    ];
    assert_eq!(events(x), expected);
    assert_eq!(histories[0].line, 3);
    assert_eq!(x.finals().len(), 1);
}

#[test]
fn files_hold_several_histories() {
    let axe =
        all("# a\n0: v0 := 1\ncheck\n\n# b\n0: v0 == 0\ncheck\ncheck\n# c\n0: sync", "-", None).expect("axe");
    let names: Vec<_> = axe.iter().map(|h| h.memory().expect("of a memory").name()).collect();
    assert_eq!(names, [Some("a"), Some("b"), None, Some("c")]);
    assert_eq!(axe.iter().map(|h| h.line).collect::<Vec<_>>(), [2, 6, 8, 10]);

    let text = all("name: a\n---\n# nothing here\n---\nname: b\nT: W x 1\n", "-", None).expect("text");
    assert_eq!(text.iter().map(|h| h.line).collect::<Vec<_>>(), [1, 5]);

    let json = all("{\"threads\":[]}{\"threads\":[]}\n\n{\n\"threads\":[]}", "-", None).expect("json");
    assert_eq!(json.iter().map(|h| h.line).collect::<Vec<_>>(), [1, 1, 3]);
}

#[test]
fn content_decides_where_no_name_does() {
    let cases = [
        ("# comment\n\n0: M[0] := 1", Format::Axe),
        ("final v0 == 0\n", Format::Axe),
        ("check", Format::Axe),
        ("0: W x 1", Format::Text),
        ("init: x=1", Format::Text),
        (" \n {\"threads\":[]}", Format::Json),
    ];
    for (text, format) in cases {
        let histories = read(text.as_bytes(), "-", None).expect("recognized");
        assert_eq!(histories.format(), format, "{text}");
    }
    let forced = read("0: M[0] := 1".as_bytes(), "a.json", Some(Format::Axe)).expect("forced");
    assert_eq!(forced.format(), Format::Axe);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("in memory")
}

#[test]
fn compression_is_looked_through() {
    let halves: [&[u8]; 2] = [b"T0: W x 1\n---\n", b"T0: R x 0\n"];
    for compress in [gzip, zstd] {
        let members: Vec<u8> = halves.iter().flat_map(|half| compress(half)).collect();
        assert_eq!(all(members.clone(), "-", None).expect("two members").len(), 2);
        for cut in [members.len() - 1, members.len() - 9, 7] {
            let error = all(&members[..cut], "a.txt", None).expect_err("truncated");
            assert!(matches!(error.kind(), ErrorKind::Truncated), "{error}");
        }
    }
    let corrupt: Vec<u8> =
        gzip(b"T0: W x 1\n").into_iter().enumerate().map(|(i, b)| if i > 9 { !b } else { b }).collect();
    let error = all(corrupt, "a.txt.gz", None).expect_err("corrupt");
    assert!(matches!(error.kind(), ErrorKind::Io(_)), "{error}");
}

/// Gives what is sent to it, and nothing more until more is sent.
struct Pipe(mpsc::Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            // A receive that would wait forever is the failure that this test is after.
            let wait = std::time::Duration::from_secs(5);
            match self.0.recv_timeout(wait) {
                Ok(bytes) => self.1 = bytes,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(0),
                Err(mpsc::RecvTimeoutError::Timeout) => return Err(io::Error::other("asked for too much")),
            }
        }
        let n = into.len().min(self.1.len());
        into[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

#[test]
fn a_history_is_given_as_soon_as_it_is_complete() {
    let first_and_second = [
        ("0: v0 := 1\ncheck\n0: v0", " := 2\ncheck\n"),
        ("T0: W x 1\n---\nT0: W", " x 2\n---\n"),
        ("{\"threads\":[]}", "\n{\"threads\":[]}"),
    ];
    for (first, second) in first_and_second {
        let (sender, receiver) = mpsc::channel();
        sender.send(first.as_bytes().to_vec()).expect("a reader");
        let mut histories = read(Pipe(receiver, Vec::new()), "-", None).expect("recognized");
        histories.next().expect("a history").expect("complete");
        assert_eq!(histories.bytes_read(), first.len() as u64);
        sender.send(second.as_bytes().to_vec()).expect("a reader");
        histories.next().expect("a history").expect("complete");
        drop(sender);
        assert!(histories.next().is_none());
    }
}

/// Gives one byte at a time: every token crosses a refill.
struct Trickle(io::Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = into.len().min(1);
        self.0.read(&mut into[..n])
    }
}

#[test]
fn refills_do_not_show() {
    for text in [
        "{\"threads\":[{\"events\":[{\"op\":\"write\",\"loc\":\"\\u00e9\",\"value\":12345}]}],\"z\":[null,1e5]}",
        "T0: W.rel x 12345 @ 3:5; R x 12345 from T0:0\nname: n",
        "0: M[12] := 12345 @ 1:2\nfinal v12 == 12345\ncheck",
    ] {
        let whole = one(text);
        let mut trickle = read(Trickle(io::Cursor::new(text.into())), "-", None).expect("recognized");
        let trickled = trickle.next().expect("a history").expect("well-formed");
        assert_eq!(
            shown(trickled.memory().expect("of a memory")),
            shown(whole.memory().expect("of a memory"))
        );
    }
}

#[test]
fn a_line_of_ten_megabytes_is_read() {
    let mut text = String::from("T0: W x 1");
    let mut json = String::from("{\"threads\":[{\"events\":[{\"op\":\"write\",\"loc\":\"x\",\"value\":1}");
    let mut events = 1;
    while text.len() < 10 << 20 {
        text.push_str("; R.acq x 1");
        json.push_str(",{\"op\":\"read\",\"loc\":\"x\",\"value\":1}");
        events += 1;
    }
    json.push_str("]}]}");
    for bytes in [text, json] {
        assert_eq!(one(&bytes).memory().expect("of a memory").len(), events);
    }
    let name = "n".repeat(10 << 20);
    for bytes in [format!("name: {name}\nT0: F.sc"), format!("{{\"name\":\"{name}\",\"threads\":[]}}")] {
        assert_eq!(one(&bytes).memory().expect("of a memory").name(), Some(name.as_str()));
    }
}

#[test]
fn files_are_opened() {
    let directory = std::env::temp_dir().join(format!("tribunal-formats-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("sb.axe");
    std::fs::write(&path, "0: v0 := 1\n").expect("a file");
    let mut histories = open(&Input::Path(path.clone()), None).expect("a file");
    assert_eq!((histories.format(), histories.total_bytes()), (Format::Axe, Some(11)));
    histories.next().expect("a history").expect("well-formed");
    assert_eq!(histories.bytes_read(), 11);
    std::fs::remove_file(&path).expect("a file");
    for missing in [path, directory.clone()] {
        let error =
            open(&Input::Path(missing.clone()), None).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let error = error.expect_err("no file");
        let known = matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::NoHistoryInFolder);
        assert!(known && error.file() == missing.to_string_lossy(), "{error}");
    }
    std::fs::remove_dir(directory).expect("an empty directory");
}

#[test]
fn the_axe_litmus_traces_are_read() {
    let Some(path) = shared("third-party/axe-litmus/tests.axe") else { return };
    let histories = open(&Input::Path(path), None).expect("a file");
    let histories: Vec<_> = histories.collect::<Result<_, _>>().expect("well-formed");
    assert_eq!(histories.len(), 199);
    assert!(histories.iter().all(|history| history.memory().expect("of a memory").name().is_some()));
    let first = histories[0].memory().expect("of a memory");
    assert_eq!((first.name(), first.len(), first.finals().len()), (Some("2+2W+sync+po"), 5, 2));
    assert!(first.labels().iter().any(|l| (l.kind(), l.order()) == (Kind::Fence, Order::SeqCst)));
}

#[test]
fn the_documented_examples_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let documentation = std::fs::read_to_string(path).expect("docs/formats.md");
    for (heading, format) in [
        ("## Text", Format::Text),
        ("## Native JSON", Format::Json),
        ("### Objects", Format::Json),
        ("## Axe", Format::Axe),
        ("## EDN", Format::Edn),
        ("## Jepsen's JSON", Format::Json),
        ("## Jepsen's logs", Format::Jepsen),
    ] {
        let (_, section) = documentation.split_once(heading).expect("a section");
        let example: Vec<_> = section
            .lines()
            .skip_while(|line| !line.starts_with("    "))
            .map_while(|line| line.strip_prefix("    "))
            .collect();
        let histories = all(example.join("\n"), "-", None).expect(heading);
        assert_eq!(histories.len(), 1);
        let read = read(io::Cursor::new(example.join("\n")), "-", None).expect(heading);
        assert_eq!(read.format(), format);
    }
}

//! What is written is read back the same.

use crate::round::{MEMORY, all, shown, written};
use std::io::Read;
use std::path::Path;
use tribunal_formats::{Event, Format, Header, Labels, Origin, WriteError, Writer};
use tribunal_history::memory::{Interval, Kind, Order};

const HISTORIES: [&str; 9] = [
    "T0: W x 1; R y 0\nT1: W y 1; R x 0",
    "name: two words\ninit: x=5 y=7\nT0: W.rel x 1; U.ar x 1>2; F.sc; F.acq; F.rel; F.ar\nT1: R.acq x 2; R.sc y 7; W.na y 8; R.na y 8\nfinal: x=2",
    "expect: sc=no tso=yes rc20=na\nT0: R x 0; R y 0 dep 0; W x 1 dep 0,1 @ 3:5; W x 2 @ 7:; W x 3 @ :9",
    // Values that do not say which write was read, of threads out of order.
    "T0: R x 1 from T2:0; R x 0 from init; W x 0\nT1: W x 1; U x 0>1 from T0:2\nT2: W x 1; R x 1 from T1:1",
    // Threads without events, and a history without threads.
    "threads: a b c\nb: W x 1",
    "name: nothing at all",
    "name:",
    "left: W node->next 18446744073709551615; R M[3] 0; W \u{e9}t\u{e9} 1",
    "T0: W x 1; W x 2; W x 3; W x 4; W x 5; W x 6; W x 7; W x 8; W x 9; W x 10; W x 11; W x 12; W x 13; W x 14; W x 15",
];

#[test]
fn every_format_reads_what_it_writes() {
    for text in HISTORIES {
        let history = all(text, "-", Some(Format::Text)).expect(text).remove(0);
        for format in [Format::Text, Format::Json] {
            let bytes = written(history.memory().expect("of a memory"), &history.labels, format)
                .expect("expressible");
            let back = all(bytes.clone(), "-", None).expect("what was written");
            let output = String::from_utf8_lossy(&bytes);
            assert_eq!(back.len(), 1, "{output}");
            assert_eq!(
                shown(back[0].memory().expect("of a memory")),
                shown(history.memory().expect("of a memory")),
                "{output}"
            );
            assert_eq!(back[0].labels, history.labels, "{output}");
        }
    }
}

#[test]
fn axe_reads_what_it_writes() {
    let text = "# n\n0: M[1] := 1 @ 3:4\n1: { M[1] == 1; M[1] := 2 } @ :5\n1: sync\n0: M[7] == 0\nfinal M[1] == 2\ncheck\n";
    let history = all(text, "-", None).expect("a trace").remove(0);
    let bytes =
        written(history.memory().expect("of a memory"), &history.labels, Format::Axe).expect("expressible");
    assert_eq!(
        shown(all(bytes.clone(), "-", None).expect("a trace")[0].memory().expect("of a memory")),
        shown(history.memory().expect("of a memory"))
    );
    let expected = "# n\n0: M[1] := 1 @ 3:4\n0: M[7] == 0\n1: { M[1] == 1; M[1] := 2 } @ :5\n1: sync\nfinal M[1] == 2\ncheck\n";
    assert_eq!(String::from_utf8_lossy(&bytes), expected);
}

#[test]
fn a_litmus_test_takes_a_line_a_thread() {
    let text = "name: SB\nexpect: sc=no\nT0: W x 1; F.sc; R.acq y 0\nT1: W y 1; U.ar x 0>2\n";
    let history = all(text, "-", None).expect("well-formed").remove(0);
    let bytes =
        written(history.memory().expect("of a memory"), &history.labels, Format::Text).expect("expressible");
    assert_eq!(String::from_utf8_lossy(&bytes), text);
}

const WRITE: Event<'static> = Event {
    kind: Kind::Write,
    order: Order::Relaxed,
    loc: "x",
    value: 1,
    read: 0,
    from: None,
    deps: &[],
    interval: Interval { begin: None, end: None },
};

#[test]
fn threads_may_be_interleaved_except_in_json() {
    for format in MEMORY {
        let mut writer = Writer::new(Vec::new(), format);
        for _ in 0..2 {
            writer.begin(&Header::default()).expect("a history");
            writer.event("T0", &WRITE).expect("an event");
            writer.event("T1", &Event { kind: Kind::Read, ..WRITE }).expect("an event");
            let again = writer.event("T0", &Event { value: 2, ..WRITE });
            if format == Format::Json {
                assert!(matches!(again, Err(WriteError::Interleaved { .. })));
            } else {
                again.expect("an event");
            }
            writer.end().expect("a history");
        }
        let bytes = writer.finish().expect("in memory");
        assert_eq!(all(bytes, "-", None).expect("what was written").len(), 2);
    }
}

#[test]
fn what_a_format_cannot_say_is_an_error() {
    let refused = |format, header: Header, thread: &str, event: Event<'_>| {
        let mut writer = Writer::new(Vec::new(), format);
        let result = writer
            .begin(&header)
            .and_then(|()| writer.event("T1", &WRITE))
            .and_then(|()| writer.event(thread, &event));
        match result {
            Err(WriteError::Inexpressible { format: named, .. }) => assert_eq!(named, format),
            other => panic!("{other:?}"),
        }
    };
    let none = Header::default;
    let read = Event { kind: Kind::Read, ..WRITE };
    refused(Format::Axe, none(), "T0", Event { kind: Kind::Fence, order: Order::Acquire, ..WRITE });
    refused(Format::Axe, none(), "T0", Event { from: Some(Origin::Init), ..read });
    refused(Format::Axe, none(), "T0", Event { deps: &[0], ..read });
    refused(Format::Axe, none(), "T0", Event { loc: "M[3]", ..WRITE });
    refused(Format::Axe, none(), "main", WRITE);
    refused(Format::Axe, none(), "1", WRITE);
    refused(Format::Axe, Header { init: vec![("x".into(), 5)], ..none() }, "T0", WRITE);
    refused(Format::Axe, Header { name: Some("a\nb".into()), ..none() }, "T0", WRITE);
    refused(Format::Text, Header { name: Some(" a".into()), ..none() }, "T0", WRITE);
    refused(Format::Text, Header { init: vec![("a b".into(), 5)], ..none() }, "T0", WRITE);
    refused(Format::Text, Header { labels: Labels(vec![("s=c".into(), None)]), ..none() }, "T0", WRITE);
    refused(Format::Text, none(), "init", WRITE);
    refused(Format::Text, none(), "a:b", WRITE);
    refused(Format::Text, none(), "T0", Event { loc: "", ..WRITE });

    let mut writer = Writer::new(Vec::new(), Format::Json);
    assert!(matches!(writer.event("T0", &WRITE), Err(WriteError::NotBegun)));
    assert!(matches!(writer.end(), Err(WriteError::NotBegun)));
    writer.begin(&none()).expect("a history");
    let later = Event { from: Some(Origin::At { thread: "T9", index: 0 }), ..read };
    assert!(matches!(writer.event("T0", &later), Err(WriteError::UndeclaredThread { .. })));
}

#[test]
fn the_corpus_comes_back_from_every_format() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data/memory-public.jsonl.zst");
    if !path.exists() {
        println!("left out: {} is not here", path.display());
        return;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).expect("a file");
    let histories = all(bytes, "memory-public.jsonl.zst", None).expect("the corpus");
    assert!(histories.len() > 1000);
    let mut axe = 0;
    for history in &histories {
        for format in MEMORY {
            let bytes = match written(history.memory().expect("of a memory"), &history.labels, format) {
                Err(WriteError::Inexpressible { format: Format::Axe, .. }) => continue,
                other => other.expect("expressible"),
            };
            let back = all(bytes, "-", Some(format)).expect("what was written").remove(0);
            if format == Format::Axe {
                axe += 1;
                assert_eq!(
                    back.memory().expect("of a memory").len(),
                    history.memory().expect("of a memory").len()
                );
            } else {
                assert_eq!(
                    shown(back.memory().expect("of a memory")),
                    shown(history.memory().expect("of a memory"))
                );
                assert_eq!(back.labels, history.labels);
            }
        }
    }
    assert!(axe > 100, "{axe}");
}

//! Names and texts of any characters: what is written is read back the same, and a terminal can be shown it.

use crate::round::{MEMORY, all, shown, shown_object, written, written_object};
use proptest::prelude::*;
use tribunal_formats::{Format, Labels, Notes, Object, WriteError};
use tribunal_history::memory::{Execution, Op};
use tribunal_history::object;
use tribunal_history::object::Value;

/// Control characters, quotes, backslashes and what formats give a meaning, among all others.
fn text() -> impl Strategy<Value = String> {
    let special: Vec<char> = "\0\u{1}\u{7}\u{8}\t\n\u{b}\u{c}\r\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{202e}\u{feff}\"\\'`#;:=,[]{}()/@ M0v-nu"
        .chars()
        .collect();
    let character = prop_oneof![3 => prop::sample::select(special), 1 => any::<char>()];
    prop::collection::vec(character, 0..8).prop_map(String::from_iter)
}

/// Whether a terminal would act on something beside the ends of lines.
fn acts(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).expect("text");
    text.chars().any(|c| c.is_control() && c != '\n')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memories_are_read_back(name in text(), thread in text(), loc in text(), which in 0..4) {
        let mut builder = Execution::builder();
        // One after another, since a format that cannot write one of them writes nothing.
        builder.name(if which == 0 { name } else { "n".into() });
        let thread = builder.thread(if which == 1 { &thread } else { "T0" });
        let loc = builder.location(if which == 2 { &loc } else { "x" });
        builder.push(thread, Op::write(loc, 1));
        builder.push(thread, Op::read(loc, 1));
        let execution = builder.build().expect("a history");
        for format in MEMORY {
            let bytes = match written(&execution, &Labels::default(), format) {
                Ok(bytes) => bytes,
                Err(WriteError::Inexpressible { .. }) if format != Format::Json => continue,
                Err(error) => panic!("{format}: {error}"),
            };
            let mut back = all(bytes.clone(), "there", Some(format)).expect("read back");
            prop_assert_eq!(back.len(), 1);
            let back = back.remove(0).into_memory().expect("of a memory");
            match format {
                Format::Json | Format::Text => prop_assert_eq!(shown(&back), shown(&execution)),
                // Threads and locations have numbers there.
                _ => prop_assert_eq!((back.name(), back.len()), (execution.name(), 2)),
            }
            prop_assert!(!acts(&bytes));
        }
    }

    #[test]
    fn objects_are_read_back(name in text(), process in text(), value in text(), keyed in any::<bool>()) {
        let mut builder = object::History::builder();
        builder.name(&name);
        let (first, second) = (builder.process("0"), builder.process("1"));
        let value = Value::from(value.as_str());
        let enqueued = if keyed { Value::list([value.clone(), Value::from(1), value]) } else { value };
        let op = builder.call(first, "enqueue", std::slice::from_ref(&enqueued), 0);
        builder.ret(op, Value::Null, 1);
        let op = builder.call(second, "dequeue", &[], 2);
        builder.ret(op, enqueued.clone(), 3);
        let object = Object { history: builder.build().expect("a history").into(), spec: "queue".into(), lines: vec![1, 1], notes: Notes::default() };
        let edn = written_object(&object, &Labels::default(), Format::Edn).expect("written");
        prop_assert!(!acts(&edn));
        let back = all(edn, "there", Some(Format::Edn)).expect("read back").remove(0);
        let back = back.object().expect("of an object");
        prop_assert_eq!(back.history.called(object::OpId(0)).args, std::slice::from_ref(&enqueued));
        prop_assert_eq!(back.history.result(object::OpId(1)), Some(&enqueued));

        let mut builder = object::History::builder();
        builder.name(&name);
        let process = builder.process(&process);
        let op = builder.call(process, &name, std::slice::from_ref(&enqueued), 0);
        builder.ret(op, enqueued, 1);
        let object = Object { history: builder.build().expect("a history").into(), spec: name, lines: vec![1], notes: Notes::default() };
        let json = written_object(&object, &Labels::default(), Format::Json).expect("written");
        prop_assert!(!acts(&json));
        let back = all(json, "there", Some(Format::Json)).expect("read back").remove(0);
        prop_assert_eq!(shown_object(back.object().expect("of an object")), shown_object(&object));
    }
}

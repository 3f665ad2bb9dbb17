//! Reads any bytes; what can be read can be written in every format that can express it, and read again.

use std::io::Cursor;
use tribunal_formats::{Format, History, Subject, Writer, read, write_history, write_object};

pub fn round_trip(bytes: &[u8], format: Format) {
    let Ok(histories) = read(Cursor::new(bytes.to_vec()), "-", Some(format)) else {
        return;
    };
    for history in histories.flatten() {
        for format in Format::ALL {
            let mut writer = Writer::new(Vec::new(), format);
            let written = match &history.subject {
                Subject::Memory(execution) => write_history(&mut writer, execution, &history.labels),
                Subject::Object(object) => write_object(&mut writer, object, &history.labels),
            };
            if written.is_err() {
                continue;
            }
            let written = writer.finish().expect("in memory");
            let mut back = read(Cursor::new(written), "-", Some(format)).expect("what was written");
            let again = back.next().expect("a history").expect("what was written");
            // EDN leaves out reads that say nothing.
            assert!(len(&again) == len(&history) || format == Format::Edn && len(&again) < len(&history));
            assert!(back.next().is_none());
        }
    }
}

fn len(history: &History) -> usize {
    match &history.subject {
        Subject::Memory(execution) => execution.len(),
        Subject::Object(object) => object.history.len(),
    }
}

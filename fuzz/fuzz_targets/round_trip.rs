//! Reads any bytes; what can be read can be written in every format that can express it, and read again.

use std::io::Cursor;
use tribunal_formats::{Format, Writer, read, write_history};

pub fn round_trip(bytes: &[u8], format: Format) {
    let Ok(histories) = read(Cursor::new(bytes.to_vec()), "-", Some(format)) else {
        return;
    };
    for history in histories.flatten() {
        for format in Format::ALL {
            let mut writer = Writer::new(Vec::new(), format);
            if write_history(&mut writer, history.memory().expect("of a memory"), &history.labels).is_err() {
                continue;
            }
            let written = writer.finish().expect("in memory");
            let mut back = read(Cursor::new(written), "-", Some(format)).expect("what was written");
            let again = back.next().expect("a history").expect("what was written");
            assert_eq!(again.memory().map(|x| x.len()), history.memory().map(|x| x.len()));
            assert!(back.next().is_none());
        }
    }
}

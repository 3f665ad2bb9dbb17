//! Reads any bytes; what can be read can be written in every format that can express it, and read again.

use std::io::Cursor;
use tribunal_formats::{Format, History, ReadAs, ReadOptions, Reader, Writer, read, write_subject};

pub fn round_trip(bytes: &[u8], format: Format) {
    let wanted = |read_as| ReadOptions { format: Some(format), read_as, ..ReadOptions::default() };
    for options in [ReadAs::Told, ReadAs::Transactions, ReadAs::Object(None)].map(wanted) {
        if let Ok(histories) = read(Cursor::new(bytes.to_vec()), "-", options) {
            written_and_read(histories);
        }
    }
}

fn written_and_read(histories: Reader) {
    for history in histories.flatten() {
        for format in Format::ALL {
            let mut writer = Writer::new(Vec::new(), format);
            if write_subject(&mut writer, &history.subject, &history.labels).is_err() {
                continue;
            }
            let written = writer.finish().expect("in memory");
            let transactions = history.transactions().is_some();
            let read_as = if transactions { ReadAs::Transactions } else { ReadAs::Object(None) };
            let options = ReadOptions { format: Some(format), read_as, ..ReadOptions::default() };
            let mut back = read(Cursor::new(written), "-", options).expect("what was written");
            let again = back.next().expect("a history").expect("what was written");
            // EDN and Plume's text leave out what says nothing.
            let lossy = matches!(format, Format::Edn | Format::Plume);
            assert!(len(&again) == len(&history) || lossy && len(&again) < len(&history));
            assert!(back.next().is_none());
        }
    }
}

fn len(history: &History) -> usize {
    history.subject.len()
}

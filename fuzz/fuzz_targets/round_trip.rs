//! Reads any bytes; what can be read can be written in every format that can express it, and read again.

use std::io::Cursor;
use tribunal_formats::{Format, History, ReadOptions, Reader, Writer, read, write_subject};

pub fn round_trip(bytes: &[u8], format: Format) {
    let wanted = |format| ReadOptions { format: Some(format), transactions: true, ..ReadOptions::default() };
    for options in [ReadOptions::from(Some(format)), wanted(format)] {
        if let Ok(histories) = read(Cursor::new(bytes.to_vec()), "-", options) {
            written_and_read(histories, options.transactions);
        }
    }
}

fn written_and_read(histories: Reader, transactions: bool) {
    for history in histories.flatten() {
        for format in Format::ALL {
            let mut writer = Writer::new(Vec::new(), format);
            if write_subject(&mut writer, &history.subject, &history.labels).is_err() {
                continue;
            }
            let written = writer.finish().expect("in memory");
            let transactions = transactions || history.transactions().is_some();
            let options = ReadOptions { format: Some(format), transactions, ..ReadOptions::default() };
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

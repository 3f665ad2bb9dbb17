//! The speed of reading histories, from bytes in memory to built histories: bytes and events or operations a second, on one core; of a
//! large history, and of many small ones.

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use std::io::Cursor;
use tribunal_formats::{Event, Format, Header, Labels, Notes, Object, Writer, read, write_object};
use tribunal_history::memory::{Interval, Kind, Order};
use tribunal_history::object;
use tribunal_history::object::Value;
use tribunal_random::Random;

const EVENTS: usize = 1_000_000;
const THREADS: usize = 8;
const LOCATIONS: usize = 16;

fn main() {
    divan::main();
}

/// Events of a small history.
const SMALL: usize = 20;

/// [`EVENTS`] events in histories of so many: values count up per location, and a read reads the latest. JSON has the threads one
/// after the other, the other formats in turn.
fn histories(format: Format, size: usize) -> Vec<u8> {
    let threads: Vec<String> = (0..THREADS).map(|t| format!("T{t}")).collect();
    let locs: Vec<String> = (0..LOCATIONS)
        .map(|loc| if format == Format::Axe { format!("M[{loc}]") } else { format!("x{loc}") })
        .collect();
    let mut latest = [0; LOCATIONS];
    let mut random = Random::new(1);
    let mut writer = Writer::new(Vec::new(), format);
    for i in 0..EVENTS {
        if i % size == 0 {
            latest = [0; LOCATIONS];
            writer.begin(&Header::default()).expect("a header");
        }
        let loc = random.index(LOCATIONS);
        let thread = if format == Format::Json { i % size * THREADS / size } else { random.index(THREADS) };
        let (kind, order) =
            if random.below(2) == 0 { (Kind::Read, Order::Acquire) } else { (Kind::Write, Order::Release) };
        if kind == Kind::Write {
            latest[loc] += 1;
        }
        let event = Event {
            kind,
            order,
            loc: &locs[loc],
            value: latest[loc],
            read: 0,
            from: None,
            deps: &[],
            interval: Interval::default(),
        };
        writer.event(&threads[thread], &event).expect("expressible");
        if (i + 1) % size == 0 {
            writer.end().expect("a history");
        }
    }
    writer.finish().expect("in memory")
}

#[divan::bench(args = [Format::Axe, Format::Text, Format::Json], sample_count = 10)]
fn read_history(bencher: Bencher, format: Format) {
    read_all(bencher, format, EVENTS);
}

#[divan::bench(args = [Format::Axe, Format::Text, Format::Json], sample_count = 10)]
fn read_small_histories(bencher: Bencher, format: Format) {
    read_all(bencher, format, SMALL);
}

fn read_all(bencher: Bencher, format: Format, size: usize) {
    let bytes = histories(format, size);
    bencher
        .counter(ItemsCount::new(EVENTS))
        .counter(BytesCount::new(bytes.len()))
        .with_inputs(|| Cursor::new(bytes.clone()))
        .bench_values(|bytes| {
            let histories = read(bytes, "-", Some(format)).expect("histories");
            histories
                .map(|history| history.expect("well-formed").memory().expect("of a memory").len())
                .sum::<usize>()
        });
}

/// A queue's history of [`EVENTS`] / 2 operations of distinct values by [`THREADS`] processes in turn.
fn object(format: Format) -> Vec<u8> {
    let mut builder = object::History::builder();
    let processes: Vec<_> = (0..THREADS).map(|process| builder.process(&process.to_string())).collect();
    for i in 0..EVENTS as u64 / 2 {
        let process = processes[i as usize % THREADS];
        let value = Value::Int(i as i64 / 2);
        let (op, ret) = if i % 2 == 0 {
            (builder.call(process, "enqueue", &[value], 2 * i), Value::Null)
        } else {
            (builder.call(process, "dequeue", &[], 2 * i), value)
        };
        builder.ret(op, ret, 2 * i + 1);
    }
    let history = builder.build().expect("well-formed");
    let object =
        Object { history: history.into(), spec: "queue".into(), lines: Vec::new(), notes: Notes::default() };
    let mut writer = Writer::new(Vec::new(), format);
    write_object(&mut writer, &object, &Labels::default()).expect("expressible");
    writer.finish().expect("in memory")
}

#[divan::bench(args = [Format::Json, Format::Edn], sample_count = 10)]
fn read_object(bencher: Bencher, format: Format) {
    let bytes = object(format);
    bencher
        .counter(ItemsCount::new(EVENTS / 2))
        .counter(BytesCount::new(bytes.len()))
        .with_inputs(|| Cursor::new(bytes.clone()))
        .bench_values(|bytes| {
            let mut histories = read(bytes, "-", Some(format)).expect("a history");
            histories.next().expect("one history").expect("well-formed")
        });
}

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::time::{Duration, Instant};
use tribunal_engines::object;
use tribunal_history::object::{Criterion, specs};
use tribunal_engines::transactions;
use tribunal_history::transactions::Level;
use tribunal_history::{limits::{Limits, heap}, model::Model};
use tribunal_engines::memory::judge;
use tribunal_formats::{Format, History, ReadOptions, read};
use tribunal_host::heap::{Counting, stop_beyond};

/// An allocation beyond what is allowed fails, and ends the fuzzer.
#[global_allocator]
static HEAP: Counting = Counting;

/// How long an answer may take, and how late it may come on a busy machine.
const TIME: Duration = Duration::from_millis(100);
const LATE: Duration = Duration::from_secs(2);
/// What an answer may take, and what it may take beyond that unnoticed.
const MEMORY: usize = 32 << 20;
const RESERVE: usize = 72 << 20;
/// The most threads or sessions.
const MOST: usize = 4096;

// A line is written so many times, for threads, sessions or processes of their own, with the number of each in place of `#`. The answer
// about thousands of them keeps to its limits. The first byte says how many, the second which question.
fuzz_target!(|bytes: &[u8]| {
    let [count, question, line @ ..] = bytes else { return };
    let Ok(line) = std::str::from_utf8(line) else { return };
    let count = (usize::from(*count) + 1) * MOST / 256;
    let lines = (0..count).map(|number| line.replace('#', &number.to_string()));
    let question = usize::from(*question);
    match question % 3 {
        0 => {
            let threads = lines.enumerate().map(|(thread, line)| format!("T{thread}: {line}\n"));
            let model = Model::ALL[question / 3 % Model::ALL.len()];
            within_limits(threads.collect(), Format::Text, |history, limits| {
                history.memory().map(|execution| judge(execution, model, limits));
            });
        }
        1 => {
            let sessions: Vec<String> = lines.map(|line| format!(r#"[{{"txn":[{line}]}}]"#)).collect();
            let text = format!(r#"{{"sessions":[{}]}}"#, sessions.join(","));
            let level = Level::ALL[question / 3 % Level::ALL.len()];
            within_limits(text, Format::Json, |history, limits| {
                history.transactions().map(|of| transactions::judge(&of.history, level, limits));
            });
        }
        // The line is what operations do and when: `"f":"push","args":[#],"ret":null,"call":#,"return":9999`.
        _ => {
            let operations = lines.enumerate().map(|(process, line)| format!(r#"{{"process":{process},{line}}}"#));
            let operations = operations.collect::<Vec<_>>().join(",");
            let name = specs::NAMES[question / 3 % specs::NAMES.len()];
            let text = format!(r#"{{"kind":"object","spec":"{name}","operations":[{operations}]}}"#);
            let criterion = &Criterion::ALL[count % Criterion::ALL.len()];
            within_limits(text, Format::Json, |history, limits| {
                if let Some(of) = history.object()
                    && let Ok(spec) = specs::named(&of.spec)
                    && let Ok(typed) = of.history.typed(&*spec)
                {
                    object::judge(&typed, criterion, limits);
                }
            });
        }
    }
});

fn within_limits(text: String, format: Format, ask: impl Fn(&History, &Limits<'_>)) {
    let options = ReadOptions { format: Some(format), max_memory: MEMORY, ..ReadOptions::default() };
    stop_beyond(heap::held() + MEMORY + RESERVE);
    if let Ok(histories) = read(Cursor::new(text), "-", options) {
        for history in histories.flatten().take(1) {
            heap::allow(heap::held() + MEMORY);
            stop_beyond(heap::held() + MEMORY + RESERVE);
            let begin = Instant::now();
            let limits = Limits { deadline: Some(begin + TIME), max_memory: MEMORY, ..Limits::default() };
            ask(&history, &limits);
            assert!(begin.elapsed() <= TIME + LATE, "late by {:?}", begin.elapsed() - TIME);
        }
    }
    heap::allow(usize::MAX);
    stop_beyond(usize::MAX);
}

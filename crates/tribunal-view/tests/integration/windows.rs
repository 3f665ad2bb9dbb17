//! Of large histories a page has a part: that which matters.

use crate::{check, xml};
use tribunal_formats::{Format, Labels, Notes, Object, Writer, read, write_history, write_object};
use tribunal_history::memory::EventId;
use tribunal_history::object::Value;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_machines::{Clients, Machine, execution, objects};
use tribunal_view::{Document, Overview, Picture, Request, answer, dot, page, svg};

fn drawn(bytes: Vec<u8>, models: &str) -> Document {
    let request = Request { models: models.into(), ..Request::default() };
    let document = answer("large", bytes, &request, &Limits::default()).expect("a document").document;
    check(&document);
    assert!(page(Some(&document), "").len() < 2 << 20, "a page of at most 2 MB");
    assert_eq!(xml::fault(&svg(&document, document.shown)), None);
    assert!(dot(&document, document.shown).len() < 1 << 18);
    document
}

fn in_order(overview: &Overview, rows: usize) {
    assert_eq!(overview.density.len(), rows);
    let stretches = overview.density[0].len() as u32;
    assert!(overview.window.0 <= overview.window.1 && overview.window.1 < stretches);
    assert!(overview.marks.iter().flatten().all(|&mark| mark < stretches));
}

#[test]
fn the_window_of_a_memory_has_the_violation() {
    let clients = Clients { events: 60_000, threads: 6, locations: 12, seed: 3, ..Clients::default() };
    let x = execution(Machine::Pso, &clients).expect("clients that can run");
    let mut writer = Writer::new(Vec::new(), Format::Text);
    write_history(&mut writer, &x, &Labels::default()).expect("written");
    let text = writer.finish().expect("written");
    let again = read(std::io::Cursor::new(text.clone()), "large", None).expect("text").next();
    let again = again.expect("one").expect("well-formed").into_memory().expect("a memory");
    let Verdict::Inconsistent(violation) = tribunal_engines::memory::check(&again, Model::Tso) else {
        panic!("a pso machine does what tso forbids")
    };

    let document = drawn(text, "all");
    assert_eq!(document.size, 60_000);
    let Picture::Memory { threads, events, overview, answers, .. } = &document.picture else {
        panic!("a memory")
    };
    let overview = overview.as_ref().expect("an overview");
    in_order(overview, threads.len());
    assert!(events.len() <= 2 * 4000 && events.len() > 2000, "{}", events.len());
    let said = &answers[document.shown];
    assert_eq!(said.verdict, "inconsistent");
    let steps = &said.drawn.cycle;
    assert!(!steps.is_empty());
    assert_eq!(steps.last().map(|step| step.to), steps.first().map(|step| step.from), "a cycle");

    let document = drawn(text_of(&again), "tso");
    let Picture::Memory { threads, events, .. } = &document.picture else { panic!("a memory") };
    let shown = |event: EventId| {
        events.iter().any(|shown| match again.slot(event) {
            Some(slot) => {
                shown.index == slot.index
                    && shown
                        .thread
                        .is_some_and(|thread| threads[thread as usize].name == again.thread_name(slot.thread))
            }
            None => shown.thread.is_none(),
        })
    };
    assert!(violation.events().into_iter().all(shown));
}

fn text_of(x: &tribunal_history::memory::Execution) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Format::Text);
    write_history(&mut writer, x, &Labels::default()).expect("written");
    writer.finish().expect("written")
}

#[test]
fn without_a_violation_a_memory_is_shown_from_its_beginning() {
    let clients = Clients { events: 20_000, seed: 1, ..Clients::default() };
    let x = execution(Machine::Atomic, &clients).expect("clients that can run");
    let document = drawn(text_of(&x), "sc,ra,coherence");
    let Picture::Memory { events, rf, .. } = &document.picture else { panic!("a memory") };
    assert_eq!(events.iter().filter(|event| event.thread.is_some()).count(), 4000);
    // Every read has its write with it.
    let reads = events.iter().filter(|event| event.label.starts_with(['R', 'U'])).count();
    assert_eq!(rf.len(), reads);
    for &[from, to] in rf {
        assert!(events[from as usize].row < events[to as usize].row);
    }
}

#[test]
fn the_window_of_an_object_has_the_failing_operation() {
    let simulated = objects::Clients { operations: 20_000, seed: 5, ..objects::Clients::default() };
    let mut history = simulated.run("queue");
    for wrong in [false, true] {
        if wrong {
            history = with_wrong_dequeue(&history);
        }
        let lines = vec![1; history.len()];
        let object =
            Object { history: history.clone().into(), spec: "queue".into(), lines, notes: Notes::default() };
        let mut writer = Writer::new(Vec::new(), Format::Json);
        write_object(&mut writer, &object, &Labels::default()).expect("written");
        let document = drawn(writer.finish().expect("written"), "linearizable");
        let Picture::Object { processes, operations, overview, answers, .. } = &document.picture else {
            panic!("an object")
        };
        in_order(overview.as_ref().expect("an overview"), processes.len());
        assert!((3000..=4000).contains(&operations.len()), "{}", operations.len());
        let said = &answers[0];
        assert_eq!(said.verdict, if wrong { "inconsistent" } else { "consistent" });
        let failing = said.drawn.failing.map(|place| operations[place as usize].label.as_str());
        assert_eq!(failing, wrong.then_some("dequeue() → -7"));
        assert_eq!(said.drawn.lin.is_empty(), wrong);
    }
}

/// The same history with a dequeue, about in its middle, of what was never enqueued.
fn with_wrong_dequeue(history: &tribunal_history::object::History) -> tribunal_history::object::History {
    let mut b = tribunal_history::object::History::builder();
    let mut changed = false;
    for op in history.ops() {
        let process = b.process(history.process_name(history.process(op)));
        let call = history.called(op);
        let (begin, end) = history.times(op).expect("times");
        let copy = b.call(process, call.method, call.args, begin);
        let (Some(ret), Some(end)) = (history.result(op), end) else { continue };
        let wrong =
            !changed && op.index() > history.len() / 2 && call.method == "dequeue" && *ret != Value::Null;
        changed |= wrong;
        b.ret(copy, if wrong { Value::from(-7) } else { ret.clone() }, end);
    }
    assert!(changed);
    b.build().expect("well-formed")
}

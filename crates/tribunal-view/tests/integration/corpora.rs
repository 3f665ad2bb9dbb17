//! Every history of both corpora as a picture.

use crate::{check, xml};
use std::path::Path;
use tribunal_formats::{History, Input, open};
use tribunal_history::limits::Limits;
use tribunal_report::{Finding, Inquiry, Questions, Specifications};
use tribunal_view::{Document, Picture, document, dot, svg};

/// At most so many answers of a history are drawn: the one that is shown and others.
const DRAWN: usize = 3;

fn documents(corpus: &str, mut act: impl FnMut(Document)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data").join(corpus);
    let histories = open(&Input::Path(path), None).expect("the corpus");
    let (inquiry, limits) = (Inquiry::new(Questions::All, Specifications::default()), Limits::default());
    for history in histories {
        let history: History = history.expect("a history");
        let document = inquiry.with(&history.subject, corpus, |judged| {
            let ask = |question| inquiry.ask(judged, question, &limits);
            let findings: Vec<Finding<'_>> = inquiry.questions(judged).iter().map(ask).collect();
            document(&history, corpus, &findings, &limits)
        });
        act(document.expect("a history of its specification"));
    }
}

fn draw(document: &Document) {
    let rulings = match &document.picture {
        Picture::Memory { rulings, .. } => rulings.len(),
        Picture::Object { rulings, .. } => rulings.len(),
        Picture::Transactions { rulings, .. } => rulings.len(),
    };
    let others = (0..rulings).filter(|&ruling| ruling != document.shown);
    for ruling in [document.shown].into_iter().chain(others).take(DRAWN) {
        let at = format!("{}, ruling {ruling}", document.source);
        assert_eq!(xml::fault(&svg(document, ruling)), None, "{at}");
        let graph = dot(document, ruling);
        let outside: String = graph.split('"').step_by(2).collect();
        assert_eq!(graph.matches('"').count() % 2, 0, "{at}");
        for (open, close) in [('{', '}'), ('[', ']')] {
            assert_eq!(outside.matches(open).count(), outside.matches(close).count(), "{at}");
        }
    }
}

#[test]
fn memories() {
    let mut histories = 0;
    for name in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        documents(name, |document| {
            check(&document);
            draw(&document);
            histories += 1;
        });
    }
    assert_eq!(histories, 3000 + 1985);
}

#[test]
fn objects() {
    let mut histories = 0;
    documents("object-public.jsonl.zst", |document| {
        check(&document);
        draw(&document);
        histories += 1;
    });
    assert_eq!(histories, 2000);
}

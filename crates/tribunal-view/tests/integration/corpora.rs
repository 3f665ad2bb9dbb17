//! Every history of both corpora as a picture.

use crate::{check, xml};
use std::path::Path;
use tribunal_formats::{History, Input, open};
use tribunal_history::limits::Limits;
use tribunal_report::{Answer, Check, Questions, Specifications};
use tribunal_view::{Document, Picture, document, dot, svg};

/// At most so many answers of a history are drawn: the one that is shown and others.
const DRAWN: usize = 3;

fn documents(corpus: &str, mut act: impl FnMut(Document)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-engines/tests/data").join(corpus);
    let histories = open(&Input::Path(path), None).expect("the corpus");
    let (all, limits) = (Check::new(Questions::All, Specifications::default()), Limits::default());
    for history in histories {
        let history: History = history.expect("a history");
        let checkable = all.checkable(&history.subject, corpus).expect("a history of its specification");
        let ask = |question| all.answer(&checkable, question, &limits);
        let answers: Vec<Answer> = all.questions(&checkable).iter().map(ask).collect();
        act(document(&history, corpus, &answers, &limits));
    }
}

fn draw(document: &Document) {
    let answers = match &document.picture {
        Picture::Memory { answers, .. } => answers.len(),
        Picture::Object { answers, .. } => answers.len(),
        Picture::Transactions { answers, .. } => answers.len(),
    };
    let others = (0..answers).filter(|&drawing| drawing != document.shown);
    for drawing in [document.shown].into_iter().chain(others).take(DRAWN) {
        let at = format!("{}, drawing {drawing}", document.source);
        assert_eq!(xml::fault(&svg(document, drawing)), None, "{at}");
        let graph = dot(document, drawing);
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

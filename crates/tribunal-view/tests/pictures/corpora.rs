//! Every history of both corpora as a picture.

use crate::{check, xml};
use std::path::Path;
use tribunal::Limits;
use tribunal::object::specs;
use tribunal_formats::{History, Input, Subject, open};
use tribunal_report::{EngineChoice, Finding, Judged, Questions};
use tribunal_view::{Document, Picture, asked, document, dot, svg};

/// At most so many answers of a history are drawn: the one that is shown and others.
const DRAWN: usize = 3;

fn documents(corpus: &str, mut act: impl FnMut(Document)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal/tests/data").join(corpus);
    let histories = open(&Input::Path(path), None).expect("the corpus");
    for history in histories {
        let history: History = history.expect("a history");
        let ask = |judged: Judged<'_>| {
            let limits = Limits::default();
            let questions = asked(&Questions::All, judged);
            let findings: Vec<Finding<'_>> = questions
                .iter()
                .map(|question| Finding::of(judged, question, EngineChoice::Auto, &limits))
                .collect();
            document(&history, corpus, &findings, &limits)
        };
        act(match &history.subject {
            Subject::Memory(execution) => ask(Judged::Memory(execution)),
            Subject::Object(object) => {
                let spec = specs::named(&object.spec).expect("a specification");
                ask(Judged::Object(&object.typed(corpus, &*spec).expect("typed")))
            }
        });
    }
}

fn draw(document: &Document) {
    let rulings = match &document.picture {
        Picture::Memory { rulings, .. } => rulings.len(),
        Picture::Object { rulings, .. } => rulings.len(),
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

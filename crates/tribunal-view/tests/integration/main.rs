//! Documents and the pictures made of them: nothing points beyond what is there, and nothing in a history becomes markup.

mod corpora;
mod gallery;
mod hostile;
mod objects;
mod transactions;
mod windows;
mod xml;

use tribunal_view::{Arrow, Document, Edge, Line, Operation, Partial, Picture, Shown, Step, Transaction};

/// Whether every place, edge and line of a document is in range, and whether what the contract says of them holds.
pub fn check(document: &Document) {
    let at = &document.source;
    match &document.picture {
        Picture::Memory { threads, events, rf, deps, overview, answers } => {
            let count = events.len();
            edges(at, rf, count);
            edges(at, deps, count);
            let mut last = None;
            for event in events {
                assert_eq!(event.row == 0, event.thread.is_none(), "{at}: initial writes alone are in row 0");
                assert!(event.thread.is_none_or(|thread| (thread as usize) < threads.len()), "{at}");
                let key = (event.thread.is_none(), event.thread, event.index, event.location.clone());
                assert!(event.thread.is_none() || last < Some(key.clone()), "{at}: by thread and index");
                last = Some(key);
            }
            for pair in events.windows(2).filter(|pair| pair[1].thread.is_some()) {
                assert!(pair[0].thread != pair[1].thread || pair[0].row < pair[1].row, "{at}: po leads down");
            }
            assert!(document.shown < answers.len(), "{at}");
            for said in answers {
                lines(at, said, count);
                edges(at, &said.drawn.mo, count);
                edges(at, &said.drawn.fr, count);
                arrows(at, &said.drawn.cycle, count);
                let closed = said.drawn.cycle.windows(2).all(|pair| pair[0].to == pair[1].from);
                let shared = said.drawn.cycle.iter().all(|arrow| arrow.name == "rf");
                assert!(closed || shared || overview.is_some(), "{at}: {}: a walk", said.question);
                assert_eq!(said.verdict == "inconsistent", !said.lines.is_empty(), "{at}: {}", said.question);
            }
        }
        Picture::Transactions { sessions, transactions, wr, overview, answers } => {
            let count = transactions.len();
            edges(at, wr, count);
            for txn in transactions {
                assert_eq!(txn.row == 0, txn.session.is_none(), "{at}: the initial one alone is in row 0");
                assert!(txn.session.is_none_or(|session| (session as usize) < sessions.len()), "{at}");
            }
            for pair in transactions.windows(2).filter(|pair| pair[1].session.is_some()) {
                let key = |txn: &Transaction| (txn.session, txn.index);
                assert!(key(&pair[0]) < key(&pair[1]), "{at}: by session and index");
                assert!(
                    pair[0].session != pair[1].session || pair[0].row < pair[1].row,
                    "{at}: so leads down"
                );
            }
            assert!(document.shown < answers.len(), "{at}");
            for said in answers {
                let drawing = &said.drawn;
                lines(at, said, count);
                [&drawing.chosen, &drawing.ww, &drawing.rw].into_iter().for_each(|of| edges(at, of, count));
                places(at, &drawing.commits, count);
                places(at, drawing.failing.as_slice(), count);
                arrows(at, &drawing.cycle, count);
                for &[place, op] in &drawing.reads {
                    assert!((op as usize) < transactions[place as usize].ops.len(), "{at}");
                }
                let next = drawing.cycle.iter().cycle().skip(1);
                let closed = drawing.cycle.iter().zip(next).all(|(one, next)| one.to == next.from);
                assert!(closed || overview.is_some(), "{at}: {}: a walk", said.question);
                assert_eq!(said.verdict == "inconsistent", !said.lines.is_empty(), "{at}: {}", said.question);
            }
        }
        Picture::Object { processes, operations, keys, hb, overview: _, answers, .. } => {
            let count = operations.len();
            edges(at, hb, count);
            assert!(operations.is_sorted_by_key(|operation| operation.call), "{at}: by call");
            for operation in operations {
                assert!((operation.process as usize) < processes.len(), "{at}");
                assert!(operation.ret.is_none_or(|ret| operation.call < ret), "{at}");
                assert_eq!(operation.key.is_some(), !keys.is_empty(), "{at}");
                assert!(operation.key.is_none_or(|key| (key as usize) < keys.len()), "{at}");
            }
            assert!(document.shown < answers.len(), "{at}");
            for said in answers {
                let drawing = &said.drawn;
                lines(at, said, count);
                places(at, &drawing.lin, count);
                places(at, &drawing.part, count);
                places(at, drawing.failing.as_slice(), count);
                assert_eq!(drawing.lin.len(), drawing.points.len(), "{at}");
                assert!(drawing.points.is_sorted(), "{at}: {}: points along lin", said.question);
                let timed = operations.iter().all(|operation| operation.times.is_some());
                for (&place, &point) in drawing.lin.iter().zip(&drawing.points) {
                    let operation = &operations[place as usize];
                    let within =
                        100 * operation.call < point && operation.ret.is_none_or(|ret| point < 100 * ret);
                    let known = timed && said.question != "sequential";
                    assert!(within || !known, "{at}: {}: {place} at {point}", said.question);
                }
                assert!(drawing.states.is_empty() || drawing.states.len() == drawing.lin.len(), "{at}");
                if let Some(partial) = &drawing.partial {
                    assert_eq!(said.question, "linearizable", "{at}");
                    partial_linearizations(at, partial, operations, keys.len());
                }
                for (nth, seen) in drawing.vis.iter().flatten().enumerate() {
                    places(at, seen, count);
                    let before = |place: &u32| drawing.lin[..nth].contains(place);
                    assert!(seen.iter().all(before), "{at}: {}: lin contains vis", said.question);
                }
            }
        }
    }
}

/// Steps lead back to a first, each end's path has its operation, and no operation takes effect after one that was called when it
/// had returned.
fn partial_linearizations(at: &str, partial: &Partial, operations: &[Operation], keys: usize) {
    assert_eq!((partial.ends.len(), partial.longest.len()), (operations.len(), keys.max(1)), "{at}");
    let path = |end: Option<u32>| {
        let mut path = Vec::new();
        let mut next = end;
        while let Some(step) = next {
            let Step { before, operation, nth, .. } = &partial.steps[step as usize];
            assert!(
                before.is_none_or(|before| before < step && partial.steps[before as usize].nth < *nth),
                "{at}"
            );
            path.push(*operation);
            next = *before;
        }
        path.reverse();
        path
    };
    for (place, &end) in (0..).zip(&partial.ends) {
        let path = path(end);
        assert_eq!(end.is_some(), path.contains(&place), "{at}: {place}");
        let mut latest = 0;
        for &place in &path {
            let operation = &operations[place as usize];
            latest = latest.max(operation.call);
            assert!(operation.ret.is_none_or(|ret| latest < ret), "{at}: {place} against real time");
            assert_eq!(operation.key, operations[path[0] as usize].key, "{at}");
        }
    }
    for longest in &partial.longest {
        assert!(path(longest.end).len() as u32 <= longest.length, "{at}");
    }
}

fn places(at: &str, places: &[u32], count: usize) {
    assert!(places.iter().all(|&place| (place as usize) < count), "{at}: {places:?} of {count}");
}

fn edges(at: &str, edges: &[Edge], count: usize) {
    edges.iter().for_each(|edge| places(at, edge, count));
}

fn arrows(at: &str, arrows: &[Arrow], count: usize) {
    arrows.iter().for_each(|arrow| places(at, &[arrow.from, arrow.to], count));
}

fn lines<R>(at: &str, said: &Shown<R>, count: usize) {
    for Line { text, about, arrows: spoken_of, .. } in &said.lines {
        assert!(!text.is_empty(), "{at}: {}", said.question);
        places(at, about, count);
        arrows(at, spoken_of, count);
    }
}

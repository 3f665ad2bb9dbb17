//! Pictures of transactions: each anomaly, and a part of a large history.

use crate::{check, xml};
use tribunal_formats::{Labels, Lines, Notes, Subject, Transactions};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, HistoryBuilder, Level, Op, SessionId, Span, Status};
use tribunal_report::{Answer, Checkable, Question};
use tribunal_view::{Document, Picture, document, dot, page, svg};

/// `[rx0 wx1] [ry[1,2]]! // [ax1]@1-2`: sessions between `//`, `!` aborted, `?` unknown, `rx0` reads the initial value.
fn history(name: &str, text: &str) -> History {
    let mut b = History::builder();
    b.name(name);
    for (number, session) in text.split("//").enumerate() {
        let session_id = b.session(&number.to_string());
        for txn in session.trim().split(" [").map(|txn| txn.trim().trim_start_matches('[')) {
            transaction(&mut b, session_id, txn);
        }
    }
    b.build().expect("a history")
}

fn transaction(b: &mut HistoryBuilder, session: SessionId, text: &str) {
    let (ops, rest) = text.rsplit_once(']').expect("a transaction");
    b.begin(session);
    for op in ops.split_whitespace() {
        let (key, value) = (b.key(&op[1..2]), &op[2..]);
        let number = || value.parse().expect("a number");
        match (&op[..1], value.strip_prefix('[')) {
            ("w", _) => b.op(Op::Write(key, number())),
            ("a", _) => b.op(Op::Append(key, number())),
            (_, Some(list)) => {
                let list = list.trim_end_matches(']').split(',').filter(|element| !element.is_empty());
                let list: Vec<i64> = list.map(|element| element.parse().expect("an element")).collect();
                b.op(Op::ReadList(key, &list));
            }
            _ => b.op(Op::Read(key, Some(number()).filter(|&value| value != 0))),
        }
    }
    let status = match rest.chars().next() {
        Some('!') => Status::Aborted,
        Some('?') => Status::Unknown,
        _ => Status::Committed,
    };
    let time = |text: &str| text.parse::<i64>().expect("a time");
    let span = rest.split_once('@').and_then(|(_, times)| times.split_once('-'));
    b.end(status, span.map(|(begin, end)| Span { begin: time(begin), end: Some(time(end)) }));
}

/// The document of a history that was not read from anywhere.
fn drawn(history: History, levels: &[Level]) -> Document {
    let lines = (1..=history.len() as u64).collect();
    let subject =
        Subject::Transactions(Transactions { history: history.into(), lines, notes: Notes::default() });
    let read =
        tribunal_formats::History { subject, labels: Labels::default(), line: 1, lines: Lines::default() };
    let Subject::Transactions(transactions) = &read.subject else { panic!("transactions") };
    let history = Checkable::Transactions(transactions.history.clone());
    let limits = Limits::default();
    let answers: Vec<Answer> =
        levels.iter().map(|&level| Answer::of(&history, &Question::Level(level), None, &limits)).collect();
    let document = document(&read, "history.json", &answers, &limits);
    check(&document);
    document
}

const ANOMALIES: [(&str, &str); 20] = [
    ("G0", "[ax1 ay1] // [ax2 ay2] // [rx[1,2]] // [ry[2,1]]"),
    ("G1a", "[wx1]! // [rx1]"),
    ("G1b", "[wx1 wx2] // [rx1]"),
    ("G1c", "[wx1 ry1] // [wy1 rx1]"),
    ("non-monotonic read", "[wx1 wy1] // [rx1 ry0]"),
    ("fractured read", "[wx1 wy1] // [ry0 rx1]"),
    ("non-repeatable read", "[wx1] // [rx0 rx1]"),
    ("stale session read", "[wx1] [rx0]"),
    ("stale read", "[wx1]@1-2 // [rx0]@3-4"),
    ("causality violation", "[wx1] // [rx1 wy1] // [ry1 rx0]"),
    ("lost update", "[wx5] // [rx5 wx1] // [rx5 wx2]"),
    ("G-single", "[ax1 ay1] // [ax2 ry[]] // [rx[1,2]]"),
    ("long fork", "[wx1] // [wy1] // [rx1 ry0] // [rx0 ry1]"),
    ("write skew", "[wx1 wy1] // [rx1 ry1 wx2] // [rx1 ry1 wy2]"),
    ("G2-item", "[ry0 wy1] // [rx0 ry0 wx1] // [rx0 ry1]"),
    ("incompatible order", "[ax1] // [ax2] // [rx[1,2]] // [rx[2,1]]"),
    ("dirty update", "[ax1]! // [ax2] // [rx[1,2]]"),
    ("thin air", "[wx1] // [rx5]"),
    ("unknown outcome", "[wx1]? [wz1] // [rx1 wy1] [rz1] // [ry1 rx0]"),
    ("serializable", "[wx1 wy1] [rx2 wz1] // [rx1 wx2] [ry1] // [rz1 rx2 wz2] // [wy9]!"),
];

#[test]
fn every_anomaly_is_drawn() {
    let folder = std::env::var_os("TRIBUNAL_PICTURES").map(std::path::PathBuf::from);
    for (name, text) in ANOMALIES {
        let document = drawn(history(name, text), &Level::ALL);
        let picture = svg(&document, document.shown);
        assert_eq!(xml::fault(&picture), None, "{name}");
        assert!(picture.contains("session 0") && picture.contains(">T0"), "{name}");
        assert!(dot(&document, document.shown).contains("subgraph cluster_0"), "{name}");
        let page = page(Some(&document), "");
        if let Some(folder) = &folder {
            let file = name.replace(' ', "-");
            std::fs::write(folder.join(format!("{file}.html")), page).expect("written");
            std::fs::write(folder.join(format!("{file}.svg")), picture).expect("written");
        }
    }
}

#[test]
fn a_large_history_is_shown_around_its_cycle() {
    const EACH: i64 = 12_500;
    let mut b = History::builder();
    let sessions: Vec<SessionId> = (0..8).map(|number| b.session(&number.to_string())).collect();
    let keys: Vec<_> = (0..8).map(|number| b.key(&format!("k{number}"))).collect();
    let (x, y) = (b.key("x"), b.key("y"));
    for at in 0..EACH {
        for (session, &key) in sessions.iter().zip(&keys) {
            let before = Some(at).filter(|&before| before > 0);
            b.begin(*session);
            b.op(Op::Read(key, before));
            b.op(Op::Write(key, at + 1));
            // Write skew in the middle.
            match (at == EACH / 2, session.index()) {
                (true, 2) => [Op::Read(x, None), Op::Write(y, 1)].into_iter().for_each(|op| b.op(op)),
                (true, 5) => [Op::Read(y, None), Op::Write(x, 1)].into_iter().for_each(|op| b.op(op)),
                _ => {}
            }
            b.end(Status::Committed, None);
        }
    }
    let levels = ["session-ser", "session-si", "tcc", "rc"].map(|name| name.parse().expect("a level"));
    let document = drawn(b.build().expect("a history"), &levels);
    assert_eq!(document.size, 8 * EACH as usize);
    let Picture::Transactions { transactions, overview, answers, .. } = &document.picture else {
        panic!("transactions")
    };
    assert!(overview.is_some() && transactions.len() <= 1200, "{}", transactions.len());
    let said = &answers[document.shown];
    assert_eq!((said.question.as_str(), said.heading.as_str()), ("session-ser", "write skew"));
    assert_eq!(said.drawn.cycle.len(), 2);
    assert!(page(Some(&document), "").len() < 2 << 20, "a page of at most 2 MB");
    assert_eq!(xml::fault(&svg(&document, document.shown)), None);
    assert!(dot(&document, document.shown).len() < 1 << 18);
    if let Some(folder) = std::env::var_os("TRIBUNAL_PICTURES").map(std::path::PathBuf::from) {
        std::fs::write(folder.join("large.html"), page(Some(&document), "")).expect("written");
        std::fs::write(folder.join("large.svg"), svg(&document, document.shown)).expect("written");
    }
}

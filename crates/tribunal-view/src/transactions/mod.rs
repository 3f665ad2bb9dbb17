//! Pictures of transactions: a column for each session, and the verdicts of the levels.

mod places;

use crate::document::{
    Contrast, Edge, Outcome, Overview, Picture, Shown, Thread, Transaction, TransactionsDrawing,
};
use crate::memory::rows::rows;
use crate::overview::Stretches;
use crate::{explanation, name, said};
use places::Places;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_formats::{Disturbance, Transactions};
use tribunal_history::transactions;
use tribunal_history::transactions::{
    History, INIT, KeyId, Level, Op, OpId, SessionId, Source, Status, TxnId, Verdict, Witness,
};
use tribunal_report::transactions::{Story, did, rule, story};
use tribunal_report::{Answer, Line, On, stronger_failing};

/// Of a transaction with more operations, those that matter are shown, and of the others the first.
const OPS: usize = 10;
/// Of what others did, so much is looked at,
const DISTURBANCES: usize = 1000;
/// and so much is told of a transaction.
const MEANWHILE: usize = 3;

/// The picture of a history of transactions, with a window around the violation of the answer that is shown first if it is large.
pub fn picture(subject: &Transactions, answers: &[Answer], shown: usize) -> Picture {
    let history = &subject.history;
    let stories: Vec<Option<Story>> = answers.iter().map(story_of).collect();
    let violations: Vec<Vec<TxnId>> =
        stories.iter().map(|story| story.as_ref().map_or_else(Vec::new, |s| spoken_of(history, s))).collect();
    let places = Places::new(history, &violations, shown);
    let wr = wr(history, &places);
    // Operations to be marked must be in their boxes.
    let marked: BTreeSet<OpId> =
        stories.iter().flatten().flat_map(|story| story.reads.iter().copied()).collect();
    let keys: BTreeSet<KeyId> =
        stories.iter().flatten().flat_map(|story| story.keys.iter().copied()).collect();
    let mut disturbances = subject.notes.disturbances();
    disturbances.truncate(DISTURBANCES);
    let boxes = Boxes { subject, disturbances, marked: &marked, keys: &keys };
    Picture::Transactions {
        sessions: places.sessions().iter().map(|&session| column(history, session)).collect(),
        transactions: boxes.all(&places, &wr),
        overview: places.is_window().then(|| overview(history, &places, &violations)),
        answers: (0..answers.len()).map(|at| of_answer(answers, &stories, at, &boxes, &places)).collect(),
        wr,
    }
}

fn story_of(answer: &Answer) -> Option<Story> {
    match &answer.on {
        On::Transactions { history, level, verdict: Verdict::Inconsistent(violation) } => {
            Some(story(history, *level, violation))
        }
        _ => None,
    }
}

/// The transactions that a story mentions, those of its steps first.
fn spoken_of(history: &History, story: &Story) -> Vec<TxnId> {
    let steps = story.steps.iter().map(|step| step.from);
    let reads = story.reads.iter().map(|&op| history.txn_of(op));
    let lines = story.lines.iter().flat_map(|line| line.about.iter().copied());
    let mut spoken: Vec<TxnId> = Vec::new();
    let mut known = BTreeSet::new();
    for txn in steps.chain(reads).chain(lines) {
        if known.insert(txn) {
            spoken.push(txn);
        }
    }
    if story.lines.iter().flat_map(|line| &line.arrows).any(|arrow| arrow.from == INIT) && known.insert(INIT)
    {
        spoken.push(INIT);
    }
    spoken
}

fn column(history: &History, session: SessionId) -> Thread {
    let named = format!("session {}", history.session_name(session));
    Thread { name: name::name(&named), length: history.session(session).len() as u32 }
}

/// From sources to readers, as far as both are shown, each pair once.
fn wr(history: &History, places: &Places) -> Vec<Edge> {
    let mut wr: Vec<Edge> = Vec::new();
    for (place, txn) in places.all().filter(|&(_, txn)| txn != INIT) {
        let sources = history.ops_of(txn).filter_map(|op| match history.reads().source(op) {
            Source::Txn(source) if source != INIT && source != txn => places.of(source),
            _ => None,
        });
        let mut sources: Vec<u32> = sources.collect();
        sources.sort_unstable();
        sources.dedup();
        wr.extend(sources.into_iter().map(|source| [source, place]));
    }
    wr
}

/// The contents of the boxes.
struct Boxes<'a> {
    subject: &'a Transactions,
    /// The doings of others than the sessions.
    disturbances: Vec<Disturbance>,
    /// Operations that violations are about.
    marked: &'a BTreeSet<OpId>,
    /// Keys that they are about.
    keys: &'a BTreeSet<KeyId>,
}

impl Boxes<'_> {
    /// The transactions on the grid: so and wr lead downwards.
    fn all(&self, places: &Places, wr: &[Edge]) -> Vec<Transaction> {
        let history = &self.subject.history;
        let same = |a: u32, b: u32| {
            let session = |place: u32| places.column(history, place);
            session(b).is_some() && session(a) == session(b)
        };
        let last = places.len().saturating_sub(1) as u32;
        let so: Vec<Edge> =
            (0..last).filter(|&place| same(place, place + 1)).map(|place| [place, place + 1]).collect();
        let rows = rows(places.len(), &so, wr);
        places.all().zip(rows).map(|((place, txn), row)| self.transaction(places, place, txn, row)).collect()
    }

    fn transaction(&self, places: &Places, place: u32, txn: TxnId, row: u32) -> Transaction {
        let history = &self.subject.history;
        let name = tribunal_report::transactions::name(txn);
        if txn == INIT {
            let (ops, times, line) = (vec!["what is there initially".into()], None, None);
            let (status, error, meanwhile) = (Outcome::Init, None, Vec::new());
            let (session, index, row, more) = (None, 0, 0, 0);
            return Transaction {
                session,
                index,
                row,
                name,
                ops,
                more,
                status,
                times,
                error,
                meanwhile,
                line,
            };
        }
        let shown = self.shown(txn);
        let first = history.session(history.session_of(txn)).next().map_or(txn.0, |first| first.0);
        Transaction {
            session: places.column(history, place),
            index: txn.0 - first,
            row: row + 1,
            name,
            more: (history.ops_of(txn).len() - shown.len()) as u32,
            ops: shown.into_iter().map(|op| name::label(&did(history, op))).collect(),
            status: match history.status(txn) {
                Status::Committed => Outcome::Committed,
                Status::Aborted => Outcome::Aborted,
                Status::Unknown => Outcome::Unknown,
            },
            times: history
                .span(txn)
                .map(|transactions::Span { begin, end }| (begin.to_string(), end.map(|end| end.to_string()))),
            error: self.subject.notes.error_of(txn.0).map(name::label),
            meanwhile: self.meanwhile(txn),
            line: self.subject.lines.get(txn.index()).copied().filter(|&line| line > 0),
        }
    }

    /// The doings of others while a transaction ran; of much, the first few.
    fn meanwhile(&self, txn: TxnId) -> Vec<String> {
        let Some(transactions::Span { begin, end }) = self.subject.history.span(txn) else {
            return Vec::new();
        };
        let others = &self.subject.notes.others;
        let reaches = |did: &&Disturbance| {
            end.is_none_or(|end| others[did.first].at <= end)
                && did.last.is_none_or(|last| others[last].at > begin)
        };
        let found = self.disturbances.iter().filter(reaches);
        found.take(MEANWHILE).map(|did| name::label(&did.what)).collect()
    }

    /// The operations of a transaction that are shown, in order.
    fn shown(&self, txn: TxnId) -> Vec<OpId> {
        let history = &self.subject.history;
        let all: Vec<OpId> = history.ops_of(txn).collect();
        if all.len() <= OPS {
            return all;
        }
        let rank = |op: &OpId| match () {
            () if self.marked.contains(op) => 0,
            () if self.keys.contains(&history.op(*op).key()) => 1,
            () => 2,
        };
        let mut shown = all;
        shown.sort_by_key(|op| (rank(op), *op));
        shown.truncate(OPS);
        shown.sort_unstable();
        shown
    }

    /// The place of an operation among those shown.
    fn of(&self, places: &Places, op: OpId) -> Option<Edge> {
        let txn = self.subject.history.txn_of(op);
        let index = self.shown(txn).iter().position(|&other| other == op)?;
        Some([places.of(txn)?, index as u32])
    }
}

fn of_answer(
    answers: &[Answer],
    stories: &[Option<Story>],
    at: usize,
    boxes: &Boxes<'_>,
    places: &Places,
) -> Shown<TransactionsDrawing> {
    let answer = &answers[at];
    let history = &boxes.subject.history;
    let place = |txn: TxnId| places.of(txn);
    let mut contrast = None;
    let (lines, drawn) = match (&answer.on, &stories[at]) {
        (_, Some(story)) => {
            let cannot = match &story.reads[..] {
                [only] if story.steps.is_empty() => Some(only),
                _ => None,
            };
            let drawn = TransactionsDrawing {
                cycle: explanation::arrows(&story.steps, place),
                reads: story.reads.iter().filter_map(|&op| boxes.of(places, op)).collect(),
                failing: cannot.and_then(|&op| places.of(history.txn_of(op))),
                chosen: chosen(history, &story.sources, places),
                ..TransactionsDrawing::default()
            };
            (explanation::lines(titled(story), place), drawn)
        }
        (On::Transactions { level, verdict: Verdict::Consistent(witness), .. }, _) => {
            contrast = stronger_failing(answers, at)
                .and_then(|strong| against(&answers[strong], stories[strong].as_ref()?, *level, places));
            (Vec::new(), orders(history, witness, places))
        }
        _ => (Vec::new(), TransactionsDrawing::default()),
    };
    Shown { contrast, ..said(answer, lines, drawn) }
}

/// Longer explanations of a stronger level are not compared with weaker ones.
const COMPARED: usize = 40;

/// The requirement of the weaker level, then the stronger level's reason; none where that would be long.
fn against(strong: &Answer, story: &Story, weak: Level, places: &Places) -> Option<Contrast> {
    let place = |txn: TxnId| places.of(txn);
    if story.lines.len() > COMPARED {
        return None;
    }
    let level = strong.question();
    let allowed = Line::new(0, &format!("{}, and here that is so", rule(weak)));
    let forbidding = Story { title: format!("{level} forbids it: {}", story.title), ..story.clone() };
    Some(Contrast {
        against: name::label(&level.to_string()),
        cycle: explanation::arrows(&story.steps, place),
        missing: Vec::new(),
        lines: explanation::lines([vec![allowed], titled(&forbidding)].concat(), place),
    })
}

/// The lines of a story below its title, which points at all steps.
fn titled(story: &Story) -> Vec<Line<TxnId>> {
    let title = Line {
        about: story.steps.iter().map(|step| step.from).filter(|&txn| txn != INIT).collect(),
        arrows: story.steps.clone(),
        ..Line::new(0, &story.title)
    };
    [title].into_iter().chain(story.lines.iter().cloned()).collect()
}

/// From sources to what reads from them, as far as both are shown.
fn chosen(history: &History, sources: &[(OpId, TxnId)], places: &Places) -> Vec<Edge> {
    let edge = |&(read, source): &(OpId, TxnId)| {
        if source == INIT {
            return None;
        }
        Some([places.of(source)?, places.of(history.txn_of(read))?])
    };
    sources.iter().filter_map(edge).collect()
}

/// The edges of a commit order between what is shown: ww from each writer of a key to the next, and rw from each reader to the first
/// writer after the one that it reads from.
fn orders(history: &History, witness: &Witness, places: &Places) -> TransactionsDrawing {
    let chosen_of: BTreeMap<OpId, TxnId> = witness.sources.iter().copied().collect();
    let commits: Vec<u32> = witness.commits.iter().filter_map(|&txn| places.of(txn)).collect();
    // By key, the writers shown, in the order of their commits; by key and writer, the next.
    let mut last: BTreeMap<KeyId, u32> = BTreeMap::new();
    let mut first: BTreeMap<KeyId, u32> = BTreeMap::new();
    let mut next: BTreeMap<(KeyId, u32), u32> = BTreeMap::new();
    let mut ww: Vec<Edge> = Vec::new();
    for &place in &commits {
        let keys: BTreeSet<KeyId> = history
            .ops_of(places.txn(place))
            .filter_map(|op| match history.op(op) {
                Op::Write(key, _) | Op::Append(key, _) => Some(key),
                _ => None,
            })
            .collect();
        for key in keys {
            first.entry(key).or_insert(place);
            if let Some(before) = last.insert(key, place) {
                next.insert((key, before), place);
                ww.push([before, place]);
            }
        }
    }
    let mut rw: Vec<Edge> = Vec::new();
    for &place in &commits {
        for op in history.ops_of(places.txn(place)) {
            let source = match history.reads().source(op) {
                Source::Txn(source) => source,
                Source::Open(_) => match chosen_of.get(&op) {
                    Some(&source) => source,
                    None => continue,
                },
                Source::None => continue,
            };
            let key = history.op(op).key();
            let overwriting = match source {
                INIT => first.get(&key).copied(),
                source => places.of(source).and_then(|source| next.get(&(key, source)).copied()),
            };
            rw.extend(overwriting.filter(|&by| by != place).map(|by| [place, by]));
        }
    }
    for edges in [&mut ww, &mut rw] {
        edges.sort_unstable();
        edges.dedup();
    }
    let chosen = chosen(history, &witness.sources, places);
    TransactionsDrawing { chosen, commits, ww, rw, ..TransactionsDrawing::default() }
}

/// The number of transactions that each session has in each stretch; the whole is as long as the longest session.
fn overview(history: &History, places: &Places, violations: &[Vec<TxnId>]) -> Overview {
    let sessions = places.sessions();
    let length = |&session: &SessionId| history.session(session).len();
    let mut stretches = Stretches::new(sessions.len(), sessions.iter().map(length).max().unwrap_or(0));
    for (row, session) in sessions.iter().enumerate() {
        (0..length(session)).for_each(|index| stretches.count(row, index));
    }
    let index = |txn: TxnId| {
        let first = history.session(history.session_of(txn)).next().map_or(txn.0, |first| first.0);
        (txn.0 - first) as usize
    };
    let indices = |txns: &mut dyn Iterator<Item = TxnId>| -> Vec<usize> {
        txns.filter(|&txn| txn != INIT).map(index).collect()
    };
    let shown = indices(&mut places.all().map(|(_, txn)| txn));
    let marks = violations.iter().map(|txns| indices(&mut txns.iter().copied()));
    stretches.overview(shown.into_iter(), marks.collect::<Vec<_>>())
}

//! The common parts of pictures of memories and of transactions: boxes in columns, and edges between them.

use crate::document::{
    Arrow, Document, Edge, Kind, Line, MemoryDrawing, Outcome, Picture, Shown, Thread, TransactionsDrawing,
};
use std::borrow::Cow;

/// If the explanation is longer, only the cycle is drawn.
const LINES: usize = 60;

/// A picture in columns, with one answer.
pub struct Scene<'a> {
    /// The columns.
    pub columns: &'a [Thread],
    /// By place.
    pub boxes: Vec<Block<'a>>,
    /// Edges that the history has, with their names.
    pub given: Vec<(Edge, &'static str)>,
    /// Edges of the answer that are no violation, with their names.
    pub found: Vec<(Edge, &'static str)>,
    /// The violation.
    pub cycle: &'a [Arrow],
    /// The other edges that the explanation mentions, each once.
    pub grounds: Vec<Arrow>,
    /// The names that edges down a column have, the usual one first.
    pub down: &'static [&'static str],
    /// The most boxes in a picture.
    pub most: usize,
}

/// A box.
pub struct Block<'a> {
    /// Its column; none for what is there initially.
    pub column: Option<u32>,
    /// Its index in the column.
    pub index: u32,
    /// Its row.
    pub row: u32,
    /// Its first line.
    pub label: Cow<'a, str>,
    /// The lines below: operations.
    pub below: Vec<String>,
    /// Whether each of these is what the violation is about.
    pub marked: Vec<bool>,
    /// Its tooltip.
    pub told: String,
    /// The class by which it is drawn: `access`, `fence`, `init`, `aborted`, `pending`.
    pub class: &'static str,
    /// Whether it is wrong by itself.
    pub failing: bool,
}

impl<'a> Scene<'a> {
    /// The scene of an answer of a document, by index; none if it has no columns.
    pub fn of(document: &'a Document, answer: usize) -> Option<Self> {
        match &document.picture {
            Picture::Memory { answers, .. } => memory(document, answers.get(answer)),
            Picture::Transactions { answers, .. } => transactions(document, answers.get(answer)),
            Picture::Object { .. } => None,
        }
    }

    /// Whether what is at a place is there initially.
    pub fn is_init(&self, place: u32) -> bool {
        self.boxes[place as usize].column.is_none()
    }
}

fn memory<'a>(document: &'a Document, said: Option<&'a Shown<MemoryDrawing>>) -> Option<Scene<'a>> {
    let Picture::Memory { threads, events, rf, deps, .. } = &document.picture else { return None };
    let boxes = events.iter().map(|event| {
        let at = match event.thread {
            Some(thread) => format!("{}:{} {}", threads[thread as usize].name, event.index, event.label),
            None => event.label.clone(),
        };
        Block {
            column: event.thread,
            index: event.index,
            row: event.row,
            label: event.label.as_str().into(),
            below: Vec::new(),
            marked: Vec::new(),
            told: at + &line_of(event.line),
            class: match event.kind {
                Kind::Init => "init",
                Kind::Fence => "fence",
                _ => "access",
            },
            failing: false,
        }
    });
    let named = |edges: &'a [Edge], name: &'static str| edges.iter().map(move |&edge| (edge, name));
    let given = named(rf, "rf").chain(named(deps, "dep"));
    let (cycle, found) = match said.map(|said| &said.drawn) {
        None => (&[][..], Vec::new()),
        Some(MemoryDrawing { cycle, chosen, mo, fr }) => {
            let chosen = chosen.iter().filter(|edge| !is_in(cycle, **edge)).map(|&edge| (edge, "chosen"));
            (&cycle[..], chosen.chain(named(mo, "mo")).chain(named(fr, "fr")).collect())
        }
    };
    Some(Scene {
        columns: threads,
        boxes: boxes.collect(),
        given: given.collect(),
        found,
        cycle,
        grounds: said.map_or_else(Vec::new, |said| grounds(&said.lines, cycle)),
        down: &["po", "ppo", "po-loc"],
        most: 64,
    })
}

fn transactions<'a>(
    document: &'a Document,
    said: Option<&'a Shown<TransactionsDrawing>>,
) -> Option<Scene<'a>> {
    let Picture::Transactions { sessions, transactions, wr, .. } = &document.picture else { return None };
    let drawing = said.map(|said| &said.drawn);
    let boxes = (0..).zip(transactions).map(|(place, txn)| {
        let marked = |at: u32| drawing.is_some_and(|drawing| drawing.reads.contains(&[place, at]));
        let mut below = txn.ops.clone();
        if txn.more > 0 {
            below.push(format!(".. {} more", txn.more));
        }
        let (class, what) = match txn.status {
            Outcome::Committed => ("access", ""),
            Outcome::Aborted => ("aborted", ", aborted"),
            Outcome::Unknown => ("pending", ", outcome unknown"),
            Outcome::Init => ("init", ""),
        };
        let what = what.to_string() + &why(txn.error.as_deref());
        let times = txn.times.as_ref().map_or_else(String::new, |(begin, end)| match end {
            Some(end) => format!(", {begin} to {end}"),
            None => format!(", from {begin}"),
        });
        Block {
            column: txn.session,
            index: txn.index,
            row: txn.row,
            label: format!("{}{what}{times}", txn.name).into(),
            marked: (0..below.len() as u32).map(marked).collect(),
            below,
            told: {
                let meanwhile: String = txn.meanwhile.iter().map(|did| format!(", during {did}")).collect();
                format!("{}{what}{times}{meanwhile}{}", txn.name, line_of(txn.line))
            },
            class,
            failing: drawing.is_some_and(|drawing| drawing.failing == Some(place)),
        }
    });
    let named = |edges: &'a [Edge], name: &'static str| edges.iter().map(move |&edge| (edge, name));
    let (cycle, found) = match drawing {
        None => (&[][..], Vec::new()),
        Some(TransactionsDrawing { cycle, chosen, ww, rw, .. }) => {
            let chosen = chosen.iter().filter(|edge| !is_in(cycle, **edge)).map(|&edge| (edge, "chosen"));
            (&cycle[..], chosen.chain(named(ww, "ww")).chain(named(rw, "rw")).collect())
        }
    };
    Some(Scene {
        columns: sessions,
        boxes: boxes.collect(),
        given: named(wr, "wr").collect(),
        found,
        cycle,
        grounds: said.map_or_else(Vec::new, |said| grounds(&said.lines, cycle)),
        down: &["so"],
        most: 32,
    })
}

fn is_in(cycle: &[Arrow], edge: Edge) -> bool {
    cycle.iter().any(|arrow| [arrow.from, arrow.to] == edge)
}

/// The error that a client gave, beside what it is of: ` (timeout)`.
pub fn why(error: Option<&str>) -> String {
    error.map_or_else(String::new, |error| format!(" ({error})"))
}

fn line_of(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

/// The edges that an explanation mentions, without those of the cycle, each once.
fn grounds(lines: &[Line], cycle: &[Arrow]) -> Vec<Arrow> {
    let mut grounds: Vec<Arrow> = Vec::new();
    for arrow in lines.iter().filter(|_| lines.len() <= LINES).flat_map(|line| &line.arrows) {
        if !cycle.contains(arrow) && !grounds.contains(arrow) {
            grounds.push(*arrow);
        }
    }
    grounds
}

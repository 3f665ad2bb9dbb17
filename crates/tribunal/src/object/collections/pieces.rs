//! The pieces that lists and texts are put together from.

use crate::object::{History, OpId, Value};
use rustc_hash::FxHashMap;

/// What a read returned.
#[derive(Clone, Copy)]
pub(super) enum Content<'h> {
    List(&'h [Value]),
    Text(&'h [u8]),
}

impl<'h> Content<'h> {
    pub(super) fn of(value: &'h Value) -> Option<Self> {
        match value {
            Value::List(values) => Some(Content::List(values)),
            Value::Text(text) => Some(Content::Text(text.as_bytes())),
            _ => None,
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Content::List(values) => values.len(),
            Content::Text(text) => text.len(),
        }
    }

    /// How much two contents have in common at their beginnings.
    pub(super) fn common(self, other: Self) -> usize {
        fn common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
            let shorter = a.len().min(b.len());
            // Mostly one begins with the other, and whole slices are compared fast.
            if a[..shorter] == b[..shorter] {
                return shorter;
            }
            a.iter().zip(b).take_while(|(a, b)| a == b).count()
        }
        match (self, other) {
            (Content::List(a), Content::List(b)) => common(a, b),
            (Content::Text(a), Content::Text(b)) => common(a, b),
            _ => 0,
        }
    }
}

/// One of the different pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PieceId(pub(super) u32);

impl PieceId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a piece is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// By appends alone.
    Appended,
    /// By one put.
    Put,
    /// By a put and others: what is read of it does not tell whose it is.
    Ambiguous,
}

/// The pieces that some operations write. No text of them is empty or begins with another, so that a text is put
/// together from them in one way, if at all.
pub(super) struct Pieces<'h> {
    history: &'h History,
    /// By operation that writes, in the order of pieces and then of calls: it.
    writers: Vec<OpId>,
    /// By piece: where its writers begin; and where the last ones end.
    begins: Vec<u32>,
    /// The lists' elements.
    elements: FxHashMap<&'h Value, PieceId>,
}

impl<'h> Pieces<'h> {
    /// The pieces of these operations, which are in the order of their calls; nothing if one text begins with another.
    pub(super) fn new(history: &'h History, mut writers: Vec<OpId>, texts: bool) -> Option<Self> {
        // Stable, so that the writers of a piece stay in the order of their calls.
        writers.sort_by(|&a, &b| piece(history, a).cmp(&piece(history, b)));
        let mut begins: Vec<u32> = Vec::with_capacity(writers.len() + 1);
        let mut elements = FxHashMap::default();
        for (at, &op) in writers.iter().enumerate() {
            let its = piece(history, op)?;
            let before = at.checked_sub(1).and_then(|before| piece(history, writers[before]));
            if before == Some(its) {
                continue;
            }
            if let Value::Text(text) = its
                && texts
                && (text.is_empty()
                    || matches!(before, Some(Value::Text(before)) if text.starts_with(&**before)))
            {
                return None;
            }
            if !texts {
                elements.insert(its, PieceId(begins.len() as u32));
            }
            begins.push(at as u32);
        }
        begins.push(writers.len() as u32);
        Some(Pieces { history, writers, begins, elements })
    }

    /// How many different ones there are.
    pub(super) fn len(&self) -> usize {
        self.begins.len() - 1
    }

    /// Who writes a piece, in the order of their calls.
    pub(super) fn writers(&self, piece: PieceId) -> &[OpId] {
        &self.writers[self.begins[piece.index()] as usize..self.begins[piece.index() + 1] as usize]
    }

    /// What an operation writes, if it is one of those that write.
    pub(super) fn of(&self, op: OpId) -> Option<PieceId> {
        let writer = self.writers.iter().position(|&writer| writer == op)?;
        Some(PieceId(self.begins.partition_point(|&begin| begin as usize <= writer) as u32 - 1))
    }

    pub(super) fn written(&self, piece: PieceId) -> Written {
        let writers = self.writers(piece);
        let puts = writers.iter().filter(|&&op| self.history.called(op).method == "put").count();
        match (puts, writers.len()) {
            (0, _) => Written::Appended,
            (1, 1) => Written::Put,
            _ => Written::Ambiguous,
        }
    }

    /// The piece that begins at a place of a content, and where it ends.
    pub(super) fn next(&self, content: Content<'_>, at: usize) -> Option<(PieceId, usize)> {
        match content {
            Content::List(values) => Some((*self.elements.get(values.get(at)?)?, at + 1)),
            Content::Text(text) => {
                // The last piece that is not greater: any between it and one that the rest begins with would begin with that.
                let rest = text.get(at..)?;
                let text_of = |piece: usize| self.text(self.begins[piece] as usize);
                let (mut low, mut high) = (0, self.len());
                while low < high {
                    let middle = low.midpoint(high);
                    if text_of(middle) <= rest { low = middle + 1 } else { high = middle }
                }
                let piece = low.checked_sub(1)?;
                let text = text_of(piece);
                rest.starts_with(text).then(|| (PieceId(piece as u32), at + text.len()))
            }
        }
    }

    fn text(&self, writer: usize) -> &[u8] {
        match piece(self.history, self.writers[writer]) {
            Some(Value::Text(text)) => text.as_bytes(),
            _ => &[],
        }
    }
}

/// What an operation writes: its last argument.
fn piece(history: &History, op: OpId) -> Option<&Value> {
    history.called(op).args.last()
}

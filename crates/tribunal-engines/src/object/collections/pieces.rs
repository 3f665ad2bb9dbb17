//! The pieces that lists and texts are put together from.

use rustc_hash::FxHashMap;
use tribunal_history::object::{History, OpId, Value};

/// The return of a read.
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

    /// The length that two contents have in common at their beginnings.
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

/// The way in which a piece is written.
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
    index: Index<'h>,
}

/// The places of pieces.
enum Index<'h> {
    Elements(FxHashMap<&'h Value, PieceId>),
    /// In ascending order.
    Texts(Vec<Text<'h>>),
}

/// A text after its first bytes as a number, which decides most comparisons.
type Text<'h> = (u64, &'h [u8]);

fn text(bytes: &[u8]) -> Text<'_> {
    let mut first = [0; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    (u64::from_be_bytes(first), bytes)
}

impl<'h> Pieces<'h> {
    /// The elements that these operations append to a list. The operations are in the order of their calls.
    pub(super) fn elements(history: &'h History, ops: &[OpId]) -> Self {
        let mut elements: FxHashMap<&Value, PieceId> = FxHashMap::default();
        let mut written: Vec<(PieceId, OpId)> = Vec::with_capacity(ops.len());
        for &op in ops {
            let Some(value) = piece(history, op) else { continue };
            let next = PieceId(elements.len() as u32);
            written.push((*elements.entry(value).or_insert(next), op));
        }
        // Stable, so that the writers of a piece stay in the order of their calls.
        written.sort_by_key(|&(piece, _)| piece);
        let begins = (0..written.len()).filter(|&at| at == 0 || written[at - 1].0 != written[at].0);
        let begins = begins.chain([written.len()]).map(|at| at as u32).collect();
        let writers = written.into_iter().map(|(_, op)| op).collect();
        Pieces { history, writers, begins, index: Index::Elements(elements) }
    }

    /// The texts that these operations put or append; nothing if one is empty or begins with another. The operations are
    /// in the order of their calls.
    pub(super) fn texts(history: &'h History, ops: &[OpId]) -> Option<Self> {
        let mut written: Vec<(Text<'_>, OpId)> = Vec::with_capacity(ops.len());
        for &op in ops {
            let Some(Value::Text(its)) = piece(history, op) else { return None };
            written.push((text(its.as_bytes()), op));
        }
        written.sort_by_key(|&(text, _)| text);
        let mut texts: Vec<Text<'_>> = Vec::with_capacity(written.len());
        let mut begins: Vec<u32> = Vec::with_capacity(written.len() + 1);
        for (at, &(text, _)) in written.iter().enumerate() {
            match texts.last() {
                Some(&last) if last == text => continue,
                Some((_, last)) if text.1.starts_with(last) => return None,
                None if text.1.is_empty() => return None,
                _ => {}
            }
            texts.push(text);
            begins.push(at as u32);
        }
        begins.push(written.len() as u32);
        let writers = written.into_iter().map(|(_, op)| op).collect();
        Some(Pieces { history, writers, begins, index: Index::Texts(texts) })
    }

    /// The number of different ones.
    pub(super) fn len(&self) -> usize {
        self.begins.len() - 1
    }

    /// The operations that write a piece, in the order of their calls.
    pub(super) fn writers(&self, piece: PieceId) -> &[OpId] {
        &self.writers[self.begins[piece.index()] as usize..self.begins[piece.index() + 1] as usize]
    }

    /// The piece that an operation writes, if it is one of those that write.
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
        match (content, &self.index) {
            (Content::List(values), Index::Elements(elements)) => {
                Some((*elements.get(values.get(at)?)?, at + 1))
            }
            (Content::Text(bytes), Index::Texts(texts)) => {
                // The last piece that is not greater: any between it and one that the rest begins with would begin with that.
                let rest = text(bytes.get(at..)?);
                let piece = texts.partition_point(|&text| text <= rest).checked_sub(1)?;
                let (_, its) = texts[piece];
                rest.1.starts_with(its).then(|| (PieceId(piece as u32), at + its.len()))
            }
            _ => None,
        }
    }
}

/// The value that an operation writes: its last argument.
fn piece(history: &History, op: OpId) -> Option<&Value> {
    history.called(op).args.last()
}

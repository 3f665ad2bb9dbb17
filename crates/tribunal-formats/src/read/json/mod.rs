//! JSON: native, one document a history; or a history of Jepsen or dbcop, which its shape tells.

mod dbcop;
pub(super) mod memory;
mod object;
mod transactions;

use super::ReadAs;
use super::buffer::Buffer;
use super::draft::{Draft, ObjectDraft};
use super::jepsen::{self, NilReads};
use super::keys::{Seen, keys};
use super::pull::Pull;
use super::transactions::{Draft as TransactionsDraft, elle};
use crate::{Error, ErrorKind, History};

/// Reads the documents of a JSON stream.
pub(super) struct Reader {
    pull: Pull,
    /// For histories of memories, one after the other.
    draft: Draft,
    waiting: memory::Waiting,
    operation: object::Operation,
    /// The elements read of a list; it is kept for its room.
    list: Vec<i64>,
    /// The treatment of Jepsen's reads of nil.
    pub(super) nil_reads: NilReads,
    /// The kind of history that Jepsen's events are read as.
    pub(super) read_as: ReadAs,
    /// The shape of the input; not known before the first byte is asked for.
    shape: Option<Shape>,
}

/// A shape of JSON, by whose it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One document a history, of ours or of dbcop's.
    Documents,
    /// An array that dbcop has as `data`.
    Data,
    /// Events of Jepsen.
    Jepsen,
    /// Events of Jepsen, to be read as transactions.
    Elle,
}

keys!(DocumentKey {
    Kind = "kind",
    Name = "name",
    Init = "init",
    Threads = "threads",
    Final = "final",
    Verdicts = "verdicts",
    Spec = "spec",
    Operations = "operations",
    Hb = "hb",
    Sessions = "sessions",
    Data = "data",
});

/// The form of `init` of transactions.
const INIT: &str = "null or a whole number: the initial value of every register";

/// The kind of history in a document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Memory,
    Object,
    Transactions,
}

impl Reader {
    pub(super) fn new(buffer: Buffer) -> Self {
        let (draft, waiting, operation, list, nil_reads) = Default::default();
        let pull = Pull::new(buffer);
        Reader { pull, draft, waiting, operation, list, nil_reads, read_as: ReadAs::Told, shape: None }
    }

    /// Whether the input is cut into documents.
    pub(super) fn is_of_documents(&mut self) -> Result<bool, Error> {
        Ok(self.shape()? == Shape::Documents)
    }

    /// The shape of the input, as its first document tells.
    fn shape(&mut self) -> Result<Shape, Error> {
        if let Some(shape) = self.shape {
            return Ok(shape);
        }
        let jepsen = match self.pull.peek()? {
            Some(b'[') if self.pull.is_nested_array()? => return Ok(*self.shape.insert(Shape::Data)),
            Some(b'[') => true,
            // Most native documents show at once what they are.
            _ if self.pull.buffer().ahead().starts_with(b"{\"kind\":") => false,
            _ => self.pull.has_key_ahead(b"process")? || self.pull.has_key_ahead(b"type")?,
        };
        let shape = match jepsen {
            false => Shape::Documents,
            true if elle::is_meant(self.pull.buffer_mut(), self.read_as)? => Shape::Elle,
            true => Shape::Jepsen,
        };
        Ok(*self.shape.insert(shape))
    }

    /// Says that another input begins.
    pub(super) fn begin(&mut self) {
        self.shape = None;
    }

    /// Says that the input is of documents.
    pub(super) fn is_native(&mut self) {
        self.shape = Some(Shape::Documents);
    }

    pub(super) fn buffer_mut(&mut self) -> &mut Buffer {
        self.pull.buffer_mut()
    }

    /// Forgets the history being read, whose end may be still to come.
    pub(super) fn forget(&mut self) -> bool {
        (self.draft, self.waiting, self.operation) = Default::default();
        self.pull.count_anew();
        true
    }

    pub(super) fn next(&mut self) -> Result<Option<History>, Error> {
        let shape = self.shape()?;
        match shape {
            Shape::Jepsen => {
                let events = &mut jepsen::json::Json::new(&mut self.pull);
                return jepsen::history(events, self.read_as, self.nil_reads);
            }
            Shape::Elle => {
                return elle::history(&mut elle::json::Json::new(&mut self.pull), self.read_as);
            }
            Shape::Data | Shape::Documents => {}
        }
        match self.pull.peek()? {
            None => Ok(None),
            Some(b'[') if shape == Shape::Data => {
                let mut draft = TransactionsDraft::new(self.pull.place().line);
                self.dbcop_data(&mut draft, 0)?;
                draft.finish(self.pull.buffer().name()).map(Some)
            }
            Some(b'{') => self.document().map(Some),
            Some(_) => Err(self.pull.expected("`{` and a history")),
        }
    }

    /// A document. Its kind may come late: then `threads` or `operations`, whichever comes first, tells it.
    fn document(&mut self) -> Result<History, Error> {
        let place = self.pull.place();
        let mut kind = None;
        let mut name = None;
        let room = self.pull.buffer().room();
        let mut memory = std::mem::take(&mut self.draft);
        memory.begin(place.line, room);
        let mut object = ObjectDraft::new(place.line, room);
        let mut transactions: Option<TransactionsDraft> = None;
        // Initial values location by location, read before it was known whether transactions follow.
        let mut init_place = None;
        let mut init_value = None;
        let mut hb = None;
        let mut seen = Seen::default();
        let mut first = true;
        self.pull.open_object("history")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(DocumentKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match (key, kind) {
                (DocumentKey::Kind, _) => kind = Some(self.kind(kind)?),
                (DocumentKey::Name, _) => {
                    if !self.pull.eat_null()? {
                        name = Some(self.pull.string("name", str::to_string)?);
                    }
                }
                (DocumentKey::Verdicts, _) => self.verdicts(&mut memory)?,
                (DocumentKey::Threads, None | Some(Kind::Memory)) => {
                    kind = Some(Kind::Memory);
                    self.threads(&mut memory)?;
                }
                (DocumentKey::Init, None | Some(Kind::Transactions))
                    if matches!(self.pull.peek()?, Some(b'0'..=b'9' | b'-')) =>
                {
                    init_value = Some((self.pull.place(), self.whole("init")?));
                }
                (DocumentKey::Init, Some(Kind::Transactions)) => {
                    if !self.pull.eat_null()? {
                        return Err(self.pull.wrong_type("init", INIT));
                    }
                }
                (DocumentKey::Init, None | Some(Kind::Memory)) => {
                    init_place = Some(self.pull.place()).filter(|_| kind.is_none());
                    self.init(&mut memory)?;
                }
                (DocumentKey::Final, None | Some(Kind::Memory)) => self.finals(&mut memory)?,
                (DocumentKey::Operations, None | Some(Kind::Object)) => {
                    kind = Some(Kind::Object);
                    self.operations(&mut object, memory.memory())?;
                }
                (DocumentKey::Spec, None | Some(Kind::Object)) => {
                    object.spec = self.pull.string("spec", str::to_string)?;
                }
                (DocumentKey::Hb, None | Some(Kind::Object)) => hb = self.hb()?,
                (DocumentKey::Sessions, None | Some(Kind::Transactions)) if transactions.is_none() => {
                    kind = Some(Kind::Transactions);
                    let draft = transactions.insert(TransactionsDraft::new(place.line));
                    self.sessions(draft, memory.memory())?;
                }
                // Who does not know dbcop may call anything so.
                (DocumentKey::Data, None)
                    if self.pull.peek()? == Some(b'[') && self.pull.is_nested_array()? =>
                {
                    kind = Some(Kind::Transactions);
                    let draft = transactions.insert(TransactionsDraft::new(place.line));
                    self.dbcop_data(draft, memory.memory())?;
                }
                // A key of the other kind is like any unknown key.
                _ => self.pull.skip()?,
            }
        }
        let require = |key: DocumentKey| {
            if seen.has(key.bit()) {
                return Ok(());
            }
            let missing = ErrorKind::MissingKey { key: key.text(), object: "the history" };
            Err(self.pull.error_at(place, missing))
        };
        match kind {
            Some(Kind::Transactions) => {
                let labels = std::mem::take(&mut memory.labels);
                let Some(mut draft) = transactions else {
                    let missing = DocumentKey::Sessions.text();
                    let kind = ErrorKind::MissingKey { key: missing, object: "the history" };
                    return Err(self.pull.error_at(place, kind));
                };
                let wrong = init_place.filter(|_| memory.has_init());
                if let Some(place) = wrong {
                    let kind = ErrorKind::WrongType { key: "init", expected: INIT, found: "an object" };
                    return Err(self.pull.error_at(place, kind));
                }
                draft.init(init_value.map(|(_, value)| value));
                draft.labels = labels;
                if let Some(name) = name {
                    draft.name(name);
                }
                memory.forget();
                self.draft = memory;
                self.pull.hold(draft.memory())?;
                draft.finish(self.pull.buffer().name())
            }
            // Of memories and objects initial values are something else.
            Some(_) if init_value.is_some() => {
                let place = init_value.map_or(place, |(place, _)| place);
                let found = "a number";
                let kind = ErrorKind::WrongType { key: "init", expected: "an object", found };
                Err(self.pull.error_at(place, kind))
            }
            Some(Kind::Memory) => {
                require(DocumentKey::Threads)?;
                if let Some(name) = name {
                    memory.builder.name(&name);
                }
                let history = memory.finish(self.pull.buffer());
                self.draft = memory;
                history
            }
            Some(Kind::Object) => {
                require(DocumentKey::Operations)?;
                require(DocumentKey::Spec)?;
                object.labels = std::mem::take(&mut memory.labels);
                if let Some(name) = name {
                    object.builder.name(&name);
                }
                self.order(&mut object, hb)?;
                object.finish(self.pull.buffer().name())
            }
            None => {
                let missing = ErrorKind::MissingKey { key: "kind", object: "the history" };
                Err(self.pull.error_at(place, missing))
            }
        }
    }

    /// The kind of history, which may have shown already.
    fn kind(&mut self, shown: Option<Kind>) -> Result<Kind, Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let kind = self.pull.string("kind", |kind| match kind {
            "memory" => Ok(Kind::Memory),
            "object" => Ok(Kind::Object),
            "transactions" => Ok(Kind::Transactions),
            _ => Err(ErrorKind::UnsupportedKind { kind: crate::error::quote(kind.as_bytes()) }),
        })?;
        let expected = match (kind, shown) {
            (Ok(kind), None) => return Ok(kind),
            (Ok(kind), Some(shown)) if kind == shown => return Ok(kind),
            (Ok(_), Some(Kind::Memory)) => "\"kind\":\"memory\" in a history with \"threads\"",
            (Ok(_), Some(Kind::Object)) => "\"kind\":\"object\" in a history with \"operations\"",
            (Ok(_), Some(Kind::Transactions)) => "\"kind\":\"transactions\" in a history with \"sessions\"",
            (Err(unsupported), _) => return Err(self.pull.error_at(place, unsupported)),
        };
        Err(self.pull.error_at(place, ErrorKind::Syntax { expected, found: "another kind".into() }))
    }

    /// The labels, which stand in the draft of a memory until the kind is known.
    fn verdicts(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if self.pull.eat_null()? {
            return Ok(());
        }
        let mut first = true;
        self.pull.open_object("verdicts")?;
        while self.pull.next_entry(&mut first)? {
            let model = self.pull.any_key(str::to_string)?;
            let consistent = self.pull.optional_bool("verdicts")?;
            draft.label(model, consistent);
            self.pull.hold(draft.memory())?;
        }
        Ok(())
    }

    /// Notes that a key was seen, for the first time.
    #[inline(always)]
    fn note(&self, seen: &mut Seen, bit: u16, key: &'static str) -> Result<(), Error> {
        if seen.add(bit) {
            return Ok(());
        }
        Err(self.pull.error_at(self.pull.place(), ErrorKind::DuplicateKey { key }))
    }
}

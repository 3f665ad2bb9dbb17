//! JSON: native, one document a history; or a history of Jepsen, which its shape tells.

pub(super) mod memory;
mod object;

use super::buffer::Buffer;
use super::draft::{Draft, ObjectDraft};
use super::jepsen::{self, NilReads};
use super::keys::{Seen, keys};
use super::pull::Pull;
use crate::{Error, ErrorKind, History};

/// Reads the documents of a JSON stream.
pub(super) struct Reader {
    pull: Pull,
    /// For histories of memories, one after the other.
    draft: Draft,
    waiting: memory::Waiting,
    operation: object::Operation,
    /// What becomes of Jepsen's reads of nil.
    pub(super) nil_reads: NilReads,
    /// Whether the input is of Jepsen; not known before the first byte is asked for.
    jepsen: Option<bool>,
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
});

/// What a document is a history of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Memory,
    Object,
}

impl Reader {
    pub(super) fn new(buffer: Buffer) -> Self {
        let (draft, waiting, operation, nil_reads) = Default::default();
        Reader { pull: Pull::new(buffer), draft, waiting, operation, nil_reads, jepsen: None }
    }

    /// Whether the input is of Jepsen, as its first document tells.
    pub(super) fn is_of_jepsen(&mut self) -> Result<bool, Error> {
        match self.jepsen {
            Some(jepsen) => Ok(jepsen),
            None => {
                let jepsen = match self.pull.peek()? {
                    Some(b'[') => true,
                    // Most native documents show at once what they are.
                    _ if self.pull.buffer().ahead().starts_with(b"{\"kind\":") => false,
                    _ => self.pull.has_key_ahead(b"process")?,
                };
                Ok(*self.jepsen.insert(jepsen))
            }
        }
    }

    /// Says that another input begins.
    pub(super) fn begin(&mut self) {
        self.jepsen = None;
    }

    /// Says that it is not.
    pub(super) fn is_native(&mut self) {
        self.jepsen = Some(false);
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
        if self.is_of_jepsen()? {
            return jepsen::history(&mut jepsen::json::Json::new(&mut self.pull), self.nil_reads);
        }
        match self.pull.peek()? {
            None => Ok(None),
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
                (DocumentKey::Init, None | Some(Kind::Memory)) => self.init(&mut memory)?,
                (DocumentKey::Final, None | Some(Kind::Memory)) => self.finals(&mut memory)?,
                (DocumentKey::Operations, None | Some(Kind::Object)) => {
                    kind = Some(Kind::Object);
                    self.operations(&mut object, memory.memory())?;
                }
                (DocumentKey::Spec, None | Some(Kind::Object)) => {
                    object.spec = self.pull.string("spec", str::to_string)?;
                }
                (DocumentKey::Hb, None | Some(Kind::Object)) => hb = self.hb()?,
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
            _ => Err(ErrorKind::UnsupportedKind { kind: crate::error::quote(kind.as_bytes()) }),
        })?;
        let expected = match (kind, shown) {
            (Ok(Kind::Object), Some(Kind::Memory)) => "\"kind\":\"memory\" in a history with \"threads\"",
            (Ok(Kind::Memory), Some(Kind::Object)) => "\"kind\":\"object\" in a history with \"operations\"",
            (Ok(kind), _) => return Ok(kind),
            (Err(unsupported), _) => return Err(self.pull.error_at(place, unsupported)),
        };
        Err(self.pull.error_at(place, ErrorKind::Syntax { expected, found: "the other kind".into() }))
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

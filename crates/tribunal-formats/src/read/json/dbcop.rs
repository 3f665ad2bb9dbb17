//! Histories of transactions in the JSON of dbcop 0.2.

use super::Reader;
use crate::read::keys::{Seen, keys};
use crate::read::transactions::Draft;
use crate::{Error, ErrorKind};
use tribunal_history::transactions::{Op, Status};

keys!(TransactionKey { Events = "events", Committed = "committed" });
keys!(AccessKey { Variable = "variable", Version = "version" });

impl Reader {
    /// The sessions, with so many bytes of other things beside them.
    pub(super) fn dbcop_data(&mut self, draft: &mut Draft, beside: usize) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array("data")?;
        let mut index = 0u64;
        while self.pull.next_element(&mut first)? {
            let session = draft.session(&index.to_string());
            index += 1;
            let mut first = true;
            self.pull.open_array("data")?;
            while self.pull.next_element(&mut first)? {
                self.pull.peek()?;
                let place = self.pull.place();
                draft.begin(session, place.line);
                let mut seen = Seen::default();
                let mut committed = true;
                let mut first = true;
                self.pull.open_object("data")?;
                while self.pull.next_entry(&mut first)? {
                    let Some(key) = self.pull.key(TransactionKey::of)? else {
                        self.pull.skip()?;
                        continue;
                    };
                    self.note(&mut seen, key.bit(), key.text())?;
                    match key {
                        TransactionKey::Events => self.dbcop_events(draft, beside)?,
                        TransactionKey::Committed => {
                            committed = self.pull.optional_bool("committed")?.unwrap_or(true);
                        }
                    }
                }
                if !seen.has(TransactionKey::Events.bit()) {
                    let object = "the transaction";
                    let missing = ErrorKind::MissingKey { key: TransactionKey::Events.text(), object };
                    return Err(self.pull.error_at(place, missing));
                }
                draft.end(if committed { Status::Committed } else { Status::Aborted }, None);
            }
            self.pull.hold(draft.memory() + beside)?;
        }
        Ok(())
    }

    fn dbcop_events(&mut self, draft: &mut Draft, beside: usize) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array("events")?;
        while self.pull.next_element(&mut first)? {
            let mut first = true;
            self.pull.open_object("events")?;
            if !self.pull.next_entry(&mut first)? {
                return Err(self.pull.expected("\"Read\" or \"Write\""));
            }
            let writes = self.pull.key(|key| match key {
                b"Read" => Some(false),
                b"Write" => Some(true),
                _ => None,
            })?;
            let Some(writes) = writes else {
                return Err(self.pull.expected("the value of \"Read\" or \"Write\""));
            };
            self.dbcop_access(draft, writes)?;
            if self.pull.next_entry(&mut first)? {
                return Err(self.pull.expected("`}` after the event"));
            }
            self.pull.hold(draft.memory() + beside)?;
        }
        Ok(())
    }

    /// `{"variable":0,"version":1}`; a version of null was read where nothing was written.
    fn dbcop_access(&mut self, draft: &mut Draft, writes: bool) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let (mut variable, mut version) = (None, None);
        let mut seen = Seen::default();
        let mut first = true;
        self.pull.open_object("events")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(AccessKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                AccessKey::Variable if self.pull.peek()? == Some(b'"') => {
                    variable = Some(self.pull.string("variable", |name| draft.key(name))?);
                }
                AccessKey::Variable => {
                    let number = self.whole("variable")?;
                    variable = Some(draft.number_key(number));
                }
                AccessKey::Version if self.pull.eat_null()? => {}
                AccessKey::Version => version = Some(self.whole("version")?),
            }
        }
        let missing = |key: AccessKey| {
            let kind = ErrorKind::MissingKey { key: key.text(), object: "the event" };
            Err(self.pull.error_at(place, kind))
        };
        match (writes, variable, version) {
            (_, None, _) => return missing(AccessKey::Variable),
            (true, _, None) => return missing(AccessKey::Version),
            (true, Some(key), Some(value)) => draft.op(Op::Write(key, value)),
            (false, Some(key), value) => draft.op(Op::Read(key, value)),
        }
        Ok(())
    }
}

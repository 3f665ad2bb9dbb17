//! Histories of transactions in native JSON.

use super::Reader;
use crate::read::keys::{Seen, keys};
use crate::read::transactions::Draft;
use crate::{Error, ErrorKind};
use tribunal_history::transactions::{KeyId, Op, SessionId, Span, Status};

keys!(SessionKey { Name = "name", Transactions = "transactions" });
keys!(TransactionKey { Txn = "txn", Status = "status", Begin = "begin", End = "end" });

/// The function of an operation.
#[derive(Clone, Copy)]
enum Function {
    Read,
    Write,
    Append,
}

impl Function {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"r" => Some(Function::Read),
            b"w" => Some(Function::Write),
            b"append" => Some(Function::Append),
            _ => None,
        }
    }
}

const OPERATION: &str =
    "an operation: [\"r\",key,value], [\"r\",key], [\"w\",key,value] or [\"append\",key,value]";

impl Reader {
    /// The sessions, with so many bytes of other things beside them.
    pub(super) fn sessions(&mut self, draft: &mut Draft, beside: usize) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array("sessions")?;
        let mut index = 0u64;
        while self.pull.next_element(&mut first)? {
            let name = index.to_string();
            index += 1;
            if self.pull.peek()? == Some(b'{') {
                self.named_session(draft, name, beside)?;
                continue;
            }
            let place = self.pull.place();
            let session = draft.new_session(&name);
            let session =
                session.ok_or_else(|| self.pull.error_at(place, ErrorKind::DuplicateSession { name }))?;
            self.transactions(draft, session, "sessions", beside)?;
        }
        Ok(())
    }

    /// `{"name":"a","transactions":[..]}`, in this order; without a name it goes by its number.
    fn named_session(&mut self, draft: &mut Draft, number: String, beside: usize) -> Result<(), Error> {
        let place = self.pull.place();
        let mut name = None;
        let mut seen = Seen::default();
        let mut first = true;
        let mut session = None;
        self.pull.open_object("sessions")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(SessionKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                SessionKey::Name if session.is_some() => {
                    let expected = "the name of a session before its transactions";
                    return Err(self.pull.expected(expected));
                }
                SessionKey::Name => {
                    if !self.pull.eat_null()? {
                        name = Some(self.pull.string("name", str::to_string)?);
                    }
                }
                SessionKey::Transactions => {
                    let name = name.clone().unwrap_or_else(|| number.clone());
                    let new = draft.new_session(&name);
                    let new =
                        new.ok_or_else(|| self.pull.error_at(place, ErrorKind::DuplicateSession { name }))?;
                    session = Some(new);
                    self.transactions(draft, new, "transactions", beside)?;
                }
            }
        }
        if session.is_none() {
            let missing =
                ErrorKind::MissingKey { key: SessionKey::Transactions.text(), object: "the session" };
            return Err(self.pull.error_at(place, missing));
        }
        Ok(())
    }

    fn transactions(
        &mut self,
        draft: &mut Draft,
        session: SessionId,
        key: &'static str,
        beside: usize,
    ) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array(key)?;
        while self.pull.next_element(&mut first)? {
            self.transaction(draft, session, beside)?;
        }
        self.pull.hold(draft.memory() + beside)
    }

    fn transaction(&mut self, draft: &mut Draft, session: SessionId, beside: usize) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let (mut status, mut begin, mut end) = (Status::Committed, None, None);
        let mut seen = Seen::default();
        let mut first = true;
        draft.begin(session, place.line);
        self.pull.open_object("transactions")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(TransactionKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                TransactionKey::Txn => {
                    let mut first = true;
                    self.pull.open_array("txn")?;
                    while self.pull.next_element(&mut first)? {
                        self.transaction_op(draft, beside)?;
                        self.pull.hold(draft.memory() + beside)?;
                    }
                }
                TransactionKey::Status => {
                    if !self.pull.eat_null()? {
                        status =
                            self.pull.word("status", "committed, aborted or unknown", |word| match word {
                                b"committed" => Some(Status::Committed),
                                b"aborted" => Some(Status::Aborted),
                                b"unknown" => Some(Status::Unknown),
                                _ => None,
                            })?;
                    }
                }
                TransactionKey::Begin => begin = self.instant("begin")?,
                TransactionKey::End => end = self.instant("end")?,
            }
        }
        let missing = |key: TransactionKey| {
            let kind = ErrorKind::MissingKey { key: key.text(), object: "the transaction" };
            Err(self.pull.error_at(place, kind))
        };
        if !seen.has(TransactionKey::Txn.bit()) {
            return missing(TransactionKey::Txn);
        }
        if begin.is_none() && end.is_some() {
            return missing(TransactionKey::Begin);
        }
        draft.end(status, begin.map(|begin| Span { begin, end }));
        Ok(())
    }

    /// A time, which may be null.
    fn instant(&mut self, key: &'static str) -> Result<Option<i64>, Error> {
        if self.pull.eat_null()? { Ok(None) } else { self.whole(key).map(Some) }
    }

    /// A whole number, the value of `key` or within it.
    pub(super) fn whole(&mut self, key: &'static str) -> Result<i64, Error> {
        match self.pull.peek()? {
            Some(b'0'..=b'9' | b'-') => self.pull.integer(key),
            _ => Err(self.pull.wrong_type(key, "a whole number")),
        }
    }

    fn transaction_op(&mut self, draft: &mut Draft, beside: usize) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array("txn")?;
        if !self.pull.next_element(&mut first)? {
            return Err(self.pull.expected(OPERATION));
        }
        let function = self.pull.word("txn", "r, w or append", Function::of)?;
        if !self.pull.next_element(&mut first)? {
            return Err(self.pull.expected(OPERATION));
        }
        let key = self.transaction_key(draft)?;
        let given = self.pull.next_element(&mut first)?;
        match function {
            Function::Read if !given => draft.op(Op::Unknown(key)),
            Function::Read => self.transaction_read(draft, key, beside)?,
            _ if !given => return Err(self.pull.expected(OPERATION)),
            Function::Write => {
                let value = self.whole("txn")?;
                draft.op(Op::Write(key, value));
            }
            Function::Append => {
                let value = self.whole("txn")?;
                draft.op(Op::Append(key, value));
            }
        }
        if given && self.pull.next_element(&mut first)? {
            return Err(self.pull.expected("`]` after the operation"));
        }
        Ok(())
    }

    /// A key: a text or a whole number.
    fn transaction_key(&mut self, draft: &mut Draft) -> Result<KeyId, Error> {
        match self.pull.peek()? {
            Some(b'"') => self.pull.string("txn", |name| draft.key(name)),
            Some(b'0'..=b'9' | b'-') => {
                let number = self.pull.integer("txn")?;
                Ok(draft.number_key(number))
            }
            _ => Err(self.pull.wrong_type("txn", "a key: a string or a whole number")),
        }
    }

    /// The return of a read: null, a whole number or a list of them.
    fn transaction_read(&mut self, draft: &mut Draft, key: KeyId, beside: usize) -> Result<(), Error> {
        match self.pull.peek()? {
            Some(b'n') => {
                self.pull.eat_null()?;
                draft.op(Op::Read(key, None));
            }
            Some(b'[') => {
                let mut first = true;
                let mut list = std::mem::take(&mut self.list);
                list.clear();
                self.pull.open_array("txn")?;
                while self.pull.next_element(&mut first)? {
                    list.push(self.whole("txn")?);
                    if list.len().is_multiple_of(1 << 10) {
                        let held = draft.memory() + beside + 3 * size_of::<i64>() * list.len();
                        self.pull.hold(held)?;
                    }
                }
                draft.op(Op::ReadList(key, &list));
                self.list = list;
            }
            _ => {
                let value = self.whole("txn")?;
                draft.op(Op::Read(key, Some(value)));
            }
        }
        Ok(())
    }
}

//! Histories of operations in native JSON.

use super::Reader;
use crate::read::buffer::Place;
use crate::read::draft::ObjectDraft;
use crate::read::keys::{Seen, keys};
use crate::{Error, ErrorKind};
use std::fmt::Write;
use tribunal_history::heap::Growth;
use tribunal_history::object::{MalformedHistory, OpId, Value};

keys!(OperationKey {
    Process = "process",
    F = "f",
    Args = "args",
    Ret = "ret",
    Call = "call",
    Return = "return",
});

/// The operation being read, whose keys come in any order; it is kept for its room.
#[derive(Default)]
pub(super) struct Operation {
    process: String,
    method: String,
    args: Vec<Value>,
    /// The first operation with times, and the first without.
    with_times: Option<Place>,
    without_times: Option<Place>,
}

/// The pairs of an explicit order, and where they are.
pub(super) struct Hb {
    place: Place,
    pairs: Vec<(u64, u64)>,
}

impl Reader {
    /// The operations, with so many bytes of other things beside them.
    pub(super) fn operations(&mut self, draft: &mut ObjectDraft, beside: usize) -> Result<(), Error> {
        (self.operation.with_times, self.operation.without_times) = (None, None);
        let mut first = true;
        self.pull.open_array("operations")?;
        while self.pull.next_element(&mut first)? {
            self.operation(draft)?;
            self.pull.hold(draft.memory() + beside)?;
        }
        Ok(())
    }

    fn operation(&mut self, draft: &mut ObjectDraft) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let (mut ret, mut call, mut end) = (None, None, None);
        let mut seen = Seen::default();
        let mut first = true;
        self.pull.open_object("operations")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(OperationKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                OperationKey::Process => self.process()?,
                OperationKey::F => {
                    let method = &mut self.operation.method;
                    method.clear();
                    self.pull.string("f", |f| method.push_str(f))?;
                }
                OperationKey::Args => {
                    let mut first = true;
                    self.operation.args.clear();
                    self.pull.open_array("args")?;
                    while self.pull.next_element(&mut first)? {
                        let arg = self.pull.value("args")?;
                        self.operation.args.push(arg);
                    }
                }
                OperationKey::Ret => ret = Some(self.pull.value("ret")?),
                OperationKey::Call => call = self.pull.time("call")?,
                OperationKey::Return => end = self.pull.time("return")?,
            }
        }
        use OperationKey::{Args, Call, F, Process, Ret, Return};
        let lacking = match (call, end, &ret) {
            _ if !seen.has(Process.bit()) => Some(Process),
            _ if !seen.has(F.bit()) => Some(F),
            _ if !seen.has(Args.bit()) => Some(Args),
            (None, Some(_), _) => Some(Call),
            (Some(_), Some(_), None) => Some(Ret),
            (Some(_), None, Some(_)) => Some(Return),
            _ => None,
        };
        if let Some(key) = lacking {
            let missing = ErrorKind::MissingKey { key: key.text(), object: "the operation" };
            return Err(self.pull.error_at(place, missing));
        }
        let Operation { process, method, args, with_times, without_times } = &mut self.operation;
        let process = draft.builder.process(process);
        draft.note_line(place.line);
        let Some(call) = call else {
            without_times.get_or_insert(place);
            draft.builder.operation(process, method, args, ret);
            return Ok(());
        };
        with_times.get_or_insert(place);
        let op = draft.builder.call(process, method, args, call);
        if let (Some(ret), Some(end)) = (ret, end) {
            draft.builder.ret(op, ret, end);
        }
        Ok(())
    }

    /// A process: a number or a name.
    fn process(&mut self) -> Result<(), Error> {
        let name = &mut self.operation.process;
        name.clear();
        match self.pull.peek()? {
            Some(b'"') => self.pull.string("process", |process| name.push_str(process)),
            _ => {
                let number = self.pull.number("process")?;
                write!(name, "{number}").expect("a string takes everything");
                Ok(())
            }
        }
    }

    /// The pairs of an explicit order; null is as if there were none.
    pub(super) fn hb(&mut self) -> Result<Option<Hb>, Error> {
        if self.pull.eat_null()? {
            return Ok(None);
        }
        let place = self.pull.place();
        let (mut pairs, mut growth) = (Vec::new(), Growth::default());
        let mut first = true;
        self.pull.open_array("hb")?;
        while self.pull.next_element(&mut first)? {
            let [a, b] = self.pull.pair("hb", |pull| pull.number("hb"))?;
            growth.push(&mut pairs, (a, b));
            // They are there once more as edges of the order.
            self.pull.buffer().within(3 * growth.peak())?;
        }
        Ok(Some(Hb { place, pairs }))
    }

    /// Gives a draft the explicit order, and sees to it that there are times or an explicit order, not both.
    pub(super) fn order(&self, draft: &mut ObjectDraft, hb: Option<Hb>) -> Result<(), Error> {
        let Some(hb) = hb else {
            let missing =
                ErrorKind::MissingKey { key: "call", object: "an operation of a history without \"hb\"" };
            return self
                .operation
                .without_times
                .map_or(Ok(()), |place| Err(self.pull.error_at(place, missing)));
        };
        if let Some(place) = self.operation.with_times {
            return Err(self.pull.error_at(place, ErrorKind::TimesAndHb));
        }
        let operations = draft.builder.len();
        let op = |index: u64| match u32::try_from(index) {
            Ok(op) if (op as usize) < operations => Ok(OpId(op)),
            _ => {
                let malformed = MalformedHistory::NoSuchOperation { index, operations };
                Err(self.pull.error_at(hb.place, ErrorKind::MalformedObject(malformed)))
            }
        };
        for &(a, b) in &hb.pairs {
            draft.builder.before(op(a)?, op(b)?);
        }
        Ok(())
    }
}

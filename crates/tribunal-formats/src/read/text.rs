//! The text form for people: `T0: W x 1; R.acq y 0`, a line per thread or several.

use super::buffer::{Buffer, Room};
use super::cursor::{Cursor, Fault, Parsed, in_name, text, whole_number};
use super::draft::{DEPENDENCY, Draft};
use super::split::ends_history;
use crate::{Error, ErrorKind, Format, History};
use tribunal_history::memory::{Interval, LocId, Op, Order, Slot, Source};

/// Words before a colon that name no thread.
pub(crate) const KEYWORDS: [&str; 5] = ["name", "threads", "init", "final", "expect"];

/// Reads the histories of a text file.
pub(super) struct Reader {
    pub(super) buffer: Buffer,
    sheet: Sheet,
    /// Whether the end of the history being read is still to come.
    inside: bool,
}

impl Reader {
    pub(super) fn new(buffer: Buffer) -> Self {
        Reader { buffer, sheet: Sheet::default(), inside: false }
    }

    pub(super) fn next(&mut self) -> Result<Option<History>, Error> {
        self.inside = true;
        loop {
            let room = self.buffer.room();
            let Some((number, line)) = self.buffer.next_line()? else { break };
            match self.sheet.line(number, line, room) {
                Ok(false) => self.buffer.hold(self.sheet.draft.memory())?,
                Ok(true) => break,
                Err(fault) => {
                    self.inside = !ends_history(Format::Text, line);
                    return Err(fault.in_line(number, &self.buffer));
                }
            }
        }
        self.inside = false;
        let Sheet { draft, named, deps } = &mut self.sheet;
        (*named, *deps) = (false, Vec::new());
        draft.has_begun().then(|| draft.finish(&self.buffer)).transpose()
    }

    /// Forgets the history being read; says whether its end is still to come.
    pub(super) fn forget(&mut self) -> bool {
        self.sheet = Sheet::default();
        self.inside
    }
}

/// The history being read.
#[derive(Default)]
struct Sheet {
    /// Begun by the first line that is neither blank nor a comment nor a separator.
    draft: Draft,
    named: bool,
    /// The dependencies of the operation being read.
    deps: Vec<u32>,
}

impl Sheet {
    /// Takes a line; true if it ends the history.
    fn line(&mut self, number: u64, line: &[u8], room: Room) -> Parsed<bool> {
        let mut cursor = Cursor::new(line)?;
        let mut head_at = 0;
        let head = match cursor.pass(plain_head) {
            Some(head) => head,
            None => {
                if cursor.done() {
                    return Ok(false);
                }
                if cursor.eat("---") {
                    while cursor.peek() == Some(b'-') {
                        cursor.eat("-");
                    }
                    if cursor.done() {
                        return Ok(self.draft.has_begun());
                    }
                    cursor = Cursor::new(line)?;
                }
                head_at = cursor.at();
                let head = cursor.name("a thread's name and `:`")?;
                cursor.expect(":", "`:` after the thread's name")?;
                head
            }
        };
        let draft = &mut self.draft;
        draft.begin(number, room);
        match head {
            b"name" => {
                if std::mem::replace(&mut self.named, true) {
                    return Err(Fault::new(head_at, ErrorKind::DuplicateKey { key: "name" }));
                }
                let name = cursor.rest().trim();
                if !name.is_empty() {
                    draft.builder.name(name);
                }
            }
            b"threads" => {
                while !cursor.done() {
                    draft.thread(cursor.name("a thread's name")?);
                    cursor.eat(",");
                    within(draft, &cursor)?;
                }
            }
            b"init" => {
                while !cursor.done() {
                    let before = cursor;
                    let (loc, value) = assignment(&mut cursor)?;
                    let id = draft.location(loc);
                    if !draft.init(id, value) {
                        return Err(Fault::new(
                            before.at(),
                            ErrorKind::DuplicateInit { loc: text(loc).to_string() },
                        ));
                    }
                    within(draft, &cursor)?;
                }
            }
            b"final" => {
                while !cursor.done() {
                    let (loc, value) = assignment(&mut cursor)?;
                    let loc = draft.location(loc);
                    draft.builder.final_value(loc, value);
                    within(draft, &cursor)?;
                }
            }
            b"expect" => {
                while !cursor.done() {
                    let model = text(cursor.name("a model's name")?).to_string();
                    cursor.expect("=", "`=` and yes, no or na")?;
                    draft.label(model, answer(&mut cursor)?);
                    cursor.eat(",");
                    within(draft, &cursor)?;
                }
            }
            thread => {
                let thread = draft.thread(thread);
                while !cursor.done() {
                    let (op, interval) = operation(&mut cursor, draft, &mut self.deps)?;
                    let slot = draft.builder.push(thread, op);
                    for &on in &self.deps {
                        draft.builder.depends(slot, on);
                    }
                    if let Some(interval) = interval {
                        draft.builder.interval(slot, interval);
                    }
                    draft.note_line(number);
                    within(draft, &cursor)?;
                    if cursor.peek().is_none() {
                        break;
                    }
                    if !cursor.eat(";") {
                        cursor.expect_done("`;` or the end of the line")?;
                        break;
                    }
                }
            }
        }
        Ok(false)
    }
}

/// An error here if the history takes too much.
#[inline]
fn within(draft: &Draft, cursor: &Cursor<'_>) -> Parsed<()> {
    draft.within(0).map_err(|kind| Fault::new(cursor.at(), kind))
}

/// `x=5`, and a comma if there is one.
pub(super) fn assignment<'a>(cursor: &mut Cursor<'a>) -> Parsed<(&'a [u8], u64)> {
    let loc = cursor.name("a location's name")?;
    cursor.expect("=", "`=` and a value")?;
    let value = cursor.number("a value")?;
    cursor.eat(",");
    Ok((loc, value))
}

/// `yes`, `no`, or `na` where the model does not apply.
fn answer(cursor: &mut Cursor<'_>) -> Parsed<Option<bool>> {
    if cursor.eat_word("yes") {
        Ok(Some(true))
    } else if cursor.eat_word("no") {
        Ok(Some(false))
    } else if cursor.eat_word("na") {
        Ok(None)
    } else {
        Err(cursor.expected("yes, no or na"))
    }
}

const OPERATION: &str = "an operation: `W x 1`, `R x 1`, `U x 0>1` or `F.sc`";
const ORDER: &str = "an order: .na, .rlx, .acq, .rel, .ar or .sc";

/// Reads an operation, with its dependencies and its times.
#[inline]
pub(super) fn operation(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    deps: &mut Vec<u32>,
) -> Parsed<(Op, Option<Interval>)> {
    cursor.skip_blanks();
    deps.clear();
    if let Some((op, loc)) = cursor.pass(plain_access) {
        let loc = draft.location(loc);
        return Ok((Op { loc, ..op }, None));
    }
    let start = *cursor;
    let (letter, order) = match *cursor.name(OPERATION)? {
        [letter] => (letter, None),
        [letter, b'.', ref suffix @ ..] => match order(suffix) {
            Some(order) => (letter, Some(order)),
            None => return Err(start.expected(ORDER)),
        },
        _ => return Err(start.expected(OPERATION)),
    };
    let mut op = match letter {
        b'W' | b'w' => {
            let loc = draft.location(cursor.name("a location")?);
            Op::write(loc, cursor.number("the value written")?)
        }
        b'R' | b'r' => {
            let loc = draft.location(cursor.name("a location")?);
            Op::read(loc, cursor.number("the value read")?)
        }
        b'U' | b'u' => {
            let loc = draft.location(cursor.name("a location")?);
            let read = cursor.number("the value read, `>` and the value written")?;
            cursor.expect(">", "`>` and the value written")?;
            Op::rmw(loc, read, cursor.number("the value written")?)
        }
        b'F' | b'f' => match order {
            Some(order) if Order::OF_FENCES.contains(&order) => Op::fence(order),
            _ => return Err(start.expected("a fence with an order: F.acq, F.rel, F.ar or F.sc")),
        },
        _ => return Err(start.expected(OPERATION)),
    };
    op.order = order.unwrap_or_default();
    cursor.skip_blanks();
    let mut interval = None;
    if matches!(cursor.peek(), None | Some(b';' | b'#')) {
        return Ok((op, interval));
    }

    loop {
        cursor.skip_blanks();
        let clause = *cursor;
        if op.source == Source::ByValue && cursor.eat_word("from") {
            if matches!(letter, b'W' | b'w' | b'F' | b'f') {
                return Err(Fault::new(clause.at(), ErrorKind::Misplaced { what: "from" }));
            }
            op.source = source(cursor, draft)?;
        } else if deps.is_empty() && cursor.eat_word("dep") {
            deps.push(cursor.index("the index of an earlier read")?);
            while cursor.eat(",") {
                deps.push(cursor.index("the index of an earlier read")?);
                draft.within(DEPENDENCY * deps.len()).map_err(|kind| Fault::new(cursor.at(), kind))?;
            }
        } else if interval.is_none() && cursor.peek() == Some(b'@') {
            interval = cursor.times()?;
        } else {
            break;
        }
    }
    Ok((op, interval))
}

/// The text before the colon with which a line begins, and the text after it.
#[inline(always)]
pub(super) fn plain_head(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, rest) = line.split_at(line.iter().position(|&byte| !in_name(byte))?);
    let rest = rest.strip_prefix(b":")?;
    (!head.is_empty()).then_some((head, rest))
}

/// An access without its location, and the location's name.
type Located<'a> = (Op, &'a [u8]);

/// An access as this crate writes most: with one blank between its parts and nothing else up to `;` or the end of the line. Gives it
/// without its location, the location's name, and what is after it.
#[inline(always)]
fn plain_access(next: &[u8]) -> Option<(Located<'_>, &[u8])> {
    let (letter, rest) = next.split_first()?;
    let (order, rest) = match rest {
        [b' ', rest @ ..] => (Order::Relaxed, rest),
        [b'.', b'n', b'a', b' ', rest @ ..] => (Order::NonAtomic, rest),
        [b'.', b'a', b'c', b'q', b' ', rest @ ..] => (Order::Acquire, rest),
        [b'.', b'r', b'e', b'l', b' ', rest @ ..] => (Order::Release, rest),
        [b'.', b'a', b'r', b' ', rest @ ..] => (Order::AcqRel, rest),
        [b'.', b's', b'c', b' ', rest @ ..] => (Order::SeqCst, rest),
        _ => return None,
    };
    let (loc, rest) = rest.split_at(rest.iter().position(|&byte| !in_name(byte))?);
    let (value, rest) = whole_number(rest.strip_prefix(b" ")?)?;
    let (op, rest) = match letter {
        b'R' => (Op::read(LocId(0), value), rest),
        b'W' => (Op::write(LocId(0), value), rest),
        b'U' => {
            let (written, rest) = whole_number(rest.strip_prefix(b">")?)?;
            (Op::rmw(LocId(0), value, written), rest)
        }
        _ => return None,
    };
    let whole = !loc.is_empty() && matches!(rest.first(), None | Some(b';'));
    whole.then_some(((op.order(order), loc), rest))
}

/// `init` or `T1:0`.
fn source(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Parsed<Source> {
    if cursor.eat_word("init") {
        return Ok(Source::Init);
    }
    let thread = draft.thread(cursor.name("`init` or a write such as T0:2")?);
    cursor.expect(":", "`:` and the index of a write")?;
    Ok(Source::At(Slot { thread, index: cursor.index("the index of a write")? }))
}

/// The order that a suffix names, by its short or its long name.
#[inline]
fn order(suffix: &[u8]) -> Option<Order> {
    match suffix {
        b"na" => Some(Order::NonAtomic),
        b"rlx" | b"relaxed" => Some(Order::Relaxed),
        b"acq" | b"acquire" => Some(Order::Acquire),
        b"rel" | b"release" => Some(Order::Release),
        b"ar" | b"acq_rel" => Some(Order::AcqRel),
        b"sc" | b"seq_cst" => Some(Order::SeqCst),
        _ => None,
    }
}

//! Whether what is ahead in an input looks like transactions.

use crate::Error;
use crate::read::ReadAs;
use crate::read::buffer::Buffer;
use memchr::memmem;

/// The look of the beginning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Transactions that append to lists: nothing else has these.
    Lists,
    /// Transactions of reads and writes, which may be operations of an object too.
    Transactions,
    /// Anything else.
    Other,
}

/// Whether the events ahead are to be read as transactions: those of lists always, those of registers unless they are to be operations of an
/// object.
pub(in crate::read) fn is_meant(buffer: &mut Buffer, read_as: ReadAs) -> Result<bool, Error> {
    let object = matches!(read_as, ReadAs::Object(_));
    Ok(match look(buffer)? {
        Look::Lists => true,
        Look::Transactions => !object,
        Look::Other => false,
    })
}

/// Looks at what is ahead, of which nothing is consumed. More is waited for only until an event of a client is there, so that what an input is
/// does not depend on how fast it comes.
fn look(buffer: &mut Buffer) -> Result<Look, Error> {
    const ENOUGH: usize = 64 << 10;
    loop {
        let ahead = buffer.ahead();
        let look = look_at(&ahead[..ahead.len().min(ENOUGH)]);
        if look == Look::Lists || ahead.len() >= ENOUGH || has_client(ahead) || !buffer.more()? {
            return Ok(look);
        }
    }
}

/// Whether an event of a client is there as a whole: processes of others have no numbers, and they call nothing.
fn has_client(ahead: &[u8]) -> bool {
    let ends = |at: usize| memchr::memchr2(b'}', b'\n', &ahead[at..]).is_some();
    let numbered = |at: usize| {
        let rest = ahead[at..].iter().find(|byte| !matches!(byte, b'"' | b':' | b' ' | b'\t' | b'+' | b'-'));
        rest.is_some_and(u8::is_ascii_digit)
    };
    memmem::find(ahead, b"invoke").is_some_and(ends)
        || memmem::find_iter(ahead, b"process").any(|at| numbered(at + b"process".len()) && ends(at))
}

/// The look of the bytes, as far as they have come.
fn look_at(ahead: &[u8]) -> Look {
    let before = |at: usize| {
        let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        &ahead[..ahead[..at].iter().rposition(|byte| !blank(byte)).map_or(0, |last| last + 1)]
    };
    let whole = |at: usize, word: &[u8]| {
        ahead
            .get(at + word.len())
            .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b'}'))
    };
    // The word comes first in its micro-operation, which is in a list.
    let first = |word: &'static [u8]| {
        let micro = |at: usize| {
            before(at)
                .strip_suffix(b"[")
                .is_some_and(|open| matches!(before(open.len()).last(), Some(b'[' | b']' | b'(')))
        };
        memmem::find_iter(ahead, word).any(|at| whole(at, word) && micro(at))
    };
    if first(b":append") || first(b"\"append\"") {
        return Look::Lists;
    }
    // It is what an event does: after the key, or after the type in a log.
    let done = |word: &'static [u8]| {
        let heads: [&[u8]; 6] = [b":f", b"\"f\":", b":invoke", b":ok", b":info", b":fail"];
        let event = |at: usize| heads.iter().any(|head| before(at).ends_with(head));
        memmem::find_iter(ahead, word).any(|at| whole(at, word) && event(at))
    };
    let words: [&[u8]; 6] = [b":r", b":w", b":read", b":write", b"\"r\"", b"\"w\""];
    let transactions = done(b":txn") || done(b"\"txn\"") || words.into_iter().any(first);
    if transactions { Look::Transactions } else { Look::Other }
}

//! Whether what is ahead in an input looks like transactions.

use crate::Error;
use crate::read::buffer::Buffer;
use memchr::memmem;

/// What the beginning of an input looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Transactions that append to lists: nothing else has these.
    Lists,
    /// Transactions of reads and writes, which may be of an object too.
    Transactions,
    /// Anything else.
    Other,
}

/// Whether the events ahead are to be read as transactions: those of lists always, those of registers if transactions are wanted.
pub(in crate::read) fn is_meant(buffer: &mut Buffer, wanted: bool) -> Result<bool, Error> {
    let look = look(buffer)?;
    Ok(look == Look::Lists || wanted && look == Look::Transactions)
}

/// Looks at what is ahead, of which nothing is consumed. More is waited for only until an event is there.
fn look(buffer: &mut Buffer) -> Result<Look, Error> {
    const ENOUGH: usize = 64 << 10;
    while buffer.ahead().len() < ENOUGH && memchr::memchr2(b'}', b'\n', buffer.ahead()).is_none() {
        if !buffer.more()? {
            break;
        }
    }
    let ahead = &buffer.ahead()[..buffer.ahead().len().min(ENOUGH)];
    // The word comes first in its micro-operation.
    let first = |word: &'static [u8]| {
        let found = |at| ahead[..at].trim_ascii_end().last() == Some(&b'[');
        memmem::find_iter(ahead, word).any(found)
    };
    if first(b":append") || first(b"\"append\"") {
        return Ok(Look::Lists);
    }
    let words: [&[u8]; 6] = [b":r", b":w", b":read", b":write", b"\"r\"", b"\"w\""];
    let transactions = [&b":txn"[..], b"\"txn\""].iter().any(|word| memmem::find(ahead, word).is_some())
        || words.into_iter().any(first);
    Ok(if transactions { Look::Transactions } else { Look::Other })
}

//! Reading one cell of a column program: words, numbers and punctuation, with blanks between them left out.
//!
//! It reads characters, not the tokens of `tribunal_cat::text`: what is one word depends on what may stand there. A dot or a dash belongs to a
//! mnemonic or a label, not to a register.

use crate::syntax::bits;

/// What was expected of a cell, and what is there; the reader of the file adds the place.
pub(super) type Result<T> = std::result::Result<T, String>;

/// A position in the text of a cell. All readers leave out blanks before what they read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a cell.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.blanks();
        self.rest().is_empty()
    }

    /// An error here.
    pub(super) fn error(&mut self, expected: &str) -> String {
        self.blanks();
        let found: String = self.rest().split_whitespace().next().unwrap_or("").chars().take(24).collect();
        let found = if found.is_empty() { "the end".to_string() } else { format!("`{found}`") };
        format!("expected {expected}, found {found}")
    }

    /// An instruction that is not in the subset.
    pub(super) fn unknown(&self) -> String {
        let name: String =
            self.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
        format!("instruction not understood: `{name}`")
    }

    /// Nothing may be left.
    pub(super) fn end(&mut self) -> Result<()> {
        if self.is_done() { Ok(()) } else { Err(self.error("the end of the instruction")) }
    }

    /// Reads `token` if it is next.
    pub(super) fn accept(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Reads `token`, which must be next.
    pub(super) fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    /// Whether `token` is next.
    pub(super) fn sees(&mut self, token: &str) -> bool {
        self.blanks();
        self.rest().starts_with(token)
    }

    /// The longest run of characters that `belongs` takes; may be empty.
    pub(super) fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.blanks();
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// A mnemonic: letters, digits, dots and underscores.
    pub(super) fn mnemonic(&mut self) -> &'a str {
        self.run(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_')
    }

    /// A word of letters, digits and underscores; `expected` names it in the error.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str> {
        let start = *self;
        let word = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
        if word.is_empty() {
            *self = start;
            return Err(self.error(expected));
        }
        Ok(word)
    }

    /// A label: herd's names may hold dots, slashes and dashes too.
    pub(super) fn label(&mut self) -> Result<&'a str> {
        let start = *self;
        let word = self.run(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-'));
        if word.is_empty() {
            *self = start;
            return Err(self.error("a label"));
        }
        Ok(word)
    }

    /// Whether a number is next (with an optional sign).
    pub(super) fn sees_number(&mut self) -> bool {
        self.blanks();
        let rest = self.rest();
        rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    }

    /// An integer: decimal, `0x`, `0b`, `0o`, with an optional sign; of 64 bits, signed or not.
    pub(super) fn number(&mut self) -> Result<i64> {
        let start = *self;
        let negative = self.accept("-");
        let digits = self.run(|c| c.is_ascii_alphanumeric());
        match bits(digits) {
            Some(value) => Ok(if negative { value.wrapping_neg() } else { value }),
            None => {
                *self = start;
                Err(self.error("a number"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn words_numbers_and_what_is_left() {
        let mut cursor = Cursor::new(" lw.aq x5 , -0x10(a0)");
        assert_eq!(cursor.mnemonic(), "lw.aq");
        assert_eq!(cursor.word("a register"), Ok("x5"));
        assert!(cursor.accept(","));
        assert_eq!(cursor.number(), Ok(-16));
        let error = cursor.expect("[").expect_err("there is a parenthesis");
        assert_eq!(error, "expected `[`, found `(a0)`");
    }

    #[test]
    fn numbers_of_64_bits() {
        assert_eq!(Cursor::new("0xffffffffffffffff").number(), Ok(-1));
        assert!(Cursor::new("0x1ffffffffffffffff").number().is_err());
        assert!(Cursor::new("x1").number().is_err());
    }
}

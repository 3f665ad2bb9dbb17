//! Tokens, and the description of a language by them.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name.
    Name(&'a str),
    /// A word that cannot be a name.
    Word(&'a str),
    /// A name after a quote, without it.
    Tag(&'a str),
    /// A number, as it is written.
    Number(&'a str),
    /// The text between quotes, as it is written.
    Text(&'a str),
    /// A bracket, an operator, punctuation.
    Sign(&'a str),
    /// Characters that are no token of the language.
    Stray,
    /// The end of the text.
    End,
}

/// A token and its length in bytes; or a problem, and how many bytes in it is.
pub type Scanned<'a, P> = Result<(Token<'a>, usize), (usize, P)>;

/// A language: its tokens, and the words of its errors.
pub trait Language {
    /// A problem of a text.
    type Problem;
    /// The depth to which a text may nest, so that none can exhaust the stack.
    const DEPTH: usize = 100;
    /// True if a line that ends outside of parentheses and brackets is a token, the sign `\n`.
    const LINES: bool = false;

    /// True for characters that only separate tokens, as a space does in all languages.
    fn is_blank(c: char) -> bool {
        c.is_whitespace()
    }

    /// The length of the comment that a text begins with; 0 if it begins with none.
    fn comment(_rest: &str) -> usize {
        0
    }

    /// The token that a text begins with; not at a blank or a comment.
    fn token(first: char, rest: &str) -> Scanned<'_, Self::Problem>;

    /// The problem that something else should stand where a token was found.
    fn expected(expected: &str, found: Token<'_>) -> Self::Problem;

    /// The problem that a text nests deeper than [`DEPTH`](Language::DEPTH).
    fn too_deep() -> Self::Problem {
        Self::expected(&format!("at most {} levels of nesting", Self::DEPTH), Token::Stray)
    }
}

/// The characters that a text begins with and that belong.
pub fn run(rest: &str, belongs: impl Fn(char) -> bool) -> &str {
    &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())]
}

/// The sign of so many bytes that a text begins with; none for 0.
#[inline]
pub fn sign(length: usize, rest: &str) -> Option<(Token<'_>, usize)> {
    (length > 0).then(|| (Token::Sign(&rest[..length]), length))
}

/// The text between the quote that a text begins with and the next quote.
#[inline]
pub fn quoted(rest: &str) -> Option<(Token<'_>, usize)> {
    let inside = rest.strip_prefix('"')?;
    let length = inside.find('"')?;
    Some((Token::Text(&inside[..length]), length + 2))
}

/// The length of the comment that a text begins with if it begins with `mark`: up to the end of the line.
#[inline]
pub fn line(mark: &str, rest: &str) -> usize {
    if rest.get(..mark.len()) == Some(mark) { rest.find('\n').unwrap_or(rest.len()) } else { 0 }
}

/// The length of the comment in `(*` and `*)` that a text begins with; 0 if it begins with none, nothing if it does not end. Comments nest.
#[inline]
pub fn nested(rest: &str) -> Option<usize> {
    let [b'(', b'*', ..] = rest.as_bytes() else { return Some(0) };
    let (mut at, mut depth) = (0, 0usize);
    loop {
        match rest.as_bytes().get(at..at + 2)? {
            b"(*" => (at, depth) = (at + 2, depth + 1),
            b"*)" if depth == 1 => return Some(at + 2),
            b"*)" => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
}

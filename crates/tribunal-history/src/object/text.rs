//! Tokens of specifications, and a cursor over them: for names with parameters, such as `cas-register(0)`, and
//! for specification languages.

use super::Value;

/// The maximum nesting depth; whatever walks the tree recurses at most this deep.
pub const DEEPEST: u32 = 40;

/// A syntax error with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {fault}")]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The fault there.
    pub fault: TextFault,
}

/// The fault at a place in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextFault {
    /// An unexpected character.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// An unterminated string.
    #[error("this string does not end on its line")]
    OpenText,
    /// A backslash before anything other than `"`, `\`, `n` or `t`.
    #[error("unknown escape, expected one of \\\" \\\\ \\n \\t")]
    Escape,
    /// A number beyond 64 bits.
    #[error("{0} does not fit in 64 bits")]
    Number(String),
    /// Another token was expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The text that should be there.
        expected: &'static str,
        /// The text that is there.
        found: String,
    },
    /// Too deep nesting.
    #[error("nested more than {0} deep")]
    TooDeep(u32),
}

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// Letters, digits, `_`, and `-` between two of them.
    Name(String),
    /// A number without a sign.
    Int(i64),
    /// The text between quotes.
    Text(String),
    /// A bracket, an operator, punctuation.
    Mark(&'static str),
    /// The end of the source.
    End,
}

/// Marks, longer ones before those that they begin with.
const MARKS: [&str; 20] =
    ["->", "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "(", ")", "{", "}", "[", "]", ",", ":", "."];

impl Token {
    fn show(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Int(number) => number.to_string(),
            Token::Text(text) => format!("{text:?}"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".into(),
        }
    }
}

/// Tokens with their places.
///
/// ```
/// use tribunal::{object::Value, history::object::text::Cursor};
/// let mut cursor = Cursor::new("initial [1, \"a\"]")?;
/// assert_eq!(cursor.name()?, "initial");
/// assert_eq!(cursor.constant()?, Value::list([Value::from(1), Value::from("a")]));
/// assert_eq!(Cursor::new("a ?").err().map(|error| error.to_string()).as_deref(), Some("1:3: unexpected character '?'"));
/// # Ok::<(), tribunal::history::object::text::TextError>(())
/// ```
pub struct Cursor {
    tokens: Vec<(Token, u32, u32)>,
    at: usize,
    depth: u32,
}

impl Cursor {
    /// A cursor at the first token of a source.
    pub fn new(source: &str) -> Result<Self, TextError> {
        let tokens = words(source).map_err(|(fault, line, column)| TextError { line, column, fault })?;
        Ok(Cursor { tokens, at: 0, depth: 0 })
    }

    /// The next word.
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    /// The token that many after the next one.
    pub fn peek_after(&self, words: usize) -> &Token {
        &self.tokens[(self.at + words).min(self.tokens.len() - 1)].0
    }

    /// The line and column of the next token.
    pub fn here(&self) -> (u32, u32) {
        let (_, line, column) = self.tokens[self.at];
        (line, column)
    }

    /// Passes the next word.
    #[expect(clippy::should_implement_trait, reason = "it does not end")]
    pub fn next(&mut self) -> Token {
        let token = self.peek().clone();
        // The last word, the end, is never passed.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Skips a token if it is next.
    pub fn take(&mut self, token: &Token) -> bool {
        let there = self.peek() == token;
        if there {
            self.next();
        }
        there
    }

    /// Skips a mark if it is next.
    pub fn take_mark(&mut self, mark: &'static str) -> bool {
        self.take(&Token::Mark(mark))
    }

    /// Whether a name is next.
    pub fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    /// Skips a name if it is next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.next();
        }
        there
    }

    fn fault<T>(&self, fault: TextFault) -> Result<T, TextError> {
        let (line, column) = self.here();
        Err(TextError { line, column, fault })
    }

    /// The error that something else is expected here.
    pub fn unexpected<T>(&self, expected: &'static str) -> Result<T, TextError> {
        self.fault(TextFault::Unexpected { expected, found: self.peek().show() })
    }

    /// Skips a mark that must be next.
    pub fn expect(&mut self, mark: &'static str) -> Result<(), TextError> {
        if self.take_mark(mark) { Ok(()) } else { self.unexpected(mark_in_words(mark)) }
    }

    /// The end must be next.
    pub fn expect_end(&mut self) -> Result<(), TextError> {
        if *self.peek() == Token::End { Ok(()) } else { self.unexpected("the end") }
    }

    /// Reads a name.
    pub fn name(&mut self) -> Result<String, TextError> {
        match self.peek() {
            Token::Name(name) => {
                let name = name.clone();
                self.next();
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    /// Enters a nesting level; [`Cursor::leave`] leaves it.
    pub fn enter(&mut self) -> Result<(), TextError> {
        self.depth += 1;
        if self.depth > DEEPEST { self.fault(TextFault::TooDeep(DEEPEST)) } else { Ok(()) }
    }

    /// Comes back from one deeper.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// A constant: null, true, false, a number, a string, a list, or a map, which is read as the list of its entries.
    pub fn constant(&mut self) -> Result<Value, TextError> {
        let value = match self.peek() {
            Token::Int(number) => Value::Int(*number),
            Token::Text(text) => Value::from(text.as_str()),
            Token::Name(name) => match &**name {
                "null" => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return self.unexpected("a value"),
            },
            Token::Mark("-") => {
                self.next();
                match self.peek() {
                    Token::Int(number) => Value::Int(number.wrapping_neg()),
                    _ => return self.unexpected("a number"),
                }
            }
            Token::Mark(open @ ("[" | "{")) => {
                let (close, map) = if *open == "[" { ("]", false) } else { ("}", true) };
                return self.constants(close, map);
            }
            _ => return self.unexpected("a value"),
        };
        self.next();
        Ok(value)
    }

    fn constants(&mut self, close: &'static str, map: bool) -> Result<Value, TextError> {
        self.enter()?;
        self.next();
        let mut values = Vec::new();
        while !self.take_mark(close) {
            if !values.is_empty() {
                self.expect(",")?;
            }
            let value = self.constant()?;
            values.push(if map {
                self.expect(":")?;
                Value::list([value, self.constant()?])
            } else {
                value
            });
        }
        self.leave();
        Ok(Value::list(values))
    }
}

fn mark_in_words(mark: &'static str) -> &'static str {
    match mark {
        "(" => "`(`",
        ")" => "`)`",
        "{" => "`{`",
        "}" => "`}`",
        "]" => "`]`",
        "," => "`,`",
        ":" => "`:`",
        "=" => "`=`",
        other => other,
    }
}

type Fault = (TextFault, u32, u32);

/// All words, the end last. Comments go from `#` to the end of their line.
fn words(source: &str) -> Result<Vec<(Token, u32, u32)>, Fault> {
    let mut tokens = Vec::new();
    let mut line = 0;
    for (number, text) in source.lines().enumerate() {
        line = number as u32 + 1;
        words_of_line(text, line, &mut tokens)?;
    }
    let column = source.lines().next_back().map_or(1, |text| text.chars().count() as u32 + 1);
    tokens.push((Token::End, line.max(1), column));
    Ok(tokens)
}

fn words_of_line(text: &str, line: u32, tokens: &mut Vec<(Token, u32, u32)>) -> Result<(), Fault> {
    let mut rest = text;
    let mut column = 1;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '#' => break,
            _ if first.is_whitespace() => {
                column += 1;
                rest = &rest[first.len_utf8()..];
                continue;
            }
            '"' => text_word(rest).map_err(|(fault, at)| (fault, line, column + at))?,
            '0'..='9' => {
                let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
                let number = digits.parse().map_err(|_| (TextFault::Number(digits.into()), line, column))?;
                (Token::Int(number), digits.len())
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = name_length(rest);
                (Token::Name(rest[..length].into()), length)
            }
            _ => match MARKS.into_iter().find(|mark| rest.starts_with(mark)) {
                Some(mark) => (Token::Mark(mark), mark.len()),
                None => return Err((TextFault::Character(first), line, column)),
            },
        };
        tokens.push((token, line, column));
        column += rest[..length].chars().count() as u32;
        rest = &rest[length..];
    }
    Ok(())
}

/// Letters, digits and `_`, and a `-` between two of them if a letter follows: `read-only` is a name, `n - 1` is not.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 1;
    while end < bytes.len() {
        let joins = bytes[end] == b'-' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
        if !(bytes[end].is_ascii_alphanumeric() || bytes[end] == b'_' || joins) {
            break;
        }
        end += 1;
    }
    end
}

/// A quoted text and its length in bytes, quotes included; or what is wrong how many characters in.
fn text_word(rest: &str) -> Result<(Token, usize), (TextFault, u32)> {
    let mut text = String::new();
    let mut escaped = false;
    for (at, (byte, c)) in rest.char_indices().enumerate().skip(1) {
        match (escaped, c) {
            (false, '"') => return Ok((Token::Text(text), byte + 1)),
            (false, '\\') => escaped = true,
            (false, c) => text.push(c),
            (true, c) => {
                escaped = false;
                text.push(match c {
                    '"' | '\\' => c,
                    'n' => '\n',
                    't' => '\t',
                    _ => return Err((TextFault::Escape, at as u32)),
                });
            }
        }
    }
    Err((TextFault::OpenText, 0))
}

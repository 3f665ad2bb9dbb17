//! Initial states: what locations and registers hold at first, and of what types they are.

use super::condition::{Lexer, Place, Term, place, term};
use super::lexer::number;
use crate::error::Fault;
use tribunal_cat::text::{Position, Token};

/// What an initial state says of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Initial {
    /// The words of its type, if any; `*` at the end for a pointer.
    pub ty: Option<String>,
    pub place: Place,
    /// The number of its elements, if it is an array.
    pub length: Option<u32>,
    /// One value, or the values of an array. None given is zero.
    pub values: Vec<Term>,
    pub position: Position,
}

/// The longest array that a test may declare.
const MAX_ARRAY: i64 = 4096;

/// Reads what is between the braces.
pub(crate) fn initial(text: &str, position: Position) -> Result<Vec<Initial>, Fault> {
    let mut lexer = Lexer::new(text, position);
    let mut items = Vec::new();
    loop {
        while lexer.take(";") {}
        if lexer.peek() == Token::End {
            return Ok(items);
        }
        items.push(item(&mut lexer)?);
        if lexer.peek() != Token::End && !lexer.is(";") {
            return Err(lexer.expected("`;`"));
        }
    }
}

fn item(lexer: &mut Lexer<'_>) -> Result<Initial, Fault> {
    let position = lexer.at();
    let mut ty = String::new();
    // A word is of the type if a place follows it: another word, a thread's number, `*`, or `[x]`.
    loop {
        match (lexer.peek(), lexer.second()) {
            (Token::Name(word), Token::Name(_) | Token::Number(_) | Token::Sign("*")) => {
                if !ty.is_empty() {
                    ty.push(' ');
                }
                ty.push_str(word);
                lexer.next();
            }
            (Token::Sign("*"), _) => {
                ty.push('*');
                lexer.next();
            }
            _ => break,
        }
    }
    let place = place(lexer)?;
    let mut length = None;
    if matches!(place, Place::Location { .. }) && lexer.take("[") {
        let count = number(lexer, "the length of an array")?;
        if !(0..=MAX_ARRAY).contains(&count) {
            return Err(Fault::new(
                position,
                format!("an array of at most {MAX_ARRAY} elements was expected"),
            ));
        }
        length = u32::try_from(count).ok();
        lexer.expect("]")?;
    } else if let Place::Location { index: Some(index), .. } = &place {
        length = u32::try_from(*index).ok().filter(|n| i64::from(*n) <= MAX_ARRAY);
        if length.is_none() {
            return Err(Fault::new(
                position,
                format!("an array of at most {MAX_ARRAY} elements was expected"),
            ));
        }
    }
    let place = match place {
        Place::Location { name, .. } => Place::Location { name, index: None },
        register => register,
    };
    let mut values = Vec::new();
    if lexer.take("=") {
        if lexer.take("{") {
            while !lexer.take("}") {
                values.push(term(lexer)?);
                if !lexer.take(",") && !lexer.is("}") {
                    return Err(lexer.expected("`,` or `}`"));
                }
            }
        } else {
            values.push(value(lexer)?);
        }
    }
    let ty = (!ty.is_empty()).then_some(ty);
    Ok(Initial { ty, place, length, values, position })
}

fn value(lexer: &mut Lexer<'_>) -> Result<Term, Fault> {
    if lexer.take("ATOMIC_INIT") {
        lexer.expect("(")?;
        let value = term(lexer)?;
        lexer.expect(")")?;
        return Ok(value);
    }
    lexer.take("&");
    term(lexer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_pointers_arrays_and_registers() {
        let text = "x=1; [y] = 0x10; int *p=&x; 0:R1=x; uint64_t 1:X0; P1:r2=-3; int a[2]={0,1}; %x0=x; atomic_t v = ATOMIC_INIT(5); z";
        let items = initial(text, Position::START).expect("a state");
        assert_eq!(items.len(), 10);
        assert_eq!(items[2].ty.as_deref(), Some("int*"));
        assert_eq!(items[2].values, [Term::Name("x".into())]);
        assert_eq!(items[4].place, Place::Register { thread: 1, name: "X0".into() });
        assert_eq!(items[5].values, [Term::Int(-3)]);
        assert_eq!((items[6].length, items[6].values.len()), (Some(2), 2));
        assert_eq!(items[7].place, Place::Symbolic { name: "%x0".into() });
        assert!(initial("x=(valid:0)", Position::START).is_err());
    }
}

//! Replays as text.

use super::{Kind, Origin, Path, Replay, Step};
use std::fmt;
use std::str::FromStr;

/// A thread, for people.
pub(super) struct ShowPath<'a>(pub(super) &'a [u32]);

impl fmt::Display for ShowPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "m"),
            [first, rest @ ..] => {
                write!(f, "{first}")?;
                rest.iter().try_for_each(|child| write!(f, "-{child}"))
            }
        }
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t1")?;
        let mut thread: Option<&Path> = None;
        for step in &self.steps {
            if thread != Some(&step.thread) {
                write!(f, ".{}:", ShowPath(&step.thread))?;
                thread = Some(&step.thread);
            }
            write!(f, "{}", step.kind.letter())?;
            match &step.from {
                Origin::Nothing => Ok(()),
                Origin::Init => write!(f, "i"),
                Origin::Write(path, ordinal) => write!(f, "{}w{ordinal}", ShowPath(path)),
                Origin::Choice(choice) => write!(f, "{choice}"),
            }?;
        }
        match &self.last {
            Some(last) if thread != Some(last) => write!(f, ".{}:", ShowPath(last)),
            _ => Ok(()),
        }
    }
}

/// A text that is not a replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a replay: {expected} expected at character {at}, found {found:?}")]
pub struct BadReplay {
    /// The place, from 1.
    pub at: usize,
    /// The text that was expected there.
    pub expected: &'static str,
    /// The text that is there.
    pub found: String,
}

/// The rest of a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn refuse<T>(&self, expected: &'static str) -> Result<T, BadReplay> {
        let at = self.text[..self.at].chars().count() + 1;
        Err(BadReplay { at, expected, found: self.rest().chars().take(12).collect() })
    }

    fn eat(&mut self, token: char) -> bool {
        let eats = self.rest().starts_with(token);
        self.at += if eats { token.len_utf8() } else { 0 };
        eats
    }

    fn number(&mut self) -> Result<u32, BadReplay> {
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[..digits].parse() {
            Ok(number) => {
                self.at += digits;
                Ok(number)
            }
            Err(_) => self.refuse("a number"),
        }
    }

    fn path(&mut self) -> Result<Path, BadReplay> {
        if self.eat('m') {
            return Ok(Path::new());
        }
        if !self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.refuse("a thread, such as m or 0-1,");
        }
        let mut path = vec![self.number()?];
        while self.eat('-') {
            path.push(self.number()?);
        }
        Ok(path)
    }

    fn origin(&mut self, kind: Kind) -> Result<Origin, BadReplay> {
        if let Kind::Choose | Kind::Drop = kind {
            return self.number().map(Origin::Choice);
        }
        if self.eat('i') {
            return Ok(Origin::Init);
        }
        if !self.rest().starts_with(|c: char| c == 'm' || c.is_ascii_digit()) {
            return Ok(Origin::Nothing);
        }
        let path = self.path()?;
        match self.eat('w') {
            true => Ok(Origin::Write(path, self.number()?)),
            false if kind == Kind::Receive && path.len() == 1 => Ok(Origin::Choice(path[0])),
            false => self.refuse("w"),
        }
    }
}

impl FromStr for Replay {
    type Err = BadReplay;

    fn from_str(text: &str) -> Result<Self, BadReplay> {
        let text = text.trim();
        let mut cursor = Cursor { text, at: 0 };
        if !(cursor.eat('t') && cursor.eat('1')) {
            cursor.at = 0;
            return cursor.refuse("t1");
        }
        let (mut steps, mut last) = (Vec::new(), None);
        while !cursor.rest().is_empty() {
            if !cursor.eat('.') {
                return cursor.refuse("`.` or an operation");
            }
            let thread = cursor.path()?;
            if !cursor.eat(':') {
                return cursor.refuse("`:`");
            }
            last = Some(thread.clone());
            while let Some(&(kind, letter, _)) =
                Kind::ALL.iter().find(|(_, letter, _)| cursor.rest().starts_with(*letter))
            {
                cursor.eat(letter);
                steps.push(Step { thread: thread.clone(), kind, from: cursor.origin(kind)? });
            }
        }
        Ok(Replay { steps, last })
    }
}

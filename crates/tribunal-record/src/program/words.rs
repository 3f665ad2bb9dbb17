//! Values as machine words: addresses are numbers beyond those that tests compute with.

use tribunal_litmus::value::{Symbol, Value};
use tribunal_litmus::{Location, Test};

/// The first address.
const FIRST: i64 = 1 << 60;
/// Bytes between the addresses of two variables.
const APART: i64 = 1 << 20;

/// The locations of a test, and their addresses.
#[derive(Debug)]
pub(super) struct Words {
    /// By cell: what its address is.
    addresses: Vec<i64>,
    variables: i64,
}

impl Words {
    pub(super) fn of_test(test: &Test) -> Self {
        let addresses = test.memory.iter().map(|(location, _)| address(location)).collect();
        Words { addresses, variables: test.variables.len() as i64 }
    }

    /// The word of a value; none for one that is of no machine.
    pub(super) fn of(&self, value: Value) -> Option<i64> {
        match value {
            Value::Int(number) => Some(number),
            Value::Address(symbol, offset) => Some(address(&Location { symbol, offset })),
            _ => None,
        }
    }

    /// The value of a word.
    pub(super) fn value(&self, word: i64) -> Value {
        let from_first = word.wrapping_sub(FIRST);
        if (0..self.variables * APART).contains(&from_first) {
            return Value::Address(Symbol((from_first / APART) as u16), from_first % APART);
        }
        Value::Int(word)
    }

    /// The cell at an address, if there is one.
    #[inline]
    pub(super) fn cell(&self, address: i64) -> Option<usize> {
        self.addresses.iter().position(|known| *known == address)
    }
}

fn address(location: &Location) -> i64 {
    FIRST + i64::from(location.symbol.0) * APART + location.offset
}

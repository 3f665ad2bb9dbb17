//! Compiled programs: a stack machine for each thread.

use super::syntax::{ClaimKind, Operator, RmwOperator};
use crate::options::Options;
use crate::program::{Condition, Update};
use tribunal_cat::text::Position;
use tribunal_history::memory::{LocId, Order};

/// A register; those of all threads are in one row.
pub(super) type Register = u32;
/// An instruction, by its place.
pub(super) type Address = u32;

/// What a thread does next. Operands are on its stack, the last one on top; so is the value read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Push(i64),
    Pop,
    Get(Register),
    Set(Register),
    /// The final value of the location at this place of [`Code::finals`]; in outcomes only.
    Final(u32),
    Not,
    Complement,
    Negative,
    Binary(Operator),
    Jump(Address),
    JumpIfZero(Address),
    Load {
        at: Access,
        order: Order,
    },
    /// Of the value on top.
    Store {
        at: Access,
        order: Order,
    },
    Rmw {
        at: Access,
        operator: RmwOperator,
        order: Order,
    },
    /// Below the new value is the expected one.
    Cas {
        at: Access,
        success: Order,
        failure: Order,
    },
    /// Waits for a value that compares like this with the one on top.
    Await {
        at: Access,
        operator: Operator,
        order: Order,
        timed: bool,
    },
    AwaitCas {
        at: Access,
        order: Order,
        timed: bool,
    },
    Fence(Order),
    Lock(Access),
    /// Leaves 1 if it takes the mutex, else 0.
    TryLock(Access),
    Unlock(Access),
    Free(Access),
    Yield,
    /// Of the value on top.
    Assume,
    /// Of the value on top; the text is at this place of [`Code::texts`].
    Assert(u32),
    Spawn,
    /// Of the thread with this number.
    Join(u32),
    End,
}

/// A location, or an array whose index is on the stack below the other operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub base: LocId,
    /// How many locations, of an array.
    pub length: Option<u32>,
}

/// A claim about outcomes.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub kind: ClaimKind,
    pub entry: Address,
    pub text: String,
}

impl Claim {
    /// Whether it requires an outcome that was not seen.
    pub fn is_missing(&self, seen: bool) -> bool {
        self.kind == ClaimKind::Exists && !seen
    }
}

/// A compiled program: a [`Source`](super::Source) with values for its constants.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// By instruction, where it is from.
    pub(super) places: Vec<Position>,
    /// By thread, where it begins.
    pub(super) entries: Vec<Address>,
    pub(super) registers: usize,
    /// The main thread is first.
    pub(super) threads: Vec<String>,
    pub(super) locations: Vec<String>,
    pub(super) initial: Vec<u64>,
    /// By location: whether it is a mutex.
    pub(super) locks: Vec<bool>,
    pub(super) texts: Vec<String>,
    /// The values of an outcome: what they are called, and what computes them.
    pub(super) outcome: Vec<(String, Address)>,
    pub(super) claims: Vec<Claim>,
    /// Locations whose final values belong to outcomes.
    pub(super) finals: Vec<LocId>,
    pub(super) frees: bool,
    pub(super) allow_races: bool,
}

impl Code {
    /// Whether plain accesses may race.
    pub fn allow_races(&self) -> bool {
        self.allow_races
    }

    /// The options, with the program's own setting of whether non-atomic accesses may race.
    pub fn options(&self, options: &Options) -> Options {
        Options { allow_races: options.allow_races || self.allow_races, ..options.clone() }
    }

    /// The names of the values of an outcome.
    pub fn outcome_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.outcome.iter().map(|(name, _)| name.as_str())
    }

    /// The number of threads, including the main thread.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The initial value of a location.
    pub fn initial(&self, loc: LocId) -> u64 {
        self.initial.get(loc.index()).copied().unwrap_or_default()
    }

    /// How many locations there are.
    pub fn locations(&self) -> usize {
        self.locations.len()
    }

    /// Whether outcomes include final values of locations, which need a model with a modification order.
    pub fn has_final_values(&self) -> bool {
        !self.finals.is_empty()
    }
}

/// The value of an operator but `&&` and `||`, which are jumps; none if it divides by zero. Sums wrap around.
pub(super) fn apply(operator: Operator, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        Operator::Or => i64::from(a != 0 || b != 0),
        Operator::And => i64::from(a != 0 && b != 0),
        Operator::Equal => i64::from(a == b),
        Operator::NotEqual => i64::from(a != b),
        Operator::Less => i64::from(a < b),
        Operator::AtMost => i64::from(a <= b),
        Operator::Greater => i64::from(a > b),
        Operator::AtLeast => i64::from(a >= b),
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::BitAnd => a & b,
        Operator::ShiftLeft => a.wrapping_shl(b as u32),
        Operator::ShiftRight => a.wrapping_shr(b as u32),
        Operator::Add => a.wrapping_add(b),
        Operator::Subtract => a.wrapping_sub(b),
        Operator::Multiply => a.wrapping_mul(b),
        Operator::Divide if b == 0 => return None,
        Operator::Remainder if b == 0 => return None,
        Operator::Divide => a.wrapping_div(b),
        Operator::Remainder => a.wrapping_rem(b),
    })
}

/// What an RMW makes of what it reads.
pub(super) fn update(operator: RmwOperator, operand: i64) -> Update {
    let apply: fn(u64, [u64; 2]) -> Option<u64> = match operator {
        RmwOperator::Add => |read, [operand, _]| Some(read.wrapping_add(operand)),
        RmwOperator::Subtract => |read, [operand, _]| Some(read.wrapping_sub(operand)),
        RmwOperator::And => |read, [operand, _]| Some(read & operand),
        RmwOperator::Or => |read, [operand, _]| Some(read | operand),
        RmwOperator::Xor => |read, [operand, _]| Some(read ^ operand),
        RmwOperator::Exchange => |_, [operand, _]| Some(operand),
    };
    Update { apply, operands: [operand as u64, 0] }
}

/// Compares and exchanges.
pub(super) fn exchange(expected: i64, new: i64) -> Update {
    Update {
        apply: |read, [expected, new]| (read == expected).then_some(new),
        operands: [expected as u64, new as u64],
    }
}

/// What an await waits for; the operator is a comparison.
pub(super) fn condition(operator: Operator, operand: i64) -> Condition {
    let holds: fn(u64, u64) -> bool = match operator {
        Operator::NotEqual => |read, operand| read != operand,
        Operator::Less => |read, operand| (read as i64) < operand as i64,
        Operator::AtMost => |read, operand| read as i64 <= operand as i64,
        Operator::Greater => |read, operand| read as i64 > operand as i64,
        Operator::AtLeast => |read, operand| read as i64 >= operand as i64,
        _ => |read, operand| read == operand,
    };
    Condition { holds, operand: operand as u64 }
}

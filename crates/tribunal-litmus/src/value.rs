//! The values that registers and locations hold.

/// A location by its name: a global variable of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u16);

/// A value: a number, or the address of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A number, of 64 bits; what is unsigned wraps.
    Int(i64),
    /// The address of a location, and how many bytes after it.
    Address(Symbol, i64),
    /// The address of an instruction: the index of its thread, and its own.
    Code(u16, u16),
    /// A value out of thin air: reads that have it of each other, and of nothing else.
    Unknown(u16),
}

impl Value {
    /// What locations and registers hold where nothing is said.
    pub const ZERO: Self = Self::Int(0);
}

/// How many bytes an access has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// One byte.
    Byte,
    /// Two.
    Short,
    /// Four.
    Word,
    /// Eight.
    Quad,
}

impl Size {
    /// The number of bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Short => 2,
            Self::Word => 4,
            Self::Quad => 8,
        }
    }
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// `a & ~b`
    AndNot,
    ShiftLeft,
    /// Logical.
    ShiftRight,
    ShiftRightSigned,
    /// Comparisons give 1 or 0. `Eq` and `Ne` compare addresses, too.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned comparisons.
    LtUnsigned,
    LeUnsigned,
    Min,
    Max,
    MinUnsigned,
    MaxUnsigned,
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// All bits inverted.
    Not,
    /// 1 for zero, 0 for all else.
    IsZero,
    /// The low bytes, the others zero.
    Zero(Size),
    /// The low bytes, the others as their sign.
    Sign(Size),
}

impl Unary {
    /// Whether it keeps the low bytes: of a value out of thin air that is the value itself.
    pub fn extends(self) -> bool {
        matches!(self, Self::Zero(_) | Self::Sign(_))
    }

    /// The result, or none where the operation has no meaning on that value. Addresses pass extensions unchanged.
    pub fn apply(self, value: Value) -> Option<Value> {
        let int = match (self, value) {
            (Self::Not, Value::Int(a)) => !a,
            (Self::IsZero, Value::Int(a)) => i64::from(a == 0),
            (Self::IsZero, Value::Address(..) | Value::Code(..)) => 0,
            (Self::Zero(Size::Byte), Value::Int(a)) => i64::from(a as u8),
            (Self::Zero(Size::Short), Value::Int(a)) => i64::from(a as u16),
            (Self::Zero(Size::Word), Value::Int(a)) => i64::from(a as u32),
            (Self::Sign(Size::Byte), Value::Int(a)) => i64::from(a as i8),
            (Self::Sign(Size::Short), Value::Int(a)) => i64::from(a as i16),
            (Self::Sign(Size::Word), Value::Int(a)) => i64::from(a as i32),
            (Self::Zero(_) | Self::Sign(_), any) => return Some(any),
            (Self::Not | Self::IsZero, _) => return None,
        };
        Some(Value::Int(int))
    }
}

impl Binary {
    /// The result, or none where the operation has no meaning on these values.
    pub fn apply(self, left: Value, right: Value) -> Option<Value> {
        let truth = |b: bool| Some(Value::Int(i64::from(b)));
        match (left, right) {
            (Value::Int(a), Value::Int(b)) => self.of_ints(a, b).map(Value::Int),
            (Value::Address(s, o), Value::Int(k)) => match self {
                Self::Add => Some(Value::Address(s, o.wrapping_add(k))),
                Self::Sub => Some(Value::Address(s, o.wrapping_sub(k))),
                Self::Eq => truth(false),
                Self::Ne => truth(true),
                Self::Or | Self::Xor | Self::ShiftLeft | Self::ShiftRight if k == 0 => Some(left),
                _ => None,
            },
            (Value::Int(k), Value::Address(s, o)) => match self {
                Self::Add => Some(Value::Address(s, o.wrapping_add(k))),
                Self::Eq => truth(false),
                Self::Ne => truth(true),
                Self::Or | Self::Xor if k == 0 => Some(right),
                _ => None,
            },
            (Value::Address(s, o), Value::Address(t, p)) => match self {
                Self::Eq => truth(left == right),
                Self::Ne => truth(left != right),
                Self::Lt | Self::Gt if left == right => truth(false),
                Self::Le | Self::Ge if left == right => truth(true),
                Self::Sub if s == t => Some(Value::Int(o.wrapping_sub(p))),
                Self::Xor if left == right => Some(Value::ZERO),
                Self::And | Self::Or if left == right => Some(left),
                _ => None,
            },
            (Value::Unknown(_), _) | (_, Value::Unknown(_)) => None,
            (Value::Code(..), _) | (_, Value::Code(..)) => match self {
                Self::Eq => truth(left == right),
                Self::Ne => truth(left != right),
                Self::Xor if left == right => Some(Value::ZERO),
                _ => None,
            },
        }
    }

    fn of_ints(self, a: i64, b: i64) -> Option<i64> {
        let (ua, ub) = (a as u64, b as u64);
        let shift = u32::try_from(b).ok().filter(|k| *k < 64);
        Some(match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            Self::Div => a.checked_div(b)?,
            Self::Rem => a.checked_rem(b)?,
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::AndNot => a & !b,
            Self::ShiftLeft => shift.map_or(0, |k| a << k),
            Self::ShiftRight => shift.map_or(0, |k| (ua >> k) as i64),
            Self::ShiftRightSigned => a >> shift.unwrap_or(63),
            Self::Eq => i64::from(a == b),
            Self::Ne => i64::from(a != b),
            Self::Lt => i64::from(a < b),
            Self::Le => i64::from(a <= b),
            Self::Gt => i64::from(a > b),
            Self::Ge => i64::from(a >= b),
            Self::LtUnsigned => i64::from(ua < ub),
            Self::LeUnsigned => i64::from(ua <= ub),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::MinUnsigned => ua.min(ub) as i64,
            Self::MaxUnsigned => ua.max(ub) as i64,
        })
    }
}

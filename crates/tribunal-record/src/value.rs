//! The returns of objects as values that specifications know.

use tribunal_history::object::Value;

/// A type whose values can be returns in a history.
///
/// ```
/// use tribunal::object::Value;
/// use tribunal_record::ToValue;
/// assert_eq!(Some(3usize).to_value(), Value::from(3));
/// assert_eq!(None::<bool>.to_value(), Value::Null);
/// assert_eq!(vec![1, 2].to_value().to_string(), "[1, 2]");
/// ```
pub trait ToValue {
    /// The value.
    fn to_value(&self) -> Value;
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl ToValue for () {
    fn to_value(&self) -> Value {
        Value::Null
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl ToValue for $number {
            /// A number that an `i64` cannot hold becomes the greatest that it can.
            fn to_value(&self) -> Value {
                Value::Int(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )*};
}

whole_numbers!(i8 i16 i32 i64 u8 u16 u32 u64 usize);

impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::from(self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::from(self.as_str())
    }
}

/// Nothing is null.
impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        Value::list(self.iter().map(ToValue::to_value))
    }
}

/// A list of two.
impl<A: ToValue, B: ToValue> ToValue for (A, B) {
    fn to_value(&self) -> Value {
        Value::list([self.0.to_value(), self.1.to_value()])
    }
}

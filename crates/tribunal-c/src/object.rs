//! Building object histories from calls and returns.

use crate::event::in_range;
use crate::history::History;
use crate::status::{Failure, Handle, Status, freed, invalid, made, made_by, malformed, put, with};
use crate::text::{Text, array};
use std::mem::{MaybeUninit, take};
use std::sync::Arc;
use tribunal_formats::{Notes, Object};
use tribunal_history::object;
use tribunal_history::object::{OpId, ProcessId};
use tribunal_report::Specifications;

/// Builds object histories.
pub struct ObjectBuilder {
    builder: object::Builder,
    spec: String,
    specifications: Arc<Specifications>,
    processes: u32,
    broken: bool,
}

impl Handle for ObjectBuilder {
    const NAME: &'static str = "the object builder";

    fn is_broken(&mut self) -> &mut bool {
        &mut self.broken
    }
}

/// The type of a value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Nothing: the return value of a method without a result.
    Null = 0,
    /// A boolean: `number` is 0 or not.
    Bool = 1,
    /// A whole number, `number`.
    Int = 2,
    /// A string, `text`.
    Text = 3,
}

/// What C passes for a [`ValueKind`], which may be any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyValueKind(u32);

impl From<ValueKind> for AnyValueKind {
    fn from(kind: ValueKind) -> Self {
        AnyValueKind(kind as u32)
    }
}

/// An argument or a return value of an operation. Lists are only available in histories from files.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value<'a> {
    /// What it is.
    pub kind: AnyValueKind,
    /// The number or the boolean.
    pub number: i64,
    /// The text, which is copied; ignored otherwise.
    pub text: Text<'a>,
}

impl Value<'_> {
    fn read(&self) -> Result<object::Value, Failure> {
        Ok(match self.kind.0 {
            0 => object::Value::Null,
            1 => object::Value::Bool(self.number != 0),
            2 => object::Value::Int(self.number),
            3 => object::Value::from(self.text.required("the value's text")?),
            other => return Err(invalid(format!("there is no kind of value {other}"))),
        })
    }
}

/// Nothing, as a value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_null() -> Value<'static> {
    Value { kind: ValueKind::Null.into(), number: 0, text: Text::NULL }
}

/// A truth value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_bool(truth: bool) -> Value<'static> {
    Value { kind: ValueKind::Bool.into(), number: truth.into(), text: Text::NULL }
}

/// A whole number as a value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_int(number: i64) -> Value<'static> {
    Value { kind: ValueKind::Int.into(), number, text: Text::NULL }
}

/// A string as a value.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_text(text: Text<'_>) -> Value<'_> {
    Value { kind: ValueKind::Text.into(), number: 0, text }
}

/// Creates a builder of histories of an object with this specification: a built-in one such as `queue`, `stack`,
/// `register` or `set`, or a file with the extension `.spec`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_new(
    specification: Text<'_>,
    builder: Option<&mut MaybeUninit<Option<Box<ObjectBuilder>>>>,
) -> Status {
    made(builder, || {
        let spec = specification.required("the specification")?.to_string();
        let specifications = specified(Some(&spec))?;
        let builder = object::History::builder();
        Ok(ObjectBuilder { builder, spec, specifications, processes: 0, broken: false })
    })
}

/// The specification of a name, or of a file.
pub(crate) fn specified(given: Option<&str>) -> Result<Arc<Specifications>, Failure> {
    let specifications = tribunal_host::specifications(given);
    specifications.map(Arc::new).map_err(|error| invalid(error.to_string()))
}

/// Names the history.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_name(
    builder: Option<&mut ObjectBuilder>,
    name: Text<'_>,
) -> Status {
    with(builder, |b| {
        b.builder.name(name.required("the name")?);
        Ok(())
    })
}

/// The process of this name, new or not. A process calls one method at a time.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_process(
    builder: Option<&mut ObjectBuilder>,
    name: Text<'_>,
    process: Option<&mut MaybeUninit<u32>>,
) -> Status {
    with(builder, |b| {
        let id = b.builder.process(name.required("the process's name")?).0;
        b.processes = b.processes.max(id + 1);
        put(process, id);
        Ok(())
    })
}

/// A process calls a method with `count` arguments, at a time of a clock that all processes share. The operation is pending until it returns.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_call(
    builder: Option<&mut ObjectBuilder>,
    process: u32,
    method: Text<'_>,
    arguments: *const Value<'_>,
    count: usize,
    time: u64,
    operation: Option<&mut MaybeUninit<u32>>,
) -> Status {
    with(builder, |b| {
        let process = ProcessId(in_range("process", process, b.processes)?);
        let method = method.required("the method")?;
        let arguments = array(arguments, count, "the arguments")?;
        let arguments = arguments.iter().map(Value::read).collect::<Result<Vec<_>, _>>()?;
        put(operation, b.builder.call(process, method, &arguments, time).0);
        Ok(())
    })
}

/// An operation returns a value, at this time.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_return(
    builder: Option<&mut ObjectBuilder>,
    operation: u32,
    value: Value<'_>,
    time: u64,
) -> Status {
    with(builder, |b| {
        let op = OpId(in_range("operation", operation, b.builder.len() as u32)?);
        b.builder.ret(op, value.read()?, time);
        Ok(())
    })
}

/// Builds the history. The builder is then empty, even if the history is malformed, and can be used again.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_build(
    builder: Option<&mut ObjectBuilder>,
    history: Option<&mut MaybeUninit<Option<Box<History>>>>,
) -> Status {
    made_by(builder, history, |b| {
        b.processes = 0;
        let built = take(&mut b.builder).build().map_err(malformed)?;
        let object = Object {
            history: built.into(),
            spec: b.spec.clone(),
            lines: Vec::new(),
            notes: Notes::default(),
        };
        Ok(History::of_object(object, b.specifications.clone()))
    })
}

/// Frees a builder. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_object_builder_free(builder: Option<Box<ObjectBuilder>>) {
    freed(builder);
}

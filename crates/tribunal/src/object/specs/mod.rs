//! The built-in specifications.

mod queue;
mod register;

pub use queue::Queue;
pub use register::Register;

use crate::object::Specification;

/// There is no built-in specification of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown specification `{name}`")]
pub struct UnknownSpec {
    /// What was asked for.
    pub name: String,
}

/// The built-in specification of that name, such as `queue` or `cas-register(0)`.
pub fn named(name: &str) -> Result<Box<dyn Specification>, UnknownSpec> {
    match name {
        "register" => Ok(Box::new(Register::default())),
        "queue" => Ok(Box::new(Queue)),
        _ => Err(UnknownSpec { name: name.into() }),
    }
}

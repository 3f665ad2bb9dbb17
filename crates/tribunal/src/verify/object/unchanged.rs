//! Operations whose returns say that they changed nothing.

use crate::object::{History, InvocationId, Specification, Value};

/// By operation, whether wherever it takes effect and returns what it returned, it leaves the state as it is. Pending ones
/// returned nothing.
pub(super) fn unchanged(history: &History, spec: &dyn Specification) -> Vec<bool> {
    let ambiguous = null_is_a_value(history);
    let unchanged = |op| {
        let call = history.called(op);
        let says_so = |ret: &Value| !(ambiguous && *ret == Value::Null) && spec.unchanged(call, ret);
        history.result(op).is_some_and(|ret| spec.read_only(call) || says_so(ret))
    };
    history.ops().map(unchanged).collect()
}

/// Whether a null that is returned may be one that was put in, rather than say that there was nothing.
pub(super) fn null_is_a_value(history: &History) -> bool {
    (0..history.invocation_count() as u32)
        .any(|id| history.invocation(InvocationId(id)).args.contains(&Value::Null))
}

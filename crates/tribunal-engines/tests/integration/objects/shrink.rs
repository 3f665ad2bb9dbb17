//! Shrinking: what is left is still a certificate, and nothing of it is without the next operation.

use crate::objects::corpus::{corpus, labeled};
use tribunal_engines::Shrunk;
use tribunal_engines::object::shrink;
use tribunal_formats::Error;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, History, OpId, Specification, Violation};
use tribunal_verify::object::verify_violation;

/// An operation without which the part still is a certificate.
fn smaller(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
) -> Option<OpId> {
    violation.operations.iter().copied().find(|&gone| {
        let operations: Vec<OpId> = violation.operations.iter().copied().filter(|&op| op != gone).collect();
        let less = Violation { operations, cut: violation.cut };
        verify_violation(history, spec, criterion, &less, &Limits::default()).is_ok()
    })
}

#[test]
fn no_operation_can_be_left_out() -> Result<(), Error> {
    let mut shrunk = 0;
    for history in &corpus()? {
        let (line, (object, spec, _)) = (history.line, labeled(history));
        for criterion in Criterion::ALL {
            let (history, spec) = (&object.history, &*spec);
            match shrink(&history.typed(spec).expect("typed"), &criterion, &Limits::default(), |_| ()) {
                Ok(Shrunk { part: violation, limit }) => {
                    assert_eq!(limit, None);
                    shrunk += 1;
                    verify_violation(history, spec, &criterion, &violation, &Limits::default())
                        .expect("a certificate");
                    if let Some(op) = smaller(history, spec, &criterion, &violation) {
                        panic!("line {}: {criterion}: {}", line, history.show(op));
                    }
                }
                Err(verdict) => assert!(verdict.is_consistent(), "line {}: {criterion}", line),
            }
        }
    }
    assert!(shrunk > 1000);
    Ok(())
}

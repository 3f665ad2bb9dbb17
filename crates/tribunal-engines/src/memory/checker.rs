//! Checking many histories against one model.

use crate::Engine;
use crate::memory::models::judge_with;
use crate::memory::small::Small;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_history::verdict::Verdict;

/// Decides whether executions are consistent with a model, one after another.
///
/// The results are those of [`check`](crate::memory::check) and [`judge`](crate::memory::judge). Repeated use is faster, because memory is
/// reused between small histories (at most 128 events). For a consistent one, only the witness is allocated.
///
/// ```
/// use tribunal::{Checker, Model, memory::{Execution, Op}};
/// let mut checker = Checker::new(Model::Ra);
/// for read in [0, 1] {
///     let mut b = Execution::builder();
///     let (t0, t1) = (b.thread("T0"), b.thread("T1"));
///     let (x, y) = (b.location("x"), b.location("y"));
///     b.push(t0, Op::write(x, 1));
///     b.push(t0, Op::write(y, 1));
///     b.push(t1, Op::read(y, 1));
///     b.push(t1, Op::read(x, read));
///     assert_eq!(checker.check(&b.build()?).is_consistent(), read == 1);
/// }
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub struct Checker {
    model: Model,
    small: Small,
}

impl Checker {
    /// A checker for a model.
    pub fn new(model: Model) -> Self {
        Checker { model, small: Small::default() }
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Decides whether an execution is consistent with the model.
    pub fn check(&mut self, execution: &Execution) -> Verdict {
        self.judge(execution, &Limits::default()).0
    }

    /// Like [`check`](Self::check), with limits; also returns the engine that decided.
    pub fn judge(&mut self, execution: &Execution, limits: &Limits<'_>) -> (Verdict, Engine) {
        let within = limits.check_memory(Small::bytes(execution), 0).and(limits.check(0)).is_ok();
        if within
            && !execution.is_open()
            && self.model.unsupported(execution).is_none()
            && let Some((witness, engine)) = self.small.witness(execution, self.model)
        {
            return (Verdict::Consistent(witness), engine);
        }
        judge_with(execution, self.model, None, limits)
    }
}

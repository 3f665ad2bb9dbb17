//! Tribunal decides whether an observed execution of a concurrent system is consistent with what it promised: a memory model, a criterion of
//! an object, or an isolation level. Every verdict has a certificate, which [`verify`] accepts or refuses from the definitions alone.
//!
//! **Memory**, a thread sees the flag y but not the data x:
//!
//! ```
//! use tribunal::{Model, Verdict, check, memory::{Execution, Op}, verify::verify};
//! let mut b = Execution::builder();
//! let (t0, t1) = (b.thread("T0"), b.thread("T1"));
//! let (x, y) = (b.location("x"), b.location("y"));
//! b.push(t0, Op::write(x, 1));
//! b.push(t0, Op::write(y, 1));
//! b.push(t1, Op::read(y, 1));
//! b.push(t1, Op::read(x, 0));
//! let mp = b.build()?;
//! assert!(check(&mp, Model::Relaxed).is_consistent());
//! let verdict = check(&mp, Model::Ra);
//! assert!(verdict.is_inconsistent());
//! verify(&mp, Model::Ra, &verdict)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **An object**, two concurrent enqueues that are dequeued in the other order:
//!
//! ```
//! use tribunal::object::{Criterion, History, Value, check, specs::Queue};
//! let mut b = History::builder();
//! let (p, q) = (b.process("0"), b.process("1"));
//! let one = b.call(p, "enqueue", &[Value::from(1)], 0);
//! let two = b.call(q, "enqueue", &[Value::from(2)], 1);
//! b.ret(one, Value::Null, 2);
//! b.ret(two, Value::Null, 3);
//! let first = b.call(p, "dequeue", &[], 4);
//! b.ret(first, Value::from(2), 5);
//! assert!(check(&b.build()?.typed(&Queue)?, &Criterion::Linearizable).is_consistent());
//! # Ok::<(), tribunal::object::MalformedHistory>(())
//! ```
//!
//! **Transactions**, a lost update:
//!
//! ```
//! use tribunal::transactions::{History, Op, Status, check};
//! let mut b = History::builder();
//! let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
//! b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
//! b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
//! let history = b.build()?;
//! assert!(check(&history, "pc".parse()?).is_consistent());
//! assert!(check(&history, "si".parse()?).is_inconsistent());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Executions that grow are decided event by event by a [`Session`](memory::Session), which also says what a read may observe, and, if they run with the system, by a
//! [`Monitor`](memory::Monitor) or an object's [`Monitor`](object::Monitor).
//!
//! **A file of any format**, by any model, criterion or level, explained, verified and drawn:
//!
//! ```
//! use tribunal::{Check, Limits, Specifications, read, report::Verification};
//! let (sb, limits) = ("T0: W x 1; R y 0\nT1: W y 1; R x 0\n", Limits::default());
//! let check = Check::new("sc,tso".parse()?, Specifications::default());
//! for history in read(sb.as_bytes(), "sb.txt", None)? {
//!     let history = history?;
//!     let checkable = check.checkable(&history.subject, "sb.txt")?;
//!     for question in check.questions(&checkable) {
//!         let answer = check.answer(&checkable, question, &limits);
//!         assert_eq!(answer.verified(&limits), Some(Verification::Accepted));
//!         println!("{question}: {}", answer.verdict().word());
//!         answer.explain(&limits).iter().for_each(|line| println!("  {line}"));
//!     }
//! }
//! let drawn = tribunal::answer("sb.txt", sb.into(), &Default::default(), &limits)?.document;
//! assert!(tribunal::svg(&drawn, drawn.shown).starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The names here are what most programs need. The rest is one level down, in the crates: [`history`], [`engines`], [`verify`], [`formats`], [`report`] and
//! [`view`].

#[doc(no_inline)]
pub use tribunal_engines as engines;
#[doc(no_inline)]
pub use tribunal_formats as formats;
#[doc(no_inline)]
pub use tribunal_history as history;
#[doc(no_inline)]
pub use tribunal_report as report;
#[doc(no_inline)]
pub use tribunal_verify as verify;
#[doc(no_inline)]
pub use tribunal_view as view;

#[doc(inline)]
pub use tribunal_engines::{
    Engine,
    memory::{Checker, check},
};
#[doc(inline)]
pub use tribunal_formats::{Format, open, read};
#[doc(inline)]
pub use tribunal_history::{limits::Limits, model::Model, verdict::Limit, verdict::Verdict};
#[doc(inline)]
pub use tribunal_report::{Answer, Check, Question, Questions, Specifications};
#[doc(inline)]
pub use tribunal_view::{Request, answer, dot, page, svg};

/// Executions of threads that read and write locations, and the models they may be required to satisfy.
pub mod memory {
    #[doc(inline)]
    pub use tribunal_engines::memory::{
        engines, judge, judge_by,
        monitor::Monitor,
        races::races,
        session::{NoSession, Session, WriteId},
        shrink,
    };
    #[doc(inline)]
    pub use tribunal_history::memory::{
        EventId, Execution, ExecutionBuilder, Interval, Kind, LocId, MalformedHistory, Observation, Op,
        Order, ThreadId,
    };
    #[doc(inline)]
    pub use tribunal_history::verdict::{ModificationOrder, Race, Violation, Witness};
}

/// Histories of calls and returns on a concurrent object, specifications of what it should do, and the criteria between them.
pub mod object {
    #[doc(inline)]
    pub use tribunal_engines::object::{
        MalformedEvent, Monitor, Status, check, check_promises, engines, judge, judge_by,
        partial_linearizations, shrink, strongest,
    };
    #[doc(inline)]
    pub use tribunal_history::object::{
        AbstractExecution, Criterion, History, Invocation, Kind, MalformedCriterion, MalformedHistory, OpId,
        Signature, Spec, Specification, Value, Verdict, Violation, Visibility, specs,
    };
}

/// Histories of transactions, and the isolation levels they may be required to satisfy.
pub mod transactions {
    #[doc(inline)]
    pub use tribunal_engines::transactions::{
        Anomaly, check, engines, judge, judge_by, shrink, strongest_levels,
    };
    #[doc(inline)]
    pub use tribunal_history::transactions::{
        History, HistoryBuilder, KeyId, Level, MalformedHistory, Op, SessionId, Span, Status, TxnId, Verdict,
        Violation, Witness,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

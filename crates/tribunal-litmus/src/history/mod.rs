//! A history as a litmus test: the program that its threads ran, and a condition that only its reads and its final values satisfy.
//!
//! Accesses and fences become the instructions that stand for them in the models of the target: an order that the target does not have
//! is left out, so `X86` has plain accesses, and a fence only where the history has a `seq_cst` one. A dependency becomes the idiom of the tests: an exclusive or of a register
//! with itself, added to an address or a value. C and X86 keep or ignore dependencies anyway: there they are left out. A read-modify-write becomes an exchange.

mod aarch64;
mod c;
mod columns;
mod plan;
mod riscv;
mod x86;

use plan::{Plan, Step};
use std::fmt::Write;
use std::str::FromStr;
use tribunal_history::memory::Execution;

/// What to write a test for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// C, with C11's atomics.
    #[default]
    C,
    /// X86, of 32 bits.
    X86,
    /// AArch64, with the atomics of v8.1.
    AArch64,
    /// RISC-V, with the tests' acquire loads and release stores.
    RiscV,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 4] = [Self::C, Self::X86, Self::AArch64, Self::RiscV];

    /// As the first word of a test has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::X86 => "X86",
            Self::AArch64 => "AArch64",
            Self::RiscV => "RISCV",
        }
    }

    /// The largest value that an instruction may name.
    const fn limit(self) -> u64 {
        match self {
            Self::C | Self::X86 => i32::MAX as u64,
            Self::AArch64 => u16::MAX as u64,
            Self::RiscV => 2047,
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|target| target.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let near = tribunal_history::names::suggestion(name, Self::ALL.map(Self::name));
            format!("unknown architecture `{name}`{near}; expected C, X86, AArch64 or RISCV")
        })
    }
}

/// Why a history is no litmus test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritten {
    /// The target has no more registers.
    #[error("{event}: thread `{thread}` needs more registers than {target} has", target = .target.name())]
    Registers {
        /// The event that has none.
        event: String,
        /// Its thread.
        thread: String,
        /// The target.
        target: Target,
    },
    /// A value that is too large, where values cannot be exchanged for others: reads of values that repeat are told by them.
    #[error(
        "{event}: {value} is more than the {limit} of an instruction, and reads of repeated values keep it from being another"
    )]
    Value {
        /// The event.
        event: String,
        /// The value.
        value: u64,
        /// The largest there may be.
        limit: u64,
    },
    /// A read whose source is given, where others read the same values from any write.
    #[error(
        "{event}: its value repeats, and a litmus test cannot say where it is from while other reads leave it open"
    )]
    Source {
        /// The read.
        event: String,
    },
    /// Events that depend on reads are accesses.
    #[error("{event}: a fence that depends on a read is no instruction")]
    Dependency {
        /// The fence.
        event: String,
    },
}

/// Writes a history as a litmus test.
///
/// Values that repeat or are too large become others, such that a value still tells the write that it is from.
///
/// ```
/// use tribunal::memory::{Execution, Op, Order};
/// use tribunal_litmus::history::{Target, write};
/// let mut b = Execution::builder();
/// let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
/// b.push(t0, Op::write(x, 1));
/// b.push(t1, Op::read(x, 1).order(Order::Acquire));
/// let text = write(&b.build()?, Target::AArch64)?;
/// assert!(text.contains("LDAR W0,[X1]"));
/// assert!(text.ends_with("exists (1:X0=1)\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(history: &Execution, target: Target) -> Result<String, Unwritten> {
    let plan = Plan::of(history, target)?;
    let mut threads = Vec::new();
    for (index, steps) in plan.threads.iter().enumerate() {
        let written = match target {
            Target::C => Ok(c::thread(&plan, steps)),
            Target::X86 => x86::thread(&plan, steps),
            Target::AArch64 => aarch64::thread(&plan, steps),
            Target::RiscV => riscv::thread(&plan, steps),
        };
        threads.push(written.map_err(|Exhausted(step)| Unwritten::Registers {
            event: plan.shown(history, steps, step),
            thread: plan.thread_names.get(index).cloned().unwrap_or_default(),
            target,
        })?);
    }
    let mut text = format!("{} {}\n", target.name(), plan.name);
    let init = columns::initial_state(&plan, &threads);
    match target {
        Target::C => text.push_str(&c::program(&init, &plan, &threads)),
        _ => text.push_str(&columns::program(&init, &threads)),
    }
    text.push_str(&condition(&plan, &threads));
    Ok(text)
}

/// A thread of the test.
#[derive(Default)]
struct Written {
    /// What its registers hold at first, as `X1=x`.
    init: Vec<String>,
    /// Its instructions.
    lines: Vec<String>,
    /// The register that each step reads into, if it reads.
    observed: Vec<Option<String>>,
}

/// There is no register for this step.
struct Exhausted(usize);

/// Every read has read what it did, and final values are what they were.
fn condition(plan: &Plan, threads: &[Written]) -> String {
    let mut terms = Vec::new();
    for (thread, (written, steps)) in threads.iter().zip(&plan.threads).enumerate() {
        for (register, step) in written.observed.iter().zip(steps) {
            if let Some(register) = register {
                terms.push(format!("{thread}:{register}={}", step.read));
            }
        }
    }
    for (location, value) in &plan.finals {
        terms.push(format!("[{}]={value}", plan.location(*location)));
    }
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "exists ({})",
        if terms.is_empty() { "true".to_string() } else { terms.join(" /\\ ") }
    );
    text
}

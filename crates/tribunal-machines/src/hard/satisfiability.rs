//! Formulas as histories that are consistent if and only if the formula is satisfiable (Chini and Saivasan 2020, section 5
//! and appendix C).
//!
//! A variable is a location that two threads write, *false* and *true*: what mo puts last is its value. Each literal of a
//! clause is a location of its own, to which two threads copy the variable's value, once while it is false and once
//! while it is true; so its writes are in the order of the variable's. The threads of a clause form a ring, each
//! reading that one literal is false and then that the next is true: if all literals end up false, fr edges close
//! the ring.
//!
//! With n variables and m clauses of three literals there are 2n + 6m writes.

use super::Formula;
use tribunal_history::memory::{Execution, ExecutionBuilder, LocId, Op};
use tribunal_history::model::Model;

/// The way in which a literal's threads make sure that the variable keeps its value while they copy it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// They read it before and after (Fig. 1). A model that relaxes W→R defeats that.
    Guarded,
    /// They read it before; other threads read the copy and then the variable (Fig. 2). There is no po pair that begins
    /// with a write, so sc, tso and pso agree.
    Split,
}

impl Reduction {
    /// Both of them.
    pub const ALL: [Reduction; 2] = [Reduction::Guarded, Reduction::Split];

    /// The reduction's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Guarded => "guarded",
            Reduction::Split => "split",
        }
    }

    /// The models under which consistency is satisfiability.
    pub const fn models(self) -> &'static [Model] {
        match self {
            Reduction::Guarded => &[Model::Sc],
            Reduction::Split => &[Model::Sc, Model::Tso, Model::Pso],
        }
    }
}

/// The values that are written to a location for the truth values; 0 is initial and never read.
const FALSE: u64 = 1;
const TRUE: u64 = 2;

/// The history of a formula.
///
/// ```
/// use tribunal_machines::hard::{Formula, satisfiability::{Reduction, history}};
/// let formula: Formula = "p cnf 3 2  \n 1 2 3 0  -1 2 -3 0".parse()?;
/// let history = history(&formula, Reduction::Guarded);
/// assert_eq!(history.features().writes, 2 * 3 + 6 * 2);
/// # Ok::<(), tribunal_machines::hard::InvalidFormula>(())
/// ```
pub fn history(formula: &Formula, reduction: Reduction) -> Execution {
    let mut b = Execution::builder();
    let variables: Vec<LocId> =
        (0..formula.variables()).map(|v| b.location(&format!("v{}", v + 1))).collect();
    for (v, &variable) in variables.iter().enumerate() {
        for value in [FALSE, TRUE] {
            thread(&mut b, &format!("v{}.{}", v + 1, value == TRUE), [Op::write(variable, value)]);
        }
    }
    for (c, clause) in formula.clauses().iter().enumerate() {
        let literals: Vec<LocId> =
            (0..clause.len()).map(|i| b.location(&format!("c{}.{}", c + 1, i + 1))).collect();
        for (i, (literal, &copy)) in clause.iter().zip(&literals).enumerate() {
            let variable = variables[literal.variable as usize];
            for (value, copied) in
                if literal.negated { [(FALSE, TRUE), (TRUE, FALSE)] } else { [(FALSE, FALSE), (TRUE, TRUE)] }
            {
                let name = format!("c{}.{}.{}", c + 1, i + 1, copied == TRUE);
                let (read, write) = (Op::read(variable, value), Op::write(copy, copied));
                match reduction {
                    Reduction::Guarded => thread(&mut b, &name, [read, write, read]),
                    Reduction::Split => {
                        thread(&mut b, &name, [read, write]);
                        thread(&mut b, &format!("{name}'"), [Op::read(copy, copied), read]);
                    }
                }
            }
        }
        for (i, &literal) in literals.iter().enumerate() {
            let before = literals[(i + literals.len() - 1) % literals.len()];
            thread(
                &mut b,
                &format!("c{}/{}", c + 1, i + 1),
                [Op::read(before, FALSE), Op::read(literal, TRUE)],
            );
        }
    }
    b.build().expect("each value is written once")
}

fn thread<const N: usize>(b: &mut ExecutionBuilder, name: &str, ops: [Op; N]) {
    let thread = b.thread(name);
    for op in ops {
        b.push(thread, op);
    }
}

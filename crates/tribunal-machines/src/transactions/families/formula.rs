//! Formulas as histories that satisfy si, and ser, if and only if the formula is satisfiable.

use crate::hard::Formula;
use tribunal_history::transactions::{History, HistoryBuilder, KeyId, Op, Status};

/// The values that are written to a key for the truth values.
const FALSE: i64 = 0;
const TRUE: i64 = 1;

/// The history of a formula. That such histories are hard is shown by Biswas and Enea 2019; this reduction is that of
/// [`hard::satisfiability`](crate::hard::satisfiability), with transactions in place of threads.
///
/// A variable is a key that two transactions write, *false* and *true*: what is written last is its value. Each literal of a clause has a key
/// of its own, to which two transactions copy the variable's value; a copy is made while the variable has the value, so copies are in the order
/// of what they copy. The transactions of a clause form a ring: one reads that a literal is false, and another that follows it by wr reads that the
/// next literal is true. If all literals end up false, rw closes the ring. No two rw of it are adjacent, so it is forbidden by si as it is by ser.
///
/// Each transaction is a session, and has no times: session-si and session-ser ask for nothing more.
///
/// ```
/// use tribunal_machines::hard::Formula;
/// use tribunal_machines::transactions::families::satisfiability;
/// let formula: Formula = "p cnf 3 2  \n 1 2 3 0  -1 2 -3 0".parse()?;
/// assert_eq!(satisfiability(&formula).len(), 2 * 3 + 12 * 2);
/// # Ok::<(), tribunal_machines::hard::InvalidFormula>(())
/// ```
pub fn satisfiability(formula: &Formula) -> History {
    let mut b = History::builder();
    let variables: Vec<KeyId> = (1..=formula.variables()).map(|v| b.key(&format!("v{v}"))).collect();
    for (v, &variable) in (1..).zip(&variables) {
        for value in [FALSE, TRUE] {
            transaction(&mut b, &format!("v{v}.{value}"), &[Op::Write(variable, value)]);
        }
    }
    for (c, clause) in (1..).zip(formula.clauses()) {
        let literals: Vec<KeyId> = (1..=clause.len()).map(|i| b.key(&format!("c{c}.{i}"))).collect();
        for (i, (literal, &copy)) in (1..).zip(clause.iter().zip(&literals)) {
            let variable = variables[literal.variable as usize];
            for value in [FALSE, TRUE] {
                let copied = if literal.negated { 1 - value } else { value };
                let ops = [Op::Read(variable, Some(value)), Op::Write(copy, copied)];
                transaction(&mut b, &format!("c{c}.{i}.{copied}"), &ops);
            }
        }
        for (i, &literal) in literals.iter().enumerate() {
            let before = literals[(i + literals.len() - 1) % literals.len()];
            let then = b.key(&format!("c{c}/{}", i + 1));
            let ops = [Op::Read(before, Some(FALSE)), Op::Write(then, TRUE)];
            transaction(&mut b, &format!("c{c}/{}", i + 1), &ops);
            let ops = [Op::Read(then, Some(TRUE)), Op::Read(literal, Some(TRUE))];
            transaction(&mut b, &format!("c{c}/{}'", i + 1), &ops);
        }
    }
    b.build().expect("each value is written once")
}

fn transaction(b: &mut HistoryBuilder, name: &str, ops: &[Op<'_>]) {
    let session = b.session(name);
    b.transaction(session, Status::Committed, None, ops);
}

//! A SAT solver with limits, for searches that add clauses lazily.

use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, Var, clause, lbool};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// What the solver takes before it has learned anything: room for a million words of clauses.
pub(crate) const EMPTY: usize = 4 << 20;

/// What a variable takes, with what its owner knows of it.
const BYTES_PER_VARIABLE: usize = 400;

/// A variable of a [`Solver`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable(Var);

/// A SAT solver that stops at its limits.
pub(crate) struct Solver<'l> {
    solver: batsat::Solver<Polling<'l>>,
    variables: usize,
}

/// Stops the solver at a limit.
struct Polling<'l> {
    limits: &'l Limits<'l>,
    /// What clauses take.
    bytes: usize,
}

impl Callbacks for Polling<'_> {
    fn on_new_clause(&mut self, literals: &[Lit], _: clause::Kind) {
        self.bytes += bytes_of_clause(literals);
    }

    fn on_delete_clause(&mut self, literals: &[Lit]) {
        self.bytes = self.bytes.saturating_sub(bytes_of_clause(literals));
    }

    fn stop(&self) -> bool {
        self.limits.check(0).is_err() || self.limits.check_memory(self.bytes, 0).is_err()
    }
}

/// Its literals, a header, and two watches in lists with room to grow.
fn bytes_of_clause(literals: &[Lit]) -> usize {
    96 + 8 * literals.len()
}

impl<'l> Solver<'l> {
    pub(crate) fn new(limits: &'l Limits<'l>) -> Self {
        let polling = Polling { limits, bytes: 0 };
        Solver { solver: batsat::Solver::new(SolverOpts::default(), polling), variables: 0 }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        EMPTY + self.variables * BYTES_PER_VARIABLE + self.solver.cb().bytes
    }

    /// A new variable.
    pub(crate) fn variable(&mut self) -> Variable {
        self.variables += 1;
        Variable(self.solver.new_var(lbool::TRUE, true))
    }

    /// Not all of these variables have these values.
    pub(crate) fn forbid(&mut self, values: impl Iterator<Item = (Variable, bool)>) {
        let mut clause: Vec<Lit> = values.map(|(variable, value)| Lit::new(variable.0, !value)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    /// Whether something is not forbidden; if so, `value` tells of it.
    pub(crate) fn is_satisfiable(&mut self, states: u64) -> Result<bool, Limit> {
        let satisfiable = self.solver.solve_limited(&[]);
        if satisfiable == lbool::UNDEF {
            let limits = self.solver.cb().limits;
            limits.check(states)?;
            return Err(Limit::Memory { bytes: limits.max_memory, states });
        }
        Ok(satisfiable == lbool::TRUE)
    }

    /// The value of a variable in the last answer.
    pub(crate) fn value(&self, variable: Variable) -> bool {
        self.solver.get_model()[variable.0.idx() as usize] == lbool::TRUE
    }
}

//! Propositional formulas in conjunctive normal form, at most three literals a clause.

use std::fmt;
use std::str::FromStr;
use tribunal_random::Xoshiro;

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The variable, from 0.
    pub variable: u32,
    /// Whether the literal is true when the variable is false.
    pub negated: bool,
}

impl Literal {
    fn holds(self, value: bool) -> bool {
        value != self.negated
    }
}

/// Clauses of one to three literals, all of which must hold.
///
/// ```
/// use tribunal_machines::hard::Formula;
/// let formula: Formula = "c one of them, but not the first\np cnf 2 2\n1 2 0\n-1 0".parse()?;
/// assert_eq!(formula.solve(), Some(vec![false, true]));
/// assert_eq!(formula.to_string(), "p cnf 2 2\n1 2 0\n-1 0\n");
/// # Ok::<(), tribunal_machines::hard::InvalidFormula>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    variables: u32,
    clauses: Vec<Vec<Literal>>,
}

/// The reason why there is no such formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFormula {
    /// A clause has no literal, or more than three.
    #[error("clause {clause} has {literals} literals, expected 1 to 3")]
    Clause {
        /// Its number, from 1.
        clause: usize,
        /// The number of literals that it has.
        literals: usize,
    },
    /// A literal is of no variable of the formula.
    #[error("clause {clause} has a literal of variable {variable}, but there are {variables}")]
    Variable {
        /// The clause's number, from 1.
        clause: usize,
        /// The variable, from 1.
        variable: u64,
        /// The number of variables.
        variables: u32,
    },
    /// A random clause has three variables.
    #[error("random clauses take three of the variables, but there are {variables}")]
    TooFewVariables {
        /// The number of variables.
        variables: u32,
    },
    /// Something is not DIMACS.
    #[error("`{text}`, expected {expected}")]
    Syntax {
        /// The text that stands there.
        text: String,
        /// The text that should.
        expected: &'static str,
    },
    /// The text has other clauses than its header says.
    #[error("{found} clauses, but the header says {said}")]
    Count {
        /// The number of clauses.
        found: usize,
        /// The number that there should be.
        said: usize,
    },
    /// Something is wrong in a text.
    #[error("line {line}: {problem}")]
    At {
        /// The line, from 1.
        line: usize,
        /// The fault there.
        problem: Box<InvalidFormula>,
    },
}

impl InvalidFormula {
    fn at(self, line: usize) -> Self {
        InvalidFormula::At { line, problem: Box::new(self) }
    }
}

impl Formula {
    /// A formula of these clauses.
    pub fn new(variables: u32, clauses: Vec<Vec<Literal>>) -> Result<Self, InvalidFormula> {
        for (i, clause) in clauses.iter().enumerate() {
            fits(clause, i + 1)?;
            if let Some(literal) = clause.iter().find(|literal| literal.variable >= variables) {
                let variable = u64::from(literal.variable) + 1;
                return Err(InvalidFormula::Variable { clause: i + 1, variable, variables });
            }
        }
        Ok(Formula { variables, clauses })
    }

    /// Random clauses, `ratio` of them for each variable, each of three variables. Most formulas are satisfiable below a
    /// ratio of about 4.26 and few above it; those near it are the hardest.
    ///
    /// ```
    /// use tribunal_machines::hard::Formula;
    /// let formula = Formula::random(20, 4.26, 1)?;
    /// assert_eq!((formula.variables(), formula.clauses().len()), (20, 85));
    /// # Ok::<(), tribunal_machines::hard::InvalidFormula>(())
    /// ```
    pub fn random(variables: u32, ratio: f64, seed: u64) -> Result<Self, InvalidFormula> {
        if variables < 3 {
            return Err(InvalidFormula::TooFewVariables { variables });
        }
        let mut rng = Xoshiro::new(seed);
        let clause = |_| {
            let mut clause: Vec<Literal> = Vec::with_capacity(3);
            while clause.len() < 3 {
                let variable = rng.index(variables as usize) as u32;
                if clause.iter().all(|literal| literal.variable != variable) {
                    clause.push(Literal { variable, negated: rng.flip() });
                }
            }
            clause
        };
        let clauses = (0..(f64::from(variables) * ratio).round() as u64).map(clause).collect();
        Ok(Formula { variables, clauses })
    }

    /// Number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The clauses, one to three literals each.
    pub fn clauses(&self) -> &[Vec<Literal>] {
        &self.clauses
    }

    /// A satisfying assignment, if there is one (Davis, Logemann and Loveland 1962): meant for formulas of some dozens
    /// of variables.
    pub fn solve(&self) -> Option<Vec<bool>> {
        let mut assignment = vec![None; self.variables as usize];
        self.satisfy(&mut assignment)
            .then(|| assignment.into_iter().map(|value| value == Some(true)).collect())
    }

    /// Completes an assignment; leaves it as it was if that cannot be done.
    fn satisfy(&self, assignment: &mut [Option<bool>]) -> bool {
        let mut implied = Vec::new();
        let satisfied = match self.propagate(assignment, &mut implied) {
            None => false,
            Some(None) => true,
            Some(Some(Literal { variable, negated })) => [!negated, negated].into_iter().any(|value| {
                assignment[variable as usize] = Some(value);
                let satisfied = self.satisfy(assignment);
                if !satisfied {
                    assignment[variable as usize] = None;
                }
                satisfied
            }),
        };
        if !satisfied {
            implied.into_iter().for_each(|variable: u32| assignment[variable as usize] = None);
        }
        satisfied
    }

    /// Assigns what clauses with one literal left require. None if a clause has no literal left; otherwise a literal of
    /// a clause that does not hold yet, if there is one.
    fn propagate(&self, assignment: &mut [Option<bool>], implied: &mut Vec<u32>) -> Option<Option<Literal>> {
        loop {
            let (mut open, before) = (None, implied.len());
            for clause in &self.clauses {
                let value = |literal: &Literal| assignment[literal.variable as usize];
                if clause.iter().any(|literal| value(literal).is_some_and(|value| literal.holds(value))) {
                    continue;
                }
                let mut left = clause.iter().filter(|literal| value(literal).is_none());
                let first = *left.next()?;
                if left.all(|&literal| literal == first) {
                    assignment[first.variable as usize] = Some(!first.negated);
                    implied.push(first.variable);
                } else {
                    open = Some(first);
                }
            }
            if implied.len() == before {
                return Some(open);
            }
        }
    }
}

impl fmt::Display for Formula {
    /// DIMACS.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "p cnf {} {}", self.variables, self.clauses.len())?;
        for clause in &self.clauses {
            for literal in clause {
                write!(f, "{}{} ", if literal.negated { "-" } else { "" }, u64::from(literal.variable) + 1)?;
            }
            writeln!(f, "0")?;
        }
        Ok(())
    }
}

impl FromStr for Formula {
    type Err = InvalidFormula;

    /// Reads DIMACS: comments, `p cnf VARIABLES CLAUSES`, then clauses that each end with 0. As in SATLIB's files, a `%`
    /// ends the formula. Errors are [`InvalidFormula::At`] a line.
    fn from_str(text: &str) -> Result<Self, InvalidFormula> {
        let mut header: Option<(u32, usize, usize)> = None;
        let (mut clauses, mut clause, mut last) = (Vec::new(), Vec::new(), 1);
        for (line, text) in (1..).zip(text.lines()) {
            last = line;
            let words = text.split_whitespace();
            match (words.clone().next(), header) {
                (None, _) => continue,
                (Some(word), _) if word.starts_with('c') => continue,
                (Some("%"), _) => break,
                (Some(_), None) => {
                    let (variables, said) = parse_header(text).ok_or_else(|| no_header(text).at(line))?;
                    header = Some((variables, said, line));
                }
                (Some(_), Some((variables, ..))) => {
                    for word in words {
                        let number = clauses.len() + 1;
                        match literal(word, number, variables).map_err(|error| error.at(line))? {
                            Some(literal) => clause.push(literal),
                            None => end_clause(&mut clauses, &mut clause).map_err(|error| error.at(line))?,
                        }
                    }
                }
            }
        }
        // The last clause may lack its 0.
        if !clause.is_empty() {
            end_clause(&mut clauses, &mut clause).map_err(|error| error.at(last))?;
        }
        let Some((variables, said, line)) = header else { return Err(no_header("").at(last)) };
        if clauses.len() != said {
            return Err(InvalidFormula::Count { found: clauses.len(), said }.at(line));
        }
        Ok(Formula { variables, clauses })
    }
}

/// The literal that a word of a clause stands for; none for 0.
fn literal(word: &str, clause: usize, variables: u32) -> Result<Option<Literal>, InvalidFormula> {
    let syntax = || InvalidFormula::Syntax { text: word.into(), expected: "a literal or 0" };
    let number: i64 = word.parse().map_err(|_| syntax())?;
    let variable = number.unsigned_abs();
    if variable > u64::from(variables) {
        return Err(InvalidFormula::Variable { clause, variable, variables });
    }
    Ok((number != 0).then(|| Literal { variable: variable as u32 - 1, negated: number < 0 }))
}

fn end_clause(clauses: &mut Vec<Vec<Literal>>, clause: &mut Vec<Literal>) -> Result<(), InvalidFormula> {
    fits(clause, clauses.len() + 1)?;
    clauses.push(std::mem::take(clause));
    Ok(())
}

/// Whether a clause has one to three literals.
fn fits(literals: &[Literal], clause: usize) -> Result<(), InvalidFormula> {
    match literals.len() {
        1..=3 => Ok(()),
        literals => Err(InvalidFormula::Clause { clause, literals }),
    }
}

fn no_header(text: &str) -> InvalidFormula {
    InvalidFormula::Syntax { text: text.into(), expected: "`p cnf VARIABLES CLAUSES`" }
}

fn parse_header(line: &str) -> Option<(u32, usize)> {
    let mut words = line.split_whitespace();
    let (Some("p"), Some("cnf")) = (words.next(), words.next()) else { return None };
    let header = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    words.next().is_none().then_some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfies(formula: &Formula, assignment: &[bool]) -> bool {
        let holds = |literal: &Literal| literal.holds(assignment[literal.variable as usize]);
        formula.clauses().iter().all(|clause| clause.iter().any(holds))
    }

    #[test]
    fn solving_is_trying_every_assignment() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..200 {
            let formula = Formula::random(8, 5.0, seed).expect("enough variables");
            let assignment = |bits: u32| (0..8).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>();
            let satisfiable = (0..1 << 8).any(|bits| satisfies(&formula, &assignment(bits)));
            let solved = formula.solve();
            assert_eq!(solved.is_some(), satisfiable, "{formula}");
            assert!(solved.is_none_or(|solution| satisfies(&formula, &solution)), "{formula}");
            *if satisfiable { &mut yes } else { &mut no } += 1;
        }
        assert!(yes > 20 && no > 20, "{yes} satisfiable, {no} not");
    }

    #[test]
    fn dimacs_comes_back() {
        let formula = Formula::random(9, 3.0, 7).expect("enough variables");
        assert_eq!(formula.to_string().parse().as_ref(), Ok(&formula));
        assert_eq!(format!("c from SATLIB\n{formula}%\n0\n").parse(), Ok(formula));
    }

    #[test]
    fn malformed_formulas_are_named() {
        let refused = |text: &str| text.parse::<Formula>().expect_err("malformed").to_string();
        assert_eq!(refused("c empty"), "line 1: ``, expected `p cnf VARIABLES CLAUSES`");
        assert_eq!(refused("p cnf 2"), "line 1: `p cnf 2`, expected `p cnf VARIABLES CLAUSES`");
        assert_eq!(refused("p cnf 2 1\n1 x 0"), "line 2: `x`, expected a literal or 0");
        assert_eq!(
            refused("p cnf 2 1\n1 -3 0"),
            "line 2: clause 1 has a literal of variable 3, but there are 2"
        );
        assert_eq!(refused("c\np cnf 2 2\n1 -2 0"), "line 2: 1 clauses, but the header says 2");
        assert_eq!(refused("p cnf 2 1\n\n0"), "line 3: clause 1 has 0 literals, expected 1 to 3");
        assert_eq!(refused("p cnf 4 1\n1 2 3 4"), "line 2: clause 1 has 4 literals, expected 1 to 3");
        assert_eq!(Formula::random(2, 1.0, 0), Err(InvalidFormula::TooFewVariables { variables: 2 }));
    }
}

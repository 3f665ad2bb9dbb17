//! Conditions and states as herd prints them.

use std::fmt::Write as _;

use crate::run::{Observation, Outcome, Verdict};
use crate::syntax::{Comparison, Place, Proposition, Quantifier, Term};
use crate::test::Test;

/// What herd prints for a test, line by line, except for the hash. If executions were not counted, the numbers are of states.
pub fn herd(test: &Test, outcome: &Outcome, seconds: f64) -> String {
    let all = outcome.executions();
    let (word, quantifier) = match test.quantifier {
        Quantifier::Exists => ("Allowed", "exists"),
        Quantifier::NotExists => ("Forbidden", "~exists"),
        Quantifier::ForAll => ("Required", "forall"),
    };
    let (positive, negative) = match test.quantifier {
        Quantifier::NotExists => (all.negative, all.positive),
        _ => (all.positive, all.negative),
    };
    let name = &test.name;
    let mut text = format!("Test {name} {word}\nStates {}\n", outcome.states.len());
    for state in outcome.states.keys() {
        text.push_str(&test.state(state));
        text.push('\n');
    }
    let cut = if outcome.cut { "Loop " } else { "" };
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{cut}{}\nWitnesses\nPositive: {positive} Negative: {negative}",
        outcome.verdict(test.quantifier)
    );
    if outcome.undefined {
        text.push_str("Flag *undef*\n");
    }
    for flag in &outcome.flags {
        let _ = writeln!(text, "Flag {flag}");
    }
    let _ = writeln!(text, "Condition {quantifier} ({})", test.condition_text);
    let _ = writeln!(text, "Observation {name} {} {} {}", outcome.observation(), all.positive, all.negative);
    let _ = writeln!(text, "Time {name} {seconds:.2}");
    text
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ok => "Ok",
            Self::No => "No",
            Self::Undefined => "Undef",
        })
    }
}

impl std::fmt::Display for Observation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "Never",
            Self::Sometimes => "Sometimes",
            Self::Always => "Always",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    Top,
    And,
    Or,
    Implies,
}

/// A proposition, its places printed by a function.
pub(crate) fn proposition(prop: &Proposition, place: &mut dyn FnMut(&Place) -> String) -> String {
    write(prop, Above::Top, place)
}

fn write(prop: &Proposition, above: Above, place: &mut dyn FnMut(&Place) -> String) -> String {
    let mut joined = |all: &[Proposition], here: Above, sign: &str| {
        let parts: Vec<String> = all.iter().map(|p| write(p, here, place)).collect();
        parts.join(sign)
    };
    let (text, here) = match prop {
        Proposition::Atom(left, comparison, term) => {
            let atom = format!("{}={}", place(left), self::term(term, place));
            return match comparison {
                Comparison::Equal => atom,
                Comparison::Different => format!("not ({atom})"),
            };
        }
        Proposition::Not(inner) => return format!("not ({})", write(inner, Above::Top, place)),
        Proposition::And(all) if all.is_empty() => return "true".to_owned(),
        Proposition::Or(all) if all.is_empty() => return "false".to_owned(),
        Proposition::And(all) => (joined(all, Above::And, " /\\ "), Above::And),
        Proposition::Or(all) => (joined(all, Above::Or, " \\/ "), Above::Or),
        Proposition::Implies(left, right) => {
            let left = write(left, Above::Implies, place);
            (format!("{left} => {}", write(right, Above::Implies, place)), Above::Implies)
        }
    };
    // `/\` binds tighter than `\/`, `=>` tighter than both.
    let parentheses = match (above, here) {
        (Above::Top, _) | (Above::Or, Above::And) => false,
        (above, here) => above != here || here == Above::Implies,
    };
    if parentheses { format!("({text})") } else { text }
}

fn term(term: &Term, place: &mut dyn FnMut(&Place) -> String) -> String {
    match term {
        Term::Int(n) => n.to_string(),
        Term::Name(name) => name.clone(),
        Term::Element(name, index) => format!("{name}[{index}]"),
        Term::Label(thread, label) => format!("{thread}:{label}"),
        Term::Place(other) => place(other),
        Term::Array(values) => {
            let values: Vec<String> = values.iter().map(|v| self::term(v, place)).collect();
            format!("{{{}}}", values.join(","))
        }
    }
}

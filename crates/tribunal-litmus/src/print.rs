//! Conditions and states as herd prints them.

use crate::syntax::{Comparison, Place, Proposition, Term};

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

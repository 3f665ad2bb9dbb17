//! The properties of a method that follow from its text: whether it is read-only, and whether one parameter says all that it touches.

use crate::syntax::{Block, Expr, Local, Source, StateId, Statement};

/// Calls `visit` with every touch of the state: where, by which key if it is one entry of a map or sequence, and
/// whether it changes.
fn touches(block: &Block, visit: &mut dyn FnMut(StateId, Option<&Expr>, bool)) {
    for statement in block {
        match statement {
            Statement::Let(_, expr)
            | Statement::Evaluate(expr)
            | Statement::Require(expr)
            | Statement::Return(expr) => touched(expr, visit),
            Statement::Assign(state, expr) | Statement::Push(state, _, expr) => {
                touched(expr, visit);
                visit(*state, None, true);
            }
            Statement::Put(state, key, expr) => {
                touched(key, visit);
                touched(expr, visit);
                visit(*state, Some(key), true);
            }
            Statement::Remove(state, key) => {
                touched(key, visit);
                visit(*state, Some(key), true);
            }
            Statement::Clear(state) => visit(*state, None, true),
            Statement::When(condition, then, otherwise) => {
                touched(condition, visit);
                touches(then, visit);
                touches(otherwise, visit);
            }
            Statement::For(_, list, body) => {
                touched(list, visit);
                touches(body, visit);
            }
        }
    }
}

fn touched(expr: &Expr, visit: &mut dyn FnMut(StateId, Option<&Expr>, bool)) {
    match expr {
        Expr::Constant(_) | Expr::Local(_) => (),
        Expr::State(state)
        | Expr::Size(Source::State(state))
        | Expr::Least(state)
        | Expr::Greatest(state)
        | Expr::Keys(state)
        | Expr::Values(state) => visit(*state, None, false),
        Expr::Pop(state, _) => visit(*state, None, true),
        Expr::List(values) => values.iter().for_each(|value| touched(value, visit)),
        Expr::Not(value) | Expr::Negative(value) | Expr::Size(Source::Expr(value)) => touched(value, visit),
        Expr::Binary(_, left, right) | Expr::Element(left, right) => {
            touched(left, visit);
            touched(right, visit);
        }
        Expr::Entry(state, key) | Expr::Has(state, key) => {
            touched(key, visit);
            visit(*state, Some(key), false);
        }
    }
}

/// Whether a method changes nothing.
pub(crate) fn read_only(body: &Block) -> bool {
    let mut changes = false;
    touches(body, &mut |_, _, change| changes |= change);
    !changes
}

/// The parameter that is the key of every touch of the state, if there is one. Calls with different keys then touch
/// different entries. `maps` says which parts of the state are maps: elements of a sequence are not independent.
pub(crate) fn key(body: &Block, params: usize, maps: &dyn Fn(StateId) -> bool) -> Option<Local> {
    let mut key = None;
    let mut alone = true;
    touches(body, &mut |state, by, _| match by {
        Some(Expr::Local(local)) if local.0 < params && maps(state) => {
            alone &= key.is_none_or(|key| key == *local);
            key = Some(*local);
        }
        _ => alone = false,
    });
    key.filter(|_| alone)
}

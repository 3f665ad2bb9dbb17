//! A bank: `transfer(from, to, amount)` → whether it was done, `balance(account)` → the balance, `read()` → all accounts as
//! `[account, balance]`.

use super::tree;
use crate::object::{Invocation, Kind, Signature, Spec, Value};
use std::collections::BTreeMap;

/// A bank with initial balances. A transfer of a negative amount, of more than the balance, or between unknown
/// accounts returns false. The balance of an unknown account is null.
#[derive(Clone, Debug)]
pub struct Bank {
    initial: BTreeMap<Value, i64>,
}

impl Bank {
    /// A bank with these accounts.
    ///
    /// ```
    /// use tribunal::object::{Invocation, Spec, Value, specs::Bank};
    /// let bank = Bank::new([(Value::from("a"), 10), (Value::from("b"), 0)]);
    /// let args = [Value::from("a"), Value::from("b"), Value::from(11)];
    /// let ret = bank.step(&mut bank.initial(), Invocation { method: "transfer", args: &args });
    /// assert_eq!(ret, Some(Value::from(false)));
    /// ```
    pub fn new(balances: impl IntoIterator<Item = (Value, i64)>) -> Self {
        Bank { initial: balances.into_iter().collect() }
    }
}

impl Default for Bank {
    /// Accounts 0 to 7 with 10 each.
    fn default() -> Self {
        Bank::new((0..8).map(|account| (Value::Int(account), 10)))
    }
}

const SIGNATURES: &[Signature] = &[
    Signature::new("transfer", &[Kind::Any, Kind::Any, Kind::Int], Kind::Bool),
    Signature::new("balance", &[Kind::Any], Kind::Any),
    Signature::new("read", &[], Kind::List),
];

fn transfer(balances: &mut BTreeMap<Value, i64>, from: &Value, to: &Value, amount: i64) -> bool {
    let (Some(&rich), Some(&poor)) = (balances.get(from), balances.get(to)) else { return false };
    if amount < 0 || rich < amount {
        return false;
    }
    let Some(richer) = poor.checked_add(amount) else { return false };
    if from != to {
        balances.insert(from.clone(), rich - amount);
        balances.insert(to.clone(), richer);
    }
    true
}

impl Spec for Bank {
    type State = BTreeMap<Value, i64>;

    fn name(&self) -> &str {
        "bank"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        self.initial.clone()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + tree(state.len(), size_of::<(Value, i64)>())
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("transfer", [from, to, Value::Int(amount)]) => Some(transfer(state, from, to, *amount).into()),
            ("balance", [account]) => Some(state.get(account).map_or(Value::Null, |&balance| balance.into())),
            ("read", []) => {
                let rows =
                    state.iter().map(|(account, &balance)| Value::list([account.clone(), balance.into()]));
                Some(Value::list(rows))
            }
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        if self.read_only(a) && self.read_only(b) {
            return true;
        }
        let accounts = |call: Invocation<'_>| match (call.method, call.args.len()) {
            ("transfer", 3) => Some(2),
            ("balance", 1) => Some(1),
            _ => None,
        };
        let (Some(of_a), Some(of_b)) = (accounts(a), accounts(b)) else { return false };
        !a.args[..of_a].iter().any(|account| b.args[..of_b].contains(account))
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        match (call.method, call.args) {
            ("balance" | "read", _) => true,
            ("transfer", [from, to, amount]) => {
                from == to || amount.as_int().is_none_or(|amount| amount <= 0)
            }
            _ => false,
        }
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        self.read_only(call) || call.method == "transfer" && *ret == Value::Bool(false)
    }
}

//! The isolation levels as text in cat, which `models` prints and `verify` evaluates.
//!
//! Nothing here decides: the checks of the text are evaluated on a given commit order. The events of the text are the transactions that count,
//! the initial one first, followed by their external reads.

use super::{Base, History, INIT, Isolation, KeyId, Level, Op, OpId, Status, TxnId};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::plan::{self, Plan};
use tribunal_cat::relation::{Relation, Set};
use tribunal_cat::{Environment, Model, NoFiles};

/// The relations that all levels are made of.
const RELATIONS: &str = include_str!("../../models/transactions.cat");

/// The names of the facts that a history gives to the text.
const GIVEN: [&str; 10] =
    ["id", "source", "reader", "po", "written-by", "same-key", "so", "rt", "listed", "co"];

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let environment = GIVEN.iter().fold(Environment::bare(), |names, name| names.with_relation(name));
    let plan = |level: Level| Model::parse(&level.text(), level.name(), &mut NoFiles)?.plan(&environment);
    Level::ALL.map(|level| plan(level).expect("the text of a level")).into()
});

impl Level {
    /// Its definition in cat: checks that some commit order must satisfy.
    ///
    /// ```
    /// let si: tribunal::transactions::Level = "session-si".parse()?;
    /// assert!(si.text().ends_with("irreflexive co?; (so | wr | ww); rw as si\n"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn text(self) -> String {
        let checks: String =
            self.checks().into_iter().map(|(check, name)| format!("{check} as {name}\n")).collect();
        format!("(* {} *)\n\n{RELATIONS}\n{checks}", self.sentence())
    }

    /// The checks of its definition, which some commit order must satisfy.
    ///
    /// ```
    /// let ser: tribunal::transactions::Level = "ser".parse()?;
    /// assert_eq!(ser.axioms(), r"empty listed \ co; empty wr \ co; irreflexive co; rw");
    /// # Ok::<(), String>(())
    /// ```
    pub fn axioms(self) -> String {
        let checks: Vec<String> = self.checks().into_iter().map(|(check, _)| check).collect();
        checks.join("; ")
    }

    /// Its checks, each with a name.
    fn checks(self) -> Vec<(String, &'static str)> {
        let base = match self.base() {
            Base::None => "",
            Base::Session => "so | ",
            Base::Strict => "so | rt | ",
        };
        let mut checks = vec![(r"empty listed \ co".to_string(), "lists")];
        if self.isolation() == Isolation::Ru {
            return checks;
        }
        let known = format!("{base}wr");
        let known = if base.is_empty() { known } else { format!("({known})") };
        checks.push((format!(r"empty {known} \ co"), "order"));
        let forbidden = match self.isolation() {
            Isolation::Ru | Isolation::Rc => return checks,
            Isolation::Mav => ("source; po; overwritten".into(), "mav"),
            Isolation::Rat => (format!("{known}; rw"), "rat"),
            Isolation::Tcc => (format!("{known}+; rw"), "tcc"),
            Isolation::Psi => (format!("({base}wr | ww)+; rw"), "psi"),
            Isolation::Pc => (format!("co?; {known}; rw"), "pc"),
            Isolation::Si => (format!("co?; ({base}wr | ww); rw"), "si"),
            Isolation::Ser => ("co; rw".into(), "ser"),
        };
        checks.push((format!("irreflexive {}", forbidden.0), forbidden.1));
        checks
    }
}

/// The number of bytes that evaluating a text on so many events takes, at most: its relations are matrices.
pub fn bytes(events: usize) -> usize {
    let nodes = PLANS.iter().map(|plan| plan.nodes.len()).max().unwrap_or(0);
    nodes.saturating_mul(Relation::bytes(events))
}

/// The check of a level's text that does not hold of a commit order, by its name. The order has every transaction that counts once; `reads` are
/// their external reads, in the order of commits.
pub fn broken(
    history: &History,
    level: Level,
    commits: &[TxnId],
    reads: Vec<ExternalRead>,
) -> Option<String> {
    let place = Level::ALL.iter().position(|&known| known == level)?;
    let plan = &PLANS[place];
    let mut evaluator = Evaluator::new(plan, &[]);
    let facts = Facts::new(history, level, commits, reads);
    evaluator.load(&facts).expect("every name is given");
    let check = (0..plan.checks.len()).find(|&check| !evaluator.holds(check))?;
    Some(plan.checks[check].name.clone().unwrap_or_default())
}

/// An external read of a transaction that counts.
pub struct ExternalRead {
    /// The read.
    pub op: OpId,
    /// Its transaction.
    pub reader: TxnId,
    /// The transaction that it reads from.
    pub source: TxnId,
    /// The key that it reads.
    pub key: KeyId,
}

/// A history and a commit order, as sets and relations.
struct Facts<'h> {
    history: &'h History,
    level: Level,
    /// By transaction that counts, its event: its place in the commit order, the initial one before all.
    place: FxHashMap<TxnId, usize>,
    order: Vec<TxnId>,
    reads: Vec<ExternalRead>,
    /// By key, who writes it, without the initial transaction, which writes all.
    writers: FxHashMap<KeyId, Vec<TxnId>>,
}

impl<'h> Facts<'h> {
    fn new(history: &'h History, level: Level, commits: &[TxnId], reads: Vec<ExternalRead>) -> Self {
        let order: Vec<TxnId> = [INIT].into_iter().chain(commits.iter().copied()).collect();
        let place: FxHashMap<TxnId, usize> =
            order.iter().enumerate().map(|(place, &txn)| (txn, place)).collect();
        let mut writers: FxHashMap<KeyId, Vec<TxnId>> = FxHashMap::default();
        for &writer in commits {
            for op in history.ops_of(writer) {
                if let Op::Write(key, _) | Op::Append(key, _) = history.op(op) {
                    writers.entry(key).or_default().push(writer);
                }
            }
        }
        writers.values_mut().for_each(|writers| writers.dedup());
        Facts { history, level, place, order, reads, writers }
    }

    fn reads(&self) -> impl Iterator<Item = (usize, &ExternalRead)> {
        (self.order.len()..).zip(&self.reads)
    }

    /// Puts in the pairs of transactions that the condition holds of.
    fn fill(&self, into: &mut Relation, holds: impl Fn(TxnId, TxnId) -> bool) {
        for (a, &first) in self.order.iter().enumerate().skip(1) {
            for (b, &second) in self.order.iter().enumerate().skip(1) {
                if first != second && holds(first, second) {
                    into.insert(a, b);
                }
            }
        }
    }

    fn is_committed(&self, txn: TxnId) -> bool {
        self.history.status(txn) == Status::Committed
    }

    /// Adds the elements of others that reads of lists returned, transaction by transaction, then those that it returned nothing of.
    fn listed(&self, into: &mut Relation) {
        let history = self.history;
        let mut appender: FxHashMap<(KeyId, i64), TxnId> = FxHashMap::default();
        for &txn in &self.order[1..] {
            for op in history.ops_of(txn) {
                if let Op::Append(key, element) = history.op(op) {
                    appender.insert((key, element), txn);
                }
            }
        }
        for &reader in &self.order[1..] {
            let mut own: FxHashMap<KeyId, usize> = FxHashMap::default();
            for op in history.ops_of(reader) {
                let (key, list) = match history.op(op) {
                    Op::Append(key, _) => {
                        *own.entry(key).or_default() += 1;
                        continue;
                    }
                    Op::ReadList(key, list) => (key, list),
                    _ => continue,
                };
                let others = list.len().saturating_sub(own.get(&key).copied().unwrap_or(0));
                let mut seen: Vec<usize> = vec![0];
                for element in &list[..others] {
                    if let Some(txn) = appender.get(&(key, *element)) {
                        seen.push(self.place[txn]);
                    }
                }
                seen.dedup();
                seen.windows(2).for_each(|pair| into.insert(pair[0], pair[1]));
                let last = seen[seen.len() - 1];
                for txn in self.writers.get(&key).into_iter().flatten() {
                    let place = self.place[txn];
                    if !seen.contains(&place) {
                        into.insert(last, place);
                    }
                }
            }
        }
    }
}

impl plan::Facts for Facts<'_> {
    fn size(&self) -> usize {
        self.order.len() + self.reads.len()
    }

    fn set(&self, _: &str, _: &mut Set) -> bool {
        false
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        match name {
            "id" => (0..plan::Facts::size(self)).for_each(|event| into.insert(event, event)),
            "source" => self.reads().for_each(|(event, read)| into.insert(self.place[&read.source], event)),
            "reader" => self.reads().for_each(|(event, read)| into.insert(event, self.place[&read.reader])),
            "po" => {
                for (first, a) in self.reads() {
                    let later = self.reads().filter(|(_, b)| a.reader == b.reader && a.op < b.op);
                    later.for_each(|(second, _)| into.insert(first, second));
                }
            }
            "written-by" => {
                for (event, read) in self.reads() {
                    into.insert(event, 0);
                    let writers = self.writers.get(&read.key).into_iter().flatten();
                    writers.for_each(|writer| into.insert(event, self.place[writer]));
                }
            }
            "same-key" => {
                for writers in self.writers.values() {
                    let events: Vec<usize> =
                        [0].into_iter().chain(writers.iter().map(|txn| self.place[txn])).collect();
                    for &first in &events {
                        events
                            .iter()
                            .filter(|&&second| second != first)
                            .for_each(|&second| into.insert(first, second));
                    }
                }
            }
            "so" if self.level.base() == Base::None => {}
            "so" => self.fill(into, |first, second| {
                let session = |txn| self.history.session_of(txn);
                first < second && session(first) == session(second) && self.is_committed(first)
            }),
            "rt" if self.level.base() != Base::Strict => {}
            "rt" => self.fill(into, |first, second| {
                let end = self.history.span(first).and_then(|span| span.end);
                let begin = self.history.span(second).map(|span| span.begin);
                self.is_committed(first) && end.zip(begin).is_some_and(|(end, begin)| end < begin)
            }),
            "listed" => self.listed(into),
            "co" => {
                for first in 0..self.order.len() {
                    (first + 1..self.order.len()).for_each(|second| into.insert(first, second));
                }
            }
            _ => return false,
        }
        true
    }
}

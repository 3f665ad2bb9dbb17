//! Invalid histories of objects from valid ones: operations return what others returned.

use crate::hard::Mutation;
use tribunal_history::object::{History, OpId, ProcessId, ReturnId};
use tribunal_random::Xoshiro;

/// Gives operations the returns of others: what [`hard::mutate`](crate::hard::mutate) is to memories. `reads` is how many, and
/// `distance` how many operations may be called from the one that returned it first to the one that returns it now, or back.
///
/// A return is that of another operation of the same method, and not the one that the operation had.
///
/// ```
/// use tribunal_machines::{hard::Mutation, objects::{Clients, mutate}};
/// let history = Clients::default().run("queue");
/// let mutant = mutate(&history, &Mutation { reads: 3, distance: 20, seed: 1 });
/// assert_eq!(history.ops().filter(|&op| history.result(op) != mutant.result(op)).count(), 3);
/// ```
pub fn mutate(history: &History, mutation: &Mutation) -> History {
    let mut given = vec![None; history.len()];
    for (op, ret) in Returns::new(history, mutation.distance, mutation.seed).take(mutation.reads as usize) {
        given[op.index()] = Some(ret);
    }
    rebuild(history, history.name(), &given)
}

/// The mutants of a history with one return changed, with one more, and so on while there are operations that can return
/// something else.
pub fn mutants(history: &History, distance: u32, seed: u64) -> impl Iterator<Item = History> {
    let mut given = vec![None; history.len()];
    Returns::new(history, distance, seed).map(move |(op, ret)| {
        given[op.index()] = Some(ret);
        rebuild(history, history.name(), &given)
    })
}

/// The same history by another name.
pub fn renamed(history: &History, name: &str) -> History {
    rebuild(history, Some(name), &vec![None; history.len()])
}

/// Random operations, each once, with something else that it could return.
struct Returns<'a> {
    history: &'a History,
    distance: u32,
    rng: Xoshiro,
    /// The place of each call: how many operations were called before it.
    called: Vec<u32>,
    /// The completed operations of each method.
    of_method: Vec<Vec<OpId>>,
    /// The completed operations not drawn yet.
    left: Vec<OpId>,
}

impl<'a> Returns<'a> {
    fn new(history: &'a History, distance: u32, seed: u64) -> Self {
        let mut order: Vec<OpId> = history.ops().collect();
        if let Some(intervals) = history.intervals() {
            order.sort_by_key(|op| intervals.call[op.index()]);
        }
        let mut called = vec![0; history.len()];
        for (at, op) in (0..).zip(&order) {
            called[op.index()] = at;
        }
        let left: Vec<OpId> = order.into_iter().filter(|&op| !history.is_pending(op)).collect();
        let mut of_method = vec![Vec::new(); history.methods().len()];
        for &op in &left {
            of_method[history.method_of(op)].push(op);
        }
        Returns { history, distance, rng: Xoshiro::new(seed), called, of_method, left }
    }
}

impl Iterator for Returns<'_> {
    type Item = (OpId, ReturnId);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.left.is_empty() {
            let op = self.left.swap_remove(self.rng.index(self.left.len()));
            let here = self.called[op.index()];
            let truth = self.history.return_of(op);
            let near = |other: &&OpId| self.called[other.index()].abs_diff(here) <= self.distance;
            let others = self.of_method[self.history.method_of(op)].iter().filter(near);
            let candidates: Vec<ReturnId> = others
                .filter_map(|&other| self.history.return_of(other).filter(|&ret| Some(ret) != truth))
                .collect();
            if !candidates.is_empty() {
                return Some((op, candidates[self.rng.index(candidates.len())]));
            }
        }
        None
    }
}

/// The history with some returns replaced.
fn rebuild(history: &History, name: Option<&str>, given: &[Option<ReturnId>]) -> History {
    let mut b = History::builder();
    if let Some(name) = name {
        b.name(name);
    }
    let processes = || (0..history.process_count() as u32).map(ProcessId);
    for process in processes() {
        b.process(history.process_name(process));
    }
    for op in history.ops() {
        let (process, call) = (history.process(op), history.called(op));
        let ret = given[op.index()].or(history.return_of(op)).map(|ret| history.returned(ret).clone());
        match (history.times(op), ret) {
            (None, ret) => drop(b.operation(process, call.method, call.args, ret)),
            (Some((begin, end)), ret) => {
                let op = b.call(process, call.method, call.args, begin);
                if let (Some(ret), Some(end)) = (ret, end) {
                    b.ret(op, ret, end);
                }
            }
        }
    }
    if history.ops().any(|op| history.times(op).is_none()) {
        // What happens before an operation is, of each process, all up to some operation.
        for op in history.ops() {
            for process in processes().filter(|&process| process != history.process(op)) {
                let ops = history.of_process(process);
                let before = ops.partition_point(|&other| history.before(other, op));
                ops[..before].last().into_iter().for_each(|&last| b.before(last, op));
            }
        }
    }
    b.build().expect("times and order are those of a history")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Clients;
    use tribunal_engines::object::check;
    use tribunal_history::object::{Criterion, Value, specs::named};

    #[test]
    fn mutants_are_mostly_not_linearizable() {
        for name in ["register", "counter", "set", "map", "queue", "stack", "priority-queue", "kv-store"] {
            let spec = named(name).expect("a built-in name");
            let history = Clients { operations: 60, ..Clients::default() }.run(name);
            let broken = |seed: &u64| {
                let mutant = mutate(&history, &Mutation { reads: 3, distance: 20, seed: *seed });
                check(&mutant.typed(&*spec).expect("typed"), &Criterion::Linearizable).is_inconsistent()
            };
            let broken = (0..10).filter(broken).count();
            assert!(broken >= 5, "{name}: {broken} of 10");
        }
    }

    #[test]
    fn what_is_not_changed_stays() {
        let clients = Clients { pending: 0.1, ..Clients::default() };
        let history = clients.run("map");
        let same = renamed(&history, "again");
        assert_eq!(same.name(), Some("again"));
        for op in history.ops() {
            assert_eq!(same.show(op), history.show(op));
            assert_eq!((same.times(op), same.result(op)), (history.times(op), history.result(op)));
        }
    }

    #[test]
    fn explicit_orders_stay() {
        let mut b = History::builder();
        let processes = ["0", "1", "2"].map(|name| b.process(name));
        let ops = processes.map(|process| b.operation(process, "get", &[], Some(Value::from(0))));
        b.before(ops[0], ops[2]);
        let history = b.build().expect("a history");
        let same = renamed(&history, "again");
        for (a, c) in ops.into_iter().flat_map(|a| ops.map(|c| (a, c))) {
            assert_eq!(same.before(a, c), history.before(a, c));
        }
    }
}

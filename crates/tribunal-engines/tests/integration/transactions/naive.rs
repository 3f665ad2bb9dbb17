//! The definitions of the levels, tried out: every commit order of a handful of transactions.
//!
//! Relations are matrices, and each level's relation is written as its definition has it.

use serde_json::Value;
use std::collections::BTreeMap;

/// An operation.
#[derive(Clone, Debug)]
pub enum Op {
    Write(String, i64),
    Append(String, i64),
    /// A read of a register; none: nothing had been written.
    Read(String, Option<i64>),
    /// A read of a list.
    List(String, Vec<i64>),
    /// A read of which it is not known what it returned.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Committed,
    Aborted,
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Txn {
    pub session: usize,
    pub status: Status,
    pub begin: Option<i64>,
    pub end: Option<i64>,
    pub ops: Vec<Op>,
}

#[derive(Clone, Debug)]
pub struct History {
    pub init: Option<i64>,
    pub txns: Vec<Txn>,
}

/// Reads a history in native JSON.
pub fn history(json: &Value) -> History {
    let mut lists: Vec<&str> = Vec::new();
    let sessions = json["sessions"].as_array().expect("sessions");
    let all = || {
        sessions
            .iter()
            .flat_map(|s| s.as_array().expect("a session"))
            .flat_map(|t| t["txn"].as_array().expect("txn"))
    };
    for op in all() {
        if op[0] == "append" || op[2].is_array() {
            lists.push(op[1].as_str().expect("a key"));
        }
    }
    let mut txns = Vec::new();
    for (session, list) in sessions.iter().enumerate() {
        for txn in list.as_array().expect("a session") {
            let ops = txn["txn"].as_array().expect("txn").iter().map(|op| {
                let key = op[1].as_str().expect("a key").to_string();
                let value = || op[2].as_i64().expect("a value");
                match op[0].as_str() {
                    Some("w") => Op::Write(key, value()),
                    Some("append") => Op::Append(key, value()),
                    _ if op.as_array().is_some_and(|op| op.len() == 2) => Op::Unknown,
                    _ if lists.contains(&&*key) => {
                        let elements = op[2]
                            .as_array()
                            .map(|list| list.iter().map(|e| e.as_i64().expect("an element")).collect());
                        Op::List(key, elements.unwrap_or_default())
                    }
                    _ => Op::Read(key, op[2].as_i64()),
                }
            });
            let status = match txn["status"].as_str() {
                Some("aborted") => Status::Aborted,
                Some("unknown") => Status::Unknown,
                _ => Status::Committed,
            };
            txns.push(Txn {
                session,
                status,
                begin: txn["begin"].as_i64(),
                end: txn["end"].as_i64(),
                ops: ops.collect(),
            });
        }
    }
    History { init: json["init"].as_i64(), txns }
}

/// A relation on transactions; 0 is init.
type Relation = Vec<Vec<bool>>;

fn union(a: &Relation, b: &Relation) -> Relation {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| *a || *b).collect()).collect()
}

fn then(a: &Relation, b: &Relation) -> Relation {
    let n = a.len();
    let holds = |i: usize, k: usize| (0..n).any(|j| a[i][j] && b[j][k]);
    (0..n).map(|i| (0..n).map(|k| holds(i, k)).collect()).collect()
}

fn optional(a: &Relation) -> Relation {
    let mut a = a.clone();
    (0..a.len()).for_each(|i| a[i][i] = true);
    a
}

fn plus(a: &Relation) -> Relation {
    let mut plus = a.clone();
    loop {
        let more = union(&plus, &then(&plus, a));
        if more == plus {
            return plus;
        }
        plus = more;
    }
}

fn irreflexive(a: &Relation) -> bool {
    (0..a.len()).all(|i| !a[i][i])
}

/// What is wrong with reads, before any order is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misreads {
    /// Forbidden by every level.
    pub always: bool,
    /// Forbidden by rc and stronger.
    pub uncommitted: bool,
}

/// An external read: its reader, its place in it, its key and its source.
#[derive(Clone, Debug)]
pub struct Read {
    pub reader: usize,
    pub place: usize,
    key: String,
    pub source: usize,
    /// Of a list: what it returned, without its own appends at the end.
    list: Option<Vec<i64>>,
}

/// The levels without a prefix.
pub const LEVELS: [&str; 9] = ["ru", "rc", "mav", "rat", "tcc", "psi", "pc", "si", "ser"];

/// What counts, init first; the external reads of it; and what is wrong with reads.
pub fn reads(h: &History) -> (Vec<bool>, Vec<Read>, Misreads) {
    let n = h.txns.len() + 1;
    let mut counts = vec![false; n];
    counts[0] = true;
    (1..n).for_each(|t| counts[t] = h.txns[t - 1].status == Status::Committed);
    loop {
        let (mut reads, mut misreads) = (Vec::new(), Misreads::default());
        for t in (1..n).filter(|&t| counts[t]) {
            reads_of(h, t, &mut reads, &mut misreads);
        }
        let mut more = false;
        for read in &reads {
            more |=
                read.source > 0 && h.txns[read.source - 1].status == Status::Unknown && !counts[read.source];
            if read.source > 0 && h.txns[read.source - 1].status == Status::Unknown {
                counts[read.source] = true;
            }
        }
        // Elements inside lists are read, too.
        for t in (1..n).filter(|&t| counts[t]).collect::<Vec<_>>() {
            for op in &h.txns[t - 1].ops {
                if let Op::List(key, elements) = op {
                    for element in elements {
                        if let Some(w) = appender(h, key, *element)
                            && h.txns[w - 1].status == Status::Unknown
                            && !counts[w]
                        {
                            counts[w] = true;
                            more = true;
                        }
                    }
                }
            }
        }
        if !more {
            return (counts, reads, misreads);
        }
    }
}

/// Every level's verdict by name; none where it does not apply.
pub fn verdicts(h: &History) -> BTreeMap<String, Option<bool>> {
    let n = h.txns.len() + 1;
    let (counts, reads, misreads) = reads(h);
    let members: Vec<usize> = (1..n).filter(|&t| counts[t]).collect();
    // Reads of what aborted are misreads; there is no edge.
    let reads: Vec<Read> = reads.into_iter().filter(|read| counts[read.source]).collect();
    let of = |pairs: &dyn Fn(usize, usize) -> bool| -> Relation {
        (0..n).map(|a| (0..n).map(|b| counts[a] && counts[b] && pairs(a, b)).collect()).collect()
    };
    let so = of(&|a, b| {
        a > 0
            && a < b
            && h.txns[a - 1].session == h.txns[b - 1].session
            && h.txns[a - 1].status == Status::Committed
    });
    let timed = h.txns.iter().all(|t| t.begin.is_some());
    let rt = of(&|a, b| {
        a > 0
            && b > 0
            && h.txns[a - 1].status == Status::Committed
            && matches!((h.txns[a - 1].end, h.txns[b - 1].begin), (Some(end), Some(begin)) if end < begin)
    });
    let wr = of(&|a, b| reads.iter().any(|r| r.source == a && r.reader == b));
    let none = of(&|_, _| false);
    let bases = [("", none.clone()), ("session-", so.clone()), ("strict-", union(&so, &rt))];

    let mut answers: BTreeMap<String, Option<bool>> = BTreeMap::new();
    let mut open: Vec<(String, &str, Relation)> = Vec::new();
    for (prefix, base) in &bases {
        for level in LEVELS {
            let name = match (*prefix, level) {
                ("", "tcc") => continue,
                (_, "ru") if !prefix.is_empty() => continue,
                ("session-", "tcc") => "tcc".to_string(),
                _ => format!("{prefix}{level}"),
            };
            if *prefix == "strict-" && !timed {
                answers.insert(name, None);
                continue;
            }
            answers.insert(name.clone(), Some(false));
            if misreads.always || misreads.uncommitted && level != "ru" {
                continue;
            }
            open.push((name, level, base.clone()));
        }
    }
    // Every order of what counts.
    permutations(&members, &mut |order| {
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(i, &t)| place[t] = i + 1);
        if !explains_lists(h, order, &reads, &counts) {
            return !open.is_empty();
        }
        let co = of(&|a, b| place[a] < place[b] && (a > 0 || b > 0));
        let ww_on = |key: &str, a: usize, b: usize| writes(h, a, key) && writes(h, b, key) && co[a][b];
        let keys: Vec<String> = keys(h);
        let ww = of(&|a, b| keys.iter().any(|key| ww_on(key, a, b)));
        let rw = of(&|a, b| a != b && reads.iter().any(|r| r.reader == a && ww_on(&r.key, r.source, b)));
        // wr ; rw with the read of wr before that of rw in the transaction.
        let vanishing = reads.iter().any(|first| {
            reads.iter().any(|second| {
                first.reader == second.reader
                    && first.place < second.place
                    && first.source != first.reader
                    && ww_on(&second.key, second.source, first.source)
            })
        });
        open.retain(|(name, level, base)| {
            let d = union(base, &wr);
            let contained = |r: &Relation| (0..n).all(|a| (0..n).all(|b| !r[a][b] || co[a][b]));
            let holds = match *level {
                "ru" => true,
                _ if !contained(&d) => false,
                "rc" => true,
                "mav" => !vanishing,
                "rat" => irreflexive(&then(&d, &rw)),
                "tcc" => irreflexive(&then(&plus(&d), &rw)),
                "psi" => irreflexive(&then(&plus(&union(&d, &ww)), &rw)),
                "pc" => irreflexive(&then(&then(&optional(&co), &d), &rw)),
                "si" => irreflexive(&then(&then(&optional(&co), &union(&d, &ww)), &rw)),
                _ => irreflexive(&then(&co, &rw)),
            };
            if holds {
                answers.insert(name.clone(), Some(true));
            }
            !holds
        });
        !open.is_empty()
    });
    answers
}

fn keys(h: &History) -> Vec<String> {
    let mut keys: Vec<String> = h
        .txns
        .iter()
        .flat_map(|t| &t.ops)
        .filter_map(|op| match op {
            Op::Write(key, _) | Op::Append(key, _) | Op::Read(key, _) | Op::List(key, _) => Some(key.clone()),
            Op::Unknown => None,
        })
        .collect();
    keys.sort();
    keys.dedup();
    keys
}

fn writes(h: &History, t: usize, key: &str) -> bool {
    t == 0 || h.txns[t - 1].ops.iter().any(|op| matches!(op, Op::Write(k, _) | Op::Append(k, _) if k == key))
}

fn appender(h: &History, key: &str, element: i64) -> Option<usize> {
    (1..=h.txns.len()).find(|&t| {
        h.txns[t - 1].ops.iter().any(|op| matches!(op, Op::Append(k, e) if k == key && *e == element))
    })
}

fn appends<'a>(h: &'a History, t: usize, key: &'a str) -> impl Iterator<Item = i64> + 'a {
    h.txns[t - 1].ops.iter().filter_map(move |op| match op {
        Op::Append(k, e) if k == key => Some(*e),
        _ => None,
    })
}

fn reads_of(h: &History, t: usize, reads: &mut Vec<Read>, misreads: &mut Misreads) {
    let ops = &h.txns[t - 1].ops;
    for (place, op) in ops.iter().enumerate() {
        match op {
            Op::Read(key, value) => {
                let own = ops[..place].iter().rev().find_map(|op| match op {
                    Op::Write(k, v) if k == key => Some(*v),
                    _ => None,
                });
                if let Some(own) = own {
                    misreads.always |= *value != Some(own);
                    continue;
                }
                let is_initial = *value == h.init;
                let writer = value.and_then(|value| {
                    (1..=h.txns.len()).find(|&w| {
                        h.txns[w - 1]
                            .ops
                            .iter()
                            .any(|op| matches!(op, Op::Write(k, v) if k == key && *v == value))
                    })
                });
                let source = match writer {
                    None if is_initial => 0,
                    // Thin air, or what it writes later.
                    None => {
                        misreads.always = true;
                        continue;
                    }
                    Some(writer) if writer == t => {
                        misreads.always = true;
                        continue;
                    }
                    Some(writer) => writer,
                };
                if source > 0 {
                    let last = h.txns[source - 1].ops.iter().rev().find_map(|op| match op {
                        Op::Write(k, v) if k == key => Some(*v),
                        _ => None,
                    });
                    misreads.uncommitted |= h.txns[source - 1].status == Status::Aborted || last != *value;
                }
                reads.push(Read { reader: t, place, key: key.clone(), source, list: None });
            }
            Op::List(key, elements) => {
                let own: Vec<i64> = ops[..place]
                    .iter()
                    .filter_map(|op| match op {
                        Op::Append(k, e) if k == key => Some(*e),
                        _ => None,
                    })
                    .collect();
                let twice = (1..elements.len()).any(|i| elements[..i].contains(&elements[i]));
                misreads.always |= twice;
                if !elements.ends_with(&own) {
                    misreads.always = true;
                    continue;
                }
                let others = &elements[..elements.len() - own.len()];
                let mut bad = false;
                for element in others {
                    match appender(h, key, *element) {
                        None => bad = true,
                        Some(w) if w == t => bad = true,
                        Some(w) => misreads.uncommitted |= h.txns[w - 1].status == Status::Aborted,
                    }
                }
                if bad {
                    misreads.always = true;
                    continue;
                }
                let source = match others.last() {
                    None => 0,
                    Some(last) => {
                        let w = appender(h, key, *last).expect("it is there");
                        if appends(h, w, key).last() != Some(*last) {
                            misreads.uncommitted = true;
                        }
                        w
                    }
                };
                reads.push(Read { reader: t, place, key: key.clone(), source, list: Some(others.to_vec()) });
            }
            _ => {}
        }
    }
}

/// Whether what was read of lists are beginnings of what the transactions append in this order, and end where one ends.
fn explains_lists(h: &History, order: &[usize], reads: &[Read], counts: &[bool]) -> bool {
    reads.iter().all(|read| {
        let Some(list) = &read.list else { return true };
        // Aborted elements are in nobody's list.
        let list: Vec<i64> =
            list.iter().copied().filter(|e| appender(h, &read.key, *e).is_some_and(|w| counts[w])).collect();
        let mut whole: Vec<i64> = Vec::new();
        if list == whole {
            return true;
        }
        for &t in order {
            whole.extend(appends(h, t, &read.key));
            if list.len() <= whole.len() {
                return whole.starts_with(&list);
            }
        }
        false
    })
}

pub fn permutations(items: &[usize], visit: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    fn go(rest: &mut Vec<usize>, chosen: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize]) -> bool) -> bool {
        if rest.is_empty() {
            return visit(chosen);
        }
        for i in 0..rest.len() {
            let t = rest.remove(i);
            chosen.push(t);
            let more = go(rest, chosen, visit);
            chosen.pop();
            rest.insert(i, t);
            if !more {
                return false;
            }
        }
        true
    }
    go(&mut items.to_vec(), &mut Vec::new(), visit)
}

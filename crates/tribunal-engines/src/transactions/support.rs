//! The operations that a violation depends on.

use super::{Because, End, History, Link, Op, OpId, Proof, Rel, Source, TxnId, Violation};
use rustc_hash::FxHashSet;

/// All reads that a violation mentions.
pub(super) fn support(violation: &Violation) -> FxHashSet<OpId> {
    let mut reads = FxHashSet::default();
    collect(violation, &mut reads);
    reads
}

fn collect(violation: &Violation, reads: &mut FxHashSet<OpId>) {
    match violation {
        Violation::Misread(misread) => drop(reads.insert(misread.op)),
        Violation::Incompatible(incompatible) => reads.extend([incompatible.op, incompatible.other]),
        Violation::Proof(proof) => of_proof(proof, reads),
        Violation::Sources { read, cases } => {
            reads.insert(*read);
            cases.iter().for_each(|(_, case)| collect(case, reads));
        }
    }
}

fn of_proof(proof: &Proof, reads: &mut FxHashSet<OpId>) {
    for step in &proof.steps {
        match &step.because {
            Because::List(read) => drop(reads.insert(*read)),
            Because::Seen { read, path } => {
                reads.insert(*read);
                of_links(path, reads);
            }
            Because::Otherwise(path) => of_links(path, reads),
        }
    }
    match &proof.end {
        End::Cycle(cycle) => of_links(cycle, reads),
        End::Cases { forward, backward, .. } => {
            of_proof(forward, reads);
            of_proof(backward, reads);
        }
    }
}

fn of_links(links: &[Link], reads: &mut FxHashSet<OpId>) {
    reads.extend(links.iter().filter_map(|link| match link.rel {
        Rel::Wr(op) | Rel::Rw(op) => Some(op),
        Rel::So | Rel::Rt | Rel::Ww(_) => None,
    }));
}

/// Whether a proof depends on the order of sessions.
pub(super) fn speaks_of_sessions(proof: &Proof) -> bool {
    let so = |links: &[Link]| links.iter().any(|link| link.rel == Rel::So);
    let step = |step: &super::Step| match &step.because {
        Because::List(_) => false,
        Because::Seen { path, .. } | Because::Otherwise(path) => so(path),
    };
    proof.steps.iter().any(step)
        || match &proof.end {
            End::Cycle(cycle) => so(cycle),
            End::Cases { forward, backward, .. } => {
                speaks_of_sessions(forward) || speaks_of_sessions(backward)
            }
        }
}

/// The transactions that a violation mentions, with those that its reads read from.
pub(super) fn spoken_of(history: &History, violation: &Violation) -> FxHashSet<TxnId> {
    let (mut transactions, mut returned) = (FxHashSet::default(), FxHashSet::default());
    named(violation, &mut transactions);
    for read in support(violation) {
        transactions.insert(history.txn_of(read));
        match history.reads().source(read) {
            Source::Txn(source) => drop(transactions.insert(source)),
            Source::Open(sources) => transactions.extend(sources.iter()),
            Source::None => {}
        }
        match history.op(read) {
            Op::Read(key, Some(value)) => drop(returned.insert((key, value))),
            Op::ReadList(key, list) => returned.extend(list.iter().map(|&element| (key, element))),
            _ => {}
        }
    }
    // Of what is read by mistake, or as part of a list, whoever wrote it.
    let wrote = |&op: &OpId| match history.op(op) {
        Op::Write(key, value) | Op::Append(key, value) => returned.contains(&(key, value)),
        _ => false,
    };
    transactions.extend(history.ops().filter(wrote).map(|op| history.txn_of(op)));
    transactions
}

fn named(violation: &Violation, transactions: &mut FxHashSet<TxnId>) {
    match violation {
        Violation::Misread(_) | Violation::Incompatible(_) => {}
        Violation::Proof(proof) => of_proof_named(proof, transactions),
        Violation::Sources { cases, .. } => cases.iter().for_each(|(source, case)| {
            transactions.insert(*source);
            named(case, transactions);
        }),
    }
}

fn of_proof_named(proof: &Proof, transactions: &mut FxHashSet<TxnId>) {
    let mut links = |links: &[Link]| transactions.extend(links.iter().flat_map(|link| [link.from, link.to]));
    for step in &proof.steps {
        links(&[Link { from: step.first, to: step.second, rel: Rel::So }]);
        match &step.because {
            Because::List(_) => {}
            Because::Seen { path, .. } | Because::Otherwise(path) => links(path),
        }
    }
    match &proof.end {
        End::Cycle(cycle) => links(cycle),
        End::Cases { first, second, forward, backward, .. } => {
            transactions.extend([*first, *second]);
            of_proof_named(forward, transactions);
            of_proof_named(backward, transactions);
        }
    }
}

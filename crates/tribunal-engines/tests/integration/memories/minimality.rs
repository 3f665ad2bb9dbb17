//! Violations say nothing that could be left unsaid: without any one of their edges they are refused.

use std::path::{Path, PathBuf};
use tribunal_engines::memory::check;
use tribunal_formats::{Error, Input, open};
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};
use tribunal_history::{model::Model, verdict::Verdict};
use tribunal_verify::verify_violation;

/// Every edge list of a refutation in turn, for `f` to change.
fn lists(refutation: &mut Refutation, f: &mut impl FnMut(&mut Vec<Edge>)) {
    match refutation {
        Refutation::Cycle(Cycle { lemmas, edges }) => {
            lemmas.iter_mut().chain(edges.iter_mut()).for_each(|edge| inner_lists(edge, f));
            f(edges);
        }
        Refutation::SharedSource { .. } => {}
        Refutation::Overwritten { before, after, .. } => {
            f(before);
            f(after);
        }
        Refutation::Split { forward, backward, .. } => {
            lists(forward, f);
            lists(backward, f);
        }
        Refutation::ThinAir(_) | Refutation::NoSource(_) | Refutation::Check(_) => {}
        Refutation::Forced { then, .. } => lists(&mut then.refutation, f),
        Refutation::Sources { cases, .. } => {
            cases.iter_mut().for_each(|(_, case)| lists(&mut case.refutation, f));
        }
    }
}

fn inner_lists(edge: &mut Edge, f: &mut impl FnMut(&mut Vec<Edge>)) {
    match &mut edge.because {
        Because::Coherence { path }
        | Because::Read { path, .. }
        | Because::Seen { path, .. }
        | Because::Psc { path }
        | Because::Unless { cycle: path } => {
            path.iter_mut().for_each(|edge| inner_lists(edge, f));
            f(path);
        }
        Because::Atomic { premise } | Because::Fr { premise } => inner_lists(premise, f),
        _ => {}
    }
}

/// The models whose violations are also as short as their shape allows: no edge can stand for two successive ones.
const SHORTEST: [Model; 8] =
    [Model::Cc, Model::Ccv, Model::Cm, Model::Sra, Model::Ra, Model::Wra, Model::Rc20, Model::Relaxed];

/// Every way to leave out one edge, and to take two successive edges for one if `merge`.
fn shortened(violation: &Violation, merge: bool) -> Vec<Violation> {
    let mut sizes = Vec::new();
    lists(&mut violation.refutation.clone(), &mut |edges| sizes.push(edges.len()));
    let mut shorter = Vec::new();
    for (list, &size) in sizes.iter().enumerate() {
        for place in 0..size {
            for merge in [false, true].into_iter().take(1 + usize::from(merge)) {
                let (mut copy, mut at) = (violation.clone(), 0);
                lists(&mut copy.refutation, &mut |edges| {
                    if at == list {
                        let removed = edges.remove(place);
                        if merge && let Some(next) = edges.get_mut(place) {
                            next.from = removed.from;
                        }
                    }
                    at += 1;
                });
                shorter.push(copy);
            }
        }
    }
    shorter
}

/// The lemmas of a refutation that nothing refers to.
fn idle_lemmas(refutation: &Refutation) -> usize {
    fn uses(edge: &Edge, used: &mut [bool]) {
        match &edge.because {
            Because::Lemma(i) => used[*i] = true,
            Because::Coherence { path }
            | Because::Read { path, .. }
            | Because::Seen { path, .. }
            | Because::Psc { path }
            | Because::Unless { cycle: path } => {
                path.iter().for_each(|edge| uses(edge, used));
            }
            Because::Atomic { premise } | Because::Fr { premise } => uses(premise, used),
            _ => {}
        }
    }
    match refutation {
        Refutation::Cycle(Cycle { lemmas, edges }) => {
            let mut used = vec![false; lemmas.len()];
            lemmas.iter().chain(edges).for_each(|edge| uses(edge, &mut used));
            used.into_iter().filter(|used| !used).count()
        }
        Refutation::Split { forward, backward, .. } => idle_lemmas(forward) + idle_lemmas(backward),
        Refutation::SharedSource { .. } | Refutation::Overwritten { .. } => 0,
        Refutation::ThinAir(_) | Refutation::NoSource(_) | Refutation::Check(_) => 0,
        Refutation::Forced { then, .. } => idle_lemmas(&then.refutation),
        Refutation::Sources { cases, .. } => {
            cases.iter().map(|(_, case)| idle_lemmas(&case.refutation)).sum()
        }
    }
}

/// Looks at every violation of a history; how many there were.
fn minimal(x: &Execution, place: &str) -> usize {
    let mut violations = 0;
    for model in Model::ALL {
        let Verdict::Inconsistent(violation) = check(x, model) else { continue };
        violations += 1;
        assert_eq!(idle_lemmas(&violation.refutation), 0, "{place}, {model}: {violation:?}");
        // A step of psc may go a long way round, and where all is seq_cst the violation is one of sc.
        let merge =
            SHORTEST.contains(&model) && !matches!(violation.axiom, Axiom::SeqCst | Axiom::Sequential);
        for shorter in shortened(&violation, merge) {
            assert!(
                verify_violation(x, model, &shorter).is_err(),
                "{place}, {model}: {violation:?}\ncan be shortened to\n{shorter:?}"
            );
        }
    }
    violations
}

#[test]
fn nothing_can_be_left_out_of_a_violation() -> Result<(), Error> {
    let mut violations = 0;
    for corpus in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(corpus);
        for history in open(&Input::Path(path), None)? {
            let history = history?;
            let place = format!("{corpus}, line {}", history.line);
            violations += minimal(history.memory().expect("of a memory"), &place);
        }
    }
    assert!(violations > 1000, "the corpus has {violations} violations only");
    Ok(())
}

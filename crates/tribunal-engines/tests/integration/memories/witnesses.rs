//! Verification of witnesses against the definitions, on the labeled corpus.

use crate::memories::naive;
use std::path::PathBuf;
use tribunal_formats::{Error, History, Input, open};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::verdict::{ModificationOrder, Witness};
use tribunal_verify::{Refusal, verify_witness};

fn corpus() -> Result<impl Iterator<Item = Result<History, Error>>, Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    open(&Input::Path(path), None)
}

/// For models without mo, to accept the history as its own witness is to decide the model: verification alone must meet
/// every label.
#[test]
fn the_history_is_its_own_witness_where_the_label_says_so() -> Result<(), Error> {
    let without_mo = ["cc", "ccv", "cm", "pram", "ccm", "wccm", "wsc", "wra"];
    let (mut compared, mut mismatches) = (0, Vec::new());
    for history in corpus()? {
        let history = history?;
        for (name, label) in history.labels.0.iter().filter(|(name, _)| without_mo.contains(&name.as_str())) {
            let Ok(model) = name.parse::<Model>() else { continue };
            compared += 1;
            let found = match verify_witness(history.memory().expect("of a memory"), model, &Witness::History)
            {
                Ok(()) => Some(true),
                Err(Refusal::Broken { .. }) => Some(false),
                Err(Refusal::DoesNotApply { .. }) => None,
                Err(other) => panic!("{model}: {other}"),
            };
            if found != *label {
                mismatches
                    .push(format!("line {}, {model}: {found:?}, the label says {label:?}", history.line));
            }
        }
    }
    assert!(mismatches.is_empty(), "{} mismatches\n{}", mismatches.len(), mismatches.join("\n"));
    assert_eq!(compared, 8 * 3000);
    Ok(())
}

/// Every mo with the initial writes first, if there are at most `most`.
fn orders(x: &Execution, most: usize) -> Vec<ModificationOrder> {
    let mut all: Vec<Vec<Vec<EventId>>> = vec![Vec::new()];
    for loc in x.locations() {
        let mut permutations = vec![vec![x.init_write(loc)]];
        for w in x.events().filter(|&e| x.label(e).writes() && x.loc(e) == Some(loc)) {
            permutations = permutations
                .iter()
                .flat_map(|order| {
                    (1..=order.len()).map(move |at| {
                        let mut longer = order.clone();
                        longer.insert(at, w);
                        longer
                    })
                })
                .collect();
            if permutations.len() * all.len() > most {
                return Vec::new();
            }
        }
        all = all
            .iter()
            .flat_map(|orders| {
                permutations
                    .iter()
                    .map(move |order| [orders.as_slice(), std::slice::from_ref(order)].concat())
            })
            .collect();
    }
    let mo = |orders: &Vec<Vec<EventId>>| {
        let mut mo = ModificationOrder::new();
        orders.iter().for_each(|order| mo.push_location(order.iter().copied()));
        mo
    };
    all.iter().map(mo).collect()
}

#[test]
fn an_mo_is_accepted_if_and_only_if_it_satisfies_the_axioms() -> Result<(), Error> {
    let pairs =
        ["po-mm=RR/loc+WW+WR/loc;rf-mm=rf", "po-mm=RW+WW/loc+deps;rf-mm=rfe", "po-mm=WR+RR;rf-mm=rfe"];
    let named = [Model::Sc, Model::Tso, Model::Pso, Model::Rmo, Model::Wmo, Model::Coherence];
    let models: Vec<Model> =
        named.into_iter().chain(pairs.iter().filter_map(|pair| pair.parse().ok())).collect();
    assert_eq!(models.len(), 9);
    let (mut accepted, mut refused) = (0, 0);
    for history in corpus()? {
        let history = history?;
        let x = history.memory().expect("of a memory");
        let orders = orders(x, 24);
        for &model in &models {
            let before = accepted;
            for mo in &orders {
                let witness = Witness::Mo(mo.clone());
                let verified = verify_witness(x, model, &witness);
                let line = history.line;
                assert_eq!(verified.is_ok(), naive::satisfies(x, model, mo), "{line}, {model}: {verified:?}");
                *(if verified.is_ok() { &mut accepted } else { &mut refused }) += 1;
            }
            let consistent = naive::consistent(x, model) == Some(true);
            assert!(orders.is_empty() || consistent == (accepted > before), "{}, {model}", history.line);
        }
    }
    assert!(accepted > 10_000 && refused > 10_000, "{accepted} accepted, {refused} refused");
    Ok(())
}

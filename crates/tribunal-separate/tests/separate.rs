//! Every pair of models: where one is said to be included in another nothing separates them, and everywhere else something does.

use std::path::Path;
use tribunal_engines::memory::check;
use tribunal_formats::{Input, open};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model::{self, Pso, Rmo, Sc, Tso};
use tribunal_history::object::{Criterion, Specification, specs};
use tribunal_separate::{self as separate, Pair, Search};
use tribunal_verify::verify;

fn pairs() -> Vec<Pair> {
    let ordered =
        Model::ALL.into_iter().flat_map(|allows| Model::ALL.map(|forbids| Pair { allows, forbids }));
    ordered.filter(|pair| pair.allows != pair.forbids).collect()
}

fn search(events: usize, needed_only: bool) -> Search<'static> {
    Search { events, limits: Limits::default(), needed_only }
}

/// The stored separations, each with its file's name.
fn stored() -> Vec<(String, Execution)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/separations");
    let files = std::fs::read_dir(folder).expect("the folder of separations");
    let mut stored: Vec<_> = files
        .flat_map(|file| {
            let path = file.expect("a file").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let histories = open(&Input::Path(path), None).expect("a readable file");
            histories.map(move |history| {
                (name.clone(), history.expect("a history").into_memory().expect("a memory"))
            })
        })
        .collect();
    stored.sort_by_key(|(name, history)| (history.len(), name.clone()));
    stored
}

fn separates(x: &Execution, pair: Pair) -> bool {
    let (yes, no) = (check(x, pair.allows), check(x, pair.forbids));
    let separates = yes.is_consistent() && no.is_inconsistent();
    if separates {
        verify(x, pair.allows, &yes).expect("the witness is right");
        verify(x, pair.forbids, &no).expect("the violation is right");
    }
    separates
}

#[test]
fn stored_separations_separate_what_they_are_named_after() {
    for (name, history) in stored() {
        let (allows, forbids) = name.split_once("-not-").expect("a name of the form a-not-b");
        let model = |name: &str| name.parse().expect("a model's name");
        assert!(separates(&history, Pair { allows: model(allows), forbids: model(forbids) }), "{name}");
    }
}

/// Up to 5 events everything is tried; what needs more is stored.
#[test]
fn models_are_separated_unless_one_is_included() {
    let (pairs, stored) = (pairs(), stored());
    let separations = separate::models(&pairs, &search(5, true), |_, _| ());
    assert_eq!((separations.complete, &separations.limit), (5, &None));
    for (&pair, found) in pairs.iter().zip(&separations.found) {
        let Pair { allows, forbids } = pair;
        let known = || stored.iter().any(|(_, history)| separates(history, pair));
        match found {
            Some(found) => {
                assert!(!forbids.includes(allows), "{allows} is not in {forbids}: {found:?}");
                assert!(separates(found, pair), "{allows} and {forbids}: {found:?}");
            }
            None if forbids.includes(allows) => assert!(!known(), "{allows} is not in {forbids}"),
            None => assert!(known(), "nothing separates {allows} and {forbids}"),
        }
    }
}

/// What is left out as not needed is not: the sizes are the same.
#[test]
fn nothing_smaller_is_left_out() {
    let pairs = pairs();
    let sizes = |needed_only: bool| {
        let found = separate::models(&pairs, &search(4, needed_only), |_, _| ()).found;
        found.iter().map(|found| found.as_ref().map(Execution::len)).collect::<Vec<_>>()
    };
    assert_eq!(sizes(true), sizes(false));
}

/// A model of one's own may need what no model with a name does: here a private write between two accesses.
#[test]
fn models_of_ones_own_are_searched_in_full() {
    let model = |text: &str| text.parse::<Model>().expect("a pair (po-mm, rf-mm)");
    let found = |allows: Model, forbids: Model, events: usize| {
        let separations = separate::models(&[Pair { allows, forbids }], &search(events, true), |_, _| ());
        separations.found[0].as_ref().map(Execution::len)
    };
    assert_eq!(found(model("po-mm=RR+RW;rf-mm=rfe"), Pso, 5), None);
    assert_eq!(found(Pso, model("po-mm=RR+RW;rf-mm=rfe"), 5), None);
    // R→W and W→R together keep R→R if a write is in between.
    let (bare, through) = (model("po-mm=;rf-mm=rfe"), model("po-mm=RW+WR;rf-mm=rfe"));
    assert_eq!(found(bare, through, 4), Some(4));
    // Both look at dependencies: load-load hazards tell them apart.
    assert_eq!(found(Rmo, model("po-mm=deps;rf-mm=rfe"), 3), Some(3));
    assert_eq!(found(model("po-mm=deps;rf-mm=rfe"), Rmo, 3), None);
}

#[test]
fn a_search_ends_at_its_limit() {
    let limits = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    let search = Search { events: 8, limits, needed_only: true };
    let separations = separate::models(&[Pair { allows: Sc, forbids: Tso }], &search, |_, _| ());
    assert!(separations.limit.is_some() && separations.found[0].is_none() && separations.complete < 8);
}

#[test]
fn criteria_are_separated_unless_one_is_included() {
    let all = Criterion::ALL;
    let ordered =
        all.iter().flat_map(|allows| all.iter().map(move |forbids| (allows.clone(), forbids.clone())));
    let pairs: Vec<_> = ordered
        .filter(|(allows, forbids)| allows != forbids)
        .map(|(allows, forbids)| Pair { allows, forbids })
        .collect();
    let names = ["register", "set", "queue"];
    let specs: Vec<_> = names.iter().map(|name| specs::named(name).expect("built in")).collect();
    let specs: Vec<&dyn Specification> = specs.iter().map(|spec| &**spec).collect();
    let separations = separate::criteria(&pairs, &specs, &search(3, true), |_, _| ());
    for (Pair { allows, forbids }, found) in pairs.iter().zip(&separations.found) {
        // Between named criteria the answer is exact.
        assert_eq!(found.is_none(), forbids.includes(allows), "{allows} and {forbids}: {found:?}");
    }
}

//! The models that come with Tribunal elaborate on histories.

use std::path::Path;
use tribunal_cat::{Environment, Model, NoFiles};

#[test]
fn our_models_elaborate() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tribunal-history/models");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        // The relations that the isolation levels share; the checks are the levels' own.
        let shared = path.ends_with("transactions.cat");
        if shared || path.extension().is_none_or(|extension| extension != "cat") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let model =
            Model::parse(&text, &path.display().to_string(), &mut NoFiles).unwrap_or_else(|e| panic!("{e}"));
        let plan = model.plan_of(&Environment::history(), &12).unwrap_or_else(|e| panic!("{e}"));
        assert!(!plan.checks.is_empty(), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}

//! Texts of models: an error or a plan, whose operands come before what uses them. Begin with the models that there are:
//! `cargo fuzz run -s none cat corpus/cat ../crates/tribunal-history/models ../crates/tribunal-cat/library`

#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_cat::plan::{Op, Plan};
use tribunal_cat::{Architecture, Environment, Model, NoFiles};

fuzz_target!(|text: &str| {
    let Ok(model) = Model::parse(text, "fuzz.cat", &mut NoFiles) else { return };
    for environment in [Environment::history(), Environment::of(Architecture::C), Environment::bare()] {
        if let Ok(plan) = model.plan(&environment) {
            assert_ordered(&plan);
        }
        if let Ok(plan) = model.plan_of(&environment, &4) {
            assert_ordered(&plan);
        }
    }
});

fn assert_ordered(plan: &Plan) {
    for (id, node) in plan.nodes.iter().enumerate() {
        let operands: &[_] = match &node.op {
            Op::Union(a, b) | Op::Intersection(a, b) | Op::Difference(a, b) => &[*a, *b],
            Op::Product(a, b) | Op::Sequence(a, b) => &[*a, *b],
            Op::Complement(a) | Op::Domain(a) | Op::Range(a) | Op::Identity(a) => &[*a],
            Op::Inverse(a) | Op::Optional(a) | Op::Plus(a) | Op::Star(a) => &[*a],
            Op::Fixpoint(fixpoint, _) => &plan.fixpoints[fixpoint.0 as usize].bodies,
            _ => &[],
        };
        assert!(operands.iter().all(|operand| (operand.0 as usize) < id));
    }
    assert!(plan.checks.iter().all(|check| (check.node.0 as usize) < plan.nodes.len()));
}

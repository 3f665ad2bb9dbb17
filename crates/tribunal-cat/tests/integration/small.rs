//! The ways to ask about small executions agree. How long each takes is printed by
//! `cargo test --release -p tribunal-cat --test integration small -- --ignored --nocapture`.

use crate::by_hand::*;
use std::time::Instant;
use tribunal_cat::limits::Unlimited;
use tribunal_engines::memory::definition::Decider;

#[test]
#[ignore = "for measuring"]
fn small_executions() {
    for (name, plan) in
        [("sc", sc()), ("tso", tso()), ("ra", ra()), ("rc11", rc11()), ("immediate", immediate())]
    {
        let mut random = Random::new(1);
        let executions: Vec<Small> = (0..400).map(|_| Small::random(&mut random, 3, 10, 2)).collect();
        let mut decider = Decider::new(&plan, &["rf"]);
        let mut raised = vec![false; plan.checks.len()];
        let mut spent = [0.0; 6];
        let mut count = 0;
        for facts in &executions {
            let mut time = |at: usize, f: &mut dyn FnMut()| {
                let start = Instant::now();
                f();
                spent[at] += start.elapsed().as_secs_f64();
            };
            time(0, &mut || decider.load(facts).expect("all names"));
            time(1, &mut || decider.change(facts, &["rf"]).expect("all names"));
            let (mut refuted, mut consistent, mut judged, mut found) = (false, false, false, 0);
            time(2, &mut || refuted = decider.is_refuted(&[], &mut Unlimited).expect("no limit"));
            decider.change(facts, &["rf"]).expect("all names");
            time(3, &mut || consistent = decider.is_consistent(&[], &mut Unlimited).expect("no limit"));
            decider.change(facts, &["rf"]).expect("all names");
            time(4, &mut || judged = decider.judge(&[], &mut raised, &mut Unlimited).expect("no limit"));
            decider.change(facts, &["rf"]).expect("all names");
            time(5, &mut || found = decider.count(&[], &mut raised, &mut Unlimited).expect("no limit"));
            assert!(!(refuted && consistent), "{name}");
            assert_eq!((judged, found > 0), (consistent, consistent), "{name}");
            count += found;
        }
        let micros = spent.map(|seconds| format!("{:.1}", seconds * 1e6 / executions.len() as f64)).join(" ");
        eprintln!("{name}: load, change, is_refuted, is_consistent, judge, count ({count}): {micros} us");
    }
}

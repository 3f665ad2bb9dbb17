//! What is decided is what trying every order gives.

use crate::by_hand::*;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::limits::{Stopped, Unlimited};
use tribunal_cat::plan::*;
use tribunal_cat::refutation::{Case, Refutation};
use tribunal_cat::relation::Relation;
use tribunal_engines::memory::definition::{Decider, Verdict};

/// Every total order of some events that contains a relation, as lists.
fn orders(events: &[usize], base: &Relation) -> Vec<Vec<usize>> {
    if events.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in events.iter().enumerate() {
        if events.iter().any(|&e| base.contains(e, first)) {
            continue;
        }
        let mut rest = events.to_vec();
        rest.remove(i);
        all.extend(orders(&rest, base).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

/// Every value of a choice.
fn values(evaluator: &mut Evaluator, choice: &Choice, loc: &Relation) -> Vec<Relation> {
    let (events, base, by_location) = match choice.from {
        Orders::Locations { events, base } => (events, base, true),
        Orders::Linearizations { events, base } => (events, base, false),
    };
    let events: Vec<usize> = evaluator.set(events).iter().collect();
    let base = evaluator.relation(base).clone();
    let mut values = vec![Relation::empty(base.size())];
    let mut left = events.clone();
    while let Some(&first) = left.first() {
        let class: Vec<usize> =
            left.iter().copied().filter(|&e| !by_location || loc.contains(first, e)).collect();
        left.retain(|e| !class.contains(e));
        let orders = orders(&class, &base);
        values = values
            .iter()
            .flat_map(|value| {
                orders.iter().map(|order| {
                    let mut value = value.clone();
                    (0..order.len()).for_each(|i| (0..i).for_each(|j| value.insert(order[j], order[i])));
                    value
                })
            })
            .collect();
    }
    values
}

/// How many values of the choices are consistent, and what they raise.
fn brute_force(plan: &Plan, facts: &Small) -> (u64, Vec<bool>) {
    let mut evaluator = Evaluator::new(plan, &[]);
    evaluator.load(facts).expect("all names");
    let mut loc = Relation::empty(facts.size);
    facts.relation("loc", &mut loc);
    let mut found = (0, vec![false; plan.checks.len()]);
    fn go(evaluator: &mut Evaluator, loc: &Relation, choice: usize, found: &mut (u64, Vec<bool>)) {
        let plan = evaluator.plan();
        if choice == plan.choices.len() {
            let holds: Vec<bool> = (0..plan.checks.len()).map(|check| evaluator.holds(check)).collect();
            if (0..holds.len()).all(|c| holds[c] || plan.checks[c].effect != Effect::Require) {
                found.0 += 1;
                for (check, holds) in holds.into_iter().enumerate() {
                    found.1[check] |= match plan.checks[check].effect {
                        Effect::Require => false,
                        Effect::Flag => holds,
                        Effect::UndefinedUnless | Effect::Assert => !holds,
                    };
                }
            }
            return;
        }
        for value in values(evaluator, &plan.choices[choice], loc) {
            evaluator.choose(ChoiceId(choice as u32), &value);
            go(evaluator, loc, choice + 1, found);
        }
    }
    go(&mut evaluator, &loc, 0, &mut found);
    found
}

/// Changes something; what is accepted nevertheless must say nothing false: here, that inconsistent executions are so. How many are refused.
fn corrupt(random: &mut Random, plan: &Plan, facts: &Small, refutation: &Refutation) -> usize {
    let mut changed = refutation.clone();
    let case = random.index(changed.cases.len());
    match random.index(5) {
        0 => _ = changed.cases.pop(),
        1 => match &mut changed.cases[case] {
            Case::Split { forward, backward, .. } => *forward = *backward,
            Case::Clause(clause) => *clause += 1,
            Case::Cycle => changed.cases[case] = Case::Clause(0),
        },
        2 => changed.cases[case] = Case::Cycle,
        3 => changed.clauses.iter_mut().for_each(|clause| _ = clause.edges.pop()),
        _ => changed
            .clauses
            .iter_mut()
            .for_each(|clause| clause.check = (clause.check + 1) % plan.checks.len()),
    }
    usize::from(changed.verify(plan, facts, &[]).is_err())
}

/// A refutation of one execution is none of another that is consistent.
#[test]
fn consistent_executions_are_not_refuted() {
    for (seed, plan) in
        [(11, sc()), (12, tso()), (13, ra()), (14, rc11()), (15, immediate()), (16, two_choices())]
    {
        let mut random = Random::new(seed);
        let mut decider = Decider::new(&plan, &[]);
        let mut refutations = Vec::new();
        let mut accepted = Vec::new();
        for _ in 0..150 {
            let facts = Small::random(&mut random, 2, 5, 1);
            decider.load(&facts).expect("all names");
            match decider.decide(&[], &mut Unlimited) {
                Ok(Verdict::Inconsistent(Some(refutation))) => refutations.push(refutation),
                _ => accepted.push(facts),
            }
        }
        assert!(refutations.len() > 10 && accepted.len() > 10);
        for facts in &accepted {
            assert!(refutations.iter().all(|refutation| refutation.verify(&plan, facts, &[]).is_err()));
        }
    }
}

fn same_as_brute_force(plan: Plan, cases: usize, seed: u64, events: usize) {
    let mut random = Random::new(seed);
    let mut decider = Decider::new(&plan, &["rf"]);
    let (mut consistent, mut total, mut corrupted, mut splits) = (0, 0, 0, 0);
    for _ in 0..cases {
        let (threads, locations) = (2 + random.index(2), 1 + random.index(2));
        let events = 2 + random.index(events);
        let facts = Small::random(&mut random, threads, events, locations);
        let (count, raised) = brute_force(&plan, &facts);
        decider.load(&facts).expect("all names");
        assert_eq!(decider.is_consistent(&[], &mut Unlimited), Ok(count > 0), "{facts:?}");
        match decider.decide(&[], &mut Unlimited) {
            Ok(Verdict::Consistent(orders)) => {
                assert!(count > 0);
                for (choice, classes) in orders.iter().enumerate() {
                    let mut order = Relation::empty(facts.size);
                    for class in classes {
                        (0..class.len()).for_each(|i| (0..i).for_each(|j| order.insert(class[j], class[i])));
                    }
                    assert_eq!(*decider.evaluator().choice(ChoiceId(choice as u32)), order);
                }
            }
            Ok(Verdict::Inconsistent(Some(refutation))) => {
                assert_eq!(count, 0);
                assert_eq!(refutation.verify(&plan, &facts, &[]), Ok(()), "{refutation:?} {facts:?}");
                corrupted += corrupt(&mut random, &plan, &facts, &refutation);
                splits += refutation.cases.iter().filter(|case| matches!(case, Case::Split { .. })).count();
            }
            other => panic!("{other:?}"),
        }
        if count > 0 {
            assert!(
                (0..plan.checks.len())
                    .all(|c| plan.checks[c].effect != Effect::Require || decider.evaluator().holds(c))
            );
            consistent += 1;
        }
        total += 1;
        let mut marks = vec![false; plan.checks.len()];
        assert_eq!(decider.count(&[], &mut marks, &mut Unlimited), Ok(count), "{facts:?}");
        assert_eq!(marks, raised, "{facts:?}");
        marks.fill(false);
        assert_eq!(decider.judge(&[], &mut marks, &mut Unlimited), Ok(count > 0));
        assert_eq!(marks, raised, "{facts:?}");
        assert!(count == 0 || !decider.is_refuted(&[], &mut Unlimited).expect("there is no limit"));
        // Part of rf.
        let mut part = facts.clone();
        let rf = part.relations.iter_mut().find(|(name, _)| *name == "rf").map(|(_, rf)| rf).expect("rf");
        rf.retain(|_| random.index(2) == 0);
        decider.change(&part, &["rf"]).expect("all names");
        assert!(
            count == 0 || !decider.is_refuted(&[], &mut Unlimited).expect("there is no limit"),
            "{facts:?}"
        );
    }
    eprintln!("{consistent} of {total} consistent; {splits} splits, {corrupted} corrupted refutations");
    assert!(corrupted > 20 && splits > 10, "{corrupted} {splits}");
    assert!(consistent > 20 && consistent < total - 20, "{consistent} of {total} are consistent");
}

#[test]
fn sc_by_every_order() {
    same_as_brute_force(sc(), 1500, 1, 6);
}

#[test]
fn tso_by_every_order() {
    same_as_brute_force(tso(), 1500, 2, 6);
}

#[test]
fn ra_by_every_order() {
    same_as_brute_force(ra(), 1500, 3, 6);
}

#[test]
fn rc11_by_every_order() {
    same_as_brute_force(rc11(), 1500, 4, 6);
}

#[test]
fn what_is_not_monotone_by_every_order() {
    same_as_brute_force(immediate(), 800, 5, 6);
}

#[test]
fn two_choices_by_every_order() {
    same_as_brute_force(two_choices(), 300, 6, 4);
}

/// Executions that leave more open: what the search decides is what enumeration does, and refutations hold.
#[test]
fn searches_agree_with_enumeration() {
    let plans = [sc(), tso(), ra(), rc11()];
    let (mut random, mut splits) = (Random::new(21), 0);
    for round in 0..600 {
        let plan = &plans[round % plans.len()];
        let facts = Small::random(&mut random, 4, 11, 1 + round % 3);
        let mut decider = Decider::new(plan, &[]);
        decider.load(&facts).expect("all names");
        let mut raised = vec![false; plan.checks.len()];
        let any = decider.judge(&[], &mut raised, &mut Unlimited) == Ok(true);
        let count = decider.count(&[], &mut raised, &mut Unlimited).expect("no limit");
        assert_eq!(any, count > 0);
        match decider.decide(&[], &mut Unlimited) {
            Ok(Verdict::Consistent(_)) => assert!(count > 0, "{facts:?}"),
            Ok(Verdict::Inconsistent(Some(refutation))) => {
                assert_eq!(count, 0, "{facts:?}");
                assert_eq!(refutation.verify(plan, &facts, &[]), Ok(()));
                splits += refutation.cases.len() / 2;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(splits > 20, "{splits}");
}

/// Limits are asked, and end what would go on.
#[test]
fn limits_end_decisions() {
    let plan = immediate();
    let mut random = Random::new(22);
    let mut stopped = 0;
    for _ in 0..60 {
        let facts = Small::random(&mut random, 3, 8, 1);
        let mut decider = Decider::new(&plan, &[]);
        decider.load(&facts).expect("all names");
        for most in 0..4 {
            let mut limits = |_: usize, states: u64| if states > most { Err(Stopped) } else { Ok(()) };
            stopped += usize::from(decider.decide(&[], &mut limits).is_err());
            let mut none = |_: usize, _: u64| Err(Stopped);
            assert_eq!(decider.decide(&[], &mut none), Err(Stopped));
        }
    }
    assert!(stopped > 20, "{stopped}");
}

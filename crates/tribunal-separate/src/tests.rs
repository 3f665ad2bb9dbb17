use crate::annotate::Annotated;
use crate::judge::{Annotations, Rule};
use crate::search::Given;
use crate::seq_cst::choices;
use crate::shape::{Shape, Shapes};
use crate::sources::{History, histories};
use crate::text::Text;
use crate::{Pair, Search, models};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use tribunal_engines::memory::check;
use tribunal_engines::memory::definition::Decider;
use tribunal_history::memory::{Execution, Kind, Order};
use tribunal_history::model::definition::{Definition, NoFiles, plan};
use tribunal_history::verdict::Verdict;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_random::Random;

fn every_shape(events: usize, fences: &[Order], needed_only: bool, mut visit: impl FnMut(&Shape)) {
    let mut visit = |shape: &Shape| {
        visit(shape);
        ControlFlow::Continue(())
    };
    let _ = Shapes { events, fences, needed_only, visit: &mut visit }.run();
}

fn every_history(shape: &Shape, needed_only: bool, mut visit: impl FnMut(&History<'_>)) {
    let mut visit = |h: &History<'_>| {
        visit(h);
        ControlFlow::Continue(())
    };
    let _ = histories(shape, needed_only, &|_| false, &mut visit);
}

/// Every model on every history, with the weakest and the strongest annotations, as the engines judge it.
fn agree(events: usize, fences: &[Order], needed_only: bool, every: u64) -> u64 {
    let (mut at, mut compared) = (0, 0);
    every_shape(events, fences, needed_only, |shape| {
        let rules = |annotations: Annotations| Model::ALL.map(|model| Rule::new(model, shape, annotations));
        let (weakest, strongest) = (rules(Annotations::Weakest), rules(Annotations::Strongest));
        every_history(shape, needed_only, |h| {
            at += 1;
            if at % every != 0 {
                return;
            }
            for (i, model) in Model::ALL.into_iter().enumerate() {
                // sc ignores annotations.
                let weakest_pair = Pair { allows: model, forbids: Model::Sc };
                for (pair, rule) in
                    [(weakest_pair, &weakest[i]), (Pair { allows: Model::Sc, forbids: model }, &strongest[i])]
                {
                    let x = Annotated::full(h, pair, Given::Extremes).build("");
                    let verdict = check(&x, model);
                    if !matches!(verdict, Verdict::Unsupported(_)) {
                        assert_eq!(rule.allows(h), verdict.is_consistent(), "{model}: {x:?}");
                        compared += 1;
                    }
                }
            }
        });
    });
    compared
}

#[test]
fn small_histories_are_judged_as_the_engines_judge_them() {
    for events in 1..=3 {
        agree(events, &[], false, 1);
        agree(events, &Order::OF_FENCES, false, 1);
    }
    assert!(agree(4, &[], true, 1) > 10_000);
    assert!(agree(5, &[], true, 17) > 10_000);
    assert!(agree(4, &Order::OF_FENCES, true, 1) > 1_000);
    assert!(agree(5, &Order::OF_FENCES, true, 3) > 1_000);
}

/// Every model on every history, with the weakest and the strongest annotations: by its rule and by its text.
fn rules_are_texts(events: usize, fences: &[Order], every: u64) -> u64 {
    let (mut at, mut compared) = (0, 0);
    every_shape(events, fences, false, |shape| {
        at += 1;
        if at % every != 0 {
            return;
        }
        let unread = History::unread(shape);
        for model in Model::ALL {
            let weakest_pair = Pair { allows: model, forbids: Model::Sc };
            let strongest_pair = Pair { allows: Model::Sc, forbids: model };
            for (pair, annotations) in
                [(weakest_pair, Annotations::Weakest), (strongest_pair, Annotations::Strongest)]
            {
                let x = Annotated::full(&unread, pair, Given::Extremes).build("");
                if model.unsupported(&x).is_some() {
                    continue;
                }
                let plan = plan(model, &x).expect("a text of ours");
                let decider = RefCell::new(Decider::new(&plan, &["rf"]));
                let text = Text::new(model, &decider, &x).expect("names of ours");
                let rule = Rule::new(model, shape, annotations);
                every_history(shape, false, |h| {
                    assert_eq!(
                        rule.allows(h),
                        text.allows(h),
                        "{model}: {:?}",
                        Annotated::full(h, pair, Given::Extremes).build("")
                    );
                    compared += 1;
                });
            }
        }
    });
    compared
}

#[test]
fn rules_judge_as_texts_do() {
    for events in 1..=2 {
        rules_are_texts(events, &[], 1);
        rules_are_texts(events, &Order::OF_FENCES, 1);
    }
    assert!(rules_are_texts(3, &[], 1) > 1_000);
    assert!(rules_are_texts(4, &[], 29) > 1_000);
    assert!(rules_are_texts(4, &Order::OF_FENCES, 97) > 1_000);
}

fn text(name: &str, text: &str) -> Model {
    Model::Cat(Definition::new(name, text, &mut NoFiles).expect("a text"))
}

/// The smallest history that one allows and the other forbids, if it has at most so many events.
fn separation(allows: Model, forbids: Model, events: usize) -> Option<Execution> {
    let search = Search { events, limits: Limits::default(), needed_only: true };
    models(&[Pair { allows, forbids }], &search, |_, _| ()).found.remove(0)
}

#[test]
fn texts_are_separated() {
    const COHERENT: &str = "acyclic po-loc | rf | co | fr as coherent\n";
    let sc = text("my-sc.cat", "acyclic po | rf | co | fr as sc");
    let tso = text("my-tso.cat", &format!("{COHERENT}acyclic (po \\ (W * R)) | rf & ext | co | fr as tso"));
    let found = |allows, forbids, events| separation(allows, forbids, events).map(|x| x.len());
    assert_eq!(found(tso, sc, 4), Some(4));
    assert_eq!(found(Model::Tso, sc, 4), Some(4));
    assert_eq!(found(sc, tso, 4), None);
}

#[test]
fn texts_are_given_what_they_look_at() {
    let anything = text("anything.cat", "acyclic po-loc | rf | co | fr as coherent");
    // The reads of two threads see each other's writes, each of which depends on its read.
    let causal = text("causal.cat", "acyclic po-loc | rf | co | fr as coherent\nacyclic deps | rf as causal");
    let x = separation(anything, causal, 4).expect("load buffering");
    assert_eq!((x.len(), x.events().map(|event| x.deps(event).count()).sum::<usize>()), (4, 2));
    let ordered = text(
        "ordered.cat",
        "acyclic po-loc | rf | co | fr as coherent\nempty rf & ((REL | SC) * (ACQ | SC)) as none",
    );
    let x = separation(anything, ordered, 2).expect("a release that is acquired");
    let orders: Vec<Order> = x.events().map(|event| x.label(event).order()).collect();
    assert!(orders.contains(&Order::Release) && orders.contains(&Order::Acquire), "{orders:?}");
    let unfenced = text("unfenced.cat", "empty [R]; po; [MFENCE]; po; [R] as none");
    assert_eq!(separation(anything, unfenced, 3).map(|x| x.len()), Some(3));
}

/// rc20 and rc11 with orders of all kinds.
#[test]
fn orders_are_judged_as_the_engines_judge_them() {
    let mut random = Random::new(1);
    let mut below = |bound: usize| random.index(bound);
    let (mut at, mut forbidden) = (0, 0);
    for (events, fences, every) in
        [(4, &[][..], 3), (4, &Order::OF_FENCES, 3), (5, &[], 61), (5, &Order::OF_FENCES, 61)]
    {
        every_shape(events, fences, true, |shape| {
            every_history(shape, true, |h| {
                at += 1;
                if at % every != 0 {
                    return;
                }
                let mut orders = shape.labels.map(|label| label.order());
                for (event, label) in shape.labels[..events].iter().enumerate() {
                    let choices = choices(*label);
                    // Mostly the strongest, without which there is little to forbid.
                    orders[event] = choices[below(2 * choices.len()).min(choices.len() - 1)];
                }
                for (model, other) in [(Model::Rc20, Model::Rc11), (Model::Rc11, Model::Rc20)] {
                    let pair = Pair { allows: model, forbids: other };
                    let x = Annotated::full(h, pair, Given::Orders(&orders)).build("");
                    let allowed = Rule::new(model, shape, Annotations::Orders(orders)).allows(h);
                    assert_eq!(allowed, check(&x, model).is_consistent(), "{model}: {x:?}");
                    forbidden += u64::from(!allowed);
                }
            });
        });
    }
    assert!(forbidden > 1_000, "{forbidden}");
}

/// With fewer reads that have a source, a model allows no less.
#[test]
fn a_beginning_is_not_forbidden_if_the_whole_is_allowed() {
    every_shape(4, &[], true, |shape| {
        for rule in Model::ALL.map(|model| Rule::new(model, shape, Annotations::Strongest)) {
            let mut all = 0;
            every_history(shape, true, |h| all += u64::from(rule.allows(h)));
            let mut hopeful = 0;
            let mut visit = |h: &History<'_>| {
                hopeful += u64::from(rule.allows(h));
                ControlFlow::Continue(())
            };
            let _ = histories(shape, true, &|h| !rule.allows(h), &mut visit);
            assert_eq!(all, hopeful);
        }
    });
}

/// A history by threads, each event with its kind, its location and its source.
type Program = Vec<Vec<(Kind, usize, Option<(usize, usize)>)>>;

/// The smallest of all that differ in the names of threads and locations alone.
fn canonical(threads: &Program) -> String {
    let mut order: Vec<usize> = (0..threads.len()).collect();
    let mut smallest: Option<String> = None;
    loop {
        let mut names: Vec<usize> = Vec::new();
        let mut text = String::new();
        for &thread in &order {
            for &(kind, loc, source) in &threads[thread] {
                let name = names.iter().position(|&known| known == loc).unwrap_or_else(|| {
                    names.push(loc);
                    names.len() - 1
                });
                let source = source.map(|(t, i)| (order.iter().position(|&u| u == t), i));
                text += &format!("{kind:?} {name} {source:?};");
            }
            text += "//";
        }
        smallest = smallest.filter(|smallest| *smallest < text).or(Some(text));
        let Some(i) = (1..order.len()).rev().find(|&i| order[i - 1] < order[i]) else { break };
        let j = (i..order.len()).rev().find(|&j| order[j] > order[i - 1]).unwrap_or(i);
        order.swap(i - 1, j);
        order[i..].reverse();
    }
    smallest.unwrap_or_default()
}

/// Every history of threads of these lengths, again and again under different names.
fn all_plain(lengths: &[usize], found: &mut HashSet<String>) {
    let events: usize = lengths.iter().sum();
    let slots: Vec<(usize, usize)> =
        lengths.iter().enumerate().flat_map(|(t, &length)| (0..length).map(move |i| (t, i))).collect();
    let kinds = [Kind::Read, Kind::Write, Kind::Rmw];
    for choice in 0..(3 * events).pow(events as u32) {
        let of = |e: usize| choice / (3 * events).pow(e as u32) % (3 * events);
        let event = |e: usize| (kinds[of(e) % 3], of(e) / 3);
        let sources: Vec<Vec<Option<(usize, usize)>>> = (0..events)
            .map(|e| match event(e) {
                (Kind::Write, _) => vec![None],
                (_, loc) => {
                    let fits = |w: &usize| *w != e && event(*w).0 != Kind::Read && event(*w).1 == loc;
                    (0..events).filter(fits).map(|w| Some(slots[w])).chain([None]).collect()
                }
            })
            .collect();
        let mut digits = vec![0; events];
        loop {
            let mut program: Program = vec![Vec::new(); lengths.len()];
            for e in 0..events {
                program[slots[e].0].push((event(e).0, event(e).1, sources[e][digits[e]]));
            }
            found.insert(canonical(&program));
            let Some(e) = (0..events).find(|&e| digits[e] + 1 < sources[e].len()) else { break };
            digits[e] += 1;
            digits[..e].fill(0);
        }
    }
}

#[test]
fn every_history_comes_once() {
    for (events, lengths) in [(1, &[&[1][..]][..]), (2, &[&[2], &[1, 1]]), (3, &[&[3], &[2, 1], &[1, 1, 1]])]
    {
        let mut all = HashSet::new();
        lengths.iter().for_each(|lengths| all_plain(lengths, &mut all));
        let mut found = HashSet::new();
        every_shape(events, &[], false, |shape| {
            every_history(shape, false, |h| {
                let slot = |event: usize| {
                    let thread = shape.starts.partition_point(|&start| start <= event) - 1;
                    (thread, event - shape.starts[thread])
                };
                let mut program: Program = vec![Vec::new(); shape.starts.len() - 1];
                for event in 0..events {
                    let source = h.source(event).filter(|&source| source < events).map(slot);
                    program[slot(event).0].push((
                        shape.label(event).kind(),
                        shape.loc(event) as usize,
                        source,
                    ));
                }
                assert!(found.insert(canonical(&program)), "twice: {program:?}");
            });
        });
        assert_eq!(found, all);
    }
}

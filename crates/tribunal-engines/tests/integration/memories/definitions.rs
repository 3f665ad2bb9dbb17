//! Every model by its engines is the model of its text, on random histories.

use std::path::Path;
use tribunal_engines::Engine;
use tribunal_engines::memory::{judge, judge_by};
use tribunal_history::memory::{Execution, Interval, Op, Order};
use tribunal_history::model::definition::{Definition, Directories};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_random::Random;
use tribunal_verify::verify;

/// A history of up to four threads and three locations: reads, writes, RMWs and fences of every order, dependencies, times, final values.
fn history(random: &mut Random) -> Execution {
    let orders =
        [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst, Order::NonAtomic];
    let (threads, locations) = (1 + random.below(4), 1 + random.below(3));
    let (with_fences, with_finals, with_times) =
        (random.below(2) == 0, random.below(4) == 0, random.below(2) == 0);
    let mut b = Execution::builder();
    let threads: Vec<_> = (0..threads).map(|t| b.thread(&format!("T{t}"))).collect();
    let locations: Vec<_> = (0..locations).map(|x| b.location(&format!("x{x}"))).collect();
    // Values are written in advance, so that reads may come before writes.
    let mut written: Vec<Vec<u64>> = vec![vec![0]; locations.len()];
    let mut ops: Vec<Vec<(u64, usize, u64, Order)>> = Vec::new();
    let mut next = 1;
    for _ in &threads {
        let mut of_thread = Vec::new();
        for _ in 0..1 + random.below(4) {
            let (kind, loc) = (
                random.below(if with_fences { 5 } else { 4 }),
                random.below(locations.len() as u64) as usize,
            );
            let order = orders[random.below(6) as usize];
            if matches!(kind, 1..=2) {
                written[loc].push(next);
            }
            of_thread.push((kind, loc, next, order));
            next += 1;
        }
        ops.push(of_thread);
    }
    for (&thread, ops) in threads.iter().zip(ops) {
        let mut reads = Vec::new();
        for (kind, loc, value, order) in ops {
            let read = written[loc][random.below(written[loc].len() as u64) as usize];
            let read_order =
                if order == Order::Release || order == Order::AcqRel { Order::Acquire } else { order };
            let write_order =
                if order == Order::Acquire || order == Order::AcqRel { Order::Release } else { order };
            let op = match kind {
                0 | 3 => Op::read(locations[loc], read).order(read_order),
                1 => Op::write(locations[loc], value).order(write_order),
                2 if read != value => {
                    let order = if order == Order::NonAtomic { Order::Relaxed } else { order };
                    Op::rmw(locations[loc], read, value).order(order)
                }
                2 => Op::write(locations[loc], value).order(write_order),
                _ => Op::fence(if matches!(order, Order::Relaxed | Order::NonAtomic) {
                    Order::SeqCst
                } else {
                    order
                }),
            };
            let slot = b.push(thread, op);
            if with_times {
                let begin = random.below(20);
                b.interval(slot, Interval { begin: Some(begin), end: Some(begin + random.below(5)) });
            }
            if let Some(&on) = reads.last().filter(|_| random.below(3) == 0) {
                b.depends(slot, on);
            }
            if matches!(kind, 0 | 3) {
                reads.push(slot.index);
            }
        }
    }
    if with_finals {
        let loc = random.below(locations.len() as u64) as usize;
        let value = written[loc][random.below(written[loc].len() as u64) as usize];
        b.final_value(locations[loc], value);
    }
    b.build().expect("a history")
}

fn agree(seed: u64, histories: usize) {
    let mut random = Random::new(seed);
    let limits = Limits::default();
    let mut counts = [0; 2];
    for _ in 0..histories {
        let x = history(&mut random);
        for model in Model::ALL {
            let by_text = judge_by(&x, model, Engine::Definition, &limits).expect("every model has a text").0;
            let (judged, engine) = judge(&x, model, &limits);
            assert_eq!(by_text.word(), judged.word(), "{model} by {}: {x:?}", engine.name());
            assert_eq!(verify(&x, model, &by_text), Ok(()), "{model}: {by_text:?} of {x:?}");
            counts[usize::from(by_text.is_consistent())] += 1;
        }
    }
    println!("{histories} histories: {} inconsistent, {} consistent", counts[0], counts[1]);
}

#[test]
fn engines_decide_the_texts() {
    agree(1, 1_000);
}

/// A minute or two in release: `cargo test --release -p tribunal-engines --test integration definitions -- --ignored`.
#[test]
#[ignore = "20,000 histories under every model"]
fn engines_decide_the_texts_of_many_more() {
    agree(3, 20_000);
}

/// herd's own files, from its installation, say what ours of the same name say.
#[test]
fn herds_texts_are_ours() {
    let Some(directory) = std::env::var_os("TRIBUNAL_HERD") else {
        eprintln!("left out: TRIBUNAL_HERD does not say where herd's cat files are");
        return;
    };
    let directory = std::path::PathBuf::from(directory);
    let given = |name: &str| {
        let path = directory.join(name);
        let text = std::fs::read_to_string(&path).expect("one of herd's files");
        let mut library = Directories::new([directory.clone()], |path: &Path| std::fs::read(path));
        Model::Cat(Definition::new(&path.display().to_string(), &text, &mut library).expect("a model"))
    };
    let pairs = [("sc.cat", Model::Sc), ("x86tso.cat", Model::Tso), ("rc11.cat", Model::Rc11)];
    let pairs = pairs.map(|(name, model)| (given(name), model));
    let (mut random, limits) = (Random::new(2), Limits::default());
    let mut compared = [0; 3];
    for _ in 0..3_000 {
        let x = history(&mut random);
        // x86 has full fences alone.
        let full = x.events().all(|e| !x.label(e).is_fence() || x.label(e).order() == Order::SeqCst);
        for (i, (theirs, ours)) in pairs.into_iter().enumerate() {
            if ours == Model::Tso && !full {
                continue;
            }
            let (theirs, ours) = (judge(&x, theirs, &limits).0, judge(&x, ours, &limits).0);
            assert_eq!(theirs.word(), ours.word(), "{x:?}");
            compared[i] += 1;
        }
    }
    println!("compared {compared:?}");
}

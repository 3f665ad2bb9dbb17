//! Explanations, word for word.

use super::explain;
use crate::line::{SCREENFUL, fold};
use tribunal_history::memory::{EventId, Execution, Op, Order};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

fn edge(from: EventId, to: EventId, because: Because) -> Edge {
    Edge { from, to, because }
}

fn lines(x: &Execution, axiom: Axiom, refutation: Refutation) -> String {
    fold(&explain(x, tribunal_history::model::Model::Sc, &Violation { axiom, refutation }), SCREENFUL)
        .join("\n")
}

/// T0: W x 1; W y 1 // T1: R y 1; R x 0
fn message_passing() -> Execution {
    let mut b = Execution::builder();
    let (t0, t1) = (b.thread("T0"), b.thread("T1"));
    let (x, y) = (b.location("x"), b.location("y"));
    b.push(t0, Op::write(x, 1));
    b.push(t0, Op::write(y, 1));
    b.push(t1, Op::read(y, 1));
    b.push(t1, Op::read(x, 0));
    b.build().unwrap()
}

#[test]
fn a_stale_read_reads_like_a_textbook() {
    let x = message_passing();
    let [wx, wy, ry, rx, init] = [0, 1, 2, 3, 4].map(EventId);
    let past = vec![edge(wx, wy, Because::Po), edge(wy, ry, Because::Rf), edge(ry, rx, Because::Po)];
    let first = vec![edge(init, wx, Because::Po)];
    let cycle = Cycle {
        lemmas: vec![],
        edges: vec![
            edge(init, wx, Because::Coherence { path: first.clone() }),
            edge(wx, init, Because::Read { read: rx, path: past.clone() }),
        ],
    };
    let overwritten = Refutation::Overwritten { read: rx, by: wx, before: first, after: past };
    for (axiom, refutation) in
        [(Axiom::ReadCoherence, Refutation::Cycle(cycle)), (Axiom::WeakReadCoherence, overwritten)]
    {
        assert_eq!(
            lines(&x, axiom, refutation),
            "\
T1:1 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:
  init x -po-> T0:0 W x 1
  T0:0 W x 1 -po-> T0:1 W y 1 -rf-> T1:0 R y 1 -po-> T1:1 R x 0"
        );
    }
}

/// T0: W x 1; R y 0 // T1: W y 1; R x 0
#[test]
fn a_cycle_of_two_reads_says_what_they_miss() {
    let mut b = Execution::builder();
    let (t0, t1) = (b.thread("T0"), b.thread("T1"));
    let (x, y) = (b.location("x"), b.location("y"));
    b.push(t0, Op::write(x, 1));
    b.push(t0, Op::read(y, 0));
    b.push(t1, Op::write(y, 1));
    b.push(t1, Op::read(x, 0));
    let x = b.build().unwrap();
    let [wx, ry, wy, rx, init_x, init_y] = [0, 1, 2, 3, 4, 5].map(EventId);
    let fr = |read, init, write| {
        let path = vec![edge(init, write, Because::Po)];
        let premise = Box::new(edge(init, write, Because::Coherence { path }));
        edge(read, write, Because::Fr { premise })
    };
    let edges =
        vec![edge(wx, ry, Because::Po), fr(ry, init_y, wy), edge(wy, rx, Because::Po), fr(rx, init_x, wx)];
    assert_eq!(
        lines(&x, Axiom::Sequential, Refutation::Cycle(Cycle { lemmas: vec![], edges })),
        "\
there would have to be a cycle:
  T0:0 W x 1 -po-> T0:1 R y 0 -fr-> T1:0 W y 1 -po-> T1:1 R x 0 -fr-> T0:0 W x 1
  where T0:1 R y 0 -fr-> T1:0 W y 1, since it reads from init y
  where T1:1 R x 0 -fr-> T0:0 W x 1, since it reads from init x"
    );
}

#[test]
fn one_fr_edge_is_a_stale_read() {
    let x = message_passing();
    let [wx, wy, ry, rx, init] = [0, 1, 2, 3, 4].map(EventId);
    let first = vec![edge(init, wx, Because::PoLoc)];
    let premise = Box::new(edge(init, wx, Because::Coherence { path: first }));
    let edges = vec![
        edge(wx, wy, Because::Ppo),
        edge(wy, ry, Because::Rf),
        edge(ry, rx, Because::Ppo),
        edge(rx, wx, Because::Fr { premise }),
    ];
    assert_eq!(
        lines(&x, Axiom::Global, Refutation::Cycle(Cycle { lemmas: vec![], edges })),
        "\
T1:1 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:
  init x -po-loc-> T0:0 W x 1
  T0:0 W x 1 -ppo-> T0:1 W y 1 -rf-> T1:0 R y 1 -ppo-> T1:1 R x 0"
    );
}

/// T0: W x 1 // T1: W x 2; R x 1; R x 2
#[test]
fn an_observer_sees_writes_both_ways() {
    let mut b = Execution::builder();
    let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
    b.push(t0, Op::write(x, 1));
    b.push(t1, Op::write(x, 2));
    b.push(t1, Op::read(x, 1));
    b.push(t1, Op::read(x, 2));
    let x = b.build().unwrap();
    let [one, two, r1, r2] = [0, 1, 2, 3].map(EventId);
    let seen = |observer, read, path| Because::Seen { observer, read, path };
    let edges = vec![
        edge(two, one, seen(r2, r1, vec![edge(two, r1, Because::Po)])),
        edge(one, two, seen(r2, r2, vec![edge(one, r1, Because::Rf), edge(r1, r2, Because::Po)])),
    ];
    assert_eq!(
        lines(&x, Axiom::CausalMemory, Refutation::Cycle(Cycle { lemmas: vec![], edges })),
        "\
hb would have to order T1:0 W x 2 and T0:0 W x 1 both ways:
  T1:0 W x 2 -hb-> T0:0 W x 1, since T1:1 R x 1 reads from T0:0 W x 1 with T1:0 W x 2 in its past, as T1:2 R x 2 has seen:
    T1:0 W x 2 -po-> T1:1 R x 1
  T0:0 W x 1 -hb-> T1:0 W x 2, since T1:2 R x 2 reads from T1:0 W x 2 with T0:0 W x 1 in its past:
    T0:0 W x 1 -rf-> T1:1 R x 1 -po-> T1:2 R x 2"
    );
}

#[test]
fn names_cannot_command_a_terminal() {
    let mut b = Execution::builder();
    let (t, x) = (b.thread("T\u{1b}[31m"), b.location("x\n\u{202e}é"));
    let w = b.push(t, Op::write(x, 1));
    let x = b.build().unwrap();
    let (event, because) = (x.event(w), Because::Po);
    let cycle = Cycle { lemmas: vec![], edges: vec![edge(event, event, because)] };
    let shown = lines(&x, Axiom::PoRf, Refutation::Cycle(cycle));
    let event = r"T\u{1b}[31m:0 W x\n\u{202e}é 1";
    assert_eq!(shown, format!("there is a cycle:\n  {event} -po-> {event}"));
}

#[test]
fn fences_say_how_they_synchronise() {
    let mut b = Execution::builder();
    let (t0, t1, y) = (b.thread("T0"), b.thread("T1"), b.location("y"));
    b.push(t0, Op::fence(Order::Release));
    b.push(t0, Op::write(y, 1));
    b.push(t1, Op::read(y, 1));
    b.push(t1, Op::fence(Order::Acquire));
    let x = b.build().unwrap();
    let [release, write, read, acquire] = [0, 1, 2, 3].map(EventId);
    let cycle = Cycle { lemmas: vec![], edges: vec![edge(release, acquire, Because::Sw { write, read })] };
    assert_eq!(
        lines(&x, Axiom::PoRf, Refutation::Cycle(cycle)),
        "\
there is a cycle:
  T0:0 F.rel -sw-> T1:1 F.acq
  where T0:0 F.rel -sw-> T1:1 F.acq, since
    T0:1 W y 1 -rf-> T1:0 R y 1"
    );
}

#[test]
fn cases_are_told_apart_and_folded() {
    let mut b = Execution::builder();
    let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
    b.push(t0, Op::write(x, 1));
    b.push(t1, Op::write(x, 2));
    let x = b.build().unwrap();
    let [first, second] = [0, 1].map(EventId);
    let leaf = || {
        let edges = vec![
            edge(first, second, Because::Assumed),
            edge(second, first, Because::Atomic { premise: Box::new(edge(second, first, Because::Final)) }),
        ];
        Box::new(Refutation::Cycle(Cycle { lemmas: vec![], edges }))
    };
    let split = |forward, backward| Box::new(Refutation::Split { first, second, forward, backward });
    let mut tree = split(leaf(), leaf());
    let shown = lines(&x, Axiom::StrongWriteCoherence, (*tree).clone());
    assert!(
        shown.starts_with(
            "\
mo orders T0:0 W x 1 and T1:0 W x 2 one way or the other, and neither works:
  suppose T0:0 W x 1 -mo-> T1:0 W x 2
    mo would have to order T0:0 W x 1 and T1:0 W x 2 both ways:
      T0:0 W x 1 -mo-> T1:0 W x 2, as supposed
      T1:0 W x 2 -mo-> T0:0 W x 1, since nothing comes between an RMW and the write it reads from:
        T1:0 W x 2 -mo-> T0:0 W x 1, since 1 is the final value
  suppose T1:0 W x 2 -mo-> T0:0 W x 1
"
        ),
        "{shown}"
    );
    for _ in 0..6 {
        tree = split(tree.clone(), tree);
    }
    let shown = lines(&x, Axiom::StrongWriteCoherence, *tree);
    assert!(shown.lines().count() <= SCREENFUL + 1, "{shown}");
    assert!(shown.ends_with("more lines; check --style json has everything)"), "{shown}");
}

#[test]
fn long_paths_show_both_ends() {
    let mut b = Execution::builder();
    let (t, x) = (b.thread("T0"), b.location("x"));
    for value in 1..=1000 {
        b.push(t, Op::write(x, value));
    }
    let x = b.build().unwrap();
    let edges = (0..999).map(|at| edge(EventId(at), EventId(at + 1), Because::Po)).collect();
    let shown = lines(&x, Axiom::PoRf, Refutation::Cycle(Cycle { lemmas: vec![], edges }));
    assert!(shown.contains("... 984 more ..."), "{shown}");
    assert!(shown.ends_with("-po-> T0:999 W x 1000"), "{shown}");
}

/// T0: W.sc x 1; W.sc y 2 // T1: W.sc y 1; W.sc x 2, of which both first writes are last.
#[test]
fn seq_cst_events_are_ordered_by_what_they_do() {
    let mut b = Execution::builder();
    let (t0, t1) = (b.thread("T0"), b.thread("T1"));
    let (x, y) = (b.location("x"), b.location("y"));
    for (t, loc, value) in [(t0, x, 1), (t0, y, 2), (t1, y, 1), (t1, x, 2)] {
        b.push(t, Op::write(loc, value).order(Order::SeqCst));
    }
    let history = b.build().unwrap();
    let [x1, y2, y1, x2] = [0, 1, 2, 3].map(EventId);
    let psc = |step: Edge| edge(step.from, step.to, Because::Psc { path: vec![step] });
    let po = |from, to| psc(edge(from, to, Because::Po));
    let round = vec![
        po(x1, y2),
        psc(edge(y2, y1, Because::Lemma(0))),
        po(y1, x2),
        psc(edge(x2, x1, Because::Assumed)),
    ];
    let cycle = Cycle {
        lemmas: vec![edge(y2, y1, Because::Final)],
        edges: vec![edge(x1, x2, Because::Unless { cycle: round }), edge(x2, x1, Because::Final)],
    };
    assert_eq!(
        lines(&history, Axiom::SeqCst, Refutation::Cycle(cycle)),
        "\
(1) T0:1 W.sc y 2 -mo-> T1:0 W.sc y 1, since 1 is the final value
mo would have to order T0:0 W.sc x 1 and T1:1 W.sc x 2 both ways:
  T0:0 W.sc x 1 -mo-> T1:1 W.sc x 2, since the other way round the seq_cst events would be in a cycle:
    T0:0 W.sc x 1 -psc-> T0:1 W.sc y 2 -psc-> T1:0 W.sc y 1 -psc-> T1:1 W.sc x 2 -psc-> T0:0 W.sc x 1
    where T0:0 W.sc x 1 -psc-> T0:1 W.sc y 2, since both are seq_cst, and the first is earlier in its thread
    where T0:1 W.sc y 2 -psc-> T1:0 W.sc y 1, since both are seq_cst, and the first writes y before the second, by (1)
    where T1:0 W.sc y 1 -psc-> T1:1 W.sc x 2, since both are seq_cst, and the first is earlier in its thread
    where T1:1 W.sc x 2 -psc-> T0:0 W.sc x 1, since both are seq_cst, and the first writes x before the second, as supposed
  T1:1 W.sc x 2 -mo-> T0:0 W.sc x 1, since 1 is the final value"
    );
}

/// T0: W y 1; F.sc; W x 1 // T1: R x 1; F.sc; R y 0
#[test]
fn seq_cst_fences_are_ordered_by_what_is_around_them() {
    let mut b = Execution::builder();
    let (t0, t1) = (b.thread("T0"), b.thread("T1"));
    let (x, y) = (b.location("x"), b.location("y"));
    b.push(t0, Op::write(y, 1));
    b.push(t0, Op::fence(Order::SeqCst));
    b.push(t0, Op::write(x, 1));
    b.push(t1, Op::read(x, 1));
    b.push(t1, Op::fence(Order::SeqCst));
    b.push(t1, Op::read(y, 0));
    let history = b.build().unwrap();
    let [wy, f, wx, rx, g, ry] = [0, 1, 2, 3, 4, 5].map(EventId);
    let init = history.init_write(y);
    let po = |from, to| edge(from, to, Because::Po);
    let first = edge(init, wy, Because::Coherence { path: vec![po(init, wy)] });
    let fr = edge(ry, wy, Because::Fr { premise: Box::new(first) });
    let forth = vec![po(f, wx), edge(wx, rx, Because::Rf), po(rx, g)];
    let back = vec![po(g, ry), fr, po(wy, f)];
    let edges = vec![edge(f, g, Because::Psc { path: forth }), edge(g, f, Because::Psc { path: back })];
    let cycle = Cycle { lemmas: vec![], edges };
    assert_eq!(
        lines(&history, Axiom::SeqCst, Refutation::Cycle(cycle)),
        "\
the seq_cst events would have to be in a cycle:
  T0:1 F.sc -psc-> T1:1 F.sc, since both are seq_cst, and T1:0 R x 1, before the second, reads from T0:2 W x 1, after the first:
    T0:1 F.sc -po-> T0:2 W x 1 -rf-> T1:0 R x 1 -po-> T1:1 F.sc
  T1:1 F.sc -psc-> T0:1 F.sc, since both are seq_cst, and T1:2 R y 0, after the first, reads y from before T0:0 W y 1, before the second, writes it:
    T1:1 F.sc -po-> T1:2 R y 0 -fr-> T0:0 W y 1 -po-> T0:1 F.sc
    where T1:2 R y 0 -fr-> T0:0 W y 1, since it reads from init y"
    );
}

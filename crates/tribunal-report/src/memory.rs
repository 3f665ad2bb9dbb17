//! Violations and witnesses in words, short enough at litmus size to read like a textbook.

use crate::printable;
use tribunal::memory::{EventId, Execution};
use tribunal::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation, Witness};

/// Longer explanations are folded, the deepest lines first.
const SCREENFUL: usize = 40;
/// A longer path is broken at its edges.
const WIDTH: usize = 104;
/// Of a path with more edges only both ends are shown.
const LONG_PATH: usize = 16;
/// Deeper cases of a search are left to the JSON output.
const DEEPEST: usize = 32;

/// The lines that explain a violation, the axiom itself excepted.
pub fn explain(x: &Execution, violation: &Violation) -> Vec<String> {
    let mut page = Page { x, order: order_of(violation.axiom), lemmas: Vec::new(), lines: Vec::new() };
    page.refutation(0, &violation.refutation);
    page.fold()
}

/// What the relation between writes is called that the axiom speaks of.
const fn order_of(axiom: Axiom) -> &'static str {
    match axiom {
        Axiom::CausalConflict => "cf",
        Axiom::CausalMemory | Axiom::Pipelined => "hb",
        Axiom::CausalConvergence => "pww",
        Axiom::WeakCausalConvergence => "wpww",
        Axiom::SaturatedSequential => "st",
        _ => "mo",
    }
}

/// The lines that show a witness.
pub fn show_witness(x: &Execution, witness: &Witness) -> Vec<String> {
    let Witness::Mo(mo) = witness else {
        return vec!["no mo to show: the axioms speak of the history alone".into()];
    };
    let mut page = Page { x, order: "mo", lemmas: Vec::new(), lines: Vec::new() };
    for loc in x.locations() {
        let steps: Vec<_> = mo.of(loc).iter().map(|&write| ("mo".to_string(), write)).collect();
        page.line(0, format!("mo of {}:", x.location_name(loc)));
        page.walk(1, &steps);
    }
    page.fold()
}

/// The commonest shape: one read reads a write that another, `by`, overwrote before the read.
struct Stale<'a> {
    read: EventId,
    by: EventId,
    /// From `by` to the read.
    path: Vec<&'a Edge>,
    /// Why `by` comes after the write that is read.
    overwrites: Vec<&'a Edge>,
}

/// Either fr goes from the read to `by`, and the rest of the cycle back. Or the order of the writes goes from `by` to the
/// write that is read because of that one read, and the rest of the cycle says plainly that `by` comes after it.
fn stale(edges: &[Edge]) -> Option<Stale<'_>> {
    let rest = |at: usize| edges[at + 1..].iter().chain(&edges[..at]).collect::<Vec<_>>();
    let is_read = |edge: &Edge| matches!(edge.because, Because::Read { .. } | Because::Seen { .. });
    if let Some(at) = edges.iter().position(|edge| matches!(edge.because, Because::Fr { .. })) {
        let Edge { from, to, because: Because::Fr { premise } } = &edges[at] else { return None };
        let path = rest(at);
        let plain = path.iter().all(|edge| edge.because.is_history());
        return plain.then_some(Stale { read: *from, by: *to, path, overwrites: vec![premise] });
    }
    let at = edges.iter().position(is_read)?;
    let overwrites = rest(at);
    let plain = overwrites.iter().all(|edge| !edge.because.is_mo())
        || overwrites.len() == 1 && !is_read(overwrites[0]);
    match &edges[at].because {
        Because::Read { read, path } | Because::Seen { read, path, .. } if plain => {
            Some(Stale { read: *read, by: edges[at].from, path: path.iter().collect(), overwrites })
        }
        _ => None,
    }
}

/// Lines as they are written, with their depth.
struct Page<'a> {
    x: &'a Execution,
    /// What orders the writes: mo, or what a model without mo has in its place.
    order: &'static str,
    /// By lemma of the cycle at hand: what relates its ends.
    lemmas: Vec<&'static str>,
    lines: Vec<(usize, String)>,
}

impl Page<'_> {
    fn line(&mut self, depth: usize, text: String) {
        self.lines.push((depth, printable(&text).into_owned()));
    }

    fn show(&self, event: EventId) -> String {
        self.x.show(event).to_string()
    }

    fn refutation(&mut self, depth: usize, refutation: &Refutation) {
        if depth > DEEPEST {
            return self.line(depth, "...".into());
        }
        match refutation {
            Refutation::Cycle(cycle) => self.cycle(depth, cycle),
            Refutation::SharedSource { write, rmws: [a, b] } => {
                let (write, a, b) = (self.show(*write), self.show(*a), self.show(*b));
                let text = format!(
                    "{a} and {b} both read from {write}, but only one RMW can come right after a write"
                );
                self.line(depth, text);
            }
            Refutation::Overwritten { read, by, before, after } => {
                self.stale_read(depth, *read, *by);
                self.path(depth + 1, before);
                self.path(depth + 1, after);
            }
            Refutation::Split { first, second, forward, backward } => {
                let (a, b) = (self.show(*first), self.show(*second));
                self.line(depth, format!("mo orders {a} and {b} one way or the other, and neither works:"));
                for (earlier, later, case) in [(&a, &b, forward), (&b, &a, backward)] {
                    self.line(depth + 1, format!("suppose {earlier} -mo-> {later}"));
                    self.refutation(depth + 2, case);
                }
            }
        }
    }

    fn source(&self, read: EventId) -> String {
        self.x.rf(read).map_or_else(String::new, |write| self.show(write))
    }

    fn stale_read(&mut self, depth: usize, read: EventId, by: EventId) {
        let source = self.source(read);
        let (read, by) = (self.show(read), self.show(by));
        self.line(
            depth,
            format!("{read} reads from {source}, yet {by} overwrites that and comes before the read:"),
        );
    }

    fn cycle(&mut self, depth: usize, cycle: &Cycle) {
        self.lemmas.clear();
        for (number, lemma) in cycle.lemmas.iter().enumerate() {
            self.claim(depth, &format!("({}) ", number + 1), lemma);
            self.lemmas.push(self.arrow(lemma));
        }
        let edges = &cycle.edges;
        if let Some(Stale { read, by, path, overwrites }) = stale(edges) {
            self.stale_read(depth, read, by);
            match overwrites.as_slice() {
                // That the write overwrites is said already: how it comes after is left to say.
                [Edge { because: Because::Coherence { path }, .. }] => self.path(depth + 1, path),
                [edge] => self.claim(depth + 1, "", edge),
                edges => self.path(depth + 1, edges.iter().copied()),
            }
            return self.path(depth + 1, path);
        }
        let all_mo = edges.iter().all(|edge| edge.because.is_mo());
        let order = self.order;
        match edges.as_slice() {
            [a, b] if all_mo => {
                let (first, second) = (self.show(a.from), self.show(a.to));
                self.line(depth, format!("{order} would have to order {first} and {second} both ways:"));
                self.claim(depth + 1, "", a);
                self.claim(depth + 1, "", b);
            }
            _ if all_mo => {
                self.line(depth, format!("{order} would have to be a cycle:"));
                for edge in edges {
                    self.claim(depth + 1, "", edge);
                }
            }
            _ => {
                let derived = edges.iter().any(|edge| !edge.because.is_history());
                let verb = if derived { "there would have to be a cycle:" } else { "there is a cycle:" };
                self.line(depth, verb.into());
                self.path(depth + 1, edges);
            }
        }
    }

    /// An edge and, unless it is one of the history, why it must hold.
    fn claim(&mut self, depth: usize, number: &str, edge: &Edge) {
        if depth > DEEPEST {
            return self.line(depth, "...".into());
        }
        let (from, to) = (self.show(edge.from), self.show(edge.to));
        let arrow = self.arrow(edge);
        let text = |reason: String| format!("{number}{from} -{arrow}-> {to}, {reason}");
        match &edge.because {
            Because::Po | Because::Rf | Because::Sw { .. } | Because::Ppo | Because::PoLoc | Because::Dep => {
                self.path(depth, [edge]);
            }
            Because::Fr { premise } => {
                let since = format!("since it reads from {}", self.source(edge.from));
                match &premise.because {
                    Because::Coherence { path } => match path.as_slice() {
                        [step] if self.x.is_init(step.from) && step.because.is_history() => {
                            self.line(depth, text(since));
                        }
                        path => {
                            self.line(depth, text(format!("{since}, which comes before:")));
                            self.path(depth + 1, path);
                        }
                    },
                    Because::Assumed => self.line(depth, text(format!("{since}, as supposed"))),
                    Because::Lemma(index) => self.line(depth, text(format!("{since}, by ({})", index + 1))),
                    _ => {
                        self.line(depth, text(format!("{since}:")));
                        self.claim(depth + 1, "", premise);
                    }
                }
            }
            Because::Seen { observer, read, path } => {
                let mut reason =
                    format!("since {} reads from {to} with {from} in its past", self.show(*read));
                if observer != read {
                    reason += &format!(", as {} has seen", self.show(*observer));
                }
                self.line(depth, text(reason + ":"));
                self.path(depth + 1, path);
            }
            Because::Chain => {
                if self.x.rf(edge.to) == Some(edge.from) {
                    self.line(depth, text(format!("since {to} is an RMW that reads from it")));
                } else {
                    self.line(depth, text(format!("since {to} reads from it through RMWs:")));
                    self.rf_chain(depth + 1, edge.from, edge.to);
                }
            }
            Because::Coherence { path } => match path.as_slice() {
                [Edge { because: Because::Po | Because::Ppo | Because::PoLoc, from, .. }]
                    if self.x.is_init(*from) =>
                {
                    self.line(depth, text("since an initial write comes first".into()));
                }
                [Edge { because: Because::Po | Because::Ppo | Because::PoLoc, .. }] => {
                    self.line(depth, text("since it is earlier in the thread".into()));
                }
                path => {
                    self.line(depth, text("since it comes before:".into()));
                    self.path(depth + 1, path);
                }
            },
            Because::Read { read, path } => {
                let reason = format!("since {} reads from {to} with {from} in its past:", self.show(*read));
                self.line(depth, text(reason));
                self.path(depth + 1, path);
            }
            Because::Atomic { premise } => {
                let reason = "since nothing comes between an RMW and the write it reads from:";
                self.line(depth, text(reason.into()));
                for (write, rmw) in [(premise.from, edge.from), (edge.to, premise.to)] {
                    if write != rmw {
                        self.rf_chain(depth + 1, write, rmw);
                    }
                }
                self.claim(depth + 1, "", premise);
            }
            Because::Final => {
                let value = self.x.value(edge.to);
                self.line(depth, text(format!("since {value} is the final value")));
            }
            Because::Assumed => self.line(depth, text("as supposed".into())),
            Because::Lemma(index) => self.line(depth, text(format!("by ({})", index + 1))),
        }
    }

    /// What relates the ends of an edge.
    fn arrow(&self, edge: &Edge) -> &'static str {
        match edge.because {
            Because::Seen { .. } => "hb",
            Because::Lemma(index) => self.lemmas.get(index).copied().unwrap_or(self.order),
            _ if edge.because.is_mo() => self.order,
            _ => edge.because.name(),
        }
    }

    /// A path of edges and, below it, why those hold that are not plainly of the history.
    fn path<'e>(&mut self, depth: usize, edges: impl IntoIterator<Item = &'e Edge, IntoIter: Clone>) {
        let edges = edges.into_iter();
        let Some(first) = edges.clone().next() else { return };
        let mut steps = vec![(String::new(), first.from)];
        steps.extend(edges.clone().map(|edge| {
            let name = match &edge.because {
                Because::Lemma(index) => format!("{}({})", self.arrow(edge), index + 1),
                _ => self.arrow(edge).into(),
            };
            (name, edge.to)
        }));
        self.walk(depth, &steps);
        for edge in edges {
            match edge.because {
                Because::Po | Because::Rf | Because::Ppo | Because::PoLoc | Because::Dep => {}
                Because::Lemma(_) => {}
                Because::Sw { write, read } => self.synchronisation(depth, edge, write, read),
                _ => self.claim(depth, "where ", edge),
            }
        }
    }

    /// Why an sw edge holds, unless it is plainly an acquire read of a release write.
    fn synchronisation(&mut self, depth: usize, edge: &Edge, write: EventId, read: EventId) {
        if (edge.from, edge.to) != (write, read) || self.x.rf(read) != Some(write) {
            let (from, to) = (self.show(edge.from), self.show(edge.to));
            self.line(depth, format!("where {from} -sw-> {to}, since"));
            self.rf_chain(depth + 1, write, read);
        }
    }

    /// The rf edges from a write through RMWs to a read.
    fn rf_chain(&mut self, depth: usize, write: EventId, read: EventId) {
        let mut steps = vec![("rf".to_string(), read)];
        let mut at = read;
        while at != write
            && let Some(source) = self.x.rf(at)
            // An RMW that reads from itself through others is no chain from anywhere.
            && steps.len() <= self.x.len()
        {
            steps.push(("rf".to_string(), source));
            at = source;
        }
        steps.reverse();
        self.walk(depth, &steps);
    }

    /// Events with the name of the edge that leads to each; the first has none.
    fn walk(&mut self, depth: usize, steps: &[(String, EventId)]) {
        let mut shown = Vec::new();
        for (at, (name, event)) in steps.iter().enumerate() {
            if steps.len() > LONG_PATH && (LONG_PATH / 2..steps.len() - LONG_PATH / 2).contains(&at) {
                if at == LONG_PATH / 2 {
                    shown.push(format!("... {} more ...", steps.len() - LONG_PATH / 2 * 2));
                }
            } else if at == 0 {
                shown.push(self.show(*event));
            } else {
                shown.push(format!("-{name}-> {}", self.show(*event)));
            }
        }
        if shown.iter().map(|step| step.chars().count() + 1).sum::<usize>() + 2 * depth <= WIDTH {
            return self.line(depth, shown.join(" "));
        }
        for (at, step) in shown.into_iter().enumerate() {
            self.line(depth, if at == 0 { step } else { format!("  {step}") });
        }
    }

    /// The lines, indented; of too many, those that are deepest are left out.
    fn fold(self) -> Vec<String> {
        let deepest = self.lines.iter().map(|&(depth, _)| depth).max().unwrap_or(0);
        let up_to = |limit: usize| self.lines.iter().filter(|&&(depth, _)| depth <= limit).count();
        let limit = (0..=deepest).rev().find(|&limit| up_to(limit) <= SCREENFUL).unwrap_or(0);
        let (mut lines, mut folded) = (Vec::new(), 0);
        for (depth, text) in &self.lines {
            if *depth > limit || lines.len() >= SCREENFUL {
                folded += 1;
            } else {
                lines.push(format!("{:indent$}{text}", "", indent = 2 * depth));
            }
        }
        if folded > 0 {
            lines.push(format!("({folded} more lines; --output json has everything)"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal::memory::{Op, Order};

    fn edge(from: EventId, to: EventId, because: Because) -> Edge {
        Edge { from, to, because }
    }

    fn lines(x: &Execution, axiom: Axiom, refutation: Refutation) -> String {
        explain(x, &Violation { axiom, refutation }).join("\n")
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
        let edges = vec![
            edge(wx, ry, Because::Po),
            fr(ry, init_y, wy),
            edge(wy, rx, Because::Po),
            fr(rx, init_x, wx),
        ];
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
        let cycle =
            Cycle { lemmas: vec![], edges: vec![edge(release, acquire, Because::Sw { write, read })] };
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
                edge(
                    second,
                    first,
                    Because::Atomic { premise: Box::new(edge(second, first, Because::Final)) },
                ),
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
        assert!(shown.ends_with("more lines; --output json has everything)"), "{shown}");
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
}

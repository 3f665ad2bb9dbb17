//! Violations in words, short enough at litmus size to read like a textbook.

use super::{definition, psc, sources};
use crate::line::{Arrow, Line, WIDTH};
use crate::printable;
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::model::Model;
use tribunal_history::model::definition::why;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Of a path with more edges only both ends are shown.
const LONG_PATH: usize = 16;
/// Deeper cases of a search are left to the JSON output.
const DEEPEST: usize = 32;
/// At most this many sources of a read are tried.
const CASES: usize = 12;

/// The lines that explain a violation, the axiom itself excepted: all of them, with the events and edges each speaks of.
/// [`fold`](crate::fold) makes a screenful of them.
///
/// ```
/// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// b.push(t, Op::write(x, 1));
/// b.push(t, Op::read(x, 0));
/// let history = b.build()?;
/// let Verdict::Inconsistent(violation) = check(&history, Model::Sc) else { panic!("it misses its own write") };
/// let lines = tribunal_report::memory::explain(&history, Model::Sc, &violation);
/// assert_eq!(
///     lines[0].text,
///     "T0:1 R x 0 reads from init x, yet T0:0 W x 1 overwrites that and comes before the read:"
/// );
/// assert_eq!(lines[0].arrows.iter().map(|arrow| arrow.name).collect::<Vec<_>>(), ["rf", "fr"]);
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn explain(x: &Execution, model: Model, violation: &Violation) -> Vec<Line<EventId>> {
    let mut page = Page::new(x, order_of(violation.axiom));
    page.model = Some(model);
    page.refutation(0, &violation.refutation);
    page.lines
}

/// What the relation between writes is called that the axiom speaks of.
pub(super) const fn order_of(axiom: Axiom) -> &'static str {
    match axiom {
        Axiom::CausalConflict => "cf",
        Axiom::CausalMemory | Axiom::Pipelined => "hb",
        Axiom::CausalConvergence => "pww",
        Axiom::WeakCausalConvergence => "wpww",
        Axiom::SaturatedSequential => "st",
        _ => "mo",
    }
}

/// The commonest shape: one read reads a write that another, `by`, overwrote before the read.
pub(super) struct Stale<'a> {
    pub(super) read: EventId,
    pub(super) by: EventId,
    /// From `by` to the read.
    pub(super) path: Vec<&'a Edge>,
    /// The reason why `by` comes after the write that is read.
    pub(super) overwrites: Vec<&'a Edge>,
}

/// Either fr goes from the read to `by`, and the rest of the cycle back. Or the order of the writes goes from `by` to the
/// write that is read because of that one read, and the rest of the cycle says plainly that `by` comes after it.
pub(super) fn stale(edges: &[Edge]) -> Option<Stale<'_>> {
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

/// An event of a path, with the edge that leads to it.
pub(super) struct Step {
    /// What relates it to the event before; of the first, nothing.
    pub(super) name: &'static str,
    /// The lemma that says so.
    pub(super) lemma: Option<usize>,
    pub(super) event: EventId,
}

/// What the reason for an edge rests on.
pub(super) enum Grounds<'e> {
    /// Nothing that needs saying.
    None,
    /// A path.
    Path(&'e [Edge]),
    /// Chains of RMWs from a write to one that reads from it through others, and an edge.
    Chains(Vec<(EventId, EventId)>, Option<&'e Edge>),
}

/// Lines as they are written.
pub(super) struct Page<'a> {
    x: &'a Execution,
    /// Whose text checks are of.
    model: Option<Model>,
    /// What orders the writes: mo, or what a model without mo has in its place.
    order: &'static str,
    /// By lemma of the cycle at hand: what relates its ends.
    lemmas: Vec<&'static str>,
    /// What the numbers of lemmas begin with.
    pub(super) letter: &'static str,
    pub(super) lines: Vec<Line<EventId>>,
}

impl<'a> Page<'a> {
    pub(super) fn new(x: &'a Execution, order: &'static str) -> Self {
        Page { x, model: None, order, lemmas: Vec::new(), letter: "", lines: Vec::new() }
    }

    /// A line about these events and edges.
    pub(super) fn line(&mut self, depth: usize, text: &str, about: &[EventId], arrows: &[Arrow<EventId>]) {
        let line = Line::new(depth, text);
        self.lines.push(Line { about: about.to_vec(), arrows: arrows.to_vec(), ..line });
    }

    pub(super) fn show(&self, event: EventId) -> String {
        self.x.show(event).to_string()
    }

    fn refutation(&mut self, depth: usize, refutation: &Refutation) {
        if depth > DEEPEST {
            return self.line(depth, "...", &[], &[]);
        }
        match refutation {
            Refutation::Cycle(cycle) => self.cycle(depth, cycle),
            Refutation::SharedSource { write, rmws: [a, b] } => {
                let (source, first, second) = (self.show(*write), self.show(*a), self.show(*b));
                let text = format!(
                    "{first} and {second} both read from {source}, but only one RMW can come right after a write"
                );
                let rf = |rmw: &EventId| Arrow { from: *write, to: *rmw, name: "rf" };
                self.line(depth, &text, &[*a, *b, *write], &[rf(a), rf(b)]);
            }
            Refutation::Overwritten { read, by, before, after } => {
                self.stale_read(depth, *read, *by);
                self.path(depth + 1, before);
                self.path(depth + 1, after);
            }
            Refutation::Split { first, second, forward, backward } => {
                let (a, b) = (self.show(*first), self.show(*second));
                let text = format!("mo orders {a} and {b} one way or the other, and neither works:");
                self.line(depth, &text, &[*first, *second], &[]);
                for (from, to, case) in [(*first, *second, forward), (*second, *first, backward)] {
                    let text = format!("suppose {} -mo-> {}", self.show(from), self.show(to));
                    self.line(depth + 1, &text, &[from, to], &[Arrow { from, to, name: "mo" }]);
                    self.refutation(depth + 2, case);
                }
            }
            Refutation::Check(check) => {
                let steps = self.model.map_or_else(Vec::new, |model| why(self.x, model, check));
                let mut text = String::new();
                for step in &steps {
                    text += &format!("{} -{}-> ", self.show(step.from), step.name);
                }
                text += &steps.last().map_or_else(String::new, |step| self.show(step.to));
                let arrows: Vec<_> = steps.iter().map(definition::arrow).collect();
                let about: Vec<_> = steps.iter().map(|step| step.from).collect();
                self.line(depth, &text, &about, &arrows);
            }
            Refutation::ThinAir(of) => self.lines.push(sources::thin_air(self.x, *of).below(depth)),
            Refutation::NoSource(read) => self.lines.push(sources::no_source(self.x, *read).below(depth)),
            Refutation::Forced { sources, then } => {
                let lines = sources::forced(self.x, sources, then);
                self.lines.extend(lines.into_iter().map(|line| line.below(depth)));
                self.choosing(depth, sources, then);
            }
            Refutation::Sources { of, cases } => {
                self.line(depth, &sources::any_of(self.x, *of, cases.len()), &[], &[]);
                for (source, case) in cases.iter().take(CASES) {
                    let text = format!("suppose it is from {}", self.show(*source));
                    self.lines.push(sources::line(depth + 1, &text, *of, *source));
                    self.choosing(depth + 2, &[(*of, *source)], case);
                }
                if cases.len() > CASES {
                    self.line(depth + 1, &format!("... and {} more", cases.len() - CASES), &[], &[]);
                }
            }
        }
    }

    /// The fault in the history that has these sources.
    fn choosing(&mut self, depth: usize, sources: &[(Observation, EventId)], violation: &Violation) {
        let chosen = self.x.choosing(sources);
        let mut page = Page::new(&chosen, order_of(violation.axiom));
        page.refutation(depth, &violation.refutation);
        self.lines.extend(page.lines);
    }

    pub(super) fn source(&self, read: EventId) -> String {
        self.x.rf(read).map_or_else(String::new, |write| self.show(write))
    }

    /// The name of the location that an event accesses.
    pub(super) fn location(&self, event: EventId) -> String {
        let location = self.x.loc(event).map_or("", |loc| self.x.location_name(loc));
        printable(location).into_owned()
    }

    pub(super) fn is_initial(&self, write: EventId) -> bool {
        self.x.is_init(write)
    }

    fn stale_read(&mut self, depth: usize, read: EventId, by: EventId) {
        let source = self.x.rf(read);
        let text = format!(
            "{} reads from {}, yet {} overwrites that and comes before the read:",
            self.show(read),
            self.source(read),
            self.show(by)
        );
        let mut arrows: Vec<_> =
            source.map(|from| Arrow { from, to: read, name: "rf" }).into_iter().collect();
        arrows.push(Arrow { from: read, to: by, name: "fr" });
        let about: Vec<EventId> = [Some(read), source, Some(by)].into_iter().flatten().collect();
        self.line(depth, &text, &about, &arrows);
    }

    /// States the lemmas of a cycle, to which what follows refers.
    pub(super) fn state(&mut self, depth: usize, lemmas: &[Edge]) {
        self.lemmas.clear();
        for (index, lemma) in lemmas.iter().enumerate() {
            self.claim(depth, &format!("{} ", self.number(index)), lemma);
            self.lemmas.push(self.arrow(lemma));
        }
    }

    pub(super) fn number(&self, lemma: usize) -> String {
        format!("({}{})", self.letter, lemma + 1)
    }

    fn cycle(&mut self, depth: usize, cycle: &Cycle) {
        self.state(depth, &cycle.lemmas);
        let edges = &cycle.edges;
        if let Some(Stale { read, by, path, overwrites }) = stale(edges) {
            self.stale_read(depth, read, by);
            match overwrites.as_slice() {
                // The heading says that the write overwrites: only how it comes after is missing.
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
                let text = format!("{order} would have to order {first} and {second} both ways:");
                self.line(depth, &text, &[a.from, a.to], &[]);
                self.claim(depth + 1, "", a);
                self.claim(depth + 1, "", b);
            }
            _ if all_mo => {
                self.line(depth, &format!("{order} would have to be a cycle:"), &[], &[]);
                for edge in edges {
                    self.claim(depth + 1, "", edge);
                }
            }
            _ if edges.iter().all(|edge| matches!(edge.because, Because::Psc { .. })) => {
                self.line(depth, "the seq_cst events would have to be in a cycle:", &[], &[]);
                for edge in edges {
                    self.claim(depth + 1, "", edge);
                }
            }
            _ => {
                let derived = edges.iter().any(|edge| !edge.because.is_history());
                let verb = if derived { "there would have to be a cycle:" } else { "there is a cycle:" };
                self.line(depth, verb, &[], &[]);
                self.path(depth + 1, edges);
            }
        }
    }

    /// An edge and, unless it is one of the history, why it must hold.
    pub(super) fn claim(&mut self, depth: usize, number: &str, edge: &Edge) {
        if edge.because.is_history() {
            return self.path(depth, [edge]);
        }
        if depth > DEEPEST {
            return self.line(depth, "...", &[], &[]);
        }
        let (from, to) = (self.show(edge.from), self.show(edge.to));
        let name = self.arrow(edge);
        let (reason, grounds) = self.reason(edge);
        let mut about = vec![edge.from, edge.to];
        match edge.because {
            Because::Seen { observer, read, .. } if observer != read => about.extend([read, observer]),
            Because::Seen { read, .. } | Because::Read { read, .. } => about.push(read),
            Because::Fr { .. } => about.extend(self.x.rf(edge.from)),
            _ => {}
        }
        let arrow = Arrow { from: edge.from, to: edge.to, name };
        let colon = if matches!(grounds, Grounds::None) { "" } else { ":" };
        self.line(depth, &format!("{number}{from} -{name}-> {to}, {reason}{colon}"), &about, &[arrow]);
        self.grounds(depth + 1, grounds);
    }

    /// What a reason rests on.
    pub(super) fn grounds(&mut self, depth: usize, grounds: Grounds<'_>) {
        match grounds {
            Grounds::None => {}
            Grounds::Path(path) => self.path(depth, path),
            Grounds::Chains(chains, premise) => {
                for (write, rmw) in chains {
                    self.rf_chain(depth, write, rmw);
                }
                if let Some(premise) = premise {
                    self.claim(depth, "", premise);
                }
            }
        }
    }

    /// The reason why an edge that is not of the history must hold, and what that rests on.
    pub(super) fn reason<'e>(&self, edge: &'e Edge) -> (String, Grounds<'e>) {
        let (from, to) = (self.show(edge.from), self.show(edge.to));
        match &edge.because {
            Because::Po | Because::Rf | Because::Sw { .. } | Because::Ppo | Because::PoLoc | Because::Dep => {
                ("as the history says".into(), Grounds::None)
            }
            Because::Fr { premise } => {
                let since = format!("since it reads from {}", self.source(edge.from));
                match &premise.because {
                    Because::Coherence { path } => match path.as_slice() {
                        [step] if self.x.is_init(step.from) && step.because.is_history() => {
                            (since, Grounds::None)
                        }
                        path => (format!("{since}, which comes before"), Grounds::Path(path)),
                    },
                    Because::Assumed => (format!("{since}, as supposed"), Grounds::None),
                    Because::Lemma(index) => (format!("{since}, by {}", self.number(*index)), Grounds::None),
                    _ => (since, Grounds::Chains(Vec::new(), Some(premise))),
                }
            }
            Because::Seen { observer, read, path } => {
                let mut reason =
                    format!("since {} reads from {to} with {from} in its past", self.show(*read));
                if observer != read {
                    reason += &format!(", as {} has seen", self.show(*observer));
                }
                (reason, Grounds::Path(path))
            }
            Because::Chain if self.x.rf(edge.to) == Some(edge.from) => {
                (format!("since {to} is an RMW that reads from it"), Grounds::None)
            }
            Because::Chain => {
                let reason = format!("since {to} reads from it through RMWs");
                (reason, Grounds::Chains(vec![(edge.from, edge.to)], None))
            }
            Because::Coherence { path } => match path.as_slice() {
                [Edge { because: Because::Po | Because::Ppo | Because::PoLoc, from, .. }]
                    if self.x.is_init(*from) =>
                {
                    ("since an initial write comes first".into(), Grounds::None)
                }
                [Edge { because: Because::Po | Because::Ppo | Because::PoLoc, .. }] => {
                    ("since it is earlier in the thread".into(), Grounds::None)
                }
                path => ("since it comes before".into(), Grounds::Path(path)),
            },
            Because::Read { read, path } => {
                let reason = format!("since {} reads from {to} with {from} in its past", self.show(*read));
                (reason, Grounds::Path(path))
            }
            Because::Atomic { premise } => {
                let reason = "since nothing comes between an RMW and the write it reads from".into();
                let chains = [(premise.from, edge.from), (edge.to, premise.to)];
                let chains = chains.into_iter().filter(|(write, rmw)| write != rmw).collect();
                (reason, Grounds::Chains(chains, Some(premise)))
            }
            Because::Psc { path } => {
                let (clause, grounds) = psc::clause(self, edge, path);
                (format!("since both are seq_cst, and {clause}"), grounds)
            }
            Because::Unless { cycle } => {
                let reason = "since the other way round the seq_cst events would be in a cycle";
                (reason.into(), Grounds::Path(cycle))
            }
            Because::Final => (format!("since {} is the final value", self.x.value(edge.to)), Grounds::None),
            Because::Assumed => ("as supposed".into(), Grounds::None),
            Because::Lemma(index) => (format!("by {}", self.number(*index)), Grounds::None),
        }
    }

    /// What relates the ends of an edge.
    pub(super) fn arrow(&self, edge: &Edge) -> &'static str {
        match edge.because {
            Because::Seen { .. } => "hb",
            Because::Lemma(index) => self.lemmas.get(index).copied().unwrap_or(self.order),
            _ if edge.because.is_mo() => self.order,
            _ => edge.because.name(),
        }
    }

    /// A path of edges and, below it, why those hold that are not plainly of the history.
    pub(super) fn path<'e>(
        &mut self,
        depth: usize,
        edges: impl IntoIterator<Item = &'e Edge, IntoIter: Clone>,
    ) {
        let edges = edges.into_iter();
        let Some(first) = edges.clone().next() else { return };
        let mut steps = vec![Step { name: "", lemma: None, event: first.from }];
        steps.extend(edges.clone().map(|edge| {
            let lemma = if let Because::Lemma(index) = edge.because { Some(index) } else { None };
            Step { name: self.arrow(edge), lemma, event: edge.to }
        }));
        self.walk(depth, &steps);
        for edge in edges {
            match edge.because {
                Because::Po | Because::Rf | Because::Ppo | Because::PoLoc | Because::Dep => {}
                Because::Lemma(_) => {}
                Because::Sw { write, read } => self.synchronization(depth, edge, write, read),
                _ => self.claim(depth, "where ", edge),
            }
        }
    }

    /// The reason why an sw edge holds, unless it is plainly an acquire read of a release write.
    fn synchronization(&mut self, depth: usize, edge: &Edge, write: EventId, read: EventId) {
        if (edge.from, edge.to) != (write, read) || self.x.rf(read) != Some(write) {
            let text = format!("where {} -sw-> {}, since", self.show(edge.from), self.show(edge.to));
            let arrow = Arrow { from: edge.from, to: edge.to, name: "sw" };
            self.line(depth, &text, &[edge.from, edge.to], &[arrow]);
            self.rf_chain(depth + 1, write, read);
        }
    }

    /// The rf edges from a write through RMWs to a read; of rc11 from a later write of its thread, if not from the write itself.
    fn rf_chain(&mut self, depth: usize, write: EventId, read: EventId) {
        let step = |event| Step { name: "rf", lemma: None, event };
        let mut steps = vec![step(read)];
        let mut at = read;
        while at != write
            && let Some(source) = self.x.rf(at)
            // An RMW that reads from itself through others is no chain from anywhere.
            && steps.len() <= self.x.len()
        {
            steps.push(step(source));
            at = source;
        }
        if at != write {
            let continues = |event: EventId| {
                self.x.thread_of(event) == self.x.thread_of(write)
                    && event > write
                    && self.x.label(event).writes()
            };
            if let Some(later) = steps.iter().skip(1).position(|step| continues(step.event)) {
                steps.truncate(later + 2);
                steps[later + 1].name = "po";
                steps.push(step(write));
            }
        }
        steps.reverse();
        self.walk(depth, &steps);
    }

    /// A path on as few lines as there is width for; of a long one, both ends.
    pub(super) fn walk(&mut self, depth: usize, steps: &[Step]) {
        let skipped = match steps.len() {
            ..=LONG_PATH => 0..0,
            all => LONG_PATH / 2..all - LONG_PATH / 2,
        };
        let (mut line, mut width) = (Line::new(depth, ""), 0);
        for (at, step) in steps.iter().enumerate() {
            let arrow = at.checked_sub(1).map(|before| Arrow {
                from: steps[before].event,
                to: step.event,
                name: step.name,
            });
            if skipped.contains(&at) && at != skipped.start {
                line.arrows.extend(arrow);
                continue;
            }
            let shown = match (arrow, step.lemma) {
                _ if at == skipped.start && !skipped.is_empty() => format!("... {} more ...", skipped.len()),
                (None, _) => self.show(step.event),
                (Some(Arrow { name, .. }), None) => format!("-{name}-> {}", self.show(step.event)),
                (Some(Arrow { name, .. }), Some(lemma)) => {
                    format!("-{name}{}-> {}", self.number(lemma), self.show(step.event))
                }
            };
            let shown = printable(&shown);
            let more = shown.chars().count() + 1;
            if at > 0 && 2 * depth + width + more > WIDTH {
                self.lines.push(std::mem::replace(&mut line, Line::new(depth, " ")));
                width = 1;
            }
            if !line.text.is_empty() {
                line.text.push(' ');
            }
            line.text.push_str(&shown);
            width += more;
            if !skipped.contains(&at) {
                line.about.push(step.event);
            }
            line.arrows.extend(arrow);
        }
        self.lines.push(line);
    }
}

//! A violation as a story for people: what comes before what and why, step by step, until the last leads back to the
//! first.

use super::explain::{Page, Stale, order_of, stale};
use super::kept::{Kept, kept, kinds};
use super::{definition, inline, psc, shape, sources};
use crate::line::{Arrow, Line};
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::model::Model;
use tribunal_history::model::Preserved;
use tribunal_history::model::definition::why;
use tribunal_history::verdict::{Axiom, Because, Check, Cycle, Edge, Refutation, Violation};

/// Deeper cases are counted, not shown.
const DEEPEST: usize = 4;
/// The most cases to show.
const CASES: usize = 12;

/// A violation, step by step.
#[derive(Clone, Debug)]
pub struct Story {
    /// The kind of thing that went wrong, if the steps have a shape that has a name.
    pub title: Option<String>,
    /// The steps, numbered, with what they rest on below them; of a refutation by cases the cases, and then the steps of
    /// the shortest.
    pub lines: Vec<Line<EventId>>,
    /// The steps themselves: each begins where the one before ends, and the first where the last ends. Of two RMWs that
    /// read from one write, the two rf edges.
    pub steps: Vec<Arrow<EventId>>,
    /// Whether it goes through cases.
    pub cases: bool,
    /// The sources that the steps suppose for reads of repeated values.
    pub sources: Vec<(Observation, EventId)>,
}

/// Tells why a history is inconsistent with a model.
///
/// ```
/// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let (x, y) = (b.location("x"), b.location("y"));
/// b.push(t0, Op::write(x, 1));
/// b.push(t0, Op::read(y, 0));
/// b.push(t1, Op::write(y, 1));
/// b.push(t1, Op::read(x, 0));
/// let sb = b.build()?;
/// let Verdict::Inconsistent(violation) = check(&sb, Model::Sc) else { panic!("sc forbids store buffering") };
/// let story = tribunal_report::memory::story(&sb, Model::Sc, &violation);
/// assert_eq!(
///     story.title.as_deref(),
///     Some("store buffering: T0 and T1 each write and then miss the other's write")
/// );
/// assert_eq!(story.steps.iter().map(|step| step.name).collect::<Vec<_>>(), ["po", "fr", "po", "fr"]);
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn story(x: &Execution, model: Model, violation: &Violation) -> Story {
    let teller = Teller { x, model, axiom: violation.axiom };
    match &violation.refutation {
        Refutation::Split { .. } => teller.cases(&violation.refutation),
        Refutation::ThinAir(of) => {
            // What it is called stands in the heading.
            stated(None, sources::thin_air(x, *of))
        }
        Refutation::NoSource(read) => {
            let title = "no source: no write of the value is left to read from";
            stated(Some(title), sources::no_source(x, *read))
        }
        Refutation::Forced { sources, then } => {
            let mut told = story(&x.choosing(sources), model, then);
            told.lines.splice(0..0, sources::forced(x, sources, then));
            told.sources.splice(0..0, sources.iter().copied());
            told
        }
        Refutation::Sources { of, cases } => by_source(x, model, *of, cases),
        refutation => teller.tell(refutation),
    }
}

/// One line that says it all.
fn stated(title: Option<&str>, line: Line<EventId>) -> Story {
    let closing = Line::new(0, "so no order of the writes explains it");
    let lines = vec![line, closing];
    Story { title: title.map(str::to_string), lines, steps: Vec::new(), cases: false, sources: Vec::new() }
}

/// An observation whose every source fails: a line for each with what is wrong there, then the simplest case in full.
fn by_source(x: &Execution, model: Model, of: Observation, cases: &[(EventId, Violation)]) -> Story {
    let mut lines = vec![Line::new(0, &sources::any_of(x, of, cases.len()))];
    for (source, case) in cases.iter().take(CASES) {
        let text = format!("if from {}: {}", super::brief(x, *source), summary(x, case));
        lines.push(sources::line(1, &text, of, *source));
    }
    if cases.len() > CASES {
        lines.push(Line::new(1, &format!("... and {} more", cases.len() - CASES)));
    }
    let title = format!("no choice of sources works: {} fails with each", sources::named(x, of));
    let mut told = Story { title: Some(title), lines, steps: Vec::new(), cases: true, sources: Vec::new() };
    if let Some((source, case)) = cases.iter().min_by_key(|(_, case)| case.weight()) {
        let inner = story(&x.choosing(&[(of, *source)]), model, case);
        told.lines.push(Line::new(0, &format!("in full, if it is from {}:", super::brief(x, *source))));
        told.lines.extend(inner.lines.into_iter().map(|line| line.below(1)));
        told.steps = inner.steps;
        told.sources = vec![(of, *source)];
        told.sources.extend(inner.sources);
    }
    told
}

/// What is wrong in a case, in a few words.
fn summary(x: &Execution, violation: &Violation) -> String {
    let chosen;
    let (x, violation) = match &violation.refutation {
        Refutation::Forced { sources, then } => {
            chosen = x.choosing(sources);
            (&chosen, &**then)
        }
        _ => (x, violation),
    };
    match &violation.refutation {
        Refutation::Sources { of, .. } => {
            format!("{} fails with each of its sources", sources::named(x, *of))
        }
        Refutation::NoSource(read) => format!("no source is left for {}", x.show(*read)),
        Refutation::Split { .. } => "no order of the writes works".into(),
        _ => format!("breaks {}, {}", violation.axiom, violation.axiom.formula()),
    }
}

struct Teller<'a> {
    x: &'a Execution,
    model: Model,
    axiom: Axiom,
}

/// A step in words, with what it rests on.
struct Step {
    arrow: Arrow<EventId>,
    text: String,
    grounds: Vec<Line<EventId>>,
}

impl<'a> Teller<'a> {
    fn page(&self) -> Page<'a> {
        let mut page = Page::new(self.x, order_of(self.axiom));
        page.letter = "L";
        page
    }

    fn show(&self, event: EventId) -> String {
        self.x.show(event).to_string()
    }

    /// The story of a refutation without cases.
    fn tell(&self, refutation: &Refutation) -> Story {
        let mut page = self.page();
        let mut title = None;
        let steps = match refutation {
            Refutation::Cycle(cycle) => {
                let Cycle { lemmas, edges } = inline::inlined(cycle);
                page.state(0, &lemmas);
                title = psc_title(self.x, &page, &edges);
                self.around(&mut page, &edges)
            }
            Refutation::Overwritten { read, by, before, after } => {
                let mut steps: Vec<Step> = after.iter().map(|edge| self.step(&mut page, edge)).collect();
                steps.push(self.overwritten(&mut page, *read, *by, &before.iter().collect::<Vec<_>>()));
                steps
            }
            Refutation::SharedSource { write, rmws } => return self.shared(*write, *rmws),
            Refutation::Check(check) => self.check(check),
            // What has cases has its own story.
            Refutation::Split { .. }
            | Refutation::ThinAir(_)
            | Refutation::NoSource(_)
            | Refutation::Forced { .. }
            | Refutation::Sources { .. } => Vec::new(),
        };
        let arrows: Vec<_> = steps.iter().map(|step| step.arrow).collect();
        let closing = self.closing(&arrows);
        let mut lines = page.lines;
        for (at, step) in steps.into_iter().enumerate() {
            let Arrow { from, to, name } = step.arrow;
            let mut line = Line::new(0, &format!("({}) {}", at + 1, step.text));
            line.about = vec![from, to];
            line.arrows = vec![step.arrow];
            if name == "fr" {
                line.about.extend(self.x.rf(from));
            }
            lines.push(line);
            lines.extend(step.grounds);
        }
        lines.push(closing);
        Story {
            title: title.or_else(|| shape::title(self.x, &arrows)),
            lines,
            steps: arrows,
            cases: false,
            sources: Vec::new(),
        }
    }

    /// The edges that break a check of the model's text, each with its definition unfolded.
    fn check(&self, check: &Check) -> Vec<Step> {
        let steps = why(self.x, self.model, check).into_iter().map(|step| {
            let mut grounds = Vec::new();
            definition::unfold(self.x, &step, 1, &mut grounds);
            Step { arrow: definition::arrow(&step), text: definition::in_words(self.x, &step), grounds }
        });
        steps.collect()
    }

    /// The steps of a cycle.
    fn around(&self, page: &mut Page<'_>, edges: &[Edge]) -> Vec<Step> {
        if let Some(Stale { read, by, path, overwrites }) = stale(edges) {
            let mut steps: Vec<Step> = path.into_iter().map(|edge| self.step(page, edge)).collect();
            steps.push(self.overwritten(page, read, by, &overwrites));
            return steps;
        }
        // That an order of writes follows from a path of the history is one step too many: the path itself will do.
        let mut walk: Vec<&Edge> = Vec::new();
        for edge in edges {
            match &edge.because {
                Because::Coherence { path } if path.iter().all(|step| step.because.is_history()) => {
                    walk.extend(path);
                }
                _ => walk.push(edge),
            }
        }
        // It begins after a step that had to be derived, or where a thread is entered.
        let before = |at: usize| walk[(at + walk.len() - 1) % walk.len()];
        let rank = |at: usize| match before(at) {
            edge if !edge.because.is_history() => 0,
            edge if is_po(walk[at]) && !is_po(edge) => 1,
            _ => 2,
        };
        let first = (0..walk.len()).min_by_key(|&at| (rank(at), walk[at].from)).unwrap_or(0);
        walk.rotate_left(first);
        walk.into_iter().map(|edge| self.step(page, edge)).collect()
    }

    /// fr, as the read reads from a write that `by` overwrites.
    fn overwritten(&self, page: &mut Page<'_>, read: EventId, by: EventId, overwrites: &[&Edge]) -> Step {
        let arrow = Arrow { from: read, to: by, name: "fr" };
        let source = self.x.rf(read);
        let initial = source.is_some_and(|source| self.x.is_init(source));
        let plain = |edge: &Edge| match &edge.because {
            Because::Coherence { path } => path.len() == 1 && path[0].because.is_history(),
            because => because.is_history(),
        };
        let (read, by) = (self.show(read), self.show(by));
        if initial && overwrites.iter().all(|edge| plain(edge)) {
            let text = format!("{read} read the initial value, so it comes before {by}, which overwrites it");
            return Step { arrow, text, grounds: Vec::new() };
        }
        let source = source.map_or_else(String::new, |source| self.show(source));
        let text = format!("{read} reads from {source}, so it comes before {by}, which overwrites that:");
        let grounds = grounds(page, |page| match overwrites {
            [Edge { because: Because::Coherence { path }, .. }] => page.path(1, path),
            [edge] => page.claim(1, "", edge),
            edges => page.path(1, edges.iter().copied()),
        });
        Step { arrow, text, grounds }
    }

    fn step(&self, page: &mut Page<'_>, edge: &Edge) -> Step {
        if let Because::Fr { premise } = &edge.because {
            return self.overwritten(page, edge.from, edge.to, &[premise]);
        }
        let name = page.arrow(edge);
        let arrow = Arrow { from: edge.from, to: edge.to, name };
        let (from, to) = (self.show(edge.from), self.show(edge.to));
        let text = match &edge.because {
            Because::Po | Because::Ppo | Because::PoLoc if self.x.is_init(edge.from) => {
                format!("{from} comes before everything")
            }
            Because::Po => format!("{from} is before {to} in its thread"),
            Because::PoLoc => {
                let location = self.x.loc(edge.to).map_or("", |loc| self.x.location_name(loc));
                format!("{from} is before {to} in its thread, and both access {location}")
            }
            Because::Ppo => self.preserved(edge.from, edge.to),
            Because::Dep => format!("{to} depends on {from}, so it comes after it"),
            Because::Rf => format!("{to} read what {from} wrote, so it comes after it"),
            Because::Sw { write, read } if (edge.from, edge.to) == (*write, *read) => {
                format!("{to} acquires what {from} released, so it comes after it")
            }
            Because::Sw { write, read } => format!(
                "{from} synchronizes with {to}: {} reads what {} wrote",
                self.show(*read),
                self.show(*write)
            ),
            Because::Psc { path } => {
                let (clause, rests) = psc::clause(page, edge, path);
                let grounds = grounds(page, |page| page.grounds(1, rests));
                let colon = if grounds.is_empty() { "" } else { ":" };
                let text = format!("{from} and {to} are both seq_cst, and {clause}{colon}");
                // A path of one step is that step.
                let name = if let [step] = path.as_slice() { page.arrow(step) } else { name };
                return Step { arrow: Arrow { name, ..arrow }, text, grounds };
            }
            _ => {
                let (reason, rests) = page.reason(edge);
                let grounds = grounds(page, |page| page.grounds(1, rests));
                let colon = if grounds.is_empty() { "" } else { ":" };
                let text = format!("{from} comes before {to} in {name}, {reason}{colon}");
                return Step { arrow, text, grounds };
            }
        };
        Step { arrow, text, grounds: Vec::new() }
    }

    /// The reason why the model keeps two accesses of a thread in order.
    fn preserved(&self, first: EventId, second: EventId) -> String {
        let (from, to, model) = (self.show(first), self.show(second), self.model);
        // wccm speaks of tso's ppo.
        let preserved = model.preserved().unwrap_or(Preserved::TSO);
        let stays = format!("{from} stays before {to}");
        match kept(self.x, &preserved, first, second) {
            Some(Kept::Fence(fence)) => format!("{stays}: the fence {} is between them", self.show(fence)),
            Some(Kept::Dependency) => format!("{to} depends on {from}, so it stays after it"),
            Some(Kept::Times) => format!("{stays}: the read had ended when the other began"),
            Some(Kept::Location) => {
                format!("{stays}: {model} keeps {} of one location in order", kinds(self.x, first, second))
            }
            Some(Kept::Kinds) | None => {
                format!("{stays}: {model} keeps {} in order", kinds(self.x, first, second))
            }
        }
    }

    fn closing(&self, steps: &[Arrow<EventId>]) -> Line<EventId> {
        let order = order_of(self.axiom);
        let Some(first) = steps.first() else { return Line::new(0, "no step is left to say") };
        let text = match steps {
            [a, b] if a.name == order && b.name == order => {
                let (from, to) = (self.show(a.from), self.show(a.to));
                format!("so {from} and {to} would each have to come before the other")
            }
            [_] => format!("so {} would have to come before itself", self.show(first.from)),
            _ => format!(
                "(1) {} ({}) form a cycle: {} would have to come before itself",
                if steps.len() == 2 { "and" } else { "to" },
                steps.len(),
                self.show(first.from)
            ),
        };
        Line { about: vec![first.from], ..Line::new(0, &text) }
    }

    /// Two RMWs that read from one write.
    fn shared(&self, write: EventId, rmws: [EventId; 2]) -> Story {
        let source = self.show(write);
        let steps = rmws.map(|rmw| Arrow { from: write, to: rmw, name: "rf" });
        let mut lines: Vec<Line<EventId>> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let rmw = self.show(step.to);
            let text = format!("({}) {rmw} reads from {source}, so it writes right after it", at + 1);
            lines.push(Line { about: vec![step.to, write], arrows: vec![*step], ..Line::new(0, &text) });
        }
        lines.push(Line {
            about: rmws.to_vec(),
            ..Line::new(0, "only one write comes right after another: one of the two read an old value")
        });
        Story {
            title: Some(shape::atomicity(self.x, rmws)),
            lines,
            steps: steps.to_vec(),
            cases: false,
            sources: Vec::new(),
        }
    }

    /// A refutation by cases: a line for each with what is wrong there, then the shortest case in full.
    fn cases(&self, refutation: &Refutation) -> Story {
        let mut lines = Vec::new();
        let (mut shortest, mut leaves, mut hidden): (Option<Leaf<'_>>, usize, usize) = (None, 0, 0);
        // The cases still to be gone into, the next one last: what is supposed last, with its number, and what refutes it.
        let mut open = vec![(None, String::new(), 0, refutation)];
        while let Some((supposed, number, depth, refutation)) = open.pop() {
            let text = match supposed {
                None => String::new(),
                Some((from, to)) => {
                    format!("case {number}: suppose {} -mo-> {}", self.show(from), self.show(to))
                }
            };
            let (about, arrows) = match supposed {
                None => (Vec::new(), Vec::new()),
                Some((from, to)) => (vec![from, to], vec![Arrow { from, to, name: "mo" }]),
            };
            let mut line = Line { about, arrows, ..Line::new(depth.max(1) - 1, &text) };
            let shown = depth <= DEEPEST && lines.len() < CASES;
            match refutation {
                Refutation::Split { first, second, forward, backward } => {
                    let numbered = |case: usize| match number.as_str() {
                        "" => case.to_string(),
                        number => format!("{number}.{case}"),
                    };
                    open.push((Some((*second, *first)), numbered(2), depth + 1, backward));
                    open.push((Some((*first, *second)), numbered(1), depth + 1, forward));
                    if depth == 0 {
                        let (first, second) = (self.show(*first), self.show(*second));
                        let text =
                            format!("mo orders {first} and {second} one way or the other; neither works:");
                        line.text = Line::<EventId>::new(0, &text).text;
                    }
                }
                leaf => {
                    leaves += 1;
                    let weight = weight(leaf);
                    if shown {
                        let Story { steps, .. } = self.tell(leaf);
                        let (why, about) = self.conclusion(&steps);
                        line.text += &format!(": {why}");
                        line.about.extend(about);
                    }
                    if shortest.as_ref().is_none_or(|shortest| weight < shortest.weight) {
                        shortest = Some(Leaf { number: number.clone(), weight, refutation: leaf });
                    }
                }
            }
            if shown { lines.push(line) } else { hidden += 1 }
        }
        if hidden > 0 {
            lines.push(Line::new(1, &format!("... and {hidden} more cases within these")));
        }
        let mut told = Story { title: None, lines, steps: Vec::new(), cases: true, sources: Vec::new() };
        if let Some(leaf) = shortest {
            let Story { lines, steps, .. } = self.tell(leaf.refutation);
            told.title = Some(format!("no order of the writes works: each of {leaves} cases fails"));
            told.lines.push(Line::new(0, &format!("case {} in full:", leaf.number)));
            told.lines.extend(lines.into_iter().map(|line| Line { depth: line.depth + 1, ..line }));
            told.steps = steps;
        }
        told
    }

    /// What goes wrong, in one line.
    fn conclusion(&self, steps: &[Arrow<EventId>]) -> (String, Vec<EventId>) {
        let about: Vec<EventId> = steps.iter().map(|step| step.from).collect();
        let mut frs = steps.iter().filter(|step| step.name == "fr");
        if let (Some(fr), None) = (frs.next(), frs.next()) {
            let (read, by) = (self.brief(fr.from), self.brief(fr.to));
            return (format!("{read} would miss {by}, which comes before it"), about);
        }
        let mut text = String::from("cycle");
        for step in steps {
            text += &format!(" {} -{}->", self.brief(step.from), step.name);
        }
        text += &steps.first().map_or_else(String::new, |step| format!(" {}", self.brief(step.from)));
        (Line::<EventId>::new(0, &text).text, about)
    }

    fn brief(&self, event: EventId) -> String {
        super::brief(self.x, event)
    }
}

/// What a cycle of psc is called: the name of the shape that its paths make.
fn psc_title(x: &Execution, page: &Page<'_>, edges: &[Edge]) -> Option<String> {
    let mut steps = Vec::new();
    for edge in edges {
        let Because::Psc { path } = &edge.because else { return None };
        steps.extend(path.iter().map(|step| Arrow { from: step.from, to: step.to, name: page.arrow(step) }));
    }
    let named = shape::title(x, &steps);
    Some(named.unwrap_or_else(|| "the seq_cst events cannot be put in one order".into()))
}

/// A case that is not divided further.
struct Leaf<'r> {
    number: String,
    weight: usize,
    refutation: &'r Refutation,
}

fn weight(leaf: &Refutation) -> usize {
    match leaf {
        Refutation::Cycle(Cycle { lemmas, edges }) => lemmas.len() + edges.len(),
        Refutation::Overwritten { after, .. } => after.len() + 1,
        Refutation::SharedSource { .. } => 2,
        Refutation::Check(check) => check.mo.len() + check.events.len(),
        Refutation::Split { .. }
        | Refutation::ThinAir(_)
        | Refutation::NoSource(_)
        | Refutation::Forced { .. }
        | Refutation::Sources { .. } => usize::MAX,
    }
}

fn is_po(edge: &Edge) -> bool {
    matches!(edge.because, Because::Po | Because::Ppo | Because::PoLoc | Because::Dep)
}

/// What is written on the page, taken from it.
fn grounds<'a>(page: &mut Page<'a>, write: impl FnOnce(&mut Page<'a>)) -> Vec<Line<EventId>> {
    let before = page.lines.len();
    write(page);
    page.lines.split_off(before)
}

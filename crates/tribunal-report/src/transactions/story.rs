//! A violation as a story for people: what comes before what and why, step by step, until the last leads back to the first.

use super::grounds::{Grounds, arrow, chain};
use super::{all_of, key, key_of, levels, meaning, misread, name, reading};
use crate::line::{Arrow, Line};
use tribunal_engines::transactions::{Anomaly, SmallestAnomaly, normal, of_cycle};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{
    Because, End, History, INIT, Incompatible, KeyId, Level, Link, Misread, OpId, Proof, Rel, Step, TxnId,
    Violation,
};

/// The most cases to show; a longer list helps nobody.
const CASES: usize = 3;
/// The most sources to show.
const SOURCES: usize = 8;
/// What looking for a weaker level that is violated without so many may cost, for each level.
const STATES: u64 = 100_000;
/// With more cases, no simpler one is looked for.
const LOOKED_AT: usize = 1000;

/// A violation, step by step.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The anomaly's name, and what it means here.
    pub title: String,
    /// The steps, numbered, with what they rest on below them; of a refutation by cases the cases, and then the steps of the
    /// simplest. The last says what cannot be.
    pub lines: Vec<Line<TxnId>>,
    /// The steps themselves: each begins where the one before ends, and the first where the last ends. Of reads that cannot be, none.
    pub steps: Vec<Arrow<TxnId>>,
    /// The reads that it is about.
    pub reads: Vec<OpId>,
    /// The keys that it is about.
    pub keys: Vec<KeyId>,
    /// Whether it goes through cases.
    pub cases: bool,
    /// The sources that it supposes for reads of repeated values.
    pub sources: Vec<(OpId, TxnId)>,
}

/// Tells why a history does not satisfy a level.
///
/// ```
/// use tribunal::transactions::{History, Op, Status, Verdict, check};
/// let mut b = History::builder();
/// let (a, c, x, y) = (b.session("a"), b.session("c"), b.key("x"), b.key("y"));
/// b.transaction(a, Status::Committed, None, &[Op::Write(x, 1), Op::Write(y, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(y, None), Op::Read(x, Some(1))]);
/// let (history, level) = (b.build()?, "rat".parse()?);
/// let Verdict::Inconsistent(violation) = check(&history, level) else { panic!("not rat") };
/// let story = tribunal_report::transactions::story(&history, level, &violation);
/// assert_eq!(story.title, "fractured read: T1 saw T0's x but not its y");
/// assert_eq!(story.steps.iter().map(|step| step.name).collect::<Vec<_>>(), ["wr", "rw"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn story(history: &History, level: Level, violation: &Violation) -> Story {
    story_of(history, Vec::new(), level, violation)
}

/// The name of the anomaly that a violation of a level is.
pub fn anomaly(history: &History, level: Level, violation: &Violation) -> Anomaly {
    Anomaly::of(history, level, violation)
}

/// The same, where these sources have been supposed so far.
fn story_of(history: &History, sources: Vec<(OpId, TxnId)>, level: Level, violation: &Violation) -> Story {
    if let Violation::Sources { read, cases } = violation {
        return by_source(history, sources, level, *read, cases);
    }
    let chosen = (!sources.is_empty()).then(|| history.choosing(&sources));
    let history = chosen.as_ref().unwrap_or(history);
    let violation = &normal(history, level, violation);
    let story = match violation {
        Violation::Misread(found) => misread::misread(history, *found),
        Violation::Incompatible(found) => misread::incompatible(history, *found),
        Violation::Proof(proof) => match &proof.end {
            End::Cycle(cycle) => {
                let title = meaning::meaning(history, of_cycle(history, cycle), cycle);
                around(history, level, title, &Case::of(proof, cycle))
            }
            End::Cases { .. } => match simpler(history, level, violation) {
                Some(story) => story,
                None => cases(history, level, proof),
            },
        },
        // What has no source has its own story.
        Violation::Sources { .. } => Story::default(),
    };
    Story { sources, ..story }
}

/// The number of cases that a violation goes through, up to a number.
fn count_cases(violation: &Violation) -> usize {
    match violation {
        Violation::Misread(_) | Violation::Incompatible(_) => 1,
        Violation::Proof(proof) => all_cases(proof).0.len(),
        Violation::Sources { .. } => usize::MAX,
    }
}

/// Instead of many cases, the violation of the weakest level that fails, if that takes few: what satisfies the level satisfies that one as well.
fn simpler(history: &History, level: Level, violation: &Violation) -> Option<Story> {
    if count_cases(violation) <= CASES || history.reads().is_open() {
        return None;
    }
    let limits = Limits { max_states: STATES, ..Limits::default() };
    let SmallestAnomaly { level: weaker, violation, .. } =
        Anomaly::smallest(history, level, violation, &limits);
    let few = normal(history, weaker, &violation);
    if weaker == level || count_cases(&few) > CASES {
        return None;
    }
    let mut story = story_of(history, Vec::new(), weaker, &violation);
    story.lines.insert(0, Line::new(0, &format!("{weaker} forbids it, and {level} is stronger:")));
    Some(story)
}

/// A read whose every source fails: a line for each with what is wrong there, then the simplest case in full.
fn by_source(
    history: &History,
    mut sources: Vec<(OpId, TxnId)>,
    level: Level,
    read: OpId,
    cases: &[(TxnId, Violation)],
) -> Story {
    let reader = history.txn_of(read);
    let what = format!("{} read {}", name(reader), reading(history, read));
    let from: Vec<String> = cases.iter().take(SOURCES).map(|(source, _)| name(*source)).collect();
    let more = if cases.len() > SOURCES { ", .." } else { "" };
    let text = format!("{what}, which {}{more} wrote; it can be from none of them:", all_of(&from));
    let mut lines = vec![Line { about: vec![reader], ..Line::new(0, &text) }];
    for (source, case) in cases.iter().take(SOURCES) {
        let text = format!("if from {}: {}", name(*source), summary(history, case));
        let arrows = vec![Arrow { from: *source, to: reader, name: "wr" }];
        let about = [*source, reader].into_iter().filter(|&txn| txn != INIT).collect();
        lines.push(Line { about, arrows, ..Line::new(1, &text) });
    }
    if cases.len() > SOURCES {
        lines.push(Line::new(1, &format!(".. and {} more", cases.len() - SOURCES)));
    }
    let title = format!("no source: {what}, and no transaction that wrote it can be the source");
    let Some((source, case)) = cases.iter().min_by_key(|(_, case)| burden(case)) else {
        return Story { title, lines, cases: true, ..Story::default() };
    };
    sources.push((read, *source));
    let inner = story_of(history, sources, level, case);
    lines.push(Line::new(0, &format!("in full, if it is from {}: {}", name(*source), inner.title)));
    lines.extend(inner.lines.into_iter().map(|line| line.below(1)));
    Story { title, lines, cases: true, ..Story { lines: Vec::new(), ..inner } }
}

/// What is wrong in a case, in a few words.
fn summary(history: &History, violation: &Violation) -> String {
    match violation {
        Violation::Misread(Misread { op, what }) => {
            format!("{what}, {} read {}", name(history.txn_of(*op)), reading(history, *op))
        }
        Violation::Incompatible(Incompatible { key: of, .. }) => {
            format!("reads of {} contradict each other", key(history, *of))
        }
        Violation::Sources { read, .. } => format!(
            "{} read {}, and no transaction can be the source",
            name(history.txn_of(*read)),
            reading(history, *read)
        ),
        Violation::Proof(Proof { end: End::Cycle(cycle), .. }) => format!("cycle {}", chain(history, cycle)),
        Violation::Proof(_) => "no order of the writes works".into(),
    }
}

/// How long the explanation of a violation is.
fn burden(violation: &Violation) -> usize {
    match violation {
        Violation::Misread(_) | Violation::Incompatible(_) => 1,
        Violation::Proof(Proof { steps, end: End::Cycle(cycle) }) => 1 + steps.len() + cycle.len(),
        Violation::Proof(_) => 1000,
        Violation::Sources { cases, .. } => 2000 + cases.len(),
    }
}

/// The steps round a cycle.
fn around(history: &History, level: Level, title: String, case: &Case<'_>) -> Story {
    let known = case.steps.iter().copied().flatten();
    let supposed = |step: &&Step| case.supposed.contains(&(step.key, step.first, step.second));
    let mut grounds = Grounds::new(history, known.filter(|step| !supposed(step)));
    let Case { cycle, .. } = case;
    let cycle = from_the_first(cycle);
    let mut lines = Vec::new();
    for (at, link) in (1..).zip(&cycle) {
        lines.extend(grounds.link(0, &format!("({at}) "), link));
    }
    let first = cycle.first().map_or(INIT, |link| link.from);
    let rule = levels::rule(level);
    lines.push(Line::new(
        0,
        &match cycle.len() {
            0 => format!("there is no such order: {rule}"),
            1 => format!("(1) leads from {} back to itself, and {rule}", name(first)),
            2 => format!("(1) and (2) form a cycle through {}, and {rule}", name(first)),
            all => format!("(1) to ({all}) form a cycle through {}, and {rule}", name(first)),
        },
    ));
    let reads = cycle.iter().filter_map(|link| match link.rel {
        Rel::Wr(op) | Rel::Rw(op) => Some(op),
        _ => None,
    });
    let keys = cycle.iter().filter_map(|link| key_of(history, link.rel)).collect();
    let steps = cycle.iter().map(arrow).collect();
    Story { title, lines, reads: reads.collect(), keys, steps, ..Story::default() }
}

/// A cycle from a good place on: after its first rw, so that what should have been seen comes before that it was not.
fn from_the_first(cycle: &[Link]) -> Vec<Link> {
    let mut turned = cycle.to_vec();
    if let Some(at) = turned.iter().rposition(|link| matches!(link.rel, Rel::Rw(_))) {
        let all = turned.len();
        turned.rotate_left((at + 1) % all);
    }
    turned
}

/// One way to suppose things, and why it fails.
struct Case<'a> {
    /// Pairs of writers, in the order supposed.
    supposed: Vec<(KeyId, TxnId, TxnId)>,
    /// What is known on the way to it, and in it.
    steps: Vec<&'a [Step]>,
    cycle: &'a [Link],
}

impl<'a> Case<'a> {
    /// A proof without cases.
    fn of(proof: &'a Proof, cycle: &'a [Link]) -> Self {
        Case { supposed: Vec::new(), steps: vec![&proof.steps], cycle }
    }
}

/// All that fails, up to a number.
fn all_cases(proof: &Proof) -> (Vec<Case<'_>>, bool) {
    let mut cases = Vec::new();
    let mut pending = vec![(proof, Vec::new(), Vec::new())];
    while let Some((Proof { steps, end }, supposed, mut known)) = pending.pop() {
        known.push(&steps[..]);
        match end {
            End::Cycle(cycle) => cases.push(Case { supposed, steps: known, cycle }),
            End::Cases { key, first, second, forward, backward } => {
                let with = |first: TxnId, second: TxnId| {
                    let mut supposed: Vec<_> = supposed.clone();
                    supposed.push((*key, first, second));
                    supposed
                };
                pending.push((&**backward, with(*second, *first), known.clone()));
                pending.push((&**forward, with(*first, *second), known));
            }
        }
        if cases.len() >= LOOKED_AT {
            return (cases, !pending.is_empty());
        }
    }
    (cases, false)
}

/// How long the explanation of a case is.
fn weight(case: &Case<'_>) -> usize {
    let links = |step: &Step| match &step.because {
        Because::List(_) => 1,
        Because::Seen { path, .. } | Because::Otherwise(path) => 1 + path.len(),
    };
    let last = case.steps.last().map_or(0, |steps| steps.iter().map(links).sum());
    case.supposed.len() + case.cycle.len() + last
}

fn cases(history: &History, level: Level, proof: &Proof) -> Story {
    let (cases, more) = all_cases(proof);
    let count = format!("{}{}", if more { "more than " } else { "" }, cases.len());
    // The case that the anomaly has its name from, the simplest of them.
    let anomaly = Anomaly::of_proof(history, proof);
    let simplest = cases
        .iter()
        .enumerate()
        .min_by_key(|(_, case)| (of_cycle(history, case.cycle).shape() != anomaly.shape(), weight(case)));
    let title = match simplest {
        Some((_, case)) => meaning::meaning(history, anomaly, case.cycle),
        None => anomaly.to_string(),
    };
    let mut lines = Vec::new();
    // Of many cases only the simplest is told.
    let few = !more && cases.len() <= CASES;
    if let End::Cases { key: of, first, second, .. } = &proof.end {
        let which = if few { "" } else { ", of which the simplest follows" };
        let text = format!(
            "{} and {} both write {}, one before the other, and neither order works; {count} cases{which}:",
            name(*first),
            name(*second),
            key(history, *of)
        );
        lines.push(Line { about: vec![*first, *second], ..Line::new(0, &text) });
    }
    let Some((at, case)) = simplest else {
        return Story { title, lines, cases: true, ..Story::default() };
    };
    for (at, case) in (1..).zip(&cases).filter(|(number, _)| few || *number == at + 1) {
        let text = format!(
            "case {at}: suppose {}: cycle {}",
            supposed(history, case),
            chain(history, &from_the_first(case.cycle))
        );
        let mut line = Line::new(0, &text);
        line.about.extend(case.cycle.iter().map(|link| link.from).filter(|&txn| txn != INIT));
        line.arrows.extend(case.cycle.iter().map(arrow));
        lines.push(line);
    }
    if !few {
        let text = "`tribunal shrink` finds the smallest part of the history that fails".to_string();
        lines.push(Line::new(0, &text));
    }
    let full = around(history, level, String::new(), case);
    lines.push(Line::new(0, &format!("case {} in full:", at + 1)));
    lines.extend(full.lines.into_iter().map(|line| line.below(1)));
    Story { title, lines, cases: true, ..Story { lines: Vec::new(), ..full } }
}

/// What a case supposes.
fn supposed(history: &History, case: &Case<'_>) -> String {
    let one = |&(of, first, second): &(KeyId, TxnId, TxnId)| {
        format!("{} wrote {} before {}", name(first), key(history, of), name(second))
    };
    case.supposed.iter().map(one).collect::<Vec<_>>().join(", ")
}

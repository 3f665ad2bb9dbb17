//! The reason why a weaker model allows a history that a stronger one forbids.

use super::kept::{kept, kinds};
use super::story::Story;
use crate::line::{Arrow, Line};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::model::Preserved;
use tribunal_history::verdict::Witness;
use tribunal_verify::verify_witness;

/// The most grounds to name that a model does not have.
const GROUNDS: usize = 3;

/// The reason why a model allows what another forbids for this reason: the steps that it does not have or, if it has them all, its axioms.
///
/// ```
/// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
/// use tribunal_report::memory::{difference, story};
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let (x, y) = (b.location("x"), b.location("y"));
/// b.push(t0, Op::write(x, 1));
/// b.push(t0, Op::write(y, 1));
/// b.push(t1, Op::read(y, 1));
/// b.push(t1, Op::read(x, 0));
/// let mp = b.build()?;
/// let (Verdict::Inconsistent(violation), Verdict::Consistent(witness)) =
///     (check(&mp, Model::Tso), check(&mp, Model::Pso))
/// else {
///     panic!("tso forbids message passing, pso does not")
/// };
/// let lines = difference(&mp, Model::Tso, &story(&mp, Model::Tso, &violation), Model::Pso, &witness);
/// assert_eq!(
///     lines[0].text,
///     "pso does not have step (1): it does not keep T0:0 W x 1 before T0:1 W y 1, a write and a later write"
/// );
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn difference(
    x: &Execution,
    strong: Model,
    story: &Story,
    weak: Model,
    witness: &Witness,
) -> Vec<Line<EventId>> {
    let mut lines = Vec::new();
    let chosen = (!story.sources.is_empty()).then(|| x.choosing(&story.sources));
    let whole = x;
    let x = chosen.as_ref().unwrap_or(x);
    for (at, step) in story.steps.iter().enumerate().filter(|_| !story.cases) {
        if let Some(why) = lacking(x, weak, step, &story.steps) {
            let text = format!("{weak} does not have step ({}): {why}", at + 1);
            lines.push(Line { about: vec![step.from, step.to], arrows: vec![*step], ..Line::new(0, &text) });
        }
    }
    if lines.is_empty() && !story.cases {
        lines.extend(lacking_grounds(x, weak, story));
    }
    // Every model has fr from a read of an initial value; another may rest on what only the stronger one has.
    let initial = |read: EventId| x.rf(read).is_some_and(|source| x.is_init(source));
    let plain =
        |step: &Arrow<EventId>| is_po(step) || step.name == "rf" || step.name == "fr" && initial(step.from);
    let frs = story.steps.iter().filter(|step| step.name == "fr").count();
    if lines.is_empty() && frs > 1 && one_at_a_time(x, weak) && !story.cases && story.steps.iter().all(plain)
    {
        let text = format!(
            "{weak} has each of the steps, but only forbids cycles with one fr edge: this one has {frs}"
        );
        lines.push(Line::new(0, &text));
    }
    if lines.is_empty() {
        lines.push(Line::new(0, &format!("{strong}: {}", strong.axioms())));
        lines.push(Line::new(0, &format!("{weak}: {}", weak.axioms())));
        if let (Some(_), Err(refusal)) = (witness.mo(), verify_witness(whole, strong, witness)) {
            lines.push(Line::new(
                0,
                &format!("with the mo by which {weak} allows it, {strong} fails: {refusal}"),
            ));
        }
    }
    lines
}

/// Models whose axioms follow at most one fr edge of a read that is no RMW by happens-before: psc has several.
fn one_at_a_time(x: &Execution, model: Model) -> bool {
    match model {
        Model::Ra | Model::Wra | Model::Relaxed | Model::Cc => true,
        Model::Rc20 | Model::Rc11 => !x.features().seq_cst,
        _ => false,
    }
}

fn is_po(step: &Arrow<EventId>) -> bool {
    matches!(step.name, "po" | "ppo" | "po-loc" | "dep")
}

/// What a model does not have of that on which the steps rest; a few of such things.
fn lacking_grounds(x: &Execution, weak: Model, story: &Story) -> Vec<Line<EventId>> {
    let mut lines: Vec<Line<EventId>> = Vec::new();
    for arrow in story.lines.iter().flat_map(|line| &line.arrows).filter(|arrow| !story.steps.contains(arrow))
    {
        if let Some(why) = lacking(x, weak, arrow, &story.steps) {
            let line = Line::new(0, &format!("{weak} does not have all that these steps rest on: {why}"));
            if lines.len() < GROUNDS && !lines.iter().any(|other| other.text == line.text) {
                lines.push(Line { about: vec![arrow.from, arrow.to], arrows: vec![*arrow], ..line });
            }
        }
    }
    lines
}

/// The reason why a model does not have a step of a cycle, if it does not.
fn lacking(x: &Execution, weak: Model, step: &Arrow<EventId>, steps: &[Arrow<EventId>]) -> Option<String> {
    let Arrow { from, to, name } = *step;
    if x.is_init(from) {
        return None;
    }
    let (shown, after) = (x.show(from), x.show(to));
    let one_location = x.loc(from).is_some() && x.loc(from) == x.loc(to);
    let one_thread = x.thread_of(from) == x.thread_of(to);
    if let Some(preserved) = pair(weak) {
        // po-loc is in the other view, which has all of it but load-load hazards.
        let plain_reads = || [from, to].iter().all(|&end| !x.label(end).writes());
        let local = name == "po-loc" && !(preserved.load_hazards && plain_reads());
        if is_po(step) && !local && kept(x, &preserved, from, to).is_none() {
            let alone = if one_location { " for more than their location" } else { "" };
            return Some(format!("it does not keep {shown} before {after}{alone}, {}", kinds(x, from, to)));
        }
        let internal = name == "rf" && one_thread && !preserved.internal_rf;
        return internal
            .then(|| format!("it lets {after} read from its own thread before others see {shown}"));
    }
    match weak {
        Model::Coherence if is_po(step) && !one_location => {
            Some(format!("it looks at each location alone, and {shown} and {after} are of two"))
        }
        Model::Rc20
            if name == "sw"
                && x.rf(to) != Some(from)
                && x.features().fences == 0
                && x.features().rmws == 0 =>
        {
            Some(format!("a later write of the thread does not continue what {shown} released"))
        }
        Model::Rc20 | Model::Rc11 if name == "rf" && x.features().fences == 0 => {
            let synchronize = x.label(from).releases() && x.label(to).acquires();
            (!synchronize).then(|| {
                format!("{after} reads from {shown} without acquire and release, so neither happens before")
            })
        }
        Model::Relaxed if name == "rf" && !one_thread => {
            Some(format!("that {after} reads from {shown} makes neither happen before the other"))
        }
        Model::Pram => {
            // A thread's order has the reads of no other.
            let mut reads = steps.iter().filter(|step| step.name == "fr");
            let (Some(read), None) = (reads.next(), reads.next()) else { return None };
            let observer = x.thread_of(read.from);
            let unseen = [from, to]
                .into_iter()
                .find(|&end| x.label(end).reads() && !x.label(end).writes() && x.thread_of(end) != observer);
            unseen.map(|read| format!("what {} read is for its own thread alone", x.show(read)))
        }
        _ => None,
    }
}

/// What a model preserves of program order, if it is such a model; wccm takes tso's.
fn pair(model: Model) -> Option<Preserved> {
    if model == Model::Wccm { Some(Preserved::TSO) } else { model.preserved() }
}

//! Both labelled corpora: whatever is inconsistent is explained on a screen, and the explanation shows the violation that
//! verifies, nothing else.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tribunal_engines::object;
use tribunal_formats::{History, Input, open};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::object::{Criterion, OpId, Typed, specs};
use tribunal_history::verdict::{Because, Cycle, Edge, Refutation, Violation};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_report::{
    Answer, Arrow, Line, On, Question, SCREENFUL, Section, Specifications, contrast, memory, section,
    sections,
};
use tribunal_verify::verify_violation;

/// No line is longer, unless a name is; those of the corpora are short.
const COLUMNS: usize = 110;

fn corpus(name: &str) -> Vec<History> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../tribunal-engines/tests/data", name].iter().collect();
    let histories = open(&Input::Path(path), None).expect("a corpus");
    histories.collect::<Result<_, _>>().expect("histories")
}

fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// What is wrong with the look of sections below a history's name.
fn ill_shown(shown: &[Section]) -> Option<String> {
    let height = 1 + shown.iter().map(Section::height).sum::<usize>();
    let lines = || shown.iter().flat_map(|section| &section.lines);
    if height > SCREENFUL {
        return Some(format!("{height} lines"));
    }
    let wide = lines().find(|line| line.chars().count() + 2 > COLUMNS);
    if let Some(line) = wide {
        return Some(format!("too wide: {line}"));
    }
    lines().all(|line| line.trim().is_empty()).then(|| "nothing is shown".into())
}

/// What is wrong with how the first question that a history fails is set against the last that it does not.
fn ill_contrasted(answers: &[Answer], history: &History) -> Option<String> {
    let strong = answers.iter().find(|answer| answer.verdict().is_inconsistent())?;
    let weak = answers.iter().rfind(|answer| answer.verdict().is_consistent())?;
    let shown = contrast(strong, weak, history, SCREENFUL - 3, &Limits::default());
    let what = format!("{} but {}", strong.question(), weak.question());
    if shown.iter().any(|section| section.lines.is_empty()) {
        return Some(format!("{what}: no difference is shown"));
    }
    ill_shown(&shown).map(|ill| format!("{what}: {ill}"))
}

/// What follows from the weakest questions, does: two answers that say that one does not include the other.
fn ill_included(answers: &[Answer]) -> Option<String> {
    answers.iter().filter(|weak| weak.verdict().is_inconsistent()).find_map(|weak| {
        let mut holding = answers.iter().filter(|strong| strong.verdict().is_consistent());
        let strong = holding.find(|strong| weak.question().includes(&strong.question()))?;
        Some(format!("{} is said to include {}", weak.question(), strong.question()))
    })
}

type Edges = BTreeSet<(EventId, EventId)>;

/// The edges of a refutation, whatever they rest on included.
fn edges(refutation: &Refutation, all: &mut Edges) {
    fn add(edge: &Edge, all: &mut Edges) {
        all.insert((edge.from, edge.to));
        match &edge.because {
            Because::Coherence { path }
            | Because::Read { path, .. }
            | Because::Seen { path, .. }
            | Because::Psc { path }
            | Because::Unless { cycle: path } => {
                path.iter().for_each(|edge| add(edge, all));
            }
            Because::Atomic { premise } | Because::Fr { premise } => add(premise, all),
            _ => {}
        }
    }
    match refutation {
        Refutation::Cycle(Cycle { lemmas, edges }) => {
            lemmas.iter().chain(edges).for_each(|edge| add(edge, all));
        }
        Refutation::SharedSource { write, rmws } => all.extend(rmws.map(|rmw| (*write, rmw))),
        Refutation::Overwritten { before, after, .. } => {
            before.iter().chain(after).for_each(|edge| add(edge, all));
        }
        Refutation::Split { first, second, forward, backward } => {
            all.extend([(*first, *second), (*second, *first)]);
            edges(forward, all);
            edges(backward, all);
        }
        Refutation::ThinAir(_) | Refutation::NoSource(_) | Refutation::Check(_) => {}
        Refutation::Forced { then, .. } => edges(&then.refutation, all),
        Refutation::Sources { cases, .. } => {
            cases.iter().for_each(|(_, case)| edges(&case.refutation, all));
        }
    }
}

fn reaches(edges: &Edges, from: EventId, to: EventId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        for &(_, next) in edges.range((at, EventId(0))..=(at, EventId(u32::MAX))) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// Whether an arrow is an edge of the violation; or an rf edge of the history, along which RMWs are followed; or fr that
/// the violation's edges give, as they lead from the write that is read to the one that overwrites it.
fn justified(x: &Execution, edges: &Edges, arrow: &Arrow<EventId>) -> bool {
    let Arrow { from, to, name } = *arrow;
    edges.contains(&(from, to))
        || name == "rf" && x.rf(to) == Some(from)
        // A later write of its thread continues a release sequence.
        || name == "po"
            && x.thread_of(from) == x.thread_of(to)
            && from < to
            && x.loc(from) == x.loc(to)
            && [from, to].iter().all(|&event| x.label(event).writes())
        || name == "fr"
            && x.rf(from).is_some_and(|source| {
                x.is_init(source) && x.loc(source) == x.loc(to) || reaches(edges, source, to)
            })
}

/// What is wrong with the explanation of a violation.
fn ill_explained(x: &Execution, model: Model, violation: &Violation) -> Option<String> {
    let lines = memory::explain(x, model, violation);
    let story = memory::story(x, model, violation);
    if lines.is_empty() || story.lines.is_empty() {
        return Some("no explanation".into());
    }
    let known = |event: &EventId| event.index() < x.len() + x.location_count();
    let mut all = Edges::new();
    edges(&violation.refutation, &mut all);
    for Line { about, arrows, text, .. } in lines.iter().chain(&story.lines) {
        if !about.iter().all(known) {
            return Some(format!("an unknown event in: {text}"));
        }
        if let Some(arrow) = arrows.iter().find(|arrow| !justified(x, &all, arrow)) {
            return Some(format!("{arrow:?} is not of the violation: {text}"));
        }
    }
    if let Some(arrow) = story.steps.iter().find(|arrow| !justified(x, &all, arrow)) {
        return Some(format!("{arrow:?} is no step of the violation"));
    }
    let steps = &story.steps;
    let closed = steps.iter().zip(steps.iter().cycle().skip(1)).all(|(one, next)| one.to == next.from);
    let shared = matches!(violation.refutation, Refutation::SharedSource { .. })
        || story.cases && steps.iter().all(|step| step.name == "rf");
    if steps.is_empty() || !closed && !shared {
        return Some(format!("the steps do not lead round: {steps:?}"));
    }
    // What is drawn of a cycle is closed, too.
    let drawn: Edges =
        lines.iter().flat_map(|line| &line.arrows).map(|arrow| (arrow.from, arrow.to)).collect();
    let round = drawn.iter().any(|&(from, _)| reaches(&drawn, from, from));
    (!round && !shared).then(|| "the arrows do not lead round".into())
}

/// The answers to all questions of a kind.
fn all_of(history: &History, questions: impl IntoIterator<Item = Question>) -> Vec<Answer> {
    let history =
        Specifications::default().checkable(&history.subject, "corpus").expect("a history that fits");
    questions.into_iter().map(|question| Answer::of(&history, &question, None, &Limits::default())).collect()
}

#[test]
fn every_violation_of_a_memory_is_explained() {
    let of = |history: &History| {
        let x = history.memory().expect("of a memory");
        let labels: BTreeMap<&str, Option<bool>> =
            history.labels.0.iter().map(|(name, label)| (name.as_str(), *label)).collect();
        let mut wrong = Vec::new();
        let answers = all_of(history, Model::ALL.map(Question::Model));
        let mut inconsistent = 0;
        for answer in &answers {
            let On::Memory { model, verdict, .. } = &answer.on else { continue };
            let mut say = |what: String| wrong.push(format!("line {}, {model}: {what}", history.line));
            let label = labels.get(model.name()).copied().flatten();
            let Verdict::Inconsistent(violation) = verdict else {
                if label == Some(false) {
                    say(format!("{} instead of inconsistent", verdict.word()));
                }
                continue;
            };
            inconsistent += 1;
            if let Err(refusal) = verify_violation(x, *model, violation) {
                say(format!("refused: {refusal}"));
            }
            if let Some(what) = ill_explained(x, *model, violation) {
                say(what);
            }
            if let Some(what) = ill_shown(&[section(answer, history, SCREENFUL - 1, &Limits::default())]) {
                say(what);
            }
        }
        let shown = sections(&answers, history, SCREENFUL - 1, &Limits::default());
        let ill = ill_shown(&shown).into_iter().chain(ill_contrasted(&answers, history));
        let ill = ill.chain(ill_included(&answers));
        wrong.extend(ill.map(|what| format!("line {}: {what}", history.line)));
        (inconsistent, wrong)
    };
    for name in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        let told: Vec<(usize, Vec<String>)> = corpus(name).par_iter().map(of).collect();
        assert!(told.iter().map(|(inconsistent, _)| inconsistent).sum::<usize>() > 5_000);
        none(told.into_iter().flat_map(|(_, wrong)| wrong).collect());
    }
}

/// What is wrong with the explanation of a criterion's violation.
fn ill_explained_object(
    typed: &Typed<'_>,
    criterion: &Criterion,
    violation: &tribunal_history::object::Violation,
) -> Option<String> {
    let (history, spec) = (typed.history(), typed.spec());
    let told = tribunal_report::object::explain(typed, criterion, violation, &Limits::default());
    let known = |op: &OpId| op.index() < history.len();
    if told.lines.is_empty() || told.part.is_empty() {
        return Some("no explanation".into());
    }
    let ends =
        |line: &Line<OpId>| line.arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect::<Vec<_>>();
    let spoken = told.lines.iter().flat_map(|line| [line.about.clone(), ends(line)].concat());
    if let Some(op) = spoken.chain(told.part.clone()).chain(told.failing).find(|op| !known(op)) {
        return Some(format!("{op:?} is unknown"));
    }
    // The part is one of what had happened when the operation that fails returned.
    let end = history.intervals().zip(told.failing).map(|(intervals, op)| intervals.ret[op.index()] + 1);
    let called = |op: &OpId| match (history.intervals(), end) {
        (Some(intervals), Some(end)) => intervals.call[op.index()] < end,
        _ => true,
    };
    let happened: Vec<OpId> = history.ops().filter(called).collect();
    if let Some(end) = end {
        let earlier: Vec<OpId> = history
            .ops()
            .filter(|op| history.intervals().is_some_and(|all| all.call[op.index()] < end - 1))
            .collect();
        let before =
            object::check(&history.part(&earlier, Some(end - 1)).typed(spec).expect("typed"), criterion);
        if !before.is_consistent() {
            return Some("it fails before the operation that is said to fail returns".into());
        }
    }
    let operations: Vec<OpId> =
        (0..).zip(&happened).filter(|(_, op)| told.part.contains(op)).map(|(place, _)| OpId(place)).collect();
    if operations.len() != told.part.len() {
        return Some("the part has operations that had not been called".into());
    }
    let verdict = tribunal_history::object::Verdict::Inconsistent(tribunal_history::object::Violation {
        operations,
        cut: told.cut,
    });
    let prefix = history.part(&happened, end);
    let verified = tribunal_verify::object::verify(&prefix, spec, criterion, &verdict);
    verified.err().map(|refusal| format!("the part is refused: {refusal}"))
}

#[test]
fn every_violation_of_an_object_is_explained() {
    let of = |history: &History| {
        let object = history.object().expect("of an object");
        let spec = specs::named(&object.spec).expect("a built-in specification");
        let typed = object.history.typed(&*spec).expect("typed");
        let mut wrong = Vec::new();
        let answers = all_of(history, Criterion::ALL.map(Question::Criterion));
        for answer in &answers {
            let On::Object { criterion, verdict: Verdict::Inconsistent(violation), .. } = &answer.on else {
                continue;
            };
            let ill = ill_explained_object(&typed, criterion, violation);
            let shown = ill_shown(&[section(answer, history, SCREENFUL - 1, &Limits::default())]);
            let what = ill.into_iter().chain(shown);
            wrong.extend(what.map(|what| format!("line {}, {criterion}: {what}", history.line)));
        }
        let ill = ill_contrasted(&answers, history).into_iter().chain(ill_included(&answers));
        wrong.extend(ill.map(|what| format!("line {}: {what}", history.line)));
        for (name, label) in &history.labels.0 {
            let asked = answers.iter().find(|answer| answer.question().to_string() == *name);
            if asked.map(|answer| answer.verdict().is_inconsistent()) != label.map(|label| !label) {
                wrong.push(format!("line {}, {name}: not as labelled", history.line));
            }
        }
        wrong
    };
    none(corpus("object-public.jsonl.zst").par_iter().flat_map_iter(of).collect());
}

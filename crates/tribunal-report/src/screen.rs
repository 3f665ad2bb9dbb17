//! The output of `explain`: verdicts with their reasons and a listing, on one screen.

mod transactions;

use crate::first::{Allowance, allowance, difference, first_asked, strongest};
use crate::inclusion::weakest;
use crate::line::{Arrow, LONGEST, Line, broken, fold, kept};
use crate::memory::{self, Story};
use crate::object::{self, Explanation};
use crate::transactions as words;
use crate::{Answer, On, Question, Source};
use std::collections::BTreeSet;
use tribunal_formats::{History, Lines};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::object as objects;
use tribunal_history::verdict::{Bare, Verdict};

/// Verdicts that share an explanation: their headings, and the lines below.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The questions with their answers.
    pub headings: Vec<Heading>,
    /// The lines below them.
    pub lines: Vec<String>,
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The question.
    pub question: Question,
    /// The answer.
    pub verdict: Bare,
    /// The text beside it: the broken axiom, or why there is no answer.
    pub more: String,
}

impl Section {
    fn of(answer: &Answer, lines: Vec<String>) -> Self {
        Section { headings: vec![Heading::of(answer)], lines }
    }

    /// Its headings and, indented, its lines.
    pub fn text(&self) -> String {
        let headings = self.headings.iter();
        let headings = headings
            .map(|Heading { question, verdict, more }| format!("{question}: {}{more}\n", verdict.word()));
        let lines = self.lines.iter().map(|line| format!("{}\n", format!("  {line}").trim_end()));
        headings.chain(lines).collect()
    }

    /// The number of lines that it takes, with one that sets it apart.
    pub fn height(&self) -> usize {
        self.headings.len() + self.lines.len() + 1
    }
}

impl Heading {
    /// The heading of an answer.
    pub fn of(answer: &Answer) -> Self {
        let more = answer.reason().map_or_else(|| answer.broken(), |reason| format!(": {reason}"));
        Heading { question: answer.question(), verdict: answer.verdict(), more }
    }
}

/// An answer with its reason, in at most `height` lines: why not, with a listing; or the witness.
pub fn section(answer: &Answer, source: &History, height: usize, limits: &Limits<'_>) -> Section {
    let room = height.saturating_sub(2);
    Section::of(answer, reason(answer, source, room, limits))
}

fn reason(answer: &Answer, source: &History, height: usize, limits: &Limits<'_>) -> Vec<String> {
    match &answer.on {
        On::Memory { execution, model, verdict: Verdict::Inconsistent(violation) } => {
            tell(execution, &memory::story(execution, *model, violation), &source.lines, height)
        }
        On::Object { object: of, criterion, verdict: Verdict::Inconsistent(violation) } => {
            let explanation = object::explain(&of.typed(), criterion, violation, limits);
            let source = source.object().map_or_else(Source::default, Source::from);
            listed(of.history(), &explanation, source, height)
        }
        On::Transactions { history, level, verdict: Verdict::Inconsistent(violation) } => {
            let source = source.transactions().map_or_else(Source::default, Source::from);
            transactions::tell(history, *level, &words::story(history, *level, violation), source, height)
        }
        _ => witness(answer, height),
    }
}

/// A story with its title and its listing.
fn tell(x: &Execution, story: &Story, lines: &Lines, height: usize) -> Vec<String> {
    let chosen = (!story.sources.is_empty()).then(|| x.choosing(&story.sources));
    let x = chosen.as_ref().unwrap_or(x);
    let mut shown: Vec<String> = titled(story);
    let mut story_lines = broken(story.lines.clone(), LONGEST);
    // The conclusion stays, however much is folded.
    let closing = story_lines.pop();
    let about =
        |lines: &[&Line<EventId>]| lines.iter().flat_map(|line| line.about.clone()).collect::<Vec<_>>();
    let everything = about(&story_lines.iter().collect::<Vec<_>>());
    let rows = memory::listing(x, lines, &everything, &story.steps, height / 2).len();
    // A line between, one that says how many are missing, and the closing one.
    let room = height.saturating_sub(shown.len() + rows + 3);
    let (lines_kept, _) = kept(&story_lines, room);
    let spoken = about(&lines_kept);
    shown.extend(fold(&story_lines, room));
    shown.extend(closing.iter().map(Line::indented));
    shown.push(String::new());
    shown.extend(memory::listing(x, lines, &spoken, &story.steps, rows));
    shown
}

fn titled(story: &Story) -> Vec<String> {
    let title = story.title.as_ref().map(|title| Line::<EventId>::new(0, title));
    broken(title.into_iter().collect(), LONGEST).iter().map(Line::indented).collect()
}

/// What an explanation says, with its listing.
fn listed(
    history: &objects::History,
    explanation: &Explanation,
    source: Source<'_>,
    height: usize,
) -> Vec<String> {
    // What it says below the last line is what the listing shows.
    let said = explanation.lines.iter().filter(|line| line.depth == 0).cloned().collect();
    let mut shown = fold(&broken(said, LONGEST), height / 2);
    shown.extend(object::listing(history, source, explanation, height.saturating_sub(shown.len())));
    shown
}

/// The witness of a consistent history: as much of it as there is room for.
fn witness(answer: &Answer, height: usize) -> Vec<String> {
    let lines: Vec<String> = match &answer.on {
        On::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
            memory::show_witness(execution, witness).iter().map(Line::indented).collect()
        }
        _ => answer.show_witness(),
    };
    cut(lines, height)
}

/// The first lines, and how many there are more.
fn cut(lines: Vec<String>, height: usize) -> Vec<String> {
    let indented = lines.into_iter().map(|line| {
        let depth = (line.len() - line.trim_start().len()) / 2;
        Line::<()>::new(depth, line.trim_start())
    });
    let lines = broken(indented.collect(), LONGEST);
    let kept = if lines.len() <= height { lines.len() } else { height.saturating_sub(1) };
    let mut shown: Vec<String> = lines[..kept].iter().map(Line::indented).collect();
    if kept < lines.len() {
        shown.push(format!(
            "({} more lines; check --style json --witness has everything)",
            lines.len() - kept
        ));
    }
    shown
}

/// Everything that was asked of a history in at most `height` lines: the reason of the question that is
/// [asked first](first_asked), with those that fail for the same reason; other reasons as far as there is room; why the
/// strongest question that holds allows the history; then which questions have which answer.
pub fn sections(answers: &[Answer], source: &History, height: usize, limits: &Limits<'_>) -> Vec<Section> {
    let mut closing: Vec<Section> = strongest_allowed(answers, height / 4).into_iter().collect();
    closing.push(Section { headings: Vec::new(), lines: notes(answers) });
    let room = height.saturating_sub(closing.iter().map(Section::height).sum());
    let Some(first) = first_asked(answers) else { return closing };
    let answer = &answers[first];
    let mut sections = match &answer.on {
        On::Memory { execution, .. } if answer.verdict().is_inconsistent() => {
            reasons_of_memory(execution, answers, first, source, room)
        }
        On::Transactions { .. } if answer.verdict().is_inconsistent() => {
            transactions::reasons(answers, first, source, room, limits)
        }
        _ => vec![section(answer, source, room, limits)],
    };
    sections.append(&mut closing);
    sections
}

/// An answer that allows a history, with its witness; then the reason of a stronger one that forbids it, and what of that
/// the first does not ask for: in at most `height` lines.
pub fn allowed(
    weak: &Answer,
    strong: &Answer,
    source: &History,
    height: usize,
    limits: &Limits<'_>,
) -> Vec<Section> {
    let lines = fold(&broken(difference(strong, weak).unwrap_or_default(), LONGEST), height / 4);
    let shown = witness(weak, height / 4);
    let left = height.saturating_sub(lines.len() + shown.len() + 5);
    let mut why = reason(strong, source, left, limits);
    why.push(String::new());
    why.extend(lines);
    vec![Section::of(weak, shown), Section::of(strong, why)]
}

/// The reason why the strongest question that holds allows a history that a stronger one forbids.
fn strongest_allowed(answers: &[Answer], height: usize) -> Option<Section> {
    let at = strongest(answers)?;
    let Allowance { lines, .. } = allowance(answers, at)?;
    let lines = lines.iter().map(|line| Line::<()>::new(0, line)).collect();
    Some(Section::of(&answers[at], fold(&broken(lines, LONGEST), height)))
}

/// The reason of the model that is asked first, then those of the weakest models, the shortest first; those that are the same
/// in one.
fn reasons_of_memory(
    x: &Execution,
    answers: &[Answer],
    first: usize,
    source: &History,
    height: usize,
) -> Vec<Section> {
    let mut reasons: Vec<(Story, Section)> = Vec::new();
    let others = weakest(answers).into_iter().filter(|&at| at != first);
    for at in [first].into_iter().chain(others) {
        let On::Memory { model, verdict: Verdict::Inconsistent(violation), .. } = &answers[at].on else {
            continue;
        };
        let story = memory::story(x, *model, violation);
        let heading = Heading::of(&answers[at]);
        match reasons.iter_mut().find(|(other, _)| same(other, &story)) {
            Some((_, section)) => section.headings.push(heading),
            None => reasons.push((story, Section { headings: vec![heading], lines: Vec::new() })),
        }
    }
    reasons[1..].sort_by_key(|(story, _)| (story.cases, story.steps.len()));
    let mut sections: Vec<Section> = Vec::new();
    let mut left = height.saturating_sub(reasons.iter().map(|(_, section)| section.height()).sum());
    for (story, mut section) in reasons {
        if sections.is_empty() {
            section.lines = tell(x, &story, &source.lines, left);
        } else {
            // The others in words alone, as far as there is room.
            section.lines = titled(&story);
            section.lines.extend(fold(&broken(story.lines, LONGEST), usize::MAX));
            if section.lines.len() > left {
                let model = &section.headings[0].question;
                section.lines = vec![format!("for another reason, which --model {model} shows")];
                section.lines.truncate(left);
            }
        }
        left -= section.lines.len().min(left);
        sections.push(section);
    }
    sections
}

/// Whether two stories are the same, up to where they begin and to what the models call their edges.
fn same(one: &Story, other: &Story) -> bool {
    let class = |step: &Arrow<EventId>| (step.from, step.to, step.name == "fr", step.name == "rf");
    let (a, b) = (&one.steps, &other.steps);
    let turned = |turn: usize| a.iter().cycle().skip(turn).zip(b).all(|(a, b)| class(a) == class(b));
    !a.is_empty()
        && a.len() == b.len()
        && (0..a.len()).any(turned)
        && one.cases == other.cases
        && ends(one) == ends(other)
}

/// The ends of all edges that a story speaks of.
fn ends(story: &Story) -> BTreeSet<(EventId, EventId)> {
    story.lines.iter().flat_map(|line| &line.arrows).map(|arrow| (arrow.from, arrow.to)).collect()
}

/// Which questions have which answer, in a few lines.
fn notes(answers: &[Answer]) -> Vec<String> {
    let names = |wanted: &str| {
        let kept = answers.iter().filter(|answer| answer.verdict().word() == wanted);
        kept.map(|answer| answer.question().to_string()).collect::<Vec<_>>().join(", ")
    };
    let (forbidden, allowed) = match are_transactions(answers) {
        true => (fails(answers), ("satisfies", satisfied(answers).join(", "))),
        false => (names("inconsistent"), ("allowed by", names("consistent"))),
    };
    let rows = [
        ("forbidden by", forbidden),
        allowed,
        ("undecided", names("undecided")),
        ("not asked", not_asked(answers, names("unsupported"))),
    ];
    let rows = rows.into_iter().filter(|(_, names)| !names.is_empty());
    let lines = rows.map(|(what, names)| Line::<()>::new(0, &format!("{what:12}  {names}")));
    broken(lines.collect(), LONGEST).iter().map(Line::indented).collect()
}

/// What does not apply. Of transactions these are all levels that speak of real time, for one reason.
fn not_asked(answers: &[Answer], names: String) -> String {
    let unsupported = |answer: &&Answer| answer.verdict() == Verdict::Unsupported(());
    match answers.iter().find(unsupported).and_then(|answer| answer.reason()) {
        Some(reason) if are_transactions(answers) => format!("strict-: {reason}"),
        _ => names,
    }
}

fn are_transactions(answers: &[Answer]) -> bool {
    matches!(answers.first().map(|answer| &answer.on), Some(On::Transactions { .. }))
}

/// The weakest levels that fail; those that are stronger follow.
fn fails(answers: &[Answer]) -> String {
    let weakest = weakest(answers);
    let names: Vec<String> = weakest.iter().map(|&at| answers[at].question().to_string()).collect();
    let failing = answers.iter().filter(|answer| answer.verdict().is_inconsistent()).count();
    let stronger = if failing > names.len() { " and every stronger level" } else { "" };
    format!("{}{stronger}", names.join(", "))
}

/// The strongest questions that a history is consistent with; what they include follows.
pub fn satisfied(answers: &[Answer]) -> Vec<String> {
    let holding: Vec<Question> = answers
        .iter()
        .filter(|answer| answer.verdict().is_consistent())
        .map(|answer| answer.question())
        .collect();
    let stronger = |weak: &Question, strong: &Question| weak.includes(strong) && !strong.includes(weak);
    let strongest = holding.iter().filter(|question| !holding.iter().any(|other| stronger(question, other)));
    strongest.map(ToString::to_string).collect()
}

/// The reason why one question forbids what another allows, in at most `height` lines: the reason of the first; what of it the second
/// does not ask for, and its witness. If they do not differ so, what they say.
pub fn contrast(
    strong: &Answer,
    weak: &Answer,
    source: &History,
    height: usize,
    limits: &Limits<'_>,
) -> Vec<Section> {
    let lines = difference(strong, weak).unwrap_or_default();
    let difference = fold(&broken(lines, LONGEST), height / 4);
    let explained = match (&strong.on, &weak.on) {
        // Of a memory, only what the reason speaks of.
        (
            On::Memory { execution: x, model, verdict: Verdict::Inconsistent(violation) },
            On::Memory { verdict: Verdict::Consistent(order), .. },
        ) => {
            let story = memory::story(x, *model, violation);
            let about: Vec<EventId> = story.lines.iter().flat_map(|line| line.about.clone()).collect();
            let shown = memory::show_witness_of(x, order, &about);
            cut(shown.iter().map(Line::indented).collect(), height / 4)
        }
        _ => witness(weak, height / 4),
    };
    let left = height.saturating_sub(difference.len() + explained.len() + 4);
    let shown = match strong.verdict() {
        Verdict::Inconsistent(()) => reason(strong, source, left, limits),
        _ => Vec::new(),
    };
    let below = [difference, explained].concat();
    vec![Section::of(strong, shown), Section::of(weak, below)]
}

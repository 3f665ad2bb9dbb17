//! What `explain` shows: verdicts with their reasons and a listing of what they speak of, at most a screen.

mod transactions;

use crate::inclusion::weakest;
use crate::line::{Arrow, LONGEST, Line, broken, fold, kept};
use crate::memory::{self, Story};
use crate::object::{self, Explanation};
use crate::transactions as words;
use crate::{Finding, Question, Ruling, Word};
use std::collections::BTreeSet;
use tribunal::memory::{EventId, Execution};
use tribunal::object::{self as objects, Criterion};
use tribunal::transactions as txn;
use tribunal::{Limits, Verdict};
use tribunal_formats::{History, Lines};

/// What several questions have in common: their headings, and the lines below them.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The questions with their answers.
    pub headings: Vec<Heading>,
    /// What is said of them.
    pub lines: Vec<String>,
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The question.
    pub question: Question,
    /// The answer.
    pub word: Word,
    /// What stands beside it: the axiom that is broken, or why there is no answer.
    pub more: String,
}

impl Section {
    fn of(ruling: &Ruling<'_>, lines: Vec<String>) -> Self {
        Section { headings: vec![Heading::of(ruling)], lines }
    }

    /// How many lines it takes, with one that sets it apart.
    pub fn height(&self) -> usize {
        self.headings.len() + self.lines.len() + 1
    }
}

impl Heading {
    /// That of a ruling.
    pub fn of(ruling: &Ruling<'_>) -> Self {
        let more = ruling.reason().map_or_else(|| ruling.broken(), |reason| format!(": {reason}"));
        Heading { question: ruling.question(), word: ruling.word(), more }
    }
}

/// A ruling with its reason, in at most `height` lines: why not, with a listing; or the witness.
pub fn section(ruling: &Ruling<'_>, source: &History, height: usize, limits: &Limits<'_>) -> Section {
    let room = height.saturating_sub(2);
    Section::of(ruling, reason(ruling, source, room, limits))
}

fn reason(ruling: &Ruling<'_>, source: &History, height: usize, limits: &Limits<'_>) -> Vec<String> {
    match ruling {
        Ruling::Memory { execution, model, verdict: Verdict::Inconsistent(violation) } => {
            told(execution, &memory::story(execution, *model, violation), &source.lines, height)
        }
        Ruling::Object { typed, criterion, verdict: objects::Verdict::Inconsistent(violation) } => {
            let explanation = object::explain(typed, criterion, violation, limits);
            let lines = source.object().map_or(&[][..], |object| &object.lines);
            listed(typed.history(), &explanation, lines, height)
        }
        Ruling::Transactions { history, level, verdict: txn::Verdict::Inconsistent(violation) } => {
            let lines = source.transactions().map_or(&[][..], |transactions| &transactions.lines);
            transactions::told(history, *level, &words::story(history, *level, violation), lines, height)
        }
        _ => witness(ruling, height),
    }
}

/// A story with its title and its listing.
fn told(x: &Execution, story: &Story, lines: &Lines, height: usize) -> Vec<String> {
    let chosen = (!story.sources.is_empty()).then(|| x.choosing(&story.sources));
    let x = chosen.as_ref().unwrap_or(x);
    let mut shown: Vec<String> = titled(story);
    let mut story_lines = broken(story.lines.clone(), LONGEST);
    // What cannot be is said whatever is left out.
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
    lines: &[u64],
    height: usize,
) -> Vec<String> {
    // What it says below the last line is what the listing shows.
    let said = explanation.lines.iter().filter(|line| line.depth == 0).cloned().collect();
    let mut shown = fold(&broken(said, LONGEST), height / 2);
    shown.extend(object::listing(history, lines, explanation, height.saturating_sub(shown.len())));
    shown
}

/// The witness of a consistent history: as much of it as there is room for.
fn witness(ruling: &Ruling<'_>, height: usize) -> Vec<String> {
    let lines: Vec<String> = match ruling {
        Ruling::Memory { execution, verdict: Verdict::Consistent(witness), .. } => {
            memory::show_witness(execution, witness).iter().map(Line::indented).collect()
        }
        _ => ruling.show_witness(),
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
            "({} more lines; check --output json --witness has everything)",
            lines.len() - kept
        ));
    }
    shown
}

/// Everything that was asked of a history in at most `height` lines: the weakest questions that it fails with the reasons,
/// those that fail for the same reason together; then which others it fails and which it does not.
pub fn sections(
    findings: &[Finding<'_>],
    source: &History,
    height: usize,
    limits: &Limits<'_>,
) -> Vec<Section> {
    let notes = Section { headings: Vec::new(), lines: notes(findings) };
    let room = height.saturating_sub(notes.height());
    let weakest = weakest(findings);
    let mut sections = if weakest.is_empty() {
        strongest(findings).map(|ruling| section(ruling, source, room, limits)).into_iter().collect()
    } else if let Subject::Memory(x) = subject(findings) {
        reasons_of_memory(x, findings, &weakest, source, room)
    } else if let Subject::Transactions = subject(findings) {
        transactions::reasons(findings, &weakest, source, room, limits)
    } else {
        // Nothing goes wrong first under sequential, which knows no real time: another says more.
        let sequential =
            |at: &&usize| findings[**at].ruling.question() == Question::Criterion(Criterion::Sequential);
        let shown = weakest.iter().min_by_key(sequential);
        shown.map(|&at| section(&findings[at].ruling, source, room, limits)).into_iter().collect()
    };
    sections.push(notes);
    sections
}

/// What the findings are about.
enum Subject<'a> {
    Memory(&'a Execution),
    Transactions,
    Other,
}

fn subject<'a>(findings: &'a [Finding<'_>]) -> Subject<'a> {
    match findings.first().map(|finding| &finding.ruling) {
        Some(Ruling::Memory { execution, .. }) => Subject::Memory(execution),
        Some(Ruling::Transactions { .. }) => Subject::Transactions,
        _ => Subject::Other,
    }
}

/// The ruling that says most of a consistent history: a strongest question that it satisfies.
fn strongest<'f, 'a>(findings: &'f [Finding<'a>]) -> Option<&'f Ruling<'a>> {
    let holding: Vec<&Ruling<'_>> =
        findings.iter().map(|finding| &finding.ruling).filter(|r| r.word() == Word::Consistent).collect();
    let is_strongest = |ruling: &&&Ruling<'_>| {
        let question = ruling.question();
        !holding.iter().any(|other| {
            let other = other.question();
            question.includes(&other) && !other.includes(&question)
        })
    };
    holding.iter().find(is_strongest).copied()
}

/// The reasons of the weakest models, the shortest first; those that are the same in one.
fn reasons_of_memory(
    x: &Execution,
    findings: &[Finding<'_>],
    weakest: &[usize],
    source: &History,
    height: usize,
) -> Vec<Section> {
    let mut reasons: Vec<(Story, Section)> = Vec::new();
    for &at in weakest {
        let Ruling::Memory { model, verdict: Verdict::Inconsistent(violation), .. } = &findings[at].ruling
        else {
            continue;
        };
        let story = memory::story(x, *model, violation);
        let heading = Heading::of(&findings[at].ruling);
        match reasons.iter_mut().find(|(other, _)| same(other, &story)) {
            Some((told, section)) => {
                section.headings.push(heading);
                // What is said of program order as such is true of all of them.
                if is_plain(&story) && !is_plain(told) {
                    *told = story;
                }
            }
            None => reasons.push((story, Section { headings: vec![heading], lines: Vec::new() })),
        }
    }
    reasons.sort_by_key(|(story, _)| (story.cases, story.steps.len()));
    let mut sections: Vec<Section> = Vec::new();
    let mut left = height.saturating_sub(reasons.iter().map(|(_, section)| section.height()).sum());
    for (story, mut section) in reasons {
        if sections.is_empty() {
            section.lines = told(x, &story, &source.lines, left);
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

/// Whether a story speaks of no edges that are some model's own.
fn is_plain(story: &Story) -> bool {
    let names = story.lines.iter().flat_map(|line| &line.arrows).map(|arrow| arrow.name);
    names.into_iter().all(|name| matches!(name, "po" | "rf" | "mo" | "fr"))
}

/// Which questions have which answer, in a few lines.
fn notes(findings: &[Finding<'_>]) -> Vec<String> {
    let explained = weakest(findings);
    let names = |keep: &dyn Fn(usize, Word) -> bool| {
        let kept = findings.iter().enumerate().filter(|(at, finding)| keep(*at, finding.ruling.word()));
        kept.map(|(_, finding)| finding.ruling.question().to_string()).collect::<Vec<_>>().join(", ")
    };
    let allowed = match subject(findings) {
        Subject::Transactions => ("satisfies", satisfied(findings).join(", ")),
        _ => ("allowed by", names(&|_, word| word == Word::Consistent)),
    };
    let rows = [
        ("forbidden by", names(&|at, word| word == Word::Inconsistent && explained.contains(&at))),
        ("and so by", names(&|at, word| word == Word::Inconsistent && !explained.contains(&at))),
        allowed,
        ("undecided", names(&|_, word| word == Word::Undecided)),
        ("not asked", not_asked(findings, names(&|_, word| word == Word::Unsupported))),
    ];
    let rows = rows.into_iter().filter(|(_, names)| !names.is_empty());
    let lines = rows.map(|(what, names)| Line::<()>::new(0, &format!("{what:12}  {names}")));
    broken(lines.collect(), LONGEST).iter().map(Line::indented).collect()
}

/// What does not apply. Of transactions these are all levels that speak of real time, for one reason.
fn not_asked(findings: &[Finding<'_>], names: String) -> String {
    let unsupported = |finding: &&Finding<'_>| finding.ruling.word() == Word::Unsupported;
    match (subject(findings), findings.iter().find(unsupported).and_then(|finding| finding.ruling.reason())) {
        (Subject::Transactions, Some(reason)) => format!("strict-: {reason}"),
        _ => names,
    }
}

/// The strongest questions that a history is consistent with; what they include follows.
pub fn satisfied(findings: &[Finding<'_>]) -> Vec<String> {
    let holding: Vec<Question> = findings
        .iter()
        .filter(|finding| finding.ruling.word() == Word::Consistent)
        .map(|finding| finding.ruling.question())
        .collect();
    let stronger = |weak: &Question, strong: &Question| weak.includes(strong) && !strong.includes(weak);
    let strongest = holding.iter().filter(|question| !holding.iter().any(|other| stronger(question, other)));
    strongest.map(ToString::to_string).collect()
}

/// Why one question forbids what another allows, in at most `height` lines: the reason of the first; what of it the second
/// does not have, and its witness. If they do not differ so, what they say.
pub fn contrast(
    strong: &Ruling<'_>,
    weak: &Ruling<'_>,
    source: &History,
    height: usize,
    limits: &Limits<'_>,
) -> Vec<Section> {
    // What the second lacks, and its witness.
    let (difference, explained): (Vec<String>, Vec<String>) = match (strong, weak) {
        (
            Ruling::Memory { execution: x, model, verdict: Verdict::Inconsistent(violation) },
            Ruling::Memory { model: other, verdict: Verdict::Consistent(order), .. },
        ) => {
            let story = memory::story(x, *model, violation);
            let lines = memory::difference(x, *model, &story, *other, order);
            let about: Vec<EventId> = story.lines.iter().flat_map(|line| line.about.clone()).collect();
            let explained = memory::show_witness_of(x, order, &about);
            let shown = explained.iter().map(Line::indented).collect();
            (fold(&broken(lines, LONGEST), height / 4), cut(shown, height / 4))
        }
        (
            Ruling::Object { typed, criterion, verdict: objects::Verdict::Inconsistent(_) },
            Ruling::Object { criterion: other, verdict: objects::Verdict::Consistent(execution), .. },
        ) => {
            let lines = object::difference(typed.history(), criterion, other, execution);
            (fold(&broken(lines, LONGEST), height / 4), witness(weak, height / 4))
        }
        (
            Ruling::Transactions { verdict: txn::Verdict::Inconsistent(_), .. },
            Ruling::Transactions { level, verdict: txn::Verdict::Consistent(_), .. },
        ) => {
            let asked = vec![Line::<()>::new(0, &words::rule(*level))];
            (fold(&broken(asked, LONGEST), height / 4), witness(weak, height / 4))
        }
        (_, weak) => (Vec::new(), witness(weak, height / 4)),
    };
    let left = height.saturating_sub(difference.len() + explained.len() + 4);
    let shown = match strong.word() {
        Word::Inconsistent => reason(strong, source, left, limits),
        _ => Vec::new(),
    };
    let below = [difference, explained].concat();
    vec![Section::of(strong, shown), Section::of(weak, below)]
}

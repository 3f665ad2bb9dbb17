//! Which answer a person wants to see first, and why a weaker question has another.

use crate::inclusion::weakest;
use crate::line::Line;
use crate::transactions as words;
use crate::{Finding, Question, Ruling, Word, memory, object};
use tribunal_history::object as objects;
use tribunal_history::object::Criterion;
use tribunal_history::transactions as txn;
use tribunal_history::{model::Model, verdict::Verdict};

/// Where a question stands among those that people ask first.
fn rank(question: &Question) -> Option<usize> {
    const MODELS: [Model; 4] = [Model::Sc, Model::Tso, Model::Rc20, Model::Ra];
    match question {
        Question::Model(model) => MODELS.iter().position(|asked| asked == model),
        Question::Criterion(criterion) => (*criterion == Criterion::Linearizable).then_some(0),
        // The anomaly of the weakest level has the name that people know.
        Question::Level(_) => None,
    }
}

/// How long the reason of a violation is, about.
fn length(ruling: &Ruling<'_>) -> usize {
    match ruling {
        Ruling::Memory { verdict: Verdict::Inconsistent(violation), .. } => violation.weight(),
        // Without real time no operation is the first to go wrong.
        Ruling::Object { criterion: Criterion::Sequential, .. } => 1,
        _ => 0,
    }
}

/// The finding to show first, by index; none if every question is undecided or does not apply.
///
/// Of the questions that people ask first, sc, tso, rc20 and ra of a memory and linearizable of an object, it is the one that
/// fails for the shortest reason, the earlier if two are as short. If none of these fails, it is the weakest that does. Of
/// transactions it is always the weakest level that fails, since its anomaly has the name that people know. If nothing fails,
/// it is the strongest question that holds.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_formats::read;
/// use tribunal_report::{Inquiry, Questions, Specifications, first_asked};
/// let inquiry = Inquiry::new(Questions::All, Specifications::default());
/// let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let first = inquiry.with(&history.subject, "sb.txt", |judged| {
///     let ask = |question| inquiry.ask(judged, question, &Limits::default());
///     let findings: Vec<_> = inquiry.questions(judged).iter().map(ask).collect();
///     first_asked(&findings).map(|at| findings[at].ruling.question().to_string())
/// })?;
/// assert_eq!(first.as_deref(), Some("sc"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn first_asked(findings: &[Finding<'_>]) -> Option<usize> {
    let rulings = || findings.iter().map(|finding| &finding.ruling).enumerate();
    let failing = rulings().filter(|(_, ruling)| ruling.word() == Word::Inconsistent);
    let asked = failing.filter_map(|(at, ruling)| Some((length(ruling), rank(&ruling.question())?, at)));
    asked.min().map(|(.., at)| at).or_else(|| weakest_first(findings)).or_else(|| strongest(findings))
}

/// Of the weakest questions that fail, the one with the shortest reason; of transactions, the one that asks least.
fn weakest_first(findings: &[Finding<'_>]) -> Option<usize> {
    let asks = |at: usize| match findings[at].ruling {
        Ruling::Transactions { level, .. } => Some((level.base(), level.isolation())),
        _ => None,
    };
    weakest(findings).into_iter().min_by_key(|&at| (length(&findings[at].ruling), asks(at)))
}

/// The strongest question that holds; of several the one that is asked first.
pub(crate) fn strongest(findings: &[Finding<'_>]) -> Option<usize> {
    let holding: Vec<(usize, Question)> = findings
        .iter()
        .map(|finding| &finding.ruling)
        .enumerate()
        .filter(|(_, ruling)| ruling.word() == Word::Consistent)
        .map(|(at, ruling)| (at, ruling.question()))
        .collect();
    let follows =
        |weak: &Question| holding.iter().any(|(_, strong)| weak.includes(strong) && !strong.includes(weak));
    let strongest = holding.iter().filter(|(_, question)| !follows(question));
    strongest.min_by_key(|(_, question)| rank(question).unwrap_or(usize::MAX)).map(|(at, _)| *at)
}

/// Why a history that one question allows fails a stronger one: what of the stronger one's reason the weaker one does not ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The finding of the stronger question, by index.
    pub stronger: usize,
    /// What the weaker one does not ask for. `(1)` is the first step of the stronger one's [story](memory::story).
    pub lines: Vec<String>,
}

/// What makes a consistent verdict differ from that of a stronger question, where one fails.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_formats::read;
/// use tribunal_report::{Inquiry, Specifications, allowance};
/// let inquiry = Inquiry::new("sc,tso".parse()?, Specifications::default());
/// let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let allowed = inquiry.with(&history.subject, "sb.txt", |judged| {
///     let ask = |question| inquiry.ask(judged, question, &Limits::default());
///     let findings: Vec<_> = inquiry.questions(judged).iter().map(ask).collect();
///     allowance(&findings, 1)
/// })?;
/// let lines = allowed.expect("sc forbids it").lines;
/// assert_eq!(
///     lines[0],
///     "tso does not have step (1): it does not keep T0:0 W x 1 before T0:1 R y 0, a write and a later read"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn allowance(findings: &[Finding<'_>], at: usize) -> Option<Allowance> {
    let stronger = stronger_failing(findings, at)?;
    let lines = difference(&findings[stronger].ruling, &findings[at].ruling)?;
    Some(Allowance { stronger, lines: lines.iter().map(Line::indented).collect() })
}

/// The failing question by which to explain why a weaker one holds, by index: the one that is [asked first](first_asked) if it
/// is stronger, or else another that is.
pub fn stronger_failing(findings: &[Finding<'_>], holding: usize) -> Option<usize> {
    let weak = findings.get(holding)?.ruling.question();
    let stronger = |at: &usize| {
        let strong = &findings[*at].ruling;
        strong.word() == Word::Inconsistent && weak.includes(&strong.question())
    };
    let by_rank = |at: &usize| rank(&findings[*at].ruling.question()).unwrap_or(usize::MAX);
    let others = || (0..findings.len()).filter(stronger).min_by_key(by_rank);
    first_asked(findings).filter(stronger).or_else(others)
}

/// What a weaker question that allows a history does not ask for of what a stronger one that forbids it does. None if they do
/// not differ so.
pub(crate) fn difference(strong: &Ruling<'_>, weak: &Ruling<'_>) -> Option<Vec<Line<()>>> {
    fn bare<Id>(lines: Vec<Line<Id>>) -> Vec<Line<()>> {
        lines.iter().map(|line| Line::new(line.depth, &line.text)).collect()
    }
    match (strong, weak) {
        (
            Ruling::Memory { execution: x, model, verdict: Verdict::Inconsistent(violation) },
            Ruling::Memory { model: other, verdict: Verdict::Consistent(order), .. },
        ) => {
            let story = memory::story(x, *model, violation);
            Some(bare(memory::difference(x, *model, &story, *other, order)))
        }
        (
            Ruling::Object { typed, criterion, verdict: objects::Verdict::Inconsistent(_) },
            Ruling::Object { criterion: other, verdict: objects::Verdict::Consistent(execution), .. },
        ) => Some(bare(object::difference(typed.history(), criterion, other, execution))),
        (
            Ruling::Transactions { verdict: txn::Verdict::Inconsistent(_), .. },
            Ruling::Transactions { level, verdict: txn::Verdict::Consistent(_), .. },
        ) => Some(vec![Line::new(0, &words::rule(*level))]),
        _ => None,
    }
}

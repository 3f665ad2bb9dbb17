//! The answer that a person wants to see first, and the reason why a weaker question has another.

use crate::inclusion::weakest;
use crate::line::Line;
use crate::transactions as words;
use crate::{Answer, On, Question, memory, object};
use tribunal_history::object::Criterion;
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
fn length(answer: &Answer) -> usize {
    match &answer.on {
        On::Memory { verdict: Verdict::Inconsistent(violation), .. } => violation.weight(),
        // Without real time no operation is the first to go wrong.
        On::Object { criterion: Criterion::Sequential, .. } => 1,
        _ => 0,
    }
}

/// The answer to show first, by index; none if every question is undecided or does not apply.
///
/// Of the questions that people ask first, sc, tso, rc20 and ra of a memory and linearizable of an object, it is the one that
/// fails for the shortest reason, the earlier if two are as short. If none of these fails, it is the weakest that does. Of
/// transactions it is always the weakest level that fails, since its anomaly has the name that people know. If nothing fails,
/// it is the strongest question that holds.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_formats::read;
/// use tribunal_report::{Check, Questions, Specifications, first_asked};
/// let check = Check::new(Questions::All, Specifications::default());
/// let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let history = check.checkable(&history.subject, "sb.txt")?;
/// let ask = |question| check.answer(&history, question, &Limits::default());
/// let answers: Vec<_> = check.questions(&history).iter().map(ask).collect();
/// let first = first_asked(&answers).expect("one that fails");
/// assert_eq!(answers[first].question().to_string(), "sc");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn first_asked(answers: &[Answer]) -> Option<usize> {
    let failing = answers.iter().enumerate().filter(|(_, answer)| answer.verdict().is_inconsistent());
    let asked = failing.filter_map(|(at, answer)| Some((length(answer), rank(&answer.question())?, at)));
    asked.min().map(|(.., at)| at).or_else(|| weakest_first(answers)).or_else(|| strongest(answers))
}

/// Of the weakest questions that fail, the one with the shortest reason; of transactions, the one that asks least.
fn weakest_first(answers: &[Answer]) -> Option<usize> {
    let asks = |at: usize| match &answers[at].on {
        On::Transactions { level, .. } => Some((level.base(), level.isolation())),
        _ => None,
    };
    weakest(answers).into_iter().min_by_key(|&at| (length(&answers[at]), asks(at)))
}

/// The strongest question that holds; of several the one that is asked first.
pub(crate) fn strongest(answers: &[Answer]) -> Option<usize> {
    let holding: Vec<(usize, Question)> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.verdict().is_consistent())
        .map(|(at, answer)| (at, answer.question()))
        .collect();
    let follows =
        |weak: &Question| holding.iter().any(|(_, strong)| weak.includes(strong) && !strong.includes(weak));
    let strongest = holding.iter().filter(|(_, question)| !follows(question));
    strongest.min_by_key(|(_, question)| rank(question).unwrap_or(usize::MAX)).map(|(at, _)| *at)
}

/// The reason why a history that one question allows fails a stronger one: what of the stronger one's reason the weaker one does not ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The answer of the stronger question, by index.
    pub stronger: usize,
    /// The requirement that the weaker one lacks. `(1)` is the first step of the stronger one's [story](memory::story).
    pub lines: Vec<String>,
}

/// The reason why a consistent verdict differs from that of a stronger question, where one fails.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_formats::read;
/// use tribunal_report::{Check, Specifications, allowance};
/// let check = Check::new("sc,tso".parse()?, Specifications::default());
/// let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
/// let history = read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
/// let history = check.checkable(&history.subject, "sb.txt")?;
/// let ask = |question| check.answer(&history, question, &Limits::default());
/// let answers: Vec<_> = check.questions(&history).iter().map(ask).collect();
/// let lines = allowance(&answers, 1).expect("sc forbids it").lines;
/// assert_eq!(
///     lines[0],
///     "tso does not have step (1): it does not keep T0:0 W x 1 before T0:1 R y 0, a write and a later read"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn allowance(answers: &[Answer], at: usize) -> Option<Allowance> {
    let stronger = stronger_failing(answers, at)?;
    let lines = difference(&answers[stronger], &answers[at])?;
    Some(Allowance { stronger, lines: lines.iter().map(Line::indented).collect() })
}

/// The failing question by which to explain why a weaker one holds, by index: the one that is [asked first](first_asked) if it
/// is stronger, or else another that is.
pub fn stronger_failing(answers: &[Answer], holding: usize) -> Option<usize> {
    let weak = answers.get(holding)?.question();
    let stronger = |at: &usize| {
        let strong = &answers[*at];
        strong.verdict().is_inconsistent() && weak.includes(&strong.question())
    };
    let by_rank = |at: &usize| rank(&answers[*at].question()).unwrap_or(usize::MAX);
    let others = || (0..answers.len()).filter(stronger).min_by_key(by_rank);
    first_asked(answers).filter(stronger).or_else(others)
}

/// What a weaker question that allows a history does not ask for of what a stronger one that forbids it does. None if they do
/// not differ so.
pub(crate) fn difference(strong: &Answer, weak: &Answer) -> Option<Vec<Line<()>>> {
    fn bare<Id>(lines: Vec<Line<Id>>) -> Vec<Line<()>> {
        lines.iter().map(|line| Line::new(line.depth, &line.text)).collect()
    }
    match (&strong.on, &weak.on) {
        (
            On::Memory { execution: x, model, verdict: Verdict::Inconsistent(violation) },
            On::Memory { model: other, verdict: Verdict::Consistent(order), .. },
        ) => {
            let story = memory::story(x, *model, violation);
            Some(bare(memory::difference(x, *model, &story, *other, order)))
        }
        (
            On::Object { object: of, criterion, verdict: Verdict::Inconsistent(_) },
            On::Object { criterion: other, verdict: Verdict::Consistent(execution), .. },
        ) => Some(bare(object::difference(of.history(), criterion, other, execution))),
        (
            On::Transactions { verdict: Verdict::Inconsistent(_), .. },
            On::Transactions { level, verdict: Verdict::Consistent(_), .. },
        ) => Some(vec![Line::new(0, &words::rule(*level))]),
        _ => None,
    }
}

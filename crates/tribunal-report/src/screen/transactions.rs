//! Transactions on a screen: the anomaly of the weakest level in full, and what else there is.

use super::{Section, section};
use crate::inclusion::weakest;
use crate::line::{LONGEST, Line, broken, fold, kept};
use crate::transactions as words;
use crate::{Answer, On, Source};
use tribunal_formats::History as Read;
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, Level, TxnId};
use tribunal_history::verdict::Verdict;

/// A story of transactions with what the level is, its title and its listing.
pub(super) fn tell(
    history: &History,
    level: Level,
    story: &words::Story,
    source: Source<'_>,
    height: usize,
) -> Vec<String> {
    let heads = vec![Line::<TxnId>::new(0, &words::described(level)), Line::new(0, &story.title)];
    let mut shown: Vec<String> = broken(heads, LONGEST).iter().map(Line::indented).collect();
    let mut story_lines = story.lines.clone();
    // The conclusion stays, however much is folded.
    let closing = story_lines.pop();
    let closing = broken(closing.into_iter().collect(), LONGEST);
    let story_lines = broken(story_lines, LONGEST);
    let about = |lines: &[&Line<TxnId>]| lines.iter().flat_map(|line| line.about.clone()).collect::<Vec<_>>();
    let everything = about(&story_lines.iter().collect::<Vec<_>>());
    let rows = words::listing(history, source, &everything, story, height / 2).len();
    // A line between, and one that says how many are missing.
    let room = height.saturating_sub(shown.len() + rows + closing.len() + 2);
    let (lines_kept, _) = kept(&story_lines, room);
    let spoken = about(&lines_kept);
    shown.extend(fold(&story_lines, room));
    shown.extend(closing.iter().map(Line::indented));
    shown.push(String::new());
    shown.extend(words::listing(history, source, &spoken, story, rows));
    shown
}

/// The reason of one level in full; of the other weakest levels the anomaly, as far as there is room.
pub(super) fn reasons(
    answers: &[Answer],
    first: usize,
    source: &Read,
    height: usize,
    limits: &Limits<'_>,
) -> Vec<Section> {
    let mut others: Vec<&Answer> =
        weakest(answers).into_iter().filter(|&at| at != first).map(|at| &answers[at]).collect();
    others.sort_by_key(|answer| match &answer.on {
        On::Transactions { level, .. } => Some((level.base(), level.isolation())),
        _ => None,
    });
    let mut below = Vec::new();
    for answer in others {
        if let On::Transactions { history, level, verdict: Verdict::Inconsistent(violation) } = &answer.on {
            below.push(Section::of(answer, vec![words::story(history, *level, violation).title]));
        }
    }
    let taken: usize = below.iter().map(Section::height).sum();
    if taken > height / 3 {
        below.clear();
    }
    let left = height.saturating_sub(below.iter().map(Section::height).sum());
    let mut sections = vec![section(&answers[first], source, left, limits)];
    sections.extend(below);
    sections
}

//! One entry of the glossary: what a model, criterion or level is, and histories that it refuses.
//!
//! The histories are chosen from the files in `glossary/`: for every next weaker question, one that this question refuses and
//! the weaker one allows. Where no question is weaker, the one that the fewest others refuse.

use super::{complexity, definition, sentence};
use std::fmt::Write;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_host::Source;
use tribunal_report::Question;

/// The weight of a history against the number of next weaker questions that it sets apart: so many events are worth one of them.
const EVENTS_PER_QUESTION: usize = 4;

/// The entry of one question.
pub struct Entry<'q> {
    question: &'q Question,
    /// The next weaker ones, of the same family.
    weaker: Vec<Question>,
    /// The next stronger ones.
    stronger: Vec<Question>,
    examples: Vec<Example>,
}

/// A history that the question refuses.
struct Example {
    title: String,
    text: &'static str,
    events: usize,
    forbidden: Vec<Question>,
    allowed: Vec<Question>,
}

impl<'q> Entry<'q> {
    /// The entry of a question among those of its family.
    pub fn new(question: &'q Question, family: &[Question]) -> Self {
        let strictly = |weak: &Question, strong: &Question| weak.includes(strong) && !strong.includes(weak);
        let next = |is: &dyn Fn(&Question) -> bool, between: &dyn Fn(&Question, &Question) -> bool| {
            let all = family.iter().filter(|other| is(other));
            let next = all.filter(|other| !family.iter().any(|third| is(third) && between(third, other)));
            next.cloned().collect::<Vec<_>>()
        };
        let weaker = next(&|other| strictly(other, question), &|third, other| strictly(other, third));
        let stronger = next(&|other| strictly(question, other), &|third, other| strictly(third, other));
        let examples = chosen(examples(question, family), &weaker);
        Entry { question, weaker, stronger, examples }
    }

    /// For a terminal.
    pub fn human(&self) -> String {
        let mut text = format!("{}\n  {}\n\n", self.question, sentence(self.question));
        for line in self.body().lines() {
            let _ = writeln!(text, "{}", format!("  {line}").trim_end());
        }
        text.push('\n');
        for (what, is) in self.facts() {
            let _ = writeln!(text, "  {what:13} {is}");
        }
        for Example { title, text: history, forbidden, allowed, .. } in &self.examples {
            let _ = writeln!(text, "\n  refuses: {title}");
            for line in history.lines() {
                let _ = writeln!(text, "    {line}");
            }
            let _ = writeln!(text, "  refused by    {}", names(forbidden));
            let _ = writeln!(text, "  allowed by    {}", names(allowed));
        }
        text
    }

    /// For docs/glossary.md.
    pub fn markdown(&self) -> String {
        let fence = if matches!(self.question, Question::Criterion(_)) { "text" } else { "cat" };
        let mut text = format!("### `{}`\n\n{}\n\n", self.question, sentence(self.question));
        let _ = writeln!(text, "```{fence}\n{}\n```\n", self.body());
        for (what, is) in self.facts() {
            let _ = writeln!(text, "- {what}: {is}");
        }
        for Example { title, text: history, forbidden, allowed, .. } in &self.examples {
            let _ = writeln!(text, "\nRefuses *{title}*:\n\n```text\n{history}\n```\n");
            let _ = writeln!(text, "Refused by {}; allowed by {}.", names(forbidden), names(allowed));
        }
        text
    }

    /// The definition, without the sentence that it opens with; for a level the checks alone, since all share the rest.
    fn body(&self) -> String {
        let text = definition(self.question);
        if matches!(self.question, Question::Level(_)) {
            let check = |line: &&str| {
                ["acyclic ", "irreflexive ", "empty "].iter().any(|word| line.starts_with(word))
            };
            return text.lines().filter(check).collect::<Vec<_>>().join("\n");
        }
        let body = text.trim_start().split_once("*)").map_or(text.as_str(), |(_, body)| body);
        body.trim().to_string()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if !self.stronger.is_empty() {
            facts.push(("includes", names(&self.stronger)));
        }
        if !self.weaker.is_empty() {
            facts.push(("included in", names(&self.weaker)));
        }
        facts.push(("cost", complexity(self.question).to_string()));
        facts.push(("engines", self.question.engine_names().join(", ")));
        facts
    }
}

fn names(questions: &[Question]) -> String {
    if questions.is_empty() {
        return "none".into();
    }
    questions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The histories of the glossary that this question refuses, with what the others of its family say.
fn examples(question: &Question, family: &[Question]) -> Vec<Example> {
    let (file, between, text) = match question {
        Question::Model(_) => ("memories.txt", "\n---\n", include_str!("../../glossary/memories.txt")),
        Question::Criterion(_) => ("objects.json", "\n\n", include_str!("../../glossary/objects.json")),
        Question::Level(_) => ("transactions.json", "\n\n", include_str!("../../glossary/transactions.json")),
    };
    let mut refused = Vec::new();
    for text in text.trim_end().split(between) {
        let history = tribunal_formats::read(text.as_bytes(), file, None).ok().and_then(|mut all| all.next());
        let history = history.and_then(Result::ok).expect("the glossary's histories are well formed");
        let source = Source::new(file, 0, history);
        let word =
            |asked: &Question| source.answer(asked, None, &Limits::default()).map(|answer| answer.verdict());
        if !matches!(word(question), Ok(Verdict::Inconsistent(()))) {
            continue;
        }
        let said = |wanted: Bare| {
            let others = family.iter().filter(|other| word(other).is_ok_and(|word| word == wanted));
            others.cloned().collect::<Vec<_>>()
        };
        let subject = &source.history().subject;
        let title = subject.name().unwrap_or_default().to_string();
        // The title is said before the history.
        let text =
            text.strip_prefix("name: ").and_then(|rest| rest.split_once('\n')).map_or(text, |(_, rest)| rest);
        let events = subject.len();
        refused.push(Example {
            title,
            text,
            events,
            forbidden: said(Verdict::Inconsistent(())),
            allowed: said(Verdict::Consistent(())),
        });
    }
    refused
}

/// Few and small ones that together set the question apart from all that are next weaker.
fn chosen(mut examples: Vec<Example>, weaker: &[Question]) -> Vec<Example> {
    examples.sort_by_key(|example| example.forbidden.len());
    if weaker.is_empty() {
        examples.truncate(1);
        return examples;
    }
    let mut open = weaker.to_vec();
    let mut chosen = Vec::new();
    loop {
        let apart = |example: &Example| open.iter().filter(|weak| example.allowed.contains(weak)).count();
        let worth =
            |example: &Example| (EVENTS_PER_QUESTION * apart(example)) as isize - example.events as isize;
        let useful = examples.iter().enumerate().filter(|(_, example)| apart(example) > 0);
        // The first of those that are worth the same: the one that the fewest refuse.
        let Some((best, _)) = useful.rev().max_by_key(|(_, example)| worth(example)) else { return chosen };
        let example = examples.remove(best);
        open.retain(|weak| !example.allowed.contains(weak));
        chosen.push(example);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::families;

    #[test]
    fn every_entry_has_examples_that_tell_it_from_what_is_next_weaker() {
        for family in families() {
            for question in &family {
                let entry = Entry::new(question, &family);
                assert!(!entry.examples.is_empty(), "{question}");
                for weak in &entry.weaker {
                    let apart = entry.examples.iter().any(|example| example.allowed.contains(weak));
                    assert!(
                        apart,
                        "no history of the glossary is refused by {question} and allowed by {weak}"
                    );
                }
            }
        }
    }

    #[test]
    fn neighbors_are_the_next_ones() {
        let [memories, ..] = families();
        let question = |name: &str| name.parse::<Question>().expect("a model");
        let tso = question("tso");
        let entry = Entry::new(&tso, &memories);
        assert_eq!(entry.stronger, [question("sc")]);
        assert_eq!(entry.weaker, ["pso", "wccm", "sra"].map(question));
    }
}

//! `tribunal explain`: why a history is inconsistent, in words and as a listing, at most a screen.

use crate::args::Judging;
use crate::case::{Case, Judge, specifications};
use crate::exit::Status;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{BAD, DOUBT, FAINT, GOOD, STRONG, Stdout, complain};
use crate::progress::Progress;
use clap::Args;
use std::io::Write;
use tribunal_formats::History;
use tribunal_host::named;
use tribunal_report::{Finding, Heading, Inquiry, Judged, Question, Questions, Section, Word};
use tribunal_report::{SCREENFUL, contrast, section, sections};

const EXPLAIN_HELP: &str = "\
Examples:
  tribunal explain sb.txt                           the weakest models that forbid it, and why they do
  tribunal explain --model tso mp.txt               why tso forbids it, or the mo by which it allows it
  tribunal explain --why-not tso --but pso mp.txt   what pso lets go of that tso keeps
  tribunal explain queue.json                       why it fails the weakest criterion that it fails
  tribunal explain history.edn                      the anomaly of transactions, by name, and the levels that they satisfy
  tribunal explain --index 3 litmus.jsonl           the fourth history of the file

An explanation is at most 40 lines: the steps that lead round in a circle, each with its reason, and the threads that they \
go through, with the lines of the input. `(1)` stands where the first step begins. Of an object, it is the first return that nothing explains, and a \
smallest part of the history that shows it, `>` before the operation that returns. Of transactions it is the anomaly of the weakest level that fails, with the transactions in their sessions.

Exit status: 0 consistent, 1 inconsistent, 2 bad usage or malformed input, or a model named does not apply, 3 undecided, 130 \
stopped by Ctrl-C. With --why-not it is the verdict of that model; 3 if either is undecided.";

#[derive(Args, Debug)]
#[command(after_help = EXPLAIN_HELP)]
pub struct ExplainArguments {
    /// The model or criterion to explain; by default the weakest that forbid the history
    #[arg(short, long, value_name = "MODEL", conflicts_with = "why_not", value_parser = named::<Question>)]
    pub model: Option<Question>,
    /// Explain why this model or criterion forbids what the one of --but allows
    #[arg(long, value_name = "MODEL", requires = "but", value_parser = named::<Question>)]
    pub why_not: Option<Question>,
    /// The weaker one, that allows it
    #[arg(long, value_name = "MODEL", requires = "why_not", value_parser = named::<Question>)]
    pub but: Option<Question>,
    /// Only this history of the file, from 0; by default each
    #[arg(long, value_name = "N")]
    pub index: Option<u64>,
    #[command(flatten)]
    pub judging: Judging,
}

impl ExplainArguments {
    fn questions(&self) -> Questions {
        match (&self.model, &self.why_not, &self.but) {
            (Some(model), ..) => Questions::These(vec![model.clone()]),
            (None, Some(strong), Some(weak)) => Questions::These(vec![strong.clone(), weak.clone()]),
            _ => Questions::All,
        }
    }
}

pub fn run(arguments: &ExplainArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let specifications = specifications(arguments.judging.spec.as_deref())?;
    let inquiry = Inquiry::new(arguments.questions(), specifications);
    let name = arguments.judging.name();
    let progress = Progress::new();
    let levels = arguments.questions().ask_of_transactions();
    let histories = arguments.judging.histories(&progress)?.transactions(levels);
    let (mut inconsistent, mut undecided, mut explained, mut read) = (false, false, 0u64, 0u64);
    for (history, index) in histories.zip(0..) {
        let history = history?;
        read += 1;
        if arguments.index.is_some_and(|wanted| wanted != index) {
            continue;
        }
        let case = Case { file: &name, index, line: history.line, subject: &history.subject };
        let Explained { sections, closing, status } =
            case.before(&inquiry, |judged| explain(&case, &inquiry, judged, &history, arguments, &progress))?;
        if interrupt::requested() {
            return Ok(Status::Interrupted);
        }
        progress.aside(|| -> Result<(), Failure> {
            if explained > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
            if let Some(note) = case.note() {
                writeln!(out, "{note}")?;
            }
            case.warning_line().iter().for_each(|line| complain(line));
            sections.iter().try_for_each(|section| print(section, out))?;
            if let Some(closing) = closing {
                writeln!(out, "\n{closing}")?;
            }
            Ok(out.flush()?)
        })?;
        explained += 1;
        inconsistent |= status == Status::Inconsistent;
        undecided |= status == Status::Undecided;
        if out.is_closed() && !inconsistent {
            return Ok(Status::ClosedPipe);
        }
        if arguments.index.is_some() || out.is_closed() {
            break;
        }
    }
    if let (Some(wanted), 0) = (arguments.index, explained) {
        return Err(Failure::Usage(format!("--index {wanted}: {name} has {read} histories, from 0")));
    }
    Ok(match (inconsistent, undecided) {
        (true, _) => Status::Inconsistent,
        (false, true) => Status::Undecided,
        (false, false) => Status::Success,
    })
}

/// What is to be printed of a history, and what it means for the status.
struct Explained {
    sections: Vec<Section>,
    closing: Option<String>,
    status: Status,
}

fn explain(
    case: &Case<'_>,
    inquiry: &Inquiry,
    judged: Judged<'_>,
    history: &History,
    arguments: &ExplainArguments,
    progress: &Progress,
) -> Result<Explained, Failure> {
    // The history's name takes a line, and so does a note.
    let height = SCREENFUL - 1 - usize::from(case.note().is_some());
    let budget = &arguments.judging.budget;
    let limits = || if inquiry.is_of_all() { budget.of_all().limits() } else { budget.limits() };
    let ask = |question: &Question| {
        progress.judging(case.index, question);
        inquiry.ask(judged, question, &limits())
    };
    let named = |question: &Question| {
        let finding = ask(question);
        match finding.ruling.word() {
            Word::Unsupported => {
                let reason = finding.ruling.reason().unwrap_or_default();
                Err(case.failure(format_args!("{question}: {reason}")))
            }
            _ => Ok(finding),
        }
    };
    if let (Some(strong), Some(weak)) = (&arguments.why_not, &arguments.but) {
        let (strong, weak) = (named(strong)?.ruling, named(weak)?.ruling);
        // A line between the sections and the closing one.
        let sections = contrast(&strong, &weak, history, height - 2, &limits());
        let (forbids, allows) = (strong.question(), weak.question());
        let (closing, status) = match (strong.word(), weak.word()) {
            (Word::Undecided, _) | (_, Word::Undecided) => (None, Status::Undecided),
            (Word::Consistent, Word::Consistent) => {
                (Some(format!("{forbids} allows it too: there is nothing to explain")), Status::Success)
            }
            (Word::Consistent, _) => {
                (Some(format!("it is the other way round: {forbids} allows it")), Status::Success)
            }
            (_, Word::Consistent) => (None, Status::Inconsistent),
            _ => (Some(format!("{allows} forbids it as well")), Status::Inconsistent),
        };
        return Ok(Explained { sections, closing, status });
    }
    if let Some(question) = &arguments.model {
        let Finding { ruling, .. } = named(question)?;
        let sections = vec![section(&ruling, history, height, &limits())];
        return Ok(Explained { sections, closing: None, status: status([ruling.word()]) });
    }
    let findings: Vec<Finding<'_>> = inquiry.questions(judged).iter().map(ask).collect();
    let status = status(findings.iter().map(|finding| finding.ruling.word()));
    let late = findings.iter().filter(|finding| finding.ruling.is_late()).count();
    let closing = budget.hint().filter(|_| late > 0).map(|hint| format!("{late} undecided after {hint}"));
    // A line between the sections and the closing one.
    let height = if closing.is_some() { height - 2 } else { height };
    Ok(Explained { sections: sections(&findings, history, height, &limits()), closing, status })
}

fn status(words: impl IntoIterator<Item = Word>) -> Status {
    let mut status = Status::Success;
    for word in words {
        match word {
            Word::Inconsistent => return Status::Inconsistent,
            Word::Undecided => status = Status::Undecided,
            Word::Consistent | Word::Unsupported => {}
        }
    }
    status
}

/// Prints a section: its headings, and below them what is said.
pub fn print(section: &Section, out: &mut Stdout) -> Result<(), Failure> {
    writeln!(out)?;
    for Heading { question, word, more } in &section.headings {
        let style = match word {
            Word::Consistent => GOOD,
            Word::Inconsistent => BAD,
            Word::Undecided => DOUBT,
            Word::Unsupported => FAINT,
        };
        let name = out.paint(STRONG, &question.to_string());
        writeln!(out, "{name}: {}{more}", out.paint(style, &word.to_string()))?;
    }
    let indent = if section.headings.is_empty() { "" } else { "  " };
    for line in &section.lines {
        writeln!(out, "{}", format!("{indent}{line}").trim_end())?;
    }
    Ok(())
}

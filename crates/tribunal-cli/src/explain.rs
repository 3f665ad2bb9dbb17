//! `tribunal explain`: why a history is inconsistent, in words and as a listing, on one screen.

use crate::args::{Budget, Histories};
use crate::case::{Case, Judge, specifications};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, STRONG, Stdout, complain};
use crate::patience::Patience;
use crate::progress::Progress;
use crate::watchdog::Watched;
use crate::{input, interrupt};
use clap::{Args, ValueHint};
use std::ffi::OsStr;
use std::io::Write;
use tribunal_formats::History;
use tribunal_host::named;
use tribunal_report::{Finding, Heading, Inquiry, Judged, Question, Questions, Ruling, Section, Word};
use tribunal_report::{SCREENFUL, allowed, contrast, counted, section, sections, usual_question};

const EXPLAIN_HELP: &str = "\
Examples:
  tribunal explain sb.txt                      why it is not sc
  tribunal explain --model tso,pso mp.txt      what tso and pso say
  tribunal explain --why-not tso --but pso mp.txt
  tribunal explain queue.json                  why it is not linearizable
  tribunal explain history.edn                 which anomaly it has
  tribunal explain --index 3 litmus.jsonl      the fourth history of the file

Without --model, the explanation is that of sc, tso, rc20 or ra for a memory, whichever fails for the shortest \
reason, and of linearizable for an object; if none of these fails, of the weakest model that does. For transactions \
it is the weakest level that fails, with its anomaly.

An explanation takes at most 40 lines. For a memory it is a cycle, step by step, and a listing of the threads; `(1)` \
marks where the first step begins. For an object it is the first return that no order explains, marked `>`, with the \
operations that matter. For a consistent history that a stronger model forbids, it says which step of that cycle the \
weaker model does not have.

Exit status: 0 consistent, 1 inconsistent, 2 bad usage, malformed input or a named model that does not apply, 3 \
undecided, 130 stopped by Ctrl-C. With --why-not it is the verdict of that model, or 3 if either is undecided.";

#[derive(Args, Debug)]
#[command(after_help = EXPLAIN_HELP)]
pub struct ExplainArguments {
    /// Models, criteria or levels to explain, separated by commas; by default the one that people ask for first
    #[arg(short, long, value_name = "MODEL,..", conflicts_with = "why_not", value_parser = named::<Questions>)]
    pub model: Option<Questions>,
    /// Explain why this model forbids what the one of --but allows
    #[arg(long, value_name = "MODEL", requires = "but", value_parser = named::<Question>)]
    pub why_not: Option<Question>,
    /// The weaker model, which allows it
    #[arg(long, value_name = "MODEL", requires = "why_not", value_parser = named::<Question>)]
    pub but: Option<Question>,
    /// Explain only this history of each file, counted from 0
    #[arg(long, value_name = "N")]
    pub index: Option<u64>,
    /// The specification of objects, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub histories: Histories,
}

impl ExplainArguments {
    fn questions(&self) -> Questions {
        match (&self.model, &self.why_not, &self.but) {
            (Some(models), ..) => models.clone(),
            (None, Some(strong), Some(weak)) => Questions::These(vec![strong.clone(), weak.clone()]),
            _ => Questions::All,
        }
    }
}

pub fn run(arguments: &ExplainArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let specifications = specifications(arguments.spec.as_deref())?;
    let inquiry = Inquiry::new(arguments.questions(), specifications);
    let mut session =
        Session { arguments, inquiry, progress: Progress::new(), explained: 0, worst: Status::Success };
    let malformed = input::each(&arguments.histories.files, out, |file, out| session.file(file, out))?;
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    Ok(match session.worst {
        _ if malformed => Status::Malformed,
        worst if out.is_closed() && worst != Status::Inconsistent => Status::ClosedPipe,
        worst => worst,
    })
}

/// What is explained, and the results so far.
struct Session<'a> {
    arguments: &'a ExplainArguments,
    inquiry: Inquiry,
    progress: Progress,
    explained: u64,
    worst: Status,
}

impl Session<'_> {
    /// Explains the histories of a file.
    fn file(&mut self, file: &OsStr, out: &mut Stdout) -> Result<(), Failure> {
        let Session { arguments, progress, .. } = self;
        let name = file.to_string_lossy();
        let read_as = arguments.questions().read_as(arguments.spec.as_deref());
        let histories = arguments.histories.open(file, &arguments.budget, progress)?.read_as(read_as);
        let (mut found, mut read) = (false, 0u64);
        for (history, index) in histories.zip(0..) {
            let history = history?;
            read += 1;
            if self.arguments.index.is_some_and(|wanted| wanted != index) {
                continue;
            }
            found = true;
            let case = Case { file: &name, index, line: history.line, subject: &history.subject };
            let explained = case.before(&self.inquiry, |judged| self.explain(&case, judged, &history))?;
            if interrupt::requested() {
                return Ok(());
            }
            self.print(&case, explained, out)?;
            if self.arguments.index.is_some() || out.is_closed() {
                break;
            }
        }
        match self.arguments.index {
            Some(wanted) if !found => {
                let histories = counted(read, "history");
                Err(Failure::Usage(format!("--index {wanted}: {name} has {histories}, counted from 0")))
            }
            _ => Ok(()),
        }
    }

    fn print(&mut self, case: &Case<'_>, explained: Explained, out: &mut Stdout) -> Result<(), Failure> {
        let Explained { sections, closing, status } = explained;
        self.progress.aside(|| -> Result<(), Failure> {
            if self.explained > 0 {
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
        self.explained += 1;
        self.worst = match (self.worst, status) {
            (Status::Inconsistent, _) | (_, Status::Inconsistent) => Status::Inconsistent,
            (Status::Undecided, _) | (_, Status::Undecided) => Status::Undecided,
            _ => Status::Success,
        };
        Ok(())
    }

    fn limits(&self) -> Watched {
        let budget = &self.arguments.budget;
        if self.inquiry.is_of_all() { budget.of_all().limits() } else { budget.limits() }
    }

    fn ask<'j>(&self, case: &Case<'_>, judged: Judged<'j>, question: &Question) -> Finding<'j> {
        self.progress.judging(case.index, question);
        self.inquiry.ask(judged, question, &self.limits())
    }

    /// The answer to a question that was named: it must apply.
    fn named<'j>(
        &self,
        case: &Case<'_>,
        judged: Judged<'j>,
        question: &Question,
    ) -> Result<Finding<'j>, Failure> {
        let finding = self.ask(case, judged, question);
        match finding.ruling.word() {
            Word::Unsupported => {
                let reason = finding.ruling.reason().unwrap_or_default();
                Err(case.failure(format_args!("{question}: {reason}")))
            }
            _ => Ok(finding),
        }
    }

    fn explain(&self, case: &Case<'_>, judged: Judged<'_>, history: &History) -> Result<Explained, Failure> {
        // The history's name takes a line, and so does a note.
        let height = SCREENFUL - 1 - usize::from(case.note().is_some());
        if let (Some(strong), Some(weak)) = (&self.arguments.why_not, &self.arguments.but) {
            let strong = self.named(case, judged, strong)?.ruling;
            let weak = self.named(case, judged, weak)?.ruling;
            return Ok(self.contrast(&strong, &weak, history, height));
        }
        if self.inquiry.is_of_all() {
            return Ok(self.overview(case, judged, history, height));
        }
        let (mut sections, mut words) = (Vec::new(), Vec::new());
        for question in self.inquiry.questions(judged) {
            let ruling = self.named(case, judged, question)?.ruling;
            words.push(ruling.word());
            match self.stronger(case, judged, &ruling) {
                Some(strong) => sections.extend(allowed(&ruling, &strong, history, height, &self.limits())),
                None => sections.push(section(&ruling, history, height, &self.limits())),
            }
        }
        Ok(Explained { sections, closing: None, status: status(words) })
    }

    /// The answer of the strongest of the usual questions, if it forbids what this ruling allows.
    fn stronger<'j>(&self, case: &Case<'_>, judged: Judged<'j>, ruling: &Ruling<'j>) -> Option<Ruling<'j>> {
        let (question, usual) = (ruling.question(), usual_question(case.subject));
        if ruling.word() != Word::Consistent || question == usual || !question.includes(&usual) {
            return None;
        }
        self.progress.judging(case.index, &usual);
        let strong = self.inquiry.ask(judged, &usual, &self.arguments.budget.of_all().limits()).ruling;
        (strong.word() == Word::Inconsistent).then_some(strong)
    }

    /// Why one model forbids what another allows, as asked by name.
    fn contrast(
        &self,
        strong: &Ruling<'_>,
        weak: &Ruling<'_>,
        history: &History,
        height: usize,
    ) -> Explained {
        // A line between the sections and the closing one.
        let sections = contrast(strong, weak, history, height - 2, &self.limits());
        let (forbids, allows) = (strong.question(), weak.question());
        let (closing, status) = match (strong.word(), weak.word()) {
            (Word::Undecided, _) | (_, Word::Undecided) => (None, Status::Undecided),
            (Word::Consistent, Word::Consistent) => (
                Some(format!("{forbids} and {allows} both allow it: there is nothing to explain")),
                Status::Success,
            ),
            (Word::Consistent, _) => (
                Some(format!("it is the other way round: {forbids} allows it, {allows} forbids it")),
                Status::Success,
            ),
            (_, Word::Consistent) => (None, Status::Inconsistent),
            _ => (Some(format!("{allows} forbids it as well")), Status::Inconsistent),
        };
        Explained { sections, closing, status }
    }

    /// The first answer, and what the other models say.
    fn overview(&self, case: &Case<'_>, judged: Judged<'_>, history: &History, height: usize) -> Explained {
        let Session { arguments, inquiry, progress, .. } = self;
        let count = inquiry.questions(judged).len();
        let overview = arguments.model.is_none() && arguments.budget.timeout.is_none();
        let budget = arguments.budget.of_all();
        let patience = Patience::new(&budget, count, overview);
        let findings = inquiry.ask_all(judged, |question, known| {
            progress.part(known.len(), count);
            progress.judging(case.index, question);
            Some(inquiry.ask_after(known, judged, question, &patience.limits(known)))
        });
        let status = status(findings.iter().map(|finding| finding.ruling.word()));
        let late = findings.iter().filter(|finding| finding.ruling.is_late()).count();
        let hint = arguments.budget.hint(overview).filter(|_| late > 0);
        let closing = hint.map(|hint| format!("{late} undecided after {hint}"));
        // A line between the sections and the closing one.
        let height = if closing.is_some() { height - 2 } else { height };
        progress.explaining(case.index);
        Explained { sections: sections(&findings, history, height, &self.limits()), closing, status }
    }
}

/// What to print about a history, and its exit status.
struct Explained {
    sections: Vec<Section>,
    closing: Option<String>,
    status: Status,
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

/// Prints a section: its headings, and its lines below them.
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

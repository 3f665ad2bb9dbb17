//! `tribunal explain`: why a history is inconsistent, in words and as a listing, on one screen.

use crate::args::Histories;
use crate::budget::{Budget, Patience};
use crate::driver::{Driver, Next, case, each_file, specifications};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, Page, STRONG, Stdout};
use crate::pipeline::Place;
use crate::progress::Progress;
use crate::watchdog::Watched;
use clap::{Args, ValueHint};
use std::io::{self, Write};
use tribunal_formats::History;
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_host::named;
use tribunal_report::{Answer, Case, Check, Checkable, Heading, Question, Questions, Section};
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

pub fn run(arguments: &ExplainArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let check = Check::new(arguments.questions(), specifications(arguments.spec.as_deref())?);
    let driver = Driver::one_by_one(Progress::new());
    let session = Session { arguments, check, progress: &driver.progress };
    let (mut tally, color) = (Tally::default(), out.color());
    let ExplainArguments { histories, budget, index: wanted, .. } = arguments;
    let read_as = arguments.questions().read_as(arguments.spec.as_deref());
    each_file(&histories.files, &driver.progress, &mut tally, out, |file, tally, out| {
        let source = driver.open(file, histories.format, histories.nil_reads, budget.max_memory)?;
        let (source, name) = (source.read_as(read_as), file.to_string_lossy());
        let explain = |history: History, place: Place<()>| -> Result<Option<Explained>, Failure> {
            match wanted {
                Some(wanted) if *wanted != place.index => Ok(None),
                _ => session.explained(&case(&name, &history, &place), &history, color).map(Some),
            }
        };
        let (mut read, mut found) = (0, false);
        driver.run(source, tally, explain, |next, tally| {
            let Next::Done(explained) = next else { return Ok(true) };
            read += 1;
            let Some(Explained { page, verdicts }) = explained else { return Ok(true) };
            found = true;
            if interrupt::requested() {
                return Ok(false);
            }
            if tally.histories > 0 {
                writeln!(out)?;
            }
            out.print(&page)?;
            out.flush()?;
            tally.histories += 1;
            verdicts.into_iter().for_each(|verdict| tally.count(verdict));
            Ok(wanted.is_none() && !out.is_closed())
        })?;
        match wanted {
            Some(wanted) if !found => {
                let histories = counted(read, "history");
                Err(Failure::Usage(format!("--index {wanted}: {name} has {histories}, counted from 0")))
            }
            _ => Ok(()),
        }
    })?;
    tally.read_out(out)
}

/// The questions that are explained, and the form.
struct Session<'a> {
    arguments: &'a ExplainArguments,
    check: Check,
    progress: &'a Progress,
}

/// The text about a history, and the verdicts that its exit status follows from.
struct Explained {
    page: Page,
    verdicts: Vec<Bare>,
}

/// An explanation in sections, with a closing line.
struct Sections {
    sections: Vec<Section>,
    closing: Option<String>,
    verdicts: Vec<Bare>,
}

impl Session<'_> {
    /// Explains a history.
    fn explained(&self, case: &Case<'_>, history: &History, color: bool) -> Result<Explained, Failure> {
        let checkable = self.check.checkable(case.subject, case.file);
        let checkable = checkable.map_err(|why| Failure::unfit(case, why))?;
        let Sections { sections, closing, verdicts } = self.explain(case, &checkable, history)?;
        let mut page = Page::new(color);
        writeln!(page, "{}", page.paint(STRONG, &case.to_string()))?;
        if let Some(note) = case.note() {
            writeln!(page, "{note}")?;
        }
        page.asides.extend(case.warning_line());
        sections.iter().try_for_each(|section| print(section, &mut page))?;
        if let Some(closing) = closing {
            writeln!(page, "\n{closing}")?;
        }
        Ok(Explained { page, verdicts })
    }

    fn limits(&self) -> Watched {
        let budget = &self.arguments.budget;
        if self.check.is_of_all() { budget.of_all().limits() } else { budget.limits() }
    }

    fn ask(&self, case: &Case<'_>, checkable: &Checkable, question: &Question) -> Answer {
        self.progress.judging(case.index, question);
        self.check.answer(checkable, question, &self.limits())
    }

    /// The answer to a question that was named: it must apply.
    fn named(&self, case: &Case<'_>, checkable: &Checkable, question: &Question) -> Result<Answer, Failure> {
        let answer = self.ask(case, checkable, question);
        match answer.verdict() {
            Verdict::Unsupported(()) => {
                let reason = answer.reason().unwrap_or_default();
                Err(Failure::of(case, format_args!("{question}: {reason}")))
            }
            _ => Ok(answer),
        }
    }

    fn explain(
        &self,
        case: &Case<'_>,
        checkable: &Checkable,
        history: &History,
    ) -> Result<Sections, Failure> {
        // The history's name takes a line, and so does a note.
        let height = SCREENFUL - 1 - usize::from(case.note().is_some());
        if let (Some(strong), Some(weak)) = (&self.arguments.why_not, &self.arguments.but) {
            let strong = self.named(case, checkable, strong)?;
            let weak = self.named(case, checkable, weak)?;
            return Ok(self.contrast(&strong, &weak, history, height));
        }
        if self.check.is_of_all() {
            return Ok(self.overview(case, checkable, history, height));
        }
        let (mut sections, mut verdicts) = (Vec::new(), Vec::new());
        for question in self.check.questions(checkable) {
            let answer = self.named(case, checkable, question)?;
            verdicts.push(answer.verdict());
            match self.stronger(case, checkable, &answer) {
                Some(strong) => sections.extend(allowed(&answer, &strong, history, height, &self.limits())),
                None => sections.push(section(&answer, history, height, &self.limits())),
            }
        }
        Ok(Sections { sections, closing: None, verdicts })
    }

    /// The answer to the strongest of the usual questions, if it forbids what this one allows.
    fn stronger(&self, case: &Case<'_>, checkable: &Checkable, answer: &Answer) -> Option<Answer> {
        let (question, usual) = (answer.question(), usual_question(case.subject));
        if answer.verdict() != Verdict::Consistent(()) || question == usual || !question.includes(&usual) {
            return None;
        }
        self.progress.judging(case.index, &usual);
        let strong = self.check.answer(checkable, &usual, &self.arguments.budget.of_all().limits());
        strong.verdict().is_inconsistent().then_some(strong)
    }

    /// The reason why one model forbids what another allows, as asked by name.
    fn contrast(&self, strong: &Answer, weak: &Answer, history: &History, height: usize) -> Sections {
        // A line between the sections and the closing one.
        let sections = contrast(strong, weak, history, height - 2, &self.limits());
        let (forbids, allows) = (strong.question(), weak.question());
        let (closing, verdict) = match (strong.verdict(), weak.verdict()) {
            (undecided @ Verdict::Undecided(_), _) | (_, undecided @ Verdict::Undecided(_)) => {
                (None, undecided)
            }
            (consistent @ Verdict::Consistent(()), Verdict::Consistent(())) => (
                Some(format!("{forbids} and {allows} both allow it: there is nothing to explain")),
                consistent,
            ),
            (consistent @ Verdict::Consistent(()), _) => (
                Some(format!("it is the other way round: {forbids} allows it, {allows} forbids it")),
                consistent,
            ),
            (inconsistent, Verdict::Consistent(())) => (None, inconsistent),
            (inconsistent, _) => (Some(format!("{allows} forbids it as well")), inconsistent),
        };
        Sections { sections, closing, verdicts: vec![verdict] }
    }

    /// The first answer, and what the other models say.
    fn overview(&self, case: &Case<'_>, checkable: &Checkable, history: &History, height: usize) -> Sections {
        let Session { arguments, check, progress } = self;
        let count = check.questions(checkable).len();
        let overview = arguments.model.is_none() && arguments.budget.timeout.is_none();
        let budget = arguments.budget.of_all();
        let patience = Patience::new(&budget, count, overview);
        let answers = check.ask_all(checkable, |question, known| {
            progress.part(known.len(), count);
            progress.judging(case.index, question);
            Some(check.answer_after(known, checkable, question, &patience.limits(known)))
        });
        let verdicts = answers.iter().map(Answer::verdict).collect();
        let late = answers.iter().filter(|answer| answer.is_late()).count();
        let hint = arguments.budget.hint(overview).filter(|_| late > 0);
        let closing = hint.map(|hint| format!("{late} undecided after {hint}"));
        // A line between the sections and the closing one.
        let height = if closing.is_some() { height - 2 } else { height };
        progress.explaining(case.index);
        Sections { sections: sections(&answers, history, height, &self.limits()), closing, verdicts }
    }
}

/// Prints a section: its headings, and its lines below them.
pub fn print(section: &Section, out: &mut Page) -> io::Result<()> {
    writeln!(out)?;
    for Heading { question, verdict, more } in &section.headings {
        let name = out.paint(STRONG, &question.to_string());
        writeln!(out, "{name}: {}{more}", out.paint(output::style(*verdict), verdict.word()))?;
    }
    let indent = if section.headings.is_empty() { "" } else { "  " };
    for line in &section.lines {
        writeln!(out, "{}", format!("{indent}{line}").trim_end())?;
    }
    Ok(())
}

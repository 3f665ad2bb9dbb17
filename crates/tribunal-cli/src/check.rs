//! `tribunal check`: reads histories one by one, judges each under the models asked for, and reports.

use crate::args::{CheckArguments, CheckStyle};
use crate::budget::{Budget, Patience};
use crate::certificates::{Store, Stored};
use crate::driver::{Driver, ReadResult, case, each_file, specifications};
use crate::exit::{Status, Tally};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{BAD, DOUBT, Page, Stdout, complain};
use crate::pipeline::{Answers, Order, Place, each};
use crate::progress::Progress;
use crate::report::{
    Begun, Brief, Expectations, JsonLines, Junit, Known, Lines, Malformed, Overview, Report, Sheet, Suites,
};
use anstyle::Style;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use tribunal_formats::{History, Labels, Subject};
use tribunal_history::verdict::Verdict;
use tribunal_host::Memory;
use tribunal_report::{Answer, Case, Check, NotDecided, Question, Questions, Verification};
use tribunal_report::{counted, printable, read_as};

pub fn run(arguments: &CheckArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let driver = Driver::new(&arguments.streaming, Progress::new())?;
    let settings = Settings::new(arguments, &driver.progress, out.color())?;
    let mut session = Session::new(&settings);
    // By kind, how many histories there were from the first that can be checked.
    let (mut tally, mut met) = (Tally::default(), [0; 3]);
    if session.suites.is_some() {
        Suites::begin(out)?;
    }
    each_file(&arguments.histories.files, &driver.progress, &mut tally, out, |file, tally, out| {
        let begin = Instant::now();
        let done = session.file(file, &driver, &mut met, tally, out);
        if !done.as_ref().is_err_and(Failure::is_of_all) {
            session.end_file(file, done.as_ref().err(), begin.elapsed(), out)?;
        }
        done
    })?;
    session.end(tally, out)
}

/// The request of the arguments: each model or criterion that was named must be one that the engine decides.
fn asked(arguments: &CheckArguments) -> Result<Check, Failure> {
    let axioms = arguments.axioms.iter().cloned().map(Question::Criterion);
    let questions = match (&arguments.model, arguments.axioms.is_empty()) {
        (None | Some(Questions::All), true) => Questions::All,
        (None, false) => Questions::These(axioms.collect()),
        (Some(Questions::All), false) => {
            return Err(Failure::Usage("--axioms goes with named models or none, not with `all`".into()));
        }
        (Some(Questions::These(named)), _) => Questions::These(named.iter().cloned().chain(axioms).collect()),
    };
    let engine = arguments.engine;
    let refused = |undecided: NotDecided| Failure::Usage(format!("--engine {}: {undecided}", engine.name()));
    Check::new(questions, specifications(arguments.spec.as_deref())?).by(engine.0).map_err(refused)
}

/// The time after which the part that is known of a history is printed before all is.
const SOON: Duration = Duration::from_millis(50);

/// The checks, and how they are done: the state that the workers share.
struct Settings<'a> {
    arguments: &'a CheckArguments,
    check: Check,
    /// The limits of each answer.
    budget: Budget,
    /// Whether all answers but the first share a second.
    overview: bool,
    memory: Memory,
    progress: &'a Progress,
    /// The advice about answers that took too long.
    hint: Option<&'static str>,
    /// None if only mismatches are printed.
    report: Option<Box<dyn Report + Send>>,
    color: bool,
}

/// The results so far.
struct Session<'a> {
    settings: &'a Settings<'a>,
    expectations: Expectations,
    /// By kind, how many histories were reported, and what to say below if that stays one.
    reported: [(u64, Page); 3],
    /// The history of the file that was taken last.
    index: u64,
    /// Whether a part of the next answer was printed: then it counts, though nobody may be left to read the rest.
    begun: bool,
    /// Whether every answer is awaited.
    at_once: bool,
    /// The document, where it is JUnit's.
    suites: Option<Suites>,
}

/// The report on a history.
enum Message {
    /// The beginning of what is printed of it, before all is known.
    Begun(Page),
    Checked(Box<Checked>),
    Malformed(Failure),
}

struct Checked {
    kind: usize,
    sheet: Sheet,
    tally: Tally,
    expectations: Expectations,
}

impl<'a> Settings<'a> {
    fn new(arguments: &'a CheckArguments, progress: &'a Progress, color: bool) -> Result<Self, Failure> {
        let check = asked(arguments)?;
        let store = match &arguments.certificates {
            Some(_) if arguments.style != CheckStyle::Json => {
                return Err(Failure::Usage("--certificates goes with --style json".into()));
            }
            Some(directory) => Some(Store::open(directory, arguments.certificate_limit)?),
            None => None,
        };
        let witness = arguments.witness;
        let all = check.is_of_all();
        let budget = if all { arguments.budget.of_all() } else { arguments.budget.clone() };
        // What programs read, and what is compared, is complete.
        let overview = arguments.model.is_none()
            && all
            && arguments.style == CheckStyle::Human
            && !arguments.expect
            && arguments.budget.timeout.is_none();
        let hint = arguments.budget.hint(overview).filter(|_| all);
        let report: Option<Box<dyn Report + Send>> = match arguments.style {
            CheckStyle::Human if arguments.expect => None,
            CheckStyle::Human if all => Some(Box::new(Overview { witness, budget: budget.clone() })),
            CheckStyle::Human => Some(Box::new(Lines { witness, budget: budget.clone() })),
            CheckStyle::Json => Some(Box::new(JsonLines { witness, store, hint })),
            CheckStyle::Brief => Some(Box::new(Brief { only_those_that_apply: all })),
            CheckStyle::Junit if arguments.expect => {
                return Err(Failure::Usage("--style junit does not go with --expect".into()));
            }
            CheckStyle::Junit => Some(Box::new(Junit { budget: budget.clone() })),
        };
        Ok(Settings {
            arguments,
            check,
            budget,
            overview,
            memory: Memory::default(),
            progress,
            hint,
            report,
            color,
        })
    }

    /// The answers to the questions about a history.
    fn check(
        &self,
        case: &Case<'_>,
        labels: &Labels,
        (first, large): (bool, bool),
        print: impl Fn(Page),
    ) -> Result<Checked, Failure> {
        let Settings { arguments, check, budget, memory, .. } = self;
        let checkable = &check.checkable(case.subject, case.file).map_err(|why| Failure::unfit(case, why))?;
        // A no is all that one word says: then the rest need not be asked.
        let word = arguments.style == CheckStyle::Brief && !arguments.verify && !arguments.expect;
        let count = check.questions(checkable).len();
        let patience = Patience::new(budget, count, self.overview);
        let questions = check.questions(checkable);
        let asked = Instant::now();
        // What is known of the first history is printed at once, and of others if they take long.
        let mut begun = Begun::default();
        let mut print_known = |answers: &[Answer]| {
            let Some(report) = self.report.as_ref().filter(|_| first || asked.elapsed() > SOON) else {
                return;
            };
            let (mut page, lines) = (self.page(), self.progress.has_bar());
            let known = Known { questions, answers, first, lines };
            report.begin(case, &known, &mut begun, &mut page).expect("a page takes everything");
            if !page.text.is_empty() {
                print(page);
            }
        };
        let answers = check.ask_all(checkable, |question, known| {
            if word && known.last().is_some_and(|last| last.verdict().is_inconsistent()) {
                return None;
            }
            if let (Some(answer), true) = (known.first(), first && self.overview) {
                self.progress.answered(&answer.question(), answer.verdict());
            }
            print_known(known);
            self.progress.part(known.len(), count);
            self.progress.judging(case.index, question);
            // What is compared with labels is asked of the engines.
            let implying = if arguments.expect { &[] } else { known };
            let mut answer = memory.answer(
                large,
                || patience.limits(known),
                |limits| check.answer_after(implying, checkable, question, limits),
                Answer::lacks_memory,
            );
            if arguments.verify {
                self.progress.verifying(case.index, question);
                answer.verification = memory.answer(
                    large,
                    || budget.limits_of_verification(checkable),
                    |limits| answer.verified(limits),
                    |verification| verification.as_ref().is_some_and(Verification::lacks_memory),
                );
            }
            Some(answer)
        });
        print_known(&answers);
        let (mut tally, mut expectations) =
            (Tally { histories: 1, ..Tally::default() }, Expectations::default());
        let mut notes = verified(case, &answers, &mut tally);
        answers.iter().for_each(|answer| tally.count(answer.verdict()));
        tally.why_unsupported = self.why_unsupported(&answers);
        if arguments.expect {
            // With a model or an engine named, the others' labels are not asked for.
            let every_label = check.is_of_all() && check.engine().is_none();
            let mismatches = expectations.compare(case, labels, &answers, every_label);
            (tally.inconsistent, tally.undecided) = (mismatches.len() as u64, 0);
            notes.extend(mismatches.into_iter().map(|mismatch| (BAD, mismatch)));
        }
        let mut sheet = Sheet {
            page: self.page(),
            first,
            below: self.page(),
            beside: patience.beside(),
            begun,
            stored: Vec::new(),
        };
        if let Some(report) = &self.report {
            report.history(case, &answers, &mut sheet)?;
        }
        let page = &mut sheet.page;
        page.asides.extend(case.warning_line());
        if let Some(note) = case.note() {
            remark(arguments.style, format!("{case}: {note}"), page)?;
        }
        for (style, note) in &notes {
            remark(arguments.style, page.paint(*style, note), page)?;
        }
        Ok(Checked { kind: kind_of(case.subject), sheet, tally, expectations })
    }

    /// The reason why one of the questions did not apply to a history, or why none was asked.
    fn why_unsupported(&self, answers: &[Answer]) -> Option<String> {
        if answers.is_empty() {
            let engine = self.arguments.engine.name();
            return Some(format!("--engine {engine} decides nothing about such histories"));
        }
        let unsupported = answers.iter().find(|answer| answer.verdict() == Verdict::Unsupported(()))?;
        Some(format!("{}: {}", unsupported.question(), unsupported.reason().unwrap_or_default()))
    }

    fn page(&self) -> Page {
        Page::new(self.color)
    }

    /// The text in place of a history that is malformed.
    fn malformed(&self, file: &str, index: u64, failure: &Failure) -> io::Result<Page> {
        let mut page = self.page();
        if let Some(report) = &self.report {
            report.malformed(&Malformed { file, index, failure }, &mut page)?;
        }
        Ok(page)
    }
}

fn kind_of(subject: &Subject) -> usize {
    match subject {
        Subject::Memory(_) => 0,
        Subject::Object(_) => 1,
        Subject::Transactions(_) => 2,
    }
}

impl<'a> Session<'a> {
    fn new(settings: &'a Settings<'a>) -> Self {
        Session {
            settings,
            expectations: Expectations::default(),
            reported: Default::default(),
            index: 0,
            begun: false,
            at_once: settings.arguments.style == CheckStyle::Brief || io::stdout().is_terminal(),
            suites: (settings.arguments.style == CheckStyle::Junit).then(Suites::default),
        }
    }

    /// Checks the histories of a file.
    fn file(
        &mut self,
        file: &OsStr,
        driver: &Driver,
        met: &mut [u64; 3],
        tally: &mut Tally,
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        let settings = self.settings;
        (self.index, self.begun) = (0, false);
        let CheckArguments { histories, budget, spec, model, .. } = settings.arguments;
        let source = driver.open(file, histories.format, histories.nil_reads, budget.max_memory)?;
        let source = source.read_as(match model {
            Some(questions) => questions.read_as(spec.as_deref()),
            None => read_as(&[], spec.as_deref()),
        });
        let name = source.name.clone();
        // Whether a history is the first of its kind that can be checked.
        let is_first = |history: &ReadResult| {
            let Ok(History { subject, .. }) = history else { return false };
            let count = &mut met[kind_of(subject)];
            let first = *count == 0 && settings.check.checkable(subject, &name).is_ok();
            *count += u64::from(first || *count > 0);
            first
        };
        let job = each(|history: ReadResult, place: Place<bool>, answers: &Answers<'_, (u64, Message)>| {
            let checked = history.map_err(Failure::from).and_then(|history| {
                answers.note(history.line);
                let print = |page| answers.give_at_once((place.index, Message::Begun(page)));
                let case = case(&name, &history, &place);
                settings.check(&case, &history.labels, (place.told, place.large), print)
            });
            let message = match checked {
                Ok(checked) => Message::Checked(Box::new(checked)),
                Err(failure) => Message::Malformed(failure),
            };
            (place.index, message)
        });
        driver.through(source, job, &mut Order::new(is_first), |message| {
            let Some((index, message)) = message else { return Ok(out.flush().map(|()| true)?) };
            if out.is_closed() && !std::mem::take(&mut self.begun) {
                tally.cut_short = true;
                return Ok(false);
            }
            self.index = index;
            self.take(&name, message, driver, tally, out)?;
            if self.at_once {
                out.flush()?;
            }
            Ok(true)
        })
    }

    /// Prints and counts what there is to tell of a history.
    fn take(
        &mut self,
        file: &str,
        message: Message,
        driver: &Driver,
        tally: &mut Tally,
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        match message {
            Message::Malformed(failure) => {
                let failure = driver.skip(failure, tally)?;
                let page = self.settings.malformed(file, self.index, &failure)?;
                self.show(&page, out)?;
                driver.progress.aside(|| failure.print());
            }
            Message::Begun(page) => {
                self.begun = true;
                self.show(&page, out)?;
                out.flush()?;
            }
            Message::Checked(checked) => {
                let Checked { kind, sheet, tally: counted, expectations } = *checked;
                tally.add(counted);
                self.expectations.add(&expectations);
                // If a certificate cannot be stored, there is no line.
                sheet.stored.into_iter().try_for_each(Stored::write)?;
                self.show(&sheet.page, out)?;
                let (count, below) = &mut self.reported[kind];
                *count += 1;
                *below = if sheet.first { sheet.below } else { self.settings.page() };
            }
        }
        Ok(())
    }

    /// Prints a page, or adds it to the document.
    fn show(&mut self, page: &Page, out: &mut Stdout) -> io::Result<()> {
        self.settings.progress.aside(|| match &mut self.suites {
            Some(suites) => {
                suites.add(page);
                page.asides.iter().for_each(|line| complain(line));
                Ok(())
            }
            None => out.print(page),
        })
    }

    /// Ends the suite of a file, in JUnit's document; what ended the work on the file is an error there.
    fn end_file(
        &mut self,
        file: &OsStr,
        failure: Option<&Failure>,
        took: Duration,
        out: &mut Stdout,
    ) -> io::Result<()> {
        let Some(suites) = &mut self.suites else { return Ok(()) };
        let name = file.to_string_lossy();
        if let Some(failure) = failure.filter(|_| !interrupt::requested()) {
            suites.add(&self.settings.malformed(&name, self.index, failure)?);
        }
        suites.end_file(&name, took, out)
    }

    fn end(self, tally: Tally, out: &mut Stdout) -> Result<Tally, Failure> {
        let interrupted = interrupt::requested();
        self.settings.progress.end();
        for (_, below) in self.reported.iter().filter(|(count, _)| *count == 1) {
            out.print(below)?;
        }
        if self.suites.is_some() {
            Suites::end(out)?;
        }
        let arguments = self.settings.arguments;
        let mut summary = Vec::new();
        if arguments.expect || interrupted {
            summary.push(counted(tally.histories, "history"));
        }
        if arguments.expect {
            summary.push(self.expectations.summary());
        } else if interrupted {
            summary.push(tally.verdicts());
        }
        if arguments.verify {
            summary.push(tally.verifications.summary("verified"));
        }
        if !summary.is_empty() {
            self.remark(summary.join(", "), out)?;
        }
        // Verdict lines say it themselves.
        let hint = self.settings.hint.filter(|_| arguments.style != CheckStyle::Json);
        if let (Some(hint), 1..) = (hint, tally.late) {
            self.remark(format!("{} undecided after {hint}", tally.late), out)?;
        }
        if tally.status() != Status::Success {
            return Ok(tally);
        }
        out.finish()?;
        match &tally.why_unsupported {
            _ if arguments.expect && self.expectations.is_empty() => Err(Failure::NothingCompared),
            Some(why) if !arguments.expect && tally.consistent == 0 => {
                Err(Failure::NothingApplies(why.clone()))
            }
            _ => Ok(tally),
        }
    }

    /// Prints a line that is no verdict.
    fn remark(&self, line: String, out: &mut Stdout) -> io::Result<()> {
        let mut page = self.settings.page();
        remark(self.settings.arguments.style, line, &mut page)?;
        out.print(&page)
    }
}

/// Counts the certificates that were checked; a line for each that is not accepted for what the definitions say alone.
fn verified(case: &Case<'_>, answers: &[Answer], tally: &mut Tally) -> Vec<(Style, String)> {
    let mut notes = Vec::new();
    for answer in answers {
        let Some(verification) = &answer.verification else { continue };
        tally.verifications.count(verification);
        if *verification != Verification::Accepted {
            let (question, word) = (answer.question(), answer.verdict().word());
            let style = if matches!(verification, Verification::Refused(_)) { BAD } else { DOUBT };
            let what = verification.to_string();
            notes.push((style, format!("{case}: {question}: {word}: certificate {}", printable(&what))));
        }
    }
    notes
}

/// Has a line printed that is no verdict: among people's output, but beside that of programs.
fn remark(style: CheckStyle, line: String, page: &mut Page) -> io::Result<()> {
    match style {
        CheckStyle::Human => writeln!(page, "{line}"),
        CheckStyle::Json | CheckStyle::Brief | CheckStyle::Junit => {
            page.asides.push(line);
            Ok(())
        }
    }
}

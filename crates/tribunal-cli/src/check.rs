//! `tribunal check`: reads histories one by one, judges each under the models asked for, and reports.

use crate::args::{Budget, CheckArguments, CheckStyle, Engines};
use crate::case::{specifications, unfit};
use crate::certificates::{Store, Stored};
use crate::exit::Status;
use crate::failure::{Failure, skipped};
use crate::interrupt;
use crate::output::{BAD, DOUBT, Page, Stdout, complain};
use crate::patience::Patience;
use crate::pipeline::{self, Answers, Job, ReadResult, Source, Turn};
use crate::progress::Progress;
use crate::report::{
    Begun, Brief, Expectations, JsonLines, Junit, Known, Lines, Malformed, Overview, Report, Sheet, Suites,
};
use anstyle::Style;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use tribunal_formats::{History, Labels, Subject};
use tribunal_history::verdict::Verdict;
use tribunal_host::Memory;
use tribunal_report::{Answer, Case, Check, NotDecided, Question, Questions, Verification, Verifications};
use tribunal_report::{counted, printable, read_as};

pub fn run(arguments: &CheckArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let workers = arguments.streaming.workers()?;
    let settings = Settings::new(arguments, out.color())?;
    let mut session = Session::new(&settings);
    if session.suites.is_some() {
        Suites::begin(out)?;
    }
    for file in &arguments.histories.files {
        let begin = Instant::now();
        match session.file(file, workers, out) {
            Ok(()) => {}
            Err(failure @ (Failure::Stdout(_) | Failure::Write { .. } | Failure::Panicked { .. })) => {
                return Err(failure);
            }
            Err(_) if interrupt::requested() => {}
            Err(failure) => session.unreadable(file, &failure, out)?,
        }
        if let Some(suites) = &mut session.suites {
            suites.end_file(&file.to_string_lossy(), begin.elapsed(), out)?;
        }
        if session.cut_short || interrupt::requested() {
            break;
        }
    }
    session.end(out)
}

/// What the arguments ask for: each model or criterion that was named must be one that the engine decides.
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

/// What is known of a history that takes longer than this is printed before all is.
const SOON: Duration = Duration::from_millis(50);

/// What is checked and how: what the workers share.
struct Settings<'a> {
    arguments: &'a CheckArguments,
    check: Check,
    /// What each answer may cost.
    budget: Budget,
    /// Whether all answers but the first share a second.
    overview: bool,
    memory: Memory,
    /// What to say about answers that took too long.
    hint: Option<&'static str>,
    /// None if only mismatches are printed.
    report: Option<Box<dyn Report + Send>>,
    progress: Progress,
    color: bool,
}

/// The results so far.
struct Session<'a> {
    settings: &'a Settings<'a>,
    numbers: Numbers,
    expectations: Expectations,
    tally: Tally,
    /// By kind, how many histories were reported, and what to say below if that stays one.
    reported: [(u64, Page); 3],
    /// How many malformed histories were skipped.
    passed_over: u64,
    /// Whether anything was malformed.
    malformed: bool,
    /// Whether Ctrl-C or a closed pipe ended the work before its time.
    cut_short: bool,
    /// Whether every answer is awaited.
    at_once: bool,
    /// The document, where it is JUnit's.
    suites: Option<Suites>,
}

/// The numbers of histories: among those of a file, and by kind over all files.
#[derive(Default)]
struct Numbers {
    index: u64,
    of_kind: [u64; 3],
}

/// The result for a history.
enum Message {
    /// The beginning of what is printed of it, before all is known.
    Begun(Page),
    Checked(Box<Checked>),
    /// It is malformed; with what to print of that, if the work goes on.
    Malformed(Failure, Page),
    /// Ctrl-C came before it.
    Cut,
}

struct Checked {
    kind: usize,
    sheet: Sheet,
    tally: Tally,
    expectations: Expectations,
}

#[derive(Default)]
struct Tally {
    histories: u64,
    consistent: u64,
    inconsistent: u64,
    undecided: u64,
    /// Of those that are undecided, those that took too long.
    late: u64,
    unsupported: u64,
    verifications: Verifications,
    /// Why a model did not apply, the first time.
    why_unsupported: Option<String>,
}

impl<'a> Settings<'a> {
    fn new(arguments: &'a CheckArguments, color: bool) -> Result<Self, Failure> {
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
            CheckStyle::Human if all => Some(Box::new(Overview::new(witness, &budget))),
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
            hint,
            report,
            progress: Progress::new(),
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
        let checkable = &check.checkable(case.subject, case.file).map_err(|why| unfit(case, why))?;
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
        let (mut tally, mut expectations) = (Tally::default(), Expectations::default());
        let mut notes = tally.verified(case, &answers);
        if arguments.expect {
            // With a model or an engine named, the others' labels are not asked for.
            let every_label = check.is_of_all() && check.engine().is_none();
            let mismatches = expectations.compare(case, labels, &answers, every_label);
            notes.extend(mismatches.into_iter().map(|mismatch| (BAD, mismatch)));
        }
        tally.count(&answers, arguments.engine);
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

    fn page(&self) -> Page {
        Page::new(self.color)
    }

    /// That a history is malformed.
    fn malformed(&self, file: &str, index: u64, failure: Failure) -> Message {
        let mut page = self.page();
        if let Some(report) = self.report.as_ref().filter(|_| self.arguments.streaming.keep_going) {
            let malformed = Malformed { file, index, failure: &failure };
            report.malformed(&malformed, &mut page).expect("a page takes everything");
        }
        Message::Malformed(failure, page)
    }
}

/// Checking the histories of one file.
struct FileJob<'a> {
    settings: &'a Settings<'a>,
    file: &'a str,
}

impl Job for FileJob<'_> {
    type State = Numbers;
    type Answer = Message;

    fn work(
        &self,
        histories: Vec<ReadResult>,
        large: bool,
        turn: Turn<'_, '_, Numbers>,
        answers: &Answers<'_, Message>,
    ) {
        let FileJob { settings, file } = *self;
        let numbered = turn.take(histories.len(), |numbers| {
            let begin = numbers.index;
            numbers.index += histories.len() as u64;
            let firsts: Vec<bool> =
                histories.iter().map(|history| numbers.is_first(history, file, &settings.check)).collect();
            (begin, firsts)
        });
        let Some((begin, firsts)) = numbered else { return };
        for ((history, first), index) in histories.into_iter().zip(firsts).zip(begin..) {
            // After the last history there is nothing left to cut: the status is what it would have been.
            if interrupt::requested() && history.is_ok() {
                answers.give(Message::Cut);
                return;
            }
            let checked =
                history.map_err(Failure::from).and_then(|History { subject, labels, line, .. }| {
                    answers.begin(line);
                    let case = Case { file, index, line, subject: &subject };
                    let print = |page| answers.give_at_once(Message::Begun(page));
                    settings.check(&case, &labels, (first, large), print)
                });
            let answer = match checked {
                Ok(checked) => Message::Checked(Box::new(checked)),
                Err(failure) => settings.malformed(file, index, failure),
            };
            if !answers.give(answer) {
                return;
            }
        }
    }
}

impl Numbers {
    /// Whether a history is the first of its kind that can be checkable. It is counted.
    fn is_first(&mut self, history: &ReadResult, file: &str, check: &Check) -> bool {
        let Ok(History { subject, .. }) = history else { return false };
        let count = &mut self.of_kind[kind_of(subject)];
        let first = *count == 0 && check.checkable(subject, file).is_ok();
        *count += u64::from(first || *count > 0);
        first
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
        let (numbers, expectations, tally, reported) = Default::default();
        let at_once = settings.arguments.style == CheckStyle::Brief || io::stdout().is_terminal();
        Session {
            settings,
            numbers,
            expectations,
            tally,
            reported,
            passed_over: 0,
            malformed: false,
            cut_short: false,
            at_once,
            suites: (settings.arguments.style == CheckStyle::Junit).then(Suites::default),
        }
    }

    /// Reports what ended the work on a file.
    fn unreadable(&mut self, file: &OsStr, failure: &Failure, out: &mut Stdout) -> Result<(), Failure> {
        self.malformed = true;
        if let (Some(suites), Some(report)) = (&mut self.suites, &self.settings.report) {
            let mut page = self.settings.page();
            let malformed = Malformed {
                file: &file.to_string_lossy(),
                index: self.numbers.index.saturating_sub(1),
                failure,
            };
            report.malformed(&malformed, &mut page)?;
            suites.add(&page);
        }
        out.flush()?;
        self.settings.progress.aside(|| failure.print());
        Ok(())
    }

    fn file(&mut self, file: &OsStr, workers: usize, out: &mut Stdout) -> Result<(), Failure> {
        let Session {
            settings,
            numbers,
            expectations,
            tally,
            reported,
            passed_over,
            malformed,
            cut_short,
            at_once,
            suites,
        } = self;
        let CheckArguments { histories, streaming, budget, spec, .. } = settings.arguments;
        let name = file.to_string_lossy();
        let source = Source::open(
            file,
            histories.format,
            histories.nil_reads,
            budget.max_memory,
            streaming,
            &settings.progress,
        )?
        .read_as(match &settings.arguments.model {
            Some(questions) => questions.read_as(spec.as_deref()),
            None => read_as(&[], spec.as_deref()),
        });
        numbers.index = 0;
        let out = RefCell::new(out);
        // Whether a part of the next answer was printed: then that answer counts, though nobody may be left to read the rest.
        let mut begun = false;
        let take = |answer| {
            let mut out = out.borrow_mut();
            if out.is_closed() && !std::mem::take(&mut begun) {
                *cut_short = true;
                return Ok(false);
            }
            let mut show = |page: &Page, out: &mut Stdout| match suites {
                Some(suites) => {
                    suites.add(page);
                    page.asides.iter().for_each(|line| complain(line));
                    Ok(())
                }
                None => out.print(page),
            };
            match answer {
                Message::Cut => {
                    *cut_short = true;
                    return Ok(false);
                }
                Message::Malformed(failure, _) if !streaming.keep_going || !failure.is_of_one_history() => {
                    return Err(failure);
                }
                Message::Malformed(failure, page) => {
                    (*malformed, *passed_over) = (true, *passed_over + 1);
                    show(&page, &mut out)?;
                    settings.progress.aside(|| failure.print());
                }
                Message::Begun(page) => {
                    begun = true;
                    settings.progress.aside(|| show(&page, &mut out))?;
                    out.flush()?;
                }
                Message::Checked(checked) => {
                    let Checked { kind, sheet, tally: counted, expectations: compared } = *checked;
                    tally.add(counted);
                    expectations.add(&compared);
                    // If a certificate cannot be stored, there is no line.
                    sheet.stored.into_iter().try_for_each(Stored::write)?;
                    settings.progress.aside(|| show(&sheet.page, &mut out))?;
                    let (count, below) = &mut reported[kind];
                    *count += 1;
                    *below = if sheet.first { sheet.below } else { settings.page() };
                }
            }
            if *at_once {
                out.flush()?;
            }
            Ok(true)
        };
        let job = FileJob { settings, file: &name };
        pipeline::run(source, workers, &job, numbers, take, || out.borrow_mut().flush())
    }

    fn end(self, out: &mut Stdout) -> Result<Status, Failure> {
        let interrupted = interrupt::requested();
        self.settings.progress.end();
        for (_, below) in self.reported.iter().filter(|(count, _)| *count == 1) {
            out.print(below)?;
        }
        if self.suites.is_some() {
            Suites::end(out)?;
        }
        let (tally, arguments) = (&self.tally, self.settings.arguments);
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
        if let Some(hint) =
            self.settings.hint.filter(|_| tally.late > 0 && arguments.style != CheckStyle::Json)
        {
            self.remark(format!("{} undecided after {hint}", tally.late), out)?;
        }
        if self.passed_over > 0 {
            complain(&skipped(self.passed_over));
        }
        out.finish()?;

        let wrong = if arguments.expect { !self.expectations.all_agree() } else { tally.inconsistent > 0 };
        if interrupted {
            return Ok(Status::Interrupted);
        }
        if self.malformed {
            return Ok(Status::Malformed);
        }
        if wrong || tally.verifications.refused > 0 {
            return Ok(Status::Inconsistent);
        }
        if self.cut_short {
            return Ok(Status::ClosedPipe);
        }
        if tally.verifications.undecided > 0 {
            return Ok(Status::Undecided);
        }
        if arguments.expect {
            return match self.expectations.is_empty() {
                true => Err(Failure::NothingCompared),
                false => Ok(Status::Success),
            };
        }
        if tally.undecided > 0 {
            return Ok(Status::Undecided);
        }
        match &tally.why_unsupported {
            Some(why) if tally.consistent == 0 => Err(Failure::NothingApplies(why.clone())),
            _ => Ok(Status::Success),
        }
    }

    /// Prints a line that is no verdict.
    fn remark(&self, line: String, out: &mut Stdout) -> io::Result<()> {
        let mut page = self.settings.page();
        remark(self.settings.arguments.style, line, &mut page)?;
        out.print(&page)
    }
}

impl Tally {
    /// Adds what was counted elsewhere.
    fn add(&mut self, other: Tally) {
        self.histories += other.histories;
        self.consistent += other.consistent;
        self.inconsistent += other.inconsistent;
        self.undecided += other.undecided;
        self.late += other.late;
        self.unsupported += other.unsupported;
        self.verifications.add(&other.verifications);
        self.why_unsupported = self.why_unsupported.take().or(other.why_unsupported);
    }

    fn count(&mut self, answers: &[Answer], engine: Engines) {
        self.histories += 1;
        for answer in answers {
            match answer.verdict() {
                Verdict::Consistent(()) => self.consistent += 1,
                Verdict::Inconsistent(()) => self.inconsistent += 1,
                Verdict::Undecided(_) => {
                    self.undecided += 1;
                    self.late += u64::from(answer.is_late());
                }
                Verdict::Unsupported(()) => {
                    self.unsupported += 1;
                    let why = || format!("{}: {}", answer.question(), answer.reason().unwrap_or_default());
                    self.why_unsupported.get_or_insert_with(why);
                }
            }
        }
        if answers.is_empty() {
            let why = || format!("--engine {} decides nothing about such histories", engine.name());
            self.why_unsupported.get_or_insert_with(why);
        }
    }

    /// Counts the certificates that were checked; a line for each that is not accepted for what the definitions say alone.
    fn verified(&mut self, case: &Case<'_>, answers: &[Answer]) -> Vec<(Style, String)> {
        let mut notes = Vec::new();
        for answer in answers {
            let Some(verification) = &answer.verification else { continue };
            self.verifications.count(verification);
            if *verification != Verification::Accepted {
                let (question, word) = (answer.question(), answer.verdict().word());
                let style = if matches!(verification, Verification::Refused(_)) { BAD } else { DOUBT };
                let what = verification.to_string();
                notes.push((style, format!("{case}: {question}: {word}: certificate {}", printable(&what))));
            }
        }
        notes
    }

    fn verdicts(&self) -> String {
        let Tally { consistent, inconsistent, undecided, unsupported, .. } = self;
        format!(
            "{consistent} consistent, {inconsistent} inconsistent, {undecided} undecided, {unsupported} unsupported"
        )
    }
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

//! Monitoring transactions: what clients asked for and were told, and the first event with which a level cannot be satisfied.
//!
//! What has come is a history at any time, in which transactions that are under way have an unknown outcome, and reads of what nobody has written yet say nothing. So more events
//! only forbid more: when all is judged makes no difference to the answer. It is judged again whenever there is an eighth more, and when nothing comes for a moment; a violation
//! is then traced to its event by halves. At the end nothing more comes: reads of what nobody wrote are from nowhere.

use super::feed::{Feed, Next};
use crate::args::MonitorArguments;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::output::{BAD, Stdout, complain, indented};
use crate::progress::Progress;
use std::io::{Cursor, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_engines::transactions::judge;
use tribunal_formats::{ReadAs, ReadOptions, read};
use tribunal_history::transactions::{History, Level, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_host::reading;
use tribunal_report::{Answer, On, printable};

/// The least number of lines that come before all is judged again.
const LEAST: usize = 64;

/// Monitors until the input ends, Ctrl-C, or a violation.
pub fn run(arguments: &MonitorArguments, level: Level, out: &mut Stdout) -> Result<Tally, Failure> {
    let file = arguments.file.to_string_lossy().into_owned();
    let progress = Progress::new();
    progress.file(&file, input::size(&arguments.file));
    let bytes = progress.watch(input::bytes(&arguments.file)?);
    let mut feed = Feed::of_lines(bytes, &file);
    let options = ReadOptions {
        read_as: ReadAs::Transactions,
        ..reading(arguments.format, arguments.budget.max_memory)
    };
    let mut watch = Watch {
        arguments,
        level,
        file,
        options,
        text: Vec::new(),
        ends: Vec::new(),
        checked: 0,
        doubt: false,
    };
    let (mut next, mut since, mut took) = (LEAST, Instant::now(), Duration::ZERO);
    loop {
        let event = feed.next()?;
        if interrupt::requested() {
            return Ok(Tally::default());
        }
        let lines = watch.ends.len();
        let due = match &event {
            Next::Event(_) => lines >= next,
            // A slow stream is not judged all the time.
            Next::Silence => lines > watch.checked && since.elapsed() >= took,
            Next::End => true,
        };
        if due {
            let start = Instant::now();
            if let Some(violation) = watch.check(matches!(event, Next::End))? {
                progress.aside(|| violation.print(&watch, out))?;
                return Ok(Tally { inconsistent: 1, ..Tally::default() });
            }
            (since, took) = (Instant::now(), start.elapsed());
            next = lines + LEAST.max(lines / 8);
        }
        match event {
            Next::Event(line) => watch.take(&line)?,
            Next::Silence => {}
            Next::End => return Ok(Tally { undecided: watch.doubt.into(), ..Tally::default() }),
        }
    }
}

/// The events so far.
struct Watch<'a> {
    arguments: &'a MonitorArguments,
    level: Level,
    file: String,
    options: ReadOptions,
    text: Vec<u8>,
    /// The end of each line.
    ends: Vec<usize>,
    /// The number of lines that are known to be consistent.
    checked: usize,
    /// Whether the last answer was that there is none.
    doubt: bool,
}

/// The first line with which the level is violated, and the history up to it.
struct Violation {
    line: usize,
    history: Arc<History>,
    verdict: Verdict,
}

impl Watch<'_> {
    fn take(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.text.extend_from_slice(line);
        self.ends.push(self.text.len());
        // It is copied to be read, and the history takes some of it again.
        let limits = self.arguments.budget.limits();
        match limits.check_memory(3 * self.text.capacity(), 0) {
            Ok(()) => Ok(()),
            Err(limit) => Err(self.failure(&format!("undecided: {limit}"))),
        }
    }

    fn failure(&self, problem: &str) -> Failure {
        Failure::History { file: self.file.clone(), line: self.ends.len() as u64, problem: problem.into() }
    }

    /// Checks the events so far; the first line that makes them inconsistent, if there is one.
    fn check(&mut self, ended: bool) -> Result<Option<Violation>, Failure> {
        let lines = self.ends.len();
        let mut violation = match self.judged(lines, false)? {
            Some(violation) => violation,
            // What is wrong only because nothing more comes is known with the last line.
            None if ended => return self.judged(lines, true),
            None => return Ok(None),
        };
        // Inconsistent up to the first line number, consistent up to the second.
        let (mut bad, mut good) = (lines, self.checked);
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            match self.judged(middle, false)? {
                Some(earlier) => (bad, violation) = (middle, earlier),
                None => good = middle,
            }
        }
        Ok(Some(violation))
    }

    /// The violation of the first lines, if there is one; whether nothing comes behind them.
    fn judged(&mut self, lines: usize, ended: bool) -> Result<Option<Violation>, Failure> {
        let end = lines.checked_sub(1).map_or(0, |last| self.ends[last]);
        if self.text[..end].iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let Some(history) = read(Cursor::new(self.text[..end].to_vec()), &self.file, self.options)?.next()
        else {
            return Ok(None);
        };
        let tribunal_formats::Subject::Transactions(transactions) = history?.subject else {
            return Err(self.failure("these are no transactions: expected events of Elle's, one a line"));
        };
        let history = Arc::unwrap_or_clone(transactions.history).monitored(self.level, ended);
        let (verdict, _) = judge(&history, self.level, &self.arguments.budget.limits());
        match verdict {
            Verdict::Inconsistent(_) => {
                return Ok(Some(Violation { line: lines, history: history.into(), verdict }));
            }
            Verdict::Undecided(Limit::Stopped) => {}
            Verdict::Undecided(limit) => {
                if !std::mem::replace(&mut self.doubt, true) {
                    complain(&format!("{}: undecided up to line {lines}: {limit}", printable(&self.file)));
                }
            }
            Verdict::Consistent(_) => {
                self.checked = self.checked.max(lines);
                self.doubt = false;
            }
            Verdict::Unsupported(why) => return Err(self.failure(&format!("{}: {why}", self.level))),
        }
        Ok(None)
    }
}

impl Violation {
    fn print(self, watch: &Watch<'_>, out: &mut Stdout) -> Result<(), Failure> {
        let Violation { line, history, verdict } = self;
        let limits = watch.arguments.budget.limits();
        let on = On::Transactions { history, level: watch.level, verdict };
        let answer = Answer::new(on, None, 0, &limits);
        let word = out.paint(BAD, "inconsistent");
        writeln!(out, "{}:{line}: {word} ({}){}", printable(&watch.file), watch.level, answer.broken())?;
        indented(answer.explain(&limits), out)?;
        Ok(out.flush()?)
    }
}

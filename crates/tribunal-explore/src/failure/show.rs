//! Failures as text, with the threads side by side.

use crate::arena;
use crate::graph::{Event, EventId, Source};
use crate::program::{Action, Place};
use crate::report::Plain;
use crate::{Failure, Problem};
use std::fmt;
use std::time::{Duration, Instant};
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_report::{LONGEST, printable};

/// Between two columns.
const GAP: usize = 2;
/// Longer names of locations are told below the table.
const LONGEST_NAME: usize = 20;
/// Of longer executions, so many events are shown.
const MOST_ROWS: usize = 200;
/// The time to look for a reason.
const REASON_TIME: Duration = Duration::from_secs(5);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.headline())?;
        let deadline = Instant::now().checked_add(REASON_TIME);
        let limits = Limits { deadline, ..Limits::default() };
        write!(f, "{}", self.explanation(&limits).join("\n"))
    }
}

impl Failure {
    /// The failure in a line or two.
    pub fn headline(&self) -> String {
        let who = |thread: ThreadId| self.thread_name(thread);
        let by = self.thread.map_or(String::new(), |thread| format!(" in {}", who(thread)));
        let at = match self.place.is_known() {
            false => String::new(),
            true => format!(" at {}", self.place),
        };
        let waiting = |waiting: &[(ThreadId, Place)]| -> String {
            let each = waiting.iter().map(|&(thread, place)| format!("{} at {place}", who(thread)));
            each.collect::<Vec<_>>().join(", ")
        };
        match &self.problem {
            Problem::Panic { message } => format!("panic{by}{at}: {}", lines_of(message)),
            Problem::Race { first, second } => {
                let loc = self.graph.event(*first).loc();
                let loc = loc.map_or_else(String::new, |loc| format!(" on {}", self.location_name(loc)));
                let show = |id: &EventId| {
                    let event = self.graph.event(*id);
                    let (what, who) = (self.describe(event), who(event.thread));
                    format!("#{} {what} of {who} at {}", id.index() + 1, event.place)
                };
                format!(
                    "data race{loc}: {} and {} are not ordered by happens-before",
                    show(first),
                    show(second)
                )
            }
            Problem::Conflict { what, accesses } => {
                let [first, second] = &**accesses;
                let show =
                    |access: &Plain| format!("{} of {} at {}", access.what, who(access.thread), access.place);
                format!(
                    "data race on {}: {} and {} are not ordered by happens-before",
                    printable(what),
                    show(first),
                    show(second)
                )
            }
            Problem::Crash { message } => format!("crash{by}{at}: {}", lines_of(message)),
            Problem::Deadlock { waiting: threads } => {
                format!("deadlock: these threads wait forever: {}", waiting(threads))
            }
            Problem::Livelock { waiting: threads } => {
                format!(
                    "livelock: these threads loop until something changes, but nothing will: {}",
                    waiting(threads)
                )
            }
            Problem::Leak { what, place } => {
                format!("leak: {} created at {place} is never dropped", printable(what))
            }
            Problem::Misuse { message } => format!("misuse{by}{at}: {}", lines_of(message)),
            Problem::Nondeterminism { thread, expected, found } => format!(
                "the test is not deterministic: given the same values, {} did {}{at} instead of {}",
                who(*thread),
                printable(found),
                printable(expected)
            ),
            Problem::TooLong { thread, reads } => {
                let again = reads.map_or_else(String::new, |loc| {
                    format!(
                        "; it keeps reading {}: is a spin_loop or yield_now missing?",
                        self.location_name(loc)
                    )
                });
                format!("{} runs too long{at}{again}", who(*thread))
            }
        }
    }

    /// The execution, why it is possible, and how to replay it, as lines.
    pub fn explanation(&self, limits: &Limits<'_>) -> Vec<String> {
        let mut lines = self.listing();
        lines.push(String::new());
        if let Problem::Nondeterminism { .. } = self.problem {
            lines.extend(causes_of_nondeterminism());
            return lines;
        }
        match self.weak(Model::Sc, limits) {
            Ok(None) => match self.problem {
                Problem::Race { first, second } => lines.extend(self.unordered(first, second)),
                _ => lines.push("sc allows this execution too, so memory orders are not to blame.".into()),
            },
            Ok(Some(weak)) => {
                let event = self.graph.event(weak.event);
                let (number, who) = (weak.event.index() + 1, self.thread_name(event.thread));
                let what = self.describe(event);
                lines.push(format!("sc forbids #{number} {what} of {who} at {}:", event.place));
                lines.extend(weak.lines.iter().map(|line| format!("  {line}").trim_end().to_string()));
            }
            Err(why) => lines.push(format!("{why}.")),
        }
        lines.extend([String::new(), format!("replay: {}", self.replay_string())]);
        lines
    }

    /// The execution: one event per row and one column per thread, with the source of each read and its place in the source code. If
    /// there are too many columns, the threads come one after another.
    pub fn listing(&self) -> Vec<String> {
        let events = self.graph.events();
        let skipped = events.len().saturating_sub(MOST_ROWS);
        let mut rows: Vec<(Option<usize>, ThreadId, String)> = Vec::new();
        for (i, event) in events.iter().enumerate().skip(skipped) {
            if !matches!(event.action, Action::End) {
                let at = self.short_place(event.place);
                rows.push((Some(i + 1), event.thread, format!("{}{at}", self.describe(event))));
            }
        }
        if let Some(thread) = self.thread {
            let at = self.short_place(self.place);
            let what = match &self.problem {
                Problem::Panic { .. } => Some("panics".to_string()),
                Problem::Crash { .. } => Some("crashes".to_string()),
                Problem::Conflict { what, .. } => Some(format!("(races on {})", printable(what))),
                Problem::Race { first, .. } => Some(format!("(races with #{})", first.index() + 1)),
                Problem::Misuse { .. } => Some("fails".to_string()),
                _ => None,
            };
            rows.extend(what.map(|what| (None, thread, format!("{what}{at}"))));
        }
        let mut lines = Vec::new();
        if let Some(file) = self.only_file() {
            lines.push(format!("(lines of {file})"));
        }
        if skipped > 0 {
            lines.push(format!("({skipped} events before these)"));
        }
        let mut threads: Vec<ThreadId> = rows.iter().map(|(_, thread, _)| *thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let digits = events.len().to_string().len() + 1;
        let width_of = |of: ThreadId| {
            let cells = rows.iter().filter(|(_, thread, _)| *thread == of).map(|(.., text)| width(text));
            cells.chain([width(&self.thread_name(of))]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = threads.iter().map(|&thread| width_of(thread)).collect();
        let total = digits + widths.iter().map(|width| width + GAP).sum::<usize>();
        let number = |number: &Option<usize>| match number {
            Some(number) => format!("{:>digits$}", format!("#{number}")),
            None => " ".repeat(digits),
        };
        if total <= LONGEST {
            let mut heading = " ".repeat(digits);
            for (&thread, width) in threads.iter().zip(&widths) {
                push_cell(&mut heading, &self.thread_name(thread), *width);
            }
            lines.push(heading.trim_end().to_string());
            for (at, thread, text) in &rows {
                let mut line = number(at);
                for (of, width) in threads.iter().zip(&widths) {
                    push_cell(&mut line, if of == thread { text } else { "" }, *width);
                }
                lines.push(line.trim_end().to_string());
            }
        } else {
            let names: Vec<usize> = threads.iter().map(|&thread| width(&self.thread_name(thread))).collect();
            let longest = names.iter().max().copied().unwrap_or(0);
            for (at, thread, text) in &rows {
                let mut line = number(at);
                push_cell(&mut line, &self.thread_name(*thread), longest);
                push_cell(&mut line, text, 0);
                lines.push(line);
            }
        }
        lines.extend(self.legend());
        lines
    }

    /// The reason why nothing orders two accesses.
    fn unordered(&self, first: EventId, second: EventId) -> Vec<String> {
        let (one, other) = (self.graph.event(first), self.graph.event(second));
        let [by, of] = [one, other].map(|event| self.thread_name(event.thread));
        // What is read before the second and written after the first, or by who has read that.
        let seen =
            self.graph.thread(other.thread).iter().find_map(|&read| match self.graph.event(read).source {
                Source::Event(write) if self.graph.is_before(first, write) => Some((read, write)),
                _ => None,
            });
        let (n, m) = (first.index() + 1, second.index() + 1);
        match seen {
            Some((read, _)) => vec![
                format!(
                    "{of} has seen what came after #{n}: #{} {}.",
                    read.index() + 1,
                    self.describe(self.graph.event(read))
                ),
                format!("But no release is acquired on the way, so #{n} does not happen before #{m}."),
            ],
            None => vec![format!(
                "Before #{m}, {of} has read nothing that {by} or others wrote after #{n}: either may come first."
            )],
        }
    }

    /// The failure in a few words.
    pub fn brief(&self) -> String {
        let what = match &self.problem {
            Problem::Panic { .. } => "a panic",
            Problem::Race { .. } | Problem::Conflict { .. } => "a data race",
            Problem::Crash { .. } => "a crash",
            Problem::Deadlock { .. } => "a deadlock",
            Problem::Livelock { .. } => "no progress",
            Problem::Leak { .. } => "a leak",
            Problem::Misuse { .. } => "misuse",
            Problem::Nondeterminism { .. } => "nondeterminism",
            Problem::TooLong { .. } => "an execution that is too long",
        };
        match self.place.is_known() {
            false => what.to_string(),
            true => format!("{what} at {}", self.place),
        }
    }

    /// An event as a cell of the listing: `R.acq x 0 from #3`.
    pub fn describe(&self, event: &Event) -> String {
        let order = event.order().map_or("", Order::suffix);
        let loc = event.loc().map_or_else(String::new, |loc| self.location_name(loc));
        let from = match event.source {
            Source::Init => " from init".to_string(),
            Source::Event(write) => format!(" from #{}", write.index() + 1),
            _ => String::new(),
        };
        let raced = event.is_read() && event.source == Source::Nothing;
        let read = if raced { "?".to_string() } else { value(event.read) };
        let name = |thread: ThreadId| self.thread_name(thread);
        match event.action {
            Action::Receive { .. } if event.waiting => format!("waits for a message of {loc}"),
            _ if event.waiting => format!("waits for {loc}"),
            _ if event.timed_out() => format!("times out waiting for {loc}"),
            Action::Load { .. } | Action::Await { .. } => format!("R{order} {loc} {read}{from}"),
            Action::Store { value: written, .. } => format!("W{order} {loc} {}", value(written)),
            Action::Rmw { .. } | Action::AwaitRmw { .. } => match event.written {
                Some(written) => format!("U{order} {loc} {read}>{}{from}", value(written)),
                None => format!("R{order} {loc} {read}{from}, no write"),
            },
            Action::Fence { .. } => format!("F{order}"),
            Action::Spawn => format!("spawn {}", name(ThreadId::from_index(event.read as usize))),
            Action::Join { thread } => format!("join {}", name(thread)),
            Action::Choose { options } => format!("picks {read} of {options}"),
            Action::Release { .. } => match event.source {
                Source::Choice(1..) => format!("drops the last handle of {loc}"),
                _ => format!("drops a handle of {loc}"),
            },
            Action::Send { message: None, .. } => format!("drops the receiver of {loc}"),
            Action::Send { .. } => match event.written {
                Some(number) => format!("sends message {number} to {loc}"),
                None => format!("cannot send to {loc}{from}"),
            },
            Action::Receive { after, .. } => match (event.source, event.written) {
                (Source::Choice(_), _) => format!("finds no sender of {loc}"),
                (_, Some(_)) => format!("finds {loc} empty"),
                _ => format!("receives message {} of {loc}{from}", after + 1),
            },
            Action::Share { .. } => format!("clones a sender of {loc}"),
            Action::End => "ends".to_string(),
            Action::Yield => "yields".to_string(),
            Action::Block => "stops".to_string(),
            Action::Fail(_) => "fails".to_string(),
        }
    }

    pub(super) fn thread_name(&self, thread: ThreadId) -> String {
        match self.threads.get(thread.index()) {
            Some(name) => printable(name).into_owned(),
            None => format!("T{}", thread.0),
        }
    }

    pub(super) fn location_name(&self, loc: LocId) -> String {
        match self.locations.get(loc.index()) {
            Some(name) if fits(name) => printable(name).into_owned(),
            Some(_) => self.short_names().swap_remove(loc.index()),
            None => format!("x{}", loc.0),
        }
    }

    /// Names of locations that fit into a table: long ones are a letter and a number.
    pub(super) fn short_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.locations.len());
        for name in &self.locations {
            if fits(name) {
                names.push(printable(name).into_owned());
                continue;
            }
            // That of its type, as a rule.
            let letter = name.chars().find(char::is_ascii_uppercase).unwrap_or('X').to_ascii_lowercase();
            let free = |name: &String| !self.locations.contains(name) && !names.contains(name);
            let short = (1..).map(|number| format!("{letter}{number}")).find(free);
            names.push(short.unwrap_or_default());
        }
        names
    }

    /// The meanings of short names, of those locations that the execution accesses.
    fn legend(&self) -> Vec<String> {
        let accessed =
            |loc: usize| self.graph.events().iter().any(|event| event.loc().map(LocId::index) == Some(loc));
        let names = self.short_names().into_iter().zip(&self.locations).enumerate();
        let long = names.filter(|(loc, (short, long))| short != *long && accessed(*loc));
        long.map(|(_, (short, long))| format!("{short}: {}", printable(long))).collect()
    }

    /// The file of all places, if it is one.
    fn only_file(&self) -> Option<&'static str> {
        let places = self.graph.events().iter().map(|event| event.place).chain([self.place]);
        let mut files = places.filter(|place| place.line > 0).map(|place| place.file);
        let first = files.next()?;
        (!first.is_empty() && files.all(|file| file == first)).then_some(first)
    }

    fn short_place(&self, place: Place) -> String {
        match place.line {
            0 if place.file.is_empty() => String::new(),
            0 => format!(" {}", place.file),
            line if place.file.is_empty() || self.only_file().is_some() => format!(" :{line}"),
            line => format!(" {}:{line}", place.file.rsplit(['/', '\\']).next().unwrap_or(place.file)),
        }
    }
}

/// The usual reasons why a test behaves differently when it is run again.
fn causes_of_nondeterminism() -> Vec<String> {
    let causes = [
        "std's HashMap and HashSet have another order in each map: use BTreeMap, or a hasher without a seed",
        "clocks (Instant::now) and random numbers",
        "what threads share is not modelled, such as std::sync (Mutex, Condvar, mpsc, Once, atomics), std::thread, or types of \
         tokio, futures or crossbeam that are compiled without their cfg for loom: use those of this crate",
        "statics and std's thread_local! keep values from one execution to the next: use those of this crate",
    ];
    let mut lines = vec!["A test must do the same whenever it is run. Usual causes:".to_string()];
    lines.extend(causes.map(|cause| format!("  - {cause}")));
    if !arena::is_in_use() {
        let cause = "addresses differ from run to run: make `alloc::Deterministic` the global allocator";
        lines.push(format!("  - {cause}"));
    }
    lines
}

/// A value: a number, or what looks like an address.
pub(crate) fn value(value: u64) -> String {
    match value {
        0..=0xffff_ffff => value.to_string(),
        _ if (value as i64) < 0 && (value as i64) > -0x1_0000_0000 => (value as i64).to_string(),
        _ => format!("{value:#x}"),
    }
}

/// A message that may have several lines.
fn lines_of(message: &str) -> String {
    let lines: Vec<_> = message.trim_end().lines().map(printable).collect();
    lines.join("\n  ")
}

/// Whether the name of a location fits into a table.
fn fits(name: &str) -> bool {
    width(name) <= LONGEST_NAME && !name.contains(char::is_whitespace)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn push_cell(line: &mut String, text: &str, to: usize) {
    line.extend(std::iter::repeat_n(' ', GAP));
    line.push_str(text);
    line.extend(std::iter::repeat_n(' ', to.saturating_sub(width(text))));
}

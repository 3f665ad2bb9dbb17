//! The driver, by which commands go through histories. It opens the files, has workers on all cores read the histories and work on
//! them, gives the results to the command in the order of the input, reports and counts what is malformed, and ends early on Ctrl-C or
//! where nobody reads the output any more. What comes of it all is in a [`Tally`], which says the exit status.

use crate::args::Streaming;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::output::Stdout;
use crate::pipeline::{self, Answers, Input, Order, Place, Portion, Turn, each};
use crate::progress::Progress;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tribunal_formats::{Error, Format, History, NilReads, Piece, Pieces, ReadAs};
use tribunal_host::{BadSpecification, reading};
use tribunal_report::{Case, Specifications};

/// A history as read, or why it could not be.
pub type ReadResult = Result<History, Error>;

/// The way in which a command goes through histories.
pub struct Driver {
    /// Whether malformed histories are skipped.
    keep_going: bool,
    workers: usize,
    /// The progress that a terminal shows.
    pub progress: Progress,
}

impl Driver {
    /// As the arguments say.
    pub fn new(streaming: &Streaming, progress: Progress) -> Result<Self, Failure> {
        Ok(Driver { keep_going: streaming.keep_going, workers: streaming.workers()?, progress })
    }

    /// One history at a time, each with all the cores and the memory; a malformed one ends the work.
    pub fn one_by_one(progress: Progress) -> Self {
        Driver { keep_going: false, workers: 1, progress }
    }

    /// Opens a file of histories; `-` is standard input. Reading it moves the bar.
    pub fn open<'f>(
        &self,
        file: &'f OsStr,
        format: Option<Format>,
        nil_reads: NilReads,
        max_memory: Option<usize>,
    ) -> Result<Source<'f>, Failure> {
        let name = file.to_string_lossy();
        self.progress.file(&name, input::size(file));
        let stop = Arc::new(AtomicBool::new(false));
        let options = reading(format, max_memory);
        let room = (options.max_memory / 64).clamp(256 << 10, 16 << 20);
        let reader = if input::is_folder(file) {
            input::folder(file, options, stop.clone())?
        } else {
            let bytes = self.progress.watch(input::bytes(file)?.until(stop.clone()));
            tribunal_formats::read(bytes, &name, options)?
        };
        let keep_going = self.keep_going;
        Ok(Source { pieces: reader.nil_reads(nil_reads).pieces(keep_going), name, keep_going, room, stop })
    }

    /// Goes through the histories of a file: `work` is done on any core, and `take` has what comes of it in the order of the input, and says
    /// whether to go on.
    pub fn run<T: Send>(
        &self,
        source: Source<'_>,
        tally: &mut Tally,
        work: impl Fn(History, Place<()>) -> Result<T, Failure> + Sync,
        mut take: impl FnMut(Next<T>, &mut Tally) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let job = each(|history: ReadResult, place, answers: &Answers<'_, _>| {
            let history = history?;
            answers.note(history.line);
            work(history, place)
        });
        let take = |done: Option<Result<T, Failure>>| {
            let Some(done) = done else { return take(Next::Nothing, tally) };
            self.progress.aside(|| match done {
                Ok(done) => take(Next::Done(done), tally),
                Err(failure) => {
                    self.skip(failure, tally)?.print();
                    take(Next::Skipped, tally)
                }
            })
        };
        self.through(source, job, &mut Order::new(|_: &ReadResult| ()), take)
    }

    /// Counts a malformed history, if it is one that is skipped; an error otherwise.
    pub fn skip(&self, failure: Failure, tally: &mut Tally) -> Result<Failure, Failure> {
        if !self.keep_going || !failure.is_of_one_history() {
            return Err(failure);
        }
        tally.skipped += 1;
        Ok(failure)
    }

    /// Brings the histories of a file through any job. A file without histories is an error.
    pub fn through<S: Send, A: Send>(
        &self,
        source: Source<'_>,
        job: impl Fn(Vec<ReadResult>, bool, Turn<'_, '_, S>, &Answers<'_, A>) + Sync,
        state: &mut S,
        take: impl FnMut(Option<A>) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let empty = Pieces::empty(&source.name);
        match pipeline::run(source, self.workers, job, state, take)? {
            true => Ok(()),
            false => Err(empty.into()),
        }
    }
}

/// Goes through files. What ends the work on one of them is reported, and the others are still done, unless nothing can be written, a worker
/// panicked, Ctrl-C was pressed, or nobody reads the output any more.
pub fn each_file(
    files: &[OsString],
    progress: &Progress,
    tally: &mut Tally,
    out: &mut Stdout,
    mut act: impl FnMut(&OsStr, &mut Tally, &mut Stdout) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for (file, left) in files.iter().zip((0..files.len()).rev()) {
        match act(file, tally, out) {
            Ok(()) => {}
            Err(failure) if failure.is_of_all() => return Err(failure),
            Err(_) if interrupt::requested() => {}
            Err(failure) => {
                tally.malformed += 1;
                out.flush()?;
                progress.aside(|| failure.print());
            }
        }
        if interrupt::requested() || tally.cut_short {
            break;
        }
        if out.is_closed() {
            tally.cut_short = left > 0;
            break;
        }
    }
    Ok(())
}

/// A history as its readers know it.
pub fn case<'a, K>(file: &'a str, history: &'a History, place: &Place<K>) -> Case<'a> {
    Case { file, index: place.index, line: history.line, subject: &history.subject }
}

/// The source of specifications, as `--spec` says.
pub fn specifications(given: Option<&str>) -> Result<Specifications, Failure> {
    tribunal_host::specifications(given).map_err(|bad| match bad {
        BadSpecification::Unreadable { file, source } => Failure::Read { file, source },
        BadSpecification::Malformed(error) => error.into(),
        unknown => Failure::Usage(format!("--spec {}: {unknown}", given.unwrap_or_default())),
    })
}

/// The next item for a command.
pub enum Next<T> {
    Done(T),
    /// A malformed history, which was reported.
    Skipped,
    /// There is nothing yet: what is printed should not wait for more.
    Nothing,
}

/// A file of histories.
pub struct Source<'f> {
    /// Its name as given.
    pub name: Cow<'f, str>,
    pieces: Pieces,
    keep_going: bool,
    /// The number of bytes of it that may be under way at once.
    room: usize,
    stop: Arc<AtomicBool>,
}

impl Source<'_> {
    /// The same, with Jepsen's events read as this.
    pub fn read_as(self, read_as: ReadAs) -> Self {
        Source { pieces: self.pieces.read_as(read_as), ..self }
    }

    /// The format, given or recognized.
    pub fn format(&self) -> Format {
        self.pieces.format()
    }
}

impl Input for Source<'_> {
    type Item = ReadResult;

    fn next(&mut self) -> Option<Portion<ReadResult>> {
        // Nothing is read after an error, unless it is to go on.
        let keep_going = self.keep_going;
        let last =
            move |histories: &[ReadResult]| !keep_going && histories.last().is_some_and(Result::is_err);
        Some(match self.pieces.next()? {
            Piece::Batch(batch) => Portion {
                size: batch.bytes(),
                large: false,
                read: Box::new(move || {
                    let histories: Vec<ReadResult> = batch.histories().collect();
                    let last = last(&histories);
                    (histories, last)
                }),
            },
            Piece::Large(history) => {
                let last = last(std::slice::from_ref(&*history));
                Portion { size: 0, large: true, read: Box::new(move || (vec![*history], last)) }
            }
        })
    }

    fn room(&self) -> usize {
        self.room
    }

    fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    fn panicked(&self) -> Box<dyn Fn(Option<u64>) -> Failure> {
        let file = self.name.clone().into_owned();
        Box::new(move |line| Failure::Panicked { file: file.clone(), line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        streaming: Streaming,
    }

    /// Work that panics at the third history: the two before are told, and then what happened.
    #[test]
    fn a_worker_that_panics_ends_the_work_and_says_where() {
        let mut file = tempfile::Builder::new().suffix(".txt").tempfile().expect("a file");
        file.write_all("T0: W x 1\n---\n".repeat(5).as_bytes()).expect("a file");
        let Streaming { keep_going, .. } = Flags::parse_from(["test"]).streaming;
        for workers in [1, 4] {
            let driver = Driver { keep_going, workers, progress: Progress::none() };
            let source = driver.open(file.path().as_os_str(), None, NilReads::default(), None);
            let work = |_: History, place: Place<()>| {
                assert!(place.index != 2, "a panic of a test");
                Ok(place.index)
            };
            let mut told = Vec::new();
            let ran = driver.run(source.expect("a file"), &mut Tally::default(), work, |next, _| {
                if let Next::Done(index) = next {
                    told.push(index);
                }
                Ok(true)
            });
            assert_eq!(told, [0, 1], "{workers} workers");
            match ran {
                Err(Failure::Panicked { line: Some(5), .. }) => {}
                other => panic!("{workers} workers: {other:?}"),
            }
        }
    }
}

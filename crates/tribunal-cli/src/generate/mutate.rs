//! `tribunal generate mutate`: histories with something changed, mostly to their disadvantage.

use super::share;
use crate::args::format;
use crate::budget::Budget;
use crate::destination::Destination;
use crate::driver::specifications;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{Stdout, complain, spare_inputs};
use crate::{input, interrupt};
use clap::{Args, ValueHint};
use std::borrow::Cow;
use std::ffi::OsString;
use std::iter;
use std::sync::Arc;
use tribunal_formats::{Format, Labels, Object, Subject, write_subject};
use tribunal_history::memory::Execution;
use tribunal_history::object::History;
use tribunal_history::verdict::Verdict;
use tribunal_host::reading;
use tribunal_machines::hard::{self, Mutation};
use tribunal_machines::objects;
use tribunal_report::{Answer, Case, Question, Specifications};

const HELP: &str = "\
Examples:
  tribunal generate mutate --reads 2 --distance 10 --histories 5 valid.txt
  tribunal generate machine | tribunal generate mutate --inconsistent tso
  tribunal generate mutate --drop-fences 0.5 --weaken 0.2 a.jsonl -o b.jsonl

A redirected read reads from another write to its location, at most --distance places away in its thread: neither an \
initial write nor a later write of the reading thread. RMWs are not changed. For objects, an operation returns what \
another one of its method returned, called at most --distance operations before or after. Fences are dropped first, \
then orders weakened, then reads redirected. Dependencies and times stay; verdicts in the input are dropped.

With --inconsistent, one more read at a time is redirected until the model or criterion forbids the mutant. A mutant \
that it never forbids is not written, and named on standard error.

Exit status: 0 done, 2 bad usage or malformed input, 3 some mutants could not be made inconsistent and were not \
written, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct MutateArguments {
    /// How many reads, or returns of objects, to change; by default 1, or none if fences are dropped or orders weakened
    #[arg(long, value_name = "N")]
    reads: Option<u32>,
    /// How far away the new source may be
    #[arg(long, value_name = "N", default_value_t = 20)]
    distance: u32,
    /// Share of fences to drop, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    drop_fences: f64,
    /// Share of C11 orders to weaken by one step, from 0 to 1: seq_cst to acq_rel (of a read or write: to acquire or
    /// release), that to acquire or release, that to relaxed
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    weaken: f64,
    /// Redirect reads until this model or criterion forbids the mutant
    #[arg(long, value_name = "MODEL")]
    inconsistent: Option<Question>,
    /// The random seed; the next mutants of a history take the next seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many mutants of each history to generate
    #[arg(long, value_name = "N", default_value_t = 1)]
    histories: u64,
    /// The specification of objects, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    spec: Option<String>,
    #[command(flatten)]
    pub budget: Budget,
    /// The format of the files, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
    #[command(flatten)]
    destination: Destination,
    /// Files of histories; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "-")]
    files: Vec<OsString>,
}

pub fn run(arguments: &MutateArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let specifications = specifications(arguments.spec.as_deref())?;
    let open = |file: &OsString| input::open(file, reading(arguments.format, arguments.budget.max_memory));
    let Some((first, others)) = arguments.files.split_first() else { return Ok(Tally::default()) };
    let histories = open(first)?;
    // Jepsen's logs are only read.
    let usual = Some(histories.format()).filter(|&format| format != Format::Jepsen).unwrap_or(Format::Json);
    if let Some(output) = &arguments.destination.output {
        spare_inputs(output, &arguments.files)?;
    }
    let mut writer = arguments.destination.open(usual, out)?;
    let mut missing = false;
    let opened = iter::once(Ok(histories)).chain(others.iter().map(open));
    for (file, histories) in arguments.files.iter().zip(opened) {
        let file = file.to_string_lossy();
        for (history, index) in histories?.zip(0..) {
            let tribunal_formats::History { subject, line, .. } = history?;
            let case = Case { file: &file, index, line, subject: &subject };
            for seed in (0..arguments.histories).map(|number| arguments.seed.wrapping_add(number)) {
                let mutant = arguments.mutant(&case, &specifications, seed)?;
                if interrupt::requested() {
                    return Ok(Tally::default());
                }
                let Some(mutant) = mutant else {
                    missing = true;
                    complain(&format!("{case}: seed {seed}: {}, left out", arguments.lack()));
                    continue;
                };
                let written = write_subject(&mut writer, &mutant, &Labels::default());
                written.map_err(|error| arguments.destination.failure(error, &format!("{file}:{line}")))?;
            }
        }
    }
    arguments.destination.finish(writer)?;
    Ok(Tally { undecided: missing.into(), ..Tally::default() })
}

impl MutateArguments {
    /// The mutant of a history, if there is one as asked.
    fn mutant(
        &self,
        case: &Case<'_>,
        specifications: &Specifications,
        seed: u64,
    ) -> Result<Option<Subject>, Failure> {
        let name = case.name().map_or(String::new(), |name| format!("{name}, "));
        let name = format!("{name}mutant of seed {seed}");
        let mutation = Mutation { reads: self.reads(), distance: self.distance, seed };
        match case.subject {
            Subject::Memory(x) => {
                let base = self.weakened(x, seed);
                let more = hard::mutants(&base, self.distance, seed).skip(mutation.reads as usize);
                let mutants = iter::once(hard::mutate(&base, &mutation)).chain(more);
                let of = |mutant: &Execution| Subject::Memory(Arc::new(mutant.clone()));
                let found = self.refused(case, specifications, mutants, of)?;
                let redirected = |mutant: &Execution| base.events().any(|e| base.rf(e) != mutant.rf(e));
                let found = found.filter(|mutant| mutation.reads == 0 || redirected(mutant));
                Ok(found.map(|mutant| of(&hard::renamed(&mutant, &name))))
            }
            Subject::Object(object) => {
                if self.drop_fences > 0.0 || self.weaken > 0.0 {
                    return Err(Failure::of(case, "a history of an object has neither fences nor orders"));
                }
                let history = &object.history;
                let of = |history: &History| {
                    Subject::Object(Object { history: Arc::new(history.clone()), ..object.clone() })
                };
                let more = objects::mutants(history, self.distance, seed).skip(mutation.reads as usize);
                let mutants = iter::once(objects::mutate(history, &mutation)).chain(more);
                let found = self.refused(case, specifications, mutants, of)?;
                let lies = |mutant: &History| history.ops().any(|op| history.result(op) != mutant.result(op));
                let found = found.filter(|mutant| mutation.reads == 0 || lies(mutant));
                Ok(found.map(|mutant| of(&objects::renamed(&mutant, &name))))
            }
            Subject::Transactions(_) => Err(Failure::of(case, "histories of transactions are not mutated")),
        }
    }

    /// The least number of reads that are redirected.
    fn reads(&self) -> u32 {
        self.reads.unwrap_or(u32::from(self.drop_fences == 0.0 && self.weaken == 0.0))
    }

    fn weakened<'a>(&self, x: &'a Execution, seed: u64) -> Cow<'a, Execution> {
        let mut weakened = Cow::Borrowed(x);
        if self.drop_fences > 0.0 {
            weakened = Cow::Owned(hard::drop_fences(&weakened, self.drop_fences, seed));
        }
        if self.weaken > 0.0 {
            weakened = Cow::Owned(hard::weaken(&weakened, self.weaken, seed));
        }
        weakened
    }

    /// The first mutant, or the first that is refused if that is asked for.
    fn refused<T>(
        &self,
        case: &Case<'_>,
        specifications: &Specifications,
        mutants: impl Iterator<Item = T>,
        of: impl Fn(&T) -> Subject,
    ) -> Result<Option<T>, Failure> {
        for mutant in mutants {
            let Some(question) = &self.inconsistent else { return Ok(Some(mutant)) };
            let subject = of(&mutant);
            let case = Case { subject: &subject, ..*case };
            let checkable =
                specifications.checkable(&subject, case.file).map_err(|why| Failure::unfit(&case, why))?;
            let answer = Answer::of(&checkable, question, None, &self.budget.limits());
            match answer.verdict() {
                Verdict::Inconsistent(()) => return Ok(Some(mutant)),
                Verdict::Unsupported(()) => {
                    let why = answer.reason().unwrap_or_default();
                    return Err(Failure::of(&case, format_args!("{question}: {why}")));
                }
                _ if interrupt::requested() => break,
                _ => {}
            }
        }
        Ok(None)
    }

    /// The reason why there is no mutant.
    fn lack(&self) -> String {
        match &self.inconsistent {
            Some(question) => format!("no mutant found that {question} refuses"),
            None => "nothing that could be read instead".into(),
        }
    }
}

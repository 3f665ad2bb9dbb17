//! The command line: every subcommand, option and help text.

use crate::bench::BenchArguments;
use crate::explain::ExplainArguments;
use crate::explore::ExploreArguments;
use crate::failure::Failure;
use crate::generate::GenerateArguments;
use crate::litmus::LitmusArguments;
use crate::progress::Progress;
use crate::record::RecordArguments;
use crate::separate::SeparateArguments;
use crate::serve::ServeArguments;
use crate::view::ViewArguments;
use crate::{input, interrupt};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};
use tribunal::object::Criterion;
use tribunal::verify::object::MOST_MEMORY;
use tribunal::{Limits, Model};
use tribunal_formats::{Format, NilReads, ReadOptions, Reader};
use tribunal_host::{most_memory, named, reading};
use tribunal_litmus::history::Target;
use tribunal_report::{EngineChoice, Judged, Question, Questions};

const ABOUT: &str = "Decides whether executions are consistent with what was promised, and proves it";

const LONG_ABOUT: &str = "\
Tribunal hears what an execution of a concurrent system did and returns a verdict. Of a memory: is there an order of the \
writes that explains what was read under the memory model that its maker promised? Of an object, such as a queue: is there an order \
of the operations that explains what they returned? If yes it shows the order; if no it shows why there is none.

A history is what each thread read and wrote. In the text form, message passing is

  T0: W x 1; W y 1
  T1: R y 1; R x 0

Or it is what processes called and what that returned, and when. In native JSON, a read that misses a write is

  {\"kind\":\"object\",\"spec\":\"register\",\"operations\":[
    {\"process\":0,\"f\":\"write\",\"args\":[1],\"ret\":null,\"call\":0,\"return\":1},
    {\"process\":1,\"f\":\"read\",\"args\":[],\"ret\":null,\"call\":2,\"return\":3}]}";

const AFTER_HELP: &str = "\
Examples:
  tribunal check mp.txt                          which models allow this history?
  tribunal check --model ra mp.txt               is it release-acquire, and if not, why not?
  tribunal check --model linearizable jepsen.edn is this history of an object linearizable?
  simulator | tribunal check -m tso --style brief -   one word for each trace of a stream
  tribunal convert --to axe mp.txt               the same history as an Axe trace
  tribunal explore sb.prog                       what may this program do?
  tribunal models                                what the models say

Formats: native JSON and JSON Lines (json); of memories also Axe traces (axe) and the text form (text); of objects also \
EDN as Jepsen and Knossos write it (edn) and Jepsen's text logs (jepsen-log); of transactions also EDN and JSON as Jepsen writes them \
for Elle (edn, json; elle if they are registers), Plume's text (plume), dbcop's files (dbcop), Cobra's logs (cobra) and AWDIT's tests \
(awdit). A folder of Cobra's logs, or of a run in Jepsen's store, is one history. The format is recognised by \
extension and content; gzip and zstd are read as they are; `-` is standard input.

Exit status:
  0    all consistent (or: the work is done)
  1    some inconsistent, mismatched or refused
  2    bad usage or malformed input
  3    some undecided, and none inconsistent
  129  ended by SIGHUP
  130  stopped by Ctrl-C
  141  the reader of the output left before the work was done, and nothing inconsistent was found
  143  ended by SIGTERM";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "tribunal", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(max_term_width = 110, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check histories against models
    Check(CheckArguments),
    /// List data races: non-atomic accesses that nothing orders
    Races(RacesArguments),
    /// Check the certificates that `check --style json` or `races --style json` printed, from the definitions alone
    Verify(VerifyArguments),
    /// Rewrite histories in another format
    Convert(ConvertArguments),
    /// Say why a history is inconsistent, step by step, at most a screen
    Explain(ExplainArguments),
    /// Reduce inconsistent histories to a part that is as small as can be and still inconsistent
    Shrink(ShrinkArguments),
    /// Find the smallest history that one model allows and another forbids, or table how all models relate
    Separate(SeparateArguments),
    /// Draw a history and what the models say of it: a page to look at in a browser
    View(ViewArguments),
    /// Serve that page to this machine, with a court that checks histories dropped on it
    Serve(ServeArguments),
    /// Run litmus tests, as herd does, under a model that is built in or given as text
    Litmus(LitmusArguments),
    /// Explore every behaviour of small concurrent programs
    Explore(ExploreArguments),
    /// Watch the events of a memory, or the calls and returns of an object, and stop at the first that cannot be explained
    Monitor(MonitorArguments),
    /// Describe histories: threads, events and locations, or processes, operations and keys
    Stats(StatsArguments),
    /// List the models of memories and the criteria of objects, or print their definitions
    #[command(after_help = MODELS_HELP)]
    Models(ModelsArguments),
    /// Say how many pairs of writes every sc order agrees on, and how many of them ccv, ccm and wsc find
    Kernel(KernelArguments),
    /// Make histories
    Generate(GenerateArguments),
    /// Record what this machine really does
    Record(RecordArguments),
    /// Measure, by the papers' experiments, how fast all this is
    Bench(BenchArguments),
    /// Print a shell's completion script
    #[command(
        after_help = "Example:\n  tribunal completions bash > ~/.local/share/bash-completion/completions/tribunal"
    )]
    Completions {
        /// The shell to complete in
        shell: Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  tribunal man | man -l -")]
    Man {
        /// Write this page and one for each subcommand into DIR instead
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

const CHECK_HELP: &str = "\
Examples:
  tribunal check mp.txt                        a matrix of all models, and why those that say no do
  tribunal check --model ra,rc20 *.jsonl       a line for each history and model
  tribunal check --model 'po-mm=RR+RW;rf-mm=rfe' mp.txt
  tribunal check --model ra --style json --witness a.jsonl > a.certificates
  tribunal verify a.jsonl a.certificates       the same answers, checked from the definitions
  tribunal check --expect --verify a.jsonl     compare with the verdicts in the file
  simulator | tribunal check -m tso --style brief - answers each Axe trace as it ends
  tribunal check queue.json                    the strongest criteria that hold, and method by method
  tribunal check --model linearizable,causal --spec 'cas-register(0)' jepsen.edn
  tribunal check --axioms 'vis >= po; vis >= vis.vis' map.json

A model of your own is what it preserves of po and of rf: `po-mm=` and any of RR, RW, WR, WW (RR/loc: of one location), \
deps and times joined by `+`, then `;rf-mm=rf` or `;rf-mm=rfe`, and as rmo has it `;rmw=none` and `;po-loc=no-RR`. It asks for acyclic(po-loc ∪ rf ∪ mo ∪ fr) and \
acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr).

A criterion of your own is a list of axioms `vis >= R` or `lin >= R`, separated by `;`, where R composes lin, vis, po and hb \
with `.` from left to right; `.[method]` at its end keeps the pairs that end in an operation of that method. Ret, lin >= vis and lin >= hb \
always hold. A model of memories does not apply to objects, nor a criterion of objects to memories.

Marks of the matrix: yes, no, ? (undecided: a limit was reached), - (the model does not apply).
Words of brief: OK, NO, ?? (undecided), -- (a model asked for does not apply), and ERROR with --keep-going.

If a history has non-atomic accesses (`W.na x 1`), rc20 and rc11 also say whether they race: racy, with the two accesses and why neither \
happens before the other. In the matrix it is marked *, after a word of brief comes RACY. A race changes no verdict and no status; \
`tribunal races` lists them all.

Exit status: 0 all consistent, 1 some inconsistent (or, with --expect or --verify, mismatched or refused), 2 bad usage \
or malformed input, 3 some undecided, or not verified, and none inconsistent, 130 stopped by Ctrl-C. A model that does not apply \
changes nothing, unless nothing asked for applies: then 2, as with --expect if there is no label to compare with. \
After a malformed file the other files are still checked, and \
the status is 2.";

#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArguments {
    /// Models of memories and criteria of objects to check, separated by commas, or `all`, the default: what applies. A model of
    /// your own is a file that ends in .cat
    #[arg(short, long, value_name = "MODEL,..", value_parser = named::<Questions>)]
    pub model: Option<Questions>,
    /// Also, or without --model only, check this criterion of objects: axioms separated by `;`, such as
    /// `vis >= po; vis >= vis.vis`. May be given more than once
    #[arg(long, value_name = "AXIOMS", value_parser = axioms)]
    pub axioms: Vec<Criterion>,
    /// What objects should do: a built-in specification, such as queue or cas-register(0), or a file that ends in .spec.
    /// By default what the history says
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// What decides: `auto` chooses, by model and history. With another, `--model all` is every model that it decides
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine())]
    pub engine: EngineChoice,
    /// How to print verdicts
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: CheckStyle,
    /// Show the witness of each consistent verdict: a modification order
    #[arg(long)]
    pub witness: bool,
    /// Compare with the verdicts that labelled histories carry: name each mismatch and end with a summary
    #[arg(long)]
    pub expect: bool,
    /// Check every certificate from the definitions before it is reported, within the same limits, and with 1G of memory
    /// at most unless --max-memory is given
    #[arg(long)]
    pub verify: bool,
    /// Write each certificate that is larger than --certificate-limit into a file of its own in DIR, compressed, and name
    /// that in the verdict line. By default all stand in their lines
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub certificates: Option<PathBuf>,
    /// The largest certificate, in bytes or with k, M or G, that stands in its line
    #[arg(long, value_name = "SIZE", default_value = "64k", value_parser = size, requires = "certificates")]
    pub certificate_limit: usize,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub streaming: Streaming,
    #[command(flatten)]
    pub histories: Histories,
}

/// How many histories are worked on at once, and what becomes of those that are malformed.
#[derive(Args, Clone, Debug)]
pub struct Streaming {
    /// Use so many threads; 0 is one for each core. What is printed does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Go on after a malformed history with the next one: each is reported, and the status is 2 in the end. The next history
    /// begins after `check` in Axe traces, after `---` in the text form, and at the next line of JSON Lines
    #[arg(long)]
    pub keep_going: bool,
}

impl Streaming {
    /// How many histories are worked on at once. Also tells the engines how many cores there are for a large one.
    pub fn workers(&self) -> Result<usize, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.into());
        pool.build_global()
            .map_err(|error| Failure::Usage(format!("--threads {}: {error}", self.threads)))?;
        Ok(rayon::current_num_threads())
    }
}

/// How much each answer may cost.
#[derive(Args, Clone, Debug)]
pub struct Budget {
    /// Give up on an answer after so many seconds: it is undecided. Where all models or criteria are asked for, each answer
    /// may take 10 seconds unless this says otherwise; one that is named has no such limit
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Give up on an answer after so many search states: it is undecided
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states)]
    pub max_states: u64,
    /// Give up on an answer that takes more than so many bytes (or with k, M or G) beside the history: it is undecided. A
    /// history that takes more by itself, and more than 16M, is an error. By default three quarters of the machine's memory,
    /// where the system says how much that is
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
}

/// How long each answer may take where everything is asked for, unless it is said how long.
pub const PATIENCE: Duration = Duration::from_secs(10);

impl Budget {
    /// The budget of each answer where everything is asked for.
    pub fn of_all(&self) -> Self {
        Budget { timeout: self.timeout.or(Some(PATIENCE)), ..self.clone() }
    }

    /// What to say of answers that took too long, if that was not for a time that the user gave.
    pub fn hint(&self) -> Option<&'static str> {
        let hint = "the default time limit of 10 s for each answer; --timeout changes it";
        self.timeout.is_none().then_some(hint)
    }

    /// The limits of an answer that is begun now, and that Ctrl-C stops.
    pub fn limits(&self) -> Limits<'static> {
        Limits {
            deadline: self.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            max_states: self.max_states,
            max_memory: self.max_memory.unwrap_or_else(most_memory),
            stop: Some(interrupt::flag()),
        }
    }

    /// The limits of verifying a certificate, begun now. Where nobody says how much memory that may take, it is no more for objects
    /// than the library takes by itself.
    pub fn limits_of_verification(&self, judged: Judged<'_>) -> Limits<'static> {
        let limits = self.limits();
        match judged {
            Judged::Object(_) if self.max_memory.is_none() => {
                Limits { max_memory: limits.max_memory.min(MOST_MEMORY), ..limits }
            }
            _ => limits,
        }
    }
}

/// A file of histories that are judged one by one.
#[derive(Args, Debug)]
pub struct Judging {
    /// What objects should do, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    #[command(flatten)]
    pub budget: Budget,
    /// Read the file as this format, whatever it looks like
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What becomes of reads of nil in Jepsen's histories, which mostly say nothing: they are left out and counted, or kept
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// File of histories; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: OsString,
}

impl Judging {
    /// The file's name, as it is given.
    pub fn name(&self) -> Cow<'_, str> {
        self.file.to_string_lossy()
    }

    /// The file's histories; reading them moves the bar.
    pub fn histories(&self, progress: &Progress) -> Result<Reader, Failure> {
        open(&self.file, reading(self.format, self.budget.max_memory), self.nil_reads, progress)
    }
}

/// The histories of a file; reading them moves the bar.
fn open(
    file: &OsStr,
    options: ReadOptions,
    nil_reads: NilReads,
    progress: &Progress,
) -> Result<Reader, Failure> {
    let name = file.to_string_lossy();
    progress.file(&name, input::size(file));
    if input::is_folder(file) {
        return Ok(input::open(file, options)?.nil_reads(nil_reads));
    }
    let bytes = progress.watch(input::bytes(file)?);
    Ok(tribunal_formats::read(bytes, &name, options)?.nil_reads(nil_reads))
}

/// The inputs of a command.
#[derive(Args, Debug)]
pub struct Histories {
    /// Read the files as this format, whatever they look like
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What becomes of reads of nil in Jepsen's histories, which mostly say nothing: they are left out and counted, or kept
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// Files of histories; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

impl Histories {
    /// The histories of one of the files; reading them moves the bar.
    pub fn open(&self, file: &OsStr, budget: &Budget, progress: &Progress) -> Result<Reader, Failure> {
        open(file, reading(self.format, budget.max_memory), self.nil_reads, progress)
    }
}

/// How `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckStyle {
    /// For people: a matrix or lines, with explanations
    Human,
    /// For programs: one JSON object for each history and model
    Json,
    /// For scripts: one word for each history, as soon as it is known
    Brief,
    /// For test benches: JUnit XML, a suite for each file and a test for each history and model
    Junit,
}

/// Engines by name, listed in the help and in completions.
fn engine() -> impl TypedValueParser<Value = EngineChoice> {
    let choices = EngineChoice::all();
    let names: Vec<_> = choices.iter().map(|choice| choice.name()).collect();
    PossibleValuesParser::new(names).map(move |name| {
        let named = choices.iter().find(|choice| choice.name() == name);
        named.copied().unwrap_or(EngineChoice::Auto)
    })
}

/// A number of bytes: k, M and G are powers of 1024.
pub fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1usize),
    };
    let bytes = digits.parse().ok().and_then(|number: usize| number.checked_mul(unit));
    bytes.ok_or_else(|| "expected a number of bytes, such as 65536, 64k, 512M or 4G".into())
}

fn axioms(text: &str) -> Result<Criterion, String> {
    text.parse().map_err(|error: <Criterion as FromStr>::Err| error.to_string())
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds, such as 10 or 0.5".into())
}

const RACES_HELP: &str = "\
Examples:
  tribunal races program.txt                     one race for each pair of places, and why it is one
  tribunal races --all --style json a.jsonl > a.races
  tribunal verify a.jsonl a.races

Two accesses of one location, one of them a write and one of them non-atomic (`W.na x 1`, or \"order\":\"na\"), are a race if they are of \
different threads and neither happens before the other. A place is a thread at a location; of each pair of them the first race that a \
replay of the history comes to is listed, or with --all every pair of accesses.

Where values repeat, the races are those of the history with the sources that a consistent execution has. A history that the model \
forbids for that reason, or because po ∪ rf is cyclic, is inconsistent and has no races.

Words of brief: OK (no race), NO (a race, or inconsistent), ?? (undecided), and ERROR with --keep-going.

Exit status: 0 no race, 1 some race, or a history inconsistent, 2 bad usage or malformed input, 3 some undecided, and no race, \
130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = RACES_HELP)]
pub struct RacesArguments {
    /// The model that says what happens before what
    #[arg(short, long, value_name = "MODEL", default_value = "rc20", value_parser = model_with_races())]
    pub model: Model,
    /// How to print races
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: RacesStyle,
    /// List every pair of accesses that race, not one for each pair of places
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub streaming: Streaming,
    #[command(flatten)]
    pub histories: Histories,
}

/// How `races` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RacesStyle {
    /// For people: each race, and why it is one
    Human,
    /// For programs: one JSON object for each history
    Json,
    /// For test benches: one word for each history, as soon as it is known
    Brief,
}

fn model_with_races() -> impl TypedValueParser<Value = Model> {
    let models = || Model::ALL.into_iter().filter(|model| model.has_races());
    PossibleValuesParser::new(models().map(Model::name)).try_map(|name| name.parse())
}

const VERIFY_HELP: &str = "\
Example:
  tribunal check --style json --witness a.jsonl > a.certificates
  tribunal verify a.jsonl a.certificates

The certificates are matched with the histories by `index`; those that `check --certificates` stored in files are read \
from there. Each is accepted, or refused with the reason; an undecided \
line claims nothing and is skipped. What the limits do not suffice for is not verified; unless said otherwise, a certificate takes \
1G of memory at most.

A specification is what it does, step by step. What it says of itself beside that (reachable, key, collection, read_only, \
unchanged) is trusted only where too much would have to be tried without it, and the answer says so: accepted, trusting key of map.

Exit status: 0 none refused, 1 some refused, 2 bad usage or malformed input, 3 none refused and some not verified, 130 stopped by \
Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub struct VerifyArguments {
    /// What objects should do, as given to `check --spec`
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// Read the histories as this format, whatever they look like
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What becomes of reads of nil, as given to check
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// Look for stored certificates in DIR, whatever folder their lines name; without it they must be in the current folder or
    /// below it, as their lines say
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub certificates: Option<PathBuf>,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub streaming: Streaming,
    /// File of histories; `-` is standard input
    #[arg(value_name = "HISTORY", value_hint = ValueHint::FilePath)]
    pub history: OsString,
    /// The lines that `check --style json --witness` printed for that file, compressed or not; `-` is standard input
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: OsString,
}

const CONVERT_HELP: &str = "\
Examples:
  tribunal convert --to text trace.axe
  tribunal convert --to json -o all.jsonl.gz *.txt
  tribunal convert --to litmus --arch AArch64 short.txt

With -o the file appears when all is written: until then, and after any failure, what was there before stays. It may be one of \
the files that are read, and keeps its mode; symbolic links are followed.";

#[derive(Args, Debug)]
#[command(after_help = CONVERT_HELP)]
pub struct ConvertArguments {
    /// The format to write; litmus is a test with a condition, for herd and its kin
    #[arg(short, long, value_name = "FORMAT", value_parser = convert_to())]
    pub to: ConvertTo,
    /// What a litmus test is written for
    #[arg(long, value_name = "ARCH", default_value = "C", value_parser = litmus_target())]
    pub arch: Target,
    /// Read the files as this format, whatever they look like
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What becomes of reads of nil in Jepsen's histories, which mostly say nothing: they are left out and counted, or kept
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// Write to this file instead of standard output; a name ending in .gz or .zst compresses
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub streaming: Streaming,
    /// Files of histories; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

const SHRINK_HELP: &str = "\
Examples:
  tribunal shrink --model ra long.axe -o short.txt --to text
  tribunal shrink history.edn | tribunal check -

What is left is still inconsistent, and nothing more could be left out of it. Histories that are consistent are left out \
and named on standard error; if there is nothing to write, a file named with -o is left as it is.

Exit status: 0 all consistent, 1 some inconsistent and shrunk, 2 bad usage or malformed input, 3 some undecided and none \
inconsistent, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = SHRINK_HELP)]
pub struct ShrinkArguments {
    /// The model or criterion that is to stay broken; by default sc for memories and linearizable for objects
    #[arg(short, long, value_name = "MODEL", value_parser = named::<Question>)]
    pub model: Option<Question>,
    /// The format to write; by default what the output's name says, else that of the file if it can be written, else json
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub to: Option<Format>,
    /// Write to this file instead of standard output; a name ending in .gz or .zst compresses
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub streaming: Streaming,
    #[command(flatten)]
    pub judging: Judging,
}

const MONITOR_HELP: &str = "\
Examples:
  test-bench | tribunal monitor --spec queue
  tail -f jepsen.log | tribunal monitor --spec cas-register -
  simulator | tribunal monitor --model tso --format axe
  tribunal monitor --model rc20 --follow --resume trace.txt

Of a memory (--model ra, rc20, rc11, relaxed, wra, sra, sc, tso or pso) an event is a line of the text form, `T0: W x 1`; a JSON object a \
line, {\"thread\":\"T0\",\"op\":\"write\",\"loc\":\"x\",\"value\":1}; or a line of an Axe trace, `0: M[1] := 1`. Events of a thread come in program \
order; a read may come up to --window events before its write. The event that makes the execution inconsistent is named, with why, and \
with a part of the execution that is as small as can be. Under sc, tso and pso, and with seq_cst, that may be late; what could not be settled is \
said in the end. `---`, `check` or {\"end\":true} ends an execution, and another begins.

Of an object an event is a JSON object with process, type (invoke, ok, fail or info), f and value, or args with the call and ret with the \
return; an EDN map of Jepsen's; or a line of a Jepsen text log. Their order is real time. Without --spec the \
calls tell the object.

Nothing is printed while all is well. The first event that no order of the operations can explain is named with its line, and \
the command ends.

Exit status: 0 all consistent, 1 inconsistent, 2 bad usage or malformed input, 3 undecided, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = MONITOR_HELP)]
pub struct MonitorArguments {
    /// The criterion of an object, the model of a memory, or the level of transactions
    #[arg(short, long, value_name = "MODEL", default_value = "linearizable")]
    pub model: Question,
    /// What the object should do, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// Of a memory: a read may come so many events before the write that it reads from
    #[arg(long, value_name = "EVENTS", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(..=1 << 17))]
    pub window: u64,
    /// Of a memory: go on after a violation as if its event had not come
    #[arg(long)]
    pub resume: bool,
    /// Of a memory: wait for more at the end of the file, until Ctrl-C
    #[arg(long)]
    pub follow: bool,
    /// Of a memory, or of transactions: read the events as this format, whatever they look like
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    #[command(flatten)]
    pub budget: Budget,
    /// What becomes of reads of nil, as for check
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// File of events; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "-")]
    pub file: OsString,
}

#[derive(Args, Debug)]
pub struct StatsArguments {
    #[command(flatten)]
    pub streaming: Streaming,
    #[command(flatten)]
    pub histories: Histories,
}

const MODELS_HELP: &str = "\
Examples:
  tribunal models
  tribunal models tso
  tribunal models --style cat tso > mine.cat    # and change it: tribunal check --model mine.cat a.txt";

#[derive(Args, Debug)]
pub struct ModelsArguments {
    /// Print the glossary's entries of these models, criteria or levels
    #[arg(value_name = "MODEL", value_parser = named::<Question>)]
    pub models: Vec<Question>,

    /// How to print the models
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: ModelStyle,
}

/// How `models` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelStyle {
    /// For people
    Human,
    /// For programs: one JSON object a line
    Json,
    /// For documents: a table, or the entries of those named
    Markdown,
    /// The definitions alone: for models, files in the cat language
    Cat,
}

/// How `kernel` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KernelStyle {
    /// For people
    Human,
    /// For programs: one JSON object a line
    Json,
}

const KERNEL_HELP: &str = "\
Examples:
  tribunal kernel a.jsonl
  tribunal generate machine --histories 100 --events 200 | tribunal kernel -

A pair is two writes of one location; initial writes are left out, since they come before all others. The SC-kernel are \
the pairs that every order of the writes that explains the history under sc has the same way round. Of what a model orders, \
the share of the kernel is given. A history that is inconsistent with sc has no kernel.

The orders are held as tables of events by events: for histories of up to some thousand events. A history that takes more \
than --max-memory, here 2G unless given, is undecided.

Exit status: 0 done, 2 bad usage or malformed input, 3 some undecided, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = KERNEL_HELP)]
pub struct KernelArguments {
    /// How to print kernels
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: KernelStyle,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub histories: Histories,
}

fn nil_reads() -> impl TypedValueParser<Value = NilReads> {
    PossibleValuesParser::new(NilReads::ALL.map(NilReads::name)).map(|name| {
        let named = NilReads::ALL.into_iter().find(|how| how.name() == name);
        named.unwrap_or_default()
    })
}

/// Formats by name, listed in the help and in completions.
/// What `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertTo {
    /// Histories.
    Format(Format),
    /// Litmus tests.
    Litmus,
}

fn convert_to() -> impl TypedValueParser<Value = ConvertTo> {
    let names = Format::ALL.map(Format::name).into_iter().chain(["litmus"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "litmus" => Ok(ConvertTo::Litmus),
        name => name.parse().map(ConvertTo::Format),
    })
}

fn litmus_target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::name)).try_map(|name| name.parse::<Target>())
}

pub fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_everything_have_a_time_unless_one_is_given() {
        let budget = |timeout| Budget { timeout, max_states: 1, max_memory: None };
        let none = budget(None);
        assert_eq!((none.of_all().timeout, none.limits().deadline), (Some(PATIENCE), None));
        assert_eq!(none.hint(), Some("the default time limit of 10 s for each answer; --timeout changes it"));
        let given = budget(Some(Duration::from_secs(60)));
        assert_eq!((given.of_all().timeout, given.hint()), (given.timeout, None));
    }
}

//! The command line: every subcommand, option and help text.

use crate::budget::Budget;
use crate::explain::ExplainArguments;
use crate::explore::ExploreArguments;
use crate::failure::Failure;
use crate::generate::GenerateArguments;
use crate::input;
use crate::litmus::LitmusArguments;
use crate::progress::Progress;
use crate::record::RecordArguments;
#[cfg(target_os = "linux")]
use crate::run::{CargoArguments, RunArguments};
use crate::separate::SeparateArguments;
use crate::serve::ServeArguments;
use crate::view::ViewArguments;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_formats::{Format, NilReads, Reader};
use tribunal_history::model::Model;
use tribunal_history::object::Criterion;
use tribunal_host::{named, reading};
use tribunal_litmus::history::Target;
use tribunal_report::{Question, Questions};

const ABOUT: &str = "Checks whether concurrent executions are consistent with a model, and proves it";

const LONG_ABOUT: &str = "\
Tribunal reads what an execution of a concurrent system did and decides whether a consistency model allows it. For a \
memory: is there an order of the writes that explains every read? For an object, such as a queue: is there an order \
of the operations that explains what they returned? For transactions: is there a commit order that the isolation \
level allows? If yes, it shows the order. If not, it shows why there is none.

A memory history lists what each thread read and wrote. Message passing, in the text format:

  T0: W x 1; W y 1
  T1: R y 1; R x 0

An object history lists what each process called, what that returned, and when. A stale read, in native JSON:

  {\"kind\":\"object\",\"spec\":\"register\",\"operations\":[
    {\"process\":0,\"f\":\"write\",\"args\":[1],\"ret\":null,\"call\":0,\"return\":1},
    {\"process\":1,\"f\":\"read\",\"args\":[],\"ret\":null,\"call\":2,\"return\":3}]}";

const AFTER_HELP: &str = "\
Examples:
  tribunal check mp.txt                       which models allow this history?
  tribunal check --model ra mp.txt            does ra allow it?
  tribunal check --model linearizable h.edn   is this object linearizable?
  sim | tribunal check -m tso --style brief - one word for each trace of a pipe
  tribunal explain mp.txt                     why is it inconsistent?
  tribunal view mp.txt -o mp.html             the same as a page
  tribunal explore sb.prog                    what can this program do?
  tribunal run ./queue_test                   and this one, which is compiled?
  tribunal models                             what do the models say?

Formats: native JSON and JSON Lines (json). For memories also Axe traces (axe) and the text format (text). For \
objects also EDN as Jepsen and Knossos write it (edn) and Jepsen's text logs (jepsen-log). For transactions also \
Jepsen's EDN and JSON for Elle (edn, json; elle for registers), Plume's text (plume), dbcop's files (dbcop), Cobra's \
logs (cobra) and AWDIT's tests (awdit). A directory of Cobra's logs, or of a run in Jepsen's store, is one history. \
The format is recognized by extension and content. Files may be compressed with gzip or zstd; `-` is standard input.

Exit status:
  0    everything is consistent, or the work is done
  1    something is inconsistent, mismatched or refused
  2    bad usage or malformed input
  3    something is undecided, and nothing is inconsistent
  101  a bug in Tribunal, which is told with the history
  129  ended by SIGHUP
  130  stopped by Ctrl-C
  141  the reader of the output left early, and nothing was inconsistent so far
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
    /// List data races: non-atomic accesses that happens-before does not order
    Races(RacesArguments),
    /// Check the certificates of `check --style json` and `races --style json`, from the definitions alone
    Verify(VerifyArguments),
    /// Rewrite histories in another format
    Convert(ConvertArguments),
    /// Explain step by step why histories are inconsistent, on one screen each
    Explain(ExplainArguments),
    /// Reduce inconsistent histories to a smallest part that is still inconsistent
    Shrink(ShrinkArguments),
    /// Find the smallest history that one model allows and another forbids, or compare all models
    Separate(SeparateArguments),
    /// Draw a history and its verdicts: a page for the browser, SVG or DOT
    View(ViewArguments),
    /// Serve that page on this machine, and check histories that are dropped on it
    Serve(ServeArguments),
    /// Run litmus tests as herd does, under a built-in model or one in the cat language
    Litmus(LitmusArguments),
    /// Explore every behavior of small concurrent programs
    Explore(ExploreArguments),
    /// Explore every execution of a program in C, C++ or Rust that was built with -fsanitize=thread
    #[cfg(target_os = "linux")]
    Run(RunArguments),
    /// Explore the tests of a Rust package, as `cargo tribunal` does
    #[cfg(target_os = "linux")]
    Cargo(CargoArguments),
    /// Check events as they happen, and stop at the first violation
    Monitor(MonitorArguments),
    /// Describe histories: threads, events, locations; processes, operations, keys
    Stats(StatsArguments),
    /// List the models, criteria and levels, or print definitions
    #[command(after_help = MODELS_HELP)]
    Models(ModelsArguments),
    /// Generate histories
    Generate(GenerateArguments),
    /// Record histories on this machine or a database
    Record(RecordArguments),
    /// Print a shell's completion script
    #[command(
        after_help = "Example:\n  cd ~/.local/share/bash-completion/completions\n  tribunal completions bash > tribunal"
    )]
    Completions {
        /// The shell
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

impl Command {
    /// How much memory the user allows.
    pub fn max_memory(&self) -> Option<usize> {
        let budget = match self {
            Command::Check(arguments) => &arguments.budget,
            Command::Races(arguments) => &arguments.budget,
            Command::Verify(arguments) => &arguments.budget,
            Command::Explain(arguments) => &arguments.budget,
            Command::Shrink(arguments) => &arguments.judging.budget,
            Command::View(arguments) => &arguments.judging.budget,
            Command::Monitor(arguments) => &arguments.budget,
            Command::Generate(arguments) => arguments.budget()?,
            Command::Explore(arguments) => return arguments.search.max_memory,
            #[cfg(target_os = "linux")]
            // It is the program's limit.
            Command::Run(_) | Command::Cargo(_) => return None,
            Command::Litmus(arguments) => return arguments.max_memory,
            // Its limit is divided among the checks, which keep to it.
            Command::Serve(_) => return None,
            Command::Convert(_)
            | Command::Separate(_)
            | Command::Stats(_)
            | Command::Models(_)
            | Command::Record(_)
            | Command::Completions { .. }
            | Command::Man { .. } => return None,
        };
        budget.max_memory
    }
}

const CHECK_HELP: &str = "\
Examples:
  tribunal check mp.txt                     all models, and why some say no
  tribunal check --model ra,rc20 *.jsonl    a line for each history and model
  tribunal check --model 'po-mm=RR+RW;rf-mm=rfe' mp.txt
  tribunal check --model ra --style json --witness a.jsonl > a.certificates
  tribunal verify a.jsonl a.certificates    check those from the definitions
  tribunal check --expect --verify a.jsonl  compare with the labels in the file
  tribunal check --style junit *.json > report.xml
  sim | tribunal check -m tso --style brief -
  tribunal check queue.json                 the strongest criteria that hold
  tribunal check --model linearizable --spec 'cas-register(0)' jepsen.edn
  tribunal check --axioms 'vis >= po; vis >= vis.vis' map.json

A model of your own says what it preserves of po and rf: `po-mm=` and any of RR, RW, WR, WW (RR/loc: to one \
location), deps and times, joined by `+`, then `;rf-mm=rf` or `;rf-mm=rfe`, and, as in rmo, `;rmw=none` and \
`;po-loc=no-RR`. It requires acyclic(po-loc ∪ rf ∪ mo ∪ fr) and acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr).

A criterion of your own is a list of axioms `vis >= R` or `lin >= R`, separated by `;`. R composes lin, vis, po and \
hb with `.`, from left to right; a final `.[method]` keeps the pairs that end in an operation of that method. Ret, \
lin >= vis and lin >= hb always hold.

Models of memories do not apply to objects, nor criteria of objects to memories.

Marks of the matrix: yes, no, ? (undecided: a limit was reached), - (the model does not apply), * (racy).
Words of brief: OK, NO, ?? (undecided), -- (does not apply), RACY beside them, and ERROR with --keep-going.
In JUnit, inconsistent is a failure, undecided or malformed an error, and a model that does not apply is skipped.

If a history has non-atomic accesses (`W.na x 1`), rc20 and rc11 also report a race. A race changes neither the \
verdict nor the exit status; `tribunal races` lists them all.

Exit status: 0 all consistent, 1 some inconsistent (or, with --expect or --verify, mismatched or refused), 2 bad \
usage or malformed input, 3 some undecided or not verified and none inconsistent, 130 stopped by Ctrl-C. After a \
malformed file the other files are still checked. If no model asked for applies to any history, or --expect finds no \
label, the status is 2.";

#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArguments {
    /// Models, criteria or levels, separated by commas; `all` is every one that applies. FILE.cat is a model of your own. By
    /// default all that apply: the strongest first, then the others as far as a further second goes
    #[arg(short, long, value_name = "MODEL,..", value_parser = named::<Questions>)]
    pub model: Option<Questions>,
    /// A criterion of your own: axioms separated by `;`, such as `vis >= po; vis >= vis.vis`. May be repeated
    #[arg(long, value_name = "AXIOMS", value_parser = axioms)]
    pub axioms: Vec<Criterion>,
    /// The specification of objects: a built-in one, such as queue or cas-register(0), or FILE.spec. By default the one
    /// that the history names
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// The engine that decides; `auto` chooses the best. With another, `--model all` is every model that it decides
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine())]
    pub engine: Engines,
    /// How to print verdicts
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: CheckStyle,
    /// Show the witness of each consistent verdict, such as the modification order
    #[arg(long)]
    pub witness: bool,
    /// Compare with the verdicts in labeled histories: print each mismatch and a summary
    #[arg(long)]
    pub expect: bool,
    /// Check every certificate from the definitions, within the same limits and, unless --max-memory says otherwise, 1G of
    /// memory
    #[arg(long)]
    pub verify: bool,
    /// Write each certificate larger than --certificate-limit to a compressed file in DIR, and name the file in the verdict
    /// line
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub certificates: Option<PathBuf>,
    /// The largest certificate that stays in its line: bytes, or with k, M or G
    #[arg(long, value_name = "SIZE", default_value = "64k", value_parser = size, requires = "certificates")]
    pub certificate_limit: usize,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub streaming: Streaming,
    #[command(flatten)]
    pub histories: Histories,
}

/// More worker threads are not started, for each core.
const MOST_A_CORE: usize = 16;

/// How many histories are worked on at once, and what happens to malformed ones.
#[derive(Args, Clone, Debug)]
pub struct Streaming {
    /// The number of worker threads; 0 is one for each core. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Report each malformed history and go on with the next; the exit status is 2. The next one begins after `check` in Axe
    /// traces, after `---` in text, and at the next line of JSON Lines
    #[arg(long)]
    pub keep_going: bool,
}

impl Streaming {
    /// How many histories are worked on at once. Also tells the engines how many cores there are for a large one.
    pub fn workers(&self) -> Result<usize, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(at_most(self.threads));
        pool.build_global()
            .map_err(|error| Failure::Usage(format!("--threads {}: {error}", self.threads)))?;
        Ok(rayon::current_num_threads())
    }
}

/// As many threads as `--threads` says, but not more than help: idle ones look for work, and hundreds on a core take seconds to find that
/// there is none.
fn at_most(threads: u16) -> usize {
    usize::from(threads).min(MOST_A_CORE * cores())
}

/// How many threads `--threads` asks for; 0 is one for each core.
pub fn workers(threads: u16) -> usize {
    if threads == 0 { cores() } else { at_most(threads) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A file of histories that are checked one by one.
#[derive(Args, Debug)]
pub struct Judging {
    /// The specification of objects, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    #[command(flatten)]
    pub budget: Budget,
    /// The format of the file, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What to do with reads of nil in Jepsen's histories, which mostly mean that the value is unknown: leave them out and
    /// count them, or keep them
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
        let options = reading(self.format, self.budget.max_memory);
        progress.file(&self.name(), input::size(&self.file));
        if input::is_folder(&self.file) {
            return Ok(input::open(&self.file, options)?.nil_reads(self.nil_reads));
        }
        let bytes = progress.watch(input::bytes(&self.file)?);
        Ok(tribunal_formats::read(bytes, &self.name(), options)?.nil_reads(self.nil_reads))
    }
}

/// The inputs of a command.
#[derive(Args, Debug)]
pub struct Histories {
    /// The format of the files, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What to do with reads of nil in Jepsen's histories, which mostly mean that the value is unknown: leave them out and
    /// count them, or keep them
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// Files of histories; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

/// How `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckStyle {
    /// For people: a table or lines, with explanations
    Human,
    /// For programs: one JSON object for each history and model
    Json,
    /// For scripts: one word for each history, as soon as it is known
    Brief,
    /// For test benches: JUnit XML, a suite for each file and a test for each history and model
    Junit,
}

/// The engine that decides, if one is named.
#[derive(Clone, Copy, Debug)]
pub struct Engines(pub Option<Engine>);

impl Engines {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.0.map_or("auto", Engine::name)
    }
}

/// Engines by name, for the help and completions.
fn engine() -> impl TypedValueParser<Value = Engines> {
    let names = std::iter::once("auto").chain(Engine::ALL.map(Engine::name));
    PossibleValuesParser::new(names)
        .map(|name| Engines(Engine::ALL.into_iter().find(|engine| engine.name() == name)))
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
  tribunal races program.txt              one race for each pair of places
  tribunal races --all --style json a.jsonl > a.races
  tribunal verify a.jsonl a.races

Two accesses to one location race if they are in different threads, at least one is a write, at least one is \
non-atomic (`W.na x 1`, or \"order\":\"na\" in JSON), and neither happens before the other. A place is a thread at a \
location. For each pair of places the first race is listed; --all lists every pair of accesses.

Where values repeat, the races are those of the sources that a consistent execution has. A history that the model \
forbids for every choice of sources, or because po ∪ rf is cyclic, is inconsistent and has no races.

Words of brief: OK (no race), NO (a race, or inconsistent), ?? (undecided), and ERROR with --keep-going.

Exit status: 0 no race, 1 some race or an inconsistent history, 2 bad usage or malformed input, 3 some undecided and \
no race, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = RACES_HELP)]
pub struct RacesArguments {
    /// The model that defines happens-before
    #[arg(short, long, value_name = "MODEL", default_value = "rc20", value_parser = model_with_races())]
    pub model: Model,
    /// How to print races
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: RacesStyle,
    /// List every pair of racing accesses, not one for each pair of places
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

Certificates are matched with histories by `index`; those that `check --certificates` stored are read from their \
files. Each is accepted, or refused with the reason. An undecided line claims nothing and is skipped. A certificate \
that the limits do not suffice for is not verified; by default it may take 1G of memory.

A specification is defined by its steps. Its other claims about itself (reachable, key, collection, read_only, \
unchanged) are trusted only where checking them would take too long, and the answer says so: accepted, trusting key \
of map.

Exit status: 0 none refused, 1 some refused, 2 bad usage or malformed input, 3 none refused and some not verified, \
130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub struct VerifyArguments {
    /// The specification of objects, as given to `check --spec`
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// The format of the histories, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What to do with reads of nil, as given to check
    #[arg(long, value_name = "HOW", default_value = "drop", value_parser = nil_reads())]
    pub nil_reads: NilReads,
    /// The file of a model that lines name; by default it must be beside CERTIFICATE. Of the path in a line only the file's name counts
    #[arg(short, long, value_name = "FILE.cat", value_hint = ValueHint::FilePath)]
    pub model: Vec<PathBuf>,
    /// Read stored certificates from DIR, whatever directory their lines name. By default they must be in the current
    /// directory or below it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub certificates: Option<PathBuf>,
    #[command(flatten)]
    pub budget: Budget,
    #[command(flatten)]
    pub streaming: Streaming,
    /// File of histories; `-` is standard input
    #[arg(value_name = "HISTORY", value_hint = ValueHint::FilePath)]
    pub history: OsString,
    /// The lines that `check --style json --witness` printed for that file; `-` is standard input
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: OsString,
}

const CONVERT_HELP: &str = "\
Examples:
  tribunal convert --to text trace.axe
  tribunal convert --to json -o all.jsonl.gz *.txt
  tribunal convert --to litmus --arch AArch64 short.txt

With -o, the file appears when all is written; until then, and after a failure, the old file stays. So it may be one \
of the files that are read. It keeps its mode, and symbolic links are followed.";

#[derive(Args, Debug)]
#[command(after_help = CONVERT_HELP)]
pub struct ConvertArguments {
    /// The format to write; litmus is a test with a condition, for herd and litmus7
    #[arg(short, long, value_name = "FORMAT", value_parser = convert_to())]
    pub to: ConvertTo,
    /// The architecture of a litmus test
    #[arg(long, value_name = "ARCH", default_value = "C", value_parser = litmus_target())]
    pub arch: Target,
    /// The format of the files, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    /// What to do with reads of nil in Jepsen's histories, which mostly mean that the value is unknown: leave them out and
    /// count them, or keep them
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

What is left is still inconsistent, and leaving out any more would make it consistent. Consistent histories are not \
written, and named on standard error; if there is nothing to write, the file of -o stays as it is.

Exit status: 0 all consistent, 1 some inconsistent and shrunk, 2 bad usage or malformed input, 3 some undecided and \
none inconsistent, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = SHRINK_HELP)]
pub struct ShrinkArguments {
    /// The model that what is left still breaks; by default sc for memories, linearizable for objects, ser for transactions
    #[arg(short, long, value_name = "MODEL", value_parser = named::<Question>)]
    pub model: Option<Question>,
    /// The format to write; by default that of the output's name, or of the input if it can be written, or json
    #[arg(short, long, value_name = "FORMAT", value_parser = written_format())]
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

For a memory (--model ra, rc20, rc11, relaxed, wra, sra, sc, tso or pso) an event is a line of text, `T0: W x 1`; a \
JSON object, {\"thread\":\"T0\",\"op\":\"write\",\"loc\":\"x\",\"value\":1}; or a line of an Axe trace, `0: M[1] := \
1`. Events of one thread come in program order; a read may come up to --window events before its write. `---`, \
`check` or {\"end\":true} ends an execution, and another begins. Under sc, tso and pso, and with seq_cst, a violation \
may be reported late; what is still open at the end is reported then.

For an object an event is a JSON object with process, type (invoke, ok, fail or info), f and value, or args for the \
call and ret for the return; a Jepsen EDN map; or a line of a Jepsen text log. Their order is real time. Without \
--spec the calls tell which object it is.

Nothing is printed while the events are consistent. The first event that makes them inconsistent is reported with its \
line, the reason and a smallest part that shows it, and the command ends.

Exit status: 0 all consistent, 1 inconsistent, 2 bad usage or malformed input, 3 undecided, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = MONITOR_HELP)]
pub struct MonitorArguments {
    /// The model of a memory, the criterion of an object, or the level of transactions
    #[arg(short, long, value_name = "MODEL", default_value = "linearizable")]
    pub model: Question,
    /// The specification of the object, as for check
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    pub spec: Option<String>,
    /// Of a memory: how many events a read may come before its write
    #[arg(long, value_name = "EVENTS", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(..=1 << 17))]
    pub window: u64,
    /// Of a memory: after a violation, go on without that event
    #[arg(long)]
    pub resume: bool,
    /// Of a memory: at the end of the file wait for more, until Ctrl-C; if it gets shorter or is replaced, begin anew
    #[arg(long)]
    pub follow: bool,
    /// The format of the events of a memory or of transactions, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<Format>,
    #[command(flatten)]
    pub budget: Budget,
    /// What to do with reads of nil, as for check
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
  tribunal models --style cat tso > mine.cat
  tribunal check --model mine.cat a.txt";

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

fn nil_reads() -> impl TypedValueParser<Value = NilReads> {
    PossibleValuesParser::new(NilReads::ALL.map(NilReads::name)).map(|name| {
        let named = NilReads::ALL.into_iter().find(|how| how.name() == name);
        named.unwrap_or_default()
    })
}

/// What `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertTo {
    /// Histories.
    Format(Format),
    /// Litmus tests.
    Litmus,
}

fn convert_to() -> impl TypedValueParser<Value = ConvertTo> {
    let names = written().map(Format::name).chain(["litmus"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "litmus" => Ok(ConvertTo::Litmus),
        name => name.parse().map(ConvertTo::Format),
    })
}

fn litmus_target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(Target::name)).try_map(|name| name.parse::<Target>())
}

/// Formats to write by name, for the help and completions.
pub fn written_format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(written().map(Format::name)).try_map(|name| name.parse())
}

fn written() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.is_written())
}

/// Formats by name, for the help and completions.
pub fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Examples, which are indented, are not wrapped on a terminal of 80 columns.
    #[test]
    fn examples_fit_on_a_narrow_terminal() {
        let mut commands: Vec<clap::Command> = vec![Arguments::command()];
        while let Some(command) = commands.pop() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() < 80, "{}: {line}", command.get_name());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}

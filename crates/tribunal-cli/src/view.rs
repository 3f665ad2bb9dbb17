//! `tribunal view`: a history and its verdicts as a page or a picture.

use crate::args::Judging;
use crate::budget::Patience;
use crate::driver::specifications;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain, spare_inputs};
use crate::progress::Progress;
use clap::{Args, ValueHint};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tribunal_formats::History;
use tribunal_host::named;
use tribunal_report::{Case, Check, Questions, counted, printable, read_as};
use tribunal_view::{Document, document, dot, page, svg};

const VIEW_HELP: &str = "\
Examples:
  tribunal view sb.txt                       a page with all models: sb.html
  tribunal view --open sb.txt                the same, opened in the browser
  tribunal view queue.json -o page.html      a timeline with all criteria
  tribunal view --model tso trace.axe        one model
  tribunal view --index 3 litmus.jsonl       the fourth history of the file
  tribunal view sb.txt --svg sb.svg          a picture
  tribunal view sb.txt --dot - | dot -Tpdf -o sb.pdf

The page is one file that needs nothing else. It opens on the model that people ask for first: of sc, tso, rc20 and ra, or of linearizable, \
the one that fails with the shortest reason; of transactions, the weakest level that fails. A picture shows that model only. \
Of a large history the page has the part around the violation, and an overview of the whole. \
The strongest question may take 10 seconds and all others one second together; with --model, each may take 10 seconds; --timeout changes that.

Without --output the page is written beside FILE, with the extension .html. The names of the files written are printed.

Exit status: 0 written, whatever the verdicts; 2 bad usage or malformed input; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = VIEW_HELP)]
pub struct ViewArguments {
    /// Write the page to this file, by default beside FILE, with the extension .html; `-` is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Write a picture to this file, as SVG; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,
    /// Write a graph to this file, as DOT for Graphviz; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub dot: Option<PathBuf>,
    /// The models, criteria or levels to show, separated by commas; by default all that apply
    #[arg(short, long, value_name = "MODEL,..", value_parser = named::<Questions>)]
    pub model: Option<Questions>,
    /// Which history of the file, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub index: u64,
    #[command(flatten)]
    pub judging: Judging,
}

/// A file to write, and how to make its text.
struct Picture {
    path: PathBuf,
    draw: fn(&Document) -> String,
}

pub fn run(arguments: &ViewArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let pictures = pictures(arguments)?;
    let Judging { spec, budget, .. } = &arguments.judging;
    let specifications = specifications(spec.as_deref())?;
    let questions = arguments.model.clone().unwrap_or(Questions::All);
    let check = Check::new(questions, specifications);
    let overview = arguments.model.is_none() && budget.timeout.is_none();
    let budget = budget.of_all();
    let name = arguments.judging.name();
    let progress = Progress::new();
    let history = chosen(arguments, &name, &progress)?;
    let case = Case { file: &name, index: arguments.index, line: history.line, subject: &history.subject };
    let checkable = check.checkable(case.subject, case.file).map_err(|why| Failure::unfit(&case, why))?;
    let patience = Patience::new(&budget, check.questions(&checkable).len(), overview);
    let answers = check.ask_all(&checkable, |question, known| {
        progress.judging(case.index, question);
        Some(check.answer_after(known, &checkable, question, &patience.limits(known)))
    });
    let document = document(&history, &name, &answers, &budget.limits());
    drop(progress);
    case.remarks().for_each(|line| complain(&line));
    if interrupt::requested() {
        return Ok(Tally::default());
    }
    write(&pictures, &document, out)?;
    if let (true, Some(page)) = (arguments.open, pictures.first()) {
        open(&page.path)?;
    }
    Ok(Tally::default())
}

/// The history of the index asked for.
fn chosen(arguments: &ViewArguments, name: &str, progress: &Progress) -> Result<History, Failure> {
    let mut histories = 0;
    let spec = arguments.judging.spec.as_deref();
    let read_as = arguments.model.as_ref().map_or_else(|| read_as(&[], spec), |model| model.read_as(spec));
    for history in arguments.judging.histories(progress)?.read_as(read_as) {
        let history = history?;
        if histories == arguments.index {
            return Ok(history);
        }
        histories += 1;
    }
    let index = arguments.index;
    let histories = counted(histories, "history");
    Err(Failure::Usage(format!("{name}: --index {index}: the file has {histories}, counted from 0")))
}

/// The files to write, the page first. One of them at most is standard output.
fn pictures(arguments: &ViewArguments) -> Result<Vec<Picture>, Failure> {
    let mut pictures = Vec::new();
    let only_pictures = arguments.svg.is_some() || arguments.dot.is_some();
    if let Some(path) = &arguments.output {
        pictures.push(Picture { path: path.clone(), draw: |document| page(Some(document), "") });
    } else if arguments.open || !only_pictures {
        pictures.push(Picture { path: beside(arguments)?, draw: |document| page(Some(document), "") });
    }
    if let Some(path) = &arguments.svg {
        pictures.push(Picture { path: path.clone(), draw: |document| svg(document, document.shown) });
    }
    if let Some(path) = &arguments.dot {
        pictures.push(Picture { path: path.clone(), draw: |document| dot(document, document.shown) });
    }
    if pictures.iter().filter(|picture| to_stdout(&picture.path)).count() > 1 {
        return Err(Failure::Usage("only one picture can go to standard output".into()));
    }
    if arguments.open && to_stdout(&pictures[0].path) {
        return Err(Failure::Usage("--open needs the page in a file, not on standard output".into()));
    }
    for Picture { path, .. } in &pictures {
        spare_inputs(path, &[&arguments.judging.file])?;
    }
    Ok(pictures)
}

/// The page beside the input: `sb.html` for `sb.txt` or `sb.txt.gz`.
fn beside(arguments: &ViewArguments) -> Result<PathBuf, Failure> {
    let input = Path::new(&arguments.judging.file);
    if to_stdout(input) {
        return Err(Failure::Usage(
            "the history comes from standard input: say where to write, with --output".into(),
        ));
    }
    let compressed = input.extension().is_some_and(|extension| extension == "gz" || extension == "zst");
    let inner = if compressed { input.with_extension("") } else { input.into() };
    let page = inner.with_extension("html");
    Ok(page)
}

fn to_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes the pictures and prints the names of their files, unless one goes to standard output.
fn write(pictures: &[Picture], document: &Document, out: &mut Stdout) -> Result<(), Failure> {
    let quiet = pictures.iter().any(|picture| to_stdout(&picture.path));
    for Picture { path, draw } in pictures {
        let mut sink = Sink::open(Some(path), out)?;
        let file = Some(path.as_path()).filter(|path| !to_stdout(path));
        sink.write_all(draw(document).as_bytes()).map_err(|source| Failure::output(file, source))?;
        sink.finish()?;
        if !quiet {
            writeln!(out, "{}", printable(&path.display().to_string()))?;
        }
    }
    Ok(out.flush()?)
}

/// Writes a page to a file; `-` is standard output.
pub fn write_page(path: &Path, document: &Document, out: &mut Stdout) -> Result<(), Failure> {
    let draw = |document: &Document| page(Some(document), "");
    write(&[Picture { path: path.to_owned(), draw }], document, out)
}

/// Opens a file with the program that the system has for it.
fn open(page: &Path) -> Result<(), Failure> {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        // The first quoted argument of start is the window's title.
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let failed = |why: String| {
        let page = page.display();
        Failure::Usage(format!("--open: {why}; open {page} in a browser yourself"))
    };
    let page = std::path::absolute(page).map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.args(before).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("{program} failed, {status}"))),
        Err(error) => Err(failed(format!("{program}: {error}"))),
    }
}

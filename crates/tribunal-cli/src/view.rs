//! `tribunal view`: a history and what the models say of it, as a page or as a plain picture.

use crate::args::Judging;
use crate::case::{Case, Judge, specifications};
use crate::exit::Status;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain};
use crate::progress::Progress;
use clap::{Args, ValueHint};
use std::io::Write;
use std::path::{Path, PathBuf};
use tribunal_formats::History;
use tribunal_host::named;
use tribunal_report::{Inquiry, Questions, printable};
use tribunal_view::{Document, document, dot, page, svg};

const VIEW_HELP: &str = "\
Examples:
  tribunal view sb.txt -o sb.html                 a page with all models
  tribunal view queue.json -o queue.html          a timeline with all criteria
  tribunal view history.edn -o txn.html           transactions in their sessions with all levels
  tribunal view --model tso trace.axe -o tso.html this model alone
  tribunal view --index 3 litmus.jsonl -o c.html  the fourth history of the file
  tribunal view sb.txt --svg sb.svg               a plain picture
  tribunal view sb.txt --dot - | dot -Tpdf -o sb.pdf

The page is one file that needs nothing else: threads or sessions as columns, or processes as rows, the edges to switch on and off, \
the violation to step through. Of a large history it has a window around the violation, with an overview of the whole. \
Shown first, and alone in a plain picture, is the weakest model that forbids the history, or else the first. \
Each answer may take 10 seconds, unless --timeout says otherwise; what is undecided is shown as such.

Files appear when all is written; their names are printed.

Exit status: 0 the picture is written, whatever the models say, 2 bad usage or malformed input, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = VIEW_HELP)]
pub struct ViewArguments {
    /// Write the page to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present_any = ["svg", "dot"])]
    pub output: Option<PathBuf>,
    /// Write a plain picture to this file, as SVG; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,
    /// Write a graph to this file, as DOT for Graphviz; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub dot: Option<PathBuf>,
    /// The models or criteria to show, separated by commas, or `all`, the default: what applies
    #[arg(short, long, value_name = "MODEL,..", default_value = "all", hide_default_value = true, value_parser = named::<Questions>)]
    pub model: Questions,
    /// Which history of the file, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub index: u64,
    #[command(flatten)]
    pub judging: Judging,
}

/// How to make the text of a file from a document.
type Draw = fn(&Document) -> String;

pub fn run(arguments: &ViewArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let pictures = pictures(arguments)?;
    let Judging { spec, budget, .. } = &arguments.judging;
    let specifications = specifications(spec.as_deref())?;
    let inquiry = Inquiry::new(arguments.model.clone(), specifications);
    let budget = budget.of_all();
    let name = arguments.judging.name();
    let progress = Progress::new();
    let history = chosen(arguments, &name, &progress)?;
    let case = Case { file: &name, index: arguments.index, line: history.line, subject: &history.subject };
    let document = case.before(&inquiry, |judged| {
        let mut findings = Vec::new();
        for question in inquiry.questions(judged) {
            progress.judging(case.index, question);
            findings.push(inquiry.ask(judged, question, &budget.limits()));
        }
        Ok(document(&history, &name, &findings, &budget.limits()))
    })?;
    drop(progress);
    case.remarks().for_each(|line| complain(&line));
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    write(&pictures, &document, out)?;
    Ok(Status::Success)
}

/// The history of the index asked for.
fn chosen(arguments: &ViewArguments, name: &str, progress: &Progress) -> Result<History, Failure> {
    let mut histories = 0;
    let levels = arguments.model.ask_of_transactions();
    for history in arguments.judging.histories(progress)?.transactions(levels) {
        let history = history?;
        if histories == arguments.index {
            return Ok(history);
        }
        histories += 1;
    }
    let index = arguments.index;
    Err(Failure::Usage(format!("{name}: --index {index}: the file has {histories} histories, from 0 on")))
}

/// The pictures asked for, of which one at most goes to standard output.
fn pictures(arguments: &ViewArguments) -> Result<Vec<(&Path, Draw)>, Failure> {
    let all: [(&Option<PathBuf>, Draw); 3] = [
        (&arguments.output, |document| page(Some(document), "")),
        (&arguments.svg, |document| svg(document, document.shown)),
        (&arguments.dot, |document| dot(document, document.shown)),
    ];
    let pictures: Vec<_> = all.iter().filter_map(|(path, draw)| Some((path.as_deref()?, *draw))).collect();
    match pictures.iter().filter(|(path, _)| to_stdout(path)).count() {
        0 | 1 => Ok(pictures),
        _ => Err(Failure::Usage("only one picture can go to standard output".into())),
    }
}

fn to_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes the pictures and prints the names of their files, unless a picture goes where they would.
fn write(pictures: &[(&Path, Draw)], document: &Document, out: &mut Stdout) -> Result<(), Failure> {
    let quiet = pictures.iter().any(|(path, _)| to_stdout(path));
    for (path, draw) in pictures {
        let mut sink = Sink::open(Some(path), out)?;
        let file = Some(*path).filter(|path| !to_stdout(path));
        sink.write_all(draw(document).as_bytes()).map_err(|source| Failure::output(file, source))?;
        sink.finish()?;
        if !quiet {
            writeln!(out, "{}", printable(&path.display().to_string()))?;
        }
    }
    Ok(())
}

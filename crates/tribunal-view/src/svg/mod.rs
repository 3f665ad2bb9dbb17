//! Pictures as SVG files: self-contained, for light and dark.

mod canvas;
mod columns;
mod grid;
mod object;
mod route;

use crate::document::{Document, Line, Picture, Shown};
use crate::scene::Scene;
use crate::{excerpt, name};
use canvas::{Canvas, wrapped};

/// The top of the drawing, below the heading.
const TOP: f32 = 96.0;
/// The space at the sides.
const MARGIN: f32 = 28.0;
/// The explanation has room for its words.
const NARROWEST: f32 = 800.0;
/// At most so many lines of the explanation are written out.
const LINES: usize = 24;

/// A finished drawing.
struct Drawn {
    width: f32,
    bottom: f32,
    /// The classes of edges in it, with what the legend says of each.
    legend: Vec<(&'static str, &'static str)>,
}

/// An answer of a document, by index, as an SVG file: the history, or what is around the violation, with the violation
/// highlighted and explained below.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_view::{Request, answer, svg};
/// let answer = answer("mp.txt", "T0: W x 1; W y 1\nT1: R y 1; R x 0\n".into(), &Request::default(), &Limits::default())?;
/// assert!(svg(&answer.document, answer.document.shown).contains("W x 1"));
/// # Ok::<(), tribunal_view::RequestError>(())
/// ```
pub fn svg(document: &Document, answer: usize) -> String {
    let mut canvas = Canvas::default();
    let places = excerpt::of(document, answer);
    let shown = places.len();
    let in_columns = |canvas: &mut Canvas| match Scene::of(document, answer) {
        Some(scene) => columns::draw(canvas, &scene, &places),
        None => Drawn { width: 0.0, bottom: TOP, legend: Vec::new() },
    };
    let drawn = match &document.picture {
        Picture::Memory { answers, .. } => {
            let drawn = in_columns(&mut canvas);
            below(&mut canvas, document, drawn, answers.get(answer), shown)
        }
        Picture::Transactions { answers, .. } => {
            let drawn = in_columns(&mut canvas);
            below(&mut canvas, document, drawn, answers.get(answer), shown)
        }
        Picture::Object { answers, .. } => {
            let said = answers.get(answer);
            let drawn = object::draw(&mut canvas, document, &places, said.map(|said| &said.drawn));
            below(&mut canvas, document, drawn, said, shown)
        }
    };
    canvas.finish(drawn.width, drawn.bottom)
}

/// The heading, and below the drawing its legend and the explanation.
fn below<R>(
    canvas: &mut Canvas,
    document: &Document,
    drawn: Drawn,
    said: Option<&Shown<R>>,
    shown: usize,
) -> Drawn {
    let width = drawn.width.max(NARROWEST);
    let room = width - 2.0 * MARGIN;
    canvas.text("title", MARGIN, 36.0, &name::elided(&document.title, (room / 10.3) as usize));
    let what = match &document.picture {
        Picture::Memory { events, .. } => {
            ("events", events.iter().filter(|event| event.thread.is_some()).count())
        }
        Picture::Object { operations, .. } => ("operations", operations.len()),
        Picture::Transactions { transactions, .. } => {
            ("transactions", transactions.iter().filter(|txn| txn.session.is_some()).count())
        }
    };
    let part = if shown < what.1 || what.1 < document.size { format!("{shown} of ") } else { String::new() };
    let source = format!("{}, {part}{} {}", document.source, document.size, what.0);
    canvas.text("quiet", MARGIN, 56.0, &name::elided(&source, (room / 7.25) as usize));
    if let Some(said) = said {
        let comma = if said.heading.is_empty() { "" } else { ", " };
        let verdict = format!("{}: {}{comma}{}", said.question, said.verdict, said.heading);
        canvas.text("prose", MARGIN, 76.0, &name::elided(&verdict, (room / 7.25) as usize));
    }

    let mut y = drawn.bottom + 22.0;
    let mut x = MARGIN;
    for (class, text) in &drawn.legend {
        let length = 44.0 + 7.25 * text.chars().count() as f32;
        if x + length > width - MARGIN {
            (x, y) = (MARGIN, y + 20.0);
        }
        canvas.open(class, "");
        let (from, to) = ((x, y - 4.0), (x + 32.0, y - 4.0));
        let sample = route::Route::straight(from, to);
        match *class {
            "point" => canvas.disc("point", x + 16.0, y - 4.0, 4.0),
            "disturbance" => canvas.area("shade", x + 4.0, y - 11.0, 24.0, 14.0),
            "failing" | "spoken" => canvas.rounded("box", x + 4.0, y - 11.0, 24.0, 14.0),
            _ => {
                canvas.path("edge", &sample.path());
                canvas.path("head", &sample.head());
            }
        }
        canvas.close();
        canvas.text("quiet", x + 40.0, y, text);
        x += length + 24.0;
    }
    if !drawn.legend.is_empty() {
        y += 26.0;
    }
    for line in said.map(|said| said.lines.as_slice()).map_or(Vec::new(), |lines| written(lines, room)) {
        canvas.text("prose", MARGIN + 16.0 * line.0, y, &line.1);
        y += 18.0;
    }
    Drawn { width, bottom: y + 10.0, legend: drawn.legend }
}

/// The explanation in lines that fit, each with its depth.
fn written(lines: &[Line], room: f32) -> Vec<(f32, String)> {
    let mut written: Vec<(f32, String)> = Vec::new();
    for line in lines {
        let depth = line.depth.min(8) as f32;
        for (nth, text) in wrapped(&line.text, room - 16.0 * (depth + 1.0)).into_iter().enumerate() {
            written.push((if nth == 0 { depth } else { depth + 1.0 }, text));
        }
    }
    if written.len() > LINES {
        written.truncate(LINES);
        written.push((0.0, "...".into()));
    }
    written
}

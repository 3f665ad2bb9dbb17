//! Objects as SVG: a timeline of intervals, a row for each process.

use super::canvas::{CHARACTER, Canvas, width_of};
use super::route::Route;
use super::{Drawn, MARGIN, TOP};
use crate::document::{Disturbance, Document, ObjectDrawing, Operation, Picture};
use crate::name;
use crate::object::points;
use crate::scene::why;

/// From one row to the next.
const ROW: f32 = 62.0;
/// The height of a bar.
const BAR: f32 = 28.0;
/// From one call or return to the next, at least.
const STEP: f32 = 18.0;
/// Names of disturbances are so much smaller than labels.
const SMALLER: f32 = 13.0 / 11.0;
/// The height of a lane of disturbances, above the rows.
const LANE: f32 = 20.0;
/// The number of lanes at most.
const LANES: usize = 3;

/// Draws the places of an object's picture, which are sorted, and what a criterion says of them.
pub fn draw(
    canvas: &mut Canvas,
    document: &Document,
    places: &[u32],
    drawing: Option<&ObjectDrawing>,
) -> Drawn {
    let Picture::Object { processes, operations, hb, disturbances, .. } = &document.picture else {
        return Drawn { width: 0.0, bottom: TOP, legend: Vec::new() };
    };
    let mut rows: Vec<u32> = places.iter().map(|&place| operations[place as usize].process).collect();
    rows.sort_unstable();
    rows.dedup();
    let name = |row: u32| processes[row as usize].name.as_str();
    let left = MARGIN + rows.iter().map(|&row| width_of(name(row))).fold(24.0, f32::max) + 24.0;
    let times = Times::new(operations, places, left);
    let right = times.end + 12.0;
    let bands = bands(disturbances, &times, (left, right));
    let lanes = bands.iter().map(|band| band.lane + 1).max().unwrap_or(0);
    let top = TOP + LANE * lanes as f32;
    let bottom = top + ROW * rows.len() as f32;
    let y_of = |process: u32| top + ROW * (rows.partition_point(|&row| row < process) as f32 + 0.4);
    for band in &bands {
        let y = TOP + LANE * band.lane as f32 - 8.0;
        canvas.open("disturbance", &format!("{}, line {}", band.did.what, band.did.line));
        canvas.area("shade", band.from, y, (band.to - band.from).max(1.5), bottom - y);
        canvas.path("start", &format!("M{:.1} {y:.1}V{bottom:.1}", band.from));
        let text = name::elided(&band.did.what, (band.room / CHARACTER * SMALLER) as usize);
        canvas.text("did", band.from + 5.0, y + 13.0, &text);
        canvas.close();
    }
    for &row in &rows {
        let y = y_of(row);
        canvas.path("rule", &format!("M{left:.1} {y:.1}H{right:.1}"));
        canvas.text("quiet", MARGIN, y + 4.0, name(row));
    }

    let none = ObjectDrawing::default();
    let drawing = drawing.unwrap_or(&none);
    let drawn = |place: u32| places.binary_search(&place).is_ok();
    let (order, points) = order(operations, drawing);
    let lin: Vec<(u32, f32, f32)> = order
        .iter()
        .zip(&points)
        .filter(|&(&(place, _), _)| drawn(place))
        .map(|(&(place, nth), &point)| {
            (nth, times.between(point), y_of(operations[place as usize].process) + BAR / 2.0)
        })
        .collect();
    let path: Vec<String> = lin.iter().map(|(_, x, y)| format!("{x:.1} {y:.1}")).collect();
    if path.len() > 1 {
        canvas.path("lin", &format!("M{}", path.join("L")));
    }
    let wrong = !drawing.part.is_empty() || drawing.failing.is_some();
    for (at, &place) in places.iter().enumerate() {
        let operation = &operations[place as usize];
        let (x, y) = (times.at(operation.call), y_of(operation.process));
        let end = match operation.ret {
            Some(ret) => times.at(ret),
            // Open to the right, as far as the process calls nothing else.
            None => {
                let next = places[at + 1..]
                    .iter()
                    .find(|&&next| operations[next as usize].process == operation.process);
                next.map_or(right, |&next| times.at(operations[next as usize].call) - 6.0)
            }
        };
        let class = match () {
            () if drawing.failing == Some(place) => "failing",
            () if drawing.part.contains(&place) => "spoken",
            () if wrong => "beside",
            () => "operation",
        };
        let pending = if operation.ret.is_none() { " pending" } else { "" };
        canvas.open(&format!("{class}{pending}"), &tooltip(operation, name(operation.process)));
        canvas.rounded("box", x, y - BAR / 2.0, end - x, BAR);
        canvas.text("", x + 9.0, y + 4.5, &labeled(operation));
        canvas.close();
    }
    for &[from, to] in hb.iter().filter(|&&[from, to]| drawn(from) && drawn(to)) {
        let (a, b) = (&operations[from as usize], &operations[to as usize]);
        let start = (a.ret.map_or(right, |ret| times.at(ret)), y_of(a.process));
        let route = Route::across(start, (times.at(b.call), y_of(b.process)));
        canvas.open("deps", "");
        canvas.path("edge", &route.path());
        canvas.path("head", &route.head());
        canvas.close();
    }
    for &(nth, x, y) in &lin {
        canvas.disc("point", x, y, 4.0);
        canvas.centred("number", x, y + 14.0, &format!("{nth}"));
    }
    let mut legend = Vec::new();
    if !lin.is_empty() {
        legend.push(match drawing.lin.is_empty() {
            false => ("point", "lin, where operations take effect"),
            true => ("point", "longest partial linearization"),
        });
    }
    if !bands.is_empty() {
        legend.push(("disturbance", "what others did, such as the nemesis"));
    }
    if !hb.is_empty() {
        legend.push(("deps", "hb, happens before"));
    }
    if !drawing.part.is_empty() {
        legend.push(("spoken", "nothing explains these"));
    }
    if drawing.failing.is_some() {
        legend.push(("failing", "the first return that cannot be explained"));
    }
    Drawn { width: right + MARGIN, bottom, legend }
}

/// A disturbance as it is drawn: from where to where, in which lane, and how much room its name has.
struct Band<'a> {
    did: &'a Disturbance,
    from: f32,
    to: f32,
    lane: usize,
    room: f32,
}

/// The disturbances that reach into what is drawn, in lanes where their names have room; if there are too many, they share the last.
fn bands<'a>(disturbances: &'a [Disturbance], times: &Times, (left, right): (f32, f32)) -> Vec<Band<'a>> {
    let (Some(&(first, _)), Some(&(last, _))) = (times.drawn.first(), times.drawn.last()) else {
        return Vec::new();
    };
    let x = |place: u32| match place {
        place if place <= first => left - 12.0,
        place if place > last => right,
        place => times.between(100 * place - 50),
    };
    let mut bands: Vec<Band<'a>> = Vec::new();
    // By lane, where its last name ends.
    let mut ends: Vec<f32> = Vec::new();
    for did in disturbances {
        let beside = did.to.is_some_and(|to| to <= first && first > 0) || did.from > last + 1;
        if beside {
            continue;
        }
        let (from, to) = (x(did.from), did.to.map_or(right, x));
        let lane = match ends.iter().position(|&end| end <= from) {
            Some(free) => free,
            None if ends.len() < LANES => {
                ends.push(0.0);
                ends.len() - 1
            }
            None => LANES - 1,
        };
        ends[lane] = to.max(from + width_of(&did.what) / SMALLER + 12.0);
        if let Some(before) = bands.iter_mut().rfind(|band| band.lane == lane) {
            before.room = before.room.min(from - before.from - 10.0);
        }
        bands.push(Band { did, from, to, lane, room: right - from - 10.0 });
    }
    bands
}

/// An operation's label, with the error that its client gave.
fn labeled(operation: &Operation) -> String {
    operation.label.clone() + &why(operation.error.as_deref())
}

/// The operations that take effect, each with its number, and where on the grid, in hundredths: those of a witness or, without
/// one, of the longest partial linearization of the first key that is not linearizable.
fn order(operations: &[Operation], drawing: &ObjectDrawing) -> (Vec<(u32, u32)>, Vec<u32>) {
    let Some(partial) = drawing.partial.as_ref().filter(|_| drawing.lin.is_empty()) else {
        return (drawing.lin.iter().copied().zip(1..).collect(), drawing.points.clone());
    };
    let key =
        drawing.failing.or(drawing.part.first().copied()).and_then(|place| operations[place as usize].key);
    let mut order = Vec::new();
    let mut next = partial.longest.get(key.unwrap_or(0) as usize).and_then(|longest| longest.end);
    while let Some(step) = next {
        let step = &partial.steps[step as usize];
        order.push((step.operation, step.nth));
        next = step.before;
    }
    order.reverse();
    let interval =
        |&(place, _): &(u32, u32)| (operations[place as usize].call, operations[place as usize].ret);
    let intervals: Vec<_> = order.iter().map(interval).collect();
    let ends = operations.iter().map(|operation| operation.ret.unwrap_or(operation.call) + 1);
    let points = points(&intervals, ends.max().unwrap_or(0));
    (order, points)
}

/// The text that is shown when one points at an operation.
fn tooltip(operation: &Operation, process: &str) -> String {
    let mut text = format!("{process}: {}", labeled(operation));
    if let Some((call, ret)) = &operation.times {
        text += &format!(", {call} to {}", ret.as_deref().unwrap_or("no return"));
    }
    if let Some(line) = operation.line {
        text += &format!(", line {line}");
    }
    text
}

/// The places of calls and returns: in order, and as far apart as the labels between them ask for.
struct Times {
    /// The calls and returns drawn, by their place on the document's grid, and where each is.
    drawn: Vec<(u32, f32)>,
    end: f32,
}

impl Times {
    fn new(operations: &[Operation], places: &[u32], left: f32) -> Self {
        // By place on the grid; of a return, also the operation.
        let mut events: Vec<(u32, Option<u32>)> = Vec::with_capacity(2 * places.len());
        for &place in places {
            let operation = &operations[place as usize];
            events.push((operation.call, None));
            events.extend(operation.ret.map(|ret| (ret, Some(place))));
        }
        events.sort_unstable();
        let mut times = Times { drawn: Vec::with_capacity(events.len()), end: left };
        let mut x = left - STEP;
        for (at, returns) in events {
            x += STEP;
            if let Some(place) = returns {
                let operation = &operations[place as usize];
                x = x.max(times.at(operation.call) + width_of(&labeled(operation)) + 18.0);
            }
            times.drawn.push((at, x));
        }
        let pending = places
            .iter()
            .map(|&place| &operations[place as usize])
            .filter(|operation| operation.ret.is_none());
        let ends = pending.map(|operation| times.at(operation.call) + width_of(&labeled(operation)) + 18.0);
        times.end = ends.fold(x, f32::max);
        times
    }

    /// The place where a call or return that is drawn is.
    fn at(&self, place: u32) -> f32 {
        self.between(100 * place)
    }

    /// The place of a point between two of the grid, given in hundredths.
    fn between(&self, point: u32) -> f32 {
        let after = self.drawn.partition_point(|&(at, _)| 100 * at <= point);
        let Some(&(from, x)) = after.checked_sub(1).map(|before| &self.drawn[before]) else {
            return self.end;
        };
        let (to, next) = self.drawn.get(after).copied().unwrap_or((from + 1, self.end));
        let part = (point - 100 * from) as f32 / (100.0 * (to - from) as f32);
        x + (next - x) * part.min(1.0)
    }
}

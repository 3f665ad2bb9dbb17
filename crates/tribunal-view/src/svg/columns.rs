//! Memories and transactions as SVG: columns of boxes, with edges that run beside them.

use super::Drawn;
use super::canvas::Canvas;
use super::grid::{Cell, GAP, GUTTER, Grid, HALF, LINE};
use super::route::{Point, Route};
use crate::document::Arrow;
use crate::scene::Scene;

/// With more edges than this, only those of the violation have labels.
const NAMED: usize = 48;
/// From one edge in a gap between rows to the next.
const LANE: f32 = 7.0;

/// An edge between two boxes.
struct Edge {
    from: usize,
    to: usize,
    name: &'static str,
    /// Whether it is of the violation's cycle.
    wrong: bool,
    /// Whether the explanation mentions it.
    spoken: bool,
    /// Whether it is po or so between neighbors, which is a line down the column.
    down: bool,
    /// Whether what is between its ends is not drawn.
    gap: bool,
}

/// Draws the places of a picture in columns, with the verdict of a model or level.
pub fn draw(canvas: &mut Canvas, scene: &Scene<'_>, places: &[u32]) -> Drawn {
    let grid = Grid::new(scene, places);
    for column in &grid.columns {
        canvas.centred("quiet", column.x, grid.names, &scene.columns[column.column as usize].name);
    }
    let edges = edges(scene, &grid);
    let routes = Routing::new(&grid, &edges).routes();
    for (_, route) in edges.iter().zip(&routes).filter(|(edge, _)| edge.wrong) {
        canvas.path("glow", &route.path());
    }
    let mut labels = Labels::new(&grid);
    let all_named = edges.iter().filter(|edge| !edge.down).count() <= NAMED;
    let mut named: Vec<(Point, &Edge)> = Vec::new();
    // What is wrong comes last, above the rest; its names come first to their places.
    for wrong in [false, true] {
        for (edge, route) in edges.iter().zip(&routes).filter(|(edge, _)| edge.wrong == wrong) {
            canvas.open(classes(edge), "");
            canvas.path("edge", &route.path());
            canvas.path("head", &route.head());
            canvas.close();
        }
    }
    for wrong in [true, false] {
        for (edge, route) in edges.iter().zip(&routes).filter(|(edge, _)| edge.wrong == wrong) {
            if wrong || (edge.spoken || all_named) && !edge.down {
                named.push((labels.place(route, edge), edge));
            }
        }
    }
    let mut spoken = vec![false; grid.cells.len()];
    for edge in edges.iter().filter(|edge| edge.wrong || edge.spoken) {
        (spoken[edge.from], spoken[edge.to]) = (true, true);
    }
    for (cell, spoken) in grid.cells.iter().zip(spoken) {
        draw_box(canvas, scene, cell, spoken);
    }
    for ((x, y), edge) in named {
        canvas.open(classes(edge), "");
        canvas.centred("name", x, y + 4.0, edge.name);
        canvas.close();
    }
    Drawn { width: grid.width, bottom: grid.bottom, legend: legend(scene, &edges) }
}

/// A box: one line in its middle, or a name with lines below.
fn draw_box(canvas: &mut Canvas, scene: &Scene<'_>, cell: &Cell, spoken: bool) {
    let block = &scene.boxes[cell.place as usize];
    let mut class = block.class.to_string();
    if spoken {
        class += " spoken";
    }
    if block.failing {
        class += " failing";
    }
    canvas.open(&class, &block.told);
    let top = cell.y - cell.tall;
    canvas.rounded("box", cell.x - cell.half, top, 2.0 * cell.half, 2.0 * cell.tall);
    if block.below.is_empty() {
        canvas.centred("", cell.x, cell.y + 4.5, &block.label);
    } else {
        let left = cell.x - cell.half + 10.0;
        canvas.text("head-line", left, top + HALF + 4.5, &block.label);
        for (nth, (line, marked)) in (1..).zip(block.below.iter().zip(&block.marked)) {
            let class = if *marked { "marked" } else { "" };
            canvas.text(class, left, top + HALF + LINE * nth as f32 + 3.0, line);
        }
    }
    canvas.close();
}

/// The class of an edge of a name.
fn class(name: &str) -> &'static str {
    match name {
        "po" | "ppo" | "po-loc" | "so" => "po",
        "rf" | "sw" | "wr" => "rf",
        "rt" => "psc",
        "chosen" => "chosen",
        "fr" | "rw" => "fr",
        "dep" | "deps" => "deps",
        "psc" => "psc",
        _ => "mo",
    }
}

fn classes(edge: &Edge) -> &'static str {
    if edge.gap { "po gap" } else { class(edge.name) }
}

fn legend(scene: &Scene<'_>, edges: &[Edge]) -> Vec<(&'static str, &'static str)> {
    let of_memory = [
        ("po", "po, program order"),
        ("rf", "rf, reads from"),
        ("chosen", "rf, chosen among writes of the value"),
        ("mo", "mo, order of writes"),
        ("fr", "fr, reads before"),
        ("deps", "deps, depends on"),
        ("psc", "psc, order of seq_cst events"),
    ];
    let of_transactions = [
        ("po", "so, session order"),
        ("rf", "wr, read by"),
        ("chosen", "wr, chosen among writers of the value"),
        ("mo", "ww, order of writers"),
        ("fr", "rw, overwritten by"),
        ("deps", ""),
        ("psc", "rt, real time"),
    ];
    let all = if scene.down == ["so"] { of_transactions } else { of_memory };
    let mut legend: Vec<_> =
        all.into_iter().filter(|(kind, _)| edges.iter().any(|edge| class(edge.name) == *kind)).collect();
    if edges.iter().any(|edge| edge.wrong) {
        legend.push(("spoken", "the violation"));
    }
    legend
}

/// The edges between what is drawn, each once: those of the violation are found among the others where they are there.
fn edges(scene: &Scene<'_>, grid: &Grid) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let follows = |a: &Cell, b: &Cell| a.column.is_some() && a.column == b.column;
    for (at, pair) in grid.cells.windows(2).enumerate().filter(|(_, pair)| follows(&pair[0], &pair[1])) {
        let [a, b] = [&scene.boxes[pair[0].place as usize], &scene.boxes[pair[1].place as usize]];
        // Nothing follows a transaction that did not commit, or of which nobody was told.
        if matches!(a.class, "aborted" | "pending") || b.class == "aborted" {
            continue;
        }
        let (name, gap) = (scene.down[0], b.index > a.index + 1);
        edges.push(Edge { from: at, to: at + 1, name, wrong: false, spoken: false, down: true, gap });
    }
    let mut add = |from: u32, to: u32, name: &'static str, wrong: bool, spoken: bool| {
        let (Some(from), Some(to)) = (grid.cell(from), grid.cell(to)) else { return };
        let same = |edge: &&mut Edge| {
            edge.from == from && edge.to == to && (edge.name == name || edge.down && class(name) == "po")
        };
        match edges.iter_mut().find(same) {
            Some(edge) => {
                edge.wrong |= wrong;
                edge.spoken |= spoken;
                edge.name = name;
            }
            None => edges.push(Edge { from, to, name, wrong, spoken, down: false, gap: false }),
        }
    };
    scene.given.iter().for_each(|&([from, to], name)| add(from, to, name, false, false));
    scene.found.iter().for_each(|&([from, to], name)| add(from, to, name, false, false));
    scene.cycle.iter().for_each(|&Arrow { from, to, name }| add(from, to, name, true, true));
    scene.grounds.iter().for_each(|&Arrow { from, to, name }| add(from, to, name, false, true));
    edges
}

/// The sides of boxes at which edges end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Ways for edges that do not run over boxes: in the gutters beside the columns and in the gaps between the rows.
struct Routing<'a> {
    grid: &'a Grid,
    edges: &'a [Edge],
    /// By edge, how far from the middle of a side its ends are.
    ports: Vec<[f32; 2]>,
    /// The number of edges that run in each gap between rows, and down beside each column.
    lanes: Vec<usize>,
}

impl<'a> Routing<'a> {
    fn new(grid: &'a Grid, edges: &'a [Edge]) -> Self {
        let mut routing = Routing { grid, edges, ports: vec![[0.0; 2]; edges.len()], lanes: Vec::new() };
        routing.spread_ports();
        routing
    }

    /// The sides at which an edge leaves and arrives.
    fn sides(&self, edge: &Edge) -> (Side, Side) {
        let (from, to) = (&self.grid.cells[edge.from], &self.grid.cells[edge.to]);
        match (from.column, to.column) {
            (Some(from), Some(to)) if from < to => (Side::Right, Side::Left),
            (Some(from), Some(to)) if from > to => (Side::Left, Side::Right),
            // In one column: fr and rf on the right, what orders on the left.
            (Some(_), Some(_)) if matches!(class(edge.name), "rf" | "chosen" | "fr") => {
                (Side::Right, Side::Right)
            }
            (Some(_), Some(_)) => (Side::Left, Side::Left),
            _ if from.x <= to.x => (Side::Right, Side::Left),
            _ => (Side::Left, Side::Right),
        }
    }

    /// Ends at one side of a box are spread out, by the height of where they lead.
    fn spread_ports(&mut self) {
        let in_columns = (0..self.grid.cells.len()).filter(|&cell| self.grid.cells[cell].column.is_some());
        for cell in in_columns {
            for side in [Side::Left, Side::Right] {
                let mut ends: Vec<(f32, usize, usize)> = Vec::new();
                for (at, edge) in self.edges.iter().enumerate().filter(|(_, edge)| !edge.down) {
                    let (leaves, arrives) = self.sides(edge);
                    if edge.from == cell && leaves == side {
                        ends.push((self.grid.cells[edge.to].y, at, 0));
                    }
                    if edge.to == cell && arrives == side {
                        ends.push((self.grid.cells[edge.from].y, at, 1));
                    }
                }
                ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let tall = self.grid.cells[cell].tall;
                let most = if tall > HALF { 16.0 } else { 8.0 };
                let step = (1.5 * tall / ends.len().max(1) as f32).min(most);
                let first = -step * (ends.len().saturating_sub(1)) as f32 / 2.0;
                for (nth, (_, edge, end)) in ends.into_iter().enumerate() {
                    self.ports[edge][end] = first + step * nth as f32;
                }
            }
        }
    }

    fn routes(mut self) -> Vec<Route> {
        let edges = self.edges;
        edges.iter().enumerate().map(|(at, edge)| self.route(at, edge)).collect()
    }

    fn route(&mut self, at: usize, edge: &Edge) -> Route {
        let (from, to) = (self.grid.cells[edge.from], self.grid.cells[edge.to]);
        if edge.down {
            return Route::straight((from.x, from.y + from.tall), (to.x, to.y - to.tall));
        }
        let (leaves, arrives) = self.sides(edge);
        let end = |cell: &Cell, side: Side, port: f32| match side {
            Side::Left => (cell.x - cell.half, cell.y + port),
            Side::Right => (cell.x + cell.half, cell.y + port),
        };
        let [port, other] = self.ports[at];
        let (start, stop) = (end(&from, leaves, port), end(&to, arrives, other));
        match (from.column, to.column) {
            (Some(a), Some(b)) if a == b => {
                let side = if leaves == Side::Left { -1.0 } else { 1.0 };
                let span = from.row.abs_diff(to.row) as f32;
                let nth = self.lane(1, 2 * a + usize::from(leaves == Side::Right)) as f32;
                let bow = (22.0 + 8.0 * span.min(3.0) + 6.0 * nth).min(GUTTER * 0.62);
                Route::bowed(start, stop, side * bow)
            }
            (Some(a), Some(b)) if a.abs_diff(b) == 1 => Route::across(start, stop),
            (Some(a), Some(b)) => self.through_gap(&from, &to, start, stop, a < b),
            (None, _) => self.down_to(&from, &to, stop, arrives),
            (Some(_), None) => self.down_to(&to, &from, start, leaves).reversed(),
        }
    }

    /// Past other columns, in a gap between rows.
    fn through_gap(&mut self, from: &Cell, to: &Cell, start: Point, stop: Point, right: bool) -> Route {
        let gap = if from.row < to.row { from.row + 1 } else { from.row };
        let (middle, half) = self.grid.rows[from.row];
        let base = if from.row < to.row { middle + half + GAP / 2.0 } else { middle - half - GAP / 2.0 };
        let lane = base + self.offset(0, gap);
        let towards = if right { 1.0 } else { -1.0 };
        let (enter, leave) = (start.0 + towards * GUTTER, stop.0 - towards * GUTTER);
        Route::across(start, (enter, lane)).line((leave, lane)).bend(stop)
    }

    /// From an initial write down to the gap below it, along that, and down beside the column.
    fn down_to(&mut self, from: &Cell, to: &Cell, stop: Point, arrives: Side) -> Route {
        let lane = from.y + from.tall + GAP / 2.0 + 2.0 + self.offset(0, 0);
        let outward = if arrives == Side::Left { -1.0 } else { 1.0 };
        let beside = 2 * to.column.unwrap_or(0) + usize::from(arrives == Side::Right);
        let x = stop.0 + outward * (18.0 + 6.0 * self.lane(1, beside) as f32);
        let start = (from.x, from.y + from.tall);
        let towards = if x >= start.0 { 1.0 } else { -1.0 };
        let (r, run) = (10.0, (x - start.0).abs());
        let down = Route::straight(start, (start.0, lane - r));
        if run < 2.0 * r {
            return down.line((x, lane + r)).line((x, stop.1 - r)).turn(stop, (x, stop.1));
        }
        down.turn((start.0 + towards * r, lane), (start.0, lane))
            .line((x - towards * r, lane))
            .turn((x, lane + r), (x, lane))
            .line((x, stop.1 - r))
            .turn(stop, (x, stop.1))
    }

    /// The next edge's number in a gap between rows (kind 0) or beside a column (kind 1).
    fn lane(&mut self, kind: usize, at: usize) -> usize {
        let key = 2 * at + kind;
        if key >= self.lanes.len() {
            self.lanes.resize(key + 1, 0);
        }
        self.lanes[key] += 1;
        self.lanes[key] - 1
    }

    /// The next edge's height in a gap: in the middle, above, below, ...
    fn offset(&mut self, kind: usize, at: usize) -> f32 {
        let nth = self.lane(kind, at) % 5;
        let step = LANE * nth.div_ceil(2) as f32;
        if nth.is_multiple_of(2) { step } else { -step }
    }
}

/// Places for names of edges, where nothing else is.
struct Labels {
    taken: Vec<(Point, Point)>,
}

impl Labels {
    fn new(grid: &Grid) -> Self {
        let boxes = grid.cells.iter().map(|cell| {
            ((cell.x - cell.half, cell.y - cell.tall - 2.0), (cell.x + cell.half, cell.y + cell.tall + 2.0))
        });
        Labels { taken: boxes.collect() }
    }

    /// A point of the route for its name: nearer to where it begins, since edges tend to cross in their middles.
    fn place(&mut self, route: &Route, edge: &Edge) -> Point {
        let half = 3.6 * edge.name.len() as f32 + 2.0;
        let around = |(x, y): Point| ((x - half, y - 7.0), (x + half, y + 7.0));
        let apart = |a: &(Point, Point), b: &(Point, Point)| {
            a.1.0 < b.0.0 || b.1.0 < a.0.0 || a.1.1 < b.0.1 || b.1.1 < a.0.1
        };
        let first = if edge.down { 0.5 } else { 0.32 };
        let parts = [first, 0.4, 0.5, 0.6, 0.68, 0.26, 0.74, 0.2, 0.8];
        let mut points = parts.into_iter().map(|part| route.at(part));
        let free = points.find(|&point| self.taken.iter().all(|taken| apart(taken, &around(point))));
        let point = free.unwrap_or_else(|| route.at(first));
        self.taken.push(around(point));
        point
    }
}

//! The picture of hierarchies: the strongest model at the bottom, lines to those right above it.
//!
//! Drawn in layers, as by Sugiyama, Tagawa and Toda (1981): a line that passes a layer has a place in it like a model, so that
//! it does not cross boxes; the layers are sorted by where neighbours are, and places are moved towards them.

use super::hierarchy::Hierarchy;
use std::fmt::Write as _;

const WIDTH: f64 = 104.0;
const HEIGHT: f64 = 28.0;
/// The room that a model, and a line that passes, takes in its layer.
const BOX: f64 = WIDTH + 18.0;
const PASSING: f64 = 26.0;
/// From one layer to the next.
const LAYER: f64 = 76.0;
const MARGIN: f64 = 14.0;

/// Greys that are seen on white and on black.
const STYLE: &str = "text{font:13px ui-monospace,SFMono-Regular,Menlo,monospace;fill:#24292f;text-anchor:middle}\
rect{fill:#808080;fill-opacity:0.1;stroke:#808080}path{fill:none;stroke:#808080;stroke-width:1.2}\
@media(prefers-color-scheme:dark){text{fill:#d0d7de}}";

/// Draws hierarchies side by side, as SVG.
pub fn draw(hierarchies: &[&Hierarchy]) -> String {
    let placed: Vec<Placed> = hierarchies.iter().map(|hierarchy| Placed::new(hierarchy)).collect();
    let layers = placed.iter().map(|each| each.layers.len()).max().unwrap_or(0).max(1);
    let height = LAYER * (layers - 1) as f64 + HEIGHT + 2.0 * MARGIN;
    let (mut width, mut drawn) = (MARGIN, String::new());
    for each in &placed {
        each.draw(width, height - MARGIN, &mut drawn);
        width += each.width() + MARGIN;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-label=\"Which models include which\">\n<style>{STYLE}</style>\n\
         {drawn}</svg>\n"
    )
}

/// A hierarchy whose models and lines have their places. Models come first among the items, then what passes.
struct Placed<'a> {
    hierarchy: &'a Hierarchy,
    layers: Vec<Vec<usize>>,
    /// For each inclusion, the items from the lower model to the upper one, a layer each.
    lines: Vec<Vec<usize>>,
    /// The middle of each item, from the left.
    x: Vec<f64>,
}

impl<'a> Placed<'a> {
    fn new(hierarchy: &'a Hierarchy) -> Self {
        let mut layers = hierarchy.layers();
        let layer_of =
            |layers: &[Vec<usize>], item: usize| layers.iter().position(|l| l.contains(&item)).unwrap_or(0);
        let mut items = hierarchy.names.len();
        let mut lines = Vec::new();
        for (below, above) in hierarchy.covers() {
            let (from, to) = (layer_of(&layers, below), layer_of(&layers, above));
            let mut line = vec![below];
            for layer in &mut layers[from + 1..to] {
                layer.push(items);
                line.push(items);
                items += 1;
            }
            line.push(above);
            lines.push(line);
        }
        let mut placed = Placed { hierarchy, layers, lines, x: vec![0.0; items] };
        (0..placed.layers.len()).for_each(|layer| placed.settle(layer, |_| None));
        for round in 0..24 {
            let count = placed.layers.len();
            for step in 0..count {
                let layer = if round % 2 == 0 { step } else { count - 1 - step };
                // Down and up in turn, and in the end towards both sides.
                let side = if round >= 16 { None } else { Some(round % 2 == 0) };
                let wishes: Vec<Option<f64>> =
                    (0..placed.x.len()).map(|item| placed.wish(item, side)).collect();
                let x = placed.x.clone();
                let wish = |item: usize| wishes[item].unwrap_or(x[item]);
                if round < 16 {
                    placed.layers[layer].sort_by(|&a, &b| wish(a).total_cmp(&wish(b)));
                }
                placed.settle(layer, |item| Some(wish(item)));
            }
        }
        let left =
            placed.items().map(|item| placed.x[item] - placed.room(item) / 2.0).fold(f64::MAX, f64::min);
        placed.x.iter_mut().for_each(|x| *x -= left);
        placed
    }

    fn items(&self) -> impl Iterator<Item = usize> + '_ {
        self.layers.iter().flatten().copied()
    }

    fn room(&self, item: usize) -> f64 {
        if item < self.hierarchy.names.len() { BOX } else { PASSING }
    }

    fn width(&self) -> f64 {
        self.items().map(|item| self.x[item] + self.room(item) / 2.0).fold(0.0, f64::max)
    }

    /// The middle of an item's neighbours: those below, those above, or all.
    fn wish(&self, item: usize, below: Option<bool>) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for pair in self.lines.iter().flat_map(|line| line.windows(2)) {
            let neighbour = match (pair[0] == item, pair[1] == item) {
                (true, _) if below != Some(true) => pair[1],
                (_, true) if below != Some(false) => pair[0],
                _ => continue,
            };
            sum += self.x[neighbour];
            count += 1.0;
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Puts the items of a layer as near to where they wish to be as their order and their room allow: half way between
    /// what pushing them to the right and what pushing them to the left gives.
    fn settle(&mut self, layer: usize, wish: impl Fn(usize) -> Option<f64>) {
        let items = &self.layers[layer];
        let gap = |a: usize, b: usize| (self.room(items[a]) + self.room(items[b])) / 2.0;
        let wishes: Vec<f64> = items.iter().map(|&item| wish(item).unwrap_or(0.0)).collect();
        let (mut right, mut left) = (wishes.clone(), wishes);
        for at in 1..items.len() {
            right[at] = right[at].max(right[at - 1] + gap(at - 1, at));
        }
        for at in (1..items.len()).rev() {
            left[at - 1] = left[at - 1].min(left[at] - gap(at - 1, at));
        }
        for (at, &item) in items.iter().enumerate() {
            self.x[item] = (right[at] + left[at]) / 2.0;
        }
    }

    /// With the lowest layer's boxes ending at `bottom`.
    fn draw(&self, left: f64, bottom: f64, out: &mut String) {
        let layer_of = |item: usize| self.layers.iter().position(|layer| layer.contains(&item)).unwrap_or(0);
        let top = |item: usize| bottom - HEIGHT - LAYER * layer_of(item) as f64;
        for line in &self.lines {
            let mut path = String::new();
            for (at, &item) in line.iter().enumerate() {
                let (x, y) = (left + self.x[item], top(item));
                let _ = match at {
                    0 => write!(path, "M{x:.0} {y:.0}"),
                    _ if at + 1 == line.len() => write!(path, "L{x:.0} {:.0}", y + HEIGHT),
                    // Straight through the layer, between its boxes.
                    _ => write!(path, "L{x:.0} {:.0}V{y:.0}", y + HEIGHT),
                };
            }
            let _ = writeln!(out, "<path d=\"{path}\"/>");
        }
        for (model, name) in self.hierarchy.names.iter().enumerate() {
            let (x, y) = (left + self.x[model], top(model));
            let _ = writeln!(
                out,
                "<rect x=\"{:.0}\" y=\"{y:.0}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"5\"/>\
                 <text x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
                x - WIDTH / 2.0,
                y + 18.5,
                name.replace('&', "&amp;").replace('<', "&lt;"),
            );
        }
    }
}

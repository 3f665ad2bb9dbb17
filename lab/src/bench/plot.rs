//! Curves, as SVG: both axes logarithmic, since what is compared grows at different powers.

use std::fmt::Write as _;
use std::time::Duration;

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What its file is called, without `.svg`.
    pub name: String,
    /// What is said above it.
    pub title: String,
    /// What grows to the right.
    pub x: String,
    /// Ours first, then the baselines.
    pub series: Vec<Series>,
    /// Whether there are baselines to compare with.
    pub ratio: bool,
}

/// The times of one way to do it.
#[derive(Clone, Debug)]
pub struct Series {
    /// How it is called in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// The time that something took at a size.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The size, greater than 0.
    pub x: f64,
    /// The time.
    pub time: Duration,
    /// Whether it was given up after that time.
    pub given_up: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 84.0;

/// Colors that are distinguished by those who do not see all of them (Okabe and Ito 2008), on white and on black.
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

const STYLE: &str = "text{font:12px ui-monospace,SFMono-Regular,Menlo,monospace;fill:#24292f}\
.title{font-weight:bold;font-size:13px}.grid{stroke:#808080;stroke-opacity:.25}.frame{fill:none;stroke:#808080}\
.end{text-anchor:end}.middle{text-anchor:middle}@media(prefers-color-scheme:dark){text{fill:#d0d7de}}";

impl Plot {
    /// A plot without curves.
    pub fn new(name: impl Into<String>, title: impl Into<String>, x: impl Into<String>) -> Self {
        Plot { name: name.into(), title: title.into(), x: x.into(), series: Vec::new(), ratio: true }
    }

    /// The plot as one of several of our own, of which none is a baseline.
    pub fn without_ratio(self) -> Self {
        Plot { ratio: false, ..self }
    }

    /// Adds a point to the curve of that name, which is added if it is new.
    pub fn point(&mut self, series: &str, x: f64, time: Duration, given_up: bool) {
        let point = Point { x, time, given_up };
        match self.series.iter_mut().find(|each| each.name == series) {
            Some(each) => each.points.push(point),
            None => self.series.push(Series { name: series.into(), points: vec![point] }),
        }
    }

    /// The picture. Below the axis, for each size, is how many times as long the slowest baseline took as the first curve.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let across = Axis::over(points().map(|point| point.x), LEFT, WIDTH - RIGHT);
        let up = Axis::over(points().map(|point| seconds(point.time)), HEIGHT - BOTTOM, TOP).by_decades();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}</style>\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"20\">{title}</text>\n\
             <rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>\n",
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM,
            title = escaped(&self.title),
        );
        self.grid(&across, &up, &mut svg);
        self.legend(&mut svg);
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            series.draw(color, &across, &up, &mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn grid(&self, across: &Axis, up: &Axis, svg: &mut String) {
        for power in up.from.round() as i32..=up.to.round() as i32 {
            let y = up.place(10f64.powi(power));
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                decade(power)
            );
        }
        let (y, last) = (HEIGHT - BOTTOM + 18.0, HEIGHT - 8.0);
        let mut free = 0.0;
        for x in self.sizes() {
            let place = across.place(x);
            let label = size(x);
            let half = label.len() as f64 * 3.8 + 3.0;
            // Labels that would run into each other are left out, with their ratios.
            if place - half < free {
                continue;
            }
            free = place + half;
            let _ = writeln!(svg, "<text class=\"middle\" x=\"{place:.1}\" y=\"{y}\">{label}</text>");
            if let Some(ratio) = self.ratio_at(x) {
                let _ = writeln!(
                    svg,
                    "<text class=\"middle\" x=\"{place:.1}\" y=\"{}\">{ratio}</text>",
                    y + 34.0
                );
            }
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let _ = writeln!(
            svg,
            "<text class=\"middle\" x=\"{middle}\" y=\"{}\">{}</text>",
            y + 17.0,
            escaped(&self.x)
        );
        if self.ratio && self.series.len() > 1 {
            let _ = writeln!(
                svg,
                "<text class=\"middle\" x=\"{middle}\" y=\"{last}\">slowest baseline / {}</text>",
                escaped(&self.series[0].name)
            );
        }
    }

    fn legend(&self, svg: &mut String) {
        let (mut x, y) = (LEFT, 46.0);
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let _ = writeln!(
                svg,
                "<path stroke=\"{color}\" stroke-width=\"2\" d=\"M{x:.0} {:.0}h18\"/><text x=\"{:.0}\" y=\"{y}\">{}</text>",
                y - 4.0,
                x + 23.0,
                escaped(&series.name)
            );
            x += 38.0 + 7.3 * series.name.chars().count() as f64;
        }
    }

    /// Every size of some point, from small to large.
    fn sizes(&self) -> Vec<f64> {
        let mut sizes: Vec<f64> =
            self.series.iter().flat_map(|series| series.points.iter().map(|p| p.x)).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes
    }

    /// How many times as long the slowest baseline took as the first curve.
    fn ratio_at(&self, x: f64) -> Option<String> {
        let at = |series: &Series| series.points.iter().find(|point| point.x == x).copied();
        let (ours, baselines) = self.series.split_first().filter(|_| self.ratio)?;
        let slowest = baselines.iter().filter_map(at).max_by_key(|point| point.time)?;
        let ratio = seconds(slowest.time) / seconds(at(ours)?.time);
        let decimals = if ratio < 10.0 { 1 } else { 0 };
        Some(format!("{}{ratio:.decimals$}", if slowest.given_up { "&gt;" } else { "" }))
    }
}

impl Series {
    fn draw(&self, color: &str, across: &Axis, up: &Axis, svg: &mut String) {
        let place = |point: &Point| (across.place(point.x), up.place(seconds(point.time)));
        let line: Vec<String> =
            self.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>",
            line.join(" ")
        );
        for point in &self.points {
            let (x, y) = place(point);
            // An open mark: it would have taken longer still.
            let fill = if point.given_up { "none" } else { color };
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{fill}\" stroke=\"{color}\"/>"
            );
        }
    }
}

/// A logarithmic axis: powers of ten at its ends, and where on the picture these are.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Axis { from: 0.0, to: 1.0, start, end };
        }
        let (from, to) = (low.log10(), high.log10());
        let room = ((to - from) * 0.05).max(0.02);
        Axis { from: from - room, to: to + room, start, end }
    }

    fn by_decades(self) -> Axis {
        let from = self.from.floor();
        Axis { from, to: self.to.ceil().max(from + 1.0), ..self }
    }

    fn place(&self, value: f64) -> f64 {
        self.start + (value.log10() - self.from) / (self.to - self.from) * (self.end - self.start)
    }
}

/// Never 0, which has no logarithm.
fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(1e-9)
}

/// `10 ms` for -2.
fn decade(power: i32) -> String {
    let unit = ["ns", "us", "ms", "s"][((power + 9).clamp(0, 9) / 3) as usize];
    let base = (power + 9).clamp(0, 9) / 3 * 3 - 9;
    format!("{} {unit}", 10i64.pow((power - base).clamp(0, 12) as u32))
}

/// `125k`, `8M`.
fn size(x: f64) -> String {
    match x {
        1e6.. => format!("{}M", (x / 1e4).round() / 100.0),
        1e4.. => format!("{}k", (x / 10.0).round() / 100.0),
        _ => format!("{x}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_curves_marks_and_ratios() {
        let mut plot = Plot::new("p", "a < b", "events");
        for (x, ours, theirs) in [(100.0, 10, 50), (1000.0, 100, 5000)] {
            plot.point("tribunal", x, Duration::from_micros(ours), false);
            plot.point("memoized", x, Duration::from_micros(theirs), x > 500.0);
        }
        let svg = plot.svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("fill=\"none\" stroke=\"#d55e00\"/>").count(), 1, "{svg}");
        for part in ["a &lt; b", ">5.0<", ">&gt;50<", ">1000<", ">10 us<", ">1 ms<"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }

    #[test]
    fn labels_name_their_magnitude() {
        assert_eq!([decade(-9), decade(-4), decade(0), decade(2)], ["1 ns", "100 us", "1 s", "100 s"]);
        assert_eq!([size(64.0), size(12_500.0), size(8e6), size(1.25e6)], ["64", "12.5k", "8M", "1.25M"]);
    }

    #[test]
    fn an_empty_plot_is_a_picture() {
        assert!(Plot::new("p", "t", "x").svg().ends_with("</svg>\n"));
    }
}

//! Ways that edges take: cubic curves, with an arrowhead at the end.

use std::fmt::Write;

/// The length of an arrowhead.
const HEAD: f32 = 8.0;

/// A point on the drawing.
pub type Point = (f32, f32);

/// A start, and for each curve two control points and an end.
#[derive(Clone, Debug)]
pub struct Route(Vec<Point>);

impl Route {
    /// A straight line.
    pub fn straight(from: Point, to: Point) -> Self {
        Route(vec![from]).line(to)
    }

    /// From side to side across one gutter.
    pub fn across(from: Point, to: Point) -> Self {
        Route(vec![from]).bend(to)
    }

    /// Out of a column and back into it, bowed by so much.
    pub fn bowed(from: Point, to: Point, bow: f32) -> Self {
        Route(vec![from, (from.0 + bow, from.1), (to.0 + bow, to.1), to])
    }

    /// Goes on straight.
    pub fn line(mut self, to: Point) -> Self {
        let from = self.end();
        let third = |part: f32| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        self.0.extend([third(1.0 / 3.0), third(2.0 / 3.0), to]);
        self
    }

    /// Goes on sideways to another height, and arrives sideways.
    pub fn bend(mut self, to: Point) -> Self {
        let from = self.end();
        let middle = (from.0 + to.0) / 2.0;
        self.0.extend([(middle, from.1), (middle, to.1), to]);
        self
    }

    /// Goes on downwards and arrives sideways, or the other way round.
    pub fn turn(mut self, to: Point, corner: Point) -> Self {
        self.0.extend([corner, corner, to]);
        self
    }

    /// The same way back.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    fn end(&self) -> Point {
        *self.0.last().expect("a route has a start")
    }

    /// The unit vector in which it arrives.
    fn arrival(&self) -> Point {
        let end = self.end();
        let before = self.0.iter().rev().map(|point| (end.0 - point.0, end.1 - point.1));
        let apart = before.map(|(x, y)| (x, y, x.hypot(y))).find(|&(_, _, length)| length > 0.5);
        apart.map_or((0.0, 1.0), |(x, y, length)| (x / length, y / length))
    }

    /// The line as path data; it ends inside its arrowhead.
    pub fn path(&self) -> String {
        let ((x, y), end) = (self.arrival(), self.end());
        let mut points = self.0.clone();
        if let Some(last) = points.last_mut() {
            *last = (end.0 - x * (HEAD - 1.0), end.1 - y * (HEAD - 1.0));
        }
        let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
        for curve in points[1..].chunks(3) {
            path.push('C');
            for (x, y) in curve {
                write!(path, "{x:.1} {y:.1} ").expect("writing to memory");
            }
            path.pop();
        }
        path
    }

    /// The arrowhead as path data.
    pub fn head(&self) -> String {
        let ((x, y), (ex, ey)) = (self.arrival(), self.end());
        let (bx, by) = (ex - x * HEAD, ey - y * HEAD);
        let side = HEAD * 0.45;
        let (left, right) = ((bx - y * side, by + x * side), (bx + y * side, by - x * side));
        format!("M{ex:.1} {ey:.1}L{:.1} {:.1}L{:.1} {:.1}Z", left.0, left.1, right.0, right.1)
    }

    /// The point at a part of the curves, from 0 to 1.
    pub fn at(&self, part: f32) -> Point {
        let curves = (self.0.len() - 1) / 3;
        let along = part * curves as f32;
        let curve = (along as usize).min(curves - 1);
        let t = along - curve as f32;
        let of = |coordinate: fn(&Point) -> f32| {
            let p: Vec<f32> = self.0[3 * curve..3 * curve + 4].iter().map(coordinate).collect();
            let s = 1.0 - t;
            s * s * s * p[0] + 3.0 * s * s * t * p[1] + 3.0 * s * t * t * p[2] + t * t * t * p[3]
        };
        (of(|point| point.0), of(|point| point.1))
    }
}

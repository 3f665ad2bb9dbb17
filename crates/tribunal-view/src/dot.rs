//! Pictures as DOT, for Graphviz.

use crate::document::{Arrow, Document, Edge, ObjectDrawing, Picture};
use crate::excerpt;
use crate::scene::Scene;
use std::fmt::{Display, Write};

/// Colors that are readable on light and on dark.
const WRONG: &str = "#d1495b";

/// An answer of a document, by index, as a DOT file: the same events or operations as in the SVG, which Graphviz lays out.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_view::{Request, dot, answer};
/// let answer = answer("mp.txt", "T0: W x 1; W y 1\nT1: R y 1; R x 0\n".into(), &Request::default(), &Limits::default())?;
/// assert!(dot(&answer.document, answer.document.shown).starts_with("digraph"));
/// # Ok::<(), tribunal_view::RequestError>(())
/// ```
pub fn dot(document: &Document, answer: usize) -> String {
    let places = excerpt::of(document, answer);
    let mut graph = Graph { text: String::new(), places };
    let heading = match &document.picture {
        Picture::Memory { answers, .. } => {
            answers.get(answer).map(|said| (&said.question, &said.verdict, &said.heading))
        }
        Picture::Object { answers, .. } => {
            answers.get(answer).map(|said| (&said.question, &said.verdict, &said.heading))
        }
        Picture::Transactions { answers, .. } => {
            answers.get(answer).map(|said| (&said.question, &said.verdict, &said.heading))
        }
    };
    let title = match heading {
        Some((question, verdict, heading)) => {
            let comma = if heading.is_empty() { "" } else { ", " };
            format!(
                "{}\\n{}: {}{comma}{}",
                quoted(&document.title),
                quoted(question),
                verdict,
                quoted(heading)
            )
        }
        None => quoted(&document.title),
    };
    graph.put(format_args!(
        "digraph tribunal {{\n  graph [label=\"{title}\", labelloc=t, bgcolor=transparent, fontname=monospace, \
         fontcolor=\"#808080\", color=\"#b0b0b0\"];\n  \
         node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#808080\", fontcolor=black, fontname=monospace];\n  \
         edge [fontname=monospace, fontsize=10];\n"
    ));
    match &document.picture {
        Picture::Memory { .. } | Picture::Transactions { .. } => {
            if let Some(scene) = Scene::of(document, answer) {
                graph.columns(&scene);
            }
        }
        Picture::Object { answers, .. } => {
            graph.object(document, answers.get(answer).map(|said| &said.drawn))
        }
    }
    graph.put("}\n");
    graph.text
}

/// The text between quotes: Graphviz reads entities there, so that no character has another meaning.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => quoted.push_str("&amp;"),
            '<' => quoted.push_str("&lt;"),
            '>' => quoted.push_str("&gt;"),
            '"' => quoted.push_str("&quot;"),
            '\\' => quoted.push_str("&#92;"),
            c => quoted.push(c),
        }
    }
    quoted
}

/// The style of an edge of a name.
fn style(name: &str) -> (&'static str, &'static str) {
    match name {
        "po" | "ppo" | "po-loc" | "so" => ("#808890", "solid"),
        "rf" | "sw" | "wr" => ("#0f9a78", "solid"),
        "chosen" => ("#0f9a78", "dashed"),
        "fr" | "rw" => ("#c27700", "dotted"),
        "dep" | "hb" | "psc" | "rt" => ("#9a5cb5", "dotted"),
        _ => ("#3d80cc", "dashed"),
    }
}

struct Graph {
    text: String,
    /// The places drawn, sorted.
    places: Vec<u32>,
}

impl Graph {
    fn put(&mut self, text: impl Display) {
        write!(self.text, "{text}").expect("writing to memory");
    }

    fn drawn(&self, place: u32) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// An edge with its name, if both ends are drawn. A `loose` edge does not affect the layout.
    fn edge(&mut self, [from, to]: Edge, name: &str, wrong: bool, loose: bool) {
        if !(self.drawn(from) && self.drawn(to)) {
            return;
        }
        let (colour, style) = style(name);
        let wide = if wrong { ", penwidth=3" } else { "" };
        let font = if wrong { WRONG } else { colour };
        let loose = if loose { ", constraint=false" } else { "" };
        self.put(format_args!(
            "  n{from} -> n{to} [label=\"{name}\", color=\"{colour}\", fontcolor=\"{font}\", style={style}{wide}{loose}];\n"
        ));
    }

    fn columns(&mut self, scene: &Scene<'_>) {
        let cycle = scene.cycle;
        let places = self.places.clone();
        let column = |place: u32| scene.boxes[place as usize].column;
        for row in places.chunk_by(|&a, &b| column(a) == column(b)) {
            let of = column(row[0]);
            if let Some(of) = of {
                let name = quoted(&scene.columns[of as usize].name);
                self.put(format_args!("  subgraph cluster_{of} {{\n    label=\"{name}\";\n"));
            }
            for &place in row {
                self.block(scene, place);
            }
            if of.is_some() {
                self.put("  }\n");
            }
        }
        let in_cycle = |edge: Edge, names: &[&str]| {
            cycle
                .iter()
                .find(|arrow| [arrow.from, arrow.to] == edge && names.contains(&arrow.name))
                .map(|arrow| arrow.name)
        };
        let mut seen: Vec<Arrow> = Vec::new();
        let mut plain = |graph: &mut Graph, edge: Edge, names: &[&'static str], loose: bool| {
            let wrong = in_cycle(edge, names);
            let name = wrong.unwrap_or(names[0]);
            seen.push(Arrow { from: edge[0], to: edge[1], name });
            graph.edge(edge, name, wrong.is_some(), loose);
        };
        let follows = |a: u32, b: u32| column(a).is_some() && column(a) == column(b);
        // Nothing follows a transaction that did not commit, or of which nobody was told.
        let counts = |a: u32, b: u32| {
            let class = |place: u32| scene.boxes[place as usize].class;
            !matches!(class(a), "aborted" | "pending") && class(b) != "aborted"
        };
        for pair in places.windows(2).filter(|pair| follows(pair[0], pair[1]) && counts(pair[0], pair[1])) {
            plain(self, [pair[0], pair[1]], scene.down, false);
        }
        for &(edge, name) in &scene.given {
            plain(self, edge, &[name], name == "dep");
        }
        for &(edge, name) in &scene.found {
            plain(self, edge, &[name], name != "chosen");
        }
        for arrow in cycle.iter().filter(|arrow| !seen.contains(arrow)) {
            self.edge([arrow.from, arrow.to], arrow.name, true, true);
        }
        for arrow in scene.grounds.iter().filter(|arrow| !seen.contains(arrow)) {
            self.edge([arrow.from, arrow.to], arrow.name, false, true);
        }
    }

    /// A box; what a transaction did stands below its name.
    fn block(&mut self, scene: &Scene<'_>, place: u32) {
        let block = &scene.boxes[place as usize];
        let wrong = block.failing || scene.cycle.iter().any(|arrow| arrow.from == place || arrow.to == place);
        let shape = match block.class {
            "init" | "pending" => ", style=\"rounded,filled,dashed\"",
            "aborted" => ", style=\"rounded,filled,dotted\"",
            _ => "",
        };
        let colour = if wrong { format!(", color=\"{WRONG}\", penwidth=2") } else { String::new() };
        let mut label = quoted(&block.label);
        if !block.below.is_empty() {
            label += "\\l";
            block.below.iter().for_each(|line| label += &format!("{}\\l", quoted(line)));
        }
        self.put(format_args!("    n{place} [label=\"{label}\"{shape}{colour}];\n"));
    }

    fn object(&mut self, document: &Document, drawing: Option<&ObjectDrawing>) {
        let Picture::Object { processes, operations, hb, .. } = &document.picture else { return };
        let none = ObjectDrawing::default();
        let drawing = drawing.unwrap_or(&none);
        self.put("  rankdir=LR;\n");
        let mut places = self.places.clone();
        places.sort_by_key(|&place| operations[place as usize].process);
        for row in places.chunk_by(|&a, &b| operations[a as usize].process == operations[b as usize].process)
        {
            let process = operations[row[0] as usize].process;
            let name = quoted(&processes[process as usize].name);
            self.put(format_args!("  subgraph cluster_{process} {{\n    label=\"{name}\";\n"));
            for &place in row {
                let operation = &operations[place as usize];
                let style = match () {
                    () if drawing.failing == Some(place) => {
                        format!(", color=\"{WRONG}\", fillcolor=\"#fbe3e6\", penwidth=3")
                    }
                    () if drawing.part.contains(&place) => format!(", color=\"{WRONG}\", penwidth=2"),
                    () if operation.ret.is_none() => ", style=\"rounded,filled,dashed\"".into(),
                    () => String::new(),
                };
                let times = operation.times.as_ref().map_or(String::new(), |(call, ret)| {
                    format!("\\n{} to {}", quoted(call), quoted(ret.as_deref().unwrap_or("-")))
                });
                let label = quoted(&operation.label);
                self.put(format_args!("    n{place} [label=\"{label}{times}\"{style}];\n"));
            }
            self.put("  }\n");
            row.windows(2).for_each(|pair| self.edge([pair[0], pair[1]], "po", false, false));
        }
        hb.iter().for_each(|&edge| self.edge(edge, "hb", false, false));
        let lin: Vec<u32> = drawing.lin.iter().copied().filter(|&place| self.drawn(place)).collect();
        lin.windows(2).for_each(|pair| self.edge([pair[0], pair[1]], "lin", false, true));
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn nothing_ends_a_quotation() {
        assert_eq!(quoted("a\"b\\n<c>&"), "a&quot;b&#92;n&lt;c&gt;&amp;");
    }
}

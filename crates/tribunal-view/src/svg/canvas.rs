//! Writing SVG: escaped text, shapes, and the styles of light and dark.

use std::fmt::{Display, Write};

/// The width of a character of a label.
pub const CHARACTER: f32 = 7.85;
/// The width of a character of the text around a drawing.
const PROSE: f32 = 7.25;

/// Kinds of edges differ in dash as well as in hue, so that nobody needs the hue; the colors are those of the page.
const STYLE: &str = "\
text{font-family:ui-monospace,'SF Mono','Cascadia Mono',Menlo,'DejaVu Sans Mono',monospace;font-size:13px;fill:#1d2126}\
.ground{fill:#fafaf8}\
.title{font-size:17px;font-weight:bold}\
.prose{font-size:12px}\
.quiet{font-size:12px;fill:#667079}\
.number{font-size:10px;fill:#2458c5}\
.rule{stroke:#e2e3df;fill:none}\
.box{fill:#fff;stroke:#9aa3ab;stroke-width:1.2}\
.init .box{stroke-dasharray:2 2.5}.fence .box,.pending .box{stroke-dasharray:5 3}\
.spoken .box{stroke:#c2263a;stroke-width:2}\
.failing .box{stroke:#c2263a;stroke-width:2.6;fill:#fcebed}\
.aborted .box{stroke-dasharray:1.5 3}.aborted text{fill:#667079}.head-line{font-weight:bold}.marked{fill:#c2263a;font-weight:bold}\
.beside{opacity:.45}\
.edge{fill:none;stroke:#2f6db3;stroke-width:1.6}.head,.name{fill:#2f6db3}\
.name{font-size:11px;stroke:#fafaf8;stroke-width:4;paint-order:stroke;stroke-linejoin:round}\
.po .edge{stroke:#8b949d}.po .head,.po .name{fill:#6b747d}.gap .edge{stroke-dasharray:1 4}\
.rf .edge,.chosen .edge{stroke:#0b7d62}.rf .head,.rf .name,.chosen .head,.chosen .name{fill:#0b7d62}\
.chosen .edge{stroke-dasharray:5 3}\
.mo .edge{stroke-dasharray:8 4}\
.fr .edge{stroke:#ad6300;stroke-dasharray:2 3.5;stroke-width:1.8}.fr .head,.fr .name{fill:#ad6300}\
.deps .edge,.psc .edge{stroke:#8a4ba5;stroke-dasharray:8 3 2 3}.deps .head,.deps .name,.psc .head,.psc .name{fill:#8a4ba5}\
.psc .edge{stroke-dasharray:none}\
.glow{fill:none;stroke:#c2263a;stroke-width:9;stroke-opacity:.2;stroke-linecap:round}\
.shade{fill:#ad6300;fill-opacity:.09}.start{stroke:#ad6300;stroke-opacity:.6;fill:none}.did{font-size:11px;fill:#8a4f00}\
.lin{fill:none;stroke:#2458c5;stroke-width:1;stroke-dasharray:3 3;stroke-opacity:.55}.point{fill:#2458c5}\
@media(prefers-color-scheme:dark){\
text{fill:#e7e8e6}.ground{fill:#15171a}.quiet{fill:#969ea6}.number{fill:#82aaff}.rule{stroke:#31363c}\
.box{fill:#22262b;stroke:#5d666f}.spoken .box{stroke:#ff7a85}.failing .box{stroke:#ff7a85;fill:#46222a}\
.edge{stroke:#6fb1f0}.head,.name{fill:#6fb1f0}.name{stroke:#15171a}\
.po .edge{stroke:#78828c}.po .head,.po .name{fill:#98a2ac}\
.rf .edge,.chosen .edge{stroke:#3ecaa2}.rf .head,.rf .name,.chosen .head,.chosen .name{fill:#3ecaa2}\
.fr .edge{stroke:#efb04c}.fr .head,.fr .name{fill:#efb04c}\
.shade{fill:#efb04c}.start{stroke:#efb04c}.did{fill:#efb04c}\
.deps .edge,.psc .edge{stroke:#cd9be3}.deps .head,.deps .name,.psc .head,.psc .name{fill:#cd9be3}\
.aborted text{fill:#969ea6}.marked{fill:#ff7a85}.glow{stroke:#ff7a85}.lin{stroke:#82aaff}.point{fill:#82aaff}}";

/// SVG as it is written.
#[derive(Default)]
pub struct Canvas {
    body: String,
}

impl Canvas {
    /// Opens a group of these classes, with a tooltip.
    pub fn open(&mut self, classes: &str, told: &str) {
        self.put(format_args!("<g class=\"{classes}\">"));
        if !told.is_empty() {
            self.put(format_args!("<title>{}</title>", escaped(told)));
        }
    }

    /// Closes the group.
    pub fn close(&mut self) {
        self.put("</g>\n");
    }

    /// A text whose base line begins at a point.
    pub fn text(&mut self, class: &str, x: f32, y: f32, text: &str) {
        self.put(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n",
            escaped(text)
        ));
    }

    /// A text around a point of its base line.
    pub fn centred(&mut self, class: &str, x: f32, y: f32, text: &str) {
        self.put(format_args!(
            "<text class=\"{class}\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n",
            escaped(text)
        ));
    }

    /// A box with round corners.
    pub fn rounded(&mut self, class: &str, x: f32, y: f32, width: f32, height: f32) {
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>"
        ));
    }

    /// A plain area.
    pub fn area(&mut self, class: &str, x: f32, y: f32, width: f32, height: f32) {
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        ));
    }

    /// A path.
    pub fn path(&mut self, class: &str, path: &str) {
        self.put(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
    }

    /// A disc.
    pub fn disc(&mut self, class: &str, x: f32, y: f32, radius: f32) {
        self.put(format_args!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"));
    }

    /// The drawing as a file of this size.
    pub fn finish(self, width: f32, height: f32) -> String {
        let body = self.body;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n\
             <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n"
        )
    }

    fn put(&mut self, text: impl Display) {
        write!(self.body, "{text}").expect("writing to memory");
    }
}

/// The text escaped for XML. Names and labels have no control characters, which XML does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The width of a label. What is not Latin, Greek or Cyrillic may be twice as wide.
pub fn width_of(text: &str) -> f32 {
    let cells =
        text.chars().map(|c| if c < '\u{1100}' || matches!(c, '\u{2000}'..='\u{2bff}') { 1.0 } else { 2.0 });
    CHARACTER * cells.sum::<f32>()
}

/// The text in lines no wider than this, broken between words if possible.
pub fn wrapped(text: &str, width: f32) -> Vec<String> {
    let most = ((width / PROSE) as usize).max(16);
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        if length > 0 && length + 1 + letters.len() > most {
            lines.push(String::new());
            length = 0;
        }
        for (nth, piece) in letters.chunks(most).enumerate() {
            if nth > 0 {
                lines.push(String::new());
                length = 0;
            }
            let line = lines.last_mut().expect("there is a line");
            if length > 0 {
                line.push(' ');
                length += 1;
            }
            line.extend(piece);
            length += piece.len();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{escaped, wrapped};

    #[test]
    fn markup_is_text() {
        assert_eq!(escaped("<svg onload=\"x\">&"), "&lt;svg onload=&quot;x&quot;&gt;&amp;");
    }

    #[test]
    fn long_lines_are_broken() {
        assert_eq!(wrapped("a bc", 200.0), ["a bc"]);
        let lines = wrapped(&format!("one two {}", "x".repeat(40)), 16.0 * 7.25);
        assert_eq!(lines.join("").replace(' ', "").len(), 46);
        assert!(lines.iter().all(|line| line.len() <= 16), "{lines:?}");
    }
}

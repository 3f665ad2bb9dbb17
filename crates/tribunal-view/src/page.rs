//! The page: one HTML file with all that it needs.

use crate::Document;

const FRAME: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");
/// Histories to begin with, for pages with a checker; a test holds them to examples/.
const GALLERY: &str = include_str!("../page/gallery.json");

/// The scripts in the order of `page/ORDER`.
const SCRIPTS: [(&str, &str); 21] = [
    ("dom.js", include_str!("../page/dom.js")),
    ("state.js", include_str!("../page/state.js")),
    ("link.js", include_str!("../page/link.js")),
    ("arrows.js", include_str!("../page/arrows.js")),
    ("paint.js", include_str!("../page/paint.js")),
    ("memory.js", include_str!("../page/memory.js")),
    ("transactions.js", include_str!("../page/transactions.js")),
    ("disturbances.js", include_str!("../page/disturbances.js")),
    ("object.js", include_str!("../page/object.js")),
    ("stage.js", include_str!("../page/stage.js")),
    ("details.js", include_str!("../page/details.js")),
    ("strip.js", include_str!("../page/strip.js")),
    ("store.js", include_str!("../page/store.js")),
    ("matrix.js", include_str!("../page/matrix.js")),
    ("legend.js", include_str!("../page/legend.js")),
    ("explanation.js", include_str!("../page/explanation.js")),
    ("partial.js", include_str!("../page/partial.js")),
    ("export.js", include_str!("../page/export.js")),
    ("checker.js", include_str!("../page/checker.js")),
    ("keys.js", include_str!("../page/keys.js")),
    ("main.js", include_str!("../page/main.js")),
];

/// The page as one self-contained file. It shows the document, or waits for a history. `checker` is markup that defines
/// `window.tribunalChecker`, with which the page checks histories; without it the page only shows its document.
///
/// The document becomes JSON without any `<`, so that nothing in it can be taken for markup.
pub fn page(document: Option<&Document>, checker: &str) -> String {
    let document = document.map_or(String::new(), |document| {
        data("document", &serde_json::to_string(document).expect("a document is data with text keys"))
    });
    let gallery = if checker.is_empty() { String::new() } else { data("gallery", GALLERY) };
    let script: Vec<&str> = SCRIPTS.iter().map(|&(_, script)| script).collect();
    filled(
        FRAME,
        &[
            ("/*STYLE*/", STYLE),
            ("<!--DOCUMENT-->", &document),
            ("<!--GALLERY-->", &gallery),
            ("<!--CHECKER-->", checker),
            ("/*SCRIPT*/", &script.join("\n")),
        ],
    )
}

/// An element that carries JSON.
fn data(id: &str, json: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">{}</script>", json.replace('<', "\\u003c"))
}

/// The frame with each placeholder replaced, where it is first; what is put in is not looked at again.
fn filled(frame: &str, parts: &[(&str, &str)]) -> String {
    let mut places: Vec<(usize, &str, &str)> =
        parts.iter().filter_map(|&(holder, part)| Some((frame.find(holder)?, holder, part))).collect();
    places.sort_unstable();
    let mut page = String::new();
    let mut at = 0;
    for (place, holder, part) in places {
        page.push_str(&frame[at..place]);
        page.push_str(part);
        at = place + holder.len();
    }
    page + &frame[at..]
}

#[cfg(test)]
mod tests {
    use super::{FRAME, SCRIPTS, STYLE, filled, page};

    #[test]
    fn the_scripts_are_in_order() {
        let order: Vec<&str> = include_str!("../page/ORDER").lines().collect();
        assert_eq!(SCRIPTS.map(|(name, _)| name).as_slice(), order);
    }

    #[test]
    fn every_placeholder_is_there_once_and_nothing_ends_early() {
        for holder in ["/*STYLE*/", "<!--DOCUMENT-->", "<!--GALLERY-->", "<!--CHECKER-->", "/*SCRIPT*/"] {
            assert_eq!(FRAME.matches(holder).count(), 1, "{holder}");
        }
        assert!(SCRIPTS.iter().all(|(_, script)| !script.to_lowercase().contains("</script")));
        assert!(!STYLE.to_lowercase().contains("</style"));
        let page = page(None, "<script>checker()</script>");
        assert!(page.contains("checker()") && !page.contains("id=\"document\""));
    }

    /// The scripts are one module, in which a name that is declared twice is an error of syntax.
    #[test]
    fn no_script_declares_a_name_of_another() {
        let mut names = std::collections::BTreeMap::new();
        for (file, script) in SCRIPTS {
            for line in script.lines() {
                let mut words = line.split([' ', '(', '=', ';']).skip_while(|&word| word == "async");
                if let Some("const" | "let" | "function" | "class") = words.next() {
                    let name = words.next().expect("a name");
                    let other = names.insert(name, file);
                    assert_eq!(other, None, "{name} of {file} is declared already");
                }
            }
        }
        assert!(names.len() > 100);
    }

    #[test]
    fn what_is_put_in_is_not_looked_at_again() {
        assert_eq!(filled("a1b2c", &[("2", "1"), ("1", "22")]), "a22b1c");
    }
}

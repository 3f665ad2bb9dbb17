//! Pages made by `tribunal view`, open in a browser.

use crate::browser::driver::Driver;
use crate::command::Place;
use std::path::{Path, PathBuf};

/// A browser that shows the page of a history.
pub struct Shown {
    pub browser: Driver,
    /// Where the page lies; it goes with this.
    pub place: Place,
}

impl Shown {
    /// The page of a history, viewed with these arguments; none where there is no browser.
    pub fn of(name: &str, history: impl AsRef<[u8]>, arguments: &[&str]) -> Option<Shown> {
        let browser = Driver::start()?;
        let place = Place::with(name, history);
        let ran = place.run(&[&["view", name, "-o", "page.html"], arguments].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let shown = Shown { browser, place };
        shown.open("");
        Some(shown)
    }

    /// The page of an example.
    pub fn example(path: &str, arguments: &[&str]) -> Option<Shown> {
        let history = std::fs::read(root().join("examples").join(path)).expect("an example");
        let name = Path::new(path).file_name().and_then(|name| name.to_str()).expect("a name");
        Shown::of(name, history, arguments)
    }

    /// Loads the page anew, with what the address asks for after `#`.
    pub fn open(&self, asked: &str) {
        let page = self.place.path("page.html");
        // A change of the fragment alone would not load anything.
        self.browser.goto("about:blank");
        self.browser.goto(format_args!("file://{}#{asked}", page.display()));
        self.browser.wait("window.tribunal && document.querySelector('#drawing *')");
    }

    /// The text of the first element that a selector finds.
    pub fn text(&self, selector: &str) -> String {
        let found = self.browser.eval(&format!("document.querySelector({selector:?}).textContent"));
        found.as_str().expect("text").to_string()
    }

    /// How many elements a selector finds.
    pub fn count(&self, selector: &str) -> u64 {
        let found = self.browser.eval(&format!("document.querySelectorAll({selector:?}).length"));
        found.as_u64().expect("a number")
    }

    /// The places drawn that a selector finds, in order.
    pub fn places(&self, selector: &str) -> Vec<u64> {
        let found =
            format!("[...document.querySelectorAll({selector:?})].map(found => +found.dataset.place)");
        let script = format!("{found}.sort((a, b) => a - b)");
        let found = self.browser.eval(&script);
        found.as_array().expect("places").iter().map(|place| place.as_u64().expect("a place")).collect()
    }

    /// Waits until a selector finds something.
    pub fn wait_for(&self, selector: &str) {
        self.browser.wait(&format!("document.querySelector({selector:?}) !== null"));
    }

    /// Waits until an element's text is this.
    pub fn wait_text(&self, selector: &str, text: &str) {
        self.browser.wait(&format!("document.querySelector({selector:?}).textContent === {text:?}"));
    }

    /// Nothing was logged as an error.
    pub fn no_errors(&self) {
        assert_eq!(self.browser.errors(), Vec::<String>::new());
    }
}

/// The workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

//! The page that `tribunal serve` serves: examples, the text box and links that hold a history.

use crate::browser::driver::Driver;
use crate::browser::wasm::Served;
use crate::command::MP;
use serde_json::json;

/// A browser at the page of a server.
fn opened() -> Option<(Driver, Served)> {
    let browser = Driver::start()?;
    let served = Served::start(&[]);
    browser.goto(&served.url);
    browser.wait("window.tribunal && document.querySelector('.card')");
    Some((browser, served))
}

fn shows(browser: &Driver, what: &str) {
    let what = json!(what);
    browser.wait(&format!("document.querySelector('#question').textContent === {what}"));
    browser.wait("document.querySelector('#work').hidden");
}

fn write(browser: &Driver, text: &str) {
    browser.run("document.querySelector('#text').value = arguments[0]", &[json!(text)]);
}

fn notice(browser: &Driver) -> String {
    let notice = browser.wait("document.querySelector('#notice:not([hidden]) span')?.textContent");
    notice.as_str().expect("text").to_string()
}

#[test]
fn every_example_is_checked() {
    let Some((browser, _served)) = opened() else { return };
    let files = browser.eval("[...document.querySelectorAll('.card')].map((card) => card.dataset.example)");
    let files = files.as_array().expect("files");
    assert!(files.len() > 20, "{files:?}");
    assert_eq!(browser.eval("document.querySelectorAll('#examples option').length"), files.len() + 1);
    browser.click("[data-example='sb.txt']");
    shows(&browser, "sc: inconsistent");
    assert_eq!(browser.eval("document.querySelector('#empty').hidden"), true);
    for (at, file) in files.iter().enumerate() {
        browser.run(
            "const list = document.querySelector('#examples');
             window.before = tribunal.state.document;
             list.selectedIndex = arguments[0] + 1;
             list.dispatchEvent(new Event('change'));",
            &[json!(at)],
        );
        browser.wait("tribunal.state.document !== window.before && document.querySelector('#work').hidden");
        let source = browser.eval("tribunal.state.document.source");
        assert!(
            source.as_str().expect("text").starts_with(file.as_str().expect("a name")),
            "{file}: {source}"
        );
    }
    assert_eq!(browser.errors(), Vec::<String>::new());
}

#[test]
fn a_history_is_edited_and_checked_again() {
    let Some((browser, _served)) = opened() else { return };
    browser.click("[data-example='sb.txt']");
    shows(&browser, "sc: inconsistent");
    assert_eq!(browser.eval("document.querySelector('#text').checkVisibility()"), true, "the text stays");
    assert_eq!(browser.eval("document.querySelector('#title').textContent"), "SB");
    write(&browser, "T0: W x 1; R y 1\nT1: W y 1; R x 0\n");
    browser.click("#again");
    shows(&browser, "sc: consistent");
    assert_eq!(
        browser.eval("document.querySelector('#title').textContent"),
        "history.txt",
        "not the example's"
    );
    assert_eq!(browser.eval("document.body.classList.contains('outdated')"), false);
    // A mistake is told, its line is marked, and can be mended.
    write(&browser, "T0: W x 1\nT1: R x one\n");
    browser.click("#again");
    assert_eq!(notice(&browser), "history.txt:2:9: expected the value read, found `one`");
    assert_eq!(
        browser.eval("document.body.classList.contains('outdated')"),
        true,
        "the drawing is of another text"
    );
    let marked = "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))";
    assert_eq!(browser.eval(&format!("{marked}(document.querySelector('#text'))")), "T1: R x one");
    write(&browser, MP);
    // Ctrl Enter in the text checks too.
    browser.run(
        "const key = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
         document.querySelector('#text').dispatchEvent(new KeyboardEvent('keydown', key));",
        &[],
    );
    shows(&browser, "sc: inconsistent");
    assert_eq!(browser.eval("document.querySelector('#notice').hidden"), true);
    assert_eq!(browser.eval("document.body.classList.contains('outdated')"), false);
    assert!(browser.errors().iter().all(|error| error.contains("422")));
}

#[test]
fn a_link_holds_the_history() {
    let Some((browser, served)) = opened() else { return };
    browser.click("[data-example='sb.txt']");
    shows(&browser, "sc: inconsistent");
    write(&browser, MP);
    browser.run("document.querySelector('#models').value = 'tso,pso'", &[]);
    browser.click("#again");
    shows(&browser, "tso: inconsistent");
    browser.click(".chip[data-question=pso]");
    shows(&browser, "pso: consistent");
    browser.click("#share");
    assert!(notice(&browser).contains("link"));
    let link = browser.url();
    assert!(link.contains("#history=") && link.contains("&model=pso"), "{link}");
    browser.goto("about:blank");
    browser.goto(&link);
    shows(&browser, "pso: consistent");
    assert_eq!(browser.eval("document.querySelector('#text').value"), MP);
    assert_eq!(browser.eval("document.querySelector('#models').value"), "tso,pso");
    // What is too large, or damaged, is told in a line.
    let large: String =
        (0..20_000u32).map(|at| format!("T0: W x{} {at}\n", at.wrapping_mul(2_654_435_761))).collect();
    write(&browser, &large);
    browser.click("#share");
    browser.wait("document.querySelector('#notice span').textContent.includes('too large for a link')");
    browser.goto("about:blank");
    browser.goto(format_args!("{}#history=q1bKS8xN", served.url));
    assert!(notice(&browser).contains("damaged"));
    assert_eq!(browser.errors(), Vec::<String>::new());
}

#[test]
fn back_goes_from_history_to_history_and_to_the_gallery() {
    let Some((browser, served)) = opened() else { return };
    let titled = |title: &str| {
        browser.wait(&format!("document.querySelector('#title').textContent === {title:?}"));
        browser.wait("document.querySelector('#work').hidden");
    };
    let gallery = "!document.querySelector('#empty').hidden && document.querySelector('#main').hidden";
    browser.click("[data-example='sb.txt']");
    titled("SB");
    browser.click("#home");
    browser.wait(gallery);
    assert_eq!(browser.url(), served.url);
    browser.click("[data-example='mp.txt']");
    titled("MP");
    // What is changed without another history is not a place of its own.
    browser.click(".chip[data-question=ra]");
    shows(&browser, "ra: inconsistent");
    write(&browser, "T0: W x 7\n");
    browser.click("#again");
    titled("history.txt");
    browser.run("history.back()", &[]);
    titled("MP");
    assert!(browser.eval("document.querySelector('#text').value").as_str().expect("text").contains("MP"));
    browser.run("history.back()", &[]);
    browser.wait(gallery);
    browser.run("history.back()", &[]);
    titled("SB");
    browser.run("history.go(3)", &[]);
    titled("history.txt");
    assert_eq!(browser.eval("document.querySelector('#text').value"), "T0: W x 7\n");
    assert_eq!(browser.errors(), Vec::<String>::new());
}

//! Pages in a real browser: `cargo xtask browser` runs these tests, with `chromium` and `chromedriver` from the PATH.

mod checker;
mod driver;
mod gallery;
mod memory;
mod object;
mod pages;
mod screenshots;
mod transactions;
mod wasm;

use driver::Driver;

#[test]
fn the_driver_drives() {
    let Some(browser) = Driver::start() else { return };
    browser.goto("data:text/html,<title>t</title><input id=a><button onclick='window.hit=1'>b</button>");
    assert_eq!(browser.eval("document.title"), "t");
    browser.type_into("#a", "text");
    assert_eq!(browser.eval("document.querySelector('#a').value"), "text");
    browser.click("button");
    assert_eq!(browser.wait("window.hit"), 1);
    browser.run("addEventListener('mouseover', e => window.over = e.target.tagName)", &[]);
    browser.hover("#a");
    assert_eq!(browser.wait("window.over"), "INPUT");
    browser.run("addEventListener('keydown', e => window.keys = (window.keys || '') + e.key)", &[]);
    browser.press("ab?");
    browser.press(driver::key::LEFT);
    assert_eq!(browser.wait("window.keys"), "ab?ArrowLeft");
    assert_eq!(browser.run("return Promise.resolve(arguments[0] + 1)", &[1.into()]), 2);
    browser.resize(500, 400);
    assert_eq!(browser.eval("[innerWidth, innerHeight]"), serde_json::json!([500, 400]));
    browser.prefer_dark(true);
    assert_eq!(browser.eval("matchMedia('(prefers-color-scheme: dark)').matches"), true);
    assert!(browser.screenshot().starts_with(b"\x89PNG"));
    assert_eq!(browser.errors(), Vec::<String>::new());
    browser.run("console.error('oh')", &[]);
    assert_eq!(browser.errors().len(), 1);
}

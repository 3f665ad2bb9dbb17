//! Pages that check: the static one, which has the checker inside, and the one that `tribunal serve` serves.
//!
//! The static page is made by `cargo xtask page`; TRIBUNAL_PAGE says where it is, and `cargo xtask browser` sets that.

use crate::browser::driver::Driver;
use crate::browser::pages::root;
use crate::command::{ENQUEUES, MISSED, MP, Place, SB, STALE, several};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;
use tribunal_formats::{Format, Labels, Writer, write_history};
use tribunal_machines::hard::satisfiability::{self, Reduction};
use tribunal_machines::hard::{Formula, Literal};

/// The static page; none, and a line that says so, where there is none.
fn page() -> Option<PathBuf> {
    let page = std::env::var_os("TRIBUNAL_PAGE").map(PathBuf::from);
    if page.is_none() {
        println!("left out: TRIBUNAL_PAGE names no page; `cargo xtask browser` makes one");
    }
    page
}

/// The static page, from the disk.
fn opened() -> Option<Driver> {
    let page = page()?;
    let browser = Driver::start()?;
    browser.open(&page);
    browser.wait("window.tribunal && window.tribunalChecker.kind === 'wasm'");
    Some(browser)
}

/// `tribunal serve`, which ends when this goes out of scope.
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    pub fn start(arguments: &[&str]) -> Self {
        let place = Place::new();
        let command = [&["serve", "--port", "0"], arguments].concat();
        let mut child = place.command(&command).spawn().expect("the command runs");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("a line");
        Served { child, url: url.trim().into() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the page's checker answers.
fn answer_of(browser: &Driver, name: &str, text: &str, request: Value) -> Value {
    let answer = browser.run(
        "return tribunalChecker.check(arguments[0], new TextEncoder().encode(arguments[1]), arguments[2])
            .catch((error) => JSON.stringify({ error: error.message }))",
        &[json!(name), json!(text), json!(request.to_string())],
    );
    serde_json::from_str(answer.as_str().expect("text")).expect("JSON")
}

/// The verdicts of a document, by question.
fn answers(answer: &Value) -> BTreeMap<String, String> {
    let answers = answer["document"]["answers"].as_array().unwrap_or_else(|| panic!("no document: {answer}"));
    let text = |value: &Value| value.as_str().expect("text").to_string();
    answers.iter().map(|said| (text(&said["question"]), text(&said["verdict"]))).collect()
}

/// The command's verdicts on the histories of a file, by question, and the engines that decided.
fn checked(file: &Path, models: &str) -> Vec<BTreeMap<String, (String, String)>> {
    let file = file.to_str().expect("a name");
    let ran = Place::new().run(&["check", "--style", "json", "--model", models, file]);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let mut verdicts: Vec<BTreeMap<String, (String, String)>> = Vec::new();
    for line in ran.stdout.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let index = line["index"].as_u64().expect("an index") as usize;
        verdicts.resize_with(verdicts.len().max(index + 1), BTreeMap::new);
        // Nothing decided where the model does not apply.
        let text = |key: &str| line[key].as_str().unwrap_or("none").to_string();
        verdicts[index].insert(text("model"), (text("verdict"), text("engine")));
    }
    verdicts
}

/// The page's checker agrees with the command on every history of a file; gives the engines.
fn agreed(browser: &Driver, file: &Path, models: &str) -> Vec<String> {
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
    let text = std::fs::read_to_string(file).expect("text");
    let mut engines = Vec::new();
    let verdicts = checked(file, models);
    for (index, expected) in verdicts.iter().enumerate() {
        let answer = answer_of(browser, name, &text, json!({"models": models, "index": index}));
        let expected = expected.iter().map(|(question, (verdict, engine))| {
            engines.push(engine.clone());
            (question.clone(), verdict.clone())
        });
        assert_eq!(answers(&answer), expected.collect(), "{name}, history {index}");
        assert_eq!(answer["histories"], verdicts.len());
    }
    engines
}

/// Drops a file onto the page.
fn drop_file(browser: &Driver, name: &str, text: &str) {
    browser.run(
        "const data = new DataTransfer();
         data.items.add(new File([arguments[0]], arguments[1]));
         dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));",
        &[json!(text), json!(name)],
    );
}

/// Drops histories onto a page, looks at what it shows, and asks it other models.
fn checks(browser: &Driver) {
    let shows = |what: &str| {
        let what = json!(what);
        browser.wait(&format!("document.querySelector('#question').textContent === {what}"));
        browser.wait("document.querySelector('#work').hidden");
    };
    let ask = |models: &str| {
        browser.run("document.querySelector('#models').value = arguments[0]", &[json!(models)]);
        browser.click("#again");
    };
    drop_file(browser, "several.txt", &several(&[SB, MP]));
    browser.wait("document.querySelector('#of').textContent === 'of 2'");
    ask("tso");
    shows("tso: consistent");
    ask("sc");
    shows("sc: inconsistent");
    browser.wait("document.querySelectorAll('#lines li').length > 0");
    assert_eq!(browser.eval("document.querySelectorAll('#drawing .event').length > 3"), true);
    ask("tso");
    browser.click("#later");
    shows("tso: inconsistent");
    ask("linearizable");
    drop_file(browser, "stale.json", STALE);
    shows("linearizable: inconsistent");
    drop_file(browser, "enqueues.json", ENQUEUES);
    shows("linearizable: consistent");
    assert_eq!(browser.errors(), Vec::<String>::new());
    // What is wrong is said, and the page goes on.
    drop_file(browser, "bad.txt", "T0: W x one\n");
    browser.wait(
        "document.querySelector('#notice span').textContent === \
         'bad.txt:1:9: expected the value written, found `one`'",
    );
    ask("sc");
    drop_file(browser, "missed.txt", MISSED);
    shows("sc: inconsistent");
}

#[test]
fn the_static_page_checks_what_is_dropped() {
    let Some(browser) = opened() else { return };
    checks(&browser);
    assert_eq!(browser.errors(), Vec::<String>::new());
}

#[test]
fn the_static_page_agrees_with_the_command_on_every_example() {
    let Some(browser) = opened() else { return };
    let mut files = 0;
    for folder in ["litmus", "objects", "papers", "separations", "transactions"] {
        for entry in std::fs::read_dir(root().join("examples").join(folder)).expect("a folder") {
            agreed(&browser, &entry.expect("an entry").path(), "all");
            files += 1;
        }
    }
    assert!(files > 50);
    assert_eq!(browser.errors(), Vec::<String>::new());
}

/// An unsatisfiable formula that takes many cases for its size (Tseitin 1968): the edges of a ladder with so many corners, its
/// ends joined crosswise, would have to be odd in number at one corner and even at the others.
fn parity(corners: u32) -> Formula {
    let ring = (0..corners).map(|corner| [corner, (corner + 1) % corners]);
    let edges: Vec<[u32; 2]> =
        ring.chain((0..corners / 2).map(|corner| [corner, corner + corners / 2])).collect();
    let mut clauses = Vec::new();
    for corner in 0..corners {
        let here: Vec<u32> =
            (0..).zip(&edges).filter(|(_, edge)| edge.contains(&corner)).map(|(at, _)| at).collect();
        let odd = u32::from(corner == 0);
        // A clause against each choice of the edges whose number is wrong.
        for chosen in (0..8u32).filter(|chosen| chosen.count_ones() % 2 != odd) {
            let literal = |(at, &variable): (u32, &u32)| Literal { variable, negated: chosen >> at & 1 == 1 };
            clauses.push((0..).zip(&here).map(literal).collect());
        }
    }
    Formula::new(edges.len() as u32, clauses).expect("three edges at each corner")
}

#[test]
fn the_static_page_refutes_by_sat_and_takes_long_histories() {
    let Some(browser) = opened() else { return };
    let place = Place::new();
    let execution = satisfiability::history(&parity(20), Reduction::Guarded);
    let mut writer = Writer::new(Vec::new(), Format::Json);
    write_history(&mut writer, &execution, &Labels::default()).expect("written");
    place.write("parity.json", writer.finish().expect("written"));
    assert_eq!(agreed(&browser, &place.path("parity.json"), "sc"), ["sat"]);
    for (machine, models) in [("atomic", "sc,tso,ra"), ("pso", "sc,tso,pso")] {
        let ran =
            place.run(&["generate", "machine", "--machine", machine, "--events", "100000", "-o", "long.txt"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        agreed(&browser, &place.path("long.txt"), models);
    }
    assert_eq!(browser.errors(), Vec::<String>::new());
}

#[test]
fn the_checker_inside_survives() {
    let Some(browser) = opened() else { return };
    let fine =
        || answers(&answer_of(&browser, "sb.txt", SB, json!({"models": "sc"})))["sc"] == "inconsistent";
    assert!(fine());
    for (name, text, request, error) in [
        ("a.json", "{\"threads\": [", json!({}), "a.json:1"),
        ("a.txt", "T0: W x 1", json!({"models": "x86"}), "x86"),
        ("a.txt", "T0: W x 1", json!({"model": "sc"}), "model"),
        ("a.txt", "(\u{b5}/\u{fd}", json!({}), "a.txt"),
    ] {
        let answer = answer_of(&browser, name, text, request);
        assert!(answer["error"].as_str().expect("an error").contains(error), "{answer}");
    }
    let zstd = browser.eval("tribunalChecker.check('a.zst', new Uint8Array([0x28, 0xb5, 0x2f, 0xfd]), '{}')");
    assert!(zstd.as_str().expect("text").contains("zstd is not read here"), "{zstd}");
    // An exception in there ends its worker; the next history has a new one.
    let failed = browser.eval("tribunalChecker.check('a.txt', null, '{}').catch((error) => error.message)");
    assert!(failed.as_str().expect("text").starts_with("The checker failed: "), "{failed}");
    assert!(fine());
    // So does who has no more patience, before and while there is something to stop.
    let stopped = browser.run(
        "const checking = tribunalChecker.check('a.txt', new TextEncoder().encode(arguments[0]), '{}');
         tribunalChecker.stop();
         return checking.catch((error) => error.message)",
        &[json!(SB)],
    );
    assert_eq!(stopped, "Stopped.");
    assert!(fine());
    let ran = Place::new().run(&["generate", "machine", "--events", "300000"]);
    let stopped = browser.run(
        "const checking = tribunalChecker.check('a.txt', new TextEncoder().encode(arguments[0]), '{}');
         setTimeout(() => tribunalChecker.stop(), 300);
         return checking.then(() => 'checked', (error) => error.message)",
        &[json!(ran.stdout)],
    );
    assert_eq!(stopped, "Stopped.");
    assert!(fine());
}

#[test]
fn the_served_page_checks_what_is_dropped() {
    let Some(browser) = Driver::start() else { return };
    let served = Served::start(&[]);
    browser.goto(&served.url);
    browser.wait("window.tribunal && window.tribunalChecker.kind === 'http'");
    checks(&browser);
    // Chromium logs answers that are no success: here the malformed history's.
    let errors = browser.errors();
    assert!(errors.iter().all(|error| error.contains("422")), "{errors:?}");
}

#[test]
fn the_static_page_checks_where_it_is_served() {
    let Some(page) = page() else { return };
    let Some(browser) = Driver::start() else { return };
    let served = Served::start(&["--page", page.to_str().expect("a name")]);
    browser.goto(&served.url);
    browser.wait("window.tribunal && window.tribunalChecker.kind === 'wasm'");
    checks(&browser);
    assert_eq!(browser.errors(), Vec::<String>::new());
}

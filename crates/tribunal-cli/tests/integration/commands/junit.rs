//! `check --style junit`: a document that is well-formed, and says what `check` found.

use crate::command::{MISSED, MP, Place, SEEN, STALE, several};
use std::collections::BTreeMap;

/// An element of a document.
#[derive(Debug, Default)]
struct Element {
    tag: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).unwrap_or_else(|| panic!("{} has no {name}", self.tag))
    }

    fn number(&self, name: &str) -> usize {
        self.attribute(name).parse().expect("a number")
    }

    /// How many test cases have a child of this tag.
    fn with(&self, tag: &str) -> usize {
        self.children.iter().filter(|case| case.children.iter().any(|child| child.tag == tag)).count()
    }
}

fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let (name, after) = after.split_once(';').expect("the end of an entity");
        plain.push_str(before);
        plain.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#10" => '\n',
            "#9" => '\t',
            other => panic!("an unknown entity: {other}"),
        });
        rest = after;
    }
    plain + rest
}

/// Reads a document, strictly; only what JUnit needs of XML.
fn parse(document: &str) -> Element {
    let body = document.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    assert!(body.chars().all(|c| !c.is_control() || c == '\n'), "a control character");
    let mut open: Vec<Element> = vec![Element::default()];
    let mut rest = body;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains(['>', '"']), "unescaped: {text}");
        open.last_mut().expect("an element").text += &plain(text);
        let (inside, after) = after.split_once('>').expect("the end of a tag");
        rest = after;
        if let Some(tag) = inside.strip_prefix('/') {
            let done = open.pop().expect("an element");
            assert_eq!(done.tag, tag);
            open.last_mut().expect("a parent").children.push(done);
            continue;
        }
        let (inside, empty) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
        let (tag, mut attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let mut element = Element { tag: tag.into(), ..Element::default() };
        while let Some((name, after)) = attributes.split_once("=\"") {
            let (value, after) = after.split_once('"').expect("the end of an attribute");
            element.attributes.insert(name.trim().into(), plain(value));
            attributes = after;
        }
        assert_eq!(attributes.trim(), "");
        match empty {
            true => open.last_mut().expect("a parent").children.push(element),
            false => open.push(element),
        }
    }
    assert_eq!((open.len(), rest.trim()), (1, ""), "an element that is not closed");
    let mut top = open.pop().expect("the document");
    assert_eq!(top.children.len(), 1);
    top.children.pop().expect("a root")
}

#[test]
fn a_suite_for_each_file_and_a_test_for_each_history_and_model() {
    let place = Place::with("a.txt", several(&[SEEN, MP, MISSED]));
    place.write("b<&>.json", STALE.replace("stale", "a \\\"stale\\\" <read>"));
    let ran =
        place.run(&["check", "--style", "junit", "--model", "sc,rc20,linearizable", "a.txt", "b<&>.json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (1, ""));
    let suites = parse(&ran.stdout);
    assert_eq!(suites.tag, "testsuites");
    let [a, b] = &suites.children[..] else { panic!("two suites: {}", ran.stdout) };
    assert_eq!((a.attribute("name"), b.attribute("name")), ("a.txt", "b<&>.json"));
    for suite in [a, b] {
        assert_eq!(suite.tag, "testsuite");
        assert_eq!(suite.number("tests"), suite.children.len());
        assert_eq!(suite.number("failures"), suite.with("failure"));
        assert_eq!(suite.number("errors"), suite.with("error"));
        assert_eq!(suite.number("skipped"), suite.with("skipped"));
        assert!(suite.attribute("time").parse::<f64>().is_ok());
    }
    assert_eq!(
        (a.number("tests"), a.number("failures"), a.number("errors"), a.number("skipped")),
        (9, 3, 0, 3)
    );
    assert_eq!((b.number("tests"), b.number("failures"), b.number("skipped")), (3, 1, 2));
    let mp = a.children.iter().find(|case| case.attribute("name") == "MP (a.txt:5): sc").expect("MP");
    assert_eq!(mp.attribute("classname"), "a.txt");
    let failure = &mp.children[0];
    assert_eq!((failure.tag.as_str(), failure.attribute("type")), ("failure", "inconsistent"));
    assert!(failure.attribute("message").starts_with("inconsistent, breaks "), "{failure:?}");
    assert!(failure.text.contains("T1:0 R y 1") && failure.text.contains('\n'), "{failure:?}");
    assert!(
        b.children.iter().any(|case| case.attribute("name").starts_with("a \"stale\" <read> (")),
        "{b:?}"
    );
}

#[test]
fn what_is_undecided_or_malformed_does_not_pass() {
    let place = Place::with("bad.txt", several(&[SEEN, "T0: nonsense\n", MP]));
    place.write("seen.txt", SEEN);
    let check = ["check", "--style", "junit", "--model", "sc"];
    let ran = place.run(&[&check[..], &["--keep-going", "bad.txt", "none.txt", "seen.txt"]].concat());
    assert_eq!(ran.status, 2);
    let suites = parse(&ran.stdout);
    let counts: Vec<_> =
        suites.children.iter().map(|suite| (suite.number("tests"), suite.number("errors"))).collect();
    assert_eq!(counts, [(3, 1), (1, 1), (1, 0)], "{}", ran.stdout);
    let error = &suites.children[0].children[1].children[0];
    assert_eq!((error.tag.as_str(), error.attribute("type")), ("error", "malformed"));
    assert!(error.attribute("message").starts_with("bad.txt:5:"), "{error:?}");
    // Without --keep-going the file ends at the malformed history.
    let ran = place.run(&[&check[..], &["bad.txt", "seen.txt"]].concat());
    let suites = parse(&ran.stdout);
    let counts: Vec<_> =
        suites.children.iter().map(|suite| (suite.number("tests"), suite.number("errors"))).collect();
    assert_eq!((ran.status, &counts[..]), (2, &[(2, 1), (1, 0)][..]), "{}", ran.stdout);

    let ran = place.run(&[&check[..], &["--timeout", "0", "seen.txt"]].concat());
    let suites = parse(&ran.stdout);
    let case = &suites.children[0].children[0];
    assert_eq!((ran.status, case.children[0].tag.as_str()), (3, "error"), "{}", ran.stdout);
    assert_eq!(case.children[0].attribute("type"), "undecided");
    assert_eq!(place.run(&[&check[..], &["--expect", "seen.txt"]].concat()).status, 2);
}

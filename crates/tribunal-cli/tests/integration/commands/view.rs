//! `tribunal view`: pictures of histories, whole or not at all.

use crate::command::{ENQUEUES, MP, Place, SB, SEEN, STALE, several};

use serde_json::Value;

/// The document in a page.
fn document(page: &str) -> Value {
    let json = page.split("id=\"document\">").nth(1).and_then(|rest| rest.split("</script>").next());
    serde_json::from_str(json.expect("a document")).expect("JSON")
}

fn shown(document: &Value) -> (&str, &str) {
    let at = document["shown"].as_u64().expect("an index") as usize;
    let answer = &document["answers"][at];
    (answer["question"].as_str().expect("a name"), answer["verdict"].as_str().expect("a word"))
}

#[test]
fn a_page_has_the_history_and_all_models() {
    let place = Place::with("sb.txt", SB);
    let ran = place.run(&["view", "sb.txt", "-o", "sb.html"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "sb.html\n", ""));
    let page = place.read("sb.html");
    assert!(page.starts_with("<!doctype html>") && !page.contains("/*SCRIPT*/"));
    assert!(!page.contains("src=\"http") && !page.contains("@import"), "nothing comes from elsewhere");
    let document = document(&page);
    assert_eq!((&document["title"], &document["source"]), (&"SB".into(), &"sb.txt:1".into()));
    assert_eq!(document["answers"].as_array().map(Vec::len), Some(19));
    assert_eq!(document["events"][0]["label"], "W x 1");
    // sc, wsc and ccm forbid it: people ask for sc first.
    assert_eq!(shown(&document), ("sc", "inconsistent"));
}

#[test]
fn an_object_is_a_timeline() {
    let place = Place::with("stale.json", STALE);
    let page = place.run(&["view", "stale.json", "-o", "-"]).stdout;
    let stale = document(&page);
    assert_eq!(stale["operations"][1]["label"], "read() → null");
    assert_eq!(shown(&stale), ("linearizable", "inconsistent"));
    let enqueues = place.run_on(&["view", "-", "-o", "-"], ENQUEUES);
    assert_eq!(enqueues.status, 0);
    assert_eq!(shown(&document(&enqueues.stdout)), ("linearizable", "consistent"));
    let other = place.run(&["view", "stale.json", "--spec", "register(1)", "--model", "weak", "-o", "-"]);
    assert_eq!(
        shown(&document(&other.stdout)),
        ("weak", "inconsistent"),
        "no read before a write returns null"
    );
}

#[test]
fn plain_pictures() {
    let place = Place::with("mp.txt", MP);
    let ran = place.run(&["view", "--model", "ra", "mp.txt", "--svg", "mp.svg", "--dot", "mp.dot"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "mp.svg\nmp.dot\n"));
    let svg = place.read("mp.svg");
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("ra: inconsistent"), "{svg}");
    assert!(svg.contains("class=\"glow\"") && svg.contains("prefers-color-scheme:dark"));
    let dot = place.read("mp.dot");
    assert!(dot.starts_with("digraph") && dot.contains("label=\"fr\""), "{dot}");
    let piped = place.run(&["view", "--model", "ra", "mp.txt", "--svg", "-", "--dot", "other.dot"]);
    assert_eq!(piped.stdout, svg, "no name among the picture");
    assert_eq!(place.read("other.dot"), dot);
}

#[test]
fn one_history_of_a_file_is_chosen() {
    let place = Place::with("all.txt", several(&[SEEN, SB, MP]));
    let page = place.run(&["view", "--index", "1", "--model", "sc,tso", "all.txt", "-o", "-"]).stdout;
    assert_eq!(document(&page)["title"], "SB");
    let beyond = place.run(&["view", "--index", "3", "all.txt", "-o", "beyond.html"]);
    assert_eq!(beyond.status, 2);
    assert_eq!(beyond.stderr, "error: all.txt: --index 3: the file has 3 histories, counted from 0\n");
    assert!(!place.path("beyond.html").exists());
}

#[test]
fn what_cannot_be_drawn_is_told_and_leaves_files_alone() {
    let place = Place::with("mp.txt", MP);
    place.write("old.html", "old");
    place.write("bad.txt", "T0: W x 1\nT1: R x one\n");
    for (arguments, complaint) in [
        (
            &["view", "bad.txt", "-o", "old.html"][..],
            "error: bad.txt:2:9: expected the value read, found `one`\n",
        ),
        (&["view", "none.txt", "-o", "old.html"], "error: none.txt: "),
        (&["view", "-"], "error: the history comes from standard input: say where to write, with --output\n"),
        (&["view", "mp.txt", "-o", "-", "--open"], "error: --open needs the page in a file"),
        (&["view", "mp.txt", "-o", "-", "--svg", "-"], "error: only one picture can go to standard output\n"),
        (&["view", "mp.txt", "-o", "none/mp.html"], "error: none/mp.html: "),
        (&["view", "--model", "strong", "mp.txt", "-o", "old.html"], "error: invalid value 'strong'"),
    ] {
        let ran = place.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with(complaint), "{}", ran.stderr);
    }
    assert_eq!(place.read("old.html"), "old");
}

#[test]
fn what_takes_too_long_is_undecided() {
    let place = Place::new();
    place.run(&["generate", "machine", "--events", "20000", "-o", "long.txt"]);
    let ran = place.run(&["view", "--model", "sc", "--timeout", "0", "long.txt", "-o", "long.html"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let document = document(&place.read("long.html"));
    assert_eq!(shown(&document), ("sc", "undecided"));
    assert_eq!(document["size"], 20_000);
    assert!(document["overview"]["density"].is_array());
}

#[test]
fn the_page_lies_beside_its_history() {
    let place = Place::with("mp.txt", MP);
    let ran = place.run(&["view", "mp.txt"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "mp.html\n", ""));
    assert_eq!(document(&place.read("mp.html"))["source"], "mp.txt:1");
    // Pictures alone need no page.
    place.write("sb.txt", SB);
    assert_eq!(place.run(&["view", "sb.txt", "--svg", "sb.svg"]).stdout, "sb.svg\n");
    assert!(!place.path("sb.html").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn the_page_is_opened_in_the_browser() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with("mp.txt", MP);
    place.write("xdg-open", "#!/bin/sh\nprintf %s \"$1\" > \"$(dirname \"$0\")/opened\"\n");
    let program = place.path("xdg-open");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let mut command = place.command(&["view", "--open", "mp.txt"]);
    let path = format!("{}:/usr/bin:/bin", place.path("").display());
    let ran: crate::command::Ran = command.env("PATH", &path).output().expect("it runs").into();
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "mp.html\n", ""));
    assert!(place.read("opened").ends_with("/mp.html"));
    // Without such a program the page is there, and the error says so.
    let mut command = place.command(&["view", "--open", "mp.txt"]);
    let ran: crate::command::Ran = command.env("PATH", "/nowhere").output().expect("it runs").into();
    assert_eq!((ran.status, ran.stdout.as_str()), (2, "mp.html\n"));
    assert!(ran.stderr.starts_with("error: --open: xdg-open: "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; open mp.html in a browser yourself\n"), "{}", ran.stderr);
}

#[test]
fn an_input_is_not_written_over() {
    let place = Place::with("sb.txt", SB);
    #[cfg(unix)]
    std::fs::hard_link(place.path("sb.txt"), place.path("same.html")).expect("linked");
    let mut commands = vec![
        vec!["view", "sb.txt", "-o", "sb.txt"],
        vec!["view", "sb.txt", "--svg", "./sb.txt"],
        vec!["shrink", "sb.txt", "-o", "sb.txt"],
        vec!["generate", "mutate", "sb.txt", "-o", "sb.txt"],
    ];
    if cfg!(unix) {
        commands.push(vec!["view", "sb.txt", "-o", "same.html"]);
    }
    for command in commands {
        let ran = place.run(&command);
        assert!(
            ran.status == 2 && ran.stderr.contains(" is an input: name another file"),
            "{command:?}: {ran:?}"
        );
        assert_eq!(place.read("sb.txt"), SB);
    }
    let ran = place.run(&["view", "sb.txt", "-o", "nowhere/sb.html"]);
    assert_eq!((ran.status, &*ran.stderr), (2, "error: nowhere/sb.html: there is no folder nowhere\n"));
}

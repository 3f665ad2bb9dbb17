//! No text takes the stack, or much time: nesting, length and work are limited.

use std::time::{Duration, Instant};
use tribunal_cat::{Environment, Error, Model, NoFiles};

fn plan(text: &str) -> Result<usize, Error> {
    let start = Instant::now();
    let result =
        Model::parse(text, "m.cat", &mut NoFiles).and_then(|model| model.plan(&Environment::history()));
    assert!(start.elapsed() < Duration::from_secs(20));
    result.map(|plan| plan.nodes.len())
}

#[test]
fn deep_texts_are_refused() {
    let deep = 100_000;
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("~", ""),
        ("domain(", ")"),
        ("begin ", " end"),
        ("let x = rf in ", ""),
    ] {
        let text = format!("acyclic {}rf{}", open.repeat(deep), close.repeat(deep));
        assert!(plan(&text).is_err(), "{open}");
    }
    for postfix in ["+", "?", "^-1", " rf", "*"] {
        assert!(plan(&format!("acyclic rf{}", postfix.repeat(deep))).is_err(), "{postfix}");
    }
    assert!(plan(&"if \"v\" ".repeat(deep)).is_err());
    assert!(plan(&format!("if {} \"v\" end", "not ".repeat(deep))).is_err());
    assert!(plan(&format!("if {} \"v\" end", "(".repeat(deep))).is_err());
    assert!(plan(&"(*".repeat(deep)).is_err());
    assert!(plan(&"procedure p() = ".repeat(deep)).is_err());
}

/// As deep as is allowed, with as much stack as a page in a browser has.
#[test]
fn allowed_nesting_fits_the_stack() {
    let texts = [
        format!("acyclic {}rf{}", "(".repeat(110), ")".repeat(110)),
        format!("acyclic {}rf{}", "(rf;".repeat(110), ")".repeat(110)),
        format!("acyclic {}rf", "let x = rf in ".repeat(110)),
        format!("acyclic {}rf{}", "try ".repeat(110), " with rf".repeat(110)),
        format!("acyclic {}S{}", "domain(".repeat(110), ")".repeat(110)),
        "let rec f x = rf; (rf | (f (x | rf))) acyclic f(rf)".to_owned(),
        "let rec f x = let y = x in try f (y) with match {} with || {} -> f y || a ++ b -> f y end acyclic f(rf)".to_owned(),
        "procedure rec p(x) = if \"v\" else forall y in {x} do call p(x) end end end call p(rf)".to_owned(),
    ];
    for text in texts {
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        thread.spawn(move || plan(&text).map(|_| ())).unwrap().join().unwrap().ok();
    }
}

#[test]
fn long_texts_are_read() {
    let n = 20_000;
    assert!(plan(&format!("acyclic {}rf", "rf | ".repeat(n))).is_ok());
    assert!(plan(&format!("acyclic {}rf", "po ; ".repeat(n))).is_ok());
    assert!(plan(&format!("acyclic {}rf", "po \\ ".repeat(n))).is_ok());
    assert!(plan(&format!("acyclic {}rf", "po & ".repeat(n))).is_ok());
    let definitions: String = (0..n).map(|i| format!("let x{} = x{i} | po;x{i}\n", i + 1)).collect();
    assert!(plan(&format!("let x0 = rf\n{definitions}acyclic x{n}")).is_ok());
    let functions: String = (0..n).map(|i| format!("let f{} x = f{i} x\n", i + 1)).collect();
    assert!(plan(&format!("let f0 x = x\n{functions}acyclic f10 rf")).is_ok());
    assert!(plan(&format!("let f0 x = x\n{functions}acyclic f{n} rf")).is_ok());
    let tuples: String = (0..n).map(|i| format!("let t{} = (t{i}, rf)\n", i + 1)).collect();
    assert!(plan(&format!("let t0 = rf\n{tuples}acyclic rf")).is_ok());
}

#[test]
fn endless_texts_end() {
    let doubling: String = (0..60).map(|i| format!("let f{} x = f{i} x | f{i} (x;po)\n", i + 1)).collect();
    assert!(plan(&format!("let f0 x = x\n{doubling}acyclic f60 rf")).is_err());
    let doubling: String = (0..60).map(|i| format!("let g{} x = g{i} (g{i} x)\n", i + 1)).collect();
    assert!(plan(&format!("let g0 x = x;po\n{doubling}acyclic g60 rf")).is_err());
    let choices = "let rec many s = many (1 ++ s) acyclic many {}";
    assert!(plan(choices).is_err());
}

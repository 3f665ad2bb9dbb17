//! Good and bad sources. The examples are compared with the built-in specifications in `tests/integration/specifications.rs`.

use super::*;
use tribunal_random::Random;

const TICKETS: &str = include_str!("../../../examples/specs/priority-queue.spec");
const TRANSACTIONS: &str = include_str!("../../../examples/specs/multi-register.spec");

fn fault(source: &str) -> String {
    Declared::parse(source, "f").expect_err(source).to_string()
}

/// What a method with this body returns when called with 1.
fn returns(body: &str) -> Option<Value> {
    let source = format!(
        "object o {{ state n: number = 5 state s: sequence = [1, 2] state m: map = {{\"a\": 1, \"b\": 2}} method f(x) {{ {body} }} }}"
    );
    let spec = Declared::parse(&source, "o").unwrap_or_else(|error| panic!("{error}: {body}"));
    spec.step(&mut spec.initial(), Invocation { method: "f", args: &[Value::Int(1)] })
}

fn shows(body: &str) -> String {
    returns(body).map_or("refused".into(), |value| value.to_string())
}

#[test]
fn expressions_bind_as_documented() {
    let cases = [
        ("return 1 + 2 * 3 - 4", "3"),
        ("return 10 - 3 - 2", "5"),
        ("return -x + -2 * -3", "5"),
        ("return 1 + 1 == 2 and not 3 < 2 or false", "true"),
        ("return not true or true", "true"),
        ("return not (true or true)", "false"),
        ("return null else m[\"c\"] else 7", "7"),
        ("return [x, [\"a\"], s, m]", "[1, [\"a\"], [1, 2], [[\"a\", 1], [\"b\", 2]]]"),
        ("return [1, 2] + [3]", "[1, 2, 3]"),
        ("return \"a\" + \"b\\\"\"", "\"ab\\\"\""),
        ("return [[1, 2], [3]][0][1]", "2"),
        ("return [1][9]", "null"),
        ("return s[1]", "2"),
        ("return s[0 - 1]", "null"),
        ("return m[\"b\"]", "2"),
        ("return 2 in s and \"a\" in m and 3 in [3] and not (\"z\" in m)", "true"),
        ("return s is empty or m is empty or [1] is empty or \"\" is not empty", "false"),
        ("return [size(s), size(m), size([]), size(\"äb\")]", "[2, 2, 0, 2]"),
        ("return [least(m), greatest(m), keys(m), values(m)]", "[\"a\", \"b\", [\"a\", \"b\"], [1, 2]]"),
        ("return [s.pop_front(), s.pop_back(), s.pop_back()]", "[1, 2, null]"),
        ("s.push_front(0) s.push_back(3) s.pop_front() return s", "[1, 2, 3]"),
        ("m[\"a\"] = 9 remove m[\"b\"] remove m[\"z\"] return m", "[[\"a\", 9]]"),
        ("s.clear() m.clear() return [s, m]", "[[], []]"),
        ("n = n + x return n", "6"),
        ("let a = null a = 3 return a", "3"),
        ("for y in [1, 2, 3] { n = n + y } return n", "11"),
        ("for y in s { s.push_back(y) } return s", "[1, 2, 1, 2]"),
        ("for y in [1, 2, 3] { when y == 2 { return y } }", "2"),
        (
            "when x == 0 { return 0 } otherwise when x == 1 { return \"one\" } otherwise { return 2 }",
            "\"one\"",
        ),
        ("require x == 1 return true", "true"),
        ("require x == 2 return true", "refused"),
        ("refuse", "refused"),
        ("return 9223372036854775807 + x", "-9223372036854775808"),
        ("return x + \"a\"", "refused"),
        ("return x and true", "refused"),
        ("", "null"),
    ];
    for (body, expected) in cases {
        assert_eq!(shows(body), expected, "{body}");
    }
}

#[test]
fn faults_have_places() {
    let cases = [
        ("", "f:1:1: expected `object`, found the end"),
        ("object o {}", "f:1:12: the object has no method"),
        ("object o { method m() { return x } }", "f:1:32: unknown name `x`"),
        ("object o {\n  state a = 1\n  state a = 2", "f:3:9: `a` is already declared"),
        ("object o { state a: map = [] ", "f:1:27: expected a map such as {}, found a list"),
        ("object o { state a: number = null", "f:1:30: the initial state must be a whole number, found null"),
        ("object o { method m() { } method m() { } }", "f:1:34: `m` is already declared"),
        ("object o { method m() -> number { } }", "f:1:33: the return must be a whole number, found null"),
        (
            "object o { method m() -> truth { return 1 } }",
            "f:1:41: the return must be true or false, found a whole number",
        ),
        ("object o { method m() { return 1 return 2 } }", "f:1:34: this is never reached"),
        (
            "object o { method m(x) { x = 1 } }",
            "f:1:26: `x` is a parameter or the variable of a loop, expected a `let`",
        ),
        (
            "object o { method m() { when 1 { } } }",
            "f:1:30: the condition must be true or false, found a whole number",
        ),
        (
            "object o { method m() { return 1 + \"a\" } }",
            "f:1:36: each side of `+` must be a whole number, found a text",
        ),
        // The place is that of the operand, not that of its last factor.
        (
            "object o { method m() { return \"a\" + 2 * 3 } }",
            "f:1:38: each side of `+` must be a text, found a whole number",
        ),
        // A row is blamed where its last operand begins.
        (
            "object o { method m(x) { return x + \"a\" - 1 } }",
            "f:1:37: each side of `-` and `*` must be a whole number, found a text",
        ),
        (
            "object o { method m() { return true + 1 } }",
            "f:1:32: each side of `+` must be a whole number, found true or false",
        ),
        (
            "object o { state s: sequence = [] method m() { s = 1 } }",
            "f:1:50: expected `.push_back(...)` or another change of the sequence, found `=`",
        ),
        (
            "object o { state m: map = {} method f() { m.push_back(1) } }",
            "f:1:43: `m` is a map, expected a sequence",
        ),
        (
            "object o { state n = 1 method f() { return least(n) } }",
            "f:1:50: `n` is a value of the state, expected a map",
        ),
        (
            "object o { state n = 1 method f() read-only { n = 2 } }",
            "f:1:35: `f` is declared read-only, but changes the state",
        ),
        (
            "object o { state m: map = {} method f(k, j) key k { return m[j] } }",
            "f:1:49: `f` is declared to have the key `k`, but accesses more of the state",
        ),
        ("object o { method f() key x { } }", "f:1:27: unknown name `x`"),
        ("object o { method f(x) { } commutes f() with f(y) }", "f:1:37: `f` has 1 parameter, found 0"),
        ("object o { method f(x) { } commutes f(x) with g(y) }", "f:1:47: unknown name `g`"),
        (
            "object o { state n = 1 method f() { } commutes f() with f() when n == 1 }",
            "f:1:66: unknown name `n`",
        ),
        (
            "object o { method f() { } state n = 1 }",
            "f:1:33: expected the state before the methods, found `state`",
        ),
        ("object o { method f() { return \"a } }", "f:1:32: this string does not end on its line"),
        (
            "object o { method f() { return \"a\\q\" } }",
            "f:1:35: unknown escape, expected one of \\\" \\\\ \\n \\t",
        ),
        (
            "object o { method f() { return 99999999999999999999 } }",
            "f:1:32: 99999999999999999999 does not fit in 64 bits",
        ),
        ("object o { method f() { return 1 ? 2 } }", "f:1:34: unexpected character '?'"),
        ("object o { method f(state) { } }", "f:1:21: expected a name, found `state`"),
        ("object o { method f() { } } object", "f:1:29: expected the end, found `object`"),
        ("object o { method f() { s.pop() } }", "f:1:25: unknown name `s`"),
    ];
    for (source, expected) in cases {
        assert_eq!(fault(source), expected);
    }
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("not ", ""),
        ("- ", ""),
        ("1 + ", ""),
        ("1 * ", ""),
        ("x else ", ""),
        ("x and ", ""),
    ] {
        let source = format!(
            "object o {{ method f(x) {{ return {}x{} }} }}",
            open.repeat(50_000),
            close.repeat(50_000)
        );
        assert!(fault(&source).ends_with("nested more than 40 deep"), "{open}");
    }
    let blocks = format!("object o {{ method f(x) {{ {} }} }}", "when x { ".repeat(50_000));
    assert!(fault(&blocks).ends_with("nested more than 40 deep"));
    let cases = format!("object o {{ method f(x) {{ {} }} }}", "when x { } otherwise ".repeat(50_000));
    assert!(fault(&cases).ends_with("nested more than 40 deep"));
    let elements = format!("object o {{ method f(x) {{ return x{} }} }}", "[0]".repeat(50_000));
    assert!(fault(&elements).ends_with("nested more than 40 deep"));
    let lets: String = (0..300).map(|at| format!("let a{at} = 1 ")).collect();
    assert!(
        fault(&format!("object o {{ method f() {{ {lets} }} }}"))
            .ends_with("more than 256 names in a method")
    );
}

/// Every list that a loop runs over is finite, and what they multiply to is limited.
#[test]
fn every_method_ends() {
    let doubling = format!("let l = [1, 2] {} return size(l)", "for y in l { l = l + l } ".repeat(6));
    assert_eq!(shows(&doubling), "refused");
}

/// The parser answers every text: mutations of good sources, and what they give when called.
#[test]
fn any_text_is_answered() {
    const PIECES: [&str; 22] = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "when ",
        "otherwise ",
        "for x in ",
        "return ",
        "state ",
        "= ",
        ".",
        ", ",
        "+",
        "-1",
        "\"",
        "ä",
        "remove ",
        "least(",
        "not ",
        "commutes ",
    ];
    let mut good = 0;
    for seed in 0..4000 {
        let random = &mut Random::new(seed);
        let mut text: Vec<char> = [TICKETS, TRANSACTIONS][seed as usize % 2].chars().collect();
        for _ in 0..=random.index(3) {
            let at = random.index(text.len());
            let until = (at + random.index(12)).min(text.len());
            let piece: Vec<char> = match random.index(3) {
                0 => Vec::new(),
                1 => PIECES[random.index(PIECES.len())].chars().collect(),
                _ => {
                    let from = random.index(text.len());
                    text[from..(from + 12).min(text.len())].to_vec()
                }
            };
            text.splice(at..until, piece);
        }
        let text: String = text.into_iter().collect();
        if let Ok(spec) = Declared::parse(&text, "f") {
            good += 1;
            let txn = Value::list([Value::list(["r".into(), "x".into(), Value::Null]), Value::from(1)]);
            let mut state = spec.initial();
            for signature in spec.signatures() {
                let args = vec![txn.clone(); signature.args.len()];
                spec.step(&mut state, Invocation { method: &signature.method, args: &args });
            }
        }
    }
    assert!(good > 100, "only {good} mutations are specifications");
}

#[test]
fn properties_are_derived() {
    let source = "object o {
        state m: map = {} state s: sequence = []
        method get(k) { return m[k] }
        method put(k, v) { m[k] = v }
        method move(k, j) { m[k] = m[j] }
        method nth(k) { return s[k] }
        method pop() { return s.pop_back() }
        method all() { return m }
        commutes pop() with put(k, v) when v != null
    }";
    let spec = Declared::parse(source, "o").expect("a specification");
    let args = [Value::Int(1), Value::Int(2)];
    let call = |method: &'static str, count: usize| Invocation { method, args: &args[..count] };
    assert_eq!(spec.key(call("get", 1)), Some(Value::Int(1)));
    assert_eq!(spec.key(call("put", 2)), Some(Value::Int(1)));
    for (method, count) in [("move", 2), ("nth", 1), ("pop", 0), ("all", 0)] {
        assert_eq!(spec.key(call(method, count)), None, "{method}");
    }
    let read_only =
        [("get", 1), ("nth", 1), ("all", 0)].map(|(method, count)| spec.read_only(call(method, count)));
    let others =
        [("put", 2), ("move", 2), ("pop", 0)].map(|(method, count)| spec.read_only(call(method, count)));
    assert_eq!((read_only, others), ([true; 3], [false; 3]));
    assert!(spec.commute(call("pop", 0), call("put", 2)) && spec.commute(call("put", 2), call("pop", 0)));
    assert!(!spec.commute(call("put", 2), call("put", 2)));
    assert!(spec.commute(call("get", 1), call("all", 0)));
    assert!(
        spec.commute(
            call("get", 1),
            Invocation { method: "put", args: &args.clone().map(|_| Value::Int(7)) }
        )
    );
}

//! What texts mean, as plans; and what is wrong with texts, as errors.

use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::{Condition, Effect, NodeId, Op, Orders, Plan};
use tribunal_cat::{Architecture, Environment, Error, Model, NoFiles, Problem};

fn environment() -> Environment {
    ["a", "b", "c", "d", "co", "po"]
        .into_iter()
        .fold(Environment::of(Architecture::C), |environment, name| environment.with_relation(name))
        .with_set("S")
        .with_set("T")
}

fn plan(text: &str) -> Plan {
    let model = Model::parse(text, "m.cat", &mut NoFiles).unwrap_or_else(|e| panic!("{e}"));
    model.plan(&environment()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(text: &str) -> Error {
    match Model::parse(text, "m.cat", &mut NoFiles) {
        Ok(model) => model.plan(&environment()).map(|_| ()).expect_err(text),
        Err(error) => error,
    }
}

/// A node with all that it is made of.
fn term(plan: &Plan, node: NodeId) -> String {
    let of = |node: &NodeId| term(plan, *node);
    match &plan.node(node).op {
        Op::Base(name) => name.clone(),
        Op::Union(x, y) => format!("({} | {})", of(x), of(y)),
        Op::Intersection(x, y) => format!("({} & {})", of(x), of(y)),
        Op::Difference(x, y) => format!("({} \\ {})", of(x), of(y)),
        Op::Product(x, y) => format!("({} * {})", of(x), of(y)),
        Op::Sequence(x, y) => format!("({} ; {})", of(x), of(y)),
        Op::Complement(x) => format!("~{}", of(x)),
        Op::Domain(x) => format!("domain{}", of(x)),
        Op::Range(x) => format!("range{}", of(x)),
        Op::Identity(x) => format!("[{}]", of(x)),
        Op::Inverse(x) => format!("{}^-1", of(x)),
        Op::Optional(x) => format!("{}?", of(x)),
        Op::Plus(x) => format!("{}+", of(x)),
        Op::Star(x) => format!("{}*", of(x)),
        other => format!("{other:?}"),
    }
}

/// What is checked, in order.
fn terms(text: &str) -> Vec<String> {
    let plan = plan(text);
    plan.checks.iter().map(|check| term(&plan, check.node)).collect()
}

/// Asserts that two expressions are the same operations.
#[track_caller]
fn same(a: &str, b: &str) {
    let one = |text: &str| terms(&format!("flag ~empty {text} as f"));
    assert_eq!(one(a), one(b), "{a} and {b}");
}

#[test]
fn precedence() {
    same("a;b\\c", "a;(b\\c)");
    same("a\\b&c", "a\\(b&c)");
    same("a|b;c&d", "a|(b;(c&d))");
    same("~a&b", "(~a)&b");
    same("a & b \\ c", "(a & b)\\c");
    same("a\\b\\c", "(a\\b)\\c");
    same("a*;b", "(a*);b");
    same("a+;b?", "(a+);(b?)");
    same("a & S*T", "a & (S*T)");
    same("S*T \\ a", "(S*T) \\ a");
    same("~a^-1", "~(a^-1)");
    same("a^-1;b+", "(a^-1);(b+)");
    same("a+^-1", "(a+)^-1");
    same("a;b^-1", "a;(b^-1)");
    same("[S];a;[T]", "[S];(a;[T])");
    same("S*~T", "S*(~T)");
    same("domain a * range b", "(domain(a)) * (range(b))");
    same("begin a | b end ; c", "(a|b);c");
}

#[test]
fn laws_hide_what_cannot_matter() {
    same("a \\ (a & b)", "a \\ b");
    same("a & ~b", "a \\ b");
    same("a | 0", "a");
    same("a ; id", "a");
    same("[S];[T]", "[S&T]");
    same("(a?)+", "a*");
    same("a & _", "a");
    same("(a^-1)^-1", "a");
    same("[_];a", "a");
    assert!(plan("empty a & {}").checks.is_empty());
}

#[test]
fn functions_and_definitions() {
    let both = "let f(x,y) = x;y  let g x = x | f(x,x) ";
    assert_eq!(terms(&format!("{both} acyclic g(a)")), terms("acyclic a | a;a"));
    assert_eq!(terms("let (x,y) = (a,b) acyclic x;y"), terms("acyclic a;b"));
    assert_eq!(terms("let x = a and y = b let x = y and y = x acyclic x;y"), terms("acyclic b;a"));
    assert_eq!(terms("let f = fun x -> x;x acyclic f a"), terms("acyclic a;a"));
    assert_eq!(terms("let x = let y = a in y;y acyclic x"), terms("acyclic a;a"));
    assert_eq!(terms("acyclic try nothing-such with a"), terms("acyclic a"));
    assert_eq!(terms("acyclic if \"v\" || not \"w\" && \"x\" then a else b"), terms("acyclic b"));
    assert_eq!(terms("if not \"v\" acyclic a else acyclic b end"), terms("acyclic a"));
    assert_eq!(terms("procedure p(r) = let s = r;r acyclic s end call p(a)"), terms("acyclic a;a"));
    assert_eq!(terms("let r = a let f x = x|r let r = b acyclic f(c)"), terms("acyclic c|a"));
    let tags = "enum E = 'x || 'y let f t = match t with || 'x -> a || _ -> b end ";
    assert_eq!(terms(&format!("{tags} acyclic f('x) ; f('y)")), terms("acyclic a;b"));
    assert_eq!(terms(&format!("{tags} forall t in E do acyclic f(t) end")), terms("acyclic a acyclic b"));
    // A name that is never used may be wrong, as definitions of other architectures are.
    assert_eq!(terms("let x = nothing-such acyclic a"), terms("acyclic a"));
}

#[test]
fn recursive_definitions() {
    assert_eq!(terms("let rec x = a | b | x;x acyclic x"), terms("acyclic (a|b)+"));
    assert_eq!(terms("let rec x = a | b;x acyclic x"), terms("acyclic b*;a"));
    assert_eq!(terms("let rec x = a | x;b acyclic x"), terms("acyclic a;b*"));
    assert_eq!(terms("let rec x = a acyclic x"), terms("acyclic a"));
    let mixed = plan("let rec s = S \\ domain(r) and r = r | [s];a;[s] acyclic r");
    assert_eq!(mixed.fixpoints.len(), 1);
    assert!(mixed.nodes.iter().any(|node| matches!(node.op, Op::Fixpoint(_, 1))));
    // Operands come first; of a fixpoint, the variables do.
    for (i, node) in mixed.nodes.iter().enumerate() {
        if let Op::Sequence(x, y) | Op::Union(x, y) = node.op {
            assert!((x.0 as usize) < i && (y.0 as usize) < i);
        }
    }
}

#[test]
fn checks_keep_what_the_text_says_of_them() {
    let plan = plan(
        "acyclic a as one\nflag ~empty S as two\nundefined_unless irreflexive b\nassert empty c as four",
    );
    let checks: Vec<_> =
        plan.checks.iter().map(|c| (c.effect, c.condition, c.negated, c.name.as_deref(), c.line)).collect();
    assert_eq!(
        checks,
        [
            (Effect::Require, Condition::Acyclic, false, Some("one"), 1),
            (Effect::Flag, Condition::Empty, true, Some("two"), 2),
            (Effect::UndefinedUnless, Condition::Irreflexive, false, None, 3),
            (Effect::Assert, Condition::Empty, false, Some("four"), 4),
        ]
    );
    assert_eq!(plan.checks[0].file, "m.cat");
}

#[test]
fn orders_are_chosen() {
    let c = Environment::of(Architecture::C);
    let plan = |text: &str| Model::parse(text, "m.cat", &mut NoFiles).unwrap().plan(&c).unwrap();
    let named = plan("include \"cos.cat\" acyclic co | rf");
    let implied = plan("acyclic co | rf");
    for plan in [&named, &implied] {
        assert_eq!(plan.choices.len(), 1);
        assert!(matches!(plan.choices[0].from, Orders::Locations { .. }));
    }
    assert!(plan("acyclic po | rf").choices.is_empty());
    assert_eq!(plan("include \"cos.cat\" acyclic po").choices.len(), 1);
    let total = plan("with S from linearisations(SC, po) acyclic S | rf");
    assert!(matches!(total.choices[0].from, Orders::Linearizations { .. }));
    assert_eq!(plan("with x from {rf} acyclic x").nodes.len(), plan("acyclic rf").nodes.len());
    // An empty set of relations leaves no execution.
    let refused = plan("with x from {} acyclic x");
    assert!(refused.checks.iter().any(|c| c.negated && c.condition == Condition::Empty));
}

#[test]
fn events_of_one_execution() {
    let model = Model::parse("forall e in _ do irreflexive [{e}]; a end", "m.cat", &mut NoFiles).unwrap();
    assert_eq!(model.plan_of(&environment(), &3).unwrap().checks.len(), 3);
    let fold = "let rec all S = match S with || {} -> 0 || e ++ S -> [e] | all S end acyclic all _ | a";
    let model = Model::parse(fold, "m.cat", &mut NoFiles).unwrap();
    let plan = model.plan_of(&environment(), &3).unwrap();
    assert_eq!(plan.nodes.iter().filter(|node| matches!(node.op, Op::Event(_))).count(), 3);
    assert!(matches!(model.plan(&environment()).unwrap_err().problem, Problem::NotSupported(_)));
}

#[track_caller]
fn says(text: &str, expected: &str) {
    assert_eq!(error(text).to_string().lines().next(), Some(expected));
}

#[test]
fn errors_say_where_and_what() {
    says("acyclic a |", "m.cat:1:12: expected an expression, found the end of the file");
    says("let x = a\nacyclic (a;b", "m.cat:2:13: expected `)`, found the end of the file");
    says("acyclic a $ b", "m.cat:1:11: unexpected character '$'");
    says("(* a (* b *)", "m.cat:1:1: this comment is not terminated");
    says("include \"x", "m.cat:1:9: this string is not terminated");
    says("let x a", "m.cat:1:8: expected `=`, found the end of the file");
    says("acyclic a*b", "m.cat:1:9: expected a set of events, found a relation");
    says("acyclic S*T*S", "m.cat:1:12: an operator after a product needs parentheses here");
    says("acyclic ~a+", "m.cat:1:11: an operator after `~` needs parentheses here");
    says("acyclic S", "m.cat:1:9: expected a relation, found a set of events");
    says("acyclic a | S", "m.cat:1:13: expected a relation, as on the left, found a set of events");
    says("acyclic rff", "m.cat:1:9: there is no `rff`; did you mean `rf`?");
    says("let f(x,y) = x acyclic f(a)", "m.cat:1:25: expected a tuple, found a relation");
    says("let f(x,y) = x acyclic f(a,b,c)", "m.cat:1:25: 2 values are expected here, and there are 3");
    says("include \"missing.cat\"", "m.cat:1:1: there is no file \"missing.cat\" to include");
    says("call p(a)", "m.cat:1:1: there is no `p`");
    says("let rec f x = a;f x acyclic f(a)", "m.cat:1:19: the model needs more than 500 levels of nesting");
    says("flag acyclic 'x", "m.cat:1:14: there is no `'x`");
    let shown = error("let x =\n\tnothing\nacyclic x").to_string();
    assert_eq!(shown, "m.cat:2:2: there is no `nothing`\n    \tnothing\n    \t^");
}

#[test]
fn included_files_are_found_and_may_not_include_themselves() {
    let mut library = |name: &str| match name {
        "one.cat" => Some("One\ninclude \"two.cat\" let x = y".to_owned()),
        "two.cat" => Some("let y = rf".to_owned()),
        "loop.cat" => Some("include \"loop.cat\"".to_owned()),
        "bad.cat" => Some("let x = rf\nlet y = = x".to_owned()),
        _ => None,
    };
    let c = Environment::of(Architecture::C);
    let model =
        Model::parse("X86 TSO include \"one.cat\" include \"one.cat\" acyclic x", "m.cat", &mut library)
            .unwrap();
    assert_eq!(model.name(), Some("TSO"));
    assert_eq!(model.architecture(), Some(Architecture::X86));
    assert_eq!(model.files().collect::<Vec<_>>(), ["m.cat", "one.cat", "two.cat"]);
    assert_eq!(model.plan(&c).unwrap().checks.len(), 1);
    let cycle = Model::parse("include \"loop.cat\"", "m.cat", &mut library).unwrap_err();
    assert_eq!(cycle.problem, Problem::Cycle("loop.cat".to_owned()));
    let bad = Model::parse("include \"bad.cat\"", "m.cat", &mut library).unwrap_err();
    assert_eq!((bad.file.as_str(), bad.at.line, bad.at.column), ("bad.cat", 2, 9));
    // A file that is not there is no error where it is not asked for.
    let model = Model::parse("if \"v\" include \"none.cat\" end acyclic rf", "m.cat", &mut library).unwrap();
    assert!(model.plan(&c).is_ok());
}

#[test]
fn what_is_known_to_be_empty_vanishes() {
    let text = "acyclic fencerel(MFENCE) | rf as check";
    let model = Model::parse(text, "m.cat", &mut NoFiles).unwrap();
    let all = Environment::of(Architecture::X86_64);
    let some = model.plan(&all).unwrap().nodes.len();
    let fewer = model.plan(&all.with_empty("MFENCE")).unwrap().nodes.len();
    assert_eq!((some > 1, fewer), (true, 1));
}

/// Where a text names `EX`, exclusive accesses are no longer in `X`.
#[test]
fn exclusive_accesses_are_apart_where_a_text_knows_them() {
    let riscv = Environment::of(Architecture::RiscV);
    let bases = |text: &str, environment: &Environment| {
        let plan = Model::parse(text, "m.cat", &mut NoFiles).unwrap().plan(environment).unwrap();
        let named = plan
            .nodes
            .iter()
            .filter(|node| matches!(&node.op, Op::Base(name) if name == "EX" || name == "X"));
        (named.count(), plan.nodes.iter().any(|node| matches!(node.op, Op::Difference(..))))
    };
    assert_eq!(bases("acyclic [X]; po", &riscv), (1, false));
    assert_eq!(bases("acyclic [X]; po | [EX]; po", &riscv), (2, true));
    // Without exclusive accesses there are none.
    assert_eq!(bases("acyclic [X]; po | [EX]; po", &Environment::of(Architecture::X86)), (1, false));
}

/// A text may go through all tuples of events: it is stopped between them, even where it does nothing with them.
#[test]
fn a_text_that_takes_long_is_stopped() {
    let all = |body: &str| {
        let open: String =
            ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("forall {name} in _ do ")).concat();
        format!("{open}{body}{}", " end".repeat(7))
    };
    for body in ["", "acyclic [{a}]; po; [{b}]", "empty try 0; no-such-name with 0"] {
        let model = Model::parse(&all(body), "m.cat", &mut NoFiles).unwrap();
        let mut polls = 0;
        let mut limits = |_: usize, steps: u64| {
            polls += 1;
            if steps > 20_000 { Err(Stopped) } else { Ok(()) }
        };
        let error = model.plan_within(&environment(), Some(&50), &mut limits).unwrap_err();
        assert!(matches!(error.problem, Problem::Stopped), "{error}");
        assert!(polls > 10, "{polls} polls");
    }
}

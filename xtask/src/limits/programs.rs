//! Programs, litmus tests and models.

use super::{Attack, Family};

/// Programs to explore. They keep to time; memory is the machine's.
pub fn explore() -> Vec<Family> {
    let many = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>();
    let locations = many(20, &|i| format!("x{i}")).join(", ");
    let columns = many(6, &|i| format!("r{i}")).join(", ");
    let ranges = ["0..1000"; 6].join(", ");
    let programs = [
        ("an endless loop", "thread A { loop { } }\n".to_string()),
        ("an endless end", "thread A { r = 1 }\nfinal { loop { } }\n".to_string()),
        ("large expectations", {
            format!(
                "thread A {{ {} }}\nexpect outcomes ({columns}) {{ {ranges} }}\n",
                many(6, &|i| format!("r{i} = 1")).join("; ")
            )
        }),
        ("many locations", {
            let writes = |t: usize| many(20, &|i| format!("x{i} = {}", t + 1)).join("; ");
            let threads = many(3, &|t| format!("thread T{t} {{ {} }}", writes(t))).join("\n");
            format!("atomic {locations}\n{threads}\nfinal {{ assert x0 == 9 }}\n")
        }),
        (
            "many threads",
            format!("atomic x\n{}\n", many(3_000, &|t| format!("thread T{t} {{ x = {t} }}")).join("\n")),
        ),
        ("nested ifs", {
            let open = "if r == 0 { ".repeat(20_000);
            format!("thread A {{ r = 0; {open} r = 1 {} }}\n", "}".repeat(20_000))
        }),
        (
            "nested parentheses",
            format!("thread A {{ r = {}1{} }}\n", "(".repeat(100_000), ")".repeat(100_000)),
        ),
        (
            "a long loop",
            "atomic x\nthread A { for i in 0..4294967295 { x = i } }\nthread B { r = x }\n".to_string(),
        ),
        ("a recursive function", "fn f(a) { f(a) }\nthread A { f(1) }\n".to_string()),
        (
            "many values",
            format!(
                "atomic x\n{}\n",
                many(8, &|t| format!("thread T{t} {{ for i in 0..8 {{ x += 1 }} }}")).join("\n")
            ),
        ),
    ];
    let explored = programs.iter().flat_map(|(name, program)| {
        ["sc", "rc20", "tso"].map(|model| {
            let attack = Attack::new(format!("{name}, {model}"), &format!("explore -m {model} p.prog"));
            attack.with("p.prog", program.as_str()).unbounded().answers(2)
        })
    });
    let small = "atomic x\nthread A { x = 1 }\nthread B { r = x }\n";
    let modes = [
        ("changes of priority", "explore --random 1000000000 --pct 1000000000 p.prog"),
        ("executions", "explore --random 18446744073709551615 p.prog"),
        ("events", "explore --max-events 18446744073709551615 p.prog"),
    ];
    let modes =
        modes.map(|(name, line)| Attack::new(name, line).with("p.prog", small).unbounded().answers(2));
    vec![Family { name: "explore", attacks: explored.chain(modes).collect() }]
}

/// Litmus tests.
pub fn litmus() -> Vec<Family> {
    let many = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>();
    let c = |body: String, end: &str| format!("C test\n{{}}\n{body}\n{end}\n");
    let thread = |t: usize, body: String| format!("P{t} (atomic_int* x) {{\n{body}}}\n");
    let branches = |t: usize| {
        let ifs = many(13, &|i| {
            format!(
                "  int r{i} = atomic_load_explicit(x, memory_order_relaxed);\n  if (r{i} == {i}) {{ *x = 1; }}\n"
            )
        });
        let stores = many(200, &|i| format!("  atomic_store_explicit(x, {i}, memory_order_relaxed);\n"));
        thread(t, ifs.concat() + &stores.concat())
    };
    let tests = [
        (
            "names of locations",
            c(
                thread(0, String::new()),
                &format!("locations [{}]\nexists (x=0)", many(8_000, &|i| format!("x{i};")).concat()),
            ),
        ),
        ("branches", c(many(60, &branches).concat(), "exists (x=0)")),
        (
            "stores",
            c(
                many(8, &|t| {
                    thread(
                        t,
                        many(50, &|i| format!("  atomic_store_explicit(x, {i}, memory_order_relaxed);\n"))
                            .concat(),
                    )
                })
                .concat(),
                "exists (x=0)",
            ),
        ),
        (
            "a nested condition",
            c(thread(0, String::new()), &format!("exists {}x=0{}", "(".repeat(100_000), ")".repeat(100_000))),
        ),
        (
            "a long condition",
            c(thread(0, String::new()), &format!("exists ({})", vec!["x=0"; 50_000].join(" /\\ "))),
        ),
        (
            "a nested expression",
            c(
                thread(0, format!("  int r0 = {}1{};\n", "(".repeat(100_000), ")".repeat(100_000))),
                "exists (x=0)",
            ),
        ),
        ("nested ifs", c(thread(0, "if (1) { ".repeat(20_000) + &"}".repeat(20_000)), "exists (x=0)")),
        ("many threads", c(many(2_000, &|t| thread(t, "  *x = 1;\n".into())).concat(), "exists (x=0)")),
        ("a long loop", c(thread(0, "  while (1) { *x = 1; }\n".into()), "exists (x=0)")),
        ("cut off", "C test\n{ x=0;".into()),
    ];
    let tests = tests.map(|(name, test)| {
        Attack::new(name, "litmus -m rc11 t.litmus").with("t.litmus", test).unbounded().answers(2)
    });
    vec![Family { name: "litmus", attacks: tests.into() }]
}

/// Models in the cat language, and specifications.
pub fn cat() -> Vec<Family> {
    let threads: String = (0..2_000).map(|t| format!("T{t}: R x 0; W x 0\n")).collect();
    let forall = "forall a in _ do ".repeat(7) + "empty 0 " + &"end ".repeat(7);
    let models = [
        ("nested forall", format!("t\n{forall}\n"), "T0: W x 1; W y 1\nT1: R y 1; R x 0\n".to_string()),
        ("a complement", "t\nacyclic (~po) & po\n".into(), threads.clone()),
        ("a product", "t\nempty (_*_);(_*_);(_*_) & 0\n".into(), threads.clone()),
        (
            "nested parentheses",
            format!("t\nacyclic {}po{}\n", "(".repeat(100_000), ")".repeat(100_000)),
            threads.clone(),
        ),
        (
            "many definitions",
            {
                let lets: String =
                    (1..3_000).map(|i| format!("let r{i} = r{} | (r{};po)\n", i - 1, i - 1)).collect();
                format!("t\nlet r0 = po\n{lets}acyclic r2999\n")
            },
            threads.clone(),
        ),
        ("a closure of cycles", "t\nempty (ext; po)+; (ext; ext)+ \\ ext\n".into(), threads.clone()),
        ("a closure with mo", "t\nacyclic (po | co | ext)+ & (co | fr)\n".into(), threads.clone()),
        ("recursion", "t\nlet rec f = po | (f;f;f) | (f;(_*_);f)\nacyclic f & 0\n".into(), threads.clone()),
        (
            "functions",
            {
                let lets: String =
                    (1..60).map(|i| format!("let f{i}(r) = f{}(r) | f{}(r;r)\n", i - 1, i - 1)).collect();
                format!("t\nlet f0(r) = r\n{lets}acyclic f59(po)\n")
            },
            threads.clone(),
        ),
        ("all orders", "t\nwith co from linearisations(W, 0)\nacyclic po | co\n".into(), threads),
    ];
    let models = models.map(|(name, model, history)| {
        Attack::new(name, "check -m m.cat h.txt").with("m.cat", model).with("h.txt", history)
    });
    let object = "{\"kind\":\"object\",\"spec\":\"s\",\"operations\":[{\"process\":0,\"f\":\"f\",\"args\":[1],\"ret\":1,\"call\":0,\"return\":1}]}\n";
    let specifications = [
        (
            "nested parentheses",
            format!(
                "spec s\nstate a = 0\nmethod f(x) {{ return {}x{} }}\n",
                "(".repeat(100_000),
                ")".repeat(100_000)
            ),
        ),
        (
            "a large value",
            "spec s\nstate a = [1]\nmethod f(x) { while true { a = a + a } return x }\n".into(),
        ),
        (
            "an endless loop",
            "spec s\nstate a = 0\nmethod f(x) { while true { a = a + 1 } return x }\n".into(),
        ),
        (
            "nested blocks",
            format!(
                "spec s\nstate a = 0\nmethod f(x) {{ {} return x {} }}\n",
                "if true { ".repeat(50_000),
                "}".repeat(50_000)
            ),
        ),
    ];
    let specifications = specifications.map(|(name, spec)| {
        Attack::new(name, "check -m linearizable --spec s.spec h.json")
            .with("s.spec", spec)
            .with("h.json", object)
    });
    vec![
        Family { name: "models in cat", attacks: models.into() },
        Family { name: "specifications", attacks: specifications.into() },
    ]
}

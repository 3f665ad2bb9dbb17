//! Files without an end, and numbers without sense.

use super::{Attack, Family};

const HISTORY: &str = "T0: W x 1\nT1: R x 1\n";
const OBJECT: &str = "{\"kind\":\"object\",\"spec\":\"register\",\"operations\":[{\"process\":0,\"f\":\"read\",\"args\":[],\"ret\":null,\"call\":0,\"return\":1}]}\n";

/// Links to files without an end, wherever a file is read.
pub fn links() -> Vec<Family> {
    let zero = "/dev/zero";
    let test = "C t\n{}\nP0 (atomic_int* x) { *x = 1; }\nexists (x=1)\n";
    let attacks = vec![
        Attack::new("a model", "check -m m.cat h.txt").link("m.cat", zero).with("h.txt", HISTORY),
        Attack::new("an included model", "check -m m.cat h.txt")
            .with("m.cat", "t\ninclude \"i.cat\"\n")
            .link("i.cat", zero)
            .with("h.txt", HISTORY),
        Attack::new("a specification", "check --spec s.spec h.json")
            .link("s.spec", zero)
            .with("h.json", OBJECT),
        Attack::new("a program", "explore p.prog").link("p.prog", zero).unbounded(),
        Attack::new("a program to record", "record memory --program p.prog").link("p.prog", zero).unlimited(),
        Attack::new("a litmus test", "litmus t.litmus").link("t.litmus", zero).unbounded(),
        Attack::new("macros", "litmus --macros m.def t.litmus")
            .link("m.def", zero)
            .with("t.litmus", test)
            .unbounded(),
        Attack::new("annotations", "litmus --bell m.bell t.litmus")
            .link("m.bell", zero)
            .with("t.litmus", test)
            .unbounded(),
        Attack::new("a model of litmus tests", "litmus -m m.cat t.litmus")
            .link("m.cat", zero)
            .with("t.litmus", test)
            .unbounded(),
        Attack::new("a page", "serve --port 0 --page p.html").link("p.html", zero).unlimited(),
        Attack::new("a formula", "generate hard sat --dimacs f.cnf").link("f.cnf", zero).unlimited(),
        Attack::new("a certificate", "verify h.txt c.json").link("c.json", zero).with("h.txt", HISTORY),
        Attack::new("histories to tell apart", "separate --in tso --out sc --known h.json")
            .link("h.json", zero)
            .unbounded(),
    ];
    let formats = ["json", "axe", "text", "edn", "plume", "dbcop", "cobra", "awdit"].map(|format| {
        Attack::new(format!("a history in {format}"), &format!("check -f {format} h")).link("h", zero)
    });
    let commands = [
        "stats h.txt",
        "convert --to json h.txt",
        "shrink h.txt",
        "explain h.txt",
        "monitor h.txt",
        "races h.txt",
    ];
    let commands = commands.map(|line| {
        let attack = Attack::new(line, line).link("h.txt", zero);
        if line.starts_with("stats") || line.starts_with("convert") { attack.unlimited() } else { attack }
    });
    let random = ["json", "text", "edn"].map(|format| {
        Attack::new(format!("random bytes as {format}"), &format!("check -f {format} h"))
            .link("h", "/dev/urandom")
    });
    vec![Family {
        name: "files without an end",
        attacks: attacks.into_iter().chain(formats).chain(commands).chain(random).collect(),
    }]
}

/// The largest numbers, wherever a number is an option.
pub fn numbers() -> Vec<Family> {
    let most = u64::MAX;
    let lines = [
        "generate hard sat --variables 1000000000".to_string(),
        "generate hard sat --clauses 4294967295".into(),
        "generate hard triangles --nodes 4294967295".into(),
        format!("generate hard kernel --size {most}"),
        format!("generate hard lock --threads {most}"),
        format!("generate hard pattern --size {most}"),
        format!("generate machine --threads {most}"),
        format!("generate machine --threads 4294967295 --events {most}"),
        format!("generate machine --locations {most}"),
        format!("generate object --spec queue --processes {most}"),
        format!("generate object --spec queue --operations {most}"),
        format!("generate transactions --sessions {most}"),
        format!("generate transactions --transactions {most}"),
        format!("generate transactions --keys {most}"),
    ];
    let generate = lines.iter().map(|line| Attack::new(line, &format!("{line} -o /dev/null")).endless());
    let check =
        ["--max-states 18446744073709551615", "--threads 1024", "--certificate-limit 18446744073709551615"];
    let check =
        check.map(|option| Attack::new(option, &format!("check {option} h.txt")).with("h.txt", HISTORY));
    vec![Family { name: "numbers", attacks: generate.chain(check).collect() }]
}

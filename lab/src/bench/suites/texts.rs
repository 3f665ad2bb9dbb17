//! Texts: how fast models, programs, litmus tests and specifications are read, on one core.

use crate::bench::table::time;
use crate::bench::{Error, Session, Table};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tribunal_cat::{Model as Cat, NoFiles};
use tribunal_explore::text::Source;
use tribunal_history::model::Model;
use tribunal_litmus::Test;
use tribunal_spec::Declared;

type Reader = fn(&str);

const CAT: Reader = |text| _ = black_box(Cat::parse(text, "bench.cat", &mut NoFiles).expect("a model"));
const PROGRAM: Reader = |text| _ = black_box(Source::parse(text).expect("a program"));
const LITMUS: Reader = |text| _ = black_box(Test::parse("bench.litmus", text).expect("a test"));
const SPECIFICATION: Reader =
    |text| _ = black_box(Declared::parse(text, "bench.spec").expect("a specification"));

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let parts = session.pick(200, 2_000);
    let mut table = Table::new(
        "texts: reading on one core, best of 5",
        &["text", "texts", "bytes", "time", "megabytes a second"],
    );
    let loads = loads(parts);
    session.begin("texts", loads.len() as u64);
    for (name, reader, texts) in loads {
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            texts.iter().for_each(|text| reader(text));
            best = best.min(start.elapsed());
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        table.row([
            name.into(),
            texts.len().to_string(),
            bytes.to_string(),
            time(best),
            format!("{:.1}", bytes as f64 / best.as_secs_f64() / 1e6),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// The product's models, and one large text of each language, made of so many parts.
fn loads(parts: usize) -> Vec<(&'static str, Reader, Vec<String>)> {
    let large = |begin: &str, part: &dyn Fn(usize) -> String, end: &str| {
        vec![[begin.to_owned(), (0..parts).map(part).collect(), end.to_owned()].concat()]
    };
    vec![
        ("models of the product", CAT, Model::ALL.map(|model| model.text().into_owned()).into()),
        ("a large model", CAT, large("large\n", &relations, "acyclic hb0 as last\n")),
        ("a large program", PROGRAM, large("atomic x, y\n", &thread, "")),
        (
            "a large litmus test of X86",
            LITMUS,
            large("X86 large\n{}\n P0 | P1 ;\n", &row, "exists (0:EAX=0)\n"),
        ),
        (
            "a large litmus test of C",
            LITMUS,
            large(
                "C large\n{}\nP0 (atomic_int* x, atomic_int* y) {\n  int r;\n",
                &statements,
                "}\nexists (0:r=0)\n",
            ),
        ),
        (
            "a large specification",
            SPECIFICATION,
            large("object large {\n    state items: sequence = []\n", &method, "}\n"),
        ),
    ]
}

fn relations(i: usize) -> String {
    format!(
        "(* What happens before, part {i} *)\nlet sw{i} = [W & REL] ; (po-loc ; [W])? ; rf+ ; [R & ACQ]\n\
         let rec hb{i} = (po | sw{i}) \\ id | (hb{i} ; hb{i})\nacyclic hb{i} | (co ^-1 & _ * W) as part-{i}\n"
    )
}

fn thread(i: usize) -> String {
    format!(
        "thread T{i} {{\n    for i in 0..3 {{\n        if x @acq == {i} {{  # seen\n            \
         y = (r & 7) << 2 @rel\n            while y @rlx < 3 {{ y += 1 @acqrel }}\n            return\n        }}\n    }}\n}}\n"
    )
}

fn row(i: usize) -> String {
    format!(" MOV [x],${i} | MOV [y],${i} ;\n MOV EAX,[y] | MOV EBX,[x] ;\n")
}

fn statements(i: usize) -> String {
    format!(
        "  atomic_store_explicit(y, {i}, memory_order_release);\n  \
         r = atomic_load_explicit(x, memory_order_acquire);\n  if ((r == 1) & ((r + 2) * 3 > 4)) {{ *y = r ^ 1; }}\n"
    )
}

fn method(i: usize) -> String {
    format!(
        "    # Says whether there was room.\n    method push{i}(v) -> truth {{\n        when size(items) >= {i} + 1 {{\n            \
         return false\n        }}\n        items.push_back(v)\n        return true\n    }}\n"
    )
}

//! Every test of the collection in `TRIBUNAL_LITMUS` is read, or refused with a word on why. The directory has a folder for each architecture.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use tribunal_litmus::Test;

#[test]
fn collected_tests_are_read() {
    let Some(root) = env::var_os("TRIBUNAL_LITMUS") else {
        eprintln!("left out: TRIBUNAL_LITMUS is not set");
        return;
    };
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut read = 0;
    for arch in ["AArch64", "RISCV", "PPC", "ARM", "MIPS", "BPF"] {
        for entry in fs::read_dir(Path::new(&root).join(arch)).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
            match Test::parse(&path.display().to_string(), &text) {
                Ok(_) => read += 1,
                Err(error) => refused.entry(arch.to_string()).or_default().push(error.to_string()),
            }
        }
    }
    let count: usize = refused.values().map(Vec::len).sum();
    for (arch, errors) in &refused {
        eprintln!("{arch}: {} refused\n  {}", errors.len(), errors.join("\n  "));
    }
    eprintln!("{read} read, {count} refused");
    // Few are: those that herd refuses, too, and those of page tables, tags, and code that is data.
    assert!(count * 40 < read, "{count} refused");
}

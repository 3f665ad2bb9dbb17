//! The programs of `docs/c.md` print what stands below them.

use crate::c::toolchain::{Installed, Linking, is_there, run};
use std::fs;
use std::path::Path;

const DOCUMENT: &str = "../../docs/c.md";

#[test]
fn the_programs_of_the_document() {
    if !is_there() {
        return;
    }
    let installed = Installed::new("document");
    let document = fs::read_to_string(DOCUMENT).expect("the document is there");
    let mut programs = 0;
    for part in document.split("```c\n").skip(1) {
        let (source, rest) = part.split_once("```\n").expect("a block ends");
        let printed =
            rest.trim_start().strip_prefix("```text\n").expect("what a program prints stands below it");
        let (printed, _) = printed.split_once("```\n").expect("a block ends");
        programs += 1;
        let name = format!("document{programs}");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
        fs::write(&file, source).expect("the target directory can be written");
        let program = installed.compile(&name, &[&file], Linking::Shared, &[]);
        let output = run(&[], &program, &[]);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {told}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(told, printed, "{name}");
    }
    assert!(programs > 0, "the document has programs");
}

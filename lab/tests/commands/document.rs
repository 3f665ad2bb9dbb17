//! What README.md shows is what the command prints.

use crate::Ran;
use std::path::Path;
use std::process::Command;

#[test]
fn every_command_prints_what_is_shown() {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(lab.join("README.md")).expect("a document");
    let mut compared = 0;
    for block in text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let (line, shown) = block.split_once('\n').expect("a command and what it prints");
        let arguments = line.strip_prefix("$ cargo lab ").expect("a command of the laboratory").split(' ');
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        let ran: Ran =
            command.args(arguments).current_dir(lab.join("..")).output().expect("the command runs").into();
        assert_eq!(ran.stdout, shown, "{line}");
        compared += 1;
    }
    assert!(compared >= 1, "{compared}");
}

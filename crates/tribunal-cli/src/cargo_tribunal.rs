//! The command `cargo-tribunal`, which cargo starts for `cargo tribunal`: the command `tribunal cargo` beside it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe().and_then(|file| file.canonicalize()).unwrap_or_default();
    let mut command =
        Command::new(beside.with_file_name(format!("tribunal{}", std::env::consts::EXE_SUFFIX)));
    // Cargo gives its own word first.
    let words = std::env::args_os().skip(1).enumerate();
    command.arg("cargo").args(words.filter(|(at, word)| *at > 0 || word != "tribunal").map(|(_, word)| word));
    let error = start(&mut command);
    eprintln!("error: {}: {error}", command.get_program().display());
    ExitCode::from(2)
}

/// The command takes the place of this process, or there is an error.
#[cfg(unix)]
fn start(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn start(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error,
    }
}

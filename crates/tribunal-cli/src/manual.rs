//! Shell completions and manual pages, generated from the arguments.

use crate::args::Arguments;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::Stdout;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::path::Path;

/// Prints the completions of a shell.
pub fn completions(shell: Shell, out: &mut Stdout) -> Result<Tally, Failure> {
    // Into memory first: the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "tribunal", &mut script);
    out.write_all(&script)?;
    Ok(Tally::default())
}

/// Prints the manual page, or writes it and those of the subcommands into a directory.
pub fn pages(dir: Option<&Path>, out: &mut Stdout) -> Result<Tally, Failure> {
    match dir {
        Some(dir) => clap_mangen::generate_to(Arguments::command(), dir)
            .map_err(|source| Failure::Write { file: dir.into(), source })?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            out.write_all(&page)?;
        }
    }
    Ok(Tally::default())
}

//! Building GenMC's tests with a compiler's own ThreadSanitizer.

use super::cache::{self, digest};
use super::rows::Row;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Compiler {
    Gcc,
    Clang,
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compiler::Gcc => "gcc",
            Compiler::Clang => "clang",
        })
    }
}

impl Compiler {
    /// Its command for C or C++.
    fn command(self, cpp: bool) -> &'static str {
        match (self, cpp) {
            (Compiler::Gcc, false) => "gcc",
            (Compiler::Gcc, true) => "g++",
            (Compiler::Clang, false) => "clang-19",
            (Compiler::Clang, true) => "clang++-19",
        }
    }

    /// What it is told of a row. A read that is of no use would be left out of programs that are wrong for it, if they were optimized. Some programs take `stdint.h` for granted. GenMC's functions are the runtime's.
    fn arguments(self, row: &Row) -> Vec<&'static str> {
        let mut arguments = vec![
            "-g",
            if row.error.is_some() { "-O0" } else { "-O1" },
            "-fsanitize=thread",
            "-w",
            "-include",
            "stdint.h",
            "-D__CONFIG_GENMC_INODE_DATA_SIZE=64",
            "-pthread",
            "-Wl,--unresolved-symbols=ignore-all",
            // Or what is unresolved would be null for good.
            "-rdynamic",
            "-Wl,-z,lazy",
        ];
        if self == Compiler::Clang {
            // Its runtime is linked statically otherwise, and cannot be replaced.
            arguments.push("-shared-libsan");
        }
        arguments
    }
}

/// The headers that tests include. The others stand in for the system's, in terms of GenMC's own functions.
const HEADERS: [&str; 3] = ["genmc.h", "genmc_internal.h", "lkmm.h"];

/// The compilers, and where their programs are kept.
pub(super) struct Compilers {
    tests: PathBuf,
    include: PathBuf,
    home: PathBuf,
}

impl Compilers {
    pub(super) fn new(tests: &Path, home: &Path) -> Result<Self, String> {
        let include = home.join("include");
        let failed = |error| format!("error: {}: {error}", include.display());
        fs::create_dir_all(&include).map_err(failed)?;
        for header in HEADERS {
            fs::copy(tests.join("include").join(header), include.join(header)).map_err(failed)?;
        }
        Ok(Compilers { tests: tests.into(), include, home: home.into() })
    }

    /// The program of a row, built unless it is there.
    pub(super) fn build(&self, compiler: Compiler, row: &Row) -> Result<PathBuf, String> {
        let command = compiler.command(row.path.ends_with(".cpp"));
        let arguments = compiler.arguments(row);
        let mut key: Vec<&str> = vec![command, &row.path];
        key.extend(&arguments);
        key.extend(row.clang_arguments.iter().map(String::as_str));
        let stem = Path::new(&row.path).file_stem().unwrap_or_default().to_string_lossy();
        let program = self
            .home
            .join(compiler.to_string())
            .join(format!("{stem}-{}", digest(&[key.join("\n").as_bytes()])));
        if program.is_file() {
            return Ok(program);
        }
        cache::put(&program, |file| {
            let output = Command::new(command)
                .current_dir(&self.tests)
                .args(&arguments)
                .args(&row.clang_arguments)
                .arg("-I")
                .arg(&self.include)
                .arg(&row.path)
                .arg("-o")
                .arg(file)
                .stdin(Stdio::null())
                .output()
                .map_err(|error| format!("{command}: {error}"))?;
            if output.status.success() {
                return Ok(());
            }
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let first = errors.lines().find(|line| line.contains("error") || line.contains("undefined"));
            Err(first.unwrap_or("it fails").to_string())
        })?;
        Ok(program)
    }
}

//! Tests are built: with which flags, and where what was built is.

use super::TestArguments;
use crate::failure::Failure;
use crate::output::complain;
use crate::run::runtime;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program with tests.
pub struct Executable {
    pub file: PathBuf,
    /// The package, and the source file in it.
    pub name: String,
    /// Where the package is.
    home: PathBuf,
}

impl Executable {
    /// The program runs where cargo would have it run.
    pub fn is_at_home(&self, command: &mut Command) {
        command.current_dir(&self.home).env("CARGO_MANIFEST_DIR", &self.home);
    }
}

/// What rustc says of itself.
struct Toolchain {
    host: String,
    is_nightly: bool,
    has_sources: bool,
}

/// How much cargo optimizes, where it is not asked for a release.
const OPTIMIZATION: &str = "CARGO_PROFILE_DEV_OPT_LEVEL";

/// What separates flags in a variable of cargo's.
const SEPARATOR: &str = "\x1f";

/// Builds what the user asks for: the programs with tests.
pub fn build(arguments: &TestArguments) -> Result<Vec<Executable>, Failure> {
    let toolchain = Toolchain::find(arguments)?;
    if !toolchain.has_sources {
        complain(
            "warning: there is no rust-src (rustup component add rust-src): what the standard library does inside is \
             invisible, and its locks, channels and threads may seem to race",
        );
    }
    let mut metadata = cargo(arguments, "metadata");
    let metadata: Value = serde_json::from_slice(&output(
        metadata.args(["--no-deps", "--format-version", "1"]).stderr(Stdio::inherit()),
    )?)
    .map_err(|error| Failure::Cargo(format!("cargo metadata: {error}")))?;
    let target = Path::new(metadata["target_directory"].as_str().unwrap_or("target")).join("tribunal");
    let links = links(&target)?;

    let mut build = cargo(arguments, "test");
    build.args(["--no-run", "--message-format", "json-render-diagnostics", "--target", &toolchain.host]);
    build.arg("--target-dir").arg(&target).env("CARGO_ENCODED_RUSTFLAGS", flags(&toolchain, &links));
    if !toolchain.is_nightly {
        build.env("RUSTC_BOOTSTRAP", "1");
    }
    if toolchain.has_sources {
        build.arg("-Zbuild-std");
    }
    // Each access costs a call: without any optimization there are many times more of them.
    if env::var_os(OPTIMIZATION).is_none() {
        build.env(OPTIMIZATION, "1");
    }
    arguments.pass_on(&mut build);
    let built = output(build.stderr(Stdio::inherit()))?;
    let messages = built.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    Ok(messages.filter_map(|message| executable(&message)).collect())
}

impl TestArguments {
    /// What to build, in cargo's words.
    fn pass_on(&self, build: &mut Command) {
        let several = [
            ("--package", &self.package),
            ("--bin", &self.bin),
            ("--test", &self.test),
            ("--features", &self.features),
        ];
        for (option, values) in several {
            values.iter().for_each(|value| {
                build.args([option, value]);
            });
        }
        let set = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
        ];
        build.args(set.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| option));
    }
}

/// A command of cargo's.
fn cargo(arguments: &TestArguments, command: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.arg(command);
    if let Some(manifest) = &arguments.manifest_path {
        cargo.arg("--manifest-path").arg(manifest);
    }
    cargo
}

/// What a command prints, which must end well.
fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let said = command.output().map_err(|error| Failure::Cargo(format!("{program}: {error}")))?;
    if said.status.success() {
        return Ok(said.stdout);
    }
    Err(Failure::Cargo(format!("the tests are not built: {program} ended with {}", said.status)))
}

impl Toolchain {
    fn find(arguments: &TestArguments) -> Result<Toolchain, Failure> {
        let rustc = |words: &[&str]| {
            let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
            // The folder may choose the toolchain.
            let folder = arguments.manifest_path.as_deref().and_then(Path::parent);
            if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
                rustc.current_dir(folder);
            }
            let said = output(rustc.args(words).stderr(Stdio::inherit()))?;
            Ok::<_, Failure>(String::from_utf8_lossy(&said).into_owned())
        };
        let about = rustc(&["-vV"])?;
        let line = |start: &str| about.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
        let sources = Path::new(rustc(&["--print", "sysroot"])?.trim()).join("lib/rustlib/src/rust/library");
        let release = line("release: ");
        Ok(Toolchain {
            host: line("host: ").to_string(),
            is_nightly: ["-nightly", "-dev"].iter().any(|kind| release.contains(kind)),
            has_sources: sources.is_dir(),
        })
    }
}

/// The folder where the linker finds the library that stands in, which stays the same so that nothing is built again.
fn links(target: &Path) -> Result<PathBuf, Failure> {
    let runtime =
        runtime::find().map_err(|source| Failure::Run { program: "cargo tribunal".into(), source })?;
    let links = target.join("runtime");
    let link = links.join("libtsan.so");
    let made = fs::create_dir_all(&links).and_then(|()| {
        if fs::read_link(&link).ok().as_deref() == Some(&*runtime) {
            return Ok(());
        }
        // There may be none.
        let _ = fs::remove_file(&link);
        symlink(&runtime, &link)
    });
    made.map_err(|source| Failure::Write { file: link, source })?;
    Ok(links)
}

/// The flags of rustc: the user's, and those for ThreadSanitizer.
fn flags(toolchain: &Toolchain, links: &Path) -> OsString {
    let users = env::var_os("CARGO_ENCODED_RUSTFLAGS").or_else(|| {
        let plain = env::var("RUSTFLAGS").ok()?;
        Some(plain.split_whitespace().collect::<Vec<_>>().join(SEPARATOR).into())
    });
    let mut flags: Vec<OsString> = users.into_iter().filter(|flags| !flags.is_empty()).collect();
    flags.extend(["-Zsanitizer=thread", "-Zexternal-clangrt", "-Clink-arg=-ltsan"].map(OsString::from));
    if !toolchain.has_sources {
        flags.push("-Cunsafe-allow-abi-mismatch=sanitizer".into());
    }
    let mut path = OsString::from("-Clink-arg=-L");
    path.push(links);
    flags.push(path);
    flags.join(SEPARATOR.as_ref())
}

/// What cargo says of a program with tests.
fn executable(message: &Value) -> Option<Executable> {
    if message["profile"]["test"] != true {
        return None;
    }
    let file = PathBuf::from(message["executable"].as_str()?);
    let home = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
    let source = Path::new(message["target"]["src_path"].as_str()?);
    let source = source.strip_prefix(&home).unwrap_or(source).display();
    let package = home.file_name().unwrap_or_default().to_string_lossy();
    Some(Executable { file, name: format!("{package}/{source}"), home })
}

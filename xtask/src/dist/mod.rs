//! The files that are handed out: the command, the C library, the Python wheel and the page, with their checksums.
//!
//! The command and the C library are a folder that is laid out as `/usr/local` is, and an archive of it. The wheel and the
//! page are files beside it, since pip and web servers take them as they are.

mod archive;
mod licences;

use crate::{cargo, has_target, page, python, root, run, target_directory};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What can be built, in the order in which it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Command,
    C,
    Wheel,
    Page,
}

impl Part {
    const ALL: [Part; 4] = [Part::Command, Part::C, Part::Wheel, Part::Page];

    fn name(self) -> &'static str {
        match self {
            Part::Command => "command",
            Part::C => "c",
            Part::Wheel => "wheel",
            Part::Page => "page",
        }
    }
}

/// What to build.
pub struct Options {
    /// The parts asked for; without, all that can be built here.
    only: Option<Vec<Part>>,
    musl: bool,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { only: None, musl: false };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--musl" => options.musl = true,
                "--only" => {
                    let names =
                        arguments.next().ok_or("error: --only takes parts: command, c, wheel, page")?;
                    options.only = Some(names.split(',').map(part).collect::<Result<_, _>>()?);
                }
                other => return Err(format!("error: dist takes --only and --musl, not `{other}`")),
            }
        }
        Ok(options)
    }
}

fn part(name: &str) -> Result<Part, String> {
    let named = Part::ALL.into_iter().find(|part| part.name() == name);
    named.ok_or_else(|| format!("error: no part `{name}`: there are command, c, wheel and page"))
}

/// Where things go, and for which platform.
struct Release {
    version: String,
    target: String,
    musl: bool,
    /// `target/dist`.
    directory: PathBuf,
}

impl Release {
    fn new(musl: bool) -> Result<Release, String> {
        let directory = target_directory()?.join("dist");
        let (version, host) = (version()?, host()?);
        let target = match host.split_once('-') {
            Some((processor, _)) if musl => format!("{processor}-unknown-linux-musl"),
            _ => host,
        };
        Ok(Release { version, target, musl, directory })
    }

    fn name(&self) -> String {
        format!("tribunal-{}-{}", self.version, self.target)
    }

    fn folder(&self) -> PathBuf {
        self.directory.join(self.name())
    }

    /// The reason why a part cannot be built here, if so.
    fn missing(&self, part: Part) -> Option<String> {
        match part {
            Part::Command if self.musl => {
                let compiler = Command::new("musl-gcc").arg("--version").output();
                let compiler = compiler.err().map(|_| "there is no musl-gcc: apt install musl-tools".into());
                has_target(&self.target).err().or(compiler)
            }
            Part::C | Part::Wheel if self.musl => {
                Some("a static build has the command and the page alone".into())
            }
            Part::C if cfg!(not(target_os = "linux")) => Some("it is laid out for Linux alone so far".into()),
            Part::Command | Part::C => None,
            Part::Wheel => python::missing(),
            Part::Page => has_target(page::TARGET).err(),
        }
    }

    /// Builds a part into the folder, or as a file beside it.
    fn build(&self, part: Part) -> Result<(), String> {
        match part {
            Part::Command => self.command(),
            Part::C => self.c_library(),
            Part::Wheel => python::wheel(&self.directory).map(drop),
            Part::Page => {
                copy(&page::build()?, &self.directory.join(format!("tribunal-{}.html", self.version)))
            }
        }
    }

    /// The folder of what is built of a package, without symbols.
    fn built(&self, package: &str, of: &[&str]) -> Result<PathBuf, String> {
        let target = target_directory()?;
        let mut build = cargo();
        build.args(["rustc", "--release", "--locked", "-p", package]).args(of);
        build.arg("--target-dir").arg(&target);
        if self.musl {
            build.args(["--target", &self.target]);
        }
        // As a flag of the last step alone: all else is shared with `cargo build --release`.
        run(build.args(["--", "-C", "strip=symbols"]))?;
        Ok(if self.musl { target.join(&self.target).join("release") } else { target.join("release") })
    }

    /// The command, its completions and its manual, and what `tribunal run` and `cargo tribunal` need.
    fn command(&self) -> Result<(), String> {
        let name = format!("tribunal{}", std::env::consts::EXE_SUFFIX);
        let share = self.folder().join("share");
        let command = self.folder().join("bin").join(&name);
        copy(&self.built("tribunal-cli", &["--bin", "tribunal"])?.join(&name), &command)?;
        for (shell, file) in [
            ("bash", "bash-completion/completions/tribunal"),
            ("zsh", "zsh/site-functions/_tribunal"),
            ("fish", "fish/vendor_completions.d/tribunal.fish"),
            ("elvish", "elvish/lib/tribunal.elv"),
            ("powershell", "powershell/tribunal.ps1"),
        ] {
            write(&share.join(file), &output(Command::new(&command).args(["completions", shell]))?)?;
        }
        let manual = share.join("man/man1");
        fs::create_dir_all(&manual).map_err(failed(&manual))?;
        run(Command::new(&command).args(["man", "--dir"]).arg(&manual))?;
        // The library that stands in for ThreadSanitizer's is for Linux on x86-64, and shared.
        if self.target == "x86_64-unknown-linux-gnu" { self.runtime() } else { Ok(()) }
    }

    /// What stands in for ThreadSanitizer's library, with the names by which linkers and programs ask for that, and `cargo tribunal`.
    fn runtime(&self) -> Result<(), String> {
        const FILE: &str = "libtribunal_run.so";
        let library = self.folder().join("lib/tribunal");
        copy(&self.built("tribunal-run", &["--lib"])?.join(FILE), &library.join(FILE))?;
        for name in ["libtsan.so", "libtsan.so.2", "libclang_rt.tsan-x86_64.so"] {
            link(FILE, &library.join(name))?;
        }
        let name = "cargo-tribunal";
        copy(&self.built("tribunal-cli", &["--bin", name])?.join(name), &self.folder().join("bin").join(name))
    }

    /// The C library, static and shared, with its header and what pkg-config asks for.
    fn c_library(&self) -> Result<(), String> {
        let (built, package) =
            (self.built("tribunal-c", &["--lib", "--features", "heap"])?, root().join("crates/tribunal-c"));
        let library = self.folder().join("lib");
        copy(&package.join("include/tribunal.h"), &self.folder().join("include/tribunal.h"))?;
        copy(&built.join("libtribunal_c.a"), &library.join("libtribunal.a"))?;
        // Programs ask for libtribunal.so.0, the name that its build gives the library; compilers for libtribunal.so.
        let full = format!("libtribunal.so.{}", self.version);
        copy(&built.join("libtribunal_c.so"), &library.join(&full))?;
        link(&full, &library.join("libtribunal.so.0"))?;
        link("libtribunal.so.0", &library.join("libtribunal.so"))?;
        let template = package.join("tribunal.pc.in");
        let template = fs::read_to_string(&template).map_err(failed(&template))?;
        let filled = template.replace("@VERSION@", &self.version);
        write(&library.join("pkgconfig/tribunal.pc"), filled.as_bytes())
    }

    /// What to read, and the licences.
    fn documents(&self) -> Result<(), String> {
        let documents = self.folder().join("share/doc/tribunal");
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            copy(&root().join(file), &documents.join(file))?;
        }
        let linked = licences::of_dependencies(&["tribunal-cli"], &self.target)?;
        write(&documents.join("LICENSES-THIRD-PARTY"), linked.as_bytes())
    }
}

/// Builds what was asked for, the archive, and the sums of all that is handed out.
pub fn build(options: &Options) -> Result<(), String> {
    let release = Release::new(options.musl)?;
    let folder = release.folder();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    }
    for part in Part::ALL {
        let asked = options.only.as_ref().map(|only| only.contains(&part));
        match release.missing(part) {
            _ if asked == Some(false) => {}
            Some(why) if asked == Some(true) => return Err(format!("error: {}: {why}", part.name())),
            Some(why) => println!("left out: {}: {why}", part.name()),
            None => release.build(part)?,
        }
    }
    if folder.exists() {
        release.documents()?;
        archive::pack(&folder)?;
    }
    archive::sums(&release.directory)
}

/// The version of the command.
fn version() -> Result<String, String> {
    let id = output(cargo().args(["pkgid", "-p", "tribunal-cli"]))?;
    let id = String::from_utf8_lossy(&id);
    let version = id.trim().rsplit(['#', '@']).next().filter(|version| !version.is_empty());
    version.map(str::to_string).ok_or_else(|| format!("error: cargo pkgid: no version in `{id}`"))
}

/// The platform that rustc builds for.
fn host() -> Result<String, String> {
    let about = output(Command::new("rustc").arg("-vV"))?;
    let about = String::from_utf8_lossy(&about);
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "error: rustc -vV names no host".into())
}

/// What a command prints, which must end well.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("error: {program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("error: {program} ended with {}", output.status));
    }
    Ok(output.stdout)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).map_err(failed(parent))?;
    fs::copy(from, to).map(drop).map_err(failed(from))
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let parent = file.parent().unwrap_or(file);
    fs::create_dir_all(parent).and_then(|()| fs::write(file, bytes)).map_err(failed(file))
}

/// Makes a symbolic link, or a copy where there are none.
fn link(to: &str, file: &Path) -> Result<(), String> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(to, file).map_err(failed(file));
    #[cfg(not(unix))]
    return copy(&file.with_file_name(to), file);
}

/// An error of a file in words.
fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("error: {}: {error}", path.display())
}

//! The C compilers of this machine, and the library laid out as it is installed.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How a program gets the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    Static,
    Shared,
}

/// The library in a directory of its own: `include`, `lib`, `lib/pkgconfig`.
pub struct Installed {
    prefix: PathBuf,
}

impl Installed {
    /// Lays the library out below a directory of this name.
    pub fn new(name: &str) -> Self {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Cargo puts the libraries beside the tests and benches that it builds with them.
        let built = env::current_exe().expect("a process has a file");
        let built = built.parent().expect("a file has a directory");
        _ = fs::remove_dir_all(&prefix);
        for directory in ["include", "lib/pkgconfig", "bin"] {
            fs::create_dir_all(prefix.join(directory)).expect("the target directory can be written");
        }
        let links = [
            (root.join("include/tribunal.h"), "include/tribunal.h"),
            (built.join("libtribunal_c.a"), "lib/libtribunal.a"),
            (built.join("libtribunal_c.so"), "lib/libtribunal.so.0"),
            (built.join("libtribunal_c.so"), "lib/libtribunal.so"),
        ];
        for (from, to) in links {
            symlink(from, prefix.join(to)).expect("the target directory can be written");
        }
        let template = fs::read_to_string(root.join("tribunal.pc.in")).expect("the template is there");
        let filled = template.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        fs::write(prefix.join("lib/pkgconfig/tribunal.pc"), filled)
            .expect("the target directory can be written");
        Installed { prefix }
    }

    /// The flags that pkg-config prints; nothing if there is no pkg-config.
    pub fn flags(&self, linking: Linking) -> Option<Vec<String>> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig")).args(["--cflags", "--libs"]);
        if linking == Linking::Static {
            command.arg("--static");
        }
        let output = command.arg("tribunal").output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let flags = String::from_utf8(output.stdout).expect("flags are text");
        Some(flags.split_whitespace().map(String::from).collect())
    }

    /// The options to compile and to link a program with the shared library where it lies.
    pub fn options(&self) -> (String, String) {
        let (include, lib) = (self.prefix.join("include"), self.prefix.join("lib"));
        let lib = lib.display();
        (format!("-I{}", include.display()), format!("-Wl,-rpath,{lib} -L{lib} -ltribunal"))
    }

    /// Compiles and links a program; C++ if the first source is.
    pub fn compile(&self, name: &str, sources: &[&Path], linking: Linking, options: &[&str]) -> PathBuf {
        let cpp = sources[0].extension() == Some(OsStr::new("cpp"));
        let program = self.prefix.join("bin").join(name);
        let lib = self.prefix.join("lib");
        let mut command = Command::new(if cpp { cxx() } else { cc() });
        command
            .arg(if cpp { "-std=c++17" } else { "-std=c11" })
            .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-g"])
            .args(options)
            .arg(self.options().0)
            .args(sources)
            .arg("-o")
            .arg(&program);
        match linking {
            // Copying what debuggers want is most of the time that linking takes.
            Linking::Static => {
                command.arg(lib.join("libtribunal.a")).args(system_libraries()).arg("-Wl,--strip-debug")
            }
            Linking::Shared => command.args(self.options().1.split(' ')).arg("-lpthread"),
        };
        let output = command.output().expect("there is a compiler");
        assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
        program
    }
}

/// What the static library needs of the system, as the template says.
fn system_libraries() -> Vec<&'static str> {
    let template = include_str!("../../../tribunal.pc.in");
    let private = template.lines().find_map(|line| line.strip_prefix("Libs.private:"));
    private.expect("the template has it").split_whitespace().collect()
}

/// The C compiler.
pub fn cc() -> String {
    env::var("CC").unwrap_or("cc".into())
}

/// The C++ compiler.
pub fn cxx() -> String {
    env::var("CXX").unwrap_or("c++".into())
}

/// Whether there are compilers of C and C++; if not, says so.
pub fn is_there() -> bool {
    let missing: Vec<_> = [cc(), cxx()]
        .into_iter()
        .filter(|name| Command::new(name).arg("--version").output().is_err())
        .collect();
    if missing.is_empty() {
        return true;
    }
    eprintln!("left out, since there is no {}", missing.join(" and no "));
    false
}

/// Runs a program, under a tool if one is given.
pub fn run(tool: &[&str], program: &Path, arguments: &[&str]) -> Output {
    let mut command = match tool {
        [] => Command::new(program),
        [tool, options @ ..] => {
            let mut command = Command::new(tool);
            command.args(options).arg(program);
            command
        }
    };
    command.args(arguments).output().expect("the program can be run")
}

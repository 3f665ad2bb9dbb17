//! The library that stands in for ThreadSanitizer's: where it is, and how a program comes to load it.

use super::Problem;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The library that stands in.
pub const FILE: &str = "libtribunal_run.so";

/// The names of ThreadSanitizer's library, as gcc's and clang's programs and libraries ask for it.
const NAMES: [&str; 4] =
    ["libtsan.so.2", "libtsan.so.0", "libclang_rt.tsan-x86_64.so", "libclang_rt.tsan.so"];

/// The library's file.
pub fn find() -> Result<PathBuf, Problem> {
    if let Some(named) = env::var_os("TRIBUNAL_RUNTIME").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return named.canonicalize().map_err(|_| Problem::NoSuchRuntime(named));
    }
    let command = env::current_exe().and_then(|file| file.canonicalize()).unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new("."));
    let places = ["", "../lib/tribunal", "../lib"].map(|place| folder.join(place).join(FILE));
    places.into_iter().find_map(|file| file.canonicalize().ok()).ok_or(Problem::NoRuntime)
}

/// A folder of this user's where the library has the names by which a program asks for ThreadSanitizer's.
pub fn stand_in(runtime: &Path, needed: &[String]) -> Result<TempDir, Problem> {
    let folder = |parent: PathBuf| tempfile::Builder::new().prefix("tribunal-").tempdir_in(parent);
    let own = env::var_os("XDG_RUNTIME_DIR").filter(|own| !own.is_empty()).map(PathBuf::from);
    let made = own.and_then(|own| folder(own).ok()).map_or_else(|| folder(env::temp_dir()), Ok);
    let made = made.map_err(Problem::Folder)?;
    let others = needed.iter().map(String::as_str).filter(|name| !NAMES.contains(name));
    for name in NAMES.into_iter().chain(others) {
        symlink(runtime, made.path().join(name)).map_err(Problem::Folder)?;
    }
    Ok(made)
}

/// Where the program looks for libraries, and which comes before all others: rustc names libc first, which would then keep its own functions.
pub fn paths(libraries: &TempDir) -> [(&'static str, OsString); 2] {
    let folder = libraries.path();
    [
        ("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", folder.as_os_str())),
        ("LD_PRELOAD", before("LD_PRELOAD", folder.join(NAMES[0]).as_os_str())),
    ]
}

/// A path, and behind it what the user's variable has.
fn before(variable: &str, path: &OsStr) -> OsString {
    let users = env::var_os(variable).filter(|users| !users.is_empty());
    [Some(path.into()), users].into_iter().flatten().collect::<Vec<OsString>>().join(OsStr::new(":"))
}

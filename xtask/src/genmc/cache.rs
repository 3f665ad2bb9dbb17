//! Files that are kept from run to run: each is there whole, or not at all.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::thread;

/// A short name for bytes.
pub(super) fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a file under another name, and gives it its own when it is complete.
pub(super) fn put(file: &Path, make: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let mut new = file.as_os_str().to_owned();
    new.push(format!(".{}-{:?}", std::process::id(), thread::current().id()).replace(['(', ')'], ""));
    make(new.as_ref())?;
    fs::rename(&new, file).map_err(failed)
}

//! Archives of folders, and checksums. The same files give the same archive, whenever and by whomever they are packed.

use super::failed;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tar::{Builder, HeaderMode};

/// The file of checksums, as `sha256sum -c` reads it.
pub(super) const SUMS: &str = "SHA256SUMS";

/// Packs a folder into NAME.tar.gz beside it, and gives the path of that.
pub(super) fn pack(folder: &Path) -> Result<PathBuf, String> {
    let mut name = folder.as_os_str().to_owned();
    name.push(".tar.gz");
    let path = PathBuf::from(name);
    let written = File::create(&path).and_then(|file| {
        let mut archive = Builder::new(GzEncoder::new(file, Compression::best()));
        archive.mode(HeaderMode::Deterministic);
        archive.follow_symlinks(false);
        let parent = folder.parent().unwrap_or(folder);
        for entry in entries(folder)? {
            archive.append_path_with_name(&entry, entry.strip_prefix(parent).unwrap_or(&entry))?;
        }
        archive.into_inner()?.finish()?.flush()
    });
    written.map_err(failed(&path))?;
    Ok(path)
}

/// All files and links below a folder, in the order of their names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut here: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    here.sort();
    let mut entries = Vec::new();
    for path in here {
        if path.is_dir() && !path.is_symlink() {
            entries.extend(self::entries(&path)?);
        } else {
            entries.push(path);
        }
    }
    Ok(entries)
}

/// Writes the checksums of all files of a directory, and prints the files with their sizes.
pub(super) fn sums(directory: &Path) -> Result<(), String> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .and_then(|files| files.map(|file| Ok(file?.path())).collect())
        .map_err(failed(directory))?;
    files.retain(|file| file.is_file() && !file.ends_with(SUMS));
    files.sort();
    let mut sums = String::new();
    for file in &files {
        let (size, sum) = sum(file).map_err(failed(file))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        writeln!(sums, "{sum}  {name}").expect("text takes everything");
        println!("{}: {:.1} MB", file.display(), size as f64 / 1e6);
    }
    let path = directory.join(SUMS);
    fs::write(&path, sums).map_err(failed(&path))?;
    println!("{}", path.display());
    Ok(())
}

/// The size of a file and its SHA-256 in hexadecimal.
fn sum(file: &Path) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let size = io::copy(&mut File::open(file)?, &mut hasher)?;
    let sum = hasher.finalize().iter().fold(String::new(), |mut sum, byte| {
        write!(sum, "{byte:02x}").expect("text takes everything");
        sum
    });
    Ok((size, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn archives_are_reproducible_and_sums_are_what_sha256sum_takes() {
        let directory = tempfile::tempdir().expect("a directory");
        let folder = directory.path().join("tool-1");
        fs::create_dir_all(folder.join("lib")).expect("a folder");
        fs::write(folder.join("lib/libtool.so.1"), "a library").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink("libtool.so.1", folder.join("lib/libtool.so")).expect("a link");
        let first = fs::read(pack(&folder).expect("an archive")).expect("the archive");
        fs::write(folder.join("lib/libtool.so.1"), "a library").expect("a file");
        let archive = pack(&folder).expect("an archive");
        assert_eq!(first, fs::read(&archive).expect("the archive"));
        fs::write(directory.path().join("page.html"), "").expect("a file");
        sums(directory.path()).expect("sums");

        let unpacked = directory.path().join("unpacked");
        fs::create_dir(&unpacked).expect("a folder");
        let tar = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&unpacked).status();
        assert!(tar.expect("tar").success());
        assert_eq!(fs::read(unpacked.join("tool-1/lib/libtool.so")).expect("through the link"), b"a library");
        let check = || Command::new("sha256sum").args(["-c", SUMS]).current_dir(&directory).output();
        let checked = check().expect("sha256sum");
        assert!(checked.status.success());
        assert_eq!(String::from_utf8_lossy(&checked.stdout), "page.html: OK\ntool-1.tar.gz: OK\n");
        fs::write(directory.path().join("page.html"), "changed").expect("a file");
        assert!(!check().expect("sha256sum").status.success());
    }
}

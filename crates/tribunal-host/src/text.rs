//! Files that people write: models, specifications, programs, litmus tests, formulas.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// No such file has more bytes. One that has is probably not what was meant, or has no end.
const MOST: u64 = 64 << 20;

/// The bytes of a file that people write. One of more than 64 MiB is an error, so that a link to a device does not take all memory.
///
/// ```
/// # use std::path::Path;
/// let error = tribunal_host::read_text(Path::new("/dev/zero")).map(drop);
/// # #[cfg(unix)]
/// assert_eq!(error.map_err(|error| error.kind()), Err(std::io::ErrorKind::FileTooLarge));
/// ```
pub fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    read_text_from(File::open(path)?)
}

/// The same of something that is open.
pub fn read_text_from(file: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it has more than 64 MiB, too many for a text",
        ));
    }
    Ok(text)
}

/// The same as text; what is not UTF-8 is an error.
pub fn read_utf8(file: impl Read) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(read_text_from(file)?).map_err(invalid)
}

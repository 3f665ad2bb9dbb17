//! The ELF file of a program: whether ThreadSanitizer's library can be replaced in it.

use super::Problem;
use super::runtime::FILE;
use object::elf::{DT_NEEDED, ELFOSABI_GNU, ELFOSABI_SYSV, FileHeader64};
use object::read::elf::ElfFile;
use object::read::{ReadCache, ReadRef};
use object::{Architecture, LittleEndian, Object, ObjectKind, ObjectSection, ObjectSymbol};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What compilers have every unit call.
const INIT: &str = "__tsan_init";

/// What made a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    Gcc,
    Clang,
    Rust,
}

impl Toolchain {
    /// How it leaves the library out.
    pub fn remedy(self) -> &'static str {
        match self {
            Toolchain::Gcc => "link it without -static-libtsan",
            Toolchain::Clang => "link it with -shared-libsan",
            Toolchain::Rust => "build it with -Zexternal-clangrt and -Clink-arg=-ltsan",
        }
    }
}

/// The file of a program: here, or where the shell would find it.
pub fn find(program: &OsStr) -> PathBuf {
    let here = Path::new(program);
    let is_name = here.components().count() == 1 && here.file_name() == Some(program);
    if !is_name {
        return here.into();
    }
    if here.is_file() {
        return Path::new(".").join(here);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    found.unwrap_or(here.into())
}

/// The names by which a program asks for ThreadSanitizer's library.
pub fn inspect(program: &Path) -> Result<Vec<String>, Problem> {
    let metadata = program.metadata().map_err(Problem::Unreadable)?;
    if metadata.is_dir() {
        return Err(Problem::Unreadable(io::ErrorKind::IsADirectory.into()));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(Problem::NotExecutable);
    }
    let mut file = File::open(program).map_err(Problem::Unreadable)?;
    let mut start = Vec::new();
    file.by_ref().take(2).read_to_end(&mut start).map_err(Problem::Unreadable)?;
    if start == b"#!" {
        return Err(Problem::Script);
    }
    file.rewind().map_err(Problem::Unreadable)?;
    let cache = ReadCache::new(file);
    let elf = ElfFile::<FileHeader64<LittleEndian>, _>::parse(&cache).map_err(|_| Problem::Foreign)?;
    let system = elf.elf_header().e_ident.os_abi;
    let is_program = matches!(elf.kind(), ObjectKind::Executable | ObjectKind::Dynamic);
    let is_linux = system == ELFOSABI_SYSV || system == ELFOSABI_GNU;
    if elf.architecture() != Architecture::X86_64 || !is_program || !is_linux {
        return Err(Problem::Foreign);
    }
    let (mut defined, mut undefined) = (false, false);
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        if symbol.name() == Ok(INIT) {
            defined |= symbol.is_definition();
            undefined |= symbol.is_undefined();
        }
    }
    if defined {
        return Err(Problem::Static(toolchain(&elf)));
    }
    let needed = needed(&elf)?;
    match (needed.is_empty(), undefined) {
        (false, _) => Ok(needed),
        (true, true) => Err(Problem::Unlinked),
        (true, false) => Err(Problem::NotInstrumented),
    }
}

type Elf<'data, R> = ElfFile<'data, FileHeader64<LittleEndian>, R>;

/// What is needed under a name of ThreadSanitizer's library.
fn needed<'data, R: ReadRef<'data>>(elf: &Elf<'data, R>) -> Result<Vec<String>, Problem> {
    let table = elf.elf_dynamic_table().map_err(Problem::Malformed)?;
    let mut names = Vec::new();
    for entry in table.iter() {
        if entry.tag == DT_NEEDED {
            let name = table.string(entry).map_err(Problem::Malformed)?;
            names.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    // A program may also be linked with the library that stands in.
    names.retain(|name| ["libtsan.so", "libclang_rt.tsan", FILE].iter().any(|known| name.starts_with(known)));
    Ok(names)
}

/// What compilers say of themselves. The C library's own objects are always gcc's.
fn toolchain<'data, R: ReadRef<'data>>(elf: &Elf<'data, R>) -> Toolchain {
    let comment = elf.section_by_name(".comment").and_then(|section| section.data().ok());
    let comment = String::from_utf8_lossy(comment.unwrap_or_default());
    if comment.contains("rustc version") {
        Toolchain::Rust
    } else if comment.contains("clang version") {
        Toolchain::Clang
    } else {
        Toolchain::Gcc
    }
}

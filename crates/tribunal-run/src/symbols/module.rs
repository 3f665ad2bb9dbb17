//! What is loaded in the process: the program and its libraries.

use super::binary::Binary;
use std::cell::OnceCell;
use std::ffi::CStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that is loaded.
pub struct Module {
    path: PathBuf,
    name: String,
    is_program: bool,
    /// What its addresses in memory are beyond those in the file.
    bias: usize,
    addresses: Range<usize>,
    binary: OnceCell<Option<Binary>>,
}

impl Module {
    /// A file as if it were loaded.
    #[cfg(test)]
    pub fn of_file(path: &Path, bias: usize) -> std::io::Result<Self> {
        let binary = Binary::open(path).ok_or(std::io::ErrorKind::InvalidData)?;
        let Range { start, end } = binary.addresses.clone();
        let addresses = start as usize + bias..end as usize + bias;
        let module = Module::new(path.into(), name(path), true, bias, addresses);
        Ok(Module { binary: OnceCell::from(Some(binary)), ..module })
    }

    fn new(path: PathBuf, name: String, is_program: bool, bias: usize, addresses: Range<usize>) -> Self {
        Module { path, name, is_program, bias, addresses, binary: OnceCell::new() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is the program, not a library.
    pub fn is_program(&self) -> bool {
        self.is_program
    }

    pub fn contains(&self, address: usize) -> bool {
        self.addresses.contains(&address)
    }

    pub fn is_same(&self, other: &Module) -> bool {
        self.addresses == other.addresses && self.path == other.path
    }

    /// An address as it is in the file.
    pub fn unbiased(&self, address: usize) -> u64 {
        address.wrapping_sub(self.bias) as u64
    }

    /// The file, if it can be read.
    pub fn binary(&self) -> Option<&Binary> {
        self.binary.get_or_init(|| Binary::open(&self.path)).as_ref()
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What is loaded in this process now.
pub fn loaded() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: `add` takes what it is given here, and keeps to what `dl_iterate_phdr` promises.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut modules).cast()) };
    modules
}

/// Adds a module to the vector at `modules`.
///
/// # Safety
/// As for the callback of `dl_iterate_phdr`, and `modules` points to a vector that nobody else uses.
unsafe extern "C" fn add(
    info: *mut libc::dl_phdr_info,
    _size: libc::size_t,
    modules: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the caller's promises; names end with a zero byte, and there are as many headers as it says.
    let (info, modules, told, headers) = unsafe {
        let info = &*info;
        let told = if info.dlpi_name.is_null() { c"" } else { CStr::from_ptr(info.dlpi_name) };
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        (info, &mut *modules.cast::<Vec<Module>>(), told, headers)
    };
    let bias = info.dlpi_addr as usize;
    let segments = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = segments().map(|segment| segment.p_vaddr).min();
    let end = segments().map(|segment| segment.p_vaddr.saturating_add(segment.p_memsz)).max();
    let (Some(start), Some(end)) = (start, end) else { return 0 };
    let addresses = bias.wrapping_add(start as usize)..bias.wrapping_add(end as usize);
    let told = told.to_string_lossy();
    let module = match &*told {
        // The program comes first, without a name.
        "" if modules.is_empty() => {
            let program = std::env::current_exe().unwrap_or_default();
            Module::new("/proc/self/exe".into(), name(&program), true, bias, addresses)
        }
        told => Module::new(told.into(), name(Path::new(told)), false, bias, addresses),
    };
    modules.push(module);
    0
}

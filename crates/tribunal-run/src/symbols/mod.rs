//! Program counters and addresses in words: lines, functions, and variables with their members.

mod binary;
mod module;
mod variables;

use addr2line::demangle_auto;
use module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use tribunal_explore::program::Place;

/// Folders with headers and sources that are not the user's. A package of cargo's registry is: its author may be looking at it.
const SYSTEM: [&str; 4] = ["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm", "/rustc/"];
/// The same, wherever they are installed: libstdc++ and libc++, and the sources of Rust's std.
const LIBRARIES: [&str; 2] = ["/include/c++/", "/lib/rustlib/src/rust/library/"];

/// What is known of the process's code and variables. Files are opened when something in them is asked for.
pub struct Symbols {
    modules: Vec<Module>,
    /// Whether the modules are those of this process, of which there may be more later.
    live: bool,
    /// Files below it are named from it.
    directory: PathBuf,
    sites: FxHashMap<usize, Site>,
    files: FxHashSet<&'static str>,
}

/// Where a call or an access is.
#[derive(Clone, Copy)]
struct Site {
    place: Place,
    /// Whether it is in the user's code, as far as one can tell.
    users: bool,
}

impl Symbols {
    /// Those of this process.
    pub fn new() -> Self {
        Symbols { live: true, ..Symbols::of(module::loaded()) }
    }

    #[cfg(test)]
    /// Those of one file, as if it were loaded with this difference between addresses in memory and in the file.
    pub fn of_file(path: &Path, bias: usize) -> std::io::Result<Self> {
        Ok(Symbols::of(vec![Module::of_file(path, bias)?]))
    }

    fn of(modules: Vec<Module>) -> Self {
        Symbols {
            modules,
            live: false,
            directory: std::env::current_dir().unwrap_or_default(),
            sites: FxHashMap::default(),
            files: FxHashSet::default(),
        }
    }

    /// The place of the call that returns to `pc`: where the user wrote what was inlined there, if that is in a system's header. Without debug information it is the module and
    /// the offset in it.
    pub fn place(&mut self, pc: usize) -> Place {
        self.site(pc).place
    }

    /// The place in the user's code among calls that return to these, the innermost first; the innermost place, if there is none. Unoptimized code calls what is in headers.
    pub fn place_among(&mut self, stack: impl IntoIterator<Item = usize>) -> Place {
        let mut innermost = None;
        for pc in stack {
            let site = self.site(pc);
            if site.users {
                return site.place;
            }
            innermost.get_or_insert(site.place);
        }
        innermost.unwrap_or_default()
    }

    /// The function that the user wrote and that has the call that returns to `pc`.
    pub fn function(&mut self, pc: usize) -> Option<String> {
        let (module, address) = self.module(pc.wrapping_sub(1))?;
        let binary = module.binary()?;
        let frames = binary.frames(address);
        let frame = frames.iter().find(|frame| !is_system(&frame.file)).or(frames.last());
        let named = frame.and_then(|frame| frame.function.clone());
        named.or_else(|| Some(demangled(binary.symbol(address)?.name)))
    }

    /// The global variable at an address, with the member of it: `queue.slots[3].seq`. What a member of the standard library is made of is not told.
    pub fn variable(&self, address: usize) -> Option<String> {
        let module = self.modules.iter().find(|module| module.contains(address))?;
        let (binary, address) = (module.binary()?, module.unbiased(address));
        binary.variables().name(address).or_else(|| {
            let symbol = binary.symbol(address).filter(|symbol| symbol.is_data)?;
            let (name, offset) = (demangled(symbol.name), address - symbol.address);
            Some(if offset == 0 { name } else { format!("{name}+{offset}") })
        })
    }

    /// What is at an offset in a block of the heap, which was allocated by the call that returns to `pc`: `block of queue.c:12, +8`.
    pub fn member(&mut self, pc: usize, offset: usize) -> String {
        let place = self.place(pc);
        match offset {
            0 => format!("block of {place}"),
            _ => format!("block of {place}, +{offset}"),
        }
    }

    fn site(&mut self, pc: usize) -> Site {
        if let Some(site) = self.sites.get(&pc) {
            return *site;
        }
        let site = self.find(pc.wrapping_sub(1));
        self.sites.insert(pc, site);
        site
    }

    /// Where an instruction is.
    fn find(&mut self, pc: usize) -> Site {
        let Some((module, address)) = self.module(pc) else {
            return Site { place: Place::default(), users: false };
        };
        let frames = module.binary().map(|binary| binary.frames(address)).unwrap_or_default();
        let users = frames.iter().find(|frame| !is_system(&frame.file));
        let (file, line, column, is_users) = match users.or(frames.last()) {
            Some(frame) => (frame.file.clone(), frame.line, frame.column, users.is_some()),
            // Libraries of the system come without debug information, and the user's program may.
            None => (format!("{}+{address:#x}", module.name()), 0, 0, module.is_program()),
        };
        let file = match Path::new(&file).strip_prefix(&self.directory) {
            Ok(below) if self.directory.parent().is_some() => below.to_string_lossy().into_owned(),
            _ => file,
        };
        Site { place: Place { file: self.intern(file), line, column }, users: is_users }
    }

    /// The module that has an instruction, and the instruction's address in the file.
    fn module(&mut self, pc: usize) -> Option<(&Module, u64)> {
        let at = |modules: &[Module]| modules.iter().position(|module| module.contains(pc));
        let found = at(&self.modules).or_else(|| {
            let more = if self.live { module::loaded() } else { Vec::new() };
            // What is opened stays open.
            let known = |module: &Module| self.modules.iter().any(|known| known.is_same(module));
            let more: Vec<Module> = more.into_iter().filter(|module| !known(module)).collect();
            self.modules.extend(more);
            at(&self.modules)
        })?;
        let module = &self.modules[found];
        Some((module, module.unbiased(pc)))
    }

    /// The same text for ever: places are copied and compared.
    fn intern(&mut self, text: String) -> &'static str {
        if let Some(known) = self.files.get(text.as_str()) {
            return known;
        }
        let text: &'static str = Box::leak(text.into_boxed_str());
        self.files.insert(text);
        text
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Symbols::new()
    }
}

/// Whether a file is no business of the user's.
fn is_system(file: &str) -> bool {
    SYSTEM.iter().any(|folder| file.starts_with(folder)) || LIBRARIES.iter().any(|part| file.contains(part))
}

/// A name of C++ or Rust as it is written there, without what the compiler calls unnamed namespaces.
pub fn demangled(name: &str) -> String {
    // Else the variable `x` would be called `long long`, which C++ calls `x`.
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.into();
    }
    let name = demangle_auto(Cow::Borrowed(name), None);
    name.replace("(anonymous namespace)::", "").replace("_GLOBAL__N_1::", "")
}

/// A path without `.` and `..`, which compilers leave in.
fn normal(path: &str) -> String {
    let mut normal = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal.to_string_lossy().into_owned()
}

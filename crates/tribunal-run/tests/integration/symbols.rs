//! Places, functions and variables of small programs, compiled here, with and without debug information.

use crate::found::Symbols;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tribunal_explore::program::Place;

/// What addresses are beyond those in the file.
const BIAS: usize = 0x5555_0000_0000;

const QUEUE: &str = r#"#include <array>
#include <atomic>
#include <mutex>
struct Node { std::atomic<Node*> next; int value; };
struct Empty {};
struct Base { long id; };
namespace deep {
struct Queue : Empty, Base {
    std::atomic<Node*> head;
    std::atomic<int> sizes[2][3];
    union { struct { int low, high; }; long both; };
};
Queue queue;
namespace { __attribute__((used)) std::atomic<int> hidden; }
}
std::array<std::atomic<int>, 4> slots;
std::pair<int, std::mutex> locked;
struct Counted { static std::atomic<int> count; };
std::atomic<int> Counted::count{3};
inline int add(int by) {
    return slots[by].fetch_add(by);
}
__attribute__((noinline)) int next(int by) {
    static std::atomic<int> calls;
    calls++;
    return add(by);
}
int main() {
    deep::queue.head.store(nullptr);
    deep::hidden = 4;
    return next(2) + Counted::count;
}
"#;

const SLOTS: &str = "#include <pthread.h>
typedef struct { int seq; struct { short a, b; } pair; } slot;
_Atomic int flag;
static slot slots[4];
pthread_mutex_t lock;
int bump(void) {
    static int calls;
    return ++calls + slots[3].seq++;
}
int main(void) {
    pthread_mutex_lock(&lock);
    flag = bump();
    return 0;
}
";

const CELLS: &str = "use std::sync::{Mutex, atomic::{AtomicU32, AtomicU8, Ordering::Relaxed}};
struct Slot { turn: AtomicU32, pair: (u8, AtomicU8) }
mod deep { pub static LOCK: std::sync::Mutex<u64> = std::sync::Mutex::new(3); }
static SLOTS: [Slot; 2] = [const { Slot { turn: AtomicU32::new(0), pair: (1, AtomicU8::new(2)) } }; 2];
fn main() {
    SLOTS[1].turn.store(1, Relaxed);
    SLOTS[1].pair.1.store(*deep::LOCK.lock().unwrap() as u8, Relaxed);
    let _: &Mutex<u64> = &deep::LOCK;
}
";

/// A program that was compiled here, in a folder of its own.
struct Program {
    folder: TempDir,
    path: PathBuf,
}

impl Program {
    fn new(compiler: &str, source: &str, text: &str, flags: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder");
        std::fs::write(folder.path().join(source), text).expect("written");
        let mut command = Command::new(compiler);
        command.current_dir(folder.path()).args(flags).args([source, "-o", "program"]);
        assert!(command.status().expect("a compiler").success(), "{command:?}");
        Program { path: folder.path().join("program"), folder }
    }

    fn symbols(&self) -> Symbols {
        Symbols::of_file(&self.path, BIAS).expect("an ELF file")
    }

    /// The addresses of what `nm` calls by this name.
    fn address(&self, name: &str) -> usize {
        let listed = Command::new("nm").arg("-C").arg(&self.path).output().expect("nm").stdout;
        let listed = String::from_utf8(listed).expect("text");
        let line = listed.lines().find(|line| line.splitn(3, ' ').last() == Some(name));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{listed}"));
        BIAS + usize::from_str_radix(&line[..16], 16).expect("an address")
    }

    /// Where calls in a function return to.
    fn calls(&self, function: &str) -> Vec<usize> {
        let asked = format!("--disassemble={function}");
        let listed = Command::new("objdump").arg(asked).arg(&self.path).output().expect("objdump").stdout;
        let listed = String::from_utf8(listed).expect("text");
        let mut lines = listed.lines().peekable();
        let mut calls = Vec::new();
        while let Some(line) = lines.next() {
            let next = lines.peek().and_then(|next| next.trim().split(':').next());
            if line.contains("call ") {
                let next = next.and_then(|next| usize::from_str_radix(next, 16).ok());
                calls.push(BIAS + next.expect("an instruction follows"));
            }
        }
        calls
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }
}

#[test]
fn members_of_variables_in_cpp() {
    for compiler in ["g++", "clang++-19"] {
        let program = Program::new(compiler, "queue.cpp", QUEUE, &["-fsanitize=thread", "-g", "-O1", "-c"]);
        // Objects of either compiler are linked by gcc, as clang's library may not be installed.
        let linked = program.folder.path().join("linked");
        let link = Command::new("g++")
            .args(["-fsanitize=thread", "-x", "none"])
            .arg(&program.path)
            .arg("-o")
            .arg(&linked)
            .status();
        assert!(link.expect("a linker").success());
        let program = Program { path: linked, folder: program.folder };
        let symbols = program.symbols();
        let name =
            |variable: &str, offset| symbols.variable(program.address(variable) + offset).unwrap_or_default();
        assert_eq!(name("deep::queue", 0), "deep::queue.id", "{compiler}");
        assert_eq!(name("deep::queue", 8), "deep::queue.head");
        assert_eq!(name("deep::queue", 12), "deep::queue.head+4");
        assert_eq!(name("deep::queue", 16), "deep::queue.sizes[0][0]");
        assert_eq!(name("deep::queue", 36), "deep::queue.sizes[1][2]");
        assert_eq!(name("deep::queue", 44), "deep::queue.high");
        assert_eq!(name("deep::(anonymous namespace)::hidden", 0), "deep::hidden");
        assert_eq!(name("slots", 12), "slots[3]");
        assert_eq!(name("locked", 0), "locked.first");
        assert_eq!(name("locked", 8), "locked.second");
        assert_eq!(name("locked", 16), "locked.second+8");
        assert_eq!(name("Counted::count", 0), "Counted::count");
        assert_eq!(name("next(int)::calls", 0), "next(int)::calls");
        assert_eq!(symbols.variable(BIAS + 8), None);
    }
}

#[test]
fn members_of_variables_in_c() {
    let program = Program::new("gcc", "slots.c", SLOTS, &["-fsanitize=thread", "-g", "-O1"]);
    let symbols = program.symbols();
    let name =
        |variable: &str, offset| symbols.variable(program.address(variable) + offset).unwrap_or_default();
    assert_eq!(name("flag", 0), "flag");
    assert_eq!(name("slots", 24), "slots[3].seq");
    assert_eq!(name("slots", 22), "slots[2].pair.b");
    assert_eq!(name("lock", 0), "lock");
    assert_eq!(name("lock", 8), "lock+8");
    assert_eq!(name("calls.0", 0), "calls");
}

#[test]
fn members_of_variables_in_rust() {
    let program = Program::new("rustc", "cells.rs", CELLS, &["-g", "--edition=2024"]);
    let symbols = program.symbols();
    let slots = program.address("cells::SLOTS");
    let names: Vec<String> = (0..16).filter_map(|offset| symbols.variable(slots + offset)).collect();
    for name in
        ["cells::SLOTS[0].turn", "cells::SLOTS[1].turn", "cells::SLOTS[1].pair.0", "cells::SLOTS[1].pair.1"]
    {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    let lock = program.address("cells::deep::LOCK");
    let names: Vec<String> = (0..16).filter_map(|offset| symbols.variable(lock + offset)).collect();
    for name in ["cells::deep::LOCK.inner.futex", "cells::deep::LOCK.poison.failed", "cells::deep::LOCK.data"]
    {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}

#[test]
fn without_debug_information_there_are_symbols() {
    let program = Program::new("g++", "queue.cpp", QUEUE, &["-fsanitize=thread", "-O1"]);
    let mut symbols = program.symbols();
    assert_eq!(symbols.variable(program.address("deep::queue") + 8).as_deref(), Some("deep::queue+8"));
    assert_eq!(symbols.variable(program.address("slots")).as_deref(), Some("slots"));
    let call = program.calls("main")[0];
    let at = call - 1 - BIAS;
    assert_eq!(symbols.place(call).to_string(), format!("program+{at:#x}"));
    assert_eq!(symbols.function(call).as_deref(), Some("main"));
    assert_eq!(symbols.member(call, 8), format!("block of program+{at:#x}, +8"));
    let stripped = Command::new("strip").arg(&program.path).status();
    assert!(stripped.expect("strip").success());
    let mut symbols = program.symbols();
    assert_eq!(symbols.place(call).to_string(), format!("program+{at:#x}"));
    assert_eq!(symbols.function(call), None);
}

#[test]
fn places_are_where_the_user_wrote_what_is_inlined() {
    let program = Program::new("g++", "queue.cpp", QUEUE, &["-fsanitize=thread", "-g", "-O2"]);
    let mut symbols = program.symbols();
    let file = program.file("queue.cpp");
    let mut lines_of = |function: &str| -> Vec<u32> {
        let places = program.calls(function).into_iter().map(|call| symbols.place(call));
        let mut lines: Vec<u32> = places.filter(|place| place.file == file).map(|place| place.line).collect();
        lines.dedup();
        lines
    };
    // The accesses are in a header of std; line 21 is that of `add`, which is inlined.
    let lines = lines_of("_Z4nexti");
    assert!([25, 21].iter().all(|line| lines.contains(line)), "{lines:?}");
    let lines = lines_of("main");
    assert!([29, 30, 31].iter().all(|line| lines.contains(line)), "{lines:?}");
    let call = program.calls("main")[0];
    assert_eq!(symbols.function(call).as_deref(), Some("main"));
    assert_eq!(symbols.place(0x10), Place::default());
}

#[test]
fn without_optimization_the_caller_is_the_user() {
    let program = Program::new("g++", "queue.cpp", QUEUE, &["-fsanitize=thread", "-g", "-O0"]);
    let mut symbols = program.symbols();
    // The call of the runtime is the one between those of its entry and exit.
    let inner = program.calls("_ZNSt13__atomic_baseIiEppEi")[1];
    assert!(symbols.place(inner).file.ends_with("bits/atomic_base.h"), "{:?}", symbols.place(inner));
    let outer = program.calls("_Z4nexti");
    let places: Vec<Place> = outer.iter().map(|&call| symbols.place_among([inner, call])).collect();
    let file = program.file("queue.cpp");
    assert!(places.iter().any(|place| (place.file, place.line) == (file.as_str(), 25)), "{places:?}");
}

#[test]
fn this_process() {
    let mut symbols = Symbols::new();
    static LOCKS: [std::sync::atomic::AtomicU32; 2] = [const { std::sync::atomic::AtomicU32::new(1) }; 2];
    let address = (&raw const LOCKS[1]).addr();
    let name = symbols.variable(address).unwrap_or_default();
    assert!(name.contains("LOCKS"), "{name}");
    let function = symbols.function(this_process as fn() as usize + 1).unwrap_or_default();
    assert!(function.ends_with("this_process"), "{function}");
    let here = symbols.place(this_process as fn() as usize + 1);
    assert!(here.file.ends_with("tests/integration/symbols.rs"), "{here}");
    assert!(Path::new(here.file).is_relative(), "{here}");
}

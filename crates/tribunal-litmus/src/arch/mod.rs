//! Architectures: reading instructions as micro-operations.

mod aarch64;
mod arm;
mod bpf;
mod cursor;
mod lisa;
mod mips;
mod ppc;
mod reader;
mod riscv;
mod x86;
mod x86_64;

use crate::micro::{Micro, Register};
use crate::value::Symbol;

/// What reading an instruction may ask of its test.
pub trait Context {
    /// The location of a name, for architectures whose instructions name locations (`MOV [x],$1`). It is made if there is none.
    fn symbol(&mut self, name: &str) -> Symbol;
    /// The register that stands for a symbolic one (`%x`) in this thread.
    fn symbolic(&mut self, name: &str) -> Register;
}

/// An architecture whose programs are columns of instructions.
pub trait Arch: Sync {
    /// As the first word of a test has it, and as models ask for it.
    fn name(&self) -> &'static str;

    /// The register of that name, in any of its spellings (AArch64: `X0`, `W0`, `x0`).
    fn register(&self, name: &str) -> Option<Register>;

    /// How states name it: `X0`, `x5`, `r1`, `EAX`.
    fn register_name(&self, register: Register) -> String;

    /// Fence kinds and annotations that models of this architecture know, of which a test may have none.
    fn sets(&self) -> &'static [&'static str];

    /// Reads an instruction without its label; comments are gone. The error says what is not understood, without a position.
    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>, String>;
}

/// The architecture of a name.
pub fn by_name(name: &str) -> Option<&'static dyn Arch> {
    match name {
        "RISCV" => Some(&riscv::RiscV),
        "AArch64" => Some(&aarch64::AArch64),
        "ARM" => Some(&arm::Arm),
        "BPF" => Some(&bpf::Bpf),
        "LISA" => Some(&lisa::Lisa),
        "MIPS" => Some(&mips::Mips),
        "PPC" => Some(&ppc::Ppc),
        "X86" => Some(&x86::X86),
        "X86_64" => Some(&x86_64::X86_64),
        _ => None,
    }
}

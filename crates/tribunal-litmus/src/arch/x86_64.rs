//! X86_64, in AT&T's syntax: `movl (x),%eax`.

use super::x86::{Operand, immediate, instruction, jump};
use super::{Arch, Context};
use crate::micro::{Builder, Micro, Register};
use crate::value::{Size, Value};

/// X86_64.
pub struct X86_64;

/// Every register under its names of eight, four, two and one bytes; states name the first.
const REGISTERS: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

fn find(name: &str) -> Option<(Register, Size)> {
    let name = name.trim_start_matches('%').to_ascii_lowercase();
    let sizes = [Size::Quad, Size::Word, Size::Short, Size::Byte];
    REGISTERS.iter().enumerate().find_map(|(index, names)| {
        let width = names.iter().position(|n| *n == name)?;
        Some((Register(index as u16), sizes[width]))
    })
}

impl Arch for X86_64 {
    fn name(&self) -> &'static str {
        "X86_64"
    }

    fn register(&self, name: &str) -> Option<Register> {
        find(name).map(|(register, _)| register)
    }

    fn register_name(&self, register: Register) -> String {
        REGISTERS.get(usize::from(register.0)).map_or_else(|| "?".to_owned(), |names| names[0].to_owned())
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "NT", "MFENCE", "SFENCE", "LFENCE"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>, String> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mnemonic = mnemonic.to_ascii_uppercase();
        let (locked, mnemonic, rest) = if mnemonic == "LOCK" {
            let (inner, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
            (true, inner.to_ascii_uppercase(), rest)
        } else {
            (false, mnemonic, rest)
        };
        if mnemonic.starts_with('J') {
            return jump(&mnemonic, rest.trim());
        }
        if matches!(mnemonic.as_str(), "NOP" | "NOPL" | "NOPW" | "ENDBR64") {
            return Ok(Builder::default().finish());
        }
        if mnemonic == "RET" {
            return Ok(vec![Micro::Stop]);
        }
        let mut operands = Vec::new();
        let mut width = None;
        for operand in split(rest) {
            operands.push(self.operand(operand, &mut width, context)?);
        }
        // The last is written: operands are in the other order than Intel's.
        operands.reverse();
        let (name, size) = suffix(&mnemonic, width);
        if locked && !matches!(name, "XCHG" | "ADD" | "XOR" | "OR" | "INC" | "DEC" | "SUB" | "AND") {
            return Err(format!("`{name}` cannot be locked"));
        }
        instruction(name, &operands, size, locked)
    }
}

/// The instruction without the letter of its size, and the size: by that letter, by a register, or four bytes.
fn suffix(mnemonic: &str, width: Option<Size>) -> (&str, Size) {
    const PLAIN: [&str; 13] =
        ["MOV", "XCHG", "XOR", "OR", "ADD", "AND", "SUB", "SHL", "INC", "DEC", "CMP", "MFENCE", "SFENCE"];
    if PLAIN.contains(&mnemonic) || mnemonic == "LFENCE" {
        return (mnemonic, width.unwrap_or(Size::Word));
    }
    let size = match mnemonic.chars().next_back() {
        Some('B') => Size::Byte,
        Some('W') => Size::Short,
        Some('L') => Size::Word,
        Some('Q') => Size::Quad,
        _ => return (mnemonic, Size::Word),
    };
    (&mnemonic[..mnemonic.len() - 1], size)
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    let parts = text.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

impl X86_64 {
    fn operand(
        &self,
        text: &str,
        width: &mut Option<Size>,
        context: &mut dyn Context,
    ) -> Result<Operand, String> {
        if let Some(value) = text.strip_prefix('$') {
            return immediate(value).map(Operand::Immediate).ok_or_else(|| format!("`{text}` is no number"));
        }
        if text.starts_with('%') {
            let (register, size) = find(text).ok_or_else(|| format!("`{text}` is no register"))?;
            *width = Some(size);
            return Ok(Operand::Register(register));
        }
        if let Some((offset, inner)) = text.strip_suffix(')').and_then(|t| t.split_once('(')) {
            // The location of a name, wherever the instruction is.
            if inner.trim().eq_ignore_ascii_case("%rip") && !offset.trim().is_empty() {
                return Ok(Operand::Named(Value::Address(context.symbol(offset.trim()), 0)));
            }
            let offset = if offset.trim().is_empty() { Some(0) } else { immediate(offset.trim()) };
            let offset = offset.ok_or_else(|| format!("`{text}` is no operand"))?;
            let inner = inner.trim();
            return Ok(match find(inner) {
                Some((register, _)) if inner.starts_with('%') => Operand::Pointed(register, offset),
                _ if inner.starts_with('%') || inner.contains(',') => {
                    return Err(format!("`{text}` is not supported"));
                }
                _ => Operand::Named(Value::Address(context.symbol(inner), offset)),
            });
        }
        Err(format!("`{text}` is no operand"))
    }
}

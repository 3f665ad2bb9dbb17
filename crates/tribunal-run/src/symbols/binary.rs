//! An ELF file with its symbols and, if it has it, debug information.

use super::variables::Variables;
use super::{demangled, normal};
use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use memmap2::Mmap;
use object::{File, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::borrow::Cow;
use std::cell::OnceCell;
#[cfg(test)]
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A file is mapped for good, as its code is.
pub type Bytes = EndianSlice<'static, LittleEndian>;

pub struct Binary {
    /// Where it is loaded, but for the bias.
    #[cfg(test)]
    pub addresses: Range<u64>,
    /// By address.
    symbols: Vec<Symbol>,
    dwarf: Arc<Dwarf<Bytes>>,
    /// None if the debug information is malformed.
    context: Option<Context<Bytes>>,
    variables: OnceCell<Variables>,
}

/// From the first segment of a file to the last.
#[cfg(test)]
fn addresses(file: &File<'_>) -> Range<u64> {
    use object::ObjectSegment;
    let segments = || file.segments().map(|segment| (segment.address(), segment.address() + segment.size()));
    let start = segments().map(|(start, _)| start).min().unwrap_or_default();
    start..segments().map(|(_, end)| end).max().unwrap_or_default()
}

/// A function or a variable of the symbol table.
#[derive(Clone, Copy)]
pub struct Symbol {
    pub address: u64,
    size: u64,
    pub name: &'static str,
    pub is_data: bool,
}

/// A function that an instruction belongs to, and where that is written.
pub struct Frame {
    pub file: String,
    /// 0 if it is not known, as in code that the compiler made up.
    pub line: u32,
    pub column: u32,
    pub function: Option<String>,
}

impl Binary {
    /// None if it is no file that can be read, or none in ELF.
    pub fn open(path: &Path) -> Option<Self> {
        let file = std::fs::File::open(path).ok()?;
        // SAFETY: the file is that of running code, which nobody changes.
        let mapped = unsafe { Mmap::map(&file) }.ok()?;
        let bytes: &'static [u8] = Box::leak(Box::new(mapped));
        let file = File::parse(bytes).ok()?;
        let section = |id: SectionId| -> Result<Bytes, ()> {
            let section =
                file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            let data: &'static [u8] = match section {
                Some(Cow::Borrowed(data)) => data,
                Some(Cow::Owned(data)) => data.leak(),
                None => &[],
            };
            Ok(EndianSlice::new(data, LittleEndian))
        };
        let dwarf = Arc::new(Dwarf::load(section).ok()?);
        Some(Binary {
            #[cfg(test)]
            addresses: addresses(&file),
            symbols: symbols(&file),
            context: Context::from_arc_dwarf(Arc::clone(&dwarf)).ok(),
            dwarf,
            variables: OnceCell::new(),
        })
    }

    /// The function or variable of the symbol table that has an address.
    pub fn symbol(&self, address: u64) -> Option<Symbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..after].last()?;
        (address - symbol.address < symbol.size).then_some(*symbol)
    }

    /// The functions that have an instruction, the innermost first: all but the last are inlined in the next.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut frames = Vec::new();
        let Some(context) = &self.context else { return frames };
        let Ok(mut found) = context.find_frames(address).skip_all_loads() else { return frames };
        while let Ok(Some(frame)) = found.next() {
            let Some((location, file)) = frame.location.and_then(|at| at.file.map(|file| (at, file))) else {
                continue;
            };
            frames.push(Frame {
                file: normal(file),
                line: location.line.unwrap_or_default(),
                column: location.column.unwrap_or_default(),
                function: frame.function.and_then(|name| Some(demangled(&name.raw_name().ok()?))),
            });
        }
        frames
    }

    /// The variables of the debug information.
    pub fn variables(&self) -> &Variables {
        let linkage = |address| {
            let symbol = self.symbol(address).filter(|symbol| symbol.address == address);
            symbol.map(|symbol| symbol.name)
        };
        self.variables.get_or_init(|| Variables::new(Arc::clone(&self.dwarf), linkage))
    }
}

/// The functions and variables of a file, by address.
fn symbols(file: &File<'static>) -> Vec<Symbol> {
    let symbol = |symbol: object::Symbol<'static, '_>| {
        let is_data = match symbol.kind() {
            SymbolKind::Data => true,
            SymbolKind::Text => false,
            _ => return None,
        };
        let (address, size) = (symbol.address(), symbol.size());
        let name = symbol.name().ok().filter(|_| symbol.is_definition() && size > 0)?;
        Some(Symbol { address, size, name, is_data })
    };
    let mut symbols: Vec<Symbol> = file.symbols().filter_map(symbol).collect();
    if symbols.is_empty() {
        symbols = file.dynamic_symbols().filter_map(symbol).collect();
    }
    symbols.sort_by_key(|symbol| symbol.address);
    symbols
}

//! Global variables of the debug information, and the members of their types.

use super::binary::Bytes;
use super::demangled;
use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, Operation, Unit, UnitOffset, constants as dw,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// Types within types are not followed deeper: what is malformed may go round.
const DEEPEST: usize = 64;

type Entry = DebuggingInformationEntry<Bytes>;

/// The variables with an address.
pub struct Variables {
    dwarf: Arc<Dwarf<Bytes>>,
    units: Vec<Unit<Bytes>>,
    /// By address.
    variables: Vec<Variable>,
}

struct Variable {
    address: u64,
    size: u64,
    name: String,
    ty: At,
}

/// An entry of the debug information.
#[derive(Clone, Copy)]
struct At {
    unit: usize,
    entry: UnitOffset,
}

/// A part of a struct or union.
struct Member {
    /// None if it has none, as a base class.
    name: Option<String>,
    offset: u64,
    size: u64,
    ty: At,
}

impl Variables {
    /// All of a file; `linkage` says what the linker calls the variable at an address.
    pub fn new(dwarf: Arc<Dwarf<Bytes>>, linkage: impl Fn(u64) -> Option<&'static str>) -> Self {
        let mut headers = dwarf.units();
        let mut units = Vec::new();
        // What comes after something malformed is not known.
        while let Ok(Some(header)) = headers.next() {
            units.extend(dwarf.unit(header).ok());
        }
        let mut all = Variables { dwarf, units, variables: Vec::new() };
        let mut variables = Vec::new();
        for unit in 0..all.units.len() {
            let mut entries = all.units[unit].entries();
            while let Ok(Some(entry)) = entries.next_dfs() {
                if entry.tag == dw::DW_TAG_variable {
                    variables.extend(all.variable(unit, entry, &linkage));
                }
            }
        }
        variables.sort_by_key(|variable: &Variable| variable.address);
        all.variables = variables;
        all
    }

    /// The variable at an address, and the member of it.
    pub fn name(&self, address: u64) -> Option<String> {
        let after = self.variables.partition_point(|variable| variable.address <= address);
        let variable = self.variables[..after].last()?;
        let offset = address - variable.address;
        (offset < variable.size.max(1)).then(|| self.path(variable.name.clone(), variable.ty, offset))
    }

    fn variable(
        &self,
        unit: usize,
        entry: &Entry,
        linkage: impl Fn(u64) -> Option<&'static str>,
    ) -> Option<Variable> {
        let address = self.address(unit, entry)?;
        // What is declared in a class or a namespace has its name and type there.
        let declared = [dw::DW_AT_specification, dw::DW_AT_abstract_origin].into_iter();
        let declared = declared.filter_map(|attribute| self.refers(unit, entry, attribute)).next();
        let declared = declared.and_then(|at| Some((at.unit, self.entry(at)?)));
        let (of, declaration) = declared.as_ref().map_or((unit, entry), |(unit, entry)| (*unit, entry));
        let ty = self
            .refers(of, declaration, dw::DW_AT_type)
            .or_else(|| self.refers(unit, entry, dw::DW_AT_type))?;
        // A static variable of a function in C has a number behind its name.
        let mangled =
            linkage(address).map(|name| (name, demangled(name))).filter(|(name, plain)| name != plain);
        let linked = || self.text(of, declaration, dw::DW_AT_linkage_name).map(|name| demangled(&name));
        let name = mangled.map(|(_, plain)| plain).or_else(linked);
        let name = name.or_else(|| self.text(of, declaration, dw::DW_AT_name))?;
        Some(Variable { address, size: self.size(ty), name, ty })
    }

    /// The address of a variable that has one for the whole time.
    fn address(&self, unit: usize, entry: &Entry) -> Option<u64> {
        let unit = &self.units[unit];
        let location = entry.attr_value(dw::DW_AT_location)?.exprloc_value()?;
        let mut operations = location.operations(unit.encoding());
        let address = match operations.next().ok()?? {
            Operation::Address { address } => address,
            Operation::AddressIndex { index } => self.dwarf.address(unit, index).ok()?,
            _ => return None,
        };
        operations.next().ok()?.is_none().then_some(address)
    }

    /// The name of what is at an offset in something with a name and a type. Names that are reserved for the compiler and its library, such as `_M_i` of `std::atomic`, are left out.
    fn path(&self, mut name: String, mut at: At, mut offset: u64) -> String {
        // The offset in what was named last.
        let mut beyond = offset;
        for _ in 0..DEEPEST {
            let Some(entry) = self.entry(at) else { break };
            match entry.tag {
                dw::DW_TAG_array_type => {
                    let Some(element) = self.refers(at.unit, &entry, dw::DW_AT_type) else { break };
                    let Some(indices) = self.indices(at, offset / self.size(element).max(1)) else { break };
                    name += &indices;
                    offset %= self.size(element).max(1);
                    (at, beyond) = (element, offset);
                }
                dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_union_type => {
                    let Some(member) = self.member(at, &entry, offset) else { break };
                    offset -= member.offset;
                    if let Some(member) = member.name.filter(|member| !is_reserved(member)) {
                        name = name + "." + &member;
                        beyond = offset;
                    }
                    at = member.ty;
                }
                _ => match self.refers(at.unit, &entry, dw::DW_AT_type).filter(|_| is_same(&entry)) {
                    Some(same) => at = same,
                    None => break,
                },
            }
        }
        if beyond > 0 {
            // Writing to a string does not fail.
            let _ = write!(name, "+{beyond}");
        }
        name
    }

    /// The indices of an element of an array, by its number in memory.
    fn indices(&self, at: At, mut number: u64) -> Option<String> {
        let mut counts = Vec::new();
        self.children(at, |entry| {
            if entry.tag == dw::DW_TAG_subrange_type {
                counts.push(count(entry).unwrap_or(u64::MAX));
            }
        })?;
        let mut indices = Vec::new();
        for (dimension, &count) in counts.iter().enumerate().rev() {
            // The first dimension may have any number.
            indices.push(if dimension == 0 { number } else { number % count.max(1) });
            number /= count.max(1);
        }
        (!indices.is_empty()).then(|| indices.iter().rev().map(|index| format!("[{index}]")).collect())
    }

    /// The member of a struct or union that has an offset: the first of a union, the last of a struct, since base classes come first and may be empty.
    fn member(&self, at: At, of: &Entry, offset: u64) -> Option<Member> {
        let is_cell = self.is_rust(at.unit)
            && self.text(at.unit, of, dw::DW_AT_name).is_some_and(|name| is_rust_cell(&name));
        let mut found: Option<Member> = None;
        self.children(at, |entry| {
            let is_part = matches!(entry.tag, dw::DW_TAG_member | dw::DW_TAG_inheritance);
            let is_union = of.tag == dw::DW_TAG_union_type;
            if !is_part || entry.attr(dw::DW_AT_declaration).is_some() || is_union && found.is_some() {
                return;
            }
            let Some(ty) = self.refers(at.unit, entry, dw::DW_AT_type) else { return };
            let number = |attribute| entry.attr(attribute).and_then(gimli::Attribute::udata_value);
            let (start, size) = match number(dw::DW_AT_data_bit_offset) {
                Some(bit) => (bit / 8, (bit % 8 + number(dw::DW_AT_bit_size).unwrap_or(8)).div_ceil(8)),
                None => (number(dw::DW_AT_data_member_location).unwrap_or(0), self.size(ty)),
            };
            if (start..start.saturating_add(size)).contains(&offset) {
                let name = self.text(at.unit, entry, dw::DW_AT_name).filter(|_| !is_cell);
                // A field of a tuple is `__0` in Rust's debug information.
                let name = name.map(|name| match name.strip_prefix("__").filter(|_| self.is_rust(at.unit)) {
                    Some(field) => field.to_string(),
                    None => name,
                });
                found = Some(Member { name, offset: start, size, ty });
            }
        })?;
        found.filter(|member| member.size > 0)
    }

    /// The size of a type in bytes, 0 if it is not known.
    fn size(&self, mut at: At) -> u64 {
        let mut times = 1u64;
        for _ in 0..DEEPEST {
            let Some(entry) = self.entry(at) else { return 0 };
            if let Some(size) = entry.attr(dw::DW_AT_byte_size).and_then(gimli::Attribute::udata_value) {
                return size.saturating_mul(times);
            }
            match entry.tag {
                dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                    return times.saturating_mul(8);
                }
                dw::DW_TAG_array_type => {
                    let counted = self.children(at, |entry| {
                        if entry.tag == dw::DW_TAG_subrange_type {
                            times = times.saturating_mul(count(entry).unwrap_or(0));
                        }
                    });
                    if counted.is_none() {
                        return 0;
                    }
                }
                _ if is_same(&entry) => {}
                _ => return 0,
            }
            match self.refers(at.unit, &entry, dw::DW_AT_type) {
                Some(inner) => at = inner,
                None => return 0,
            }
        }
        0
    }

    fn entry(&self, at: At) -> Option<Entry> {
        self.units[at.unit].entry(at.entry).ok()
    }

    /// Whether a unit was compiled from Rust.
    fn is_rust(&self, unit: usize) -> bool {
        let root = self.units[unit].entry(self.units[unit].header.root_offset());
        let language = root.ok().and_then(|root| root.attr_value(dw::DW_AT_language));
        language == Some(AttributeValue::Language(dw::DW_LANG_Rust))
    }

    /// Calls a function with each child of an entry. None if there is no such entry.
    fn children(&self, at: At, mut each: impl FnMut(&Entry)) -> Option<()> {
        let mut entries = self.units[at.unit].entries_at_offset(at.entry).ok()?;
        let has_children = entries.next_dfs().ok()??.has_children;
        let mut child = if has_children { entries.next_dfs().ok()? } else { None };
        while let Some(entry) = child.filter(|entry| entry.depth == 1) {
            each(entry);
            child = entries.next_sibling().ok()?;
        }
        Some(())
    }

    /// The entry that an attribute refers to.
    fn refers(&self, unit: usize, entry: &Entry, attribute: gimli::DwAt) -> Option<At> {
        match entry.attr_value(attribute)? {
            AttributeValue::UnitRef(entry) => Some(At { unit, entry }),
            AttributeValue::DebugInfoRef(offset) => self
                .units
                .iter()
                .enumerate()
                .find_map(|(unit, of)| offset.to_unit_offset(&of.header).map(|entry| At { unit, entry })),
            _ => None,
        }
    }

    fn text(&self, unit: usize, entry: &Entry, attribute: gimli::DwAt) -> Option<String> {
        let text = self.dwarf.attr_string(&self.units[unit], entry.attr_value(attribute)?).ok()?;
        Some(text.to_string_lossy().into_owned())
    }
}

/// Whether a type is another one under a name or with a qualifier.
fn is_same(entry: &Entry) -> bool {
    matches!(
        entry.tag,
        dw::DW_TAG_typedef
            | dw::DW_TAG_const_type
            | dw::DW_TAG_volatile_type
            | dw::DW_TAG_restrict_type
            | dw::DW_TAG_atomic_type
    )
}

/// How many elements a dimension of an array has.
fn count(entry: &Entry) -> Option<u64> {
    let number = |attribute| entry.attr(attribute).and_then(gimli::Attribute::udata_value);
    let bound = || number(dw::DW_AT_upper_bound).and_then(|last| last.checked_add(1));
    number(dw::DW_AT_count).or_else(bound)
}

/// Whether C and C++ reserve a name for the compiler and its library.
fn is_reserved(name: &str) -> bool {
    name.strip_prefix('_').is_some_and(|rest| rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase()))
}

/// Whether a type of Rust is one around a value, whose field is nothing to the user.
fn is_rust_cell(name: &str) -> bool {
    ["Atomic", "UnsafeCell<", "SyncUnsafeCell<"].iter().any(|cell| name.starts_with(cell))
}

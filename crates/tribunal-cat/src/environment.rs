//! The predefined names of a model: the sets and relations of executions, and the enabled variants.

use crate::plan::Type;
use std::collections::{BTreeMap, BTreeSet};

/// An architecture of litmus tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are called what they are called")]
pub enum Architecture {
    C,
    X86,
    X86_64,
    Ppc,
    Arm,
    AArch64,
    RiscV,
    Mips,
    Bpf,
    /// Tests whose annotations a bell file declares.
    Lisa,
}

impl Architecture {
    /// All of them.
    pub const ALL: [Architecture; 10] = [
        Architecture::C,
        Architecture::X86,
        Architecture::X86_64,
        Architecture::Ppc,
        Architecture::Arm,
        Architecture::AArch64,
        Architecture::RiscV,
        Architecture::Mips,
        Architecture::Bpf,
        Architecture::Lisa,
    ];

    /// Its name, with which tests and models begin.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::C => "C",
            Architecture::X86 => "X86",
            Architecture::X86_64 => "X86_64",
            Architecture::Ppc => "PPC",
            Architecture::Arm => "ARM",
            Architecture::AArch64 => "AArch64",
            Architecture::RiscV => "RISCV",
            Architecture::Mips => "MIPS",
            Architecture::Bpf => "BPF",
            Architecture::Lisa => "LISA",
        }
    }

    /// The architecture of that name.
    pub fn of_name(name: &str) -> Option<Architecture> {
        Architecture::ALL.into_iter().find(|architecture| architecture.name() == name)
    }

    /// Its sets of fences and of annotated accesses.
    fn sets(self) -> &'static str {
        match self {
            Architecture::C => "RMW LK LKR LKW LS UL ACQ SC REL ACQ_REL RLX CON A NA",
            Architecture::X86 => "MFENCE SFENCE LFENCE X",
            Architecture::X86_64 => "MFENCE SFENCE LFENCE X NT",
            Architecture::Ppc => "SYNC LWSYNC EIEIO ISYNC X EX",
            Architecture::Arm => "DMB DMB.ISH DMB.ST DSB DSB.ST ISB X EX A L AL NoRet",
            Architecture::AArch64 => {
                "DMB.SY DMB.ST DMB.LD DMB.ISH DMB.ISHST DMB.ISHLD DMB.OSH DMB.OSHST DMB.OSHLD DMB.NSH DMB.NSHST DMB.NSHLD \
                 DSB.SY DSB.ST DSB.LD DSB.ISH DSB.ISHST DSB.ISHLD DSB.OSH DSB.OSHST DSB.OSHLD DSB.NSH DSB.NSHST DSB.NSHLD \
                 ISB X EX A Q L NoRet NT"
            }
            Architecture::RiscV => {
                "Fence.r.r Fence.r.w Fence.r.rw Fence.w.r Fence.w.w Fence.w.rw Fence.rw.r Fence.rw.w Fence.rw.rw \
                 Fence.tso Fence.i X EX Acq Rel AcqRel Sc"
            }
            Architecture::Mips => "SYNC X EX",
            Architecture::Bpf => "X SC AQ RL",
            Architecture::Lisa => "X RMW",
        }
    }
}

/// Sets of every architecture.
const SETS: &str = "M R W Exp EXEC AMO IW FW B BCC F";
/// Sets of registers' events, which there are where a model computes dependencies.
const REGISTER_SETS: &str = "Rreg Wreg DATA NDATA ADDR";
/// Sets that are empty without exclusive accesses, translation tables, tags, fetched instructions, speculation and faults.
const EMPTY_SETS: &str =
    "EX NExp SPEC SPURIOUS PRED CutOff T TLBI no-loc FAULT FAULT-RD FAULT-WR EXC-ENTRY EXC-RET";
/// The same, of AArch64 alone.
const EMPTY_AARCH64: &str = "AF DB S DC.CVAU DC.CVAC DC.CIVAC DC.IVAC IC.IALLU IC.IALLUIS IC.IVAU TLBIIS TLBInXS \
     MMU Translation AccessFlag Permission Exclusive TagCheck UndefinedInstruction SupervisorCall PacCheck";
/// Sets of C's tests that ask for the state of a lock.
const EMPTY_C: &str = "LF RL RU";
/// Relations of every architecture.
const RELATIONS: &str = "id po loc int ext rf rmw amo addr data ctrl sm si same-instance same-instr iico_data iico_ctrl \
     iico_order rf-reg pco control depend partial_po same-low-order-bits aligned equiv-spec different-values";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub ty: Type,
    /// Whether it is known to be empty.
    pub empty: bool,
}

/// The predefined names of a model.
///
/// ```
/// use tribunal_cat::{Architecture, Environment, Model, NoFiles};
///
/// let environment = Environment::of(Architecture::X86_64).with_empty("SFENCE").with_variant("cos-opt");
/// let model = Model::parse("acyclic fencerel(MFENCE) | fencerel(SFENCE)", "m.cat", &mut NoFiles)?;
/// let plan = model.plan(&environment)?;
/// # Ok::<(), tribunal_cat::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Environment {
    given: BTreeMap<String, Given>,
    variants: BTreeSet<String>,
}

impl Environment {
    /// No names at all.
    pub fn bare() -> Environment {
        Environment::default()
    }

    /// The names of litmus tests of an architecture. Sets of what such tests do not have (faults, translation tables, tags, fetched
    /// instructions, speculation, locks whose state is queried) are known to be empty.
    pub fn of(architecture: Architecture) -> Environment {
        let environment = Environment::bare()
            .with_all(SETS, Type::Set)
            .with_all(REGISTER_SETS, Type::Set)
            .with_all(RELATIONS, Type::Relation)
            .with_all_empty(EMPTY_SETS, Type::Set)
            .with_all(architecture.sets(), Type::Set)
            .with_all_empty("same-oa PTEtoPA", Type::Relation);
        match architecture {
            Architecture::AArch64 => environment.with_all_empty(EMPTY_AARCH64, Type::Set),
            Architecture::C => environment.with_all_empty(EMPTY_C, Type::Set),
            _ => environment,
        }
    }

    /// The names of histories: C11's annotations, the fences of every architecture, and no register events. An RMW is one event.
    pub fn history() -> Environment {
        let mut environment = Environment::bare()
            .with_all_empty(EMPTY_SETS, Type::Set)
            .with_all_empty(REGISTER_SETS, Type::Set)
            .with_all_empty(EMPTY_AARCH64, Type::Set)
            .with_all_empty(EMPTY_C, Type::Set)
            .with_all_empty(RELATIONS, Type::Relation)
            .with_all_empty("same-oa PTEtoPA", Type::Relation);
        for architecture in Architecture::ALL {
            environment = environment.with_all_empty(architecture.sets(), Type::Set);
        }
        environment
            .with_all("M R W Exp EXEC AMO IW FW F RMW X A NA RLX ACQ REL ACQ_REL SC", Type::Set)
            .with_all(
                "MFENCE SYNC DMB DMB.SY DMB.ISH DSB DSB.SY LWSYNC DMB.LD DMB.ISHLD L Acq Rel AcqRel",
                Type::Set,
            )
            .with_all("Fence.rw.rw Fence.r.rw Fence.rw.w Fence.tso", Type::Set)
            .with_all("id po loc int ext rf addr data sm si same-instance deps ended", Type::Relation)
            .with_all_empty("B BCC CON", Type::Set)
    }

    fn with_all(mut self, names: &str, ty: Type) -> Environment {
        self.given.extend(names.split_whitespace().map(|name| (name.to_owned(), Given { ty, empty: false })));
        self
    }

    fn with_all_empty(mut self, names: &str, ty: Type) -> Environment {
        self.given.extend(names.split_whitespace().map(|name| (name.to_owned(), Given { ty, empty: true })));
        self
    }

    /// The same, with a set of this name.
    pub fn with_set(self, name: &str) -> Environment {
        self.with_all(name, Type::Set)
    }

    /// The same, with a relation of this name.
    pub fn with_relation(self, name: &str) -> Environment {
        self.with_all(name, Type::Relation)
    }

    /// The same, with the set or relation of this name empty. What depends on it disappears from plans.
    /// An unknown name becomes a set.
    pub fn with_empty(mut self, name: &str) -> Environment {
        let ty = self.given.get(name).map_or(Type::Set, |given| given.ty);
        self.given.insert(name.to_owned(), Given { ty, empty: true });
        self
    }

    /// The same, with a variant enabled, as tested by `if "name"`.
    pub fn with_variant(mut self, name: &str) -> Environment {
        self.variants.insert(name.to_owned());
        self
    }

    /// Whether a variant is enabled.
    pub fn has_variant(&self, name: &str) -> bool {
        self.variants.contains(name)
    }

    /// The names and types of the sets and relations that may be nonempty.
    pub fn names(&self) -> impl Iterator<Item = (&str, Type)> {
        self.given.iter().filter(|(_, given)| !given.empty).map(|(name, given)| (name.as_str(), given.ty))
    }

    pub(crate) fn get(&self, name: &str) -> Option<Given> {
        self.given.get(name).copied()
    }

    pub(crate) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.given.keys().map(String::as_str)
    }
}

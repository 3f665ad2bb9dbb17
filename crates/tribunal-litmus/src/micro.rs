//! The effect of an instruction: micro-operations on registers and memory.
//!
//! An instruction is a list of them, on temporaries that live as long as it does. What depends on what inside an instruction
//! (`iico_data`) follows from which temporaries an operation takes; dependencies from one instruction to another go through registers. A
//! [`Builder`] writes them:
//!
//! ```
//! use tribunal_litmus::micro::{Access, Builder, Register};
//! use tribunal_litmus::value::Size;
//!
//! // LDAR W0,[X1]
//! let (w0, x1) = (Register(0), Register(1));
//! let mut i = Builder::default();
//! let address = i.address(x1);
//! let value = i.load(address, Access::new(Size::Word, &["A"]));
//! i.write(w0, value);
//! assert_eq!(i.finish().len(), 3);
//! ```

use std::borrow::Cow;

use crate::value::{Binary, Size, Unary, Value};

/// A register, as the architecture counts them: their order is that of states as they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u16);

/// A value inside an instruction. Each is given once on every path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Temporary(pub u16);

/// A set of events that models know by name: an annotation of accesses, or a kind of fence.
pub type Name = Cow<'static, str>;

/// How an access is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// How many bytes.
    pub size: Size,
    /// The sets that it is in beside `R`, `W`, `M`: annotations.
    pub sets: Vec<Name>,
    /// Whether it is half of an atomic pair: `rmw` relates an atomic load to the next atomic event of its thread, if that is an atomic store to the same
    /// location. Such accesses are in `X` where their architecture has that annotation: say so in `sets`, too.
    pub atomic: bool,
}

impl Access {
    /// An access that is no half of an atomic pair.
    pub fn new(size: Size, sets: &[&'static str]) -> Self {
        Self { size, sets: sets.iter().map(|s| Cow::Borrowed(*s)).collect(), atomic: false }
    }

    /// An access that is half of an atomic pair: exclusive, or of a read-modify-write of two events.
    pub fn atomic(size: Size, sets: &[&'static str]) -> Self {
        Self { atomic: true, ..Self::new(size, sets) }
    }

    /// An exclusive access: half of an atomic pair whose other half is another instruction.
    pub fn exclusive(size: Size, sets: &[&'static str]) -> Self {
        let mut access = Self::atomic(size, sets);
        access.sets.push(Cow::Borrowed("EX"));
        access
    }
}

/// To what end a register is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Port {
    /// To store it: what depends on it is `data`.
    Data,
    /// For an address, and for all else.
    Address,
}

/// What a read-modify-write of one event writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// A value.
    Exchange(Temporary),
    /// An operation on what it read, and a value.
    Fetch(Binary, Temporary),
}

/// A micro-operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named as the operation's parts")]
pub enum Micro {
    Constant {
        value: Value,
        into: Temporary,
    },
    ReadRegister {
        register: Register,
        port: Port,
        into: Temporary,
    },
    WriteRegister {
        register: Register,
        from: Temporary,
    },
    Unary {
        op: Unary,
        of: Temporary,
        into: Temporary,
    },
    Binary {
        op: Binary,
        left: Temporary,
        right: Temporary,
        into: Temporary,
    },
    /// What is loaded are the low bytes, the others as their sign.
    Load {
        address: Temporary,
        into: Temporary,
        access: Access,
    },
    /// `done` stands for the event itself, as what others are controlled by; its value is what was stored.
    Store {
        address: Temporary,
        value: Temporary,
        done: Temporary,
        access: Access,
    },
    /// One event that reads and writes: C11's read-modify-writes.
    Update {
        address: Temporary,
        update: Update,
        into: Temporary,
        access: Access,
    },
    /// A fence, in `F` and in these sets.
    Fence {
        sets: Vec<Name>,
    },
    /// An event of a location that is no access to it, in these sets: of locks and of sleepable RCU. `done` stands for it.
    Mark {
        address: Temporary,
        done: Temporary,
        sets: Vec<Name>,
    },
    /// A branch event (`B`, `BCC`), and both ways on from it: to the label if the condition is not zero, else to what follows. The last of its instruction.
    Branch {
        condition: Temporary,
        target: String,
    },
    /// On to a label, without an event. The last of its instruction.
    Jump {
        target: String,
    },
    /// C's `if` and `while`: on to the end label if the condition is zero, without an event. What comes before the last label is control-dependent on it.
    Unless {
        condition: Temporary,
        target: String,
        until: String,
        /// Whether this is the entry of a loop, whose rounds are counted.
        repeats: bool,
    },
    /// Back to the entry of a loop that counts its rounds. The last of its instruction.
    Repeat {
        target: String,
    },
    /// A branch event (`B`, `BCC`), and on to the instruction whose address this is. A number ends the thread. The last of its instruction.
    JumpTo {
        target: Temporary,
    },
    /// The address of the instruction at a label.
    Label {
        name: String,
        into: Temporary,
    },
    /// The address of the next instruction.
    Next {
        into: Temporary,
    },
    /// The end of the thread.
    Stop,
    /// A commit event (`B`, `PRED`) of a predicated instruction: what follows in this instruction is control-dependent on the condition.
    Predicate {
        condition: Temporary,
    },
    /// Each of these ways in turn; the instruction goes on after each.
    Either {
        ways: Vec<Vec<Micro>>,
    },
    /// There is no execution in which this is zero.
    Assume {
        condition: Temporary,
    },
    /// What is within has `iico_ctrl` from the events that gave this temporary: such as from an exclusive store to the register that tells its success.
    Controlled {
        by: Temporary,
        within: Vec<Micro>,
    },
    /// `iico_order` from the events that gave the first to those that gave the second.
    Ordered {
        first: Temporary,
        second: Temporary,
    },
}

/// Writes micro-operations.
#[derive(Debug, Default)]
pub struct Builder {
    micros: Vec<Micro>,
    temporaries: u16,
}

impl Builder {
    /// A temporary that is yet to be given.
    pub(crate) fn temporary(&mut self) -> Temporary {
        self.fresh()
    }

    fn fresh(&mut self) -> Temporary {
        // Instructions with more parts than there are numbers are refused when they are read.
        let next = Temporary(self.temporaries);
        self.temporaries = self.temporaries.wrapping_add(1);
        next
    }

    /// A number.
    pub fn constant(&mut self, value: i64) -> Temporary {
        self.value(Value::Int(value))
    }

    /// A value.
    pub fn value(&mut self, value: Value) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Constant { value, into });
        into
    }

    /// A register that is read for an address, or for anything but to be stored.
    pub fn address(&mut self, register: Register) -> Temporary {
        self.read(register, Port::Address)
    }

    /// A register that is read to be stored.
    pub fn data(&mut self, register: Register) -> Temporary {
        self.read(register, Port::Data)
    }

    fn read(&mut self, register: Register, port: Port) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::ReadRegister { register, port, into });
        into
    }

    /// Writes a register.
    pub fn write(&mut self, register: Register, from: Temporary) {
        self.micros.push(Micro::WriteRegister { register, from });
    }

    /// An operation on one value.
    pub fn unary(&mut self, op: Unary, of: Temporary) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Unary { op, of, into });
        into
    }

    /// An operation on two.
    pub fn binary(&mut self, op: Binary, left: Temporary, right: Temporary) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Binary { op, left, right, into });
        into
    }

    /// A load, and what it reads.
    pub fn load(&mut self, address: Temporary, access: Access) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Load { address, into, access });
        into
    }

    /// A store; the result stands for the event.
    pub fn store(&mut self, address: Temporary, value: Temporary, access: Access) -> Temporary {
        let done = self.fresh();
        self.micros.push(Micro::Store { address, value, done, access });
        done
    }

    /// One event that reads and writes, and what it reads.
    pub fn update(&mut self, address: Temporary, update: Update, access: Access) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Update { address, update, into, access });
        into
    }

    /// A fence.
    pub fn fence(&mut self, sets: &[&'static str]) {
        self.micros.push(Micro::Fence { sets: sets.iter().map(|s| Cow::Borrowed(*s)).collect() });
    }

    /// An event of a location that is no access; the result stands for it.
    pub fn mark(&mut self, address: Temporary, sets: Vec<Name>) -> Temporary {
        let done = self.fresh();
        self.micros.push(Micro::Mark { address, done, sets });
        done
    }

    /// A conditional branch. The last of its instruction.
    pub fn branch(&mut self, condition: Temporary, target: impl Into<String>) {
        self.micros.push(Micro::Branch { condition, target: target.into() });
    }

    /// A jump. The last of its instruction.
    pub fn jump(&mut self, target: impl Into<String>) {
        self.micros.push(Micro::Jump { target: target.into() });
    }

    /// A jump to an address. The last of its instruction.
    pub fn jump_to(&mut self, target: Temporary) {
        self.micros.push(Micro::JumpTo { target });
    }

    /// The address of a label.
    pub fn label(&mut self, name: impl Into<String>) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Label { name: name.into(), into });
        into
    }

    /// The address of the next instruction.
    pub fn following(&mut self) -> Temporary {
        let into = self.fresh();
        self.micros.push(Micro::Next { into });
        into
    }

    /// Only executions in which this is not zero.
    pub fn assume(&mut self, condition: Temporary) {
        self.micros.push(Micro::Assume { condition });
    }

    /// Any other micro-operation.
    pub fn push(&mut self, micro: Micro) {
        self.micros.push(micro);
    }

    /// Both ways.
    pub fn either(&mut self, first: impl FnOnce(&mut Self), second: impl FnOnce(&mut Self)) {
        let first = self.inside(first);
        let second = self.inside(second);
        self.micros.push(Micro::Either { ways: vec![first, second] });
    }

    /// What is written within is controlled by the events that gave a temporary.
    pub fn controlled(&mut self, by: Temporary, within: impl FnOnce(&mut Self)) {
        let within = self.inside(within);
        self.micros.push(Micro::Controlled { by, within });
    }

    /// Begins what is to stand within another micro-operation; `close` takes what this gives.
    pub(crate) fn open(&mut self) -> Vec<Micro> {
        std::mem::take(&mut self.micros)
    }

    /// What was written since `open`.
    pub(crate) fn close(&mut self, outer: Vec<Micro>) -> Vec<Micro> {
        std::mem::replace(&mut self.micros, outer)
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Micro> {
        let outer = self.open();
        write(self);
        self.close(outer)
    }

    /// The micro-operations.
    pub fn finish(self) -> Vec<Micro> {
        self.micros
    }
}

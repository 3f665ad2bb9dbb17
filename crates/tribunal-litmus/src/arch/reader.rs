//! An instruction as it is read: the cell on one side, micro-operations on the other. What the column architectures share.

use super::cursor::{Cursor, Result};
use super::{Arch, Context};
use crate::micro::{Access, Builder, Micro, Register, Temporary};
use crate::value::{Binary, Unary};

pub(super) struct Reader<'a, 'c> {
    pub(super) cursor: Cursor<'a>,
    pub(super) out: Builder,
    context: &'c mut dyn Context,
    arch: &'static dyn Arch,
    /// The register that is zero whatever is written to it.
    zero: Option<Register>,
}

impl<'a, 'c> Reader<'a, 'c> {
    pub(super) fn new(
        arch: &'static dyn Arch,
        zero: Option<Register>,
        text: &'a str,
        context: &'c mut dyn Context,
    ) -> Self {
        Self { cursor: Cursor::new(text), out: Builder::default(), context, arch, zero }
    }

    /// What was read, once nothing is left of the cell.
    pub(super) fn finish(mut self) -> Result<Vec<Micro>> {
        self.cursor.end()?;
        Ok(self.out.finish())
    }

    /// A register, or a symbolic one.
    pub(super) fn register(&mut self) -> Result<Register> {
        if self.cursor.accept("%") {
            return self.symbolic();
        }
        let before = self.cursor;
        let name = self.cursor.run(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
        self.arch.register(name).ok_or_else(|| {
            self.cursor = before;
            self.cursor.error("a register")
        })
    }

    /// The name of a symbolic register after its `%`.
    pub(super) fn symbolic(&mut self) -> Result<Register> {
        let name = self.cursor.word("the name of a symbolic register")?;
        Ok(self.context.symbolic(name))
    }

    pub(super) fn comma_register(&mut self) -> Result<Register> {
        self.cursor.expect(",")?;
        self.register()
    }

    pub(super) fn comma_number(&mut self) -> Result<i64> {
        self.cursor.expect(",")?;
        self.cursor.number()
    }

    /// A register's value, for an address and for all else but to be stored.
    pub(super) fn read(&mut self, register: Register) -> Temporary {
        if self.zero == Some(register) { self.out.constant(0) } else { self.out.address(register) }
    }

    /// A register's value, to be stored.
    pub(super) fn data(&mut self, register: Register) -> Temporary {
        if self.zero == Some(register) { self.out.constant(0) } else { self.out.data(register) }
    }

    pub(super) fn write(&mut self, register: Register, value: Temporary) {
        if self.zero != Some(register) {
            self.out.write(register, value);
        }
    }

    /// A value, and a number beside it.
    pub(super) fn with_number(&mut self, op: Binary, left: Temporary, right: i64) -> Temporary {
        let right = self.out.constant(right);
        self.out.binary(op, left, right)
    }

    /// An address some bytes on.
    pub(super) fn offset(&mut self, base: Temporary, offset: i64) -> Temporary {
        if offset == 0 { base } else { self.with_number(Binary::Add, base, offset) }
    }

    /// Bit `k` of a value.
    pub(super) fn bit(&mut self, of: Temporary, k: i64) -> Temporary {
        let shifted = if k == 0 { of } else { self.with_number(Binary::ShiftRight, of, k) };
        self.with_number(Binary::And, shifted, 1)
    }

    /// Zero, that depends on these values all the same.
    pub(super) fn zero_of(&mut self, values: &[Temporary]) -> Temporary {
        let mut zero = self.out.constant(0);
        for value in values {
            let nothing = self.out.binary(Binary::Xor, *value, *value);
            zero = self.out.binary(Binary::Or, zero, nothing);
        }
        zero
    }

    /// 1 for zero, and 0 for all else.
    pub(super) fn is_zero(&mut self, of: Temporary) -> Temporary {
        self.out.unary(Unary::IsZero, of)
    }
}

/// Both outcomes of a store that needs a reservation of its address. Success stores, and either ends the reservation.
pub(super) struct Conditional {
    /// The hidden register that holds the reserved address.
    pub(super) reservation: Register,
    pub(super) address: Temporary,
    pub(super) value: Temporary,
    pub(super) access: Access,
}

impl Conditional {
    /// `success` is told the event of the store.
    pub(super) fn write(
        self,
        out: &mut Builder,
        success: impl FnOnce(&mut Builder, Temporary),
        failure: impl FnOnce(&mut Builder),
    ) {
        let Self { reservation, address, value, access } = self;
        let reserved = out.address(reservation);
        let none = out.constant(0);
        out.controlled(reserved, |out| out.write(reservation, none));
        out.either(
            |out| {
                let same = out.binary(Binary::Eq, address, reserved);
                out.assume(same);
                let mut done = None;
                out.controlled(reserved, |out| done = Some(out.store(address, value, access)));
                if let Some(done) = done {
                    success(out, done);
                }
            },
            failure,
        );
    }
}

/// A store conditional all of whose effects depend on all that it reads: Power's, ARM's and MIPS'.
pub(super) struct Joint {
    pub(super) reserved: Temporary,
    pub(super) reservation: Register,
    pub(super) address: Temporary,
    pub(super) value: Temporary,
    pub(super) access: Access,
    /// The register that tells the outcome, and its values for success and failure.
    pub(super) status: Register,
    pub(super) outcomes: [i64; 2],
}

impl Joint {
    pub(super) fn write(self, reader: &mut Reader<'_, '_>) {
        let Self { reserved, reservation, address, value, access, status, outcomes: [success, failure] } =
            self;
        let nothing = reader.zero_of(&[reserved, address, value]);
        reader.out.write(reservation, nothing);
        let (success, failure) = (
            reader.with_number(Binary::Or, nothing, success),
            reader.with_number(Binary::Or, nothing, failure),
        );
        reader.out.either(
            |out| {
                let same = out.binary(Binary::Eq, address, reserved);
                out.assume(same);
                let zero = out.binary(Binary::Xor, reserved, reserved);
                let address = out.binary(Binary::Add, address, zero);
                out.store(address, value, access);
                out.write(status, success);
            },
            |out| out.write(status, failure),
        );
    }
}

//! Each instruction by width and sign, against a table of what it does that knows nothing of how it is read.

use tribunal_cat::limits::Unlimited;
use tribunal_cat::{Architecture, Environment, Model, NoFiles};
use tribunal_litmus::{Options, Runner, Test, Verdict};

/// An instruction, or some with `;` between them, on what memory holds and on a register: the result as a number of 64 bits.
type Row = (&'static str, fn(memory: i64, register: i64) -> i64);

/// An architecture: how a test names what it begins with and the result, and its instructions.
struct Table {
    arch: &'static str,
    /// The registers that hold the address of `x` and the value, as the initial state names them.
    init: [&'static str; 2],
    result: &'static str,
    rows: &'static [Row],
}

const TABLES: &[Table] = &[
    Table {
        arch: "PPC",
        init: ["0:r1", "0:r3"],
        result: "0:r2",
        rows: &[
            ("lbz r2,0(r1)", |m, _| i64::from(m as u8)),
            ("lhz r2,0(r1)", |m, _| i64::from(m as u16)),
            ("lwz r2,0(r1)", |m, _| i64::from(m as u32)),
            ("lwa r2,0(r1)", |m, _| i64::from(m as i32)),
            ("ld r2,0(r1)", |m, _| m),
            ("lwarx r2,r0,r1", |m, _| i64::from(m as u32)),
            ("stb r3,0(r1); lbz r2,0(r1)", |_, r| i64::from(r as u8)),
            ("sth r3,0(r1); lhz r2,0(r1)", |_, r| i64::from(r as u16)),
            ("stw r3,0(r1); lwz r2,0(r1)", |_, r| i64::from(r as u32)),
            ("std r3,0(r1); ld r2,0(r1)", |_, r| r),
            ("extsw r2,r3", |_, r| i64::from(r as i32)),
            ("add r2,r3,r3", |_, r| r.wrapping_add(r)),
            ("mullw r2,r3,r3", |_, r| i64::from(r as i32).wrapping_mul(i64::from(r as i32))),
        ],
    },
    Table {
        arch: "RISCV",
        init: ["0:x6", "0:x7"],
        result: "0:x5",
        rows: &[
            ("lb x5,0(x6)", |m, _| i64::from(m as i8)),
            ("lbu x5,0(x6)", |m, _| i64::from(m as u8)),
            ("lh x5,0(x6)", |m, _| i64::from(m as i16)),
            ("lhu x5,0(x6)", |m, _| i64::from(m as u16)),
            ("lw x5,0(x6)", |m, _| i64::from(m as i32)),
            ("lwu x5,0(x6)", |m, _| i64::from(m as u32)),
            ("ld x5,0(x6)", |m, _| m),
            ("lr.w x5,0(x6)", |m, _| i64::from(m as i32)),
            ("lr.d x5,0(x6)", |m, _| m),
            ("sb x7,0(x6); lb x5,0(x6)", |_, r| i64::from(r as i8)),
            ("sh x7,0(x6); lhu x5,0(x6)", |_, r| i64::from(r as u16)),
            ("sw x7,0(x6); lw x5,0(x6)", |_, r| i64::from(r as i32)),
            ("sd x7,0(x6); ld x5,0(x6)", |_, r| r),
            ("amoadd.w x8,x7,(x6); lw x5,0(x6)", |m, r| i64::from((m as i32).wrapping_add(r as i32))),
            ("amomax.w x8,x7,(x6); lw x5,0(x6)", |m, r| i64::from((m as i32).max(r as i32))),
            ("amominu.w x8,x7,(x6); lw x5,0(x6)", |m, r| i64::from((m as u32).min(r as u32) as i32)),
            ("amoswap.w x5,x7,(x6)", |m, _| i64::from(m as i32)),
            ("amomaxu.d x8,x7,(x6); ld x5,0(x6)", |m, r| (m as u64).max(r as u64) as i64),
            ("addw x5,x7,x7", |_, r| i64::from((r as i32).wrapping_add(r as i32))),
            ("subw x5,x0,x7", |_, r| i64::from(0_i32.wrapping_sub(r as i32))),
            ("addiw x5,x7,1", |_, r| i64::from((r as i32).wrapping_add(1))),
            ("sllw x5,x7,x7", |_, r| i64::from((r as i32).wrapping_shl(r as u32 & 31))),
            ("sll x5,x7,x7", |_, r| r.wrapping_shl(r as u32 & 63)),
            ("srl x5,x7,x7", |_, r| ((r as u64) >> (r & 63)) as i64),
            ("sra x5,x7,x7", |_, r| r >> (r & 63)),
            ("sext.w x5,x7", |_, r| i64::from(r as i32)),
            ("sltu x5,x0,x7", |_, r| i64::from(r != 0)),
            ("slt x5,x7,x0", |_, r| i64::from(r < 0)),
            ("lui x5,0x80000", |_, _| i64::from(i32::MIN)),
        ],
    },
    Table {
        arch: "AArch64",
        init: ["0:X1", "0:X3"],
        result: "0:X2",
        rows: &[
            ("LDRB W2,[X1]", |m, _| i64::from(m as u8)),
            ("LDRH W2,[X1]", |m, _| i64::from(m as u16)),
            ("LDR W2,[X1]", |m, _| i64::from(m as u32)),
            ("LDR X2,[X1]", |m, _| m),
            ("LDAR W2,[X1]", |m, _| i64::from(m as u32)),
            ("LDXR W2,[X1]", |m, _| i64::from(m as u32)),
            ("LDRSB X2,[X1]", |m, _| i64::from(m as i8)),
            ("LDRSB W2,[X1]", |m, _| i64::from(i32::from(m as i8) as u32)),
            ("LDRSH X2,[X1]", |m, _| i64::from(m as i16)),
            ("LDRSW X2,[X1]", |m, _| i64::from(m as i32)),
            ("STRB W3,[X1]; LDRB W2,[X1]", |_, r| i64::from(r as u8)),
            ("STR W3,[X1]; LDR W2,[X1]", |_, r| i64::from(r as u32)),
            ("STR X3,[X1]; LDR X2,[X1]", |_, r| r),
            ("SWP W3,W2,[X1]", |m, _| i64::from(m as u32)),
            ("LDADD W3,W4,[X1]; LDR W2,[X1]", |m, r| i64::from((m as u32).wrapping_add(r as u32))),
            ("LDSMAX W3,W4,[X1]; LDR W2,[X1]", |m, r| i64::from((m as i32).max(r as i32) as u32)),
            ("ADD W2,W3,W3", |_, r| i64::from((r as u32).wrapping_add(r as u32))),
            ("ADD X2,X3,X3", |_, r| r.wrapping_add(r)),
            ("MVN W2,W3", |_, r| i64::from(!(r as u32))),
            ("CMP W3,#0; CSET W2,LT", |_, r| i64::from((r as i32) < 0)),
            ("CMP X3,#0; CSET W2,LT", |_, r| i64::from(r < 0)),
            ("MOV W2,#0; CBZ W3,.+8; MOV W2,#1", |_, r| i64::from(r as u32 != 0)),
            ("SXTB X2,W3", |_, r| i64::from(r as i8)),
            ("UXTH W2,W3", |_, r| i64::from(r as u16)),
        ],
    },
    Table {
        arch: "X86_64",
        init: ["0:rsi", "0:rbx"],
        result: "0:rax",
        rows: &[
            ("movq (x),%rax", |m, _| m),
            ("movl (x),%eax", |m, _| i64::from(m as u32)),
            ("movw (x),%ax", |m, _| i64::from(m as u16)),
            ("movb (x),%al", |m, _| i64::from(m as u8)),
            ("movl x(%rip),%eax", |m, _| i64::from(m as u32)),
            ("movq %rbx,%rax", |_, r| r),
            ("movl %ebx,%eax", |_, r| i64::from(r as u32)),
            ("movq %rbx,%rax; movb $0,%al", |_, r| r & !0xff),
            ("movq %rbx,%rax; movw $1,%ax", |_, r| r & !0xffff | 1),
            ("movl %ebx,(x); movl (x),%eax", |_, r| i64::from(r as u32)),
            ("movl %ebx,%eax; addl %ebx,%eax", |_, r| i64::from((r as u32).wrapping_add(r as u32))),
            ("movq %rbx,%rax; addq %rbx,%rax", |_, r| r.wrapping_add(r)),
            ("movl %ebx,%eax; xchgl %eax,(x)", |m, _| i64::from(m as u32)),
            ("movq (%rsi),%rax", |m, _| m),
        ],
    },
    Table {
        arch: "X86",
        init: ["0:ESI", "0:EBX"],
        result: "0:EAX",
        rows: &[
            ("MOV EAX,[x]", |m, _| i64::from(m as u32)),
            ("MOV EAX,EBX", |_, r| i64::from(r as u32)),
            ("MOV [x],EBX; MOV EAX,[x]", |_, r| i64::from(r as u32)),
            ("MOV EAX,EBX; ADD EAX,EBX", |_, r| i64::from((r as u32).wrapping_add(r as u32))),
            ("XCHG [x],EAX", |m, _| i64::from(m as u32)),
        ],
    },
    Table {
        arch: "MIPS",
        init: ["0:$4", "0:$5"],
        result: "0:$6",
        rows: &[
            ("lw $6,0($4)", |m, _| i64::from(m as i32)),
            ("ld $6,0($4)", |m, _| m),
            ("ll $6,0($4)", |m, _| i64::from(m as i32)),
            ("sw $5,0($4); lw $6,0($4)", |_, r| i64::from(r as i32)),
            ("addu $6,$5,$5", |_, r| i64::from((r as i32).wrapping_add(r as i32))),
            ("daddu $6,$5,$5", |_, r| r.wrapping_add(r)),
            ("addiu $6,$5,-1", |_, r| i64::from((r as i32).wrapping_sub(1))),
            ("lui $6,0x8000", |_, _| i64::from(i32::MIN)),
        ],
    },
    Table {
        arch: "ARM",
        init: ["0:R1", "0:R3"],
        result: "0:R2",
        rows: &[
            ("LDR R2,[R1]", |m, _| i64::from(m as i32)),
            ("LDREX R2,[R1]", |m, _| i64::from(m as i32)),
            ("STR R3,[R1]; LDR R2,[R1]", |_, r| i64::from(r as i32)),
            ("ADD R2,R3,R3", |_, r| i64::from((r as i32).wrapping_add(r as i32))),
            ("MOV R2,#0xffffffff", |_, _| -1),
        ],
    },
    Table {
        arch: "BPF",
        init: ["0:r1", "0:r3"],
        result: "0:r2",
        rows: &[
            ("r2 = *(u8*)(r1 + 0)", |m, _| i64::from(m as u8)),
            ("r2 = *(u16*)(r1 + 0)", |m, _| i64::from(m as u16)),
            ("r2 = *(u32*)(r1 + 0)", |m, _| i64::from(m as u32)),
            ("r2 = *(u64*)(r1 + 0)", |m, _| m),
            ("*(u64*)(r1 + 0) = r3; r2 = *(u64*)(r1 + 0)", |_, r| r),
        ],
    },
];

/// Numbers on both sides of every width's signs.
const VALUES: [i64; 14] = [
    0,
    1,
    5,
    -1,
    0x7f,
    0x80,
    0x1ff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0x1_0000_0001,
    -0x8000_0001,
    i64::MIN,
];

/// The verdict on a condition under coherence alone, and the number of states.
fn run(text: &str) -> (Verdict, usize) {
    let test = Test::parse("row.litmus", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let model = Model::parse("acyclic po-loc | rf | co | fr", "m.cat", &mut NoFiles).expect("a model");
    let arch = Architecture::of_name(&test.arch).expect("an architecture");
    let plan = model.plan(&Environment::of(arch)).expect("a plan");
    let outcome = Runner::new(&plan, Options::default()).run(&test, &mut Unlimited);
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{text}"));
    (outcome.verdict(test.quantifier), outcome.states.len())
}

#[test]
fn every_instruction_by_width_and_sign() {
    let mut wrong = Vec::new();
    for Table { arch, init: [address, value], result, rows } in TABLES {
        for (row, meaning) in *rows {
            for (index, memory) in VALUES.into_iter().enumerate() {
                // Every value of memory, each with another of the register.
                let register = VALUES[(index * 5 + 3) % VALUES.len()];
                let expected = meaning(memory, register);
                // Registers of 32 bits have no upper half to be looked at.
                let (ty, expected) = match *arch {
                    "X86" | "ARM" => ("int32_t", i64::from(expected as i32)),
                    _ => ("int64_t", expected),
                };
                let code: String = row.split("; ").map(|line| format!(" {line} ;\n")).collect();
                let text = format!(
                    "{arch} row\n{{ x={memory}; {address}=x; {value}={register}; {ty} {result}; }}\n P0 ;\n{code}forall ({result}={expected})\n"
                );
                let (verdict, states) = run(&text);
                if verdict != Verdict::Ok || states != 1 {
                    wrong.push(format!("{verdict}, {states} states:\n{text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

/// Runs what is refused.
fn refusal(text: &str) -> String {
    let test = match Test::parse("t.litmus", text) {
        Ok(test) => test,
        Err(error) => return error.to_string(),
    };
    let model = Model::parse("acyclic po-loc | rf | co | fr", "m.cat", &mut NoFiles).expect("a model");
    let plan = model.plan(&Environment::of(Architecture::of_name(&test.arch).expect("one"))).expect("a plan");
    match Runner::new(&plan, Options::default()).run(&test, &mut Unlimited) {
        Ok(outcome) => panic!("{} states", outcome.states.len()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_store_over_several_elements_is_refused() {
    let text = "AArch64 wide\n{ uint8_t t[4]={1,2,3,4}; 0:X1=t; 0:X0=0; }\n P0 ;\n STR W0,[X1] ;\nexists (t={0,2,3,4})\n";
    assert_eq!(refusal(text), "accesses of different sizes to `t` are not supported");
    let text = "AArch64 half\n{ uint64_t x=-1; 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=1)\n";
    assert_eq!(refusal(text), "accesses of different sizes to `x` are not supported");
}

#[test]
fn an_access_to_no_location_is_named() {
    let text = "AArch64 null\n{ 0:X1=5; }\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=1)\n";
    assert_eq!(refusal(text), "null:4:2: an access to the address 5, which is no location");
    let text = "AArch64 code\n{ 0:X1=P0:L0; }\n P0 ;\nL0: LDR W0,[X1] ;\nexists (0:X0=1)\n";
    assert_eq!(refusal(text), "code:4:5: an access to code, at label:\"P0:L0\", is not supported");
    // An address that is read.
    let text = "AArch64 read\n{ 0:X1=x; x=7; }\n P0 ;\n LDR W2,[X1] ;\n LDR W3,[X2] ;\nexists (0:X3=1)\n";
    assert_eq!(refusal(text), "read:5:2: an access to the address 7, which is no location");
    let text = "PPC far\n{ 0:r1=x; }\n P0 ;\n lwz r2,400(r1) ;\nexists (0:r2=1)\n";
    assert_eq!(refusal(text), "there is no location at 400 bytes after `x`");
}

#[test]
fn what_is_not_supported_is_named() {
    for (line, message) in [
        ("UDF #0", "`UDF #0`: `udf`: exceptions are not supported"),
        ("SVC #0", "`SVC #0`: `svc`: exceptions are not supported"),
        ("MSR ELR_EL1,X0", "`MSR ELR_EL1,X0`: there is no system register `elr_el1` here"),
        ("LDXP X2,X3,[X1]", "an exclusive access of two words, is not understood"),
    ] {
        let text = format!("AArch64 not\n{{ 0:X1=x; }}\n P0 ;\n {line} ;\nexists (0:X0=1)\n");
        assert!(refusal(&text).contains(message), "{}", refusal(&text));
    }
}

#[test]
fn labels_are_values_of_conditions() {
    let text = "AArch64 adr\n{ }\n P0 ;\nL1: ADR X0,L1 ;\nforall (0:X0=label:\"P0:L1\")\n";
    assert_eq!(run(text), (Verdict::Ok, 1));
}

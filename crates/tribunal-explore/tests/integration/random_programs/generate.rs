//! Random small programs as text.

use std::fmt::Write;
use tribunal_random::Random;

/// What programs are like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A bit of everything.
    Mixed,
    /// Many read-modify-writes.
    Updates,
    /// Mostly seq_cst.
    SeqCst,
    /// One location, relaxed.
    OneLocation,
    /// Threads that wait for values and locks.
    Waiting,
    /// Threads that take locks, also one inside another, and now and then wait for a value.
    Locks,
    /// The same, with timeouts.
    Timed,
    /// Loops that wait, some of which take something and give it back.
    Loops,
    /// Loops that read several locations again and again, until what they find fits.
    Retries,
    /// Plain accesses, also of atomic locations.
    Plain,
    /// The same, with assertions, locks and waiting.
    Racing,
}

impl Shape {
    fn has_plain(self) -> bool {
        matches!(self, Shape::Plain | Shape::Racing)
    }

    fn has_waiting(self) -> bool {
        matches!(self, Shape::Waiting | Shape::Locks | Shape::Timed | Shape::Racing)
    }
}

/// Choices by remainder: seeds that tests name must go on to give the same programs.
struct Choices(Random);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.bits() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A program of two to four threads.
pub fn program(seed: u64, shape: Shape) -> String {
    let mut random = Choices(Random::new(seed));
    let threads = 2 + random.below(3);
    let locations: &[&str] = match shape {
        Shape::OneLocation => &["x"],
        _ => [&["x", "y"][..], &["x", "y", "z"]][random.below(2)],
    };
    let mut text = format!("atomic {}\n", locations.join(", "));
    if shape == Shape::Loops {
        text.push_str("atomic f\n");
    }
    if shape.has_waiting() {
        text.push_str("mutex m, n\n");
    }
    if shape.has_plain() {
        text.push_str("plain p, q\n");
    }
    let most = match shape {
        Shape::Loops => [0, 0, 4, 3, 2][threads],
        Shape::Locks => [0, 0, 4, 3, 2][threads],
        _ => [0, 0, 5, 4, 3][threads],
    };
    for thread in 0..threads {
        writeln!(text, "thread T{thread} {{").expect("a string");
        let mut writer = Writer { random: &mut random, locations, shape, registers: 0, text: &mut text };
        if shape == Shape::Retries {
            writer.write_or_retry();
        } else {
            for _ in 0..1 + writer.random.below(most) {
                writer.statement(0);
            }
        }
        text.push_str("}\n");
    }
    text
}

struct Writer<'a> {
    random: &'a mut Choices,
    locations: &'a [&'a str],
    shape: Shape,
    registers: usize,
    text: &'a mut String,
}

impl Writer<'_> {
    fn order(&mut self, orders: &[&'static str]) -> &'static str {
        match self.shape {
            Shape::SeqCst if self.random.below(4) > 0 => "sc",
            Shape::OneLocation => "rlx",
            _ => self.random.pick(orders),
        }
    }

    /// A value to write: a number, or one that was read.
    fn value(&mut self) -> String {
        match self.registers {
            0 => (1 + self.random.below(2)).to_string(),
            _ if self.random.below(4) > 0 => (1 + self.random.below(2)).to_string(),
            registers => format!("(r{} + 1)", self.random.below(registers)),
        }
    }

    /// Does something under a lock if that is free.
    fn try_lock(&mut self, mutex: &str) {
        let register = self.registers;
        self.registers += 1;
        writeln!(self.text, "r{register} = trylock({mutex})").expect("a string");
        writeln!(self.text, "if r{register} {{").expect("a string");
        self.statement(1);
        self.registers = register + 1;
        writeln!(self.text, "unlock({mutex})\n}}").expect("a string");
    }

    /// Waits for a value, or does something under a lock.
    fn wait(&mut self, loc: &str) {
        let (value, order) = (self.random.below(3), self.order(&["rlx", "acq", "sc"]));
        let kind = match self.shape {
            Shape::Locks if self.random.below(8) > 0 => 3,
            _ => self.random.below(4),
        };
        let timeout = match self.shape == Shape::Timed && kind < 3 && self.random.below(3) > 0 {
            true => {
                self.registers += 1;
                format!(" timeout r{}", self.registers - 1)
            }
            false => String::new(),
        };
        match kind {
            0 => writeln!(self.text, "await({loc} @{order} == {value}){timeout}"),
            1 => writeln!(self.text, "await({loc} @{order} > 0){timeout}"),
            2 => {
                writeln!(self.text, "await cas({loc}, {value} -> {}) @{order}{timeout}", self.random.below(3))
            }
            _ => {
                let mutex = self.random.pick(&["m", "m", "n"]);
                if self.shape == Shape::Locks && self.random.below(4) == 0 {
                    return self.try_lock(mutex);
                }
                writeln!(self.text, "lock({mutex})").expect("a string");
                let other = if mutex == "m" { "n" } else { "m" };
                let nested = self.shape == Shape::Locks && self.random.below(3) == 0;
                if nested {
                    writeln!(self.text, "lock({other})").expect("a string");
                }
                for _ in 0..1 + self.random.below(2) {
                    self.statement(1);
                }
                if nested {
                    writeln!(self.text, "unlock({other})").expect("a string");
                }
                writeln!(self.text, "unlock({mutex})")
            }
        }
        .expect("a string");
    }

    /// A loop that waits.
    fn repeat(&mut self, loc: &str) {
        let order = self.random.pick(&["rlx", "acqrel", "sc"]);
        let load = self.random.pick(&["rlx", "acq", "sc"]);
        let other = self.random.pick(self.locations);
        let value = self.random.below(3);
        let register = self.registers;
        self.registers += 1;
        let text = match self.random.below(5) {
            0 => format!(
                "r{register} = {loc} @{load}\nwhile r{register} != {value} {{\nspin\nr{register} = {loc} @{load}\n}}"
            ),
            1 => {
                format!("while xchg(f, 1) @{order} == 1 {{ spin }}\nr{register} = {loc} @{load}\nf = 0 @rel")
            }
            2 => format!(
                "while 1 == 1 {{\nif cas(f, 0 -> 1) @{order}/rlx == 0 {{\nr{register} = {loc} @{load}\nf = 0 @rel\nif r{register} >= {value} {{ break }}\n}}\nspin\n}}"
            ),
            3 => format!(
                "r{register} = f += 2 @{order}\nwhile r{register} & 1 == 1 {{\nf -= 2 @{order}\nspin\nr{register} = f += 2 @{order}\n}}\nr{register} = {other} @{load}\nf -= 2 @{order}"
            ),
            _ => format!("r{register} = xchg(f, 1) @{order}\nif r{register} != 1 {{ f = 0 @rel }}"),
        };
        writeln!(self.text, "{text}").expect("a string");
    }

    /// A thread that writes a few times, or reads until what it finds fits.
    fn write_or_retry(&mut self) {
        let (before, writes) = (self.random.below(4) == 0, self.random.below(2) == 0);
        let statements = if writes { 2 + self.random.below(3) } else { usize::from(before) };
        (0..statements).for_each(|_| self.statement(0));
        if !writes || before {
            let loc = self.random.pick(self.locations);
            self.retry(loc);
            if self.random.below(2) == 0 {
                self.statement(0);
            }
        }
    }

    /// A loop that reads two or three times, until what it finds fits.
    fn retry(&mut self, loc: &str) {
        const ORDERS: &[&str] = &["rlx", "acq", "acq", "sc"];
        let (first, other) = (self.registers, self.random.pick(self.locations));
        let mut lines =
            vec!["while 1 == 1 {".to_string(), format!("r{first} = {loc} @{}", self.order(ORDERS))];
        let nested = self.random.below(4) == 0;
        if nested {
            lines.push(format!("if r{first} & 1 == {} {{", self.random.below(2)));
        }
        lines.push(format!("r{} = {other} @{}", first + 1, self.order(ORDERS)));
        if self.random.below(3) == 0 {
            lines.push("fence @acq".to_string());
        }
        let mut last = first + 1;
        if self.random.below(2) == 0 {
            last += 1;
            let again = self.random.pick(self.locations);
            let third = if self.random.below(2) == 0 { loc } else { again };
            lines.push(format!("r{last} = {third} @{}", self.order(ORDERS)));
        }
        let value = self.random.below(3);
        let condition = match self.random.below(8) {
            0..4 => format!("r{first} == r{last}"),
            4 => format!("r{first} <= r{last}"),
            5 => format!("r{first} != r{last}"),
            6 => format!("r{last} >= {value}"),
            _ => format!("r{first} + r{last} != {value}"),
        };
        lines.push(format!("if {condition} {{ break }}"));
        if nested {
            lines.push("}".to_string());
        }
        lines.push("spin\n}".to_string());
        // What was read behind a condition is not known behind the loop.
        self.registers = if nested { first + 1 } else { last + 1 };
        writeln!(self.text, "{}", lines.join("\n")).expect("a string");
    }

    fn statement(&mut self, depth: usize) {
        let rmws = [3, 8][usize::from(self.shape == Shape::Updates)];
        let (loads, stores) = (4, 4);
        let kind = self.random.below(loads + stores + rmws + 3);
        let loc = self.random.pick(self.locations);
        let register = self.registers;
        let waits = match self.shape {
            Shape::Racing => 8,
            Shape::Locks => 2,
            _ => 4,
        };
        if self.shape.has_waiting() && self.random.below(waits) == 0 && depth == 0 {
            return self.wait(loc);
        }
        if self.shape == Shape::Loops && self.random.below(3) == 0 && depth == 0 {
            return self.repeat(loc);
        }
        if self.shape == Shape::Racing && self.registers > 0 && self.random.below(8) == 0 {
            let (read, value) = (self.random.below(self.registers), self.random.below(3));
            return writeln!(self.text, "assert r{read} != {value}").expect("a string");
        }
        if self.shape.has_plain() && self.random.below(3) == 0 {
            let plain = match self.random.below(5) {
                0 => format!("{loc} @na"),
                _ => self.random.pick(&["p", "q"]).to_string(),
            };
            if self.random.below(2) == 0 {
                let (name, order) = plain.split_once(' ').unwrap_or((&plain, ""));
                let value = self.value();
                return writeln!(self.text, "{name} = {value} {order}").expect("a string");
            }
            self.registers += 1;
            return writeln!(self.text, "r{register} = {plain}").expect("a string");
        }
        let line = if kind < loads {
            self.registers += 1;
            format!("r{register} = {loc} @{}", self.order(&["rlx", "rlx", "acq", "sc"]))
        } else if kind < loads + stores {
            let value = self.value();
            format!("{loc} = {value} @{}", self.order(&["rlx", "rlx", "rel", "sc"]))
        } else if kind < loads + stores + rmws {
            let order = self.order(&["rlx", "acq", "rel", "acqrel", "sc"]);
            let value = self.value();
            self.registers += 1;
            match self.random.below(4) {
                0 => format!("r{register} = xchg({loc}, {value}) @{order}"),
                1 => {
                    let failure = self.order(&["rlx", "acq", "sc"]);
                    let expected = self.random.below(2);
                    format!("r{register} = cas({loc}, {expected} -> {value}) @{order}/{failure}")
                }
                _ => format!("r{register} = {loc} += 1 @{order}"),
            }
        } else if kind == loads + stores + rmws || self.registers == 0 || depth > 1 {
            if self.shape == Shape::OneLocation {
                return;
            }
            format!("fence @{}", self.order(&["acq", "rel", "acqrel", "sc", "sc"]))
        } else {
            let condition = format!(
                "r{} {} {}",
                self.random.below(self.registers),
                self.random.pick(&["==", "!="]),
                self.random.below(3)
            );
            if self.random.below(6) == 0 {
                format!("assume({condition})")
            } else {
                writeln!(self.text, "if {condition} {{").expect("a string");
                let known = self.registers;
                self.statement(depth + 1);
                // What is assigned in a branch is not known behind it.
                self.registers = known;
                if self.random.below(2) == 0 {
                    self.text.push_str("} else {\n");
                    self.statement(depth + 1);
                    self.registers = known;
                }
                "}".to_string()
            }
        };
        writeln!(self.text, "{line}").expect("a string");
    }
}

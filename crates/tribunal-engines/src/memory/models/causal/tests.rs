//! Litmus tests of the causal family and of coherence.

use crate::memory::check;
use tribunal_history::memory::{Execution, Op};
use tribunal_history::model::Model;
use tribunal_verify::verify;

/// Threads separated by `//`, events by `;`: `Wx1` writes, `Rx1` reads, `Ux0>1` is an RMW.
fn history(text: &str) -> Execution {
    let mut b = Execution::builder();
    for (i, thread) in text.split("//").enumerate() {
        let t = b.thread(&format!("T{i}"));
        for event in thread.split(';').map(str::trim) {
            let loc = b.location(&event[1..2]);
            let value = |text: &str| text.parse().expect("a value");
            let op = match event[2..].split_once('>') {
                Some((read, written)) => Op::rmw(loc, value(read), value(written)),
                None if event.starts_with('W') => Op::write(loc, value(&event[2..])),
                None => Op::read(loc, value(&event[2..])),
            };
            b.push(t, op);
        }
    }
    b.build().expect("every value read was written once")
}

/// The models that have a say here, and what it is.
fn judged(text: &str, consistent: &str, inconsistent: &str) {
    let x = history(text);
    for (names, word) in [(consistent, "consistent"), (inconsistent, "inconsistent")] {
        for name in names.split_whitespace() {
            let model: Model = name.parse().expect("a model");
            let verdict = check(&x, model);
            assert_eq!(verdict.word(), word, "{model}: {text}");
            assert_eq!(verify(&x, model, &verdict), Ok(()), "{model}: {text}");
        }
    }
}

#[test]
fn classics() {
    judged("Wx1;Ry0 // Wy1;Rx0", "cc ccv cm pram wccm coherence", "ccm");
    judged("Wx1;Wy1 // Ry1;Rx0", "coherence", "cc ccv cm pram ccm wccm");
    judged("Wx1 // Wy1 // Rx1;Ry0 // Ry1;Rx0", "cc ccv cm pram coherence", "ccm wccm");
    judged("Wx1 // Rx1;Wy1 // Ry1;Rx0", "pram coherence", "cc ccv cm ccm wccm");
    judged("Rx1;Wy1 // Ry1;Wx1", "pram coherence", "cc ccv cm ccm wccm");
    judged("Wx1 // Rx1;Rx0", "", "cc ccv cm pram ccm wccm coherence");
    judged("Wx1 // Wx2 // Rx1;Rx2 // Rx2;Rx1", "cc cm pram", "ccv ccm wccm coherence");
}

#[test]
fn store_forwarding_separates_tso_from_pram() {
    judged("Wx1;Ry0;Rz1;Rx1 // Wy1;Wx2;Wz1", "cc ccv wccm coherence", "cm pram ccm");
}

#[test]
fn rmws_are_reads_and_writes() {
    judged("Ux0>1 // Ux0>2", "cc cm pram", "ccm wccm coherence");
    judged("Wx1;Rx3 // Ux0>2;Ux4>3 // Ux2>4", "ccm cc ccv cm", "coherence");
    // Nothing comes between the initial write and the RMW, so 5 is after 1.
    judged("Rx0;Wx5;Rx1 // Ux0>1", "", "coherence");
    judged("Ux2>1;Ux1>2", "", "coherence pram cc wccm");
    judged("Ux1>1", "", "coherence pram cc wccm");
}

#[test]
fn a_read_of_a_later_write_of_its_thread_is_inconsistent() {
    judged("Rx1;Wx1", "", "cc ccv cm pram ccm wccm coherence");
}

#[test]
fn the_initial_write_counts() {
    judged("Wx1;Wy1 // Ry1 // Rx0", "cc ccv cm pram ccm wccm coherence", "");
    judged("Wx1;Rx0", "", "cc ccv cm pram ccm wccm coherence");
}

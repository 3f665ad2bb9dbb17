//! The JSON lines of every command keep to their schema in docs/schema.

use crate::command::{MISSED, MP, Place, SB, SEEN, STALE, several};
use std::path::Path;

#[path = "../../../../../tests/schema.rs"]
mod lines;

/// Holds all lines to one of these schemas.
pub fn hold(lines: &str, name: &str) {
    lines::hold(lines, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name));
}

#[test]
fn verdict_lines() {
    let racy = "name: racy\nT0: W.na x 1; W.rel y 1\nT1: R y 1; R.na x 1\n";
    let place = Place::with("all.txt", several(&[SEEN, MISSED, MP, SB, racy]));
    place.write("stale.json", STALE);
    place.write("lost.json", include_str!("../../../../../examples/transactions/lost-update.json"));
    place.write("bad.txt", several(&[SEEN, "T0: nonsense\n"]));
    for arguments in [
        &["--witness", "--verify", "all.txt", "stale.json", "lost.json"][..],
        &["--timeout", "0", "all.txt", "stale.json", "lost.json"],
        &["--model", "linearizable,sc,ser", "all.txt", "stale.json", "lost.json"],
        &["--keep-going", "bad.txt"],
    ] {
        let ran = place.run(&[&["check", "--style", "json"], arguments].concat());
        hold(&ran.stdout, "check.json");
    }
    let stored = ["check", "--style", "json", "--certificates", "stored", "--certificate-limit", "0"];
    hold(&place.run(&[&stored[..], &["all.txt"]].concat()).stdout, "check.json");
}

#[test]
fn races() {
    let racy = "name: racy\nT0: W.na x 1; W.rel y 1\nT1: R y 1; R.na x 1\n";
    let open = "name: open\nT0: W.na x 1; W y 1\nT1: W y 1; R.na x 0\nT2: R y 1\n";
    let cyclic = "name: cyclic\nT0: R.na x 1; W y 1\nT1: R y 1; W x 1\n";
    let place = Place::with("all.txt", several(&[racy, open, cyclic, SEEN]));
    hold(&place.run(&["races", "--all", "--style", "json", "all.txt"]).stdout, "races.json");
    hold(&place.run(&["races", "--timeout", "0", "--style", "json", "all.txt"]).stdout, "races.json");
}

#[test]
fn programs_and_litmus_tests() {
    let sb = "atomic x, y @rlx\nthread A { x = 1; a = y }\nthread B { y = 1; b = x }\nexpect executions 3\n";
    let race =
        "plain d\natomic y\nthread A { d = 1; y = 1 @rel }\nthread B { if y @rlx { a = d } }\nexpect race\n";
    let place = Place::with("sb.prog", sb);
    place.write("race.prog", race);
    let explore = ["explore", "--style", "json", "--models", "--repair", "sb.prog", "race.prog"];
    hold(&place.run(&explore).stdout, "explore.json");
    let test = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    place.write("sb.litmus", test);
    hold(&place.run(&["litmus", "--style", "json", "--model", "sc,tso", "sb.litmus"]).stdout, "litmus.json");
}

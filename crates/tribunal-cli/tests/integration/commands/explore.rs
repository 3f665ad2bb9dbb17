//! `tribunal explore`.

use crate::command;
use crate::command::Place;
use serde_json::Value;

const SB: &str = "order o = rlx
atomic x, y @o
thread A { x = 1; a = y }
thread B { y = 1; b = x }
expect executions 4, outcomes (0|1, 0|1)
expect with o = sc: executions 3, outcomes (0|1, 0|1) except (0, 0)
expect under sc: executions 3
";
const RACE: &str =
    "plain d\natomic y\nthread A { d = 1; y = 1 @rel }\nthread B { if y @rlx { a = d } }\nexpect race\n";
/// More executions than anybody waits for.
const LARGE: &str = "atomic x @rlx\nthread T[i in 0..14] { x += 1 }\noutcome none\n";

#[test]
fn outcomes_are_listed_with_how_many_executions_have_them() {
    let place = Place::with("sb.prog", SB);
    let ran = place.run(&["explore", "sb.prog"]);
    let expected = "sb.prog: rc20: no failure in all 4 executions, as expected
  a  b  executions
  0  0           1
  0  1           1
  1  0           1
  1  1           1
";
    assert_eq!((ran.stdout.as_str(), ran.status), (expected, 0));
    let ran = place.run(&["explore", "--set", "o=sc", "--model", "rc20,sc", "--style", "brief", "sb.prog"]);
    let expected = "sb.prog [o=sc]: rc20: no failure in all 3 executions, as expected
sb.prog [o=sc]: sc: no failure in all 3 executions
";
    assert_eq!((ran.stdout.as_str(), ran.status), (expected, 0));
    let ran = place.run_on(&["explore", "--threads", "3", "--style", "brief", "-"], SB);
    assert_eq!(
        (ran.stdout.as_str(), ran.status),
        ("-: rc20: no failure in all 4 executions, as expected\n", 0)
    );
}

#[test]
fn a_failing_execution_is_shown() {
    let place = Place::with("race.prog", RACE);
    let ran = place.run(&["explore", "race.prog"]);
    let expected = "race.prog: rc20: data race on d: A (line 3) and B (line 4), as expected

      main     A             B
  #1  spawn A
  #2  spawn B
  #3           W.na d 1 :3
  #4           W.rel y 1 :3
  #5                         R y 1 from #4 :4
  #6                         R.na d ? :4
                             (races with #3) :4

  B has seen what came after #3: #5 R y 1 from #4.
  But no release is acquired on the way, so #3 does not happen before #6.

  replay: t1.m:SS.0:WW.1:L0w0
";
    assert_eq!((ran.stdout.as_str(), ran.status), (expected, 1));
    let ran = place.run(&["explore", "--allow-races", "--style", "brief", "race.prog"]);
    assert_eq!(ran.stdout, "race.prog: rc20: no failure in all 3 executions, not as expected\n");
    assert_eq!(ran.status, 1);
    let ran = place.run(&["explore", "--expect", "race.prog"]);
    assert_eq!((ran.last_line(), ran.status), ("1 case, 0 not as expected", 0));
}

/// A limit ends whatever takes long, and says so.
#[test]
fn limits_end_explorations() {
    let place = Place::with("loop.prog", "thread A { loop { } }\n");
    place.write("last.prog", "thread A { r = 1 }\nfinal { loop { } }\n");
    for (file, who) in [("loop.prog", "A"), ("last.prog", "main")] {
        let ran = place.run(&["explore", file]);
        let line = if who == "A" { 1 } else { 2 };
        let says = format!("{file}: rc20: {who} goes on for too long (line {line})\n");
        assert!(ran.stdout.starts_with(&says), "{}", ran.stdout);
        assert_eq!(ran.status, 1);
    }
    let locations: Vec<String> = (0..20).map(|i| format!("x{i}")).collect();
    let stores = |value: usize| locations.iter().map(|x| format!("{x} = {value}; ")).collect::<String>();
    let threads: String = (1..4).map(|t| format!("thread T{t} {{ {} }}\n", stores(t))).collect();
    let names = locations.join(", ");
    place.write("finals.prog", format!("atomic {names} @rlx\n{threads}outcome {names}\n"));
    let ran = place.run(&["explore", "--timeout", "0.3", "--style", "brief", "finals.prog"]);
    let says = "finals.prog: rc20: no failure in 0 executions, then --timeout ended it; how many there are is unknown\n";
    assert_eq!((ran.stdout.as_str(), ran.status), (says, 3));
    let range = "0..1000, ".repeat(5);
    place.write("wide.prog", format!("thread A {{ r = 1 }}\nexpect outcomes ({range}0..1000)\n"));
    let ran = place.run(&["explore", "wide.prog"]);
    assert!(ran.stderr.contains("too large: at most 2^16 outcomes in an expectation"), "{}", ran.stderr);
    assert_eq!(ran.status, 2);
    place.write("two.prog", "atomic x @rlx\nthread A { x = 1 }\nthread B { x = 2 }\n");
    let ran =
        place.run(&["explore", "--random", "20", "--pct", "4000000000", "--style", "brief", "two.prog"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn what_is_expected_is_compared() {
    let place = Place::with("sb.prog", SB);
    let ran = place.run(&["explore", "--expect", "sb.prog"]);
    assert_eq!((ran.last_line(), ran.status), ("3 cases, 0 not as expected", 0));
    place.write("wrong.prog", SB.replace("executions 3", "executions 2"));
    let ran = place.run(&["explore", "--expect", "wrong.prog"]);
    assert!(ran.stdout.contains("wrong.prog [o=sc]: rc20: no failure in all 3 executions, not as expected\n  line 6: expected 2 executions, found 3\n"), "{}", ran.stdout);
    assert_eq!((ran.last_line(), ran.status), ("3 cases, 2 not as expected", 1));
    place.write("exists.prog", "thread A { r = 1 }\nexists r == 2\n");
    let ran = place.run(&["explore", "exists.prog"]);
    assert!(ran.stdout.contains("  no outcome satisfies: r == 2\n"), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
}

#[test]
fn json_says_it_all() {
    let place = Place::with("sb.prog", SB);
    place.write("race.prog", RACE);
    let ran = place.run(&["explore", "--style", "json", "sb.prog", "race.prog"]);
    assert_eq!(ran.status, 1);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (sb, race) = (&lines[0], &lines[1]);
    assert_eq!((sb["verdict"].as_str(), sb["end"].as_str()), (Some("no-failure"), Some("complete")));
    assert_eq!((sb["executions"].as_u64(), sb["expected"]["met"].as_bool()), (Some(4), Some(true)));
    assert_eq!(sb["outcomes"]["names"], serde_json::json!(["a", "b"]));
    assert_eq!(sb["outcomes"]["rows"][3], serde_json::json!({"values": [1, 1], "executions": 1}));
    assert_eq!(race["failure"]["kind"], "race");
    assert_eq!(race["failure"]["execution"][2]["text"], "R y 1 from A:1");
}

#[test]
fn limits_leave_it_undecided() {
    let place = Place::with("large.prog", LARGE);
    let ran = place.run(&["explore", "--threads", "1", "--max-executions", "1000", "large.prog"]);
    let says = "large.prog: rc20: no failure in 1000 executions, then --max-executions ended it; ";
    let left = ran.stdout.strip_prefix(says).unwrap_or_default();
    assert!(
        left.starts_with("there are about ") || left == "how many there are is unknown\n",
        "{}",
        ran.stdout
    );
    assert_eq!(ran.status, 3);
    let ran = place.run(&["explore", "--timeout", "0.2", "large.prog"]);
    assert!(ran.stdout.contains("executions, then --timeout ended it; "), "{}", ran.stdout);
    assert_eq!(ran.status, 3);
    let ran = place.run(&["explore", "--max-events", "5", "large.prog"]);
    assert!(ran.stdout.contains("for too long"), "{}", ran.stdout);
    assert_eq!(ran.status, 1);
    for chance in [&["--random", "50"][..], &["--random", "50", "--pct", "3", "--seed", "7"]] {
        let ran = place.run(&[&["explore", "large.prog"], chance].concat());
        assert_eq!(ran.stdout, "large.prog: rc20: no failure in 50 executions by chance\n");
        assert_eq!(ran.status, 0);
    }
}

#[test]
fn mistakes_are_named_with_their_place() {
    let place = Place::with("bad.prog", "atomic x\nthread A { x = 1 }\n");
    place.write("sb.prog", SB);
    let ran = place.run(&["explore", "bad.prog", "sb.prog"]);
    assert!(ran.stderr.contains("error: bad.prog:2:12: an access to `x` needs an order"), "{}", ran.stderr);
    // The other file is explored all the same.
    assert!(ran.stdout.starts_with("sb.prog: rc20: no failure"), "{}", ran.stdout);
    assert_eq!(ran.status, 2);
    for (arguments, message) in [
        (
            &["explore", "--set", "p=1", "sb.prog"][..],
            "sb.prog: there is no constant `p` to set: the program has o",
        ),
        (
            &["explore", "--set", "o=1", "sb.prog"],
            "sb.prog:1:7: `o` is a constant order, but an order is needed",
        ),
        (&["explore", "--set", "o", "sb.prog"], "expected NAME=VALUE with a number or an order"),
        (&["explore", "--model", "cc", "sb.prog"], "invalid value 'cc'"),
        (&["explore", "none.prog"], "none.prog"),
    ] {
        let ran = place.run(arguments);
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.status, 2, "{arguments:?}");
    }
    place.write("final.prog", "atomic x @rlx\nthread A { x = 1 }\noutcome x\n");
    let ran = place.run(&["explore", "--model", "wra", "final.prog"]);
    assert!(ran.stderr.contains("wra has no modification order"), "{}", ran.stderr);
    assert_eq!(ran.status, 2);
}

/// Ctrl-C says what was found until then.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::with("large.prog", LARGE);
    let child = place.command(&["explore", "large.prog"]).spawn().expect("the command runs");
    std::thread::sleep(std::time::Duration::from_millis(500));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let ran = command::Ran::from(child.wait_with_output().expect("an end"));
    assert!(ran.stdout.contains("executions, then it was stopped; "), "{}", ran.stdout);
    assert_eq!(ran.status, 130);
}

#[test]
fn models_and_orders_that_repair_a_program() {
    let place = Place::with("sb.prog", SB);
    place.write(
        "dekker.prog",
        "atomic x, y, inside
thread A { x = 1 @sc; if y @sc == 0 { inside += 1 @rlx; assert(inside @rlx == 1) } }
thread B { y = 1 @rel; if x @sc == 0 { inside += 1 @rlx; assert(inside @rlx == 1) } }
",
    );
    let ran = place.run(&["explore", "--models", "--repair", "--history", "failed.txt", "dekker.prog"]);
    assert_eq!(ran.status, 1);
    let says = |text: &str| assert!(ran.stdout.contains(text), "{text}\n{}", ran.stdout);
    says("store buffering: A and B each write and then miss the other's write");
    says("  sc       passes, 3 executions");
    says("  rc20     fails: a panic at line ");
    says(
        "  an ordering bug; the weakest orders that repair it:\n    the store at line 3:12: seq_cst instead of release\n",
    );
    // What was written is a history that rc20 allows and sc does not.
    let judged = place.run(&["check", "--model", "rc20,sc", "failed.txt"]);
    assert_eq!(judged.status, 1, "{}", judged.stdout);
    // What was printed can be run again.
    let replay = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("replay: ")).expect("a replay");
    let again = place.run(&["explore", "--replay", replay, "dekker.prog"]);
    assert_eq!(again.status, 1);
    assert!(again.stdout.contains(&format!("replay: {replay}\n")), "{}", again.stdout);
    place.write("dekker.prog", place.read("dekker.prog").replace("@rel", "@sc"));
    let repaired = place.run(&["explore", "--replay", replay, "dekker.prog"]);
    assert_eq!(repaired.status, 1);
    let says = "dekker.prog: rc20: no failure, but the replay was not followed\n  the replay diverges after ";
    assert!(repaired.stdout.starts_with(says), "{}", repaired.stdout);
    let bad = place.run(&["explore", "--replay", "t1.x", "dekker.prog"]);
    assert_eq!(bad.status, 2);
    assert!(
        bad.stderr.contains("not a replay: a thread, such as m or 0-1, expected at character 4"),
        "{}",
        bad.stderr
    );
    place.write("race.prog", RACE);
    let json = place.run(&["explore", "--style", "json", "--repair", "--models", "sb.prog", "race.prog"]);
    let lines: Vec<Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[0]["models"], &lines[0]["repair"]), (&serde_json::json!([]), &Value::Null));
    let change = &lines[1]["repair"]["sets"][0][0];
    assert_eq!((&change["operation"], &change["to"]), (&"load".into(), &"acquire".into()), "{change}");
}

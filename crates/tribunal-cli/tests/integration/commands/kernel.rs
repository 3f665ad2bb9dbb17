//! `tribunal kernel`: the pairs of writes that sc orders, and what the saturations find of them.

use crate::command::{MP, Place, several};
use serde_json::Value;

/// Two pairs: of x, ordered by what T0 reads; of y, not ordered at all.
const HALF: &str = "name: half\nT0: W x 1; R x 2; W y 1\nT1: W x 2; W y 2\n";

#[test]
fn a_row_for_each_history_and_a_summary() {
    let place = Place::with("all.txt", several(&[HALF, MP]));
    let ran = place.run(&["kernel", "all.txt"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "   \
   pairs    kernel               ccv               ccm               wsc  history
       2         1         1 100.00%         1 100.00%         1 100.00%  half (all.txt:1)
inconsistent with sc: no kernel                                           MP (all.txt:5)
2 histories, 1 kernels; found whole by ccv 1, by ccm 1, by wsc 1
"
    );
}

#[test]
fn json_has_a_line_for_each_history() {
    let place = Place::with("all.txt", several(&[HALF, MP]));
    let ran = place.run(&["kernel", "--style", "json", "all.txt"]);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [half, mp] = lines.as_slice() else { panic!("{}", ran.stdout) };
    assert_eq!((&half["index"], &half["name"], &half["events"]), (&0.into(), &"half".into(), &5.into()));
    for (key, count) in [("pairs", 2), ("ccv", 1), ("ccm", 1), ("wsc", 1), ("kernel", 1)] {
        assert_eq!(half[key], count, "{key}");
    }
    assert_eq!((&half["sc"], &half["missed"]), (&"consistent".into(), &Value::Array(Vec::new())));
    assert_eq!((&mp["sc"], &mp["kernel"]), (&"inconsistent".into(), &Value::Null));
}

#[test]
fn limits_and_bad_input() {
    let place = Place::with("half.txt", HALF);
    let ran = place.run(&["kernel", "--max-memory", "10", "half.txt"]);
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.stdout.contains("undecided: the check needs more than the 10 bytes"), "{}", ran.stdout);
    place.write("junk.txt", "T0: W x\n");
    let ran = place.run(&["kernel", "junk.txt", "half.txt"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.starts_with("error: junk.txt:1:") && ran.stdout.contains("half (half.txt:1)"));
}

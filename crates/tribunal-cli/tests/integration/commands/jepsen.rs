//! Jepsen's workloads on the command line, and what is said of what is no operation.

use crate::command::Place;

/// An operation: process, method, what it was called with, how it ended and with what.
fn operation(process: u32, f: &str, called: &str, kind: &str, value: &str) -> String {
    format!(
        "{{:process {process}, :type :invoke, :f :{f}, :value {called}}}\n\
         {{:process {process}, :type :{kind}, :f :{f}, :value {value}}}\n"
    )
}

#[test]
fn a_set_is_a_set() {
    let adds = operation(0, "add", "1", "ok", "1") + &operation(1, "add", "2", "ok", "2");
    for (read, status, word) in [("#{1 2}", 0, "consistent"), ("#{1}", 1, "inconsistent")] {
        let place = Place::with("set.edn", format!("{adds}{}", operation(2, "read", "nil", "ok", read)));
        let ran = place.run(&["check", "--model", "linearizable", "set.edn"]);
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.stdout.contains(&format!("linearizable: {word}")), "{ran:?}");
        assert_eq!(
            place.run(&["check", "--spec", "grow-set", "-m", "linearizable", "set.edn"]).status,
            status
        );
        let refused = place.run(&["check", "--spec", "set", "set.edn"]);
        assert!(refused.status == 2 && refused.stderr.contains("`read`"), "{refused:?}");
        assert_eq!(place.run(&["monitor", "set.edn"]).status, status);
    }
    let place = Place::with("adds.edn", adds);
    let ran = place.run(&["check", "adds.edn"]);
    assert!(ran.status == 2 && ran.stderr.contains("--spec grow-set"), "{ran:?}");
}

#[test]
fn write_skew_is_found_by_default() {
    let skew = "{:process 0 :type :invoke :f :txn :value [[:r :x nil] [:w :y 1]]}\n\
        {:process 1 :type :invoke :f :txn :value [[:r :y nil] [:w :x 1]]}\n\
        {:process 0 :type :ok :f :txn :value [[:r :x nil] [:w :y 1]]}\n\
        {:process 1 :type :ok :f :txn :value [[:r :y nil] [:w :x 1]]}\n";
    let place = Place::with("skew.edn", skew);
    let ran = place.run(&["check", "--model", "ser", "skew.edn"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let ran = place.run(&["check", "skew.edn"]);
    assert!(!ran.stdout.contains("linearizable") && ran.stdout.contains("write skew"), "{ran:?}");
}

#[test]
fn what_is_no_operation_is_said() {
    let nemesis = "{:process :nemesis, :type :info, :f :kill, :value [\"n1\"], :time 5}\n";
    let failed = operation(3, "write", "9", "fail", "9").replace("9}\n{", "9}\n{:error :refused, ");
    let text = format!("{nemesis}{}{failed}", operation(0, "write", "1", "ok", "1"));
    let place = Place::with("a.edn", text);
    let note = "not in the history: 1 operation that failed and 1 event of nemesis";
    let ran = place.run(&["check", "--model", "linearizable", "a.edn"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, &*format!("a.edn:1: linearizable: consistent\na.edn:1: {note}\n"))
    );
    let stats = place.run(&["stats", "a.edn"]).stdout;
    assert!(stats.contains(note) && stats.contains("error refused: 1"), "{stats}");
    assert!(stats.contains("line 1, time 5: nemesis kill [\"n1\"]"), "{stats}");
    let monitored = place.run(&["monitor", "a.edn"]);
    assert!(monitored.status == 0 && monitored.stderr.contains(note), "{monitored:?}");
    let large = operation(0, "write", "1", "ok", "1").replace(":process 0", ":process 99999999999999999999");
    let ran = Place::with("b.edn", large).run(&["check", "b.edn"]);
    assert!(
        ran.status == 2 && ran.stderr.contains("b.edn:1:11") && ran.stderr.contains("99999999999999999999"),
        "{ran:?}"
    );
}

#[test]
fn utf_16_is_named() {
    let utf16 = |mark: &[u8], text: &str| -> Vec<u8> {
        mark.iter().copied().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    for bytes in [utf16(&[0xff, 0xfe], "T0: W x 1\n"), utf16(&[], "T0: W x 1\n")] {
        let place = Place::new();
        std::fs::write(place.path("a.txt"), bytes).expect("written");
        let ran = place.run(&["check", "a.txt"]);
        assert!(ran.status == 2 && ran.stderr.starts_with("error: a.txt: UTF-16: "), "{ran:?}");
    }
}

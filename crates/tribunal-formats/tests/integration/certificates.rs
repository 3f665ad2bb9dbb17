//! Certificates survive the way through JSON, and bad ones are refused.

use crate::round::all;
use serde_json::{Value, json};
use tribunal_formats::certificate::{
    CertificateError, violation_from_json, violation_to_json, witness_from_json, witness_to_json,
};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{
    Axiom, Because, Cycle, Edge, ModificationOrder, Refutation, Violation, Witness,
};

fn execution() -> Execution {
    all("T0: W x 1; W y 1; U x 1>2\nT1: R y 1; R x 0; U x 2>3", "-", None)
        .expect("well-formed")
        .remove(0)
        .into_memory()
        .expect("of a memory")
}

fn edge(from: u32, to: u32, because: Because) -> Edge {
    Edge { from: EventId(from), to: EventId(to), because }
}

/// Every kind of reason, once.
fn cycle() -> Refutation {
    let path = vec![edge(0, 1, Because::Po), edge(1, 3, Because::Rf)];
    let sw = Because::Sw { write: EventId(1), read: EventId(3) };
    let seen = vec![edge(0, 2, Because::Seen { observer: EventId(4), read: EventId(3), path: path.clone() })];
    Refutation::Cycle(Cycle {
        lemmas: vec![edge(0, 2, Because::Chain), edge(6, 0, Because::Coherence { path: path.clone() })],
        edges: vec![
            edge(1, 3, sw),
            edge(0, 6, Because::Read { read: EventId(4), path }),
            edge(2, 5, Because::Atomic { premise: Box::new(edge(0, 2, Because::Lemma(0))) }),
            edge(6, 5, Because::Final),
            edge(0, 5, Because::Assumed),
            edge(0, 1, Because::Ppo),
            edge(0, 2, Because::PoLoc),
            edge(3, 5, Because::Dep),
            edge(4, 0, Because::Fr { premise: Box::new(edge(6, 0, Because::Lemma(1))) }),
            edge(0, 6, Because::Seen { observer: EventId(5), read: EventId(4), path: seen }),
        ],
    })
}

fn split(forward: Refutation, backward: Refutation) -> Refutation {
    let (forward, backward) = (Box::new(forward), Box::new(backward));
    Refutation::Split { first: EventId(0), second: EventId(2), forward, backward }
}

#[test]
fn violations_come_back() {
    let x = execution();
    let shared = || Refutation::SharedSource { write: EventId(0), rmws: [EventId(2), EventId(5)] };
    let overwritten = Refutation::Overwritten {
        read: EventId(4),
        by: EventId(0),
        before: vec![edge(6, 0, Because::Po)],
        after: vec![edge(0, 1, Because::Po), edge(1, 3, Because::Rf), edge(3, 4, Because::Po)],
    };
    let mut deep = cycle();
    for _ in 0..900 {
        deep = split(shared(), deep);
    }
    let refutations =
        [cycle(), shared(), overwritten.clone(), split(split(cycle(), shared()), overwritten), deep];
    for refutation in refutations {
        for axiom in Axiom::ALL {
            let violation = Violation { axiom, refutation: refutation.clone() };
            // Through text, as files go.
            let text = violation_to_json(&x, &violation).to_string();
            let json: Value = serde_json::from_str(&text).expect("JSON that parsers take");
            assert_eq!(violation_from_json(&x, &json), Ok(violation));
        }
    }
}

#[test]
fn violations_read_well() {
    let x = execution();
    let violation = Violation { axiom: Axiom::Atomicity, refutation: split(cycle(), cycle()) };
    let json = violation_to_json(&x, &violation);
    assert_eq!(json["split"], json!({"first": [0, 0], "second": [0, 2], "forward": 0, "backward": 1}));
    let edges = &json["cases"][1]["cycle"];
    assert_eq!(edges[5], json!({"from": [0, 0], "to": [0, 1], "rel": "ppo"}));
    assert_eq!(
        edges[8],
        json!({"from": [1, 1], "to": [0, 0], "rel": "fr", "premise":
            {"from": {"init": "x"}, "to": [0, 0], "rel": "mo", "because": "lemma", "lemma": 1}})
    );
    assert_eq!(edges[9]["observer"], json!([1, 2]));
    assert_eq!(
        edges[1].to_string(),
        r#"{"from":[0,0],"to":{"init":"x"},"rel":"mo","because":"read","read":[1,1],"path":[{"from":[0,0],"to":[0,1],"rel":"po"},{"from":[0,1],"to":[1,0],"rel":"rf"}]}"#
    );
}

#[test]
fn witnesses_come_back() {
    let x = execution();
    let mut mo = ModificationOrder::new();
    mo.push_location([6, 0, 2, 5].map(EventId));
    mo.push_location([7, 1].map(EventId));
    let witness = Witness::Mo(mo);
    let json = witness_to_json(&x, &witness);
    assert_eq!(json.to_string(), r#"{"mo":{"x":[{"init":"x"},[0,0],[0,2],[1,2]],"y":[{"init":"y"},[0,1]]}}"#);
    assert_eq!(witness_from_json(&x, &json), Ok(witness));
    assert_eq!(witness_to_json(&x, &Witness::History), json!({}));
    assert_eq!(witness_from_json(&x, &json!({})), Ok(Witness::History));
}

#[test]
fn bad_certificates_are_refused() {
    let x = execution();
    let refused = |json: Value| violation_from_json(&x, &json).expect_err("a bad certificate").to_string();
    let po = |from: Value| json!({"axiom": "po-rf", "cycle": [{"from": from, "to": [0, 1], "rel": "po"}]});
    assert!(refused(json!([])).starts_with("expected a violation"));
    assert_eq!(refused(json!({})), "missing key \"axiom\" in the violation");
    assert_eq!(refused(json!({"axiom": "gravity"})), "unknown axiom `gravity`");
    assert!(refused(json!({"axiom": "po-rf"})).starts_with("missing key \"cycle\""));
    assert_eq!(refused(po(json!([0, 9]))), "the history has no event [0,9]");
    assert_eq!(refused(po(json!([7, 0]))), "the history has no event [7,0]");
    assert_eq!(refused(po(json!([4294967296u64, 0]))), "the history has no event [4294967296,0]");
    assert_eq!(refused(po(json!({"init": "q"}))), "the history has no location `q`");
    for event in [json!([0]), json!([0, 1, 2]), json!([0, -1]), json!("x"), json!(null), json!([0, "1"])] {
        assert!(refused(po(event)).starts_with("expected an event"));
    }
    let edge = |edge: Value| refused(json!({"axiom": "po-rf", "cycle": [edge]}));
    assert_eq!(edge(json!({"rel": "cf"})), "unknown relation `cf`");
    assert_eq!(edge(json!({"rel": "fr"})), "missing key \"premise\" in an edge");
    assert_eq!(edge(json!({"rel": "mo", "because": "seen"})), "missing key \"observer\" in an edge");
    assert_eq!(edge(json!({"rel": "mo", "because": "magic"})), "unknown reason `magic`");
    assert_eq!(edge(json!({"rel": "mo"})), "missing key \"because\" in an edge");
    let split = |index: Value| {
        let split = json!({"first": [0, 0], "second": [0, 2], "forward": 0, "backward": index});
        let case = json!({"shared_source": {"write": [0, 0], "rmws": [[0, 2], [1, 2]]}});
        refused(json!({"axiom": "atomicity", "split": split, "cases": [case]}))
    };
    for index in [json!(0), json!(1), json!(u64::MAX), json!(-1), json!("0")] {
        assert!(split(index).starts_with("expected the index of a later case"));
    }
    // A case that refers to itself.
    let own = json!({"split": {"first": [0, 0], "second": [0, 2], "forward": 0, "backward": 0}});
    assert!(
        refused(json!({"axiom": "atomicity", "cycle": [], "cases": [own]})).starts_with("expected the index")
    );

    let mut nested = json!({"from": [0, 0], "to": [0, 2], "rel": "mo", "because": "final"});
    for _ in 0..100 {
        nested = json!({"from": [0, 0], "to": [0, 2], "rel": "mo", "because": "atomic", "premise": nested});
    }
    assert_eq!(edge(nested), CertificateError::TooDeep { limit: 32 }.to_string());

    let witness = |json: Value| witness_from_json(&x, &json).expect_err("a bad witness").to_string();
    assert_eq!(witness(json!({"mo": {"x": []}})), "the witness has no mo of location `y`");
    assert_eq!(witness(json!({"mo": {"x": [], "y": [], "z": []}})), "the history has no location `z`");
    assert!(witness(json!({"mo": []})).starts_with("expected an object of locations"));
}

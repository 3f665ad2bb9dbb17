//! No input makes a parser panic: thousands of mutations of good inputs, the same on every run.

use crate::round::{MEMORY, all, shown_object, written, written_object};
use std::io::{Cursor, Write};
use tribunal_formats::certificate::{object, violation_from_json, witness_from_json};
use tribunal_formats::{
    Format, Labels, Object, ReadAs, ReadOptions, Transactions, Writer, read, write_transactions,
};
use tribunal_random::Random;

const TEXT: &str = "# c\nname: n\ninit: x=5\nthreads: T0 T1\nT0: W.rel x 1; R.acq y 0 from init; U.ar x 1>2; F.sc\n\
    T1: R x 2; R x 2 dep 0 @ 3:5\nfinal: x=2\nexpect: sc=no\n---\nT0: W x 1\n";
const AXE: &str = "# n\n0: M[1] := 1 @ 1:2\n1: v1 == 1 @ :3\n0: sync\n1: { M[1] == 1; M[1] := 2 }\nfinal M[1] == 2\ncheck\n0: <v0 == 0; v0 := 1>\n";
const JSON: &str = r#"{"kind":"memory","name":"S\u0042\ud83d\ude00","init":{"x":5},"threads":[{"name":"T0","events":[
    {"op":"write","loc":"x","value":1,"order":"release","x":[-1.5e3,{"a":null}]},{"op":"read","loc":"y","value":0,"from":"init"},
    {"op":"rmw","loc":"x","read":1,"value":2,"from":[0,0],"deps":[1],"begin":1,"end":2},{"op":"fence","order":"seq_cst"}]}],
    "final":{"x":2},"verdicts":{"sc":false,"rc20":null}}
    {"threads":[]}"#;
const OBJECT: &str = r#"{"kind":"object","name":"n","spec":"map","operations":[
    {"process":0,"f":"put","args":[1,-5],"ret":null,"call":0,"return":3,"x":{}},{"process":"p","f":"get","args":[[1,"a",true]],"call":1}],
    "verdicts":{"weak":true}}"#;
const HB: &str = r#"{"kind":"object","spec":"counter","hb":[[0,1],[0,2]],"operations":[
    {"process":0,"f":"inc","args":[],"ret":null},{"process":1,"f":"get","args":[],"ret":1},{"process":2,"f":"get","args":[]}]}"#;
const JEPSEN_JSON: &str = r#"[{"process":0,"type":"invoke","f":"enqueue","value":1},{"process":"nemesis","type":"info","f":"kill","value":{"a":1.5}},
    {"process":0,"type":"ok","f":"enqueue","value":1,"time":7},{"process":1,"type":"invoke","f":"dequeue","value":null}]"#;
const EDN: &str = "; c\n[{:process 0, :type :invoke, :f :cas, :value [0 1], :time 1.5}\n #_ [discarded #{1}] {:process :nemesis :type :info :f :kill :value {:a \\b}}\n\
    #jepsen.history.Op{:process 0 :type :ok :f :cas :value [0 1] :error #inst \"2020\"} {:process 1, :type :invoke, :f :write, :value \"a\\u0041\\n\"}\n\
    {:process 2, :type :invoke, :f :read, :value nil}{:process 2, :type :ok, :f :read, :value :k}]\n";
const INDEPENDENT: &str = "{:process 0 :type :invoke :f :write :value [7 1]}\n{:process 0 :type :ok :f :write :value [7 1]}\n\
    {:process 0 :type :invoke :f :cas :value [7 [1 2]]}\n{:process 0 :type :info :f :cas :value [7 [1 2]]}\n{:process 1 :type :invoke :f :read :value [8 nil]}";
const LOG: &str = "INFO  jepsen.util - 0\t:invoke\t:write\t3\nINFO  jepsen.util - 1 :invoke :cas [3 4]\nINFO  jepsen.util - :nemesis :info :start nil\n\
    WARN  other - any thing\nINFO  jepsen.util - 0 :ok :write 3\nINFO  jepsen.util - 1 :fail :cas [3 4]\nINFO  jepsen.util - 2 :invoke :read nil\n\
    INFO  jepsen.util - 2 :fail :read :timed-out\n";
const TRANSACTIONS: &str = r#"{"kind":"transactions","name":"n","init":0,"sessions":[[{"txn":[["r","x",0],["w","x",1]],"begin":1,"end":5},
    {"txn":[["r","x",1],["r",7]],"begin":6,"end":7,"status":"aborted"}],{"name":"b","transactions":[{"txn":[["append","l",2],["r","l",[2]]],
    "status":"unknown","begin":2}]}],"verdicts":{"ser":false,"si":null}}"#;
const DBCOP_JSON: &str = r#"{"params":{"id":0},"data":[[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],"committed":true}],[]]}"#;
const ELLE: &str = "{:type :invoke, :f :txn, :value [[:append 1 2] [:r :x nil]], :process 0, :time 1}\n{:type :info :f :kill :value [[:a]] :process :nemesis}\n\
    #jepsen.history.Op{:type :ok, :f :txn, :value [[:append 1 2] [:r :x [-1 2N]]], :process 0}\n{:type :invoke :value [[:r [1 :k] nil] [:w \"a\" 3]]}\n\
    {:type :ok :value ([:r [1 :k] 4] [:w \"a\" 3])}\n{:type :invoke, :f :txn, :value [[:append 1 3]], :process 1}\n{:type :fail, :f :txn, :process 1}\n";
const ELLE_JSON: &str = r#"[{"type":"invoke","f":"txn","value":[["append","x",1],["r",2,null]],"process":0,"index":1},
    {"type":"info","f":"start","value":[["n1"]],"process":"nemesis"},{"type":"ok","f":"txn","value":[["append","x",1],["r",2,[1,-2]]],"process":0}]"#;
const PLUME: &str = "w(1,0,0,0)\nw(0,1,1,1)\nr(15,0,0,2)\nr(0,1,0,2)\nw(0,2,1,-1)\nw(0,3,1,1)\n";
const AWDIT: &str = "w 0 1\nw 1 -5\n-----\nr 0 1\n=====\n\nw 0 2\n";
const HIST: &str = "// c\n[x:=1 y==2 z==?] [x==1]!\n[y:=3]\n---\n[a_1==7]\n";
const TRANSACTIONS_VIOLATION: &str = r#"{"steps":[{"key":"x","first":"init","second":[0,0],"because":"seen","read":[0,0,0],"path":[{"from":[0,0],"to":[1,0],"rel":"wr","read":[0,1,0]}]},
    {"key":"l","first":[1,0],"second":[0,0],"because":"list","read":[1,0,1]},{"key":"x","first":[1,0],"second":[0,0],"because":"otherwise","path":[]}],
    "split":{"key":"x","first":[0,0],"second":[1,0],"forward":0,"backward":1},"cases":[{"steps":[],"cycle":[{"from":[0,0],"to":[0,1],"rel":"so"},
    {"from":[0,1],"to":[1,0],"rel":"rt"},{"from":[1,0],"to":[0,0],"rel":"ww","key":"x"},{"from":[1,0],"to":[0,0],"rel":"rw","read":[1,0,1]}]},
    {"steps":[],"cycle":[]}],"commits":[[0,0],[1,0]]}"#;
const VIOLATION: &str = r#"{"axiom":"read-coherence","split":{"first":[0,0],"second":[0,2],"forward":0,"backward":1},"cases":[
    {"cycle":[{"from":[0,0],"to":{"init":"x"},"rel":"mo","because":"read","read":[0,1],"path":[{"from":[0,0],"to":[0,1],"rel":"po"}]}],
    "lemmas":[{"from":[0,0],"to":[0,2],"rel":"mo","because":"atomic","premise":{"from":[0,0],"to":[0,2],"rel":"mo","because":"lemma","lemma":0}}]},
    {"overwritten":{"read":[0,1],"by":[0,0],"before":[],"after":[]}}],"mo":{"x":[{"init":"x"},[0,0],[0,2]],"y":[]}}"#;

/// Seeded, so that a failure comes back.
struct Mutations(Random);

impl Mutations {
    fn below(&mut self, n: usize) -> usize {
        self.0.index(n.max(1))
    }

    /// A few edits: bytes changed, removed, inserted, pieces repeated, the end cut off.
    fn mutated(&mut self, bytes: &[u8]) -> Vec<u8> {
        const SPICE: &[u8] = b"{}[]()\":;,\\\n\r\t 0123456789-+.eE@#<>=MvWRUFtfn_\x00\x7f\xc3\xff";
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let to = (at + self.below(20)).min(bytes.len());
            match self.below(6) {
                0 if !bytes.is_empty() => bytes[at] = SPICE[self.below(SPICE.len())],
                1 => drop(bytes.drain(at..to)),
                2 => bytes.insert(at, SPICE[self.below(SPICE.len())]),
                3 => {
                    let piece = bytes[at..to].to_vec();
                    let into = self.below(bytes.len());
                    bytes.splice(into..into, piece);
                }
                4 if !bytes.is_empty() => bytes[at] = self.below(256) as u8,
                _ if self.below(4) == 0 => bytes.truncate(at),
                _ => {}
            }
        }
        bytes
    }
}

/// Reads whatever it is; what can be read can be written and read again.
fn survives(bytes: Vec<u8>, format: Option<Format>) {
    for history in all(bytes, "-", format).into_iter().flatten() {
        if let Some(object) = history.object() {
            survives_as_object(object, &history.labels);
            continue;
        }
        if let Some(transactions) = history.transactions() {
            survives_as_transactions(transactions, &history.labels);
            continue;
        }
        for format in MEMORY {
            if let Ok(bytes) = written(history.memory().expect("of a memory"), &history.labels, format) {
                let back = all(bytes, "-", Some(format)).expect("what was written");
                assert_eq!(back.len(), 1);
                assert_eq!(
                    back[0].memory().expect("of a memory").len(),
                    history.memory().expect("of a memory").len()
                );
            }
        }
    }
}

fn survives_as_object(object: &Object, labels: &Labels) {
    for format in Format::ALL {
        let Ok(bytes) = written_object(object, labels, format) else { continue };
        let back = all(bytes, "-", Some(format)).expect("what was written");
        assert_eq!(back.len(), 1);
        let back = back[0].object().expect("of an object");
        if format == Format::Json {
            assert_eq!(shown_object(back), shown_object(object));
        } else {
            // Reads that say nothing are left out.
            assert_eq!(back.spec, object.spec);
            assert!(back.history.len() <= object.history.len());
        }
    }
}

fn survives_as_transactions(transactions: &Transactions, labels: &Labels) {
    for format in Format::ALL {
        let mut writer = Writer::new(Vec::new(), format);
        if write_transactions(&mut writer, transactions, labels).is_err() {
            continue;
        }
        let bytes = writer.finish().expect("in memory");
        let options =
            ReadOptions { format: Some(format), read_as: ReadAs::Transactions, ..ReadOptions::default() };
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let back: Result<Vec<_>, _> =
            read(Cursor::new(bytes), "-", options).and_then(Iterator::collect::<Result<_, _>>);
        let back = back.unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(back.len(), 1, "{shown}");
        let back = &back[0].transactions().unwrap_or_else(|| panic!("{shown}")).history;
        if format == Format::Json {
            assert_eq!(crate::transactions::shown(back), crate::transactions::shown(&transactions.history));
        } else {
            // What says nothing is left out, and aborted transactions become one.
            assert!(back.len() <= transactions.history.len(), "{shown}");
        }
    }
}

/// Bytes of a log of Cobra's, and of bincode.
fn binaries() -> [(Vec<u8>, Format); 2] {
    let numbers = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let big = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
    let bincode = [
        numbers(&[1, 2, 3, 4, 5, 2]),
        b"ab".to_vec(),
        numbers(&[0, 0, 1, 1, 2]),
        [vec![1], numbers(&[3, 1]), vec![1, 0], numbers(&[3, 0]), vec![1, 1]].concat(),
    ];
    let log = [
        b"S".to_vec(),
        big(&[1]),
        b"W".to_vec(),
        big(&[7, 8, 9]),
        b"R".to_vec(),
        big(&[2, 3, 8, 9]),
        b"C".to_vec(),
        big(&[1]),
    ];
    [(bincode.concat(), Format::Dbcop), (log.concat(), Format::Cobra)]
}

#[test]
fn the_binary_parsers_survive_mutations() {
    let mut mutations = Mutations(Random::new(0x2545f4914f6cdd1d));
    for (bytes, format) in binaries() {
        all(bytes.clone(), "-", Some(format)).expect("good before it is mutated");
        for i in 0..4000 {
            survives(mutations.mutated(&bytes), (i % 4 > 0).then_some(format));
        }
    }
}

#[test]
fn the_certificate_parsers_of_transactions_survive_mutations() {
    use tribunal_formats::certificate::transactions::{
        violation_from_json, violation_to_json, witness_from_json, witness_to_json,
    };
    let mut mutations = Mutations(Random::new(0xbf58476d1ce4e5b9));
    let history = all(TRANSACTIONS, "-", None).expect("well-formed").remove(0);
    let history = &history.transactions().expect("of transactions").history;
    let good = serde_json::from_str(TRANSACTIONS_VIOLATION).expect("JSON");
    violation_from_json(history, &good).expect("good before it is mutated");
    witness_from_json(history, &good).expect("good before it is mutated");
    for _ in 0..6000 {
        let Ok(json) = serde_json::from_slice(&mutations.mutated(TRANSACTIONS_VIOLATION.as_bytes())) else {
            continue;
        };
        if let Ok(violation) = violation_from_json(history, &json) {
            assert_eq!(violation_from_json(history, &violation_to_json(history, &violation)), Ok(violation));
        }
        if let Ok(witness) = witness_from_json(history, &json) {
            assert_eq!(witness_from_json(history, &witness_to_json(history, &witness)), Ok(witness));
        }
    }
}

#[test]
fn the_parsers_survive_mutations() {
    let mut mutations = Mutations(Random::new(0x9e3779b97f4a7c15));
    for (text, format) in [
        (TEXT, Format::Text),
        (AXE, Format::Axe),
        (JSON, Format::Json),
        (OBJECT, Format::Json),
        (HB, Format::Json),
        (JEPSEN_JSON, Format::Json),
        (EDN, Format::Edn),
        (INDEPENDENT, Format::Edn),
        (LOG, Format::Jepsen),
        (TRANSACTIONS, Format::Json),
        (DBCOP_JSON, Format::Json),
        (ELLE, Format::Edn),
        (ELLE_JSON, Format::Json),
        (PLUME, Format::Plume),
        (AWDIT, Format::Awdit),
        (HIST, Format::Dbcop),
    ] {
        all(text, "-", Some(format)).expect("good before it is mutated");
        for i in 0..4000 {
            let forced = (i % 4 > 0).then_some(format);
            survives(mutations.mutated(text.as_bytes()), forced);
        }
    }
}

#[test]
fn the_decompressors_survive_mutations() {
    let mut mutations = Mutations(Random::new(0xd1b54a32d192ed03));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(JSON.as_bytes()).expect("in memory");
    let gzip = gzip.finish().expect("in memory");
    let zstd = zstd::encode_all(JSON.as_bytes(), 1).expect("in memory");
    for bytes in [gzip, zstd] {
        for _ in 0..1500 {
            survives(mutations.mutated(&bytes), None);
        }
    }
}

#[test]
fn the_certificate_parsers_survive_mutations() {
    let mut mutations = Mutations(Random::new(0x94d049bb133111eb));
    let history = all(JSON, "-", None).expect("well-formed").remove(0);
    let x = history.memory().expect("of a memory");
    let good = serde_json::from_str(VIOLATION).expect("JSON");
    violation_from_json(x, &good).expect("good before it is mutated");
    for _ in 0..6000 {
        if let Ok(json) = serde_json::from_slice(&mutations.mutated(VIOLATION.as_bytes())) {
            let _ = (violation_from_json(x, &json), witness_from_json(x, &json));
        }
    }
}

#[test]
fn the_certificate_parsers_of_objects_survive_mutations() {
    let mut mutations = Mutations(Random::new(0xbf58476d1ce4e5b9));
    let history = all(HB, "-", None).expect("well-formed").remove(0);
    let history = &history.object().expect("of an object").history;
    let text = r#"{"lin":[0,1,2],"vis":[[],[0],[0,1]],"operations":[0,1],"cut":3}"#;
    let good = serde_json::from_str(text).expect("JSON");
    object::witness_from_json(history, &good).expect("good before it is mutated");
    object::violation_from_json(history, &good).expect("good before it is mutated");
    for _ in 0..4000 {
        if let Ok(json) = serde_json::from_slice(&mutations.mutated(text.as_bytes())) {
            let _ = (object::witness_from_json(history, &json), object::violation_from_json(history, &json));
        }
    }
}

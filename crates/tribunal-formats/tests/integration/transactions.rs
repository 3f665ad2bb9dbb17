//! Histories of transactions: what readers make of each format, and what writers make of histories.

use std::io::{Cursor, Write};
use tribunal_formats::{
    Error, ErrorKind, Format, Input, Labels, ReadAs, ReadOptions, Transactions, Writer, open, read,
    write_transactions,
};
use tribunal_history::transactions::{History, KeyId, Op, SessionId, Span, Status};

fn options(format: impl Into<Option<Format>>) -> ReadOptions {
    ReadOptions { format: format.into(), read_as: ReadAs::Transactions, ..ReadOptions::default() }
}

fn first(bytes: &[u8], name: &str, options: ReadOptions) -> Result<tribunal_formats::History, Error> {
    read(Cursor::new(bytes.to_vec()), name, options)?.next().expect("a history or an error")
}

/// The transactions of a text.
fn one(text: &str, name: &str) -> Transactions {
    let history = first(text.as_bytes(), name, options(None)).unwrap_or_else(|e| panic!("{text}: {e}"));
    history.transactions().unwrap_or_else(|| panic!("{text}: not of transactions")).clone()
}

fn error(bytes: &[u8], name: &str) -> Error {
    match first(bytes, name, options(None)) {
        Ok(_) => panic!("{}: no error", String::from_utf8_lossy(bytes)),
        Err(error) => error,
    }
}

/// A history in words, one that says all of it: `0: [wx1 rx1]@1-2 [ry?]! | ..`.
pub fn shown(history: &History) -> String {
    let mut text = history.init().map_or_else(String::new, |init| format!("init {init} | "));
    for session in (0..history.session_count() as u32).map(SessionId) {
        if session.0 > 0 {
            text.push_str(" | ");
        }
        text.push_str(history.session_name(session));
        text.push(':');
        for txn in history.session(session) {
            let ops: Vec<String> = history
                .ops_of(txn)
                .map(|op| {
                    let name = |key: KeyId| history.key_name(key).to_string();
                    match history.op(op) {
                        Op::Write(key, value) => format!("w{}={value}", name(key)),
                        Op::Append(key, value) => format!("a{}={value}", name(key)),
                        Op::Read(key, Some(value)) => format!("r{}={value}", name(key)),
                        Op::Read(key, None) => format!("r{}=-", name(key)),
                        Op::ReadList(key, list) => format!("r{}={list:?}", name(key)).replace(' ', ""),
                        Op::Unknown(key) => format!("r{}=?", name(key)),
                    }
                })
                .collect();
            text.push_str(&format!(" [{}]", ops.join(" ")));
            text.push_str(match history.status(txn) {
                Status::Committed => "",
                Status::Aborted => "!",
                Status::Unknown => "?",
            });
            if let Some(Span { begin, end }) = history.span(txn) {
                text.push_str(&format!("@{begin}-{}", end.map_or(String::new(), |end| end.to_string())));
            }
        }
    }
    text
}

fn written(transactions: &Transactions, format: Format) -> Result<String, tribunal_formats::WriteError> {
    let mut writer = Writer::new(Vec::new(), format);
    write_transactions(&mut writer, transactions, &Labels::default())?;
    Ok(String::from_utf8(writer.finish()?).expect("UTF-8"))
}

#[test]
fn native_json() {
    let text = r#"{"kind":"transactions","name":"lost update","init":0,
        "sessions":[[{"txn":[["r","x",0],["w","x",1]],"begin":1,"end":5},
                     {"txn":[["r","x",1],["r",7]],"begin":6,"end":7,"status":"aborted"}],
                    {"name":"b","transactions":[{"begin":2,"txn":[["r","x",null],["append","l",-2],["r","l",[1,2]]],"status":"unknown"}]}],
        "verdicts":{"ser":false,"si":null}}"#;
    let history = first(text.as_bytes(), "a.json", ReadOptions::default()).expect("well-formed");
    let transactions = history.transactions().expect("of transactions");
    assert_eq!(
        shown(&transactions.history),
        "init 0 | 0: [rx=0 wx=1]@1-5 [rx=1 r7=?]!@6-7 | b: [rx=- al=-2 rl=[1,2]]?@2-"
    );
    assert_eq!(transactions.history.name(), Some("lost update"));
    assert_eq!(transactions.lines, [2, 3, 4]);
    assert_eq!(history.labels, Labels(vec![("ser".into(), Some(false)), ("si".into(), None)]));
    // What is written is read back the same.
    let json = written(transactions, Format::Json).expect("written");
    assert_eq!(shown(&one(&json, "b.json").history), shown(&transactions.history));
}

#[test]
fn kinds_of_json_are_told_by_their_keys() {
    for (text, expected) in [
        (r#"{"sessions":[],"name":"none"}"#, ""),
        (r#"{"init":null,"sessions":[[]]}"#, "0:"),
        (r#"{"init":3,"sessions":[[{"txn":[]}]]}"#, "init 3 | 0: []"),
        (r#"{"sessions":[[{"txn":[]}]],"init":3}"#, "init 3 | 0: []"),
        (r#"{"init":{},"sessions":[[]],"kind":"transactions"}"#, "0:"),
        (
            r#"{"data":[[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"variable":"y","version":null}}],"committed":false}]],"params":{}}"#,
            "0: [w0=1 ry=-]!",
        ),
        (r#"[[{"events":[{"Read":{"version":4,"variable":2}}]}],[]]"#, "0: [r2=4] | 1:"),
    ] {
        assert_eq!(shown(&one(text, "a.json").history), expected, "{text}");
    }
    let lines = "{\"sessions\":[[]]}\n{\"kind\":\"memory\",\"threads\":[]}\n{\"kind\":\"transactions\",\"sessions\":[]}\n";
    let kinds: Vec<bool> = read(lines.as_bytes(), "a.jsonl", None)
        .expect("begun")
        .map(|history| history.expect("well-formed").transactions().is_some())
        .collect();
    assert_eq!(kinds, [true, false, true]);
}

#[test]
fn events_of_jepsen_are_transactions() {
    let txn = |kind: &str, process: &str, value: &str| {
        format!("{{:type {kind}, :f :txn, :value {value}, :process {process}}}\n")
    };
    for (text, expected) in [
        // Reads are what the end says; its order is real time.
        (
            txn(":invoke", "0", "[[:append :x 1] [:r 1 nil]]")
                + &txn(":invoke", "1", "[[:r :x nil]]")
                + &txn(":ok", "1", "[[:r :x [1]]]")
                + &txn(":ok", "0", "[[:append :x 1] [:r 1 []]]"),
            "0: [ax=1 r1=[]]@0-3 | 1: [rx=[1]]@1-2",
        ),
        // What failed is aborted; what nobody knows, or has no end, is unknown, and its reads say nothing.
        (
            txn(":invoke", "0", "[[:w \"k\" 1] [:r :y nil]]")
                + &txn(":fail", "0", "[[:w \"k\" 1] [:r :y 3]]")
                + &txn(":invoke", "0", "[[:w [1 :a] 2]]")
                + &txn(":invoke", "2", "[[:r :y nil]]")
                + &txn(":info", "2", "[[:r :y nil]]"),
            "0: [wk=1 ry=?]!@0-1 [w[1, \"a\"]=2]?@2- | 2: [ry=?]?@3-",
        ),
        // The nemesis is skipped, whatever it says.
        (
            txn(":info", ":nemesis", "[[:isolated \"n1\"] {:a 1}]") + &txn(":invoke", "0", "[[:append 1 1]]"),
            "0: [a1=1]?@0-",
        ),
        // Ends without begins: no times.
        (
            txn(":ok", "0", "[[:append 1 1]]") + &txn(":ok", "0", "[[:r 1 [1]]]"),
            "0: [a1=1] [r1=[1]]",
        ),
        // One that began nobody knows when.
        (
            txn(":invoke", "0", "[[:append 1 1]]") + &txn(":ok", "0", "[[:append 1 1]]") + &txn(":ok", "1", "[[:r 1 [1]]]"),
            "0: [a1=1]@0-1 | 1: [r1=[1]]@-1-2",
        ),
        // Without processes each transaction is a session, and an end is that of what does the same.
        (
            "{:type :invoke :value [[:append 1 1] [:r 2 nil]]} {:type :invoke :value [[:append 1 2]]} \
             {:type :ok :value [[:append 1 2]]} {:type :ok :value [[:append 1 1] [:r 2 nil]]}"
                .into(),
            "0: [a1=2]@1-2 | 1: [a1=1 r2=-]@0-3",
        ),
        // Vectors of records; what says nothing.
        (
            "[#jepsen.history.Op{:index 4, :time 7, :type :invoke, :process 3, :f :txn, :value [[:append 9 1] [:r 9]]}\n \
              #jepsen.history.Op{:index 5, :time 3, :type :ok, :process 3, :f :txn, :value nil}]"
                .into(),
            "3: [a9=1 r9=?]@0-1",
        ),
        ("[{:type :ok :process 0 :value ([:append 1 2] [:r 1 (2)] [:r 1 -3N])}]".into(), "0: [a1=2 r1=[2] r1=-3]"),
    ] {
        // A key is a register or a list: what is both is another test's.
        if expected.contains("r1=-3") {
            assert!(matches!(error(text.as_bytes(), "h.edn").kind(), ErrorKind::MalformedTransactions { .. }));
            continue;
        }
        assert_eq!(shown(&one(&text, "h.edn").history), expected, "{text}");
    }
    // The events alone, as in history.txt.
    let text = "0\t:invoke\t:txn\t[[:append 1 2]]\n:nemesis\t:info\t:start\t[[:a]]\n0\t:ok\t:txn\t[[:append 1 2]]\n\
        1\t:invoke\t:txn\t[[:r 1 nil]]\n1\t:info\t:txn\t[[:r 1 nil]]\t:timeout {\n";
    for name in ["history.txt", "-", "history.log"] {
        assert_eq!(shown(&one(text, name).history), "0: [a1=2]@0-1 | 1: [r1=?]?@2-", "{name}");
    }
    let json = r#"[{"type":"invoke","f":"txn","value":[["append","x",1],["r",2,null]],"process":0,"index":1},
        {"type":"info","f":"start","value":[["n1"]],"process":"nemesis"},
        {"type":"ok","f":"txn","value":[["append","x",1],["r",2,[]]],"process":0}]"#;
    assert_eq!(shown(&one(json, "h.json").history), "0: [ax=1 r2=[]]@0-1");
    let json = r#"{"type":"ok","value":[["append","x",1]]} {"type":"ok","value":[["r","x",[1]]]}"#;
    assert_eq!(shown(&one(json, "h.json").history), "0: [ax=1] | 1: [rx=[1]]");
}

#[test]
fn registers_of_jepsen_are_transactions_unless_an_object_is_wanted() {
    let edn = "{:type :invoke, :f :txn, :value [[:w :x 2]], :process 0}\n{:type :ok, :f :txn, :value [[:w :x 2]], :process 0}\n";
    let json = r#"[{"type":"ok","f":"txn","value":[["w","x",2]],"process":0}]"#;
    for (text, name) in [(edn, "h.edn"), (json, "h.json")] {
        let kind = |read_as| {
            let options = ReadOptions { read_as, ..ReadOptions::default() };
            first(text.as_bytes(), name, options).map(|history| history.transactions().is_some())
        };
        assert!(kind(ReadAs::Transactions).expect("transactions"));
        assert!(kind(ReadAs::Told).expect("transactions"));
        // An end without a call is not an operation of an object.
        assert!(!kind(ReadAs::Object(None)).unwrap_or(false));
    }
    // An object is one, whatever is wanted.
    let register = "[{:process 0 :type :invoke :f :write :value 1}]";
    assert!(first(register.as_bytes(), "r.edn", options(None)).expect("an object").object().is_some());
}

#[test]
fn text_of_plume() {
    for (text, expected) in [
        // Lines of transactions may be mixed; 0 is initial.
        (
            "w(0,1,1,1)\nr(15,0,0,0)\n\nr(0,1,0,0)\nw(0,2,1,3)\r\nw(1,5,1,1)\n",
            "init 0 | 1: [w0=1 w1=5] [w0=2] | 0: [r15=0 r0=1]",
        ),
        // A first transaction of zeros states that.
        ("w(1,0,0,0)\nw(2,0,0,0)\nr(1,0,1,1)\nw(2,7,0,2)", "init 0 | 1: [r1=0] | 0: [w2=7]"),
        // -1 is what was aborted, of every session.
        ("w(1,5,0,-1)\nr(1,0,0,1)\nw(1,6,1,-1)\nw(1,7,0,-1)", "init 0 | 0: [w1=5 w1=7]! [r1=0] | 1: [w1=6]!"),
        (" r ( 1 , -9223372036854775808 , 0 , 1 ) ", "init 0 | 0: [r1=-9223372036854775808]"),
    ] {
        for name in ["h.txt", "h.plume", "-"] {
            assert_eq!(shown(&one(text, name).history), expected, "{text}");
        }
    }
    assert_eq!(one("w(0,1,1,1)\nr(0,1,0,0)\nw(0,2,1,3)", "h.txt").lines, [1, 3, 2]);
}

#[test]
fn text_of_awdit_and_dbcop() {
    let awdit = "w 0 1\nw 1 -5\n-----\nr 0 1\n=====\n\nw 0 2\n===\n";
    let expected = "0: [w0=1 w1=-5] [r0=1] | 1: [w0=2]";
    for name in ["h.txt", "-"] {
        assert_eq!(shown(&one(awdit, name).history), expected);
    }
    let hist = "// a comment\n[x:=1 y==2 z==?] [x==1]! // more\n\n[y:=3]\n---\n---\n[a_1==7]\n";
    let expected = "0: [wx=1 ry=2 rz=-] [rx=1]! [wy=3] | 1: | 2: [ra_1=7]";
    for name in ["h.hist", "h.txt", "-"] {
        assert_eq!(shown(&one(hist, name).history), expected, "{name}");
    }
    assert_eq!(one(hist, "h.hist").lines, [2, 2, 4, 7]);
}

/// Whether it writes, the variable, the value, whether it succeeded.
type Event = (bool, u64, u64, bool);

/// Bincode of a history of one session.
fn bincode(transactions: &[(&[Event], bool)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, n: u64| bytes.extend_from_slice(&n.to_le_bytes());
    (0..5).for_each(|n| number(&mut bytes, n));
    for text in ["Galera", "2019-04-02T11:29:23+02:00", ""] {
        number(&mut bytes, text.len() as u64);
        bytes.extend_from_slice(text.as_bytes());
    }
    number(&mut bytes, 1);
    number(&mut bytes, transactions.len() as u64);
    for (events, success) in transactions {
        number(&mut bytes, events.len() as u64);
        for &(writes, variable, value, success) in *events {
            bytes.push(writes.into());
            number(&mut bytes, variable);
            number(&mut bytes, value);
            bytes.push(success.into());
        }
        bytes.push((*success).into());
    }
    bytes
}

#[test]
fn bincode_of_dbcop() {
    let bytes = bincode(&[
        (&[(true, 3, 1, true), (false, 3, 0, true), (true, 4, 9, false)], true),
        (&[(true, 3, 0, true), (true, 5, 1, true)], false),
    ]);
    for name in ["history.bincode", "-"] {
        let history = first(&bytes, name, options(None)).expect("well-formed");
        let history = &history.transactions().expect("of transactions").history;
        assert_eq!(shown(history), "init 0 | 0: [w3=1 r3=0] [w5=1]!");
    }
    for length in 0..bytes.len() {
        let error = first(&bytes[..length], "history.bincode", options(None)).expect_err("truncated");
        assert!(matches!(error.kind(), ErrorKind::Bytes { .. } | ErrorKind::Empty), "{length}: {error}");
    }
    let mut more = bytes.clone();
    more.push(0);
    let last = bytes.len();
    assert_eq!(
        error(&more, "h.bincode").to_string(),
        format!("h.bincode: at byte {last}: expected the end of the input, found more bytes")
    );
    let mut wrong = bytes;
    wrong[last - 1] = 2;
    let said = format!(
        "h.bincode: at byte {}: expected 0 or 1, found 2, whether the transaction succeeded",
        last - 1
    );
    assert_eq!(error(&wrong, "h.bincode").to_string(), said);
}

/// Records of a log of Cobra's.
fn cobra(records: &[(u8, &[i64])]) -> Vec<u8> {
    let numbers = |numbers: &[i64]| numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
    records.iter().flat_map(|(tag, fields)| [vec![*tag], numbers(fields)].concat()).collect()
}

#[test]
fn logs_of_cobra() {
    let session = cobra(&[
        (b'S', &[0x1_0000]),
        (b'W', &[77, -5, 1]),
        (b'R', &[0xbebe_ebee, 0xbebe_ebee, 9, 1]),
        (b'R', &[1, 76, 9, 1]),
        (b'W', &[0x2333_2333, 9, 1]),
        (b'C', &[0x1_0000]),
        (b'S', &[0x1_0001]),
        (b'W', &[78, 9, 1]),
        (b'A', &[0x1_0001]),
        (b'S', &[0x1_0002]),
    ]);
    let expected = "[w-5=77 r9=- r9=76] [w9=78]! []?";
    for name in ["T4.log", "-"] {
        let history = first(&session, name, options(None)).expect("well-formed");
        let history = &history.transactions().expect("of transactions").history;
        assert_eq!(shown(history), format!("0: {expected}"));
    }
    let folder = std::env::temp_dir().join(format!("tribunal-cobra-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["T10.log", "T2.log", "T2.debug"] {
        std::fs::write(folder.join(name), &session).expect("a file");
    }
    let open = || open(&Input::Path(folder.clone()), None).expect("a folder").next().expect("a history");
    let history = open().expect("well-formed");
    let history = &history.transactions().expect("of transactions").history;
    assert_eq!(shown(history), format!("T2: {expected} | T10: {expected}"));
    std::fs::write(folder.join("T10.log"), &session[..30]).expect("a file");
    let said = open().expect_err("truncated").to_string();
    assert!(said.ends_with("T10.log: at byte 30: expected a value, found the end of the input"), "{said}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_run_of_jepsen() {
    let store = std::env::temp_dir().join(format!("tribunal-store-{}", std::process::id()));
    let run = store.join("latest");
    std::fs::create_dir_all(&run).expect("a folder");
    let edn = "{:type :ok, :f :txn, :value [[:append 1 2]], :process 0}\n";
    std::fs::File::create(run.join("history.edn"))
        .expect("a file")
        .write_all(edn.as_bytes())
        .expect("written");
    for folder in [&store, &run] {
        let mut histories = open(&Input::Path(folder.clone()), None).expect("a run");
        let history = histories.next().expect("a history").expect("well-formed");
        assert_eq!(shown(&history.transactions().expect("of transactions").history), "0: [a1=2]");
    }
    std::fs::remove_dir_all(&store).expect("removed");
}

#[test]
fn errors_name_the_transaction_and_the_expectation() {
    for (text, name, expected) in [
        (
            r#"{"sessions":[[{"txn":[["w","x",1]]}],[{"txn":[]},{"txn":[["append","x",1]]}]]}"#,
            "j.json",
            "j.json:1: malformed history: session 1, transaction 1: key x is appended to here, but was used otherwise before: a key is either a register or a list",
        ),
        (
            r#"{"sessions":[[{"txn":[["append","x",1],["append","x",1]]}]]}"#,
            "j.json",
            "j.json:1: malformed history: session 0, transaction 0: 1 is appended to x twice",
        ),
        (
            "{\"sessions\":[[\n{\"txn\":[],\"begin\":1,\"end\":2},\n{\"txn\":[],\"begin\":5,\"end\":4}]]}",
            "j.json",
            "j.json:3: malformed history: session 0, transaction 1: the transaction ends at 4, before it begins at 5",
        ),
        (
            r#"{"sessions":[[{"txn":[["x","y",1]]}]]}"#,
            "j.json",
            "j.json:1:24: expected r, w or append, found `x`",
        ),
        (
            r#"{"sessions":[[{"txn":[["w","y","1"]]}]]}"#,
            "j.json",
            "j.json:1:32: key \"txn\": expected a whole number, found a string",
        ),
        (
            r#"{"sessions":[[{"txn":[["w","y"]]}]]}"#,
            "j.json",
            "j.json:1:32: expected an operation: [\"r\",key,value], [\"r\",key], [\"w\",key,value] or [\"append\",key,value], found `]}]]}`",
        ),
        (r#"{"sessions":[[{"begin":1}]]}"#, "j.json", "j.json:1:15: missing key \"txn\" in the transaction"),
        (
            r#"{"sessions":[[{"txn":[],"status":"ok"}]]}"#,
            "j.json",
            "j.json:1:34: expected committed, aborted or unknown, found `ok`",
        ),
        (
            r#"{"sessions":[[],{"name":"0","transactions":[]}]}"#,
            "j.json",
            "j.json:1:17: more than one session is named `0`",
        ),
        (
            r#"{"init":{"x":1},"sessions":[]}"#,
            "j.json",
            "j.json:1:9: key \"init\": expected null or a whole number: the initial value of every register, found an object",
        ),
        (
            r#"{"init":1,"threads":[]}"#,
            "j.json",
            "j.json:1:9: key \"init\": expected an object, found a number",
        ),
        (r#"{"kind":"transactions"}"#, "j.json", "j.json:1:1: missing key \"sessions\" in the history"),
        (
            r#"{"sessions":[],"kind":"memory"}"#,
            "j.json",
            "j.json:1:23: expected \"kind\":\"transactions\" in a history with \"sessions\", found another kind",
        ),
        (
            "{:type :invoke :f :txn :process 1 :value [[:append 1 1]]}\n{:type :invoke :f :txn :process 1 :value []}",
            "e.edn",
            "e.edn:2: process 1 begins a transaction while the one of line 1 is open",
        ),
        (
            "{:type :ok :process 1 :value [[:append 1 :a]]}",
            "e.edn",
            "e.edn:1:42: expected a whole number from -2^63 to 2^63 - 1 that is written or appended, found `:a]]}`",
        ),
        (
            "{:type :ok :process 1 :value [[:append 1 1] [:inc 1 1]]}",
            "e.edn",
            "e.edn:1:46: expected a micro-operation: [:r k v], [:w k v] or [:append k v], found `:inc`",
        ),
        (
            "{:type :ok :process 1 :value [[:append 1 1]]}\n{:type :ok :f :read :process 1 :value 7}",
            "e.edn",
            "e.edn:2:39: expected a list of micro-operations as the value of a transaction, found `7}`",
        ),
        (
            "{:type :ok :process 1 :value [[:append 1 1] [:r 1 [1 nil]]]}",
            "e.edn",
            "e.edn:1:57: expected nil, a whole number or a list of them that is read, found nil",
        ),
        ("{:process 1 :value [[:append 1 1]]}", "e.edn", "e.edn:1:1: missing key \":type\" in the event"),
        (
            "w(1,2,0,5)\nr(1,2,1,5)",
            "p.txt",
            "p.txt:2:1: transaction 5 is in session 0 and in session 1: its number must be unique in the file",
        ),
        ("w(1,2,0,5)\nr(1,2,1)", "p.txt", "p.txt:2:8: expected `,` after the session, found `)`"),
        (
            "w(1,2,0,5)\nx(1,2,1,1)",
            "p.txt",
            "p.txt:2:1: expected w(key,value,session,transaction) or r(..), found `x(1,2,1,1)`",
        ),
        (
            "w(1,9223372036854775808,0,5)",
            "p.txt",
            "p.txt:1:5: the value: a number must be whole and from -2^63 to 2^63 - 1, found `9223372036854775808`",
        ),
        ("w 1 2\nr 1", "a.txt", "a.txt:2:4: expected the value, found the end of the line"),
        ("[x:=1 y]", "d.hist", "d.hist:1:8: expected x:=1, x==1 or x==?, or `]`, found `]`"),
        ("[x:=1", "d.hist", "d.hist:1:6: expected x:=1, x==1 or x==?, or `]`, found the end of the line"),
        (
            r#"[[{"events":[{"Increment":{}}]}]]"#,
            "d.json",
            "d.json:1:27: expected the value of \"Read\" or \"Write\", found `{}}]}]]`",
        ),
    ] {
        assert_eq!(error(text.as_bytes(), name).to_string(), expected, "{text}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let registers = r#"{"sessions":[[{"txn":[["w","x",1],["r","y",null]]},{"txn":[["w","x",3]],"status":"aborted"}],[{"txn":[["r","x",1]]}]]}"#;
    let timed = r#"{"sessions":[[{"txn":[["append",1,1]],"begin":3,"end":9},{"txn":[["r",1,[1]]],"begin":12,"status":"unknown"},
        {"txn":[["r",1,[1]]],"begin":20,"end":21}],[{"txn":[["append",1,4],["r",2,null]],"begin":9,"end":10,"status":"aborted"}]]}"#;
    for (text, format, expected) in [
        (registers, Format::Json, "0: [wx=1 ry=-] [wx=3]! | 1: [rx=1]"),
        (registers, Format::Edn, "0: [wx=1 ry=-] [wx=3]! | 1: [rx=1]"),
        (registers, Format::Plume, "init 0 | 0: [w0=1 r1=0] [w0=3]! | 1: [r0=1]"),
        (registers, Format::Dbcop, "0: [w0=1 r1=-] [w0=3]! | 1: [r0=1]"),
        (timed, Format::Json, "0: [a1=1]@3-9 [r1=[1]]?@12- [r1=[1]]@20-21 | 1: [a1=4 r2=-]!@9-10"),
        // Times are the order of events; what is aborted has read nothing.
        (
            &timed.replace(r#"["r",1,[1]]],"begin":12"#, r#"["r",1]],"begin":12"#),
            Format::Edn,
            "0: [a1=1]@0-2 [r1=?]?@4- [r1=[1]]@6-7 | 1: [a1=4 r2=?]!@1-3",
        ),
    ] {
        let history = one(text, "h.json");
        let text = written(&history, format).unwrap_or_else(|e| panic!("{text}: {e}"));
        let name = match format {
            Format::Edn => "h.edn",
            Format::Plume => "h.plume",
            _ => "h.json",
        };
        assert_eq!(shown(&one(&text, name).history), expected, "{text}");
    }
    for (text, format, expected) in [
        (
            timed,
            Format::Edn,
            "the edn format cannot express known reads of a transaction whose outcome is unknown, such as one of session 0",
        ),
        (timed, Format::Plume, "the plume format cannot express a transaction whose outcome is unknown"),
        (timed, Format::Dbcop, "the dbcop format cannot express a transaction whose outcome is unknown"),
        (
            r#"{"sessions":[[{"txn":[["append","l",1]]}]]}"#,
            Format::Plume,
            "the plume format cannot express a list, such as l",
        ),
        (
            r#"{"sessions":[[{"txn":[["w","x",0]]}]]}"#,
            Format::Plume,
            "the plume format cannot express a value of 0 that is written: it is the initial value",
        ),
        (
            r#"{"sessions":[[{"txn":[["w","x",-4]]}]]}"#,
            Format::Dbcop,
            "the dbcop format cannot express a negative number, such as -4",
        ),
        (
            r#"{"init":1,"sessions":[[{"txn":[["w","x",1]]}],[{"txn":[["r","x",1]]}]]}"#,
            Format::Edn,
            "the edn format cannot express a read of 1, which is the initial value and is written too",
        ),
        (
            r#"{"sessions":[[{"txn":[],"begin":1,"end":4},{"txn":[],"begin":4,"end":5}]]}"#,
            Format::Edn,
            "the edn format cannot express transactions of a session that are not apart in time, such as those of 0",
        ),
        (registers, Format::Text, "the text format cannot express a history of transactions"),
        (
            registers,
            Format::Cobra,
            "the cobra format cannot express a history to be written: it is only read",
        ),
    ] {
        let error = written(&one(text, "h.json"), format).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

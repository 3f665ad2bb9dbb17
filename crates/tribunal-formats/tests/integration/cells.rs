//! Cells of a table: each is read as an input of its own would be, whatever came before it.

use tribunal_formats::{Cells, ErrorKind, Format, History, ReadOptions, read};

const TEXT: &str = "# store buffering\nT0: W x 1; R y 0\nT1: W y 1; R x 0";
const AXE: &str = "0: M[0] := 1\n1: M[0] == 1\ncheck\n";
const JSON: &str = r#"{"kind":"memory","threads":[{"events":[{"op":"write","loc":"x","value":1}]}]}"#;
const OBJECT: &str = r#"{"spec":"register","kind":"object","operations":[{"process":0,"f":"read","args":[],"ret":null,"call":0,"return":1}]}"#;
const EDN: &str = "[{:process 0 :type :invoke :f :write :value 1} {:process 0 :type :ok :f :write :value 1}]";
const JEPSEN: &str = r#"[{"process":0,"type":"invoke","f":"write","value":1},{"process":0,"type":"ok","f":"write","value":1}]"#;

/// The size of a history, or what is wrong with it.
fn summary(history: Result<History, tribunal_formats::Error>) -> Result<(usize, u64), String> {
    let history = history.map_err(|error| error.to_string())?;
    Ok((history.subject.len(), history.line))
}

#[test]
fn a_cell_is_read_as_an_input_of_its_own() {
    let good = [TEXT, AXE, JSON, OBJECT, EDN, JEPSEN, "\u{feff}T0: W x 1", "\n\nT0: W x 1\n---\n"];
    let bad =
        ["", "  \n", "T0: W x one", "{", "{}", "[", "0: M[0] :=", "no history", &JSON[..40], "T0: R x 1; W"];
    let mut column = String::new();
    let mut ranges = Vec::new();
    // Each after each.
    for first in good.iter().chain(&bad) {
        for second in good.iter().chain(&bad) {
            for cell in [first, second] {
                ranges.push((column.len()..column.len() + cell.len(), *cell));
                column.push_str(cell);
            }
        }
    }
    let mut cells = Cells::new("-", ReadOptions::default());
    cells.lend(column.into_bytes());
    for (range, cell) in ranges {
        let alone = read(cell.as_bytes(), "-", None);
        let alone = alone.and_then(|mut histories| histories.next().expect("an answer"));
        assert_eq!(summary(cells.history(range)), summary(alone), "{cell}");
    }
}

#[test]
fn a_cell_holds_one_history() {
    for cell in [format!("{TEXT}\n---\n{TEXT}"), format!("{JSON}{JSON}"), format!("{AXE}{AXE}")] {
        let mut cells = Cells::new("-", None);
        let length = cell.len();
        cells.lend(cell.into_bytes());
        let error = cells.history(0..length).expect_err("two histories");
        assert!(matches!(error.kind(), ErrorKind::Several), "{error}");
        cells.lend(JSON.as_bytes());
        assert_eq!(summary(cells.history(0..JSON.len())), Ok((1, 1)));
    }
    let rest = format!("{JSON} rest");
    let mut cells = Cells::new("-", None);
    cells.lend(rest.clone().into_bytes());
    assert!(cells.history(0..rest.len()).is_err());
}

#[test]
fn what_is_lent_does_not_count_as_memory() {
    let mut column = vec![b' '; 64 << 20];
    column.extend(JSON.bytes());
    let mut cells = Cells::new("-", ReadOptions { max_memory: 1 << 20, ..ReadOptions::default() });
    let end = column.len();
    cells.lend(column);
    assert_eq!(summary(cells.history(end - JSON.len()..end)), Ok((1, 1)));
    let threads: String = (0..10_000).map(|thread| format!("T{thread}:\n")).collect();
    let length = threads.len();
    cells.lend(threads.into_bytes());
    let error = cells.history(0..length).expect_err("too large");
    assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { .. }), "{error}");
}

#[test]
fn the_format_may_be_given() {
    let mut cells = Cells::new("-", Some(Format::Axe));
    cells.lend(JSON.as_bytes());
    assert!(cells.history(0..JSON.len()).is_err());
}

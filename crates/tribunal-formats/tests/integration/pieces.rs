//! Pieces of an input say what a reader of the whole says, however the bytes come.

use std::io::{Cursor, Read};
use tribunal_formats::{Error, Format, History, Piece, Pieces, read};

/// Gives its bytes a few at a time.
struct Slow(Cursor<Vec<u8>>, usize);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}

/// A history or an error in words.
fn said(answer: &Result<History, Error>) -> String {
    match answer {
        Ok(history) => {
            let x = history.memory().expect("of a memory");
            let values: Vec<_> = x.events().map(|event| x.value(event)).collect();
            format!("{:?} at {}: {} threads, {values:?}", x.name(), history.line, x.thread_count())
        }
        // How much is quoted of what was found depends on how much has come.
        Err(error) => error.to_string().split(" found ").next().unwrap_or_default().to_string(),
    }
}

/// All answers; those after an error only if they are wanted.
fn all(pieces: Pieces, keep_going: bool) -> Vec<String> {
    let answers = pieces.flat_map(|piece| match piece {
        Piece::Batch(batch) => batch.histories().collect::<Vec<_>>(),
        Piece::Large(history) => vec![*history],
    });
    let mut ended = false;
    let wanted = answers.take_while(|answer| {
        let go_on = !ended;
        ended = !keep_going && answer.is_err();
        go_on
    });
    wanted.map(|answer| said(&answer)).collect()
}

const TEXT: &str =
    "# a\nname: one\nT0: W x 1\n--- # next\n\n---\nT0: W x 2\nT1: R x 2\n-----\nname: ---\nT0: W --- 3\n";
const AXE: &str =
    "# check\n0: M[1] := 1\n1: M[1] == 1\ncheck\n\ncheck # again\n0: M[2] := 2 # check\n  check\n0: sync\n";
const JSON: &str = r#"{"kind":"memory","name":"a}]\"{","threads":[]}

{"kind":"memory",
"threads":[
{"name":"[[","events":[{"op":"write","loc":"x","value":1}]}
]}{"kind":"memory","threads":[]} {"kind":"memory","threads":[
  {"events":[{"op":"write","loc":"x","value":2}, {"value":3,"op":"write","loc":"\u0078"}]}]}
{"kind":"memory","threads":[]}"#;

#[test]
fn pieces_say_what_the_whole_says() {
    for (format, text) in [(Format::Text, TEXT), (Format::Axe, AXE), (Format::Json, JSON)] {
        // Errors, too: what is cut off, and what is garbled.
        let cut = (0..text.len()).map(|length| text.as_bytes()[..length].to_vec());
        let garbled = (0..text.len()).map(|at| {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = b'?';
            bytes
        });
        for bytes in [text.as_bytes().to_vec()].into_iter().chain(cut).chain(garbled) {
            let open = |slow| {
                let input = Slow(Cursor::new(bytes.clone()), slow);
                read(input, "a", Some(format)).expect("an input")
            };
            let mut whole: Vec<_> = open(7).map(|answer| said(&answer)).collect();
            whole.retain(|said| !said.contains("empty input"));
            for slow in [1, 7, 1 << 20] {
                let pieces = all(open(slow).pieces(false), false);
                assert_eq!(pieces, whole, "{format} {slow}: {}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

#[test]
fn large_histories_are_among_small_ones() {
    let large = |loc: &str| (1..100_000).map(|i| format!("T0: W {loc} {i}\n")).collect::<String>();
    let small = "T0: W x 1\n";
    let wrong = large("y") + "T0: W y\n" + &large("z");
    let text = [small, &large("y"), small, &wrong, small, "T0: W x one\n", small].join("---\n");
    let open = || read(Cursor::new(text.clone()), "a.txt", None).expect("an input");
    let whole: Vec<_> = open().map(|answer| said(&answer)).collect();
    assert_eq!(all(open().pieces(false), false), whole);
    assert_eq!(whole.len(), 4);
    let kept = all(open().pieces(true), true);
    assert_eq!((kept.len(), &kept[..4]), (7, &whole[..]));
    assert!(
        kept[5].starts_with("a.txt:") && !kept[4].starts_with("a.txt:") && !kept[6].starts_with("a.txt:")
    );
}

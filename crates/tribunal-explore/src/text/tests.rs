//! The reader and the interpreter, without the search: threads run one after the other, loads read the newest value.

use super::*;
use crate::graph::Graph;
use crate::program::{Action, Answer, Program};
use crate::report::Problem;
use tribunal_history::memory::{LocId, ThreadId};
use tribunal_random::Random;

/// How a run in turn ended.
#[derive(Debug, PartialEq, Eq)]
enum Ran {
    /// With these outcomes.
    Outcomes(Vec<Vec<i64>>),
    /// A thread waits.
    Stuck,
    Problem(Problem),
}

/// Runs the threads in turn, each as far as it comes.
fn run(text: &str, settings: &[&str]) -> Ran {
    let settings: Vec<Setting> = settings.iter().map(|setting| setting.parse().expect("a setting")).collect();
    let code = Source::parse(text).and_then(|source| source.compile(&settings)).expect("a program");
    let mut program = Interpreter::new(Arc::new(code.clone()), Model::Rc20);
    program.start();
    let mut memory: Vec<u64> =
        (0..code.locations.len()).map(|loc| program.initial(LocId(loc as u32))).collect();
    let mut answers = vec![Some(Answer::Done)];
    let mut ended = vec![false; code.threads()];
    let mut waiting: Vec<Option<Action>> = vec![None];
    let mut progress = true;
    while progress {
        progress = false;
        for thread in 0..answers.len() {
            while !ended[thread] {
                let action = match waiting[thread].take() {
                    Some(action) => action,
                    None => {
                        let answer = answers[thread].take().expect("answered");
                        program.resume(ThreadId(thread as u32), answer, LocId(u32::MAX)).action
                    }
                };
                let answer = match &action {
                    Action::Load { loc, .. } => Some(Answer::Value(memory[loc.index()])),
                    Action::Store { loc, value, .. } => {
                        memory[loc.index()] = *value;
                        Some(Answer::Done)
                    }
                    Action::Rmw { loc, update, .. } => {
                        let read = memory[loc.index()];
                        memory[loc.index()] = update.of(read).unwrap_or(read);
                        Some(Answer::Value(read))
                    }
                    Action::Await { loc, until, .. } => {
                        let read = memory[loc.index()];
                        until.of(read).then_some(Answer::Value(read))
                    }
                    Action::AwaitRmw { loc, update, .. } => {
                        let read = memory[loc.index()];
                        update.of(read).map(|new| {
                            memory[loc.index()] = new;
                            Answer::Value(read)
                        })
                    }
                    Action::Fence { .. } => Some(Answer::Done),
                    Action::Spawn => {
                        answers.push(Some(Answer::Done));
                        waiting.push(None);
                        Some(Answer::Thread(ThreadId(answers.len() as u32 - 1)))
                    }
                    Action::Join { thread } => ended[thread.index()].then_some(Answer::Done),
                    Action::Yield | Action::Block => None,
                    Action::Fail(problem) => return Ran::Problem(problem.clone()),
                    Action::End => {
                        ended[thread] = true;
                        progress = true;
                        break;
                    }
                    other => panic!("{other:?} is no operation of programs as text"),
                };
                let Some(answer) = answer else {
                    waiting[thread] = Some(action);
                    break;
                };
                answers[thread] = Some(answer);
                progress = true;
            }
        }
    }
    if ended.contains(&false) {
        return Ran::Stuck;
    }
    if let Err(problem) = program.finish(&Graph::default()) {
        return Ran::Problem(problem);
    }
    Ran::Outcomes(Outcomes::merged(&code, [&program.seen]).counts.into_keys().collect())
}

fn outcome(text: &str) -> Vec<i64> {
    match run(text, &[]) {
        Ran::Outcomes(outcomes) => outcomes.into_iter().next().expect("an outcome"),
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    let source = Source::parse(text);
    source.and_then(|source| source.cases().and(source.compile(&[]))).expect_err(text).to_string()
}

#[test]
fn expressions_have_the_usual_precedence() {
    for (expression, value) in [
        ("1 + 2 * 3 - 4", 3),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 4 | 3 & 2 ^ 1", 19),
        ("1 + 1 == 2 && !0", 1),
        ("0 || 7", 1),
        ("2 && 0 || 0", 0),
        ("~0", -1),
        ("!!5", 1),
        ("0x1F + 1_000", 1031),
        ("3 ≤ 3 && 2 ≠ 3", 1),
        ("9223372036854775807 + 1 < 0", 1),
    ] {
        assert_eq!(outcome(&format!("thread A {{ r = {expression} }}")), [value], "{expression}");
    }
}

#[test]
fn statements_do_what_they_say() {
    let sum = "thread A { s = 0; for i in 0..10 step 3 { if i == 6 { continue }; s = s + i } }";
    assert_eq!(outcome(sum), [12]);
    let breaks = "thread A { n = 0; loop { n = n + 1; if n == 5 { break } } }";
    assert_eq!(outcome(breaks), [5]);
    let branches =
        "const K = 2\nthread A { if K == 1 { r = 10 }\n else if K == 2 { r = 20 }\n else { r = 30 } }";
    assert_eq!(outcome(branches), [20]);
    assert_eq!(run(branches, &["K=1"]), Ran::Outcomes(vec![vec![10]]));
    assert_eq!(run(branches, &["K=-1"]), Ran::Outcomes(vec![vec![30]]));
    let rmws = "atomic x = 5 @rlx\nthread A { a = x += 2; b = xchg(x, 1); c = cas(x, 1 -> 9); d = cas(x, 1 -> 8); e = x }";
    assert_eq!(outcome(rmws), [5, 7, 1, 9, 9]);
    let bits = "atomic x = 12 @rlx\nthread A { x -= 2; x |= 5; x &= 13; x ^= 1; r = x }";
    assert_eq!(outcome(bits), [12]);
    let functions = "fn twice(n) { if n > 100 { return }\n return 2 * n }\nfn four(n) { return twice(twice(n)) }\n\
                     thread A { r = 1 + four(3) * 2; s = twice(101) }";
    assert_eq!(outcome(functions), [25, 0]);
    let arrays = "atomic n[3] = {7, 8, 9} @rlx\nthread A { i = 2; r = n[i - 1]; n[0] = r; s = n[0] + n[2] }\noutcome r, s";
    assert_eq!(outcome(arrays), [8, 17]);
}

#[test]
fn threads_wait_and_are_joined() {
    let locks = "mutex m\nplain d\nthread T[i in 0..3] { lock(m); r = d; d = r + 1; unlock(m) }\n\
                 final { last = d; assert last == 3 }\noutcome T[0].r, T[2].r, main.last";
    assert_eq!(outcome(locks), [0, 2, 3]);
    let tries = "mutex m\nthread A { a = trylock(m); b = trylock(m); unlock(m); c = trylock(m) }";
    assert_eq!(outcome(tries), [1, 0, 1]);
    let waits = "atomic x\nthread A { await(x @acq >= 1); a = x @rlx }\nthread B { x = 3 @rel }";
    assert_eq!(outcome(waits), [3]);
    let turned = "atomic x\nthread A { await(1 < x @acq); a = x @rlx }\nthread B { x = 3 @rel }";
    assert_eq!(outcome(turned), [3]);
    assert_eq!(run("atomic x\nthread A { await(x @acq == 1) }", &[]), Ran::Stuck);
    assert_eq!(run("thread A { assume 0 }", &[]), Ran::Stuck);
    assert_eq!(run("atomic x\nthread A { while x @sc == 0 {} }", &[]), Ran::Stuck);
    let cas = "atomic l\nthread A { await cas(l, 1 -> 2) @acq; r = l @rlx }\nmain { l = 1 @rel }";
    assert_eq!(outcome(cas), [2]);
}

#[test]
fn a_side_that_is_not_needed_is_not_read() {
    let text = "atomic x = 1 @rlx\nthread A { r = x || (x += 1); s = !x && (x += 1); t = x }";
    assert_eq!(outcome(text), [1, 0, 1]);
}

#[test]
fn what_goes_wrong_is_a_problem() {
    let problem = |text: &str| match run(text, &[]) {
        Ran::Problem(Problem::Panic { message } | Problem::Misuse { message }) => message,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(problem("thread A { assert 1 + 1 == 3 }"), "assertion fails: 1 + 1 == 3");
    assert_eq!(problem("thread A { r = 0; s = 1 / r }"), "division by zero");
    assert_eq!(
        problem("plain n[2]\nthread A { n[2] = 1 }"),
        "index 2 is outside of n, which has 2 locations"
    );
    assert_eq!(problem("mutex m\nthread A { unlock(m) }"), "m is unlocked by a thread that does not hold it");
    assert_eq!(problem("plain p\nthread A { free(p); r = p }"), "p is used after it was freed");
    assert_eq!(problem("thread A { r = 1 }\nnever r == 1"), "an outcome satisfies what none should: r == 1");
    assert_eq!(problem("thread A { r = 1 }\nforall r == 2"), "not all outcomes satisfy: r == 2");
    assert!(matches!(run("thread A { while 1 { r = 1 } }", &[]), Ran::Problem(Problem::TooLong { .. })));
}

#[test]
fn mistakes_say_where_they_are_and_what_was_expected() {
    for (text, message) in [
        ("", "1:1: expected a `thread` or `main`, found the end of the text"),
        (
            "atomic x\nthread A { x = 1 }",
            "2:12: an access to `x` needs an order, such as `@rlx`, here or where `x` is declared",
        ),
        ("atomic x\nthread A { x = 1 @acq }", "2:19: a store cannot be acquire"),
        ("atomic x\nthread A { r = x @rel }", "2:19: a load cannot be release"),
        ("plain x\nthread A { x += 1 }", "2:12: a read-modify-write cannot be na"),
        (
            "thread A { r = s }",
            "1:16: unknown name `s`: registers are assigned before they are read, locations and constants are declared",
        ),
        ("thread A { r = }", "1:16: expected an expression, found `}`"),
        (
            "thread A { r = 1 s = 2 }",
            "1:18: expected the end of the statement (a new line or `;`), found `s`",
        ),
        ("thread A { r = 1", "1:17: expected a statement or `}`, found the end of the text"),
        ("thread A { r = 1 }\nthread A { }", "2:8: `A` is already declared, on line 1"),
        (
            "thread A { r = 1 < 2 < 3 }",
            "1:22: expected no second comparison: put one in parentheses, found `<`",
        ),
        (
            "thread A { r = 99999999999999999999 }",
            "1:16: the number 99999999999999999999 is too large: it must be less than 2^63",
        ),
        ("thread A { r = 1 $ 2 }", "1:18: unexpected character `$`"),
        ("thread A { break }", "1:12: only allowed in a loop: `break`"),
        (
            "fn f() { return f() }\nthread A { f() }",
            "1:17: `f` calls itself, but functions are inlined and cannot be recursive",
        ),
        (
            "thread A { r = 1 }\nthread B { r = 1 }\noutcome r",
            "3:9: `r` is a register of A and of B: write `A.r`",
        ),
        (
            "thread A { r = 1 }\nthread B { s = r }",
            "2:16: unknown name `r`: registers are assigned before they are read, locations and constants are declared",
        ),
        ("thread A { r = 1 }\nexpect outcomes (1, 2)", "2:8: an outcome has 1 values, but this one has 2"),
        (
            "thread A { r = 1 }\nexpect with N = 3: executions 1",
            "2:1: there is no constant `N` to set: the program has none",
        ),
        (
            "thread A { r = 1 }\natomic x",
            "2:8: only allowed before all functions and threads: declarations of locations",
        ),
        (
            "atomic x, y\nthread A { await(x @acq == y @acq) }",
            "2:12: `await` waits for a comparison of one load with an expression without loads, or for a cas: other loops are `while .. { spin }`",
        ),
        (
            "order release = rlx\nthread A { fence @release }",
            "1:7: `release` is the name of an order and cannot be used otherwise",
        ),
        ("mutex m\nthread A { r = m }", "2:16: `m` is a mutex, but a location with a value is needed"),
        (
            "const N = 2\nthread A { N = 3 }",
            "2:12: `N` is a constant, but a register or a parameter is needed",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

/// Programs with pieces left out, doubled and exchanged are read, or have a mistake with its place.
#[test]
fn spoilt_programs_have_mistakes() {
    let text = include_str!("../../programs/structures/treiber.prog");
    let cases = include_str!("../../programs/litmus/SB.prog");
    let mut numbers = Random::new(1);
    let mut below = |bound: usize| numbers.index(bound);
    for round in 0..4_000 {
        let mut spoilt: Vec<char> = [text, cases][round % 2].chars().collect();
        for _ in 0..1 + below(3) {
            let (from, length) = (below(spoilt.len()), 1 + below(8));
            let piece: Vec<char> = spoilt[from..].iter().copied().take(length).collect();
            match below(3) {
                0 => drop(spoilt.drain(from..from + piece.len())),
                1 => drop(spoilt.splice(from..from, piece)),
                _ => {
                    let to = below(spoilt.len());
                    drop(spoilt.splice(to..to, piece));
                }
            }
        }
        let spoilt: String = spoilt.into_iter().collect();
        if let Err(error) = Source::parse(&spoilt) {
            assert!(error.at.line > 0 && error.at.column > 0, "{error}\n{spoilt}");
            continue;
        }
        let source = Source::parse(&spoilt).expect("read before");
        let _either = (source.cases(), source.compile(&[]));
    }
}

#[test]
fn nesting_is_bounded_and_length_is_not() {
    let deep = |open: &str, close: &str| {
        format!("thread A {{ r = {}1{} }}", open.repeat(100_000), close.repeat(100_000))
    };
    for text in [deep("(", ")"), deep("!", ""), deep("-", "")] {
        assert!(error(&text).contains("nested too deep"), "{}", error(&text));
    }
    let blocks = format!("thread A {{ {} }}", "if 1 { ".repeat(100_000));
    assert!(error(&blocks).contains("nested too deep"));
    assert_eq!(outcome(&format!("thread A {{ r = 0{} }}", " + 1".repeat(100_000))), [100_000]);
    let arms = " else if 0 { r = 2 }".repeat(20_000);
    assert_eq!(outcome(&format!("thread A {{ r = 1; if 0 {{ r = 3 }}{arms} }}")), [1]);
    assert!(error("thread A[i in 0..1000000000000] { r = i }").contains("too large: at most 2^12 threads"));
    assert!(
        error("atomic n[2000000]\nthread A { n[0] = 1 @rlx }").contains("too large: at most 2^20 locations")
    );
    let doubling: String =
        (1..40).map(|i| format!("fn f{i}(n) {{ return f{}(n) + f{}(n) }}\n", i - 1, i - 1)).collect();
    let text = format!("fn f0(n) {{ return n }}\n{doubling}thread A {{ r = f39(1) }}");
    assert!(error(&text).contains("too large: at most 2^20 instructions"));
    let within = |i: usize| format!("{}f{}(){}", "if 1 { ".repeat(90), i + 1, " }".repeat(90));
    let calls: String = (0..99).map(|i| format!("fn f{i}() {{ {} }}\n", within(i))).collect();
    let text = format!("{calls}fn f99() {{ return }}\nthread A {{ f0() }}");
    assert!(error(&text).contains("nested too deep"), "{}", error(&text));
}

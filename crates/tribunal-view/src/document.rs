//! The contents of a picture as data; the page draws its JSON.
//!
//! Events, operations and transactions are named by their place in [`Picture`]'s list, which is all of the history or, of a large one, a
//! window. Places on the grid are whole numbers; the drawing decides how large a step is.

use serde::Serialize;

/// A history and its verdicts.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The history's name, or else the file's.
    pub title: String,
    /// The place where it was read: `mp.txt:3`.
    pub source: String,
    /// The number of events, operations or transactions that it has.
    pub size: usize,
    /// The answer to show first: an index of `answers`.
    pub shown: usize,
    /// The history.
    #[serde(flatten)]
    pub picture: Picture,
}

/// The history as it is drawn, with an answer for each question asked.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Picture {
    /// A memory: a column for each thread.
    Memory {
        /// The columns; of a window, those with something in it.
        threads: Vec<Thread>,
        /// The events shown: by thread and index, initial writes last, only those that are read or mentioned.
        events: Vec<Event>,
        /// From each write to the reads of it.
        rf: Vec<Edge>,
        /// From reads to what depends on them.
        deps: Vec<Edge>,
        /// An overview of the whole, if not all of it is shown.
        overview: Option<Overview>,
        /// The verdicts of the models.
        answers: Vec<Shown<MemoryDrawing>>,
    },
    /// An object: a row for each process, time going to the right.
    Object {
        /// The specification's name.
        spec: String,
        /// The rows; of a window, those with something in it.
        processes: Vec<Process>,
        /// The operations shown, by call.
        operations: Vec<Operation>,
        /// The keys of which operations are shown, where there are several: each is linearizable or not by itself.
        keys: Vec<Key>,
        /// The explicit order, where there are no times: pairs of neighbors of different processes.
        hb: Vec<Edge>,
        /// The doings of others than the processes, such as the nemesis of a test, in the order of its beginnings.
        disturbances: Vec<Disturbance>,
        /// An overview of the whole, if not all of it is shown.
        overview: Option<Overview>,
        /// The verdicts of the criteria.
        answers: Vec<Shown<ObjectDrawing>>,
    },
    /// Transactions: a column for each session, a box for each transaction.
    Transactions {
        /// The columns; of a window, those with something in it.
        sessions: Vec<Thread>,
        /// The transactions shown, by session and index; the initial one, if it is mentioned, last.
        transactions: Vec<Transaction>,
        /// From each transaction to those that read from it.
        wr: Vec<Edge>,
        /// An overview of the whole, if not all of it is shown.
        overview: Option<Overview>,
        /// The verdicts of the levels.
        answers: Vec<Shown<TransactionsDrawing>>,
    },
}

/// An edge between two places of the picture.
pub type Edge = [u32; 2];

/// A thread's column.
#[derive(Clone, Debug, Serialize)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// The number of events that it has in all.
    pub length: u32,
}

/// An event on the grid.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Its thread; none for an initial write.
    pub thread: Option<u32>,
    /// Its index in the thread, from 0.
    pub index: u32,
    /// Its row: po and, unless that is a cycle, rf lead downward. Initial writes are in row 0.
    pub row: u32,
    /// Its action: `W x 1`, `R.acq y 0`, `init x`.
    pub label: String,
    /// Its kind.
    pub kind: Kind,
    /// Its location's name, if it has one.
    pub location: Option<String>,
    /// The line where it was read, if it was.
    pub line: Option<u64>,
}

/// A kind of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// Both.
    Rmw,
    /// A fence.
    Fence,
    /// An initial write.
    Init,
}

/// A transaction on the grid.
#[derive(Clone, Debug, Serialize)]
pub struct Transaction {
    /// Its session; none for the initial one.
    pub session: Option<u32>,
    /// Its index in the session, from 0.
    pub index: u32,
    /// Its row: so and, unless that is a cycle, wr lead downward. The initial one is in row 0.
    pub row: u32,
    /// Its name in explanations: `T3`, `init`.
    pub name: String,
    /// Its operations, in order: `w x 1`, `r y [1, 2]`; of a long one, what matters.
    pub ops: Vec<String>,
    /// The number of operations that are left out.
    pub more: u32,
    /// Its outcome.
    pub status: Outcome,
    /// The times when it began and ended, as the input says.
    pub times: Option<(String, Option<String>)>,
    /// The reason why it did not commit, as its client said.
    pub error: Option<String>,
    /// The doings of others than the sessions meanwhile, such as the nemesis of a test.
    pub meanwhile: Vec<String>,
    /// The line where it was read, if it was.
    pub line: Option<u64>,
}

/// The outcome of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It committed.
    Committed,
    /// It did not.
    Aborted,
    /// The client got no answer.
    Unknown,
    /// It is the initial one.
    Init,
}

/// A process's row.
#[derive(Clone, Debug, Serialize)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The number of operations that it has in all.
    pub length: u32,
}

/// An operation on the timeline.
#[derive(Clone, Debug, Serialize)]
pub struct Operation {
    /// Its process.
    pub process: u32,
    /// The call and its return: `enqueue(1) → null`, `dequeue() → ?` if it never returned.
    pub label: String,
    /// The return alone; none if it never returned.
    pub result: Option<String>,
    /// Its key among [`Picture::Object`]'s, if there are several.
    pub key: Option<u32>,
    /// The place of its call on the grid: calls and returns in order of time, from 0.
    pub call: u32,
    /// The place where its return is; none if it never returned.
    pub ret: Option<u32>,
    /// The times when it was called and returned, as the input says: `3`, `17`.
    pub times: Option<(String, Option<String>)>,
    /// The reason why it did not succeed, as its client said.
    pub error: Option<String>,
    /// The line where it was read, if it was.
    pub line: Option<u64>,
}

/// Something that others than the processes did: a stretch of the timeline.
#[derive(Clone, Debug, Serialize)]
pub struct Disturbance {
    /// The one who did it, and the deed: `nemesis kill ["n1"]`.
    pub what: String,
    /// The number of calls and returns shown that came before it began,
    pub from: u32,
    /// and before it ended; none if nothing ended it.
    pub to: Option<u32>,
    /// The times when it began and ended, as the input says.
    pub times: Option<(String, Option<String>)>,
    /// The line where its beginning was read.
    pub line: u64,
}

/// A key of an object, such as a store's.
#[derive(Clone, Debug, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// The number of operations that it has in all.
    pub length: u32,
    /// Whether they are linearizable; none if that is not known.
    pub linearizable: Option<bool>,
}

/// An overview of the whole history.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// By thread or process: how many of its events or operations begin in each of equal stretches of the whole.
    pub density: Vec<Vec<u32>>,
    /// The stretches of which some are shown, from and to.
    pub window: (u32, u32),
    /// The stretches in which the shown violation has events or operations, by answer.
    pub marks: Vec<Vec<u32>>,
}

/// A verdict and its explanation.
#[derive(Clone, Debug, Serialize)]
pub struct Shown<R> {
    /// The model, criterion or level.
    pub question: String,
    /// A sentence that says what it is.
    pub about: String,
    /// `consistent`, `inconsistent`, `undecided` or `unsupported`.
    pub verdict: String,
    /// The axiom that is broken and its formula, or why there is no answer.
    pub heading: String,
    /// The reason why the answer is no, line by line; the page steps through them.
    pub lines: Vec<Line>,
    /// The reason why the answer is yes where a stronger model says no.
    pub contrast: Option<Contrast>,
    /// The drawing of it.
    #[serde(flatten)]
    pub drawn: R,
}

/// The reason why a stronger model forbids a history that this one allows.
#[derive(Clone, Debug, Serialize)]
pub struct Contrast {
    /// The stronger model.
    pub against: String,
    /// The reason why the history is allowed, then the stronger model's reason.
    pub lines: Vec<Line>,
    /// The steps of its violation.
    pub cycle: Vec<Arrow>,
    /// Those of the steps that the weaker model does not have.
    pub missing: Vec<Arrow>,
}

/// The drawing of a model's answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MemoryDrawing {
    /// The violation's steps: each edge begins where the one before it ends. Of two RMWs that read from one write, the two
    /// rf edges.
    pub cycle: Vec<Arrow>,
    /// Where values repeat: from the writes that were chosen, or supposed, as sources to their reads.
    pub chosen: Vec<Edge>,
    /// Of a witness: mo, from each write to the next of its location.
    pub mo: Vec<Edge>,
    /// Of a witness: fr, from each read to the first write that overwrites what it read.
    pub fr: Vec<Edge>,
}

/// The drawing of a criterion's answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ObjectDrawing {
    /// Of a witness: the operations that took effect, in order.
    pub lin: Vec<u32>,
    /// By place in `lin`, where the operation takes effect: a place on the grid, in hundredths, within its interval (under
    /// `sequential`, which knows no real time, or with an explicit order perhaps not). The page spreads them out itself.
    #[serde(skip)]
    pub points: Vec<u32>,
    /// By place in `lin`, the state of the operation's key, or of the object, after it; empty if that is too much to show, or
    /// not all that came before is visible.
    pub states: Vec<String>,
    /// By place in `lin`, what is visible to the operation there; none: all before it. Empty although `lin` is not: too much to
    /// show.
    pub vis: Option<Vec<Vec<u32>>>,
    /// Of a violation: the operations of the part that nothing explains.
    pub part: Vec<u32>,
    /// Of a violation: the operation whose return cannot be explained, if there is a first one.
    pub failing: Option<u32>,
    /// Of `linearizable`, unless it holds: how far the operations can be linearized.
    pub partial: Option<Partial>,
}

/// The longest partial linearizations that were found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Partial {
    /// Their steps; those that begin alike share them. Each comes after the step before it.
    pub steps: Vec<Step>,
    /// By operation shown, the last step of the longest that includes it.
    pub ends: Vec<Option<u32>>,
    /// By key, or of the whole object, the longest.
    pub longest: Vec<Longest>,
}

/// An operation takes effect.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The step before it, of those shown.
    pub before: Option<u32>,
    /// The operation.
    pub operation: u32,
    /// Its place in the order, from 1, with those that are not shown.
    pub nth: u32,
    /// The state after it, if that is not too much to show.
    pub state: Option<String>,
}

/// The longest partial linearization of a key, or of a whole object.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Longest {
    /// Its last step, of those shown.
    pub end: Option<u32>,
    /// The number of operations that it has.
    pub length: u32,
    /// The reason why the search for a longer one ended early, if it did.
    pub limit: Option<String>,
}

/// The drawing of a level's answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TransactionsDrawing {
    /// The violation's steps: each edge begins where the one before it ends.
    pub cycle: Vec<Arrow>,
    /// Of a violation: the operations that it is about, each as a place and an index of its `ops`.
    pub reads: Vec<Edge>,
    /// Of a violation: the transaction with a read that cannot be, whatever the order.
    pub failing: Option<u32>,
    /// Where values repeat: from the transactions that were chosen, or supposed, as sources to those that read from them.
    pub chosen: Vec<Edge>,
    /// Of a witness: the transactions that count, in the order of their commits.
    pub commits: Vec<u32>,
    /// Of a witness: ww, from each writer of a key to the next.
    pub ww: Vec<Edge>,
    /// Of a witness: rw, from each reader to the first that overwrites what it read.
    pub rw: Vec<Edge>,
}

/// A line of an explanation.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Its depth: a line explains the last one before it that is less deep.
    pub depth: usize,
    /// The text of the line.
    pub text: String,
    /// The places that it mentions.
    pub about: Vec<u32>,
    /// The edges that it mentions.
    pub arrows: Vec<Arrow>,
}

/// An edge with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Arrow {
    /// The place where it begins.
    pub from: u32,
    /// The place where it ends.
    pub to: u32,
    /// The relation between the ends: `po`, `rf`, `mo`, `fr`, ...
    pub name: &'static str,
}

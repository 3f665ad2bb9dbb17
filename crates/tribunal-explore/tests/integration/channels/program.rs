//! Random programs that use channels.

use tribunal_random::Random;

/// What a thread does with a channel. Without the handle that it takes, it does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Send(usize),
    /// Sends a message that carries a clone of the sender.
    SendSender(usize),
    TrySend(usize),
    Recv(usize),
    TryRecv(usize),
    /// Receives until there is no sender.
    Drain(usize),
    DropSender(usize),
    DropReceiver(usize),
}

#[derive(Clone, Debug)]
pub struct Program {
    /// The bounds of the channels.
    pub channels: Vec<Option<usize>>,
    /// By channel, the thread that receives.
    pub receivers: Vec<usize>,
    /// By thread and channel, whether it has a sender at first.
    pub senders: Vec<Vec<bool>>,
    /// The first is the main thread, which spawns the others and joins them in the end.
    pub threads: Vec<Vec<Op>>,
}

/// What came of an operation.
pub const SENT: i32 = 1000;
pub const REFUSED: i32 = 1001;
pub const FULL: i32 = 1002;
pub const EMPTY: i32 = 1003;
pub const DISCONNECTED: i32 = 1004;

/// The results of the operations of each thread.
pub type Outcome = Vec<Vec<i32>>;

/// The message of an operation.
pub fn value(thread: usize, at: usize) -> i32 {
    (thread * 8 + at) as i32
}

/// A random program. What happens-before does not order, an interleaving does; so that outcomes are those of interleavings, only one of several
/// channels is looked at without waiting.
pub fn random(seed: u64, most: usize) -> Program {
    let mut random = Random::new(seed);
    let channels = 1 + random.index(2);
    let threads = 2 + random.index(2);
    let bounds = [None, None, Some(0), Some(1), Some(2)];
    let mut program = Program {
        channels: (0..channels).map(|_| bounds[random.index(bounds.len())]).collect(),
        receivers: (0..channels).map(|_| random.index(2) * random.index(threads)).collect(),
        senders: (0..threads).map(|_| (0..channels).map(|_| random.index(4) > 0).collect()).collect(),
        threads: Vec::new(),
    };
    // A receiver with a sender of its own waits for ever, as a rule.
    for (channel, &thread) in program.receivers.iter().enumerate() {
        program.senders[thread][channel] &= random.index(4) == 0;
    }
    for thread in 0..threads {
        let count = random.index(most + 1);
        let ops = (0..count).map(|_| {
            let c = random.index(channels);
            let receives = program.receivers[c] == thread && random.index(5) > 0;
            match (receives, random.index(10)) {
                (true, 0..=2) => Op::Recv(c),
                (true, 3..=5) if c == 0 => Op::TryRecv(c),
                (true, 9) => Op::DropReceiver(c),
                (true, _) => Op::Drain(c),
                (false, 0) => Op::SendSender(c),
                (false, 1) if channels == 1 => Op::TrySend(c),
                (false, 2) => Op::DropSender(c),
                (false, _) => Op::Send(c),
            }
        });
        let ops = ops.collect();
        program.threads.push(ops);
    }
    program
}

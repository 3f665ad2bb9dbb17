//! All interleavings of queues.

use crate::channels::program::{DISCONNECTED, EMPTY, FULL, Op, Outcome, Program, REFUSED, SENT, value};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// A message, and whether it carries a sender of its channel.
type Message = (i32, bool);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Channel {
    queue: VecDeque<Message>,
    senders: usize,
    has_receiver: bool,
}

/// What a thread does before its next operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    /// A sender is dropped.
    Unshare(usize),
    /// A message was offered without room.
    Offered(usize, Message),
    /// A message is sent.
    Send(usize, Message),
    DropReceiver(usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    at: usize,
    steps: VecDeque<Step>,
    senders: Vec<bool>,
    receivers: Vec<bool>,
    results: Vec<i32>,
    ended: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    channels: Vec<Channel>,
    threads: Vec<Thread>,
}

/// The outcomes, and whether there is a deadlock. Nothing if there are too many states.
pub fn outcomes(program: &Program, most: usize) -> Option<(BTreeSet<Outcome>, bool)> {
    let channels = 0..program.channels.len();
    let start = State {
        channels: channels
            .clone()
            .map(|c| Channel {
                queue: VecDeque::new(),
                senders: program.senders.iter().filter(|has| has[c]).count(),
                has_receiver: true,
            })
            .collect(),
        threads: (0..program.threads.len())
            .map(|thread| Thread {
                at: 0,
                steps: VecDeque::new(),
                senders: program.senders[thread].clone(),
                receivers: channels.clone().map(|c| program.receivers[c] == thread).collect(),
                results: Vec::new(),
                ended: false,
            })
            .collect(),
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut stack = vec![start];
    let (mut found, mut deadlock) = (BTreeSet::new(), false);
    while let Some(state) = stack.pop() {
        if state.threads.iter().all(|thread| thread.ended) {
            found.insert(state.threads.iter().map(|thread| thread.results.clone()).collect());
            continue;
        }
        let mut stuck = true;
        for thread in 0..state.threads.len() {
            let mut next = state.clone();
            if !state.threads[thread].ended && next.step(program, thread) {
                stuck = false;
                if seen.len() > most {
                    return None;
                }
                if seen.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        deadlock |= stuck;
    }
    Some((found, deadlock))
}

impl State {
    /// A thread takes a step, if it can.
    fn step(&mut self, program: &Program, number: usize) -> bool {
        let thread = &mut self.threads[number];
        if let Some(step) = thread.steps.pop_front() {
            return self.finish(program, number, step);
        }
        let Some(&op) = program.threads[number].get(thread.at) else {
            for c in 0..self.channels.len() {
                if std::mem::take(&mut thread.senders[c]) {
                    thread.steps.push_back(Step::Unshare(c));
                }
                if std::mem::take(&mut thread.receivers[c]) {
                    thread.steps.push_back(Step::DropReceiver(c));
                }
            }
            thread.ended = thread.steps.is_empty();
            return true;
        };
        let message = |carries| (value(number, thread.at), carries);
        let (send, share) = (message(false), message(true));
        match op {
            Op::Send(c) if thread.senders[c] => {
                thread.at += 1;
                return self.finish(program, number, Step::Send(c, send));
            }
            Op::SendSender(c) if thread.senders[c] => {
                self.channels[c].senders += 1;
                thread.steps.push_back(Step::Send(c, share));
                thread.at += 1;
            }
            Op::TrySend(c) if thread.senders[c] => {
                thread.at += 1;
                let channel = &mut self.channels[c];
                let full = program.channels[c].is_some_and(|bound| channel.queue.len() >= bound);
                thread.results.push(match (channel.has_receiver, full) {
                    (false, _) => REFUSED,
                    (true, true) => FULL,
                    (true, false) => SENT,
                });
                if channel.has_receiver && !full {
                    channel.queue.push_back(send);
                }
            }
            Op::Recv(c) | Op::TryRecv(c) | Op::Drain(c) if thread.receivers[c] => {
                let waits = !matches!(op, Op::TryRecv(_));
                let channel = &mut self.channels[c];
                let stays = match channel.queue.pop_front() {
                    Some((value, carries)) => {
                        thread.results.push(value);
                        if carries && thread.senders[c] {
                            thread.steps.push_back(Step::Unshare(c));
                        }
                        thread.senders[c] |= carries;
                        matches!(op, Op::Drain(_))
                    }
                    None if channel.senders > 0 && waits => return false,
                    None => {
                        thread.results.push(if channel.senders > 0 { EMPTY } else { DISCONNECTED });
                        false
                    }
                };
                thread.at += usize::from(!stays);
            }
            Op::DropSender(c) => {
                thread.at += 1;
                if std::mem::take(&mut thread.senders[c]) {
                    self.channels[c].senders -= 1;
                }
            }
            Op::DropReceiver(c) if thread.receivers[c] => {
                thread.at += 1;
                thread.receivers[c] = false;
                return self.finish(program, number, Step::DropReceiver(c));
            }
            _ => thread.at += 1,
        }
        true
    }

    fn finish(&mut self, program: &Program, number: usize, step: Step) -> bool {
        let thread = &mut self.threads[number];
        let mut refuse = |(_, carries): Message, c| {
            thread.results.push(REFUSED);
            if carries {
                thread.steps.push_back(Step::Unshare(c));
            }
        };
        match step {
            Step::Unshare(c) => self.channels[c].senders -= 1,
            Step::Send(c, message) => {
                let channel = &mut self.channels[c];
                match program.channels[c] {
                    _ if !channel.has_receiver => refuse(message, c),
                    Some(0) => {
                        channel.queue.push_back(message);
                        thread.steps.push_back(Step::Offered(c, message));
                    }
                    Some(bound) if channel.queue.len() >= bound => return false,
                    _ => {
                        channel.queue.push_back(message);
                        thread.results.push(SENT);
                    }
                }
            }
            Step::Offered(c, message) => {
                let channel = &mut self.channels[c];
                match channel.queue.iter().position(|other| *other == message) {
                    None => thread.results.push(SENT),
                    Some(_) if channel.has_receiver => return false,
                    Some(at) => {
                        channel.queue.remove(at);
                        refuse(message, c);
                    }
                }
            }
            Step::DropReceiver(c) => {
                let channel = &mut self.channels[c];
                channel.has_receiver = false;
                if program.channels[c] != Some(0) {
                    let carried = channel.queue.drain(..).filter(|&(_, carries)| carries);
                    thread.steps.extend(carried.map(|_| Step::Unshare(c)));
                }
            }
        }
        true
    }
}

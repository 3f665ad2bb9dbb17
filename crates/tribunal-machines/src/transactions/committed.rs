//! Read committed: each read returns what is committed when it is made.

use super::buffered::Buffered;
use super::engine::{Answer, Context, Engine};
use super::versions::Version;
use super::{Clients, StoreBug};

pub(super) struct ReadCommitted {
    data: Buffered,
    /// By client, what it would have read of every key when its transaction began: only a store with a bug looks there.
    at_begin: Vec<Vec<Version>>,
}

impl ReadCommitted {
    pub(super) fn new(clients: &Clients) -> Self {
        ReadCommitted { data: Buffered::new(clients), at_begin: vec![Vec::new(); clients.sessions as usize] }
    }
}

impl Engine for ReadCommitted {
    fn begin(&mut self, client: usize, _: bool, cx: &mut Context) -> Answer<()> {
        if cx.bug == Some(StoreBug::StaleSnapshot) {
            self.at_begin[client] = self.data.state().to_vec();
        }
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        let mut base = self.data.now(key);
        if cx.strikes(StoreBug::StaleSnapshot) {
            base = self.at_begin[client][key as usize];
        }
        if !self.data.writes(client, key)
            && cx.strikes(StoreBug::DirtyRead)
            && let Some(version) = self.data.dirty(client, key, cx)
        {
            return Answer::Done(version);
        }
        Answer::Done(self.data.own(client, key, base, cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, _: &mut Context) -> Answer<()> {
        self.data.write(client, key, value);
        Answer::Done(())
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        self.data.commit(client, cx);
        Answer::Done(())
    }

    fn abort(&mut self, client: usize, cx: &mut Context) {
        self.data.abort(client, cx);
    }

    fn pass(&mut self, cx: &mut Context) {
        self.data.pass(cx);
    }
}

//! Optimistic concurrency control: what was read is validated at the commit.

use super::buffered::Buffered;
use super::engine::{Answer, Context, Engine};
use super::versions::Version;
use super::{Clients, StoreBug};

pub(super) struct Optimistic {
    data: Buffered,
    /// By client, what it read and must find again.
    reads: Vec<Vec<(u32, Version)>>,
}

impl Optimistic {
    pub(super) fn new(clients: &Clients) -> Self {
        Optimistic { data: Buffered::new(clients), reads: vec![Vec::new(); clients.sessions as usize] }
    }

    /// Whether what a client read is still there.
    fn is_valid(&self, client: usize, cx: &mut Context) -> bool {
        let lost = cx.strikes(StoreBug::LostUpdate);
        let missed = cx.strikes(StoreBug::MissedConflict);
        self.reads[client].iter().all(|&(key, version)| {
            let unchecked = if self.data.writes(client, key) { lost } else { missed };
            unchecked || self.data.now(key) == version
        })
    }
}

impl Engine for Optimistic {
    fn begin(&mut self, client: usize, read_only: bool, cx: &mut Context) -> Answer<()> {
        self.reads[client].clear();
        self.data.begin(client, read_only, cx);
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        if let Some(version) = self.data.stale(client, key) {
            return Answer::Done(version);
        }
        let base = self.data.now(key);
        self.reads[client].push((key, base));
        Answer::Done(self.data.own(client, key, base, cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, _: &mut Context) -> Answer<()> {
        self.data.write(client, key, value);
        Answer::Done(())
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        if !self.is_valid(client, cx) {
            return Answer::Abort;
        }
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

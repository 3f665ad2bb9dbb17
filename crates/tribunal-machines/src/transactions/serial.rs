//! One transaction at a time.

use super::Clients;
use super::buffered::Buffered;
use super::engine::{Answer, Context, Engine};
use super::versions::Version;

pub(super) struct Serial {
    data: Buffered,
    /// The client whose transaction it is.
    running: Option<usize>,
}

impl Serial {
    pub(super) fn new(clients: &Clients) -> Self {
        Serial { data: Buffered::new(clients), running: None }
    }
}

impl Engine for Serial {
    fn begin(&mut self, client: usize, read_only: bool, cx: &mut Context) -> Answer<()> {
        // Who reads the copy that lags need not wait.
        if self.running.is_some() && !self.data.begin(client, read_only, cx) {
            return Answer::Wait;
        }
        if self.running.is_none() {
            self.data.begin(client, read_only, cx);
            self.running = Some(client);
        }
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        if let Some(version) = self.data.stale(client, key) {
            return Answer::Done(version);
        }
        Answer::Done(self.data.own(client, key, self.data.now(key), cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, _: &mut Context) -> Answer<()> {
        self.data.write(client, key, value);
        Answer::Done(())
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        self.data.commit(client, cx);
        self.running = self.running.filter(|&running| running != client);
        Answer::Done(())
    }

    fn abort(&mut self, client: usize, cx: &mut Context) {
        self.data.abort(client, cx);
        self.running = self.running.filter(|&running| running != client);
    }

    fn pass(&mut self, cx: &mut Context) {
        self.data.pass(cx);
    }
}

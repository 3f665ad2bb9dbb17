//! The rules: what follows for the writers of a key from what leads to what.

use super::super::graph::Node;
use super::super::{INIT, Isolation, KeyId, TxnId};
use super::saturation::{CommitSaturation, Conflict, Ground, Halt, Known, NONE, Reason, Writer};
use rustc_hash::FxHashSet;
use tribunal_history::limits::Limits;

impl CommitSaturation<'_> {
    /// `first` comes before `second`, which writes the same key, and so does whoever reads from it: without seeing the second.
    pub(super) fn before(
        &mut self,
        key: KeyId,
        first: TxnId,
        second: TxnId,
        ground: Ground,
    ) -> Result<(), Halt> {
        let (nodes, accesses) = (self.nodes, self.accesses);
        let Some(version) = accesses.version(key, first) else { return Ok(()) };
        let (from, to) = (nodes.commit(first), nodes.target(second));
        if accesses.readers(version).is_empty() && self.leads(from, to) {
            return Ok(());
        }
        if self.applied.contains(&(version, second)) || !self.notes && !self.applied.insert((version, second))
        {
            return Ok(());
        }
        let known = Known { key, first, second, ground, edges: self.edges.len() };
        // Noted once, and only if something new follows.
        let mut step = None;
        if !self.leads(from, to) {
            let step = *step.get_or_insert_with(|| self.step(known));
            self.edge(from, to, Reason::Ww(step))?;
        }
        if self.level.isolation() == Isolation::Psi {
            return Ok(());
        }
        for &(reader, op) in accesses.readers(version) {
            let (from, to) = (nodes.snapshot(reader), nodes.commit(second));
            if reader != second && !self.leads(from, to) {
                let step = *step.get_or_insert_with(|| self.step(known));
                self.edge(from, to, Reason::Rw(op, step))?;
            }
        }
        Ok(())
    }

    /// Tells the clocks of all edges and applies the rules once; how many edges are new.
    pub(super) fn round(&mut self, limits: &Limits<'_>) -> Result<usize, Halt> {
        self.tell(limits)?;
        self.round = Some(FxHashSet::default());
        let outcome = self.saturate(limits);
        let new = self.round.take().unwrap_or_default();
        outcome.map(|()| new.len())
    }

    /// Tells the clocks of all edges and applies the rules until nothing new follows.
    pub(super) fn saturate_all(&mut self, limits: &Limits<'_>) -> Result<(), Halt> {
        self.tell(limits)?;
        self.saturate(limits)
    }

    fn tell(&mut self, limits: &Limits<'_>) -> Result<(), Halt> {
        limits.check(self.states)?;
        limits.check_memory(self.bytes(), self.states)?;
        let order = self.order().map_err(Halt::Cyclic)?;
        self.propagate_all(&order)
    }

    /// Applies the rules until nothing new follows, or to the end of a round.
    pub(super) fn saturate(&mut self, limits: &Limits<'_>) -> Result<(), Halt> {
        while let Some(node) = self.grown.pop() {
            let chains = std::mem::take(&mut self.grown_in[node as usize]);
            self.states += 1;
            if self.states.is_multiple_of(1024) {
                limits.check(self.states)?;
                limits.check_memory(self.bytes(), self.states)?;
            }
            let Some(txn) = self.nodes.txn(node) else { continue };
            if node == self.nodes.snapshot(txn) {
                self.as_reader(txn, chains)?;
            }
            if node == self.nodes.commit(txn) {
                self.as_writer(txn, chains)?;
            }
        }
        Ok(())
    }

    /// Puts the last writers of a key in each chain that lead to a node into `found`, by their commits or by where ww leads; its own transaction
    /// is left out. Only chains in which the node's clock has grown.
    fn last_writers(&self, key: KeyId, node: Node, by_commit: bool, chains: u64, found: &mut Vec<TxnId>) {
        let own = self.nodes.txn(node);
        let clock = self.clock(node);
        let place = |writer: &Writer| if by_commit { writer.commit } else { writer.target };
        found.clear();
        let grown = |chain: &&[Writer]| chains & 1 << (chain[0].chain % 64) != 0;
        for chain in self.writers(key).chunk_by(|a, b| a.chain == b.chain).filter(grown) {
            let known = clock[chain[0].chain as usize];
            let before = chain.partition_point(|writer| place(writer) < known);
            let last = chain[..before].iter().rev().map(|writer| writer.txn).find(|&txn| Some(txn) != own);
            found.extend(last);
        }
    }

    /// Whether a writer of a key is known to come before another.
    fn precedes(&self, first: TxnId, second: TxnId) -> bool {
        self.leads(self.nodes.commit(first), self.nodes.target(second))
    }

    /// Leaves out writers of a key that come before others of them: what follows from those follows by way of the others.
    fn keep_latest(&self, writers: &mut Vec<TxnId>) {
        let mut kept = 0;
        for at in 0..writers.len() {
            let writer = writers[at];
            if writers[..kept].iter().any(|&latest| self.precedes(writer, latest)) {
                continue;
            }
            let mut still = 0;
            for earlier in 0..kept {
                if !self.precedes(writers[earlier], writer) {
                    writers[still] = writers[earlier];
                    still += 1;
                }
            }
            writers[still] = writer;
            kept = still + 1;
        }
        writers.truncate(kept);
    }

    /// Writers of what a transaction reads that come before it come before its sources.
    fn as_reader(&mut self, txn: TxnId, chains: u64) -> Result<(), Halt> {
        let (node, accesses) = (self.nodes.snapshot(txn), self.accesses);
        let mut writers = std::mem::take(&mut self.found);
        for &(op, version) in accesses.reads(txn) {
            let (key, source) = accesses.of_version(version);
            self.last_writers(key, node, true, chains, &mut writers);
            self.worked(self.writers(key).len() + writers.len() * writers.len())?;
            if let (INIT, Some(&writer)) = (source, writers.first()) {
                let reason = Reason::Rw(op, NONE);
                return Err(Halt::Conflict(Conflict { from: node, to: self.nodes.commit(writer), reason }));
            }
            // Of those that are known to come before the source, all follows at the source.
            writers.retain(|&writer| writer != source && !self.precedes(writer, source));
            self.keep_latest(&mut writers);
            for &writer in &writers {
                self.before(key, writer, source, Ground::Seen(op))?;
            }
        }
        self.found = writers;
        Ok(())
    }

    /// Writers of what a transaction writes that cannot come after it come before it.
    fn as_writer(&mut self, txn: TxnId, chains: u64) -> Result<(), Halt> {
        let (node, accesses) = (self.nodes.commit(txn), self.accesses);
        let mut writers = std::mem::take(&mut self.found);
        for (key, _) in accesses.written(txn) {
            self.last_writers(key, node, false, chains, &mut writers);
            self.worked(self.writers(key).len() + writers.len() * writers.len())?;
            self.keep_latest(&mut writers);
            for &writer in &writers {
                self.before(key, writer, txn, Ground::Otherwise)?;
            }
        }
        self.found = writers;
        Ok(())
    }
}

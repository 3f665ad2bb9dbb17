//! The order of writes by ccv's conflict relation alone: w before w' if w is in the causal past, (po ∪ rf)⁺, of a read of w'.

use tribunal_history::memory::{EventId, Execution};

/// Of the pairs of writes of one location, initial ones left out, the share that cf orders; all of nothing is everything.
pub(super) fn ordered(x: &Execution) -> f64 {
    let pasts = pasts(x);
    let (mut pairs, mut ordered) = (0u64, 0u64);
    for loc in x.locations() {
        let of_loc = |&e: &EventId| x.loc(e) == Some(loc);
        let writes: Vec<EventId> = x.events().filter(|&e| x.label(e).writes()).filter(of_loc).collect();
        let mut before = vec![false; writes.len() * writes.len()];
        for read in x.events().filter(|&e| x.label(e).reads()).filter(of_loc) {
            let Some(to) = writes.iter().position(|&write| x.rf(read) == Some(write)) else { continue };
            for (from, &write) in writes.iter().enumerate() {
                let slot = x.slot(write).expect("not an initial write");
                before[from * writes.len() + to] |= slot.index < pasts[read.index()][slot.thread.index()];
            }
        }
        for a in 0..writes.len() {
            pairs += a as u64;
            let either = |b: &usize| before[a * writes.len() + b] || before[b * writes.len() + a];
            ordered += (0..a).filter(either).count() as u64;
        }
    }
    if pairs == 0 { 1.0 } else { ordered as f64 / pairs as f64 }
}

/// For each event, how many events of each thread are in its causal past, with itself.
fn pasts(x: &Execution) -> Vec<Vec<u32>> {
    let mut pasts = vec![vec![0; x.thread_count()]; x.len()];
    let mut next: Vec<u32> = vec![0; x.thread_count()];
    let mut left = x.len();
    while left > 0 {
        let before = left;
        for thread in x.threads() {
            while let Some(event) = x.event_at(thread, next[thread.index()]) {
                let source = x.rf(event).and_then(|write| x.slot(write));
                if source.is_some_and(|slot| slot.index >= next[slot.thread.index()]) {
                    break;
                }
                let index = next[thread.index()];
                let previous = index.checked_sub(1).and_then(|index| x.event_at(thread, index));
                let mut past =
                    previous.map_or_else(|| vec![0; x.thread_count()], |e| pasts[e.index()].clone());
                if let Some(slot) = source {
                    let write = x.event(slot);
                    past.iter_mut().zip(&pasts[write.index()]).for_each(|(a, &b)| *a = (*a).max(b));
                }
                past[thread.index()] = index + 1;
                pasts[event.index()] = past;
                next[thread.index()] += 1;
                left -= 1;
            }
        }
        assert!(left < before, "po ∪ rf is acyclic");
    }
    pasts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_history::memory::{MalformedHistory, Op};

    /// Of three writes, one is read after another was seen; the third is seen by nobody.
    #[test]
    fn only_reads_order_writes() -> Result<(), MalformedHistory> {
        let mut b = Execution::builder();
        let (t0, t1) = (b.thread("T0"), b.thread("T1"));
        let x = b.location("x");
        b.push(t0, Op::write(x, 1));
        b.push(t0, Op::read(x, 2));
        b.push(t0, Op::write(x, 3));
        b.push(t1, Op::write(x, 2));
        assert_eq!(ordered(&b.build()?), 1.0 / 3.0);
        Ok(())
    }
}

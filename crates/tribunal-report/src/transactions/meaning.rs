//! The meaning of a cycle in one sentence: who misses whose writes.

use super::{all_of, key, key_of, name, reading, session, source};
use tribunal_engines::transactions::{Anomaly, Shape};
use tribunal_history::transactions::{History, INIT, KeyId, Link, OpId, Rel, TxnId};

/// The anomaly's name with what it means here: `fractured read: T1 saw T0's x but not its y`.
pub(super) fn meaning(history: &History, anomaly: Anomaly, cycle: &[Link]) -> String {
    let missing: Vec<Missing> = cycle.iter().filter_map(|link| Missing::of(history, link)).collect();
    let said = match (anomaly.shape(), &missing[..]) {
        (Shape::DirtyWrite, _) => dirty(history, cycle),
        (Shape::CircularFlow, _) => circular(history, cycle),
        (Shape::LostUpdate, [one, ..]) => lost(history, cycle, one),
        (Shape::WriteSkew, [one, other]) => Some(format!(
            "{} read {} and {} read {}, and neither saw what the other wrote there",
            name(one.reader),
            key(history, one.key),
            name(other.reader),
            key(history, other.key)
        )),
        (Shape::LongFork, [one, other]) => forked(history, cycle, one, other),
        (_, [only]) => Some(missed(history, cycle, only)),
        (_, []) => None,
        (_, all) => {
            let parts: Vec<String> = all.iter().take(4).map(|missing| missing.in_words(history)).collect();
            let more = if all.len() > parts.len() { ", and so on" } else { "" };
            Some(format!("{}{more}", all_of(&parts)))
        }
    };
    format!("{anomaly}: {}", said.as_deref().unwrap_or(anomaly.shape().sentence()))
}

/// A transaction that does not see what another writes: rw.
struct Missing {
    reader: TxnId,
    writer: TxnId,
    key: KeyId,
    read: OpId,
}

impl Missing {
    fn of(history: &History, link: &Link) -> Option<Self> {
        match link.rel {
            Rel::Rw(read) => {
                Some(Missing { reader: link.from, writer: link.to, key: history.op(read).key(), read })
            }
            _ => None,
        }
    }

    fn in_words(&self, history: &History) -> String {
        format!("{} does not see {}'s {}", name(self.reader), name(self.writer), key(history, self.key))
    }
}

/// Each overwrites what another wrote.
fn dirty(history: &History, cycle: &[Link]) -> Option<String> {
    let told = |link: &Link| {
        let of = key_of(history, link.rel)?;
        Some(format!("{} wrote {} before {}", name(link.from), key(history, of), name(link.to)))
    };
    let parts: Vec<String> = cycle.iter().take(4).filter_map(told).collect();
    let more = if cycle.len() > parts.len() { ", and so on round" } else { "" };
    (!parts.is_empty()).then(|| format!("{}{more}", all_of(&parts)))
}

/// Each read from, or overwrote, another.
fn circular(history: &History, cycle: &[Link]) -> Option<String> {
    if let [Link { rel: Rel::Wr(one), .. }, Link { rel: Rel::Wr(other), .. }] = cycle {
        return Some(format!(
            "{} read {}'s {}, and {} read {}'s {}",
            name(cycle[0].to),
            name(cycle[0].from),
            key(history, history.op(*one).key()),
            name(cycle[1].to),
            name(cycle[1].from),
            key(history, history.op(*other).key())
        ));
    }
    let names: Vec<String> = cycle.iter().take(6).map(|link| name(link.from)).collect();
    let more = if cycle.len() > names.len() { ", .." } else { "" };
    Some(format!("each of {}{more} depends on the one before it", names.join(", ")))
}

/// Both read the same and overwrite it.
fn lost(history: &History, cycle: &[Link], missing: &Missing) -> Option<String> {
    let other = cycle.iter().find(|link| matches!(link.rel, Rel::Ww(_)))?;
    Some(format!(
        "{} and {} both read {} and overwrite it: one of the two updates is lost",
        name(missing.reader.min(other.from)),
        name(missing.reader.max(other.from)),
        reading(history, missing.read)
    ))
}

/// Two see two writes in opposite orders.
fn forked(history: &History, cycle: &[Link], one: &Missing, other: &Missing) -> Option<String> {
    let seen = |missing: &Missing| {
        let wr = cycle.iter().find(|link| link.to == missing.reader && matches!(link.rel, Rel::Wr(_)))?;
        let of = key_of(history, wr.rel)?;
        Some(format!(
            "{} saw {}'s {} but not {}'s {}",
            name(missing.reader),
            name(wr.from),
            key(history, of),
            name(missing.writer),
            key(history, missing.key)
        ))
    };
    Some(format!("{}, and {}", seen(one)?, seen(other)?))
}

/// One rw alone: what is missed, and why it should be seen.
fn missed(history: &History, cycle: &[Link], missing: &Missing) -> String {
    let (reader, writer, of) = (name(missing.reader), name(missing.writer), key(history, missing.key));
    let others: Vec<&Link> = cycle.iter().filter(|link| !matches!(link.rel, Rel::Rw(_))).collect();
    let [link] = others[..] else {
        let so = |link: &&Link| matches!(link.rel, Rel::So);
        let wr = |link: &&Link| matches!(link.rel, Rel::Wr(_));
        let rt = |link: &&Link| matches!(link.rel, Rel::Rt);
        let by = match () {
            () if others.iter().all(wr) => " by what was read",
            () if others.iter().all(so) => " in its session",
            () if others.iter().all(|link| so(link) || wr(link)) => " by sessions and what was read",
            () if others.iter().all(|link| so(link) || wr(link) || rt(link)) => {
                " by sessions, real time and what was read"
            }
            () => "",
        };
        return format!("{reader} does not see {writer}'s {of}, though it comes after {writer}{by}");
    };
    match link.rel {
        Rel::So => format!(
            "{reader} does not see {writer}'s {of}, though {writer} is before it in session {}",
            session(history, missing.reader)
        ),
        Rel::Rt => {
            format!("{reader} does not see {writer}'s {of}, though {writer} had ended when {reader} began")
        }
        Rel::Wr(seen) => {
            let saw = key(history, history.op(seen).key());
            match (history.op(seen).key() == missing.key, seen < missing.read) {
                (true, true) => {
                    format!("{reader} saw {writer}'s {of}, and when it read {of} again saw it no more")
                }
                (true, false) => {
                    format!("{reader} read {of} again, and between the two reads {writer} had written it")
                }
                (false, true) => format!("{reader} saw {writer}'s {saw}, but afterwards not its {of}"),
                (false, false) => format!("{reader} saw {writer}'s {saw} but not its {of}"),
            }
        }
        Rel::Ww(overwritten) => {
            let from = source(history, missing.read).filter(|&source| source != INIT);
            let older =
                from.map_or_else(|| "the initial value".into(), |from| format!("what {} wrote", name(from)));
            format!(
                "{reader} overwrites {writer}'s {}, though of {of} it saw {older} and not {writer}'s",
                key(history, overwritten)
            )
        }
        Rel::Rw(_) => missing.in_words(history),
    }
}

//! The parts of program order that the multiprocessor models preserve.
//!
//! A model of this family is a pair (po-mm, rf-mm) (Chini and Saivasan 2020). It requires an mo with
//! - acyclic(po-loc ∪ rf ∪ mo ∪ fr), the *local* view, and
//! - acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr), the *global* view.
//!
//! po-mm contains a po pair of accesses depending on their kinds. An RMW counts as both a read and a write, and the pair is
//! preserved if any of its component pairs is. A fence f between a and b preserves the pair if f is seq_cst; or f is
//! acquire/acq_rel and a reads; or f is release/acq_rel and b writes.

use crate::memory::{EventId, Execution, Label, Order};
use std::fmt;
use std::str::FromStr;

/// The po pairs of two kinds that a model preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keep {
    /// None.
    Never,
    /// Those of one location.
    SameLocation,
    /// All.
    Always,
}

/// A multiprocessor model as a pair (po-mm, rf-mm).
///
/// ```
/// use tribunal::history::model::{Keep, Preserved};
/// let pso: Preserved = "po-mm=RR+RW;rf-mm=rfe".parse()?;
/// assert_eq!((pso.rr, pso.rw, pso.ww, pso.wr), (Keep::Always, Keep::Always, Keep::Never, Keep::Never));
/// assert_eq!(pso.to_string(), "po-mm=RR+RW;rf-mm=rfe");
/// assert!("po-mm=RR/loc+XX".parse::<Preserved>().is_err());
/// # Ok::<(), tribunal::history::model::BadPreserved>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preserved {
    /// Read before read.
    pub rr: Keep,
    /// Read before write.
    pub rw: Keep,
    /// Write before read.
    pub wr: Keep,
    /// Write before write.
    pub ww: Keep,
    /// An RMW counts as both a read and a write; otherwise only dependencies and fences order it.
    pub rmws: bool,
    /// An event stays after the reads that it depends on, and deps ∪ rf is acyclic.
    pub dependencies: bool,
    /// An event that began after an earlier read of its thread had ended stays after it.
    pub times: bool,
    /// rf-mm is rf, not just rfe.
    pub internal_rf: bool,
    /// po-loc lacks the pairs of reads (not RMWs).
    pub load_hazards: bool,
}

impl Preserved {
    const NOTHING: Preserved = Preserved {
        rr: Keep::Never,
        rw: Keep::Never,
        wr: Keep::Never,
        ww: Keep::Never,
        rmws: true,
        dependencies: false,
        times: false,
        internal_rf: false,
        load_hazards: false,
    };

    /// All of po and of rf.
    pub const SC: Preserved = Preserved {
        rr: Keep::Always,
        rw: Keep::Always,
        wr: Keep::Always,
        ww: Keep::Always,
        internal_rf: true,
        ..Preserved::NOTHING
    };

    /// All but W→R.
    pub const TSO: Preserved = Preserved { wr: Keep::Never, internal_rf: false, ..Preserved::SC };

    /// R→R and R→W.
    pub const PSO: Preserved = Preserved { ww: Keep::Never, ..Preserved::TSO };

    /// Dependencies; load-load hazards are allowed.
    pub const RMO: Preserved =
        Preserved { rmws: false, dependencies: true, load_hazards: true, ..Preserved::NOTHING };

    /// All but W→R of one location, and reads that ended before the later event began.
    pub const WMO: Preserved = Preserved {
        rr: Keep::SameLocation,
        rw: Keep::SameLocation,
        ww: Keep::SameLocation,
        times: true,
        ..Preserved::NOTHING
    };
}

impl Preserved {
    /// Whether po-mm has the pair of an access and a later access of its thread. Looks at what is between them.
    #[inline]
    pub fn keeps(&self, x: &Execution, first: EventId, second: EventId) -> bool {
        let (a, b) = (x.label(first), x.label(second));
        let ended = || match (x.interval(first).end, x.interval(second).begin) {
            (Some(end), Some(begin)) => end < begin,
            _ => false,
        };
        let fence = |e: u32| {
            let label = x.label(EventId(e));
            label.is_fence()
                && (label.order() == Order::SeqCst
                    || label.order().is_acquire() && a.reads()
                    || label.order().is_release() && b.writes())
        };
        self.keeps_kinds(a, b, x.loc(first) == x.loc(second))
            || self.dependencies && x.deps(second).any(|on| on == first)
            || self.times && a.reads() && ended()
            || (first.0 + 1..second.0).any(fence)
    }

    /// Whether po-mm has a pair of accesses by their kinds.
    #[inline]
    pub fn keeps_kinds(&self, first: Label, second: Label, same_location: bool) -> bool {
        if !self.rmws && (first.is_of_rmw() || second.is_of_rmw()) {
            return false;
        }
        let rules = [
            (first.reads() && second.reads(), self.rr),
            (first.reads() && second.writes(), self.rw),
            (first.writes() && second.reads(), self.wr),
            (first.writes() && second.writes(), self.ww),
        ];
        rules.into_iter().any(|(applies, keep)| {
            applies && (keep == Keep::Always || keep == Keep::SameLocation && same_location)
        })
    }
}

const KINDS: [&str; 4] = ["RR", "RW", "WR", "WW"];

impl fmt::Display for Preserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("po-mm=")?;
        let mut separator = "";
        for (kinds, keep) in KINDS.into_iter().zip([self.rr, self.rw, self.wr, self.ww]) {
            match keep {
                Keep::Never => continue,
                Keep::SameLocation => write!(f, "{separator}{kinds}/loc")?,
                Keep::Always => write!(f, "{separator}{kinds}")?,
            }
            separator = "+";
        }
        for (kept, part) in [(self.dependencies, "deps"), (self.times, "times")] {
            if kept {
                write!(f, "{separator}{part}")?;
                separator = "+";
            }
        }
        write!(f, ";rf-mm={}", if self.internal_rf { "rf" } else { "rfe" })?;
        if !self.rmws {
            f.write_str(";rmw=none")?;
        }
        if self.load_hazards {
            f.write_str(";po-loc=no-RR")?;
        }
        Ok(())
    }
}

/// A pair (po-mm, rf-mm) that is not written as one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not of the form po-mm=RR+RW+WR+WW+deps+times;rf-mm=rf|rfe;rmw=none;po-loc=no-RR \
     (each part optional; RR/loc: of one location)"
)]
pub struct BadPreserved(pub String);

impl FromStr for Preserved {
    type Err = BadPreserved;

    fn from_str(text: &str) -> Result<Self, BadPreserved> {
        let bad = || BadPreserved(text.into());
        let mut clauses = text.split(';');
        let kept = clauses.next().and_then(|po| po.strip_prefix("po-mm=")).ok_or_else(bad)?;
        let mut preserved = Preserved::NOTHING;
        for clause in clauses {
            match clause {
                "rf-mm=rf" => preserved.internal_rf = true,
                "rf-mm=rfe" => preserved.internal_rf = false,
                "rmw=none" => preserved.rmws = false,
                "po-loc=no-RR" => preserved.load_hazards = true,
                _ => return Err(bad()),
            }
        }
        for part in kept.split('+').filter(|part| !part.is_empty()) {
            let (kinds, keep) = match part.strip_suffix("/loc") {
                Some(kinds) => (kinds, Keep::SameLocation),
                None => (part, Keep::Always),
            };
            match kinds {
                "RR" => preserved.rr = keep,
                "RW" => preserved.rw = keep,
                "WR" => preserved.wr = keep,
                "WW" => preserved.ww = keep,
                "deps" if keep == Keep::Always => preserved.dependencies = true,
                "times" if keep == Keep::Always => preserved.times = true,
                _ => return Err(bad()),
            }
        }
        Ok(preserved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair there is.
    fn all() -> impl Iterator<Item = Preserved> {
        const KEEP: [Keep; 3] = [Keep::Never, Keep::SameLocation, Keep::Always];
        (0..81usize).flat_map(|kept| {
            (0..32u8).map(move |flags| Preserved {
                rr: KEEP[kept % 3],
                rw: KEEP[kept / 3 % 3],
                wr: KEEP[kept / 9 % 3],
                ww: KEEP[kept / 27],
                rmws: flags & 1 > 0,
                dependencies: flags & 2 > 0,
                times: flags & 4 > 0,
                internal_rf: flags & 8 > 0,
                load_hazards: flags & 16 > 0,
            })
        })
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for preserved in all() {
            let text = preserved.to_string();
            assert_eq!(text.parse(), Ok(preserved), "{text}");
        }
        assert_eq!(Preserved::RMO.to_string(), "po-mm=deps;rf-mm=rfe;rmw=none;po-loc=no-RR");
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        for text in ["", "po-mm", "po-mm=RX", "po-mm=RR;", "po-mm=RR;rf-mm=rmw", "po-mm=deps/loc", "rf-mm=rf"]
        {
            assert_eq!(text.parse::<Preserved>(), Err(BadPreserved(text.into())), "{text}");
        }
    }
}

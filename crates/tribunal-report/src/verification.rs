//! The result of checking a certificate, and of checking many.

use crate::counted;
use serde_json::{Value, json};
use std::fmt;
use tribunal_history::object::Specification;
use tribunal_history::verdict::Limit;
use tribunal_verify as verify;
use tribunal_verify::Refusal;
use tribunal_verify::object::{Accepted, Hint, Hints};

/// The result of checking a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// It proves its verdict.
    Accepted,
    /// It proves its verdict, if what the specification claims about itself is true.
    Trusting {
        /// The hints that it claims.
        hints: Hints,
        /// The specification's name.
        spec: String,
    },
    /// A limit was reached.
    Undecided(Limit),
    /// It does not prove its verdict.
    Refused(String),
}

impl Verification {
    /// Of a memory.
    pub fn of_memory(verified: Result<(), Refusal>) -> Self {
        match verified {
            Ok(()) => Verification::Accepted,
            Err(Refusal::Limit(limit)) => Verification::Undecided(limit),
            Err(refusal) => Verification::Refused(refusal.to_string()),
        }
    }

    /// Of an object.
    pub fn of_object(verified: Result<Accepted, verify::object::Refusal>, spec: &dyn Specification) -> Self {
        match verified {
            Ok(Accepted { trusting: hints }) if hints.is_empty() => Verification::Accepted,
            Ok(Accepted { trusting: hints }) => Verification::Trusting { hints, spec: spec.name().into() },
            Err(verify::object::Refusal::Limit(limit)) => Verification::Undecided(limit),
            Err(refusal) => Verification::Refused(refusal.to_string()),
        }
    }

    /// Of transactions.
    pub fn of_transactions(verified: Result<(), verify::transactions::Refusal>) -> Self {
        match verified {
            Ok(()) => Verification::Accepted,
            Err(verify::transactions::Refusal::Limit(limit)) => Verification::Undecided(limit),
            Err(refusal) => Verification::Refused(refusal.to_string()),
        }
    }

    /// Whether the memory limit was reached.
    pub fn lacks_memory(&self) -> bool {
        matches!(self, Verification::Undecided(Limit::Memory { .. }))
    }

    /// The JSON of a verdict line.
    pub fn to_json(&self) -> Value {
        match self {
            Verification::Accepted => json!({"status": "accepted"}),
            Verification::Trusting { hints, .. } => {
                json!({"status": "trusting", "hints": hints.iter().map(Hint::name).collect::<Vec<_>>()})
            }
            Verification::Undecided(limit) => json!({"status": "undecided", "reason": limit.to_string()}),
            Verification::Refused(reason) => json!({"status": "refused", "reason": reason}),
        }
    }
}

/// As `accepted, trusting key of map`, or `refused: ` and the reason.
impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verification::Accepted => f.write_str("accepted"),
            Verification::Trusting { hints, spec } => write!(f, "accepted, trusting {hints} of {spec}"),
            Verification::Undecided(limit) => write!(f, "not verified: {limit}"),
            Verification::Refused(reason) => write!(f, "refused: {reason}"),
        }
    }
}

/// The number of certificates that had which result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verifications {
    /// Accepted without any hint.
    pub accepted: u64,
    /// Accepted trusting hints.
    pub trusting: u64,
    /// Not verified within the limits.
    pub undecided: u64,
    /// Refused.
    pub refused: u64,
}

impl Verifications {
    /// One more.
    pub fn count(&mut self, verification: &Verification) {
        *match verification {
            Verification::Accepted => &mut self.accepted,
            Verification::Trusting { .. } => &mut self.trusting,
            Verification::Undecided(_) => &mut self.undecided,
            Verification::Refused(_) => &mut self.refused,
        } += 1;
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Verifications) {
        self.accepted += other.accepted;
        self.trusting += other.trusting;
        self.undecided += other.undecided;
        self.refused += other.refused;
    }

    /// The number of certificates.
    pub const fn total(&self) -> u64 {
        self.accepted + self.trusting + self.undecided + self.refused
    }

    /// A line such as `14 certificates accepted, 3 more trusting hints, 0 refused`, with the word for what was accepted.
    ///
    /// ```
    /// use tribunal::Limit;
    /// use tribunal_report::{Verification, Verifications};
    /// let mut all = Verifications::default();
    /// all.count(&Verification::Accepted);
    /// assert_eq!(all.summary("verified"), "1 certificate verified, 0 refused");
    /// all.count(&Verification::Undecided(Limit::Stopped));
    /// assert_eq!(all.summary("verified"), "1 certificate verified, 1 not verified, 0 refused");
    /// ```
    pub fn summary(&self, accepted: &str) -> String {
        let if_any = |count: u64, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} {what}"),
        };
        format!(
            "{} {accepted}{}{}, {} refused",
            counted(self.accepted, "certificate"),
            if_any(self.trusting, "more trusting hints"),
            if_any(self.undecided, "not verified"),
            self.refused
        )
    }
}

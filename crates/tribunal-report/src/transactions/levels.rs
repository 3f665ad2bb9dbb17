//! Isolation levels in words.

use tribunal_history::transactions::{Base, Isolation, Level};

/// A description of a level, and of its use of sessions and real time: everybody means something else by the short names.
///
/// ```
/// use tribunal_report::transactions::described;
/// let described = |level: &str| described(level.parse().expect("a level"));
/// assert_eq!(described("ser"), "serializability; sessions and real time do not matter");
/// assert_eq!(described("session-si"), "snapshot isolation; the order of each session counts, real time does not");
/// ```
pub fn described(level: Level) -> String {
    format!("{}; {}", isolation(level.isolation()), base(level))
}

/// The isolation in full.
fn isolation(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Ru => "read uncommitted",
        Isolation::Rc => "read committed",
        Isolation::Mav => "monotonic atomic view",
        Isolation::Rat => "read atomic",
        Isolation::Tcc => "transactional causal consistency",
        Isolation::Psi => "parallel snapshot isolation",
        Isolation::Pc => "prefix consistency",
        Isolation::Si => "snapshot isolation",
        Isolation::Ser => "serializability",
    }
}

fn base(level: Level) -> &'static str {
    match level.base() {
        _ if level.isolation() == Isolation::Ru => "what is read does not matter, but for lists",
        Base::None => "sessions and real time do not matter",
        Base::Session => "the order of each session counts, real time does not",
        Base::Strict => "the order of each session and real time count",
    }
}

/// The requirement of a level, in a sentence without an end: `rat asks that whoever reads from a transaction sees all its writes`.
pub fn rule(level: Level) -> String {
    let asked = match (level.isolation(), level.base()) {
        (Isolation::Ru, _) => "an order of the writes",
        (Isolation::Rc, _) => "an order in which each comes after what it reads",
        (Isolation::Mav, _) => "that whoever has read from a transaction does not miss its writes afterwards",
        (Isolation::Rat, Base::None) => "that whoever reads from a transaction sees all its writes",
        (Isolation::Rat, Base::Session) => {
            "that whoever reads from a transaction, or follows it in its session, sees all its writes"
        }
        (Isolation::Rat, Base::Strict) => {
            "that whoever reads from a transaction, or begins after its end, sees all its writes"
        }
        (Isolation::Tcc, Base::Strict) => {
            "that whoever comes after a transaction by so, rt and wr sees its writes"
        }
        (Isolation::Tcc, _) => "that whoever comes after a transaction by so and wr sees its writes",
        (Isolation::Psi, Base::None) => "that whoever comes after a transaction by wr and ww sees its writes",
        (Isolation::Psi, Base::Session) => {
            "that whoever comes after a transaction by so, wr and ww sees its writes"
        }
        (Isolation::Psi, Base::Strict) => {
            "that whoever comes after a transaction by so, rt, wr and ww sees its writes"
        }
        (Isolation::Pc, _) => "that each sees a prefix of one commit order",
        (Isolation::Si, _) => "that each sees a prefix of one commit order with all that it overwrites",
        (Isolation::Ser, _) => "that all transactions could have run one after another",
    };
    format!("{level} asks for {asked}").replace("asks for that", "asks that")
}

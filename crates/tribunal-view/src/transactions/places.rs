//! The transactions that are shown, and where in the list.

use crate::window::{around, seeds, widest};
use tribunal_history::transactions::{History, INIT, SessionId, Source, TxnId};

/// The most transactions in a picture: each is a box with its operations.
const MOST: usize = 1200;
/// The place of a transaction that is not shown.
const HIDDEN: u32 = u32::MAX;

/// The transactions shown, in the order of their ids: by session and index, the initial one last.
pub struct Places {
    txns: Vec<TxnId>,
    /// By transaction.
    places: Vec<u32>,
    init: Option<u32>,
    sessions: Vec<SessionId>,
    /// By session.
    columns: Vec<u32>,
    window: bool,
}

impl Places {
    /// All transactions, or those around the violations, of which the one of the answer `shown` comes first; without any, the
    /// beginning of each session. The initial one is shown if a violation mentions it.
    pub fn new(history: &History, violations: &[Vec<TxnId>], shown: usize) -> Self {
        let window = history.len() > MOST;
        let mut txns: Vec<TxnId> = if window {
            part(history, violations, shown).into_iter().map(TxnId).collect()
        } else {
            history.transactions().collect()
        };
        let mut places = vec![HIDDEN; history.len()];
        for (txn, place) in txns.iter().zip(0..) {
            places[txn.index()] = place;
        }
        let mut sessions: Vec<SessionId> = txns.iter().map(|&txn| history.session_of(txn)).collect();
        sessions.dedup();
        let mut columns = vec![HIDDEN; history.session_count()];
        for (session, column) in sessions.iter().zip(0..) {
            columns[session.index()] = column;
        }
        let mut init = None;
        if violations.iter().flatten().any(|&txn| txn == INIT) {
            init = Some(txns.len() as u32);
            txns.push(INIT);
        }
        Places { txns, places, init, sessions, columns, window }
    }

    /// The number that are shown.
    pub fn len(&self) -> usize {
        self.txns.len()
    }

    /// Whether some are not shown.
    pub fn is_window(&self) -> bool {
        self.window
    }

    /// Every place with its transaction.
    pub fn all(&self) -> impl Iterator<Item = (u32, TxnId)> + '_ {
        (0..).zip(self.txns.iter().copied())
    }

    /// The transaction at a place.
    pub fn txn(&self, place: u32) -> TxnId {
        self.txns[place as usize]
    }

    /// The place of a transaction, if it is shown.
    pub fn of(&self, txn: TxnId) -> Option<u32> {
        if txn == INIT {
            return self.init;
        }
        Some(self.places[txn.index()]).filter(|&place| place != HIDDEN)
    }

    /// The sessions shown, by column.
    pub fn sessions(&self) -> &[SessionId] {
        &self.sessions
    }

    /// The column of the transaction at a place; none for the initial one.
    pub fn column(&self, history: &History, place: u32) -> Option<u32> {
        let txn = self.txn(place);
        (txn != INIT).then(|| self.columns[history.session_of(txn).index()])
    }
}

/// The part of a large history to show.
fn part(history: &History, violations: &[Vec<TxnId>], shown: usize) -> Vec<u32> {
    let first = violations.get(shown).into_iter().chain(violations);
    let ids = |txns: &Vec<TxnId>| txns.iter().filter(|&&txn| txn != INIT).map(|txn| txn.0).collect();
    let seeds = seeds(first.map(ids), MOST);
    let bounds = |txn: u32| {
        let mut session = history.session(history.session_of(TxnId(txn)));
        let first = session.next().map_or(txn, |first| first.0);
        (first, first + session.len() as u32 + 1)
    };
    if seeds.is_empty() {
        return widest(MOST, |radius| {
            let firsts: Vec<u32> = (0..history.session_count() as u32)
                .filter_map(|session| history.session(SessionId(session)).next())
                .map(|first| first.0)
                .collect();
            around(&firsts, radius, MOST, bounds)
        });
    }
    // What the violation reads is shown with it, and around both what there is room for.
    let sources = seeds.iter().flat_map(|&txn| history.ops_of(TxnId(txn))).filter_map(|op| {
        match history.reads().source(op) {
            Source::Txn(source) if source != INIT => Some(source.0),
            _ => None,
        }
    });
    let mut centre: Vec<u32> = sources.take(MOST / 4).chain(seeds.iter().copied()).collect();
    centre.sort_unstable();
    centre.dedup();
    let centre = if centre.len() > MOST { seeds } else { centre };
    widest(MOST, |radius| around(&centre, radius, MOST, bounds))
}

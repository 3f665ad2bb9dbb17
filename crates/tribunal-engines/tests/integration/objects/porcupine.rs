//! The linearizability logs that Porcupine is tested with.

use crate::objects::third_party::{expected, folder, meets};

#[test]
fn every_log_is_linearizable_or_not_as_listed() {
    let Some(folder) = folder("porcupine") else { return };
    let logs = expected(&folder, "verdict");
    assert_eq!((logs.len(), logs.iter().filter(|(_, ok)| *ok).count()), (67, 18));
    meets(&folder, &logs);
}

//! The histories that Knossos is tested with.

use crate::objects::third_party::{expected, folder, meets};

#[test]
fn every_history_is_linearizable_or_not_as_listed() {
    let Some(folder) = folder("knossos") else { return };
    let histories = expected(&folder, "expected");
    assert_eq!(histories.len(), 36);
    meets(&folder, &histories);
}

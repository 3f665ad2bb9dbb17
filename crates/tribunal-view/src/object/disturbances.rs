//! The doings of others than the processes, such as the nemesis of a test, on the timeline.

use super::timeline::Timeline;
use crate::document::Disturbance;
use crate::name;
use tribunal_formats::Object;

/// At most so many are shown one by one.
const MOST: usize = 1000;

/// Those of the history; of a large one, those that reach into the window.
pub fn of(object: &Object, timeline: &Timeline) -> Vec<Disturbance> {
    let (history, others) = (&object.history, &object.notes.others);
    // The times of the calls and returns shown, in their order.
    let mut times: Vec<i64> = vec![0; timeline.end() as usize];
    for (place, op) in timeline.all() {
        let (Some((call, ret)), (at, end)) = (history.times(op), timeline.interval(place)) else {
            return Vec::new();
        };
        times[at as usize] = i64::try_from(call).unwrap_or(i64::MAX);
        if let (Some(ret), Some(end)) = (ret, end) {
            times[end as usize] = i64::try_from(ret).unwrap_or(i64::MAX);
        }
    }
    let place = |event: usize| times.partition_point(|&time| time < others[event].at) as u32;
    let shown = |did: &Disturbance| {
        let empty = did.to == Some(did.from) && (did.from == 0 || did.from == timeline.end());
        !(timeline.is_window() && (empty || did.from == timeline.end()))
    };
    let drawn = object.notes.disturbances().into_iter().map(|did| Disturbance {
        what: name::line(&did.what),
        from: place(did.first),
        to: did.last.map(place),
        times: object.notes.time_of(did.first).map(|began| {
            let ended = did.last.and_then(|last| object.notes.time_of(last));
            (began.to_string(), ended.map(|ended| ended.to_string()))
        }),
        line: others[did.first].line,
    });
    let mut drawn: Vec<Disturbance> = drawn.filter(shown).collect();
    let rest = drawn.split_off(MOST.min(drawn.len()));
    if let [first, .., last] = &rest[..] {
        let what = format!("{} more", rest.len());
        drawn.push(Disturbance { what, to: last.to, times: None, ..first.clone() });
    } else {
        drawn.extend(rest);
    }
    drawn
}

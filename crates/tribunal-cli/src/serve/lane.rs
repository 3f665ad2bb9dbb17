//! A limited number of places, taken in the order in which they are asked for.

use super::GLANCE;
use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Places, of which each is free again when its [`Place`] is dropped.
pub struct Lane(Arc<Mutex<Waiting>>);

/// A place that is taken.
pub struct Place(Arc<Mutex<Waiting>>);

struct Waiting {
    free: usize,
    /// Those who wait, if no place is free, each with its number.
    line: VecDeque<(u64, Sender<Place>)>,
    next: u64,
}

fn locked(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lane {
    pub fn new(places: usize) -> Self {
        Lane(Arc::new(Mutex::new(Waiting { free: places, line: VecDeque::new(), next: 0 })))
    }

    /// A place, if one is free.
    pub fn take(&self) -> Option<Place> {
        let mut waiting = locked(&self.0);
        waiting.free = waiting.free.checked_sub(1)?;
        Some(Place(self.0.clone()))
    }

    /// A place, after those who asked before; none if `gives_up`, which is asked now and then, says so first.
    pub fn wait(&self, mut gives_up: impl FnMut() -> bool) -> Option<Place> {
        let (number, turn) = {
            let mut waiting = locked(&self.0);
            if waiting.free > 0 {
                waiting.free -= 1;
                return Some(Place(self.0.clone()));
            }
            let (caller, turn) = channel();
            let number = waiting.next;
            waiting.next += 1;
            waiting.line.push_back((number, caller));
            (number, turn)
        };
        loop {
            match turn.recv_timeout(GLANCE) {
                Ok(place) => return Some(place),
                Err(RecvTimeoutError::Timeout) if gives_up() => {
                    locked(&self.0).line.retain(|(other, _)| *other != number);
                    // A place that came in between is dropped with `turn`, and passed on.
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = {
            let mut waiting = locked(&self.0);
            let next = waiting.line.pop_front();
            waiting.free += usize::from(next.is_none());
            next
        };
        if let Some((_, caller)) = next {
            // If this one has just given up, the place comes back and is dropped again.
            let _ = caller.send(Place(self.0.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn a_place_is_free_again() {
        let lane = Lane::new(2);
        let (first, second) = (lane.take(), lane.take());
        assert!(first.is_some() && second.is_some() && lane.take().is_none());
        assert!(lane.wait(|| true).is_none());
        drop(first);
        assert!(lane.take().is_some());
        assert!(lane.wait(|| true).is_some());
    }

    #[test]
    fn places_are_taken_in_order_and_those_who_gave_up_are_passed_over() {
        let lane = Lane::new(1);
        let first = lane.take();
        let (done, order) = mpsc::channel();
        thread::scope(|scope| {
            for number in 0..6 {
                let (lane, done) = (&lane, done.clone());
                scope.spawn(move || {
                    let place = lane.wait(|| number % 2 == 1);
                    let _ = done.send((number, place.is_some()));
                });
                while locked(&lane.0).next <= number {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            let gave_up: Vec<_> = order.iter().take(3).collect();
            assert!(gave_up.iter().all(|(number, got)| number % 2 == 1 && !got), "{gave_up:?}");
            drop(first);
            assert_eq!(order.iter().take(3).collect::<Vec<_>>(), [(0, true), (2, true), (4, true)]);
        });
        assert!(lane.take().is_some() && locked(&lane.0).line.is_empty());
    }
}

//! The histories: random clients of a map whose `size` and `contains_value` walk over the keys.

use tribunal_engines::object::check;
use tribunal_history::object::specs::Map;
use tribunal_history::object::{Criterion, History};
use tribunal_machines::objects::Walks;

/// What a history is, by the criteria it satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Linearizable,
    /// Not linearizable, but `hbvis`.
    Weak,
    Inconsistent,
}

impl Class {
    pub const ALL: [Class; 3] = [Class::Linearizable, Class::Weak, Class::Inconsistent];

    pub fn name(self) -> &'static str {
        match self {
            Class::Linearizable => "linearizable",
            Class::Weak => "weak",
            Class::Inconsistent => "inconsistent",
        }
    }

    fn of(history: &History) -> Class {
        let history = history.typed(&Map).expect("calls of a map");
        if check(&history, &Criterion::Linearizable).is_consistent() {
            Class::Linearizable
        } else if check(&history, &Criterion::Hbvis).is_consistent() {
            Class::Weak
        } else {
            Class::Inconsistent
        }
    }
}

/// How many histories of each class to take. Runs that show that walks are not atomic are rare, about one in fifty, so a sample
/// of all runs would say little about them.
pub(super) struct Mix {
    pub name: &'static str,
    pub of: [usize; 3],
}

pub(super) const MIXES: [Mix; 2] = [
    Mix { name: "some with a lie", of: [2_600, 1_200, 200] },
    Mix { name: "without lies", of: [2_800, 1_200, 0] },
];

/// A history, the seed of its run, and its class.
pub(super) struct Sampled {
    pub seed: u64,
    pub class: Class,
    pub history: History,
}

impl Mix {
    /// The first runs, by seed, of each class: 6 to 15 random operations of 3 processes.
    pub fn sample(&self, mut left: [usize; 3]) -> impl Iterator<Item = Sampled> {
        let lie = left[Class::Inconsistent as usize] > 0;
        let mut seeds = 0..;
        std::iter::from_fn(move || {
            while left != [0; 3] {
                let seed: u64 = seeds.next()?;
                // A quarter of the runs of each length.
                let lies = if lie && (seed / 10).is_multiple_of(4) { 1.0 } else { 0.0 };
                let operations = 6 + (seed % 10) as u32;
                let history = Walks { operations, lies, seed, ..Walks::default() }.run();
                let class = Class::of(&history);
                assert!(class != Class::Inconsistent || lies > 0.0, "run {seed} told the truth");
                if left[class as usize] > 0 {
                    left[class as usize] -= 1;
                    return Some(Sampled { seed, class, history });
                }
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_as_many_of_each_class_as_asked_for() {
        let sample: Vec<Sampled> = MIXES[0].sample([20, 5, 3]).collect();
        let of = |class| sample.iter().filter(|sampled| sampled.class == class).count();
        assert_eq!(Class::ALL.map(of), [20, 5, 3]);
    }
}

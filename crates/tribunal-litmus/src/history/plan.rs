//! The actions of the threads of a history, with names and values that a litmus test may have.

use super::{Target, Unwritten};
use crate::arch;
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Observation, Order};

/// An event of a thread.
pub(super) struct Step {
    pub(super) event: EventId,
    pub(super) kind: Kind,
    pub(super) order: Order,
    /// Its location, as the plan counts them; meaningless for a fence.
    pub(super) location: usize,
    /// What it writes, if it does.
    pub(super) write: u64,
    /// What it reads, if it does.
    pub(super) read: u64,
    /// The steps of its thread that it depends on.
    pub(super) deps: Vec<usize>,
}

pub(super) struct Plan {
    pub(super) name: String,
    pub(super) thread_names: Vec<String>,
    locations: Vec<String>,
    pub(super) init: Vec<u64>,
    pub(super) threads: Vec<Vec<Step>>,
    pub(super) finals: Vec<(usize, u64)>,
}

impl Plan {
    pub(super) fn of(history: &Execution, target: Target) -> Result<Self, Unwritten> {
        let x = history;
        let values = Values::of(x, target)?;
        let mut threads = Vec::new();
        for thread in x.threads() {
            let range = x.thread_events(thread);
            let mut steps = Vec::new();
            for event in range.clone().map(EventId) {
                let label = x.label(event);
                let deps: Vec<usize> = x.deps(event).map(|on| (on.0 - range.start) as usize).collect();
                if label.kind() == Kind::Fence && !deps.is_empty() {
                    return Err(Unwritten::Dependency { event: x.show(event).to_string() });
                }
                let read = match x.rf(event) {
                    Some(write) => values.of_write(x, write),
                    None => x.value_read(event).unwrap_or_default(),
                };
                let location = x.loc(event).map_or(0, LocId::index);
                let write = if label.writes() { values.of_write(x, event) } else { 0 };
                steps.push(Step {
                    event,
                    kind: label.kind(),
                    order: label.order(),
                    location,
                    write,
                    read,
                    deps,
                });
            }
            threads.push(steps);
        }
        let open = x.open().filter_map(|of| match of {
            Observation::Final { loc, value } => Some((loc.index(), value)),
            Observation::Read(_) => None,
        });
        Ok(Self {
            name: word(x.name().unwrap_or("history")),
            thread_names: x.threads().map(|thread| x.thread_name(thread).to_string()).collect(),
            locations: locations(x, target),
            init: x.locations().map(|loc| values.of_write(x, x.init_write(loc))).collect(),
            threads,
            finals: x
                .finals()
                .iter()
                .map(|&(loc, write)| (loc.index(), values.of_write(x, write)))
                .chain(open)
                .collect(),
        })
    }

    pub(super) fn location(&self, location: usize) -> &str {
        self.locations.get(location).map_or("x", String::as_str)
    }

    pub(super) fn locations(&self) -> impl Iterator<Item = (&str, u64)> {
        self.locations.iter().map(String::as_str).zip(self.init.iter().copied())
    }

    /// An event for people.
    pub(super) fn shown(&self, history: &Execution, steps: &[Step], step: usize) -> String {
        steps.get(step).map(|step| history.show(step.event).to_string()).unwrap_or_default()
    }
}

/// The values that writes write in the test.
struct Values {
    /// By event, initial writes last; those of the history where there is none.
    new: Vec<u64>,
}

impl Values {
    /// Others than the history's where a location's values repeat or are too large: the initial write's is 0, and the others are counted.
    fn of(x: &Execution, target: Target) -> Result<Self, Unwritten> {
        let initial = x.locations().map(|loc| x.init_write(loc));
        let writes: Vec<EventId> =
            x.events().filter(|&event| x.label(event).writes()).chain(initial).collect();
        let mut new: Vec<u64> =
            (0..x.len() + x.location_count()).map(|event| x.value(EventId(event as u32))).collect();
        let large = |event: &&EventId| x.value(**event) > target.limit();
        if x.is_open() {
            if let Some(event) = writes.iter().find(large) {
                let (event, value) = (x.show(*event).to_string(), x.value(*event));
                return Err(Unwritten::Value { event, value, limit: target.limit() });
            }
            // Values must stay, so that an open read stays open; then one that is known to read from a write cannot say so.
            let mut known = FxHashMap::default();
            for write in &writes {
                *known.entry((x.loc(*write), x.value(*write))).or_insert(0u32) += 1;
            }
            let repeats = |event: &EventId| {
                x.rf(*event).is_some_and(|write| known.get(&(x.loc(write), x.value(write))) > Some(&1))
            };
            if let Some(event) = x.events().find(repeats) {
                return Err(Unwritten::Source { event: x.show(event).to_string() });
            }
            return Ok(Self { new });
        }
        let mut seen = FxHashSet::default();
        let mut unfit: Vec<LocId> = Vec::new();
        for write in &writes {
            let Some(loc) = x.loc(*write) else { continue };
            if !seen.insert((loc, x.value(*write))) || large(&write) {
                unfit.push(loc);
            }
        }
        unfit.sort_unstable();
        unfit.dedup();
        let mut next = vec![1; x.location_count()];
        for write in writes {
            let Some(loc) = x.loc(write).filter(|loc| unfit.binary_search(loc).is_ok()) else { continue };
            let value = if x.is_init(write) { 0 } else { next[loc.index()] };
            if value > target.limit() {
                return Err(Unwritten::Value {
                    event: x.show(write).to_string(),
                    value,
                    limit: target.limit(),
                });
            }
            next[loc.index()] += u64::from(!x.is_init(write));
            new[write.index()] = value;
        }
        Ok(Self { new })
    }

    fn of_write(&self, x: &Execution, write: EventId) -> u64 {
        self.new.get(write.index()).copied().unwrap_or_else(|| x.value(write))
    }
}

/// Names of locations that no register has, nor a local variable of C.
fn locations(x: &Execution, target: Target) -> Vec<String> {
    let arch = arch::by_name(target.name());
    let fits = |name: &str| {
        let mut letters = name.chars();
        let word = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        let local = name.strip_prefix('r').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        let thread = name.strip_prefix('P').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        let keyword = matches!(
            name,
            "int" | "if" | "else" | "while" | "void" | "volatile" | "atomic_int" | "lock" | "unlock"
        );
        word && !local && !thread && !keyword && arch.is_none_or(|arch| arch.register(name).is_none())
    };
    let names: Vec<&str> = x.locations().map(|loc| x.location_name(loc)).collect();
    if names.iter().all(|name| fits(name)) {
        return names.into_iter().map(str::to_string).collect();
    }
    (0..names.len()).map(|index| format!("v{index}")).collect()
}

/// The name of a test is one word.
fn word(name: &str) -> String {
    let word: String = name.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).collect();
    if word.is_empty() { "history".to_string() } else { word }
}

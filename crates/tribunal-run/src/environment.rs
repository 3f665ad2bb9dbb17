//! What an exploration is to be like, by environment variables, so that whatever starts the program need not know of it.
//!
//! | variable | effect |
//! |---|---|
//! | `TRIBUNAL_MODEL=rc20` | the memory model |
//! | `TRIBUNAL_RANDOM=1000` | so many random executions, in place of all |
//! | `TRIBUNAL_SEED=1` | the seed of the random numbers |
//! | `TRIBUNAL_PCT=3` | random by priorities of threads that change at so many points, less one |
//! | `TRIBUNAL_MAX_EXECUTIONS`, `TRIBUNAL_TIMEOUT`, `TRIBUNAL_MAX_EVENTS`, `TRIBUNAL_MAX_PREEMPTIONS` | limits |
//! | `TRIBUNAL_MAX_MEMORY` | a limit of what the explorer holds, in bytes |
//! | `TRIBUNAL_THREADS=2` | so many processes share the work |
//! | `TRIBUNAL_UNROLL=3` | a thread stops that comes by the same operation more often than this in one call of a function, and the execution does not count |
//! | `TRIBUNAL_ALLOW_RACES=1` | races of plain accesses are no failures |
//! | `TRIBUNAL_COUNT_MO=1` | executions are also counted with their modification orders |
//! | `TRIBUNAL_LEAKS=1` | memory that is lost is a failure |
//! | `TRIBUNAL_OUTPUT=1` | what the program prints is shown |
//! | `TRIBUNAL_LIBTEST=1` | the first thread that the program makes is refused: Rust's tests then run on the main thread |
//! | `TRIBUNAL_MODELS=1`, `TRIBUNAL_REPAIR=60` | of a failure: under which models it goes away, and the orders that repair it |
//! | `TRIBUNAL_REPORT=3` | a file descriptor to which the report goes, as JSON |
//!
//! Those of [`tribunal_explore::environment`] have their effects, too.

use std::env;
use std::str::FromStr;
use std::time::Duration;
use tribunal_explore::{Mode, Options};

/// The settings.
#[derive(Debug, Default)]
pub struct Settings {
    pub options: Options,
    /// Memory that is lost is a failure.
    pub leaks: bool,
    /// How often a thread may come by the same operation in a call of a function, before it stops there.
    pub rounds: Option<u32>,
    /// How many processes share the work.
    pub processes: u32,
    /// What the program prints is shown.
    pub output: bool,
    /// The first thread that the program makes is refused.
    pub libtest: bool,
    /// Seconds for which a thread may run without an operation.
    pub patience: u64,
    /// How long models under which a failure goes away, and orders that repair it, may be looked for.
    pub diagnosis: Option<Duration>,
    /// Where the report goes.
    pub report: Option<i32>,
}

/// How long models are asked for, where nobody says it.
const PATIENCE: Duration = Duration::from_secs(60);

fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.is_empty())
}

fn number<T: FromStr>(name: &str) -> Result<Option<T>, String> {
    let parsed =
        |text: String| text.parse().map_err(|_| format!("{name}: a number is expected, not `{text}`"));
    text(name).map(parsed).transpose()
}

fn is_set(name: &str) -> Result<bool, String> {
    Ok(number::<u64>(name)?.is_some_and(|number| number != 0))
}

/// Reads the settings.
pub fn settings() -> Result<Settings, String> {
    let mut options = Options::default();
    if let Some(name) = text("TRIBUNAL_MODEL") {
        options.model = name.parse().map_err(|error| format!("TRIBUNAL_MODEL: {error}"))?;
    }
    let seed = number("TRIBUNAL_SEED")?.unwrap_or(1);
    if let Some(executions) = number("TRIBUNAL_RANDOM")? {
        options.mode = match number("TRIBUNAL_PCT")? {
            Some(depth) => Mode::Pct { seed, executions, depth },
            None => Mode::Random { seed, executions },
        };
    }
    options.max_executions = number("TRIBUNAL_MAX_EXECUTIONS")?;
    options.max_duration =
        number("TRIBUNAL_TIMEOUT")?.and_then(|time| Duration::try_from_secs_f64(time).ok());
    options.max_preemptions = number("TRIBUNAL_MAX_PREEMPTIONS")?;
    if let Some(most) = number("TRIBUNAL_MAX_EVENTS")? {
        options.max_events = most;
    }
    if let Some(most) = number("TRIBUNAL_MAX_MEMORY")? {
        options.max_memory = most;
    }
    options.allow_races = is_set("TRIBUNAL_ALLOW_RACES")?;
    options.count_mo = is_set("TRIBUNAL_COUNT_MO")?;
    Ok(Settings {
        options,
        rounds: number("TRIBUNAL_UNROLL")?,
        processes: number("TRIBUNAL_THREADS")?.unwrap_or(1),
        leaks: is_set("TRIBUNAL_LEAKS")?,
        output: is_set("TRIBUNAL_OUTPUT")? || text("TRIBUNAL_REPLAY").is_some(),
        libtest: is_set("TRIBUNAL_LIBTEST")?,
        patience: number("TRIBUNAL_HANG")?.unwrap_or(5),
        diagnosis: match (number("TRIBUNAL_REPAIR")?, is_set("TRIBUNAL_MODELS")?) {
            (Some(time), _) => Duration::try_from_secs_f64(time).ok(),
            (None, true) => Some(PATIENCE),
            (None, false) => None,
        },
        report: number("TRIBUNAL_REPORT")?,
    })
}

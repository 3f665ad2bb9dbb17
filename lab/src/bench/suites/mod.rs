//! The suites, an experiment or two of a paper each.

mod c11;
mod definition;
mod explore;
mod incremental;
mod jumps;
mod kernel;
mod litmus;
mod many;
mod monitor;
pub(crate) mod objects;
mod races;
mod repeated;
mod sc;
mod shrink;
mod subset;
mod texts;
mod transactions;
mod tso;
mod weak;

use crate::bench::{Error, Report, Session, Size, Watch};

/// A named experiment.
pub struct Suite {
    /// How it is called on a command line.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    run: fn(&mut Session<'_>) -> Result<(), Error>,
}

impl Suite {
    /// Runs it. What was found until it stopped or failed is in the report in any case.
    pub fn run(&self, size: Size, watch: &mut dyn Watch) -> (Report, Result<(), Error>) {
        let report = Report { name: self.name, about: self.about, sections: Vec::new() };
        let mut session = Session::new(report, size, watch);
        let outcome = (self.run)(&mut session);
        (session.report(), outcome)
    }
}

/// Every suite.
pub static SUITES: &[Suite] = &[
    Suite {
        name: "c11",
        about: "rc20, ra, wra and relaxed, and ra beside writes-before (Tunç et al. 2023)",
        run: c11::run,
    },
    Suite {
        name: "incremental",
        about: "executions that grow and go back, beside an mo that is always closed (Tunç et al. 2023)",
        run: incremental::run,
    },
    Suite {
        name: "explore",
        about: "every execution of small programs, and random ones, beside writes-before and a closed mo (Tunç et al. 2023)",
        run: explore::run,
    },
    Suite {
        name: "sc",
        about: "sc beside searches and saturations (Zennou et al. 2019 and 2020)",
        run: sc::run,
    },
    Suite {
        name: "tso",
        about: "tso beside searches and saturations (Zennou et al. 2019), and traces of store buffers",
        run: tso::run,
    },
    Suite {
        name: "jumps",
        about: "pso, wmo and rmo with fences, eight times as many events; completions by enumeration (Zennou et al. 2019 and 2020)",
        run: jumps::run,
    },
    Suite {
        name: "definition",
        about: "models by their texts, beside the engines that decide the same",
        run: definition::run,
    },
    Suite {
        name: "kernel",
        about: "what saturation finds of the SC-kernel, and what it costs (Zennou et al. 2019 and 2020)",
        run: kernel::run,
    },
    Suite {
        name: "monitor",
        about: "memories that are watched: events a second and what is held",
        run: monitor::run,
    },
    Suite {
        name: "races",
        about: "listing data races of non-atomic accesses, in histories with many and with none",
        run: races::run,
    },
    Suite {
        name: "repeated",
        about: "locks: values that repeat, so that sources are to be found as well",
        run: repeated::run,
    },
    Suite {
        name: "litmus",
        about: "litmus tests a second, and those on which herd takes long",
        run: litmus::run,
    },
    Suite { name: "many", about: "small histories by the thousand, read and checked", run: many::run },
    Suite {
        name: "texts",
        about: "models, programs, litmus tests and specifications that are read",
        run: texts::run,
    },
    Suite {
        name: "transactions",
        about: "isolation levels of workloads that grow, and of formulas (Biswas and Enea 2019)",
        run: transactions::run,
    },
    Suite { name: "shrink", about: "shrinking a violation beside one check", run: shrink::run },
    Suite {
        name: "subset",
        about: "sc, tso, pso, rmo and given models beside the program over sets of writes (Chini and Saivasan 2020)",
        run: subset::run,
    },
    Suite {
        name: "weak",
        about: "weak criteria of objects beside all visibilities and linearizability (Emmi and Enea 2018)",
        run: weak::run,
    },
    Suite { name: "objects", about: "linearizability of collections and by search", run: objects::run },
];

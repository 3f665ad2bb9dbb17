//! Histories whose values repeat: which write a read reads from is to be found as well.

use crate::bench::cost::timed;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::Duration;
use tribunal_history::model::Model;
use tribunal_machines::hard::Lock;

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let (handovers, patience) =
        session.pick((1_000, Duration::from_secs(2)), (10_000, Duration::from_secs(10)));
    let fewer = handovers / 8;
    let counted = Lock { spins: false, ..Lock::default() };
    let locks = [
        ("counter", counted),
        ("counter, others spin", Lock::default()),
        ("counter to 4, others spin", Lock { modulus: 4, ..Lock::default() }),
        ("counter, 16 threads", Lock { threads: 16, ..counted }),
        ("two have the lock once", Lock { broken: true, ..Lock::default() }),
    ];
    let models = [Model::Sc, Model::Tso, Model::Rc20];
    let (few_head, many_head) = (fewer.to_string(), handovers.to_string());
    let heads = ["lock", "model", "verdict", "events", "open", &few_head, &many_head, "growth", "< 10 s"];
    let mut table = Table::new(format!("a lock that is taken {handovers} times"), &heads);
    session.begin("locks", (locks.len() * models.len()) as u64);
    for (name, lock) in locks {
        let [small, large] = [fewer, handovers].map(|handovers| Lock { handovers, ..lock }.history());
        for model in models {
            let [few, many] = [&small, &large].map(|x| timed(x, model, None, patience));
            assert!(!many.decided() || many.consistent() != lock.broken, "{name}, {model}");
            table.row([
                name.into(),
                model.to_string(),
                many.verdict.word().into(),
                large.len().to_string(),
                large.open().count().to_string(),
                few.show(),
                many.show(),
                format!("{:.1}", ratio(many.time, few.time)),
                kept(many.decided() && many.time < Duration::from_secs(10)),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    session.note(format!(
        "The lock is 0 or 1, so that each read of it may be from any of thousands of writes; `open` are the reads for which that is so. \
         At most {} a history.",
        time(patience)
    ));
    Ok(())
}

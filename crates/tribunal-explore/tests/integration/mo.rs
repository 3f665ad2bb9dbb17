//! Executions with their modification orders are as many as GenMC counts, and as many as the definition of the model allows.

use crate::collection::programs;
use tribunal_explore::text::{Source, explore};
use tribunal_explore::{End, Options};
use tribunal_history::model::Model;

/// Programs with constants set; the executions that GenMC 0.11 counts in its own version of them (`rc11`, `mo`). Of Z6.U it counts 22 instead of 24: it takes an RMW for two events,
/// so that psc goes to its write through hb and po from its read.
const GENMC: [(&str, &str, u64); 42] = [
    ("litmus/2+2W.prog", "", 4),
    ("litmus/2+2W.prog", "a1=sc a2=sc b1=sc b2=sc", 3),
    ("litmus/2+2W.prog", "a1=sc a2=sc b2=sc", 4),
    ("litmus/2+2W.prog", "a1=rlx a2=rlx b1=rlx b2=rlx fence_a=sc fence_b=sc", 3),
    ("litmus/2+2W.prog", "a1=sc a2=sc b1=rlx b2=rlx fence_b=sc", 3),
    ("litmus/CoRR.prog", "", 6),
    ("litmus/CoRR1.prog", "", 36),
    ("litmus/CoRR2.prog", "", 72),
    ("litmus/CoRR2.prog", "w=rlx r=rlx", 72),
    ("litmus/CoRW.prog", "", 3),
    ("litmus/CoWR.prog", "", 3),
    ("litmus/JLT.prog", "", 8),
    ("litmus/LB.prog", "", 3),
    ("litmus/MP.prog", "", 3),
    ("litmus/RWC+syncs.prog", "", 7),
    ("litmus/S.prog", "w=rlx r=rlx", 4),
    ("litmus/SB.prog", "", 4),
    ("litmus/W+RRR+W.prog", "", 20),
    ("litmus/W+RWC.prog", "", 7),
    ("litmus/WWmerge1.prog", "", 17),
    ("litmus/Z6+acq.prog", "", 7),
    ("litmus/ccr.prog", "", 2),
    ("litmus/wrw.prog", "", 22),
    ("litmus/wrw.prog", "N=3", 300),
    ("litmus/wrw.prog", "N=4", 6576),
    ("synthetic/CoA.prog", "N=1", 4),
    ("synthetic/CoA.prog", "", 16),
    ("synthetic/CoA.prog", "N=3", 144),
    ("synthetic/CoA.prog", "N=4", 2304),
    ("synthetic/N-writers.prog", "", 720),
    ("synthetic/ainc.prog", "N=5", 120),
    ("synthetic/binc.prog", "N=3", 36),
    ("synthetic/casrot.prog", "N=6", 144),
    ("synthetic/dekker.prog", "", 3),
    ("synthetic/inc.prog", "N=2", 4),
    ("synthetic/inc.prog", "N=3", 36),
    ("synthetic/inc.prog", "N=4", 576),
    ("synthetic/lockinc.prog", "N=4", 24),
    ("synthetic/psc-wb-fixpoint.prog", "", 0),
    ("synthetic/readers.prog", "", 256),
    ("synthetic/szymanski.prog", "", 6),
    ("synthetic/wb2.prog", "", 1),
];

fn with_mo(source: &Source, settings: &str, model: Model) -> (u64, Option<u64>, End) {
    let settings: Vec<_> =
        settings.split_whitespace().map(|setting| setting.parse().expect("a setting")).collect();
    let code = source.compile(&settings).expect("a program");
    let options = Options { model, count_mo: true, ..Options::default() };
    let report = explore(code, &options).expect("a model that can be explored").report;
    (report.executions, report.with_mo, report.end)
}

#[test]
fn executions_with_mo_are_as_many_as_genmc_counts() {
    let programs = programs();
    let mut wrong = Vec::new();
    for (name, settings, expected) in GENMC {
        let (_, source) = programs.iter().find(|(path, _)| path.ends_with(name)).expect(name);
        let (_, found, _) = with_mo(source, settings, Model::Rc20);
        if found != Some(expected) {
            wrong.push(format!("{name} [{settings}]: {found:?}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What mo is not asked about it does not cost, and what has none counts once.
#[test]
fn mo_is_counted_where_it_is_asked_for() {
    let source = Source::parse("atomic x @rlx\nthread T[i in 0..3] { x = i }").expect("a program");
    assert_eq!(with_mo(&source, "", Model::Rc20), (1, Some(6), End::Complete));
    assert_eq!(with_mo(&source, "", Model::Wra), (1, Some(1), End::Complete));
    let code = source.compile(&[]).expect("a program");
    let report = explore(code, &Options::default()).expect("a model that can be explored").report;
    assert_eq!((report.executions, report.with_mo), (1, None));
}

//! Programs under a model as text have the executions that they have under the model of that name.

use crate::collection::programs;
use tribunal_explore::Options;
use tribunal_explore::text::{Source, explore};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{Definition, NoFiles};

/// Cases with more executions than this are left out.
const QUICK: u64 = 60;

#[test]
fn texts_explore_what_sessions_explore() {
    let models = [Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Rc20, Model::Rc11];
    let texts = models.map(|model| {
        let text = Definition::new(&format!("{model}.cat"), &model.text(), &mut NoFiles).expect("a model");
        (model, Model::Cat(text))
    });
    let (mut compared, mut wrong) = (0, Vec::new());
    for (path, source) in programs() {
        let cases = source.cases().expect("cases");
        for case in
            cases.iter().filter(|case| case.executions().is_some_and(|executions| executions <= QUICK))
        {
            for (named, text) in texts {
                let run = |model| {
                    let code = source.compile(&case.settings).expect("a program");
                    let options = Options {
                        model,
                        allow_races: true,
                        count_mo: true,
                        max_executions: Some(20 * QUICK),
                        ..Options::default()
                    };
                    explore(code, &options).expect("a model that can be explored").report
                };
                let (ours, theirs) = (run(text), run(named));
                compared += 1;
                let same = match (&ours.failure, &theirs.failure) {
                    (None, None) => {
                        (ours.executions, ours.with_mo, ours.end)
                            == (theirs.executions, theirs.with_mo, theirs.end)
                    }
                    (ours, theirs) => ours.is_some() == theirs.is_some(),
                };
                if !same {
                    let counts = (ours.executions, theirs.executions);
                    wrong.push(format!("{}:{} under {named}: {counts:?}", path.display(), case.line));
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}\n{}", wrong.len(), wrong.join("\n"));
}

/// A check that may hold again once there are more events cannot be asked of a part.
#[test]
fn models_that_cannot_be_asked_while_executions_grow_are_refused() {
    let text = "acyclic po | rf | (co \\ (co; po; co)) as odd";
    let odd = Definition::new("odd.cat", text, &mut NoFiles).expect("a model");
    let source = Source::parse("atomic x\nthread T {\n    x = 1 @rlx\n}\noutcome x\n").expect("a program");
    let code = source.compile(&[]).expect("a program");
    let error = explore(code, &Options { model: Model::Cat(odd), ..Options::default() });
    assert!(error.is_err_and(|error| error.to_string().contains("odd.cat")));
}

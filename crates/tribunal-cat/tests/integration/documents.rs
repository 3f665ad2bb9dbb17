//! What docs/cat.md shows is what there is.

use tribunal_cat::{Environment, Model, NoFiles};

fn document() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cat.md")).expect("docs/cat.md")
}

#[test]
fn the_texts_shown_are_models() {
    let document = document();
    let texts: Vec<&str> =
        document.split("```cat\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!texts.is_empty());
    for text in texts {
        let plan = Model::parse(text, "shown.cat", &mut NoFiles)
            .and_then(|model| model.plan(&Environment::history()));
        assert!(!plan.unwrap_or_else(|e| panic!("{e}")).checks.is_empty());
    }
}

#[test]
fn the_error_shown_is_the_one_printed() {
    let text = "\"A\"\n\nlet com = rf | co | fr\n\nacyclic po-loc | cmo as coherence\n";
    let model = Model::parse(text, "tso.cat", &mut NoFiles).unwrap();
    let error = model.plan(&Environment::history()).unwrap_err().to_string();
    let shown = error.replace('\n', "\n    ");
    assert!(document().contains(&shown), "{shown}");
}

#[test]
fn the_names_shown_are_those_of_histories() {
    let document = document();
    let names =
        document.split("## Names").nth(1).and_then(|rest| rest.split("In litmus tests").next()).unwrap();
    let first_cells = names.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let shown: Vec<&str> =
        first_cells.flat_map(|cell| cell.split(['`', ' '])).filter(|name| !name.is_empty()).collect();
    for name in &shown {
        let text = format!("flag ~empty {name} as known");
        let model = Model::parse(&text, "m.cat", &mut NoFiles).unwrap();
        assert!(model.plan(&Environment::history()).is_ok(), "{name}");
    }
    let others = ["Exp", "EXEC", "sm", "si", "same-instance"];
    for (name, _) in Environment::history().names() {
        assert!(shown.contains(&name) || others.contains(&name), "{name} is not shown");
    }
}

//! `tribunal models`: what the models are.

use crate::args::{ModelsArguments, Style};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{STRONG, Stdout};
use serde_json::json;
use std::io::Write;
use tribunal::Model;

pub fn run(arguments: &ModelsArguments, out: &mut Stdout) -> Result<Status, Failure> {
    for model in Model::ALL {
        let engines: Vec<_> = model.engines().iter().map(|engine| engine.name()).collect();
        let (name, axioms, complexity) = (model.name(), model.axioms(), model.complexity());
        match arguments.output {
            Style::Json => writeln!(
                out,
                r#"{{"model":"{name}","axioms":{},"complexity":{},"engines":{}}}"#,
                json!(axioms),
                json!(complexity),
                json!(engines),
            )?,
            Style::Human => {
                writeln!(out, "{} {axioms}", out.paint(STRONG, &format!("{name:9}")))?;
                writeln!(out, "          {complexity}; engines: {}", engines.join(", "))?;
            }
        }
    }
    Ok(Status::Success)
}

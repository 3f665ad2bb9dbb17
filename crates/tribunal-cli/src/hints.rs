//! Hints for those who write `--json`, which many commands elsewhere have, or a file without a command.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands with `--style`.
const STYLED: &[&str] = &[
    "check",
    "races",
    "models",
    "explore",
    "litmus",
    #[cfg(target_os = "linux")]
    "run",
];

/// The error, with a hint if it is about `--json`, or if a file stands where a command should.
pub fn with_hint(mut error: clap::Error, line: &[String]) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg)
        && flag == "--json"
        && line.get(1).is_some_and(|command| STYLED.contains(&command.as_str()))
    {
        let hint = "for JSON lines say `--style json`";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        error.remove(ContextKind::SuggestedArg);
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(file) = line.get(1).filter(|word| word.contains(['.', '/']))
    {
        let command = match file.rsplit_once('.') {
            Some((_, "litmus")) => "litmus",
            Some((_, "prog")) => "explore",
            _ => "check",
        };
        let hint = format!("`{file}` looks like a file: say `tribunal {command} {file}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        error.remove(ContextKind::SuggestedSubcommand);
    }
    error
}

#[cfg(test)]
mod tests {
    use crate::args::Arguments;
    use clap::Parser;

    #[test]
    fn a_file_without_a_command_is_told_its_command() {
        for (file, command) in [("sb.txt", "check"), ("a/mp.litmus", "litmus"), ("spin.prog", "explore")] {
            let line = ["tribunal".to_string(), file.to_string()];
            let error = Arguments::try_parse_from(&line).expect_err("no command");
            let shown = super::with_hint(error, &line).to_string();
            let hint = format!("say `tribunal {command} {file}`");
            assert!(shown.contains(&hint) && !shown.contains("similar"), "{shown}");
        }
    }

    #[test]
    fn json_is_a_style() {
        for &command in super::STYLED {
            let line = ["tribunal", command, "--json", "a.txt"].map(str::to_string);
            let error = Arguments::try_parse_from(&line).expect_err("no such flag");
            assert_eq!(error.exit_code(), 2);
            let shown = super::with_hint(error, &line).to_string();
            assert!(shown.contains("for JSON lines say `--style json`"), "{shown}");
        }
    }
}

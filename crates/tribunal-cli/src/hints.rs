//! What to say instead of a flag that is no longer there, or of a file without a command.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands whose `--style` was once called `--output`, as short `-o`.
const STYLED: [&str; 5] = ["check", "races", "models", "explore", "litmus"];

/// The error, with a hint if the flag that it complains about has another name now, or if a file stands where a command should.
pub fn with_hint(mut error: clap::Error, line: &[String]) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg)
        && let Some(hint) = hint(flag, line)
    {
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

/// What replaces a flag on this command line.
fn hint(flag: &str, line: &[String]) -> Option<String> {
    let command = line.get(1)?.as_str();
    let value = value(flag, line);
    match (command, flag) {
        (_, "-o" | "--output") if STYLED.contains(&command) => Some(match value {
            Some(style @ "json") => format!("`--output` is a file; for JSON lines say `--style {style}`"),
            Some(style @ ("human" | "brief" | "junit" | "herd" | "table" | "markdown")) => {
                format!("`--output` is a file; to choose what is printed say `--style {style}`")
            }
            _ => format!("`{command}` prints to standard output; add `> FILE` to write a file"),
        }),
        ("convert" | "generate", "--from") => {
            Some(format!("the format of the input is `--format {}`", value.unwrap_or("FORMAT")))
        }
        ("explore", "--json") => Some("for JSON lines say `--style json`".into()),
        _ => None,
    }
}

/// The value that a flag was given: after it, after `=`, or right behind its letter.
fn value<'a>(flag: &str, line: &'a [String]) -> Option<&'a str> {
    let at = line.iter().position(|word| word.starts_with(flag))?;
    match line[at].strip_prefix(flag)? {
        "" => line.get(at + 1).map(String::as_str),
        joined => Some(joined.trim_start_matches('=')),
    }
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
    fn old_flags_are_refused_with_the_new_ones() {
        for (line, hint) in [
            ("check --output json a.txt", "`--output` is a file; for JSON lines say `--style json`"),
            ("check -o brief a.txt", "`--output` is a file; to choose what is printed say `--style brief`"),
            ("races --output=json a.txt", "for JSON lines say `--style json`"),
            ("litmus -oherd a.litmus", "say `--style herd`"),
            ("models -o markdown", "say `--style markdown`"),
            ("check -o out.txt a.txt", "`check` prints to standard output; add `> FILE` to write a file"),
            ("convert --from edn --to json a.txt", "the format of the input is `--format edn`"),
            ("generate mutate --from axe a.txt", "the format of the input is `--format axe`"),
            ("explore --json a.prog", "for JSON lines say `--style json`"),
        ] {
            let line: Vec<String> =
                ["tribunal"].into_iter().chain(line.split(' ')).map(str::to_string).collect();
            let error = Arguments::try_parse_from(&line).expect_err("an old flag");
            assert_eq!(error.exit_code(), 2);
            let shown = super::with_hint(error, &line).to_string();
            assert!(shown.contains(hint), "{shown}");
        }
    }
}

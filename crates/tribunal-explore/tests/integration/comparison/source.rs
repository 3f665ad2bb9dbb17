//! The public names of a crate, read from its source: items, and methods by type, those that its macros make included.
//! It relies on rustfmt's layout, and knows a method by the module and the type that have it, not by its signature.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Debug, Default)]
pub(crate) struct Source {
    /// Paths: `sync::Mutex`, `sync::Mutex::lock`.
    names: BTreeSet<String>,
    /// Types that are another crate's, with all that they have.
    foreign: BTreeSet<String>,
}

/// What a macro that makes types or methods makes.
#[derive(Debug, Default)]
struct Macro {
    methods: BTreeSet<String>,
    /// Other macros that it calls for the same type, and the methods named there.
    calls: Vec<(String, Vec<String>)>,
}

/// What stands around a line.
#[derive(Debug, Default)]
struct Around {
    of_macro: Option<String>,
    of_impl: Option<String>,
}

impl Source {
    pub(crate) fn has(&self, path: &str) -> bool {
        let parent = path.rsplit_once("::").map_or("", |(parent, _)| parent);
        self.names.contains(path) || self.foreign.contains(parent)
    }

    /// Reads what is in a folder.
    pub(crate) fn read(&mut self, folder: &Path) {
        self.read_folder(folder, &[]);
    }

    fn read_folder(&mut self, folder: &Path, module: &[String]) {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let own = ["lib", "mod"].map(|name| folder.join(name).with_extension("rs"));
        let own = own
            .iter()
            .find(|file| file.exists())
            .map(|file| std::fs::read_to_string(file).expect("sources can be read"));
        for entry in entries.flatten() {
            let path = entry.path();
            let name = path.file_stem().expect("files have names").to_string_lossy().into_owned();
            let inner = [module, std::slice::from_ref(&name)].concat();
            // What a private module has, its parent makes public.
            let is_public = own.as_ref().is_some_and(|own| own.contains(&format!("pub mod {name};")));
            let within = if is_public { &inner[..] } else { module };
            match path.is_dir() {
                true => self.read_folder(&path, within),
                false if name == "lib" || name == "mod" => {
                    self.read_file(&std::fs::read_to_string(&path).expect("sources can be read"), module);
                }
                false => {
                    self.read_file(&std::fs::read_to_string(&path).expect("sources can be read"), within)
                }
            }
        }
    }

    fn add(&mut self, module: &[String], rest: &[&str]) {
        let parts: Vec<&str> = module.iter().map(String::as_str).chain(rest.iter().copied()).collect();
        self.names.insert(parts.join("::"));
    }

    fn read_file(&mut self, text: &str, module: &[String]) {
        let mut macros: BTreeMap<String, Macro> = BTreeMap::new();
        let mut around = Around::default();
        let mut inline: Option<String> = None;
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let within: Vec<String> = module.iter().cloned().chain(inline.clone()).collect();
            match *line {
                "}" => (around, inline) = (Around::default(), None),
                _ if code.starts_with("//") => {}
                _ if line.starts_with("macro_rules! ") => {
                    let name = word(&line["macro_rules! ".len()..]);
                    if at > 0 && lines[at - 1].contains("macro_export") {
                        self.names.insert(format!("{name}!"));
                    }
                    macros.entry(name.into()).or_default();
                    around.of_macro = Some(name.into());
                }
                _ if code.starts_with("impl") => {
                    let header: String = lines[at..].iter().take_while_inclusive().collect();
                    around.of_impl = implemented(&header);
                }
                _ if line.starts_with("pub mod ") && line.ends_with('{') => {
                    inline = Some(word(&line["pub mod ".len()..]).into());
                }
                _ if code.starts_with("pub use ") => {
                    let statement: String = lines[at..].iter().take_while_statement().collect();
                    self.read_use(&statement, &within);
                }
                _ => self.read_line(code, &lines[at..], &within, &around, &mut macros),
            }
        }
    }

    fn read_line(
        &mut self,
        code: &str,
        rest: &[&str],
        module: &[String],
        around: &Around,
        macros: &mut BTreeMap<String, Macro>,
    ) {
        if let Some((kind, name)) = item(code) {
            match (&around.of_macro, &around.of_impl, kind) {
                (Some(of), Some(_), "fn") if !name.starts_with('$') => {
                    macros.entry(of.clone()).or_default().methods.insert(name.into());
                }
                (Some(_), ..) => {}
                (None, Some(of), "fn") => self.add(module, &[of, name]),
                (None, ..) => self.add(module, &[name]),
            }
        } else if let Some((called, ty, methods)) = call(rest) {
            match &around.of_macro {
                Some(of) => macros.entry(of.clone()).or_default().calls.push((called, methods)),
                None => {
                    let mut calls = vec![(called, methods)];
                    while let Some((called, methods)) = calls.pop() {
                        let Some(made) = macros.get(&called) else { continue };
                        self.add(module, &[&ty]);
                        for method in made.methods.iter().chain(&methods) {
                            self.add(module, &[&ty, method]);
                        }
                        calls.extend(made.calls.iter().cloned());
                    }
                }
            }
        }
    }

    /// `pub use a::b::{C, D as E};`
    fn read_use(&mut self, statement: &str, module: &[String]) {
        let path = statement.trim_start().trim_start_matches("pub use ").trim_end_matches(';');
        let (from, list) = match path.split_once('{') {
            Some((from, list)) => (from, list.trim_end_matches('}')),
            None => path.rsplit_once("::").unwrap_or(("", path)),
        };
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let (original, name) = name.rsplit_once(" as ").unwrap_or((name, name));
            self.add(module, &[name]);
            let full = module.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::");
            let ours = format!("sync::{original}");
            if from.starts_with("std::") {
                self.foreign.insert(full);
            } else if name != original {
                // Another name for a type of ours.
                let same: Vec<String> = self
                    .names
                    .iter()
                    .filter_map(|known| {
                        known
                            .strip_prefix(&ours)?
                            .strip_prefix("::")
                            .map(|method| format!("{full}::{method}"))
                    })
                    .collect();
                self.names.extend(same);
            }
        }
    }
}

trait Lines<'a>: Iterator<Item = &'a &'a str> + Sized {
    /// Up to the brace that opens a block.
    fn take_while_inclusive(self) -> impl Iterator<Item = &'a str> {
        let mut over = false;
        self.map_while(move |line| {
            let last = std::mem::replace(&mut over, line.trim_end().ends_with('{') || line.ends_with("{}"));
            (!last).then_some(*line)
        })
    }

    /// Up to the semicolon.
    fn take_while_statement(self) -> impl Iterator<Item = &'a str> {
        let mut over = false;
        self.map_while(move |line| {
            let last = std::mem::replace(&mut over, line.ends_with(';'));
            (!last).then_some(*line)
        })
    }
}

impl<'a, I: Iterator<Item = &'a &'a str>> Lines<'a> for I {}

/// The word with which a text begins; `$` is part of one.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len());
    &text[..end]
}

/// The kind and the name of a public item.
fn item(code: &str) -> Option<(&str, &str)> {
    let mut rest = code.strip_prefix("pub ")?;
    loop {
        let kind = word(rest);
        rest = rest[kind.len()..].trim_start();
        match kind {
            "unsafe" | "async" => {}
            "const" if rest.starts_with("fn") || rest.starts_with("unsafe") => {}
            "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" => {
                return Some((kind, word(rest)));
            }
            _ => return None,
        }
    }
}

/// The type that an implementation is of; none if it is of a trait.
fn implemented(header: &str) -> Option<String> {
    let mut text = header.trim_start().strip_prefix("impl")?;
    if text.contains(" for ") {
        return None;
    }
    if text.starts_with('<') {
        let mut depth = 0;
        let end = text.char_indices().find(|&(at, c)| {
            depth += i32::from(c == '<') - i32::from(c == '>' && !text[..at].ends_with('-'));
            depth == 0
        })?;
        text = &text[end.0 + 1..];
    }
    // `$(<$generic>)? $name`
    let text = text.trim_start().trim_start_matches("$(<$generic>)?").trim_start();
    Some(word(text).into())
}

/// A call of a macro for a type: the macro, the type, and methods that are named in it.
fn call(rest: &[&str]) -> Option<(String, String, Vec<String>)> {
    let name = word(rest[0].trim_start());
    let after = rest[0].trim_start()[name.len()..].strip_prefix('!')?.trim_start();
    let close = match after.chars().next()? {
        '(' => ')',
        '{' => '}',
        _ => return None,
    };
    let indent = rest[0].len() - rest[0].trim_start().len();
    let mut text = after.to_owned();
    if !after.trim_end_matches(';').ends_with(close) {
        for line in &rest[1..] {
            text.push_str(line.split("//").next().unwrap_or_default());
            text.push('\n');
            if line.trim_start().starts_with(close) && line.len() - line.trim_start().len() == indent {
                break;
            }
        }
    }
    let words =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty());
    let ty = words.clone().find(|word| word.starts_with("Atomic") || *word == "$name")?;
    let methods = text.lines().filter_map(|line| {
        let name = word(line.trim_start());
        line.trim_start()[name.len()..].starts_with(" = |").then(|| name.to_owned())
    });
    Some((name.into(), ty.into(), methods.collect()))
}

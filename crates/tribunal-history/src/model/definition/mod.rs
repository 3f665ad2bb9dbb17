//! Models as text: a model's definition in cat, applied to a history.
//!
//! `facts` has the sets and relations of a history, and a [`Plan`] is the text with its names resolved. Engines decide
//! plans, and `verify` evaluates them.

mod facts;
mod pair;
mod why;

pub use facts::{Facts, is_in};
pub(super) use pair::text as pair_text;
pub use why::{Related, why};

use crate::limits::Limits;
use crate::memory::Execution;
use crate::model::Model;
use crate::verdict::{Axiom, Limit};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::{Orders, Plan, Type};
use tribunal_cat::relation::Relation;
use tribunal_cat::text::{Located, Position};
use tribunal_cat::{Architecture, Environment, Problem};
pub use tribunal_cat::{Directories, Error, Library, NoFiles};

/// A model given as text. It lives as long as the program, once per name and text, so that a [`Model`] stays small and `Copy`.
///
/// ```
/// use tribunal::{Model, check, history::model::definition::{Definition, NoFiles}, memory::{Execution, Op}};
/// let text = "acyclic po-loc | rf | co | fr as coherent";
/// let mine = Model::Cat(Definition::new("mine.cat", text, &mut NoFiles)?);
/// let mut b = Execution::builder();
/// let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
/// b.push(t0, Op::write(x, 1));
/// b.push(t1, Op::read(x, 1));
/// b.push(t1, Op::read(x, 0));
/// assert!(check(&b.build()?, mine).is_inconsistent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Definition(u32);

struct Given {
    name: String,
    text: String,
    cat: Cat,
}

/// A text that is parsed.
struct Cat {
    model: tribunal_cat::Model,
    /// Its plan, if that is the same for all histories.
    plan: Option<Arc<Plan>>,
    /// Otherwise the plans of the last few numbers of events.
    by_size: Mutex<Vec<(usize, Arc<Plan>)>>,
}

/// For how many numbers of events plans are kept.
const SIZES: usize = 32;

/// The names that histories give to texts.
static NAMES: LazyLock<Environment> = LazyLock::new(Environment::history);
static GIVEN: Mutex<Vec<&'static Given>> = Mutex::new(Vec::new());
static NAMED: Mutex<Option<FxHashMap<Model, &'static Cat>>> = Mutex::new(None);

impl Definition {
    /// A model's text under a name, usually that of its file; `library` resolves includes. The only order it may choose is `co`.
    pub fn new(name: &str, text: &str, library: &mut dyn Library) -> Result<Self, Error> {
        let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = given.iter().position(|known| known.name == name && known.text == text) {
            return Ok(Definition(known as u32));
        }
        let cat = Cat::new(text, name, library)?;
        let new: &'static Given = Box::leak(Box::new(Given { name: name.into(), text: text.into(), cat }));
        let definition = Definition(given.len() as u32);
        given.push(new);
        drop(given);
        // Certificates that are read name checks.
        if let Some(plan) = &new.cat.plan {
            (0..plan.checks.len()).for_each(|check| _ = axiom(Model::Cat(definition), plan, check));
        }
        Ok(definition)
    }

    /// The latest definition with this name.
    pub fn named(name: &str) -> Option<Self> {
        let given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        given.iter().rposition(|known| known.name == name).map(|known| Definition(known as u32))
    }

    fn given(self) -> &'static Given {
        GIVEN.lock().unwrap_or_else(PoisonError::into_inner)[self.0 as usize]
    }

    /// The name under which it was given.
    pub fn name(self) -> &'static str {
        &self.given().name
    }

    /// The plan, if it is the same for all histories.
    pub fn plan(self) -> Option<&'static Plan> {
        self.given().cat.plan.as_deref()
    }

    /// Its text.
    pub fn text(self) -> &'static str {
        &self.given().text
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Definition({})", self.name())
    }
}

impl Cat {
    fn new(text: &str, name: &str, library: &mut dyn Library) -> Result<Self, Error> {
        let model = tribunal_cat::Model::parse(text, name, library)?;
        let plan = match model.plan(&NAMES) {
            Ok(plan) => Some(Arc::new(plan)),
            // It may go through the events of each history: two events stand for them.
            Err(error) => match model.plan_of(&NAMES, &2) {
                Ok(_) => None,
                Err(_) => return Err(error),
            },
        };
        let others = plan.iter().flat_map(|plan| &plan.choices).enumerate();
        let other =
            others.into_iter().find(|(i, choice)| *i > 0 || !matches!(choice.from, Orders::Locations { .. }));
        if let Some((_, choice)) = other {
            let problem =
                Problem::NotSupported(format!("for histories, the order `{}` beside co", choice.name));
            return Err(Located::new(Position::START, problem).within(name));
        }
        Ok(Cat { model, plan, by_size: Mutex::default() })
    }
}

fn cat(model: Model) -> Result<&'static Cat, Error> {
    if let Model::Cat(definition) = model {
        return Ok(&definition.given().cat);
    }
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    let named = named.get_or_insert_default();
    if let Some(known) = named.get(&model) {
        return Ok(known);
    }
    let cat = Box::leak(Box::new(Cat::new(&model.text(), &format!("{model}.cat"), &mut NoFiles)?));
    named.insert(model, cat);
    Ok(cat)
}

/// The reason why a model's text has no plan for a history.
pub enum Unplanned {
    /// It would take too much.
    Limit(Limit),
    /// The text is wrong.
    Text(Error),
}

/// The plan of a model's text for a history; for most texts it is the same for all.
pub fn plan(model: Model, x: &Execution) -> Result<Arc<Plan>, Error> {
    plan_within(model, x, &Limits::default()).map_err(|unplanned| match unplanned {
        Unplanned::Text(error) => error,
        Unplanned::Limit(limit) => {
            let problem = Problem::Failed(limit.to_string());
            Located::new(Position::START, problem).within(model.name())
        }
    })
}

/// The same within limits: a text may go through the events of a history, and through all tuples of them.
pub fn plan_within(model: Model, x: &Execution, limits: &Limits<'_>) -> Result<Arc<Plan>, Unplanned> {
    let cat = cat(model).map_err(Unplanned::Text)?;
    if let Some(plan) = &cat.plan {
        return Ok(plan.clone());
    }
    let size = x.len() + x.location_count();
    let mut by_size = cat.by_size.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, plan)) = by_size.iter().find(|(known, _)| *known == size) {
        return Ok(plan.clone());
    }
    let mut reached = None;
    let mut poll = |bytes: usize, steps: u64| {
        let within = limits.check_memory(bytes, steps).and(limits.check(steps));
        within.map_err(|limit| {
            reached = Some(limit);
            Stopped
        })
    };
    let planned = cat.model.plan_within(&NAMES, Some(&(size as u32)), &mut poll);
    let plan = match (planned, reached) {
        (Ok(plan), _) => Arc::new(plan),
        (Err(_), Some(limit)) => return Err(Unplanned::Limit(limit)),
        (Err(error), None) => return Err(Unplanned::Text(error)),
    };
    if by_size.len() == SIZES {
        by_size.remove(0);
    }
    by_size.push((size, plan.clone()));
    Ok(plan)
}

/// The bytes that evaluating a model's text takes at least: to be asked for before its plan. A text that goes through events has relations for each.
pub fn least_bytes(model: Model, x: &Execution) -> usize {
    let size = x.len() + x.location_count();
    let each = cat(model).is_ok_and(|cat| cat.plan.is_none());
    if each { size.saturating_mul(Relation::bytes(size)) } else { Relation::bytes(size) }
}

/// The architecture that a model's text is for, if any.
pub fn architecture(model: Model) -> Option<Architecture> {
    let cat = cat(model).ok()?;
    // Only herd's model of AArch64 computes dependencies itself, and it names no architecture.
    let aarch64 = cat.model.computes_dependencies().then_some(Architecture::AArch64);
    cat.model.architecture().or(aarch64)
}

/// Whether a model's text mentions mo.
pub fn has_mo(model: Model) -> bool {
    // What goes through the events of a history is of a text that is evaluated for each anew; mo is chosen in none of them.
    cat(model).is_ok_and(|cat| cat.plan.as_ref().is_some_and(|plan| !plan.choices.is_empty()))
}

/// The axiom that a check of a model's text is, by its name.
pub fn axiom(model: Model, plan: &Plan, check: usize) -> Axiom {
    let check = &plan.checks[check];
    let name = check.name.clone().unwrap_or_else(|| format!("line {}", check.line));
    let text = if check.file == model.name() { model.text() } else { "".into() };
    let line = text.lines().nth((check.line as usize).saturating_sub(1)).unwrap_or("").trim();
    let formula = line.rsplit_once(" as ").map_or(line, |(formula, _)| formula);
    let formula = if formula.is_empty() { format!("a check of {}", check.file) } else { formula.to_owned() };
    Axiom::named(&name, &formula)
}

/// The bytes that evaluating a plan takes: a matrix for each relation of it.
pub fn bytes(plan: &Plan, size: usize) -> usize {
    let relations = plan.nodes.iter().filter(|node| node.ty == Type::Relation).count();
    (relations + plan.choices.len() + 2) * Relation::bytes(size)
}

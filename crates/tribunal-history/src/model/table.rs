//! The models, one row each.

use super::Preserved;
use super::definition::{self, Definition};
use crate::memory::Execution;
use crate::names::suggestion;
use crate::verdict::Unsupported;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A family of models, which says of what their proofs are made and how these are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Cycles of po and rf, or of mo; for sra of all.
    C11,
    /// Cycles in one of the views of the multiprocessor models.
    Views,
    /// Cycles of what observers must have seen.
    Causal,
    /// Nothing is known of the model but its text, which is evaluated.
    Text,
}

/// A model: its text, its family, its cost, and the histories that it does not apply to.
struct Row {
    /// Its name on the command line and in every output.
    name: &'static str,
    /// Its definition, in cat.
    text: &'static str,
    /// Its family; [`Family::Text`] until there are rules for its proofs.
    family: Family,
    /// The cost of deciding it.
    cost: &'static str,
    /// The histories that it does not apply to.
    not_of: &'static [Unsupported],
    /// The models that allow everything it allows, among histories to which both apply. Transitive inclusions are omitted.
    included_in: &'static [Model],
}

macro_rules! models {
    ($($(#[doc = $doc:literal])* $model:ident { $($row:tt)* })*) => {
        /// A consistency model.
        // When a model is added, its row asks for its family. What is said model by model beside the rows ends in what is safe to say of any.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Model {
            $($(#[doc = $doc])* $model,)*
            /// A model given as a pair (po-mm, rf-mm).
            Custom(Preserved),
            /// A model given as text, in cat.
            Cat(Definition),
        }

        impl Model {
            /// Every named model, strongest first within a family.
            pub const ALL: [Model; [$(stringify!($model)),*].len()] = [$(Model::$model),*];

            fn row(self) -> Option<&'static Row> {
                match self {
                    $(Model::$model => {
                        const ROW: Row = Row { $($row)* };
                        Some(&ROW)
                    })*
                    Model::Custom(_) | Model::Cat(_) => None,
                }
            }
        }
    };
}

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../models/", $name, ".cat"))
    };
}

/// Models whose axioms mention program order alone say nothing of fences, nor, without mo, of what is written last.
const CAUSAL: &[Unsupported] = &[Unsupported::Fences, Unsupported::Finals];
const WITHOUT_MO: &[Unsupported] = &[Unsupported::Finals];
const SEARCHED: &str = "NP-complete; near O(n·k) where saturation decides";
const LINEAR: &str = "O(n·k)";

models! {
    /// Sequential consistency.
    Sc {
        name: "sc",
        text: text!("sc"),
        family: Family::Views,
        cost: SEARCHED,
        not_of: &[],
        included_in: &[Model::Tso, Model::Wsc, Model::Rc20, Model::Rc11],
    }
    /// Total store order.
    Tso {
        name: "tso",
        text: text!("tso"),
        family: Family::Views,
        cost: SEARCHED,
        not_of: &[],
        included_in: &[Model::Pso, Model::Wccm, Model::Sra],
    }
    /// Partial store order.
    Pso {
        name: "pso",
        text: text!("pso"),
        family: Family::Views,
        cost: SEARCHED,
        not_of: &[],
        // pso keeps R→W, so a cycle of po ∪ rf is one of ppo ∪ rfe; and relaxed is coherence and acyclic(po ∪ rf).
        included_in: &[Model::Wmo, Model::Rmo, Model::Relaxed],
    }
    /// Axe's weak memory order.
    Wmo {
        name: "wmo",
        text: text!("wmo"),
        family: Family::Views,
        cost: SEARCHED,
        not_of: &[],
        included_in: &[Model::Coherence],
    }
    /// Relaxed memory order.
    Rmo {
        name: "rmo",
        text: text!("rmo"),
        family: Family::Views,
        cost: SEARCHED,
        not_of: &[],
        included_in: &[],
    }
    /// Each location alone is sequentially consistent.
    Coherence {
        name: "coherence",
        text: text!("coherence"),
        family: Family::Views,
        cost: "O(n)",
        not_of: &[],
        included_in: &[],
    }
    /// The saturation of sequential consistency.
    Wsc {
        name: "wsc",
        text: text!("wsc"),
        family: Family::Views,
        cost: "polynomial; near O(n·k)",
        not_of: CAUSAL,
        // ra looks at each location alone, where hb orders all or nothing of two chains of RMWs.
        included_in: &[Model::Ccm, Model::Ra],
    }
    /// Convergent causal memory.
    Ccm {
        name: "ccm",
        text: text!("ccm"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: CAUSAL,
        included_in: &[Model::Wccm, Model::Cm],
    }
    /// Weak convergent causal memory.
    Wccm {
        name: "wccm",
        text: text!("wccm"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: CAUSAL,
        // co is po-loc, or by ppo ∪ rfe: cf[co] is in whb. Two RMWs that read from one write come before each other by rw.
        included_in: &[Model::Ccv, Model::Wra],
    }
    /// Causal memory.
    Cm {
        name: "cm",
        text: text!("cm"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: CAUSAL,
        included_in: &[Model::Cc, Model::Pram],
    }
    /// Causal convergence.
    Ccv {
        name: "ccv",
        text: text!("ccv"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: CAUSAL,
        included_in: &[Model::Cc],
    }
    /// Causal consistency.
    Cc {
        name: "cc",
        text: text!("cc"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: CAUSAL,
        included_in: &[],
    }
    /// Pipelined random access memory.
    Pram {
        name: "pram",
        text: text!("pram"),
        family: Family::Causal,
        cost: LINEAR,
        not_of: WITHOUT_MO,
        included_in: &[],
    }
    /// Strong release-acquire.
    Sra {
        name: "sra",
        text: text!("sra"),
        family: Family::C11,
        cost: "O(n·k) without RMWs, NP-complete with: O(k·n^(k+1))",
        not_of: &[],
        included_in: &[Model::Ccv, Model::Ra],
    }
    /// Release-acquire: every access is acq_rel.
    Ra {
        name: "ra",
        text: text!("ra"),
        family: Family::C11,
        cost: LINEAR,
        not_of: &[],
        // With seq_cst, ra is not in rc20 or rc11.
        included_in: &[Model::Wra, Model::Relaxed],
    }
    /// Weak release-acquire.
    Wra {
        name: "wra",
        text: text!("wra"),
        family: Family::C11,
        cost: LINEAR,
        not_of: WITHOUT_MO,
        included_in: &[Model::Cc],
    }
    /// C11 as of C++20: relaxed, acquire, release and seq_cst accesses and fences.
    Rc20 {
        name: "rc20",
        text: text!("rc20"),
        family: Family::C11,
        cost: "O(n·k) without seq_cst, NP-complete with; near O(n·k) where saturation decides",
        not_of: &[],
        included_in: &[Model::Relaxed],
    }
    /// C11 as repaired in 2017: different release sequences, and a weaker order of seq_cst events.
    Rc11 {
        name: "rc11",
        text: text!("rc11"),
        family: Family::C11,
        cost: "O(n·k) without seq_cst, NP-complete with; near O(n·k) where saturation decides",
        not_of: &[],
        included_in: &[Model::Relaxed],
    }
    /// Every access is relaxed.
    Relaxed {
        name: "relaxed",
        text: text!("relaxed"),
        family: Family::C11,
        cost: "O(n)",
        not_of: &[],
        included_in: &[Model::Coherence],
    }
}

impl Model {
    /// The model's name on the command line and in every output; a pair (po-mm, rf-mm) is displayed in full.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert_eq!(Model::Tso.name(), "tso");
    /// ```
    pub fn name(self) -> &'static str {
        match (self, self.row()) {
            (Model::Cat(definition), _) => definition.name(),
            (_, row) => row.map_or("custom", |row| row.name),
        }
    }

    /// The model's definition: a text in cat.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert!(Model::Sc.text().ends_with("acyclic po | rf | co | fr as sequential\n"));
    /// ```
    pub fn text(self) -> Cow<'static, str> {
        match (self, self.row()) {
            (_, Some(row)) => row.text.into(),
            (Model::Custom(preserved), _) => definition::pair_text(&preserved).into(),
            (Model::Cat(definition), _) => definition.text().into(),
            (_, None) => "".into(),
        }
    }

    /// The model in a sentence, from the beginning of its text.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert_eq!(Model::Coherence.sentence(), "Coherence: each location alone is sequentially consistent.");
    /// ```
    pub fn sentence(self) -> String {
        let text = self.text();
        let comment = text.trim_start().strip_prefix("(*").and_then(|rest| rest.split_once("*)"));
        comment.map_or_else(String::new, |(sentence, _)| {
            sentence.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    }

    /// The checks of the model's text.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert_eq!(Model::Tso.axioms(), "acyclic po-loc | rf | co | fr; acyclic ppo | fenced | rfe | co | fr");
    /// ```
    pub fn axioms(self) -> String {
        let text = self.text();
        let checks = text.lines().map(str::trim).filter(|line| {
            ["acyclic ", "irreflexive ", "empty "].iter().any(|check| line.starts_with(check))
        });
        let checks: Vec<&str> =
            checks.map(|line| line.rsplit_once(" as ").map_or(line, |(check, _)| check)).collect();
        checks.join("; ")
    }

    /// The cost of deciding the model for n events in k threads if every read has a source. If values repeat and reads
    /// are [open](Execution::is_open), every model is NP-complete.
    pub fn complexity(self) -> &'static str {
        match self {
            Model::Custom(_) => SEARCHED,
            _ => self.row().map_or(
                "a relation on n events is n² bits; exponential where its checks leave mo open",
                |row| row.cost,
            ),
        }
    }

    /// The family of the model.
    ///
    /// ```
    /// use tribunal::history::model::{Family, Model};
    /// assert_eq!(Model::Tso.family(), Family::Views);
    /// ```
    pub fn family(self) -> Family {
        match self {
            Model::Custom(_) => Family::Views,
            _ => self.row().map_or(Family::Text, |row| row.family),
        }
    }

    /// The pair (po-mm, rf-mm) of a multiprocessor model.
    pub const fn preserved(self) -> Option<Preserved> {
        match self {
            Model::Sc => Some(Preserved::SC),
            Model::Tso => Some(Preserved::TSO),
            Model::Pso => Some(Preserved::PSO),
            Model::Rmo => Some(Preserved::RMO),
            Model::Wmo => Some(Preserved::WMO),
            Model::Custom(preserved) => Some(preserved),
            _ => None,
        }
    }

    /// Whether the model defines data races.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert!(Model::Rc20.has_races() && !Model::Ra.has_races());
    /// ```
    pub const fn has_races(self) -> bool {
        matches!(self, Model::Rc20 | Model::Rc11)
    }

    /// The reason why the model does not apply to this execution, if it does not.
    pub fn unsupported(self, execution: &Execution) -> Option<Unsupported> {
        let features = execution.features();
        let not_of = self.row().map_or(&[][..], |row| row.not_of);
        not_of.iter().copied().find(|why| match why {
            Unsupported::Fences => features.fences > 0,
            Unsupported::Finals => features.finals,
        })
    }

    /// Whether this model allows everything that another allows, among histories to which both apply. A custom model includes only itself.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert!(Model::Cc.includes(Model::Sc));
    /// assert!(!Model::Pram.includes(Model::Tso));
    /// ```
    pub fn includes(self, other: Model) -> bool {
        let mut reached = vec![other];
        let mut at = 0;
        while let Some(&model) = reached.get(at) {
            reached.extend(model.row().map_or(&[][..], |row| row.included_in));
            at += 1;
        }
        reached.contains(&self)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Custom(preserved) => preserved.fmt(f),
            model => f.write_str(model.name()),
        }
    }
}

/// There is no model of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{0}`{near}", near = suggestion(.0, Model::ALL.map(Model::name)))]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    /// The model with this name, or given under it as [text](Definition), or a pair (po-mm, rf-mm).
    ///
    /// ```
    /// use tribunal::Model;
    /// assert_eq!("rc20".parse(), Ok(Model::Rc20));
    /// assert!("c11".parse::<Model>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        let named = Model::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name));
        named
            .or_else(|| Definition::named(name).map(Model::Cat))
            .or_else(|| name.parse().ok().map(Model::Custom))
            .ok_or_else(|| UnknownModel(name.into()))
    }
}

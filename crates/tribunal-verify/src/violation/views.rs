//! Cycles in the views of the multiprocessor models, coherence, sc and wsc.
//!
//! In a view that must be acyclic, a path from one write to another of its location leaves mo no choice
//! ([`Because::Coherence`]); and a path from a write to a read of another write of its location puts the first before
//! the second, else fr would close a cycle ([`Because::Read`]).

use super::{Proof, is_po_rf};
use crate::{EdgeFault, Refusal, known};
use tribunal_history::memory::EventId;
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge};

/// A set of views.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Views(u8);

impl Views {
    const NONE: Views = Views(0);
    /// po-loc ∪ rf ∪ mo ∪ fr
    const LOCAL: Views = Views(1);
    /// ppo ∪ rfe ∪ mo ∪ fr; for sc and wsc po ∪ rf ∪ mo ∪ fr
    const GLOBAL: Views = Views(2);
    /// deps ∪ rf
    const DEPENDENCIES: Views = Views(4);
    /// The views that mo is part of.
    const ORDERED: Views = Views(1 | 2);

    const fn and(self, other: Views) -> Views {
        Views(self.0 & other.0)
    }

    const fn or(self, other: Views) -> Views {
        Views(self.0 | other.0)
    }
}

impl<'a> Proof<'a> {
    pub(super) fn view_cycle(&mut self, cycle: &'a Cycle) -> Result<(), Refusal> {
        for (i, lemma) in cycle.lemmas.iter().enumerate() {
            if !lemma.because.is_mo() {
                known(self.x, lemma.from)?;
                known(self.x, lemma.to)?;
                return self.fault(lemma, EdgeFault::NotMo);
            }
            self.view_edge(lemma, &cycle.lemmas[..i])?;
        }
        let edges = &cycle.edges;
        for edge in edges {
            self.view_edge(edge, &cycle.lemmas)?;
        }
        self.joined(edges, edges[0].from, edges[0].from)?;
        let views = self.views_of_path(edges)?;
        self.rest_on_views(views);
        if matches!(self.model, Model::Sc | Model::Wsc) && edges.iter().all(is_po_rf) {
            self.rest_on(Axiom::PoRf);
        }
        Ok(())
    }

    /// The axioms that say that the views with mo are acyclic.
    pub(super) fn order_axioms(&self) -> &'static [Axiom] {
        match self.model {
            Model::Sc => &[Axiom::Sequential],
            Model::Wsc => &[Axiom::SaturatedSequential],
            Model::Coherence => &[Axiom::PerLocation],
            _ => &[Axiom::PerLocation, Axiom::Global],
        }
    }

    /// The views that the model has.
    fn views(&self) -> Views {
        match (self.model, self.preserved()) {
            (Model::Sc | Model::Wsc, _) => Views::GLOBAL,
            (Model::Coherence, _) => Views::LOCAL,
            (_, Some(kept)) if kept.dependencies => Views::ORDERED.or(Views::DEPENDENCIES),
            _ => Views::ORDERED,
        }
    }

    fn rest_on_views(&mut self, views: Views) {
        let global = match self.model {
            Model::Sc => Axiom::Sequential,
            Model::Wsc => Axiom::SaturatedSequential,
            _ => Axiom::Global,
        };
        let all = [
            (Views::LOCAL, Axiom::PerLocation),
            (Views::GLOBAL, global),
            (Views::DEPENDENCIES, Axiom::ThinAir),
        ];
        for (view, axiom) in all {
            if views.and(view) != Views::NONE {
                self.rest_on(axiom);
            }
        }
    }

    /// The views of the model that an edge is in, if it holds.
    fn views_of(&self, edge: &Edge) -> Views {
        let whole_po = matches!(self.model, Model::Sc | Model::Wsc);
        let views = match edge.because {
            Because::Po if whole_po => Views::GLOBAL,
            Because::Ppo if !whole_po => Views::GLOBAL,
            Because::PoLoc => Views::LOCAL,
            Because::Dep => Views::DEPENDENCIES,
            Because::Rf => {
                let internal = whole_po || self.preserved().is_some_and(|kept| kept.internal_rf);
                let everywhere = internal || self.program.reads_externally(edge.to);
                let global = if everywhere { Views::GLOBAL } else { Views::NONE };
                Views::LOCAL.or(Views::DEPENDENCIES).or(global)
            }
            Because::Fr { .. }
            | Because::Coherence { .. }
            | Because::Read { .. }
            | Because::Final
            | Because::Assumed
            | Because::Lemma(_) => Views::ORDERED,
            _ => Views::NONE,
        };
        views.and(self.views())
    }

    /// The views that have all edges of a path between known events; there is one.
    fn views_of_path(&self, path: &[Edge]) -> Result<Views, Refusal> {
        let mut views = self.views();
        for edge in path {
            views = views.and(self.views_of(edge));
            if views == Views::NONE {
                return self.fault(edge, EdgeFault::Misplaced);
            }
        }
        Ok(views)
    }

    /// Checks that an edge holds, and all that it depends on.
    fn view_edge(&mut self, edge: &'a Edge, lemmas: &[Edge]) -> Result<(), Refusal> {
        let mut pending = vec![edge];
        while let Some(edge) = pending.pop() {
            if edge.because.is_history() {
                self.history_edge(edge)?;
                continue;
            }
            if let Because::Fr { premise } = &edge.because {
                known(self.x, edge.from)?;
                known(self.x, edge.to)?;
                self.fr_ends(edge, premise)?;
                if !premise.because.is_mo() {
                    return self.fault(premise, EdgeFault::NotMo);
                }
                pending.push(premise);
                continue;
            }
            self.write_ends(edge)?;
            match &edge.because {
                Because::Coherence { path } => {
                    self.view_path(edge, path, edge.to)?;
                    pending.extend(path);
                }
                Because::Read { read, path } => {
                    if self.x.rf(known(self.x, *read)?) != Some(edge.to) {
                        return self.fault(edge, EdgeFault::NotReadFrom(self.named(*read)));
                    }
                    self.view_path(edge, path, *read)?;
                    pending.extend(path);
                }
                Because::Final | Because::Assumed if !self.has_mo() => {
                    return self.fault(edge, EdgeFault::NoMo(self.model));
                }
                _ => self.stated(edge, lemmas)?,
            }
        }
        Ok(())
    }

    /// Checks that the path of a reason is one of a view that mo is part of, if its edges hold.
    fn view_path(&mut self, edge: &Edge, path: &[Edge], to: EventId) -> Result<(), Refusal> {
        if path.is_empty() {
            return self.fault(edge, EdgeFault::EmptyPath);
        }
        for step in path {
            known(self.x, step.from)?;
            known(self.x, step.to)?;
        }
        self.joined(path, edge.from, to)?;
        let views = self.views_of_path(path)?.and(Views::ORDERED);
        if views == Views::NONE {
            return self.fault(&path[0], EdgeFault::Misplaced);
        }
        self.rest_on_views(views);
        Ok(())
    }
}

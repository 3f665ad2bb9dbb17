//! The relations between models: a table, what includes what, and a picture of it.

use std::fmt::Write as _;

/// The knowledge of a history that the model of a row allows and that of a column forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A model does not differ from itself.
    Same,
    /// The smallest has this many events.
    Events(usize),
    /// One has this many events; there may be smaller ones.
    AtMost(usize),
    /// There is none as far as was searched.
    None,
}

/// The relations of some models.
pub struct Hierarchy {
    pub names: Vec<String>,
    /// By row, the model that allows, and column, the one that forbids.
    pub cells: Vec<Vec<Cell>>,
}

impl Hierarchy {
    /// Whether nothing is known that a model allows and another forbids.
    fn included(&self, a: usize, b: usize) -> bool {
        self.cells[a][b] == Cell::None
    }

    /// The inclusions from which the others follow: those with no model in between.
    pub fn covers(&self) -> Vec<(usize, usize)> {
        let models = 0..self.names.len();
        let between = |a: usize, b: usize| {
            models.clone().any(|c| c != a && c != b && self.included(a, c) && self.included(c, b))
        };
        let pairs = models.clone().flat_map(|a| models.clone().map(move |b| (a, b)));
        pairs.filter(|&(a, b)| self.included(a, b) && !between(a, b)).collect()
    }

    /// The table, a row a model.
    pub fn table(&self) -> String {
        let label = self.names.iter().map(|name| name.len()).max().unwrap_or(0);
        let mut table = " ".repeat(label);
        let widths: Vec<usize> = self.names.iter().map(|name| name.len().max(3)).collect();
        for (name, width) in self.names.iter().zip(&widths) {
            let _ = write!(table, " {name:width$}");
        }
        for (name, row) in self.names.iter().zip(&self.cells) {
            let end = table.trim_end().len();
            table.truncate(end);
            let _ = write!(table, "\n{name:label$}");
            for (cell, width) in row.iter().zip(&widths) {
                let cell = match cell {
                    Cell::Same => String::new(),
                    Cell::Events(events) => events.to_string(),
                    Cell::AtMost(events) => format!("≤{events}"),
                    Cell::None => "⊆".into(),
                };
                let _ = write!(table, " {cell:width$}");
            }
        }
        let end = table.trim_end().len();
        table.truncate(end);
        table
    }

    /// `a ⊆ b, c` for each model with others right above it.
    pub fn inclusions(&self) -> Vec<String> {
        let covers = self.covers();
        let above = |a: usize| {
            let names: Vec<&str> =
                covers.iter().filter(|cover| cover.0 == a).map(|&(_, b)| &*self.names[b]).collect();
            (!names.is_empty()).then(|| format!("{} ⊆ {}", self.names[a], names.join(", ")))
        };
        (0..self.names.len()).filter_map(above).collect()
    }

    /// The models in layers: each above all that it includes, and no higher than that asks for.
    pub fn layers(&self) -> Vec<Vec<usize>> {
        let models = self.names.len();
        let mut layer = vec![0; models];
        // Longest paths: as many rounds as there are models suffice, since inclusion has no cycle between models that differ.
        for _ in 0..models {
            for (a, b) in self.covers() {
                layer[b] = layer[b].max((layer[a] + 1).min(models));
            }
        }
        let highest = layer.iter().max().map_or(0, |highest| highest + 1);
        let mut layers: Vec<Vec<usize>> =
            (0..highest).map(|at| (0..models).filter(|&model| layer[model] == at).collect()).collect();
        layers.retain(|layer| !layer.is_empty());
        layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Hierarchy {
        use Cell::{AtMost, Events, None, Same};
        let names = ["weak", "a", "strong"].map(String::from).to_vec();
        let cells =
            vec![vec![Same, Events(2), AtMost(12)], vec![None, Same, Events(3)], vec![None, None, Same]];
        Hierarchy { names, cells }
    }

    #[test]
    fn a_table_has_a_row_a_model() {
        let table = "       weak a   strong\nweak        2   ≤12\na      ⊆        3\nstrong ⊆    ⊆";
        assert_eq!(chain().table(), table);
    }

    #[test]
    fn what_follows_is_left_out() {
        assert_eq!(chain().inclusions(), ["a ⊆ weak", "strong ⊆ a"]);
        assert_eq!(chain().layers(), [[2], [1], [0]]);
    }
}

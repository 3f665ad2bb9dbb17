//! Paths that depend on few chosen pairs.

use crate::evaluate::program::Code;
use crate::evaluate::{Evaluator, Value};
use crate::plan::NodeId;
use crate::relation::members;

const NONE: usize = usize::MAX;

impl Evaluator<'_> {
    /// A path of one pair or more of a relation, with both its ends: of those with fewest pairs that depend on choices, a shortest.
    ///
    /// Breadth first, level by level: a level ends where only such pairs lead on. Each pair is looked at twice at most.
    pub(super) fn cheapest(&self, node: NodeId, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before = vec![NONE; self.size()];
        let (mut level, mut next) = (vec![from], Vec::new());
        while !level.is_empty() && before[to] == NONE {
            let mut at = 0;
            while at < level.len() && before[to] == NONE {
                self.certain_successors(node, level[at], |b| {
                    if before[b] == NONE {
                        before[b] = level[at];
                        next.push(b);
                    }
                });
                level.append(&mut next);
                at += 1;
            }
            if before[to] != NONE {
                break;
            }
            for &a in &level {
                for b in self.successors(node, a) {
                    if before[b] == NONE {
                        before[b] = a;
                        next.push(b);
                    }
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
        }
        if before[to] == NONE {
            return None;
        }
        let mut path = vec![to, before[to]];
        while path[path.len() - 1] != from {
            path.push(before[path[path.len() - 1]]);
        }
        path.reverse();
        Some(path)
    }

    /// The events that a relation leads to whatever is chosen.
    fn certain_successors(&self, node: NodeId, a: usize, mut visit: impl FnMut(usize)) {
        if !self.moves(node) {
            return self.successors(node, a).for_each(visit);
        }
        if let Code::Union(operands) = self.code(node) {
            for &operand in operands.iter().filter(|&&operand| !self.moves(operand)) {
                match self.value_at(operand) {
                    Value::Relation(relation) if self.is_kept(operand) => {
                        members(relation.row(a)).for_each(&mut visit)
                    }
                    _ => self.successors(operand, a).for_each(&mut visit),
                }
            }
        }
    }
}

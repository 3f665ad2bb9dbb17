//! Scopes: the values of names at a place in the text.

use super::value::Value;
use crate::error::Fault;
use crate::lexer::Symbol;
use std::rc::Rc;

/// What a name is bound to: a value, or the reason why it has none, which matters only where the name is used.
pub(super) type Bound = Result<Value, Rc<Fault>>;

/// How many bits of a symbol choose a branch.
const BITS: u32 = 4;

/// A map from names to values that is cheap to copy and to extend: functions keep the one of where they are defined.
///
/// A radix tree on the numbers of names; a new binding copies the branches on its way.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    root: Option<Rc<Tree>>,
    /// Of branches, above the leaves.
    levels: u32,
}

#[derive(Clone, Debug)]
enum Tree {
    Branch([Option<Rc<Tree>>; 1 << BITS]),
    Leaf(Bound),
}

impl Scope {
    /// No bindings, for so many names.
    pub fn new(names: usize) -> Scope {
        let mut levels = 1;
        while names >> (levels * BITS) > 0 {
            levels += 1;
        }
        Scope { root: None, levels }
    }

    pub fn get(&self, name: Symbol) -> Option<&Bound> {
        let mut tree = self.root.as_deref()?;
        let mut level = self.levels;
        loop {
            match tree {
                Tree::Leaf(bound) => return Some(bound),
                Tree::Branch(branches) => {
                    level -= 1;
                    tree = branches[branch(name, level)].as_deref()?;
                }
            }
        }
    }

    /// The same with a binding; it hides one of the same name.
    #[must_use]
    pub fn with(&self, name: Symbol, bound: Bound) -> Scope {
        Scope { root: Some(insert(self.root.as_deref(), self.levels, name, bound)), levels: self.levels }
    }

    /// The names that are bound, in the order of their numbers.
    pub fn names(&self) -> Vec<Symbol> {
        let mut names = Vec::new();
        if let Some(root) = &self.root {
            collect(root, 0, &mut names);
        }
        names
    }
}

fn branch(name: Symbol, level: u32) -> usize {
    (name.0 >> (level * BITS)) as usize & ((1 << BITS) - 1)
}

fn insert(tree: Option<&Tree>, level: u32, name: Symbol, bound: Bound) -> Rc<Tree> {
    if level == 0 {
        return Rc::new(Tree::Leaf(bound));
    }
    let mut branches = match tree {
        Some(Tree::Branch(branches)) => branches.clone(),
        _ => Default::default(),
    };
    let slot = &mut branches[branch(name, level - 1)];
    *slot = Some(insert(slot.as_deref(), level - 1, name, bound));
    Rc::new(Tree::Branch(branches))
}

fn collect(tree: &Tree, prefix: u32, names: &mut Vec<Symbol>) {
    match tree {
        Tree::Leaf(_) => names.push(Symbol(prefix)),
        Tree::Branch(branches) => {
            for (index, inner) in branches.iter().enumerate() {
                if let Some(inner) = inner {
                    collect(inner, prefix << BITS | index as u32, names);
                }
            }
        }
    }
}

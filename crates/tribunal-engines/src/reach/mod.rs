//! Reachability while edges are added: the parts that every saturation is made of.
//!
//! A saturation knows edges that hold in any case, and rules that say what follows where one event comes before another. Three things make
//! that fast:
//!
//! - [`clocks`]: nodes stand on *lines*, each node of which leads to the next. A node's clock says of every line how many of its nodes lead to the
//!   node: whether one leads to another is one comparison, and a new edge joins one row into another, O(k) for k lines. *Invariant*: with nothing left to
//!   follow, entry l of a node is at least the place on line l of each node that leads to it. A row grows at most n times, so that a graph of n nodes and m
//!   edges takes O(m·n·k) at worst, and O((n + m)·k) where nodes are visited in an order that contains the edges.
//! - [`graph`]: a growing acyclic graph with such an order, kept up to date by Pearce and Kelly's algorithm. *Invariant*: every edge leads to a later
//!   place; an edge that would close a cycle is refused and changes nothing.
//! - [`trail`]: what has been overwritten, so that an assumption can be taken back, the last change first.
//!
//! [`lists`] groups edges by where they begin or end, and [`digraph`] has what needs only that: an order of all nodes, or a short cycle.
//!
//! Who uses what:
//!
//! | saturation | clocks | graph | trail |
//! |---|---|---|---|
//! | `memory/order/views` | yes | yes | rows saved once a case, since a case changes most of a row |
//! | `transactions/strong` | yes | no: it asks for cycles alone, and the clocks answer that | entries |
//! | `memory/session/saturation` | yes, wider as lines come | no: what comes is last, and order is kept by the log | entries and events |
//!
//! Not of these: `memory/order/past` computes the past of every event once, in a given order, and shares rows or parts of sets among events;
//! `memory/order/coherence/saturation` does that once a round, and most histories have one round; cat's incremental evaluation grows whole relations of small
//! histories, where a row of bits takes less than a clock; `memory/session/exact` likewise.

pub(crate) mod clocks;
pub(crate) mod digraph;
pub(crate) mod graph;
pub(crate) mod lists;
pub(crate) mod trail;

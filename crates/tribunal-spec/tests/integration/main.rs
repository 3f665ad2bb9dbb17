//! Specifications that are declared against those that are built in.

mod promises;
mod specifications;

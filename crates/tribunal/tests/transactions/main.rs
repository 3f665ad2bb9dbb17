//! Histories of transactions: labels, definitions and what the library finds agree.

mod corpus;
mod naive;

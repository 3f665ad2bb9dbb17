//! Histories of transactions: labels, definitions and what the library finds agree.

mod anomalies;
mod corpus;
mod limits;
mod naive;
mod open;
mod stores;

//! The command as its users run it, its pages in a browser, and its server under load.

mod command;
#[path = "../../../../tests/shared.rs"]
mod shared;

mod browser;
mod commands;
mod load;
